"""Arrays of structs that hold arrays: in kernels, on the host, in gradients."""

import gc
import pickle
import weakref
from copy import deepcopy

import numpy as np
import pytest
import warp as wp

from .holders import Group, Item, Part, item, numbers


def test_reading_and_writing():
    @wp.kernel
    def k(items: wp.array(dtype=Item), out: wp.array(dtype=float)):
        i = wp.tid()
        x = items[i]
        out[i] = x.part.values[1] + items[i].points[0, 1][2] + float(items[i].points.shape[1]) + x.scale
        items[i].part.values[0] = 7.0
        wp.atomic_add(items[i].part.values, 2, 1.0)
        x.points[1, 0] = wp.vec3(1.0, 2.0, 3.0)
        items[i].part.count = x.part.values.shape[0] + len(x.part.values)

    a, b = item([1.0, 2.0, 3.0], 10.0), item([4.0, 5.0, 6.0, 7.0], 20.0, points=(2, 3))
    items = wp.array([a, b], dtype=Item)
    out = wp.zeros(2, dtype=float)
    wp.launch(k, 2, inputs=[items, out])
    assert out.list() == [2.0 + 1.0 + 2.0 + 10.0, 5.0 + 1.0 + 3.0 + 20.0]
    assert a.part.values.list() == [7.0, 2.0, 4.0]
    assert b.part.values.list() == [7.0, 5.0, 7.0, 7.0]
    assert a.points.numpy()[1, 0].tolist() == [1.0, 2.0, 3.0]
    assert items.numpy()["part"]["count"].tolist() == [6, 8]


def test_negative_indices_slices_and_functions():
    @wp.func
    def total(values: wp.array(dtype=float)):
        s = float(0.0)
        for j in range(values.shape[0]):
            s += values[j]
        return s

    @wp.func
    def of_part(part: Part, k: int):
        return part.values[k]

    @wp.kernel
    def k(items: wp.array(dtype=Item), out: wp.array2d(dtype=float)):
        i = wp.tid()
        out[i, 0] = total(items[i].part.values)
        out[i, 1] = total(items[i].part.values[1:])
        out[i, 2] = of_part(items[i].part, -1)
        row = items[i].points[-1]
        out[i, 3] = row[1][0] * 2.0

    items = wp.array([item([1.0, 2.0, 3.0]), item([4.0])], dtype=Item)
    out = wp.zeros((2, 4), dtype=float)
    wp.launch(k, 2, inputs=[items, out])
    assert out.numpy().tolist() == [[6.0, 5.0, 3.0, 2.0], [4.0, 0.0, 4.0, 2.0]]


def test_views_keep_their_strides():
    @wp.kernel
    def k(items: wp.array(dtype=Part), out: wp.array(dtype=float)):
        i = wp.tid()
        for j in range(items[i].values.shape[0]):
            out[i] += items[i].values[j]

    base = wp.array(np.arange(10, dtype=np.float32))
    items = wp.array([Part(values=base[::3]), Part(values=base[::-1])], dtype=Part)
    out = wp.zeros(2, dtype=float)
    wp.launch(k, 2, inputs=[items, out])
    assert out.list() == [0.0 + 3.0 + 6.0 + 9.0, 45.0]


def test_arrays_of_structs_in_structs():
    @wp.kernel
    def k(groups: wp.array(dtype=Group), one: Group, out: wp.array(dtype=float)):
        i = wp.tid()
        g = groups[i]
        s = float(0.0)
        for p in range(g.parts.shape[0]):
            part = g.parts[p]
            for j in range(part.count):
                s += part.values[j] * g.weight
        out[i] = s + one.parts[0].values[0]
        groups[i].parts[0].count = 0

    parts = [Part(values=numbers(1.0, 2.0), count=2), Part(values=numbers(3.0), count=1)]
    groups = wp.array(
        [
            Group(parts=wp.array(parts, dtype=Part), weight=2.0),
            Group(parts=wp.array(parts[1:], dtype=Part), weight=1.0),
        ],
        dtype=Group,
    )
    out = wp.zeros(2, dtype=float)
    wp.launch(k, 2, inputs=[groups, Group(parts=wp.array(parts, dtype=Part)), out])
    assert out.list() == [13.0, 4.0]
    assert [p.count for p in groups[0].parts.list()] == [0, 1]


def test_one_of_several_arrays():
    @wp.kernel
    def k(items: wp.array(dtype=Part), other: wp.array(dtype=float), n: int, out: wp.array(dtype=float)):
        i = wp.tid()
        chosen = other
        for j in range(n):
            if j == i:
                chosen = items[j].values
        out[i] = chosen[0]
        last = items[0]
        for j in range(n):
            last = items[j]
        out[i] += last.values[0]

    items = wp.array([Part(values=numbers(1.0)), Part(values=numbers(2.0))], dtype=Part)
    out = wp.zeros(3, dtype=float)
    wp.launch(k, 3, inputs=[items, numbers(10.0), 2, out])
    assert out.list() == [3.0, 4.0, 12.0]


