"""Memory pools of CUDA devices, and access of one device to the memory of another."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from warp._warp import Device, get_device

if TYPE_CHECKING:
    from warp.context import DeviceLike


def is_mempool_supported(device: DeviceLike) -> bool:
    """Whether a device can allocate from a memory pool: CUDA devices only.

    Raises:
        ValueError: There is no such device.
    """
    get_device(device)
    return False


def is_mempool_enabled(device: DeviceLike) -> bool:
    """Whether a device allocates from a memory pool.

    Raises:
        ValueError: There is no such device.
    """
    get_device(device)
    return False


def set_mempool_enabled(device: DeviceLike, enable: bool) -> None:
    """Have a device allocate from a memory pool, or not.

    Raises:
        ValueError: There is no such device, or it has no memory pool.
    """
    place = get_device(device)
    if enable:
        _refuse_pool("set_mempool_enabled", place)


def get_mempool_release_threshold(device: DeviceLike = None) -> int:
    """How many bytes a device's memory pool keeps instead of giving them back.

    Raises:
        ValueError: There is no such device, or it has no memory pool.
    """
    _refuse_pool("get_mempool_release_threshold", get_device(device))


def set_mempool_release_threshold(device: DeviceLike, threshold: int | float) -> None:
    """Set how many bytes a device's memory pool keeps; up to 1, the share of its memory.

    Raises:
        ValueError: There is no such device, or it has no memory pool.
    """
    _refuse_pool("set_mempool_release_threshold", get_device(device))


def get_mempool_used_mem_current(device: DeviceLike = None) -> int:
    """How many bytes of a device's memory pool are in use.

    Raises:
        ValueError: There is no such device, or it has no memory pool.
    """
    _refuse_pool("get_mempool_used_mem_current", get_device(device))


def get_mempool_used_mem_high(device: DeviceLike = None) -> int:
    """How many bytes of a device's memory pool were in use at most.

    Raises:
        ValueError: There is no such device, or it has no memory pool.
    """
    _refuse_pool("get_mempool_used_mem_high", get_device(device))


def _refuse_pool(function: str, device: Device) -> NoReturn:
    raise ValueError(f"{function}: device '{device}' has no memory pool; only CUDA devices have")


class ScopedMempool:
    """Has a device allocate from a memory pool, or not, within a ``with`` block.

    Raises:
        ValueError: There is no such device, or it has no memory pool.
    """

    def __init__(self, device: DeviceLike, enable: bool) -> None:
        self.device = get_device(device)
        self.enable = enable

    def __enter__(self) -> None:
        set_mempool_enabled(self.device, self.enable)

    def __exit__(self, *exception: object) -> None:
        """There was no pool before, and there is none now."""


def is_mempool_access_supported(target_device: DeviceLike, peer_device: DeviceLike) -> bool:
    """Whether a device can be let access another one's memory pool: CUDA devices only.

    Raises:
        ValueError: There is no such device.
    """
    return _access(target_device, peer_device)


def is_mempool_access_enabled(target_device: DeviceLike, peer_device: DeviceLike) -> bool:
    """Whether ``peer_device`` may access the memory pool of ``target_device``.

    Raises:
        ValueError: There is no such device.
    """
    return _access(target_device, peer_device)


def set_mempool_access_enabled(target_device: DeviceLike, peer_device: DeviceLike, enable: bool) -> None:
    """Let ``peer_device`` access the memory pool of ``target_device``, or not.

    Raises:
        ValueError: There is no such device, or one of them is no CUDA device.
    """
    _set_access("set_mempool_access_enabled", target_device, peer_device, enable)


def is_peer_access_supported(target_device: DeviceLike, peer_device: DeviceLike) -> bool:
    """Whether a device can be let access another one's memory: CUDA devices only.

    Raises:
        ValueError: There is no such device.
    """
    return _access(target_device, peer_device)


def is_peer_access_enabled(target_device: DeviceLike, peer_device: DeviceLike) -> bool:
    """Whether ``peer_device`` may access the memory of ``target_device``.

    Raises:
        ValueError: There is no such device.
    """
    return _access(target_device, peer_device)


def set_peer_access_enabled(target_device: DeviceLike, peer_device: DeviceLike, enable: bool) -> None:
    """Let ``peer_device`` access the memory of ``target_device``, or not.

    Raises:
        ValueError: There is no such device, or one of them is no CUDA device.
    """
    _set_access("set_peer_access_enabled", target_device, peer_device, enable)


def _access(target: DeviceLike, peer: DeviceLike) -> bool:
    """Whether one device may access another one's memory: no device that there is may."""
    get_device(target)
    get_device(peer)
    return False


def _set_access(function: str, target: DeviceLike, peer: DeviceLike, enable: bool) -> None:
    pair = get_device(target), get_device(peer)
    if enable:
        raise ValueError(f"{function}: only CUDA devices access each other, not '{pair[0]}' and '{pair[1]}'")


class _ScopedAccess:
    """Changes who may access memory within a ``with`` block; there is no device that may."""

    _function = ""

    def __init__(self, target_device: DeviceLike, peer_device: DeviceLike, enable: bool) -> None:
        self.target_device = get_device(target_device)
        self.peer_device = get_device(peer_device)
        self.enable = enable

    def __enter__(self) -> None:
        _set_access(self._function, self.target_device, self.peer_device, self.enable)

    def __exit__(self, *exception: object) -> None:
        """There was no access before, and there is none now."""


class ScopedMempoolAccess(_ScopedAccess):
    """Lets ``peer_device`` access the memory pool of ``target_device``, or not, within a ``with`` block.

    Raises:
        ValueError: There is no such device, or one of them is no CUDA device.
    """

    _function = "set_mempool_access_enabled"


class ScopedPeerAccess(_ScopedAccess):
    """Lets ``peer_device`` access the memory of ``target_device``, or not, within a ``with`` block.

    Raises:
        ValueError: There is no such device, or one of them is no CUDA device.
    """

    _function = "set_peer_access_enabled"
