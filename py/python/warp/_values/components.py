"""Which components of a vector or matrix a key means, and the numbers that are assigned to them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any


class KeyTypeError(TypeError, KeyError):
    """A key is neither an int nor a slice."""

    __str__ = BaseException.__str__


class KeyIndexError(IndexError, KeyError):
    """There are more keys than dimensions."""

    __str__ = BaseException.__str__


def index_of(name: str, key: Any, size: int) -> int:
    """An index from 0 on; negative ones count from the end.

    Raises:
        IndexError: There is no such component.
        TypeError: The key is no integer.
    """
    if not hasattr(type(key), "__index__"):
        raise TypeError(f"{name}: an index is an int, not {key!r}")
    index = operator.index(key)
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of range for {name} of size {size}")
    return index % size


def block(name: str, shape: tuple[int, ...], key: Any) -> tuple[tuple[int, ...], list[int]]:
    """The extents of what a key means, none for one component, and the places of its numbers in row-major order.

    Raises:
        IndexError: An index is out of range.
        KeyIndexError: There are too many indices.
        KeyTypeError: A key is neither an integer nor a slice.
    """
    keys = key if isinstance(key, tuple) else (key,)
    if len(keys) > len(shape):
        many = "1 dimension" if len(shape) == 1 else f"{len(shape)} dimensions"
        raise KeyIndexError(f"{name} has {many}, found {len(keys)} indices")
    extents, at = [], [0]
    for axis, size in enumerate(shape):
        which = keys[axis] if axis < len(keys) else slice(None)
        if isinstance(which, slice):
            picked = range(*which.indices(size))
            extents.append(len(picked))
        else:
            if not hasattr(type(which), "__index__"):
                raise KeyTypeError(f"{name}: an index is an int or a slice, not {which!r}")
            picked = range(first := index_of(name, which, size), first + 1)
        at = [place * size + i for place in at for i in picked]
    return tuple(extents), at


def shaped(
    value: Any, shape: tuple[int, ...], flat: Callable[[Iterable[Any]], list[Any]], exactly: bool = False
) -> list[Any]:
    """The numbers of a value with these extents: a vector, a matrix, or nested sequences. Unless it must be `exactly`
    so, a sequence without nesting may hold all of them.

    Raises:
        TypeError: It holds something else.
        ValueError: It has other extents.
    """
    if not isinstance(value, Iterable) or isinstance(value, str):
        raise TypeError(f"expected numbers, found {value!r}")
    outer = list(value)
    numbers = flat(outer)
    count = 1
    for extent in shape:
        count *= extent
    rows = [row for row in outer if isinstance(row, Iterable) and getattr(row, "ndim", 1) != 0]
    fits = len(numbers) == count
    if rows or exactly:
        fits = fits and len(outer) == shape[0]
        if len(shape) == 2:
            fits = fits and len(rows) == len(outer) and all(len(flat((row,))) == shape[1] for row in rows)
        else:
            fits = fits and not rows
    if not fits:
        what = f"{count} components" if len(shape) == 1 else f"{shape[0]} x {shape[1]} components"
        raise ValueError(f"{len(numbers)} values for {what}")
    return numbers
