"""Functions with derivatives that their author wrote, and gradients of kernels that call them."""

from __future__ import annotations

import numpy as np
import warp as wp

D = wp.float64


@wp.func
def safe_sqrt(x: D):
    return wp.sqrt(x)


@wp.func_grad(safe_sqrt)
def adj_safe_sqrt(x: D, adj_ret: D):
    if x > D(0.0):
        wp.adjoint[x] += D(10.0) / (D(2.0) * wp.sqrt(x)) * adj_ret


@wp.func
def sigmoid(i: int, xs: wp.array(dtype=D), ys: wp.array(dtype=D)):
    ys[i] = D(1.0) / (D(1.0) + wp.exp(-xs[i]))


@wp.func_grad(sigmoid)
def adj_sigmoid(i: int, xs: wp.array(dtype=D), ys: wp.array(dtype=D)):
    y = ys[i]
    wp.adjoint[xs][i] += y * (D(1.0) - y) * wp.adjoint[ys][i]


def gradients(kernel, dim, inputs, output, seed=None):
    """The outputs after a launch, and the gradients of the inputs."""
    tape = wp.Tape()
    with tape:
        wp.launch(kernel, dim=dim, inputs=inputs, outputs=[output])
    tape.backward(grads={output: seed if seed is not None else wp.ones_like(output)})
    found = [a.grad.numpy() for a in inputs if isinstance(a, wp.array) and a.requires_grad]
    return [output.numpy(), *found]


def floats(*values, dtype=D, grad=True):
    return wp.array(np.array(values), dtype=dtype, requires_grad=grad)
