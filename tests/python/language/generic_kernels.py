"""Generic kernels of several tests."""

from __future__ import annotations

from typing import Any

import warp as wp


@wp.kernel
def scale(x: wp.array(dtype=Any), s: Any, y: wp.array(dtype=Any)):
    i = wp.tid()
    y[i] = x[i] * x.dtype(s)


@wp.kernel
def square(x: wp.array(dtype=Any), y: wp.array(dtype=Any)):
    i = wp.tid()
    y[i] = x[i] * x[i]
