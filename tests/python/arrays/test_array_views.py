"""Arrays in kernels that are parts of others or one of several: slices, branches, loops, `wp.where`, None."""

import numpy as np
import pytest
import warp as wp


def run(kernel, *inputs, dim=1):
    wp.launch(kernel, dim=dim, inputs=list(inputs))


BOUNDS = [0, 1, 3, 7, 100, -1, -4, -100]


@pytest.mark.parametrize("step", [1, 2, 7, -1, -3])
def test_slices_are_those_of_python(step):
    @wp.kernel
    def kernel(
        a: wp.array(dtype=float), lower: int, upper: int, length: wp.array(dtype=int), sums: wp.array(dtype=float)
    ):
        s = a[lower:upper:step]
        length[0] = len(s)
        for i in range(s.shape[0]):
            sums[0] += s[i] * float(i + 1)
        s = a[lower::step]
        length[1] = len(s)
        for i in range(s.size):
            sums[1] += s[-1 - i]
        s = a[:upper:step]
        length[2] = len(s)

    a = np.arange(10.0) ** 2
    for lower in BOUNDS:
        for upper in BOUNDS:
            length, sums = wp.zeros(3, dtype=int), wp.zeros(2)
            run(kernel, wp.array(a, dtype=float), lower, upper, length, sums)
            first, second, third = a[lower:upper:step], a[lower::step], a[:upper:step]
            assert length.numpy().tolist() == [len(first), len(second), len(third)]
            assert sums.numpy().tolist() == [(first * np.arange(1, len(first) + 1)).sum(), second.sum()]


def test_a_step_of_run_time():
    @wp.kernel
    def kernel(a: wp.array(dtype=float), step: wp.int64, out: wp.array(dtype=float)):
        s = a[::step]
        out[0] = float(len(s))
        if len(s) > 0:
            out[1] = s[0]
            out[2] = s[-1]

    a = np.arange(10.0)
    for step in (1, 3, -1, -4, 2**40, -(2**40)):
        out = wp.zeros(3)
        run(kernel, wp.array(a, dtype=float), step, out)
        assert out.numpy().tolist() == [len(a[::step]), a[::step][0], a[::step][-1]]
    out = wp.zeros(3)
    run(kernel, wp.array(a, dtype=float), 0, out)
    assert out.numpy().tolist() == [0, 0, 0]


def test_slices_write_through():
    @wp.kernel
    def kernel(a: wp.array2d(dtype=wp.vec3), b: wp.array(dtype=int)):
        block = a[1:, ::-2]
        block[0, 0] = wp.vec3(1.0, 2.0, 3.0)
        block[1][-1] += wp.vec3(4.0, 5.0, 6.0)
        column = a[:, 1]
        column[0] = wp.vec3(7.0, 7.0, 7.0)
        column[1:][0].y = 8.0
        rest = b[2:][1:]
        wp.atomic_add(rest, 0, 5)
        wp.atomic_max(rest[::-1], 0, 9)
        rest[1] -= 1

    a = wp.zeros((3, 4), dtype=wp.vec3)
    b = wp.zeros(6, dtype=int)
    run(kernel, a, b)
    expected = np.zeros((3, 4, 3))
    expected[1, 3] = [1, 2, 3]
    expected[2, 1] = [4, 5, 6]
    expected[0, 1] = 7
    expected[1, 1, 1] = 8
    assert (a.numpy() == expected).all()
    assert b.numpy().tolist() == [0, 0, 0, 5, -1, 9]


@wp.func
def total(x: wp.array(dtype=float)) -> float:
    s = float(0.0)
    for i in range(len(x)):
        s += x[i]
    return s


