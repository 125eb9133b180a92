"""Algorithms of `wp.utils` on a GPU give what they give on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp
from warp.utils import (
    array_cast,
    array_inner,
    array_scan,
    array_sum,
    radix_sort_pairs,
    runlength_encode,
    segmented_sort_pairs,
)

from .samples import GPU, RANDOM, there

pytestmark = pytest.mark.skipif(not wp.is_cuda_available(), reason="there is no CUDA device")


INTS = [wp.int8, wp.int16, wp.int32, wp.int64, wp.uint8, wp.uint16, wp.uint32, wp.uint64]
FLOATS = [wp.float16, wp.float32, wp.float64]
NUMBERS = [*INTS, *FLOATS, wp.bfloat16]
SIZES = [0, 1, 31, 32, 33, 255, 256, 257, 1000, 5000]


each_dtype = pytest.mark.parametrize("dtype", NUMBERS, ids=lambda t: t.__name__)


each_size = pytest.mark.parametrize("n", SIZES)


def sample(dtype, n: int, low: int = -60, high: int = 60) -> np.ndarray:
    """Integers as numbers of a dtype, which bfloat16 holds, too."""
    values = RANDOM.integers(low, high, n)
    if dtype in INTS and dtype.__name__.startswith("u"):
        values = np.abs(values)
    return values.astype(np.float32 if dtype is wp.bfloat16 else wp.dtype_to_numpy(dtype))


def content(array: wp.array) -> np.ndarray:
    return np.array(array.list()) if array.dtype is wp.bfloat16 else array.numpy()


def same(found: wp.array, expected: wp.array) -> None:
    """The same bits; the second array is one of the CPU."""
    np.testing.assert_array_equal(content(found), content(expected))


# Sums.


@each_dtype
@each_size
def test_sums_are_those_of_the_cpu(dtype, n):
    """These sums are exact in float64, so that the order of adding changes nothing."""
    values, others = there(sample(dtype, n), dtype), there(sample(dtype, n, 0, 4), dtype)
    on_cpu = values.to("cpu"), others.to("cpu")
    total = array_sum(values)
    assert total == array_sum(on_cpu[0])
    assert type(total) is type(array_sum(on_cpu[0]))
    assert array_inner(values, others) == array_inner(*on_cpu)


def test_sums_of_floats_are_formed_in_float64():
    """Within two roundings of float64 for each addition that a term goes through, and one of the result."""
    values = RANDOM.normal(size=20_000)
    exact = np.float64(sum(map(np.longdouble, values)))
    found = array_sum(there(values))
    assert abs(found - exact) <= 100 * np.finfo(np.float64).eps * np.abs(values).sum()
    narrow = values.astype(np.float32)
    assert array_sum(there(narrow)) == pytest.approx(narrow.astype(np.float64).sum(), rel=2**-23)
    assert array_sum(there(np.full(5000, 0.1, np.float32))) == np.float32(5000 * np.float64(np.float32(0.1)))


def test_sums_have_the_same_bits_in_every_run():
    values = there(RANDOM.normal(size=30_000))
    assert len({array_sum(values) for _ in range(3)}) == 1


def test_integers_wrap():
    assert array_sum(there(np.full(300, 1, np.uint8))) == 44
    assert array_sum(there(np.full(3, 1 << 31, np.uint32))) == 1 << 31
    assert array_inner(there(np.full(2, 1 << 62, np.int64)), there(np.full(2, 3, np.int64))) == -(1 << 63)


@pytest.mark.parametrize("shape", [(3, 5, 7), (2, 1000, 3), (3000, 1, 2), (1, 70, 300), (2, 0, 3), (70, 65), (5000, 9)])
def test_sums_along_each_axis(shape):
    x = RANDOM.integers(-9, 9, shape).astype(np.float32)
    a = there(x)
    for axis in range(-1, len(shape)):
        np.testing.assert_array_equal(array_sum(a, axis=axis).numpy(), x.sum(axis, keepdims=True))
        np.testing.assert_array_equal(array_inner(a, a, axis=axis).numpy(), (x * x).sum(axis, keepdims=True))
    if x.shape[0] > 1:
        some = array_sum(a, axis=0, value_count=1).numpy()
        np.testing.assert_array_equal(some, x[:1])


@pytest.mark.parametrize("dtype", [wp.vec2, wp.vec3d, wp.mat33, wp.quat, wp.types.vector(length=5, dtype=wp.int16)])
@pytest.mark.parametrize("n", [0, 1, 33, 3000])
def test_composites_are_summed_by_component(dtype, n):
    a = wp.zeros(n, dtype=dtype, device="cpu")
    a = wp.array(RANDOM.integers(-5, 5, a.numpy().shape).astype(a.numpy().dtype), dtype=dtype, device=GPU)
    x = a.numpy()
    out = wp.zeros(1, dtype=dtype, device=GPU)
    assert array_sum(a, out=out) is out
    np.testing.assert_array_equal(out.numpy()[0], x.sum(0))
    np.testing.assert_array_equal(np.array(array_sum(a)), x.sum(0))
    assert array_inner(a, a) == (x * x).sum(dtype=x.dtype)
    if n == 3000:
        table, parts = a.reshape((30, 100)), x.reshape((30, 100, -1))
        np.testing.assert_array_equal(
            array_inner(table, table, axis=0).numpy()[0], (parts * parts).sum((0, 2), dtype=x.dtype)
        )


def test_sums_read_and_write_any_layout():
    m = np.arange(600, dtype=np.float32).reshape(20, 30)
    a, out = there(m), wp.zeros((30, 3), device=GPU)
    assert array_sum(a[::2, 3]) == m[::2, 3].sum()
    array_sum(a.transpose(), axis=1, out=out[:, 1:2])
    np.testing.assert_array_equal(out.numpy()[:, 1], m.sum(0))
    assert not out.numpy()[:, ::2].any()
    # An output that is part of the input.
    x = there(np.arange(100, dtype=np.float32))
    array_sum(x, out=x[:1])
    assert x.list()[:2] == [4950.0, 1.0]


# Scans.


@each_dtype
@each_size
def test_scans_are_those_of_the_cpu(dtype, n):
    values = there(sample(dtype, n, -3, 4), dtype)
    on_cpu = values.to("cpu")
    for inclusive in (True, False):
        out, expected = wp.zeros_like(values), wp.zeros_like(on_cpu)
        array_scan(values, out, inclusive)
        array_scan(on_cpu, expected, inclusive)
        same(out, expected)
    array_scan(values, values)
    array_scan(on_cpu, on_cpu)
    same(values, on_cpu)


def test_bfloat16_is_rounded_once():
    """Sums of all sizes, halfway between two numbers among them."""
    values = np.ldexp(RANDOM.integers(-512, 512, 400).astype(np.float64), RANDOM.integers(-150, 130, 400))
    for x in [*values, 256.5, 257.5, 257.0, 3.3895e38, 3.3962e38, 1e39, -1e39, np.inf, -np.inf, np.nan]:
        pair = wp.array([float(x), float(x) / 512], dtype=wp.bfloat16, device=GPU)
        np.testing.assert_equal(float(array_sum(pair)), float(array_sum(pair.to("cpu"))))


@pytest.mark.parametrize(("n", "dtype"), [(70_000, wp.int32), (5000, wp.vec3d), (5000, wp.mat22), (4097, wp.vec2h)])
def test_long_scans_and_vectors(n, dtype):
    shape = wp.zeros(1, dtype=dtype, device="cpu").numpy().shape[1:]
    x = RANDOM.integers(-3, 4, (n, *shape)).astype(wp.zeros(1, dtype=dtype, device="cpu").numpy().dtype)
    a = wp.array(x, dtype=dtype, device=GPU)
    out = wp.zeros_like(a)
    array_scan(a, out)
    np.testing.assert_array_equal(out.numpy(), x.cumsum(0, dtype=x.dtype))
    array_scan(a, out, inclusive=False)
    np.testing.assert_array_equal(out.numpy(), x.cumsum(0, dtype=x.dtype) - x)


def test_scans_read_and_write_any_layout():
    x = np.arange(200, dtype=np.int32)
    a = there(x)
    array_scan(a[::2], a[1::2])
    np.testing.assert_array_equal(a.numpy()[1::2], x[::2].cumsum())
    memory = there(np.array([1, 2, 3, 4], np.int32))
    array_scan(memory[:3], memory[1:])
    assert memory.list() == [1, 1, 3, 6]


# Sorts.


@each_dtype
@each_size
def test_sorts_are_stable(dtype, n):
    x = sample(dtype, n)
    keys = there(np.concatenate([x, x]), dtype)
    values = there(np.arange(2 * n, dtype=np.int32))
    radix_sort_pairs(keys, values, n)
    order = np.argsort(x, kind="stable")
    np.testing.assert_array_equal(content(keys)[:n], x[order])
    np.testing.assert_array_equal(values.numpy()[:n], order)


@pytest.mark.parametrize("dtype", [wp.int32, wp.int64, wp.uint32, wp.uint64, wp.float32, wp.float64])
def test_sorts_of_all_bits(dtype):
    n = 9000
    kind = wp.dtype_to_numpy(dtype)
    x = RANDOM.integers(0, 256, n * np.dtype(kind).itemsize, dtype=np.uint8).view(kind)
    x = x[~np.isnan(x)] if dtype in FLOATS else x
    keys, values = there(np.tile(x, 2)), there(np.arange(2 * len(x), dtype=np.int64))
    radix_sort_pairs(keys, values, len(x))
    order = np.argsort(x, kind="stable")
    np.testing.assert_array_equal(values.numpy()[: len(x)], order)
    np.testing.assert_array_equal(keys.numpy()[: len(x)], x[order])


@pytest.mark.parametrize("value", [wp.int8, wp.float16, wp.vec3, wp.vec2h, wp.vec2, wp.vec4d, wp.mat33, wp.bool])
@pytest.mark.parametrize("key", [wp.uint8, wp.int32])
def test_values_of_every_width_move_whole(key, value):
    n = 300
    x = sample(key, n)
    room = wp.zeros(2 * n, dtype=value, device="cpu").numpy()
    room += RANDOM.integers(0, 2, room.shape).astype(room.dtype)
    keys, values = there(np.tile(x, 2), key), wp.array(room, dtype=value, device=GPU)
    radix_sort_pairs(keys, values, n)
    np.testing.assert_array_equal(values.numpy()[:n], room[:n][np.argsort(x, kind="stable")])
    np.testing.assert_array_equal(keys.numpy()[:n], np.sort(x))


def test_sorts_by_some_bits():
    keys = np.array([0x13, 0x21, 0x02, 0x31, 0, 0, 0, 0], np.int32)
    for bits, order in [
        ((0, 4), [1, 3, 2, 0]),
        ((4, 8), [2, 0, 1, 3]),
        ((4, 4), [0, 1, 2, 3]),
        ((0, 18), [2, 0, 1, 3]),
    ]:
        values = there(np.arange(8, dtype=np.int32))
        radix_sort_pairs(there(keys), values, 4, *bits)
        assert values.list()[:4] == order
    many = RANDOM.integers(0, 1 << 30, 600).astype(np.uint32)
    values = there(np.arange(1200, dtype=np.int32))
    radix_sort_pairs(there(np.tile(many, 2)), values, 600, 5, 16)
    np.testing.assert_array_equal(values.numpy()[:600], np.argsort(many >> 5 & 0x7FF, kind="stable"))


def test_floats_are_ordered_by_sign_and_size():
    x = np.array([3, np.nan, np.copysign(np.nan, -1), -5, np.inf, -np.inf, 0.0, -0.0])
    for kind in (np.float16, np.float32, np.float64):
        values = there(np.arange(16, dtype=np.int32))
        radix_sort_pairs(there(np.tile(x.astype(kind), 2)), values, 8)
        assert values.list()[:8] == [2, 5, 3, 7, 6, 0, 4, 1]


def test_sorts_write_any_layout():
    base = np.zeros((12, 2), np.int32)
    base[:6, 1] = [3, 1, 2, 5, 0, 4]
    keys, values = there(base), there(np.arange(24, dtype=np.int32))
    radix_sort_pairs(keys[:, 1], values[::2], 6)
    assert keys.numpy()[:6, 1].tolist() == [0, 1, 2, 3, 4, 5]
    assert not keys.numpy()[:, 0].any()
    assert values.list()[:12:2] == [8, 2, 4, 0, 10, 6]
    assert values.list()[1::2] == list(range(1, 24, 2))


@each_dtype
@pytest.mark.parametrize("with_ends", [True, False])
def test_segmented_sorts(dtype, with_ends):
    n = 1200
    x = sample(dtype, n)
    starts = np.array([0, 3, 3, 40, 41, 300, 1190], np.int32)
    ends = np.append(starts[1:], n).astype(np.int32)
    if with_ends:
        # Gaps between segments, in any order.
        ends -= (ends - starts >= 5) * np.int32(2)
        turned = RANDOM.permutation(len(starts))
        starts, ends = starts[turned], ends[turned]
        bounds = (there(starts), there(ends))
    else:
        bounds = (there(np.append(starts, n).astype(np.int32)),)
    keys, values = there(np.tile(x, 2), dtype), there(np.arange(2 * n, dtype=np.int64))
    segmented_sort_pairs(keys, values, n, *bounds)
    order = np.arange(n)
    for start, end in zip(starts, ends, strict=True):
        order[start:end] = start + np.argsort(x[start:end], kind="stable")
    np.testing.assert_array_equal(values.numpy()[:n], order)
    np.testing.assert_array_equal(content(keys)[:n], x[order])


@pytest.mark.parametrize("value", [wp.uint8, wp.float16, wp.vec4])
def test_segmented_sorts_of_other_values(value):
    keys = there(np.array([3, 1, 2, 9, 8, 7] * 2, np.uint8))
    room = wp.zeros(12, dtype=value, device="cpu").numpy()
    room += np.arange(12).reshape(12, *[1] * (room.ndim - 1)).astype(room.dtype)
    values = wp.array(room, dtype=value, device=GPU)
    segmented_sort_pairs(keys, values, 6, there(np.array([0, 3, 5], np.int32)))
    assert keys.list()[:6] == [1, 2, 3, 8, 9, 7]
    np.testing.assert_array_equal(values.numpy()[:6], room[[1, 2, 0, 4, 3, 5]])


def test_wrong_segments_are_told_to_who_waits():
    """Other segments are sorted, and nothing beyond the pairs is touched."""
    keys, values = there(np.array([3, 2, 1, 6, 5, 4] * 2, np.int32)), there(np.arange(12, dtype=np.int32))
    for bad in ([2, 9], [-1, 2], [4, 3]):
        bounds = there(np.array([0, bad[0]], np.int32)), there(np.array([2, bad[1]], np.int32))
        segmented_sort_pairs(keys, values, 6, *bounds)
        with pytest.raises(
            ValueError, match=rf"segmented_sort_pairs: segment 1 is \[{bad[0]}, {bad[1]}\), which is not"
        ):
            wp.synchronize()
    assert keys.list()[:6] == [2, 3, 1, 6, 5, 4]
    segmented_sort_pairs(keys, values, 6, there(np.array([0, 2], np.int32)), there(np.array([4, 6], np.int32)))
    with pytest.raises(ValueError, match="pair [23] is in 2 segments; on a GPU segments must not overlap"):
        wp.synchronize()
    assert sorted(keys.list()[:6]) == [1, 2, 3, 4, 5, 6]


# Runs.


@each_dtype
@each_size
def test_runs(dtype, n):
    x = np.repeat(sample(dtype, n, 0, 3), RANDOM.integers(1, 5, n))[:n]
    values = there(x, dtype)
    run_values, run_lengths = wp.zeros(n, dtype=dtype, device=GPU), wp.zeros(n, dtype=int, device=GPU)
    count = runlength_encode(values, run_values, run_lengths)
    begins = np.flatnonzero(np.append(True, x[1:] != x[:-1])) if n else np.zeros(0, int)
    assert type(count) is int
    assert count == len(begins)
    np.testing.assert_array_equal(content(run_values)[:count], x[begins])
    np.testing.assert_array_equal(run_lengths.numpy()[:count], np.diff(np.append(begins, n)))
    assert not run_lengths.numpy()[count:].any()


def test_zeros_are_equal_and_nans_are_not():
    for kind in (np.float16, np.float32, np.float64):
        values = there(np.array([0.0, -0.0, np.nan, np.nan], kind))
        lengths = wp.zeros(4, dtype=int, device=GPU)
        assert runlength_encode(values, wp.zeros_like(values), lengths) == 3
        assert lengths.list() == [2, 1, 1, 0]


def test_runs_in_place_with_gaps_and_of_the_first_values():
    values = there(np.array([1, 1, 2, 3, 3, 3], np.int32))
    lengths, count = wp.zeros(12, dtype=int, device=GPU), wp.full(2, -1, dtype=int, device=GPU)
    assert runlength_encode(values, values, lengths[::2], count) is count
    assert count.list() == [3, -1]
    assert values.list()[:3] == [1, 2, 3]
    assert lengths.list()[:6] == [2, 0, 1, 0, 3, 0]
    assert runlength_encode(values, wp.zeros(0, dtype=int, device=GPU), lengths, count, value_count=0) is count
    assert count.list() == [0, -1]


# Casts.


@pytest.mark.parametrize("target", [wp.int8, wp.uint32, wp.int64, wp.float16, wp.float64, wp.bool])
def test_casts(target):
    x = np.array([1.9, -2.7, 3e10, np.nan, -1.0, 0.0, 300.0] * 40, np.float32)
    values, out = there(x), wp.zeros(280, dtype=target, device=GPU)
    expected = wp.zeros(280, dtype=target, device="cpu")
    array_cast(values, out)
    array_cast(values.to("cpu"), expected)
    same(out, expected)


def test_casts_of_vectors_and_layouts():
    x = np.arange(24, dtype=np.float32)
    vectors, flat = there(x.reshape(8, 3), wp.vec3), wp.zeros(48, dtype=int, device=GPU)
    array_cast(vectors, flat)
    np.testing.assert_array_equal(flat.numpy()[:24], x)
    array_cast(there(x)[::2], flat[1::2])
    np.testing.assert_array_equal(flat.numpy()[1:24:2], x[::2])
    array_cast(there(x), flat[24:], 24)
    np.testing.assert_array_equal(flat.numpy()[24:], x)
