"""Generic kernels and functions, overloads, functions with gradients of their own."""

from typing import Any

import numpy as np
from program import gradients, program, raised


def generic_functions(wp):
    @wp.func
    def twice(x: Any):
        return x + x

    @wp.kernel
    def k(y: wp.array(dtype=float), n: wp.array(dtype=int), v: wp.array(dtype=wp.vec2)):
        y[0] = twice(1.5)
        n[0] = twice(3)
        v[0] = twice(wp.vec2(1.0, 2.0))

    y, n, v = wp.zeros(1, dtype=float), wp.zeros(1, dtype=int), wp.zeros(1, dtype=wp.vec2)
    wp.launch(k, dim=1, inputs=[y, n, v])
    return y, n, v


def generic_kernels(wp):
    @wp.kernel
    def scale(x: wp.array(dtype=Any), s: Any):
        i = wp.tid()
        x[i] = s * x[i]

    out = []
    for dtype, s in ((float, 2.0), (int, 3), (wp.float64, wp.float64(0.5))):
        x = wp.array([1, 2, 3], dtype=dtype)
        wp.launch(scale, dim=3, inputs=[x, s])
        out.append(x)
    return out


def generic_kernels_of_vectors(wp):
    @wp.kernel
    def scale(x: wp.array(dtype=Any), s: Any):
        i = wp.tid()
        x[i] = x[i] * s

    x = wp.array([[1.0, 2.0]], dtype=wp.vec2)
    y = wp.array([[1.0, 2.0, 3.0]], dtype=wp.vec3d)
    wp.launch(scale, dim=1, inputs=[x, 2.0])
    wp.launch(scale, dim=1, inputs=[y, wp.float64(3.0)])
    return x, y


def overloads_of_a_generic_kernel(wp):
    @wp.kernel
    def scale(x: wp.array(dtype=Any), s: Any):
        i = wp.tid()
        x[i] = s * x[i]

    of_float = wp.overload(scale, [wp.array(dtype=float), float])
    of_int = wp.overload(scale, {"x": wp.array(dtype=int), "s": int})
    x, n = wp.array([1.0], dtype=float), wp.array([2], dtype=int)
    wp.launch(of_float, dim=1, inputs=[x, 2.0])
    wp.launch(of_int, dim=1, inputs=[n, 5])
    return x, n, scale.is_generic, of_float.is_generic, raised(wp.overload, scale, [float])


def overload_by_a_stub(wp):
    @wp.kernel
    def fill(x: wp.array(dtype=Any), s: Any):
        i = wp.tid()
        x[i] = s

    @wp.overload
    def fill(x: wp.array(dtype=float), s: float): ...  # noqa: F811

    x = wp.zeros(2, dtype=float)
    wp.launch(fill, dim=2, inputs=[x, 4.0])
    return x


def scalar_type_variables(wp):
    @wp.func
    def blend(a: wp.Float, b: wp.Float):
        return (a + b) / type(a)(2)

    @wp.kernel
    def k(x: wp.array(dtype=wp.Float)):
        i = wp.tid()
        x[i] = blend(x[i], x[0])

    x, y = wp.array([1.0, 2.0], dtype=wp.float64), wp.array([1.0, 2.0], dtype=wp.float16)
    wp.launch(k, dim=2, inputs=[x])
    wp.launch(k, dim=2, inputs=[y])
    return x, y


def generic_vectors_of_any_length(wp):
    @wp.func
    def total(v: wp.types.vector(length=Any, dtype=float)):
        s = float(0.0)
        for i in range(len(v)):
            s += v[i]
        return s

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        y[0] = total(wp.vec2(1.0, 2.0))
        y[1] = total(wp.vec4(1.0, 2.0, 3.0, 4.0))

    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y


def functions_of_one_name(wp):
    @wp.func
    def area(r: float):
        return 3.0 * r * r

    @wp.func
    def area(w: float, h: float):  # noqa: F811
        return w * h

    @wp.func
    def area(n: int):  # noqa: F811
        return float(n) * 100.0

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        y[0] = area(2.0)
        y[1] = area(2.0, 3.0)
        y[2] = area(2)

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y


