"""Kernels and arrays of the tests of tapes whose arrays are overwritten."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

torch = pytest.importorskip("torch")


@wp.kernel
def sine(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    y[i] = wp.sin(x[i])


@wp.kernel
def product(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64), z: wp.array(dtype=wp.float64)):
    i = wp.tid()
    z[i] = x[i] * y[i]


@wp.kernel
def add(x: wp.array(dtype=wp.float64), s: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(s, 0, x[i])


def array(values, grad: bool = True):
    return wp.array(np.asarray(values, float), dtype=wp.float64, requires_grad=grad)


def ones(like):
    return wp.ones(like.shape, dtype=wp.float64)


VALUES = np.array([0.3, -1.1, 2.0])
