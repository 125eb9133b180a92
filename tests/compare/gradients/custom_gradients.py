"""Functions whose derivative or replay their author wrote."""

from typing import Any

import numpy as np
from program import gradients, program, raised


def floats(wp, *values, grad=True, dtype=float):
    return wp.array(np.array(values, dtype=np.float32), dtype=dtype, requires_grad=grad)


def counters_with_replays(wp):
    @wp.func
    def reversible_increment(counter: wp.array(dtype=int), at: int, limit: int, kept: wp.array(dtype=int), tid: int):
        found = wp.atomic_add(counter, at, 1)
        if found < limit:
            kept[tid] = found
            return found
        kept[tid] = -1
        return -1

    @wp.func_replay(reversible_increment)
    def replay(counter: wp.array(dtype=int), at: int, limit: int, kept: wp.array(dtype=int), tid: int):
        return kept[tid]

    @wp.kernel
    def k(
        x: wp.array(dtype=float),
        counter: wp.array(dtype=int),
        kept: wp.array(dtype=int),
        y: wp.array(dtype=float),
    ):
        tid = wp.tid()
        at = reversible_increment(counter, 0, 64, kept, tid)
        if at >= 0:
            y[at] = x[at] ** 2.0

    x = floats(wp, *(np.arange(32) * 0.1))
    y = wp.zeros(32, dtype=float, requires_grad=True)
    return gradients(wp, k, 32, [x, wp.zeros(1, dtype=int), wp.zeros(32, dtype=int)], [y])


def derivatives_of_functions_that_store(wp):
    @wp.func
    def sigmoid(i: int, xs: wp.array(dtype=float), ys: wp.array(dtype=float)):
        ys[i] = 1.0 / (1.0 + wp.exp(-xs[i]))

    @wp.func_grad(sigmoid)
    def adj_sigmoid(i: int, xs: wp.array(dtype=float), ys: wp.array(dtype=float)):
        y = ys[i]
        wp.adjoint[xs][i] += y * (1.0 - y) * wp.adjoint[ys][i]
        wp.atomic_add(wp.adjoint[xs], i, 2.0)

    @wp.kernel
    def k(xs: wp.array(dtype=float), ys: wp.array(dtype=float)):
        sigmoid(wp.tid(), xs, ys)

    return gradients(wp, k, 4, [floats(wp, 0.1, -2.0, 1.5, 0.0)], [wp.zeros(4, dtype=float, requires_grad=True)])


def several_results_and_vectors(wp):
    @wp.func
    def f(v: wp.vec3, n: int):
        return v[n] * v[0], v * 2.0

    @wp.func_grad(f)
    def adj_f(v: wp.vec3, n: int, adj_a: float, adj_b: wp.vec3):
        wp.adjoint[v][n] += 5.0 * adj_a
        wp.adjoint[v] += wp.vec3(1.0, 2.0, 3.0) * adj_a + 10.0 * adj_b

    @wp.kernel
    def k(x: wp.array(dtype=wp.vec3), y: wp.array(dtype=float)):
        i = wp.tid()
        a, b = f(x[i], i)
        y[i] = a + wp.length_sq(b)

    x = floats(wp, [1.0, 2.0, 3.0], [4.0, 5.0, 6.0], dtype=wp.vec3)
    return gradients(wp, k, 2, [x], [wp.zeros(2, dtype=float, requires_grad=True)])


def overloads_defaults_and_early_returns(wp):
    @wp.func
    def f(x: float):
        return x * x

    @wp.func
    def f(x: wp.vec2):  # noqa: F811
        return x[0] * x[1]

    @wp.func_grad(f)
    def adj_f(x: float, a: float):
        if x > 1.5:
            return
        for i in range(3):
            wp.adjoint[x] += a * float(i)

    @wp.func_grad(f)
    def adj_f(renamed: wp.vec2, a: float):  # noqa: F811
        wp.adjoint[renamed] += a * wp.vec2(8.0, 9.0)

    @wp.func
    def h(x: float, n: float = 2.0):
        return x * n

    @wp.func_grad(h)
    def adj_h(x: float, n: float, a: float):
        wp.adjoint[x] += a * 7.0 * n
        wp.adjoint[n] += a

    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = f(x[i]) + f(wp.vec2(x[i], x[i])) + h(x[i]) + h(n=3.0, x=x[i])

    return gradients(wp, k, 2, [floats(wp, 1.0, 2.0)], [wp.zeros(2, dtype=float, requires_grad=True)])


def replays_keep_the_derivative(wp):
    @wp.func
    def f(x: float, c: wp.array(dtype=float), i: int):
        v = x * x * x
        c[i] = v
        return v

    @wp.func_replay(f)
    def replay_f(x: float, c: wp.array(dtype=float), i: int):
        return c[i] * 100.0

    @wp.kernel
    def k(x: wp.array(dtype=float), c: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        v = f(x[i], c, i)
        y[i] = v * v

    inputs = [floats(wp, 1.0, 2.0), wp.zeros(2, dtype=float)]
    return gradients(wp, k, 2, inputs, [wp.zeros(2, dtype=float, requires_grad=True)])


def derivatives_that_write(wp):
    @wp.func
    def scaled(x: float, work: wp.array(dtype=float), i: int):
        return x * 3.0

    @wp.func_grad(scaled)
    def adj_scaled(x: float, work: wp.array(dtype=float), i: int, a: float):
        wp.adjoint[x] += work[i] + x
        work[i] = a
        work[i] *= 2.0

    @wp.kernel
    def k(x: wp.array(dtype=float), work: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        s = x[i]
        for _ in range(3):
            s = scaled(s, work, i)
        y[i] = s

    work = floats(wp, 0.5, 0.25, grad=False)
    got = gradients(wp, k, 2, [floats(wp, 1.0, 2.0), work], [wp.zeros(2, dtype=float, requires_grad=True)])
    return got, work


def derivatives_of_what_does_nothing(wp):
    @wp.func
    def watched(a: wp.array(dtype=float), i: int):
        pass

    @wp.func_grad(watched)
    def adj_watched(a: wp.array(dtype=float), i: int):
        wp.adjoint[a][i] += 7.0

    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        watched(x, i)
        y[i] = 2.0 * x[i]

    return gradients(wp, k, 2, [floats(wp, 1.0, 2.0)], [wp.zeros(2, dtype=float, requires_grad=True)])


def wrong_signatures(wp):
    @wp.func
    def f(x: float):
        return x

    def few(x: float): ...

    def other(x: int, a: float): ...

    def many(x: float, a: float, b: float): ...

    def replay(x: int):
        return x

    rules = [wp.func_grad(f), wp.func_grad(f), wp.func_grad(f), wp.func_replay(f)]
    return [raised(rule, g) for rule, g in zip(rules, [few, other, many, replay], strict=True)]


@program(decided="`wp.func_grad` of functions with `Any`")
def generic_functions(wp):
    @wp.func
    def f(x: Any):
        return x * x

    @wp.func_grad(f)
    def adj_f(x: Any, a: Any):
        wp.adjoint[x] += a * type(x)(7.0)

    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = f(x[i])

    return gradients(wp, k, 2, [floats(wp, 1.0, 2.0)], [wp.zeros(2, dtype=float, requires_grad=True)])


@program(decided="`wp.grad(f)` where `f` has a derivative of its own")
def partial_derivatives(wp):
    @wp.func
    def f(x: float):
        return x * x

    @wp.func_grad(f)
    def adj_f(x: float, a: float):
        wp.adjoint[x] += a * 7.0

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        y[0] = wp.grad(f)(3.0)

    y = wp.zeros(1, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y
