"""Solvers of linear systems ``A x = b``, which need no more of ``A`` than its products with vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import warp as wp
from warp import _warp
from warp.optim import _krylov
from warp.optim._parameters import scalar_of
from warp.optim._vectors import Vector, diagonal_product, inverse_diagonal, matrix_product

if TYPE_CHECKING:
    from warp.context import DeviceLike

__all__ = ["LinearOperator", "aslinearoperator", "bicgstab", "cg", "cr", "gmres", "preconditioner"]

_Result = tuple[int, float, float] | tuple[_warp.array, _warp.array, _warp.array]


def _float_elem(where: str, dtype: Any) -> Any:
    """The description of a dtype that is made of floats."""
    dtype = {float: wp.float32}.get(dtype, dtype)
    elem = getattr(dtype, "_elem", None)
    if elem is None or elem.kind == "struct" or not elem.is_float:
        name = getattr(dtype, "__name__", repr(dtype))
        raise TypeError(f"{where} is {name}; expected a float type, or a vector type of one")
    return elem


class LinearOperator:
    """What solvers know of a matrix: its size, and how to multiply it with a vector.

    Args:
        shape: Rows and columns.
        dtype: The type of the elements of vectors: a float type, or a vector type, for matrices made of blocks.
        device: Where vectors are.
        matvec: ``matvec(x, y, z, alpha, beta)`` writes ``alpha * A x + beta * y`` to ``z``, which may be ``y``. Where
            ``beta`` is 0, ``y`` may hold anything.

    Raises:
        TypeError: ``dtype`` is none of floats, or ``matvec`` cannot be called.
        ValueError: ``shape`` is no pair of sizes, or batches are asked for.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        dtype: Any,
        device: DeviceLike,
        matvec: Callable[..., None],
        batch_offsets: None = None,
        max_batch_length: int | None = None,
    ) -> None:
        if batch_offsets is not None or max_batch_length is not None:
            raise ValueError("LinearOperator: batches of systems are not supported; solve them one by one")
        if not callable(matvec):
            raise TypeError(f"LinearOperator: matvec is {matvec!r}; expected a function of (x, y, z, alpha, beta)")
        sizes = tuple(shape) if isinstance(shape, tuple | list) else ()
        if len(sizes) != 2 or not all(isinstance(size, int) and size >= 0 for size in sizes):
            raise ValueError(f"LinearOperator: shape is {shape!r}; expected the numbers of rows and columns")
        _float_elem("LinearOperator: dtype", dtype)
        self.shape: tuple[int, int] = sizes
        self.dtype = {float: wp.float32}.get(dtype, dtype)
        self.device = wp.get_device(device)
        self._matvec = matvec

    @property
    def matvec(self) -> Callable[..., None]:
        """``matvec(x, y, z, alpha, beta)`` writes ``alpha * A x + beta * y`` to ``z``."""
        return self._matvec

    @property
    def scalar_type(self) -> Any:
        """The type of the numbers in vectors."""
        return scalar_of(self.dtype)

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<LinearOperator {rows} x {columns} of {self.dtype.__name__}>"


def aslinearoperator(A: Any, batch_offsets: None = None, max_batch_length: int | None = None) -> LinearOperator:
    """The operator that an array stands for.

    Args:
        A: A matrix as a 2-d array of a float type, a diagonal matrix as a 1-d array of its diagonal, or an operator,
            which is returned.

    Raises:
        TypeError: ``A`` is something else. :class:`LinearOperator` makes an operator of a function and a size.
        ValueError: The array has more dimensions, or batches are asked for.
    """
    if batch_offsets is not None or max_batch_length is not None:
        raise ValueError("aslinearoperator: batches of systems are not supported; solve them one by one")
    if isinstance(A, LinearOperator):
        return A
    if not isinstance(A, _warp.array):
        hint = "LinearOperator(shape, dtype, device, matvec)" if callable(A) else "wp.array(A, dtype=...)"
        raise TypeError(f"aslinearoperator: expected a Warp array or a LinearOperator, found {A!r}; pass {hint}")
    elem = _float_elem("aslinearoperator: the array's dtype", A.dtype)
    if elem.kind != "scalar":
        raise TypeError(f"aslinearoperator: the elements are {A.dtype.__name__}; expected a float type")
    if A.ndim > 2:
        raise ValueError(f"aslinearoperator: the array has shape {A.shape}; a matrix has two dimensions")
    product = matrix_product if A.ndim == 2 else diagonal_product
    rows, columns = A.shape if A.ndim == 2 else (A.size, A.size)

    def matvec(x: _warp.array, y: _warp.array, z: _warp.array, alpha: float, beta: float) -> None:
        # Every row of the result depends on all of x.
        if A.ndim == 2 and x.ptr == z.ptr:
            x = wp.clone(x)
        product(A, x, y, z, alpha, beta)

    return LinearOperator((rows, columns), A.dtype, A.device, matvec)


