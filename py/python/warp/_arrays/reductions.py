"""Sums, means, least and greatest elements, and questions to all elements: methods of `wp.array` and `wp.indexedarray`.

An array without gaps is seen as `(outer, rows, inner)` numbers, of which `passes` reduces the rows.
"""

from __future__ import annotations

import builtins
import math
from typing import Any, NamedTuple

import warp as wp
from warp import _warp
from warp._arrays.conversions import elements, numbers, plain, scalar_of, with_scalar
from warp._arrays.passes import found_at, launch, mark_kernel, reduced, share_kernel, spread_kernel
from warp._warp import array, empty


class _Parts(NamedTuple):
    """An array as `(outer, rows, inner)` numbers, and what is made of its results."""

    source: array
    """An array without gaps."""
    outer: int
    rows: int
    inner: int
    shape: tuple[int, ...]
    """The shape of the result, in which the reduced dimensions are kept."""
    whole: bool
    """Whether the result is one element."""

    @property
    def dim(self) -> tuple[int, int, int]:
        """`(outer, rows, inner)`."""
        return self.outer, self.rows, self.inner


def _parts(place: str, self: Any, axis: Any, keepdims: bool) -> _Parts:
    a = plain(self)
    if scalar_of(a.dtype) is None:
        raise TypeError(f"{place}: an array of the struct {a.dtype.__name__} has none; take a field of it: a['name']")
    axes = _axes(place, axis, a.ndim)
    kept = [d for d in range(a.ndim) if d not in axes]
    shape = tuple([1 if d in axes else n for d, n in enumerate(a.shape)])
    if not keepdims:
        shape = tuple([a.shape[d] for d in kept])
    rows = math.prod([a.shape[d] for d in axes])
    if axes and axes == tuple(range(axes[0], axes[-1] + 1)):
        outer = math.prod(a.shape[: axes[0]])
        inner = math.prod(a.shape[axes[-1] + 1 :])
    else:
        a = a.transpose([*kept, *axes])
        outer, inner = math.prod([a.shape[d] for d in range(len(kept))]), 1
    count = a.dtype._elem.count
    whole = not shape
    if whole and a.device.is_capturing:
        raise RuntimeError(
            f"{place}: a capture records, in which there is no number yet; with keepdims=True the result is an array"
        )
    return _Parts(a.contiguous(), outer, rows, inner * count, shape, whole)


def _axes(place: str, axis: Any, ndim: int) -> tuple[int, ...]:
    """The dimensions that are reduced, in ascending order."""
    if axis is None:
        return tuple(range(ndim))
    found = []
    for one in axis if isinstance(axis, tuple) else (axis,):
        try:
            d = one.__index__()
        except (AttributeError, TypeError):
            raise TypeError(
                f"{place}: axis is {axis!r} ({type(axis).__name__}), expected an int, a tuple of ints or None"
            ) from None
        if not -ndim <= d < ndim:
            raise IndexError(f"{place}: axis {d} is out of range for an array with {ndim} dimensions")
        found.append(d % ndim)
    if len(set(found)) != len(found):
        raise ValueError(f"{place}: axis {axis} names a dimension twice")
    return tuple(sorted(found))


def _of_rows(operation: str, parts: _Parts, target: Any) -> array:
    return reduced(operation, numbers(parts.source), parts.dim, target)


def _is_taped(parts: _Parts) -> bool:
    return parts.source.requires_grad and _warp._is_taping()


def _given(parts: _Parts, flat: array, dtype: Any) -> Any:
    """What the caller gets: an array of the result's shape, or a number, or with a gradient an array of one."""
    found = elements(flat, dtype, parts.shape or (1,))
    return found[0] if parts.whole and not flat.requires_grad else found


def _record_sum(parts: _Parts, out: array, factor: float) -> None:
    """Record on the tape in force that `out` is a sum times a factor."""
    out.requires_grad = True
    source, dim = parts.source, parts.dim

    def backward() -> None:
        launch(spread_kernel(out.dtype), dim, [out.grad, factor, parts.rows, parts.inner, numbers(source.grad)])

    _warp._record_call(backward, [source], [out])


