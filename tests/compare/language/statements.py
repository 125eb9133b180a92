"""Loops, branches, assignments and static expressions in kernels."""

import numpy as np
from program import gradients, printed, program


def loop_with_break_and_continue(wp):
    @wp.kernel
    def k(n: wp.array(dtype=int), y: wp.array(dtype=int)):
        i = wp.tid()
        s = int(0)
        for j in range(n[i]):
            if j % 3 == 0:
                continue
            if s > 20:
                break
            s += j
        y[i] = s

    y = wp.zeros(4, dtype=int)
    wp.launch(k, dim=4, inputs=[wp.array([0, 5, 9, 100], dtype=int), y])
    return y


def while_loop_to_convergence(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float), n: wp.array(dtype=int)):
        i = wp.tid()
        r = x[i]
        count = int(0)
        while wp.abs(r * r - x[i]) > 1.0e-3 * x[i]:
            r = 0.5 * (r + x[i] / r)
            count += 1
        y[i] = r
        n[i] = count

    y, n = wp.zeros(3, dtype=float), wp.zeros(3, dtype=int)
    wp.launch(k, dim=3, inputs=[wp.array([2.0, 9.5, 1000.0], dtype=float), y, n])
    return y, n


def ranges_with_steps(wp):
    @wp.kernel
    def k(lo: int, hi: int, step: int, y: wp.array(dtype=int)):
        s = int(0)
        for j in range(lo, hi, step):
            s = s * 10 + wp.abs(j)
        y[0] = s
        t = int(0)
        for j in range(5, -3, -2):
            t = t * 10 + wp.abs(j)
        y[1] = t

    out = []
    for lo, hi, step in ((0, 7, 3), (7, 0, -2), (3, 3, 1), (4, 0, 1)):
        y = wp.zeros(2, dtype=int)
        wp.launch(k, dim=1, inputs=[lo, hi, step, y])
        out.append(y)
    return out


def reversed_ranges(wp):
    @wp.kernel
    def k(n: int, y: wp.array(dtype=int)):
        s = int(0)
        for j in reversed(range(n)):
            s = s * 10 + j
        for j in wp.range(3):
            s += 100000 * j
        y[0] = s

    y = wp.zeros(1, dtype=int)
    wp.launch(k, dim=1, inputs=[4, y])
    return y


def nested_loops_with_carried_values(wp):
    @wp.kernel
    def k(y: wp.array2d(dtype=float)):
        i = wp.tid()
        a = float(0.0)
        b = float(1.0)
        for j in range(3):
            for m in range(j + 1):
                a = a + b * float(m)
            b = b * 0.5 + float(i)
        y[i, 0] = a
        y[i, 1] = b

    y = wp.zeros((3, 2), dtype=float)
    wp.launch(k, dim=3, inputs=[y])
    return y


