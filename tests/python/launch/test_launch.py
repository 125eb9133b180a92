"""`wp.launch`: what it accepts, what it refuses and in which words, and that refusal comes first."""

from __future__ import annotations

import inspect
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import warp as wp


@wp.kernel
def saxpy(x: wp.array(dtype=float), y: wp.array(dtype=float), a: float):
    i = wp.tid()
    y[i] = a * x[i] + y[i]


@wp.kernel
def fill2d(out: wp.array2d(dtype=wp.int32), value: int):
    i, j = wp.tid()
    out[i, j] = value + 10 * i + j


@wp.kernel
def scale_vectors(v: wp.array(dtype=wp.vec3), m: wp.mat33, s: wp.vec3):
    i = wp.tid()
    v[i] = m * v[i] + s


@wp.kernel
def many(
    a: wp.int8, b: wp.uint8, c: wp.int16, d: wp.uint16, e: wp.uint32, f: wp.int64, g: wp.uint64,
    h: wp.float16, k: wp.float64, t: wp.bool, out: wp.array(dtype=wp.float64),
):  # fmt: skip
    out[0] = wp.float64(a)
    out[1] = wp.float64(b)
    out[2] = wp.float64(c)
    out[3] = wp.float64(d)
    out[4] = wp.float64(e)
    out[5] = wp.float64(f)
    out[6] = wp.float64(g)
    out[7] = wp.float64(h)
    out[8] = k
    if t:
        out[9] = wp.float64(1.0)


def arrays(n=5):
    return np.arange(n, dtype=np.float32), np.ones(n, dtype=np.float32)


def test_numpy_arrays_in_place():
    x, y = arrays()
    wp.launch(saxpy, dim=5, inputs=[x, y, 2.0], device="cpu")
    np.testing.assert_array_equal(y, 2 * x + 1)


def test_warp_arrays_outputs_and_keywords():
    x, y = wp.array([1.0, 2.0], dtype=float), wp.zeros(2)
    wp.launch(kernel=saxpy, dim=(2,), inputs=(x,), outputs=(y, 3), device=x.device)
    np.testing.assert_array_equal(y.numpy(), [3, 6])


def test_two_dimensions_and_numpy_integers():
    out = np.zeros((2, 3), dtype=np.int32)
    wp.launch(fill2d, dim=out.shape, inputs=[out, np.int64(100)])
    np.testing.assert_array_equal(out, [[100, 101, 102], [110, 111, 112]])
    wp.launch(fill2d, dim=[2, np.int32(3)], inputs=[out, 0])
    np.testing.assert_array_equal(out, [[0, 1, 2], [10, 11, 12]])


def test_strided_and_transposed_arrays():
    base = np.zeros((6, 8), dtype=np.int32)
    wp.launch(fill2d, dim=(4, 3), inputs=[base[::2, ::2].T, 0])
    want = np.zeros((6, 8), dtype=np.int32)
    want[::2, ::2] = np.add.outer(np.arange(3), 10 * np.arange(4))
    np.testing.assert_array_equal(base, want)


def test_inner_dimensions_become_vectors():
    v = np.arange(6, dtype=np.float32).reshape(2, 3)
    want = v * 2 + [1, 2, 3]
    wp.launch(scale_vectors, dim=2, inputs=[v, wp.mat33(2, 0, 0, 0, 2, 0, 0, 0, 2), (1, 2, 3)])
    np.testing.assert_allclose(v, want)


def test_values_of_every_type():
    out = np.zeros(10)
    values = [-128, 255, -32768, 65535, 2**32 - 1, -(2**63), 2**64 - 1, 0.5, 0.1, True]
    wp.launch(many, dim=1, inputs=[*values, out])
    np.testing.assert_array_equal(out, np.array(values, dtype=np.float64))


def test_nothing_to_do():
    x, y = arrays()
    wp.launch(saxpy, dim=0, inputs=[x, y, 2.0])
    np.testing.assert_array_equal(y, 1)
    wp.launch(fill2d, dim=(0, 7), inputs=[np.zeros((0, 7), np.int32), 1])


