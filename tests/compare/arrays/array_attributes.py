"""Arrays: attributes, strides, sizes that are given in other forms, copies with their gradients."""

import numpy as np
from program import gradients, program, raised


@program(decided="`wp.copy`, `a.assign` and `wp.clone` of arrays that have gradients")
def copies_take_gradients_along(wp):
    a = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    b = wp.zeros(2, dtype=float, requires_grad=True)
    a.grad.fill_(5.0)
    wp.copy(b, a)
    return b, b.grad, a.grad


@program(decided="`wp.copy`, `a.assign` and `wp.clone` of arrays that have gradients")
def clones_take_gradients_along(wp):
    a = wp.array([[1.0, 2.0]], dtype=wp.vec2, requires_grad=True)
    a.grad.fill_(3.0)
    b = wp.clone(a)
    c = wp.clone(a, requires_grad=False)
    return b, b.grad, c.grad is None


@program(decided="`wp.copy`, `a.assign` and `wp.clone` of arrays that have gradients")
def assignments_take_gradients_along(wp):
    a = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    b = wp.zeros(2, dtype=float, requires_grad=True)
    a.grad.fill_(4.0)
    b.assign(a)
    return b, b.grad


@program(decided="`wp.copy`, `a.assign` and `wp.clone` of arrays that have gradients")
def copies_of_parts_with_gradients(wp):
    a = wp.array([1.0, 2.0, 3.0, 4.0], dtype=float, requires_grad=True)
    b = wp.zeros(4, dtype=float, requires_grad=True)
    a.grad.assign([5.0, 6.0, 7.0, 8.0])
    wp.copy(b, a, dest_offset=1, src_offset=2, count=2)
    return b, b.grad


@program(decided="`wp.copy`, `a.assign` and `wp.clone` of arrays that have gradients")
def copies_of_strided_arrays_with_gradients(wp):
    a = wp.array(np.arange(12, dtype=np.float32).reshape(3, 4), requires_grad=True)
    a.grad.fill_(2.0)
    b = wp.zeros((3, 2), dtype=float, requires_grad=True)
    wp.copy(b, a[:, ::2])
    return b, b.grad


def copies_from_arrays_without_gradients(wp):
    a = wp.array([1.0, 2.0], dtype=float)
    b = wp.zeros(2, dtype=float, requires_grad=True)
    b.grad.fill_(7.0)
    wp.copy(b, a)
    return b, b.grad