def gradient_through_an_unrolled_loop(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        v = x[i]
        for _ in range(4):
            v = wp.sin(v) * 1.5
        y[i] = v

    x = wp.array([0.3, 1.0, -2.0], dtype=float, requires_grad=True)
    return gradients(wp, k, 3, [x], [wp.zeros(3, dtype=float, requires_grad=True)])


@program(decided="gradient through a loop of run-time length")
def gradient_through_a_loop_of_run_time_length(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):
        i = wp.tid()
        v = x[i]
        for _ in range(n):
            v = wp.sin(v) * v
        y[i] = v

    x = wp.array([1.3, 1.0, -2.0], dtype=float, requires_grad=True)
    return gradients(wp, k, 3, [x, 3], [wp.zeros(3, dtype=float, requires_grad=True)])


def gradient_of_a_sum_over_a_loop(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):
        i = wp.tid()
        s = float(0.0)
        for j in range(n):
            s += x[i + j] * float(j + 1)
        y[i] = s

    x = wp.array(np.arange(6.0), dtype=float, requires_grad=True)
    return gradients(wp, k, 3, [x, 4], [wp.zeros(3, dtype=float, requires_grad=True)])


def branches_with_gradients(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        v = x[i]
        if v > 1.0:
            v = v * v
        elif v > 0.0:
            v = wp.sqrt(v)
        else:
            v = -2.0 * v
        y[i] = v

    x = wp.array([2.0, 0.25, -3.0], dtype=float, requires_grad=True)
    return gradients(wp, k, 3, [x], [wp.zeros(3, dtype=float, requires_grad=True)])


def early_return_of_a_kernel(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = 1.0
        if x[i] < 0.0:
            return
        y[i] = wp.sqrt(x[i])

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[wp.array([4.0, -1.0, 9.0], dtype=float), y])
    return y


def variable_of_one_branch(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        if x[i] > 0.0:
            v = x[i] * 2.0
        else:
            v = x[i] * 3.0
        y[i] = v

    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[wp.array([1.0, -1.0], dtype=float), y])
    return y


def static_expressions(wp):
    table = [2.0, 3.0, 5.0]

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        y[0] = wp.static(sum(table))
        y[1] = float(wp.static(len(table)))
        y[2] = wp.static(table[1]) * 2.0

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y


def static_expression_of_a_loop_variable(wp):
    table = [2.0, 3.0, 5.0]

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        for j in range(3):
            y[j] = wp.static(table[j] * 10.0)

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y


def augmented_assignments(wp):
    @wp.kernel
    def k(y: wp.array(dtype=float), n: wp.array(dtype=int)):
        i = wp.tid()
        v = float(i) + 1.0
        v += 2.0
        v *= 3.0
        v -= 1.0
        v /= 4.0
        y[i] = v
        m = i + 20
        m //= 3
        m %= 4
        m |= 8
        m <<= 1
        n[i] = m

    y, n = wp.zeros(3, dtype=float), wp.zeros(3, dtype=int)
    wp.launch(k, dim=3, inputs=[y, n])
    return y, n


def tuples_assigned_and_swapped(wp):
    @wp.kernel
    def k(y: wp.array(dtype=float)):
        a, b = 1.0, 2.0
        a, b = b, a
        c, (d) = a + b, a - b
        y[0] = a
        y[1] = b
        y[2] = c
        y[3] = d

    y = wp.zeros(4, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y


def fibonacci_by_simultaneous_assignment(wp):
    @wp.kernel
    def k(n: wp.array(dtype=int), y: wp.array(dtype=int)):
        i = wp.tid()
        a = int(0)
        b = int(1)
        for _ in range(n[i]):
            t = a + b
            a = b
            b = t
        y[i] = a

    y = wp.zeros(4, dtype=int)
    wp.launch(k, dim=4, inputs=[wp.array([0, 1, 10, 30], dtype=int), y])
    return y


def indices_of_a_grid(wp):
    @wp.kernel
    def k(y: wp.array4d(dtype=int)):
        a, b, c, d = wp.tid()
        y[a, b, c, d] = a * 1000 + b * 100 + c * 10 + d

    y = wp.zeros((2, 3, 2, 2), dtype=int)
    wp.launch(k, dim=(2, 3, 2, 2), inputs=[y])
    return y


def conditional_expressions_are_lazy(wp):
    @wp.kernel
    def k(n: wp.array(dtype=int), y: wp.array(dtype=int)):
        i = wp.tid()
        y[i] = 100 // n[i] if n[i] != 0 else -1

    y = wp.zeros(3, dtype=int)
    wp.launch(k, dim=3, inputs=[wp.array([5, 0, 7], dtype=int), y])
    return y


@program(decided="`print` of a vector")
def printing(wp):
    @wp.kernel
    def k(n: int):
        wp.printf("n %d, half %.2f\n", n, float(n) * 0.5)
        print(n)
        print(wp.vec3(1.0, 2.5, -3.0))

    return printed(wp, lambda: wp.launch(k, dim=1, inputs=[7]))


def assertion_that_holds(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        assert x[i] > 0.0, "positive"
        y[i] = wp.log(x[i])

    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[wp.array([1.0, 2.0], dtype=float), y])
    return y


def expectations_that_hold(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float)):
        i = wp.tid()
        wp.expect_eq(i, i)
        wp.expect_neq(x[i], 0.0)
        wp.expect_near(x[i] * 2.0, x[i] + x[i], 1.0e-6)

    return printed(wp, lambda: wp.launch(k, dim=2, inputs=[wp.array([1.0, 2.0], dtype=float)]))


def math_module_in_kernels(wp):
    import math

    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = math.sin(x[i]) + math.sqrt(x[i]) * math.pi

    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[wp.array([1.0, 2.0], dtype=float), y])
    return y


def game_of_life(wp):
    @wp.func
    def cell(a: wp.array2d(dtype=int), i: int, j: int):
        return a[(i + 6) % 6, (j + 6) % 6]

    @wp.kernel
    def k(a: wp.array2d(dtype=int), b: wp.array2d(dtype=int)):
        i, j = wp.tid()
        n = int(0)
        for di in range(-1, 2):
            for dj in range(-1, 2):
                if di != 0 or dj != 0:
                    n += cell(a, i + di, j + dj)
        alive = a[i, j] == 1
        if alive and (n == 2 or n == 3):
            b[i, j] = 1
        elif not alive and n == 3:
            b[i, j] = 1
        else:
            b[i, j] = 0

    start = np.zeros((6, 6), dtype=np.int32)
    start[[0, 1, 2, 2, 2], [1, 2, 0, 1, 2]] = 1
    a, b = wp.array(start), wp.zeros((6, 6), dtype=int)
    for _ in range(5):
        wp.launch(k, dim=(6, 6), inputs=[a, b])
        a, b = b, a
    return a


def mandelbrot(wp):
    @wp.kernel
    def k(y: wp.array2d(dtype=int)):
        i, j = wp.tid()
        c = wp.vec2(-2.0 + 0.25 * float(i), -1.0 + 0.25 * float(j))
        z = wp.vec2(0.0, 0.0)
        n = int(0)
        while n < 50 and wp.dot(z, z) < 4.0:
            z = wp.vec2(z[0] * z[0] - z[1] * z[1] + c[0], 2.0 * z[0] * z[1] + c[1])
            n += 1
        y[i, j] = n

    y = wp.zeros((12, 9), dtype=int)
    wp.launch(k, dim=(12, 9), inputs=[y])
    return y
