"""Adjoint launches into gradients of any strides: alone, overlapping themselves, overlapping each other."""

from __future__ import annotations

import numpy as np
import warp as wp

SIZE = 50_000
F64 = wp.array(dtype=wp.float64)


@wp.kernel
def square(x: F64, y: F64):
    i = wp.tid()
    y[i] = x[i] * x[i]


@wp.kernel
def product(x: F64, y: F64, z: F64):
    i = wp.tid()
    z[i] = x[i] * y[i]


def strided(stride: int) -> np.ndarray:
    """SIZE zeros, so many apart; backwards if negative."""
    return np.zeros(SIZE * max(abs(stride), 1))[:: stride or 1]


def test_each_thread_alone() -> None:
    x, y, ones = np.arange(float(SIZE)), np.zeros(SIZE), np.ones(SIZE)
    for stride in (2, -1, -3):
        gradient = strided(stride)
        for turn in (1, 2):
            wp.launch(square, SIZE, [x], [y], adj_inputs=[gradient], adj_outputs=[ones], adjoint=True)
            np.testing.assert_array_equal(gradient, 2 * turn * x)


def test_one_element_for_all() -> None:
    x, y, ones = np.ones(SIZE), np.zeros(SIZE), np.ones(SIZE)
    cell = np.zeros(2)
    everywhere = np.lib.stride_tricks.as_strided(cell, (SIZE,), (0,))
    for _ in range(5):
        cell[:] = 0
        wp.launch(square, SIZE, [x], [y], adj_inputs=[everywhere], adj_outputs=[ones], adjoint=True)
        assert cell.tolist() == [2 * SIZE, 0]


def test_more_threads_than_elements_have_indices() -> None:
    """The kernel tells one dimension apart, the launch has two."""
    x, y, ones = np.ones(100), np.zeros(100), np.ones(100)
    gradient = np.zeros(200)[::2]
    wp.launch(square, (100, 1000), [x], [y], adj_inputs=[gradient], adj_outputs=[ones], adjoint=True)
    np.testing.assert_array_equal(gradient, 2000.0)


def test_two_gradients_in_one_memory() -> None:
    x, y, z, ones = np.full(SIZE, 2.0), np.full(SIZE, 3.0), np.zeros(SIZE), np.ones(SIZE)
    both = np.zeros(SIZE * 2)[::2]
    for turn in range(1, 6):
        wp.launch(product, SIZE, [x, y], [z], adj_inputs=[both, both[::-1]], adj_outputs=[ones], adjoint=True)
        np.testing.assert_array_equal(both, 5.0 * turn)
