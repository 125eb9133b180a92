"""Kernels of the tests of `jax_callable`, and functions that launch them."""

from __future__ import annotations

import numpy as np
import warp as wp


@wp.kernel
def scale(a: wp.array[float], s: float, out: wp.array[float]):
    i = wp.tid()
    out[i] = a[i] * s


@wp.kernel
def add(a: wp.array[float], b: wp.array[float], out: wp.array[float]):
    i = wp.tid()
    out[i] = a[i] + b[i]


@wp.kernel
def increase(a: wp.array[float], by: float):
    i = wp.tid()
    a[i] = a[i] + by


A = np.arange(6, dtype=np.float32)
B = np.linspace(1, 2, 6).astype(np.float32)
