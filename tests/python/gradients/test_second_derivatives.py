"""Second derivatives of kernels: random ones against central differences of their adjoints, named ones by hand."""

from __future__ import annotations

import os

import numpy as np
import pytest
import warp as wp
from warp import _warp

from randomized import random_kernels

SIZE = 4
PER_TEST = 10
COUNT = int(os.environ.get("WARP_RANDOM_KERNELS_TWICE", "60"))
F64 = wp.array(dtype=wp.float64)


def launch(kernel, dim, args) -> None:
    wp.launch(kernel, dim, inputs=args)


class Adjoint:
    """The adjoint of a kernel of arrays and values, as a function of arrays, and its own adjoint likewise.

    `values` are the arguments of the kernel; `seeds` the gradients that go in, one for each array.
    """

    def __init__(self, kernel, dim: int, consume: tuple[int, ...] = ()) -> None:
        self.kernel = _warp._adjoint_kernel(kernel, list(consume))
        # A gradient that the adjoint only overwrites is gone after it: what belongs to that is cleared, not passed on.
        gradients = range(len(_warp._parameters(kernel)), len(_warp._parameters(self.kernel)))
        self.twice = _warp._adjoint_kernel(self.kernel, list(gradients))
        self.dim = dim

    def __call__(self, values, seeds, run=launch):
        """The gradients after the adjoint."""
        values, seeds = copies(values), copies(seeds)
        run(self.kernel, self.dim, (*values, *seeds))
        return seeds

    def gradient(self, values, seeds, weights, run=launch):
        """The gradients of the weighted seeds after the adjoint, by the arrays among values and seeds."""
        given = [*copies(values), *copies(seeds)]
        floats = [a for a in given if isinstance(a, np.ndarray) and a.dtype == np.float64]
        after = [np.zeros_like(a) for a in floats[: len(floats) - len(seeds)]] + copies(weights)
        before = copies(given)
        run(self.twice, self.dim, (*given, *after))
        for a, b in zip(given[: len(values)], before, strict=False):
            np.testing.assert_array_equal(a, b, err_msg="an array of the kernel was changed")
        return after


def copies(values):
    return [v.copy() if isinstance(v, np.ndarray) else v for v in values]


def interpret(kernel, dim, args) -> None:
    _warp.interpret(kernel, dim, list(args))


def differences(adjoint: Adjoint, values, seeds, weights, step: float = 1e-6):
    """Central differences of the weighted gradients by each float, and where they mean something."""

    def objective() -> float:
        return sum(float(np.dot(w, g)) for w, g in zip(weights, adjoint(values, seeds), strict=True))

    base, slopes, smooth = objective(), [], []
    for array in [a for a in (*values, *seeds) if isinstance(a, np.ndarray)]:
        for i in range(len(array)):
            kept = array[i]
            array[i] = kept + step
            up = objective()
            array[i] = kept - step
            down = objective()
            array[i] = kept
            slope = (up - down) / (2 * step)
            slopes.append(slope)
            smooth.append(abs(up - 2 * base + down) / step < 1e-3 * (1 + abs(slope)))
    return np.array(slopes), np.array(smooth)


def agrees(adjoint: Adjoint, values, seeds, note: str) -> int:
    """Native code = differences = interpreter; gives the number of derivatives that were compared."""
    rng = np.random.default_rng(5)
    weights = [rng.uniform(-1, 1, len(s)) for s in seeds]
    found = adjoint.gradient(values, seeds, weights)
    again = adjoint.gradient(values, seeds, weights, run=interpret)
    for a, b in zip(found, again, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11, err_msg=note)
    slopes, smooth = differences(adjoint, values, seeds, weights)
    np.testing.assert_allclose(np.concatenate(found)[smooth], slopes[smooth], rtol=5e-5, atol=1e-6, err_msg=note)
    return int(smooth.sum())


