"""A kernel on NumPy's own memory: y becomes a x + y, without a copy in either direction.

python -m warp.examples.saxpy_numpy
"""

from __future__ import annotations

import numpy as np
import warp as wp

from . import _shared


@wp.kernel
def saxpy(a: float, x: wp.array[float], y: wp.array[float]) -> None:
    i = wp.tid()
    y[i] = a * x[i] + y[i]


def main(count: int = 1_000_000) -> float:
    """Returns the largest difference from NumPy's own answer."""
    rng = np.random.default_rng(0)
    x = rng.random(count, dtype=np.float32)
    y = rng.random(count, dtype=np.float32)
    expected = np.float32(2.5) * x + y

    # The arrays themselves go into the launch; the kernel writes into y.
    wp.launch(saxpy, dim=count, inputs=[2.5, x, y])
    error = float(np.abs(y - expected).max())
    print(f"passed directly:  largest difference from NumPy {error:.1e}")

    # The same with an array that is kept: it lies on x's memory, and `numpy()` gives that back.
    held = wp.array(x, dtype=float, copy=False)
    wp.launch(saxpy, dim=count, inputs=[1.0, held, held])
    shares = np.shares_memory(held.numpy(), x)
    print(f"kept as an array: shares its memory with NumPy: {shares}")
    return error if shares else float("inf")


def program(arguments: list[str] | None = None) -> None:
    """What the command line runs."""
    options = _shared.options(__file__, __doc__, arguments, draws=False)
    with wp.ScopedDevice(options.device):
        main()


if __name__ == "__main__":
    program()
