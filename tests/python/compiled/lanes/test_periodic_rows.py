"""Kernels with periodic indices whose work runs in lanes: what lies between the ends of a row is a subrange."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp
from warp import _warp


@wp.kernel
def waves(old: wp.array2d(dtype=float), out: wp.array2d(dtype=float), shift: int):
    i, j = wp.tid()
    n = old.shape[0]
    m = old.shape[1]
    before = old[(i + n - 1) % n, (j - shift + m) % m]
    after = old[i, (j + 1) % m]
    out[i, j] = wp.pow(wp.sin(before), 2.0) * wp.exp(old[i, j]) + wp.tanh(after)


SHAPES = [(3, 300), (2, 1000), (5, 129), (4, 127), (7, 64), (9, 17), (2, 3), (1, 1)]


def test_lanes_of_a_periodic_row_gather_nothing_between_its_ends() -> None:
    report = waves.report()
    interior = report[report.index("  body 'inner.lanes': gangs of") :]
    assert "divided once per row" in interior
    assert "gathers" not in interior


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("lanes", ["auto", "always", 4, 32])
def test_rows_of_any_length(shape: tuple[int, int], lanes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wp.config, "lanes", lanes)
    old = np.random.default_rng(shape[1]).random(shape, dtype=np.float32)
    for shift in (1, 0, min(shape[1], 5)):
        kernel = wp.kernel(waves.func, module="unique")
        out, again = (wp.zeros(shape, dtype=float) for _ in range(2))
        wp.launch(kernel, shape, inputs=[old, out, shift])
        _warp.interpret(waves, shape, [old, again, shift])
        np.testing.assert_allclose(out.numpy(), again.numpy(), rtol=1e-5)


@wp.kernel
def ring(old: wp.array(dtype=float), out: wp.array(dtype=float), hits: wp.array(dtype=int)):
    i = wp.tid()
    n = old.shape[0]
    wp.atomic_add(hits, i % 3, 1)
    out[i] = wp.pow(wp.sin(old[(i + n - 1) % n]), 2.0) * wp.exp(old[(i + 2) % n])


@pytest.mark.parametrize("n", [2, 17, 64, 300, 1001])
@pytest.mark.parametrize("lanes", ["auto", "always", 8])
def test_rings(n: int, lanes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wp.config, "lanes", lanes)
    kernel = wp.kernel(ring.func, module="unique")
    old = np.random.default_rng(n).random(n, dtype=np.float32)
    out, again = (wp.zeros(n, dtype=float) for _ in range(2))
    hits, counted = (wp.zeros(3, dtype=int) for _ in range(2))
    wp.launch(kernel, n, inputs=[old, out, hits])
    _warp.interpret(ring, n, [old, again, counted])
    np.testing.assert_allclose(out.numpy(), again.numpy(), rtol=1e-5)
    assert hits.list() == counted.list()


def test_indices_beyond_the_ends_are_found() -> None:
    old = np.ones((2, 300), dtype=np.float32)
    out = wp.zeros((2, 300), dtype=float)
    with pytest.raises(IndexError, match="out of range"):
        wp.launch(waves, (2, 300), inputs=[old[:, :299], out, 3000])


@pytest.mark.parametrize("shape", [(3, 300), (9, 17)])
def test_gradients_are_those_of_single_threads(shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for lanes in ("auto", "never"):
        monkeypatch.setattr(wp.config, "lanes", lanes)
        kernel = wp.kernel(waves.func, module="unique")
        old = wp.array(np.random.default_rng(1).random(shape, dtype=np.float32), requires_grad=True)
        out = wp.zeros(shape, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(kernel, shape, inputs=[old, out, 2])
        tape.backward(grads={out: wp.array(np.random.default_rng(2).random(shape, dtype=np.float32))})
        found.append(old.grad.numpy())
    assert np.abs(found[0]).max() > 0.1
    np.testing.assert_allclose(found[0], found[1], rtol=1e-5, atol=1e-6)