def test_large_launch_runs_every_thread():
    n = 3_000_017
    x, y = np.ones(n, np.float32), np.zeros(n, np.float32)
    for _ in range(3):
        wp.launch(saxpy, dim=n, inputs=[x, y, 1.0])
    assert (y == 3).all()


def refused(error, words, *args, kernel=saxpy, **kwargs):
    """The launch raises, names kernel and argument, and writes nothing."""
    written = [a for a in kwargs.get("inputs", []) if isinstance(a, np.ndarray)]
    before = [a.copy() for a in written]
    with pytest.raises(error) as caught:
        wp.launch(kernel, *args, **kwargs)
    for word in (kernel.__name__ if isinstance(kernel, wp.Kernel) else "kernel", *words):
        assert word in str(caught.value), str(caught.value)
    for array, old in zip(written, before, strict=True):
        np.testing.assert_array_equal(array, old)


ANY = (TypeError, ValueError, OverflowError, RuntimeError)


def test_wrong_dtype():
    x, y = arrays()
    refused(ANY, ["'x'", "float32", "float64"], dim=5, inputs=[x.astype(np.float64), y, 1.0])
    refused(ANY, ["'y'", "float32", "int32"], dim=5, inputs=[x, y.astype(np.int32), 1.0])
    refused(ANY, ["'x'", "float32"], dim=5, inputs=[wp.zeros(5, dtype=wp.int32), y, 1.0])


def test_wrong_ndim():
    x, y = arrays(4)
    refused(ANY, ["'x'", "1", "2"], dim=4, inputs=[x.reshape(2, 2), y, 1.0])
    refused(ANY, ["'out'"], kernel=fill2d, dim=(1, 1), inputs=[np.zeros(3, np.int32), 1])


def test_wrong_count():
    x, y = arrays()
    refused(TypeError, ["3", "2", "x, y, a"], dim=5, inputs=[x, y])
    refused(TypeError, ["3", "4"], dim=5, inputs=[x, y, 1.0], outputs=[y])


def test_none_and_other_objects():
    x, y = arrays()
    # None is an array without elements.
    with pytest.raises(IndexError, match="out of range for a dimension of size 0"):
        wp.launch(saxpy, dim=5, inputs=[None, y, 1.0])
    refused(ANY, ["'a'", "None"], dim=5, inputs=[x, y, None])
    refused(ANY, ["'x'", "str"], dim=5, inputs=["x", y, 1.0])
    refused(ANY, ["'a'"], dim=5, inputs=[x, y, "1.0"])
    refused(ANY, ["'a'"], dim=5, inputs=[x, y, x])
    refused(ANY, ["'x'"], dim=5, inputs=[1.0, y, 1.0])


def test_wrong_device():
    x, y = arrays()
    with pytest.raises(ANY, match="cuda:0"):
        wp.launch(saxpy, dim=5, inputs=[x, y, 1.0], device="cuda:0")
    with pytest.raises(ANY, match="nonsense"):
        wp.launch(saxpy, dim=5, inputs=[x, y, 1.0], device="nonsense")


def test_read_only():
    x, y = arrays()
    y.flags.writeable = False
    refused(ANY, ["'y'", "read-only"], dim=5, inputs=[x, y, 1.0])
    x.flags.writeable = False
    out = np.ones(5, dtype=np.float32)
    wp.launch(saxpy, dim=5, inputs=[x, out, 1.0])  # x is only read
    np.testing.assert_array_equal(out, x + 1)


def test_overflow():
    out = np.zeros((1, 1), dtype=np.int32)
    refused(ANY, ["'value'", "int32"], kernel=fill2d, dim=(1, 1), inputs=[out, 2**40])
    refused(ANY, ["'value'"], kernel=fill2d, dim=(1, 1), inputs=[out, 2**100])
    refused(ANY, ["'value'"], kernel=fill2d, dim=(1, 1), inputs=[out, 1.5])
    values = [128, 0, 0, 0, 0, 0, 0, 0.0, 0.0, False]
    refused(ANY, ["'a'", "int8"], kernel=many, dim=1, inputs=[*values, np.zeros(10)])


