"""Settings. Assign to them: ``wp.config.verbose = True``. Unknown names and wrong values are refused."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from warp._warp import _configure

verbose: bool = False
"""Print when kernels are compiled or taken from the cache."""

quiet: bool = False
"""Print nothing at all of its own accord."""

log_level: int = 20
"""From which level on messages are told to the logger: wp.LOG_DEBUG (10), LOG_INFO, LOG_WARNING or LOG_ERROR (40)."""

mode: str = "release"
""""release", or "debug", which checks integer divisions, too."""

check_bounds: bool = True
"""Check every index: one out of range raises IndexError. Without, it reads or writes memory that is not the array's."""

cpu_threads: int | None = None
"""Threads that run a launch; None: WARP_NUM_THREADS, or one per core."""

deterministic: bool | int = False
"""Give bit-equal results for any number of threads; a wp.DeterministicMode other than NOT_GUARANTEED says the same."""

kernel_cache_dir: str | os.PathLike[str] | None = None
"""Where compiled kernels are kept; None: the user's cache directory."""

verify_autograd_array_access: bool = False
"""Refuse gradients of arrays that somebody changed without Warp, as through NumPy: compares their content."""

enable_backward: bool = True
"""Whether kernels have gradients unless they say otherwise."""

legacy_scalar_return_types: bool = False
"""Give numbers of all types as Python's, where otherwise those of types other than int32 and float32 keep theirs."""


def _boolean(value: Any) -> str | None:
    return None if isinstance(value, bool) else "a bool"


def _deterministic(value: Any) -> str | None:
    if isinstance(value, bool):
        return None
    from warp._cuda.modes import DeterministicMode

    return None if isinstance(value, DeterministicMode) else "a bool or a wp.DeterministicMode"


def _level(value: Any) -> str | None:
    return None if isinstance(value, int) and not isinstance(value, bool) else "an int, such as wp.LOG_INFO"


def _threads(value: Any) -> str | None:
    fits = value is None or (isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 1024)
    return None if fits else "None or an int from 1 to 1024"


def _mode(value: Any) -> str | None:
    return None if value in ("release", "debug") else '"release" or "debug"'


def _folder(value: Any) -> str | None:
    return None if value is None or isinstance(value, str | os.PathLike) else "None or a path"


_CHECKS: dict[str, Callable[[Any], str | None]] = {
    "verbose": _boolean,
    "quiet": _boolean,
    "log_level": _level,
    "mode": _mode,
    "check_bounds": _boolean,
    "cpu_threads": _threads,
    "deterministic": _deterministic,
    "kernel_cache_dir": _folder,
    "verify_autograd_array_access": _boolean,
    "enable_backward": _boolean,
    "legacy_scalar_return_types": _boolean,
}


class _Config(ModuleType):
    """A module that looks at what is assigned to it."""

    def __setattr__(self, name: str, value: Any) -> None:
        check = _CHECKS.get(name)
        if check is None:
            # The import system sets attributes with such names itself.
            if name.startswith("__"):
                super().__setattr__(name, value)
                return
            raise AttributeError(f"wp.config has no setting '{name}'; it has {', '.join(_CHECKS)}")
        expected = check(value)
        if expected is not None:
            raise TypeError(f"wp.config.{name} is {expected}, not {value!r}")
        super().__setattr__(name, value)
        _configure(name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"wp.config.{name} cannot be deleted")


sys.modules[__name__].__class__ = _Config