def types_of_values(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.float64), v: wp.array(dtype=wp.vec3d), y: wp.array(dtype=wp.float64)):
        a = x[0]
        y[0] = type(a)(2.5) * a
        y[1] = x.dtype(3)
        y[2] = v.dtype.dtype(4.0) if False else x.dtype(4.0)

    y = wp.zeros(3, dtype=wp.float64)
    wp.launch(k, dim=1, inputs=[wp.ones(1, dtype=wp.float64), wp.zeros(1, dtype=wp.vec3d), y])
    return y


def gradient_written_by_hand(wp):
    @wp.func
    def safe_sqrt(x: float):
        return wp.sqrt(x)

    @wp.func_grad(safe_sqrt)
    def adj_safe_sqrt(x: float, adj_ret: float):
        if x > 0.0:
            wp.adjoint[x] += 1.0 / (2.0 * wp.sqrt(x)) * adj_ret

    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = safe_sqrt(x[i])

    x = wp.array([0.0, 1.0, 4.0], dtype=float, requires_grad=True)
    return gradients(wp, k, 3, [x], [wp.zeros(3, dtype=float, requires_grad=True)])


def gradient_of_a_replayed_function(wp):
    @wp.func
    def scaled(x: float, f: float):
        return x * f

    @wp.func_replay(scaled)
    def replay_scaled(x: float, f: float):
        return x * f

    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = scaled(x[i], 3.0) * x[i]

    x = wp.array([1.0, 4.0], dtype=float, requires_grad=True)
    return gradients(wp, k, 2, [x], [wp.zeros(2, dtype=float, requires_grad=True)])


def partial_derivatives_in_kernels(wp):
    @wp.func
    def f(x: float, y: float):
        return x * x * y

    @wp.kernel
    def k(out: wp.array(dtype=float)):
        gx, gy = wp.grad(f)(3.0, 2.0)
        out[0] = gx
        out[1] = gy

    out = wp.zeros(2, dtype=float)
    wp.launch(k, dim=1, inputs=[out])
    return out


def maps_of_functions(wp):
    @wp.func
    def poly(x: float, a: float):
        return x * x + a

    x = wp.array([1.0, 2.0, 3.0], dtype=float)
    return [
        wp.map(wp.sin, x),
        wp.map(poly, x, 1.0),
        wp.map(lambda a, b: a * b + 1.0, x, x),
        wp.map(wp.clamp, x, 1.5, 2.5),
    ]


def maps_into_given_arrays(wp):
    @wp.func
    def both(x: float):
        return x + 1.0, x * 2.0

    x = wp.array(np.arange(6, dtype=np.float32).reshape(2, 3))
    a, b = wp.zeros_like(x), wp.zeros_like(x)
    wp.map(both, x, out=[a, b])
    return a, b, raised(wp.map, wp.sin, 1.0)


