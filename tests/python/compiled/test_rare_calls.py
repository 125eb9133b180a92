"""Calls that loops hardly ever make: functions of arguments that vectors do not cover, room for records, and fuel.

What else the loop works with has to outlive them: results wider than registers, indices, masks, pointers, sums.
`make test-levels` runs this file for processors with shorter vectors, too.
"""

from __future__ import annotations

import linecache
import signal
from typing import Any

import numpy as np
import pytest
import warp as wp

FUNCTIONS = ("sin", "cos", "tan", "log", "log2", "log10", "cbrt", "exp")
# What vector versions leave to another function, or what is at the edge.
RARE = (1e20, 1e300, -3e18, np.inf, -np.inf, np.nan, 0.0, -0.0, 5e-324, 1e-310, -2.5)
_texts = 0


def kernel(text: str, lanes: Any = "auto", **options: Any) -> Any:
    """The kernel `k` that a text defines."""
    global _texts
    _texts += 1
    name = f"<rare calls {_texts}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope: dict[str, Any] = {"wp": wp, "__name__": __name__}
    exec(compile(text, name, "exec"), scope)
    return wp.Kernel(scope["k"], options={"lanes": lanes, **options})


def numbers(count: int, rare: tuple[float, ...], at: str) -> np.ndarray:
    """Ordinary numbers, and rare ones in `one` of 61, `some`, or `all` places."""
    x = np.random.default_rng(7).uniform(0.1, 3.0, count)
    where = {"one": slice(None, None, 61), "some": slice(1, None, 3), "all": slice(None)}[at]
    x[where] = np.resize(rare, x[where].size)
    return x


