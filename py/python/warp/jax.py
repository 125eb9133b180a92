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
    from warp._jax.callable import GraphMode, JaxCallable, clear_jax_callable_graph_cache, jax_callable
    from warp._jax.modes import JaxCallableGraphMode, JaxModulePreloadMode
    from warp._jax.operator import JaxKernel, jax_kernel

__all__ = [
    "GraphMode",
    "JaxCallable",
    "JaxCallableGraphMode",
    "JaxKernel",
    "JaxModulePreloadMode",
    "clear_jax_callable_graph_cache",
    "device_from_jax",
    "device_to_jax",
    "dtype_from_jax",
    "dtype_to_jax",
    "from_jax",
    "jax_callable",
    "jax_kernel",
    "to_jax",
]


def __getattr__(name: str) -> Any:
    # These import jax.
    if name in ("JaxKernel", "jax_kernel"):
        from warp._jax import operator

        return getattr(operator, name)
    if name in ("JaxCallableGraphMode", "JaxModulePreloadMode"):
        from warp._jax import modes

        return getattr(modes, name)
    if name in ("GraphMode", "JaxCallable", "clear_jax_callable_graph_cache", "jax_callable"):
        from warp._jax import callable

        return getattr(callable, name)
    raise AttributeError(f"module 'warp.jax' has no attribute '{name}'")
