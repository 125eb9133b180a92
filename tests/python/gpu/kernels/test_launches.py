"""Launches on a GPU: grids, structs, atomics, local arrays, printing, faults."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

from gpu.support.kernels import beyond, double, number, total

GPU = "cuda:0"


@wp.kernel
def where1(out: wp.array(dtype=int)):
    i = wp.tid()
    out[i] = i


@wp.kernel
def where2(out: wp.array2d(dtype=int)):
    i, j = wp.tid()
    out[i, j] = 100 * i + j


@wp.kernel
def where3(out: wp.array3d(dtype=int)):
    i, j, k = wp.tid()
    out[i, j, k] = 10000 * i + 100 * j + k


@wp.kernel
def where4(out: wp.array4d(dtype=int)):
    i, j, k, n = wp.tid()
    out[i, j, k, n] = 1000000 * i + 10000 * j + 100 * k + n


@pytest.mark.parametrize(
    ("kernel", "shape"),
    [(where1, (1000,)), (where2, (17, 33)), (where3, (5, 7, 9)), (where4, (3, 5, 2, 7))],
    ids=["1", "2", "3", "4"],
)
@pytest.mark.parametrize(
    "grid", [{}, {"block_dim": 32}, {"block_dim": 1024}, {"max_blocks": 1}, {"block_dim": 64, "max_blocks": 2}], ids=str
)
def test_every_thread_runs_once(kernel, shape, grid):
    out = wp.full(shape, -1, dtype=int, device=GPU)
    wp.launch(kernel, dim=shape, inputs=[out], device=GPU, **grid)
    indices = np.indices(shape)
    weights = [100**n for n in reversed(range(len(shape)))]
    expected = sum(w * i for w, i in zip(weights, indices, strict=True))
    np.testing.assert_array_equal(out.numpy(), expected)


@wp.kernel
def rows(x: wp.array2d(dtype=float), sums: wp.array(dtype=float), widths: wp.array2d(dtype=int)):
    i, j = wp.tid()
    part = float(0.0)
    for k in range(j, x.shape[1], wp.block_dim()):
        part += x[i, k]
    wp.atomic_add(sums, i, part)
    widths[i, j] = wp.block_dim()


@pytest.mark.parametrize("threads", [1, 8, 96, 1024])
def test_tiles(threads):
    x = np.arange(3 * 50, dtype=np.float32).reshape(3, 50)
    sums, widths = wp.zeros(3, dtype=float, device=GPU), wp.zeros((3, threads), dtype=int, device=GPU)
    inputs = [wp.array(x, device=GPU), sums, widths]
    wp.launch_tiled(rows, dim=3, inputs=inputs, block_dim=threads, device=GPU)
    np.testing.assert_array_equal(sums.numpy(), x.sum(axis=1))
    np.testing.assert_array_equal(widths.numpy(), np.full((3, threads), threads))
    wp.launch_tiled(rows, dim=[3], inputs=inputs, block_dim=threads, stream=wp.Stream(GPU))
    wp.synchronize()
    np.testing.assert_array_equal(sums.numpy(), 2 * x.sum(axis=1))
    # The module's, where the launch names none.
    wp.launch(rows, dim=(3, 1), inputs=inputs, device=GPU)
    assert widths.numpy()[:, 0].tolist() == [256] * 3
    for wrong in (0, 2000, 1.5, "8"):
        with pytest.raises((TypeError, ValueError), match="block_dim"):
            wp.launch_tiled(rows, dim=3, inputs=inputs, block_dim=wrong, device=GPU)


def test_no_threads():
    a = wp.zeros(3, dtype=float, device=GPU)
    for dim in (0, (0, 5), (5, 0)):
        wp.launch(where1 if dim == 0 else where2, dim=dim, inputs=[wp.zeros(dim, dtype=int, device=GPU)], device=GPU)
    wp.launch(double, dim=0, inputs=[a], device=GPU)
    assert a.list() == [0.0] * 3


def test_more_threads_than_a_grid_has():
    count = 3000
    x = wp.full(count, 1.0, dtype=float, device=GPU)
    wp.launch(double, dim=count, inputs=[x], device=GPU, max_blocks=1, block_dim=32)
    assert x.numpy().tolist() == [2.0] * count


@wp.struct
class Inner:
    offset: wp.vec2
    count: int


@wp.struct
class Outer:
    data: wp.array(dtype=float)
    inner: Inner
    flag: bool
    scale: wp.float64


@wp.kernel
def structured(s: Outer, out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    if s.flag and i < s.inner.count:
        out[i] = s.scale * wp.float64(s.data[i] + s.inner.offset[1])


def test_structs():
    results = []
    for device in (GPU, "cpu"):
        s = Outer()
        s.data = wp.array(np.arange(8), dtype=float, device=device)
        s.inner.offset, s.inner.count = wp.vec2(1.0, 2.5), 6
        s.flag, s.scale = True, 0.1
        out = wp.zeros(8, dtype=wp.float64, device=device)
        wp.launch(structured, dim=8, inputs=[s, out], device=device)
        results.append(out.numpy().tolist())
    assert results[0] == results[1]
    assert results[0][5] == pytest.approx(0.75)


@wp.kernel
def atomics(
    i32: wp.array(dtype=wp.int32),
    u64: wp.array(dtype=wp.uint64),
    f32: wp.array(dtype=wp.float32),
    f64: wp.array(dtype=wp.float64),
    vectors: wp.array(dtype=wp.vec3),
):
    t = wp.tid()
    wp.atomic_add(i32, 0, t)
    wp.atomic_sub(i32, 1, t)
    wp.atomic_min(i32, 2, 5 - t)
    wp.atomic_max(i32, 3, t)
    wp.atomic_add(i32, 4 + t % 4, 1)
    wp.atomic_or(i32, 8, 1 << (t % 8))
    wp.atomic_and(i32, 9, ~(1 << (t % 8)))
    wp.atomic_xor(i32, 10, t)
    wp.atomic_add(u64, 0, wp.uint64(t) * wp.uint64(1000000007))
    wp.atomic_max(u64, 1, wp.uint64(t))
    wp.atomic_add(f32, 0, 0.5 * float(t))
    wp.atomic_min(f32, 1, -float(t))
    wp.atomic_max(f32, 2, float(t))
    wp.atomic_add(f64, 0, wp.float64(t))
    wp.atomic_min(f64, 1, wp.float64(3 - t))
    wp.atomic_max(f64, 2, wp.float64(t))
    wp.atomic_add(vectors, t % 2, wp.vec3(1.0, float(t), -1.0))


def test_atomics_of_all_kinds():
    results = []
    for device in (GPU, "cpu"):
        i32 = wp.zeros(11, dtype=wp.int32, device=device)
        i32[9] = 255
        others = [wp.zeros(3, dtype=d, device=device) for d in (wp.uint64, wp.float32, wp.float64, wp.vec3)]
        wp.launch(atomics, dim=200, inputs=[i32, *others], device=device)
        results.append([a.numpy().tolist() for a in (i32, *others)])
    # Sums of small whole and half numbers are exact in any order.
    assert results[0] == results[1]
    assert results[0][0][0] == 199 * 100


@wp.kernel
def locked(turns: wp.array(dtype=int), taken: wp.array(dtype=int), last: wp.array(dtype=int)):
    t = wp.tid()
    before = wp.atomic_cas(turns, 0, 0, t + 1)
    if before == 0:
        wp.atomic_add(taken, 0, 1)
    old = wp.atomic_exch(last, 0, t + 1)
    wp.atomic_add(taken, 1, old)


def test_cas_and_exchange():
    turns, last = (wp.zeros(1, dtype=int, device=GPU) for _ in range(2))
    taken = wp.zeros(2, dtype=int, device=GPU)
    wp.launch(locked, dim=100, inputs=[turns, taken, last], device=GPU)
    assert 1 <= turns.numpy()[0] <= 100
    assert taken.numpy()[0] == 1
    # Every value was handed on but the one that stayed.
    assert taken.numpy()[1] + last.numpy()[0] == 5050


@wp.kernel
def bins(x: wp.array(dtype=int), out: wp.array(dtype=int)):
    counts = wp.zeros(shape=(8,), dtype=int)
    t = wp.tid()
    for n in range(x.shape[0]):
        counts[(x[n] + t) % 8] += 1
    for b in range(8):
        out[8 * t + b] = counts[b]


def test_local_arrays():
    given = np.random.default_rng(3).integers(0, 50, 40).astype(np.int32)
    results = []
    for device in (GPU, "cpu"):
        out = wp.zeros(8 * 20, dtype=int, device=device)
        wp.launch(bins, dim=20, inputs=[wp.array(given, dtype=int, device=device), out], device=device)
        results.append(out.numpy().tolist())
    assert results[0] == results[1]


@wp.kernel
def shout(x: wp.array(dtype=wp.vec2)):
    i = wp.tid()
    wp.printf("thread %d has %.2f\n", i, x[i][1])
    print(x[i])


def test_printing(capfd):
    x = wp.array([[0, 1], [2, 3]], dtype=wp.vec2, device=GPU)
    wp.launch(shout, dim=2, inputs=[x], device=GPU)
    wp.synchronize()
    lines = capfd.readouterr().out.splitlines()
    assert {"thread 0 has 1.00", "thread 1 has 3.00"} < set(lines)
    assert len(lines) == 4


def test_a_fault_is_raised_at_the_next_wait():
    x = wp.zeros(3, dtype=float, device=GPU)
    for wait in (wp.synchronize, x.numpy, x.list, lambda: wp.synchronize_stream(GPU), lambda: wp.copy(x.to("cpu"), x)):
        wp.launch(beyond, dim=3, inputs=[x, 2], device=GPU)
        with pytest.raises(IndexError, match=r"kernel 'beyond': index [34] is out of range") as raised:
            wait()
        assert "kernels.py" in str(raised.value)
        assert "x[i + by] = 1.0" in str(raised.value)
        wp.synchronize()
        wp.launch(number, dim=3, inputs=[x], device=GPU)
        assert x.list() == [0.0, 1.0, 2.0], "what comes after works"


@wp.kernel
def gathers(x: wp.array(dtype=float), at: wp.array(dtype=int), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = x[at[i]]


@pytest.mark.parametrize("form", ["thread", "sum", "row", "column", "gather", "empty"])
def test_one_past_the_end_is_refused(form):
    """The nearest index that is wrong, for each way in which an index is found to be right."""
    x, ints = wp.zeros(3, dtype=float, device=GPU), wp.zeros((3, 4), dtype=int, device=GPU)
    kernel, dim, inputs, size = {
        "thread": (number, 4, [x], 3),
        "sum": (beyond, 3, [x, 1], 3),
        "row": (where2, (4, 4), [ints], 3),
        "column": (where2, (3, 5), [ints], 4),
        "gather": (gathers, 1, [x, wp.array([3], dtype=int, device=GPU), wp.zeros(1, dtype=float, device=GPU)], 3),
        "empty": (number, 1, [wp.zeros(0, dtype=float, device=GPU)], 0),
    }[form]
    wp.launch(kernel, dim=dim, inputs=inputs, device=GPU)
    with pytest.raises(IndexError, match=f"index {size} is out of range for a dimension of size {size}"):
        wp.synchronize()


def test_the_first_of_several_faults_is_raised_once():
    x = wp.zeros(3, dtype=float, device=GPU)
    for by in (100, 200, 300):
        wp.launch(beyond, dim=1, inputs=[x, by], device=GPU)
    with pytest.raises(IndexError, match="index 100 is out of range"):
        wp.synchronize()
    wp.synchronize()
    assert x.list() == [0.0] * 3


def test_negative_indices_count_from_the_end_or_fail():
    x = wp.zeros(3, dtype=float, device=GPU)
    wp.launch(beyond, dim=1, inputs=[x, -4], device=GPU)
    with pytest.raises(IndexError):
        wp.synchronize()


@pytest.fixture
def debug():
    before = wp.config.mode
    wp.config.mode = "debug"
    yield
    wp.config.mode = before


def test_division_by_zero_in_debug_mode(debug):
    @wp.kernel
    def divide(x: wp.array(dtype=int), by: int):
        i = wp.tid()
        x[i] = x[i] // by

    x = wp.array([6, 8], dtype=int, device=GPU)
    wp.launch(divide, dim=2, inputs=[x, 0], device=GPU)
    with pytest.raises(ZeroDivisionError, match="kernel 'divide': integer division by zero"):
        wp.synchronize()
    x.fill_(6)
    wp.launch(divide, dim=2, inputs=[x, 2], device=GPU)
    assert x.list() == [3, 3]


def test_assertions_in_debug_mode(debug):
    @wp.kernel
    def claim(x: wp.array(dtype=int)):
        i = wp.tid()
        assert x[i] > 0, "positive"

    wp.launch(claim, dim=2, inputs=[wp.array([1, 0], dtype=int, device=GPU)], device=GPU)
    with pytest.raises(AssertionError, match="kernel 'claim'"):
        wp.synchronize()


def test_recorded_launches():
    x, y = wp.ones(3, dtype=float, device=GPU), wp.full(3, 5.0, dtype=float, device=GPU)
    command = wp.launch(double, dim=3, inputs=[x], device=GPU, record_cmd=True)
    assert x.list() == [1.0] * 3
    command.launch()
    command.launch()
    assert x.list() == [4.0] * 3
    command.set_param_at_index(0, y)
    command.launch()
    assert y.list() == [10.0] * 3
    command.set_dim(1)
    command.launch()
    assert y.list() == [20.0, 10.0, 10.0]


def test_a_kernel_with_many_registers_gets_blocks_that_fit():
    @wp.kernel
    def large(a: wp.array(dtype=wp.mat44d), b: wp.array(dtype=wp.mat44d)):
        i = wp.tid()
        b[i] = wp.inverse(a[i]) @ a[i] @ wp.transpose(a[i])

    given = np.random.default_rng(2).standard_normal((4, 4, 4))
    out = wp.zeros(4, dtype=wp.mat44d, device=GPU)
    wp.launch(large, dim=4, inputs=[wp.array(given, dtype=wp.mat44d, device=GPU), out], device=GPU, block_dim=1024)
    np.testing.assert_allclose(out.numpy(), given.transpose(0, 2, 1), atol=1e-10)


def test_arguments_of_another_device_are_refused_before_anything_ran():
    x = wp.ones(3, dtype=float, device=GPU)
    with pytest.raises(ValueError, match=r"'total'.*argument 'out'.*\"cpu\", the launch runs on \"cuda:0\""):
        wp.launch(total, dim=3, inputs=[x, wp.zeros(1, dtype=float, device="cpu")], device=GPU)
    with pytest.raises(ValueError, match=r"'double'.*argument 'x'.*\"cuda:0\", the launch runs on \"cpu\""):
        wp.launch(double, dim=3, inputs=[x], device="cpu")
    with pytest.raises(ValueError, match=r"'double'.*argument 'x': a numpy.ndarray"):
        wp.launch(double, dim=3, inputs=[np.zeros(3, np.float32)], device=GPU)
    assert x.list() == [1.0] * 3


def test_a_sum_of_one_address_by_all():
    x = wp.full(5000, 0.25, dtype=float, device=GPU)
    out = wp.zeros(1, dtype=float, device=GPU)
    wp.launch(total, dim=5000, inputs=[x, out], device=GPU)
    assert out.list() == [1250.0]
