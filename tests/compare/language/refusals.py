"""Kernels and launches that are refused, by the classes of their exceptions.

Each kernel is a module of its own: the peer compiles all kernels of a module, and fails at the first bad one.
"""

import numpy as np
from program import program, raised


def _fails(wp, kernel, *inputs):
    return raised(wp.launch, kernel, dim=1, inputs=list(inputs))


def mixed_types(wp):
    @wp.kernel(module="unique")
    def add(y: wp.array(dtype=float)):
        y[0] = y[0] + 1

    @wp.kernel(module="unique")
    def vectors(y: wp.array(dtype=float)):
        v = wp.vec3(1.0, 2.0, 3.0) + wp.vec2(1.0, 2.0)
        y[0] = v[0]

    @wp.kernel(module="unique")
    def wide(y: wp.array(dtype=float)):
        y[0] = y[0] * wp.float64(2.0)

    y = wp.zeros(1, dtype=float)
    return [_fails(wp, k, y) for k in (add, vectors, wide)]


def floats_compared_with_integers(wp):
    @wp.kernel(module="unique")
    def k(x: wp.array(dtype=float), y: wp.array(dtype=int)):
        i = wp.tid()
        if x[i] > 1:
            y[i] = 1

    y = wp.zeros(3, dtype=int)
    wp.launch(k, dim=3, inputs=[wp.array([0.5, 1.0, 1.5], dtype=float), y])
    return y


def wrong_stores(wp):
    @wp.kernel(module="unique")
    def number(y: wp.array(dtype=float)):
        y[0] = 1

    @wp.kernel(module="unique")
    def vector(y: wp.array(dtype=float)):
        y[0] = wp.vec2(1.0, 2.0)

    y = wp.zeros(1, dtype=float)
    return [_fails(wp, k, y) for k in (number, vector)]


def wrong_calls_of_builtins(wp):
    @wp.kernel(module="unique")
    def few(y: wp.array(dtype=float)):
        y[0] = wp.sin()

    @wp.kernel(module="unique")
    def many(y: wp.array(dtype=float)):
        y[0] = wp.sin(1.0, 2.0)

    @wp.kernel(module="unique")
    def types(y: wp.array(dtype=float)):
        y[0] = wp.dot(wp.vec2(1.0, 2.0), wp.vec3(1.0, 2.0, 3.0))

    @wp.kernel(module="unique")
    def integer(y: wp.array(dtype=float)):
        y[0] = wp.sqrt(4)

    y = wp.zeros(1, dtype=float)
    return [_fails(wp, k, y) for k in (few, many, types, integer)]


def wrong_calls_of_functions(wp):
    @wp.func
    def f(x: float, n: int):
        return x * float(n)

    @wp.kernel(module="unique")
    def few(y: wp.array(dtype=float)):
        y[0] = f(1.0)

    @wp.kernel(module="unique")
    def types(y: wp.array(dtype=float)):
        y[0] = f(1, 1.0)

    @wp.kernel(module="unique")
    def keyword(y: wp.array(dtype=float)):
        y[0] = f(1.0, m=2)

    y = wp.zeros(1, dtype=float)
    return [_fails(wp, k, y) for k in (few, types, keyword)]


def functions_of_python(wp):
    def plain(x):
        return x * 2.0

    @wp.kernel(module="unique")
    def k(y: wp.array(dtype=float)):
        y[0] = plain(1.0)

    return _fails(wp, k, wp.zeros(1, dtype=float))


def attributes_that_are_missing(wp):
    @wp.struct
    class S:
        a: float

    @wp.kernel(module="unique")
    def builtin(y: wp.array(dtype=float)):
        y[0] = wp.no_such_function(1.0)

    @wp.kernel(module="unique")
    def field(s: S, y: wp.array(dtype=float)):
        y[0] = s.b

    @wp.kernel(module="unique")
    def component(y: wp.array(dtype=float)):
        v = wp.vec2(1.0, 2.0)
        y[0] = v.q

    y = wp.zeros(1, dtype=float)
    return _fails(wp, builtin, y), _fails(wp, field, S(), y), _fails(wp, component, y)


