"""Transforms and spatial vectors: values in Python, arrays, kernels and their gradients."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

P, Q = (1.0, 2.0, 3.0), (0.1, 0.2, 0.3, 0.9)


def moved(p, q, v):
    """A point rotated by a quaternion as given, then shifted."""
    axis, w = np.array(q[:3]), q[3]
    v = np.array(v)
    return np.array(p) + v * (2 * w * w - 1) + 2 * w * np.cross(axis, v) + 2 * axis * axis.dot(v)


def test_values():
    t = wp.transform(P, Q)
    assert t.p == wp.vec3(*P)
    assert t.q == wp.quat(*Q)
    assert list(t) == list(np.float32([*P, *Q]))
    assert len(t) == 7
    assert wp.transform() == wp.transform(0, 0, 0, 0, 0, 0, 1) == wp.transform(p=(0, 0, 0)) == wp.transform((0, 0, 0))
    assert wp.transform(q=Q) == wp.transform((0, 0, 0), Q)
    assert wp.transform(P, q=Q) == t
    t.p = wp.vec3(9, 8, 7)
    t.q = (0, 0, 0, 5)
    assert t == wp.transform(9, 8, 7, 0, 0, 0, 5)
    t[0] = -1.0
    assert t.p[0] == -1
    assert t * 2.0 == 2.0 * t == t + t
    assert t - t == wp.transform(0, 0, 0, 0, 0, 0, 0)
    assert wp.types.transformation(float) is wp.transform is wp.transformf
    assert wp.types.transformation(wp.float64) is wp.transformd
    assert wp.spatial_vector is wp.types.vector(6, float)
    assert wp.spatial_matrixd is wp.types.matrix((6, 6), wp.float64)


@pytest.mark.parametrize("args", [([1.0],), (1, 2), (P, Q, 1), (1, 2, 3, 4, 5, 6), (P, P)])
def test_what_makes_no_transform(args):
    with pytest.raises(TypeError, match="7 components, a position of 3 and a rotation of 4"):
        wp.transform(*args)


def test_a_position_is_given_once():
    with pytest.raises(TypeError, match="given twice"):
        wp.transform(P, p=P)


def test_builtins_in_python():
    t, u = wp.transformd(P, Q), wp.transformd((0.5, -2.0, 1.0), (0.3, -0.2, 0.1, 0.8))
    np.testing.assert_allclose((t * u).p, moved(P, Q, u.p))
    assert t * u == wp.transform_multiply(t, u)
    assert wp.transform_identity() == wp.transform()
    np.testing.assert_allclose(wp.transform_point(t, wp.vec3d(1, -1, 2)), moved(P, Q, (1, -1, 2)))
    np.testing.assert_allclose(wp.transform_vector(t, wp.vec3d(1, -1, 2)), moved((0, 0, 0), Q, (1, -1, 2)))
    unit = wp.transformd(P, wp.normalize(wp.quatd(*Q)))
    np.testing.assert_allclose(unit * wp.transform_inverse(unit), [0, 0, 0, 0, 0, 0, 1], atol=1e-14)
    matrix = wp.transform_to_matrix(unit)
    np.testing.assert_allclose(
        wp.transform_point(matrix, wp.vec3d(1, 2, 3)), wp.transform_point(unit, wp.vec3d(1, 2, 3))
    )
    np.testing.assert_allclose(wp.transform_from_matrix(matrix), unit)
    scale = wp.vec3d(2, 3, 4)
    p, q, s = wp.transform_decompose(wp.transform_compose(unit.p, unit.q, scale))
    np.testing.assert_allclose([*p, *q, *s], [*unit, *scale])
    x, y = wp.spatial_vectord(1, 2, 3, 4, 5, 6), wp.spatial_vectord(0.1, 0.2, 0.3, 0.4, -0.5, 0.6)
    assert wp.spatial_top(x) == wp.vec3d(1, 2, 3)
    assert wp.spatial_bottom(x) == wp.vec3d(4, 5, 6)
    np.testing.assert_allclose(wp.spatial_dot(x, y), np.dot(x, y))
    expected = np.array([4, 5, 6]) + np.cross([1, 2, 3], [1, 0, 0])
    np.testing.assert_allclose(wp.velocity_at_point(x, wp.vec3d(1, 0, 0)), expected)


def test_arrays():
    numbers = np.arange(14, dtype=np.float32).reshape(2, 7)
    a = wp.array(numbers, dtype=wp.transform)
    assert a.shape == (2,)
    np.testing.assert_array_equal(a.numpy(), numbers)
    b = wp.array([wp.transform(*row) for row in numbers], dtype=wp.transform)
    np.testing.assert_array_equal(b.numpy(), numbers)
    assert wp.zeros(3, dtype=wp.spatial_matrix).numpy().shape == (3, 6, 6)


@wp.struct
class Body:
    pose: wp.transform
    mass: float


@wp.kernel
def step(
    x: wp.array(dtype=wp.transformd),
    v: wp.array(dtype=wp.spatial_vectord),
    dt: wp.float64,
    y: wp.array(dtype=wp.transformd),
):
    i = wp.tid()
    t = x[i]
    t.p = t.p + wp.spatial_bottom(v[i]) * dt
    t.q = wp.normalize(t.q)
    t[6] = t[6] + wp.float64(0.25)
    y[i] = wp.transform_inverse(t) * t * x[i]


def test_a_kernel_and_its_gradient():
    rng = np.random.default_rng(1)
    x, v = rng.normal(size=(3, 7)), rng.normal(size=(3, 6))

    def run(x, v, grad=None):
        a = wp.array(x, dtype=wp.transformd, requires_grad=True)
        b = wp.array(v, dtype=wp.spatial_vectord, requires_grad=True)
        out = wp.zeros(3, dtype=wp.transformd, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(step, dim=3, inputs=[a, b, 0.5], outputs=[out])
        if grad is None:
            return out.numpy()
        tape.backward(grads={out: wp.array(grad, dtype=wp.transformd)})
        return a.grad.numpy(), b.grad.numpy()

    weights = rng.normal(size=(3, 7))
    for which, found in enumerate(run(x, v, weights)):
        expected = np.zeros_like(found)
        for at in np.ndindex(found.shape):
            sides = []
            for h in (1e-6, -1e-6):
                given = [x.copy(), v.copy()]
                given[which][at] += h
                sides.append((run(*given) * weights).sum())
            expected[at] = (sides[0] - sides[1]) / 2e-6
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


@wp.kernel
def constructors(out: wp.array(dtype=float), big: wp.array(dtype=wp.float64), body: Body):
    zero = wp.transform()
    shifted = wp.transform(wp.vec3(1.0, 2.0, 3.0))
    whole = wp.transform(1.0, 2.0, 3.0, 0.1, 0.2, 0.3, 0.9)
    same = wp.transformation(wp.vec3(1.0, 2.0, 3.0), wp.quat(0.1, 0.2, 0.3, 0.9))
    wide = wp.transformation(wp.vec3(1.0, 2.0, 3.0), dtype=wp.float64)
    motion = wp.spatial_vector(wp.vec3(1.0, 2.0, 3.0), wp.vec3(4.0, 5.0, 6.0))
    wider = wp.spatial_vector(wp.vec3(1.0, 2.0, 3.0), wp.vec3(4.0, 5.0, 6.0), dtype=wp.float64)
    out[0] = zero[6]
    out[1] = shifted[6] + shifted[2]
    out[2] = wp.where(whole == same, 1.0, 0.0)
    out[3] = motion[5]
    out[4] = (2.0 * whole).q[3]
    out[5] = body.pose.p[1] * body.mass
    big[0] = wide.q[3]
    big[1] = wider[4]


def test_constructors_in_kernels():
    out, big = wp.zeros(6), wp.zeros(2, dtype=wp.float64)
    body = Body()
    body.pose = wp.transform(P, Q)
    body.mass = 4.0
    wp.launch(constructors, dim=1, inputs=[out, big, body])
    np.testing.assert_allclose(out.numpy(), [0, 4, 1, 6, 1.8, 8], rtol=1e-6)
    np.testing.assert_array_equal(big.numpy(), [1, 5])


def test_refused_in_kernels():
    @wp.kernel
    def three(out: wp.array(dtype=float)):
        t = wp.transform(1.0, 2.0, 3.0)
        out[0] = t[0]

    with pytest.raises(TypeError, match="7 components, or a vector of 3 with or without a quaternion"):
        wp.launch(three, dim=1, inputs=[wp.zeros(1)])

    @wp.kernel
    def letter(out: wp.array(dtype=float)):
        t = wp.transform()
        out[0] = t.x

    with pytest.raises(AttributeError, match="it has p, the position, and q, the rotation"):
        wp.launch(letter, dim=1, inputs=[wp.zeros(1)])


def test_one_number_is_all_components():
    assert list(wp.transform(2.0)) == [2.0] * 7
    assert list(wp.transformd(3)) == [3.0] * 7
    for wrong in [lambda: wp.transform(1.0, 2.0), lambda: wp.transform(p=1.0), lambda: wp.transform([1.0])]:
        with pytest.raises(wp.MismatchError, match="transformf has 7 components"):
            wrong()


@wp.kernel
def by_name(
    t: wp.transformd, u: wp.transformd, s: wp.float64, out: wp.array(dtype=wp.transformd), n: wp.array(dtype=int)
):
    out[0] = wp.add(t, u)
    out[1] = wp.sub(t, u)
    out[2] = wp.mul(t, u)
    out[3] = wp.mul(t, s)
    out[4] = wp.mul(s, t)
    out[5] = wp.lerp(t, u, s)
    out[6] = t * u
    n[0] = len(t)


def test_operators_by_name():
    t, u = wp.transformd(P, Q), wp.transformd((0.5, -2.0, 1.0), (0.3, -0.2, 0.1, 0.8))
    out, n = wp.zeros(7, dtype=wp.transformd), wp.zeros(1, dtype=int)
    wp.launch(by_name, dim=1, inputs=[t, u, 0.25, out, n])
    a, b = np.array(t), np.array(u)
    product = np.array(wp.transform_multiply(t, u))
    np.testing.assert_allclose(out.numpy(), [a + b, a - b, product, a / 4, a / 4, 0.75 * a + 0.25 * b, product])
    assert n.list() == [7]


def test_gradients_of_operators_by_name():
    @wp.kernel
    def kernel(t: wp.array(dtype=wp.transformd), out: wp.array(dtype=wp.transformd)):
        x = wp.lerp(t[0], t[1], t[0].p[0])
        out[0] = wp.mul(wp.add(x, t[1]), wp.sub(x, t[0]))

    rng = np.random.default_rng(2)
    t = wp.array(rng.normal(size=(2, 7)), dtype=wp.transformd, requires_grad=True)
    out = wp.zeros(1, dtype=wp.transformd, requires_grad=True)
    assert wp.autograd.gradcheck(kernel, dim=1, inputs=[t], outputs=[out], show_summary=False)


@wp.kernel
def more_constructors(
    p: wp.vec3, q: wp.quat, d: wp.vec3d, t: wp.array(dtype=wp.transform), u: wp.array(dtype=wp.transformd),
    v: wp.array(dtype=wp.spatial_vector), w: wp.array(dtype=wp.spatial_vectord),
):  # fmt: skip
    t[0] = wp.transformation(1.0, 2.0, 3.0, 0.1, 0.2, 0.3, 0.9)
    t[1] = wp.transformation(p)
    t[2] = wp.transformation(p=p, q=q)
    t[3] = wp.transform_identity()
    u[0] = wp.transform_identity(dtype=wp.float64)
    u[1] = wp.transformation(p, q, dtype=wp.float64)
    v[0] = wp.spatial_vector(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    v[1] = wp.spatial_vector(p, p)
    v[2] = wp.spatial_vector(2.0)
    w[0] = wp.spatial_vector(d, d, dtype=wp.float64)
    w[1] = wp.spatial_vectord(d, d)


def test_more_constructors_in_kernels():
    t, u = wp.zeros(4, dtype=wp.transform), wp.zeros(2, dtype=wp.transformd)
    v, w = wp.zeros(3, dtype=wp.spatial_vector), wp.zeros(2, dtype=wp.spatial_vectord)
    wp.launch(more_constructors, dim=1, inputs=[wp.vec3(*P), wp.quat(*Q), wp.vec3d(*P), t, u, v, w])
    np.testing.assert_allclose(t.numpy(), [[*P, *Q], [*P, 0, 0, 0, 1], [*P, *Q], [0, 0, 0, 0, 0, 0, 1]], rtol=1e-6)
    np.testing.assert_allclose(u.numpy(), [[0, 0, 0, 0, 0, 0, 1], [*P, *Q]], rtol=1e-6)
    np.testing.assert_array_equal(v.numpy(), [[1, 2, 3, 4, 5, 6], [*P, *P], [2] * 6])
    np.testing.assert_array_equal(w.numpy(), [[*P, *P]] * 2)


def test_transforms_of_nothing_of_one_number_and_of_transforms():
    @wp.kernel
    def made(s: float, x: wp.transform, t: wp.array(dtype=wp.transform), u: wp.array(dtype=wp.transformd)):
        t[0] = wp.transformation()
        t[1] = wp.transformation(dtype=float)
        t[2] = wp.transformation(2.0)
        t[3] = wp.transformation(x)
        t[4] = wp.transform(s)
        u[0] = wp.transformation(dtype=wp.float64)
        u[1] = wp.transformation(0.1, dtype=wp.float64)
        u[2] = wp.transformation(x, dtype=wp.float64)
        u[3] = wp.transformd(2)

    t, u = wp.zeros(5, dtype=wp.transform), wp.zeros(4, dtype=wp.transformd)
    t.fill_(9.0)
    u.fill_(9.0)
    wp.launch(made, dim=1, inputs=[3.0, wp.transform(*range(1, 8)), t, u])
    assert t.numpy().tolist() == [[0.0] * 7, [0.0] * 7, [2.0] * 7, [1, 2, 3, 4, 5, 6, 7], [3.0] * 7]
    assert u.numpy().tolist() == [[0.0] * 7, [0.1] * 7, [1, 2, 3, 4, 5, 6, 7], [2.0] * 7]


def test_spatial_vectors_by_name_in_kernels():
    @wp.kernel
    def made(p: wp.vec3, q: wp.vec3, v: wp.array(dtype=wp.spatial_vector), w: wp.array(dtype=wp.spatial_vectord)):
        v[0] = wp.spatial_vector(w=p, v=q)
        v[1] = wp.spatial_vector(p, v=q)
        v[2] = wp.spatial_vector(wx=1.0, wy=2.0, wz=3.0, vx=4.0, vy=5.0, vz=6.0)
        v[3] = wp.spatial_vector(1.0, 2.0, 3.0, vz=6.0, vy=5.0, vx=4.0)
        w[0] = wp.spatial_vector(v=q, w=p, dtype=wp.float64)
        w[1] = wp.spatial_vectord(wx=1.0, wy=2.0, wz=3.0, vx=4.0, vy=5.0, vz=6.0)

    v, w = wp.zeros(4, dtype=wp.spatial_vector), wp.zeros(2, dtype=wp.spatial_vectord)
    wp.launch(made, dim=1, inputs=[wp.vec3(1.0, 2.0, 3.0), wp.vec3(4.0, 5.0, 6.0), v, w])
    assert v.numpy().tolist() == [[1, 2, 3, 4, 5, 6]] * 4
    assert w.numpy().tolist() == [[1, 2, 3, 4, 5, 6]] * 2


def test_decomposition_by_name():
    @wp.kernel
    def decompose(m: wp.mat44, out: wp.array(dtype=wp.vec3)):
        position, _rotation, scale = wp.transform_decompose(m=m)
        out[0] = position
        out[1] = scale

    out = wp.zeros(2, dtype=wp.vec3)
    m = wp.transform_compose(wp.vec3(1.0, 2.0, 3.0), wp.quat_identity(), wp.vec3(2.0, 4.0, 8.0))
    wp.launch(decompose, dim=1, inputs=[m, out])
    np.testing.assert_allclose(out.numpy(), [[1, 2, 3], [2, 4, 8]], rtol=1e-6)


def test_spatial_algebra():
    """Against the same in NumPy, with the angular part first."""
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 6))
    (wa, va), (wb, vb) = a.reshape(2, 3), b.reshape(2, 3)
    x, y = wp.spatial_vectord(*a), wp.spatial_vectord(*b)
    cross = [*np.cross(wa, wb), *(np.cross(va, wb) + np.cross(wa, vb))]
    np.testing.assert_allclose(list(wp.spatial_cross(x, y)), cross)
    cross = [*(np.cross(wa, wb) + np.cross(va, vb)), *np.cross(wa, vb)]
    np.testing.assert_allclose(list(wp.spatial_cross_dual(x, y)), cross)
    t = wp.transformd(wp.vec3d(*P), wp.normalize(wp.quatd(*Q)))
    r = np.array(wp.quat_to_matrix(t.q))
    np.testing.assert_allclose(list(wp.transform_twist(t, x)), [*(r @ wa), *(r @ va + np.cross(P, r @ wa))])
    np.testing.assert_allclose(list(wp.transform_wrench(t, x)), [*(r @ wa + np.cross(P, r @ va)), *(r @ va)])
    s = wp.skew(wp.vec3d(*P))
    want = np.block([[r, np.zeros((3, 3))], [np.array(s), r]])
    np.testing.assert_allclose(np.array(wp.spatial_adjoint(wp.mat33d(*r.ravel()), s)), want)


def test_vectors_of_other_libraries():
    """Some have only a length and items, as the vectors of USD."""

    class Vector:
        def __init__(self, *values):
            self.values = values

        def __len__(self):
            return len(self.values)

        def __getitem__(self, at):
            return self.values[at]

    place = Vector(1.0, 2.0, 3.0)
    assert list(wp.transform(place, wp.quat(0.0, 0.0, 0.0, 1.0))) == [1, 2, 3, 0, 0, 0, 1]
    assert list(wp.vec3(place)) == [1, 2, 3]
    assert list(wp.vec4(place, 4.0)) == [1, 2, 3, 4]
