"""Several linear systems that are solved together, and systems that are kept to be solved again."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import warp as wp
from warp.optim import linear
from warp.optim.linear import LinearOperator, aslinearoperator, bicgstab, cg, cr, gmres, preconditioner

SOLVERS = [cg, cr, bicgstab, gmres]
NAMES = [f.__name__ for f in SOLVERS]
SIZES = [3, 0, 7, 1, 5]


def batch(seed: int = 0, rest: int = 0) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """A matrix of blocks that are positive definite, a right side of very different sizes, and where they begin."""
    rng = np.random.default_rng(seed)
    offsets = [0, *np.cumsum(SIZES).tolist()]
    a = np.eye(offsets[-1] + rest)
    b = np.ones(len(a))
    for k, (start, end) in enumerate(itertools.pairwise(offsets)):
        q = rng.normal(size=(end - start, end - start))
        a[start:end, start:end] = q @ q.T + np.eye(end - start)
        b[start:end] = rng.normal(size=end - start) * 10.0 ** (2 * k)
    return a, b, offsets


@pytest.mark.parametrize("with_m", [False, True])
@pytest.mark.parametrize("solver", SOLVERS, ids=NAMES)
def test_systems_are_solved_each_to_its_own_limit(solver, with_m):
    a, b, offsets = batch()
    A = wp.array(a, dtype=wp.float64)
    operator = aslinearoperator(A, batch_offsets=wp.array(offsets, dtype=int))
    assert operator.batch_count == len(SIZES)
    x = wp.zeros(len(b), dtype=wp.float64)
    M = preconditioner(A) if with_m else None
    solver(operator, wp.array(b, dtype=wp.float64), x, tol=1e-10, atol=0.0, maxiter=100, M=M, check_every=1)
    for start, end in itertools.pairwise(offsets):
        left = np.linalg.norm(a[start:end, start:end] @ x.numpy()[start:end] - b[start:end])
        assert left <= 1.1e-10 * np.linalg.norm(b[start:end])


@pytest.mark.parametrize("solver", SOLVERS, ids=NAMES)
def test_a_batch_goes_the_way_of_its_systems(solver):
    """Each system of a batch is where it would be alone after as many iterations."""
    a, b, offsets = batch(1)
    x = wp.zeros(len(b), dtype=wp.float64)
    operator = aslinearoperator(wp.array(a, dtype=wp.float64), batch_offsets=offsets, max_batch_length=7)
    extra = {"restart": 2} if solver is gmres else {}
    solver(operator, wp.array(b, dtype=wp.float64), x, tol=0.0, atol=0.0, maxiter=2, check_every=2, **extra)
    for start, end in itertools.pairwise(offsets):
        if end - start < 3:
            continue
        alone = wp.zeros(end - start, dtype=wp.float64)
        part, right = (wp.array(v, dtype=wp.float64) for v in (a[start:end, start:end].copy(), b[start:end].copy()))
        solver(part, right, alone, tol=0.0, atol=0.0, maxiter=2, check_every=2, **extra)
        np.testing.assert_allclose(x.numpy()[start:end], alone.numpy(), rtol=1e-9)


@pytest.mark.parametrize("solver", SOLVERS, ids=NAMES)
def test_what_belongs_to_no_system_stays(solver):
    a, b, offsets = batch(2, rest=4)
    x = wp.full(len(b), 7.0, dtype=wp.float64)
    operator = aslinearoperator(wp.array(a, dtype=wp.float64), batch_offsets=offsets)
    solver(operator, wp.array(b, dtype=wp.float64), x, tol=1e-12, maxiter=100)
    n = offsets[-1]
    assert x.numpy()[n:].tolist() == [7.0] * 4
    np.testing.assert_allclose(x.numpy()[:n], np.linalg.solve(a[:n, :n], b[:n]), rtol=1e-8)


@pytest.mark.parametrize("solver", SOLVERS, ids=NAMES)
def test_results_of_a_batch(solver):
    a, b, offsets = batch()
    operator = aslinearoperator(wp.array(a, dtype=wp.float64), batch_offsets=offsets)
    right = wp.array(b, dtype=wp.float64)
    count, squares, limits = solver(operator, right, wp.zeros_like(right), tol=1e-8, atol=0.0, check_every=0)
    assert count.shape == (1,)
    assert squares.shape == limits.shape == (len(SIZES),)
    norms = [np.linalg.norm(b[s:e]) for s, e in itertools.pairwise(offsets)]
    np.testing.assert_allclose(limits.numpy(), (1e-8 * np.array(norms)) ** 2)
    seen = []
    done, residual, limit = solver(
        operator, right, wp.zeros_like(right), tol=1e-8, atol=0.0, callback=lambda *a: seen.append(a)
    )
    assert seen[-1] == (done, residual, limit)
    assert residual <= limit


def test_blocks_in_batches():
    """Offsets count numbers, also where elements are vectors."""

    def matvec(x, y, z, alpha, beta):
        wp.copy(z, wp.array(alpha * 2.0 * x.numpy() + (beta * y.numpy() if beta else 0.0), dtype=wp.vec2d))

    operator = LinearOperator((3, 3), wp.vec2d, "cpu", matvec, batch_offsets=[0, 2, 6])
    x = wp.zeros(3, dtype=wp.vec2d)
    b = wp.array([[2.0, 4.0], [6.0, 8.0], [10.0, 12.0]], dtype=wp.vec2d)
    cg(operator, b, x)
    np.testing.assert_allclose(x.numpy(), [[1, 2], [3, 4], [5, 6]])


def test_what_batches_refuse():
    A = wp.zeros((8, 8), dtype=float)
    for given, error, words in [
        (wp.zeros(3, dtype=float), TypeError, "expected an array of int32"),
        ([0], ValueError, "has 1 elements"),
        ([0, 5, 3], ValueError, "must ascend from 0 to at most 8"),
        ([1, 8], ValueError, "must ascend from 0"),
        ([0, 9], ValueError, "to at most 8"),
    ]:
        with pytest.raises(error, match=words):
            aslinearoperator(A, batch_offsets=given)
    with pytest.raises(ValueError, match="a system has 5 rows, max_batch_length is 4"):
        aslinearoperator(A, batch_offsets=[0, 3, 8], max_batch_length=4)
    with pytest.raises(ValueError, match="max_batch_length is for matrices with batch_offsets"):
        aslinearoperator(A, max_batch_length=4)


@pytest.mark.parametrize("solver", SOLVERS, ids=NAMES)
def test_a_state_solves_again(solver):
    rng = np.random.default_rng(3)
    q = rng.normal(size=(6, 6))
    a, b = q @ q.T + np.eye(6), rng.normal(size=6)
    A, right, x = wp.array(a, dtype=wp.float64), wp.array(b, dtype=wp.float64), wp.zeros(6, dtype=wp.float64)
    state = solver(A, right, x, tol=1e-12, maxiter=50, run=False)
    assert isinstance(state, linear.LinearSolverState)
    assert x.numpy().tolist() == [0.0] * 6
    first = state()
    np.testing.assert_allclose(x.numpy(), np.linalg.solve(a, b), rtol=1e-8)
    vectors = list(state._workspace._vectors)
    x.zero_()
    assert state() == first
    assert state._workspace._vectors == vectors, "the memory of the first solution is used again"
    other = wp.zeros(6, dtype=wp.float64)
    state(A=wp.array(2.0 * a, dtype=wp.float64), b=right, x=other, M=preconditioner(A))
    np.testing.assert_allclose(other.numpy(), np.linalg.solve(2.0 * a, b), rtol=1e-8)


def test_what_states_refuse():
    A, b = wp.array(np.eye(2), dtype=float), wp.ones(2, dtype=float)
    state = linear.CG(A, b, wp.zeros(2, dtype=float), restart=3)
    with pytest.raises(ValueError, match=r"cg: b has shape \(3,\) and dtype float32; at first it had \(2,\)"):
        state(b=wp.ones(3, dtype=float))
    with pytest.raises(TypeError, match="cg: x is 5"):
        state(x=5)
    with pytest.raises(ValueError, match="A is <LinearOperator 3 x 3 of float32>; it must be as at first"):
        state(A=wp.zeros((3, 3), dtype=float))
    with pytest.raises(ValueError, match="with the same batches"):
        state(A=aslinearoperator(A, batch_offsets=[0, 1, 2]))
    with pytest.raises(TypeError, match="make one of its kinds"):
        linear.LinearSolverState(A, b, b)
    with pytest.raises(ValueError, match="restart is 0"):
        linear.CR(A, b, b, restart=0)
