"""Algorithms on whole arrays, and small helpers around kernels."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from warp._absent import stand_ins
from warp._warp import (
    array_cast,
    array_inner,
    array_scan,
    array_sum,
    radix_sort_pairs,
    runlength_encode,
    segmented_sort_pairs,
)
from warp.context import synchronize as _synchronize

if TYPE_CHECKING:
    from warp._modules import Module
    from warp._warp import Function

__all__ = [
    "ScopedTimer",
    "array_cast",
    "array_inner",
    "array_scan",
    "array_sum",
    "create_warp_function",
    "radix_sort_pairs",
    "runlength_encode",
    "segmented_sort_pairs",
]

_depth = 0


def create_warp_function(func: Callable[..., Any]) -> tuple[Function, Module]:
    """Make a function that kernels can call of a Python function.

    Args:
        func: The function, written with ``def``; or one that ``@wp.func`` made, which is returned.

    Returns:
        The function, and its module.

    Raises:
        TypeError: ``func`` is something else.
        OSError: The source text of the function cannot be found.
    """
    from warp._decorators import func as decorate
    from warp._modules import get_module
    from warp._warp import Function

    if not isinstance(func, Function):
        if getattr(func, "__code__", None) is None or func.__name__ == "<lambda>":
            raise TypeError(f"create_warp_function: expected a function written with def, found {func!r}")
        func = decorate(func)
    return func, get_module(func.module.name)


class ScopedTimer:
    """Measures how long a ``with`` block takes, and prints it.

    Args:
        name: What is printed in front of the time.
        active: Whether anything happens at all.
        print: Whether to print.
        detailed: Profile the block, and print that.
        dict: Append the milliseconds to ``dict[name]``.
        use_nvtx: Accepted for compatibility; only matters for GPUs.
        color: Accepted for compatibility; only matters for GPUs.
        synchronize: Wait for all devices before both ends.
        cuda_filter: Accepted for compatibility; only matters for GPUs.
        report_func: Called with the results instead of printing them.
        skip_tape: Accepted for compatibility.

    The time is in ``elapsed``, in milliseconds.
    """

    def __init__(
        self,
        name: str,
        active: bool = True,
        print: bool = True,
        detailed: bool = False,
        dict: dict[str, list[float]] | None = None,
        use_nvtx: bool = False,
        color: Any = "rapids",
        synchronize: bool = False,
        cuda_filter: int = 0,
        report_func: Any = None,
        skip_tape: bool = False,
    ) -> None:
        self.name = name
        self.active = active
        self.print = print
        self.detailed = detailed
        self.dict = dict
        self.synchronize = synchronize
        self.report_func = report_func
        self.elapsed = 0.0

    def __enter__(self) -> ScopedTimer:
        global _depth
        if not self.active:
            return self
        if self.synchronize:
            _synchronize()
        _depth += 1
        if self.detailed:
            import cProfile

            self._profile = cProfile.Profile()
            self._profile.enable()
        self._start = time.perf_counter_ns()
        return self

    def __exit__(self, *exception: object) -> None:
        global _depth
        if not self.active:
            return
        if self.synchronize:
            _synchronize()
        self.elapsed = (time.perf_counter_ns() - self._start) / 1e6
        _depth -= 1
        if self.dict is not None:
            self.dict.setdefault(self.name, []).append(self.elapsed)
        if self.detailed:
            import pstats

            self._profile.disable()
            if self.print:
                pstats.Stats(self._profile).sort_stats("tottime").print_stats(15)
        indent = "  " * _depth
        if self.report_func is not None:
            self.report_func([], indent)
        elif self.print:
            _print(f"{indent}{self.name} took {self.elapsed:.2f} ms")


_print = print

# What is refused by name.
globals().update(stand_ins("wp.utils"))
