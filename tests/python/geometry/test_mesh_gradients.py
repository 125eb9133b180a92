"""Gradients of queries of ``wp.Mesh``: to places, directions, points and velocities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import warp as wp

from .meshes import built, energy, sphere

RNG = np.random.default_rng(23)


def differences(f: Callable[[np.ndarray], float], x: np.ndarray, step: float) -> np.ndarray:
    out = np.zeros(x.shape)
    for at in np.ndindex(x.shape):
        ends = []
        for by in (step, -step):
            moved = x.copy()
            moved[at] += by
            ends.append(f(moved))
        out[at] = (ends[0] - ends[1]) / (2 * step)
    return out


@pytest.mark.parametrize("kind", range(4))
def test_gradients_reach_queries_points_and_velocities(kind: int) -> None:
    points, faces = sphere(4, 0.05)
    speeds = RNG.normal(size=points.shape).astype(np.float32)
    n = 8
    at = RNG.normal(size=(n, 3))
    at = (at / np.linalg.norm(at, axis=1, keepdims=True) * 1.7).astype(np.float32)
    dirs = (RNG.uniform(-0.2, 0.2, (n, 3)) - at).astype(np.float32)
    seed = RNG.uniform(0.5, 1.5, n).astype(np.float32)

    def run(points: np.ndarray, at: np.ndarray, dirs: np.ndarray, speeds: np.ndarray, grad: bool = False) -> Any:
        def make(x: np.ndarray) -> Any:
            return wp.array(x.astype(np.float32), dtype=wp.vec3, requires_grad=grad)

        velocities = make(speeds)
        mesh = built(points.astype(np.float32), faces, grad, velocities=velocities)
        given, out = [make(at), make(dirs)], wp.zeros(n, dtype=float, requires_grad=grad)
        if not grad:
            wp.launch(energy, dim=n, inputs=[mesh, *given, kind], outputs=[out])
            return float(out.numpy().astype(float) @ seed)
        with wp.Tape() as tape:
            wp.launch(energy, dim=n, inputs=[mesh, *given, kind], outputs=[out])
        tape.backward(grads={out: wp.array(seed)})
        found = [array.grad.numpy().copy() for array in (mesh.points, *given, velocities)]
        tape.zero()
        assert all((array.grad.numpy() == 0).all() for array in (mesh.points, *given, velocities))
        return found

    found = run(points, at, dirs, speeds, grad=True)
    inputs = [points, at, dirs, speeds]
    for k, x in enumerate(inputs):
        right = differences(lambda moved, k=k: run(*inputs[:k], moved, *inputs[k + 1 :]), x.astype(float), 2e-3)
        scale = np.abs(right).max() + 0.05
        wrong = np.abs(found[k] - right) > 0.03 * scale
        # A step may go over an edge, where the derivative is another one.
        assert wrong.mean() < 0.1, (k, found[k][wrong], right[wrong])
        assert k == 2 or kind == 2 or np.abs(right).max() > 0.05 or (kind < 3) == (k == 3)


def test_gradients_reach_points_through_the_arrays_of_a_mesh() -> None:
    """Points and velocities as ``mesh_get`` and ``mesh_get_point`` give them."""

    @wp.kernel
    def ask(mesh: wp.uint64, out: wp.array(dtype=float)):
        i = wp.tid()
        m = wp.mesh_get(mesh)
        p = m.points[m.indices[3 * i]]
        out[i] = p[0] * p[1] + 3.0 * wp.mesh_get_point(mesh, 3 * i + 1)[2] + m.velocities[i][1]

    points, faces = sphere(4)
    speeds = wp.zeros(len(points), dtype=wp.vec3, requires_grad=True)
    mesh = built(points, faces, True, velocities=speeds)
    out = wp.zeros(5, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(ask, 5, inputs=[mesh], outputs=[out])
    tape.backward(grads={out: wp.ones(5, dtype=float)})
    right = np.zeros(points.shape)
    for a, b, _ in faces[:5]:
        right[a] += [points[a, 1], points[a, 0], 0]
        right[b] += [0, 0, 3]
    np.testing.assert_allclose(mesh.points.grad.numpy(), right, atol=1e-6)
    np.testing.assert_array_equal(speeds.grad.numpy(), np.where(np.arange(len(points))[:, None] < 5, [0, 1, 0], 0))


def test_a_mesh_is_fitted_to_distances_by_gradients() -> None:
    points, faces = sphere(6)
    mesh = built(points * np.float32(0.6), faces, grad=True)
    at = RNG.normal(size=(400, 3))
    at = wp.array((at / np.linalg.norm(at, axis=1, keepdims=True)).astype(np.float32), dtype=wp.vec3)
    out = wp.zeros(400, dtype=float, requires_grad=True)
    ones, losses = wp.full(400, 1.0, dtype=float), []
    for _ in range(40):
        with wp.Tape() as tape:
            wp.launch(energy, dim=400, inputs=[mesh, at, at, 0], outputs=[out])
        losses.append(out.numpy().mean())
        tape.backward(grads={out: ones})
        mesh.points.assign(mesh.points.numpy() - np.float32(0.004) * mesh.points.grad.numpy())
        mesh.refit()
        tape.zero()
    assert losses[-1] < 0.25 * losses[0]
