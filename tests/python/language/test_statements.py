"""Statements of Python that kernels have: values against plain Python, gradients against finite differences."""

# ruff: noqa: B007, F811, F821, F841, RET503  (what is tested is what ruff would rather not see)

import math
from typing import Any

import pytest
import warp as wp


def run(kernel, *inputs, size=8, dtype=float):
    out = wp.zeros(size, dtype=dtype)
    wp.launch(kernel, dim=1, inputs=list(inputs), outputs=[out])
    return out.list()


@pytest.fixture
def debug():
    wp.config.mode = "debug"
    yield
    wp.config.mode = "release"


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


@wp.kernel
def backwards(a: int, b: int, s: int, out: wp.array(dtype=int)):
    k = int(0)
    for i in reversed(range(a, b, s)):
        out[k] = i + 100
        k += 1
    for i in reversed(range(3)):
        out[k] = i + 200
        k += 1
    for i in reversed(reversed(range(a, b, s))):
        out[k] = i + 300
        k += 1
    for i in wp.range(b):
        if i == 1:
            continue
        if i > 2:
            break
        out[k] = i + 400
        k += 1
    for i in reversed(range(b)):
        if i < 1:
            break
        out[k] = i + 500
        k += 1


@pytest.mark.parametrize("ends", [(0, 4, 1), (1, 6, 2), (5, 0, -2), (3, 3, 1), (0, 1, 3)])
def test_ranges_in_reverse(ends):
    a, b, s = ends
    wanted = [i + 100 for i in reversed(range(*ends))] + [202, 201, 200] + [i + 300 for i in range(*ends)]
    wanted += [i + 400 for i in range(b) if i != 1 and i <= 2] + [i + 500 for i in reversed(range(1, b))]
    assert run(backwards, a, b, s, size=40, dtype=int)[: len(wanted)] == wanted


def test_unsigned_ranges_in_reverse():
    @wp.kernel
    def unsigned(n: wp.uint8, out: wp.array(dtype=int)):
        k = int(0)
        for i in reversed(range(n)):
            out[k] = int(i)
            k += 1

    assert run(unsigned, 5, dtype=int)[:6] == [4, 3, 2, 1, 0, 0]


def test_reversed_takes_a_range():
    @wp.kernel
    def wrong(n: int, out: wp.array(dtype=float)):
        for i in reversed(n):
            out[i] = 1.0

    with pytest.raises(TypeError, match="runs over `range"):
        run(wrong, 3)

    @wp.kernel
    def outside(n: int, out: wp.array(dtype=float)):
        out[0] = float(reversed(range(n)))

    with pytest.raises(SyntaxError, match="head of a `for` loop"):
        run(outside, 3)


def search(a, wanted, out):
    for i in range(4):
        if a[i] == wanted:
            out[0] = i
            break
    else:
        out[0] = -1
    n = 0
    while n < 3:
        n += 1
        if n == wanted:
            break
    else:
        n = 100
    out[1] = n
    for i in range(2):
        for j in range(2):
            if i * 2 + j == wanted:
                break
        else:
            continue
        out[2] = i + 10
        break
    for k in range(2):
        out[3] = k
    else:
        out[4] = 7


@wp.kernel
def search_kernel(a: wp.array(dtype=int), wanted: int, out: wp.array(dtype=int)):
    for i in range(4):
        if a[i] == wanted:
            out[0] = i
            break
    else:
        out[0] = -1
    n = int(0)
    while n < 3:
        n += 1
        if n == wanted:
            break
    else:
        n = 100
    out[1] = n
    for i in range(2):
        for j in range(2):
            if i * 2 + j == wanted:
                break
        else:
            continue
        out[2] = i + 10
        break
    for k in range(2):
        out[3] = k
    else:
        out[4] = 7


