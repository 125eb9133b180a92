"""Arrays of the tests of algorithms on GPUs."""

from __future__ import annotations

import numpy as np
import warp as wp

GPU = "cuda:0"
RANDOM = np.random.default_rng(5)


def there(values: np.ndarray, dtype=None) -> wp.array:
    """An array on the GPU; its dtype is that of NumPy's where none is named."""
    if dtype is wp.bfloat16:
        return wp.array([float(v) for v in values], dtype=dtype, device=GPU)
    return wp.array(values, dtype=dtype, device=GPU)