def gradients_of_maps(wp):
    x = wp.array([1.0, 2.0, 3.0], dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        y = wp.map(lambda a: a * a * a, x)
    tape.backward(grads={y: wp.ones(3, dtype=float)})
    return y, x.grad


@program(decided="`wp.func_native`")
def native_snippets(wp):
    snippet = "return x * x + 1.0f;"

    @wp.func_native(snippet)
    def f(x: float) -> float: ...

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        y[0] = f(3.0)

    y = wp.zeros(1, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y


def generic_kernels_of_structs(wp):
    @wp.struct
    class A:
        v: float

    @wp.struct
    class B:
        v: int

    @wp.kernel
    def k(s: Any, y: wp.array(dtype=float)):
        y[0] = float(s.v) * 2.0

    a, b, out = A(), B(), []
    a.v, b.v = 1.5, 4
    for s in (a, b):
        y = wp.zeros(1, dtype=float)
        wp.launch(k, dim=1, inputs=[s, y])
        out.append(y)
    return out


def kernels_with_arrays_of_any_dimension(wp):
    @wp.kernel
    def total(x: wp.array(dtype=Any, ndim=2), y: wp.array(dtype=Any)):
        i, j = wp.tid()
        wp.atomic_add(y, 0, x[i, j])

    y = wp.zeros(1, dtype=wp.float64)
    wp.launch(total, dim=(2, 3), inputs=[wp.ones((2, 3), dtype=wp.float64), y])
    return y


@program(exact=True)
def generic_functions_of_arrays(wp):
    @wp.func
    def first(a: wp.array(dtype=Any), i: int):
        return a[i] + a[i]

    @wp.kernel
    def k(x: wp.array(dtype=float), n: wp.array(dtype=wp.int64), y: wp.array(dtype=float), m: wp.array(dtype=wp.int64)):
        i = wp.tid()
        y[i] = first(x, i)
        m[i] = first(n, i)

    y, m = wp.zeros(2, dtype=float), wp.zeros(2, dtype=wp.int64)
    wp.launch(k, dim=2, inputs=[wp.array([1.0, 2.0], dtype=float), wp.array([3, 4], dtype=wp.int64), y, m])
    return y, m


def local_arrays(wp):
    @wp.kernel
    def k(y: wp.array2d(dtype=int)):
        i = wp.tid()
        counts = wp.zeros(shape=(4,), dtype=int)
        for j in range(10):
            counts[(j * (i + 1)) % 4] += 1
        for j in range(4):
            y[i, j] = counts[j]

    y = wp.zeros((3, 4), dtype=int)
    wp.launch(k, dim=3, inputs=[y])
    return y


def matrices_of_any_shape(wp):
    @wp.func
    def trace_of(m: wp.types.matrix(shape=(Any, Any), dtype=wp.Float)):
        return m[0, 0] + m[1, 1]

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        y[0] = trace_of(wp.mat22(1.0, 2.0, 3.0, 4.0))
        y[1] = trace_of(wp.mat33(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0))

    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y


def functions_as_arguments(wp):
    @wp.func
    def apply(f: wp.Function, x: float):
        return f(x) + f(2.0 * x)

    @wp.func
    def cube(x: float):
        return x * x * x

    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        g = wp.cos
        y[i] = apply(cube, x[i]) + apply(wp.sin, x[i]) + g(x[i])

    x = wp.array([0.5, 1.5], dtype=float, requires_grad=True)
    return gradients(wp, k, 2, [x], [wp.zeros(2, dtype=float, requires_grad=True)])


def defaults_and_keywords(wp):
    @wp.func
    def f(x: float, scale: float = 2.0, shift: float = 1.0):
        return x * scale + shift

    @wp.kernel
    def k(x: float, y: wp.array(dtype=float)):
        y[0] = f(x)
        y[1] = f(x, 3.0)
        y[2] = f(x, shift=10.0)
        y[3] = f(scale=0.5, x=x)
        y[4] = wp.clamp(x, low=0.0, high=1.0)

    y = wp.zeros(5, dtype=float)
    wp.launch(k, dim=1, inputs=[4.0, y])
    return y


def stars_in_calls(wp):
    @wp.func
    def volume(a: float, b: float, c: float):
        return a * b * c

    @wp.kernel
    def k(v: wp.array(dtype=wp.vec3), y: wp.array(dtype=float), w: wp.array(dtype=wp.vec4)):
        i = wp.tid()
        y[i] = volume(*v[i])
        w[i] = wp.vec4(*v[i], 1.0)

    y, w = wp.zeros(2, dtype=float), wp.zeros(2, dtype=wp.vec4)
    wp.launch(k, dim=2, inputs=[wp.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=wp.vec3), y, w])
    return y, w


def generic_kernels_with_matrices_and_gradients(wp):
    @wp.kernel
    def k(m: wp.array(dtype=Any), x: wp.array(dtype=Any), y: wp.array(dtype=Any)):
        i = wp.tid()
        y[i] = m[i] * x[i]

    m = wp.array([[[1.0, 2.0], [3.0, 4.0]]], dtype=wp.mat22, requires_grad=True)
    x = wp.array([[5.0, 6.0]], dtype=wp.vec2, requires_grad=True)
    return gradients(wp, k, 1, [m, x], [wp.zeros(1, dtype=wp.vec2, requires_grad=True)])


def vectors_of_any_length_in_kernels(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.types.vector(length=Any, dtype=wp.Float)), y: wp.array(dtype=wp.Float)):
        i = wp.tid()
        v = x[i]
        total = v[0] - v[0]
        for j in range(len(v)):
            total += v[j] * v[j]
        y[i] = wp.sqrt(total)

    out = []
    for t, s in ((wp.vec2, float), (wp.vec4d, wp.float64)):
        n = wp.types.type_size(t)
        x, y = wp.array(np.arange(1.0, 2 * n + 1).reshape(2, n), dtype=t), wp.zeros(2, dtype=s)
        wp.launch(k, dim=2, inputs=[x, y])
        out.append(y)
    return out