@pytest.mark.parametrize("first", range(0, COUNT, PER_TEST))
def test_random_kernels(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    checked = 0
    for seed in range(first, min(first + PER_TEST, COUNT)):
        monkeypatch.setattr(wp.config, "optimization_level", random_kernels.optimization_level(seed))
        text = random_kernels.Generator(seed).program()
        kernel = random_kernels.compile_text(text, {"wp": wp}, f"{seed} twice")["kernel"]
        rng = np.random.default_rng(seed)
        x, y = rng.uniform(-1.5, 1.5, SIZE), rng.uniform(-1.5, 1.5, SIZE)
        n, p = int(rng.integers(0, 5)), float(rng.uniform(-1.0, 1.0))
        values = [x, y, np.zeros(SIZE), np.zeros(1), n, p]
        seeds = [rng.uniform(-1, 1, k) for k in (SIZE, SIZE, SIZE, 1)]
        note = f"seed {seed}, n={n}, p={p}\n{text}"
        checked += agrees(Adjoint(kernel, SIZE), values, seeds, note)
    assert checked > PER_TEST * SIZE, "most points are smooth"


@wp.kernel
def looped(x: F64, n: int, y: F64):
    i = wp.tid()
    v = x[i]
    for _k in range(n):
        v = wp.sin(v) * v
    y[i] = v


@wp.kernel
def until_small(x: F64, n: int, y: F64):
    i = wp.tid()
    v = x[i]
    while v > wp.float64(0.1):
        v = wp.sin(v) * v
    y[i] = v


@wp.kernel
def leaves_early(x: F64, n: int, y: F64):
    i = wp.tid()
    v = x[i]
    for k in range(n):
        v = v * v
        if v > wp.float64(2.0):
            y[i] = v * wp.float64(k)
            return
    y[i] = wp.exp(v)


@wp.kernel
def squared_in_place(x: F64, n: int, y: F64):
    i = wp.tid()
    y[i] = y[i] * x[i]
    for _k in range(n):
        y[i] = y[i] * y[i]


@wp.kernel
def neighbours(x: F64, n: int, y: F64):
    i = wp.tid()
    s = wp.float64(1.0)
    for k in range(n):
        s = s * wp.sin(x[i - 1] * x[i - 2]) + x[i - k % 3]
    y[i] = s


@wp.kernel
def summed(x: F64, n: int, y: F64):
    i = wp.tid()
    v = x[i]
    for _k in range(n):
        v = wp.tanh(v * v + x[0])
    wp.atomic_add(y, 0, v * v)


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize(
    "kernel", [looped, until_small, leaves_early, squared_in_place, neighbours, summed], ids=lambda k: k.key
)
def test_named_kernels(kernel, n: int) -> None:
    values = [np.array([1.2, 0.9, 0.4]), n, np.array([0.3, -0.8, 1.1])]
    seeds = [np.array([0.1, -0.2, 0.7]), np.array([0.6, 1.3, -0.4])]
    assert agrees(Adjoint(kernel, 3), values, seeds, kernel.key) == 12


def test_a_square_in_place_by_hand() -> None:
    """y = (y x)^2: the adjoint gives x.grad += 2 y^2 x g, y.grad = 2 y x^2 g."""
    adjoint = Adjoint(squared_in_place, 1)
    values, seeds = [np.array([3.0]), 1, np.array([2.0])], [np.array([0.0]), np.array([5.0])]
    by_x, by_y = adjoint(values, seeds)
    assert by_x == [2 * 4 * 3 * 5]
    assert by_y == [2 * 2 * 9 * 5]
    # The objective is x.grad + 10 y.grad.
    dx, dy, _, dg = adjoint.gradient(values, seeds, [np.array([1.0]), np.array([10.0])])
    assert dx == [2 * 4 * 5 + 10 * 4 * 2 * 3 * 5]
    assert dy == [4 * 2 * 3 * 5 + 10 * 2 * 9 * 5]
    assert dg == [2 * 4 * 3 + 10 * 2 * 2 * 9]


def test_higher_orders_share_the_stacks_until_there_are_none() -> None:
    kernel = looped
    for _ in range(4):
        kernel = _warp._adjoint_kernel(kernel, [])
    with pytest.raises(RuntimeError, match=r"order 4.*no stack"):
        _warp._adjoint_kernel(kernel, [])


def test_an_adjoint_launched_as_any_kernel_adds_what_threads_share() -> None:
    """The launch does not look whether threads meet at an element, so every add has to be atomic."""
    size = 1_000_000
    cell = np.zeros(1)
    shared = np.lib.stride_tricks.as_strided(cell, (size,), (0,))
    adjoint = _warp._adjoint_kernel(looped, [])
    arrays = [np.ones(size), 0, np.zeros(size), shared, np.ones(size)]
    for _ in range(5):
        cell[0] = 0.0
        wp.launch(adjoint, dim=size, inputs=arrays)
        assert cell[0] == size
