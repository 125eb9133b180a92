"""Scalar builtins, operators, conversions and constants in kernels."""

import numpy as np
from program import gradients, program


def rounding_of_halves(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array2d(dtype=float)):
        i = wp.tid()
        y[i, 0] = wp.round(x[i])
        y[i, 1] = wp.rint(x[i])
        y[i, 2] = wp.trunc(x[i])
        y[i, 3] = wp.floor(x[i])
        y[i, 4] = wp.ceil(x[i])

    x = wp.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.4999, -0.2], dtype=float)
    y = wp.zeros((8, 5), dtype=float)
    wp.launch(k, dim=8, inputs=[x, y])
    return y


def trigonometric_gradients(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = wp.sin(x[i]) * wp.cos(x[i]) + wp.tan(0.5 * x[i]) - wp.atan2(x[i], 2.0)

    x = wp.array(np.linspace(-1.2, 1.3, 9), dtype=float, requires_grad=True)
    return gradients(wp, k, 9, [x], [wp.zeros(9, dtype=float, requires_grad=True)])


def hyperbolic_gradients_in_double(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
        i = wp.tid()
        y[i] = wp.sinh(x[i]) + wp.cosh(x[i]) * wp.tanh(x[i])

    x = wp.array(np.linspace(-2, 2, 7), dtype=wp.float64, requires_grad=True)
    return gradients(wp, k, 7, [x], [wp.zeros(7, dtype=wp.float64, requires_grad=True)])


def inverse_functions_in_double(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
        i = wp.tid()
        y[i] = wp.asin(x[i]) + wp.float64(2.0) * wp.acos(x[i]) + wp.atan(x[i])

    x = wp.array(np.linspace(-0.9, 0.9, 7), dtype=wp.float64, requires_grad=True)
    return gradients(wp, k, 7, [x], [wp.zeros(7, dtype=wp.float64, requires_grad=True)])


def logarithms_and_powers(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = wp.log(x[i]) + wp.log2(x[i]) * wp.log10(x[i]) + wp.pow(x[i], 1.5) + wp.exp(-x[i]) + wp.cbrt(x[i])

    x = wp.array([0.1, 0.5, 1.0, 2.0, 7.5], dtype=float, requires_grad=True)
    return gradients(wp, k, 5, [x], [wp.zeros(5, dtype=float, requires_grad=True)])


def power_with_gradient_of_the_exponent(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.float64), p: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
        i = wp.tid()
        y[i] = x[i] ** p[i]

    x = wp.array([0.5, 1.5, 3.0], dtype=wp.float64, requires_grad=True)
    p = wp.array([2.0, -1.0, 0.3], dtype=wp.float64, requires_grad=True)
    return gradients(wp, k, 3, [x, p], [wp.zeros(3, dtype=wp.float64, requires_grad=True)])


@program(exact=True)
def integer_division_and_remainder(wp):
    @wp.kernel
    def k(a: wp.array(dtype=int), b: wp.array(dtype=int), y: wp.array2d(dtype=int)):
        i = wp.tid()
        y[i, 0] = a[i] // b[i]
        y[i, 1] = a[i] % b[i]
        y[i, 2] = a[i] / b[i]
        y[i, 3] = wp.mod(a[i], b[i])

    a = wp.array([7, -7, 7, -7, 6, 0], dtype=int)
    b = wp.array([2, 2, -2, -2, 3, 5], dtype=int)
    y = wp.zeros((6, 4), dtype=int)
    wp.launch(k, dim=6, inputs=[a, b, y])
    return y


def float_division_floor_and_remainder(wp):
    @wp.kernel
    def k(a: wp.array(dtype=float), b: wp.array(dtype=float), y: wp.array2d(dtype=float)):
        i = wp.tid()
        y[i, 0] = a[i] // b[i]
        y[i, 1] = a[i] % b[i]
        y[i, 2] = a[i] / b[i]

    a = wp.array([7.5, -7.5, 7.5, -7.5], dtype=float)
    b = wp.array([2.0, 2.0, -2.0, -2.0], dtype=float)
    y = wp.zeros((4, 3), dtype=float)
    wp.launch(k, dim=4, inputs=[a, b, y])
    return y


@program(exact=True)
def bits_of_unsigned_numbers(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.uint32), y: wp.array2d(dtype=wp.uint32)):
        i = wp.tid()
        y[i, 0] = a[i] & wp.uint32(0xFF00)
        y[i, 1] = a[i] | wp.uint32(1)
        y[i, 2] = a[i] ^ wp.uint32(0xFFFFFFFF)
        y[i, 3] = a[i] << wp.uint32(3)
        y[i, 4] = a[i] >> wp.uint32(5)
        y[i, 5] = ~a[i]

    a = wp.array(np.array([0, 1, 0xDEADBEEF, 0x7FFFFFFF], dtype=np.uint32), dtype=wp.uint32)
    y = wp.zeros((4, 6), dtype=wp.uint32)
    wp.launch(k, dim=4, inputs=[a, y])
    return y


@program(exact=True)
def shifts_of_signed_numbers(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.int64), y: wp.array2d(dtype=wp.int64)):
        i = wp.tid()
        y[i, 0] = a[i] << wp.int64(4)
        y[i, 1] = a[i] >> wp.int64(2)
        y[i, 2] = a[i] & wp.int64(-8)

    a = wp.array([1, -1, -1234567890123, 99], dtype=wp.int64)
    y = wp.zeros((4, 3), dtype=wp.int64)
    wp.launch(k, dim=4, inputs=[a, y])
    return y


@program(exact=True)
def bit_count_of_every_width(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.int32), y: wp.array2d(dtype=int)):
        i = wp.tid()
        y[i, 0] = wp.bit_count(a[i])
        y[i, 1] = wp.bit_count(wp.uint8(a[i]))
        y[i, 2] = wp.bit_count(wp.int64(a[i]))

    a = wp.array([0, -1, 255, 1 << 30, -2], dtype=int)
    y = wp.zeros((5, 3), dtype=int)
    wp.launch(k, dim=5, inputs=[a, y])
    return y


@program(exact=True)
def narrow_integers_wrap(wp):
    @wp.kernel
    def k(a: wp.array(dtype=int), b: wp.array(dtype=wp.int8), u: wp.array(dtype=wp.uint16)):
        i = wp.tid()
        b[i] = wp.int8(a[i])
        u[i] = wp.uint16(a[i]) * wp.uint16(3)

    a = wp.array([0, 127, 128, 255, 256, -1, -129, 70000], dtype=int)
    b = wp.zeros(8, dtype=wp.int8)
    u = wp.zeros(8, dtype=wp.uint16)
    wp.launch(k, dim=8, inputs=[a, b, u])
    return b, u


@program(exact=True)
def integers_overflow_and_wrap(wp):
    @wp.kernel
    def k(a: wp.array(dtype=int), y: wp.array(dtype=int)):
        i = wp.tid()
        y[i] = a[i] * a[i] + 2147483647

    a = wp.array([1, 65536, 46341, -2147483648], dtype=int)
    y = wp.zeros(4, dtype=int)
    wp.launch(k, dim=4, inputs=[a, y])
    return y


def sign_step_and_nonzero(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array2d(dtype=float)):
        i = wp.tid()
        y[i, 0] = wp.sign(x[i])
        y[i, 1] = wp.step(x[i])
        y[i, 2] = wp.nonzero(x[i])
        y[i, 3] = wp.abs(x[i])

    x = wp.array([-2.0, -0.0, 0.0, 0.25, 3.0], dtype=float)
    y = wp.zeros((5, 4), dtype=float)
    wp.launch(k, dim=5, inputs=[x, y])
    return y


def smoothstep_and_lerp_gradients(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = wp.smoothstep(0.0, 2.0, x[i]) + wp.lerp(3.0, x[i], 0.25) + wp.lerp(1.0, 5.0, x[i])

    x = wp.array([-0.5, 0.3, 1.0, 1.7, 2.5], dtype=float, requires_grad=True)
    return gradients(wp, k, 5, [x], [wp.zeros(5, dtype=float, requires_grad=True)])


def minimum_and_maximum_gradients(wp):
    @wp.kernel
    def k(a: wp.array(dtype=float), b: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = wp.min(a[i], b[i]) * 2.0 + wp.max(a[i], b[i]) * 3.0 + wp.clamp(a[i], -1.0, 1.0)

    a = wp.array([0.5, 2.0, -3.0], dtype=float, requires_grad=True)
    b = wp.array([1.5, -2.0, 3.0], dtype=float, requires_grad=True)
    return gradients(wp, k, 3, [a, b], [wp.zeros(3, dtype=float, requires_grad=True)])


@program(exact=True)
def clamp_of_integers(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.int16), y: wp.array(dtype=wp.int16)):
        i = wp.tid()
        y[i] = wp.clamp(a[i], wp.int16(-3), wp.int16(9))

    a = wp.array([-100, -3, 0, 9, 10, 32767], dtype=wp.int16)
    y = wp.zeros(6, dtype=wp.int16)
    wp.launch(k, dim=6, inputs=[a, y])
    return y


@program(exact=True)
def kinds_of_floats(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array2d(dtype=wp.bool)):
        i = wp.tid()
        y[i, 0] = wp.isfinite(x[i])
        y[i, 1] = wp.isnan(x[i])
        y[i, 2] = wp.isinf(x[i])
        y[i, 3] = not x[i] > 0.0

    x = wp.array([1.0, np.nan, np.inf, -np.inf], dtype=float)
    y = wp.zeros((4, 4), dtype=wp.bool)
    wp.launch(k, dim=4, inputs=[x, y])
    return y


@program(exact=True)
def copysign_of_zeros(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), s: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = wp.copysign(x[i], s[i])

    x = wp.array([1.0, -2.0, 0.0, 3.0], dtype=float)
    s = wp.array([-0.0, 0.0, -1.0, -np.inf], dtype=float)
    y = wp.zeros(4, dtype=float)
    wp.launch(k, dim=4, inputs=[x, s, y])
    return y


@program(exact=True)
def cast_keeps_the_bits(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=wp.uint32), z: wp.array(dtype=float)):
        i = wp.tid()
        bits = wp.cast(x[i], wp.uint32)
        y[i] = bits
        z[i] = wp.cast(bits ^ wp.uint32(0x80000000), wp.float32)

    x = wp.array([1.0, -0.5, 3.14159, 0.0], dtype=float)
    y = wp.zeros(4, dtype=wp.uint32)
    z = wp.zeros(4, dtype=float)
    wp.launch(k, dim=4, inputs=[x, y, z])
    return y, z


def half_precision_arithmetic(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.float16), y: wp.array(dtype=wp.float16)):
        i = wp.tid()
        y[i] = x[i] * x[i] + wp.float16(0.5) * wp.sqrt(x[i])

    x = wp.array([0.25, 1.0, 2.5, 9.0], dtype=wp.float16, requires_grad=True)
    return gradients(wp, k, 4, [x], [wp.zeros(4, dtype=wp.float16, requires_grad=True)])


