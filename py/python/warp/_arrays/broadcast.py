"""Shapes of several arrays as one: what is repeated along which dimension."""

from __future__ import annotations

_LETTERS = "ijkm"


def _broadcast(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape of elements that several arrays are repeated to."""
    ndim = max(len(shape) for shape in shapes)
    found = [1] * ndim
    for shape in shapes:
        for d, extent in enumerate(shape, ndim - len(shape)):
            if found[d] == 1:
                found[d] = extent
            elif extent not in (1, found[d]):
                listed = " and ".join(str(shape) for shape in dict.fromkeys(shapes))
                raise ValueError(f"shapes {listed} cannot be broadcast: extents are equal, or 1")
    return tuple(found)


def _steps(own: tuple[int, ...], shape: tuple[int, ...]) -> str:
    """An array's indices: a letter for a dimension of the result, 0 where its one element is repeated."""
    offset = len(shape) - len(own)
    return "".join(_LETTERS[d] if extent == shape[d] else "0" for d, extent in enumerate(own, offset))
