"""Data whose shape is another than that of the array which is made of it."""

import ctypes

import numpy as np
from program import raised


def flat_numbers_as_vectors(wp):
    flat = np.arange(12, dtype=np.float32)
    return [wp.array(flat, dtype=t) for t in (wp.vec2, wp.vec3, wp.vec4, wp.mat22, wp.quat)]


def rows_of_nine_as_matrices(wp):
    rows = np.arange(18, dtype=np.float32).reshape(2, 9)
    a = wp.array(rows, dtype=wp.mat33)
    return a, a.shape, a.list()[1]


def rows_that_hold_several_vectors(wp):
    a = wp.array(np.arange(24, dtype=np.float32).reshape(6, 4), dtype=wp.vec2)
    b = wp.array(np.arange(24, dtype=np.float64).reshape(2, 3, 4), dtype=wp.vec2d)
    return a, a.shape, b, b.shape


def columns_as_vectors(wp):
    a = wp.array(np.arange(6, dtype=np.float32).reshape(3, 2, 1), dtype=wp.vec2)
    return a, a.shape


def flat_lists_as_vectors(wp):
    a = wp.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], dtype=wp.vec3)
    b = wp.array([1, 2, 3, 4], dtype=wp.vec2i)
    c = wp.array(list(range(8)), dtype=wp.mat22)
    return a, b, c


def flat_data_with_a_shape(wp):
    a = wp.array([1.0, 2.0, 3.0, 4.0], dtype=float, shape=(2, 2))
    b = wp.array(np.arange(12.0), dtype=wp.vec3, shape=(2, 2))
    c = wp.array(np.arange(6, dtype=np.int32), shape=(3, 2))
    return a, b, c


def nested_data_with_a_flat_shape(wp):
    a = wp.array([[1.0, 2.0], [3.0, 4.0]], dtype=float, shape=4)
    b = wp.array(np.arange(24.0).reshape(2, 3, 4), dtype=float, shape=(4, 6))
    return a, b


def counts_that_do_not_fit(wp):
    return [
        raised(wp.array, np.arange(10, dtype=np.float32), dtype=wp.vec3),
        raised(wp.array, [1.0, 2.0, 3.0], dtype=wp.mat22),
        raised(wp.array, [1.0, 2.0, 3.0], dtype=float, shape=(2, 2)),
        raised(wp.array, np.zeros((4, 2), np.float32), dtype=wp.vec3, shape=(3,)),
    ]


def from_numpy_of_flat_data(wp):
    a = wp.from_numpy(np.arange(6, dtype=np.float32), dtype=wp.vec3)
    b = wp.from_numpy(np.arange(8, dtype=np.float32), dtype=wp.mat22, shape=(2,))
    c = wp.from_numpy(np.arange(6, dtype=np.float32).reshape(3, 2), dtype=wp.vec2)
    return a, b, c


def assignment_of_flat_data(wp):
    a = wp.zeros(2, dtype=wp.vec3)
    a.assign(np.arange(6, dtype=np.float32))
    b = wp.zeros((2, 2), dtype=float)
    b.assign([1.0, 2.0, 3.0, 4.0])
    c = wp.zeros(2, dtype=wp.mat22)
    c.assign(np.arange(8.0).reshape(2, 4))
    return a, b, c


def arrays_of_warp_as_data(wp):
    flat = wp.array(np.arange(12, dtype=np.float32))
    rows = flat.reshape((4, 3))
    return [wp.array(rows, dtype=wp.vec3), wp.array(flat, dtype=float, shape=(3, 4)), wp.array(rows, dtype=wp.float64)]


def interface_objects_as_vectors(wp):
    class Holder:
        def __init__(self, data):
            self.data = data

        def __len__(self):
            return len(self.data)

        def __array__(self, dtype=None, copy=None):
            return np.array(self.data, dtype=dtype)

    a = wp.array(Holder(np.arange(6, dtype=np.float32)), dtype=wp.vec2)
    b = wp.array(Holder(np.arange(6, dtype=np.float32).reshape(2, 3)), dtype=wp.vec3)
    return a, b, b.shape


def pointers_to_flat_memory(wp):
    memory = (ctypes.c_float * 12)(*range(12))
    a = wp.array(ptr=ctypes.addressof(memory), dtype=wp.vec3, shape=4, copy=False)
    b = wp.array(ptr=ctypes.addressof(memory), dtype=wp.vec2, shape=(2, 3), copy=False)
    return a.numpy().copy(), b.numpy().copy()


