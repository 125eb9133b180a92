"""Arrays of every dtype on a GPU: made, read, written and copied."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import warp as wp

GPU = "cuda:0"
SCALARS = [
    wp.int8,
    wp.uint8,
    wp.int16,
    wp.uint16,
    wp.int32,
    wp.uint32,
    wp.int64,
    wp.uint64,
    wp.float16,
    wp.float32,
    wp.float64,
    wp.bool,
]
COMPOSITES = [wp.vec2, wp.vec3d, wp.vec4h, wp.vec3i, wp.mat22, wp.mat33d, wp.quat, wp.transform, wp.spatial_vector]


def content(dtype, count: int = 5) -> np.ndarray:
    shape = wp.zeros(count, dtype=dtype, device="cpu").numpy()
    return (np.arange(shape.size) % 7).astype(shape.dtype).reshape(shape.shape)


@pytest.mark.parametrize("dtype", SCALARS + COMPOSITES, ids=lambda d: d.__name__)
class TestDtypes:
    def test_numpy_goes_there_and_back(self, dtype):
        given = content(dtype)
        a = wp.array(given, dtype=dtype, device=GPU)
        assert (a.device, a.shape, a.dtype) == (GPU, (5,), dtype)
        np.testing.assert_array_equal(a.numpy(), given)
        assert a.to(GPU) is a
        assert a.to("cpu").device == "cpu"
        np.testing.assert_array_equal(a.to("cpu").numpy(), given)
        np.testing.assert_array_equal(np.asarray(a), given)

    def test_lists_and_items(self, dtype):
        here = wp.array(content(dtype), dtype=dtype, device="cpu")
        there = wp.array(here.list(), dtype=dtype, device=GPU)
        assert there.list() == here.list()
        assert there[2] == here[2]
        assert str(there) == str(here)

    def test_filled(self, dtype):
        np.testing.assert_array_equal(wp.zeros(3, dtype=dtype, device=GPU).numpy(), content(dtype, 3) * 0)
        value = wp.array(content(dtype, 3), dtype=dtype, device="cpu")[1]
        expected = wp.full(3, value, dtype=dtype, device="cpu").numpy()
        np.testing.assert_array_equal(wp.full(3, value, dtype=dtype, device=GPU).numpy(), expected)
        a = wp.empty((4, 2), dtype=dtype, device=GPU)
        a.fill_(value)
        a[1:3, 1].zero_()
        b = wp.empty((4, 2), dtype=dtype, device="cpu")
        b.fill_(value)
        b[1:3, 1].zero_()
        np.testing.assert_array_equal(a.numpy(), b.numpy())

    def test_views_are_copied_both_ways(self, dtype):
        given = content(dtype, 24)
        shaped = given.reshape(4, 6, *given.shape[1:])
        a = wp.array(given, dtype=dtype, device=GPU).reshape((4, 6))
        for cut in (np.s_[1:3], np.s_[::2, 1::3], np.s_[:, 2], np.s_[3], np.s_[2:, :0]):
            np.testing.assert_array_equal(a[cut].numpy(), shaped[cut])
            np.testing.assert_array_equal(a[cut].contiguous().numpy(), shaped[cut])
            np.testing.assert_array_equal(wp.clone(a[cut], device="cpu").numpy(), shaped[cut])
        np.testing.assert_array_equal(a.transpose().numpy(), np.swapaxes(shaped, 0, 1))
        # Host to device, device to device, into every other column.
        b = wp.zeros((4, 6), dtype=dtype, device=GPU)
        wp.copy(b[:, ::2], wp.array(np.ascontiguousarray(shaped[:, ::2]), dtype=dtype, device="cpu"))
        wp.copy(b[:, 1::2], a[:, 1::2])
        np.testing.assert_array_equal(b.numpy(), shaped)
        c = wp.zeros((4, 6), dtype=dtype, device="cpu")
        wp.copy(c[:, ::2], a[:, ::2])
        wp.copy(c[:, 1::2], a[:, 1::2].contiguous())
        np.testing.assert_array_equal(c.numpy(), shaped)

    def test_clone_and_pickle(self, dtype):
        a = wp.array(content(dtype), dtype=dtype, device=GPU)
        b = wp.clone(a)
        assert b.device == GPU
        assert b.ptr != a.ptr
        a.zero_()
        np.testing.assert_array_equal(b.numpy(), content(dtype))
        c = pickle.loads(pickle.dumps(b))
        np.testing.assert_array_equal(c.numpy(), content(dtype))


def test_elements_are_written_by_index():
    a = wp.zeros((3, 2), dtype=float, device=GPU)
    a[1, 0] = 4.0
    a[2] = [1.0, 2.0]
    a[0, :] = 7.0
    assert a.numpy().tolist() == [[7.0, 7.0], [4.0, 0.0], [1.0, 2.0]]


def test_assign_takes_what_an_array_takes():
    a = wp.zeros(3, dtype=wp.vec2, device=GPU)
    a.assign(np.arange(6, dtype=np.float32).reshape(3, 2))
    assert a.numpy().tolist() == [[0, 1], [2, 3], [4, 5]]
    a.assign([[1, 1], [2, 2], [3, 3]])
    assert a.numpy().tolist() == [[1, 1], [2, 2], [3, 3]]
    a.assign(wp.full(3, wp.vec2(9.0, 8.0), dtype=wp.vec2, device="cpu"))
    assert a.numpy().tolist() == [[9, 8]] * 3


def test_copies_of_parts():
    a = wp.array(np.arange(10.0), dtype=wp.float64, device=GPU)
    b = wp.zeros(10, dtype=wp.float64, device=GPU)
    wp.copy(b, a, dest_offset=2, src_offset=5, count=3)
    assert b.numpy().tolist() == [0, 0, 5, 6, 7, 0, 0, 0, 0, 0]


def test_a_copy_within_an_array_reads_before_it_writes():
    a = wp.array(np.arange(8.0), dtype=wp.float64, device=GPU)
    wp.copy(a[1:], a[:-1])
    assert a.numpy().tolist() == [0, 0, 1, 2, 3, 4, 5, 6]
    a = wp.array(np.arange(8.0), dtype=wp.float64, device=GPU)
    wp.copy(a[:], a[::-1])
    assert a.numpy().tolist() == [7, 6, 5, 4, 3, 2, 1, 0]


def test_empty_arrays():
    for shape in (0, (0, 3), (3, 0)):
        a = wp.zeros(shape, dtype=float, device=GPU)
        assert a.size == 0
        assert a.numpy().shape == a.shape
        a.fill_(1.0)
        wp.copy(a, wp.zeros(shape, dtype=float, device="cpu"))


def test_the_gradient_is_where_the_array_is():
    a = wp.zeros(3, dtype=float, device=GPU, requires_grad=True)
    assert a.grad.device == GPU
    a.grad.fill_(2.0)
    b = a.to("cpu")
    assert b.requires_grad
    c = wp.clone(a, requires_grad=True)
    assert c.grad.device == GPU


def test_what_is_read_is_a_copy():
    a = wp.zeros(3, dtype=float, device=GPU)
    n = a.numpy()
    n[0] = 5.0
    assert a.list() == [0.0, 0.0, 0.0]
    given = np.ones(3, dtype=np.float32)
    b = wp.array(given, dtype=float, device=GPU)
    given[:] = 7.0
    assert b.list() == [1.0, 1.0, 1.0], "the bytes were read when the call returned"


def test_the_first_gpu_is_the_device_of_everything_that_names_none():
    assert wp.get_device() == GPU
    assert wp.zeros(1).device == GPU
    with wp.ScopedDevice("cpu"):
        assert wp.zeros(1).device == "cpu"
    assert wp.zeros_like(wp.zeros(1, device="cpu")).device == "cpu"


def test_algorithms_of_whole_arrays():
    given = np.random.default_rng(1).integers(0, 100, 50).astype(np.int32)
    keys = wp.array(np.concatenate([given, given]), dtype=int, device=GPU)
    values = wp.array(np.arange(100), dtype=int, device=GPU)
    wp.utils.radix_sort_pairs(keys, values, 50)
    np.testing.assert_array_equal(keys.numpy()[:50], np.sort(given))
    np.testing.assert_array_equal(values.numpy()[:50], np.argsort(given, kind="stable"))
    a = wp.array(given, dtype=int, device=GPU)
    out = wp.zeros_like(a)
    wp.utils.array_scan(a, out, inclusive=True)
    np.testing.assert_array_equal(out.numpy(), np.cumsum(given))
    floats = wp.array(given, dtype=float, device=GPU)
    assert wp.utils.array_sum(floats) == given.sum()


def test_indexed_arrays():
    a = wp.array(np.arange(12, dtype=np.float32).reshape(4, 3), device=GPU)
    rows = wp.array([2, 0], dtype=int, device=GPU)
    b = wp.indexedarray(a, [rows, None])
    assert b.device == GPU
    np.testing.assert_array_equal(b.numpy(), a.numpy()[[2, 0]])
    b.fill_(1.0)
    expected = np.arange(12, dtype=np.float32).reshape(4, 3)
    expected[[2, 0]] = 1.0
    np.testing.assert_array_equal(a.numpy(), expected)


def test_arrays_of_structs():
    @wp.struct
    class Particle:
        position: wp.vec3
        mass: wp.float64
        kind: wp.int8

    @wp.kernel
    def move(particles: wp.array(dtype=Particle)):
        i = wp.tid()
        p = particles[i]
        p.position = p.position + wp.vec3(1.0, 0.0, float(i))
        p.mass = p.mass * wp.float64(2.0)
        particles[i] = p

    values = []
    for n in range(3):
        p = Particle()
        p.position, p.mass, p.kind = wp.vec3(float(n), 0.0, 0.0), 1.0 + n, n
        values.append(p)
    results = []
    for device in (GPU, "cpu"):
        a = wp.array(values, dtype=Particle, device=device)
        wp.launch(move, dim=3, inputs=[a], device=device)
        results.append(a.numpy())
    assert str(results[0]) == str(results[1])
    assert results[0].dtype == results[1].dtype


def test_arrays_of_structs_keep_the_arrays_inside():
    @wp.struct
    class Row:
        values: wp.array(dtype=float)

    @wp.kernel
    def add_up(rows: wp.array(dtype=Row), out: wp.array(dtype=float)):
        i = wp.tid()
        for j in range(rows[i].values.shape[0]):
            out[i] += rows[i].values[j]

    def made():
        return [Row(values=wp.full(n, float(n), dtype=float, device=GPU)) for n in (1, 2, 3)]

    for rows in (
        wp.array(made(), dtype=Row, device=GPU),
        wp.clone(wp.array(made(), dtype=Row, device=GPU)),
        wp.array(made(), dtype=Row, device=GPU)[:].contiguous(),
    ):
        out = wp.zeros(3, dtype=float, device=GPU)
        wp.launch(add_up, dim=3, inputs=[rows, out], device=GPU)
        assert out.list() == [1.0, 4.0, 9.0]


def test_memory_comes_back(double):
    before = double.counts()
    for _ in range(20):
        a = wp.zeros(1000, dtype=float, device=GPU)
        a[::2].fill_(1.0)
        a.numpy()
        del a
    wp.synchronize()
    after = double.counts()
    assert (after.bytes, after.allocations) == (before.bytes, before.allocations)