def copies_then_backward(wp):
    @wp.kernel
    def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] * x[i]

    x, c = wp.array([1.0, 2.0], dtype=float, requires_grad=True), wp.zeros(2, dtype=float, requires_grad=True)
    y = wp.zeros(2, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.copy(c, x)
        wp.launch(square, dim=2, inputs=[c], outputs=[y])
        wp.copy(x, c)
    tape.backward(grads={y: wp.ones(2, dtype=float)})
    return y, x, x.grad


def attributes_of_the_program(wp):
    a = wp.zeros(2, dtype=float)
    a.label = "first"
    a.step = 3
    return a.label, a.step, hasattr(a, "missing")


def classes_derived_from_array(wp):
    class Field(wp.array):
        def total(self):
            return float(self.numpy().sum())

    f = Field([1.0, 2.5], dtype=float)
    return f.total(), isinstance(f, wp.array), type(f).__name__, f


def makers_with_strides(wp):
    return [
        wp.zeros((2, 2), dtype=float, strides=(16, 4)).strides,
        wp.empty((2, 3), dtype=wp.int16, strides=(2, 4)).strides,
        wp.ones((2, 2), dtype=float, strides=(4, 8)),
        wp.full((2, 2), 3, dtype=int, strides=(8, 4)).is_contiguous,
    ]


def strides_of_zero(wp):
    data = np.array([5.0, 6.0], dtype=np.float32)
    a = wp.array(ptr=data.ctypes.data, dtype=float, shape=(3, 2), strides=(0, 4), copy=False)
    b = wp.array(np.broadcast_to(np.float32(2.0), (2, 3)), copy=False)
    return a.numpy().copy(), a.strides, a.is_contiguous, b, b.strides


def zero_strides_in_kernels(wp):
    @wp.kernel
    def k(a: wp.array2d(dtype=float), y: wp.array2d(dtype=float)):
        i, j = wp.tid()
        y[i, j] = a[i, j] * float(i + 1)

    data = np.array([5.0, 6.0], dtype=np.float32)
    a = wp.array(ptr=data.ctypes.data, dtype=float, shape=(3, 2), strides=(0, 4), copy=False)
    y = wp.zeros((3, 2), dtype=float)
    wp.launch(k, dim=(3, 2), inputs=[a, y])
    return y


@program(decided="strides and shapes that are assigned")
def assigned_strides(wp):
    a = wp.array(np.arange(6, dtype=np.float32))
    a.strides = (8,)
    return a.strides, raised(setattr, a, "strides", (4000,))


def fills_of_every_kind_of_value(wp):
    return [
        wp.full(2, np.float32(1.5), dtype=float),
        wp.full(2, np.bool_(True), dtype=bool),
        wp.full(2, np.int64(7), dtype=wp.int16),
        wp.full(2, wp.float32(2.5), dtype=float),
        wp.full(2, np.array([1.0, 2.0, 3.0]), dtype=wp.vec3),
        wp.full(2, [1.0, 2.0], dtype=wp.vec2),
        wp.full(1, np.eye(2), dtype=wp.mat22),
        wp.full(2, True, dtype=wp.bool),
    ]


def types_of_fills(wp):
    made = [wp.full(1, 3), wp.full(1, 2.5), wp.full(1, True), wp.full(1, wp.vec2(1.0, 2.0)), wp.full(1, wp.int64(3))]
    return [[a.dtype, a] for a in made]


def dimensions_of_numpy(wp):
    @wp.kernel
    def k(y: wp.array2d(dtype=int)):
        i, j = wp.tid()
        y[i, j] = i * 10 + j

    y = wp.zeros(np.array([2, 3]), dtype=int)
    wp.launch(k, dim=np.array([2, 3]), inputs=[y])
    return y


def dimensions_of_numpy_numbers(wp):
    @wp.kernel
    def k(y: wp.array2d(dtype=int)):
        i, j = wp.tid()
        y[i, j] = i * 10 + j

    y = wp.zeros((np.int64(2), np.uint8(3)), dtype=int)
    wp.launch(k, dim=(np.int32(2), np.int64(3)), inputs=[y])
    return y, wp.ones([2, 2], dtype=float).shape, wp.full(np.array([2, 1]), 1.0, dtype=float).shape


def launch_of_numpy_dimension(wp):
    @wp.kernel
    def k(y: wp.array(dtype=int)):
        i = wp.tid()
        y[i] = i

    y = wp.zeros(4, dtype=int)
    wp.launch(k, dim=np.int64(3), inputs=[y])
    return y


def arrays_of_null_pointers(wp):
    a = wp.array(ptr=None, dtype=float, shape=0)
    b = wp.array(ptr=0, dtype=wp.vec3, shape=(0,))
    c = wp.array(ptr=None, dtype=float, shape=3)
    return a.shape, b.shape, c.shape, a.size, b.size


def arrays_without_arguments(wp):
    a = wp.array()
    return a.shape, a.size, a.ndim


def arrays_of_a_shape_alone(wp):
    a = wp.array(shape=(2, 3), dtype=float)
    b = wp.array(shape=4, dtype=wp.vec2, requires_grad=True)
    return a.shape, a.dtype, b.shape, b.requires_grad


def shapes_beyond_the_dimensions(wp):
    @wp.kernel
    def k(a: wp.array2d(dtype=float), n: wp.array(dtype=int)):
        n[0] = a.shape[0]
        n[1] = a.shape[1]
        n[2] = a.shape[2]
        n[3] = a.shape[3]

    n = wp.full(4, -1, dtype=int)
    wp.launch(k, dim=1, inputs=[wp.zeros((2, 3), dtype=float), n])
    return n


def shapes_at_a_variable_index(wp):
    @wp.kernel
    def k(a: wp.array3d(dtype=float), n: wp.array(dtype=int)):
        s = int(1)
        for d in range(3):
            s *= a.shape[d]
        n[0] = s

    n = wp.zeros(1, dtype=int)
    wp.launch(k, dim=1, inputs=[wp.zeros((2, 3, 4), dtype=float), n])
    return n


def lists_of_values(wp):
    v = wp.array([[1.0, 2.0, 3.0]], dtype=wp.vec3).list()[0]
    m = wp.array([[[1.0, 2.0], [3.0, 4.0]]], dtype=wp.mat22).list()[0]
    return v[1], m[1, 0], m[0], v + v, wp.array([True, False], dtype=bool).list(), wp.array([2.5], dtype=float).list()


def zero_length_slices_of_arrays(wp):
    a = wp.array(np.arange(12, dtype=np.float32).reshape(3, 4))
    return a[1:1].shape, a[:, 2:2].shape, a[1:1, 0].shape


def capacities_of_arrays(wp):
    a = wp.zeros((4, 6), dtype=float)
    return a.capacity, a[1].capacity, wp.zeros(3, dtype=wp.vec3).capacity, wp.zeros(0, dtype=float).capacity


def references_of_views(wp):
    a = wp.array(np.arange(6, dtype=np.float32))
    b = a[2:]
    c = b.reshape((2, 2))
    del a, b
    return c, c.ptr is not None


@program(decided="`wp.from_ptr`")
def arrays_by_from_ptr(wp):
    memory = np.arange(12, dtype=np.float32)
    a = wp.from_ptr(memory.ctypes.data, 12, dtype=float, shape=(3, 4))
    b = wp.from_ptr(memory.ctypes.data, 4, dtype=wp.vec3)
    return a.numpy().copy(), b.numpy().copy(), a.shape, b.shape


def overlapping_copies_on_a_tape(wp):
    x = wp.array([1.0, 2.0, 3.0, 4.0], dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.copy(x, x, dest_offset=2, src_offset=0, count=2)
    tape.backward(grads={x: wp.array([1.0, 2.0, 3.0, 4.0], dtype=float)})
    return x


def copies_of_parts_on_a_tape(wp):
    @wp.kernel
    def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] * x[i]

    x = wp.array([1.0, 2.0, 3.0, 4.0], dtype=float, requires_grad=True)
    c, y = wp.zeros(3, dtype=float, requires_grad=True), wp.zeros(3, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.copy(c, x, dest_offset=1, src_offset=2, count=2)
        wp.launch(square, 3, [c], [y])
    tape.backward(grads={y: wp.ones(3, dtype=float)})
    return y, x.grad


def fills_and_zeros_on_a_tape(wp):
    @wp.kernel
    def double(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = 2.0 * x[i]

    x = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    y = wp.full(2, 3.0, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        y.zero_()
        wp.launch(double, 2, [x], [y])
    tape.backward(grads={y: wp.array([1.0, 5.0], dtype=float)})
    return y, x.grad


def attributes_of_arrays(wp):
    a = wp.zeros((2, 3), dtype=wp.vec2, requires_grad=True)
    return [
        a.ndim,
        a.size,
        a.shape,
        a.strides,
        a.dtype,
        str(a.device),
        a.is_contiguous,
        a.pinned,
        a.requires_grad,
        a.grad.shape,
        a.is_transposed if hasattr(a, "is_transposed") else False,
        a.capacity,
    ]


def overlapping_copies(wp):
    a = wp.array(np.arange(8, dtype=np.float32))
    wp.copy(a, a, dest_offset=4, src_offset=0, count=4)
    b = wp.array(np.arange(8, dtype=np.float32))
    wp.copy(b[4:], b[:4])
    return a, b


def copies_between_dtypes_of_one_size(wp):
    a = wp.array([[1.0, 2.0, 3.0]], dtype=wp.vec3)
    b = wp.zeros(3, dtype=float)
    wp.copy(b, a.view(float).flatten())
    return b, raised(wp.copy, wp.zeros(2, dtype=wp.float64), wp.zeros(2, dtype=wp.vec3))


def copies_of_too_much(wp):
    a, b = wp.zeros(2, dtype=float), wp.ones(4, dtype=float)
    return [
        raised(wp.copy, a, b),
        raised(wp.copy, a, b, 1, 0, 2),
        raised(wp.copy, a, b, 0, 3, 2),
        raised(wp.copy, b[::2], wp.zeros(3, dtype=float)),
    ]


def counts_of_zero_in_copies(wp):
    a, b = wp.zeros(3, dtype=float), wp.array([1.0, 2.0, 3.0], dtype=float)
    wp.copy(a, b, count=0)
    c = wp.zeros(0, dtype=float)
    wp.copy(c, c)
    return a, c.shape


def gradients_assigned_as_attributes(wp):
    a = wp.array([1.0, 2.0], dtype=float)
    a.grad = wp.array([3.0, 4.0], dtype=float)
    b = wp.array([1.0], dtype=float, grad=wp.array([9.0], dtype=float))
    return a.requires_grad, a.grad, b.requires_grad, b.grad


def gradients_that_do_not_fit(wp):
    a = wp.zeros(2, dtype=float, requires_grad=True)
    return raised(setattr, a, "grad", wp.zeros(3, dtype=float)), raised(setattr, a, "grad", wp.zeros(2, dtype=wp.vec2))


def arrays_of_five_dimensions(wp):
    return raised(wp.zeros, (1, 1, 1, 1, 1), dtype=float), raised(wp.array, np.zeros((1,) * 5, np.float32), dtype=float)


def negative_shapes(wp):
    return raised(wp.zeros, -1, dtype=float), raised(wp.zeros, (2, -3), dtype=float)


def matrices_in_strided_arrays(wp):
    @wp.kernel
    def k(m: wp.array(dtype=wp.mat22), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = wp.determinant(m[i])

    m = wp.array(np.arange(24.0), dtype=wp.mat22, requires_grad=True)
    return gradients(wp, k, 3, [m[::2]], [wp.zeros(3, dtype=float, requires_grad=True)]), m.grad


def iterating_over_rows(wp):
    a = wp.array(np.arange(6, dtype=np.int32).reshape(3, 2))
    return [row.numpy().tolist() for row in (a[i] for i in range(len(a)))]


def arrays_in_conditions(wp):
    a = wp.zeros(2, dtype=float)
    return a == a, a is a, bool(a), a in [a], len({a, a})


def contiguous_copies(wp):
    a = wp.array(np.arange(6, dtype=np.float32).reshape(2, 3), requires_grad=True)
    t = a.transpose().contiguous()
    return t, t.is_contiguous, a.contiguous() is a, t.requires_grad
