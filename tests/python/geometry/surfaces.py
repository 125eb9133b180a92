"""What tests of surfaces share: fields, and facts about triangles."""

from __future__ import annotations

from typing import Any

import numpy as np


def noise(seed: int, shape: tuple[int, int, int] = (9, 8, 37), whole: bool = False) -> np.ndarray:
    """A field of noise that is outside at the border; of whole numbers, so that many are the threshold, if `whole`."""
    field = np.random.default_rng(seed).normal(size=shape).astype(np.float32)
    if whole:
        field = np.round(field)
    field[[0, -1]] = field[:, [0, -1]] = field[:, :, [0, -1]] = 1
    return field


def sphere(side: int, radius: float) -> np.ndarray:
    """The distance to a sphere round the middle of a grid."""
    at = np.arange(side) - (side - 1) / 2
    squares = at[:, None, None] ** 2 + at[None, :, None] ** 2 + at[None, None, :] ** 2
    return (np.sqrt(squares) - radius).astype(np.float32)


def sides(faces: np.ndarray) -> np.ndarray:
    """The sides of faces, each with the direction in which its face goes."""
    return np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2)


def is_closed(faces: np.ndarray) -> bool:
    """Whether each side of a face is that of as many others in the opposite direction."""
    there, back = (np.unique(ends, axis=0, return_counts=True) for ends in (sides(faces), sides(faces)[:, ::-1]))
    return all(np.array_equal(a, b) for a, b in zip(there, back, strict=True))


def is_manifold(faces: np.ndarray) -> bool:
    """Whether each side of a face is that of exactly one other, in the opposite direction."""
    return is_closed(faces) and len(np.unique(sides(faces), axis=0)) == len(sides(faces))


def volume(verts: np.ndarray, faces: np.ndarray) -> float:
    """The volume within triangles: positive if they go counterclockwise as seen from outside."""
    a, b, c = verts.astype(float)[faces].swapaxes(0, 1)
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def triangles(surface: tuple[Any, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles as NumPy's arrays."""
    verts, indices = surface
    return verts.numpy(), indices.numpy().reshape(-1, 3)