def test_missing_arrays_and_bounds():
    @wp.kernel
    def k(items: wp.array(dtype=Part), j: int, out: wp.array(dtype=float)):
        out[0] = items[0].values[j]

    out = wp.zeros(1, dtype=float)
    with pytest.raises(IndexError, match=r"holds no array"):
        wp.launch(k, 1, inputs=[wp.zeros(1, dtype=Part), 0, out])
    items = wp.array([Part(values=numbers(1.0, 2.0))], dtype=Part)
    wp.launch(k, 1, inputs=[items, -2, out])
    assert out.list() == [1.0]
    for bad in (2, -3):
        with pytest.raises(IndexError, match=f"index {bad} is out of range for a dimension of size 2"):
            wp.launch(k, 1, inputs=[items, bad, out])

    @wp.kernel
    def asks(items: wp.array(dtype=Part), out: wp.array(dtype=float)):
        i = wp.tid()
        if items[i].values:
            out[i] = items[i].values[0]
        else:
            out[i] = -1.0

    out = wp.zeros(2, dtype=float)
    wp.launch(asks, 2, inputs=[wp.array([Part(), Part(values=numbers(5.0))], dtype=Part), out])
    assert out.list() == [-1.0, 5.0]


def test_arrays_live_as_long_as_they_are_referred_to():
    values = numbers(1.0, 2.0)
    alive = weakref.ref(values)
    items = wp.array([Part(values=values)], dtype=Part)
    assert items[0].values is values
    copy = items.clone()
    other = wp.zeros(2, dtype=Part)
    other[1] = items[0]
    del values
    gc.collect()
    assert alive() is not None
    items[0] = Part(values=numbers(3.0))
    gc.collect()
    assert alive() is not None
    assert copy[0].values is alive()
    assert other[1].values is alive()
    copy.zero_()
    wp.copy(other, items, dest_offset=1, count=1)
    gc.collect()
    assert alive() is None
    assert copy[0].values is None
    assert other[1].values.list() == [3.0]
    kept = weakref.ref(other[1].values)
    part = other[1:]
    del items, other
    gc.collect()
    assert part[0].values is kept()
    del part
    gc.collect()
    assert kept() is None


def test_ways_to_fill_an_array():
    s = Part(values=numbers(1.0), count=3)
    filled = wp.full(2, s, dtype=Part)
    assert [x.values for x in filled.list()] == [s.values, s.values]
    other = wp.zeros(2, dtype=Part)
    other.fill_(s)
    assert other.item(1).values is s.values
    other.assign([Part(), s])
    assert [x.values for x in other.list()] == [None, s.values]
    assert wp.zeros(1, dtype=Part)[0] == Part()
    grid = wp.array([[s, Part()], [Part(), s]], dtype=Part)
    assert grid.shape == (2, 2)
    assert grid[1, 1].values is s.values
    turned = wp.array(grid.transpose(), dtype=Part)
    assert turned[1, 1].values is s.values
    assert turned[0, 1].values is None


def test_numpy_sees_descriptions():
    s = Part(values=wp.zeros((3,), dtype=float, requires_grad=True), count=3)
    items = wp.array([s, Part()], dtype=Part)
    seen = items.numpy()
    field = seen["values"]
    assert field["data"].tolist() == [s.values.ptr, 0]
    assert field["grad"].tolist() == [s.values.grad.ptr, 0]
    assert field["shape"].tolist() == [[3, 0, 0, 0], [0] * 4]
    assert field["strides"].tolist() == [[4, 0, 0, 0], [0] * 4]
    assert field["ndim"].tolist() == [1, 0]
    assert seen.dtype == Part.numpy_dtype()
    assert seen.itemsize == 80
    assert np.array(s.numpy_value(), dtype=Part.numpy_dtype()) == seen[0]
    assert np.array(Part().numpy_value(), dtype=Part.numpy_dtype()) == seen[1]
    with pytest.raises(TypeError, match="keep no array alive"):
        wp.array(seen.copy(), dtype=Part)


