"""`wp.map`, operators of arrays, algorithms of `wp.utils` on larger arrays, indexed arrays together with them."""

import numpy as np
from program import program


def maps_of_several_results(wp):
    @wp.func
    def polar(x: float, y: float):
        return wp.sqrt(x * x + y * y), wp.atan2(y, x)

    x, y = wp.array([3.0, 0.0], dtype=float), wp.array([4.0, -2.0], dtype=float)
    r, angle = wp.map(polar, x, y)
    return r, angle


def maps_with_broadcast(wp):
    row = wp.array([[1.0, 2.0, 3.0]], dtype=float)
    column = wp.array([[10.0], [20.0]], dtype=float)
    both = wp.map(lambda a, b: a + 2.0 * b, row, column)
    return both, both.shape


def maps_of_vectors(wp):
    @wp.func
    def foot(p: wp.vec3, at: wp.vec3, along: wp.vec3):
        t = wp.dot(p - at, along) / wp.dot(along, along)
        return at + t * along

    at, along = wp.vec3(0.0, 0.0, 1.0), wp.vec3(1.0, 1.0, 0.0)
    p = wp.array([[1.0, 0.0, 0.0], [2.0, 2.0, 5.0]], dtype=wp.vec3)
    return wp.map(wp.length, p), wp.map(wp.normalize, p), wp.map(foot, p, at, along)


def kernels_that_maps_make(wp):
    @wp.func
    def f(x: float, y: float):
        return x * y + 1.0

    x, y = wp.array([1.0, 2.0, 3.0], dtype=float), wp.array([4.0, 5.0, 6.0], dtype=float)
    kernel = wp.map(f, x, y, return_kernel=True)
    out = wp.zeros(3, dtype=float)
    wp.launch(kernel, dim=3, inputs=[x, y, out])
    return out


def operators_with_gradients(wp):
    x = wp.array([1.0, 2.0, 4.0], dtype=float, requires_grad=True)
    y = wp.array([0.5, -1.0, 3.0], dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        z = (x * y - x / 2.0) ** 2.0 + (-y)
    tape.backward(grads={z: wp.array([1.0, 2.0, 3.0], dtype=float)})
    return z, x.grad, y.grad


@program(exact=True)
def operators_of_integers(wp):
    a, b = wp.array([7, -7, 9], dtype=int), wp.array([2, 2, -4], dtype=int)
    return a + b, a - b, a * b, a // b, a % b, -a


def maps_of_indexed_arrays(wp):
    a = wp.array(np.arange(8, dtype=np.float32))
    some = a[wp.array([6, 0, 3], dtype=int)]

    @wp.func
    def minus(x: float, y: float):
        return x - y

    return wp.map(wp.sqrt, some), wp.map(minus, some, wp.ones(3, dtype=float))


@program(exact=True)
def compaction_by_a_scan(wp):
    """Elements that pass a test, in their order."""

    @wp.kernel
    def mark(x: wp.array(dtype=int), flags: wp.array(dtype=int)):
        i = wp.tid()
        flags[i] = wp.where(x[i] % 3 == 0, 1, 0)

    @wp.kernel
    def scatter(
        x: wp.array(dtype=int), flags: wp.array(dtype=int), places: wp.array(dtype=int), out: wp.array(dtype=int)
    ):
        i = wp.tid()
        if flags[i] == 1:
            out[places[i]] = x[i]

    x = wp.array(np.random.default_rng(3).integers(0, 1000, 5000), dtype=int)
    flags, places = wp.zeros(5000, dtype=int), wp.zeros(5000, dtype=int)
    wp.launch(mark, dim=5000, inputs=[x, flags])
    wp.utils.array_scan(flags, places, inclusive=False)
    count = int(places.numpy()[-1] + flags.numpy()[-1])
    out = wp.zeros(count, dtype=int)
    wp.launch(scatter, dim=5000, inputs=[x, flags, places, out])
    return out


@program(exact=True)
def particles_in_cells(wp):
    """The cell of each particle is sorted; starts of cells come from run lengths."""

    @wp.kernel
    def cell_of(p: wp.array(dtype=wp.vec2), cell: wp.array(dtype=int), index: wp.array(dtype=int)):
        i = wp.tid()
        cell[i] = int(wp.floor(p[i][0])) + 8 * int(wp.floor(p[i][1]))
        index[i] = i

    n = 1000
    p = wp.array(np.random.default_rng(4).uniform(0, 8, (n, 2)), dtype=wp.vec2)
    cell, index = wp.zeros(2 * n, dtype=int), wp.zeros(2 * n, dtype=int)
    wp.launch(cell_of, dim=n, inputs=[p, cell, index])
    wp.utils.radix_sort_pairs(cell, index, n)
    values, lengths = wp.zeros(n, dtype=int), wp.zeros(n, dtype=int)
    runs = wp.utils.runlength_encode(cell, values, lengths, value_count=n)
    starts = wp.zeros(n, dtype=int)
    wp.utils.array_scan(lengths, starts, inclusive=False)
    return cell.numpy()[:n], index.numpy()[:n], runs, values.numpy()[:runs], starts.numpy()[:runs]


def sums_along_axes(wp):
    x = wp.array(np.random.default_rng(5).normal(size=(30, 40)), dtype=wp.float64)
    y = wp.array(np.random.default_rng(6).normal(size=(30, 40)), dtype=wp.float64)
    return [
        wp.utils.array_sum(x, axis=0),
        wp.utils.array_sum(x, axis=1),
        wp.utils.array_inner(x, y, axis=1),
        float(wp.utils.array_inner(x, y)),
    ]


@program(exact=True)
def sorting_of_large_arrays(wp):
    n = 20_000
    rng = np.random.default_rng(7)
    keys = wp.array(np.concatenate([rng.integers(-(2**40), 2**40, n), np.zeros(n, dtype=np.int64)]), dtype=wp.int64)
    values = wp.array(np.arange(2 * n), dtype=int)
    wp.utils.radix_sort_pairs(keys, values, n)
    return keys.numpy()[:n], values.numpy()[:n]
