"""What gives out the memory of devices."""

from __future__ import annotations

from typing import NoReturn, Protocol, runtime_checkable

from warp._cuda.devices import get_cuda_devices
from warp._devices.stream import DeviceLike
from warp._warp import Device, _allocate_managed, _free_managed, _set_lender, array, empty, get_device
from warp.types import uint8


@runtime_checkable
class Allocator(Protocol):
    """What gives out the memory of a device."""

    def allocate(self, size_in_bytes: int) -> int:
        """The address of new memory."""

    def deallocate(self, ptr: int, size_in_bytes: int) -> None:
        """Take back what :meth:`allocate` gave."""


class _OwnAllocator:
    """The default allocator of arrays."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self._given: dict[int, array] = {}

    def allocate(self, size_in_bytes: int) -> int:
        memory = empty(max(size_in_bytes, 1), dtype=uint8, device=self.device)
        address = memory.ptr or 0
        self._given[address] = memory
        return address

    def deallocate(self, ptr: int, size_in_bytes: int) -> None:
        if self._given.pop(ptr, None) is None:
            raise ValueError(f"deallocate: this allocator gave nothing at {ptr:#x}")


class CudaManagedAllocator:
    """Gives out managed memory of CUDA's, which the CPU can access, too.

    Args:
        device: The CUDA device; the first one by default.
    """

    def __init__(self, device: DeviceLike = None) -> None:
        self._wanted = device
        self._given: dict[int, Device] = {}

    def _device(self) -> Device:
        devices = get_cuda_devices()
        if not devices:
            raise RuntimeError("CudaManagedAllocator: there is no CUDA device")
        wanted = get_device(self._wanted) if self._wanted is not None else devices[0]
        if not wanted.is_cuda:
            raise RuntimeError(f"CudaManagedAllocator: device '{wanted}' is no CUDA device")
        return wanted

    def allocate(self, size_in_bytes: int) -> int:
        """Raises: RuntimeError: There is no CUDA device, or it has no such memory."""
        device = self._device()
        address = _allocate_managed(device, size_in_bytes)
        self._given[address] = device
        return address

    def deallocate(self, ptr: int, size_in_bytes: int) -> None:
        """Raises:
        RuntimeError: There is no CUDA device.
        ValueError: This gave nothing at ``ptr``.
        """
        self._device()
        device = self._given.pop(ptr, None)
        if device is None:
            raise ValueError(f"deallocate: this allocator gave nothing at {ptr:#x}")
        _free_managed(device, ptr)


_own: dict[Device, _OwnAllocator] = {}
_set: dict[Device, Allocator] = {}


def get_device_allocator(device: DeviceLike) -> Allocator:
    """What gives out the memory of a device.

    Raises:
        ValueError: There is no such device.
    """
    place = get_device(device)
    found = _set.get(place)
    return found if found is not None else _own.setdefault(place, _OwnAllocator(place))


def set_device_allocator(device: DeviceLike, allocator: Allocator | None) -> None:
    """Have another allocator give out the memory of a CUDA device; None: Warp's own.

    Memory goes back to the allocator that gave it, once no stream that Warp knows uses it any more.

    Raises:
        RuntimeError: The device is no CUDA device.
        TypeError: ``allocator`` is none.
        ValueError: There is no such device.
    """
    place = get_device(device)
    if not place.is_cuda:
        _refuse("set_device_allocator", place)
    _check("set_device_allocator", allocator)
    if allocator is None or allocator is _own.get(place):
        _set.pop(place, None)
        _set_lender(place, None)
    else:
        _set[place] = allocator
        _set_lender(place, allocator)


def _check(where: str, allocator: object) -> None:
    if allocator is not None and not isinstance(allocator, Allocator):
        found = type(allocator).__name__
        raise TypeError(f"{where}: allocator is {found}, expected an object with allocate() and deallocate(), or None")


def _refuse(where: str, device: Device) -> NoReturn:
    raise RuntimeError(f"{where}: device '{device}' has Warp's own allocator; only CUDA devices take another")


def set_cuda_allocator(allocator: Allocator | None) -> None:
    """Have another allocator give out the memory of all CUDA devices; None: Warp's own.

    Raises:
        RuntimeError: There is no CUDA device.
        TypeError: ``allocator`` is none.
    """
    devices = get_cuda_devices()
    if not devices:
        raise RuntimeError("set_cuda_allocator: there is no CUDA device")
    _check("set_cuda_allocator", allocator)
    for device in devices:
        set_device_allocator(device, allocator)


class ScopedAllocator:
    """Has another allocator give out the memory of a CUDA device within a ``with`` block.

    Raises:
        RuntimeError: The device is no CUDA device.
        TypeError: ``allocator`` is none.
        ValueError: There is no such device.
    """

    def __init__(self, device: DeviceLike, allocator: Allocator | None) -> None:
        self.device = get_device(device)
        self.allocator = allocator
        self._before: Allocator | None = None

    def __enter__(self) -> Allocator | None:
        if not self.device.is_cuda:
            _refuse("ScopedAllocator", self.device)
        self._before = _set.get(self.device)
        set_device_allocator(self.device, self.allocator)
        return self.allocator

    def __exit__(self, *exception: object) -> None:
        if self.device.is_cuda:
            set_device_allocator(self.device, self._before)
