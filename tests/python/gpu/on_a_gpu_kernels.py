"""Kernels of the tests that only a GPU can pass."""

from __future__ import annotations

import warp as wp


@wp.kernel
def spin(x: wp.array(dtype=float), rounds: int):
    i = wp.tid()
    v = x[i]
    for _k in range(rounds):
        v = v * 0.9999 + 0.5
    x[i] = v


@wp.kernel
def double(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = 2.0 * x[i]
