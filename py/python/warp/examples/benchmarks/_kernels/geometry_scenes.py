"""The rows of `benchmark_geometry` in numbers, for any library.

A row is made when it is its turn. Its values are kept by the first contestant, and others are held against them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

#: The sizes of everything, and those with which one sees that it runs.
LARGE = {"faces": (100_000, 1_000_000), "rays": 1_000_000, "near": 100_000, "points": 1_000_000, "side": 128}
SMALL = {"faces": (2_000,), "rays": 3_000, "near": 500, "points": 3_000, "side": 24}
SIZES: dict[str, Any] = SMALL if "BENCHMARK_ONCE" in os.environ else LARGE


@dataclass
class Scene:
    """The numbers of a row, for any library."""

    name: str
    kind: str  # which work it is, for contestants that know only some
    data: dict[str, Any]
    tolerance: float = 2e-5
    may_differ: float = 0.0  # share of values that may be off: where rounding decides


@dataclass
class Work:
    """What a contestant runs for a row, and what it finds."""

    call: Callable[[], object]
    found: Callable[[], np.ndarray] | None = None


def torus(faces: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A closed surface with bumps, whose faces are in random order."""
    sides = max(3, round((faces / 4) ** 0.5))
    n, m = faces // (2 * sides), sides
    u, v = np.meshgrid(2 * np.pi * np.arange(n) / n, 2 * np.pi * np.arange(m) / m, indexing="ij")
    rope = 0.3 * (1 + 0.12 * np.sin(13 * u) * np.sin(7 * v))
    away = 0.7 + rope * np.cos(v)
    points = np.stack([away * np.cos(u), away * np.sin(u), rope * np.sin(v)], axis=-1).reshape(-1, 3)
    i, j = (at.ravel() for at in np.meshgrid(np.arange(n), np.arange(m), indexing="ij"))
    a, b = i * m + j, (i + 1) % n * m + j
    c, d = (i + 1) % n * m + (j + 1) % m, i * m + (j + 1) % m
    found = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    return points.astype(np.float32), rng.permutation(found).astype(np.int32)


def mesh_scenes(faces: int) -> Iterator[Scene]:
    rng = np.random.default_rng(faces)
    points, corners = torus(faces, rng)
    shape = {"points": points, "faces": corners}
    size = f"{faces:.0e} faces".replace("e+0", "e")
    yield Scene(f"build, {size}", "build", shape)
    yield Scene(f"refit, {size}", "refit", shape)
    count = SIZES["rays"]
    rays = rng.normal(size=(count, 3)).astype(np.float32)
    at = {"starts": rng.uniform(-1.2, 1.2, (count, 3)).astype(np.float32)}
    at["rays"] = rays / np.linalg.norm(rays, axis=1, keepdims=True)
    yield Scene(f"rays at random, {size}", "rays", shape | at, may_differ=2e-5)
    yield Scene(f"adjoint of rays at random, {size}", "rays, adjoint", shape | at, tolerance=1e-2, may_differ=2e-3)
    yield Scene(f"any hit, {size}", "any hit", shape | at, may_differ=2e-5)
    side = round(count**0.5)
    x, y = (a.ravel() for a in np.meshgrid(*[(np.arange(side) + 0.5) / side - 0.5] * 2))
    rays = np.stack([x, np.full_like(x, 1.1), y], axis=1)
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    starts = np.broadcast_to([0.1, -2.4, 1.3], rays.shape)
    tilt = np.array([[1, 0, 0], [0, 0.88, -0.475], [0, 0.475, 0.88]])  # it looks down at the middle
    at = {"starts": starts.astype(np.float32), "rays": (rays @ tilt).astype(np.float32)}
    yield Scene(f"camera rays, {size}", "rays", shape | at, may_differ=2e-5)
    near = {"at": rng.uniform(-1.2, 1.2, (SIZES["near"], 3)).astype(np.float32)}
    yield Scene(f"closest point, {size}", "near", shape | near)
    yield Scene(f"adjoint of closest point, {size}", "near, adjoint", shape | near, tolerance=1e-2, may_differ=1e-3)
    yield Scene(f"closest point and side, rays, {size}", "near, rays", shape | near, may_differ=1e-4)
    yield Scene(f"closest point and side, winding, {size}", "near, winding", shape | near, may_differ=1e-4)


def scenes() -> Iterator[Scene]:
    """All rows, each made when it is asked for."""
    for faces in SIZES["faces"]:
        yield from mesh_scenes(faces)
    rng = np.random.default_rng(7)
    count = SIZES["points"]
    lows = rng.uniform(0, 1, (count // 10, 3)).astype(np.float32)
    boxes = {"lows": lows, "highs": lows + 0.9 * np.float32(count / 10) ** np.float32(-1 / 3)}
    yield Scene(f"boxes that overlap, {count // 10:.0e}".replace("e+0", "e"), "boxes", boxes)
    radius = (30 / count / (4 / 3 * np.pi)) ** (1 / 3)
    points: dict[str, Any] = {"points": rng.uniform(0, 1, (count, 3)).astype(np.float32), "radius": radius}
    size = f"{count:.0e} points".replace("e+0", "e")
    yield Scene(f"hash grid: build, {size}", "grid", points)
    yield Scene(f"hash grid: 30 neighbours, {size}", "neighbours", points, may_differ=1e-5)
    yield Scene(f"adjoint of hash grid: 30 neighbours, {size}", "neighbours, adjoint", points, 1e-3, 1e-5)
    side = SIZES["side"]
    values = waves(side)
    at = {"values": values, "at": rng.uniform(0, side - 1, (count, 3)).astype(np.float32)}
    yield Scene(f"volume of {side}^3, {size}", "volume", at)
    yield Scene(f"adjoint of volume of {side}^3, {size}", "volume, adjoint", at, tolerance=1e-3, may_differ=1e-4)
    yield Scene(f"texture of {side}^3, {size}", "texture", at)
    yield Scene(f"adjoint of texture of {side}^3, {size}", "texture, adjoint", at, tolerance=1e-3, may_differ=1e-3)
    yield Scene(f"marching cubes, {side}^3", "surface", {"values": values}, 1e-3)
    yield Scene(f"adjoint of marching cubes, {side}^3", "surface, adjoint", {"values": values}, 1e-2, 1e-3)


def waves(side: int) -> np.ndarray:
    """A field that goes through 0 on a surface with many handles."""
    x, y, z = np.meshgrid(*[4.4 * np.pi * np.arange(side) / side] * 3, indexing="ij")
    found = np.sin(x) * np.cos(y) + np.sin(y) * np.cos(z) + np.sin(z) * np.cos(x)
    return np.asarray(found + 0.1, dtype=np.float32)


def measured(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """How many points a surface has, and its area, whatever the order of both."""
    a, b, c = points[faces].astype(float).swapaxes(0, 1)
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2
    return np.array([len(points), area])
