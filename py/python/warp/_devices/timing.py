"""Times of what ran on CUDA devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from warp._base.constants import TIMING_ALL
from warp._devices.stream import synchronize as _synchronize
from warp._warp import _time, _timed

# What is timed, the innermost last.
_filters: list[int] = []


class TimingResult:
    """How long one thing took.

    Attributes:
        device: The device that it ran on.
        name: What ran, as it is shown.
        filter: Its kind: one of ``TIMING_KERNEL``, ``TIMING_KERNEL_BUILTIN``, ``TIMING_MEMCPY``, ``TIMING_MEMSET``
            and ``TIMING_GRAPH``.
        elapsed: The milliseconds.
    """

    def __init__(self, device: Any, name: str, filter: int, elapsed: float) -> None:
        self.device = device
        self.name = name
        self.filter = filter
        self.elapsed = elapsed

    def __repr__(self) -> str:
        return f"TimingResult({str(self.device)!r}, {self.name!r}, filter={self.filter}, elapsed={self.elapsed})"


def timing_begin(cuda_filter: int = TIMING_ALL, synchronize: bool = True) -> None:
    """Begin to time what runs on CUDA devices. Without one there is nothing to time.

    Args:
        cuda_filter: Which kinds of things: a sum of ``TIMING_KERNEL`` and the like.
        synchronize: Whether to wait for all devices first.

    Raises:
        TypeError: ``cuda_filter`` is no int.
    """
    if not isinstance(cuda_filter, int):
        raise TypeError(f"timing_begin: cuda_filter is {cuda_filter!r}, expected a sum of wp.TIMING_KERNEL and others")
    if synchronize:
        _synchronize()
    _timed()
    _filters.append(cuda_filter & 0xFFFFFFFF)
    _time(_filters[-1])


def timing_end(synchronize: bool = True) -> list[TimingResult]:
    """End timing.

    Args:
        synchronize: Whether to wait for all devices first.

    Returns:
        The times since :func:`timing_begin`, in order: an empty list, without a CUDA device.
    """
    if synchronize:
        _synchronize()
    if _filters:
        _filters.pop()
    _time(_filters[-1] if _filters else 0)
    return [TimingResult(device, name, kind, elapsed) for device, name, kind, elapsed in _timed()]


def timing_print(results: Sequence[TimingResult], indent: str = "") -> None:
    """Print times one by one, then their sums by name and by device.

    Args:
        results: The times, as :func:`timing_end` gave them.
        indent: What each line begins with.

    Raises:
        TypeError: ``results`` is something else.
    """
    given: Sequence[object] = results
    for one in given:
        if not isinstance(one, TimingResult):
            expected = "expected what timing_end() gave"
            raise TypeError(f"timing_print: results has an element of type {type(one).__name__}; {expected}")
    if not results:
        print(f"{indent}No activity")
        return
    rows = [(f"{r.elapsed:.6f}", str(r.device), r.name) for r in results]
    _print_table(("Milliseconds", "Device", "Activity"), rows, indent)
    for head, names in (("Activity", [r.name for r in results]), ("Device", [str(r.device) for r in results])):
        print()
        _print_table(("Milliseconds", "Count", head), _sums(names, results), indent)


def _sums(names: Sequence[str], results: Sequence[TimingResult]) -> list[tuple[str, str, str]]:
    """Time and number of the results of each name, the longest time first."""
    sums: dict[str, tuple[float, int]] = {}
    for name, result in zip(names, results, strict=True):
        time, count = sums.get(name, (0.0, 0))
        sums[name] = time + result.elapsed, count + 1
    order = sorted(sums.items(), key=lambda item: -item[1][0])
    return [(f"{time:.6f}", str(count), name) for name, (time, count) in order]


def _print_table(heads: tuple[str, str, str], rows: Sequence[tuple[str, str, str]], indent: str) -> None:
    widths = [max(len(row[column]) for row in (heads, *rows)) for column in range(3)]
    for time, middle, last in (heads, tuple("-" * width for width in widths), *rows):
        print(f"{indent}{time:>{widths[0]}}  {middle:<{widths[1]}}  {last}")
