"""Statements of Python that kernels have: values against plain Python, gradients against finite differences."""

# ruff: noqa: B007, F811, F821, F841, RET503  (what is tested is what ruff would rather not see)

import math
from typing import Any

import pytest
import warp as wp

from .running import run


@wp.kernel
def asserting(n: int, out: wp.array(dtype=float)):
    assert n > 2, "n is too small"
    out[0] = float(n)


def test_an_assertion_is_ignored():
    assert run(asserting, 1)[0] == 1.0


def test_an_assertion_of_nonsense_is_refused():
    @wp.kernel
    def wrong(v: wp.vec3, out: wp.array(dtype=float)):
        assert v, "no condition"
        out[0] = 1.0

    with pytest.raises(TypeError, match="a condition is a scalar or an array"):
        run(wrong, wp.vec3())


def test_a_failed_assertion_names_its_line(debug):
    @wp.kernel
    def checked(n: int, out: wp.array(dtype=float)):
        out[1] = 1.0
        assert n > 2, "n is too small"
        out[0] = float(n)

    assert run(checked, 3)[:2] == [3.0, 1.0]
    with pytest.raises(AssertionError, match="an assertion does not hold") as failed:
        run(checked, 1)
    assert 'assert n > 2, "n is too small"' in str(failed.value)


