"""Conversions from and to Paddle; they are in ``warp`` too. ``paddle_kernel`` makes operations of kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warp._devices.interop import stream_from_paddle
from warp._warp import (
    device_from_paddle,
    device_to_paddle,
    dtype_from_paddle,
    dtype_to_paddle,
    from_paddle,
    to_paddle,
)

if TYPE_CHECKING:
    from warp._paddle.operator import PaddleKernel, paddle_kernel

__all__ = [
    "PaddleKernel",
    "device_from_paddle",
    "device_to_paddle",
    "dtype_from_paddle",
    "dtype_to_paddle",
    "from_paddle",
    "paddle_kernel",
    "stream_from_paddle",
    "to_paddle",
]


def __getattr__(name: str) -> Any:
    if name in ("PaddleKernel", "paddle_kernel"):
        from warp._paddle import operator  # imports paddle

        return getattr(operator, name)
    raise AttributeError(f"module 'warp.paddle' has no attribute '{name}'")
