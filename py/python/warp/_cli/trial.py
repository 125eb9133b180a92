"""Kernels that ``python -m warp doctor`` compiles and runs."""

import warp as wp


@wp.kernel
def squares(x: wp.array[float], y: wp.array[float]) -> None:
    i = wp.tid()
    y[i] = x[i] * x[i] + wp.sin(x[i])
