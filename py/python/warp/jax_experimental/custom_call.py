"""The first form of `jax_kernel`, on the machinery of the present one."""

from __future__ import annotations

from typing import Any

from warp._jax.operator import JaxKernel
from warp._jax.operator import jax_kernel as _jax_kernel
from warp._warp import Kernel

__all__ = ["jax_kernel"]


def jax_kernel(kernel: Kernel, launch_dims: Any = None, quiet: bool = False) -> JaxKernel:
    """Make a function of jax arrays of a kernel; parameters that a call does not pass are outputs.

    Args:
        kernel: The kernel.
        launch_dims: Launch dimensions, and the shape of the outputs; the shape of the first array by default.
        quiet: Accepted for compatibility: there is nothing to warn of.

    Returns:
        A function of the kernel's inputs, which returns a list of its outputs.
    """
    return _jax_kernel(kernel, launch_dims=launch_dims)
