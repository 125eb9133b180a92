"""What programs import from where NVIDIA Warp launches kernels: public names, and the modules by their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import warp as _warp
from warp._language.modules import _modules as user_modules

__all__ = ["user_modules"]


class _Core:
    """Builtins by the names of functions in C: their arguments' types follow, and the last argument is a reference
    (`ctypes.byref`) to what the result is written to."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        words = name.removeprefix("wp_builtin_").split("_")
        if name.startswith("wp_builtin_"):
            for count in range(len(words), 0, -1):
                builtin = getattr(_warp, "_".join(words[:count]), None)
                if callable(builtin) and not isinstance(builtin, type):
                    return _writing(builtin)
        raise AttributeError(f"there is no function of the name '{name}'")


def _writing(builtin: Callable[..., Any]) -> Callable[..., None]:
    def call(*args: Any) -> None:
        *given, result = args
        made, at = builtin(*given), result._obj
        if hasattr(at, "value"):
            at.value = made
        else:
            at[:] = made

    return call


class _Runtime:
    core = _Core()


_runtime = _Runtime()


def __getattr__(name: str) -> Any:
    if name == "runtime":
        # Programs look here whether `wp.init()` was called.
        return _runtime if _warp.context._initialised else None
    return getattr(_warp, name)