def test_arrays_at_an_address():
    @wp.kernel
    def k(p: wp.uint64, n: int, x: wp.array2d(dtype=float), out: wp.array(dtype=float)):
        a = wp.array(ptr=p, shape=n, dtype=float)
        m = wp.array(ptr=p, shape=(n // 2, 2), dtype=float)
        out[0] = a[1] + m[1, 0] * 10.0
        a[0] = 9.0
        q = wp.address_of(x[1, -1])
        if q == x.ptr + wp.uint64(4 * (x.shape[1] * 2 - 1)):
            out[1] = wp.array(ptr=q, shape=1, dtype=float)[0]
        if x[1].ptr == wp.address_of(x[1, 0]):
            out[2] = 1.0

    a = numbers(1.0, 2.0, 3.0, 4.0)
    x = wp.array(np.arange(6, dtype=np.float32).reshape(2, 3))
    out = wp.zeros(3, dtype=float)
    wp.launch(k, 1, inputs=[a.ptr, 4, x, out])
    assert out.list() == [32.0, 5.0, 1.0]
    assert a.list()[0] == 9.0
    with pytest.raises(IndexError, match="index 1 is out of range for a dimension of size 1"):
        wp.launch(k, 1, inputs=[a.ptr, 1, x, out])
    with pytest.raises(IndexError, match="no array"):
        wp.launch(k, 1, inputs=[0, 4, x, out])


def test_arrays_at_an_address_by_position():
    @wp.kernel
    def k(p: wp.uint64, out: wp.array(dtype=float)):
        a = wp.array(p, (2, 2), float)
        b = wp.array(p, 4, dtype=float)
        out[0] = a[1, 0] + 10.0 * b[1]

    out = wp.zeros(1, dtype=float)
    a = numbers(1.0, 2.0, 3.0, 4.0)
    wp.launch(k, 1, inputs=[a.ptr, out])
    assert out.list() == [23.0]

    def too_many(p: wp.uint64, out: wp.array(dtype=float)):
        a = wp.array(p, 2, float, 3)
        out[0] = a[0]

    with pytest.raises(TypeError, match="`array` takes an address, a shape and a dtype in kernels"):
        wp.launch(wp.kernel(too_many), 1, inputs=[a.ptr, out])


def test_structs_at_an_address():
    @wp.kernel
    def k(p: wp.uint64, out: wp.array(dtype=float)):
        items = wp.array(ptr=p, shape=2, dtype=Part)
        out[0] = items[1].values[0] + float(items[1].count)
        items[0].count = 8

    items = wp.array([Part(), Part(values=numbers(5.0), count=2)], dtype=Part)
    out = wp.zeros(1, dtype=float)
    wp.launch(k, 1, inputs=[items.ptr, out])
    assert out.list() == [7.0]
    assert items[0].count == 8


def test_indexed_arrays_in_structs():
    @wp.struct
    class Chosen:
        a: wp.indexedarray(dtype=float)
        n: int

    @wp.kernel
    def one(s: Chosen, out: wp.array(dtype=float)):
        out[wp.tid()] = s.a[wp.tid()]

    @wp.kernel
    def many(s: wp.array(dtype=Chosen), out: wp.array(dtype=float)):
        i = wp.tid()
        x = s[0]
        out[i] = s[0].a[i] + x.a[i] + float(s[0].a.shape[0])

    data = numbers(1.0, 2.0, 3.0)
    s = Chosen(a=data[wp.array([2, 0], dtype=int)], n=1)
    out = wp.zeros(2, dtype=float)
    wp.launch(one, 2, inputs=[s, out])
    assert out.list() == [3.0, 1.0]
    items = wp.array([s], dtype=Chosen)
    wp.launch(many, 2, inputs=[items, out])
    assert out.list() == [8.0, 4.0]
    assert items[0].a.data is s.a.data
    with pytest.raises(TypeError, match="expected indexedarray"):
        s.a = data


def test_pickles_and_deep_copies_hold_arrays_of_their_own():
    values = numbers(1.0, 2.0)
    items = wp.array([[Part(values=values, count=2), Part()]], dtype=Part)
    for copy in (pickle.loads(pickle.dumps(items)), deepcopy(items)):
        assert copy.shape == (1, 2)
        assert copy[0, 1].values is None
        assert copy[0, 0].values.list() == [1.0, 2.0]
        assert copy[0, 0].values is not values
    with pytest.raises(TypeError, match="take those of elements"):
        items["values"]
    assert items["count"].list() == [2, 0]


def test_arrays_at_addresses_in_an_array():
    @wp.kernel
    def k(at: wp.array(dtype=wp.uint64), sizes: wp.array(dtype=int), sums: wp.array(dtype=float)):
        i = wp.tid()
        a = wp.array(ptr=at[i], shape=(sizes[i],), dtype=float)
        for n in range(a.shape[0]):
            sums[i] += a[n]
        a[0] = -1.0

    parts = [numbers(1.0, 2.0), numbers(3.0, 4.0, 5.0), numbers(6.0)]
    at, sizes = wp.array([p.ptr for p in parts], dtype=wp.uint64), wp.array([p.size for p in parts], dtype=int)
    sums = wp.zeros(3)
    wp.launch(k, 3, inputs=[at, sizes, sums])
    assert sums.list() == [3.0, 12.0, 6.0]
    assert [p.list()[0] for p in parts] == [-1.0] * 3
