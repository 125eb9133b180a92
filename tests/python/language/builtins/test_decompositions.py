"""`svd2`, `svd3`, `qr3` and `eig3` against NumPy, and their gradients."""

import itertools

import numpy as np
import pytest
import warp as wp

FLOATS = {wp.float16: 2e-3, wp.bfloat16: 2e-2, wp.float32: 2e-6, wp.float64: 4e-15}


def matrices(n):
    """Random, graded, singular, repeated, symmetric and special ones."""
    rng = np.random.default_rng(n)

    def rotation():
        return np.linalg.qr(rng.normal(size=(n, n)))[0]

    found = list(rng.normal(size=(40, n, n)))
    for sigma in itertools.product([0.0, 1e-3, 1.0, 1.0, 3.0], repeat=n):
        found.append(rotation() @ np.diag(sigma) @ rotation())
    for _ in range(10):
        q = rotation()
        found.append(q @ np.diag(rng.integers(-2, 3, n)) @ q.T)
        found.append(rng.normal(size=(n, n)) * 10.0 ** -np.arange(0, 3 * n, 3))
    found += [np.zeros((n, n)), np.eye(n), -np.eye(n), np.ones((n, n)), np.triu(np.ones((n, n)))]
    found += [np.fliplr(np.eye(n)), np.arange(n * n).reshape(n, n) * 1.0]
    return np.array(found)


def decomposed(builtin, a, scalar):
    """The factors of all matrices."""
    n = a.shape[1]
    matrix, vector = wp.types.matrix((n, n), scalar), wp.types.vector(n, scalar)
    kinds = {
        "svd2": (matrix, vector, matrix),
        "svd3": (matrix, vector, matrix),
        "qr3": (matrix, matrix),
        "eig3": (matrix, vector),
    }
    f = getattr(wp, builtin)
    out = [wp.zeros(len(a), dtype=kind) for kind in kinds[builtin]]
    given = wp.array(a, dtype=matrix)
    if len(out) == 3:

        @wp.kernel
        def kernel(
            a: wp.array(dtype=matrix), u: wp.array(dtype=matrix), s: wp.array(dtype=vector), v: wp.array(dtype=matrix)
        ):
            i = wp.tid()
            u[i], s[i], v[i] = f(a[i])
    else:
        second = kinds[builtin][1]

        @wp.kernel
        def kernel(a: wp.array(dtype=matrix), q: wp.array(dtype=matrix), r: wp.array(dtype=second)):
            i = wp.tid()
            q[i], r[i] = f(a[i])

    wp.launch(kernel, dim=len(a), inputs=[given, *out])
    return given.numpy().astype(float), [x.numpy().astype(float) for x in out]


def size(a):
    return np.abs(a).max(axis=(1, 2)) + 1e-300


def close(found, expected, scale, tolerance):
    error = np.abs(found - expected).reshape(len(found), -1).max(axis=1) / scale
    assert error.max() < tolerance, (error.max(), expected[error.argmax()], found[error.argmax()])


def transposed(m):
    return np.swapaxes(m, 1, 2)


@pytest.mark.parametrize("scalar", FLOATS)
@pytest.mark.parametrize("n", [2, 3])
def test_singular_values(n, scalar):
    a, (u, s, v) = decomposed(f"svd{n}", matrices(n), scalar)
    tolerance, one = FLOATS[scalar], np.eye(n)
    close(u @ (s[:, :, None] * transposed(v)), a, size(a), 4 * tolerance)
    close(transposed(u) @ u, one[None].repeat(len(a), 0), 1.0, 4 * tolerance)
    close(transposed(v) @ v, one[None].repeat(len(a), 0), 1.0, 4 * tolerance)
    close(np.abs(s), np.linalg.svd(a)[1], size(a), 4 * tolerance)
    assert (np.abs(s)[:, :-1] * (1 + tolerance) >= np.abs(s)[:, 1:]).all()
    assert (s[:, :-1] >= 0).all()
    np.testing.assert_allclose(np.linalg.det(v), 1.0, rtol=10 * tolerance)
    if n == 3:
        np.testing.assert_allclose(np.linalg.det(u), 1.0, rtol=10 * tolerance)
    else:
        assert (s >= 0).all()


@pytest.mark.parametrize("scalar", FLOATS)
def test_triangles(scalar):
    a, (q, r) = decomposed("qr3", matrices(3), scalar)
    tolerance = 4 * FLOATS[scalar]
    close(q @ r, a, size(a), tolerance)
    close(transposed(q) @ q, np.eye(3)[None].repeat(len(a), 0), 1.0, tolerance)
    np.testing.assert_allclose(np.linalg.det(q), 1.0, rtol=3 * tolerance)
    assert (np.tril(r, -1) == 0).all()
    assert (r[:, [0, 1], [0, 1]] >= 0).all()


