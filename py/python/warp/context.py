"""Devices, streams and initialisation."""

from __future__ import annotations

from typing import Any

from warp._warp import Device, _set_current_device, get_device, get_devices

__all__ = [
    "Device",
    "DeviceLike",
    "ScopedDevice",
    "ScopedStream",
    "Stream",
    "get_device",
    "get_devices",
    "get_preferred_device",
    "get_stream",
    "init",
    "is_cpu_available",
    "is_cuda_available",
    "is_device_available",
    "set_device",
    "synchronize",
    "synchronize_device",
    "synchronize_stream",
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
    except (TypeError, ValueError):
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

    @property
    def is_complete(self) -> bool:
        """Whether all work is done."""
        return True

    def wait_stream(self, other: Stream) -> None:
        """Let further work here wait for what `other` has now."""

    def __repr__(self) -> str:
        return f'<warp stream on "{self.device}">'


_streams: dict[Device, Stream] = {}


def get_stream(device: Any = None) -> Stream:
    """The current stream of a device."""
    device = get_device(device)
    return _streams.setdefault(device, Stream(device))


class ScopedStream:
    """Makes a stream the current one of its device within a ``with`` block."""

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
