"""Names that blocks of the documents use as if the reader had made them: one maker per kind of block."""

from __future__ import annotations

from typing import Any

import pytest
import warp as wp


def external_array() -> dict[str, Any]:
    import torch

    return {"external_array": torch.arange(6, dtype=torch.float32).reshape(2, 3)}


def one_array_of_each() -> dict[str, Any]:
    """The frameworks, an array of each and one of Warp's, with different values."""
    import torch

    jax = pytest.importorskip("jax")
    paddle = pytest.importorskip("paddle")
    return {
        "jax": jax,
        "torch": torch,
        "paddle": paddle,
        "jax_array": jax.numpy.arange(3, dtype="float32"),
        "torch_tensor": torch.arange(3, dtype=torch.float32) + 10,
        "paddle_tensor": paddle.arange(3, dtype="float32") + 20,
        "warp_array": wp.array([30, 31, 32], dtype=float),
    }
