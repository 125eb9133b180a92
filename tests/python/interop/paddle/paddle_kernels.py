"""Kernels and tensors that the tests of paddle share."""

from __future__ import annotations

import pytest
import warp as wp

paddle = pytest.importorskip("paddle", reason="paddle is not installed (it has no wheel for every Python)")


@wp.kernel
def double(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = 2.0 * x[i]


@wp.kernel
def increase(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] + 1.0


def leaf(values):
    x = paddle.to_tensor(values, dtype="float32")
    x.stop_gradient = False
    return x


def sum_of_squares(x, out):
    @wp.kernel
    def squares(x: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        wp.atomic_add(out, 0, x[i] * x[i])

    wp.launch(squares, dim=len(x), inputs=[x], outputs=[out])
