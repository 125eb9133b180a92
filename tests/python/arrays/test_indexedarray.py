"""Indexed arrays: on the host, in kernels, their gradients, and what is refused."""

import copy
from typing import Any, Literal

import numpy as np
import pytest
import warp as wp


def grid(dtype=float, **options):
    return wp.array(np.arange(12).reshape(3, 4), dtype=dtype, **options)


def ints(*values):
    return wp.array(values, dtype=int) if values else wp.zeros(0, dtype=int)


@wp.kernel
def double_2d(x: wp.indexedarray2d(dtype=float), y: wp.array2d(dtype=float)):
    i, j = wp.tid()
    y[i, j] = 2.0 * x[i, j]


# On the host.


@pytest.mark.parametrize(
    ("key", "wanted"),
    [
        (lambda i: i, lambda n: n[[2, 0]]),
        (lambda i: (i, i), lambda n: n[[2, 0]][:, [2, 0]]),
        (lambda i: (slice(None), i), lambda n: n[:, [2, 0]]),
        (lambda i: (slice(1, None), i), lambda n: n[1:, [2, 0]]),
        (lambda i: (i, slice(None, None, -2)), lambda n: n[[2, 0], ::-2]),
        (lambda i: (..., i), lambda n: n[..., [2, 0]]),
        (lambda i: (1, i), lambda n: n[1, [2, 0]]),
        (lambda i: (i, -1), lambda n: n[[2, 0], -1]),
    ],
)
def test_indexing_by_arrays(key, wanted):
    a = grid()
    part = a[key(ints(2, 0))]
    assert type(part) is type(wp.indexedarray(dtype=float))
    np.testing.assert_array_equal(part.numpy(), wanted(a.numpy()))
    assert part.shape == wanted(a.numpy()).shape


def test_attributes():
    a, rows = grid(), ints(2, 0)
    part = wp.indexedarray(a, [rows, None])
    assert part.data is a
    assert part.indices == [rows, None, None, None]
    assert (part.shape, part.ndim, part.size, part.dtype, len(part)) == ((2, 4), 2, 8, wp.float32, 2)
    assert part.device == a.device
    assert not part.is_contiguous
    assert part.list() == [8, 9, 10, 11, 0, 1, 2, 3]
    assert repr(part) == "indexedarray(shape=(2, 4), dtype=float32)"
    assert str(part) == str(part.numpy())
    assert part.to("cpu") is part
    assert wp.indexedarray(a).numpy().tolist() == a.numpy().tolist()
    assert wp.indexedarray2d(a, rows).shape == wp.indexedarray(a, rows).shape == (2, 4)
    assert wp.indexedarray(a, [None, ints()]).shape == (3, 0)
    assert wp.indexedarray(a, [None, ints()]).list() == []


@pytest.mark.parametrize("dtype", [wp.int8, wp.bool, wp.float64, wp.bfloat16, wp.vec3, wp.mat22, wp.quat])
def test_dtypes(dtype):
    a = wp.zeros(4, dtype=dtype)
    part = a[ints(3, 1)]
    part.fill_(1)
    assert part.contiguous().list() == [a[3], a[1]] == part.list()
    assert a[0] == wp.zeros(1, dtype=dtype)[0] != a[1]


def test_structs():
    @wp.struct
    class Item:
        x: float
        v: wp.vec2

    @wp.kernel
    def move(items: wp.indexedarray(dtype=Item), out: wp.array(dtype=float)):
        i = wp.tid()
        items[i].x += 1.0
        items[i].v = wp.vec2(items[i].x, 2.0)
        out[i] = items[i].v[0]

    items, out = wp.zeros(3, dtype=Item), wp.zeros(2)
    wp.launch(move, 2, [items[ints(2, 1)], out])
    assert items["x"].list() == [0, 1, 1]
    assert items["v"].numpy().tolist() == [[0, 0], [1, 2], [1, 2]]
    assert out.list() == [1, 1]
    assert items[ints(2)].contiguous()["x"].list() == [1]


