"""Solvers of linear systems against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp
from warp.optim.linear import LinearOperator, aslinearoperator, bicgstab, cg, cr, gmres, preconditioner

SOLVERS = [cg, cr, bicgstab, gmres]
GENERAL = [bicgstab, gmres]
DTYPES = [wp.float32, wp.float64]


def symmetric(n: int, seed: int = 0) -> np.ndarray:
    """Positive definite, with a diagonal of very different sizes."""
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(n, n)) / np.sqrt(n)
    scale = np.linspace(1.0, 4.0, n)
    return (q @ q.T + np.eye(n)) * np.outer(scale, scale)


def general(n: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, n)) / np.sqrt(n) + np.diag(np.linspace(2.0, 9.0, n))


def residual(a: np.ndarray, x: wp.array, b: np.ndarray) -> float:
    return float(np.linalg.norm(a @ x.numpy().astype(np.float64) - b))


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda t: t.__name__)
@pytest.mark.parametrize("solver", SOLVERS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("how", [None, "diag", "diag_abs", "id"])
def test_the_solution_solves_the_system(solver, dtype, how):
    n = 60
    a = general(n) if solver in GENERAL else symmetric(n)
    b = np.random.default_rng(1).normal(size=n)
    A, right, x = wp.array(a, dtype=dtype), wp.array(b, dtype=dtype), wp.zeros(n, dtype=dtype)
    M = preconditioner(A, how) if how else None
    tolerance = 1e-4 if dtype is wp.float32 else 1e-11
    iterations, found, limit = solver(A, right, x, tol=tolerance, M=M, maxiter=200)
    assert 0 < iterations <= 200
    np.testing.assert_allclose(limit, tolerance * np.linalg.norm(b), rtol=1e-5)
    assert found <= limit
    assert residual(a, x, b) <= 3 * limit
    np.testing.assert_allclose(x.numpy(), np.linalg.solve(a, b), rtol=300 * tolerance, atol=300 * tolerance)


@pytest.mark.parametrize("solver", GENERAL, ids=lambda f: f.__name__)
@pytest.mark.parametrize("left", [False, True])
def test_preconditioners_on_either_side(solver, left):
    n = 50
    a = general(n) * np.logspace(0, 3, n)[:, None]
    b = a @ np.arange(1.0, n + 1)
    A, x = wp.array(a, dtype=wp.float64), wp.zeros(n, dtype=wp.float64)
    M = preconditioner(A)
    given = wp.array(b, dtype=wp.float64)
    iterations, found, limit = solver(A, given, x, tol=1e-9, M=M, maxiter=300, is_left_preconditioner=left)
    assert found <= limit
    np.testing.assert_allclose(found, residual(a, x, b), rtol=1e-2, atol=1e-9 * limit + 1e-8)
    np.testing.assert_allclose(x.numpy(), np.arange(1.0, n + 1), rtol=1e-4)
    assert iterations < 100


def test_what_callbacks_are_told():
    a, b = symmetric(20), np.ones(20)
    A, right = wp.array(a, dtype=wp.float64), wp.array(b, dtype=wp.float64)
    for every in (1, 3):
        told: list[tuple[int, float, float]] = []
        x = wp.zeros(20, dtype=wp.float64)
        iterations, found, limit = cg(A, right, x, check_every=every, callback=lambda *a, told=told: told.append(a))
        assert [t[0] for t in told] == sorted({*range(0, iterations, every), iterations})
        assert told[0][1] == pytest.approx(np.sqrt(20))
        assert told[-1] == (iterations, found, limit)
        assert all(t[1] > limit for t in told[:-1])
    told.clear()
    x.zero_()
    gmres(A, right, x, tol=1e-12, restart=5, check_every=7, callback=lambda *a: told.append(a))
    # The residual is known after each cycle.
    assert [t[0] for t in told[:3]] == [0, 10, 15]


def test_gmres_needs_no_more_iterations_than_unknowns():
    a, b = general(30), np.ones(30)
    x = wp.zeros(30, dtype=wp.float64)
    iterations, found, limit = gmres(wp.array(a), wp.array(b), x, restart=30)
    assert iterations <= 30
    assert found <= limit == pytest.approx(1e-12 * np.sqrt(30))


def test_iterations_end_in_time():
    a, b = symmetric(30), wp.array(np.ones(30))
    A = wp.array(a)
    for solver in SOLVERS:
        x = wp.zeros(30, dtype=wp.float64)
        iterations, found, limit = solver(A, b, x, tol=1e-12, maxiter=3)
        assert iterations == 3
        assert found > limit
        # What was reached in them counts.
        np.testing.assert_allclose(found, residual(a, x, np.ones(30)), rtol=1e-6)
        assert found < np.sqrt(30)
    # A guess that is good enough stays.
    exact = np.linalg.solve(a, np.ones(30))
    for solver in SOLVERS:
        x = wp.array(exact)
        assert solver(A, b, x, tol=1e-6)[0] == 0
        np.testing.assert_array_equal(x.numpy(), exact)


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda f: f.__name__)
def test_singular_and_trivial_systems_end(solver):
    b = wp.array([1.0, 2.0], dtype=float)
    x = wp.zeros(2, dtype=float)
    iterations, found, limit = solver(wp.zeros((2, 2), dtype=float), b, x, tol=1e-6, maxiter=10)
    assert iterations <= 10
    assert found == pytest.approx(np.sqrt(5))
    assert x.numpy().tolist() == [0, 0]
    # One step solves it; nothing is divided by zero afterwards.
    identity = wp.array(np.eye(2), dtype=float)
    assert solver(identity, b, x, tol=0.0, atol=0.0, maxiter=10, check_every=5)[1] == 0.0
    assert x.numpy().tolist() == [1, 2]
    nothing = wp.zeros(2, dtype=float)
    assert solver(identity, nothing, nothing, tol=1e-3) == (0, 0.0, 1e-3)


def test_limits_stand_in_for_each_other():
    A, b = wp.array(np.eye(2), dtype=float), wp.array([3.0, 4.0], dtype=float)
    for limits, want in [({}, 5e-6), ({"tol": 0.1}, 0.5), ({"atol": 0.1}, 0.5), ({"tol": 0.1, "atol": 2.0}, 2.0)]:
        assert cg(A, b, wp.zeros(2, dtype=float), **limits)[2] == pytest.approx(want)


def test_results_as_arrays_and_later():
    A, b = wp.array(np.diag([2.0, 4.0]), dtype=float), wp.array([2.0, 8.0], dtype=float)
    x = wp.zeros(2, dtype=float)
    count, found, limit = cg(A, b, x, check_every=0)
    assert count.dtype is wp.int32
    assert found.dtype is limit.dtype is wp.float32
    assert count.shape == (1,)
    assert x.numpy().tolist() == pytest.approx([1, 2])
    x.zero_()
    later = bicgstab(A, b, x, run=False)
    assert x.numpy().tolist() == [0, 0]
    assert later()[1] <= 1e-4
    assert x.numpy().tolist() == pytest.approx([1, 2])


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda f: f.__name__)
def test_operators_made_of_functions(solver):
    """The second difference on a line, without a matrix; and of blocks, on vectors."""

    @wp.kernel
    def difference(
        x: wp.array(dtype=wp.vec2d),
        y: wp.array(dtype=wp.vec2d),
        z: wp.array(dtype=wp.vec2d),
        alpha: wp.float64,
        beta: wp.float64,
    ):
        i = wp.tid()
        n = x.shape[0]
        total = wp.float64(2.5) * x[i]
        if i > 0:
            total -= x[i - 1]
        if i < n - 1:
            total -= x[i + 1]
        z[i] = alpha * total
        if beta != wp.float64(0.0):
            z[i] += beta * y[i]

    n = 40

    def matvec(x, y, z, alpha, beta):
        wp.launch(difference, n, [wp.clone(x), y, z, alpha, beta])

    A = LinearOperator((n, n), wp.vec2d, wp.get_device(), matvec)
    assert A.shape == (n, n)
    assert A.dtype is wp.vec2d
    assert A.scalar_type is wp.float64
    dense = 2.5 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    b = np.random.default_rng(2).normal(size=(n, 2))
    want = np.linalg.solve(dense, b)
    x = wp.zeros(n, dtype=wp.vec2d)
    solver(A, wp.array(b, dtype=wp.vec2d), x, tol=1e-10, maxiter=200)
    np.testing.assert_allclose(x.numpy(), want, atol=1e-8)
    # The same numbers in a row.
    row = wp.zeros(2 * n, dtype=wp.float64)
    solver(A, wp.array(b.ravel()), row, tol=1e-10, maxiter=200)
    np.testing.assert_allclose(row.numpy().reshape(n, 2), want, atol=1e-8)


def test_arrays_as_operators():
    A = wp.array([[1.0, 2.0], [3.0, 4.0]], dtype=float)
    op = aslinearoperator(A)
    assert aslinearoperator(op) is op
    assert (op.shape, op.dtype, op.device) == ((2, 2), wp.float32, A.device)
    x, y = wp.array([1.0, 1.0], dtype=float), wp.array([10.0, 20.0], dtype=float)
    op.matvec(x, y, y, 2.0, 1.0)
    assert y.numpy().tolist() == [16, 34]
    op.matvec(x, x, x, 1.0, 0.0)
    assert x.numpy().tolist() == [3, 7]
    nan = wp.full(2, float("nan"), dtype=float)
    op.matvec(y, nan, nan, 1.0, 0.0)
    assert nan.numpy().tolist() == [84, 184]
    diagonal = aslinearoperator(wp.array([4.0, 2.0], dtype=float))
    diagonal.matvec(x, x, x, 1.0, 1.0)
    assert x.numpy().tolist() == [15, 21]
    matrix = wp.array([[-4.0, 1.0], [1.0, 0.0]], dtype=float)
    for how, want in [("diag", [-0.25, 1.0]), ("diag_abs", [0.25, 1.0])]:
        out = wp.zeros(2, dtype=float)
        preconditioner(matrix, how).matvec(wp.ones(2, dtype=float), out, out, 1.0, 0.0)
        assert out.numpy().tolist() == want
    assert preconditioner(matrix, "id") is None


def test_arrays_with_gaps_and_tapes():
    a, b = symmetric(6), np.arange(1.0, 7.0)
    wide = wp.zeros((6, 2), dtype=wp.float64)
    x = wide[:, 1]
    A = wp.array(a).transpose()
    with wp.Tape() as tape:
        cg(A, wp.array(np.repeat(b, 2))[::2], x, tol=1e-10, maxiter=30)
    assert len(tape) == 0
    np.testing.assert_allclose(x.numpy(), np.linalg.solve(a, b), rtol=1e-7)
    assert not wide.numpy()[:, 0].any()


def test_what_is_refused():
    A, b = wp.array(np.eye(2), dtype=float), wp.zeros(2, dtype=float)
    x = wp.zeros(2, dtype=float)
    with pytest.raises(ValueError, match=r"cg: b has shape \(3,\) and dtype float32; A has 2 rows of float32"):
        cg(A, wp.zeros(3, dtype=float), x)
    with pytest.raises(ValueError, match=r"gmres: x has shape \(3,\)"):
        gmres(A, b, wp.zeros(3, dtype=float))
    with pytest.raises(TypeError, match="b is an array of float64, A is a matrix of float32"):
        cr(A, wp.zeros(2, dtype=wp.float64), x)
    with pytest.raises(ValueError, match="expected a square matrix"):
        cg(wp.zeros((2, 3), dtype=float), b, x)
    with pytest.raises(TypeError, match="tol is 'a'; expected a number"):
        cg(A, b, x, tol="a")
    with pytest.raises(ValueError, match=r"atol is -1\.0; it must not be negative"):
        cg(A, b, x, atol=-1.0)
    with pytest.raises(ValueError, match="maxiter is -1"):
        cg(A, b, x, maxiter=-1)
    with pytest.raises(ValueError, match="check_every is -1"):
        cg(A, b, x, check_every=-1)
    with pytest.raises(ValueError, match="restart is 0"):
        gmres(A, b, x, restart=0)
    with pytest.raises(ValueError, match="M is <LinearOperator 3 x 3 of float32>"):
        cg(A, b, x, M=wp.ones(3, dtype=float))
    with pytest.raises(TypeError, match="found array"):
        aslinearoperator(np.eye(2))
    with pytest.raises(TypeError, match=r"pass LinearOperator\(shape, dtype, device, matvec\)"):
        aslinearoperator(lambda x: x)
    with pytest.raises(ValueError, match="a matrix has two dimensions"):
        aslinearoperator(wp.zeros((2, 2, 2), dtype=float))
    with pytest.raises(TypeError, match="int32; expected a float type"):
        aslinearoperator(wp.zeros((2, 2), dtype=int))
    with pytest.raises(ValueError, match="ptype is 'foo'"):
        preconditioner(A, "foo")
    with pytest.raises(TypeError, match="matvec is 3"):
        LinearOperator((2, 2), float, "cpu", 3)
    with pytest.raises(ValueError, match="shape is 2"):
        LinearOperator(2, float, "cpu", lambda *a: None)


def blocks(n: int, size: int, seed: int = 0) -> np.ndarray:
    """A symmetric positive definite matrix, cut into blocks."""
    return np.ascontiguousarray(symmetric(n * size, seed).reshape(n, size, n, size).swapaxes(1, 2))


@pytest.mark.parametrize("dtype", [wp.mat33, wp.mat22d], ids=lambda t: t.__name__)
@pytest.mark.parametrize("solver", SOLVERS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("how", [None, "diag", "diag_abs"])
def test_matrices_of_blocks(solver, dtype, how):
    size = len(dtype())
    a, n = blocks(10, size), 10 * size
    b = np.random.default_rng(1).normal(size=n)
    vector = wp.types.vector(length=size, dtype=wp.float32 if dtype is wp.mat33 else wp.float64)
    A, right, x = wp.array(a, dtype=dtype), wp.array(b.reshape(10, size), dtype=vector), wp.zeros(10, dtype=vector)
    M = preconditioner(A, how) if how else None
    assert aslinearoperator(A).shape == (10, 10)
    assert aslinearoperator(A).dtype is vector
    tolerance = 1e-4 if dtype is wp.mat33 else 1e-11
    _, found, limit = solver(A, right, x, tol=tolerance, M=M, maxiter=200)
    assert found <= limit
    whole = a.swapaxes(1, 2).reshape(n, n)
    np.testing.assert_allclose(x.numpy().ravel(), np.linalg.solve(whole, b), rtol=300 * tolerance, atol=300 * tolerance)


def test_diagonals_of_blocks_and_vectors():
    rng = np.random.default_rng(2)
    m, v, given = rng.normal(size=(4, 2, 2)), rng.normal(size=(4, 2)), rng.normal(size=(4, 2))
    x, y = wp.array(given, dtype=wp.vec2d), wp.array(given, dtype=wp.vec2d)
    z = wp.zeros(4, dtype=wp.vec2d)
    for diagonal, dtype, want in (
        (m, wp.mat22d, np.einsum("nij,nj->ni", m, given)),
        (v, wp.vec2d, v * given),
    ):
        operator = aslinearoperator(wp.array(np.repeat(diagonal, 2, axis=0), dtype=dtype)[::2])  # with gaps
        assert operator.shape == (4, 4)
        operator.matvec(x, y, z, 2.0, 3.0)
        np.testing.assert_allclose(z.numpy(), 2.0 * want + 3.0 * given)
        operator.matvec(x, z, z, 1.0, 0.0)
        np.testing.assert_allclose(z.numpy(), want)


def test_elements_that_no_matrix_has():
    with pytest.raises(
        TypeError, match="the elements are mat23f; expected a float type, square matrices of one as blocks"
    ):
        aslinearoperator(wp.zeros((2, 2), dtype=wp.types.matrix(shape=(2, 3), dtype=float)))
    with pytest.raises(TypeError, match="the elements are vec3f"):
        aslinearoperator(wp.zeros((2, 2), dtype=wp.vec3))
    with pytest.raises(TypeError, match="the elements are quatf"):
        aslinearoperator(wp.zeros(2, dtype=wp.quat))
    with pytest.raises(TypeError, match="preconditioner: the elements are vec3f"):
        preconditioner(wp.zeros((2, 2), dtype=wp.vec3))
