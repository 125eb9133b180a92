"""Functions with a replay that their author wrote."""

from __future__ import annotations

import numpy as np
import warp as wp

from .custom_functions import floats, gradients

D = wp.float64


@wp.func
def reversible_increment(counter: wp.array(dtype=int), at: int, step: int, kept: wp.array(dtype=int), tid: int):
    found = wp.atomic_add(counter, at, step)
    kept[tid] = found
    return found


@wp.func_replay(reversible_increment)
def replay_reversible_increment(counter: wp.array(dtype=int), at: int, step: int, kept: wp.array(dtype=int), tid: int):
    return kept[tid]


def test_replay_of_a_counter():
    @wp.kernel
    def k(
        x: wp.array(dtype=D),
        counter: wp.array(dtype=int),
        kept: wp.array(dtype=int),
        y: wp.array(dtype=D),
    ):
        tid = wp.tid()
        at = reversible_increment(counter, 0, 1, kept, tid)
        y[at] = x[at] ** D(2.0)

    n = 1000
    values = np.arange(1.0, n + 1.0)
    counter, kept = wp.zeros(1, dtype=int), wp.zeros(n, dtype=int)
    y, dx = gradients(k, n, [floats(*values), counter, kept], wp.zeros(n, dtype=D, requires_grad=True))
    np.testing.assert_allclose(y, values**2)
    np.testing.assert_allclose(dx, 2.0 * values)
    assert counter.numpy()[0] == n
    assert sorted(kept.numpy()) == list(range(n))


def test_what_a_replay_reads_is_kept_by_the_tape():
    @wp.kernel
    def k(
        x: wp.array(dtype=D),
        counter: wp.array(dtype=int),
        kept: wp.array(dtype=int),
        y: wp.array(dtype=D),
    ):
        tid = wp.tid()
        at = reversible_increment(counter, 0, 1, kept, tid)
        y[tid] = x[at]

    n = 8
    x = floats(*range(n))
    counter, kept = wp.zeros(1, dtype=int), wp.zeros(n, dtype=int)
    y = wp.zeros(n, dtype=D, requires_grad=True)
    seed = np.arange(1.0, n + 1.0)
    with wp.Tape() as tape:
        wp.launch(k, dim=n, inputs=[x, counter, kept], outputs=[y])
        order = kept.numpy().copy()
        kept.zero_()
    tape.backward(grads={y: wp.array(seed, dtype=D)})
    want = np.zeros(n)
    want[order] = seed
    np.testing.assert_allclose(x.grad.numpy(), want)


def test_replay_alone_has_the_derivative_of_the_function():
    @wp.func
    def stored(x: D, cache: wp.array(dtype=D), i: int):
        v = x
        for _ in range(2):
            v = v * x
        cache[i] = v
        return v

    @wp.func_replay(stored)
    def replay_stored(x: D, cache: wp.array(dtype=D), i: int):
        return cache[i] * D(100.0)

    @wp.kernel
    def k(x: wp.array(dtype=D), cache: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        v = stored(x[i], cache, i)
        y[i] = v * v

    y, dx = gradients(k, 2, [floats(1.0, 2.0), floats(0.0, 0.0, grad=False)], floats(0.0, 0.0))
    np.testing.assert_allclose(y, [1.0, 64.0])
    np.testing.assert_allclose(dx, [600.0, 19200.0])
