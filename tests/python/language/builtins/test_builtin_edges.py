"""Builtins where values are at their edges: signs of zero, NaN, the smallest integer, rotations that are no rotation.

The numbers are those of NVIDIA Warp for the same programs, but for the differences that
docs/coming-from-nvidia-warp.md lists.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import warp as wp

from .scalar_names import NUMBERS

CONSTANTS = {
    "PI": math.pi, "HALF_PI": math.pi / 2, "TAU": math.tau, "E": math.e, "PHI": (1 + math.sqrt(5)) / 2,
    "LN2": math.log(2), "LN10": math.log(10), "LOG2E": math.log2(math.e), "LOG10E": math.log10(math.e),
    "INF": math.inf, "NAN": math.nan,
}  # fmt: skip


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_are_floats_in_either_case(name):
    for spelling in (name, name.lower()):
        value = getattr(wp, spelling)
        assert type(value) is float
        np.testing.assert_allclose(value, CONSTANTS[name], rtol=1e-15)


@wp.kernel
def wide(out: wp.array(dtype=wp.float64)):
    out[0] = wp.float64(wp.PI)
    out[1] = wp.float64(wp.log2e)
    out[2] = wp.float64(-wp.inf)
    out[3] = wp.float64(wp.NAN)
    x = wp.TAU
    out[4] = wp.float64(x)


def test_constants_in_kernels_are_as_wide_as_what_stands_around_them():
    out = np.zeros(5)
    wp.launch(wide, dim=1, inputs=[out])
    np.testing.assert_array_equal(out, [math.pi, math.log2(math.e), -math.inf, math.nan, math.tau])


@wp.kernel
def scalars(f: wp.array(dtype=float), i: wp.array(dtype=int)):
    nan = wp.NAN
    f[0] = wp.copysign(2.0, -0.0)
    f[1] = wp.copysign(-2.0, 0.0)
    f[2] = wp.copysign(wp.INF, y=-1.0)
    f[3] = wp.copysign(nan, -1.0)
    f[4] = wp.div_approx(3.0, 2.0)
    f[5] = wp.float(True)
    i[0] = wp.bit_count(-1)
    i[1] = wp.bit_count(wp.int8(-1))
    i[2] = wp.bit_count(wp.uint64(3))
    i[3] = wp.bit_count(-2147483648)
    i[4] = wp.block_dim()
    i[5] = wp.int(-3.7)
    i[6] = len((1, 2.0, 3))


def test_scalars():
    f, i = np.zeros(6, np.float32), np.zeros(7, np.int32)
    wp.launch(scalars, dim=1, inputs=[f, i])
    np.testing.assert_array_equal(f, [-2, 2, -np.inf, np.nan, 1.5, 1])
    assert np.signbit(f[3])
    threads = 256 if wp.get_device().is_cuda else 1
    assert i.tolist() == [32, 8, 2, 1, threads, -3, 3]


@wp.kernel
def bits(
    x: wp.array(dtype=float), words: wp.array(dtype=wp.uint32), pair: wp.array(dtype=wp.uint64),
    back: wp.array(dtype=wp.vec2), four: wp.array(dtype=wp.vec4), halves: wp.array(dtype=wp.uint16),
):  # fmt: skip
    i = wp.tid()
    words[i] = wp.cast(x[i], wp.uint32)
    pair[0] = wp.cast(wp.vec2(1.0, 2.0), wp.uint64)
    back[0] = wp.cast(wp.cast(wp.vec2(1.0, -2.5), wp.vec2i), dtype=wp.vec2)
    back[1] = wp.cast(wp.uint64(4611686019492741120), wp.vec2)
    four[0] = wp.cast(wp.mat22(1.0, 2.0, 3.0, 4.0), wp.vec4)
    halves[0] = wp.cast(wp.float16(1.0), wp.uint16)
    halves[1] = wp.cast(wp.bfloat16(1.0), wp.uint16)


def test_bits_read_as_another_type():
    x = np.array([1.0, -0.0, np.nan, 1e-45], np.float32)
    words, pair, halves = np.zeros(4, np.uint32), np.zeros(1, np.uint64), np.zeros(2, np.uint16)
    back, four = np.zeros((2, 2), np.float32), np.zeros((1, 4), np.float32)
    wp.launch(bits, dim=4, inputs=[x, words, pair, back, four, halves])
    assert words.tolist() == x.view(np.uint32).tolist()
    assert pair.tolist() == [4611686019492741120]
    assert back.tolist() == [[1.0, -2.5], [1.0, 2.0]]
    assert four.tolist() == [[1, 2, 3, 4]]
    assert halves.tolist() == [0x3C00, 0x3F80]


def test_bits_of_another_size_are_refused():
    @wp.kernel
    def narrow(x: wp.array(dtype=float)):
        x[0] = wp.cast(wp.float64(1.0), wp.float32)

    with pytest.raises(TypeError, match="float64 has 8 bytes and float32 has 4"):
        wp.launch(narrow, dim=1, inputs=[np.zeros(1, np.float32)])


@wp.kernel
def integers(out: wp.array2d(dtype=wp.vec3i), m: wp.array(dtype=wp.types.matrix((2, 2), wp.int32))):
    a = wp.vec3i(7, -7, 5)
    b = wp.vec3i(3, 3, -3)
    out[0, 0] = a % b
    out[0, 1] = wp.mod(a, b)
    out[0, 2] = wp.cw_div(a, b)
    out[0, 3] = wp.cw_div(a, wp.vec3i(0, 2, 0))
    out[1, 0] = a & b
    out[1, 1] = a | b
    out[1, 2] = a ^ b
    out[1, 3] = ~a
    out[2, 0] = wp.bit_and(a, b)
    out[2, 1] = wp.lshift(a, wp.vec3i(1, 2, 3))
    out[2, 2] = a >> wp.vec3i(1, 1, 31)
    out[2, 3] = wp.invert(a)
    m[0] = m[0] & m[1]


def test_integers_component_by_component():
    out, m = np.zeros((3, 4, 3), np.int32), np.array([[[1, 2], [3, 4]], [[1, 1], [1, 1]]], np.int32)
    wp.launch(integers, dim=1, inputs=[out, m])
    a, b = np.array([7, -7, 5], np.int32), np.array([3, 3, -3], np.int32)
    want = [
        [[1, -1, 2], [1, -1, 2], [2, -2, -1], [0, -3, 0]],
        [a & b, a | b, a ^ b, ~a],
        [a & b, a << [1, 2, 3], a >> [1, 1, 31], ~a],
    ]
    np.testing.assert_array_equal(out, want)
    assert m[0].tolist() == [[1, 0], [1, 0]]


@wp.kernel
def twists(q: wp.array(dtype=wp.quat), f: wp.array(dtype=float)):
    r = wp.normalize(wp.quat(0.1, 0.4, -0.2, 0.7))
    axis = wp.vec3(0.0, 0.6, 0.8)
    x = wp.vec3(1.0, 0.0, 0.0)
    across = wp.quat(0.0, 1.0, 0.0, 0.0)
    q[0] = wp.quat_twist(axis, r)
    q[1] = wp.quat_twist(axis * 2.0, r)
    q[2] = wp.quat_twist(x, across)
    q[3] = wp.quat_twist(wp.vec3(), r)
    q[4] = wp.quat_twist(wp.vec3(0.0, 1.0, 0.0), wp.quat(0.1, 0.4, -0.2, -0.7))
    q[5] = wp.quat_between_vectors(wp.vec3(1.0, 2.0, 3.0), wp.vec3(-2.0, 0.5, 1.0))
    q[6] = wp.quat_between_vectors(wp.vec3(), x)
    q[7] = wp.quat_from_euler(wp.vec3(0.3, -0.5, 0.9), 0, 1, 2)
    q[8] = wp.quat_from_euler(wp.vec3(0.3, -0.5, 0.9), 0, 1, 0)
    f[0] = wp.quat_twist_angle(axis, r)
    f[1] = wp.quat_twist_angle(axis, -r)
    f[2] = wp.quat_twist_angle(x, across)
    f[3] = wp.quat_twist_angle(axis, wp.quat(0.0, 0.0, 0.0, -1.0))
    f[4] = wp.quat_twist_angle_signed(axis, -r)
    f[5] = wp.quat_twist_angle_signed(axis, wp.quat_inverse(r))
    f[6] = wp.quat_twist_angle_signed(axis * 2.0, r)
    f[7] = wp.quat_twist_angle_signed(axis, wp.quat(0.0, 0.0, 0.0, -1.0))


def test_twists_and_rotations_that_are_none():
    q, f = np.zeros((9, 4), np.float32), np.zeros(8, np.float32)
    wp.launch(twists, dim=1, inputs=[q, f])
    want = [
        [0, 0.068128, 0.0908373, 0.9935326], [0, 0.2494559, 0.3326079, 0.9094744], [0, 0, 0, 1], [0, 0, 0, 1],
        [0, 0.496139, 0, -0.8682432], [0.0371347, -0.5198855, 0.3342121, 0.7852659], [0, 0, 0, 1],
        [0.2367818, -0.1572929, 0.4500021, 0.8465763], [0.2863332, -0.247404, 0, 0.9256374],
    ]  # fmt: skip
    np.testing.assert_allclose(q, want, atol=1e-6)
    want = [0.2275841, 6.055601, 0, 6.2831855, -6.055601, -0.2275841, 0.4494224, 6.2831855]
    np.testing.assert_allclose(f, want, atol=2e-6)


ANGLES = {
    (0, 1, 0): [0.6055447, 1.1278852, -0.3217505], (0, 1, 2): [-0.0554985, 1.0296968, -0.5880027],
    (0, 2, 0): [2.1763408, -1.8925468, 1.1278852], (0, 2, 1): [0.4636477, 1.1071489, -0.2897518],
    (1, 0, 1): [0.5410996, -0.5880026, 1.6262949], (1, 0, 2): [-0.0285754, 1.0303769, -0.5404196],
    (1, 2, 0): [-0.0333211, 1.047518, -0.5401746], (1, 2, 1): [3.1970913, -2.158799, 0.5410996],
    (2, 0, 1): [0.442911, 0.9652517, -0.3217506], (2, 0, 2): [1.0306218, 1.047518, -1.6041174],
    (2, 1, 0): [0.6947383, 0.8373281, -0.8760582], (2, 1, 2): [-0.5232784, 1.0306218, -0.033321],
}  # fmt: skip


@wp.kernel
def angles(sequence: wp.array(dtype=wp.vec3i), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    s = sequence[i]
    out[i] = wp.quat_to_euler(wp.normalize(wp.quat(0.1, 0.4, -0.2, 0.7)), s[0], s[1], s[2])


def test_angles_of_every_sequence():
    sequence, out = np.array(list(ANGLES), np.int32), np.zeros((12, 3), np.float32)
    wp.launch(angles, dim=12, inputs=[sequence, out])
    np.testing.assert_allclose(out, list(ANGLES.values()), atol=2e-6)
    for axes, want in ANGLES.items():
        q = wp.normalize(wp.quat(0.1, 0.4, -0.2, 0.7))
        np.testing.assert_allclose(list(wp.quat_to_euler(q, *axes)), want, atol=2e-6)


@wp.kernel
def searched(s: wp.array(dtype=float), empty: wp.array(dtype=float), out: wp.array(dtype=int)):
    out[0] = wp.lower_bound(s, 2.5)
    out[1] = wp.lower_bound(s, 9.0)
    out[2] = wp.lower_bound(s, -1.0)
    out[3] = wp.lower_bound(s, 1, 3, 9.0)
    out[4] = wp.lower_bound(s, 2, 2, 0.0)
    out[5] = wp.lower_bound(s, wp.NAN)
    out[6] = wp.lower_bound(s, arr_begin=1, arr_end=4, value=2.0)
    out[7] = wp.lower_bound(s, 3, 1, 2.0)
    out[8] = wp.lower_bound(empty, 1.0)


def test_lower_bound():
    s, out = np.arange(5, dtype=np.float32), np.zeros(9, np.int32)
    wp.launch(searched, dim=1, inputs=[s, np.zeros(0, np.float32), out])
    assert out.tolist() == [3, 4, 0, 2, 2, 0, 2, 3, 0]


@pytest.mark.parametrize("sign", [-0.0, 0.0, -3.0, 2.0])
def test_gradient_of_copysign(sign):
    @wp.kernel
    def signed(x: wp.array(dtype=float), y: wp.array(dtype=float), out: wp.array(dtype=float)):
        out[0] = wp.copysign(x[0], y[0])

    for x in (2.0, -2.0):
        a = wp.array([x], dtype=float, requires_grad=True)
        b = wp.array([sign], dtype=float, requires_grad=True)
        out = wp.zeros(1, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(signed, dim=1, inputs=[a, b, out])
        tape.backward(grads={out: wp.ones(1, dtype=float)})
        assert a.grad.numpy()[0] == math.copysign(1, x) * math.copysign(1, sign)
        assert b.grad.numpy()[0] == 0


@wp.kernel
def interpolated(knots: wp.array(dtype=float), x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    at = wp.max(wp.lower_bound(knots, x[i]), 1)
    wp.expect_near(knots[at], knots[at])
    t = (x[i] - knots[at - 1]) / (knots[at] - knots[at - 1])
    out[i] = t * float(wp.cast(t, wp.int32) & 0) + float(at) * t


def test_gradients_pass_by_searches_bits_and_expectations():
    knots = wp.array([0.0, 1.0, 3.0, 7.0], dtype=float)
    x = wp.array([0.5, 2.0, 6.0], dtype=float, requires_grad=True)
    out = wp.zeros(3, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(interpolated, dim=3, inputs=[knots, x, out])
    tape.backward(grads={out: wp.ones(3, dtype=float)})
    np.testing.assert_allclose(x.grad.numpy(), [1, 2 / 2, 3 / 4])


@pytest.mark.parametrize("name", [name for name in NUMBERS if "int" in name])
def test_parts_of_integers_of_every_width(name):
    scalar = getattr(wp, name)
    vector, matrix = wp.types.vector(2, scalar), wp.types.matrix((2, 2), scalar)

    @wp.kernel
    def kernel(a: vector, b: vector, v: wp.array(dtype=vector), m: wp.array(dtype=matrix)):
        v[0] = wp.cw_div(a, b)
        v[1] = wp.mod(a, b)
        v[2] = a % b
        v[3] = wp.bit_xor(a, b) ^ (a & b) ^ (a | b)
        v[4] = wp.rshift(a << b, b)
        x = wp.matrix_from_rows(a, b)
        y = wp.matrix_from_rows(b, b)
        m[0] = wp.cw_div(x, y)
        m[1] = ~(~x | wp.invert(y))
        m[2] = x << y >> y

    v, m = wp.zeros(5, dtype=vector), wp.zeros(3, dtype=matrix)
    wp.launch(kernel, dim=1, inputs=[vector(7, 9), vector(2, 4), v, m])
    a, b = np.array([7, 9], name), np.array([2, 4], name)
    moved = [(a << b) >> b, (b << b) >> b]
    np.testing.assert_array_equal(v.numpy(), [[3, 2], [1, 1], [1, 1], [0, 0], moved[0]])
    np.testing.assert_array_equal(m.numpy(), [[[3, 2], [1, 1]], [a & b, b], moved])


@pytest.mark.parametrize("scalar", [wp.int8, wp.uint16, wp.int64, wp.float16, wp.float64])
def test_a_search_among_numbers_of_any_type(scalar):
    @wp.kernel
    def kernel(a: wp.array(dtype=scalar), x: scalar, out: wp.array(dtype=int)):
        out[0] = wp.lower_bound(a, x)
        out[1] = wp.lower_bound(a, 0, 2, x)

    out = wp.zeros(2, dtype=int)
    wp.launch(kernel, dim=1, inputs=[wp.array([1, 2, 5, 9], dtype=scalar), 3, out])
    assert out.list() == [2, 1]


@wp.kernel
def as_the_plain_names(x: Any, f: wp.array(dtype=float), n: wp.array(dtype=int)):
    f[0] = wp.float(x)
    n[0] = wp.int(x)


@pytest.mark.parametrize("x", [True, wp.int8(1), wp.uint64(1), wp.float16(1.5), wp.float64(1.5), 1.5])
def test_int_and_float_of_every_number(x):
    f, n = wp.zeros(1), wp.zeros(1, dtype=int)
    wp.launch(as_the_plain_names, dim=1, inputs=[x, f, n])
    assert (f.list(), n.list()) == ([float(x)], [1])


def test_rotations_between_vectors_in_python():
    a, b = wp.normalize(wp.vec3d(1, 2, 3)), wp.normalize(wp.vec3d(-2, 0.5, 1))
    q = wp.quat_between_vectors(a, b)
    assert type(q) is wp.quatd
    np.testing.assert_allclose(list(wp.quat_rotate(q, a)), list(b), atol=1e-15)


@wp.kernel
def bits_and_value(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    out[0] = wp.cast(wp.cast(x[0], wp.int32) + 8388608, wp.float32) + x[0]


def test_bits_have_no_gradient():
    x, out = wp.ones(1, requires_grad=True), wp.zeros(1, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(bits_and_value, dim=1, inputs=[x, out])
    tape.backward(out)
    assert out.list() == [3.0]
    assert x.grad.list() == [1.0]
