"""Python's expressions and statements in kernels: assignments, operators, conditions."""

import numpy as np
from program import program


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
