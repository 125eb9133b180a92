"""Copies that a tape records: launches of a kernel that copies, so that gradients flow as through any other."""

from __future__ import annotations

from functools import cache
from typing import Any

import warp as wp
from warp import _warp
from warp._language.decorators import kernel
from warp.types import array1d, array2d, array3d, array4d


@cache
def _kernel_of(dtype: Any, ndim: int) -> _warp.Kernel:
    if ndim == 1:

        @kernel
        def copy(src: array1d(dtype=dtype), dest: array1d(dtype=dtype)) -> None:
            i = wp.tid()
            dest[i] = src[i]

    elif ndim == 2:

        @kernel
        def copy(src: array2d(dtype=dtype), dest: array2d(dtype=dtype)) -> None:
            i, j = wp.tid()
            dest[i, j] = src[i, j]

    elif ndim == 3:

        @kernel
        def copy(src: array3d(dtype=dtype), dest: array3d(dtype=dtype)) -> None:
            i, j, k = wp.tid()
            dest[i, j, k] = src[i, j, k]

    else:

        @kernel
        def copy(src: array4d(dtype=dtype), dest: array4d(dtype=dtype)) -> None:
            i, j, k, m = wp.tid()
            dest[i, j, k, m] = src[i, j, k, m]

    return copy


def record(dest: _warp.array, src: _warp.array) -> None:
    """Copies ``src`` to ``dest``, which has its dtype and shape, as a launch on the tapes in force."""
    if src.device != dest.device:
        src = _moved(src, dest.device)
    _warp.launch(_kernel_of(dest.dtype, dest.ndim), dest.shape, [src], [dest], device=dest.device)


def _moved(src: _warp.array, device: _warp.Device) -> _warp.array:
    """A copy on another device, whose gradient goes back to that of ``src``."""
    moved = _warp.empty(src.shape, dtype=src.dtype, device=device)
    # Without a gradient yet, so that nothing is recorded.
    _warp.copy(moved, src)
    if src.grad is None:
        return moved
    moved.requires_grad = True

    def backward() -> None:
        arrived = _warp.empty(src.shape, dtype=src.dtype, device=src.device)
        _warp.copy(arrived, moved.grad)
        moved.grad.zero_()
        _warp.launch(
            _kernel_of(src.dtype, src.ndim),
            src.shape,
            [src],
            [arrived],
            adj_inputs=[src.grad],
            adj_outputs=[arrived],
            device=src.device,
            adjoint=True,
        )

    _warp._record_call(backward, [src, moved])
    return moved
