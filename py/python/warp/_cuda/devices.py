"""CUDA devices, versions, and what CUDA knows of kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warp._warp import Device, Kernel, _driver_version, _has_conditions, _reaches, array, get_device, get_devices

if TYPE_CHECKING:
    from warp.context import DeviceLike


# The compute capabilities that the compiler knows.
_KNOWN = (75, 80, 86, 89, 90)


def get_cuda_devices() -> list[Device]:
    """All CUDA devices."""
    return [device for device in get_devices() if device.is_cuda]


def get_cuda_device_count() -> int:
    """How many CUDA devices there are."""
    return len(get_cuda_devices())


def get_cuda_device(ordinal: int | None = None) -> Device:
    """A CUDA device.

    Args:
        ordinal: Its number; the first device by default.

    Raises:
        IndexError: There is no device of this number.
        RuntimeError: There is no CUDA device.
        TypeError: ``ordinal`` is no int.
    """
    devices = get_cuda_devices()
    if ordinal is None:
        if not devices:
            raise RuntimeError("get_cuda_device: there is no CUDA device")
        return devices[0]
    if not isinstance(ordinal, int):
        raise TypeError(f"get_cuda_device: ordinal is {ordinal!r}, expected an int or None")
    if not 0 <= ordinal < len(devices):
        raise IndexError(f"get_cuda_device: there is no device {ordinal}; the machine has {len(devices)} CUDA devices")
    return devices[ordinal]


def get_cuda_driver_version() -> tuple[int, int] | None:
    """The version of CUDA that the driver is for, as (12, 4); None without a CUDA device."""
    return _version(_driver_version())


def _version(number: int | None) -> tuple[int, int] | None:
    """12040 as (12, 4)."""
    return None if number is None else (number // 1000, number % 1000 // 10)


def get_cuda_toolkit_version() -> tuple[int, int] | None:
    """The version of the CUDA toolkit that Warp was built with: None, because it was built without."""
    return None


def get_cuda_supported_archs() -> list[int]:
    """The compute capabilities that kernels can be compiled for, as 90 for 9.0; none without a CUDA device. Later
    devices take what is for an earlier one.
    """
    return list(_KNOWN) if get_cuda_devices() else []


def map_cuda_device(alias: str, context: Any = None) -> Device:
    """Give a CUDA context a name.

    Raises:
        RuntimeError: There is no CUDA context.
    """
    raise RuntimeError(f"map_cuda_device: there is no CUDA context to name {alias!r}")


def unmap_cuda_device(alias: str) -> None:
    """Take a name from a CUDA context.

    Raises:
        RuntimeError: There is no CUDA device of this name.
    """
    raise RuntimeError(f"unmap_cuda_device: there is no CUDA device {alias!r}")


def can_access(device: DeviceLike, resource: Any) -> bool:
    """Whether kernels on a device can read the memory of an array: their own, pinned memory of the host, and what
    another device lets them access.

    Raises:
        TypeError: ``resource`` is no array.
        ValueError: There is no such device.
    """
    place = get_device(device)
    if not isinstance(resource, array):
        raise TypeError(f"can_access: expected an array, found {type(resource).__name__}")
    return _reaches(place, resource)


def get_suggested_block_size(kernel: Kernel, device: DeviceLike = None) -> tuple[int, int]:
    """How many threads a block should have, and how many blocks fill the device: 1 and 1 on the CPU.

    Raises:
        TypeError: ``kernel`` is no kernel.
        ValueError: There is no such device.
    """
    _check_kernel("get_suggested_block_size", kernel)
    get_device(device)
    return 1, 1


def get_cuda_kernel_properties(
    kernel: Kernel, device: DeviceLike = None, block_dim: int | None = None
) -> dict[str, int]:
    """What CUDA knows of a kernel that was compiled for a device.

    Raises:
        RuntimeError: The device is no CUDA device.
        TypeError: ``kernel`` is no kernel.
        ValueError: There is no such device.
    """
    _check_kernel("get_cuda_kernel_properties", kernel)
    raise RuntimeError(f"get_cuda_kernel_properties: device '{get_device(device)}' is no CUDA device")


def get_cuda_max_cluster_dim(
    kernel: Kernel, device: DeviceLike = None, *, block_dim: int | None = None, dynamic_smem_bytes: int = 0
) -> int:
    """How many blocks of a kernel a cluster has at most: 1 on the CPU.

    Raises:
        TypeError: ``kernel`` is no kernel.
        ValueError: There is no such device.
    """
    _check_kernel("get_cuda_max_cluster_dim", kernel)
    get_device(device)
    return 1


def _check_kernel(function: str, kernel: Any) -> None:
    if not isinstance(kernel, Kernel):
        raise TypeError(f"{function}: expected a kernel, found {type(kernel).__name__}")


def is_conditional_graph_supported() -> bool:
    """Whether CUDA graphs can have branches and loops: with a CUDA device whose driver is of 12.4 or later. Without,
    :func:`capture_if` and :func:`capture_while` let the host decide.
    """
    return any(_has_conditions(device) for device in get_cuda_devices())
