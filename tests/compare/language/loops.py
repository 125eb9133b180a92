"""Loops, branches and returns in kernels, and the variables that they carry."""

import numpy as np
from program import gradients


def nested_conditional_expressions(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = 1.0 if x[i] > 1.0 else (0.5 if x[i] > 0.0 else -x[i])

    x = wp.array([2.0, 0.25, -3.0], dtype=float, requires_grad=True)
    return gradients(wp, k, 3, [x], [wp.zeros(3, dtype=float, requires_grad=True)])


def lazy_conditions(wp):
    @wp.kernel
    def k(a: wp.array(dtype=int), at: wp.array(dtype=int), y: wp.array(dtype=int)):
        i = wp.tid()
        j = at[i]
        if j >= 0 and j < a.shape[0] and a[j] > 1:
            y[i] = a[j]
        if j < 0 or a[j] == 1:
            y[i] = -1

    y = wp.zeros(3, dtype=int)
    wp.launch(k, dim=3, inputs=[wp.array([1, 2, 3], dtype=int), wp.array([-1, 0, 2], dtype=int), y])
    return y


def returns_within_loops(wp):
    @wp.func
    def find(a: wp.array(dtype=int), v: int):
        for j in range(a.shape[0]):
            if a[j] == v:
                return j
        return -1

    @wp.kernel
    def k(a: wp.array(dtype=int), v: wp.array(dtype=int), y: wp.array(dtype=int)):
        i = wp.tid()
        y[i] = find(a, v[i])

    y = wp.zeros(40, dtype=int)
    wp.launch(k, dim=40, inputs=[wp.array(np.arange(20) * 3, dtype=int), wp.array(np.arange(40), dtype=int), y])
    return y


def breaks_of_nested_loops(wp):
    @wp.kernel
    def k(y: wp.array(dtype=int)):
        i = wp.tid()
        n = int(0)
        for a in range(10):
            for b in range(10):
                if a * b > i:
                    break
                if (a + b) % 3 == 0:
                    continue
                n += a + b
            if n > 50:
                break
        y[i] = n

    y = wp.zeros(30, dtype=int)
    wp.launch(k, dim=30, inputs=[y])
    return y


def loops_that_end_from_within(wp):
    @wp.kernel
    def k(x: wp.array(dtype=int), y: wp.array(dtype=int)):
        i = wp.tid()
        n = x[i] + 0
        steps = int(0)
        while True:
            if n == 1 or steps > 200:
                break
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        y[i] = steps

    y = wp.zeros(40, dtype=int)
    wp.launch(k, dim=40, inputs=[wp.array(np.arange(1, 41), dtype=int), y])
    return y


def loop_variables_after_the_loop(wp):
    @wp.kernel
    def k(n: int, y: wp.array(dtype=int)):
        last = int(-1)
        for j in range(n):
            last = j
        y[0] = last
        s = int(0)
        for j in range(n):
            for l in range(j, n):
                s += l
        y[1] = s

    y = wp.zeros(2, dtype=int)
    wp.launch(k, dim=1, inputs=[5, y])
    return y


def ranges_of_expressions(wp):
    @wp.kernel
    def k(a: wp.array(dtype=int), y: wp.array(dtype=int)):
        i = wp.tid()
        s = int(0)
        for j in range(a[i] - 2, a[i] * 2 + 1, a[i]):
            s = s * 10 + j
        for j in range(wp.min(a[i], 2)):
            s += 1000 * j
        y[i] = s

    y = wp.zeros(3, dtype=int)
    wp.launch(k, dim=3, inputs=[wp.array([1, 2, 3], dtype=int), y])
    return y


def ranges_that_change_inside(wp):
    @wp.kernel
    def k(y: wp.array(dtype=int)):
        n = int(4)
        s = int(0)
        for j in range(n):
            n = n - 1
            s += j
        y[0] = s
        y[1] = n

    y = wp.zeros(2, dtype=int)
    wp.launch(k, dim=1, inputs=[y])
    return y


def loops_over_constants_are_unrolled(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        v = wp.vec4()
        for j in range(4):
            v[j] = x[i] * float(j + 1)
        s = float(1.0)
        for j in range(3):
            s = s * v[j + 1] + v[0]
        y[i] = s

    x = wp.array([1.0, 0.5, -1.0], dtype=float, requires_grad=True)
    return gradients(wp, k, 3, [x], [wp.zeros(3, dtype=float, requires_grad=True)])


def variables_of_branches_and_loops(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        for j in range(3):
            t = x[i] * float(j)
            if t > 1.0:
                u = t * 2.0
            else:
                u = t - 1.0
            y[i] = y[i] + u

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[wp.array([0.25, 1.0, -2.0], dtype=float), y])
    return y
