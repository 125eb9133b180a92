"""Threads that wait for what one with a lower index writes: they run in their order, on one thread of the pool."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

# So many that several threads of the pool would share them.
COUNT = 300_000


@wp.func
def wait(flags: wp.array(dtype=int), i: int):
    while flags[i] == 0:
        pass


@wp.kernel
def by_condition(flags: wp.array(dtype=int)):
    i = wp.tid()
    while i > 0 and flags[wp.max(i - 1, 0)] == 0:
        pass
    flags[i] = 1


@wp.kernel
def by_variable(flags: wp.array(dtype=int)):
    i = wp.tid()
    if i > 0:
        before = flags[i - 1]
        rounds = wp.int32(0)
        while before == 0:
            before = flags[i - 1]
            rounds += 1
    flags[i] = 1


@wp.kernel
def by_break(flags: wp.array(dtype=int)):
    i = wp.tid()
    if i > 0:
        while True:
            if flags[i - 1] != 0:
                break
    flags[i] = 1


@wp.kernel
def by_function(flags: wp.array(dtype=int)):
    i = wp.tid()
    if i > 0:
        wait(flags, i - 1)
    flags[i] = 1


@wp.kernel
def by_two(flags: wp.array(dtype=int)):
    """Waits for two others, in a loop over them."""
    i = wp.tid()
    if i > 1:
        ready = bool(False)
        while not ready:
            ready = True
            for k in range(1, 3):
                ready = ready and flags[i - k] != 0
    flags[i] = 1


@wp.struct
class Given:
    flags: wp.array(dtype=int)


@wp.kernel
def by_address(given: wp.array(dtype=Given)):
    i = wp.tid()
    if i > 0:
        while given[0].flags[i - 1] == 0:
            pass
    given[0].flags[i] = 1


@pytest.mark.parametrize("kernel", [by_condition, by_variable, by_break, by_function, by_two], ids=lambda k: k.key)
def test_flags_of_threads_before(kernel: wp.Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wp.config, "cpu_threads", 2)
    flags = wp.zeros(COUNT, dtype=int, device="cpu")
    for _ in range(2):
        flags.zero_()
        wp.launch(kernel, COUNT, inputs=[flags], device="cpu")
        assert flags.numpy().all()


def test_flags_that_addresses_lead_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wp.config, "cpu_threads", 2)
    given = Given()
    given.flags = wp.zeros(COUNT, dtype=int, device="cpu")
    wp.launch(by_address, COUNT, inputs=[wp.array([given], dtype=Given, device="cpu")], device="cpu")
    assert given.flags.numpy().all()


@wp.kernel
def solve_lower(
    starts: wp.array(dtype=int),
    columns: wp.array(dtype=int),
    values: wp.array(dtype=wp.float64),
    b: wp.array(dtype=wp.float64),
    done: wp.array(dtype=int),
    x: wp.array(dtype=wp.float64),
):
    """A sparse triangular system: a row waits for those that it needs (Liu, Li, Hogg, Duff and Vinter, 2016)."""
    i = wp.tid()
    s = b[i]
    for k in range(starts[i], starts[i + 1]):
        j = columns[k]
        while done[j] == 0:
            pass
        s -= values[k] * x[j]
    x[i] = s
    done[i] = 1


def test_a_triangular_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wp.config, "cpu_threads", 2)
    rng, n, each = np.random.default_rng(2), 100_000, 3
    columns = (rng.random((n, each)) * np.arange(n)[:, None]).astype(np.int32)
    columns[0], values = 0, rng.uniform(-0.3, 0.3, (n, each))
    starts = np.maximum(np.arange(n + 1) - 1, 0).astype(np.int32) * each
    b = rng.uniform(-1, 1, n)
    x, done = np.zeros(n), np.zeros(n, np.int32)
    given = [starts, columns[1:].ravel().copy(), values[1:].ravel().copy(), b, done, x]
    wp.launch(solve_lower, n, inputs=given, device="cpu")
    products = np.einsum("ij,ij->i", values[1:], x[columns[1:]])
    np.testing.assert_allclose(x[1:] + products, b[1:], rtol=1e-12, atol=1e-12)
