"""``warp.geometry.IsoSurfaceNets``: faces across crossed edges, vertices in cells, and their gradients."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp
from warp.geometry import IsoSurfaceBase, IsoSurfaceNets

from .surfaces import is_closed, is_manifold, noise, sphere, triangles, volume


def mean_of(field: np.ndarray, cell: tuple[int, ...], threshold: float) -> np.ndarray:
    """By brute force, the mean of the crossings of a cell's edges."""
    found = []
    for axis in range(3):
        for a, b in np.ndindex(2, 2):
            node = np.array(cell)
            node[(axis + 1) % 3] += a
            node[(axis + 2) % 3] += b
            other = node + (np.arange(3) == axis)
            here, there = (float(field[tuple(at)]) for at in (node, other))
            if (here < threshold) != (there < threshold):
                found.append(node + (other - node) * (threshold - here) / (there - here))
    return np.mean(found, axis=0)


def cells_of(field: np.ndarray, threshold: float) -> list[tuple[int, ...]]:
    """The cells that the surface meets, in order."""
    found = []
    for cell in np.ndindex(*(n - 1 for n in field.shape)):
        values = field[tuple(slice(at, at + 2) for at in cell)]
        below = values < threshold
        if below.any() and not below.all() and not np.isnan(values).any():
            found.append(cell)
    return found


def count_of_faces(field: np.ndarray, threshold: float) -> int:
    """The crossed edges with four cells around them."""
    cells, total = set(cells_of(field, threshold)), 0
    for node in np.ndindex(field.shape):
        for axis in range(3):
            other = tuple(np.add(node, np.arange(3) == axis).tolist())
            if other[axis] < field.shape[axis] and (field[node] < threshold) != (field[other] < threshold):
                u, v = np.arange(3) == (axis + 1) % 3, np.arange(3) == (axis + 2) % 3
                around = [tuple((np.array(node) - a * u - b * v).tolist()) for a in (0, 1) for b in (0, 1)]
                total += all(cell in cells for cell in around)
    return total


@pytest.mark.parametrize("shape", [(2, 2, 2), (5, 4, 3), (3, 4, 31), (3, 5, 32), (4, 3, 33), (3, 3, 66)])
@pytest.mark.parametrize("threshold", [0.0, 0.75])
def test_vertices_and_counts_are_those_of_brute_force(shape: tuple[int, int, int], threshold: float) -> None:
    field = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    field[0, 0, 0], field[1, 1, 1] = threshold, np.nan
    for topology, corners in (("triangle", 6), ("quad", 4)):
        verts, indices = IsoSurfaceNets.extract(wp.array(field), threshold, topology=topology)
        cells = cells_of(field, threshold)
        expected = np.array([mean_of(field, cell, threshold) for cell in cells]).reshape(-1, 3)
        np.testing.assert_allclose(verts.numpy(), expected, atol=2e-5)
        assert len(indices) == corners * count_of_faces(field, threshold)
        if len(indices):
            assert 0 <= indices.numpy().min() <= indices.numpy().max() < len(verts)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("whole", [False, True])
def test_noise_is_closed(seed: int, whole: bool) -> None:
    field = wp.array(noise(seed, whole=whole))
    verts, faces = triangles(IsoSurfaceNets.extract(field))
    assert is_closed(faces)
    assert volume(verts, faces) > 0
    assert len(np.unique(faces)) == len(verts)
    quads = IsoSurfaceNets.extract(field, topology="quad")[1].numpy().reshape(-1, 4)
    assert is_closed(quads)
    np.testing.assert_array_equal(quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3), faces)


def test_sphere() -> None:
    verts, faces = triangles(IsoSurfaceNets.extract(wp.array(sphere(40, 14.3))))
    np.testing.assert_allclose(np.linalg.norm(verts - 19.5, axis=1), 14.3, atol=0.1)
    assert volume(verts, faces) == pytest.approx(4 / 3 * np.pi * 14.3**3, rel=0.02)
    assert is_manifold(faces)
    assert len(verts) - len(faces) * 3 // 2 + len(faces) == 2
    a, b, c = verts[faces].astype(float).swapaxes(0, 1)
    outward = np.einsum("ij,ij->i", np.cross(b - a, c - a), a + b + c - 3 * 19.5)
    assert (outward > 0).all()


def test_the_object() -> None:
    nets = IsoSurfaceNets(12, 12, 12, lower=(-1, -1, -1), upper=(1, 1, 1), topology="quad")
    assert isinstance(nets, IsoSurfaceBase)
    assert nets.verts is nets.indices is None
    nets.surface(wp.array(sphere(12, 4.1)), 0.0)
    np.testing.assert_allclose(np.linalg.norm(nets.verts.numpy(), axis=1), 4.1 / 5.5, atol=0.04)
    nets.resize(4, 4, 4)
    nets.surface(wp.ones((4, 4, 4), dtype=float), 0.0)
    assert nets.verts.shape == nets.indices.shape == (0,)
    assert (nets.verts.dtype, nets.indices.dtype) == (wp.vec3, wp.int32)


def test_gradients_are_those_of_differences() -> None:
    values, threshold = noise(5, (6, 5, 7)), 0.1
    field = wp.array(values, requires_grad=True)
    with wp.Tape() as tape:
        verts, _ = IsoSurfaceNets.extract(field, threshold)
    weights = np.random.default_rng(6).normal(size=(len(verts), 3))
    tape.backward(grads={verts: wp.array(weights, dtype=wp.vec3)})
    cells = cells_of(values, threshold)
    exact, wide = np.zeros(values.shape), values.astype(float)
    for node in np.ndindex(values.shape):
        near = [v for v, cell in enumerate(cells) if all(0 <= n - c <= 1 for n, c in zip(node, cell, strict=True))]
        h = 1e-5 * abs(wide[node] - threshold)
        for sign in (-1, 1):
            moved = wide.copy()
            moved[node] += sign * h
            exact[node] += sign * sum(weights[v] @ mean_of(moved, cells[v], threshold) for v in near) / (2 * h)
    np.testing.assert_allclose(field.grad.numpy(), exact, rtol=2e-3, atol=2e-3 * np.abs(exact).max())


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match=r"IsoSurfaceNets: topology is 'hexagon', expected 'triangle' or 'quad'"):
        IsoSurfaceNets(4, 4, 4, topology="hexagon")
    with pytest.raises(ValueError, match=r"IsoSurfaceNets: nx is 0, expected 2 to"):
        IsoSurfaceNets(0, 4, 4)
    with pytest.raises(ValueError, match=r"IsoSurfaceNets\.surface: field has the shape \(4, 4, 5\)"):
        IsoSurfaceNets(4, 4, 4).surface(wp.zeros((4, 4, 5), dtype=float), 0.0)
    with pytest.raises(TypeError, match=r"IsoSurfaceNets\.extract: field is list, expected a Warp array"):
        IsoSurfaceNets.extract([1.0])
    nets = IsoSurfaceNets(4, 4, 4)
    nets.topology = "hexagon"
    with pytest.raises(ValueError, match=r"topology is 'hexagon'"):
        nets.surface(wp.zeros((4, 4, 4), dtype=float), 0.0)
