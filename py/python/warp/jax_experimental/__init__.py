"""Kernels as functions of JAX, under the names of the documents. Importing this imports jax."""

from __future__ import annotations

from warp.jax_experimental.ffi import GraphMode, jax_callable, jax_kernel, register_ffi_callback

__all__ = ["GraphMode", "jax_callable", "jax_kernel", "register_ffi_callback"]
