"""Devices, streams and initialisation."""

from __future__ import annotations

import time
from typing import Any

from warp._warp import Device, _set_current_device, get_device, get_devices

__all__ = [
    "Device",
    "DeviceLike",
    "Event",
    "ScopedDevice",
    "ScopedStream",
    "Stream",
    "event_from_ipc_handle",
    "get_device",
    "get_devices",
    "get_event_elapsed_time",
    "get_preferred_device",
    "get_stream",
    "init",
    "is_cpu_available",
    "is_cuda_available",
    "is_device_available",
    "record_event",
    "set_device",
    "set_stream",
    "synchronize",
    "synchronize_device",
    "synchronize_event",
    "synchronize_stream",
    "wait_event",
    "wait_stream",
]

DeviceLike = Device | str | None
"""What names a device: itself, its alias, or None for the current one."""


def init() -> None:
    """Prepare everything. Not required: the first use does it."""


def is_cpu_available() -> bool:
    """Whether kernels run on the CPU: always."""
    return True


def is_cuda_available() -> bool:
    """Whether kernels run on an NVIDIA GPU."""
    return any(device.is_cuda for device in get_devices())


def is_device_available(device: Any) -> bool:
    """Whether there is such a device."""
    try:
        get_device(device)
    except (TypeError, ValueError, RuntimeError):
        return False
    return True


def get_preferred_device() -> Device:
    """A GPU if there is one, else the CPU."""
    return next((device for device in get_devices() if device.is_cuda), get_device("cpu"))


def set_device(ident: Any) -> None:
    """Make a device the current one of this thread.

    Raises:
        ValueError: There is no such device.
    """
    _set_current_device(get_device(ident))


class ScopedDevice:
    """Makes a device the current one within a ``with`` block.

    Raises:
        ValueError: There is no such device.
    """

    def __init__(self, device: Any = None) -> None:
        self.device = get_device(device)
        self._before: list[Device] = []

    def __enter__(self) -> Device:
        self._before.append(get_device())
        _set_current_device(self.device)
        return self.device

    def __exit__(self, *exception: object) -> None:
        _set_current_device(self._before.pop())


class Event:
    """A point in the order of a stream's work. On the CPU work is done when the call returns, so that an event is the
    time when it was recorded.

    Args:
        device: The device; the current one by default.
        cuda_event: The handle of an existing CUDA event; there is none on the CPU.
        enable_timing: Whether :func:`get_event_elapsed_time` may be asked.
        interprocess: Whether other processes are to wait for it; only CUDA devices can.

    Raises:
        ValueError: There is no such device, it has no CUDA events, or none for other processes.
    """

    def __init__(
        self,
        device: DeviceLike = None,
        cuda_event: int | None = None,
        enable_timing: bool = False,
        interprocess: bool = False,
    ) -> None:
        self.device = get_device(device)
        if cuda_event:
            raise ValueError(f"Event: cuda_event is {cuda_event:#x}, but device {self.device} has no CUDA events")
        if interprocess:
            raise ValueError(f"Event: device {self.device} has no events for other processes; only CUDA devices have")
        self.cuda_event = None
        self.enable_timing = enable_timing
        self._recorded: float | None = None

    @property
    def is_complete(self) -> bool:
        """Whether the work before it is done."""
        return True

    def ipc_handle(self) -> bytes:
        """Raises: RuntimeError: Only CUDA devices have events for other processes."""
        raise RuntimeError(f"Event.ipc_handle: device {self.device} has no events for other processes")

    def __repr__(self) -> str:
        return f'<warp event on "{self.device}">'


class Stream:
    """A queue of work on a device. On the CPU work runs in order, so that there is nothing to queue.

    Args:
        device: The device; the current one by default.
        priority: Accepted for compatibility; only matters for GPUs.
        cuda_stream: The handle of an existing CUDA stream; there is none on the CPU.

    Raises:
        ValueError: There is no such device, or it has no CUDA streams.
    """

    def __init__(self, device: Any = None, priority: int = 0, cuda_stream: int | None = None) -> None:
        self.device = get_device(device)
        self.priority = priority
        if cuda_stream:
            raise ValueError(f"Stream: cuda_stream is {cuda_stream:#x}, but device {self.device} has no CUDA streams")
        self.cuda_stream = None
        self._event: Event | None = None

    @property
    def is_complete(self) -> bool:
        """Whether all work is done."""
        return True

    @property
    def is_blocking(self) -> bool:
        """Whether work of this stream waits for that of the default stream: on the CPU all work is in order."""
        return True

    @property
    def is_capturing(self) -> bool:
        """Whether this thread captures launches."""
        return self.device.is_capturing

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
        event._recorded = time.perf_counter()
        return event

    def wait_event(self, event: Event, external: bool = False) -> None:
        """Let further work here wait for an event.

        Raises:
            TypeError: ``event`` is no event.
        """
        _check_event("wait_event", event, None)

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


_streams: dict[Device, Stream] = {}


def get_stream(device: Any = None) -> Stream:
    """The current stream of a device."""
    device = get_device(device)
    return _streams.setdefault(device, Stream(device))


def set_stream(stream: Stream, device: DeviceLike = None, sync: bool = False) -> None:
    """Make a stream the current one of its device.

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
    _streams[stream.device] = stream


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
    return (times[1] - times[0]) * 1e3


def event_from_ipc_handle(handle: bytes, device: DeviceLike = None) -> Event:
    """An event of another process.

    Raises:
        RuntimeError: The device is no CUDA device.
        ValueError: There is no such device.
    """
    raise RuntimeError(f"event_from_ipc_handle: device {get_device(device)} has no events for other processes")


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
        self._before: list[Stream] = []

    def __enter__(self) -> Stream | None:
        if self.stream is not None:
            self._before.append(get_stream(self.stream.device))
            _streams[self.stream.device] = self.stream
        return self.stream

    def __exit__(self, *exception: object) -> None:
        if self.stream is not None:
            _streams[self.stream.device] = self._before.pop()


def synchronize() -> None:
    """Wait until all work on all devices is done."""


def synchronize_device(device: Any = None) -> None:
    """Wait until all work on a device is done.

    Raises:
        ValueError: There is no such device.
    """
    get_device(device)


def synchronize_stream(stream_or_device: Any = None) -> None:
    """Wait until all work of a stream is done.

    Raises:
        ValueError: There is no such device.
    """
    if not isinstance(stream_or_device, Stream):
        get_device(stream_or_device)