def _record_extreme(parts: _Parts, out: array) -> None:
    """Record on the tape in force that `out` has the least or greatest numbers. What is equal shares the gradient."""
    out.requires_grad = True
    source, dim = parts.source, parts.dim
    is_found = empty(source.size * source.dtype._elem.count, wp.bool, source.device)
    counts = wp.zeros(out.size, wp.int32, source.device)
    launch(mark_kernel(out.dtype), dim, [numbers(source), out, parts.rows, parts.inner, is_found, counts])

    def backward() -> None:
        launch(
            share_kernel(out.dtype), dim, [out.grad, is_found, counts, parts.rows, parts.inner, numbers(source.grad)]
        )

    _warp._record_call(backward, [source], [out])


# What arrays have.

_AXIS = """
    Args:
        axis: The dimension that is reduced, counted from the last one if negative, or a tuple of them; all by default.
        keepdims: Whether the result keeps the reduced dimensions, with one element.
        **numpy: Keywords of NumPy's method, such as `dtype` and `out`, which NumPy passes itself (`np.sum(a)`). It
            computes then, and the result is its own.

    Returns:
        A number, or one element, where all dimensions are reduced; else an array. While a tape records and the array
        has a gradient, sums, means, least and greatest elements have one too, and are an array of one in the place
        of a number: `tape.backward(a.sum())`. With `keepdims` always an array.

    Raises:
        TypeError: The elements are structs, or `axis` is no dimension.
        IndexError: There is no such dimension.
"""


def _by_numpy(name: str, self: Any, axis: Any, keepdims: bool, more: dict[str, Any]) -> Any:
    """What NumPy's method of this name returns."""
    known = ("dtype", "out", "initial", "where")
    for keyword in more:
        if keyword not in known:
            raise TypeError(
                f"array.{name}() has no parameter '{keyword}'; it has axis, keepdims and NumPy's {', '.join(known)}"
            )
    return getattr(self.numpy(), name)(axis=axis, keepdims=keepdims, **more)


def sum(self: Any, axis: Any = None, keepdims: bool = False, **numpy: Any) -> Any:
    """The sum of the elements, or of those along dimensions.

    Floats are summed in float64 and rounded once. Integers become int64 or uint64, bools int64, as in NumPy, and wrap
    beyond.
    """
    if numpy:
        return _by_numpy("sum", self, axis, keepdims, numpy)
    if axis is None and not keepdims and _is_plain(self):
        return _warp.array_sum(plain(self))
    parts = _parts("sum", self, axis, keepdims)
    if self.dtype._elem.is_float:
        out = _float_sum(parts, parts.source)
        if _is_taped(parts):
            _record_sum(parts, out, 1.0)
        return _given(parts, out, self.dtype)
    wide = wp.uint64 if str(self.dtype._elem.scalar).startswith("uint") else wp.int64
    if parts.rows == 0:
        return _given(
            parts, wp.zeros(parts.outer * parts.inner, wide, parts.source.device), with_scalar(self.dtype, wide)
        )
    return _given(parts, _of_rows("sum", parts, wide), with_scalar(self.dtype, wide))


def _is_plain(self: Any) -> bool:
    """Whether floats are summed to a number, outside of captures and tapes."""
    elem = self.dtype._elem
    if elem.kind == "struct" or not elem.is_float or self.device.is_capturing:
        return False
    return not (self.requires_grad and _warp._is_taping())


def _float_sum(parts: _Parts, source: array) -> array:
    """Sums of floats, `(outer, inner)` of them in one dimension."""
    rows = numbers(array(source, copy=False)).reshape((parts.outer, parts.rows, parts.inner))
    sums: array = _warp.array_sum(rows, axis=1)
    return sums.flatten()


def mean(self: Any, axis: Any = None, keepdims: bool = False, **numpy: Any) -> Any:
    """The mean of the elements, or of those along dimensions.

    Floats are summed in float64; the mean of integers and bools is a float64. That of no elements is not a number.
    """
    if numpy:
        return _by_numpy("mean", self, axis, keepdims, numpy)
    elem = self.dtype._elem
    if axis is None and not keepdims and _is_plain(self) and self.size and elem.size >= 4 * elem.count:
        return _warp.array_sum(plain(self)) / float(self.size)
    parts = _parts("mean", self, axis, keepdims)
    dtype = self.dtype if elem.is_float else with_scalar(self.dtype, wp.float64)
    wide = elem.is_float and elem.size < 4 * elem.count
    # A sum of float16 may be too large for one.
    source = (
        parts.source
        if elem.is_float and not wide
        else array(parts.source, copy=False).astype(wp.float32 if wide else wp.float64)
    )
    total = _float_sum(parts, source)
    out = total / float(parts.rows) if parts.rows else total * math.nan
    if wide:
        out = out.astype(scalar_of(dtype))
    if _is_taped(parts):
        _record_sum(parts, out, 1.0 / builtins.max(parts.rows, 1))
    return _given(parts, out, dtype)


