"""Algorithms on whole arrays, and small helpers around kernels."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any

from warp._arrays.coloring import (
    GraphColoringAlgorithm,
    graph_coloring_assign,
    graph_coloring_balance,
    graph_coloring_get_groups,
)
from warp._base.absent import stand_ins
from warp._base.scopes import taken_back
from warp._language.decorators import func as _func
from warp._language.modules import get_module as _get_module
from warp._warp import Function as _Function
from warp._warp import (
    array_cast,
    array_inner,
    array_scan,
    array_sum,
    get_devices,
    radix_sort_pairs,
    runlength_encode,
    segmented_sort_pairs,
)
from warp.context import synchronize as _synchronize
from warp.types import transformf as _transformf

if TYPE_CHECKING:
    from warp._devices.timing import TimingResult
    from warp._language.modules import Module
    from warp._warp import Function

__all__ = [
    "GraphColoringAlgorithm",
    "ScopedTimer",
    "array_cast",
    "array_inner",
    "array_scan",
    "array_sum",
    "create_warp_function",
    "graph_coloring_assign",
    "graph_coloring_balance",
    "graph_coloring_get_groups",
    "radix_sort_pairs",
    "runlength_encode",
    "segmented_sort_pairs",
    "transform_expand",
]

_depth = 0


def transform_expand(t: Sequence[float]) -> Any:
    """The transform that seven numbers describe: a position of 3, then a rotation as a quaternion of 4.

    Raises:
        ValueError: There are more or fewer numbers.
    """
    return _transformf(t)


def create_warp_function(func: Callable[..., Any]) -> tuple[Function, Module]:
    """Make a function that kernels can call of a Python function.

    Args:
        func: The function, written with ``def`` or a lambda; or one that ``@wp.func`` made, which is returned.

    Returns:
        The function, and its module.

    Raises:
        TypeError: ``func`` is something else.
        OSError: The source text of the function cannot be found.
    """
    if not isinstance(func, _Function):
        if not isinstance(func, FunctionType):
            raise TypeError(f"create_warp_function: expected a Python function, found {func!r}")
        if func.__name__ == "<lambda>":
            from warp._arrays.functions import of_lambda

            func = of_lambda(func)
        else:
            func = _func(func)
    return func, _get_module(func.module.name)


class ScopedTimer:
    """Measures how long a ``with`` block takes, and prints it.

    Args:
        name: What is printed in front of the time.
        active: Whether anything happens at all.
        print: Whether to print.
        detailed: Profile the block, and print that.
        dict: Append the milliseconds to ``dict[name]``.
        use_nvtx: Show the block as a range in NVIDIA's profilers instead of measuring it, where there is a CUDA device.
        color: Accepted for compatibility.
        synchronize: Wait for all devices before both ends.
        cuda_filter: Time what runs on CUDA devices meanwhile, too: a sum of ``wp.TIMING_KERNEL`` and the like. The
            results are in ``timing_results``, and are printed.
        report_func: Called with those results and the indentation instead of printing.
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
        self.cuda_filter = cuda_filter
        self.use_nvtx = use_nvtx
        self.timing_results: list[TimingResult] = []
        self.elapsed = 0.0
        self._starts: list[int] = []

    def __enter__(self) -> ScopedTimer:
        global _depth
        if not self.active:
            return self
        if self.synchronize:
            _synchronize()
        if self.cuda_filter:
            from warp._devices import timing

            timing.timing_begin(self.cuda_filter, synchronize=False)
        if self._is_range():
            from warp._cuda import nvtx

            nvtx.push(self.name)
        _depth += 1
        if self.detailed:
            import cProfile

            self._profile = cProfile.Profile()
            self._profile.enable()
        self._starts.append(time.perf_counter_ns())
        return self

    def __exit__(self, *exception: object) -> None:
        global _depth
        if not self.active:
            return
        start = taken_back(self, self._starts)
        if self.synchronize:
            _synchronize()
        self.elapsed = (time.perf_counter_ns() - start) / 1e6
        _depth -= 1
        if self._is_range():
            from warp._cuda import nvtx

            nvtx.pop()
        if self.cuda_filter:
            from warp._devices import timing

            self.timing_results = timing.timing_end(self.synchronize)
        if self.dict is not None:
            self.dict.setdefault(self.name, []).append(self.elapsed)
        if self.detailed:
            import pstats

            self._profile.disable()
            if self.print:
                pstats.Stats(self._profile).sort_stats("tottime").print_stats(15)
        indent = "    " * _depth
        if self.report_func is not None:
            self.report_func(self.timing_results, indent)
        elif self.print and not self._is_range():
            if self.timing_results:
                from warp._devices import timing

                timing.timing_print(self.timing_results, indent=indent)
                _print()
            _print(f"{indent}{self.name} took {self.elapsed:.2f} ms")

    def _is_range(self) -> bool:
        """Whether profilers show the block."""
        return self.use_nvtx and any(device.is_cuda for device in get_devices())


_print = print

# What is refused by name.
globals().update(stand_ins("wp.utils"))
