"""Settings. Assign to them: ``wp.config.verbose = True``. Wrong values are refused; an unknown name is kept, with a
warning. Each begins as its environment variable says, if that is set: ``WARP_VERBOSE=1``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from warp._base.class_names import named as _named
from warp._base.constants import DeterministicMode
from warp._warp import __version__, _configure, _error

verbose: bool = False
"""Print when kernels are compiled or loaded from the cache."""

quiet: bool = False
"""Print nothing by itself."""

log_level: int = 20
"""The lowest level of messages that are logged: wp.LOG_DEBUG (10), LOG_INFO, LOG_WARNING or LOG_ERROR (40)."""

use_logging: bool = False
"""Give messages to the logger "warp" of the module logging in place of printing them. wp.set_logger() goes before."""

mode: str = "release"
""""release", or "debug", which also checks integer divisions, ``assert`` and unassigned variables."""

check_bounds: bool = True
"""Check every index: one out of range raises IndexError. Without, it reads or writes memory that is not the array's."""

cpu_threads: int | None = None
"""Threads that run a launch; None: WARP_NUM_THREADS if that is set, else one per CPU of the process."""

deterministic: bool | DeterministicMode = DeterministicMode.NOT_GUARANTEED
"""Give bit-equal results for any number of threads; a wp.DeterministicMode other than NOT_GUARANTEED means the same."""

kernel_cache_dir: str | os.PathLike[str] | None = None
"""Directory of the cache of compiled kernels; None: the user's cache directory."""

verify_autograd_array_access: bool = False
"""Refuse gradients of arrays that were changed without Warp, for example through NumPy: compares their content."""

enable_backward: bool = True
"""Whether kernels have gradients by default."""

legacy_scalar_return_types: bool = False
"""Return numbers of all types as Python numbers; by default types other than int32 and float32 keep theirs."""

print_launches: bool = False
"""Print each launch before it happens, with its dimensions and arguments."""

verify_fp: bool = False
"""Log a warning for arrays that hold infinities or NaN after a launch that takes them."""

cache_kernels: bool = True
"""Use the cache of compiled kernels. Read when a kernel is first launched."""

optimization_level: int | None = None
"""Optimisation level of kernels: 0 compiles fastest and runs slowest; 1 to 3 are the same. None: as 3."""

lanes: str | int = "auto"
"""Whether kernels on the CPU are vectorised across threads (SIMD): "auto" when that is faster, "always" when it is
possible, "never", or in gangs of 2, 4, 8, 16, 32 or 64 threads. All give the same bits, except sums by atomics."""

tiered_compilation: bool = True
"""On a cache miss run unoptimised code until optimised code has been compiled in the background, with the same bits.
False, or WARP_TIERED_COMPILATION=0: the first launch waits for optimised code."""

load_module_max_workers: int | None = 0
"""How many kernels wp.load_module() compiles at a time; 0 or None: the number of cores."""

track_memory: bool = False
"""Track the memory of arrays, for wp.print_memory_report()."""

version: str = __version__
"""The version of the package. It cannot be assigned."""


max_unroll: int = 16
"""The most iterations of a constant loop that is unrolled. A loop is unrolled if that helps, or if ``wp.static`` uses
its variable. At most 4096. The module option of this name overrides it."""

_MAX_UNROLL = 4096

perf_map: bool = False
"""Add the kernels that are loaded from now on to /tmp/perf-PID.map, so that ``perf report`` shows them by name."""

verify_cuda: bool = False
"""Synchronise after each launch on a CUDA device that is not captured, so that the launch raises its own faults."""

enable_mempools_at_init: bool = True
"""Whether CUDA devices allocate from their memory pools by default; wp.set_mempool_enabled() overrides it."""

ptx_target_arch: int | None = None
"""The highest compute capability that kernels are compiled for on CUDA devices, such as 75 for 7.5; None: that of the
device."""

lineinfo: bool = False
"""Whether code for the CPU says which lines of the program it is of: gdb then stops at lines of kernels."""

# What follows means nothing to kernels on the CPU. Programs may assign it; it is kept, and nothing asks for it.

line_directives: bool = True
"""Kept: faults name the lines of the program in any case."""

compile_time_trace: bool = False
"""Kept: wp.config.verbose tells how long kernels took to compile."""

cpu_compiler_flags: str | None = None
"""Kept: there is no compiler that takes flags."""

enable_vector_component_overwrites: bool = False
"""Kept: components of vectors may be assigned, with exact gradients, in any case."""

launch_array_access_mode: Any = 0
"""Kept: arguments are checked by each launch in any case."""

default_grid_stride: bool = True
"""Kept: threads go through large launches in strides in any case."""

enable_graph_capture_module_load_by_default: bool = True
"""Kept: kernels are compiled when they are captured in any case."""

cuda_arch_suffix: str | None = None
"""Only for CUDA: which features of an architecture code may use."""

cuda_output: str | None = None
"""Kept: CUDA devices are given PTX."""

llvm_cuda: bool = False
"""Kept: there is one compiler."""

use_precompiled_headers: bool = True
"""Only for CUDA: how code is compiled."""

enable_mathdx_gemm: bool = True
"""Only for CUDA: which library multiplies tiles."""

enable_mathdx_solver: bool = True
"""Only for CUDA: which library solves systems of tiles."""

enable_mathdx_fft: bool = True
"""Only for CUDA: which library transforms tiles."""

enable_tiles_in_stack_memory: bool = True
"""Kept: there are no tiles."""

enable_cpu_blocks: bool = False
"""Kept: a block of threads on the CPU is one thread."""

legacy_cpu_linker: bool = False
"""Kept: there is one linker."""

deterministic_debug: bool = False
"""Kept: results are bit-equal with wp.config.deterministic in any case."""

