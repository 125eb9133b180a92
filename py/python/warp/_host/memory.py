"""Tracking of the memory of arrays: live allocations, peak sizes, and the lines that made them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import IO

from warp._warp import _track, _track_clear, _track_scope, _tracked, _tracking

# The folder of the package.
_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_ORDERS = ("size", "chronological")


def _place() -> str:
    """The line of the program that is being run, outside this package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    if frame is None:
        return ""
    code = frame.f_code
    return f"{os.path.basename(code.co_filename)}:{frame.f_lineno} in {code.co_name}"


def _bytes(count: int) -> str:
    """A number of bytes as people read it."""
    amount = float(count)
    for unit in ("B", "KB", "MB", "GB"):
        if amount < 1024.0:
            return f"{count} B" if unit == "B" else f"{amount:.2f} {unit}"
        amount /= 1024.0
    return f"{amount:.2f} TB"


def _times(count: int) -> str:
    return f"{count} allocation{'' if count == 1 else 's'}"


def _write(where: str, text: str, file: IO[str] | None) -> None:
    if file is not None and not hasattr(file, "write"):
        raise TypeError(f"{where}: file is {file!r}; expected an open text file or None")
    print(text, file=file)


def _report(where: str, sort: str, max_items: int) -> str:
    """What is known, as text.

    Raises:
        TypeError: ``max_items`` is no int.
        ValueError: There is no such order, or ``max_items`` is negative.
    """
    if sort not in _ORDERS:
        raise ValueError(f"{where}: sort is {sort!r}; expected 'size' or 'chronological'")
    if not isinstance(max_items, int):
        raise TypeError(f"{where}: max_items is {max_items!r}; expected an int")
    if max_items < 0:
        raise ValueError(f"{where}: max_items is {max_items}; it must not be negative")
    totals, scopes, pieces = _tracked()
    lines = ["memory of arrays"]
    if not totals:
        lines.append("  none was made")
    for device, count, made, live, peak in totals:
        lines.append(
            f"  {device}: {_bytes(live)} now, {_bytes(peak)} at most; {_times(count)} of {_bytes(made)} in all"
        )
    if scopes:
        lines.append("  by scope:")
        lines += [f"    {path}, {device}: {_times(count)} of {_bytes(made)}" for path, device, count, made in scopes]
    for device, *_ in totals:
        here = [piece for piece in pieces if piece[2] == device]
        if not here:
            continue
        if sort == "size":
            here.sort(key=lambda piece: -piece[1])
        order = "the largest first" if sort == "size" else "the oldest first"
        shown = here[:max_items]
        more = f", {len(shown)} of {len(here)}" if len(shown) < len(here) else ""
        lines.append(f"  what there is of {device}, {order}{more}:")
        lines += [f"    {_bytes(size)}  {what or 'memory'}  {place}".rstrip() for _, size, _, what, place in shown]
    return "\n".join(lines)


def print_memory_report(file: IO[str] | None = None, sort: str = "size", max_items: int = 10) -> None:
    """Print the present and peak memory of arrays on each device, and the lines that made it.

    Memory that this package allocates is tracked from ``wp.config.track_memory = True`` on or within a
    :class:`ScopedMemoryTracker`; memory of other libraries is not.

    Args:
        file: Where to; ``sys.stdout`` by default.
        sort: What there is, ``"size"``: the largest first; ``"chronological"``: the oldest first.
        max_items: How many allocations are listed for each device.

    Raises:
        RuntimeError: Tracking is disabled.
        TypeError: ``max_items`` is no int, or ``file`` nothing to write to.
        ValueError: There is no such order, or ``max_items`` is negative.
    """
    text = _report("print_memory_report", sort, max_items)
    if not _tracking():
        raise RuntimeError(
            "print_memory_report: no account is kept; set wp.config.track_memory = True before arrays are made, or "
            "make them within wp.ScopedMemoryTracker"
        )
    _write("print_memory_report", text, file)


class ScopedMemoryTracker:
    """Tracks the memory that arrays allocate within a ``with`` block, and prints a report at its end.

    Trackers within trackers make paths of their names, such as ``"step/solve"``. The record is shared by all threads
    and trackers, and :meth:`clear` resets it; each thread has its own scopes.

    Args:
        name: What the block is called.
        active: Whether anything happens at all.
        print: Whether to print in the end.
        report_func: Called with the text instead of printing it.

    Raises:
        TypeError: ``name`` is no string, or ``report_func`` cannot be called.
    """

    def __init__(
        self,
        name: str = "root",
        active: bool = True,
        print: bool = True,
        report_func: Callable[[str], None] | None = None,
    ) -> None:
        if not isinstance(name, str):
            raise TypeError(f"ScopedMemoryTracker: name is {name!r}; expected a str")
        if report_func is not None and not callable(report_func):
            raise TypeError(f"ScopedMemoryTracker: report_func is {report_func!r}; expected a function of a str")
        self.name = name
        self.active = active
        self.print = print
        self.report_func = report_func

    def __enter__(self) -> ScopedMemoryTracker:
        if self.active:
            _track(True)
            _track_scope(self.name)
        return self

    def __exit__(self, *exception: object) -> None:
        if not self.active:
            return
        _track_scope(None)
        _track(False)
        if self.report_func is not None:
            self.report_func(_report("ScopedMemoryTracker", "size", 10))
        elif self.print:
            self.report()

    def report(self, file: IO[str] | None = None, sort: str = "size", max_items: int = 10) -> None:
        """Print what is known by now; nothing if this tracker is not active.

        Args:
            file: Where to; ``sys.stdout`` by default.
            sort: ``"size"`` or ``"chronological"``.
            max_items: How many allocations are listed for each device.

        Raises:
            TypeError, ValueError: As :func:`print_memory_report`.
        """
        text = _report("report", sort, max_items)
        if self.active:
            _write("report", text, file)

    def clear(self) -> None:
        """Begin a new account: what was made so far is forgotten."""
        if self.active:
            _track_clear()
