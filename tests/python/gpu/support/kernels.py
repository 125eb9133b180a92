"""Kernels that several files launch."""

from __future__ import annotations

import warp as wp


@wp.kernel
def double(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = 2.0 * x[i]


@wp.kernel
def add(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = y[i] + x[i]


@wp.kernel
def number(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = float(i)


@wp.kernel
def beyond(x: wp.array(dtype=float), by: int):
    i = wp.tid()
    x[i + by] = 1.0


@wp.kernel
def total(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(out, 0, x[i])
