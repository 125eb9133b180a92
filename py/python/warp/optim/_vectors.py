"""What solvers do with vectors: rows of numbers in arrays without gaps. Tapes record none of it."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import warp as wp
from warp import _warp
from warp._decorators import kernel
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


@cache
def _product(scalar: Any) -> _warp.Kernel:
    @kernel(enable_backward=False)
    def product(
        a: scalar,
        matrix: array2d(dtype=scalar),
        x: array1d(dtype=scalar),
        b: scalar,
        y: array1d(dtype=scalar),
        z: array1d(dtype=scalar),
    ) -> None:
        row = wp.tid()
        total = scalar(0.0)
        for column in range(matrix.shape[1]):
            total += matrix[row, column] * x[column]
        result = a * total
        # What is not asked for is not read: it may be anything.
        if b != scalar(0.0):
            result += b * y[row]
        z[row] = result

    return product


@cache
def _diagonal_product(scalar: Any) -> _warp.Kernel:
    @kernel(enable_backward=False)
    def diagonal_product(
        a: scalar,
        diagonal: array1d(dtype=scalar),
        x: array1d(dtype=scalar),
        b: scalar,
        y: array1d(dtype=scalar),
        z: array1d(dtype=scalar),
    ) -> None:
        i = wp.tid()
        result = a * diagonal[i] * x[i]
        if b != scalar(0.0):
            result += b * y[i]
        z[i] = result

    return diagonal_product


@cache
def _inverse_diagonal(scalar: Any) -> _warp.Kernel:
    @kernel(enable_backward=False)
    def inverse_diagonal(matrix: array2d(dtype=scalar), absolute: wp.bool, out: array1d(dtype=scalar)) -> None:
        i = wp.tid()
        value = matrix[i, i]
        if absolute:
            value = wp.abs(value)
        out[i] = scalar(1.0)
        if value != scalar(0.0):
            out[i] = scalar(1.0) / value

    return inverse_diagonal


def _launch(of: Any, scalar: Any, count: int, *arguments: Any) -> None:
    _warp.launch(of(scalar), count, arguments, record_tape=False)


class Vector:
    """An array without gaps as operators take it, and as a row of numbers on the same memory."""

    def __init__(self, array: _warp.array) -> None:
        self.array = array
        self.row = numbers(array)
        self.scalar = scalar_of(array.dtype)

    def like(self) -> Vector:
        """A new vector of zeros of the same dtype and shape."""
        array = self.array
        return Vector(wp.zeros(array.shape, dtype=array.dtype, device=array.device))

    def dot(self, other: Vector) -> float:
        """The inner product."""
        return float(_warp.array_inner(self.row, other.row))

    def norm(self) -> float:
        """The Euclidean norm."""
        return math.sqrt(self.dot(self))

    def set(self, a: float, x: Vector, b: float = 0.0, y: Vector | None = None) -> None:
        """Become ``a * x + b * y``; both may be this vector."""
        if y is None:
            _launch(_scale, self.scalar, self.row.size, a, x.row, self.row)
        else:
            _launch(_combine, self.scalar, self.row.size, a, x.row, b, y.row, self.row)

    def add(self, a: float, x: Vector) -> None:
        """Add ``a * x``."""
        self.set(1.0, self, a, x)


def matrix_product(
    matrix: _warp.array, x: _warp.array, y: _warp.array, z: _warp.array, alpha: float, beta: float
) -> None:
    """Writes ``alpha * matrix @ x + beta * y`` to ``z``."""
    scalar = matrix.dtype
    _launch(_product, scalar, matrix.shape[0], alpha, matrix, x, beta, y, z)


def diagonal_product(
    diagonal: _warp.array, x: _warp.array, y: _warp.array, z: _warp.array, alpha: float, beta: float
) -> None:
    """Writes ``alpha * diagonal * x + beta * y`` to ``z``, element by element."""
    _launch(_diagonal_product, diagonal.dtype, diagonal.size, alpha, diagonal, x, beta, y, z)


def inverse_diagonal(matrix: _warp.array, absolute: bool) -> _warp.array:
    """One over each number of a matrix's diagonal, or over its absolute value; 1 where it is zero."""
    out = wp.empty(matrix.shape[0], dtype=matrix.dtype, device=matrix.device)
    _launch(_inverse_diagonal, matrix.dtype, matrix.shape[0], matrix, absolute, out)
    return out
