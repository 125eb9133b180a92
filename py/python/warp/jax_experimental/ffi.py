"""Kernels as functions of JAX, by XLA's foreign function interface."""

from __future__ import annotations

from warp._jax_callback import register_ffi_callback
from warp._jax_operator import jax_kernel

__all__ = ["jax_kernel", "register_ffi_callback"]