def _extreme(place: str, self: Any, axis: Any, keepdims: bool) -> Any:
    parts = _parts(place, self, axis, keepdims)
    if parts.rows == 0:
        raise ValueError(f"{place}: the array has shape {self.shape}; of no elements none is the {_OF[place]}")
    out = _of_rows(place, parts, scalar_of(self.dtype))
    if _is_taped(parts) and self.dtype._elem.is_float:
        _record_extreme(parts, out)
    return _given(parts, out, self.dtype)


_OF = {"min": "least", "argmin": "least", "max": "greatest", "argmax": "greatest"}


def min(self: Any, axis: Any = None, keepdims: bool = False, **numpy: Any) -> Any:
    """The least element, or those along dimensions; of vectors and matrices that of each component.

    What is not a number counts as least, as in NumPy. Where several elements are equal, each gets a part of the
    gradient.
    """
    if numpy:
        return _by_numpy("min", self, axis, keepdims, numpy)
    return _extreme("min", self, axis, keepdims)


def max(self: Any, axis: Any = None, keepdims: bool = False, **numpy: Any) -> Any:
    """The greatest element, or those along dimensions; of vectors and matrices that of each component.

    What is not a number counts as greatest, as in NumPy. Where several elements are equal, each gets a part of the
    gradient.
    """
    if numpy:
        return _by_numpy("max", self, axis, keepdims, numpy)
    return _extreme("max", self, axis, keepdims)


def _position(place: str, self: Any, axis: Any, keepdims: bool) -> Any:
    if isinstance(axis, tuple):
        raise TypeError(f"{place}: axis is {axis}, expected an int or None: an index is one along one dimension")
    if self.dtype is not scalar_of(self.dtype):
        raise TypeError(f"{place}: an array of {self.dtype.__name__}; only numbers have an order")
    parts = _parts(place, self, axis, keepdims)
    if parts.rows == 0:
        raise ValueError(f"{place}: the array has shape {self.shape}; of no elements none is the {_OF[place]}")
    return _given(parts, found_at(place == "argmin", numbers(parts.source), parts.dim), wp.int32)


def argmin(self: Any, axis: Any = None, keepdims: bool = False, **numpy: Any) -> Any:
    """The index of the first least element in row-major order; with `axis` an array of int32 with those along it."""
    if numpy:
        return _by_numpy("argmin", self, axis, keepdims, numpy)
    return _position("argmin", self, axis, keepdims)


def argmax(self: Any, axis: Any = None, keepdims: bool = False, **numpy: Any) -> Any:
    """The index of the first greatest element in row-major order; with `axis` an array of int32 with those along it."""
    if numpy:
        return _by_numpy("argmax", self, axis, keepdims, numpy)
    return _position("argmax", self, axis, keepdims)


def _asked(place: str, self: Any, axis: Any, keepdims: bool) -> Any:
    if self.dtype is not scalar_of(self.dtype):
        raise TypeError(f"{place}: an array of {self.dtype.__name__}; only bools and numbers are true or not")
    parts = _parts(place, self, axis, keepdims)
    if parts.rows == 0:
        count = parts.outer * parts.inner
        return _given(parts, wp.full(count, place == "all", wp.bool, parts.source.device), wp.bool)
    return _given(parts, _of_rows(place, parts, wp.bool), wp.bool)


def any(self: Any, axis: Any = None, keepdims: bool = False, **numpy: Any) -> Any:
    """Whether an element is true, or one along dimensions: a number is, unless it is 0."""
    if numpy:
        return _by_numpy("any", self, axis, keepdims, numpy)
    return _asked("any", self, axis, keepdims)


def all(self: Any, axis: Any = None, keepdims: bool = False, **numpy: Any) -> Any:
    """Whether all elements are true, or all along dimensions: a number is, unless it is 0."""
    if numpy:
        return _by_numpy("all", self, axis, keepdims, numpy)
    return _asked("all", self, axis, keepdims)


for _method in (sum, mean, min, max, argmin, argmax, any, all):
    _method.__qualname__ = f"array.{_method.__name__}"
    _method.__doc__ = f"{_method.__doc__}{_AXIS}"
