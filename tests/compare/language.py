"""Python's expressions and statements in kernels: assignments, operators, conditions, loops."""

import numpy as np
from program import gradients, program


@program(decided="`a = b = 2.0`, `x: float = 2.0` in kernels")
def several_targets(wp):
    @wp.kernel
    def k(y: wp.array(dtype=float)):
        a = b = 2.0
        b = b + 1.0
        y[0] = a
        y[1] = b
        c, d = wp.vec2(3.0, 4.0)
        y[2] = c * d

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y


@program(decided="`a = b = 2.0`, `x: float = 2.0` in kernels")
def annotated_assignments(wp):
    @wp.kernel
    def k(y: wp.array(dtype=float)):
        x: float = 2.0
        n: int = 3
        v: wp.vec2 = wp.vec2(1.0, 2.0)
        y[0] = x * float(n) + v[1]

    y = wp.zeros(1, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y


def comparisons_in_a_row(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=int)):
        i = wp.tid()
        y[i] = 0
        if 0.0 < x[i] and x[i] <= 1.0:
            y[i] = 1
        if not (x[i] > 0.0) or x[i] == 2.0:
            y[i] += 2

    y = wp.zeros(4, dtype=int)
    wp.launch(k, dim=4, inputs=[wp.array([-1.0, 0.5, 1.0, 2.0], dtype=float), y])
    return y


def chained_comparisons(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=bool)):
        i = wp.tid()
        y[i] = 0.0 < x[i] <= 1.0

    y = wp.zeros(4, dtype=bool)
    wp.launch(k, dim=4, inputs=[wp.array([-1.0, 0.5, 1.0, 2.0], dtype=float), y])
    return y


@program(exact=True)
def truth_as_numbers(wp):
    @wp.kernel
    def k(n: wp.array(dtype=int), y: wp.array(dtype=int)):
        i = wp.tid()
        a = n[i] > 1
        b = n[i] % 2 == 0
        y[i] = int(a) * 10 + int(b)
        if a and not b:
            y[i] += 100
        if a != b:
            y[i] += 1000

    y = wp.zeros(4, dtype=int)
    wp.launch(k, dim=4, inputs=[wp.array([0, 1, 2, 3], dtype=int), y])
    return y


def numbers_as_truth(wp):
    @wp.kernel
    def k(n: wp.array(dtype=int), x: wp.array(dtype=float), y: wp.array(dtype=int)):
        i = wp.tid()
        if n[i]:
            y[i] = 1
        if x[i]:
            y[i] += 2
        if not n[i]:
            y[i] += 4

    y = wp.zeros(3, dtype=int)
    wp.launch(k, dim=3, inputs=[wp.array([0, 5, -1], dtype=int), wp.array([1.0, 0.0, -0.5], dtype=float), y])
    return y


@program(exact=True)
def numbers_in_every_notation(wp):
    @wp.kernel
    def k(n: wp.array(dtype=int), x: wp.array(dtype=float)):
        n[0] = 0x1F
        n[1] = 0b1011
        n[2] = 0o17
        n[3] = 1_000_000
        n[4] = -7
        x[0] = 1e3
        x[1] = 1.5e-3
        x[2] = 0.5
        x[3] = 5.0
        x[4] = -2.0e2

    n, x = wp.zeros(5, dtype=int), wp.zeros(5, dtype=float)
    wp.launch(k, dim=1, inputs=[n, x])
    return n, x


@program(exact=True)
def quotients_and_remainders_of_signs(wp):
    @wp.kernel
    def k(a: wp.array(dtype=int), b: wp.array(dtype=int), y: wp.array2d(dtype=int)):
        i = wp.tid()
        y[i, 0] = a[i] // b[i]
        y[i, 1] = a[i] % b[i]

    y = wp.zeros((4, 2), dtype=int)
    a, b = wp.array([7, -7, 7, -7], dtype=int), wp.array([3, 3, -3, -3], dtype=int)
    wp.launch(k, dim=4, inputs=[a, b, y])
    return y


def division_of_integers(wp):
    @wp.kernel
    def k(a: wp.array(dtype=int), y: wp.array(dtype=int)):
        i = wp.tid()
        y[i] = a[i] / 2

    y = wp.zeros(4, dtype=int)
    wp.launch(k, dim=4, inputs=[wp.array([7, -7, 8, 1], dtype=int), y])
    return y


def remainders_of_floats(wp):
    @wp.kernel
    def k(a: wp.array(dtype=float), b: wp.array(dtype=float), y: wp.array2d(dtype=float)):
        i = wp.tid()
        y[i, 0] = a[i] % b[i]
        y[i, 1] = a[i] // b[i]
        y[i, 2] = wp.mod(a[i], b[i])
        y[i, 3] = wp.floordiv(a[i], b[i])

    y = wp.zeros((4, 4), dtype=float)
    a, b = wp.array([7.5, -7.5, 7.5, -7.5], dtype=float), wp.array([2.0, 2.0, -2.0, -2.0], dtype=float)
    wp.launch(k, dim=4, inputs=[a, b, y])
    return y


