"""Launches, conversions, tapes and first compiles from many threads at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
import torch
import warp as wp

THREADS = 16


@wp.kernel
def affine(x: wp.array(dtype=float), a: float, y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = a * x[i] + 1.0


@wp.kernel
def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * x[i]


def together(work):
    """Run `work(number)` on many threads that start at once; the first error surfaces."""
    barrier = Barrier(THREADS)

    def start(number):
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(start, range(THREADS)))


def test_launches(rounds):
    def work(number):
        x = np.arange(50, dtype=np.float32)
        y = wp.zeros(50, dtype=float)
        for k in range(rounds(300, 10_000)):
            wp.launch(affine, dim=50, inputs=[x, float(number + k)], outputs=[y])
        np.testing.assert_array_equal(y.numpy(), (number + k) * x + 1)

    together(work)


def test_large_launches(rounds):
    def work(number):
        x = np.arange(200_000, dtype=np.float32)
        y = np.zeros_like(x)
        for _ in range(rounds(5, 200)):
            wp.launch(affine, dim=len(x), inputs=[x, float(number)], outputs=[y])
            np.testing.assert_array_equal(y, np.float32(number) * x + 1)

    together(work)


def test_conversions(rounds):
    def work(number):
        t = torch.full((10,), float(number), requires_grad=True)
        a = np.full(10, number, dtype=np.float64)
        for _ in range(rounds(300, 10_000)):
            w = wp.from_torch(t)
            assert wp.to_torch(w).data_ptr() == t.data_ptr()
            assert wp.array(a, copy=False).numpy()[3] == number
            assert w.grad.ptr == t.grad.data_ptr()

    together(work)


def test_tapes_are_per_thread(rounds):
    def work(number):
        for k in range(rounds(50, 10_000)):
            x = wp.full(5, float(number + k), dtype=float, requires_grad=True)
            y = wp.zeros(5, dtype=float, requires_grad=True)
            with wp.Tape() as tape:
                wp.launch(square, dim=5, inputs=[x], outputs=[y])
            tape.backward(grads={y: wp.ones(5, dtype=float)})
            np.testing.assert_array_equal(x.grad.numpy(), 2.0 * (number + k))

    together(work)


@pytest.mark.parametrize("round_", range(3))
def test_first_compile_from_all_threads(round_):
    # A constant that differs per round, so that every round starts cold in this process.
    offset = float(round_) + 0.25

    @wp.kernel
    def fresh(y: wp.array(dtype=float)):
        y[wp.tid()] = offset

    def work(number):
        y = np.zeros(3, dtype=np.float32)
        wp.launch(fresh, dim=3, outputs=[y])
        assert (y == offset).all()

    together(work)


def test_kernels_defined_in_threads():
    def work(number):
        factor = float(number)

        @wp.kernel
        def scaled(x: wp.array(dtype=float)):
            i = wp.tid()
            x[i] = x[i] * factor

        x = np.ones(4, dtype=np.float32)
        wp.launch(scaled, dim=4, inputs=[x])
        return x[0]

    assert together(work) == [float(number) for number in range(THREADS)]
