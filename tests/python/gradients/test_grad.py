"""`wp.grad(f)(x)` in kernels: exact partial derivatives."""

from __future__ import annotations

import math

import numpy as np
import pytest
import warp as wp


@wp.struct
class Point:
    x: wp.float64
    v: wp.vec2d
    n: int


@wp.func
def cube(x: wp.float64):
    return x * x * x


@wp.func
def mixed(x: wp.float64, y: wp.vec2d, n: int):
    return x * x * wp.dot(y, y) * wp.float64(n)


@wp.func
def two(x: wp.float64):
    return x * x, wp.sin(x)


@wp.func
def vector(x: wp.float64):
    return wp.vec2d(x * x, x)


@wp.func
def collapse(x: wp.float64, n: int):
    v = x
    for _ in range(n):
        v = wp.sin(v) * v
    return v


@wp.func
def steps(x: wp.float64):
    v = x
    while v < wp.float64(100.0):
        if v > wp.float64(10.0):
            v = v * v
        else:
            v = v * x
    return v


cube_slope = wp.grad(cube)


def run(kernel, *values, count):
    out = wp.zeros(count, dtype=wp.float64)
    wp.launch(kernel, dim=1, inputs=[*values, out])
    return out.numpy()


def test_one_argument_and_several():
    @wp.kernel
    def k(x: wp.float64, out: wp.array(dtype=wp.float64)):
        out[0] = wp.grad(cube)(x)
        a, b, c = wp.grad(mixed)(x, wp.vec2d(wp.float64(1.0), wp.float64(3.0)), 4)
        out[1] = a
        out[2] = b[0]
        out[3] = b[1]
        out[4] = wp.float64(c)

    assert run(k, 2.0, count=5).tolist() == [12.0, 160.0, 32.0, 96.0, 0.0]


def test_builtins_values_and_names():
    @wp.kernel
    def k(x: wp.float64, out: wp.array(dtype=wp.float64)):
        slope = wp.grad(wp.sin)
        out[0] = slope(x)
        a, b = wp.grad(wp.atan2)(x, x + x)
        out[1] = a
        out[2] = b
        out[3] = cube_slope(x)

    expected = [math.cos(0.5), 1.0 / 1.25, -0.5 / 1.25, 0.75]
    assert run(k, 0.5, count=4) == pytest.approx(expected, rel=1e-14)


def test_several_results_count_together():
    @wp.kernel
    def k(x: wp.float64, out: wp.array(dtype=wp.float64)):
        out[0] = wp.grad(two)(x)
        out[1] = wp.grad(vector)(x)

    assert run(k, 2.0, count=2) == pytest.approx([4.0 + math.cos(2.0), 5.0], rel=1e-14)


def test_equal_arguments_are_told_apart():
    @wp.func
    def difference(a: wp.float64, b: wp.float64):
        return a * a - wp.float64(3.0) * b

    @wp.kernel
    def k(x: wp.float64, out: wp.array(dtype=wp.float64)):
        a, b = wp.grad(difference)(x, x)
        out[0] = a
        out[1] = b

    assert run(k, 5.0, count=2).tolist() == [10.0, -3.0]


def test_structs():
    @wp.func
    def f(p: Point):
        return p.x * p.v[1] * wp.float64(p.n)

    @wp.kernel
    def k(x: wp.float64, out: wp.array(dtype=wp.float64)):
        p = Point()
        p.x = x
        p.v = wp.vec2d(x, x + x)
        p.n = 3
        g = wp.grad(f)(p)
        out[0] = g.x
        out[1] = g.v[0]
        out[2] = g.v[1]
        out[3] = wp.float64(g.n)

    assert run(k, 2.0, count=4).tolist() == [12.0, 0.0, 6.0, 0.0]


@pytest.mark.parametrize("n", [0, 1, 7, 40])
def test_loops_of_run_time_length(n):
    @wp.kernel
    def k(x: wp.float64, n: int, out: wp.array(dtype=wp.float64)):
        out[0] = wp.grad(collapse)(x, n)[0]
        out[1] = wp.grad(steps)(x)

    def loop(x):
        for _ in range(n):
            x = math.sin(x) * x
        return x

    found = run(k, 1.3, n, count=2)
    h = 1e-6
    assert found[0] == pytest.approx((loop(1.3 + h) - loop(1.3 - h)) / (2 * h), rel=1e-6, abs=1e-9)

    def grow(x):
        v = x
        while v < 100.0:
            v = v * v if v > 10.0 else v * x
        return v

    assert found[1] == pytest.approx((grow(1.3 + h) - grow(1.3 - h)) / (2 * h), rel=1e-6)


def test_newton_steps_in_a_loop():
    @wp.func
    def f(x: wp.float64):
        return x * x - wp.float64(2.0)

    @wp.kernel
    def k(x: wp.float64, rounds: int, out: wp.array(dtype=wp.float64)):
        for _ in range(rounds):
            x = x - f(x) / wp.grad(f)(x)
        out[0] = x

    assert run(k, 1.0, 8, count=1)[0] == pytest.approx(math.sqrt(2.0), rel=1e-15)


