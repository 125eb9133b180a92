"""`register_ffi_callback`: Python functions as targets of `jax.ffi.ffi_call`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
from warp._jax.place import run_at
from warp._jax.raised import carried, surface
from warp._warp import _jax_callback


def register_ffi_callback(name: str, func: Callable[[list[Any], list[Any], dict[str, Any], Any], Any]) -> None:
    """Register a Python function as a target of `jax.ffi.ffi_call`.

    Args:
        name: What `jax.ffi.ffi_call` is given. A name that was registered before gets the new function; programs that
            jax has compiled call that one, too.
        func: Called as `func(inputs, outputs, attrs, ctx)` each time that the call runs, with Python's lock held.
            `inputs` and `outputs` are lists of buffers, which kernels take as they are and which have
            `shape`, `dtype`, `device` and `__array_interface__`, or `__cuda_array_interface__` on a GPU; they can be
            used during the call only. `attrs` is a dict of the call's attributes: numbers, text, NumPy arrays and
            dicts. `ctx.device` is where the call runs, and `ctx.stream` the CUDA stream, 0 on the CPU. During the call
            both are the current ones, so that launches without `stream=` are ordered with jax's work, and no
            synchronisation is needed.
            What it raises becomes the text of a jax error. What is no `Exception`, as `KeyboardInterrupt` and
            `SystemExit`, is raised as it is where the call was made with `has_side_effect=True`. Other programs jax
            runs without Python once they have run without an error, and then raises a ValueError that names it.

    Raises:
        TypeError: `name` is no text, or `func` cannot be called.
        RuntimeError: There are too many callbacks.
    """
    if not isinstance(name, str):
        raise TypeError(f"register_ffi_callback: name is {type(name).__name__}, expected a str")
    if not callable(func):
        raise TypeError(f"register_ffi_callback: func is {type(func).__name__}, expected a function")

    def call(inputs: list[Any], outputs: list[Any], attrs: dict[str, Any], context: Any) -> None:
        try:
            run_at(context, func, inputs, outputs, attrs, context)
        except Exception:
            raise
        except BaseException as error:
            raise carried(name, error) from error

    surface()
    handlers = _jax_callback(name, call)
    if handlers is not None:
        for handler, platform in zip(handlers, ("cpu", "CUDA"), strict=True):
            jax.ffi.register_ffi_target(name, handler, platform=platform)