@pytest.mark.parametrize("wanted", range(6))
def test_else_of_loops(wanted):
    a = [5, 3, 1, 2]
    out = [0] * 8
    search(a, wanted, out)
    assert run(search_kernel, wp.array(a, dtype=int), wanted, dtype=int) == out


@wp.func
def found(a: wp.array(dtype=int), wanted: int):
    for i in range(a.shape[0]):
        if a[i] == wanted:
            return i
    else:
        if wanted > 4:
            return -2
    return -1


def test_returns_from_loops_with_else():
    @wp.kernel
    def find(a: wp.array(dtype=int), wanted: int, out: wp.array(dtype=int)):
        out[0] = found(a, wanted)

    a = wp.array([5, 3, 1, 2], dtype=int)
    assert [run(find, a, w, dtype=int)[0] for w in range(7)] == [-1, 2, 3, 1, -1, 0, -2]


@wp.kernel
def maybe_set(n: int, c: float, out: wp.array(dtype=float)):
    if c > 0.0:
        x = c * 2.0
    out[0] = x
    for i in range(n):
        y = float(i) * c
        if i > 1:
            v = wp.vec2(y, 1.0)
    out[1] = y
    out[2] = v[1]
    out[3] = float(i)
    if n > 3:
        for j in range(n):
            for k in range(j):
                z = float(k)
    out[4] = z
    for m in range(3):
        w = float(m)
    out[5] = w + float(m)


def test_variables_that_are_not_set_are_zero():
    assert run(maybe_set, 4, 1.5) == [3.0, 4.5, 1.0, 3.0, 2.0, 4.0, 0.0, 0.0]
    assert run(maybe_set, 0, -1.5) == [0.0, 0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0]
    assert run(maybe_set, 1, -1.5) == [0.0, 0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0]


def test_variables_that_are_not_set_raise_in_debug_mode(debug):
    @wp.kernel
    def fresh(n: int, c: float, out: wp.array(dtype=float)):
        if c > 0.0:
            x = c
        for i in range(n):
            y = float(i)
            if i == 2:
                x = 7.0
        out[0] = x
        if n > 0:
            out[1] = y

    assert run(fresh, 2, 1.0)[:2] == [1.0, 1.0]
    assert run(fresh, 0, 1.0)[:2] == [1.0, 0.0]
    assert run(fresh, 3, -1.0)[:2] == [7.0, 2.0]
    with pytest.raises(NameError, match="read before it has a value") as failed:
        run(fresh, 2, -1.0)
    assert "out[0] = x" in str(failed.value)


def test_a_value_lasts_from_round_to_round():
    @wp.kernel
    def lasting(n: int, c: float, out: wp.array(dtype=float)):
        if c > 0.0:
            x = c
        for i in range(n):
            for j in range(2):
                if i == 1 and j == 0:
                    x = 7.0
                    z = 3.0
            out[i] = x
            out[i + 4] = z

    assert run(lasting, 4, -1.0) == [0.0, 7.0, 7.0, 7.0, 0.0, 3.0, 3.0, 3.0]
    assert run(lasting, 4, 2.0) == [2.0, 7.0, 7.0, 7.0, 0.0, 3.0, 3.0, 3.0]


