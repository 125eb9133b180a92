"""Atomic operations that replace elements or change their bits."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

WIDTHS = [(wp.int32, np.int32), (wp.uint32, np.uint32), (wp.int64, np.int64), (wp.uint64, np.uint64)]
FLOATS = [(wp.float32, np.float32), (wp.float64, np.float64)]


@pytest.mark.parametrize(("scalar", "dtype"), WIDTHS)
def test_bits(scalar, dtype):
    @wp.kernel
    def change(a: wp.array(dtype=scalar), before: wp.array(dtype=scalar)):
        before[0] = wp.atomic_and(a, 0, scalar(5))
        before[1] = wp.atomic_or(arr=a, i=1, value=scalar(8))
        before[2] = wp.atomic_xor(a, -1, scalar(3))

    a, before = np.full(3, 6, dtype), np.zeros(3, dtype)
    wp.launch(change, dim=1, inputs=[a, before])
    assert a.tolist() == [4, 14, 5]
    assert before.tolist() == [6, 6, 6]


@pytest.mark.parametrize(("scalar", "dtype"), WIDTHS + FLOATS)
def test_exchanges(scalar, dtype):
    @wp.kernel
    def change(a: wp.array2d(dtype=scalar), before: wp.array(dtype=scalar)):
        before[0] = wp.atomic_exch(a, 0, 1, scalar(5))
        before[1] = wp.atomic_cas(a, 1, 0, scalar(6), scalar(8))
        before[2] = wp.atomic_cas(arr=a, i=1, j=-1, compare=scalar(7), value=scalar(9))

    a, before = np.full((2, 2), 6, dtype), np.zeros(3, dtype)
    wp.launch(change, dim=1, inputs=[a, before])
    assert a.tolist() == [[6, 5], [8, 6]]
    assert before.tolist() == [6, 6, 6]


@wp.kernel
def equal_numbers(a: wp.array(dtype=float), before: wp.array(dtype=float)):
    nan = wp.NAN
    before[0] = wp.atomic_cas(a, 0, -0.0, 5.0)
    before[1] = wp.atomic_cas(a, 1, nan, 5.0)
    before[2] = wp.atomic_exch(a, 1, -0.0)


def test_floats_are_compared_as_numbers():
    a, before = np.array([0.0, np.nan], np.float32), np.zeros(3, np.float32)
    wp.launch(equal_numbers, dim=1, inputs=[a, before])
    np.testing.assert_array_equal(before, [0, np.nan, np.nan])
    assert a[0] == 5
    assert np.signbit(a[1])


@wp.kernel
def composites(v: wp.array(dtype=wp.vec2i), m: wp.array(dtype=wp.mat22), before: wp.array(dtype=wp.vec2i)):
    before[0] = wp.atomic_cas(v, 0, wp.vec2i(1, 7), wp.vec2i(10, 20))
    before[1] = wp.atomic_cas(v, 1, wp.vec2i(1, 2), wp.vec2i(10, 20))
    before[2] = wp.atomic_and(v, 2, wp.vec2i(1, -1))
    old = wp.atomic_exch(m, 0, wp.mat22(1.0, 2.0, 3.0, 4.0))
    m[1] = old * 2.0


def test_composites():
    v, m = np.array([[1, 2]] * 3, np.int32), np.ones((2, 2, 2), np.float32)
    before = np.zeros((3, 2), np.int32)
    wp.launch(composites, dim=1, inputs=[v, m, before])
    assert v.tolist() == [[1, 2], [10, 20], [1, 2]]
    assert before.tolist() == [[1, 2]] * 3
    assert m.tolist() == [[[1, 2], [3, 4]], [[2, 2], [2, 2]]]


@wp.kernel
def everyone(bits: wp.array(dtype=wp.uint32), last: wp.array(dtype=int), turns: wp.array(dtype=int)):
    i = wp.tid()
    wp.atomic_or(bits, 0, wp.uint32(1) << wp.uint32(i % 32))
    wp.atomic_xor(bits, 1, wp.uint32(1) << wp.uint32(i % 31))
    wp.atomic_and(bits, 2, ~(wp.uint32(1) << wp.uint32(i % 8)))
    wp.atomic_exch(last, 0, i)
    seen = turns[0]
    won = wp.atomic_cas(turns, 0, seen, seen + 1)
    while won != seen:
        seen = won
        won = wp.atomic_cas(turns, 0, seen, seen + 1)


@pytest.mark.parametrize("n", [1, 31, 100_000])
def test_threads_at_the_same_time(n):
    bits, last, turns = np.array([0, 0, -1], np.int32).view(np.uint32), np.full(1, -1, np.int32), np.zeros(1, np.int32)
    wp.launch(everyone, dim=n, inputs=[bits, last, turns])
    i = np.arange(n)
    ones = np.uint32(1)
    assert bits[0] == np.bitwise_or.reduce(ones << (i % 32).astype(np.uint32))
    assert bits[1] == np.bitwise_xor.reduce(ones << (i % 31).astype(np.uint32))
    assert bits[2] == ~np.bitwise_or.reduce(ones << (i % 8).astype(np.uint32))
    assert 0 <= last[0] < n
    assert turns[0] == n


@wp.kernel
def counted(x: wp.array(dtype=float), flags: wp.array(dtype=int), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_or(flags, 0, 1 << i)
    wp.atomic_exch(flags, 1, i)
    wp.atomic_add(loss, 0, x[i] * x[i])


def test_gradients_beside_exchanged_integers():
    x = wp.array([1.0, 2.0, 3.0], dtype=float, requires_grad=True)
    flags, loss = wp.zeros(2, dtype=int), wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(counted, dim=3, inputs=[x, flags, loss])
    tape.backward(loss)
    assert x.grad.numpy().tolist() == [2, 4, 6]
    assert flags.numpy()[0] == 7


def test_gradients_of_exchanged_floats_are_refused():
    @wp.kernel
    def swap(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        wp.atomic_exch(y, 0, x[0])

    x = wp.array([1.0], dtype=float, requires_grad=True)
    y = wp.zeros(1, dtype=float, requires_grad=True)
    z = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(swap, dim=1, inputs=[x, y])
        wp.copy(z, y)
    assert y.numpy()[0] == 1
    # Nothing of the pass has been written.
    with pytest.raises(RuntimeError, match="elements of `y` are exchanged atomically"):
        tape.backward(z)
    assert (x.grad.list(), y.grad.list()) == ([0.0], [0.0])


def test_launches_without_gradients_of_their_own_on_tapes():
    """Places that are counted out, of a kernel that no gradient goes through, and one that it would go through."""

    @wp.kernel
    def places(x: wp.array(dtype=float), count: wp.array(dtype=int), out: wp.array(dtype=float)):
        i = wp.tid()
        if x[i] > 0.0:
            at = wp.atomic_add(count, 0, 1)
            out[at] = 2.0 * x[i]

    x = wp.array([1.0, -1.0, 3.0], dtype=float, requires_grad=True)
    for wants in (False, True):
        count, out = wp.zeros(1, dtype=int), wp.zeros(3, requires_grad=wants)
        loss = wp.zeros(1, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(places, dim=3, inputs=[x, count, out])
            wp.launch(counted, dim=3, inputs=[x, wp.zeros(2, dtype=int), loss])
        assert (count.list(), sorted(out.list())) == ([2], [0.0, 2.0, 6.0])
        if wants:
            with pytest.raises(RuntimeError, match="result of an atomic operation on `count`"):
                tape.backward(loss)
        else:
            tape.backward(loss)
            assert x.grad.list() == [2.0, -2.0, 6.0]
            x.grad.zero_()


def test_bits_of_floats_are_refused():
    @wp.kernel
    def bits(y: wp.array(dtype=float)):
        wp.atomic_or(y, 0, 1.0)

    with pytest.raises(TypeError, match="`atomic_or` needs integers, the array holds float32"):
        wp.launch(bits, dim=1, inputs=[np.zeros(1, np.float32)])


@wp.kernel
def of_four(
    a: wp.array3d(dtype=int), b: wp.array4d(dtype=int), v: wp.array4d(dtype=wp.vec2i), before: wp.array(dtype=int)
):  # fmt: skip
    before[0] = wp.atomic_cas(a, 1, 0, 2, 6, 1)
    before[1] = wp.atomic_exch(a, 1, 0, 1, 2)
    before[2] = wp.atomic_and(a, 0, 1, 0, 3)
    before[3] = wp.atomic_or(a, 0, 1, 1, 9)
    before[4] = wp.atomic_xor(a, 0, 1, 2, 5)
    before[5] = wp.atomic_cas(b, 1, 0, 2, 1, 6, 1)
    before[6] = wp.atomic_exch(b, 1, 0, 1, 0, 2)
    before[7] = wp.atomic_and(b, 0, 1, 0, 1, 3)
    before[8] = wp.atomic_or(b, 0, 1, 1, 1, 9)
    before[9] = wp.atomic_xor(b, 0, 1, 2, 0, 5)
    before[10] = wp.atomic_add(arr=b, i=0, j=0, k=0, l=1, value=10)
    before[11] = wp.atomic_sub(b, 0, 0, 0, 0, 10)
    before[12] = wp.atomic_min(b, 0, 0, 1, 0, 4)
    before[13] = wp.atomic_max(b, 0, 0, 1, 1, 7)
    before[14] = wp.atomic_cas(v, 0, 0, 0, 1, wp.vec2i(6, 6), wp.vec2i(1, 2))[0]


def test_up_to_four_indices():
    a, b, before = np.full((2, 2, 3), 6, np.int32), np.full((2, 2, 3, 2), 6, np.int32), np.zeros(15, np.int32)
    v = np.full((1, 1, 1, 2, 2), 6, np.int32)
    wp.launch(of_four, dim=1, inputs=[a, b, v, before])
    assert before.tolist() == [6] * 15
    assert a.tolist() == [[[6, 6, 6], [2, 15, 3]], [[6, 2, 1], [6, 6, 6]]]
    want = np.full((2, 2, 3, 2), 6)
    want[1, 0, 2, 1], want[1, 0, 1, 0], want[0, 1, 0, 1], want[0, 1, 1, 1], want[0, 1, 2, 0] = 1, 2, 2, 15, 3
    want[0, 0, 0], want[0, 0, 1] = [-4, 16], [4, 7]
    np.testing.assert_array_equal(b, want)
    assert v.tolist() == [[[[[6, 6], [1, 2]]]]]


@pytest.mark.parametrize(("scalar", "dtype"), WIDTHS)
def test_bits_of_matrices(scalar, dtype):
    matrix = wp.types.matrix((2, 2), scalar)

    @wp.kernel
    def change(a: wp.array(dtype=matrix), by: matrix, before: wp.array(dtype=matrix)):
        before[0] = wp.atomic_and(a, 0, by)
        before[1] = wp.atomic_or(a, 1, by)
        before[2] = wp.atomic_xor(a, 2, by)

    by, start = np.array([[1, 2], [3, 4]], dtype), np.full((2, 2), 6, dtype)
    a, before = np.stack([start] * 3), np.zeros((3, 2, 2), dtype)
    wp.launch(change, dim=1, inputs=[a, matrix(1, 2, 3, 4), before])
    np.testing.assert_array_equal(a, [start & by, start | by, start ^ by])
    np.testing.assert_array_equal(before, [start] * 3)


@pytest.mark.parametrize(("scalar", "dtype"), WIDTHS + FLOATS)
def test_exchanges_of_composites(scalar, dtype):
    vector, matrix = wp.types.vector(3, scalar), wp.types.matrix((2, 2), scalar)

    @wp.kernel
    def change(v: wp.array(dtype=vector), m: wp.array(dtype=matrix)):
        v[1] = wp.atomic_exch(v, 0, vector(scalar(1), scalar(2), scalar(3)))
        m[1] = wp.atomic_cas(m, 0, m[0], m[0] + m[0])

    v, m = np.full((2, 3), 6, dtype), np.full((2, 2, 2), 3, dtype)
    wp.launch(change, dim=1, inputs=[v, m])
    assert v.tolist() == [[1, 2, 3], [6, 6, 6]]
    assert m.tolist() == [[[6, 6], [6, 6]], [[3, 3], [3, 3]]]


@pytest.mark.parametrize("name", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32"])
def test_sums_and_extremes_of_composites(name):
    scalar = getattr(wp, name)
    vector, matrix = wp.types.vector(2, scalar), wp.types.matrix((2, 2), scalar)

    @wp.kernel
    def change(v: wp.array(dtype=vector), m: wp.array(dtype=matrix), by: vector):
        x = wp.matrix_from_rows(by, by)
        for _ in range(2):
            wp.atomic_add(v, 0, by)
            wp.atomic_sub(v, 1, by)
            wp.atomic_min(v, 2, by)
            wp.atomic_max(v, 3, by)
            wp.atomic_add(m, 0, x)
            wp.atomic_sub(m, 1, x)
            wp.atomic_min(m, 2, x)
            wp.atomic_max(m, 3, x)

    dtype = np.dtype(name)
    v, m = np.full((4, 2), 20, dtype), np.full((4, 2, 2), 20, dtype)
    wp.launch(change, dim=1, inputs=[v, m, vector(5, 30)])
    rows = np.array([[30, 80], [10, -40], [5, 20], [20, 30]]).astype(dtype)
    np.testing.assert_array_equal(v, rows)
    np.testing.assert_array_equal(m, np.stack([rows, rows], axis=1))


def test_elements_of_indexed_arrays():
    @wp.kernel
    def change(a: wp.indexedarray(dtype=int), before: wp.array(dtype=int)):
        before[0] = wp.atomic_cas(a, 0, 6, 9)
        before[1] = wp.atomic_exch(a, 1, 3)
        before[2] = wp.atomic_and(a, 2, 3)
        before[3] = wp.atomic_or(a, 3, 8)
        before[4] = wp.atomic_xor(a, 3, 1)

    data, before = wp.full(8, 6, dtype=int), wp.zeros(5, dtype=int)
    wp.launch(change, dim=1, inputs=[data[wp.array([7, 5, 3, 1], dtype=int)], before])
    assert before.list() == [6, 6, 6, 6, 14]
    assert data.list() == [6, 15, 6, 2, 6, 3, 6, 9]
