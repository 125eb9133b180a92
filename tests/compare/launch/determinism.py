"""Determinism of kernels and modules; references and addresses."""

import numpy as np
from program import gradients, program, raised


def modes_by_name(wp):
    return [m.name for m in wp.DeterministicMode], wp.config.deterministic == wp.DeterministicMode.NOT_GUARANTEED


def modes_of_the_process(wp):
    @wp.kernel
    def total(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        wp.atomic_add(y, 0, x[i])

    x, y = wp.array(np.arange(64.0) * 0.1, dtype=float), wp.zeros(1, dtype=float)
    wp.config.deterministic = wp.DeterministicMode.RUN_TO_RUN
    try:
        wp.launch(total, dim=64, inputs=[x, y])
        return y
    finally:
        wp.config.deterministic = wp.DeterministicMode.NOT_GUARANTEED


def wrong_modes(wp):
    return raised(setattr, wp.config, "deterministic", "sometimes"), raised(setattr, wp.config, "deterministic", 3)


def modes_of_a_kernel(wp):
    @wp.kernel(module_options={"deterministic": wp.DeterministicMode.RUN_TO_RUN}, module="unique")
    def total(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        wp.atomic_add(y, i % 3, x[i])

    x, y = wp.array(np.arange(30.0), dtype=float), wp.zeros(3, dtype=float)
    wp.launch(total, dim=30, inputs=[x, y])
    return y


def modes_across_devices(wp):
    @wp.kernel(module_options={"deterministic": wp.DeterministicMode.GPU_TO_GPU}, module="unique")
    def total(x: wp.array(dtype=wp.vec2), y: wp.array(dtype=wp.vec2)):
        i = wp.tid()
        wp.atomic_add(y, 0, x[i])

    x, y = wp.array(np.arange(20.0).reshape(10, 2), dtype=wp.vec2), wp.zeros(1, dtype=wp.vec2)
    wp.launch(total, dim=10, inputs=[x, y])
    return y


def modes_of_a_module(wp):
    @wp.kernel
    def total(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        wp.atomic_add(y, 0, x[i] * x[i])

    wp.set_module_options({"deterministic": wp.DeterministicMode.RUN_TO_RUN}, module=total.module)
    x, y = wp.array(np.arange(8.0), dtype=float), wp.zeros(1, dtype=float)
    wp.launch(total, dim=8, inputs=[x, y])
    return y


def modes_that_promise_nothing(wp):
    @wp.kernel(module_options={"deterministic": wp.DeterministicMode.NOT_GUARANTEED}, module="unique")
    def total(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        wp.atomic_add(y, 0, x[i])

    y = wp.zeros(1, dtype=float)
    wp.launch(total, dim=4, inputs=[wp.array([1.0, 2.0, 3.0, 4.0], dtype=float), y])
    return y


def records_of_deterministic_kernels(wp):
    options = {"deterministic": wp.DeterministicMode.RUN_TO_RUN, "deterministic_max_records": 8}

    @wp.kernel(module_options=options, module="unique")
    def total(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        for j in range(4):
            wp.atomic_add(y, (i + j) % 4, x[i])

    y = wp.zeros(4, dtype=float)
    wp.launch(total, dim=5, inputs=[wp.array(np.arange(5.0), dtype=float), y])
    return y


def gradients_of_deterministic_kernels(wp):
    @wp.kernel(module_options={"deterministic": wp.DeterministicMode.RUN_TO_RUN}, module="unique")
    def gather(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i % 3] * x[(i + 1) % 3]

    x = wp.array([1.0, 2.0, 4.0], dtype=float, requires_grad=True)
    return gradients(wp, gather, 9, [x], [wp.zeros(9, dtype=float, requires_grad=True)])


def wrong_modes_of_a_module(wp):
    def make():
        @wp.kernel(module_options={"deterministic": "always"}, module="unique")
        def k(y: wp.array(dtype=float)):
            y[0] = 1.0

        wp.launch(k, dim=1, inputs=[wp.zeros(1, dtype=float)])

    return raised(make)


def references_to_numbers(wp):
    @wp.func
    def advance(x: wp.ref[float], dt: float):
        x = x + dt

    @wp.kernel(enable_backward=False)
    def k(y: wp.array(dtype=float)):
        i = wp.tid()
        t = float(i)
        advance(t, 0.5)
        advance(t, 0.25)
        y[i] = t

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[y])
    return y


def references_to_elements(wp):
    @wp.func
    def double(x: wp.ref[wp.vec2]):
        x = x * 2.0

    @wp.kernel(enable_backward=False)
    def k(y: wp.array(dtype=wp.vec2)):
        i = wp.tid()
        double(y[i])

    y = wp.array([[1.0, 2.0], [3.0, 4.0]], dtype=wp.vec2)
    wp.launch(k, dim=2, inputs=[y])
    return y


def references_to_structs(wp):
    @wp.struct
    class Stack:
        n: int
        top: float

    @wp.func
    def push(s: wp.ref[Stack], x: float):
        s.n = s.n + 1
        s.top = x

    @wp.kernel(enable_backward=False)
    def k(y: wp.array(dtype=float)):
        i = wp.tid()
        s = Stack()
        push(s, 2.5)
        push(s, 3.5 + float(i))
        y[i] = s.top * float(s.n)

    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[y])
    return y


def references_to_rows(wp):
    @wp.func
    def fill(row: wp.array(dtype=float), v: float):
        for j in range(row.shape[0]):
            row[j] = v

    @wp.kernel
    def k(a: wp.array2d(dtype=float)):
        i = wp.tid()
        fill(a[i], float(i) + 1.0)

    a = wp.zeros((2, 3), dtype=float)
    wp.launch(k, dim=2, inputs=[a])
    return a


@program(decided="`wp.ref[T]` parameters in kernels")
def references_with_gradients(wp):
    def make():
        @wp.func
        def square(x: wp.ref[float]):
            x = x * x

        @wp.kernel
        def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
            i = wp.tid()
            t = x[i]
            square(t)
            y[i] = t

        y = wp.zeros(1, dtype=float)
        wp.launch(k, dim=1, inputs=[wp.array([3.0], dtype=float), y])

    return raised(make)


def addresses_of_local_arrays(wp):
    @wp.func
    def total(p: wp.uint64, n: int):
        a = wp.array(ptr=p, shape=(n,), dtype=float)
        s = float(0.0)
        for j in range(n):
            s += a[j]
        return s

    @wp.kernel(enable_backward=False)
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        local = wp.zeros(shape=4, dtype=float)
        for j in range(4):
            local[j] = x[i] * float(j)
        y[i] = total(local.ptr, 4)

    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[wp.array([1.0, 2.0], dtype=float), y])
    return y


def addresses_of_arrays(wp):
    @wp.kernel(enable_backward=False)
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        a = wp.array(ptr=x.ptr, shape=(2, 2), dtype=float)
        y[i] = a[1, i]

    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[wp.array([1.0, 2.0, 3.0, 4.0], dtype=float), y])
    return y


def overloads_that_differ_in_references(wp):
    def make():
        @wp.func
        def f(x: float):
            return x

        @wp.func
        def f(x: wp.ref[float]):  # noqa: F811
            x += 2.0

        @wp.kernel(enable_backward=False)
        def k(y: wp.array(dtype=float)):
            y[0] = f(1.0)

        wp.launch(k, dim=1, inputs=[wp.zeros(1, dtype=float)])

    return raised(make)


@program(exact=True)
def sums_in_the_order_of_one_thread(wp):
    @wp.kernel
    def total(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        s = float(0.0)
        for i in range(x.shape[0]):
            s += x[i]
        y[0] = s

    x, y = wp.array(np.random.default_rng(0).normal(size=100), dtype=float), wp.zeros(1, dtype=float)
    wp.launch(total, dim=1, inputs=[x, y])
    return y


@program(exact=True)
def integer_sums_of_many_threads(wp):
    @wp.kernel
    def total(x: wp.array(dtype=wp.int64), y: wp.array(dtype=wp.int64)):
        i = wp.tid()
        wp.atomic_add(y, i % 7, x[i] * x[i])

    x, y = wp.array(np.arange(5000) - 2500, dtype=wp.int64), wp.zeros(7, dtype=wp.int64)
    wp.launch(total, dim=5000, inputs=[x, y])
    return y
