"""Traces for viewers: compiles, launches, conversions and copies of this process, with times."""

from __future__ import annotations

import atexit
import os
from types import TracebackType

from warp._base.constants import LOG_WARNING
from warp._host.logging import log
from warp._warp import _TimelineSession

_FIRST = "_WARP_TRACE_PROCESS"


class ScopedTrace:
    """Writes what happens within a ``with`` block to a file in the trace event format, which Perfetto
    (https://ui.perfetto.dev) and Chrome (``chrome://tracing``) show.

    There are events for compiles, launches, conversions from and to other libraries, copies and fills, of all threads;
    those that began before the block, or end after it, are left out. The file is written when the block ends, by an
    exception, too. A million events are kept at most; how many more there were is noted in the file. In a process that
    is forked within the block nothing is written.

    Args:
        path: The file. One that is there already is replaced.
        active: Whether anything happens at all.

    Attributes:
        events: How many events were written, after the block.
        dropped: How many there was no room for.

    Raises:
        FileNotFoundError: There is no folder for the file.
        OSError: The file cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str], active: bool = True) -> None:
        self.path = os.path.abspath(os.fspath(path))
        self.active = active
        self.events = 0
        self.dropped = 0
        self._session: _TimelineSession | None = None

    def __enter__(self) -> ScopedTrace:
        if not self.active:
            return self
        if self._session is not None:
            raise RuntimeError("ScopedTrace: the block is being traced already")
        folder = os.path.dirname(self.path)
        if not os.path.isdir(folder):
            raise FileNotFoundError(f"ScopedTrace: there is no folder {folder!r}")
        self._session = _TimelineSession()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exception: BaseException | None, traceback: TracebackType | None
    ) -> None:
        session, self._session = self._session, None
        if session is None:
            return
        try:
            self.events, self.dropped = session.finish(self.path) or (0, 0)
        except OSError as error:
            if kind is None:
                raise
            # What the block raised says more.
            log(LOG_WARNING, f"ScopedTrace: {self.path} was not written: {error}")


def _trace_process(path: str) -> None:
    """Trace this process until it ends, for ``WARP_TRACE``.

    A process that this one starts finds the variable, too. It writes to a file of its own, with its number in the name.
    """
    path = os.path.abspath(path)
    process = str(os.getpid())
    if os.environ.setdefault(_FIRST, process) != process:
        stem, suffix = os.path.splitext(path)
        path = f"{stem}.{process}{suffix}"
    session = _TimelineSession()

    def finish() -> None:
        try:
            session.finish(path)
        except OSError as error:
            log(LOG_WARNING, f"WARP_TRACE: {path} was not written: {error}")

    atexit.register(finish)
