"""Slices and unpacked values: parts of vectors, matrices and elements of arrays."""

import pytest
import warp as wp

from .running import run


@wp.func
def total(t: tuple[float, int]):
    return t[0] + float(t[1]) + float(len(t))


def test_tuples_and_unpacked_values():
    @wp.kernel
    def call(out: wp.array(dtype=float)):
        out[0] = total((1.5, 2))
        v = wp.vec2(1.0, 2.0)
        out[1] = wp.dot(wp.vec2(*v), v)
        m = wp.matrix_from_rows(*wp.mat22(1.0, 2.0, 3.0, 4.0))
        out[2] = m[1, 0]
        q = wp.quat(*wp.vec4(1.0, 2.0, 3.0, 4.0))
        out[3] = q[3]

    assert run(call)[:4] == [5.5, 5.0, 3.0, 4.0]

    @wp.kernel
    def wrong(out: wp.array(dtype=float)):
        out[0] = total((1.5, 2.0))

    with pytest.raises(TypeError, match="is \\(float32, float32\\), declared is \\(float32, int32\\)"):
        run(wrong)


def test_slices_of_values():
    @wp.kernel
    def slices(v: wp.vec4, n: int, out: wp.array(dtype=float)):
        w = v
        u = w[::-1]
        out[0] = u[0]
        w[1:3] = wp.vec2(7.0, 8.0)
        w[0:2] += wp.vec2(1.0, 1.0)
        w[2:] *= 2.0
        out[1] = w[1]
        out[2] = w[3]
        m = wp.mat33(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)
        out[3] = m[:, 1][2] + m[0:2, 1:3][1, 0]
        m[1:3, 0] = wp.vec2(20.0, 30.0)
        out[4] = m[n, 0:2][0]
        m[0:2, 0:2] = wp.mat22(0.5)
        out[5] = m[1, 1] + m[-1, :][2]
        q = wp.quat(x=1.0, y=2.0, z=3.0, w=4.0)
        out[6] = q[0:3][1] + q[1:2][0]
        out[7] = float(len(m[1:])) + w[-3:-1][0] + w[3:0:-2][1]

    assert run(slices, wp.vec4(1.0, 2.0, 3.0, 4.0), 2) == [4.0, 8.0, 8.0, 13.0, 30.0, 9.5, 4.0, 18.0]


def test_gradients_of_slices():
    @wp.kernel
    def norm(x: wp.array(dtype=wp.mat33d), y: wp.array(dtype=wp.float64)):
        m = x[0]
        m[0:2, 1] += m[1:, 0]
        c = m[:, 1]
        y[0] = wp.dot(c, c) * m[0, 2]

    def value(m):
        c = [m[1] + m[3], m[4] + m[6], m[7]]
        return sum(a * a for a in c) * m[2]

    at = [0.3, 1.2, -0.7, 0.4, 0.9, 1.1, -1.3, 0.2, 0.6]
    x = wp.array([wp.mat33d(*at)], dtype=wp.mat33d, requires_grad=True)
    y = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(norm, dim=1, inputs=[x], outputs=[y])
    tape.backward(grads={y: wp.ones(1, dtype=wp.float64)})
    assert y.list() == pytest.approx([value(at)])

    def moved(k, h):
        return value([v + h * (n == k) for n, v in enumerate(at)])

    slopes = [(moved(k, 1e-6) - moved(k, -1e-6)) / 2e-6 for k in range(9)]
    assert x.grad.numpy().ravel().tolist() == pytest.approx(slopes, abs=1e-8)


def test_slices_of_elements_of_arrays():
    @wp.kernel
    def slices(a: wp.array(dtype=wp.vec4), b: wp.array2d(dtype=float), out: wp.array(dtype=float)):
        out[0] = a[0][1:3][0]
        a[0][0:2] = wp.vec2(5.0, 6.0)
        a[0][2:4] += wp.vec2(1.0, 2.0)
        a[0][2:4] -= wp.vec2(0.5, 0.5)
        for i in range(4):
            out[1 + i] = a[0][i]
        row = b[1, :]
        out[5] = row[2]
        out[6] = b[:][1, 0]

    a = wp.array([wp.vec4(1.0, 2.0, 3.0, 4.0)], dtype=wp.vec4)
    b = wp.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=float)
    assert run(slices, a, b)[:7] == [2.0, 5.0, 6.0, 3.5, 5.5, 6.0, 4.0]


def test_slices_of_quaternions_and_transforms():
    @wp.kernel
    def slices(q: wp.quat, t: wp.transform, out: wp.array(dtype=float)):
        p = q
        p[0:2] = wp.vec2(7.0, 8.0)
        p[2:4] += wp.vec2(1.0, 2.0)
        out[0] = p[::-1][0] + 10.0 * p[1] + 100.0 * p[2]
        u = t
        out[1] = u[0:3][2] + 10.0 * u[3:][3] + 100.0 * u[::-3][1]
        u[0:3] = wp.vec3(1.0, 2.0, 4.0)
        u[5::-2] -= wp.vec3(1.0, 1.0, 1.0)
        out[2] = u.p[2] + 10.0 * u.p[1] + 100.0 * u[3] + 1000.0 * u.q[2]

    assert run(slices, wp.quat(1.0, 2.0, 3.0, 4.0), wp.transform(1, 2, 3, 4, 5, 6, 7))[:3] == [486.0, 473.0, 5314.0]


