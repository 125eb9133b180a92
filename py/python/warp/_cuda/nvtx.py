"""Ranges that NVIDIA's profilers show, where their library is there."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

_LIBRARIES = ("libnvToolsExt.so.1", "libnvtx3interop.so.1", "libnvToolsExt.so", "libnvtx3interop.so")


@cache
def _library() -> Any:
    """The library of NVTX; None where there is none."""
    for name in _LIBRARIES:
        try:
            library = ctypes.CDLL(name)
            library.nvtxRangePushA.argtypes = [ctypes.c_char_p]
            library.nvtxRangePop.argtypes = []
        except (OSError, AttributeError):
            continue
        return library
    return None


def push(name: str) -> None:
    """Begin a range; without the library nothing."""
    library = _library()
    if library is not None:
        library.nvtxRangePushA(name.encode())


def pop() -> None:
    """End the range that began last."""
    library = _library()
    if library is not None:
        library.nvtxRangePop()
