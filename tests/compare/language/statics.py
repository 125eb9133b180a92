"""`wp.static`: of globals, loop variables, functions, types and values."""

import numpy as np
from program import module


def static_functions_in_a_loop(wp):
    def make(n):
        @wp.func
        def f(x: float):
            return x * float(n) + 1.0

        return f

    fs = [make(n) for n in range(3)]

    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array2d(dtype=float)):
        i = wp.tid()
        for j in range(wp.static(len(fs))):
            y[i, j] = wp.static(fs[j])(x[i])

    y = wp.zeros((2, 3), dtype=float)
    wp.launch(k, dim=2, inputs=[wp.array([1.0, 2.0], dtype=float), y])
    return y


def static_loop_beyond_what_is_unrolled(wp):
    table = [0.5 * v * v for v in range(20)]

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        for j in range(wp.static(20)):
            y[j] = wp.static(table[j])

    y = wp.zeros(20, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y


def static_functions_beyond_what_is_unrolled(wp):
    def make(n):
        @wp.func
        def f(x: float):
            return x + float(n)

        return f

    fs = [make(n) for n in range(20)]

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        s = float(0.0)
        for j in range(wp.static(len(fs))):
            s = s * 0.5 + wp.static(fs[j])(1.0)
        y[0] = s

    y = wp.zeros(1, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y


def static_with_nested_loop_variables(wp):
    weights = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]

    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        for r in range(2):
            for c in range(3):
                y[i] += x[i] * wp.static(weights[r][c] * (r + 1))

    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[wp.array([1.0, -1.0], dtype=float), y])
    return y


def static_of_captured_instances(wp):
    text = """
import warp as wp

@wp.struct
class Inner:
    scale: float
    axis: wp.vec3

@wp.struct
class Params:
    inner: Inner
    n: int

params = Params()
params.inner.scale, params.inner.axis, params.n = 2.5, wp.vec3(0.0, 1.0, 0.0), 3

@wp.kernel
def k(y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = wp.static(params.inner.scale) * float(wp.static(params.n)) + wp.static(params.inner.axis)[1]
"""
    y = wp.zeros(2, dtype=float)
    wp.launch(module("statics_instances", text).k, dim=2, inputs=[y])
    return y


def static_methods_of_objects(wp):
    class Layout:
        def __init__(self, n):
            self.n = n

        def stride(self, k):
            return self.n**k

    layout = Layout(3)

    @wp.kernel
    def k(y: wp.array(dtype=int)):
        i = wp.tid()
        y[i] = i * wp.static(layout.stride(2)) + wp.static(layout.n)

    y = wp.zeros(3, dtype=int)
    wp.launch(k, dim=3, inputs=[y])
    return y


def static_conditions_choose_code(wp):
    def make(kind):
        @wp.kernel(module="unique")
        def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
            i = wp.tid()
            if wp.static(kind == "square"):
                y[i] = x[i] * x[i]
            elif wp.static(kind == "root"):
                y[i] = wp.sqrt(x[i])
            else:
                y[i] = -1.0

        return k

    x, out = wp.array([4.0, 9.0], dtype=float), []
    for kind in ("square", "root", "other"):
        y = wp.zeros(2, dtype=float)
        wp.launch(make(kind), dim=2, inputs=[x, y])
        out.append(y)
    return out


def static_dtypes(wp):
    def make(t):
        @wp.kernel(module="unique")
        def k(y: wp.array(dtype=t)):
            i = wp.tid()
            y[i] = wp.static(t(0.5)) * t(i)

        return k

    out = []
    for t in (wp.float32, wp.float64, wp.float16):
        y = wp.zeros(3, dtype=t)
        wp.launch(make(t), dim=3, inputs=[y])
        out.append(y)
    return out


def static_of_module_globals(wp):
    text = """
import warp as wp

LAYERS = [2.0, 4.0, 8.0]
KIND = "linear"

@wp.kernel
def k(y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = wp.static(LAYERS[1] + sum(LAYERS))
    if wp.static(KIND == "linear"):
        y[i] += wp.static(float(len(LAYERS)))

def run():
    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[y])
    return y.numpy()
"""
    return module("names_of_globals", text).run()


def static_of_variables_that_hold_constants(wp):
    @wp.kernel
    def k(y: wp.array(dtype=float)):
        t = 2.0
        n = 3
        y[0] = wp.static(t * 2.0) + float(wp.static(n + 1))

    y = wp.zeros(1, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y


def static_types_and_shapes(wp):
    n = 4
    t = wp.float64

    @wp.kernel
    def k(y: wp.array(dtype=wp.float64)):
        v = wp.static(wp.types.vector(length=n, dtype=t)(0.25))
        y[0] = wp.dot(v, v)
        y[1] = wp.static(t(n)) + v[wp.static(n - 1)]

    y = wp.zeros(2, dtype=wp.float64)
    wp.launch(k, dim=1, inputs=[y])
    return y


def static_values_of_every_kind(wp):
    v = wp.vec3(1.0, 2.0, 3.0)
    m = wp.mat22(1.0, 2.0, 3.0, 4.0)
    on = True

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        y[0] = wp.dot(wp.static(v), wp.static(v * 2.0))
        y[1] = wp.determinant(wp.static(m))
        y[2] = wp.static(float(np.pi))
        if wp.static(on and len("abc") == 3):
            y[3] = wp.static(v[1])

    y = wp.zeros(4, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y
