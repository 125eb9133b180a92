"""Devices, streams and initialisation."""

from __future__ import annotations

from typing import Any

from warp._base.scopes import taken_back
from warp._devices.stream import (
    DeviceLike,
    Event,
    ScopedStream,
    Stream,
    event_from_ipc_handle,
    get_event_elapsed_time,
    get_stream,
    record_event,
    set_stream,
    synchronize,
    synchronize_device,
    synchronize_event,
    synchronize_stream,
    wait_event,
    wait_stream,
)
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


_initialised = False


def init() -> None:
    """Prepare everything. Not required: the first use does it."""
    global _initialised
    _initialised = True


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
        _set_current_device(taken_back(self, self._before))
