"""Arrays on the host: making, viewing, copying, indexing."""

import numpy as np
from program import gradients, program, raised


def makers_and_defaults(wp):
    return [
        wp.zeros(3, dtype=float),
        wp.ones((2, 2), dtype=wp.int32),
        wp.full(3, 7.5, dtype=float),
        wp.full((2,), wp.vec3(1.0, 2.0, 3.0), dtype=wp.vec3),
        wp.zeros_like(wp.ones((2, 3), dtype=wp.float64)),
        wp.full_like(wp.zeros(2, dtype=int), 5),
        wp.ones_like(wp.zeros(2, dtype=wp.vec2)),
        wp.empty(0, dtype=float).shape,
    ]


def arrays_of_lists(wp):
    a = wp.array([1, 2, 3], dtype=int)
    b = wp.array([[1, 2], [3, 4]], dtype=float)
    c = wp.array([[1, 2, 3]], dtype=wp.vec3)
    d = wp.array([(1.0, 2.0)], dtype=wp.vec2d)
    return [a, b, c, d, a.shape, b.shape, c.shape, b.ndim, c.size, d.dtype, b.strides, c.strides]


def type_of_the_data(wp):
    return [
        wp.array(np.arange(3)).dtype,
        wp.array(np.arange(3.0)).dtype,
        wp.array(np.arange(3, dtype=np.uint8)).dtype,
        wp.array([1.5, 2.5]).dtype,
        wp.array([1, 2]).dtype,
        wp.array(np.array([True, False])).dtype,
    ]


def numpy_views_share_memory(wp):
    a = wp.zeros(4, dtype=float)
    a.numpy()[2] = 5.0
    source = np.arange(4, dtype=np.float32)
    b = wp.array(source, copy=False)
    source[1] = -1.0
    c = wp.array(source)
    source[0] = 9.0
    return a, b, c


def fill_zero_and_assign(wp):
    a = wp.zeros((2, 3), dtype=float)
    a.fill_(2.5)
    b = wp.zeros_like(a)
    b.assign(a)
    a.zero_()
    c = wp.zeros(2, dtype=wp.vec2)
    c.fill_(wp.vec2(1.0, 2.0))
    c.assign([[5.0, 6.0], [7.0, 8.0]])
    d = wp.zeros(3, dtype=wp.vec3)
    d.fill_(4.0)
    return a, b, c, d


def indexing_gives_views(wp):
    a = wp.array(np.arange(24, dtype=np.float32).reshape(2, 3, 4))
    row = a[1]
    column = a[0, :, 2]
    part = a[:, 1:, ::2]
    row.fill_(-1.0)
    return [a, column, part, part.shape, part.is_contiguous, row.is_contiguous]


def negative_indices_and_steps(wp):
    a = wp.array(np.arange(10, dtype=np.int32))
    return [a[-3:], a[::3], a[2:-2], a[-4:-1:2], a[5:5].shape]


@program(decided="`a[0] = 1.0` on an array of Python")
def items_are_assigned(wp):
    a = wp.zeros((3, 3), dtype=float)
    a[0] = 1.0
    a[1:, 0] = 2.0
    a[2] = wp.array([7.0, 8.0, 9.0], dtype=float)
    return a


def vectors_as_numbers(wp):
    a = wp.array(np.arange(12, dtype=np.float32).reshape(4, 3), dtype=wp.vec3)
    return [a.view(wp.float32).shape if hasattr(a, "view") else 0, a.numpy().shape, a.list()[2], a.size, a.capacity]


def reshape_and_flatten(wp):
    a = wp.array(np.arange(12, dtype=np.int32))
    b = a.reshape((3, 4))
    c = b.reshape((2, -1))
    d = b.flatten()
    b.numpy()[0, 0] = 100
    return [b, c, d, c.shape]


def columns_flattened(wp):
    a = wp.array(np.arange(12, dtype=np.float32).reshape(3, 4))
    b = wp.array(np.arange(8, dtype=np.float32))
    return a[:, 1].flatten(), b[::2].flatten(), raised(lambda: a.transpose().flatten())


def shapes_that_fit(wp):
    a = wp.array(np.arange(12, dtype=np.float32))
    b = a.reshape((3, 4))
    return [
        a.reshape(-1).shape,
        a.reshape((3, -1)).shape,
        a.reshape([2, 6]).shape,
        raised(a.reshape, (5, 2)),
        b.flatten().shape,
        b[1:].flatten(),
        b.transpose((0, 1)).shape,
        b.reshape((2, 3, 2)).transpose([1, 0, 2]),
    ]