def test_elements_that_the_function_reads():
    @wp.kernel
    def k(x: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
        i = wp.tid()
        out[i] = wp.grad(cube)(x[i])

    x = wp.array([1.0, 2.0, 3.0], dtype=wp.float64, requires_grad=True)
    out = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(k, dim=3, inputs=[x], outputs=[out])
    assert out.numpy().tolist() == [3.0, 12.0, 27.0]
    # The derivative of the derivative.
    tape.backward(grads={out: wp.ones(3, dtype=wp.float64)})
    assert x.grad.numpy().tolist() == [6.0, 12.0, 18.0]


def test_the_derivative_of_a_derivative_of_a_loop():
    @wp.kernel
    def k(x: wp.array(dtype=wp.float64), n: int, out: wp.array(dtype=wp.float64)):
        out[0] = wp.grad(collapse)(x[0], n)[0]

    def slope(x):
        d = 1.0
        for _ in range(5):
            x, d = math.sin(x) * x, (math.cos(x) * x + math.sin(x)) * d
        return d

    x = wp.array([1.3], dtype=wp.float64, requires_grad=True)
    out = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(k, dim=1, inputs=[x, 5], outputs=[out])
    assert out.numpy()[0] == pytest.approx(slope(1.3), rel=1e-12)
    tape.backward(grads={out: wp.ones(1, dtype=wp.float64)})
    h = 1e-6
    assert x.grad.numpy()[0] == pytest.approx((slope(1.3 + h) - slope(1.3 - h)) / (2 * h), rel=1e-6)


def test_a_gradient_within_a_function_whose_gradient_is_asked_for():
    @wp.func
    def slope(x: wp.float64):
        return wp.grad(cube)(x)

    @wp.kernel
    def k(x: wp.float64, out: wp.array(dtype=wp.float64)):
        out[0] = wp.grad(slope)(x)

    assert run(k, 3.0, count=1).tolist() == [18.0]


def test_generic_functions():
    @wp.func
    def square(x: wp.Float):
        return x * x

    @wp.kernel
    def k(out: wp.array(dtype=wp.float64)):
        out[0] = wp.grad(square)(wp.float64(3.0))
        out[1] = wp.float64(wp.grad(square)(4.0))

    assert run(k, count=2).tolist() == [6.0, 8.0]


def test_refusals():
    @wp.func
    def store(a: wp.array(dtype=float), x: float):
        a[0] = x
        return x

    @wp.func
    def nothing(x: float):
        wp.print(x)

    @wp.func
    def count(x: float):
        return int(x)

    def kernel_of(call):
        return {
            "array": lambda: wp.kernel(k_array),
            "nothing": lambda: wp.kernel(k_nothing),
            "count": lambda: wp.kernel(k_count),
            "number": lambda: wp.kernel(k_number),
        }[call]()

    def k_array(a: wp.array(dtype=float)):
        wp.grad(store)(a, 1.0)

    def k_nothing(a: wp.array(dtype=float)):
        a[0] = wp.grad(nothing)(1.0)

    def k_count(a: wp.array(dtype=float)):
        a[0] = wp.grad(count)(1.0)

    def k_number(a: wp.array(dtype=float)):
        a[0] = wp.grad(1.0)(1.0)

    for call, says in [
        ("array", r"no derivative with respect to array\(float32, ndim=1\)"),
        ("nothing", "the function gives None, of which there is no gradient"),
        ("count", "the function gives int32, of which there is no gradient"),
        ("number", "`grad` takes a function, this is float32"),
    ]:
        with pytest.raises(TypeError, match=says):
            wp.launch(kernel_of(call), dim=1, inputs=[wp.zeros(1)])
    with pytest.raises(TypeError, match="expected a function with @wp.func or a builtin, found function"):
        wp.grad(run)
    with pytest.raises(RuntimeError, match="derivatives are formed in kernels"):
        wp.grad(cube)(2.0)


def test_native_functions_are_refused_where_they_are_called():
    @wp.func_native("return x + 1.0f;")
    def more(x: float) -> float:
        """One more."""

    @wp.kernel
    def k(x: wp.array(dtype=float)):
        x[0] = more(x[0])

    assert (more.__name__, more.__doc__) == ("more", "One more.")
    says = "C.. snippets are not compiled; write the function in Python"
    with pytest.raises(TypeError, match=f"`more` is not supported[^~]*{says}"):
        wp.launch(k, dim=1, inputs=[wp.zeros(1)])
    with pytest.raises(NotImplementedError, match=f"func_native is not supported: {says}"):
        more(1.0)


def test_rotations_against_differences():
    @wp.func
    def turned(q: wp.quatd, v: wp.vec3d):
        r = wp.quat_rotate(wp.normalize(q), v)
        return r[0] * wp.float64(2.0) + r[1] * r[2]

    @wp.kernel
    def k(q: wp.quatd, v: wp.vec3d, out: wp.array(dtype=wp.float64)):
        dq, dv = wp.grad(turned)(q, v)
        for i in range(4):
            out[i] = dq[i]
        for i in range(3):
            out[4 + i] = dv[i]
        out[7] = turned(q, v)

    at = np.array([0.1, 0.7, -0.3, 0.5, 1.0, -2.0, 0.5])

    def value(at):
        return run(k, wp.quatd(*at[:4]), wp.vec3d(*at[4:]), count=8)

    found, h = value(at)[:7], 1e-6
    differences = [(value(at + h * e)[7] - value(at - h * e)[7]) / (2 * h) for e in np.eye(7)]
    assert found == pytest.approx(differences, rel=1e-6, abs=1e-9)


@wp.func
def applied(f: wp.Function, x: float, y: float):
    return f(x) * y


@wp.func
def cubed(x: float):
    return x * x * x


def test_functions_that_take_functions():
    @wp.kernel
    def k(out: wp.array(dtype=float)):
        dx, dy = wp.grad(applied)(cubed, 2.0, 5.0)
        out[0] = dx
        out[1] = dy

    out = wp.zeros(2)
    wp.launch(k, 1, [out])
    assert out.list() == [60.0, 8.0]