def test_writing():
    a = wp.array([1.0, 2.0, 3.0], dtype=float)
    part = a[ints(2, 0)]
    part.assign([8.0, 9.0])
    assert a.list() == [9, 2, 8]
    part.assign(wp.array([5.0, 6.0], dtype=float))
    part.assign(a[ints(0, 2)])
    assert a.list() == [5, 2, 6]
    part.zero_()
    assert a.list() == [0, 2, 0]
    a[ints(1, 2)] = 7.0
    a[ints(0)] = np.array([4.0])
    assert a.list() == [4, 7, 7]
    wp.copy(part, wp.array([1.0, 2.0], dtype=float))
    target = wp.zeros(2)
    wp.copy(target, part)
    assert a.list() == [2, 7, 1]
    assert target.list() == wp.clone(part).list() == [1, 2]
    points = wp.zeros(2, dtype=wp.vec3)
    points[ints(1)] = wp.vec3(1, 2, 3)
    assert points.numpy().tolist() == [[0, 0, 0], [1, 2, 3]]


def test_like():
    part = grid()[ints(0), ints(1, 2)]
    for like in (wp.zeros_like(part), wp.ones_like(part), wp.empty_like(part), wp.full_like(part, 3.0)):
        assert type(like) is wp.array
        assert (like.shape, like.dtype) == ((1, 2), wp.float32)
    assert wp.full_like(part, 3.0).list() == [3, 3]
    assert wp.clone(part, requires_grad=True).requires_grad
    assert wp.array(part).list() == np.asarray(part).ravel().tolist() == [1, 2]


def test_annotations():
    one = wp.indexedarray(dtype=float)
    assert (one.ndim, one.dtype, repr(one)) == (1, wp.float32, "indexedarray(ndim=1, dtype=float32)")
    for two in (
        wp.indexedarray(dtype=float, ndim=2),
        wp.indexedarray[float, Literal[2]],
        wp.indexedarray2d(dtype=float),
        wp.indexedarray2d[float],
    ):
        assert (two.ndim, two.dtype) == (2, wp.float32)
    assert wp.indexedarray[wp.vec3].ndim == 1
    assert wp.indexedarray4d[float].ndim == 4


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda a: wp.indexedarray(), TypeError, "data is missing"),
        (lambda a: wp.indexedarray(np.ones(3)), TypeError, "data is of type ndarray"),
        (lambda a: wp.indexedarray(a, np.array([0])), TypeError, "indices is of type ndarray"),
        (lambda a: wp.indexedarray(a, [0, 1]), TypeError, "index 0 is of type int"),
        (lambda a: wp.indexedarray(a, [None, None, None]), ValueError, "3 arrays of indices.*2 dimensions"),
        (lambda a: wp.indexedarray(a, wp.zeros(1, dtype=wp.int64)), ValueError, "int64, not 1 of int32"),
        (lambda a: a[wp.zeros((1, 1), dtype=int)], ValueError, "2 dimensions"),
        (lambda a: wp.indexedarray(a, dtype=int), ValueError, "dtype is int"),
        (lambda a: wp.indexedarray1d(a), ValueError, "ndim is 1, the data has 2"),
        (lambda a: a[ints(0), 1, 2], IndexError, "too many"),
        (lambda a: a[ints(0), 9], IndexError, "9"),
        (lambda a: a[ints(3)].list(), IndexError, "3"),
        (lambda a: a[ints(0)].assign(wp.zeros((2, 4))), ValueError, r"\(2, 4\).*\(1, 4\)"),
        (lambda a: a[ints(0)].fill_("x"), TypeError, "x"),
        (lambda a: wp.copy(a[ints(0)], wp.zeros(1), count=1), ValueError, "without offsets"),
        (lambda a: wp.indexedarray(dtype=float).list(), TypeError, "annotation"),
    ],
)
def test_mistakes(make, error, says):
    with pytest.raises(error, match=says):
        make(grid())


# In kernels.


