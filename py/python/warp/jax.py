"""Conversions from and to JAX, and kernels as functions of jax; the former are in ``warp`` too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warp._warp import (
    device_from_jax,
    device_to_jax,
    dtype_from_jax,
    dtype_to_jax,
    from_jax,
    to_jax,
)

if TYPE_CHECKING:
    from warp._jax_operator import JaxKernel, jax_kernel

__all__ = [
    "JaxKernel",
    "device_from_jax",
    "device_to_jax",
    "dtype_from_jax",
    "dtype_to_jax",
    "from_jax",
    "jax_kernel",
    "to_jax",
]


def __getattr__(name: str) -> Any:
    if name in ("JaxKernel", "jax_kernel"):
        from warp import _jax_operator  # imports jax

        return getattr(_jax_operator, name)
    raise AttributeError(f"module 'warp.jax' has no attribute '{name}'")
