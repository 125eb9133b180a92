"""A thousand random kernels: native code = CPython = interpreter, gradients = central differences.

The kernels have nested loops with run-time bounds, mutated variables, early exits, function calls,
arrays that are overwritten after they were read, and atomic sums.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
import warp as wp
from warp import _warp

from . import random_kernels

SIZE = 4
PER_TEST = 50
COUNT = int(os.environ.get("WARP_RANDOM_KERNELS", "1000"))


@wp.kernel
def copy(source: wp.array(dtype=wp.float64), target: wp.array(dtype=wp.float64)):
    i = wp.tid()
    target[i] = source[i]


def inputs(seed: int):
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(-1.5, 1.5, SIZE), rng.uniform(-1.5, 1.5, SIZE)
    return x, y, int(rng.integers(0, 5)), float(rng.uniform(-1.0, 1.0))


def forward(kernel, x, y, n: int, p: float, run=wp.launch):
    x, y = x.copy(), y.copy()
    out, acc = np.zeros(SIZE), np.zeros(1)
    run(kernel, dim=SIZE, inputs=[x, y, out, acc, n, p])
    return y, out, acc


def differences(kernel, x, y, n: int, p: float, seeds, step: float = 1e-6):
    """Central differences of the seeded sum, and where a kink makes them meaningless."""

    def objective(x, y):
        return sum(float(np.dot(s, r)) for s, r in zip(seeds, forward(kernel, x, y, n, p), strict=True))

    base = objective(x, y)
    slopes, smooth = [], []
    for array in (x, y):
        for i in range(SIZE):
            kept = array[i]
            array[i] = kept + step
            up = objective(x, y)
            array[i] = kept - step
            down = objective(x, y)
            array[i] = kept
            slope = (up - down) / (2 * step)
            slopes.append(slope)
            # For a smooth function the one-sided slopes differ by about step * second derivative.
            bend = abs(up - 2 * base + down) / step
            smooth.append(bend < 1e-3 * (1 + abs(slope)))
    return np.array(slopes), np.array(smooth)


def gradients(kernel, x, y, n: int, p: float, seeds):
    wx = wp.array(x, dtype=wp.float64, requires_grad=True)
    # The kernel overwrites y: the leaf is what y is made from, so that its gradient is that of the
    # content before, whatever the kernel reads.
    leaf = wp.array(y, dtype=wp.float64, requires_grad=True)
    wy = wp.zeros(SIZE, dtype=wp.float64, requires_grad=True)
    out = wp.zeros(SIZE, dtype=wp.float64, requires_grad=True)
    acc = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    arrays = dict(zip((wy, out, acc), (wp.array(s, dtype=wp.float64) for s in seeds), strict=True))
    with wp.Tape() as tape:
        wp.launch(copy, dim=SIZE, inputs=[leaf, wy])
        wp.launch(kernel, dim=SIZE, inputs=[wx, wy, out, acc, n, p])
    tape.backward(grads=arrays)
    for seed, given in zip(seeds, arrays.values(), strict=True):
        np.testing.assert_array_equal(given.numpy(), seed, err_msg="a seed was written")
    return np.concatenate([wx.grad.numpy(), leaf.grad.numpy()])


def check(text: str, seed: int, label: str, rtol: float, atol: float) -> int:
    """Native code, CPython and the interpreter agree, and gradients are differences within tolerances.

    Returns:
        At how many points: elsewhere the function has a kink."""
    kernel = random_kernels.compile_text(text, {"wp": wp}, label)["kernel"]
    x, y, n, p = inputs(seed)
    note = f"seed {seed}, n={n}, p={p}\n{text}"
    native = forward(kernel, x, y, n, p)
    interpreted = forward(kernel, x, y, n, p, run=_warp.interpret)
    px, py, out, acc = x.copy(), y.copy(), np.zeros(SIZE), np.zeros(1)
    random_kernels.run_plain(text, label, px, py, out, acc, n, p)
    for got, again, want in zip(native, interpreted, (py, out, acc), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-12, err_msg=note)
        np.testing.assert_allclose(again, want, rtol=1e-11, atol=1e-12, err_msg=note)

    rng = np.random.default_rng(seed + 1)
    seeds = [rng.uniform(-1, 1, SIZE), rng.uniform(-1, 1, SIZE), rng.uniform(-1, 1, 1)]
    slopes, smooth = differences(kernel, x, y, n, p, seeds)
    found = gradients(kernel, x, y, n, p, seeds)
    np.testing.assert_allclose(found[smooth], slopes[smooth], rtol=rtol, atol=atol, err_msg=note)
    return int(smooth.sum())


@pytest.mark.parametrize("first", range(0, COUNT, PER_TEST))
def test_values_and_gradients(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    checked = 0
    for seed in range(first, min(first + PER_TEST, COUNT)):
        monkeypatch.setattr(wp.config, "optimization_level", random_kernels.optimization_level(seed))
        text = random_kernels.Generator(seed).program()
        checked += check(text, seed, str(seed), rtol=2e-5, atol=2e-7)
    assert checked > PER_TEST * SIZE, "most points are smooth"