def views_that_fit(wp):
    a = wp.array(np.arange(12, dtype=np.float32))
    b, c = a.reshape((4, 3)), wp.zeros((2, 3), dtype=wp.vec2)
    return [
        a.view(wp.int32).dtype,
        b.view(wp.vec3).shape,
        c.view(float).shape,
        c.view(wp.vec2i).dtype,
        raised(b.view, wp.vec2),
        raised(c.view, wp.vec4),
        raised(a.view, wp.int8),
    ]


@program(decided="`wp.array` of vectors without a dtype")
def types_of_lists_of_values(wp):
    made = [wp.array([wp.vec3(1.0, 2.0, 3.0)]), wp.array([wp.mat22(1.0)]), wp.array([])]
    return [[a.dtype, a.shape] for a in made]


def transposed_views(wp):
    a = wp.array(np.arange(6, dtype=np.float32).reshape(2, 3))
    t = a.transpose()
    u = wp.array(np.arange(24, dtype=np.float32).reshape(2, 3, 4)).transpose((2, 0, 1))
    return [t, t.shape, t.strides, u.shape, u, t.contiguous().is_contiguous]


def clones_and_copies(wp):
    a = wp.array([1.0, 2.0, 3.0], dtype=float)
    b = wp.clone(a)
    a.zero_()
    c = wp.zeros(5, dtype=float)
    wp.copy(c, b)
    d = wp.zeros(5, dtype=float)
    wp.copy(d, b, dest_offset=1, src_offset=1, count=2)
    return a, b, c, d


def copies_of_strided_arrays(wp):
    a = wp.array(np.arange(12, dtype=np.float32).reshape(3, 4))
    b = wp.zeros((3, 2), dtype=float)
    wp.copy(b, a[:, ::2])
    c = wp.zeros((4, 3), dtype=float)
    wp.copy(c, a.transpose())
    return b, c


