"""`wp.optim.linear`: solvers, preconditioners and operators."""

import numpy as np
from program import program

N = 12


def _matrix():
    rng = np.random.default_rng(0)
    q = rng.normal(size=(N, N))
    return q @ q.T + N * np.eye(N), rng.normal(size=N)


def _solve(wp, name, a, b, **more):
    from warp.optim import linear

    A, right, x = wp.array(a, dtype=wp.float64), wp.array(b, dtype=wp.float64), wp.zeros(len(b), dtype=wp.float64)
    M = linear.preconditioner(A, "diag")
    iterations, error, limit = getattr(linear, name)(A, right, x, tol=1e-10, M=M, **more)
    return x, float(error) <= float(limit), float(limit), int(iterations) <= 10 * len(b)


@program(tolerance=1e-7)
def conjugate_gradients(wp):
    a, b = _matrix()
    return _solve(wp, "cg", a, b)


@program(tolerance=1e-7)
def conjugate_residuals(wp):
    a, b = _matrix()
    return _solve(wp, "cr", a, b)


@program(tolerance=1e-7)
def biconjugate_gradients(wp):
    a, b = _matrix()
    return _solve(wp, "bicgstab", a + np.triu(a, 1) * 0.1, b)


@program(tolerance=1e-7)
def generalised_minimal_residuals(wp):
    a, b = _matrix()
    return _solve(wp, "gmres", a + np.triu(a, 1) * 0.1, b, restart=6)


@program(tolerance=1e-5)
def operators_without_a_matrix(wp):
    """A ring that is heated: neighbours are read in a kernel."""
    from warp.optim.linear import LinearOperator, cg

    @wp.kernel
    def apply(x: wp.array(dtype=float), y: wp.array(dtype=float), z: wp.array(dtype=float), alpha: float, beta: float):
        i = wp.tid()
        n = x.shape[0]
        value = 3.0 * x[i] - x[(i + 1) % n] - x[(i + n - 1) % n]
        z[i] = alpha * value + beta * y[i]

    def matvec(x, y, z, alpha, beta):
        wp.launch(apply, dim=N, inputs=[x, y, z, alpha, beta])

    operator = LinearOperator((N, N), wp.float32, "cpu", matvec)
    b, x = wp.array(np.arange(N), dtype=float), wp.zeros(N, dtype=float)
    _, error, limit = cg(operator, b, x, tol=1e-6, maxiter=100)
    return x, float(error) <= float(limit), operator.shape


@program(tolerance=1e-5)
def systems_of_vectors(wp):
    from warp.optim.linear import aslinearoperator, cg, preconditioner

    d = wp.array([np.diag([2.0, 4.0, 8.0]), np.eye(3) * 5.0], dtype=wp.mat33)
    operator = aslinearoperator(d)
    b, x = wp.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=wp.vec3), wp.zeros(2, dtype=wp.vec3)
    cg(operator, b, x, tol=1e-6, M=preconditioner(operator, "id"), maxiter=50)
    return x


@program(tolerance=1e-7)
def solutions_that_are_begun_elsewhere(wp):
    """x0 near the solution; a callback sees the error."""
    from warp.optim.linear import cg

    a, b = _matrix()
    A, right = wp.array(a, dtype=wp.float64), wp.array(b, dtype=wp.float64)
    x = wp.array(np.linalg.solve(a, b) + 0.01, dtype=wp.float64)
    seen = []
    cg(A, right, x, tol=1e-10, callback=lambda i, e, t: seen.append((int(i), float(e) > float(t))), check_every=5)
    return x, seen[-1][1]
