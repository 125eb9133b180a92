"""Profilers of CUDA's."""

from __future__ import annotations

from warp._devices.stream import DeviceLike
from warp._warp import _profile, get_device


def cuda_profiler_start(device: DeviceLike = None) -> None:
    """Have a profiler of CUDA's record from here on; without a CUDA device there is nothing to record.

    Raises:
        ValueError: There is no such device.
    """
    _profile(get_device(device), True)


def cuda_profiler_stop(device: DeviceLike = None) -> None:
    """Have a profiler of CUDA's record no more.

    Raises:
        ValueError: There is no such device.
    """
    _profile(get_device(device), False)


class ScopedCudaProfiler:
    """Has a profiler of CUDA's record a ``with`` block.

    Raises:
        ValueError: There is no such device.
    """

    def __init__(self, device: DeviceLike = None) -> None:
        self.device = get_device(device)

    def __enter__(self) -> ScopedCudaProfiler:
        cuda_profiler_start(self.device)
        return self

    def __exit__(self, *exception: object) -> None:
        cuda_profiler_stop(self.device)