@pytest.mark.parametrize("scalar", FLOATS)
def test_eigenvalues(scalar):
    a, (q, d) = decomposed("eig3", matrices(3), scalar)
    a = (a + transposed(a)) / 2
    tolerance = 4 * FLOATS[scalar]
    close(q @ (d[:, :, None] * transposed(q)), a, size(a), tolerance)
    close(transposed(q) @ q, np.eye(3)[None].repeat(len(a), 0), 1.0, tolerance)
    close(np.sort(d, axis=1), np.linalg.eigvalsh(a), size(a), tolerance)
    np.testing.assert_allclose(np.linalg.det(q), 1.0, rtol=3 * tolerance)


def test_eigenvalues_of_a_diagonal_stay_in_order():
    a = np.array([np.diag([1.0, 2.0, 3.0]), np.diag([3.0, -1.0, 2.0])])
    _, (q, d) = decomposed("eig3", a, wp.float64)
    assert d.tolist() == [[1.0, 2.0, 3.0], [3.0, -1.0, 2.0]]
    assert (q == np.eye(3)).all()


def test_small_singular_values_are_exact():
    # Columns of very different lengths, every one of them known to all digits.
    a = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0] @ np.diag([1.0, 1e-8, 1e-14])
    _, (_, s, _) = decomposed("svd3", a[None], wp.float64)
    np.testing.assert_allclose(np.abs(s[0]), [1.0, 1e-8, 1e-14], rtol=1e-7)


@pytest.mark.parametrize(
    ("scalar", "scale"), [(wp.float32, 1e-30), (wp.float32, 1e30), (wp.float64, 1e-200), (wp.float64, 1e250)]
)
def test_very_large_and_very_small_matrices(scalar, scale):
    a = np.random.default_rng(1).normal(size=(5, 3, 3)) * scale
    for builtin in ("svd3", "eig3", "qr3"):
        given, factors = decomposed(builtin, a, scalar)
        if builtin == "eig3":
            given = (given + transposed(given)) / 2
        q = factors[0]
        right = (
            factors[1]
            if builtin == "qr3"
            else factors[1][:, :, None] * transposed(factors[-1] if builtin == "svd3" else q)
        )
        close(q @ right, given, size(given), 10 * FLOATS[scalar])