def test_wrong_dim():
    x, y = arrays()
    for dim in (-1, 2**40, 2**100, "5", 5.0, None, (), (1, 1, 1, 1, 1), (5, -1), (5, "1")):
        refused(ANY, ["dim"], dim=dim, inputs=[x, y, 1.0])


def test_not_a_kernel():
    with pytest.raises(TypeError, match="@wp.kernel"):
        wp.launch(lambda i: i, dim=1, inputs=[])
    with pytest.raises(TypeError, match="wp.launch"):
        saxpy()


def test_lists_for_inputs():
    x, y = arrays()
    refused(TypeError, ["inputs"], dim=5, inputs=x)


def test_byte_order_and_alignment():
    x, y = arrays()
    refused(ANY, ["'x'"], dim=5, inputs=[x.astype(">f4"), y, 1.0])
    raw = np.zeros(21, dtype=np.uint8)[1:].view(np.float32)
    refused(ANY, ["'x'"], dim=5, inputs=[raw, y, 1.0])


def test_recorded_launch():
    x, y = arrays()
    launch = wp.launch(saxpy, dim=5, inputs=[x, y, 1.0], record_cmd=True)
    np.testing.assert_array_equal(y, 1)
    launch.launch()
    launch.launch()
    np.testing.assert_array_equal(y, 2 * x + 1)
    launch.set_param_by_name("a", -2.0)
    launch.launch()
    np.testing.assert_array_equal(y, 1)
    launch.set_dim(2)
    launch.set_param_at_index(2, 100.0)
    launch.launch()
    np.testing.assert_array_equal(y, [1, 101, 1, 1, 1])
    other = np.zeros(5, dtype=np.float32)
    launch.set_params([x, other, 1.0])
    launch.launch()
    np.testing.assert_array_equal(other, [0, 1, 0, 0, 0])
    with pytest.raises(ANY, match="'a'"):
        launch.set_param_by_name("a", "no")
    with pytest.raises(TypeError, match="no parameter 'b'"):
        launch.set_param_by_name("b", 1)
    with pytest.raises(IndexError):
        launch.set_param_at_index(3, 1)
    launch.launch()
    np.testing.assert_array_equal(other, [0, 2, 0, 0, 0])


def test_index_checks(monkeypatch):
    monkeypatch.setattr(wp.config, "check_bounds", True)

    @wp.kernel
    def beyond(x: wp.array(dtype=float), k: int):
        x[wp.tid() + k] = 1.0

    x = np.zeros(4, dtype=np.float32)
    wp.launch(beyond, dim=4, inputs=[x, -4])
    with pytest.raises(IndexError, match=r"beyond.*4.*size 4(.|\n)*test_launch.py:\d+"):
        wp.launch(beyond, dim=4, inputs=[x, 1])


def test_division_by_zero_is_defined():
    @wp.kernel
    def divide(x: wp.array(dtype=int), y: wp.array(dtype=int)):
        i = wp.tid()
        x[i] = x[i] // y[i] + x[i] % y[i]

    x = np.array([7, -7, 7], dtype=np.int32)
    wp.launch(divide, dim=3, inputs=[x, np.array([0, 2, -2], dtype=np.int32)])
    np.testing.assert_array_equal(x, [0, -4 - 1, -4 + 1])


def test_long_launches_let_other_threads_run():
    @wp.kernel
    def spin(x: wp.array(dtype=float), rounds: int):
        v = float(0.5)
        for _k in range(rounds):
            v = wp.sin(v) + 0.1
        x[wp.tid()] = v

    x = np.zeros(64, dtype=np.float32)
    wp.launch(spin, dim=64, inputs=[x, 1000])
    counts, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counts[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = counts[0]
        wp.launch(spin, dim=64, inputs=[x, 2_000_000])
        assert counts[0] > before + 1000
    finally:
        stop.set()
        thread.join()


def test_many_threads_launch_and_compile_at_once():
    @wp.kernel
    def add(x: wp.array(dtype=float), v: float):
        i = wp.tid()
        x[i] = x[i] + v

    def work(seed: int) -> bool:
        x = np.zeros(100 + seed, dtype=np.float32)
        for _ in range(1000):
            wp.launch(add, dim=len(x), inputs=[x, 1.0])
        return bool((x == 1000).all())

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(work, range(16)))


