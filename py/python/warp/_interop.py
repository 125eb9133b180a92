"""What conversions need that is not worth Rust."""

from __future__ import annotations

from typing import Any

from warp._warp import get_device


def stream_from_torch(stream_or_device: Any = None) -> Any:
    """The Warp stream of a CUDA stream of torch's.

    Raises:
        RuntimeError: There is no CUDA device.
    """
    raise RuntimeError(f"stream_from_torch: {stream_or_device!r} has no counterpart: there is no CUDA device")


def stream_to_torch(stream_or_device: Any = None) -> Any:
    """The torch stream of a Warp stream on a CUDA device.

    Raises:
        RuntimeError: The stream is not on a CUDA device.
    """
    device = getattr(stream_or_device, "device", stream_or_device)
    raise RuntimeError(f"stream_to_torch: device {get_device(device)} has no CUDA streams")


def stream_from_paddle(stream_or_device: Any = None) -> Any:
    """The Warp stream of a CUDA stream of paddle's.

    Raises:
        RuntimeError: There is no CUDA device.
    """
    raise RuntimeError(f"stream_from_paddle: {stream_or_device!r} has no counterpart: there is no CUDA device")