def preconditioner(A: Any, ptype: str = "diag") -> LinearOperator | None:
    """A cheap operator that is close to the inverse of a matrix.

    Args:
        A: The matrix, as a 2-d array.
        ptype: ``"diag"``: the inverse of the diagonal, with 1 where that is zero; ``"diag_abs"``: of its absolute
            value; ``"id"``: nothing, None.

    Raises:
        TypeError: ``A`` is no array of floats; products do not tell an operator's diagonal.
        ValueError: There is no such preconditioner, or ``A`` is no square matrix.
    """
    if ptype == "id":
        return None
    if ptype not in ("diag", "diag_abs"):
        raise ValueError(f"preconditioner: ptype is {ptype!r}; expected 'diag', 'diag_abs' or 'id'")
    if not isinstance(A, _warp.array):
        raise TypeError(f"preconditioner: expected a Warp array, whose diagonal can be read, found {A!r}")
    _float_elem("preconditioner: the array's dtype", A.dtype)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"preconditioner: the array has shape {A.shape}; expected a square matrix")
    return aslinearoperator(inverse_diagonal(A, ptype == "diag_abs"))


class _System:
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
            if _float_elem(f"{where}: the dtype of {name}", array.dtype).scalar != operator.dtype._elem.scalar:
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
        self.b, self.x = self._vector(b), self._vector(x)
        self.most = most or self.b.row.size
        self.check_every = check_every
        self.tolerance = max(relative * self.b.norm(), absolute)

    def _vector(self, array: _warp.array) -> Vector:
        whole = array if array.is_contiguous else array.contiguous()
        if whole.dtype is self.dtype:
            return Vector(whole)
        row = Vector(whole).row
        if self.dtype._elem.kind == "scalar":
            return Vector(row)
        return Vector(wp.array(row.reshape((-1, *self.dtype._elem.shape)), dtype=self.dtype, copy=False))

    def _apply(self, operator: LinearOperator) -> _krylov.Apply:
        in_rows = operator.dtype._elem.kind == "scalar"

        def apply(x: Vector, out: Vector) -> None:
            if in_rows:
                operator.matvec(x.row, out.row, out.row, 1.0, 0.0)
            else:
                operator.matvec(x.array, out.array, out.array, 1.0, 0.0)

        return apply

    def solve(self, iteration: Iterator[tuple[int, float]], callback: Callable[..., None] | None) -> _Result:
        """Run an iteration until its residual is small enough, and say how that went."""
        every = self.check_every or 1
        done, norm, reported = 0, 0.0, -1
        for done, norm in iteration:
            ends = done >= self.most or norm != norm
            # An iteration that counts in cycles may pass the number that was asked for.
            if ends or reported < 0 or done // every > reported // every:
                reported = done
                if callback is not None:
                    callback(done, norm, self.tolerance)
                if norm <= self.tolerance:
                    break
            if ends:
                break
        if callback is not None and reported != done:
            callback(done, norm, self.tolerance)
        if self.x.array.ptr != self.given.ptr:
            result = self.x.row if self.given.dtype._elem.kind == "scalar" else self.x.array
            wp.copy(self.given, result)
        if self.check_every:
            return done, norm, self.tolerance
        scalar = scalar_of(self.dtype)
        return (
            wp.array([done], dtype=wp.int32),
            wp.array([norm], dtype=scalar),
            wp.array([self.tolerance], dtype=scalar),
        )


def _limit(where: str, name: str, value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, str) or not hasattr(value, "__float__"):
        raise TypeError(f"{where}: {name} is {value!r}; expected a number")
    if not float(value) >= 0.0:
        raise ValueError(f"{where}: {name} is {value!r}; it must not be negative")
    return float(value)


def _positive(where: str, name: str, value: Any) -> int:
    if not isinstance(value, int) or value < 1:
        raise ValueError(f"{where}: {name} is {value!r}; expected a number of iterations")
    return value


def _run(solve: Callable[[], _Result], run: bool) -> Any:
    return solve() if run else solve


_ARGUMENTS = """

    The residual is ``b - A x``. It is small enough if its norm is at most ``max(tol * norm(b), atol)``. Of ``tol`` and
    ``atol``, the one that is not given is as the other; both are 1e-6 for float32, 1e-12 for float64 and 1e-3 for types
    of 16 bits.

    Args:
        A: The matrix: a 2-d array, a 1-d array of its diagonal, or a :class:`LinearOperator`.
        b: The right side: an array with one dimension.
        x: The first guess; it becomes the solution.
        tol: How large the residual may be, relative to ``b``.
        atol: How large the residual may be at least.
        maxiter: The most iterations; 0 or None: as many as ``b`` has numbers.
        M: What is close to the inverse of ``A``, such as :func:`preconditioner` makes.
        callback: Called as ``callback(iteration, residual, tolerance)`` at first and whenever the residual is looked
            at.
        check_every: After how many iterations the residual is looked at. 0: after each, and the results are arrays.
        use_cuda_graph: Accepted for compatibility; only matters for GPUs.
        run: Whether to solve at once. Without, a function is returned that does it, whenever it is called.{more}

    Returns:
        The number of iterations, the norm of the residual, and how large it may be: an int and two floats, or three
        arrays of one element each if ``check_every`` is 0.

    Raises:
        TypeError: An argument is of another kind or dtype.
        ValueError: Sizes do not fit, or a limit is negative.
    """