def test_gradients_through_variables_that_loops_set():
    @wp.kernel
    def last(n: int, x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
        i = wp.tid()
        if x[i] > wp.float64(0.0):
            s = x[i] * x[i]
        for k in range(n):
            t = s * x[i] * wp.float64(k)
        y[i] = t + s

    def value(v, n):
        s = v * v if v > 0 else 0.0
        return s + (s * v * (n - 1) if n > 0 else 0.0)

    points = [0.7, -0.4, 1.3]
    for n in (0, 3):
        x = wp.array(points, dtype=wp.float64, requires_grad=True)
        y = wp.zeros(3, dtype=wp.float64, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(last, dim=3, inputs=[n, x], outputs=[y])
        tape.backward(grads={y: wp.ones(3, dtype=wp.float64)})
        assert y.list() == pytest.approx([value(v, n) for v in points])
        slopes = [(value(v + 1e-6, n) - value(v - 1e-6, n)) / 2e-6 for v in points]
        assert x.grad.list() == pytest.approx(slopes, abs=1e-8)


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

    with pytest.raises(TypeError, match="float32 on one way and int32 on another"):
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


@wp.func
def total(t: tuple[float, int]):
    return t[0] + float(t[1]) + float(len(t))


def test_tuples_and_unpacked_values():
    @wp.kernel
    def call(out: wp.array(dtype=float)):
        out[0] = total((1.5, 2))
        v = wp.vec2(1.0, 2.0)
        out[1] = wp.dot(wp.vec2(*v), v)
        m = wp.matrix_from_rows(*wp.mat22(1.0, 2.0, 3.0, 4.0))
        out[2] = m[1, 0]
        q = wp.quat(*wp.vec4(1.0, 2.0, 3.0, 4.0))
        out[3] = q[3]

    assert run(call)[:4] == [5.5, 5.0, 3.0, 4.0]

    @wp.kernel
    def wrong(out: wp.array(dtype=float)):
        out[0] = total((1.5, 2.0))

    with pytest.raises(TypeError, match="is \\(float32, float32\\), declared is \\(float32, int32\\)"):
        run(wrong)


def test_slices_of_values():
    @wp.kernel
    def slices(v: wp.vec4, n: int, out: wp.array(dtype=float)):
        w = v
        u = w[::-1]
        out[0] = u[0]
        w[1:3] = wp.vec2(7.0, 8.0)
        w[0:2] += wp.vec2(1.0, 1.0)
        w[2:] *= 2.0
        out[1] = w[1]
        out[2] = w[3]
        m = wp.mat33(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)
        out[3] = m[:, 1][2] + m[0:2, 1:3][1, 0]
        m[1:3, 0] = wp.vec2(20.0, 30.0)
        out[4] = m[n, 0:2][0]
        m[0:2, 0:2] = wp.mat22(0.5)
        out[5] = m[1, 1] + m[-1, :][2]
        q = wp.quat(x=1.0, y=2.0, z=3.0, w=4.0)
        out[6] = q[0:3][1] + q[1:2][0]
        out[7] = float(len(m[1:])) + w[-3:-1][0] + w[3:0:-2][1]

    assert run(slices, wp.vec4(1.0, 2.0, 3.0, 4.0), 2) == [4.0, 8.0, 8.0, 13.0, 30.0, 9.5, 4.0, 18.0]


def test_gradients_of_slices():
    @wp.kernel
    def norm(x: wp.array(dtype=wp.mat33d), y: wp.array(dtype=wp.float64)):
        m = x[0]
        m[0:2, 1] += m[1:, 0]
        c = m[:, 1]
        y[0] = wp.dot(c, c) * m[0, 2]

    def value(m):
        c = [m[1] + m[3], m[4] + m[6], m[7]]
        return sum(a * a for a in c) * m[2]

    at = [0.3, 1.2, -0.7, 0.4, 0.9, 1.1, -1.3, 0.2, 0.6]
    x = wp.array([wp.mat33d(*at)], dtype=wp.mat33d, requires_grad=True)
    y = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(norm, dim=1, inputs=[x], outputs=[y])
    tape.backward(grads={y: wp.ones(1, dtype=wp.float64)})
    assert y.list() == pytest.approx([value(at)])

    def moved(k, h):
        return value([v + h * (n == k) for n, v in enumerate(at)])

    slopes = [(moved(k, 1e-6) - moved(k, -1e-6)) / 2e-6 for k in range(9)]
    assert x.grad.numpy().ravel().tolist() == pytest.approx(slopes, abs=1e-8)


def test_slices_of_elements_of_arrays():
    @wp.kernel
    def slices(a: wp.array(dtype=wp.vec4), b: wp.array2d(dtype=float), out: wp.array(dtype=float)):
        out[0] = a[0][1:3][0]
        a[0][0:2] = wp.vec2(5.0, 6.0)
        a[0][2:4] += wp.vec2(1.0, 2.0)
        a[0][2:4] -= wp.vec2(0.5, 0.5)
        for i in range(4):
            out[1 + i] = a[0][i]
        row = b[1, :]
        out[5] = row[2]
        out[6] = b[:][1, 0]

    a = wp.array([wp.vec4(1.0, 2.0, 3.0, 4.0)], dtype=wp.vec4)
    b = wp.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=float)
    assert run(slices, a, b)[:7] == [2.0, 5.0, 6.0, 3.5, 5.5, 6.0, 4.0]


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


def test_slices_of_quaternions_and_transforms():
    @wp.kernel
    def slices(q: wp.quat, t: wp.transform, out: wp.array(dtype=float)):
        p = q
        p[0:2] = wp.vec2(7.0, 8.0)
        p[2:4] += wp.vec2(1.0, 2.0)
        out[0] = p[::-1][0] + 10.0 * p[1] + 100.0 * p[2]
        u = t
        out[1] = u[0:3][2] + 10.0 * u[3:][3] + 100.0 * u[::-3][1]
        u[0:3] = wp.vec3(1.0, 2.0, 4.0)
        u[5::-2] -= wp.vec3(1.0, 1.0, 1.0)
        out[2] = u.p[2] + 10.0 * u.p[1] + 100.0 * u[3] + 1000.0 * u.q[2]

    assert run(slices, wp.quat(1.0, 2.0, 3.0, 4.0), wp.transform(1, 2, 3, 4, 5, 6, 7))[:3] == [486.0, 473.0, 5314.0]


def test_slices_of_matrices_backwards():
    @wp.kernel
    def slices(m: wp.mat33, out: wp.array(dtype=wp.mat33)):
        out[0] = m[::-1]
        out[1] = m[::-1, ::-1]
        a = m
        a[::-1, 0] = wp.vec3(10.0, 20.0, 30.0)
        a[2:0:-1, 1:] += wp.mat22(1.0, 2.0, 3.0, 4.0)
        out[2] = a

    found = run(slices, wp.mat33(*range(9)), size=3, dtype=wp.mat33)
    assert found[0] == ((6, 7, 8), (3, 4, 5), (0, 1, 2))
    assert found[1] == ((8, 7, 6), (5, 4, 3), (2, 1, 0))
    assert found[2] == ((30, 1, 2), (20, 7, 9), (10, 8, 10))


@pytest.mark.parametrize("value", ["wp.vec3()", "wp.vec2d()", "1.0", "wp.mat22()"])
def test_a_slice_takes_values_of_its_shape_alone(value):
    @wp.kernel
    def slices(v: wp.vec4, out: wp.array(dtype=float)):
        w = v
        w[1:3] = wp.static(eval(value))
        out[0] = w[1]

    with pytest.raises((TypeError, ValueError)):
        run(slices, wp.vec4())


@wp.func
def volume(x: float, y: float, z: float):
    return x * y + 10.0 * z


@wp.func
def turned(x: float, y: float, z: float, w: float):
    return x + 10.0 * y + 100.0 * z + 1000.0 * w


def test_unpacked_values_in_calls():
    @wp.kernel
    def call(v: wp.vec4, q: wp.quat, t: wp.transform, out: wp.array(dtype=float)):
        out[0] = volume(*v[0:3])
        out[1] = turned(*q)
        out[2] = volume(v[3], *v[::-3])
        out[3] = wp.max(*q[1:3])
        out[4] = wp.dot(*wp.mat22(1.0, 2.0, 3.0, 4.0))
        out[5] = wp.quat(*q)[3] + wp.transform(*t)[6]

    found = run(call, wp.vec4(1.0, 2.0, 3.0, 4.0), wp.quat(1.0, 2.0, 3.0, 4.0), wp.transform(1, 2, 3, 4, 5, 6, 7))
    assert found[:6] == [32.0, 4321.0, 26.0, 3.0, 11.0, 11.0]


ROWS = wp.constant(2)


def test_unpacked_elements_of_arrays():
    @wp.kernel
    def call(
        a: wp.array(dtype=float), m: wp.array2d(dtype=float), rows: wp.array(dtype=wp.vec2),
        out: wp.array(dtype=float), vectors: wp.array(dtype=wp.vec3), square: wp.array(dtype=wp.mat22),
    ):  # fmt: skip
        vectors[0] = wp.vec3(*a[1:4])
        vectors[1] = wp.vec3(9.0, *a[:3:2])
        vectors[2] = wp.vec3(*m[1][0:3])
        local = wp.zeros(3, dtype=float)
        local[1] = 4.0
        vectors[3] = wp.vec3(*local[0:3])
        square[0] = wp.matrix_from_rows(*rows[0:ROWS])
        n = 3
        out[0] = volume(*a[0:n])
        out[1] = wp.min(*a[wp.static(1) : 4], *a[4:5])
        out[2] = volume(*a[1:5][1:4])

    a = wp.array([1.0, 2.0, 3.0, 4.0, 0.5], dtype=float)
    m = wp.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=float)
    rows = wp.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype=wp.vec2)
    out, vectors, square = wp.zeros(3, dtype=float), wp.zeros(4, dtype=wp.vec3), wp.zeros(1, dtype=wp.mat22)
    wp.launch(call, dim=1, inputs=[a, m, rows], outputs=[out, vectors, square])
    assert vectors.numpy().tolist() == [[2.0, 3.0, 4.0], [9.0, 1.0, 3.0], [4.0, 5.0, 6.0], [0.0, 4.0, 0.0]]
    assert square.numpy().tolist() == [[[1.0, 2.0], [3.0, 4.0]]]
    assert out.list() == [32.0, 0.5, 3.0 * 4.0 + 10.0 * 0.5]


