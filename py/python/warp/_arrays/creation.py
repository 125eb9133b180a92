"""New arrays of numbers in order, and of other arrays: `wp.arange`, `wp.linspace`, `wp.eye`, `wp.stack` and
`wp.concatenate`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import warp as wp
from warp import _warp
from warp._language.decorators import kernel
from warp._warp import array, empty, zeros
from warp.types import array1d, array2d


def arange(
    start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> array:
    """Numbers from ``start`` on, ``step`` apart, below ``stop``: ``start + i * step``.

    With one argument they go from 0 to it.

    Args:
        start: The first number.
        stop: Where they end; it is not among them. How many there are is a matter of rounding where the step is no
            whole number: `wp.linspace` is told how many.
        step: From one to the next; not 0.
        dtype: A type of numbers, or its name: int32 by default where all arguments are ints, else float32.
        device: Where the array is; the current device by default.
        requires_grad: Whether the array has a gradient.

    Raises:
        TypeError: An argument is no number, or the dtype none of numbers.
        ValueError: The step is 0, an argument is not finite, or a number does not fit the dtype.
    """
    if stop is None:
        start, stop = 0, start
    numbers = {"start": start, "stop": stop, "step": step}
    whole = all(isinstance(_number("arange", name, n), int) for name, n in numbers.items())
    if step == 0:
        raise ValueError("arange: step is 0; it is what two neighbours differ by")
    scalar = _scalar("arange", dtype, wp.int32 if whole else wp.float32)
    count = max(0, -((start - stop) // step) if whole else math.ceil((stop - start) / step))
    last = start + max(count - 1, 0) * step
    if not scalar._elem.is_float and count:
        # Refused here, as in any array; kernels would wrap.
        zeros(1, scalar, "cpu").fill_(int(start))
        zeros(1, scalar, "cpu").fill_(int(last))
    made = _blank(count, scalar, device, requires_grad)
    return _filled(made, start, step, exact=whole and not scalar._elem.is_float)


def linspace(
    start: float,
    stop: float,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> array:
    """``num`` numbers at equal distances from ``start`` to ``stop``.

    Args:
        start: The first number.
        stop: The last one, or with ``endpoint=False`` what would follow it.
        num: How many; 0 or more.
        endpoint: Whether ``stop`` is the last number.
        dtype: A type of numbers, or its name; float32 by default. Integers are rounded down.
        device: Where the array is; the current device by default.
        requires_grad: Whether the array has a gradient.

    Raises:
        TypeError: An argument is no number, or the dtype none of numbers.
        ValueError: ``num`` is negative, or ``start`` or ``stop`` is not finite.
    """
    _number("linspace", "start", start)
    _number("linspace", "stop", stop)
    try:
        count = num.__index__()
    except (AttributeError, TypeError):
        raise TypeError(f"linspace: num is {num!r} ({type(num).__name__}), expected an int") from None
    if count < 0:
        raise ValueError(f"linspace: num is {count}; it is how many numbers there are")
    scalar = _scalar("linspace", dtype, wp.float32)
    steps = count - 1 if endpoint else count
    made = _blank(count, scalar, device, requires_grad)
    _filled(made, start, (stop - start) / steps if steps > 0 else 0.0, exact=False)
    if endpoint and count > 1:
        # Not a rounding away from it.
        _filled(made[-1:], stop, 0.0, exact=False)
    return made


def eye(
    n: int, m: int | None = None, k: int = 0, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> array:
    """A matrix as an array of two dimensions, with ones on a diagonal and zeros elsewhere.

    Args:
        n: Its rows.
        m: Its columns; as many as rows by default.
        k: Which diagonal: 0 the main one, 1 the one above it, -1 the one below.
        dtype: A type of numbers, or its name; float32 by default.
        device: Where the array is; the current device by default.
        requires_grad: Whether the array has a gradient.

    Raises:
        TypeError: The dtype is none of numbers, or the shape none of ints.
        ValueError: The shape is negative.
    """
    scalar = _scalar("eye", dtype, wp.float32)
    made = zeros((n, n if m is None else m), scalar, device, requires_grad)
    if made.size:
        _warp.launch(_diagonal(scalar), made.shape[0], [made, k], device=made.device, record_tape=False)
    return made


def stack(arrays: Sequence[Any], axis: int = 0) -> array:
    """Arrays of one shape side by side, along a new dimension. Tapes record it.

    Args:
        arrays: Arrays of one dtype and one shape, on one device.
        axis: Which dimension of the result counts the arrays, from the last one if negative.

    Raises:
        TypeError: There is no sequence of arrays, or their dtypes differ.
        ValueError: There are none, or shapes or devices differ.
        IndexError: There is no such dimension, or the result would have five.
    """
    given = _given("stack", arrays)
    at = _axis("stack", axis, given[0].ndim + 1)
    for position, a in enumerate(given):
        if a.shape != given[0].shape:
            raise ValueError(
                f"stack: array {position} has shape {a.shape}, array 0 {given[0].shape}; they must be equal"
            )
    key = (slice(None),) * at + (None,)
    return _joined([a[key] for a in given], at)


def concatenate(arrays: Sequence[Any], axis: int = 0) -> array:
    """Arrays one behind the other, along a dimension that they have. Tapes record it.

    Args:
        arrays: Arrays of one dtype, on one device, with the same extents but for the dimension `axis`.
        axis: The dimension along which they follow each other, from the last one if negative.

    Raises:
        TypeError: There is no sequence of arrays, or their dtypes differ.
        ValueError: There are none, or shapes or devices differ.
        IndexError: There is no such dimension.
    """
    given = _given("concatenate", arrays)
    at = _axis("concatenate", axis, given[0].ndim)

    def rest(a: array) -> tuple[int, ...]:
        return a.shape[:at] + a.shape[at + 1 :]

    for position, a in enumerate(given):
        if a.ndim != given[0].ndim or rest(a) != rest(given[0]):
            raise ValueError(
                f"concatenate: array {position} has shape {a.shape}, array 0 {given[0].shape}; they may differ in "
                f"dimension {at} only"
            )
    return _joined(given, at)


def _number(place: str, name: str, value: Any) -> Any:
    if getattr(value, "ndim", None) == 0:
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{place}: {name} is {value!r} ({type(value).__name__}), expected a number")
    if not math.isfinite(value):
        raise ValueError(f"{place}: {name} is {value!r}, expected a finite number")
    return value


def _scalar(place: str, dtype: Any, default: Any) -> Any:
    if dtype is None:
        return default
    found = array(dtype=dtype).dtype
    if found._elem.kind != "scalar" or found is wp.bool:
        raise TypeError(
            f"{place}: dtype is {found.__name__}, expected a type of numbers such as float, int or wp.float64"
        )
    return found


def _blank(count: int, scalar: Any, device: Any, requires_grad: bool) -> array:
    return empty(count, dtype=scalar, device=device, requires_grad=requires_grad)


def _filled(made: array, start: Any, step: Any, exact: bool) -> array:
    """An array with `start + i * step`: integers as they are, else computed in float64."""
    if made.size:
        kind = wp.int64 if exact else wp.float64
        _warp.launch(
            _line(kind, made.dtype), made.size, [made, kind(start), kind(step)], device=made.device, record_tape=False
        )
    return made


@cache
def _line(kind: Any, dtype: Any) -> Any:
    # What a float lies between: as NumPy rounds.
    down = kind is wp.float64 and not dtype._elem.is_float

    @kernel
    def line(made: array1d(dtype=dtype), start: kind, step: kind) -> None:
        i = wp.tid()
        x = start + kind(i) * step
        if wp.static(down):
            made[i] = dtype(wp.floor(x))
        else:
            made[i] = dtype(x)

    return line


@cache
def _diagonal(dtype: Any) -> Any:
    @kernel
    def diagonal(made: array2d(dtype=dtype), k: int) -> None:
        i = wp.tid()
        if 0 <= i + k < made.shape[1]:
            made[i, i + k] = dtype(1)

    return diagonal


def _given(place: str, arrays: Any) -> list[array]:
    """Arrays of one dtype on one device; elements of indexed ones as arrays."""
    if isinstance(arrays, array) or not isinstance(arrays, Sequence):
        raise TypeError(f"{place}: arrays is {type(arrays).__name__}, expected a list or tuple of arrays")
    if not arrays:
        raise ValueError(f"{place}: arrays is empty; one array at least says what the result is")
    given: list[array] = []
    for position, a in enumerate(arrays):
        if hasattr(type(a), "_kernel_type"):
            a = a.contiguous()
        elif not isinstance(a, array):
            if not (hasattr(a, "__dlpack__") or hasattr(a, "__array_interface__")):
                raise TypeError(f"{place}: array {position} is {type(a).__name__}, expected a wp.array")
            a = array(a, copy=False)
            a = a.to(given[0].device) if given else a
        if given and a.dtype is not given[0].dtype:
            raise TypeError(
                f"{place}: array {position} holds {a.dtype.__name__}, array 0 {given[0].dtype.__name__}; "
                f"a.astype(dtype) converts one"
            )
        if given and a.device != given[0].device:
            raise ValueError(
                f'{place}: array {position} is on "{a.device}", array 0 on "{given[0].device}"; a.to(device) copies one'
            )
        given.append(a)
    return given


def _axis(place: str, axis: Any, ndim: int) -> int:
    try:
        at = axis.__index__()
    except (AttributeError, TypeError):
        raise TypeError(f"{place}: axis is {axis!r} ({type(axis).__name__}), expected an int") from None
    if not -ndim <= at < ndim:
        raise IndexError(f"{place}: axis {at} is out of range for a result with {ndim} dimensions")
    return int(at % ndim)


def _joined(arrays: list[array], axis: int) -> array:
    shape = list(arrays[0].shape)
    shape[axis] = sum([a.shape[axis] for a in arrays])
    made = empty(tuple(shape), arrays[0].dtype, arrays[0].device, any(a.requires_grad for a in arrays))
    start = 0
    for a in arrays:
        end = start + a.shape[axis]
        if a.size:
            made[(slice(None),) * axis + (slice(start, end),)] = a
        start = end
    return made
