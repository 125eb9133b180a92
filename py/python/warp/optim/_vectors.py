"""What solvers do with vectors: rows of numbers in arrays without gaps. Tapes record none of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import warp as wp
from warp import _warp
from warp._language.decorators import func, kernel
from warp.optim._each import Each
from warp.optim._parameters import numbers, scalar_of
from warp.types import array1d, array2d


@cache
def _combine(scalar: Any) -> _warp.Kernel:
    @kernel(enable_backward=False)
    def combine(
        a: scalar, x: array1d(dtype=scalar), b: scalar, y: array1d(dtype=scalar), z: array1d(dtype=scalar)
    ) -> None:
        i = wp.tid()
        z[i] = a * x[i] + b * y[i]

    return combine


@cache
def _scale(scalar: Any) -> _warp.Kernel:
    @kernel(enable_backward=False)
    def scale(a: scalar, x: array1d(dtype=scalar), z: array1d(dtype=scalar)) -> None:
        i = wp.tid()
        z[i] = a * x[i]

    return scale


def vector_of(element: Any) -> Any:
    """The type of a vector's elements where a matrix has elements of this type: numbers, or blocks of them."""
    if element._elem.kind == "scalar":
        return element
    return wp.types.vector(length=element._elem.shape[0], dtype=scalar_of(element))


@cache
def _combine_each(scalar: Any) -> _warp.Kernel:
    @kernel(enable_backward=False)
    def combine_each(
        of: array1d(dtype=int),
        a: array1d(dtype=scalar),
        x: array1d(dtype=scalar),
        b: array1d(dtype=scalar),
        y: array1d(dtype=scalar),
        z: array1d(dtype=scalar),
    ) -> None:
        i = wp.tid()
        system = of[i]
        z[i] = a[system] * x[i] + b[system] * y[i]

    return combine_each


@cache
def _dot_each(scalar: Any) -> _warp.Kernel:
    @kernel(enable_backward=False)
    def dot_each(
        offsets: array1d(dtype=int),
        x: array1d(dtype=scalar),
        y: array1d(dtype=scalar),
        out: array1d(dtype=wp.float64),
    ) -> None:
        system = wp.tid()
        total = wp.float64(0.0)
        for i in range(offsets[system], offsets[system + 1]):
            total += wp.float64(x[i]) * wp.float64(y[i])
        out[system] = total

    return dot_each


@cache
def _product(element: Any) -> _warp.Kernel:
    scalar, vector = scalar_of(element), vector_of(element)

    @kernel(enable_backward=False)
    def product(
        a: scalar,
        matrix: array2d(dtype=element),
        x: array1d(dtype=vector),
        b: scalar,
        y: array1d(dtype=vector),
        z: array1d(dtype=vector),
    ) -> None:
        row = wp.tid()
        total = vector(scalar(0.0))
        for column in range(matrix.shape[1]):
            total += matrix[row, column] * x[column]
        result = a * total
        # What is not asked for is not read: it may be anything.
        if b != scalar(0.0):
            result += b * y[row]
        z[row] = result

    return product


@cache
def _diagonal_product(element: Any) -> _warp.Kernel:
    scalar, vector = scalar_of(element), vector_of(element)
    times = wp.cw_mul if element._elem.kind == "vec" else wp.mul

    @kernel(enable_backward=False)
    def diagonal_product(
        a: scalar,
        diagonal: array1d(dtype=element),
        x: array1d(dtype=vector),
        b: scalar,
        y: array1d(dtype=vector),
        z: array1d(dtype=vector),
    ) -> None:
        i = wp.tid()
        result = a * times(diagonal[i], x[i])
        if b != scalar(0.0):
            result += b * y[i]
        z[i] = result

    return diagonal_product


@func
def _on_diagonal(matrix: array2d(dtype=Any), i: int, rows: int) -> Any:
    return matrix[i, i]