def test_an_assertion_in_a_loop_has_a_gradient(debug):
    @wp.kernel
    def powers(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        p = x[i]
        for k in range(3):
            assert p < 100.0
            p = p * x[i]
        y[i] = p

    x = wp.array([1.5, 2.0], dtype=float, requires_grad=True)
    y = wp.zeros(2, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(powers, dim=2, inputs=[x], outputs=[y])
    tape.backward(grads={y: wp.ones(2)})
    assert x.grad.list() == pytest.approx([4 * 1.5**3, 4 * 2.0**3])
    x.assign([20.0, 1.0])
    with pytest.raises(AssertionError):
        wp.launch(powers, dim=2, inputs=[x], outputs=[y])


@wp.kernel
def array_conditions(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    if a:
        out[0] = a[0]
    else:
        out[0] = -1.0
    if not a:
        out[1] = 5.0
    if a and a[0] > 1.0:
        out[2] = 6.0
    out[3] = wp.where(a, 1.0, 2.0)


def test_an_array_is_true_unless_none_was_passed():
    assert run(array_conditions, wp.array([3.0], dtype=float))[:4] == [3.0, 0.0, 6.0, 1.0]


def test_a_variable_is_still_used_after_it_is_assigned():
    @wp.kernel
    def early(n: int, out: wp.array(dtype=float)):
        out[0] = x
        x = 1.0

    with pytest.raises(NameError, match="used before it is assigned"):
        run(early, 3)

    @wp.kernel
    def two_types(n: int, out: wp.array(dtype=float)):
        if n > 0:
            x = 1.0
        else:
            x = 1
        out[0] = x

    with pytest.raises(TypeError, match="float32 on one path and int32 on another"):
        run(two_types, 3)


@wp.func
def positive(x: float):
    if x > 0.0:
        return x * x


@wp.func
def first_above(n: int, limit: int):
    for i in range(n):
        if i * i > limit:
            return wp.vec2i(i, i * i)


def test_functions_without_a_result_give_zero():
    @wp.kernel
    def call(x: float, out: wp.array(dtype=float)):
        out[0] = positive(x)
        out[1] = float(first_above(10, int(x))[1])

    assert run(call, 3.0)[:2] == [9.0, 4.0]
    assert run(call, -3.0)[:2] == [0.0, 0.0]
    assert run(call, 90.0)[:2] == [8100.0, 0.0]


@wp.func
def twice(f: wp.Function, x: Any):
    return f(f(x))


@wp.func
def cube(x: Any):
    return x * x * x


@wp.func
def kind(x: Any):
    return 1.0


@wp.func
def kind(x: int):
    return 2.0


@wp.func
def kind(x: float, y: float):
    return 3.0


def test_functions_are_values():
    @wp.kernel
    def call(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
        f = cube
        g = math.sin
        y[0] = twice(f, x[0]) + twice(wp.cos, x[0]) + g(x[0])

    def value(v):
        return v**9 + math.cos(math.cos(v)) + math.sin(v)

    x = wp.array([0.8], dtype=wp.float64, requires_grad=True)
    y = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(call, dim=1, inputs=[x], outputs=[y])
    tape.backward(grads={y: wp.ones(1, dtype=wp.float64)})
    assert y.list() == pytest.approx([value(0.8)])
    assert x.grad.list() == pytest.approx([(value(0.8 + 1e-6) - value(0.8 - 1e-6)) / 2e-6])


def test_a_parameter_that_is_a_function_takes_nothing_else():
    @wp.kernel
    def wrong(out: wp.array(dtype=float)):
        out[0] = twice(1.0, 2.0)

    with pytest.raises(TypeError, match="argument `f` of function `twice` is float32, declared is function"):
        run(wrong)


def test_overloads_are_chosen_by_exact_types():
    @wp.kernel
    def call(out: wp.array(dtype=float)):
        out[0] = kind(1)
        out[1] = kind(1.0)
        out[2] = kind(1.0, 2.0)

    assert run(call)[:3] == [2.0, 1.0, 3.0]

    @wp.kernel
    def wrong(out: wp.array(dtype=float)):
        out[0] = kind(1, 2)

    with pytest.raises(TypeError, match="no overload of function `kind` takes"):
        run(wrong)


def test_types_of_values_are_constructors():
    @wp.kernel
    def make(x: wp.float64, v: wp.vec3d, a: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
        out[0] = type(x)(2)
        out[1] = v.dtype(3.5)
        out[2] = a.dtype(4.5)
        out[3] = type(v)(1.0, 2.0, 3.0)[2]
        out[4] = x.dtype(0.1)
        out[5] = type(a[0])(0.1)

    args = [1.0, wp.vec3d(), wp.zeros(1, dtype=wp.float64)]
    assert run(make, *args, dtype=wp.float64)[:6] == [2.0, 3.5, 4.5, 3.0, 0.1, 0.1]


def test_names_of_math():
    @wp.kernel
    def call(x: float, out: wp.array(dtype=float)):
        out[0] = math.sin(x)
        out[1] = math.pow(x, 3.0)
        out[2] = math.floor(x)
        out[3] = math.atan2(x, 2.0)

    assert run(call, 2.5)[:4] == pytest.approx([math.sin(2.5), 2.5**3, 2.0, math.atan2(2.5, 2.0)])

    @wp.kernel
    def wrong(out: wp.array(dtype=float)):
        out[0] = math.gamma(1.0)

    with pytest.raises(TypeError, match="kernels cannot call"):
        run(wrong)


SMALL = 0.1
BIG = 5000000000


def test_numbers_keep_their_full_value():
    @wp.kernel
    def numbers(out: wp.array(dtype=wp.float64)):
        x = 0.1
        out[0] = wp.float64(x)
        y = -x
        out[1] = wp.float64(y)
        out[2] = wp.vec2d(x, x)[0]
        n = 5000000000
        out[3] = wp.float64(n)
        z = SMALL
        out[4] = wp.float64(z)
        out[5] = wp.float64(wp.float32(x))
        b = BIG
        out[6] = wp.float64(b + wp.int64(1))

    rounded = wp.array([0.1], dtype=wp.float32).list()[0]
    wanted = [0.1, -0.1, 0.1, 5e9, 0.1, rounded, 5000000001.0]
    assert run(numbers, dtype=wp.float64)[:7] == wanted


def test_explicit_conversions_wrap():
    @wp.kernel
    def numbers(out: wp.array(dtype=wp.int64)):
        out[0] = 5000000000
        out[1] = wp.int64(wp.uint8(-1))
        out[2] = wp.int64(wp.int32(4294967295))
        out[3] = wp.int64(wp.uint32(0xFFFFFFFF))
        out[4] = wp.int64(wp.uint8(300))
        out[5] = wp.int64(2147483647 + 1)

    assert run(numbers, dtype=wp.int64)[:6] == [5000000000, 255, -1, 4294967295, 44, 2147483648]

    @wp.kernel
    def wrong(out: wp.array(dtype=int)):
        out[0] = 5000000000

    with pytest.raises(TypeError, match="holds int32, this is int64"):
        run(wrong, dtype=int)


def test_written_integers_keep_their_arithmetic_in_conversions():
    @wp.kernel
    def floats(out: wp.array(dtype=wp.float64)):
        out[0] = wp.float64(6 & 3)
        out[1] = wp.float64((1 << 4) - 1)
        out[2] = wp.float64(-(1 << 4) | 5)
        out[3] = wp.float64(~5 ^ 1)
        out[4] = wp.float64(7 / 2)
        out[5] = wp.float64(-7 / 2)
        out[6] = wp.float64(-7 // 2)
        out[7] = wp.float64(-7 % 4)
        out[8] = wp.float64(float(7 / 2))
        out[9] = wp.vec2d(1 << 40, 7.0 / 2.0)[0]
        out[10] = wp.float64(7.0 / 2.0)

    wanted = [2, 15, -11, -5, 3, -3, -4, -3, 3, 2**40, 3.5]
    assert list(run(floats, size=11, dtype=wp.float64)) == wanted

    @wp.kernel
    def integers(out: wp.array(dtype=wp.int64)):
        out[0] = wp.int64(wp.uint8(1000 / 10))
        out[1] = wp.int64(wp.uint8(300 - 100))
        out[2] = wp.int64(wp.uint8(300 + 1))
        out[3] = wp.int64(wp.int8(100 + 100))
        out[4] = wp.int64(wp.uint32(0 - 1))
        out[5] = wp.int64(1 << 40)
        v = wp.vec3l(1.9, -1.9, 3)
        out[6] = v[0] + wp.int64(10) * v[1] + wp.int64(100) * v[2]

    assert run(integers, dtype=wp.int64)[:7] == [100, 200, 45, -56, 4294967295, 2**40, 291]


def test_bools_compare_with_numbers():
    @wp.kernel
    def k(b: wp.array(dtype=wp.bool), n: wp.array(dtype=int), x: wp.array(dtype=float), out: wp.array2d(dtype=wp.bool)):
        i = wp.tid()
        out[i, 0] = b[i] == 0
        out[i, 1] = n[i] != b[i]
        out[i, 2] = b[i] < x[i]
        out[i, 3] = b[i] <= b[0]
        out[i, 4] = b[i] == 2

    b, n, x = [True, False, True], [1, 1, 0], [0.5, 0.5, 1.5]
    out = wp.zeros((3, 5), dtype=wp.bool)
    arrays = [wp.array(b, dtype=wp.bool), wp.array(n, dtype=int), wp.array(x, dtype=float)]
    wp.launch(k, 3, [*arrays, out])
    expected = [[p == 0, q != p, p < r, p <= b[0], p == 2] for p, q, r in zip(b, n, x, strict=True)]
    assert out.numpy().tolist() == expected


@wp.struct
class Part:
    numbers: wp.array(dtype=float)
    count: int


@wp.func
def at_way(way: int, a: wp.array(dtype=float), i: int):
    if way == 1:
        row = a
    s = float(0)
    if way == 1:
        s = row[i] * 2.0
    return s


@wp.kernel
def one_way(way: int, a: wp.array(dtype=float), out: wp.array(dtype=float)):
    out[0] = at_way(way, a, 1)


@wp.kernel
def in_loop(n: int, a: wp.array2d(dtype=float), out: wp.array(dtype=float)):
    for i in range(n):
        row = a[i]
        part = Part()
        part.numbers = a[i]
        part.count = i
    out[0] = row[0]
    out[1] = part.numbers[1] + float(part.count)


def test_arrays_that_only_one_way_assigns():
    a, table = wp.array([1.0, 2.0, 3.0], dtype=float), wp.array([[1.0, 2.0], [3.0, 4.0]], dtype=float)
    for way, expected in ((0, 0.0), (1, 4.0)):
        out = wp.zeros(1, dtype=float)
        wp.launch(one_way, 1, [way, a, out])
        assert out.list() == [expected]
    out = wp.zeros(2, dtype=float)
    with pytest.raises(IndexError, match="out of range for a dimension of size 0"):
        wp.launch(in_loop, 1, [0, table, out])
    wp.launch(in_loop, 1, [2, table, out])
    assert out.list() == [3.0, 5.0]


def test_gradients_of_arrays_that_only_one_way_assigns():
    a, out = wp.array([1.0, 2.0, 3.0], dtype=float, requires_grad=True), wp.zeros(1, dtype=float, requires_grad=True)
    for way, expected in ((0, 0.0), (1, 2.0)):
        with wp.Tape() as tape:
            wp.launch(one_way, 1, [way, a, out])
        tape.backward(grads={out: wp.ones(1)})
        assert a.grad.list() == [0.0, expected, 0.0]
        tape.zero()


@wp.kernel
def of_types(m: wp.types.matrix((3, 2), dtype=float), out: wp.array(dtype=int)):
    row = m[0]
    out[0] = type(row).length
    out[1] = type(m).shape[0] * 10 + type(m).shape[1]
    out[2] = int(type(m).dtype(3.5))
    eye = wp.identity(n=type(row).length, dtype=m.dtype)
    out[3] = int(eye[1, 1]) + type(eye)._length_


def test_types_of_values_say_what_they_are():
    out = wp.zeros(4, dtype=int)
    wp.launch(of_types, 1, [wp.types.matrix((3, 2), dtype=float)(), out])
    assert out.list() == [2, 32, 3, 5]

    @wp.kernel
    def wrong(out: wp.array(dtype=int)):
        out[0] = type(wp.vec3()).width

    with pytest.raises(AttributeError, match=r"the type vec\(3, float32\) has no attribute `width` in kernels"):
        wp.launch(wrong, 1, [out])