def views_as_vectors_and_back(wp):
    a = wp.array(np.arange(12, dtype=np.float32).reshape(4, 3))
    v = a.view(wp.vec3)
    n = v.view(float)
    w = wp.array(np.arange(4, dtype=np.int32)).view(wp.float32)
    return v, v.shape, n, n.shape, w, w.dtype


def integers_as_float_vectors(wp):
    a = wp.array(np.arange(6), dtype=wp.vec3)
    b = wp.array(np.arange(6, dtype=np.uint8), dtype=wp.vec2d)
    c = wp.array([True, False, True, True], dtype=wp.vec2)
    return a, b, c


def strided_numbers_as_vectors(wp):
    data = np.arange(24, dtype=np.float32)
    a = wp.array(data[::2], dtype=wp.vec3)
    b = wp.array(data.reshape(4, 6)[:, :3], dtype=wp.vec3, copy=False)
    c = wp.array(data.reshape(4, 6).T, dtype=wp.vec4)
    return a, b, b.strides, c


def flat_data_in_kernels(wp):
    @wp.kernel
    def traces(m: wp.array(dtype=wp.mat33), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = wp.trace(m[i]) + 100.0 * m[i][0, 1]

    m = wp.array(np.arange(27, dtype=np.float32).reshape(3, 9), dtype=wp.mat33)
    y = wp.zeros(3, dtype=float)
    wp.launch(traces, dim=3, inputs=[m, y])
    return y


def gradients_of_vectors_of_flat_data(wp):
    @wp.kernel
    def squares(v: wp.array(dtype=wp.vec3), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = wp.dot(v[i], v[i])

    v = wp.array(np.arange(6, dtype=np.float32), dtype=wp.vec3, requires_grad=True)
    y = wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(squares, dim=2, inputs=[v], outputs=[y])
    tape.backward(grads={y: wp.array([1.0, 0.5], dtype=float)})
    return y, v.grad


def gradients_given_as_flat_data(wp):
    a = wp.zeros(2, dtype=wp.vec3, requires_grad=True)
    a.grad.assign(np.arange(6, dtype=np.float32))
    b = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    b.grad = wp.array([5.0, 6.0], dtype=float)
    return a.grad, b.grad


def transforms_of_rows_of_seven(wp):
    rows = np.arange(14, dtype=np.float32)
    a = wp.array(rows, dtype=wp.transform)
    b = wp.array(rows.reshape(2, 7), dtype=wp.transform)
    c = wp.array(np.arange(12, dtype=np.float32), dtype=wp.spatial_vector)
    return a, b, c


def launch_arguments_of_other_shapes(wp):
    @wp.kernel
    def lengths(v: wp.array(dtype=wp.vec3), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = wp.length(v[i])

    y = wp.zeros(2, dtype=float)
    wp.launch(lengths, dim=2, inputs=[np.arange(6, dtype=np.float32).reshape(2, 3), y])
    refused = raised(wp.launch, lengths, 2, [wp.zeros((2, 3), dtype=float), y])
    return y, refused


def empty_data_as_vectors(wp):
    made = [
        wp.array([], dtype=wp.vec3),
        wp.array(np.zeros((0, 3), np.float32), dtype=wp.vec3),
        wp.array(np.zeros(0), dtype=wp.mat22),
        wp.array([], dtype=float),
    ]
    return [[a.shape, a.size] for a in made]


def values_of_vectors_in_lists(wp):
    a = wp.array([wp.vec3(1.0, 2.0, 3.0), wp.vec3(4.0, 5.0, 6.0)], dtype=wp.vec3)
    b = wp.array([[wp.vec2(1.0, 2.0)], [wp.vec2(3.0, 4.0)]], dtype=wp.vec2)
    c = wp.array([wp.mat22(1.0, 2.0, 3.0, 4.0)], dtype=wp.mat22)
    d = wp.array([wp.quat_identity()], dtype=wp.quat)
    return a, b, b.shape, c, d


def scalars_of_warp_in_lists(wp):
    a = wp.array([wp.float32(1.5), wp.float32(2.5)], dtype=float)
    b = wp.array([wp.int64(2**40)], dtype=wp.int64)
    c = wp.array([np.float64(0.5), np.int8(3)], dtype=wp.float64)
    return a, b, c


def matrices_as_rows_of_rows(wp):
    data = np.arange(16, dtype=np.float64).reshape(2, 8)
    a = wp.array(data, dtype=wp.mat22d)
    b = wp.array(data.reshape(2, 2, 2, 2), dtype=wp.mat22d)
    refused = raised(wp.array, data.reshape(4, 4), dtype=wp.types.matrix(shape=(2, 4), dtype=wp.float64))
    return a, a.shape, b, b.shape, refused
