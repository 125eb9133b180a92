"""Triangle meshes that the examples look at: points (n, 3) and faces (m, 3), counterclockwise from outside."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

Shape = tuple[np.ndarray, np.ndarray]


def ball(rounds: int) -> Shape:
    """A sphere of the radius 1: an icosahedron whose faces are cut into four in each round."""
    g = (1 + 5**0.5) / 2
    points = np.array([np.roll((0, a, b * g), axis) for axis in range(3) for a in (-1, 1) for b in (-1, 1)])
    # Three corners at the length of an edge from each other are a face.
    near = np.linalg.norm(points[:, None] - points, axis=2) < 2.1
    triples = [(i, j, k) for i in range(12) for j in range(i) for k in range(j) if near[i, j] & near[j, k] & near[i, k]]
    faces = np.array(triples)
    inwards = np.linalg.det(points[faces]) < 0
    faces[inwards] = faces[inwards][:, ::-1]
    for _ in range(rounds):
        edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
        edges, which = np.unique(edges, axis=0, return_inverse=True)
        a, b, c = faces.T
        ab, bc, ca = which.reshape(3, -1) + len(points)
        points = np.concatenate([points, points[edges].mean(axis=1)])
        faces = np.concatenate([np.stack(f, axis=1) for f in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    return points / np.linalg.norm(points, axis=1, keepdims=True), faces


def tube(curve: np.ndarray, radius: float, sides: int) -> Shape:
    """A rope along a closed curve that bends everywhere."""
    ahead, behind = np.roll(curve, -1, axis=0), np.roll(curve, 1, axis=0)
    along = ahead - behind
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    inwards = ahead + behind - 2 * curve
    inwards -= (inwards * along).sum(axis=1, keepdims=True) * along
    inwards /= np.linalg.norm(inwards, axis=1, keepdims=True)
    angle = 2 * np.pi * np.arange(sides)[:, None, None] / sides
    rings = curve + radius * (np.cos(angle) * inwards + np.sin(angle) * np.cross(along, inwards))
    points = rings.swapaxes(0, 1).reshape(-1, 3)
    i, j = (at.ravel() for at in np.meshgrid(np.arange(len(curve)), np.arange(sides), indexing="ij"))
    a, b = i * sides + j, i * sides + (j + 1) % sides
    c, d = ((i + 1) % len(curve) * sides + k for k in (j, (j + 1) % sides))
    return points, np.concatenate([np.stack([a, b, c], axis=1), np.stack([b, d, c], axis=1)])


def ring(big: float, small: float, count: int, sides: int) -> Shape:
    """A torus in the plane z = 0."""
    t = 2 * np.pi * np.arange(count) / count
    return tube(big * np.stack([np.cos(t), np.sin(t), 0 * t], axis=1), small, sides)


def knot(count: int, sides: int, radius: float = 0.17) -> Shape:
    """A trefoil knot in the cube from -1 to 1."""
    t = 2 * np.pi * np.arange(count) / count
    curve = np.stack([np.sin(t) + 2 * np.sin(2 * t), np.cos(t) - 2 * np.cos(2 * t), -1.2 * np.sin(3 * t)], axis=1)
    return tube(curve / 3.7, radius, sides)


def sheet(x: np.ndarray) -> Shape:
    """A grid of points (n, m, 3): two faces for each cell."""
    number = np.arange(x.shape[0] * x.shape[1]).reshape(x.shape[:2])
    a, b, c, d = (n.ravel() for n in (number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]))
    return x.reshape(-1, 3), np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def floor(height: float, half: float = 40.0) -> Shape:
    corners = [[-half, -half, height], [half, -half, height], [half, half, height], [-half, half, height]]
    return np.array(corners), np.array([[0, 1, 2], [0, 2, 3]])


def joined(*shapes: Shape) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points and faces of several shapes, and of which of them each face is."""
    begins = np.cumsum([0, *(len(points) for points, _ in shapes)])
    faces = [f + begin for (_, f), begin in zip(shapes, begins, strict=False)]
    part = np.repeat(np.arange(len(shapes)), [len(f) for f in faces])
    return np.concatenate([points for points, _ in shapes]), np.concatenate(faces), part


def normals(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Normals of points: those of their faces, weighted by area."""
    a, b, c = points[faces].swapaxes(0, 1)
    found = np.zeros_like(points, dtype=float)
    for corner in range(3):
        np.add.at(found, faces[:, corner], np.cross(b - a, c - a))
    found /= np.linalg.norm(found, axis=1, keepdims=True) + 1e-30
    return found


def mesh(points: np.ndarray, faces: np.ndarray, requires_grad: bool = False, **more: Any) -> wp.Mesh:
    return wp.Mesh(
        wp.array(points, dtype=wp.vec3, requires_grad=requires_grad), wp.array(faces.ravel(), dtype=int), **more
    )
