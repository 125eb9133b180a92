"""Derivatives that authors write, of arrays and structs."""

from __future__ import annotations

import numpy as np
import warp as wp

from .custom_functions import floats, gradients, sigmoid

D = wp.float64


@wp.struct
class Ray:
    origin: wp.vec2d
    scale: wp.float64
    weights: wp.array(dtype=wp.float64)


@wp.func
def along(ray: Ray, i: int):
    return ray.scale * ray.origin[0] * ray.weights[i]


@wp.func_grad(along)
def adj_along(ray: Ray, i: int, adj_ret: D):
    wp.adjoint[ray].scale += D(7.0) * adj_ret
    wp.adjoint[ray].origin[1] += D(8.0) * adj_ret
    wp.adjoint[ray].weights[i] += D(9.0) * adj_ret


def test_arrays_and_no_result():
    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        sigmoid(i, x, y)

    x = np.array([0.3, -2.0, 1.5])
    y, dx = gradients(k, 3, [floats(*x)], floats(0.0, 0.0, 0.0))
    s = 1.0 / (1.0 + np.exp(-x))
    np.testing.assert_allclose(y, s)
    np.testing.assert_allclose(dx, s * (1.0 - s))


def test_an_array_is_as_the_call_left_it():
    """What the kernel writes to it afterwards is not seen."""

    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D), z: wp.array(dtype=D)):
        i = wp.tid()
        y[i] = D(100.0)
        sigmoid(i, x, y)
        z[i] = y[i]
        y[i] = D(-3.0)

    x = np.array([0.3, -2.0])
    y = floats(7.0, 8.0)
    z, dx, _ = gradients(k, 2, [floats(*x), y], floats(0.0, 0.0))
    s = 1.0 / (1.0 + np.exp(-x))
    np.testing.assert_allclose(z, s)
    np.testing.assert_allclose(y.numpy(), [-3.0, -3.0])
    np.testing.assert_allclose(dx, s * (1.0 - s))


def test_an_array_is_as_each_call_of_a_loop_left_it():
    @wp.kernel
    def k(x: wp.array(dtype=D), t: wp.array(dtype=D), n: int, z: wp.array(dtype=D)):
        i = wp.tid()
        s = D(0.0)
        for r in range(n):
            sigmoid(i, x, t)
            s += t[i] * D(r + 1)
            t[i] = s
        z[i] = s

    x = np.array([0.3, -2.0])
    z, dx, _ = gradients(k, 2, [floats(*x), floats(0.0, 0.0), 3], floats(0.0, 0.0))
    s = 1.0 / (1.0 + np.exp(-x))
    np.testing.assert_allclose(z, 6.0 * s)
    # The gradient of `t` is not consumed by `adj_sigmoid`, so that the loads of all later rounds are still there.
    assert np.isfinite(dx).all()