@program(exact=True)
def bits_and_shifts(wp):
    @wp.kernel
    def k(a: wp.array(dtype=int), y: wp.array2d(dtype=int)):
        i = wp.tid()
        y[i, 0] = a[i] & 12
        y[i, 1] = a[i] | 3
        y[i, 2] = a[i] ^ 255
        y[i, 3] = ~a[i]
        y[i, 4] = a[i] << 3
        y[i, 5] = a[i] >> 1
        y[i, 6] = -a[i]
        y[i, 7] = +a[i]

    y = wp.zeros((3, 8), dtype=int)
    wp.launch(k, dim=3, inputs=[wp.array([0, 13, -6], dtype=int), y])
    return y


def fields_and_components_in_place(wp):
    @wp.struct
    class S:
        x: float
        v: wp.vec3
        m: wp.mat22

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        s = S()
        s.x += 2.0
        s.v = wp.vec3(1.0, 2.0, 3.0)
        s.v[1] += 10.0
        s.v.z *= 2.0
        s.m[0, 1] = 4.0
        s.m[0, 1] -= 1.0
        y[0] = s.x
        y[1] = s.v[1]
        y[2] = s.v[2]
        y[3] = s.m[0, 1]

    y = wp.zeros(4, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y


def elements_of_structs_in_place(wp):
    @wp.struct
    class P:
        x: wp.vec2
        n: int

    @wp.kernel
    def k(p: wp.array(dtype=P)):
        i = wp.tid()
        p[i].n += 3
        p[i].x += wp.vec2(1.0, 2.0)
        p[i].x[0] = 5.0 + p[i].x[1]

    p = wp.zeros(3, dtype=P)
    wp.launch(k, dim=3, inputs=[p])
    return p


def components_by_name(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.vec4), y: wp.array(dtype=wp.vec4)):
        i = wp.tid()
        v = a[i]
        v.x = v.w * 2.0
        v.y += v.z
        y[i] = v
        y[i].w = 9.0
        y[i].z += 1.0

    a = wp.array([[1.0, 2.0, 3.0, 4.0]], dtype=wp.vec4)
    y = wp.zeros(1, dtype=wp.vec4)
    wp.launch(k, dim=1, inputs=[a, y])
    return y


def negative_indices_in_kernels(wp):
    @wp.kernel
    def k(a: wp.array(dtype=float), y: wp.array(dtype=float)):
        v = wp.vec3(1.0, 2.0, 3.0)
        m = wp.mat22(1.0, 2.0, 3.0, 4.0)
        y[0] = v[-1]
        y[1] = m[-1, -2]
        y[2] = a[a.shape[0] - 1]

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=1, inputs=[wp.array([5.0, 6.0], dtype=float), y])
    return y


def negative_indices_of_arrays(wp):
    @wp.kernel
    def k(a: wp.array(dtype=float), m: wp.array2d(dtype=float), y: wp.array(dtype=float)):
        y[0] = a[-1]
        y[1] = m[-1, -2]
        y[-1] = a[-2]

    y = wp.zeros(3, dtype=float)
    a, m = wp.array([5.0, 6.0, 7.0], dtype=float), wp.array(np.arange(6.0).reshape(2, 3), dtype=float)
    wp.launch(k, dim=1, inputs=[a, m, y])
    return y


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


def strings_and_pass(wp):
    @wp.kernel
    def k(y: wp.array(dtype=float)):
        """Doubles an index."""
        i = wp.tid()
        if i == 1:
            pass
        else:
            y[i] = 2.0 * float(i)
        "a string alone"

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[y])
    return y


def expressions_over_lines(wp):
    @wp.kernel
    def k(
        x: wp.array(dtype=float),  # the values
        y: wp.array(dtype=float),
    ):
        i = wp.tid()
        # a comment
        y[i] = (
            x[i]
            + 2.0  # another
            * (x[i] - 1.0)
        )  # fmt: skip
        z = x[i] \
            + 1.0  # fmt: skip
        y[i] = y[i] * z

    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[wp.array([1.0, 2.0], dtype=float), y])
    return y


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


def names_of_python_in_kernels(wp):
    @wp.kernel
    def k(lambda_: float, y: wp.array(dtype=float)):
        _ = wp.tid()
        sum = lambda_ * 2.0
        type_ = sum + 1.0
        __double = type_ * 2.0
        y[_] = __double

    y = wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[1.5, y])
    return y


def enumerations_in_kernels(wp):
    import enum

    class Kind(enum.IntEnum):
        SPHERE = 0
        BOX = 3

    @wp.kernel
    def k(kind: wp.array(dtype=int), y: wp.array(dtype=float)):
        i = wp.tid()
        if kind[i] == Kind.SPHERE:
            y[i] = 1.0
        elif kind[i] == int(Kind.BOX):
            y[i] = 2.0

    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[wp.array([0, 3, 1], dtype=int), y])
    return y, Kind.BOX.value