def values_returned_by_kernels(wp):
    @wp.kernel(module="unique")
    def k(y: wp.array(dtype=float)):
        return y[0]

    return _fails(wp, k, wp.zeros(1, dtype=float))


def annotations_that_are_missing(wp):
    def kernel():
        @wp.kernel(module="unique")
        def k(y):
            y[0] = 1.0

        wp.launch(k, dim=1, inputs=[wp.zeros(1, dtype=float)])

    def strange():
        @wp.kernel(module="unique")
        def k(y: str):
            pass

        wp.launch(k, dim=1, inputs=["a"])

    return raised(kernel), raised(strange)


def statements_that_there_are_not(wp):
    @wp.kernel(module="unique")
    def comprehension(y: wp.array(dtype=float)):
        v = [float(j) for j in range(3)]
        y[0] = v[0]

    @wp.kernel(module="unique")
    def handler(y: wp.array(dtype=float)):
        try:
            y[0] = 1.0
        except ValueError:
            y[0] = 2.0

    @wp.kernel(module="unique")
    def context(y: wp.array(dtype=float)):
        with y:
            y[0] = 1.0

    @wp.kernel(module="unique")
    def dictionary(y: wp.array(dtype=float)):
        d = {1: 2.0}
        y[0] = d[1]

    y = wp.zeros(1, dtype=float)
    return [_fails(wp, k, y) for k in (comprehension, handler, context, dictionary)]


@program(decided="kernel: statement that there is not")
def lambdas_and_inner_functions(wp):
    @wp.kernel(module="unique")
    def inner(y: wp.array(dtype=float)):
        def f(x: float):
            return x

        y[0] = f(1.0)

    @wp.kernel(module="unique")
    def anonymous(y: wp.array(dtype=float)):
        f = lambda x: x  # noqa: E731
        y[0] = f(1.0)

    y = wp.zeros(1, dtype=float)
    return _fails(wp, inner, y), _fails(wp, anonymous, y)


def wrong_indices_in_kernels(wp):
    @wp.kernel(module="unique")
    def many(y: wp.array(dtype=float)):
        y[0, 0] = 1.0

    @wp.kernel(module="unique")
    def fraction(y: wp.array(dtype=float)):
        y[1.0] = 1.0

    @wp.kernel(module="unique")
    def number(y: wp.array(dtype=float)):
        a = 1.0
        y[0] = a[0]

    y = wp.zeros(2, dtype=float)
    return [_fails(wp, k, y) for k in (many, fraction, number)]


def unpacking_that_does_not_fit(wp):
    @wp.func
    def pair(x: float):
        return x, x

    @wp.kernel(module="unique")
    def k(y: wp.array(dtype=float)):
        a, b, c = pair(1.0)
        y[0] = a + b + c

    @wp.kernel(module="unique")
    def single(y: wp.array(dtype=float)):
        a, b = wp.sin(1.0)
        y[0] = a + b

    y = wp.zeros(1, dtype=float)
    return _fails(wp, k, y), _fails(wp, single, y)


def functions_that_call_themselves(wp):
    @wp.func
    def down(n: int):
        if n <= 0:
            return 0
        return down(n - 1)

    @wp.kernel(module="unique")
    def k(y: wp.array(dtype=int)):
        y[0] = down(3)

    return _fails(wp, k, wp.zeros(1, dtype=int))


def results_of_two_types(wp):
    @wp.func
    def f(x: float):
        if x > 0.0:
            return 1.0
        return 1

    @wp.kernel(module="unique")
    def k(y: wp.array(dtype=float)):
        y[0] = f(y[0])

    return _fails(wp, k, wp.zeros(1, dtype=float))


def kernels_called_by_kernels(wp):
    @wp.kernel(module="unique")
    def inner(y: wp.array(dtype=float)):
        y[0] = 1.0

    @wp.kernel(module="unique")
    def outer(y: wp.array(dtype=float)):
        inner(y)

    return _fails(wp, outer, wp.zeros(1, dtype=float)), raised(inner, wp.zeros(1, dtype=float))


