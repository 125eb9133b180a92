"""Conversions from and to PyTorch; they are in ``warp`` too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warp._devices.interop import stream_from_torch, stream_to_torch
from warp._warp import (
    device_from_torch,
    device_to_torch,
    dtype_from_torch,
    dtype_to_torch,
    from_torch,
    to_torch,
)

if TYPE_CHECKING:
    from warp._torch.operator import TorchKernel, torch_kernel

__all__ = [
    "TorchKernel",
    "device_from_torch",
    "device_to_torch",
    "dtype_from_torch",
    "dtype_to_torch",
    "from_torch",
    "stream_from_torch",
    "stream_to_torch",
    "to_torch",
    "torch_kernel",
]


def __getattr__(name: str) -> Any:
    if name in ("TorchKernel", "torch_kernel"):
        from warp._torch import operator  # imports torch

        return getattr(operator, name)
    raise AttributeError(f"module 'warp.torch' has no attribute '{name}'")
