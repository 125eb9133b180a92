"""Streams and events: the order in which devices work.

On the CPU work is done when a call returns, so that streams there only stand for that order. On GPUs they are the
driver's.
"""

from __future__ import annotations

import threading
import time
from typing import Any, TypeAlias

from warp._base.scopes import taken_back
from warp._warp import CudaEvent, CudaStream, Device, get_device, get_devices
from warp._warp import _synchronize_device as wait_for_device

DeviceLike: TypeAlias = Device | str | None
"""What names a device: itself, its alias, or None for the current one."""


class Event:
    """A point in the order of a stream's work. On the CPU work is done when the call returns, so that an event is the
    time when it was recorded.

    Args:
        device: The device; the current one by default.
        cuda_event: The handle of an existing CUDA event; there is none on the CPU.
        enable_timing: Whether :func:`get_event_elapsed_time` may be asked.
        interprocess: Whether other processes are to wait for it; only CUDA devices can. Such an event has no time.

    Raises:
        ValueError: There is no such device, it has no CUDA events, or none for other processes.
        RuntimeError: The driver refuses.
    """

    def __init__(
        self,
        device: DeviceLike = None,
        cuda_event: int | None = None,
        enable_timing: bool = False,
        interprocess: bool = False,
    ) -> None:
        self.device = get_device(device)
        self.enable_timing = enable_timing
        self._recorded: float | None = None
        self._cuda: CudaEvent | None = None
        if self.device.is_cuda:
            self._cuda = CudaEvent(self.device, enable_timing, interprocess, cuda_event)
        elif cuda_event:
            raise ValueError(f"Event: cuda_event is {cuda_event:#x}, but device {self.device} has no CUDA events")
        elif interprocess:
            raise ValueError(f"Event: device {self.device} has no events for other processes; only CUDA devices have")

    @property
    def cuda_event(self) -> int | None:
        """The driver's handle; None on the CPU."""
        return None if self._cuda is None else self._cuda.handle

    @property
    def is_complete(self) -> bool:
        """Whether the work before it is done."""
        return True if self._cuda is None else self._cuda.is_complete

    def ipc_handle(self) -> bytes:
        """A handle with which another process opens the event; see :func:`event_from_ipc_handle`.

        Raises:
            RuntimeError: Only CUDA devices have such events, and only those made with ``interprocess=True``.
        """
        if self._cuda is None:
            raise RuntimeError(f"Event.ipc_handle: device {self.device} has no events for other processes")
        return self._cuda.ipc_handle()

    def __repr__(self) -> str:
        return f'<warp event on "{self.device}">'