def test_gradients_and_bounds_of_unpacked_elements():
    @wp.kernel
    def call(a: wp.array(dtype=float), out: wp.array(dtype=float)):
        out[0] = volume(*a[1:4])

    a = wp.array([1.0, 2.0, 3.0, 4.0], dtype=float, requires_grad=True)
    out = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(call, dim=1, inputs=[a], outputs=[out])
    tape.backward(out)
    assert a.grad.list() == [0.0, 3.0, 2.0, 10.0]
    with pytest.raises(IndexError, match="index 3 is out of range for a dimension of size 3"):
        wp.launch(call, dim=1, inputs=[wp.zeros(3, dtype=float)], outputs=[out])


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


def test_loops_give_variables_other_types():
    @wp.kernel
    def k(n: int, out: wp.array(dtype=float)):
        c = wp.vec3(1.0, 2.0, 3.0)
        out[0] = c[1]
        for r in range(n):
            for c in range(r + 1):
                out[1] += float(c)
        for _r in range(n):
            x = 2
            out[2] += float(x)
            x = 0.5
            out[3] += x

    @wp.kernel
    def behind(n: int, out: wp.array(dtype=float)):
        x = 1
        for _r in range(n):
            x = 0.5
            out[0] += x
        out[1] = float(x)

    @wp.kernel
    def before(n: int, out: wp.array(dtype=float)):
        x = 1
        for _r in range(n):
            out[0] += float(x)
            x = 0.5

    out = wp.zeros(4)
    wp.launch(k, 1, [3, out])
    assert out.list() == [2.0, 4.0, 6.0, 1.5]
    for kernel in (behind, before):
        with pytest.raises(TypeError, match="the loop changes variable `x` from int32 to float32"):
            wp.launch(kernel, 1, [3, out])


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
