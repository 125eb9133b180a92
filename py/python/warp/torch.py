"""Conversions from and to PyTorch; they are in ``warp`` too."""

from __future__ import annotations

from warp._interop import stream_from_torch, stream_to_torch
from warp._warp import (
    device_from_torch,
    device_to_torch,
    dtype_from_torch,
    dtype_to_torch,
    from_torch,
    to_torch,
)

__all__ = [
    "device_from_torch",
    "device_to_torch",
    "dtype_from_torch",
    "dtype_to_torch",
    "from_torch",
    "stream_from_torch",
    "stream_to_torch",
    "to_torch",
]
