"""Arguments that a call writes: setters of transforms, results as arguments, `wp.ref` parameters of functions."""

import numpy as np
import pytest
import warp as wp


@wp.struct
class State:
    x: float
    v: wp.vec3


@wp.func
def grow(x: wp.ref[float], by: float):
    x = x + by


@wp.func
def grow_twice(x: wp.ref[float], by: float):
    grow(x, by)
    if by < 0.0:
        return
    grow(x, by)


@wp.func
def take(x: wp.ref[float]) -> float:
    before = x
    x = x * 2.0
    return before


@wp.func
def bend(v: wp.ref[wp.vec3]):
    v[0] = 7.0
    v.y = 8.0


@wp.func
def start(s: wp.ref[State]):
    s.x = 3.0


def run(kernel, *arrays, dim=1):
    wp.launch(kernel, dim=dim, inputs=list(arrays))


def test_setters_of_transforms_change_the_variable():
    @wp.kernel
    def kernel(out: wp.array(dtype=wp.transform)):
        t = wp.transform_identity()
        wp.transform_set_translation(t, wp.vec3(1.0, 2.0, 3.0))
        u = t
        wp.transform_set_rotation(u, wp.quat(0.0, 1.0, 0.0, 0.0))
        out[0] = t
        out[1] = u

    out = wp.zeros(2, dtype=wp.transform)
    run(kernel, out)
    assert out.numpy().tolist() == [[1, 2, 3, 0, 0, 0, 1], [1, 2, 3, 0, 1, 0, 0]]


def test_setters_of_transforms_have_gradients():
    @wp.kernel
    def kernel(p: wp.array(dtype=wp.vec3d), q: wp.array(dtype=wp.quatd), out: wp.array(dtype=wp.float64)):
        t = wp.transformd(p[0], q[0])
        for _ in range(2):
            wp.transform_set_translation(t, wp.transform_get_translation(t) * wp.float64(3.0))
        wp.transform_set_rotation(t, wp.quatd(t.q[3], t.q[0], t.q[1], t.q[2]))
        moved = wp.transform_point(t, wp.vec3d(wp.float64(1.0), wp.float64(2.0), wp.float64(3.0)))
        out[0] = moved[0] + wp.float64(2.0) * moved[1]

    p = wp.array([[1.0, 2.0, 3.0]], dtype=wp.vec3d, requires_grad=True)
    q = wp.array([[0.1, 0.2, 0.3, 0.9]], dtype=wp.quatd, requires_grad=True)
    out = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    assert wp.autograd.gradcheck(kernel, dim=1, inputs=[p, q], outputs=[out])
    with wp.Tape() as tape:
        run(kernel, p, q, out)
    tape.backward(loss=out)
    np.testing.assert_allclose(p.grad.numpy(), [[9.0, 18.0, 0.0]])


def test_axis_and_angle_as_arguments():
    @wp.kernel
    def kernel(out: wp.array(dtype=float)):
        axis = wp.vec3()
        angle = float(0.0)
        wp.quat_to_axis_angle(wp.quat_from_axis_angle(wp.vec3(0.0, 0.0, 1.0), 0.5), axis, angle)
        out[0] = axis[2]
        wp.quat_to_axis_angle(wp.quat_from_axis_angle(axis, 0.25), angle=angle, axis=axis)
        out[1] = angle

    out = wp.zeros(2)
    run(kernel, out)
    np.testing.assert_allclose(out.numpy(), [1.0, 0.25], rtol=1e-6)


def test_norms_of_transforms():
    @wp.kernel
    def kernel(t: wp.array(dtype=wp.transform), out: wp.array(dtype=float)):
        out[0] = wp.norm_l1(t[0])
        out[1] = wp.norm_l2(t[0])
        out[2] = wp.norm_huber(t[0], 20.0)
        out[3] = wp.norm_pseudo_huber(t[0], 2.0)
        out[4] = wp.smooth_normalize(t[0], 2.0)[6]

    t = np.array([1.0, -2.0, 3.0, -4.0, 5.0, -6.0, 7.0])
    out = wp.zeros(5)
    run(kernel, wp.array([t], dtype=wp.transform), out)
    pseudo = 2.0 * np.sqrt(1.0 + (t @ t) / 4.0)
    expected = [np.abs(t).sum(), np.linalg.norm(t), 0.5 * (t @ t), pseudo, t[6] / pseudo]
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-6)


