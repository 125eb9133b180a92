"""Threads in the lanes of vectors: the bits of one thread at a time at any width; faults, atomics and reports."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import warp as wp

from randomized import random_kernels, random_language
from support.places import TESTS

WIDTHS = [2, 4, 8, 16, 32, 64]
MODES = ["auto", "always", *WIDTHS]
# Programs in single precision; those of double precision are in test_random_language.py.
COUNT = int(os.environ.get("WARP_RANDOM_LANES", "20000" if random_kernels.SOAK else "240"))
PER_TEST = 40
SIZE = 37


def single(text: str) -> str:
    """A program of double precision in single precision."""
    for wide, narrow in (("float64", "float32"), ("vec3d", "vec3f"), ("vec2d", "vec2f"), ("mat33d", "mat33f")):
        text = text.replace(wide, narrow)
    return text


def run_program(text: str, name: str, seed: int, lanes: Any, level: int | None) -> list[np.ndarray]:
    """What a program leaves in its arrays, the sum by atomics last, and the gradients of what it reads."""
    rng = np.random.default_rng(seed)
    shapes = [(SIZE,), (SIZE, 3), (SIZE,), (SIZE, 3), (SIZE, 3), (SIZE,), (1,)]
    dtypes = [wp.float32, wp.vec3f, wp.float32, wp.vec3f, wp.float32, wp.float32, wp.float32]
    values = [rng.uniform(-1.5, 1.5, shape).astype(np.float32) for shape in shapes[:5]]
    values += [np.zeros(shape, np.float32) for shape in shapes[5:]]
    n, p = int(rng.integers(0, 5)), float(rng.uniform(-1.0, 1.0))
    old = wp.config.lanes, wp.config.optimization_level
    wp.config.lanes, wp.config.optimization_level = lanes, level
    try:
        kernel = random_kernels.compile_text(text, {"wp": wp, "Any": Any}, name)["kernel"]
        arrays = [wp.array(v, dtype=dtype) for v, dtype in zip(values, dtypes, strict=True)]
        wp.launch(kernel, dim=SIZE, inputs=[*arrays, n, p])
    finally:
        wp.config.lanes, wp.config.optimization_level = old
    return [a.numpy() for a in arrays]


@pytest.mark.parametrize("first", range(0, COUNT, PER_TEST))
def test_random_programs_have_the_same_bits_at_any_width(first: int) -> None:
    for seed in range(first, min(first + PER_TEST, COUNT)):
        text = single(random_language.Generator(100_000 + seed).program())
        alone = run_program(text, f"single {seed} alone", seed, "never", 0)
        mode = MODES[seed % len(MODES)]
        level = random_kernels.optimization_level(seed)
        grouped = run_program(text, f"single {seed} grouped", seed, mode, level)
        for got, want in zip(grouped[:-1], alone[:-1], strict=True):
            np.testing.assert_array_equal(got, want, err_msg=f"seed {seed}, lanes {mode}\n{text}")
        # Atomic sums have no order.
        np.testing.assert_allclose(grouped[-1], alone[-1], rtol=1e-4, atol=1e-4)


@wp.kernel
def everything(
    x: wp.array2d(dtype=float),
    at: wp.array2d(dtype=int),
    trips: wp.array2d(dtype=int),
    out: wp.array2d(dtype=float),
    points: wp.array2d(dtype=wp.vec3),
    turned: wp.array2d(dtype=wp.vec3),
    counts: wp.array(dtype=int),
):
    i, j = wp.tid()
    n = trips[i, j]
    if n < 0:
        return
    v = x[i, at[i, j]]
    k = wp.int32(0)
    while k < n:
        v = wp.sin(v) * 1.5 + float(k // 3) - float(n % (k + 1))
        if v > 2.0:
            break
        k += 1
    if v > 0.0:
        out[i, j] = v
        turned[i, j] = wp.cross(points[i, j], wp.vec3(v, 1.0, 0.5))
    else:
        out[i, at[i, j]] = -v
    wp.atomic_add(counts, wp.abs(n) % counts.shape[0], 1)


def everything_on(lanes: Any, shape: tuple[int, int], backwards: bool = False) -> list[np.ndarray]:
    rng = np.random.default_rng(shape[0] * 100 + shape[1])
    x = rng.normal(size=shape).astype(np.float32)
    at = np.stack([rng.permutation(shape[1]) for _ in range(shape[0])]).astype(np.int32)
    trips = rng.integers(-2, 9, shape).astype(np.int32)
    points = rng.normal(size=(*shape, 3)).astype(np.float32)
    out, turned, counts = np.zeros(shape, np.float32), np.zeros((*shape, 3), np.float32), np.zeros(5, np.int32)
    given = [x, at, trips, out, points, turned]
    passed = [np.ascontiguousarray(a[:, ::-1])[:, ::-1] if backwards else a for a in given]
    kernel = wp.Kernel(everything.func, options={"lanes": lanes})
    wp.launch(kernel, dim=shape, inputs=[*passed, counts])
    return [passed[3], passed[5], counts]


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (4, 16), (2, 33), (5, 64), (7, 100)])
@pytest.mark.parametrize("backwards", [False, True])
def test_rows_of_any_length_and_strides(shape: tuple[int, int], backwards: bool) -> None:
    # Which of two threads writes an element of `out` last is open.
    want = everything_on("never", shape, backwards)
    for lanes in ["always", *WIDTHS]:
        got = everything_on(lanes, shape, backwards)
        np.testing.assert_array_equal(got[1], want[1])
        np.testing.assert_array_equal(got[2], want[2])


@wp.kernel
def checked(x: wp.array(dtype=float), at: wp.array(dtype=int), out: wp.array(dtype=float)):
    i = wp.tid()
    s = wp.float32(0.0)
    for k in range(3):
        s += x[at[i] + k]
    out[i] = s


@pytest.mark.parametrize("lanes", ["never", "always", *WIDTHS])
def test_the_lowest_lane_that_fails_is_reported(lanes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # On two threads the last elements may be written before the fault.
    monkeypatch.setattr(wp.config, "cpu_threads", 1)
    at = np.zeros(96, np.int32)
    at[[41, 45, 50]] = [1000, 2000, 3000]
    kernel = wp.Kernel(checked.func, options={"lanes": lanes})
    out = wp.zeros(96, dtype=float)
    with pytest.raises(IndexError, match="index 1000 is out of range for a dimension of size 10"):
        wp.launch(kernel, dim=96, inputs=[np.ones(10, np.float32), at, out])
    np.testing.assert_array_equal(out.numpy()[96 - 32 :], 0.0)


@wp.kernel
def guarded(x: wp.array(dtype=int), by: int, out: wp.array(dtype=int)):
    i = wp.tid()
    v = wp.int32(0)
    for _k in range(2):
        if x[i] != 0:
            v += 12 // by
    out[i] = v


@pytest.mark.parametrize("lanes", ["never", "always", *WIDTHS])
def test_what_no_lane_runs_does_not_fail(lanes: Any) -> None:
    kernel = wp.Kernel(guarded.func, options={"lanes": lanes, "mode": "debug"})
    out = np.ones(96, np.int32)
    wp.launch(kernel, dim=96, inputs=[np.zeros(96, np.int32), 0, out])
    assert not out.any()
    with pytest.raises(ZeroDivisionError):
        wp.launch(kernel, dim=96, inputs=[np.eye(1, 96, 50, dtype=np.int32)[0], 0, out])


@wp.kernel
def chained(x: wp.array(dtype=float), trips: wp.array(dtype=int), out: wp.array(dtype=float)):
    i = wp.tid()
    v = x[i]
    for _k in range(trips[i]):
        w = v * 0.5
        while w < 1.0:
            w = wp.sin(w) + 0.75
        v = w * wp.cos(v) + 0.25
    out[i] = v


@pytest.mark.parametrize("lanes", ["always", *WIDTHS])
def test_gradients_of_uneven_loops_have_the_same_bits(lanes: Any) -> None:
    rng = np.random.default_rng(4)
    values, trips = rng.uniform(-1, 1, 77).astype(np.float32), rng.integers(0, 9, 77).astype(np.int32)

    def gradient(mode: Any) -> np.ndarray:
        kernel = wp.Kernel(chained.func, options={"lanes": mode})
        x, out = wp.array(values, requires_grad=True), wp.zeros(77, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(kernel, dim=77, inputs=[x, trips, out])
        tape.backward(grads={out: wp.array(np.ones(77, np.float32))})
        return x.grad.numpy()

    np.testing.assert_array_equal(gradient(lanes), gradient("never"))


@pytest.mark.parametrize("lanes", ["auto", "always", *WIDTHS])
def test_the_last_threads_of_a_launch_have_the_same_bits(lanes: Any) -> None:
    rng = np.random.default_rng(6)
    values, trips = rng.uniform(-1, 1, 200).astype(np.float32), rng.integers(0, 9, 200).astype(np.int32)

    def both(mode: Any, count: int) -> list[np.ndarray]:
        kernel = wp.Kernel(chained.func, options={"lanes": mode})
        x, out = wp.array(values, requires_grad=True), wp.zeros(200, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(kernel, dim=count, inputs=[x, trips, out])
        tape.backward(grads={out: wp.array(np.ones(200, np.float32))})
        return [out.numpy(), x.grad.numpy()]

    for count in [1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129, 191]:
        (out, slopes), (want, wanted) = both(lanes, count), both("never", count)
        np.testing.assert_array_equal(out, want)
        np.testing.assert_array_equal(slopes, wanted)
        assert not out[count:].any()
        assert not slopes[count:].any()
        assert out[:count].all()


@wp.kernel
def stepped(trips: wp.array(dtype=int), start: int, out: wp.array(dtype=int)):
    i = wp.tid()
    v = wp.int32(0)
    for _k in range(trips[i]):
        v += 100 // (start - i)
    out[i] = v


@pytest.mark.parametrize("lanes", ["never", "auto", "always", *WIDTHS])
def test_lanes_behind_the_last_thread_do_not_fail(lanes: Any) -> None:
    trips = np.full(70, 2, np.int32)
    kernel = wp.Kernel(stepped.func, options={"lanes": lanes, "mode": "debug"})
    out = np.zeros(70, np.int32)
    # Thread 71 would divide by zero and read behind `trips`.
    wp.launch(kernel, dim=70, inputs=[trips, 71, out])
    np.testing.assert_array_equal(out, [2 * (100 // (71 - i)) for i in range(70)])
    with pytest.raises(ZeroDivisionError):
        wp.launch(kernel, dim=70, inputs=[trips, 69, out])
    with pytest.raises(IndexError, match="index 70 is out of range for a dimension of size 70"):
        wp.launch(kernel, dim=72, inputs=[trips, 80, out])


@wp.kernel
def drawn(
    slots: wp.array(dtype=int), taken: wp.array(dtype=int), best: wp.array(dtype=float), x: wp.array(dtype=float)
):
    i = wp.tid()
    if x[i] > 0.0:
        taken[i] = wp.atomic_add(slots, 0, 1)
        wp.atomic_max(best, i % 3, x[i])
        wp.atomic_cas(slots, 1, 0, i + 1)


@pytest.mark.parametrize("lanes", ["always", *WIDTHS])
def test_atomic_operations_of_lanes(lanes: Any) -> None:
    values = np.random.default_rng(5).normal(size=100).astype(np.float32)
    slots, taken, best = np.zeros(2, np.int32), np.full(100, -1, np.int32), np.full(3, -9.0, np.float32)
    kernel = wp.Kernel(drawn.func, options={"lanes": lanes})
    wp.launch(kernel, dim=100, inputs=[slots, taken, best, values])
    positive = np.flatnonzero(values > 0)
    assert sorted(taken[positive]) == list(range(len(positive)))
    assert (taken[values <= 0] == -1).all()
    assert slots[0] == len(positive)
    assert slots[1] - 1 in positive
    for k in range(3):
        assert best[k] == values[k::3].max()


@wp.kernel
def locked(lock: wp.array(dtype=int), total: wp.array(dtype=int)):
    while wp.atomic_cas(lock, 0, 0, 1) == 1:
        pass
    total[0] = total[0] + 1
    wp.atomic_exch(lock, 0, 0)


@wp.kernel
def in_turn(flags: wp.array(dtype=int)):
    i = wp.tid()
    while i > 0 and flags[wp.max(i - 1, 0)] == 0:
        pass
    flags[i] = 1


def test_threads_that_wait_for_each_other_run_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wp.config, "deterministic", True)
    lock, total, flags = np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(100, np.int32)
    for kernel, given in ((locked, [lock, total]), (in_turn, [flags])):
        grouped = wp.Kernel(kernel.func, options={"lanes": "always"})
        assert "its threads may wait for each other" in grouped.report()
        wp.launch(grouped, dim=100, inputs=given)
    assert total[0] == 100
    assert flags.all()


@wp.kernel
def summed(x: wp.array(dtype=float), total: wp.array(dtype=float)):
    wp.atomic_add(total, 0, x[wp.tid()])


def test_sums_have_one_order_for_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(6).normal(size=300_000).astype(np.float32)
    monkeypatch.setattr(wp.config, "deterministic", True)
    totals = set()
    for threads in (1, 2, 3):
        monkeypatch.setattr(wp.config, "cpu_threads", threads)
        total = np.zeros(1, np.float32)
        wp.launch(summed, dim=len(values), inputs=[values, total])
        totals.add(total[0].tobytes())
    assert len(totals) == 1


@wp.kernel
def scattered(
    x: wp.array(dtype=float),
    n: wp.array(dtype=int),
    at: wp.array(dtype=int),
    s: wp.array(dtype=float),
    t: wp.array(dtype=float),
):
    """Each thread adds several times, in a loop and beside it, to elements that others add to."""
    i = wp.tid()
    v = x[i]
    for j in range(n[i]):
        v = wp.sin(v * 0.9 + t[(at[i] + j) % t.shape[0]])
        v = wp.sin(v * 0.8 + 0.2)
        wp.atomic_add(s, (at[i] + j) % s.shape[0], v)
    if v > 0.5:
        wp.atomic_add(s, at[i] % s.shape[0], v * v)
    else:
        wp.atomic_add(s, (at[i] + 1) % s.shape[0], v)


def scattered_sums(lanes: Any = "auto") -> list[np.ndarray]:
    """Sums and gradients that are sums, in the order of threads."""
    rng, count = np.random.default_rng(1), 5003
    old, wp.config.deterministic = wp.config.deterministic, True
    try:
        x = wp.array(rng.uniform(-3, 3, count), dtype=float, requires_grad=True)
        t = wp.array(rng.uniform(0, 1, 5), dtype=float, requires_grad=True)
        s = wp.zeros(5, dtype=float, requires_grad=True)
        n, at = (np.arange(count, dtype=np.int32) % k for k in (9, 7))
        with wp.Tape() as tape:
            wp.launch(wp.Kernel(scattered.func, options={"lanes": lanes}), dim=count, inputs=[x, n, at, s, t])
        tape.backward(grads={s: wp.array(np.arange(1.0, 6.0), dtype=float)})
    finally:
        wp.config.deterministic = old
    return [s.numpy(), x.grad.numpy(), t.grad.numpy()]


def test_sums_of_several_adds_of_a_thread_are_sums() -> None:
    wanted = scattered_sums("never")
    for lanes in ("auto", "always", *WIDTHS):
        for got, want in zip(scattered_sums(lanes), wanted, strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


PROGRAM = """
import hashlib
import numpy as np
import warp as wp
from compiled.lanes import test_lanes as t