def arguments_of_launches(wp):
    @wp.kernel(module="unique")
    def k(x: wp.array(dtype=float), n: int, v: wp.vec2):
        pass

    x, v = wp.zeros(1, dtype=float), wp.vec2(1.0, 2.0)
    return [
        _fails(wp, k, x, 1),
        _fails(wp, k, x, 1, v, 2),
        _fails(wp, k, x, "a", v),
        _fails(wp, k, x, None, v),
        _fails(wp, k, wp.zeros(1, dtype=int), 1, v),
        _fails(wp, k, wp.zeros((1, 1), dtype=float), 1, v),
        _fails(wp, k, 3.0, 1, v),
        _fails(wp, k, x, 1, (1.0, 2.0, 3.0)),
    ]


def dimensions_of_launches(wp):
    @wp.kernel(module="unique")
    def k(x: wp.array(dtype=float)):
        i = wp.tid()
        x[i] = 1.0

    x = wp.zeros(1, dtype=float)
    return [
        raised(wp.launch, k, dim=(1, 1, 1, 1, 1), inputs=[x]),
        raised(wp.launch, k, dim="a", inputs=[x]),
        raised(wp.launch, k, dim=None, inputs=[x]),
        raised(wp.launch, k, dim=0, inputs=[x]),
        raised(wp.launch, "k", dim=1, inputs=[x]),
        raised(wp.launch, k, dim=1, inputs=[x], device="nowhere:7"),
    ]


def devices_by_name(wp):
    return raised(wp.get_device, "nowhere"), raised(wp.set_device, "cuda:99"), raised(wp.get_device, 3.5)


def captured_arrays(wp):
    a = wp.zeros(1, dtype=float)

    @wp.kernel(module="unique")
    def k(y: wp.array(dtype=float)):
        y[0] = a[0]

    return _fails(wp, k, wp.zeros(1, dtype=float))


def static_expressions_that_fail(wp):
    def unknown():
        @wp.kernel(module="unique")
        def k(y: wp.array(dtype=float)):
            y[0] = wp.static(nowhere * 2.0)  # noqa: F821

        wp.launch(k, dim=1, inputs=[wp.zeros(1, dtype=float)])

    def variable():
        @wp.kernel(module="unique")
        def k(y: wp.array(dtype=float)):
            t = y[0]
            y[0] = wp.static(t * 2.0)

        wp.launch(k, dim=1, inputs=[wp.zeros(1, dtype=float)])

    return raised(unknown), raised(variable)


def constants_of_other_types(wp):
    return [
        raised(wp.constant, "text"),
        raised(wp.constant, [1, 2]),
        raised(wp.constant, None),
        wp.constant(3),
        wp.constant(wp.vec2(1.0, 2.0)),
    ]


@program(decided="index beyond an array on the host")
def indices_beyond_arrays(wp):
    a = wp.zeros((2, 3), dtype=float)
    return raised(lambda: a[2]), raised(lambda: a[0, 3]), raised(lambda: a[-3])


def data_of_arrays(wp):
    return [
        raised(wp.array, "text", dtype=float),
        raised(wp.array, 3.0, dtype=float),
        raised(wp.array, [[1.0], [2.0, 3.0]], dtype=float),
        raised(wp.array, np.array(["a"]), dtype=float),
        raised(wp.array, [1.0], dtype=str),
        raised(wp.array, [1.0], dtype=float, device="nowhere"),
    ]


def graphs_without_a_capture(wp):
    return raised(wp.capture_end)


def types_of_fields(wp):
    def strange():
        @wp.struct
        class S:
            a: str

        S()

    def value():
        @wp.struct
        class S:
            a: 3

        S()

    return raised(strange) != "nothing", raised(value) != "nothing"


def overloads_that_do_not_fit(wp):
    from typing import Any

    @wp.kernel(module="unique")
    def generic(x: wp.array(dtype=Any)):
        x[0] = x[0] + x[0]

    @wp.kernel(module="unique")
    def plain(x: wp.array(dtype=float)):
        x[0] = 1.0

    return [
        raised(wp.overload, plain, [wp.array(dtype=float)]),
        raised(wp.overload, generic, [float, float]),
        raised(wp.overload, generic, {"z": float}),
    ]