@func
def _on_diagonal_of_block(matrix: array2d(dtype=Any), i: int, rows: int) -> Any:
    block = matrix[i // rows, i // rows]
    return block[i % rows, i % rows]


@cache
def _inverse_diagonal(element: Any) -> _warp.Kernel:
    scalar, rows = scalar_of(element), element._elem.shape[0] if element._elem.kind == "mat" else 1

    @kernel(enable_backward=False)
    def inverse_diagonal(matrix: array2d(dtype=element), absolute: wp.bool, out: array1d(dtype=scalar)) -> None:
        i = wp.tid()
        value = wp.static(_on_diagonal if element is scalar else _on_diagonal_of_block)(matrix, i, rows)
        if absolute:
            value = wp.abs(value)
        out[i] = scalar(1.0)
        if value != scalar(0.0):
            out[i] = scalar(1.0) / value

    return inverse_diagonal


def _launch(of: Any, element: Any, count: int, *arguments: Any) -> None:
    _warp.launch(of(element), count, arguments, record_tape=False)


class Batch:
    """The places of several systems in vectors: one after the other, followed by rows that belong to none.

    Args:
        offsets: The number of each system's first row, and that of the row after the last system.
        size: How many rows there are.
    """

    def __init__(self, offsets: Sequence[int], size: int) -> None:
        self.count = len(offsets) - 1
        self.lengths = [end - start for start, end in pairwise(offsets)]
        rows = [system for system, length in enumerate(self.lengths) for _ in range(length)]
        rows += [self.count] * (size - len(rows))
        self.of = wp.array(rows, dtype=int)
        self.offsets = wp.array(list(offsets), dtype=int)
        self.has_rest = offsets[-1] < size

    def numbers(self, value: Each | float, scalar: Any) -> _warp.array:
        """A number for each system, and for what belongs to none: the number itself, or nothing of one of each."""
        if isinstance(value, Each):
            return wp.array([*value.values, 0.0], dtype=scalar)
        return wp.full(self.count + 1, value, dtype=scalar)


class Workspace:
    """Vectors that one solution after the other uses."""

    def __init__(self) -> None:
        self._vectors: list[Vector] = []
        self._used = 0

    def begin(self) -> None:
        """All vectors are free again."""
        self._used = 0

    def take(self) -> Vector | None:
        """A free vector, if there is one."""
        if self._used == len(self._vectors):
            return None
        self._used += 1
        return self._vectors[self._used - 1]

    def give(self, made: Vector) -> None:
        """Add a vector, which is used at first."""
        self._vectors.append(made)
        self._used += 1


class Vector:
    """An array without gaps as operators take it, and as a row of numbers on the same memory.

    Args:
        array: The array.
        batch: Where the systems are that are solved together; None: there is one.
        workspace: Where :meth:`like` takes vectors from.
    """

    def __init__(self, array: _warp.array, batch: Batch | None = None, workspace: Workspace | None = None) -> None:
        self.array = array
        self.row = numbers(array)
        self.scalar = scalar_of(array.dtype)
        self.batch = batch
        self.workspace = workspace

    def like(self) -> Vector:
        """A vector of the same dtype and shape, of zeros."""
        workspace = self.workspace
        if workspace is not None and (found := workspace.take()) is not None:
            found.array.zero_()
            return found
        array = self.array
        made = Vector(wp.zeros(array.shape, dtype=array.dtype, device=array.device), self.batch, workspace)
        if workspace is not None:
            workspace.give(made)
        return made

    def dot(self, other: Vector) -> Each:
        """The inner product, of each system."""
        batch = self.batch
        if batch is None:
            return Each([float(_warp.array_inner(self.row, other.row))])
        out = wp.empty(batch.count, dtype=wp.float64)
        _launch(_dot_each, self.scalar, batch.count, batch.offsets, self.row, other.row, out)
        return Each(out.list())

    def norm(self) -> Each:
        """The Euclidean norm, of each system."""
        return self.dot(self).root()

    def set(self, a: Each | float, x: Vector, b: Each | float = 0.0, y: Vector | None = None) -> None:
        """Become ``a * x + b * y``; both may be this vector."""
        count, batch = self.row.size, self.batch
        if batch is not None and (isinstance(a, Each) or isinstance(b, Each)):
            factors = batch.numbers(a, self.scalar), batch.numbers(b, self.scalar)
            second = (x if y is None else y).row
            _launch(_combine_each, self.scalar, count, batch.of, factors[0], x.row, factors[1], second, self.row)
            return
        a, b = (number.values[0] if isinstance(number, Each) else number for number in (a, b))
        if y is None:
            _launch(_scale, self.scalar, count, a, x.row, self.row)
        else:
            _launch(_combine, self.scalar, count, a, x.row, b, y.row, self.row)

    def add(self, a: Each | float, x: Vector) -> None:
        """Add ``a * x``."""
        self.set(1.0, self, a, x)

    def clear_inactive(self) -> None:
        """Set to zero what belongs to no system."""
        if self.batch is not None and self.batch.has_rest:
            self.set(Each([1.0] * self.batch.count), self)


def matrix_product(
    matrix: _warp.array, x: _warp.array, y: _warp.array, z: _warp.array, alpha: float, beta: float
) -> None:
    """Writes ``alpha * matrix @ x + beta * y`` to ``z``."""
    _launch(_product, matrix.dtype, matrix.shape[0], alpha, matrix, x, beta, y, z)


def diagonal_product(
    diagonal: _warp.array, x: _warp.array, y: _warp.array, z: _warp.array, alpha: float, beta: float
) -> None:
    """Writes ``alpha * diagonal * x + beta * y`` to ``z``, element by element."""
    _launch(_diagonal_product, diagonal.dtype, diagonal.size, alpha, diagonal, x, beta, y, z)


def inverse_diagonal(matrix: _warp.array, absolute: bool) -> _warp.array:
    """One over each number of a matrix's diagonal, or over its absolute value; 1 where it is zero."""
    out = wp.empty(matrix.shape[0], dtype=vector_of(matrix.dtype), device=matrix.device)
    row = numbers(out)
    _launch(_inverse_diagonal, matrix.dtype, row.size, matrix, absolute, row)
    return out
