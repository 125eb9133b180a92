"""Texels: what a texture is made of, its levels, and its options as they are given."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp.types as t
from warp._warp import _error
from warp._warp import array as Array  # noqa: N812

#: The number of each type of texels, as `library/texture.py` knows it, and its dtype.
CODES = {
    "float32": (0, t.float32),
    "float16": (1, t.float16),
    "uint32": (2, t.uint32),
    "int32": (3, t.int32),
    "uint8": (4, t.uint8),
    "int8": (5, t.int8),
    "uint16": (6, t.uint16),
    "int16": (7, t.int16),
}


def mode_of(place: str, name: str, enum: Any, value: Any, default: Any) -> Any:
    """One of an enumeration."""
    found = default if value is None else value
    try:
        return enum(found)
    except ValueError:
        known = ", ".join(f"{enum.__name__}.{mode.name}" for mode in enum)
        raise _error("ArrayValue", f"{place}: {name} is {found!r}, expected one of {known}") from None


def texels_of(place: str, ndim: int, data: Any, sizes: tuple[int, ...], channels: int, dtype: Any) -> Any:
    """An array with channels as its last dimension: that which is shared if it has a gradient, else one of NumPy."""
    if data is None:
        if any(n < 1 for n in sizes) or channels not in (1, 2, 4) or dtype is None:
            what = "width, height and depth as it has, num_channels (1, 2 or 4) and dtype"
            raise _error("ArrayValue", f"{place}: give data, or {what}")
        # As everywhere, `float` and `int` are numbers of 32 bits.
        number = {float: t.float32, int: t.int32}.get(dtype, dtype)
        name = getattr(getattr(number, "_elem", None), "scalar", None) or np.dtype(number).name
        if name not in CODES:
            raise _error("ArrayValue", f"{place}: dtype is {name}, expected one of {', '.join(CODES)}")
        return np.zeros((*sizes, channels), dtype=name)
    if not isinstance(data, Array | np.ndarray):
        kind = type(data).__name__
        raise _error("ArrayValue", f"{place}: data is {kind}, expected an array of NumPy or Warp")
    texels: Any = data
    if isinstance(data, Array):
        shared = data.requires_grad
        texels = _with_channels(data) if shared else data.numpy()
        if shared and (not data.is_contiguous or texels.dtype != t.float32):
            raise _error("ArrayValue", f"{place}: data that requires a gradient is contiguous and of float32")
    name = texels.dtype.__name__ if isinstance(texels, Array) else texels.dtype.name
    if name not in CODES:
        raise _error("ArrayValue", f"{place}: data holds {name}, expected one of {', '.join(CODES)}")
    if len(texels.shape) == ndim:
        texels = texels.reshape((*texels.shape, 1))
    if len(texels.shape) != ndim + 1 or texels.shape[-1] not in (1, 2, 4) or 0 in texels.shape:
        axes = ("depth", "height", "width")[3 - ndim :]
        what = f"expected ({', '.join(axes)}) and 1, 2 or 4 channels"
        raise _error("ArrayValue", f"{place}: data has the shape {tuple(data.shape)}, {what}")
    return texels if isinstance(texels, Array) else np.ascontiguousarray(texels)


def _with_channels(data: Any) -> Any:
    """An array of vectors as one of numbers."""
    length = getattr(data.dtype, "_length_", 1)
    if length == 1 or data.dtype == t.float32:
        return data
    numbers = data.view(t.float32).reshape((*data.shape, length))
    if data.grad is not None:
        numbers.grad = data.grad.view(t.float32).reshape((*data.shape, length))
    return numbers


def levels_of(place: str, texels: Any, ndim: int, wanted: Any) -> list[Any]:
    """The levels of a texture, each with half the texels of the one before: the mean of two along each axis."""
    if not isinstance(wanted, int) or wanted < 0:
        raise _error("ArrayValue", f"{place}: num_mip_levels is {wanted!r}, expected 0 or a number of levels")
    most = max(texels.shape[:ndim]).bit_length()
    if wanted > most:
        raise _error("ArrayValue", f"{place}: num_mip_levels is {wanted}, such a texture has {most} at most")
    count = most if wanted == 0 else wanted
    if count > 1 and isinstance(texels, Array):
        raise _error("ArrayValue", f"{place}: data that requires a gradient has one level; num_mip_levels is {wanted}")
    levels = [texels]
    while len(levels) < count:
        level = levels[-1].astype(np.float64)
        for axis in range(ndim):
            size = level.shape[axis]
            if size > 1:
                even = np.take(level, range(0, size // 2 * 2, 2), axis)
                level = (even + np.take(level, range(1, size // 2 * 2, 2), axis)) / 2
        if texels.dtype.kind in "iu":
            level = np.rint(level)
        levels.append(level.astype(texels.dtype))
    return levels