digest = hashlib.sha256()
for shape in ((3, 5), (7, 100)):
    for a in t.everything_on("auto", shape)[1:]:
        digest.update(a.tobytes())
for seed in range(12):
    text = t.single(t.random_language.Generator(100_000 + seed).program())
    for a in t.run_program(text, f"level {seed}", seed, "always", None)[:-1]:
        digest.update(a.tobytes())
total = np.zeros(1, np.float32)
wp.config.deterministic = True
wp.launch(t.summed, dim=100_000, inputs=[np.random.default_rng(0).normal(size=100_000).astype(np.float32), total])
digest.update(total.tobytes())
for a in t.scattered_sums():
    digest.update(a.tobytes())
print(digest.hexdigest())
"""


#: Processors that `WARP_CPU` may name, on this architecture.
LEVELS = ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"]
if platform.machine() == "aarch64":
    LEVELS = ["armv8-a", "armv8.1-a"]


def run_for(level: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "WARP_CPU": level, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
    return subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True)


def test_processors_of_all_levels_give_the_same_bits() -> None:
    digests = {}
    for level in ["", *LEVELS[:3]]:
        done = run_for(level)
        if "this processor lacks" in done.stderr:
            continue
        assert done.returncode == 0, done.stderr
        digests[level] = done.stdout
    assert len(set(digests.values())) == 1, digests
    assert len(digests) >= 2


def test_a_level_that_is_none_is_refused() -> None:
    done = run_for("x86-65")
    assert f"ValueError: WARP_CPU is 'x86-65', and may be one of {', '.join(LEVELS)}" in done.stderr


def test_the_setting_is_checked() -> None:
    with pytest.raises(TypeError, match='wp.config.lanes is "auto", "always", "never", 2, 4, 8, 16, 32 or 64, not 3'):
        wp.config.lanes = 3
    with pytest.raises(ValueError, match="option 'lanes'"):
        wp.Kernel(summed.func, options={"lanes": "sometimes"})


@wp.kernel
def reported(x: wp.array(dtype=float), at: wp.array(dtype=int), trips: wp.array(dtype=int), out: wp.array(dtype=float)):
    i = wp.tid()
    v = x[at[i]]
    for _k in range(trips[i]):
        v = wp.sin(v) * 0.5
    out[at[i]] = v


def test_reports_say_what_costs_time() -> None:
    text = reported.report()
    assert "kernel 'reported' on the CPU" in text
    assert "threads in lanes: its arithmetic is faster in lanes" in text
    for what, line in (
        ("gathers", "v = x[at[i]]"),
        ("runs as long as its slowest lane", "for _k in range(trips[i]):"),
        ("scatters", "out[at[i]] = v"),
    ):
        assert any(what in row and row.endswith(line) and "test_lanes.py:" in row for row in text.splitlines()), text
    adjoint = reported.report(adjoint=True)
    assert "adjoint of kernel 'reported'" in adjoint
    assert "bytes per iteration" in adjoint
    assert "serialised across lanes" in adjoint


@wp.kernel
def copied(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = x[i]


@wp.kernel
def printing(x: wp.array(dtype=float)):
    print(x[wp.tid()])


@wp.kernel
def generic(x: wp.array(dtype=Any)):
    x[wp.tid()] = x[0]


@wp.kernel
def bordered(old: wp.array(dtype=float), out: wp.array(dtype=float), n: int, m: int):
    t = wp.tid()
    i = t // m
    j = t - i * m
    if i == 0 or j == 0:
        return
    out[t] = old[t - 1] + old[wp.min(t + m, n * m - 1)]


@wp.kernel
def half(x: wp.array(dtype=float), n: int):
    i = wp.tid()
    if i < n:
        x[i] = 1.0
    else:
        x[i] = 2.0


def test_reports_say_where_rows_are_split() -> None:
    text = bordered.report()
    for what, line in (
        ("divided once per row", "i = t // m"),
        ("divided once per row", "j = t - i * m"),
        ("rows are split", "if i == 0 or j == 0:"),
        ("rows are split", "out[t] = old[t - 1] + old[wp.min(t + m, n * m - 1)]"),
    ):
        found = [row for row in text.splitlines() if f"{what}:" in row and row.endswith(f": {line}")]
        assert len(found) == text.count("body '") - text.count("body 'whole."), text
    assert "rows are not split" not in text
    assert "rows are not split: no condition on thread indices tells" in half.report()
    assert "rows are" not in copied.report()


def test_reports_say_why_not() -> None:
    assert "one thread at a time: LLVM finds the vectors of straight code by itself" in copied.report()
    assert "one thread at a time: it prints" in printing.report()
    with pytest.raises(TypeError, match="generic"):
        generic.report()