@pytest.mark.parametrize("at", ["one", "some", "all"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_sums_beside_rare_arguments(name: str, at: str) -> None:
    """A sum in a register, a scattered sum, a mask and an index stay what they are."""
    text = f"""
def k(x: wp.array(dtype=wp.float64), at: wp.array(dtype=int), y: wp.array(dtype=wp.float64),
      s: wp.array(dtype=wp.float64), n: wp.array(dtype=int)):
    i = wp.tid()
    v = x[i]
    j = at[i]
    good = v > wp.float64(0.5) and v < wp.float64(2.0)
    t = wp.{name}(v)
    if good:
        wp.atomic_add(s, 0, t)
        wp.atomic_add(n, j % 7, 1)
    y[j] = t
"""
    count = 5000
    x = numbers(count, RARE, at)
    where = np.random.default_rng(1).permutation(count).astype(np.int32)
    wanted = None
    for lanes in ("never", "auto", "always", 4, 16):
        y, s, n = np.zeros(count), np.zeros(1), np.zeros(7, np.int32)
        wp.launch(kernel(text, lanes), dim=count, inputs=[x, where, y, s, n])
        good = (x > 0.5) & (x < 2.0)
        np.testing.assert_allclose(s[0], y[where][good].sum(), rtol=1e-12)
        np.testing.assert_array_equal(n, np.bincount(where[good] % 7, minlength=7))
        bits = np.where(np.isnan(y), np.nan, y).tobytes()
        wanted = wanted or bits
        assert bits == wanted, lanes


def test_lanes_that_have_ended_hold_garbage_and_do_no_harm() -> None:
    """Gradients of a loop in which some lanes run some hundred times as long as others."""
    text = """
def k(x: wp.array(dtype=wp.float64), trips: wp.array(dtype=int), y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    v = x[i]
    for _ in range(trips[i]):
        v = wp.sin(wp.float64(1.1) * v) + wp.float64(0.05)
    y[i] = v
"""
    count = 300
    x = np.random.default_rng(3).uniform(0.5, 1.5, count)
    trips = np.where(np.arange(count) % 5 == 0, 60_000, 130).astype(np.int32)
    results = []
    for lanes in ("never", "auto", 8, 32):
        a, b = wp.array(x, dtype=wp.float64, requires_grad=True), wp.zeros(count, dtype=wp.float64, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(kernel(text, lanes), dim=count, inputs=[a, trips, b])
        tape.backward(grads={b: wp.ones(count, dtype=wp.float64)})
        results.append((b.numpy().tobytes(), a.grad.numpy().tobytes()))
        assert np.count_nonzero(a.grad.numpy()[trips == 130]) == np.count_nonzero(trips == 130)
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize("lanes", ["never", "auto", 4, 8, 16, 32, 64])
@pytest.mark.parametrize("live", [10, 100])
def test_many_values_outlive_fuel_records_and_rare_arguments(live: int, lanes: Any) -> None:
    """Values in all registers and on the stack, in a loop that records, runs out of fuel and meets rare arguments."""
    many = range(live)
    text = """
def k(x: wp.array(dtype=float), trips: wp.array(dtype=int), y: wp.array(dtype=float)):
    i = wp.tid()
    v = x[i]
"""
    text += "".join(f"    a{k} = v * {1.0 + k / live}\n" for k in many)
    text += "    for j in range(trips[i]):\n        v = wp.sin(v * 1.1) * 0.75 + 1.0e20 * float(j % 97 == 50)\n"
    text += "".join(f"        a{k} = a{k} * 0.5 + wp.sin(v) * {(k + 1) / live}\n" for k in many[:3])
    text += "".join(f"        a{k} = 0.25 * a{k} + a{k - 3}\n" for k in many[3:])
    text += "    y[i] = " + " + ".join(f"a{k}" for k in many) + "\n"
    count = 70
    x = np.random.default_rng(live).uniform(-1.0, 1.0, count).astype(np.float32)
    trips = (np.arange(count) % 9 * 25 + 60).astype(np.int32)
    results = []
    for which in ("never", lanes):
        a, b = wp.array(x, dtype=float, requires_grad=True), wp.zeros(count, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(kernel(text, which), dim=count, inputs=[a, trips, b])
        tape.backward(grads={b: wp.ones(count, dtype=float)})
        results.append((b.numpy(), a.grad.numpy()))
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one.view(np.int32), other.view(np.int32))


@pytest.mark.parametrize("count", [1, 6, 7, 8, 9, 16, 17, 24, 33, 64])
def test_kernels_add_to_any_number_of_arrays(count: int) -> None:
    """Their names, and those of blocks, are apart whatever their numbers are; gradients of gathers add to as many."""
    names = [f"a{k}" for k in range(count)]
    head = "def k(" + ", ".join(f"{n}: wp.array(dtype=float)" for n in [*names, "out"]) + "):\n    i = wp.tid()\n"
    adds = head + "".join(f"    wp.atomic_add({n}, i % 5, {k + 1}.0)\n" for k, n in enumerate(names))
    looped = (
        head
        + "    for j in range(i % 3):\n"
        + "".join(f"        wp.atomic_add({n}, (i + j) % 5, 1.0)\n" for n in names)
    )
    gather = head + "    out[i] = " + " + ".join(f"{n}[i % 5]" for n in names) + "\n"
    arrays = [wp.zeros(5, dtype=float, requires_grad=True) for _ in names]
    out = wp.zeros(1000, dtype=float, requires_grad=True)
    wp.launch(kernel(adds), dim=1000, inputs=[*arrays, out])
    for k, a in enumerate(arrays):
        np.testing.assert_array_equal(a.numpy(), 200.0 * (k + 1))
        a.zero_()
    wp.launch(kernel(looped), dim=1000, inputs=[*arrays, out])
    where = np.array([(i + j) % 5 for i in range(1000) for j in range(i % 3)])
    for a in arrays:
        np.testing.assert_array_equal(a.numpy(), np.bincount(where, minlength=5))
    with wp.Tape() as tape:
        wp.launch(kernel(gather), dim=1000, inputs=[*arrays, out])
    tape.backward(grads={out: wp.ones(1000, dtype=float)})
    for a in arrays:
        np.testing.assert_array_equal(a.grad.numpy(), 200.0)


def test_signals_may_arrive_in_rare_calls() -> None:
    """A handler of C runs on the stack of whoever it interrupts, here every tenth of a millisecond."""
    text = """
def k(x: wp.array(dtype=wp.float64), n: int, y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    v = x[i]
    s = wp.float64(0.0)
    for _ in range(n):
        s = s + wp.sin(v) * wp.log(wp.abs(v) * wp.float64(1.0e-320))
    y[i] = s
"""
    x = numbers(512, (1e20, 3e300), "some")
    results = []
    for lanes in ("never", "auto", 32):
        k, y = kernel(text, lanes), np.zeros(x.size)
        wp.launch(k, dim=x.size, inputs=[x, 1, y])
        before = signal.signal(signal.SIGALRM, lambda *_: None)
        signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
        try:
            for _ in range(3):
                wp.launch(k, dim=x.size, inputs=[x, 200, y])
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        results.append(y.tobytes())
    assert results[0] == results[1] == results[2]