def test_slices_of_matrices_backwards():
    @wp.kernel
    def slices(m: wp.mat33, out: wp.array(dtype=wp.mat33)):
        out[0] = m[::-1]
        out[1] = m[::-1, ::-1]
        a = m
        a[::-1, 0] = wp.vec3(10.0, 20.0, 30.0)
        a[2:0:-1, 1:] += wp.mat22(1.0, 2.0, 3.0, 4.0)
        out[2] = a

    found = run(slices, wp.mat33(*range(9)), size=3, dtype=wp.mat33)
    assert found[0] == ((6, 7, 8), (3, 4, 5), (0, 1, 2))
    assert found[1] == ((8, 7, 6), (5, 4, 3), (2, 1, 0))
    assert found[2] == ((30, 1, 2), (20, 7, 9), (10, 8, 10))


@pytest.mark.parametrize("value", ["wp.vec3()", "wp.vec2d()", "1.0", "wp.mat22()"])
def test_a_slice_takes_values_of_its_shape_alone(value):
    @wp.kernel
    def slices(v: wp.vec4, out: wp.array(dtype=float)):
        w = v
        w[1:3] = wp.static(eval(value))
        out[0] = w[1]

    with pytest.raises((TypeError, ValueError)):
        run(slices, wp.vec4())


@wp.func
def volume(x: float, y: float, z: float):
    return x * y + 10.0 * z


@wp.func
def turned(x: float, y: float, z: float, w: float):
    return x + 10.0 * y + 100.0 * z + 1000.0 * w


def test_unpacked_values_in_calls():
    @wp.kernel
    def call(v: wp.vec4, q: wp.quat, t: wp.transform, out: wp.array(dtype=float)):
        out[0] = volume(*v[0:3])
        out[1] = turned(*q)
        out[2] = volume(v[3], *v[::-3])
        out[3] = wp.max(*q[1:3])
        out[4] = wp.dot(*wp.mat22(1.0, 2.0, 3.0, 4.0))
        out[5] = wp.quat(*q)[3] + wp.transform(*t)[6]

    found = run(call, wp.vec4(1.0, 2.0, 3.0, 4.0), wp.quat(1.0, 2.0, 3.0, 4.0), wp.transform(1, 2, 3, 4, 5, 6, 7))
    assert found[:6] == [32.0, 4321.0, 26.0, 3.0, 11.0, 11.0]


ROWS = wp.constant(2)


def test_unpacked_elements_of_arrays():
    @wp.kernel
    def call(
        a: wp.array(dtype=float), m: wp.array2d(dtype=float), rows: wp.array(dtype=wp.vec2),
        out: wp.array(dtype=float), vectors: wp.array(dtype=wp.vec3), square: wp.array(dtype=wp.mat22),
    ):  # fmt: skip
        vectors[0] = wp.vec3(*a[1:4])
        vectors[1] = wp.vec3(9.0, *a[:3:2])
        vectors[2] = wp.vec3(*m[1][0:3])
        local = wp.zeros(3, dtype=float)
        local[1] = 4.0
        vectors[3] = wp.vec3(*local[0:3])
        square[0] = wp.matrix_from_rows(*rows[0:ROWS])
        n = 3
        out[0] = volume(*a[0:n])
        out[1] = wp.min(*a[wp.static(1) : 4], *a[4:5])
        out[2] = volume(*a[1:5][1:4])

    a = wp.array([1.0, 2.0, 3.0, 4.0, 0.5], dtype=float)
    m = wp.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=float)
    rows = wp.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype=wp.vec2)
    out, vectors, square = wp.zeros(3, dtype=float), wp.zeros(4, dtype=wp.vec3), wp.zeros(1, dtype=wp.mat22)
    wp.launch(call, dim=1, inputs=[a, m, rows], outputs=[out, vectors, square])
    assert vectors.numpy().tolist() == [[2.0, 3.0, 4.0], [9.0, 1.0, 3.0], [4.0, 5.0, 6.0], [0.0, 4.0, 0.0]]
    assert square.numpy().tolist() == [[[1.0, 2.0], [3.0, 4.0]]]
    assert out.list() == [32.0, 0.5, 3.0 * 4.0 + 10.0 * 0.5]


def test_gradients_and_bounds_of_unpacked_elements():
    @wp.kernel
    def call(a: wp.array(dtype=float), out: wp.array(dtype=float)):
        out[0] = volume(*a[1:4])

    a = wp.array([1.0, 2.0, 3.0, 4.0], dtype=float, requires_grad=True)
    out = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(call, dim=1, inputs=[a], outputs=[out])
    tape.backward(out)
    assert a.grad.list() == [0.0, 3.0, 2.0, 10.0]
    with pytest.raises(IndexError, match="index 3 is out of range for a dimension of size 3"):
        wp.launch(call, dim=1, inputs=[wp.zeros(3, dtype=float)], outputs=[out])
