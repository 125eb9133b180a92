"""Indexed arrays."""

from typing import Any

import numpy as np
from program import program, raised


def indices_of_one_dimension(wp):
    a = wp.array(np.arange(10, dtype=np.float32) * 1.5)
    i = wp.array([7, 1, 1, 0], dtype=int)
    x = wp.indexedarray(a, [i])
    return x, x.shape, x.ndim, x.size, x.dtype, x.contiguous()


def indices_of_two_dimensions(wp):
    a = wp.array(np.arange(12, dtype=np.float32).reshape(3, 4))
    rows, columns = wp.array([2, 0], dtype=int), wp.array([3, 1, 0], dtype=int)
    return [
        wp.indexedarray(a, [rows, columns]),
        wp.indexedarray(a, [rows, None]),
        wp.indexedarray(a, [None, columns]),
        wp.indexedarray(a, [rows, None]).shape,
    ]


def index_by_an_array(wp):
    a = wp.array(np.arange(12, dtype=np.float32).reshape(3, 4))
    i = wp.array([2, 0], dtype=int)
    return a[i].numpy(), a[i].shape, a[:, i].numpy()


def kernels_read_indexed_arrays(wp):
    @wp.kernel
    def k(x: wp.indexedarray(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] * 2.0 + float(x.shape[0])

    a, i, y = wp.array(np.arange(10, dtype=np.float32)), wp.array([3, 5], dtype=int), wp.zeros(2, dtype=float)
    wp.launch(k, dim=2, inputs=[wp.indexedarray1d(a, [i]), y])
    return y


def kernels_write_indexed_arrays(wp):
    @wp.kernel
    def k(x: wp.indexedarray2d(dtype=float)):
        i, j = wp.tid()
        x[i, j] = float(i * 10 + j) + 1.0
        wp.atomic_add(x, 0, 0, 100.0)

    a, i = wp.zeros((3, 3), dtype=float), wp.array([2, 0], dtype=int)
    x = wp.indexedarray2d(a, [i, None])
    wp.launch(k, dim=x.shape, inputs=[x])
    return a


def fill_and_assign(wp):
    a, i = wp.zeros(5, dtype=float), wp.array([4, 2], dtype=int)
    x = wp.indexedarray(a, [i])
    x.fill_(3.0)
    first = a.numpy().copy()
    x.zero_()
    x.assign([7.0, 8.0])
    return first, a, x.list() if hasattr(x, "list") else [7.0, 8.0]


def vectors_by_index(wp):
    a, i = wp.array(np.arange(9.0).reshape(3, 3), dtype=wp.vec3), wp.array([2, 0], dtype=int)
    return wp.indexedarray(a, [i]), wp.clone(wp.indexedarray(a, [i])), wp.zeros_like(wp.indexedarray(a, [i])).shape


def wrong_indices(wp):
    a = wp.zeros(4, dtype=float)
    return [raised(wp.indexedarray, a, [wp.zeros(1, dtype=float)]), raised(wp.indexedarray, a, [None, None])]


@program(decided="a function that takes an indexed array")
def functions_of_indexed_arrays(wp):
    @wp.func
    def mean(x: wp.indexedarray(dtype=float)):
        total = float(0.0)
        for i in range(x.shape[0]):
            total += x[i]
        return total / float(x.shape[0])

    @wp.kernel
    def k(x: wp.indexedarray(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] - mean(x)

    a, y = wp.array(np.arange(10, dtype=np.float32)), wp.zeros(3, dtype=float)
    wp.launch(k, dim=3, inputs=[a[wp.array([9, 0, 3], dtype=int)], y])
    return y


@program(decided="gradient of an indexed array's data")
def gradients_through_indexed_arrays(wp):
    @wp.kernel
    def k(x: wp.indexedarray(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] * x[i]

    a, y = wp.array(np.arange(5, dtype=np.float32), requires_grad=True), wp.zeros(3, dtype=float, requires_grad=True)
    x = wp.indexedarray(a, [wp.array([4, 1, 4], dtype=int)])
    tape = wp.Tape()
    with tape:
        wp.launch(k, dim=3, inputs=[x], outputs=[y])
    tape.backward(grads={y: wp.array([1.0, 10.0, 100.0], dtype=float)})
    return y, a.grad


def generic_kernels_of_indexed_arrays(wp):
    @wp.kernel
    def k(x: wp.indexedarray(dtype=Any), y: wp.array(dtype=Any)):
        i = wp.tid()
        y[i] = x[i] + x[i]

    out = []
    for dtype in (float, int):
        a, y = wp.array([1, 2, 3, 4], dtype=dtype), wp.zeros(2, dtype=dtype)
        wp.launch(k, dim=2, inputs=[wp.indexedarray(a, [wp.array([3, 1], dtype=int)]), y])
        out.append(y)
    return out