def operators_of_arrays(wp):
    a = wp.array([1.0, -2.0, 3.0], dtype=float)
    b = wp.array([4.0, 5.0, 2.0], dtype=float)
    return [a + b, a - b, a * b, a / b, a // b, b**a, -a, a + 1.0, 2.0 * a, a % b]


def operators_in_place(wp):
    a = wp.array([1.0, 2.0], dtype=float)
    a += 1.0
    a *= wp.array([2.0, 3.0], dtype=float)
    a -= 0.5
    a /= 2.0
    return a


def operators_of_vectors_and_broadcast(wp):
    a = wp.array([[1.0, 2.0], [3.0, 4.0]], dtype=wp.vec2)
    b = wp.array(np.arange(6, dtype=np.float32).reshape(2, 3))
    row = wp.array([10.0, 20.0, 30.0], dtype=float)
    return [a + a, a * 2.0, b + row]


def products_of_arrays_of_matrices(wp):
    m = wp.array(np.arange(8.0).reshape(2, 2, 2), dtype=wp.mat22)
    v = wp.array([[1.0, 2.0], [3.0, -4.0]], dtype=wp.vec2)
    return [m * v, m * 2.0, m * m]


def truth_and_length(wp):
    a = wp.zeros(3, dtype=float)
    return [bool(a), len(a), bool(wp.zeros(0, dtype=float)), len(wp.zeros((2, 5), dtype=int))]


@program(decided="`repr(a)`")
def text_of_arrays(wp):
    return [
        str(wp.array([1.0, 2.5], dtype=float)),
        repr(wp.zeros((2, 2), dtype=float)),
        repr(wp.zeros(2, dtype=wp.vec3)),
    ]


def iteration_over_an_array(wp):
    return [float(x) for x in wp.array([1.5, 2.5], dtype=float).numpy()], wp.array([1.5, 2.5], dtype=float).list()


def gradient_arrays(wp):
    a = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    b = wp.array([1.0, 2.0], dtype=float)
    b.requires_grad = True
    a.grad.fill_(3.0)
    c = wp.clone(a)
    d = wp.zeros_like(a, requires_grad=False)
    return [a.grad, b.grad, c.requires_grad, d.requires_grad, d.grad is None]


def array_from_a_pointer(wp):
    source = np.arange(6, dtype=np.float32)
    a = wp.array(ptr=source.ctypes.data, dtype=float, shape=(2, 3), copy=False)
    b = wp.array(ptr=source.ctypes.data, dtype=float, shape=(2,), strides=(8,), copy=False)
    source[0] = 50.0
    return [a.numpy().copy(), b.numpy().copy(), a.ptr == source.ctypes.data]


def strided_numpy_arrays(wp):
    source = np.arange(20, dtype=np.float64).reshape(4, 5)

    @wp.kernel
    def k(a: wp.array2d(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
        i = wp.tid()
        s = wp.float64(0.0)
        for j in range(a.shape[1]):
            s += a[i, j]
        y[i] = s

    a = wp.array(source[::2, ::-1], copy=False)
    y = wp.zeros(2, dtype=wp.float64)
    wp.launch(k, dim=2, inputs=[a, y])
    return y, a.strides


def shapes_in_kernels(wp):
    @wp.kernel
    def k(a: wp.array3d(dtype=float), n: wp.array(dtype=int)):
        n[0] = a.shape[0] * 100 + a.shape[1] * 10 + a.shape[2]
        n[1] = len(a)
        b = a[1]
        n[2] = b.shape[0] * 10 + b.shape[1]
        n[3] = a.ndim if False else 3

    n = wp.zeros(4, dtype=int)
    wp.launch(k, dim=1, inputs=[wp.zeros((2, 3, 4), dtype=float), n])
    return n


def rows_of_arrays_in_kernels(wp):
    @wp.func
    def total(row: wp.array(dtype=float)):
        s = float(0.0)
        for j in range(row.shape[0]):
            s += row[j]
        return s

    @wp.kernel
    def k(a: wp.array2d(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = total(a[i])

    a = wp.array(np.arange(12, dtype=np.float32).reshape(3, 4), requires_grad=True)
    return gradients(wp, k, 3, [a], [wp.zeros(3, dtype=float, requires_grad=True)])


def slices_of_arrays_in_kernels(wp):
    @wp.func
    def total(row: wp.array(dtype=float)):
        s = float(0.0)
        for j in range(row.shape[0]):
            s = s * 10.0 + row[j]
        return s

    @wp.kernel
    def k(a: wp.array2d(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = total(a[i, 1:3]) + 1000.0 * total(a[:, i])
        part = a[i, ::2]
        part[1] = -1.0

    a = wp.array(np.arange(12, dtype=np.float32).reshape(3, 4))
    y = wp.zeros(3, dtype=float)
    wp.launch(k, dim=1, inputs=[a, y])
    return a, y


def arrays_of_every_scalar_type(wp):
    out = []
    for t in (wp.int8, wp.uint8, wp.int16, wp.uint16, wp.int32, wp.uint32, wp.int64, wp.uint64, wp.float16, wp.float64):
        a = wp.array([1, 2, 100], dtype=t)
        out.append([a, a.dtype, a.numpy().dtype.name, a.strides])
    return out


def boolean_arrays(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.bool), y: wp.array(dtype=bool)):
        i = wp.tid()
        y[i] = not a[i]

    a = wp.array([True, False, True], dtype=wp.bool)
    y = wp.zeros(3, dtype=bool)
    wp.launch(k, dim=3, inputs=[a, y])
    return y, y.numpy().dtype.name


def optional_arrays(wp):
    @wp.kernel
    def k(a: wp.array(dtype=float), weights: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        if weights:
            y[i] = a[i] * weights[i]
        else:
            y[i] = a[i]

    a = wp.array([1.0, 2.0], dtype=float)
    out = []
    for w in (None, wp.array([3.0, 4.0], dtype=float)):
        y = wp.zeros(2, dtype=float)
        wp.launch(k, dim=2, inputs=[a, w, y])
        out.append(y)
    return out


def wrong_data(wp):
    return [
        raised(wp.array, [[1, 2], [3]], dtype=int),
        raised(wp.array, [[1.0, 2.0]], dtype=wp.vec3),
        raised(wp.zeros(4, dtype=float).reshape, (3, 2)),
        raised(wp.zeros, (1, 2, 3, 4, 5), dtype=float),
    ]


def misuse_of_indices(wp):
    a = wp.zeros((2, 2), dtype=float)
    return [raised(lambda: a[0, 0, 0]), raised(lambda: a["x"])]


@program(decided="index beyond an array on the host")
def index_beyond_an_array(wp):
    a = wp.zeros((2, 2), dtype=float)
    return raised(lambda: a[5])


def python_loop_over_launches(wp):
    @wp.kernel
    def k(a: wp.array(dtype=float), b: wp.array(dtype=float), dt: float):
        i = wp.tid()
        n = a.shape[0]
        left = a[wp.max(i - 1, 0)]
        right = a[wp.min(i + 1, n - 1)]
        b[i] = a[i] + dt * (left - 2.0 * a[i] + right)

    a = wp.array(np.eye(1, 16, 8, dtype=np.float32)[0])
    b = wp.zeros_like(a)
    for _ in range(20):
        wp.launch(k, dim=16, inputs=[a, b, 0.2])
        a, b = b, a
    return a
