"""A linear system that has been checked, and what is done with it until its residual is small enough."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import warp as wp
from warp import _warp
from warp.optim import _krylov
from warp.optim._each import Each
from warp.optim._operators import LinearOperator, aslinearoperator, float_elem
from warp.optim._parameters import scalar_of
from warp.optim._vectors import Batch, Vector, Workspace

Result = tuple[int, float, float] | tuple[_warp.array, _warp.array, _warp.array]


class System:
    """A linear system that has been checked: what iterations work with."""

    def __init__(
        self,
        where: str,
        A: Any,
        b: _warp.array,
        x: _warp.array,
        M: Any,
        tol: float | None,
        atol: float | None,
        maxiter: float | None,
        check_every: int,
        workspace: Workspace,
    ) -> None:
        operator = aslinearoperator(A)
        rows, columns = operator.shape
        if rows != columns:
            raise ValueError(f"{where}: A has shape {operator.shape}; expected a square matrix")
        for name, array in (("b", b), ("x", x)):
            if not isinstance(array, _warp.array):
                raise TypeError(f"{where}: {name} is {array!r}; expected a Warp array")
            # Vectors of numbers do for matrices of blocks, and the other way round.
            numbers = array.size * getattr(array.dtype, "_elem", operator.dtype._elem).count
            if float_elem(f"{where}: the dtype of {name}", array.dtype).scalar != operator.dtype._elem.scalar:
                raise TypeError(
                    f"{where}: {name} is an array of {array.dtype.__name__}, A is a matrix of {operator.dtype.__name__}"
                )
            if array.ndim != 1 or numbers != rows * operator.dtype._elem.count:
                raise ValueError(
                    f"{where}: {name} has shape {array.shape} and dtype {array.dtype.__name__}; A has {rows} rows of "
                    f"{operator.dtype.__name__}"
                )
        given = [_limit(where, name, value) for name, value in (("tol", tol), ("atol", atol))]
        default = {"float64": 1e-12, "float32": 1e-6}.get(operator.dtype._elem.scalar, 1e-3)
        # The one that is not given is as the other.
        relative = next((value for value in given if value is not None), default)
        absolute = next((value for value in reversed(given) if value is not None), default)
        if not isinstance(check_every, int) or check_every < 0:
            raise ValueError(f"{where}: check_every is {check_every!r}; expected a number of iterations, or 0")
        most = 0 if maxiter is None else int(maxiter)
        if most < 0:
            raise ValueError(f"{where}: maxiter is {maxiter!r}; it must not be negative")
        self.where = where
        self.dtype = operator.dtype
        self.A = self._apply(operator)
        self.M: _krylov.Apply | None = None
        if M is not None:
            other = aslinearoperator(M)
            if other.shape != operator.shape or other.scalar_type is not operator.scalar_type:
                raise ValueError(
                    f"{where}: M is {other!r}, A is {operator!r}; they must have the same shape and scalar type"
                )
            self.M = self._apply(other)
        self.given = x
        offsets = operator._offsets
        self.batch = None if offsets is None else Batch(offsets, rows * operator.dtype._elem.count)
        self.workspace = workspace
        self.b, self.x = self._vector(b), self._vector(x)
        self.most = most or (self.b.row.size if self.batch is None else max(self.batch.lengths))
        self.check_every = check_every
        self._left: Vector | None = None
        self.tolerances = [max(relative * norm, absolute) for norm in self.b.norm().values]

    def _vector(self, array: _warp.array) -> Vector:
        whole = array if array.is_contiguous else array.contiguous()
        if whole.dtype is not self.dtype:
            whole = Vector(whole).row
            if self.dtype._elem.kind != "scalar":
                whole = wp.array(whole.reshape((-1, *self.dtype._elem.shape)), dtype=self.dtype, copy=False)
        return Vector(whole, self.batch, self.workspace)

    def _apply(self, operator: LinearOperator) -> _krylov.Apply:
        in_rows = operator.dtype._elem.kind == "scalar"

        def apply(x: Vector, out: Vector) -> None:
            if in_rows:
                operator.matvec(x.row, out.row, out.row, 1.0, 0.0)
            else:
                operator.matvec(x.array, out.array, out.array, 1.0, 0.0)

        return apply

    def solve(
        self, iteration: _krylov.Iteration, callback: Callable[..., None] | None, in_cycles: bool = False
    ) -> Result:
        """Run an iteration until all residuals are small enough, and say how that went.

        One that works in cycles tells the residuals of ``x``, and is not begun again once they are small enough. Others
        tell what they update, which does not count until the residual of ``x`` says the same. Where that is no smaller
        than when it was last formed, it is all that rounding allows.
        """
        every = self.check_every or 1
        done, norms, reported = 0, Each([0.0] * len(self.tolerances)), -1
        # How far the residual of `x` was from its limit when an iteration was begun anew for that.
        nearest, anew, is_exact = math.inf, None, True
        while True:
            try:
                done, norms = iteration.send(anew)
            except StopIteration:
                break
            anew, is_exact = None, in_cycles or done == 0
            ends = done >= self.most or not norms.is_finite()
            # An iteration that counts in cycles may pass the number that was asked for.
            looks = reported < 0 or done // every > reported // every
            if (looks or in_cycles or ends) and norms.within(self.tolerances):
                if not is_exact:
                    norms, is_exact = self._norms(), True
                if norms.within(self.tolerances):
                    ends = True
                else:
                    excess = max(self._excess(norms, at) for at in range(len(self.tolerances)))
                    anew, ends, nearest = True, ends or not excess < nearest, excess
            if ends and not is_exact:
                norms, is_exact = self._norms(), True
            if looks or ends:
                reported = done
                if callback is not None:
                    callback(done, *self._worst(norms))
            if ends:
                break
        if not is_exact:
            norms = self._norms()
        if callback is not None and reported != done:
            callback(done, *self._worst(norms))
        if self.x.array.ptr != self.given.ptr:
            result = self.x.row if self.given.dtype._elem.kind == "scalar" else self.x.array
            wp.copy(self.given, result)
        if self.check_every:
            return done, *self._worst(norms)
        scalar = scalar_of(self.dtype)
        return (
            wp.array([done], dtype=wp.int32),
            wp.array([norm * norm for norm in norms.values], dtype=scalar),
            wp.array([limit * limit for limit in self.tolerances], dtype=scalar),
        )

    def _norms(self) -> Each:
        """The norms of the residuals of ``x``."""
        if self._left is None:
            self._left = self.b.like()
        left = self._left
        self.A(self.x, left)
        left.set(1.0, self.b, -1.0, left)
        left.clear_inactive()
        return left.norm()

    def _excess(self, norms: Each, at: int) -> float:
        """How many times the norm of a residual is as large as it may be."""
        norm, limit = norms.values[at], self.tolerances[at]
        return math.inf if norm != norm else norm / limit if limit > 0.0 else norm and math.inf

    def _worst(self, norms: Each) -> tuple[float, float]:
        """The norm of a residual and how large it may be, of the system that is farthest from its solution."""
        at = max(range(len(self.tolerances)), key=lambda at: self._excess(norms, at))
        return norms.values[at], self.tolerances[at]


def _limit(where: str, name: str, value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, str) or not hasattr(value, "__float__"):
        raise TypeError(f"{where}: {name} is {value!r}; expected a number")
    if not float(value) >= 0.0:
        raise ValueError(f"{where}: {name} is {value!r}; it must not be negative")
    return float(value)


def positive(where: str, name: str, value: Any) -> int:
    if not isinstance(value, int) or value < 1:
        raise ValueError(f"{where}: {name} is {value!r}; expected a number of iterations")
    return value
