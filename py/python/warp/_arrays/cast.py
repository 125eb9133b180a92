"""Casts that a tape records: launches of a kernel that casts, so that gradients flow as through any other."""

from __future__ import annotations

from functools import cache
from typing import Any

import warp as wp
from warp import _warp
from warp._language.decorators import kernel
from warp.types import array1d


@cache
def kernel_of(source: Any, target: Any) -> _warp.Kernel:
    """A kernel that writes numbers as those of another type."""

    @kernel
    def cast(src: array1d(dtype=source), dest: array1d(dtype=target)) -> None:
        i = wp.tid()
        dest[i] = target(src[i])

    return cast


def record(src: _warp.array, dest: _warp.array, count: int) -> None:
    """Casts the first ``count`` scalars of ``src`` to ``dest``, as a launch on the tapes in force."""
    _warp.launch(kernel_of(src.dtype, dest.dtype), count, [src], [dest])
