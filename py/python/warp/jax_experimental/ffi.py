"""Kernels and functions of kernels as functions of JAX, by XLA's foreign function interface."""

from __future__ import annotations

from warp._jax.callable import (
    GraphMode,
    clear_jax_callable_graph_cache,
    get_jax_callable_default_graph_cache_max,
    jax_callable,
    set_jax_callable_default_graph_cache_max,
)
from warp._jax.callback import register_ffi_callback
from warp._jax.modes import JaxCallableGraphMode, JaxModulePreloadMode
from warp._jax.operator import jax_kernel

__all__ = [
    "GraphMode",
    "JaxCallableGraphMode",
    "JaxModulePreloadMode",
    "clear_jax_callable_graph_cache",
    "get_jax_callable_default_graph_cache_max",
    "jax_callable",
    "jax_kernel",
    "register_ffi_callback",
    "set_jax_callable_default_graph_cache_max",
]