def test_slices_go_to_functions_and_may_be_strided():
    @wp.kernel
    def kernel(a: wp.array2d(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        out[i] = total(a[i, 1:3]) + total(a[:, i]) + total(a[i])

    a = np.arange(12.0).reshape(4, 3)
    out = wp.zeros(3)
    run(kernel, wp.array(a[::-1], dtype=float), out, dim=3)
    b = a[::-1]
    assert out.numpy().tolist() == [b[i, 1:3].sum() + b[:, i].sum() + b[i].sum() for i in range(3)]


def test_an_index_beyond_a_slice_is_found():
    @wp.kernel
    def kernel(a: wp.array(dtype=float), i: int, out: wp.array(dtype=float)):
        s = a[2:5]
        out[0] = s[i]

    a, out = wp.array(np.arange(10.0), dtype=float), wp.zeros(1)
    run(kernel, a, -3, out)
    assert out.numpy()[0] == 2.0
    for i in (3, -4, 100):
        with pytest.raises(IndexError, match=f"index {i} is out of range"):
            run(kernel, a, i, out)


def test_slices_that_are_refused():
    @wp.kernel
    def too_many(a: wp.array(dtype=float)):
        print(len(a[1:, 2:]))

    @wp.kernel
    def no_step(a: wp.array(dtype=float)):
        print(len(a[::0]))

    @wp.kernel
    def assigned(a: wp.array(dtype=float)):
        a[0:2] = 3.0

    @wp.kernel
    def of_floats(a: wp.array(dtype=float)):
        print(len(a[0.5:]))

    a = wp.zeros(3)
    for kernel, error, text in [
        (too_many, TypeError, "has 1 dimension, 2 indices given"),
        (no_step, ValueError, "the step of a slice is 0"),
        (assigned, TypeError, "slices of arrays cannot be assigned"),
        (of_floats, TypeError, "an array index is an integer"),
    ]:
        with pytest.raises(error, match=text):
            run(kernel, a)


def test_gradients_through_slices():
    @wp.kernel
    def kernel(a: wp.array2d(dtype=wp.float64), n: int, out: wp.array(dtype=wp.float64)):
        i = wp.tid()
        row = a[i, ::-1]
        part = row[n:]
        s = wp.float64(0.0)
        for k in range(len(part)):
            s += part[k] * part[k] * wp.float64(k + 1)
        back = out[::-1]
        back[i] = wp.sin(s)

    a = wp.array(np.random.default_rng(0).normal(size=(3, 5)), dtype=wp.float64, requires_grad=True)
    out = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    assert wp.autograd.gradcheck(kernel, dim=3, inputs=[a, 2], outputs=[out])


def test_an_array_that_differs_by_branch():
    @wp.kernel
    def kernel(n: int, a: wp.array(dtype=float), b: wp.array(dtype=float), out: wp.array(dtype=float)):
        x = a
        if n == 1:
            x = b
        elif n == 2:
            x = b[1:]
        elif n == 3:
            x = a[::-1]
        elif n == 4:
            x = b[2:]
        out[0] = x[0]
        out[1] = float(len(x))
        x[1] = 99.0
        x[0] += 1.0
        y = a[2:] if n > 2 else x
        out[2] = y[0]

    for n in range(5):
        a, b = np.arange(5.0), 10 + np.arange(6.0)
        x = [a, b, b[1:], a[::-1], b[2:]][n]
        expected = [x[0], len(x)]
        given = [wp.array(v, dtype=float) for v in (a, b)]
        out = wp.zeros(3)
        run(kernel, n, *given, out)
        x[1] = 99.0
        x[0] += 1.0
        expected.append((a[2:] if n > 2 else x)[0])
        assert out.numpy().tolist() == expected
        assert [v.numpy().tolist() for v in given] == [a.tolist(), b.tolist()]


def test_rows_that_differ_by_branch_and_round():
    @wp.kernel
    def kernel(a: wp.array2d(dtype=float), out: wp.array(dtype=float)):
        row = a[0]
        for i in range(a.shape[0]):
            if i % 2 == 1:
                row = a[i]
            out[i] = row[i]

    a = np.arange(16.0).reshape(4, 4)
    out = wp.zeros(4)
    run(kernel, wp.array(a, dtype=float), out)
    assert out.numpy().tolist() == [a[0, 0], a[1, 1], a[1, 2], a[3, 3]]


def test_arrays_that_change_places():
    @wp.kernel
    def kernel(n: int, x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
        a = x
        b = y
        for _ in range(n):
            for i in range(len(a)):
                b[i] = a[i] * a[i] + wp.float64(0.5)
            a, b = b, a
        out[0] = a[0] + wp.float64(2.0) * a[1]

    for n in (0, 1, 2, 3):
        a, b = np.array([0.3, 0.4]), np.zeros(2)
        x, y = (wp.array(v, dtype=wp.float64, requires_grad=True) for v in (a, b))
        out = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        with wp.Tape() as tape:
            run(kernel, n, x, y, out)
        tape.backward(loss=out)

        def f(a, n=n):
            for _ in range(n):
                a = a * a + 0.5
            return a[0] + 2 * a[1]

        assert out.numpy()[0] == pytest.approx(f(a))
        slopes = [(f(a + e) - f(a - e)) / 2e-6 for e in 1e-6 * np.eye(2)]
        np.testing.assert_allclose(x.grad.numpy(), slopes, rtol=1e-6)


def test_an_array_that_a_break_leaves():
    @wp.kernel
    def kernel(n: int, a: wp.array(dtype=float), b: wp.array(dtype=float), out: wp.array(dtype=float)):
        x = a
        i = int(0)
        while i < 5:
            if i == n:
                x = b
                break
            i += 1
        out[0] = x[0]

    for n, expected in [(2, 2.0), (7, 1.0)]:
        out = wp.zeros(1)
        run(kernel, n, wp.array([1.0], dtype=float), wp.array([2.0], dtype=float), out)
        assert out.numpy()[0] == expected


@wp.struct
class Pair:
    x: wp.array(dtype=float)
    n: int


def test_fields_that_differ_by_branch():
    @wp.kernel
    def kernel(p: Pair, q: Pair, out: wp.array(dtype=float)):
        i = wp.tid()
        r = p
        if i % 2 == 1:
            r = q
        s = p
        for k in range(i):
            s.x = q.x
            s.n += k
        out[i] = r.x[0] * 100.0 + s.x[0] * 10.0 + float(s.n)

    p, q = Pair(), Pair()
    p.x, p.n, q.x, q.n = wp.array([1.0], dtype=float), 1, wp.array([2.0], dtype=float), 2
    out = wp.zeros(3)
    run(kernel, p, q, out, dim=3)
    assert out.numpy().tolist() == [111.0, 221.0, 122.0]


@wp.func
def chosen(n: int, a: wp.array(dtype=float), b: wp.array(dtype=float)):
    if n > 0:
        return a
    return b


def test_functions_and_where_choose_arrays():
    @wp.kernel
    def kernel(a: wp.array(dtype=float), b: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        out[i] = chosen(i, a, b)[0]
        x = wp.where(i == 1, a, b[1:])
        out[i] += 10.0 * x[0]
        y = wp.where(i == 1, a[i], 0.0)
        wp.atomic_add(wp.where(i == 1, a[1:], b[2:]), 0, 1.0 + y)

    a, b, out = (wp.array(v, dtype=float) for v in ([1.0, 2.0], [3.0, 4.0, 5.0], [0.0, 0.0]))
    run(kernel, a, b, out, dim=2)
    assert out.numpy().tolist() == [43.0, 11.0]
    assert a.numpy().tolist() == [1.0, 5.0]
    assert b.numpy().tolist() == [3.0, 4.0, 6.0]


def test_where_of_other_arrays_is_refused():
    @wp.kernel
    def kernel(a: wp.array(dtype=float), b: wp.array(dtype=int)):
        print(len(wp.where(True, a, b)))

    with pytest.raises((TypeError, ValueError), match="array"):
        run(kernel, wp.zeros(1), wp.zeros(1, dtype=int))


@wp.kernel
def optional(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    if a:
        out[i] = a[i] * a[i]
    if not a:
        out[i] = -1.0
    b = wp.where(a, a, out)
    out[i] += float(len(a)) + b[i]


def test_none_for_an_array():
    out = wp.zeros(2)
    wp.launch(optional, dim=2, inputs=[None, out])
    assert out.numpy().tolist() == [-2.0, -2.0]
    out = wp.zeros(2)
    wp.launch(optional, dim=2, inputs=[wp.array([3.0, 4.0], dtype=float), out])
    assert out.numpy().tolist() == [14.0, 22.0]
    command = wp.launch(optional, dim=2, inputs=[None, out], record_cmd=True)
    out.zero_()
    command.launch()
    assert out.numpy().tolist() == [-2.0, -2.0]


@wp.kernel
def optional_by_name(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    out[0] = wp.where(arr=a, value_if_true=1.0, value_if_false=2.0)
    out[1] = wp.where(value_if_false=2.0, value_if_true=1.0, cond=a)
    if wp.unot(a):
        out[2] = 3.0


def test_builtins_ask_whether_an_array_was_passed():
    for a, expected in [(None, [2.0, 2.0, 3.0]), (wp.zeros(1), [1.0, 1.0, 0.0])]:
        out = wp.zeros(3)
        wp.launch(optional_by_name, dim=1, inputs=[a, out])
        assert out.numpy().tolist() == expected


def test_none_has_no_gradient_and_no_elements():
    x = wp.array([3.0, 4.0], dtype=float, requires_grad=True)
    out = wp.zeros(2, requires_grad=True)

    @wp.kernel
    def scaled(x: wp.array(dtype=float), by: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        if by:
            out[i] = x[i] * by[i]
        else:
            out[i] = x[i] * x[i]

    with wp.Tape() as tape:
        wp.launch(scaled, dim=2, inputs=[x, None, out])
    tape.backward(grads={out: wp.ones(2)})
    assert x.grad.numpy().tolist() == [6.0, 8.0]

    @wp.kernel
    def read(a: wp.array(dtype=float), out: wp.array(dtype=float)):
        out[wp.tid()] = a[wp.tid()]

    with pytest.raises(IndexError):
        wp.launch(read, dim=2, inputs=[None, out])


def test_one_dimension_is_flat_already():
    a = wp.array(np.arange(12, dtype=np.float32).reshape(3, 4))
    for part in (a[:, 1], a[0, ::2], a[1]):
        flat = part.flatten()
        assert flat.list() == part.list()
        flat.fill_(7.0)
        assert part.list() == flat.list()
    with pytest.raises(ValueError, match="not contiguous"):
        a[:, ::2].flatten()