@program(exact=True)
def conversions_between_types(wp):
    @wp.kernel
    def k(
        x: wp.array(dtype=float),
        i32: wp.array(dtype=int),
        u8: wp.array(dtype=wp.uint8),
        f64: wp.array(dtype=wp.float64),
    ):
        i = wp.tid()
        i32[i] = int(x[i])
        u8[i] = wp.uint8(x[i])
        f64[i] = wp.float64(x[i]) * wp.float64(0.1)

    x = wp.array([0.0, 1.9, 2.5, 200.7], dtype=float)
    out = [wp.zeros(4, dtype=t) for t in (int, wp.uint8, wp.float64)]
    wp.launch(k, dim=4, inputs=[x, *out])
    return out


def constants_of_the_module(wp):
    @wp.kernel
    def k(y: wp.array(dtype=float)):
        y[0] = wp.PI
        y[1] = wp.TAU * 0.5 + wp.HALF_PI
        y[2] = wp.E + wp.PHI
        y[3] = wp.LN2 + wp.LN10
        y[4] = wp.LOG2E * wp.LOG10E
        y[5] = wp.INF
        y[6] = wp.NAN

    y = wp.zeros(7, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y, [wp.pi, wp.tau, wp.half_pi, wp.e, wp.phi, wp.ln2, wp.ln10, wp.log2e, wp.log10e, wp.inf]


def user_constants(wp):
    gravity = wp.constant(-9.81)
    steps = wp.constant(7)
    origin = wp.constant(wp.vec3(1.0, 2.0, 3.0))

    @wp.kernel
    def k(y: wp.array(dtype=float)):
        for i in range(steps):
            y[i] = gravity * float(i) + origin[i % 3]

    y = wp.zeros(7, dtype=float)
    wp.launch(k, dim=1, inputs=[y])
    return y


@program(exact=True)
def comparisons_and_logic(wp):
    @wp.kernel
    def k(a: wp.array(dtype=int), b: wp.array(dtype=int), y: wp.array2d(dtype=int)):
        i = wp.tid()
        if a[i] < b[i] and not (a[i] == 0):
            y[i, 0] = 1
        if a[i] >= b[i] or b[i] != 3:
            y[i, 1] = 1
        y[i, 2] = 5 if 0 <= a[i] < 10 else 6
        y[i, 3] = wp.where(a[i] > b[i], a[i], b[i])

    a = wp.array([0, 3, 5, -2], dtype=int)
    b = wp.array([3, 3, 3, 8], dtype=int)
    y = wp.zeros((4, 4), dtype=int)
    wp.launch(k, dim=4, inputs=[a, b, y])
    return y


def error_function_and_inverse(wp):
    @wp.kernel
    def k(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
        i = wp.tid()
        y[i] = wp.erf(x[i]) + wp.erfc(x[i]) * wp.erfinv(x[i]) + wp.erfcinv(x[i] + wp.float64(1.0))

    x = wp.array([-0.6, 0.1, 0.4], dtype=wp.float64, requires_grad=True)
    return gradients(wp, k, 3, [x], [wp.zeros(3, dtype=wp.float64, requires_grad=True)])


def degrees_and_radians(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = wp.degrees(x[i]) + wp.radians(x[i]) * 100.0

    x = wp.array([0.0, 1.0, -2.5], dtype=float, requires_grad=True)
    return gradients(wp, k, 3, [x], [wp.zeros(3, dtype=float, requires_grad=True)])


def fractional_part(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = wp.frac(x[i])

    y = wp.zeros(4, dtype=float)
    wp.launch(k, dim=4, inputs=[wp.array([1.25, -1.25, 3.0, 0.5], dtype=float), y])
    return y


def unary_operators(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), n: wp.array(dtype=int), y: wp.array(dtype=float), m: wp.array(dtype=int)):
        i = wp.tid()
        y[i] = -x[i] + +x[i] * 2.0
        m[i] = -n[i] + ~n[i]

    x, n = wp.array([1.5, -2.0], dtype=float), wp.array([4, -9], dtype=int)
    y, m = wp.zeros_like(x), wp.zeros_like(n)
    wp.launch(k, dim=2, inputs=[x, n, y, m])
    return y, m


def approximate_division(wp):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = wp.div_approx(1.0, x[i])

    x = wp.array([0.5, 3.0, -7.0], dtype=float, requires_grad=True)
    return gradients(wp, k, 3, [x], [wp.zeros(3, dtype=float, requires_grad=True)])


def integer_minimum_of_mixed_literals(wp):
    @wp.kernel
    def k(n: wp.array(dtype=wp.uint64), y: wp.array(dtype=wp.uint64)):
        i = wp.tid()
        y[i] = wp.min(n[i], wp.uint64(10)) + wp.max(n[i], wp.uint64(3))

    n = wp.array(np.array([1, 5, 2**63], dtype=np.uint64), dtype=wp.uint64)
    y = wp.zeros(3, dtype=wp.uint64)
    wp.launch(k, dim=3, inputs=[n, y])
    return y