_LEFT = """
        is_left_preconditioner: Solve ``M A x = M b`` in place of ``A M y = b`` with ``x = M y``."""


def _documented(more: str = "") -> Callable[[Any], Any]:
    def document(function: Any) -> Any:
        function.__doc__ = (function.__doc__ or "") + _ARGUMENTS.format(more=more)
        return function

    return document


_RESTART = """
        restart: After how many iterations to begin anew, from the residual as it is then."""


@_documented(_RESTART)
def cg(
    A: _warp.array | LinearOperator,
    b: _warp.array,
    x: _warp.array,
    tol: float | None = None,
    atol: float | None = None,
    maxiter: float | None = 0,
    M: _warp.array | LinearOperator | None = None,
    callback: Callable[[int, float, float], None] | None = None,
    check_every: int = 10,
    use_cuda_graph: bool = True,
    run: bool = True,
    *,
    restart: int | None = None,
) -> Any:
    """Solve a system whose matrix is symmetric and positive definite, by conjugate gradients."""
    every = None if restart is None else _positive("cg", "restart", restart)

    def solve() -> _Result:
        system = _System("cg", A, b, x, M, tol, atol, maxiter, check_every)
        return system.solve(_krylov.cg(system.A, system.b, system.x, system.M, every), callback)

    return _run(solve, run)


@_documented(_RESTART)
def cr(
    A: _warp.array | LinearOperator,
    b: _warp.array,
    x: _warp.array,
    tol: float | None = None,
    atol: float | None = None,
    maxiter: float | None = 0,
    M: _warp.array | LinearOperator | None = None,
    callback: Callable[[int, float, float], None] | None = None,
    check_every: int = 10,
    use_cuda_graph: bool = True,
    run: bool = True,
    *,
    restart: int | None = None,
) -> Any:
    """Solve a system whose matrix is symmetric, by conjugate residuals; the norm of the residual never grows."""
    every = None if restart is None else _positive("cr", "restart", restart)

    def solve() -> _Result:
        system = _System("cr", A, b, x, M, tol, atol, maxiter, check_every)
        return system.solve(_krylov.cr(system.A, system.b, system.x, system.M, every), callback)

    return _run(solve, run)


@_documented(_LEFT)
def bicgstab(
    A: _warp.array | LinearOperator,
    b: _warp.array,
    x: _warp.array,
    tol: float | None = None,
    atol: float | None = None,
    maxiter: float | None = 0,
    M: _warp.array | LinearOperator | None = None,
    callback: Callable[[int, float, float], None] | None = None,
    check_every: int = 10,
    use_cuda_graph: bool = True,
    is_left_preconditioner: bool = False,
    run: bool = True,
) -> Any:
    """Solve a system with any matrix that is not singular, by stabilised biconjugate gradients."""

    def solve() -> _Result:
        system = _System("bicgstab", A, b, x, M, tol, atol, maxiter, check_every)
        left = is_left_preconditioner and system.M is not None
        return system.solve(_krylov.bicgstab(system.A, system.b, system.x, system.M, left), callback)

    return _run(solve, run)


@_documented(
    _LEFT
    + """
        restart: How many vectors a cycle keeps; ``x`` changes with each cycle, and the residual is looked at."""
)
def gmres(
    A: _warp.array | LinearOperator,
    b: _warp.array,
    x: _warp.array,
    tol: float | None = None,
    atol: float | None = None,
    restart: int = 31,
    maxiter: float | None = 0,
    M: _warp.array | LinearOperator | None = None,
    callback: Callable[[int, float, float], None] | None = None,
    check_every: int = 31,
    use_cuda_graph: bool = True,
    is_left_preconditioner: bool = False,
    run: bool = True,
) -> Any:
    """Solve a system with any matrix that is not singular, by generalised minimal residuals with restarts."""
    most = _positive("gmres", "restart", restart)

    def solve() -> _Result:
        system = _System("gmres", A, b, x, M, tol, atol, maxiter, check_every)
        left = is_left_preconditioner and system.M is not None
        iteration = _krylov.gmres(system.A, system.b, system.x, system.M, left, most, system.most, system.tolerance)
        return system.solve(iteration, callback)

    return _run(solve, run)
