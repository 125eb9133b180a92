"""A case for each part of the package, on a GPU and on the CPU: the first look at a machine that has not been seen.

`CASES` names functions that raise where the two differ; what they return stands in the report. `scripts/gpu/short.py`
runs them without pytest, `test_smoke.py` as tests.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
from collections.abc import Callable

import numpy as np
import warp as wp

from gpu import smoke_kernels as k

GPU = "cuda:0"
N = 1000
Case = Callable[[], str | None]
CASES: dict[str, Case] = {}


def case(function: Case) -> Case:
    CASES[function.__name__] = function
    return function


def numbers(*shape: int, seed: int = 1, dtype=np.float32) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0.1, 1.1, shape).astype(dtype)


def compare(run: Callable[[], list[wp.array]], rtol: float = 2e-5, atol: float = 2e-6) -> str:
    """Holds what `run` gives with the GPU as the device against what it gives with the CPU."""
    found = []
    for device in ("cpu", GPU):
        with wp.ScopedDevice(device):
            found.append([a.numpy() if isinstance(a, wp.array) else np.asarray(a) for a in run()])
    worst = 0.0
    for at, (here, there) in enumerate(zip(*found, strict=True)):
        if here.dtype.fields:
            assert here.dtype == there.dtype
            here, there = (
                np.concatenate([x[name].ravel().astype(float) for name in x.dtype.names]) for x in (here, there)
            )
        if here.dtype.kind in "iub":
            np.testing.assert_array_equal(there, here, err_msg=f"result {at}")
            continue
        assert np.isfinite(here.astype(float)).all(), f"result {at} on the CPU is not finite"
        np.testing.assert_allclose(there, here, rtol=rtol, atol=atol, err_msg=f"result {at}")
        worst = max(worst, float(np.max(np.abs(there.astype(float) - here) / (np.abs(here) + 1e-3), initial=0.0)))
    return f"{worst:.1e}" if worst else "the same bits"


def launched(kernel, dim, given: list, *out: wp.array) -> list[wp.array]:
    wp.launch(kernel, dim=dim, inputs=[*given, *out])
    return list(out)


def gradients(kernel, dim, given: list[np.ndarray], rest: list, size: int, dtype=float) -> list[wp.array]:
    """The result of a kernel, and the gradients of a weighted sum of it."""
    arrays = [wp.array(v, dtype=dtype, requires_grad=True) for v in given]
    out = wp.zeros(size, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(kernel, dim=dim, inputs=[*arrays, *(v() if callable(v) else v for v in rest), out])
    tape.backward(grads={out: wp.array(np.linspace(1.0, 2.0, size), dtype=float)})
    return [out, *(a.grad for a in arrays)]


@case
def saxpy():
    x, y = numbers(100_000), numbers(100_000, seed=2)

    def run():
        out = wp.array(y, dtype=float)
        wp.launch(k.saxpy, dim=y.size, inputs=[wp.array(x, dtype=float), out, 0.5])
        return [out]

    return compare(run)


@case
def vectors():
    p, q = numbers(N, 3), numbers(N, 4, seed=2)
    return compare(
        lambda: launched(
            k.vectors, N, [wp.array(p, dtype=wp.vec3), wp.array(q, dtype=wp.quat)], wp.zeros(N, dtype=wp.vec3)
        )
    )


@case
def matrices():
    a, b = numbers(N, 4, 4), numbers(N, 4, 4, seed=2)
    return compare(
        lambda: launched(
            k.matrices, N, [wp.array(a, dtype=wp.mat44), wp.array(b, dtype=wp.mat44)], wp.zeros(N, dtype=wp.mat44)
        ),
        rtol=1e-3,
        atol=1e-2,
    )


@case
def svd_qr_eig():
    a = numbers(200, 3, 3)
    return compare(
        lambda: launched(k.decompose, 200, [wp.array(a, dtype=wp.mat33)], wp.zeros((200, 3), dtype=wp.mat33)),
        rtol=1e-3,
        atol=1e-4,
    )


@case
def atomics_of_integers():
    x = np.random.default_rng(1).integers(0, 1 << 20, N).astype(np.int32)
    start = np.array([0, 0, 1 << 30, -1, -1, 0, 0, 0] + [0] * 8, dtype=np.int32)
    return compare(lambda: launched(k.atomics_int, N, [wp.array(x, dtype=int)], wp.array(start, dtype=int)))


@case
def atomics_of_floats():
    x = numbers(N)

    def run():
        out = wp.array([0.0, 9.0, -9.0, 0.0, 0.0, 0.0, 0.0, 0.0], dtype=float)
        return launched(k.atomics_float, N, [wp.array(x, dtype=float)], out, wp.zeros(2, dtype=wp.float64))

    return compare(run, rtol=1e-4)


@case
def atomic_exchanges():
    # Who wins is open; that one does is not.
    def run():
        owner, wins = wp.full(4, -1, dtype=int), wp.zeros(5, dtype=int)
        wp.launch(k.atomic_exchange, dim=N, inputs=[owner, wins])
        assert all(at % 4 == slot and 0 <= at < N for slot, at in enumerate(owner.list())), owner.list()
        return [wins]

    return compare(run)


@case
def reductions_scans_sorts():
    x, keys = numbers(5000, dtype=np.float64), np.random.default_rng(2).integers(-99, 99, 5000).astype(np.int32)

    def run():
        values = wp.array(x, dtype=wp.float64)
        scanned = wp.zeros(5000, dtype=int)
        wp.utils.array_scan(wp.array(keys, dtype=int), scanned, inclusive=True)
        pairs = [wp.array(np.concatenate([a, a]).astype(np.int32), dtype=int) for a in (keys, np.arange(5000))]
        wp.utils.radix_sort_pairs(*pairs, 5000)
        total, inner = wp.utils.array_sum(values), wp.utils.array_inner(values, values)
        return [np.array([total, inner]), scanned, *(p[:5000] for p in pairs)]

    return compare(run, rtol=1e-12, atol=0.0)


@case
def gradients_of_loops():
    return compare(lambda: gradients(k.iterate, 200, [numbers(200)], [20], 200), rtol=1e-3, atol=1e-4)


@case
def gradients_of_gathers():
    at = np.random.default_rng(4).integers(0, 300, 300).astype(np.int32)
    return compare(lambda: gradients(k.gather, 300, [numbers(300)], [lambda: wp.array(at, dtype=int)], 3), rtol=1e-4)


@case
def gradients_of_vectors():
    return compare(lambda: gradients(k.spring, 200, [numbers(201, 3)], [0.3], 1, wp.vec3), rtol=1e-3, atol=1e-4)


@case
def gradients_that_are_given():
    return compare(lambda: gradients(k.roots, 100, [numbers(100)], [], 100))


@case
def local_arrays():
    x = numbers(N)
    return compare(lambda: launched(k.local_arrays, N, [wp.array(x, dtype=float)], wp.zeros(N, dtype=float)))


@case
def structs():
    x = numbers(N, 3)

    def run():
        m = k.Material()
        m.density, m.colour = 2.5, wp.vec3(1.0, 2.0, 3.0)
        m.turn = wp.mat33(0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0)
        m.table = wp.array([1.0, 2.0, 3.0, 4.0], dtype=float)
        return launched(k.of_struct, N, [m, wp.array(x, dtype=wp.vec3)], wp.zeros(N, dtype=wp.vec3))

    return compare(run)


@case
def arrays_of_structs():
    def run():
        many = [
            k.Particle(wp.vec3(float(i), 0.0, 1.0), wp.vec3(1.0, float(i), 2.0), wp.float64(i * 0.1), i % 3)
            for i in range(50)
        ]
        particles, counts = wp.array(many, dtype=k.Particle), wp.zeros(3, dtype=int)
        wp.launch(k.of_structs, dim=50, inputs=[particles, 0.25, counts])
        found = particles.numpy()
        return [*(np.ascontiguousarray(found[name]) for name in found.dtype.names), counts]

    return compare(run)


@case
def random_numbers():
    return compare(
        lambda: launched(
            k.random, N, [42], wp.zeros(N, dtype=float), wp.zeros(N, dtype=int), wp.zeros(N, dtype=wp.vec3)
        ),
        rtol=1e-4,
        atol=1e-5,
    )


@case
def noise():
    x = numbers(N, 3) * 7
    return compare(
        lambda: launched(k.noises, N, [5, wp.array(x, dtype=wp.vec3)], wp.zeros(N, dtype=float)), rtol=1e-3, atol=1e-4
    )


@contextlib.contextmanager
def printed():
    """What reaches the standard output of the process meanwhile."""
    sys.stdout.flush()
    kept, text = os.dup(1), io.StringIO()
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        try:
            yield text
        finally:
            sys.stdout.flush()
            os.dup2(kept, 1)
            os.close(kept)
            file.seek(0)
            text.write(file.read().decode())


@case
def prints():
    texts = []
    for device in ("cpu", GPU):
        with printed() as text:
            wp.launch(k.says, dim=8, inputs=[wp.full(8, 1.5, dtype=float, device=device)], device=device)
            wp.synchronize()
        texts.append(text.getvalue())
    assert texts[0] == texts[1] != "", texts


@case
def an_index_that_is_out_of_range():
    x = wp.zeros(8, dtype=float, device=GPU)
    wp.launch(k.beyond, dim=8, inputs=[x, 4], device=GPU)
    said = ""
    try:
        wp.synchronize()
    except IndexError as error:
        said = str(error)
    assert "is out of range for a dimension of size 8" in said, said or "no error"
    # The device goes on.
    assert x.list() == [0.0] * 4 + [1.0] * 4


def _large(struct: type, names: str) -> str:
    a = np.arange(64.0).reshape(8, 8)

    def run():
        p, q = struct(), struct()
        for at, name in enumerate(names):
            setattr(p, name, k.mat88(*(a + at).ravel()))
            setattr(q, name, k.mat88(*(a - at).ravel()))
        kernel = k.large_parameters if struct is k.Large else k.larger_parameters
        return launched(kernel, 8, [p, q], wp.zeros(8, dtype=wp.float64))

    return compare(run, rtol=1e-12)


@case
def large_parameters():
    return _large(k.Large, "abc")


@case
def parameters_beyond_4_kib():
    return _large(k.Larger, "abcde")


@case
def a_graph():
    x = wp.zeros(N, dtype=float, device=GPU)
    y = wp.ones(N, dtype=float, device=GPU)
    wp.launch(k.saxpy, dim=N, inputs=[y, x, 0.0], device=GPU)
    with wp.ScopedCapture(device=GPU) as capture:
        for _ in range(3):
            wp.launch(k.saxpy, dim=N, inputs=[y, x, 2.0], device=GPU)
    assert x.list() == [0.0] * N, "a capture runs nothing"
    for _ in range(4):
        wp.capture_launch(capture.graph)
    assert x.list() == [24.0] * N


@case
def streams_and_events():
    x, y = (wp.zeros(100_000, dtype=float, device=GPU) for _ in range(2))
    one = wp.ones(100_000, dtype=float, device=GPU)
    first, second = wp.Stream(GPU), wp.Stream(GPU)
    wp.synchronize()
    for _ in range(10):
        wp.launch(k.saxpy, dim=x.size, inputs=[one, x, 1.0], stream=first)
        second.wait_event(first.record_event())
        wp.launch(k.saxpy, dim=x.size, inputs=[x, y, 1.0], stream=second)
        first.wait_event(second.record_event())
    wp.synchronize()
    assert (x.numpy() == 10.0).all()
    assert (y.numpy() == 55.0).all()


@case
def pinned_memory():
    given, back = (wp.zeros(50_000, dtype=float, device="cpu", pinned=True) for _ in range(2))
    assert given.pinned
    given.numpy()[:] = np.arange(50_000)
    x = wp.zeros(50_000, dtype=float, device=GPU)
    wp.copy(x, given)
    wp.launch(k.saxpy, dim=x.size, inputs=[x, x, 1.0], device=GPU)
    wp.copy(back, x)
    wp.synchronize()
    np.testing.assert_array_equal(back.numpy(), 2.0 * np.arange(50_000, dtype=np.float32))


@case
def launches_of_two_and_three_dimensions():
    x = numbers(7, 11, 13)

    def run():
        flat, deep = wp.zeros((33, 65), dtype=float), wp.zeros((7, 11, 13), dtype=float)
        wp.launch(k.table2, dim=flat.shape, inputs=[flat])
        wp.launch(k.table3, dim=deep.shape, inputs=[wp.array(x, dtype=float), deep])
        return [flat, deep]

    return compare(run)


@case
def float16_and_bfloat16():
    x = numbers(N)

    def run():
        h, b = (wp.array(x.tolist(), dtype=t) for t in (wp.float16, wp.bfloat16))
        return launched(k.halves, N, [h, b], wp.zeros(N, dtype=float))

    return compare(run, rtol=1e-2, atol=1e-2)


@case
def float64():
    x = numbers(N, dtype=np.float64) * 3
    return compare(
        lambda: launched(k.doubles, N, [wp.array(x, dtype=wp.float64)], wp.zeros(N, dtype=wp.float64)), rtol=1e-13
    )


@case
def int64():
    x = np.random.default_rng(1).integers(-(1 << 40), 1 << 40, N)
    return compare(
        lambda: launched(
            k.longs, N, [wp.array(x, dtype=wp.int64)], wp.zeros(N, dtype=wp.int64), wp.zeros(N, dtype=wp.uint64)
        )
    )


@case
def functions():
    x = numbers(N)
    return compare(
        lambda: launched(k.functions, N, [wp.array(x, dtype=float)], wp.zeros((N, 4), dtype=float)), rtol=1e-5
    )


@case
def while_loops():
    x = numbers(N)
    return compare(
        lambda: launched(k.iterate, N, [wp.array(x, dtype=float), 7], wp.zeros(N, dtype=float)), rtol=1e-4, atol=1e-5
    )