def test_a_ref_is_a_variable_an_element_or_a_part():
    @wp.kernel
    def kernel(out: wp.array(dtype=float), vectors: wp.array(dtype=wp.vec3)):
        a = float(1.0)
        grow(a, 4.0)
        out[0] = a
        grow(out[1], 2.0)
        v = wp.vec3(1.0, 2.0, 3.0)
        grow(v[1], 3.0)
        grow(v.z, 4.0)
        out[2] = v[1]
        out[3] = v[2]
        s = State()
        start(s)
        grow(s.x, 5.0)
        out[4] = s.x
        bend(vectors[0])
        out[5] = take(a)
        out[6] = a

    out, vectors = wp.ones(7), wp.zeros(1, dtype=wp.vec3)
    run(kernel, out, vectors)
    assert out.numpy().tolist() == [5.0, 3.0, 5.0, 7.0, 8.0, 5.0, 10.0]
    assert vectors.numpy().tolist() == [[7.0, 8.0, 0.0]]


def test_refs_in_branches_loops_and_functions():
    @wp.kernel
    def kernel(n: int, out: wp.array(dtype=float)):
        a = float(0.0)
        for i in range(n):
            if i % 2 == 0:
                grow_twice(a, float(i))
            else:
                grow_twice(a, -1.0)
        b = float(1.0)
        while take(b) < 100.0:
            a += 0.0
        out[0] = a
        out[1] = b

    out = wp.zeros(2)
    wp.launch(kernel, dim=1, inputs=[5, out])
    assert out.numpy().tolist() == [2.0 * (0 + 2 + 4) - 2.0, 256.0]


def test_gradients_through_refs():
    @wp.func
    def step(x: wp.ref[wp.float64], y: wp.ref[wp.float64]):
        x = wp.sin(x) + y
        if x > wp.float64(1.0):
            y = y * x
            return
        y = y + x * x

    @wp.kernel
    def kernel(n: int, x: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
        i = wp.tid()
        a = x[i]
        b = wp.float64(0.5)
        for _ in range(n):
            step(a, b)
        step(b, out[i])
        out[i] += a

    x = wp.array(np.linspace(0.1, 1.3, 5), dtype=wp.float64, requires_grad=True)
    out = wp.zeros(5, dtype=wp.float64, requires_grad=True)
    wp.launch(kernel, dim=5, inputs=[3, x, out])
    assert wp.autograd.gradcheck(kernel, dim=5, inputs=[3, x], outputs=[out], restore_inputs=False)


def test_a_ref_has_a_type_and_a_place():
    @wp.kernel
    def of_a_number(out: wp.array(dtype=float)):
        grow(1.0, 2.0)

    @wp.kernel
    def of_another_type(out: wp.array(dtype=float)):
        n = int(0)
        grow(n, 2.0)

    @wp.kernel
    def of_an_element(out: wp.array(dtype=wp.transform)):
        wp.transform_set_translation(out[0], wp.vec3())

    out = wp.zeros(1)
    with pytest.raises(TypeError, match="this is a new value"):
        run(of_a_number, out)
    with pytest.raises(TypeError, match="argument `x` of function `grow` is int32, declared is float32"):
        run(of_another_type, out)
    with pytest.raises(TypeError, match="this is an element of an array"):
        run(of_an_element, wp.zeros(1, dtype=wp.transform))
    with pytest.raises(TypeError, match="not a kernel type"):

        @wp.kernel
        def parameter(x: wp.ref[float], out: wp.array(dtype=float)):
            out[0] = x
