"""What gives out the memory of devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, Protocol, runtime_checkable

from warp._warp import Device, array, get_device

if TYPE_CHECKING:
    from warp.context import DeviceLike


@runtime_checkable
class Allocator(Protocol):
    """What gives out the memory of a device."""

    def allocate(self, size_in_bytes: int) -> int:
        """The address of new memory."""

    def deallocate(self, ptr: int, size_in_bytes: int) -> None:
        """Take back what :meth:`allocate` gave."""


class _OwnAllocator:
    """What gives out the memory of arrays on the CPU."""

    def __init__(self) -> None:
        self._given: dict[int, array] = {}

    def allocate(self, size_in_bytes: int) -> int:
        from warp import empty, uint8

        memory = empty(max(size_in_bytes, 1), dtype=uint8, device="cpu")
        address = memory.ptr or 0
        self._given[address] = memory
        return address

    def deallocate(self, ptr: int, size_in_bytes: int) -> None:
        if self._given.pop(ptr, None) is None:
            raise ValueError(f"deallocate: this allocator gave nothing at {ptr:#x}")


class CudaManagedAllocator:
    """Gives out managed memory of CUDA's, which the CPU can access, too."""

    def allocate(self, size_in_bytes: int) -> int:
        """Raises: RuntimeError: There is no CUDA device."""
        raise RuntimeError("CudaManagedAllocator: there is no CUDA device")

    def deallocate(self, ptr: int, size_in_bytes: int) -> None:
        """Raises: RuntimeError: There is no CUDA device."""
        raise RuntimeError("CudaManagedAllocator: there is no CUDA device")


_own_allocator = _OwnAllocator()


def get_device_allocator(device: DeviceLike) -> Allocator:
    """What gives out the memory of a device.

    Raises:
        ValueError: There is no such device.
    """
    get_device(device)
    return _own_allocator


def set_device_allocator(device: DeviceLike, allocator: Allocator | None) -> None:
    """Have another allocator give out the memory of a CUDA device; None: Warp's own.

    Raises:
        RuntimeError: The device is no CUDA device.
        ValueError: There is no such device.
    """
    _refuse("set_device_allocator", get_device(device))


def _refuse(where: str, device: Device) -> NoReturn:
    raise RuntimeError(f"{where}: device '{device}' has Warp's own allocator; only CUDA devices take another")


def set_cuda_allocator(allocator: Allocator | None) -> None:
    """Have another allocator give out the memory of all CUDA devices; None: Warp's own.

    Raises:
        RuntimeError: There is no CUDA device.
    """
    raise RuntimeError("set_cuda_allocator: there is no CUDA device")


class ScopedAllocator:
    """Has another allocator give out the memory of a CUDA device within a ``with`` block.

    Raises:
        RuntimeError: The device is no CUDA device.
        ValueError: There is no such device.
    """

    def __init__(self, device: DeviceLike, allocator: Allocator | None) -> None:
        self.device = get_device(device)
        self.allocator = allocator

    def __enter__(self) -> NoReturn:
        _refuse("ScopedAllocator", self.device)

    def __exit__(self, *exception: object) -> None:
        """Nothing was changed."""