@wp.func
def described(x: float):
    """What it gives back."""
    return x


@wp.kernel
def explained(x: wp.array(dtype=float)):
    """What it does."""
    i = wp.tid()
    x[i] = described(x[i])


def test_kernels_and_functions_answer_for_what_they_were_made_of():
    assert (explained.__doc__, described.__doc__) == ("What it does.", "What it gives back.")
    for made, name in ((explained, "explained"), (described, "described")):
        assert (made.__name__, made.key, made.__module__) == (name, name, __name__)
        assert made.__wrapped__ is made.func
        assert made.func.__name__ == name
        assert inspect.unwrap(made) is made.func


@wp.kernel
def crossed(u: wp.array(dtype=wp.vec2d), v: wp.array(dtype=wp.vec2d)):
    i = wp.tid()
    first = v[i][0]
    u[i][1] = wp.float64(5.0) + first
    second = v[i][1]
    u[i][0] = second * wp.float64(2.0)


@wp.kernel
def crossed_pairs(u: wp.array(dtype=float), v: wp.array(dtype=float)):
    i = wp.tid()
    first = v[2 * i]
    u[2 * i + 1] = 5.0 + first
    second = v[2 * i + 1]
    u[2 * i] = second * 2.0


@pytest.mark.parametrize("kernel", [crossed, crossed_pairs])
@pytest.mark.parametrize("shift", [0, 3])
def test_one_array_may_be_two_arguments(kernel, shift):
    """A thread reads what it wrote through the other name, also where threads run in vectors."""
    n = 64
    dtype = np.float64 if kernel is crossed else np.float32
    memory = np.random.default_rng(0).uniform(size=(n + shift, 2)).astype(dtype)
    expected = memory.copy()
    for i in range(n):
        u, v = expected[shift + i], expected[i]
        u[1] = 5 + v[0]
        u[0] = v[1] * 2
    u, v = memory[shift:], memory[:n]
    if kernel is crossed_pairs:
        u, v = u.reshape(-1), v.reshape(-1)
    if shift:
        # Threads meet at one element here, so that only one at a time is sure of what it reads.
        for i in range(n):
            wp.launch(kernel, dim=1, inputs=[u[i if u.ndim > 1 else 2 * i :], v[i if v.ndim > 1 else 2 * i :]])
    else:
        wp.launch(kernel, dim=n, inputs=[u, v])
    np.testing.assert_allclose(memory, expected, rtol=1e-6)


def test_lists_are_no_arrays():
    """The error says how to make them arrays."""

    @wp.struct
    class Item:
        x: float

    @wp.kernel
    def plain(a: wp.array(dtype=float), out: wp.array(dtype=float)):
        out[0] = a[0]

    @wp.kernel
    def of_structs(a: wp.array(dtype=Item), out: wp.array(dtype=float)):
        out[0] = a[0].x

    @wp.kernel
    def generic(a: wp.array2d(dtype=Any), out: wp.array(dtype=float)):
        out[0] = float(a[0, 0])

    for kernel, value in [(plain, [1.0, 2.0]), (plain, (1.0,)), (of_structs, [1.0]), (generic, [["x"]])]:
        with pytest.raises(wp.LaunchError, match=r"'a'.*make it a Warp array: wp\.array\(values, dtype=\.\.\.\)"):
            wp.launch(kernel, dim=1, inputs=[value, wp.zeros(1)])
    with pytest.raises(wp.LaunchError, match=r"found 1\.0 \(float\)\n"):
        wp.launch(plain, dim=1, inputs=[1.0, wp.zeros(1)])