class Stream:
    """A queue of work on a device. On the CPU work runs in order, so that there is nothing to queue.

    Args:
        device: The device; the current one by default.
        priority: On GPUs, -1 for work that comes before that of other streams, 0 for others. The CPU has no use for it.
        cuda_stream: The handle of an existing CUDA stream, which must outlive the object; there is none on the CPU.

    Raises:
        ValueError: There is no such device, or it has no CUDA streams.
        RuntimeError: The driver refuses.
    """

    def __init__(self, device: DeviceLike = None, priority: int = 0, cuda_stream: int | None = None) -> None:
        self.device = get_device(device)
        self._priority = priority
        self._event: Event | None = None
        #: Another library's object of the same stream.
        self._owner: Any = None
        self._cuda: CudaStream | None = None
        if self.device.is_cuda:
            self._cuda = CudaStream(self.device, min(max(priority, -1), 0), cuda_stream)
        elif cuda_stream:
            raise ValueError(f"Stream: cuda_stream is {cuda_stream:#x}, but device {self.device} has no CUDA streams")

    @classmethod
    def _of(cls, device: Device, cuda: CudaStream | None) -> Stream:
        stream = cls.__new__(cls)
        stream.device, stream._priority, stream._event, stream._owner, stream._cuda = device, 0, None, None, cuda
        return stream

    @property
    def cuda_stream(self) -> int | None:
        """The driver's handle; None on the CPU."""
        return None if self._cuda is None else self._cuda.handle

    @property
    def priority(self) -> int:
        """The priority; on GPUs as the driver has it."""
        return self._priority if self._cuda is None else self._cuda.priority

    @property
    def is_complete(self) -> bool:
        """Whether all work is done."""
        return True if self._cuda is None else self._cuda.is_complete

    @property
    def is_blocking(self) -> bool:
        """Whether work of this stream waits for that of the default stream: on the CPU all work is in order."""
        return True if self._cuda is None else self._cuda.is_blocking

    @property
    def is_capturing(self) -> bool:
        """Whether launches are captured: by this thread on the CPU, on this stream on a GPU."""
        return self.device.is_capturing if self._cuda is None else self._cuda.is_capturing

    @property
    def cached_event(self) -> Event:
        """An event that belongs to the stream."""
        if self._event is None:
            self._event = Event(self.device)
        return self._event

    def record_event(self, event: Event | None = None, external: bool = False) -> Event:
        """Let an event stand for all work so far.

        Args:
            event: The event; a new one by default.
            external: Only for captures of CUDA graphs.

        Raises:
            TypeError: ``event`` is no event.
            ValueError: It is one of another device.
        """
        if event is None:
            event = Event(self.device)
        _check_event("record_event", event, self.device)
        if self._cuda is not None and event._cuda is not None:
            self._cuda.record(event._cuda)
        event._recorded = time.perf_counter()
        return event

    def wait_event(self, event: Event, external: bool = False) -> None:
        """Let further work here wait for an event.

        Raises:
            TypeError: ``event`` is no event.
        """
        _check_event("wait_event", event, None)
        if event._cuda is None:
            return
        if self._cuda is None:
            event._cuda.synchronize()
        else:
            self._cuda.wait(event._cuda)

    def wait_stream(self, other_stream: Stream, event: Event | None = None, external: bool = False) -> None:
        """Let further work here wait for what another stream has now.

        Args:
            other_stream: The other stream.
            event: An event to record there; one of its own by default.
            external: Only for captures of CUDA graphs.

        Raises:
            TypeError: ``other_stream`` is no stream, or ``event`` no event.
        """
        if not isinstance(other_stream, Stream):
            raise TypeError(f"wait_stream: other_stream is {type(other_stream).__name__}, expected a wp.Stream")
        self.wait_event(other_stream.record_event(event or other_stream.cached_event))

    def __repr__(self) -> str:
        return f'<warp stream on "{self.device}">'


def _check_event(function: str, event: Any, device: Device | None) -> None:
    if not isinstance(event, Event):
        raise TypeError(f"{function}: event is {type(event).__name__}, expected a wp.Event")
    if device is not None and event.device != device:
        raise ValueError(f"{function}: the event is one of the device '{event.device}', the stream of '{device}'")


def _check_stream(function: str, stream: Any) -> None:
    if not isinstance(stream, Stream):
        raise TypeError(f"{function}: stream is {type(stream).__name__}, expected a wp.Stream")


class _Current(threading.local):
    """The streams that are current in a thread."""

    def __init__(self) -> None:
        self.streams: dict[Device, Stream] = {}


_current = _Current()


def get_stream(device: DeviceLike = None) -> Stream:
    """The current stream of a device in this thread."""
    device = get_device(device)
    stream = _current.streams.get(device)
    if stream is None:
        stream = Stream._of(device, CudaStream.current(device) if device.is_cuda else None)
        _current.streams[device] = stream
    return stream


def _make_current(stream: Stream) -> None:
    _current.streams[stream.device] = stream
    if stream._cuda is not None:
        stream._cuda.set_current()


def null_stream(device: Device) -> Stream | None:
    """CUDA's own default stream of a device."""
    return Stream._of(device, CudaStream.null(device)) if device.is_cuda else None


def set_stream(stream: Stream, device: DeviceLike = None, sync: bool = False) -> None:
    """Make a stream the current one of its device in this thread.

    Args:
        stream: The stream.
        device: Its device, where that is to be checked.
        sync: Whether it waits for the one before.

    Raises:
        TypeError: ``stream`` is no stream.
        ValueError: There is no such device, or it is not that of the stream.
    """
    _check_stream("set_stream", stream)
    if device is not None and get_device(device) != stream.device:
        raise ValueError(
            f"set_stream: the stream is one of the device '{stream.device}', device is '{get_device(device)}'"
        )
    if sync:
        stream.wait_stream(get_stream(stream.device))
    _make_current(stream)


def record_event(event: Event | None = None, external: bool = False) -> Event:
    """Let an event stand for all work so far of the current stream; see :meth:`Stream.record_event`."""
    return get_stream(event.device if isinstance(event, Event) else None).record_event(event, external)


