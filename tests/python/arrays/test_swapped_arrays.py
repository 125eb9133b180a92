"""Variables of loops that are one array in one round and another in the next."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp


@wp.kernel
def swapped_rows(x: wp.array2d(dtype=float), y: wp.array2d(dtype=float), n: int, out: wp.array(dtype=float)):
    i = wp.tid()
    a = x[i]
    b = y[i]
    for _r in range(n):
        t = a
        a = b
        b = t
    a[0] += 10.0
    out[i] = a[1] - b[1]


@wp.kernel
def ping_pong(a: wp.array(dtype=float), b: wp.array(dtype=float), n: int):
    src = a
    dst = b
    for r in range(n):
        dst[0] = src[0] * 2.0 + float(r)
        t = src
        src = dst
        dst = t


@pytest.mark.parametrize("n", [0, 1, 4, 5])
def test_rows_that_a_loop_swaps(n):
    x, y = np.arange(8, dtype=np.float32).reshape(4, 2), np.full((4, 2), 50.0, np.float32)
    a, b, out = wp.array(x), wp.array(y), wp.zeros(4)
    wp.launch(swapped_rows, 4, [a, b, n, out])
    (x if n % 2 == 0 else y)[:, 0] += 10.0
    assert (a.numpy().tolist(), b.numpy().tolist()) == (x.tolist(), y.tolist())
    assert out.list() == (x[:, 1] - y[:, 1] if n % 2 == 0 else y[:, 1] - x[:, 1]).tolist()


@pytest.mark.parametrize("n", [0, 1, 4, 5])
def test_arrays_that_a_loop_swaps(n):
    found = [wp.array([1.0], dtype=float), wp.array([0.0], dtype=float)]
    wp.launch(ping_pong, 1, [*found, n])
    values = [1.0, 0.0]
    for r in range(n):
        values[(r + 1) % 2] = values[r % 2] * 2.0 + r
    assert [a.list()[0] for a in found] == values


def test_rounds_that_are_written_out_may_each_have_another_array():
    @wp.kernel
    def k(a: wp.array(dtype=float), b: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        src = a
        dst = b
        for r in range(3):
            if r == 1 and i == 0:
                continue
            dst[i] = src[i] * 2.0 + float(r)
            t = src
            src = dst
            dst = t
        out[i] = src[i]

    a, b, out = (wp.array([1.0, 3.0], dtype=float, requires_grad=True) for _ in range(3))
    tape = wp.Tape()
    with tape:
        wp.launch(k, 2, [a, b], [out])
    # Thread 0 runs two rounds, thread 1 three.
    assert out.list() == [6.0, 28.0]
    tape.backward(grads={out: wp.ones(2)})
    assert a.grad.list() == [4.0, 8.0]
