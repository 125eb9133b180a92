"""Kernels that reduce the rows of `(outer, rows, inner)` numbers, and those of their gradients.

A pass splits the rows into chunks, and those into lanes that lie side by side, by sizes alone: results have the same
bits for any number of threads. Each pass leaves fewer numbers of every row, the last one a single one.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import warp as wp
from warp import _warp
from warp._language.decorators import func, kernel
from warp._warp import array, empty
from warp.types import array1d

#: How many numbers of a pass lie side by side, how many each thread reduces at least, and chunks at most.
_WIDTH, _LEAST, _CHUNKS = 64, 8, 128


def _split(outer: int, rows: int, inner: int) -> tuple[int, int, int]:
    """How wide a pass is, how many chunks it has, and how many numbers a thread reduces."""
    lanes = 1
    while 2 * lanes * inner <= _WIDTH and 2 * lanes * _LEAST <= rows:
        lanes *= 2
    width, each = lanes * inner, rows // lanes
    chunks = max(1, min(_CHUNKS, each // 128, _CHUNKS * _WIDTH // max(outer * width, 1)))
    return width, chunks, each // chunks


@func
def _lesser(least: Any, x: Any) -> Any:
    return wp.where(x < least or x != x, x, least)


@func
def _greater(greatest: Any, x: Any) -> Any:
    return wp.where(x > greatest or x != x, x, greatest)


@func
def _itself(x: Any) -> Any:
    return x


@cache
def _pass(operation: str, source: Any, target: Any) -> Any:
    """A kernel that reduces numbers of one type to fewer of another."""
    begin: Any = _itself
    combine: Any = {"min": _lesser, "max": _greater}.get(operation)
    zero = source(0)
    if operation == "sum":

        @func
        def begin(x: source) -> Any:
            return target(0)

        @func
        def combine(sum: target, x: source) -> Any:
            return sum + target(x)

    elif operation == "any":

        @func
        def begin(x: source) -> Any:
            return x != zero

        @func
        def combine(any: wp.bool, x: source) -> Any:
            return any or x != zero

    elif operation == "all":

        @func
        def begin(x: source) -> Any:
            return x != zero

        @func
        def combine(all: wp.bool, x: source) -> Any:
            return all and x != zero

    @kernel
    def reduce(
        x: array1d(dtype=source), total: int, width: int, chunks: int, length: int, out: array1d(dtype=target)
    ) -> None:
        o, c, v = wp.tid()
        found = begin(x[o * total + v])
        for k in range(c * length, (c + 1) * length):
            found = combine(found, x[o * total + k * width + v])
        # What chunks of one length leave over.
        rest = (chunks * length + c) * width + v
        if 0 <= rest and rest < total:
            found = combine(found, x[o * total + wp.min(rest, total - 1)])
        out[(o * chunks + c) * width + v] = found

    return reduce


def reduced(operation: str, x: array, dim: tuple[int, int, int], target: Any) -> array:
    """Reduce the rows of `(outer, rows, inner)` numbers to numbers of the type `target`, in one dimension."""
    (outer, rows, inner), found = dim, x
    if outer * inner == 0:
        return empty(0, target, x.device)
    while True:
        width, chunks, length = _split(outer, rows, inner)
        out = empty(outer * chunks * width, target, x.device)
        step = _pass(operation, found.dtype, target)
        launch(step, (outer, chunks, width), [found, rows * inner, width, chunks, length, out])
        # What passes leave is a sum, or a bool, already.
        found, rows = out, chunks * width // inner
        if rows == 1:
            return found


def launch(step: Any, dim: tuple[int, ...], inputs: list[Any]) -> None:
    """Launch a kernel where its last argument is; no tape records it."""
    _warp.launch(step, dim, inputs, device=inputs[-1].device, record_tape=False)


@cache
def _search(dtype: Any, least: bool, has_places: bool) -> Any:
    """A kernel that finds where the least or greatest number is, or at which of the places that a pass has found."""

    @func
    def is_better(x: dtype, best: dtype) -> Any:
        if x != x:
            return best == best
        if wp.static(least):
            return x < best
        return x > best

    @kernel
    def first(
        x: array1d(dtype=dtype), total: int, width: int, chunks: int, length: int, out: array1d[wp.int32]
    ) -> None:
        o, c, v = wp.tid()
        at = v
        best = x[o * total + at]
        for k in range(c * length, (c + 1) * length):
            found = x[o * total + k * width + v]
            if is_better(found, best):
                best = found
                at = k * width + v
        rest = (chunks * length + c) * width + v
        if 0 <= rest and rest < total:
            found = x[o * total + wp.min(rest, total - 1)]
            if is_better(found, best):
                best = found
                at = rest
        out[(o * chunks + c) * width + v] = at

    @kernel
    def later(
        x: array1d(dtype=dtype),
        all: int,
        places: array1d[wp.int32],
        total: int,
        width: int,
        chunks: int,
        length: int,
        out: array1d[wp.int32],
    ) -> None:
        o, c, v = wp.tid()
        at = places[o * total + v]
        best = x[o * all + at]
        for k in range(c * length, (c + 1) * length + 1):
            index = k * width + v
            if k == (c + 1) * length:
                index = (chunks * length + c) * width + v
            if index < total:
                place = places[o * total + index]
                found = x[o * all + place]
                # Of equal ones the first in the array.
                is_equal = not is_better(found, best) and not is_better(best, found)
                if is_better(found, best) or (is_equal and place < at):
                    best = found
                    at = place
        out[(o * chunks + c) * width + v] = at

    return later if has_places else first


@kernel
def _row(place: array1d[wp.int32], inner: int) -> None:
    i = wp.tid()
    place[i] = place[i] // inner


def found_at(least: bool, x: array, dim: tuple[int, int, int]) -> array:
    """Where in the rows of `(outer, rows, inner)` numbers the least or the greatest ones are, in one dimension."""
    outer, rows, inner = dim
    if outer * inner == 0:
        return empty(0, wp.int32, x.device)
    before: list[Any] = []
    while True:
        width, chunks, length = _split(outer, rows, inner)
        out = empty(outer * chunks * width, wp.int32, x.device)
        step = _search(x.dtype, least, bool(before))
        launch(step, (outer, chunks, width), [x, *before, rows * inner, width, chunks, length, out])
        rows = chunks * width // inner
        before = [dim[1] * inner, out]
        if rows == 1:
            break
    if inner > 1:
        _warp.launch(_row, out.size, [out, inner], device=out.device, record_tape=False)
    return out


# Gradients.


@cache
def spread_kernel(dtype: Any) -> Any:
    """A kernel that adds the gradient of a sum to those of what was added, times a factor."""

    @kernel
    def spread(gradient: array1d(dtype=dtype), factor: dtype, rows: int, inner: int, to: array1d(dtype=dtype)) -> None:
        o, r, i = wp.tid()
        to[(o * rows + r) * inner + i] += factor * gradient[o * inner + i]

    return spread


@cache
def mark_kernel(dtype: Any) -> Any:
    """A kernel that notes which numbers are the found ones, and counts these."""

    @kernel
    def mark(
        x: array1d(dtype=dtype),
        found: array1d(dtype=dtype),
        rows: int,
        inner: int,
        is_found: array1d[wp.bool],
        counts: array1d[wp.int32],
    ) -> None:
        o, r, i = wp.tid()
        at = (o * rows + r) * inner + i
        best = found[o * inner + i]
        is_found[at] = x[at] == best or (x[at] != x[at] and best != best)
        if is_found[at]:
            wp.atomic_add(counts, o * inner + i, 1)

    return mark


@cache
def share_kernel(dtype: Any) -> Any:
    """A kernel that adds a gradient to those of the numbers that were found, in equal parts."""

    @kernel
    def share(
        gradient: array1d(dtype=dtype),
        is_found: array1d[wp.bool],
        counts: array1d[wp.int32],
        rows: int,
        inner: int,
        to: array1d(dtype=dtype),
    ) -> None:
        o, r, i = wp.tid()
        at = (o * rows + r) * inner + i
        if is_found[at]:
            to[at] += gradient[o * inner + i] / dtype(counts[o * inner + i])

    return share