def test_reading_in_kernels():
    a, y = grid(), wp.zeros((2, 2))
    wp.launch(double_2d, (2, 2), [a[ints(2, 0), ints(3, 1)]], [y])
    assert y.list() == [22, 18, 6, 2]
    whole = wp.zeros((3, 2))
    wp.launch(double_2d, (3, 2), [a[:, ints(1, 0)]], [whole])
    assert whole.numpy().tolist() == (2 * a.numpy()[:, [1, 0]]).tolist()


def test_writing_in_kernels():
    @wp.kernel
    def write(x: wp.indexedarray[float]):
        i = wp.tid()
        x[i] = float(i + 1)
        x[i] += 10.0
        x[i] *= 2.0
        wp.atomic_add(x, i, 0.5)
        wp.atomic_max(x, 0, 100.0)

    a = wp.zeros(4)
    wp.launch(write, 2, [a[ints(3, 1)]])
    assert a.list() == [0, 24.5, 0, 100]


def test_atomic_sums():
    @wp.kernel
    def count(x: wp.indexedarray(dtype=int), n: wp.array(dtype=int)):
        i = wp.tid()
        before = wp.atomic_add(x, i, 1)
        wp.atomic_max(n, 0, before)

    a, n = wp.zeros(2, dtype=int), wp.zeros(1, dtype=int)
    wp.launch(count, 1000, [a[wp.array(np.arange(1000) % 2, dtype=int)], n])
    assert a.list() == [500, 500]
    assert n.list() == [499]


def test_shapes_rows_and_functions():
    @wp.func
    def total(row: wp.indexedarray(dtype=float)):
        s = float(0.0)
        for j in range(len(row)):
            s += row[j]
        return s

    @wp.kernel
    def rows(x: wp.indexedarray2d(dtype=float), y: wp.array(dtype=float), info: wp.array(dtype=int)):
        i = wp.tid()
        row = x[i]
        if i % 2 == 0:
            y[i] = total(row) + x[i, :][0] * 100.0
        else:
            y[i] = total(x[i])
        info[0] = x.shape[0]
        info[1] = x.shape[1]
        info[2] = x.size
        info[3] = x.ndim
        info[4] = len(row)
        info[5] = row.shape[0]
        wp.atomic_add(row, 0, x.dtype(1.0))

    a, y, info = grid(), wp.zeros(2), wp.zeros(6, dtype=int)
    wp.launch(rows, 2, [a[ints(2, 0), ints(1, 2, 3)], y, info])
    assert y.list() == [9 + 10 + 11 + 900, 1 + 2 + 3]
    assert info.list() == [2, 3, 6, 2, 3, 3]
    assert a.list() == [0, 2, 2, 3, 4, 5, 6, 7, 8, 10, 10, 11]


@pytest.mark.parametrize(
    ("rows", "i"),
    [
        ((0, 3), 1),  # beyond the data
        ((0, -4), 1),
        ((0, 1), 2),  # beyond the indices
        ((0, 1), -3),
    ],
)
def test_bounds(rows, i):
    @wp.kernel
    def read(x: wp.indexedarray(dtype=float), y: wp.array(dtype=float), i: int):
        y[0] = x[i]

    @wp.kernel
    def write(x: wp.indexedarray(dtype=float), i: int):
        x[i] = 5.0

    a = wp.zeros(3)
    with pytest.raises(IndexError):
        wp.launch(read, 1, [a[ints(*rows)], wp.zeros(1), i])
    with pytest.raises(IndexError):
        wp.launch(write, 1, [a[ints(*rows)], i])
    assert a.list() == [0, 0, 0]


def test_arguments_that_do_not_fit():
    y = wp.zeros((2, 2))
    for wrong, says in (
        (grid(), r"argument 'x': expected indexedarray\(float32, ndim=2\)"),
        (grid(wp.float64)[ints(0)], r"found indexedarray\(float64, ndim=2\)"),
        (wp.zeros(3)[ints(0)], r"found indexedarray\(float32, ndim=1\)"),
        (wp.indexedarray(dtype=float, ndim=2), "found an annotation"),
        (None, "found"),
    ):
        with pytest.raises(TypeError, match=says):
            wp.launch(double_2d, (1, 1), [wrong, y])
    with pytest.raises(TypeError, match=r"argument 'y': expected array.*found indexedarray.*contiguous\(\)"):
        wp.launch(double_2d, (1, 1), [grid()[ints(0)], grid()[ints(0)]])


