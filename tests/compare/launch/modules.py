"""Modules and their options, kernels that are made by hand, settings."""

from typing import Any

import numpy as np
from program import printed, program, raised


def kernels_made_by_hand(wp):
    def double(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = 2.0 * x[i]

    kernel = wp.Kernel(func=double, key="two_times")
    y = wp.zeros(2, dtype=float)
    wp.launch(kernel, dim=2, inputs=[wp.array([1.0, 2.0], dtype=float), y])
    return y, kernel.key, [a.label for a in kernel.adj.args], kernel.is_generic


def functions_and_kernels_of_a_module(wp):
    @wp.func
    def half(x: float):
        return 0.5 * x

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        y[0] = half(3.0)

    module = wp.get_module(__name__)
    y = wp.zeros(1, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y, module is k.module, module.name == __name__, "half" in module.functions, module.options["enable_backward"]


def options_of_a_kernels_module(wp):
    wp.set_module_options({"enable_backward": False, "max_unroll": 4})

    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        for i in range(8):
            y[i] = x[i] * float(i)

    options = wp.get_module_options()
    x = wp.ones(8, dtype=float, requires_grad=True)
    y = wp.zeros(8, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(k, dim=1, inputs=[x], outputs=[y])
    tape.backward(grads={y: wp.ones(8, dtype=float)})
    return y, x.grad, options["enable_backward"], options["max_unroll"]


def kernels_of_a_closure(wp):
    """One text, several numbers: each kernel keeps its own."""

    def make(factor):
        @wp.kernel
        def k(y: wp.array(dtype=float)):
            y[0] = y[0] * 10.0 + factor

        return k

    kernels = [make(float(f)) for f in range(1, 4)]
    y = wp.zeros(1, dtype=float)
    for k in kernels:
        wp.launch(k, dim=1, inputs=[y])
    for k in reversed(kernels):
        wp.launch(k, dim=1, inputs=[y])
    return y


def unique_modules(wp):
    def make(n):
        @wp.kernel(module="unique")
        def k(y: wp.array(dtype=int)):
            y[0] = wp.static(n)

        return k

    a, b, c = make(1), make(1), make(2)
    y = wp.zeros(1, dtype=int)
    wp.launch(c, dim=1, inputs=[y])
    return y, a is b, a is c, a.module is not c.module


def constants_of_a_class(wp):
    class Limits:
        LOW = wp.constant(-1.5)
        COUNT = wp.constant(3)
        AXIS = wp.constant(wp.vec3(0.0, 1.0, 0.0))

    @wp.kernel
    def k(x: wp.array(dtype=float), v: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        x[i] = wp.max(x[i], Limits.LOW) * float(Limits.COUNT)
        v[i] = Limits.AXIS * x[i]

    x, v = wp.array([-2.0, 1.0], dtype=float), wp.zeros(2, dtype=wp.vec3)
    wp.launch(k, dim=2, inputs=[x, v])
    return x, v


def what_static_may_compute(wp):
    table = {"a": 2.0, "b": 0.5}
    names = ["a", "b"]

    @wp.func
    def plus(x: float):
        return x + 1.0

    @wp.func
    def minus(x: float):
        return x - 1.0

    functions = [plus, minus]

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        i = wp.tid()
        total = float(0.0)
        for n in range(2):
            total += wp.static(table[names[n]]) * wp.static(functions[n])(float(i))
        y[i] = total * wp.static(np.sqrt(16.0).item()) + wp.static(float(len(names)))

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[y])
    return y


def printed_launches(wp):
    @wp.kernel
    def hello(n: int):
        i = wp.tid()
        if i < n:
            print(i)
        wp.printf("%d %s %.2f\n", i, "is", 0.5)

    return printed(wp, lambda: wp.launch(hello, dim=1, inputs=[1]))


@program(exact=True)
def generic_instances_keep_their_options(wp):
    @wp.kernel(enable_backward=False)
    def k(x: wp.array(dtype=Any), y: wp.array(dtype=Any)):
        i = wp.tid()
        y[i] = x[i] + x.dtype(1)

    out = []
    for dtype in (wp.int8, wp.uint32, wp.float16, wp.float64):
        x, y = wp.array([1, 2], dtype=dtype), wp.zeros(2, dtype=dtype)
        wp.launch(k, dim=2, inputs=[x, y])
        out.append(y)
    return out


def wrong_settings_of_kernels(wp):
    def body(x: wp.array(dtype=float)):
        x[0] = 1.0

    return [
        raised(lambda: wp.kernel(module_options={"max_unroll": 1})(body)),
        raised(wp.overload, wp.kernel(body)),
        raised(wp.launch, body, dim=1, inputs=[wp.zeros(1, dtype=float)]),
    ]
