"""What arguments of this package must be, and what is said otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from warp._warp import Device, array
from warp.types import float32, vec3

#: What is refused with the number of a cell or vertex that int32 cannot hold.
MOST = 2**31 - 1

#: Coordinates of a corner of a grid.
Corner = vec3 | Sequence[float] | None


def integer(place: str, name: str, value: Any, least: int) -> int:
    """An integer that is large enough.

    Raises:
        TypeError: It is no integer.
        ValueError: It is below ``least``.
    """
    try:
        found = int(value.__index__())
    except AttributeError:
        raise TypeError(f"{place}: {name} is {value!r}, expected an integer of at least {least}") from None
    if not least <= found <= MOST:
        raise ValueError(f"{place}: {name} is {found}, expected {least} to {MOST}")
    return found


def number(place: str, name: str, value: Any) -> float:
    """A number, of Python, NumPy or this package.

    Raises:
        TypeError: It is none.
    """
    try:
        if isinstance(value, str | bytes | array):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{place}: {name} is {value!r}, expected a number") from None


def positive(place: str, name: str, value: Any) -> float:
    """A number above 0 that is finite.

    Raises:
        TypeError: It is no number.
        ValueError: It is not positive, or infinite.
    """
    found = number(place, name, value)
    if not 0.0 < found < float("inf"):
        raise ValueError(f"{place}: {name} is {found}, expected a positive number")
    return found


def point(place: str, name: str, value: Any) -> tuple[float, float, float]:
    """Three finite coordinates.

    Raises:
        TypeError: They are no numbers.
        ValueError: They are not three, or not finite.
    """
    try:
        found = [float(x) for x in value]
    except (TypeError, ValueError):
        raise TypeError(f"{place}: {name} is {value!r}, expected three numbers") from None
    if len(found) != 3:
        raise ValueError(f"{place}: {name} has {len(found)} numbers, expected three")
    if not all(abs(x) < float("inf") for x in found):
        raise ValueError(f"{place}: {name} is {value!r}, expected finite numbers")
    return found[0], found[1], found[2]


def array_of(place: str, name: str, value: Any, dtype: Any, ndim: int, device: Device | None = None) -> array[Any]:
    """An array of a type and number of dimensions.

    Raises:
        TypeError: It is no Warp array, or holds something else.
        ValueError: It has other dimensions, or lies on another device.
    """
    wanted = f"expected a Warp array of wp.{dtype.__name__} with {ndim} dimension{'s' if ndim > 1 else ''}"
    if not isinstance(value, array):
        raise TypeError(f"{place}: {name} is {type(value).__name__}, {wanted}; wp.array(...) makes one")
    if value.dtype is not dtype:
        raise TypeError(f"{place}: {name} holds {getattr(value.dtype, '__name__', value.dtype)}, {wanted}")
    if value.ndim != ndim:
        raise ValueError(f"{place}: {name} has {value.ndim} dimension{'s' if value.ndim != 1 else ''}, {wanted}")
    if device is not None and value.device != device:
        raise ValueError(f"{place}: {name} lies on {str(value.device)!r}, the other arrays on {str(device)!r}")
    return value


def field_of(place: str, value: Any) -> array[Any]:
    """A field on the nodes of a grid, two or more along each axis.

    Raises:
        TypeError: It is no Warp array of float32.
        ValueError: It has not three dimensions, or fewer than 2 nodes along one.
    """
    found = array_of(place, "field", value, float32, 3)
    if min(found.shape) < 2:
        raise ValueError(f"{place}: field has the shape {found.shape}, expected at least 2 nodes along each axis")
    return found
