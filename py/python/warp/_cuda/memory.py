"""Memory pools of CUDA devices, and access of one device to the memory of another."""

from __future__ import annotations

from typing import NoReturn

from warp._devices.stream import DeviceLike
from warp._warp import (
    Device,
    _can_reach,
    _has_access,
    _pool_fact,
    _set_access,
    _set_release_threshold,
    _use_pool,
    get_device,
)


def is_mempool_supported(device: DeviceLike) -> bool:
    """Whether a device can allocate from a memory pool: CUDA devices only.

    Raises:
        ValueError: There is no such device.
    """
    return get_device(device).is_mempool_supported


def is_mempool_enabled(device: DeviceLike) -> bool:
    """Whether a device allocates from a memory pool.

    Raises:
        ValueError: There is no such device.
    """
    return get_device(device).is_mempool_enabled


def set_mempool_enabled(device: DeviceLike, enable: bool) -> None:
    """Have a device allocate from a memory pool, or not. Arrays that there are keep their memory.

    Raises:
        ValueError: There is no such device, or it has no memory pool.
    """
    place = get_device(device)
    if place.is_mempool_supported:
        _use_pool(place, bool(enable))
    elif enable:
        _refuse_pool("set_mempool_enabled", place)


def get_mempool_release_threshold(device: DeviceLike = None) -> int:
    """How many bytes a device's memory pool keeps instead of giving them back.

    Raises:
        ValueError: There is no such device, or it has no memory pool.
    """
    return _pool_fact(_pool_of("get_mempool_release_threshold", device), "threshold")


def set_mempool_release_threshold(device: DeviceLike, threshold: int | float) -> None:
    """Set how many bytes a device's memory pool keeps; up to 1, the share of its memory.

    Raises:
        ValueError: There is no such device, or it has no memory pool; or ``threshold`` is negative.
    """
    place = _pool_of("set_mempool_release_threshold", device)
    if threshold < 0:
        raise ValueError(f"set_mempool_release_threshold: threshold is {threshold}, expected bytes, or a share up to 1")
    share = isinstance(threshold, float) and threshold <= 1
    _set_release_threshold(place, int(threshold * place.total_memory) if share else int(threshold))


def get_mempool_used_mem_current(device: DeviceLike = None) -> int:
    """How many bytes of a device's memory pool are in use.

    Raises:
        ValueError: There is no such device, or it has no memory pool.
    """
    return _pool_fact(_pool_of("get_mempool_used_mem_current", device), "used")


def get_mempool_used_mem_high(device: DeviceLike = None) -> int:
    """How many bytes of a device's memory pool were in use at most.

    Raises:
        ValueError: There is no such device, or it has no memory pool.
    """
    return _pool_fact(_pool_of("get_mempool_used_mem_high", device), "used_high")


def _pool_of(function: str, device: DeviceLike) -> Device:
    """The device, which has a memory pool."""
    place = get_device(device)
    if not place.is_mempool_supported:
        _refuse_pool(function, place)
    return place


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
        self._before = False

    def __enter__(self) -> None:
        self._before = self.device.is_mempool_enabled
        set_mempool_enabled(self.device, self.enable)

    def __exit__(self, *exception: object) -> None:
        set_mempool_enabled(self.device, self._before)


def is_mempool_access_supported(target_device: DeviceLike, peer_device: DeviceLike) -> bool:
    """Whether ``peer_device`` can be let access the memory pool of ``target_device``: CUDA devices only.

    Raises:
        ValueError: There is no such device.
    """
    pair = _pair(target_device, peer_device)
    return _are_cuda(pair) and pair[0].is_mempool_supported and _can_reach(*pair)


def is_mempool_access_enabled(target_device: DeviceLike, peer_device: DeviceLike) -> bool:
    """Whether ``peer_device`` may access the memory pool of ``target_device``.

    Raises:
        ValueError: There is no such device.
    """
    pair = _pair(target_device, peer_device)
    return _are_cuda(pair) and pair[0].is_mempool_supported and _has_access(*pair, True)


def set_mempool_access_enabled(target_device: DeviceLike, peer_device: DeviceLike, enable: bool) -> None:
    """Let ``peer_device`` access the memory pool of ``target_device``, or not.

    Raises:
        ValueError: There is no such device, or one of them is no CUDA device.
    """
    _enable("set_mempool_access_enabled", target_device, peer_device, enable)


def is_peer_access_supported(target_device: DeviceLike, peer_device: DeviceLike) -> bool:
    """Whether ``peer_device`` can be let access the memory of ``target_device``: CUDA devices only.

    Raises:
        ValueError: There is no such device.
    """
    pair = _pair(target_device, peer_device)
    return _are_cuda(pair) and _can_reach(*pair)


def is_peer_access_enabled(target_device: DeviceLike, peer_device: DeviceLike) -> bool:
    """Whether ``peer_device`` may access the memory of ``target_device`` that comes from no pool.

    Raises:
        ValueError: There is no such device.
    """
    pair = _pair(target_device, peer_device)
    return _are_cuda(pair) and _has_access(*pair, False)


def set_peer_access_enabled(target_device: DeviceLike, peer_device: DeviceLike, enable: bool) -> None:
    """Let ``peer_device`` access the memory of ``target_device``, or not.

    Raises:
        ValueError: There is no such device, or one of them is no CUDA device.
    """
    _enable("set_peer_access_enabled", target_device, peer_device, enable)


def _pair(target: DeviceLike, peer: DeviceLike) -> tuple[Device, Device]:
    return get_device(target), get_device(peer)


def _are_cuda(pair: tuple[Device, Device]) -> bool:
    return pair[0].is_cuda and pair[1].is_cuda


def _enable(function: str, target: DeviceLike, peer: DeviceLike, enable: bool) -> None:
    pair = _pair(target, peer)
    pool = function == "set_mempool_access_enabled"
    if not _are_cuda(pair):
        if enable:
            raise ValueError(f"{function}: only CUDA devices access each other, not '{pair[0]}' and '{pair[1]}'")
        return
    if (pool and not pair[0].is_mempool_supported) or not _can_reach(*pair):
        if enable:
            raise ValueError(f"{function}: the device '{pair[1]}' cannot access such memory of '{pair[0]}'")
        return
    _set_access(*pair, pool, bool(enable))


class _ScopedAccess:
    """Changes access to memory between devices within a ``with`` block."""

    _function = ""
    _is_enabled = staticmethod(is_peer_access_enabled)

    def __init__(self, target_device: DeviceLike, peer_device: DeviceLike, enable: bool) -> None:
        self.target_device = get_device(target_device)
        self.peer_device = get_device(peer_device)
        self.enable = enable
        self._before = False

    def __enter__(self) -> None:
        self._before = self._is_enabled(self.target_device, self.peer_device)
        _enable(self._function, self.target_device, self.peer_device, self.enable)

    def __exit__(self, *exception: object) -> None:
        _enable(self._function, self.target_device, self.peer_device, self._before)


class ScopedMempoolAccess(_ScopedAccess):
    """Lets ``peer_device`` access the memory pool of ``target_device``, or not, within a ``with`` block.

    Raises:
        ValueError: There is no such device, or one of them is no CUDA device.
    """

    _function = "set_mempool_access_enabled"
    _is_enabled = staticmethod(is_mempool_access_enabled)


class ScopedPeerAccess(_ScopedAccess):
    """Lets ``peer_device`` access the memory of ``target_device``, or not, within a ``with`` block.

    Raises:
        ValueError: There is no such device, or one of them is no CUDA device.
    """

    _function = "set_peer_access_enabled"
