"""Kernels as functions of JAX, under the names of the documents. Importing this imports jax."""

from __future__ import annotations

from warp._jax_operator import jax_kernel

__all__ = ["jax_kernel"]
