"""Algorithms on whole arrays against NumPy: every dtype, layout and count, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

INTS = [wp.int8, wp.int16, wp.int32, wp.int64, wp.uint8, wp.uint16, wp.uint32, wp.uint64]
FLOATS = [wp.float16, wp.float32, wp.float64]
RANDOM = np.random.default_rng(11)


def numpy_of(dtype):
    return wp.dtype_to_numpy(dtype)


def sample(dtype, *shape):
    """Numbers whose sums are exact in any dtype."""
    return RANDOM.integers(0, 4, shape).astype(numpy_of(dtype))


# Sums.


@pytest.mark.parametrize("dtype", INTS + FLOATS, ids=lambda t: t.__name__)
@pytest.mark.parametrize("n", [0, 1, 5, 500])
def test_sum_of_every_number_type(dtype, n):
    x = sample(dtype, n)
    assert wp.utils.array_sum(wp.array(x, dtype=dtype)) == x.sum(dtype=x.dtype)
    assert wp.utils.array_inner(wp.array(x, dtype=dtype), wp.array(x, dtype=dtype)) == (x * x).sum(dtype=x.dtype)


def test_long_sums_are_exact_to_the_last_bits():
    x = RANDOM.random(300_001).astype(np.float32)
    assert wp.utils.array_sum(wp.array(x)) == np.float32(x.astype(np.float64).sum())
    y = RANDOM.random(300_001)
    np.testing.assert_allclose(wp.utils.array_sum(wp.array(y)), y.sum(), rtol=1e-14)
    np.testing.assert_allclose(wp.utils.array_inner(wp.array(y), wp.array(y)), (y * y).sum(), rtol=1e-14)


@pytest.mark.parametrize("shape", [(7,), (3, 4), (2, 3, 5), (2, 3, 4, 5), (50_000, 3), (3, 50_000), (0, 3), (3, 0)])
def test_sum_along_each_axis(shape):
    x = sample(wp.float32, *shape)
    a = wp.array(x, dtype=wp.float32)
    for axis in range(-len(shape), len(shape)):
        want = x.sum(axis=axis, keepdims=True)
        found = wp.utils.array_sum(a, axis=axis)
        assert found.shape == want.shape
        np.testing.assert_array_equal(found.numpy(), want)
        np.testing.assert_array_equal(wp.utils.array_inner(a, a, axis=axis).numpy(), (x * x).sum(axis, keepdims=True))
    assert wp.utils.array_sum(a) == x.sum()


@pytest.mark.parametrize(
    "dtype", [wp.vec3, wp.vec2d, wp.mat22, wp.mat33d, wp.quat, wp.transform, wp.spatial_vectord, wp.vec4h, wp.vec2i]
)
def test_composites_are_summed_by_component(dtype):
    zeros = wp.zeros(1, dtype=dtype).numpy()
    x = RANDOM.integers(0, 3, (40, *zeros.shape[1:])).astype(zeros.dtype)
    a = wp.array(x, dtype=dtype)
    total = wp.utils.array_sum(a)
    assert type(total) is type(a[0])
    out = wp.zeros(1, dtype=dtype)
    assert wp.utils.array_sum(a, out=out) is out
    np.testing.assert_array_equal(out.numpy()[0], x.sum(axis=0))
    # The inner product is a number, whatever the elements.
    assert wp.utils.array_inner(a, a) == (x * x).sum()
    parts = wp.utils.array_inner(a.reshape((4, 10)), a.reshape((4, 10)), axis=1)
    assert parts.shape == (4, 1)
    want = (x * x).reshape(4, 10, -1).sum(axis=(1, 2))
    np.testing.assert_array_equal(parts.numpy()[:, 0], want)


def test_sums_of_the_first_elements():
    m = wp.array(np.arange(12).reshape(3, 4), dtype=float)
    assert wp.utils.array_sum(m, value_count=2) == 1.0
    assert wp.utils.array_sum(m, value_count=0) == 0.0
    np.testing.assert_array_equal(wp.utils.array_sum(m, value_count=2, axis=0).numpy(), [[4, 6, 8, 10]])
    np.testing.assert_array_equal(wp.utils.array_sum(m, value_count=2, axis=1).numpy(), [[1], [9], [17]])
    assert wp.utils.array_inner(m, m, count=3) == 5.0


def test_sums_read_any_layout():
    m = np.arange(12, dtype=np.float32).reshape(3, 4)
    a = wp.array(m)
    assert wp.utils.array_sum(a.transpose()[1]) == m.T[1].sum()
    np.testing.assert_array_equal(wp.utils.array_sum(a.transpose(), axis=0).numpy(), m.T.sum(0, keepdims=True))
    x = wp.array(np.arange(10.0, dtype=np.float32))
    assert wp.utils.array_sum(x[::2]) == 20.0
    out = wp.full(4, 9.0, dtype=float)
    wp.utils.array_sum(x, out=out[1:2])
    np.testing.assert_array_equal(out.numpy(), [9, 45, 9, 9])
    # The result may lie in what is summed.
    wp.utils.array_sum(x, out=x[:1])
    assert x.numpy()[0] == 45.0


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_do_not_depend_on_threads(threads):
    x = np.random.default_rng(3).random(400_000).astype(np.float32) - 0.5
    a = wp.array(x)
    before = wp.config.cpu_threads
    try:
        wp.config.cpu_threads = threads
        total, running = wp.utils.array_sum(a), wp.zeros_like(a)
        wp.utils.array_scan(a, running)
        wp.config.cpu_threads = 3
        again = wp.zeros_like(a)
        wp.utils.array_scan(a, again)
        assert wp.utils.array_sum(a) == total
        assert running.numpy().tobytes() == again.numpy().tobytes()
    finally:
        wp.config.cpu_threads = before


def test_what_sums_refuse():
    x, m = wp.zeros(3, dtype=float), wp.zeros((2, 3), dtype=float)
    both = (ValueError, RuntimeError)
    for error in both:
        with pytest.raises(error, match=r"out has shape \[2\]; it must have shape \[1\]"):
            wp.utils.array_sum(x, out=wp.zeros(2, dtype=float))
    with pytest.raises(ValueError, match=r"out has shape \[3\]; it must have shape \[1, 3\]"):
        wp.utils.array_sum(m, out=x, axis=0)
    for error in (TypeError, RuntimeError):
        with pytest.raises(error, match="out is an array of float64; it must be one of float32"):
            wp.utils.array_sum(x, out=wp.zeros(1, dtype=wp.float64))
    with pytest.raises(TypeError, match="values is an array of bool"):
        wp.utils.array_sum(wp.zeros(3, dtype=wp.bool))
    with pytest.raises(IndexError, match="axis 2 is out of range for an array with 2 dimensions"):
        wp.utils.array_sum(m, axis=2)
    with pytest.raises(ValueError, match="value_count is 4; it must be from 0 to 3"):
        wp.utils.array_sum(x, value_count=4)
    with pytest.raises(ValueError, match="count is -1"):
        wp.utils.array_inner(x, x, count=-1)
    with pytest.raises(TypeError, match="b is an array of float64"):
        wp.utils.array_inner(x, wp.zeros(3, dtype=wp.float64))
    with pytest.raises(ValueError, match=r"a has shape \[3\] and b has shape \[4\]"):
        wp.utils.array_inner(x, wp.zeros(4, dtype=float))
    with pytest.raises(TypeError):
        wp.utils.array_sum(np.zeros(3, np.float32))
    read_only = np.zeros(1, np.float32)
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        wp.utils.array_sum(x, out=wp.array(read_only, copy=False))


# Running sums.


@pytest.mark.parametrize("dtype", INTS + FLOATS, ids=lambda t: t.__name__)
@pytest.mark.parametrize("n", [0, 1, 7, 300])
def test_scan_of_every_number_type(dtype, n):
    x = sample(dtype, n)
    a, out = wp.array(x, dtype=dtype), wp.zeros(n, dtype=dtype)
    want = np.cumsum(x, dtype=x.dtype)
    wp.utils.array_scan(a, out)
    np.testing.assert_array_equal(out.numpy(), want)
    wp.utils.array_scan(a, out, inclusive=False)
    np.testing.assert_array_equal(out.numpy(), want - x)
    wp.utils.array_scan(a, a)
    np.testing.assert_array_equal(a.numpy(), want)


def test_scan_of_long_arrays_and_vectors():
    x = RANDOM.integers(-9, 9, 2_500_003).astype(np.int32)
    out = wp.zeros(len(x), dtype=int)
    wp.utils.array_scan(wp.array(x), out, inclusive=False)
    np.testing.assert_array_equal(out.numpy(), np.cumsum(x, dtype=np.int32) - x)
    v = RANDOM.integers(0, 9, (70_000, 3)).astype(np.float64)
    out = wp.zeros(len(v), dtype=wp.vec3d)
    wp.utils.array_scan(wp.array(v, dtype=wp.vec3d), out)
    np.testing.assert_array_equal(out.numpy(), np.cumsum(v, axis=0))


def test_scan_reads_any_layout():
    x = wp.array(np.arange(6, dtype=np.int32))
    wp.utils.array_scan(x[::2], x[1::2])
    np.testing.assert_array_equal(x.numpy(), [0, 0, 2, 2, 4, 6])
    m, out = wp.ones((2, 3), dtype=int), wp.zeros((3, 2), dtype=int)
    wp.utils.array_scan(m, out.transpose())
    np.testing.assert_array_equal(out.numpy(), [[1, 4], [2, 5], [3, 6]])
    x = wp.ones(5, dtype=int)
    wp.utils.array_scan(x[:4], x[1:])
    np.testing.assert_array_equal(x.numpy(), [1, 1, 2, 3, 4])


def test_what_scans_refuse():
    for error in (ValueError, RuntimeError):
        with pytest.raises(error, match="in_array has 3 elements and out_array has 4"):
            wp.utils.array_scan(wp.zeros(3, dtype=int), wp.zeros(4, dtype=int))
    with pytest.raises(TypeError, match="out_array is an array of float32; it must be one of int32"):
        wp.utils.array_scan(wp.zeros(3, dtype=int), wp.zeros(3, dtype=float))


# Sorts.


@pytest.mark.parametrize("dtype", INTS + FLOATS + [wp.bfloat16], ids=lambda t: t.__name__)
@pytest.mark.parametrize("value_type", [wp.int8, wp.vec2h, wp.float32, wp.int64, wp.vec3, wp.mat22, wp.vec4d])
def test_sort_is_stable_for_every_key_and_value(dtype, value_type):
    n = 700
    numbers = RANDOM.integers(-60, 60, n)
    if dtype in INTS and dtype.__name__.startswith("u"):
        numbers += 60
    if dtype is wp.bfloat16:
        keys = wp.array([float(v) for v in numbers] * 2, dtype=dtype)
    else:
        keys = wp.array(np.tile(numbers, 2).astype(numpy_of(dtype)), dtype=dtype)
    room = wp.zeros(2 * n, dtype=value_type).numpy()
    room += RANDOM.integers(0, 100, room.shape).astype(room.dtype)
    values = wp.array(room, dtype=value_type)
    order = np.argsort(numbers, kind="stable")
    wp.utils.radix_sort_pairs(keys, values, n)
    found = keys.list()[:n] if dtype is wp.bfloat16 else keys.numpy()[:n]
    np.testing.assert_array_equal(np.array(found, dtype=float), numbers[order])
    np.testing.assert_array_equal(values.numpy()[:n], room[:n][order])


@pytest.mark.parametrize("n", [0, 1, 2, 3, 65_536, 500_000])
def test_sorts_of_every_length(n):
    for x in (RANDOM.integers(-(1 << 62), 1 << 62, n), RANDOM.normal(size=n).astype(np.float32)):
        keys = wp.array(np.concatenate([x, np.zeros_like(x)]))
        values = wp.array(np.arange(2 * n, dtype=np.int32))
        wp.utils.radix_sort_pairs(keys, values, n)
        order = np.argsort(x, kind="stable")
        np.testing.assert_array_equal(values.numpy()[:n], order)
        np.testing.assert_array_equal(keys.numpy()[:n], x[order])


def test_sort_by_some_bits():
    keys = np.array([0x13, 0x21, 0x02, 0x31, 0, 0, 0, 0], np.int32)
    for bits, order in [((0, 4), [1, 3, 2, 0]), ((4, 8), [2, 0, 1, 3]), ((4, 4), [0, 1, 2, 3])]:
        values = wp.array(np.arange(8, dtype=np.int32))
        wp.utils.radix_sort_pairs(wp.array(keys), values, 4, *bits)
        assert values.numpy()[:4].tolist() == order
    # Without the sign's bit, negative numbers follow.
    keys = wp.array(np.array([3, -1, 2, -5, 0, 0, 0, 0], np.int32))
    wp.utils.radix_sort_pairs(keys, wp.zeros(8, dtype=int), 4, end_bit=31)
    assert keys.numpy()[:4].tolist() == [2, 3, -5, -1]


def test_sort_orders_floats_by_sign_and_size():
    x = np.array([3, np.nan, np.copysign(np.nan, -1), -5, np.inf, -np.inf, 0.0, -0.0], np.float32)
    keys, values = wp.array(np.tile(x, 2)), wp.array(np.arange(16, dtype=np.int32))
    wp.utils.radix_sort_pairs(keys, values, 8)
    assert values.numpy()[:8].tolist() == [2, 5, 3, 7, 6, 0, 4, 1]


def test_sorts_write_any_layout():
    base, values = np.zeros((2, 12), np.int32), np.zeros(12, np.int32)
    base[0, :6] = [3, 1, 2, 5, 0, 4]
    keys = wp.array(base, copy=False).transpose()[:, 0]
    values[:6] = np.arange(6)
    wp.utils.radix_sort_pairs(keys, wp.array(values, copy=False), 6)
    assert base[0, :6].tolist() == [0, 1, 2, 3, 4, 5]
    assert values[:6].tolist() == [4, 1, 2, 0, 5, 3]
    assert not base[1].any()


@pytest.mark.parametrize("dtype", [wp.int32, wp.float32, wp.uint8, wp.int64, wp.float64], ids=lambda t: t.__name__)
@pytest.mark.parametrize("ends", [False, True])
def test_segmented_sort(dtype, ends):
    n = 20_000
    x = RANDOM.integers(0, 200, n).astype(numpy_of(dtype))
    bounds = np.array([0, 0, 5, 60, 61, 4000, 19_000, n], np.int32)
    starts, stops = bounds[:-1], bounds[1:].copy()
    if ends:
        stops[2] = 50
    keys = wp.array(np.concatenate([x, x]))
    values = wp.array(np.arange(2 * n, dtype=np.int32))
    arguments = [wp.array(starts), wp.array(stops)] if ends else [wp.array(bounds)]
    wp.utils.segmented_sort_pairs(keys, values, n, *arguments)
    want = np.arange(n)
    for start, stop in zip(starts, stops, strict=True):
        want[start:stop] = start + np.argsort(x[start:stop], kind="stable")
    np.testing.assert_array_equal(values.numpy()[:n], want)
    np.testing.assert_array_equal(keys.numpy()[:n], x[want])


def test_what_sorts_refuse():
    keys, values = wp.zeros(6, dtype=int), wp.zeros(6, dtype=int)
    starts = wp.array([0, 3], dtype=int)
    sort, segmented = wp.utils.radix_sort_pairs, wp.utils.segmented_sort_pairs
    for error in (ValueError, RuntimeError):
        with pytest.raises(error, match=r"keys has 6 elements; it must have room for 2 \* count = 8"):
            sort(keys, values, 4)
    with pytest.raises(ValueError, match="values has 5 elements"):
        sort(keys, values[:5], 3)
    with pytest.raises(ValueError, match=r"bits are \[0, 33\); of keys of int32"):
        sort(keys, values, 3, 0, 33)
    with pytest.raises(ValueError, match=r"bits are \[8, 4\)"):
        sort(keys, values, 3, 8, 4)
    with pytest.raises(ValueError, match="count is -1"):
        sort(keys, values, -1)
    with pytest.raises(ValueError, match="share memory"):
        sort(keys, keys, 3)
    for error in (TypeError, RuntimeError):
        with pytest.raises(error, match=r"keys is an array of vec\(2, float32\); it must be one of numbers"):
            sort(wp.zeros(6, dtype=wp.vec2), values, 3)
    with pytest.raises(TypeError, match="segment_start_indices is an array of int64; it must be one of int32"):
        segmented(keys, values, 3, wp.zeros(2, dtype=wp.int64))
    with pytest.raises(ValueError, match="segment_start_indices has 2 elements and segment_end_indices has 1"):
        segmented(keys, values, 3, starts, wp.zeros(1, dtype=int))
    with pytest.raises(ValueError, match=r"segment 1 is \[3, 9\), which is not within the 3 pairs"):
        segmented(keys, values, 3, wp.array([0, 3, 9], dtype=int))
    with pytest.raises(ValueError, match=r"segment 0 is \[2, 1\)"):
        segmented(keys, values, 3, wp.array([2, 1], dtype=int))
    with pytest.raises(TypeError, match="12 bytes each"):
        segmented(keys, wp.zeros(6, dtype=wp.vec3), 3, starts)


# Runs.


@pytest.mark.parametrize("dtype", INTS + FLOATS, ids=lambda t: t.__name__)
@pytest.mark.parametrize("n", [0, 1, 64, 65, 1000, 40_000])
def test_runs(dtype, n):
    x = np.repeat(RANDOM.integers(0, 3, n), RANDOM.integers(1, 5, n))[:n].astype(numpy_of(dtype))
    values = wp.array(x, dtype=dtype)
    run_values, run_lengths = wp.zeros(n, dtype=dtype), wp.zeros(n, dtype=int)
    count = wp.utils.runlength_encode(values, run_values, run_lengths)
    begins = np.flatnonzero(np.concatenate([[True], x[1:] != x[:-1]])) if n else np.zeros(0, int)
    assert type(count) is int
    assert count == len(begins)
    np.testing.assert_array_equal(run_values.numpy()[:count], x[begins])
    np.testing.assert_array_equal(run_lengths.numpy()[:count], np.diff(np.append(begins, n)))
    assert not run_lengths.numpy()[count:].any()


def test_runs_counted_into_an_array_and_of_the_first_values():
    values = wp.array([1, 1, 2, 3, 3, 3], dtype=int)
    run_values, run_lengths, run_count = wp.zeros(4, dtype=int), wp.zeros(4, dtype=int), wp.zeros(2, dtype=int)
    found = wp.utils.runlength_encode(values, run_values, run_lengths, run_count, value_count=4)
    assert found is run_count
    assert run_count.numpy().tolist() == [3, 0]
    assert run_lengths.numpy().tolist() == [2, 1, 1, 0]
    # In place, and with gaps.
    lengths = wp.zeros(12, dtype=int)
    assert wp.utils.runlength_encode(values, values, lengths[::2]) == 3
    assert values.numpy()[:3].tolist() == [1, 2, 3]
    assert lengths.numpy()[:6].tolist() == [2, 0, 1, 0, 3, 0]


def test_what_runs_refuse():
    x, room = wp.zeros(6, dtype=int), wp.zeros(6, dtype=int)
    encode = wp.utils.runlength_encode
    with pytest.raises(RuntimeError, match="run_values has 2 elements; it must have 6 or more"):
        encode(x, wp.zeros(2, dtype=int), room)
    with pytest.raises(RuntimeError, match="run_values is an array of int64; it must be one of int32"):
        encode(x, wp.zeros(6, dtype=wp.int64), room)
    with pytest.raises(TypeError, match="run_count is an array of float32"):
        encode(x, wp.zeros(6, dtype=int), room, wp.zeros(1, dtype=float))
    with pytest.raises(ValueError, match="run_values and run_lengths share memory"):
        encode(x, room, room)
    with pytest.raises(ValueError, match="value_count is 7"):
        encode(x, wp.zeros(7, dtype=int), wp.zeros(7, dtype=int), None, 7)


# Casts.


@pytest.mark.parametrize("source", [wp.bool, *INTS, *FLOATS], ids=lambda t: t.__name__)
@pytest.mark.parametrize("target", [wp.bool, *INTS, *FLOATS], ids=lambda t: t.__name__)
def test_casts_between_all_types(source, target):
    x = np.array([0, 1, 2, 100], numpy_of(source))
    out = wp.zeros(4, dtype=target)
    wp.utils.array_cast(wp.array(x, dtype=source), out)
    np.testing.assert_array_equal(out.numpy(), x.astype(numpy_of(target)))


def test_casts_agree_with_kernels():
    @wp.kernel
    def convert(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.int32), z: wp.array(dtype=wp.float16)):
        i = wp.tid()
        y[i] = wp.int32(x[i])
        z[i] = wp.float16(x[i])

    x = wp.array([1.9, -2.7, 3e10, -3e10, float("nan"), 70000.0, 1e-7], dtype=wp.float64)
    y, z = wp.zeros(7, dtype=wp.int32), wp.zeros(7, dtype=wp.float16)
    wp.launch(convert, 7, [x, y, z])
    a, b = wp.zeros_like(y), wp.zeros_like(z)
    wp.utils.array_cast(x, a)
    wp.utils.array_cast(x, b)
    np.testing.assert_array_equal(a.numpy(), y.numpy())
    np.testing.assert_array_equal(b.numpy(), z.numpy())


def test_casts_of_shapes():
    m = np.arange(6, dtype=np.float32).reshape(3, 2)
    a = wp.array(m)
    flat, vectors, doubles = wp.zeros(6, dtype=int), wp.zeros(3, dtype=wp.vec2d), wp.zeros((3, 2), dtype=wp.float64)
    wp.utils.array_cast(a, flat)
    wp.utils.array_cast(a, vectors)
    wp.utils.array_cast(a.transpose().contiguous().transpose(), doubles)
    assert flat.numpy().tolist() == [0, 1, 2, 3, 4, 5]
    np.testing.assert_array_equal(vectors.numpy(), m)
    np.testing.assert_array_equal(doubles.numpy(), m)
    longer = wp.full(4, 7, dtype=int)
    wp.utils.array_cast(wp.array([1.5, -2.5], dtype=float), longer)
    assert longer.numpy().tolist() == [1, -2, 7, 7]
    wp.utils.array_cast(wp.array([3.0, 4.0], dtype=float), longer, 1)
    assert longer.numpy().tolist() == [3, -2, 7, 7]


def test_what_casts_refuse():
    for error in (ValueError, RuntimeError):
        with pytest.raises(error, match=r"in_array has shape \[3, 3\], out_array has \[2, 2\]"):
            wp.utils.array_cast(wp.ones((3, 3), dtype=float), wp.zeros((2, 2), dtype=int))
    with pytest.raises(ValueError, match="holds 5 numbers, out_array has room for 2"):
        wp.utils.array_cast(wp.ones(5, dtype=float), wp.zeros(2, dtype=int))
    with pytest.raises(ValueError, match="count is 5"):
        wp.utils.array_cast(wp.ones(2, dtype=float), wp.zeros(2, dtype=int), 5)
    with pytest.raises(ValueError, match="count needs arrays with one dimension"):
        wp.utils.array_cast(wp.ones((2, 2), dtype=float), wp.zeros((2, 2), dtype=int), 1)


def test_gradients_pass_through_casts():
    x = wp.array([1.0, 2.0, 3.0], dtype=float, requires_grad=True)
    y = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    v = wp.zeros(1, dtype=wp.vec3d, requires_grad=True)
    with wp.Tape() as tape:
        wp.utils.array_cast(x, y)
        wp.utils.array_cast(y, v)
    assert v.numpy().tolist() == [[1, 2, 3]]
    tape.backward(grads={v: wp.array([[5, 6, 7]], dtype=wp.vec3d)})
    assert x.grad.numpy().tolist() == [5, 6, 7]


def test_a_tape_keeps_what_is_overwritten():
    @wp.kernel
    def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] * x[i]

    x = wp.array([3.0, 1.0, 2.0, 0.0, 0.0, 0.0], dtype=float, requires_grad=True)
    y = wp.zeros(6, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(square, 6, [x], [y])
    wp.utils.radix_sort_pairs(x, wp.zeros(6, dtype=int), 3)
    assert x.numpy()[:3].tolist() == [1, 2, 3]
    tape.backward(grads={y: wp.ones(6, dtype=float)})
    assert x.grad.numpy()[:3].tolist() == [6, 2, 4]


def test_functions_made_of_python_functions():
    def plus(x: float, y: float):
        return x + y

    function, module = wp.utils.create_warp_function(plus)
    assert isinstance(function, wp.Function)
    assert module is wp.get_module(__name__)
    assert wp.utils.create_warp_function(function) == (function, module)

    @wp.kernel
    def add(x: wp.array(dtype=float)):
        x[0] = function(x[0], 2.0)

    x = wp.ones(1, dtype=float)
    wp.launch(add, 1, [x])
    assert x.numpy()[0] == 3.0
    for wrong in (3, wp.sin):
        with pytest.raises(TypeError, match="expected a Python function"):
            wp.utils.create_warp_function(wrong)


def test_functions_made_of_lambdas():
    scale = 3.0
    function, module = wp.utils.create_warp_function(
        lambda x, y: (
            x * y  # over lines
            + wp.abs(scale)
        )
    )  # fmt: skip
    assert module is wp.get_module(__name__)
    assert function(2.0, 4.0) == 11.0

    @wp.kernel
    def apply(x: wp.array(dtype=float)):
        x[0] = function(x[0], 2.0)

    x = wp.ones(1, dtype=float)
    wp.launch(apply, 1, [x])
    assert x.numpy()[0] == 5.0