deterministic_max_records: int = 0
"""Kept: no records are made for wp.config.deterministic."""

verbose_warnings: bool = False
"""Kept: warnings name the lines of the program in any case."""


def _boolean(value: Any) -> str | None:
    return None if isinstance(value, bool) else "a bool"


def _deterministic(value: Any) -> str | None:
    return None if isinstance(value, bool | DeterministicMode) else "a bool or a wp.DeterministicMode"


def _level(value: Any) -> str | None:
    return None if isinstance(value, int) and not isinstance(value, bool) else "an int, such as wp.LOG_INFO"


def _threads(value: Any) -> str | None:
    fits = value is None or (isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 1024)
    return None if fits else "None or an int from 1 to 1024"


def _mode(value: Any) -> str | None:
    return None if value in ("release", "debug") else '"release" or "debug"'


def _optimization(value: Any) -> str | None:
    fits = value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 3)
    return None if fits else "None or an int from 0 to 3"


def _lanes(value: Any) -> str | None:
    fits = value in ("auto", "always", "never") or (type(value) is int and value in (2, 4, 8, 16, 32, 64))
    return None if fits else '"auto", "always", "never", 2, 4, 8, 16, 32 or 64'


def _arch(value: Any) -> str | None:
    fits = value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 75)
    return None if fits else "None or a compute capability from 75 on, as 90 for 9.0"


def _rounds(value: Any) -> str | None:
    fits = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_UNROLL
    return None if fits else f"an int from 0 to {_MAX_UNROLL}"


def _workers(value: Any) -> str | None:
    fits = value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0)
    return None if fits else "None or an int that is not negative"


def _constant(value: Any) -> str | None:
    return "that of the package, which cannot be assigned"


def _folder(value: Any) -> str | None:
    return None if value is None or isinstance(value, str | os.PathLike) else "None or a path"


_CHECKS: dict[str, Callable[[Any], str | None]] = {
    "verbose": _boolean,
    "quiet": _boolean,
    "log_level": _level,
    "use_logging": _boolean,
    "mode": _mode,
    "check_bounds": _boolean,
    "cpu_threads": _threads,
    "deterministic": _deterministic,
    "kernel_cache_dir": _folder,
    "verify_autograd_array_access": _boolean,
    "enable_backward": _boolean,
    "legacy_scalar_return_types": _boolean,
    "print_launches": _boolean,
    "verify_fp": _boolean,
    "cache_kernels": _boolean,
    "optimization_level": _optimization,
    "lanes": _lanes,
    "tiered_compilation": _boolean,
    "max_unroll": _rounds,
    "load_module_max_workers": _workers,
    "track_memory": _boolean,
    "perf_map": _boolean,
    "lineinfo": _boolean,
    "verify_cuda": _boolean,
    "enable_mempools_at_init": _boolean,
    "ptx_target_arch": _arch,
    "version": _constant,
}

_KEPT = (
    "line_directives",
    "compile_time_trace",
    "cpu_compiler_flags",
    "enable_vector_component_overwrites",
    "launch_array_access_mode",
    "default_grid_stride",
    "enable_graph_capture_module_load_by_default",
    "cuda_arch_suffix",
    "cuda_output",
    "llvm_cuda",
    "use_precompiled_headers",
    "enable_mathdx_gemm",
    "enable_mathdx_solver",
    "enable_mathdx_fft",
    "enable_tiles_in_stack_memory",
    "enable_cpu_blocks",
    "legacy_cpu_linker",
    "deterministic_debug",
    "deterministic_max_records",
    "verbose_warnings",
)


def _warn(name: str) -> None:
    """Say that a name is no setting: it may be one that is misspelled."""
    import warnings
    from difflib import get_close_matches

    like = get_close_matches(name, [*_CHECKS, *_KEPT], 1)
    hint = f"; is it '{like[0]}' that is meant?" if like else ""
    warnings.warn(f"wp.config has no setting '{name}', so that nothing asks for it{hint}", stacklevel=3)


@_named("config")
class _Config(ModuleType):
    """A module that checks assignments."""

    def __setattr__(self, name: str, value: Any) -> None:
        check = _CHECKS.get(name)
        if check is None:
            if name in _KEPT:
                super().__setattr__(name, value)
                return
            # The import system sets attributes with such names itself.
            if name.startswith("__"):
                super().__setattr__(name, value)
                return
            if name not in vars(self):
                _warn(name)
            super().__setattr__(name, value)
            return
        expected = check(value)
        if expected is not None:
            raise _error("Mismatch", f"wp.config.{name} is {expected}, not {value!r}")
        super().__setattr__(name, value)
        _configure(name, value)

    def __getattr__(self, name: str) -> Any:
        if name == "LaunchArrayAccessMode":
            from warp._base.modes import LaunchArrayAccessMode

            return LaunchArrayAccessMode
        raise AttributeError(f"module 'warp.config' has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        if name in vars(self) and name not in _CHECKS and name not in _KEPT:
            super().__delattr__(name)
            return
        raise AttributeError(f"wp.config.{name} cannot be deleted")


sys.modules[__name__].__class__ = _Config


def _from_environment() -> None:
    """Take what the environment says; a variable that is empty says nothing."""
    for name in (*_CHECKS, *_KEPT):
        text = os.environ.get(f"WARP_{name.upper()}")
        if text and name != "version":
            from warp._base.environment import value_of

            found, expected = value_of(name, text, globals()[name])
            if expected is None and name in _CHECKS:
                expected = _CHECKS[name](found)
            if expected is not None:
                raise _error(
                    "Mismatch", f"the environment variable WARP_{name.upper()} is {text!r}; expected {expected}"
                )
            setattr(sys.modules[__name__], name, found)


_from_environment()