def test_structs_with_arrays():
    @wp.kernel
    def k(x: wp.array(dtype=D), w: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        ray = Ray()
        ray.scale = x[i]
        ray.origin = wp.vec2d(x[i], D(100.0) * x[i])
        ray.weights = w
        y[i] = along(ray, i)

    y, dx, dw = gradients(k, 2, [floats(3.0, 2.0), floats(5.0, 6.0)], floats(0.0, 0.0))
    np.testing.assert_allclose(y, [45.0, 24.0])
    np.testing.assert_allclose(dx, [807.0, 807.0])
    np.testing.assert_allclose(dw, [9.0, 9.0])


def test_local_arrays():
    @wp.func
    def total(v: wp.array(dtype=D)):
        return v[0] * v[0] + v[1]

    @wp.func_grad(total)
    def adj_total(v: wp.array(dtype=D), a: D):
        own = wp.zeros(2, dtype=D)
        own[0] = v[0] * D(2.0) * a
        own[1] = a
        for j in range(2):
            wp.adjoint[v][j] += own[j]

    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        v = wp.zeros(2, dtype=D)
        v[0] = x[i]
        v[1] = x[i] * x[i]
        y[i] = total(v)

    y, dx = gradients(k, 2, [floats(2.0, 3.0)], floats(0.0, 0.0))
    np.testing.assert_allclose(y, [8.0, 18.0])
    np.testing.assert_allclose(dx, [8.0, 12.0])


def test_atomics_on_gradients_and_slices():
    @wp.func
    def row_sum(a: wp.array2d(dtype=D), i: int):
        s = D(0.0)
        for j in range(a.shape[1]):
            s += a[i, j]
        return s

    @wp.func_grad(row_sum)
    def adj_row_sum(a: wp.array2d(dtype=D), i: int, adj: D):
        row = wp.adjoint[a][i]
        for j in range(row.shape[0]):
            wp.atomic_add(row, j, adj)
        wp.atomic_add(wp.adjoint[a], i, 0, D(0.5) * adj)

    @wp.kernel
    def k(a: wp.array2d(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        y[0] += row_sum(a, i % 2)

    _, da = gradients(k, 4, [floats((1.0, 2.0), (3.0, 4.0))], floats(0.0))
    np.testing.assert_allclose(da, [[3.0, 2.0], [3.0, 2.0]])


def test_a_derivative_that_clears_a_gradient_leaves_the_seed():
    @wp.func
    def put(y: wp.array(dtype=D), i: int, v: D):
        y[i] = v

    @wp.func_grad(put)
    def adj_put(y: wp.array(dtype=D), i: int, v: D):
        wp.adjoint[v] += wp.adjoint[y][i]
        wp.adjoint[y][i] = D(0.0)

    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        put(y, i, D(3.0) * x[i])
        put(y, i, D(2.0) * x[i])

    x, y, seed = floats(1.0, 2.0), floats(0.0, 0.0), floats(1.0, 10.0, grad=False)
    _, dx = gradients(k, 2, [x], y, seed)
    np.testing.assert_allclose(dx, [2.0, 20.0])
    np.testing.assert_allclose(seed.numpy(), [1.0, 10.0])


def test_one_array_for_two_parameters():
    @wp.func
    def times(a: wp.array(dtype=D), b: wp.array(dtype=D), i: int):
        return a[i] * b[i]

    @wp.func_grad(times)
    def adj_times(a: wp.array(dtype=D), b: wp.array(dtype=D), i: int, adj: D):
        wp.adjoint[a][i] += b[i] * adj
        wp.adjoint[b][i] += a[i] * adj

    @wp.kernel
    def k(a: wp.array(dtype=D), b: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        y[i] = times(a, b, i)

    x = floats(3.0, 5.0)
    _, dx, _ = gradients(k, 2, [x, x], floats(0.0, 0.0))
    np.testing.assert_allclose(dx, [6.0, 10.0])


@wp.struct
class Particle:
    mass: wp.float64
    place: wp.vec2d
    kind: int


def test_arrays_of_structs():
    @wp.func
    def weight(ps: wp.array(dtype=Particle), i: int):
        p = ps[i]
        return p.mass * p.place[1]

    @wp.func_grad(weight)
    def adj_weight(ps: wp.array(dtype=Particle), i: int, adj: D):
        wp.adjoint[ps][i].mass += D(3.0) * adj
        wp.adjoint[ps][i].place += wp.vec2d(D(4.0), D(5.0)) * adj

    @wp.kernel
    def k(ps: wp.array(dtype=Particle), y: wp.array(dtype=D)):
        i = wp.tid()
        y[i] = weight(ps, i)

    ps = wp.zeros(2, dtype=Particle, requires_grad=True)
    y = floats(0.0, 0.0)
    with wp.Tape() as tape:
        wp.launch(k, dim=2, inputs=[ps], outputs=[y])
    tape.backward(grads={y: floats(1.0, 10.0, grad=False)})
    found = ps.grad.numpy()
    np.testing.assert_allclose(found["mass"], [3.0, 30.0])
    np.testing.assert_allclose(found["place"], [[4.0, 5.0], [40.0, 50.0]])


@wp.struct
class Inner:
    v: wp.vec3


@wp.struct
class Outer:
    scale: float
    inner: Inner


@wp.func
def scaled_y(s: Outer):
    return s.scale * s.inner.v[1]


@wp.func_grad(scaled_y)
def adj_scaled_y(s: Outer, adj: float):
    # Three times what is right, so that it shows.
    wp.adjoint[s.scale] += 3.0 * adj * s.inner.v[1]
    wp.adjoint[s.inner.v].y += 3.0 * adj * s.scale
    wp.adjoint[s].inner.v[2] += adj


def test_adjoints_of_fields():
    @wp.kernel
    def k(x: wp.array(dtype=float), v: wp.array(dtype=wp.vec3), y: wp.array(dtype=float)):
        i = wp.tid()
        s = Outer()
        s.scale = x[i]
        s.inner.v = v[i]
        y[i] = scaled_y(s)

    x = wp.array([2.0], dtype=float, requires_grad=True)
    v = wp.array([[1.0, 5.0, 1.0]], dtype=wp.vec3, requires_grad=True)
    y = wp.zeros(1, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(k, 1, [x, v, y])
    tape.backward(grads={y: wp.ones(1)})
    assert (y.list(), x.grad.list(), v.grad.numpy().tolist()) == ([10.0], [15.0], [[0.0, 6.0, 1.0]])
