"""Conversions from and to Paddle; they are in ``warp`` too."""

from __future__ import annotations

from warp._interop import stream_from_paddle
from warp._warp import (
    device_from_paddle,
    device_to_paddle,
    dtype_from_paddle,
    dtype_to_paddle,
    from_paddle,
    to_paddle,
)

__all__ = [
    "device_from_paddle",
    "device_to_paddle",
    "dtype_from_paddle",
    "dtype_to_paddle",
    "from_paddle",
    "stream_from_paddle",
    "to_paddle",
]
