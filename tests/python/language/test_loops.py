"""Loops: ranges, `else`, and variables that are set inside."""

import pytest
import warp as wp

from .running import run


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
