"""CUDA devices, versions, and what CUDA knows of kernels."""

from __future__ import annotations

from typing import Any

from warp._devices.stream import DeviceLike
from warp._warp import (
    Device,
    Kernel,
    _driver_version,
    _has_conditions,
    _largest_cluster,
    _name_device,
    _reaches,
    _suggested_block,
    _thread_cost,
    _unname_device,
    array,
    get_device,
    get_devices,
)

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


def _check_alias(place: str, alias: Any) -> None:
    if not isinstance(alias, str):
        kind = "a class" if isinstance(alias, type) else type(alias).__name__
        raise TypeError(f"{place}: alias is {kind}, expected a string")


def map_cuda_device(alias: str, context: Any = None) -> Device:
    """Give a GPU a name, which every ``device=`` takes and which is its ``alias`` then. A later name takes its place.

    Args:
        alias: The name.
        context: CUDA's primary context of the GPU, as a number or a ``ctypes`` pointer. Without one it is the thread's
            current context, and where there is none, that of the current device.

    Raises:
        RuntimeError: There is no such context, it is no GPU's primary one, or the name is another device's.
        ValueError: A device is spelled so.
    """
    _check_alias("map_cuda_device", alias)
    handle = getattr(context, "value", context)
    device = _name_device(alias, handle)
    if device is None:
        raise RuntimeError(
            f"map_cuda_device: there is no CUDA context to name {alias!r}"
            if handle is None
            else f"map_cuda_device: {handle:#x} is the primary context of no GPU that is in use"
        )
    return device


def unmap_cuda_device(alias: str) -> None:
    """Take away a name that :func:`map_cuda_device` gave.

    Raises:
        RuntimeError: No GPU was given this name.
    """
    _check_alias("unmap_cuda_device", alias)
    if not _unname_device(alias):
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
    """How many threads a block should have for the most to run at a time, and how many such blocks fill the device; 1
    and 1 on the CPU. Compiles the kernel.

    Raises:
        RuntimeError: The kernel is generic.
        TypeError: ``kernel`` is no kernel.
        ValueError: There is no such device.
    """
    _check_kernel("get_suggested_block_size", kernel)
    place = get_device(device)
    return _suggested_block(kernel, place) if place.is_cuda else (1, 1)


def get_cuda_kernel_properties(
    kernel: Kernel, device: DeviceLike = None, block_dim: int | None = None
) -> dict[str, int]:
    """What a thread of a kernel takes on a GPU: ``"register_count"``, and ``"local_memory_size"`` in bytes, which is
    more than 0 where registers do not suffice. Compiles the kernel.

    Args:
        kernel: The kernel.
        device: The GPU; the current device by default.
        block_dim: Threads of a block: a kernel is the same for any number of them.

    Raises:
        RuntimeError: The device is no CUDA device, or the kernel is generic.
        TypeError: ``kernel`` is no kernel.
        ValueError: There is no such device, or ``block_dim`` is no number of threads.
    """
    _check_kernel("get_cuda_kernel_properties", kernel)
    place = get_device(device)
    _threads("get_cuda_kernel_properties", kernel, block_dim)
    if not place.is_cuda:
        raise RuntimeError(f"get_cuda_kernel_properties: device '{place}' is no CUDA device")
    registers, local = _thread_cost(kernel, place)
    return {"register_count": registers, "local_memory_size": local}


def get_cuda_max_cluster_dim(
    kernel: Kernel, device: DeviceLike = None, *, block_dim: int | None = None, dynamic_smem_bytes: int = 0
) -> int:
    """How many blocks of a kernel a cluster has at most: 1 on the CPU and on GPUs before compute capability 9.0.
    Launches of this package form no clusters. Compiles the kernel.

    Raises:
        RuntimeError: The kernel is generic.
        TypeError: ``kernel`` is no kernel.
        ValueError: There is no such device, or ``block_dim`` is no number of threads.
    """
    _check_kernel("get_cuda_max_cluster_dim", kernel)
    place = get_device(device)
    threads = _threads("get_cuda_max_cluster_dim", kernel, block_dim)
    return _largest_cluster(kernel, place, threads, dynamic_smem_bytes) if place.is_cuda else 1


def _check_kernel(function: str, kernel: Any) -> None:
    if not isinstance(kernel, Kernel):
        raise TypeError(f"{function}: expected a kernel, found {type(kernel).__name__}")
    if getattr(kernel, "is_generic", False):
        raise RuntimeError(
            f"{function}: kernel '{kernel.key}' is generic; pass what wp.overload gives for types of its parameters"
        )


def _threads(function: str, kernel: Kernel, block_dim: int | None) -> int:
    """Threads of a block: what the kernel's module says where nothing is asked for."""
    threads = kernel.module.options["block_dim"] if block_dim is None else block_dim
    if type(threads) is not int or not 1 <= threads <= 1024:
        raise ValueError(f"{function}: block_dim is {threads!r}, expected 1 to 1024 threads")
    return threads


def is_conditional_graph_supported() -> bool:
    """Whether CUDA graphs can have branches and loops: with a CUDA device whose driver is of 12.4 or later. Without,
    :func:`capture_if` and :func:`capture_while` let the host decide.
    """
    return any(_has_conditions(device) for device in get_cuda_devices())