def test_an_array_is_no_indexed_array_in_kernels():
    @wp.func
    def first(x: wp.array(dtype=float)):
        return x[0]

    @wp.kernel
    def bad(x: wp.indexedarray(dtype=float)):
        x[0] = first(x)

    with pytest.raises(TypeError, match="indexedarray.*declared is array"):
        wp.launch(bad, 1, [wp.zeros(1)[ints(0)]])

    @wp.kernel
    def worse(x: wp.indexedarray(dtype=float)):
        x[0, 1] = x.strides

    with pytest.raises(AttributeError, match="strides"):
        wp.launch(worse, 1, [wp.zeros(1)[ints(0)]])


def test_recorded_launches():
    a, y = grid(), wp.zeros((1, 1))
    again = wp.launch(double_2d, (1, 1), [a[ints(2), ints(3)]], [y], record_cmd=True)
    again.launch()
    assert y.list() == [22]
    assert copy.copy(a[ints(1)]).list() == [4, 5, 6, 7]
    again.set_param_by_name("x", a[ints(1), ints(1)])
    again.launch()
    assert y.list() == [10]


# Gradients.


def test_gradients():
    @wp.kernel
    def cube(x: wp.indexedarray(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
        i = wp.tid()
        y[i] = x[i] * x[i] * x[i]

    x = wp.array([1.0, 2.0, 3.0], dtype=wp.float64, requires_grad=True)
    y = wp.zeros(4, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(cube, 4, [x[ints(2, 0, 2, 2)]], [y])
    tape.backward(grads={y: wp.array([1.0, 10.0, 100.0, 1000.0], dtype=wp.float64)})
    assert x.grad.list() == [30.0, 0.0, 27.0 * 1101.0]


def test_gradients_of_writes():
    @wp.kernel
    def scatter(x: wp.array(dtype=wp.float64), y: wp.indexedarray(dtype=wp.float64)):
        i = wp.tid()
        y[i] = x[i] * x[i]

    @wp.kernel
    def add(x: wp.array(dtype=wp.float64), y: wp.indexedarray(dtype=wp.float64)):
        i = wp.tid()
        y[i] += wp.float64(5.0) * x[i]

    x = wp.array([2.0, 3.0], dtype=wp.float64, requires_grad=True)
    y = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(scatter, 2, [x, y[ints(2, 0)]])
        wp.launch(add, 2, [x, y[ints(0, 0)]])
    tape.backward(grads={y: wp.array([1.0, 10.0, 100.0], dtype=wp.float64)})
    assert y.list() == [9.0 + 25.0, 0.0, 4.0]
    assert x.grad.list() == [400.0 + 5.0, 6.0 + 5.0]


def test_gradients_of_methods():
    x = wp.array([1.0, 2.0, 3.0], dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        y = wp.clone(x)
        y[ints(0)] = 7.0
        part = y[ints(2, 1)]
        part.assign(part.contiguous() * 10.0)
        z = part * part
    assert z.requires_grad
    assert part.list() == [30.0, 20.0]
    tape.backward(grads={z: wp.ones(2, dtype=wp.float64)})
    assert x.grad.list() == [0.0, 20.0 * 20.0, 20.0 * 30.0]


# wp.map and operators.


def test_map():
    a = wp.array([1.0, 2.0, 3.0], dtype=float)
    part = a[ints(2, 0)]
    assert type(part + 1.0) is wp.array
    assert (part + 1.0).list() == (1.0 + part).list() == [4, 2]
    assert (part + part).list() == [6, 2]
    assert (part * wp.array([1.0, 10.0], dtype=float)).list() == [3, 10]
    assert (wp.array([1.0, 10.0], dtype=float) * part).list() == [3, 10]
    assert (-part).list() == [-3, -1]
    assert wp.map(wp.mul, part, 2.0).list() == [6, 2]
    with pytest.raises(TypeError):
        part + None
    assert wp.map(wp.neg, wp.array([5.0, 6.0], dtype=float), out=part) is part
    assert a.list() == [-6, 2, -5]
    same = part
    part += 6.0
    assert part is same
    assert a.list() == [0, 2, 1]
    part *= a[:2]  # of the same memory: as it was
    assert a.list() == [0, 2, 0]


def test_map_broadcasts():
    a = grid()
    part = a[ints(2, 0)]
    assert (part + a[:1]).numpy().tolist() == (a.numpy()[[2, 0]] + a.numpy()[:1]).tolist()
    column = a[:, ints(1)]
    assert (a * column).numpy().tolist() == (a.numpy() * a.numpy()[:, [1]]).tolist()


@wp.kernel
def twice_any(x: wp.indexedarray(dtype=Any), y: wp.array(dtype=Any)):
    i = wp.tid()
    y[i] = x[i] + x[i]


@wp.kernel
def total_of_floats(x: wp.indexedarray(dtype=wp.Float, ndim=2), total: wp.array(dtype=Any)):
    i, j = wp.tid()
    wp.atomic_add(total, 0, x[i, j])


def test_a_generic_kernel_takes_indexed_arrays():
    for dtype in (float, int, wp.float64):
        a, y = wp.array([1, 2, 3, 4], dtype=dtype), wp.zeros(2, dtype=dtype)
        wp.launch(twice_any, dim=2, inputs=[a[ints(3, 1)], y])
        assert y.numpy().tolist() == [8, 4]
    assert len(twice_any.overloads) == 3
    v, out = wp.array([(1, 2), (3, 4)], dtype=wp.vec2), wp.zeros(1, dtype=wp.vec2)
    wp.launch(twice_any, dim=1, inputs=[v[ints(1)], out])
    assert out.numpy().tolist() == [[6, 8]]

    a = wp.array(np.arange(12.0).reshape(3, 4), dtype=wp.float64, requires_grad=True)
    total = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(total_of_floats, dim=(2, 4), inputs=[a[ints(2, 2)]], outputs=[total])
    tape.backward(grads={total: wp.ones(1, dtype=wp.float64)})
    assert total.numpy().tolist() == [76.0]
    np.testing.assert_array_equal(a.grad.numpy(), np.outer([0, 0, 2], np.ones(4)))

    for wrong in (a, a[ints(1)].data, wp.array([[1, 2]], dtype=int)[ints(0)], wp.ones(3)[ints(1)]):
        with pytest.raises(TypeError, match="indexedarray"):
            wp.launch(total_of_floats, dim=(1, 1), inputs=[wrong], outputs=[total])
    exact = wp.overload(twice_any, [wp.indexedarray(dtype=wp.float16), wp.array(dtype=wp.float16)])
    assert not exact.is_generic


def test_unpacked_elements():
    @wp.kernel
    def unpack(x: wp.indexedarray(dtype=float), out: wp.array(dtype=wp.vec3)):
        out[0] = wp.vec3(*x[0:3])

    out = wp.zeros(1, dtype=wp.vec3)
    wp.launch(unpack, 1, inputs=[wp.array([1.0, 2.0, 3.0, 4.0], dtype=float)[ints(3, 1, 0)], out])
    assert out.numpy().tolist() == [[4.0, 2.0, 1.0]]


def test_arguments_that_are_no_indexed_array():
    @wp.kernel
    def read(x: wp.indexedarray(dtype=float), out: wp.array(dtype=float)):
        out[0] = x[0]

    with pytest.raises(wp.LaunchError, match=r"found None, which can be passed for a wp\.array, not for"):
        wp.launch(read, 1, inputs=[None, wp.zeros(1)])
    with pytest.raises(wp.LaunchError, match=r"found \[1\.0\] \(list\); make it a Warp array: wp\.array"):
        wp.launch(read, 1, inputs=[[1.0], wp.zeros(1)])