def test_nan_ends():
    a = np.full((2, 3, 3), np.nan)
    a[1] = [[1.0, 2.0, np.inf], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    for builtin in ("svd3", "eig3"):
        assert np.isnan(decomposed(builtin, a, wp.float64)[1][1]).all(axis=1).any()


def test_results_as_arguments():
    @wp.kernel
    def kernel(a: wp.array(dtype=wp.mat33), b: wp.array(dtype=wp.mat22), out: wp.array(dtype=float)):
        u = wp.mat33()
        v = wp.mat33()
        sigma = wp.vec3()
        wp.svd3(a[0], u, sigma, v)
        out[0] = (u * wp.diag(sigma) * wp.transpose(v))[1, 2]
        wp.qr3(a[0], u, v)
        out[1] = (u * v)[1, 2]
        wp.eig3(a[0] + wp.transpose(a[0]), v, sigma)
        out[2] = (v * wp.diag(sigma) * wp.transpose(v))[1, 2]
        w = wp.mat22()
        x = wp.mat22()
        s = wp.vec2()
        wp.svd2(b[0], U=w, V=x, sigma=s)
        out[3] = (w * wp.diag(s) * wp.transpose(x))[1, 0]

    a = np.arange(9.0).reshape(1, 3, 3)
    out = wp.zeros(4)
    inputs = [wp.array(a, dtype=wp.mat33), wp.array([[[1.0, 2.0], [3.0, 4.0]]], dtype=wp.mat22), out]
    wp.launch(kernel, dim=1, inputs=inputs)
    np.testing.assert_allclose(out.numpy(), [5.0, 5.0, 12.0, 3.0], rtol=1e-5)


def test_only_matrices_of_that_size_and_of_floats():
    @wp.kernel
    def kernel(a: wp.array(dtype=wp.mat22)):
        u, s, v = wp.svd3(a[0])

    with pytest.raises(TypeError, match="svd3"):
        wp.launch(kernel, dim=1, inputs=[wp.zeros(1, dtype=wp.mat22)])


def weights(*shape):
    return np.random.default_rng(5).normal(size=shape)


def weighted(builtin):
    """A kernel whose result is a smooth function of all factors."""
    n = 2 if builtin == "svd2" else 3
    matrix = wp.types.matrix((n, n), wp.float64)
    w = matrix(*weights(n, n).ravel())
    f = getattr(wp, builtin)
    if builtin.startswith("svd"):

        @wp.kernel
        def kernel(a: wp.array(dtype=matrix), out: wp.array(dtype=wp.float64)):
            i = wp.tid()
            u, s, v = f(a[i])
            # Columns of U and V may change their signs together.
            both = wp.ddot(wp.cw_mul(u, v), wp.static(w)) + wp.dot(wp.cw_mul(s, s), s)
            out[i] = both + wp.ddot(wp.cw_mul(v, v), wp.static(w)) * u[0, 0] * u[0, 0]
    elif builtin == "qr3":

        @wp.kernel
        def kernel(a: wp.array(dtype=matrix), out: wp.array(dtype=wp.float64)):
            i = wp.tid()
            q, r = f(a[i])
            out[i] = wp.ddot(q, wp.static(w)) + wp.ddot(wp.cw_mul(r, r), wp.static(w)) + q[1, 2] * r[0, 1]
    else:

        @wp.kernel
        def kernel(a: wp.array(dtype=matrix), out: wp.array(dtype=wp.float64)):
            i = wp.tid()
            q, d = f(a[i])
            out[i] = wp.ddot(wp.cw_mul(q, q), wp.static(w)) + d[0] * d[0] * d[1] + d[2] * q[0, 1] * q[0, 1]

    return kernel, matrix, n


@pytest.mark.parametrize("builtin", ["svd2", "svd3", "qr3", "eig3"])
def test_gradients(builtin):
    kernel, matrix, n = weighted(builtin)
    a = wp.array(np.random.default_rng(3).normal(size=(20, n, n)), dtype=matrix, requires_grad=True)
    out = wp.zeros(20, dtype=wp.float64, requires_grad=True)
    assert wp.autograd.gradcheck(kernel, dim=20, inputs=[a], outputs=[out], eps=1e-6, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("builtin", ["svd2", "svd3", "qr3", "eig3"])
def test_second_derivatives(builtin):
    torch = pytest.importorskip("torch")
    from warp.torch import torch_kernel

    kernel, matrix, n = weighted(builtin)

    f = torch_kernel(kernel)
    a = torch.tensor(np.random.default_rng(4).normal(size=(2, n, n)), requires_grad=True)
    assert torch.autograd.gradgradcheck(f, [a], eps=1e-6, atol=1e-5, rtol=1e-4)


def gradient(kernel, a, matrix):
    a = wp.array(a, dtype=matrix, requires_grad=True)
    out = wp.zeros(len(a), dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(kernel, dim=len(a), inputs=[a, out])
    tape.backward(grads={out: wp.ones(len(a), dtype=wp.float64)})
    return a.grad.numpy()


def test_the_rotation_in_a_matrix_at_repeated_singular_values():
    """`U Vᵀ` has a derivative unless two singular values add up to zero."""
    w = weights(3, 3)
    constant = wp.mat33d(*w.ravel())

    @wp.kernel
    def kernel(a: wp.array(dtype=wp.mat33d), out: wp.array(dtype=wp.float64)):
        i = wp.tid()
        u, s, v = wp.svd3(a[i])
        out[i] = wp.ddot(u * wp.transpose(v), wp.static(constant))

    q = np.linalg.qr(weights(3, 3))[0]
    q *= np.linalg.det(q)
    a = np.array([np.eye(3), 2 * q, q @ np.diag([2.0, 2.0, 1.0]), np.diag([3.0, 1.0, 1.0]), np.diag([3.0, 2.0, 0.0])])
    found = gradient(kernel, a, wp.mat33d)

    def rotation(m):
        u, s, vt = np.linalg.svd(m)
        return u @ np.diag([1.0, 1.0, np.linalg.det(u @ vt)]) @ vt

    for m, g in zip(a, found, strict=True):
        for i, j in np.ndindex(3, 3):
            step = np.zeros((3, 3))
            step[i, j] = 1e-6
            slope = ((rotation(m + step) - rotation(m - step)) * w).sum() / 2e-6
            assert g[i, j] == pytest.approx(slope, abs=1e-6)


def test_functions_of_repeated_eigenvalues():
    @wp.kernel
    def kernel(a: wp.array(dtype=wp.mat33d), out: wp.array(dtype=wp.float64)):
        i = wp.tid()
        q, d = wp.eig3(a[i])
        out[i] = wp.dot(wp.cw_mul(d, d), d)

    q = np.linalg.qr(weights(3, 3))[0]
    a = np.array([np.eye(3), np.zeros((3, 3)), q @ np.diag([2.0, 2.0, -1.0]) @ q.T])
    np.testing.assert_allclose(gradient(kernel, a, wp.mat33d), 3 * a @ a, atol=1e-13)


def test_gradients_of_singular_matrices_are_finite():
    for builtin in ("svd2", "svd3", "qr3", "eig3"):
        kernel, matrix, n = weighted(builtin)
        a = np.array([np.zeros((n, n)), np.eye(n), np.ones((n, n)), np.diag([1.0] + [0.0] * (n - 1))])
        assert np.isfinite(gradient(kernel, a, matrix)).all()


def test_in_a_loop_and_in_float32():
    @wp.kernel
    def kernel(a: wp.array(dtype=wp.mat33), out: wp.array(dtype=float)):
        i = wp.tid()
        m = a[i]
        for _ in range(3):
            u, s, v = wp.svd3(m)
            m = u * wp.diag(s + wp.vec3(0.1, 0.2, 0.3)) * wp.transpose(v)
        out[i] = wp.trace(m)

    a = wp.array(np.random.default_rng(8).normal(size=(4, 3, 3)), dtype=wp.mat33, requires_grad=True)
    out = wp.zeros(4, requires_grad=True)
    assert wp.autograd.gradcheck(kernel, dim=4, inputs=[a], outputs=[out], eps=1e-2, atol=3e-2, rtol=3e-2)
