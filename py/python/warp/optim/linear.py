"""Solvers of linear systems ``A x = b``, which need no more of ``A`` than its products with vectors.

A matrix may be block-diagonal: several systems, which are then solved together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from warp import _warp
from warp._base.absent import stand_ins
from warp.optim import _krylov
from warp.optim._operators import LinearOperator, aslinearoperator, preconditioner
from warp.optim._system import Result, System, positive
from warp.optim._vectors import Workspace

__all__ = [
    "CG",
    "CR",
    "GMRES",
    "BiCGSTAB",
    "LinearOperator",
    "LinearSolverState",
    "aslinearoperator",
    "bicgstab",
    "cg",
    "cr",
    "gmres",
    "preconditioner",
]

_ARGUMENTS = """

    The residual is ``b - A x``. It is small enough if its norm is at most ``max(tol * norm(b), atol)``. Of ``tol`` and
    ``atol``, the one that is not given is as the other; both are 1e-6 for float32, 1e-12 for float64 and 1e-3 for types
    of 16 bits.

    Args:
        A: The matrix: a 2-d array of numbers or square blocks, a 1-d array of its diagonal, or a
            :class:`LinearOperator`.
        b: The right side: an array with one dimension.
        x: The first guess; it becomes the solution.
        tol: How large the residual may be, relative to ``b``.
        atol: How large the residual may be at least.
        maxiter: The most iterations; 0 or None: as many as ``b`` has numbers.
        M: What is close to the inverse of ``A``, such as :func:`preconditioner` makes.
        callback: Called as ``callback(iteration, residual, tolerance)`` at first and whenever the residual is looked
            at.
        check_every: After how many iterations the residual is looked at. 0: after each, and the results are arrays, one
            of the number of iterations, and two of squares, with an element for each system.
        use_cuda_graph: Accepted for compatibility; only matters for GPUs.
        run: Whether to solve at once. Without, a :class:`{state}` is returned, which does it when it is called.{more}

    Systems of a batch (``batch_offsets`` of :class:`LinearOperator`) are solved together: an iteration is one of all of
    them, until each one's residual is small enough by its own limit.

    Returns:
        The number of iterations, the norm of the residual, and how large it may be: an int and two floats, or three
        arrays if ``check_every`` is 0. Of a batch, of the system that is farthest from its solution. The residual is
        that of ``x``, formed anew: where it is larger than it may be, the system is not solved to what was asked for.

    Raises:
        TypeError: An argument is of another kind or dtype.
        ValueError: Sizes do not fit, or a limit is negative.
    """
_LEFT = """
        is_left_preconditioner: Solve ``M A x = M b`` in place of ``A M y = b`` with ``x = M y``."""


_RESTART = """
        restart: Number of iterations after which to restart, from the residual at that time."""
_CYCLE = """
        restart: Number of vectors that a cycle keeps; ``x`` changes with each cycle, and the residual is checked."""


class LinearSolverState:
    """A system with all that solving it takes: calling it solves the system, again and again in the same memory.

    :class:`CG`, :class:`CR`, :class:`BiCGSTAB` and :class:`GMRES` are the solvers. They take the arguments of the
    functions :func:`cg`, :func:`cr`, :func:`bicgstab` and :func:`gmres`. One may solve one system at a time.
    """

    _name = ""
    _in_cycles = False
    _iterate: Callable[..., _krylov.Iteration]

    def __init__(
        self,
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
    ) -> None:
        if not self._name:
            raise TypeError("LinearSolverState: make one of its kinds: CG, CR, BiCGSTAB or GMRES")
        self._given: dict[str, Any] = {"A": A, "b": b, "x": x, "M": M}
        self._limits = (tol, atol, maxiter, check_every)
        self._callback = callback
        self._workspace = Workspace()
        self._system(**self._given)

    def _system(self, A: Any, b: Any, x: Any, M: Any) -> System:
        self._workspace.begin()
        return System(self._name, A, b, x, M, *self._limits, self._workspace)

    def _iteration(self, system: System) -> _krylov.Iteration:
        raise NotImplementedError

    def __call__(
        self,
        A: _warp.array | LinearOperator | None = None,
        b: _warp.array | None = None,
        x: _warp.array | None = None,
        M: _warp.array | LinearOperator | None = None,
    ) -> Result:
        """Solve the system, or the same with another matrix, right side, first guess or preconditioner.

        Raises:
            TypeError: An argument is of another kind or dtype.
            ValueError: Sizes or batches are others than at first.
        """
        given = {"A": A, "b": b, "x": x, "M": M}
        chosen = {name: self._given[name] if value is None else value for name, value in given.items()}
        first, now = (aslinearoperator(operator) for operator in (self._given["A"], chosen["A"]))
        if (first.shape, first.dtype, first._offsets) != (now.shape, now.dtype, now._offsets):
            raise ValueError(f"{self._name}: A is {now!r}; it must be as at first, {first!r}, with the same batches")
        for name in ("b", "x"):
            if (array := given[name]) is not None:
                self._check(name, array)
        system = self._system(**chosen)
        return system.solve(self._iteration(system), self._callback, self._in_cycles)

    def _check(self, name: str, array: Any) -> None:
        first = self._given[name]
        if not isinstance(array, _warp.array):
            raise TypeError(f"{self._name}: {name} is {array!r}; expected a Warp array")
        if (array.shape, array.dtype) != (first.shape, first.dtype):
            raise ValueError(
                f"{self._name}: {name} has shape {array.shape} and dtype {array.dtype.__name__}; at first it had "
                f"{first.shape} and {first.dtype.__name__}"
            )


class _Symmetric(LinearSolverState):
    """Those that may restart every few iterations."""

    def __init__(self, *arguments: Any, restart: int | None = None, **named: Any) -> None:
        self._restart = None if restart is None else positive(self._name, "restart", restart)
        super().__init__(*arguments, **named)

    def _iteration(self, system: System) -> _krylov.Iteration:
        return type(self)._iterate(system.A, system.b, system.x, system.M, self._restart)


class CG(_Symmetric):
    """A system that :func:`cg` solves; see :class:`LinearSolverState`."""

    _name = "cg"
    _iterate = staticmethod(_krylov.cg)


class CR(_Symmetric):
    """A system that :func:`cr` solves; see :class:`LinearSolverState`."""

    _name = "cr"
    _iterate = staticmethod(_krylov.cr)


class BiCGSTAB(LinearSolverState):
    """A system that :func:`bicgstab` solves; see :class:`LinearSolverState`."""

    _name = "bicgstab"

    def __init__(self, *arguments: Any, is_left_preconditioner: bool = False, **named: Any) -> None:
        self._left = is_left_preconditioner
        super().__init__(*arguments, **named)

    def _iteration(self, system: System) -> _krylov.Iteration:
        left = self._left and system.M is not None
        return _krylov.bicgstab(system.A, system.b, system.x, system.M, left)


class GMRES(LinearSolverState):
    """A system that :func:`gmres` solves; see :class:`LinearSolverState`."""

    _name = "gmres"
    _in_cycles = True

    def __init__(
        self,
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
    ) -> None:
        self._restart = positive("gmres", "restart", restart)
        self._left = is_left_preconditioner
        super().__init__(A, b, x, tol, atol, maxiter, M, callback, check_every, use_cuda_graph)

    def _iteration(self, system: System) -> _krylov.Iteration:
        left = self._left and system.M is not None
        A, b, x, M = system.A, system.b, system.x, system.M
        return _krylov.gmres(A, b, x, M, left, self._restart, system.most, system.tolerances)


def _solver(state: type[LinearSolverState], more: str) -> Callable[[Any], Any]:
    """Give a function that makes a state and calls it the documentation of all of them."""

    def document(function: Any) -> Any:
        function.__doc__ = (function.__doc__ or "") + _ARGUMENTS.format(state=state.__name__, more=more)
        return function

    return document


def _symmetric(state: type[_Symmetric], summary: str) -> Callable[..., Any]:
    """The function of a solver for matrices that are symmetric."""

    def solve(
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
        made = state(A, b, x, tol, atol, maxiter, M, callback, check_every, use_cuda_graph, restart=restart)
        return made() if run else made

    solve.__name__ = solve.__qualname__ = state._name
    solve.__doc__ = summary
    return _solver(state, _RESTART)(solve)  # type: ignore[no-any-return]


cg = _symmetric(CG, "Solve a system whose matrix is symmetric and positive definite, by conjugate gradients.")
cr = _symmetric(
    CR, "Solve a system whose matrix is symmetric, by conjugate residuals; the norm of the residual never grows."
)


@_solver(BiCGSTAB, _LEFT)
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
    limits = (tol, atol, maxiter, M, callback, check_every, use_cuda_graph)
    made = BiCGSTAB(A, b, x, *limits, is_left_preconditioner=is_left_preconditioner)
    return made() if run else made


@_solver(GMRES, _LEFT + _CYCLE)
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
    made = GMRES(A, b, x, tol, atol, restart, maxiter, M, callback, check_every, use_cuda_graph, is_left_preconditioner)
    return made() if run else made


# What is refused by name.
globals().update(stand_ins("wp.optim.linear"))
