"""Which kernels run in lanes where an array is missing, and where elements are written under a condition."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp


@wp.kernel
def attract(x: wp.array[wp.vec3], m: wp.array[float], a: wp.array[wp.vec3]):
    i = wp.tid()
    total = wp.vec3()
    for j in range(x.shape[0]):
        away = x[j] - x[i]
        square = wp.dot(away, away) + 0.1
        total += away * (m[j] / (square * wp.sqrt(square)))
    a[i] = total


@wp.kernel
def collide(radius: float, x: wp.array[wp.vec3]):
    i = wp.tid()
    far = wp.length(x[i])
    if far < radius:
        x[i] = x[i] * (radius / far)


def gradient(masses_too: bool) -> np.ndarray:
    """That of the sum of all components, with respect to the places."""
    rng = np.random.default_rng(0)
    x = wp.array(rng.normal(size=(50, 3)), dtype=wp.vec3, requires_grad=True)
    m = wp.array(rng.random(50), dtype=float, requires_grad=masses_too)
    a = wp.zeros(50, dtype=wp.vec3, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(attract, dim=50, inputs=[x, m], outputs=[a])
    tape.backward(grads={a: wp.ones_like(a)})
    return np.array(x.grad.numpy())


def test_an_adjoint_runs_in_lanes_where_a_gradient_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    with_all, without = gradient(True), gradient(False)
    np.testing.assert_array_equal(without, with_all)
    report = attract.report(adjoint=True)
    assert "body 'inner.lanes'" in report
    assert "body 'full" not in report
    monkeypatch.setattr(wp.config, "lanes", "never")
    np.testing.assert_allclose(without, gradient(False), rtol=1e-4, atol=1e-5)


def test_elements_written_under_a_condition_run_in_lanes() -> None:
    places = np.random.default_rng(1).normal(size=(1000, 3)).astype(np.float32)
    x = wp.array(places, dtype=wp.vec3)
    wp.launch(collide, dim=1000, inputs=[1.5], outputs=[x])
    far = np.linalg.norm(places, axis=1, keepdims=True)
    np.testing.assert_allclose(x.numpy(), np.where(far < 1.5, places * (1.5 / far), places), rtol=1e-5)
    assert "threads in lanes: its arithmetic is faster in lanes" in collide.report()