def wait_event(event: Event, external: bool = False) -> None:
    """Let further work of the current stream wait for an event; see :meth:`Stream.wait_event`."""
    get_stream().wait_event(event, external)


def wait_stream(other_stream: Stream, event: Event | None = None, external: bool = False) -> None:
    """Let further work of the current stream wait for another stream; see :meth:`Stream.wait_stream`."""
    get_stream().wait_stream(other_stream, event, external)


def synchronize_event(event: Event) -> None:
    """Wait until the work before an event is done.

    Raises:
        TypeError: ``event`` is no event.
    """
    _check_event("synchronize_event", event, None)
    if event._cuda is not None:
        event._cuda.synchronize()


def get_event_elapsed_time(start_event: Event, end_event: Event, synchronize: bool = True) -> float:
    """The milliseconds between two events.

    Args:
        start_event: The first, made with ``enable_timing=True`` and recorded.
        end_event: The second, the same.
        synchronize: Whether to wait for the second.

    Raises:
        TypeError: One is no event.
        RuntimeError: One was not recorded, or made without ``enable_timing=True``.
    """
    times = []
    for name, event in (("start_event", start_event), ("end_event", end_event)):
        _check_event("get_event_elapsed_time", event, None)
        if not event.enable_timing:
            raise RuntimeError(f"get_event_elapsed_time: {name} was made without enable_timing=True")
        if event._recorded is None:
            raise RuntimeError(f"get_event_elapsed_time: {name} was not recorded; wp.record_event does that")
        times.append(event._recorded)
    start, end = start_event._cuda, end_event._cuda
    if start is not None and end is not None:
        if synchronize:
            end.synchronize()
        return end.since(start)
    return (times[1] - times[0]) * 1e3


def event_from_ipc_handle(handle: bytes, device: DeviceLike = None) -> Event:
    """An event of another process.

    Args:
        handle: What :meth:`Event.ipc_handle` gave there.
        device: The CUDA device; the current one by default.

    Raises:
        RuntimeError: The device is no CUDA device, or the driver refuses: this process may not open its own handles.
        ValueError: There is no such device, or ``handle`` is none.
    """
    place = get_device(device)
    if not place.is_cuda:
        raise RuntimeError(f"event_from_ipc_handle: device {place} has no events for other processes")
    event = Event.__new__(Event)
    event.device, event.enable_timing, event._recorded = place, False, None
    event._cuda = CudaEvent.opened(place, handle)
    return event


class ScopedStream:
    """Makes a stream the current one of its device within a ``with`` block.

    Args:
        stream: The stream; None changes nothing.
        sync_enter: Whether it waits for the one before.
        sync_exit: Whether the one before waits for it at the end.

    Raises:
        TypeError: ``stream`` is no stream.
    """

    def __init__(self, stream: Stream | None, sync_enter: bool = True, sync_exit: bool = False) -> None:
        if stream is not None and not isinstance(stream, Stream):
            raise TypeError(f"ScopedStream: expected a wp.Stream or None, found {type(stream).__name__}")
        self.stream = stream
        self.sync_enter = sync_enter
        self.sync_exit = sync_exit
        self._before: list[Stream] = []

    def __enter__(self) -> Stream | None:
        if self.stream is not None:
            before = get_stream(self.stream.device)
            if self.sync_enter and before is not self.stream:
                self.stream.wait_stream(before)
            self._before.append(before)
            _make_current(self.stream)
        return self.stream

    def __exit__(self, *exception: object) -> None:
        if self.stream is not None:
            before = taken_back(self, self._before)
            if self.sync_exit and before is not self.stream:
                before.wait_stream(self.stream)
            _make_current(before)


def synchronize() -> None:
    """Wait until all work on all devices is done.

    Raises:
        IndexError, RuntimeError, ...: A fault in a kernel on a GPU since the last synchronisation.
    """
    for device in get_devices():
        if device.is_cuda and device.has_context:
            wait_for_device(device)


def synchronize_device(device: DeviceLike = None) -> None:
    """Wait until all work on a device is done.

    Raises:
        ValueError: There is no such device.
    """
    wait_for_device(get_device(device))


def synchronize_stream(stream_or_device: Stream | DeviceLike = None) -> None:
    """Wait until all work of a stream is done.

    Raises:
        ValueError: There is no such device.
    """
    stream = stream_or_device if isinstance(stream_or_device, Stream) else get_stream(stream_or_device)
    if stream._cuda is not None:
        stream._cuda.synchronize()
