"""Random and degenerate scenes for meshes, trees, hash grids and volumes, and what brute force finds in them.

Brute force computes in float64, from the float32 numbers that queries are given. Where rounding may decide, it says so:
a result is sure, impossible, or either. Coordinates are small multiples of 1/8 in half of the scenes, for which
float64 is exact and everything lies on something else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Rng = np.random.Generator
#: Of what is nearer than this to being decided otherwise, relative to its size, nothing is said.
CLOSE = 1e-11


def numbers(rng: Rng, shape: tuple[int, ...], lattice: bool, scale: float = 2.0) -> np.ndarray:
    """Coordinates: few different ones if on a lattice."""
    if lattice:
        return (rng.integers(-8, 9, shape) / 8 * scale).astype(np.float32)
    return (rng.uniform(-1, 1, shape) * scale).astype(np.float32)


def spoilt(rng: Rng, values: np.ndarray, share: float) -> np.ndarray:
    """Some of the vectors have a number that is none, or infinite."""
    values = values.copy()
    for k in np.flatnonzero(rng.random(len(values)) < share):
        values[k, rng.integers(3)] = rng.choice([np.nan, np.inf, -np.inf])
    return values


# ---- meshes


@dataclass
class Mesh:
    points: np.ndarray
    faces: np.ndarray
    groups: np.ndarray | None
    closed: bool  # whether it encloses something: a row or a block of boxes

    def corners(self) -> np.ndarray:
        """(faces, 3, 3), NaN where a corner is not finite."""
        found = self.points[self.faces].astype(np.float64)
        found[~np.isfinite(found).all(axis=(1, 2))] = np.nan
        return found


def box(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A closed box whose faces look outwards."""
    points = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * (high - low) + low
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return points.astype(np.float32), np.array([f for a, b, c, d in sides for f in ((a, b, c), (a, c, d))])


def mesh(rng: Rng) -> Mesh:
    """A soup of faces, some of them alike, turned, or without area; or boxes; or nothing."""
    lattice = rng.random() < 0.5
    kind = rng.integers(6)
    if kind == 0:
        faces = np.zeros((0, 3), int)
        return Mesh(numbers(rng, (int(rng.integers(3)), 3), lattice), faces, None, False)
    if kind <= 2:
        parts, begin = [], 0
        for _ in range(int(rng.integers(1, 4))):
            low = numbers(rng, (3,), lattice)
            points, faces = box(low, low + np.float32(0.125) + np.abs(numbers(rng, (3,), lattice)))
            parts.append((points, faces + begin))
            begin += len(points)
        points, faces = (np.concatenate(of) for of in zip(*parts, strict=True))
        return Mesh(points, rng.permutation(faces).astype(np.int32), None, True)
    points = numbers(rng, (int(rng.integers(3, 14)), 3), lattice, float(rng.choice([0.01, 1, 50])))
    faces = rng.integers(0, len(points), (int(rng.integers(1, 40)), 3))
    for k in np.flatnonzero(rng.random(len(faces)) < 0.3):  # as another one, turned or reversed
        faces[k] = faces[rng.integers(len(faces))][rng.permutation(3)]
    groups = rng.integers(-2, 3, len(faces)).astype(np.int32) if rng.random() < 0.4 else None
    return Mesh(spoilt(rng, points, 0.1 if kind == 5 else 0.0), faces.astype(np.int32), groups, False)


def places(rng: Rng, scene: Mesh, count: int) -> np.ndarray:
    """Points anywhere, on a lattice, on corners, edges and faces."""
    found = numbers(rng, (count, 3), bool(rng.integers(2)), 3.0)
    if len(scene.faces):
        corners = scene.points[rng.choice(scene.faces, count)]
        weights = rng.choice([0, 0.5, 0.25, 1], (count, 3)).astype(np.float32)
        weights[:, 2] = 1 - weights[:, 0] - weights[:, 1]
        on = np.einsum("nk,nkd->nd", weights, corners, dtype=np.float32)
        found = np.where(rng.random((count, 1)) < 0.5, on, found)
    return spoilt(rng, found, 0.05)


def rays(rng: Rng, scene: Mesh, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Starts and directions: along axes, towards corners and edges, zero."""
    starts = places(rng, scene, count)
    along = numbers(rng, (count, 3), bool(rng.integers(2)))
    with np.errstate(invalid="ignore"):
        towards = places(rng, scene, count) - starts
    along = np.where(rng.random((count, 1)) < 0.5, towards, along)
    axes = np.eye(3, dtype=np.float32)[rng.integers(3, size=count)] * rng.choice([-1, 1, 0.5], (count, 1))
    along = np.where(rng.random((count, 1)) < 0.25, axes, along)
    along[rng.random(count) < 0.03] = 0
    return starts, along.astype(np.float32)


def squares(corners: np.ndarray, p: np.ndarray) -> np.ndarray:
    """The squares of the distances of a point to triangles: to the plane, if the foot is inside, or to the edges."""
    if not np.isfinite(p).all():
        return np.full(len(corners), np.nan)
    best = np.full(len(corners), np.inf)
    for k in range(3):
        a, b = corners[:, k], corners[:, (k + 1) % 3]
        length = ((b - a) ** 2).sum(-1)
        t = np.clip(np.divide(((p - a) * (b - a)).sum(-1), length, out=np.zeros(len(a)), where=length > 0), 0, 1)
        best = np.minimum(best, ((a + t[:, None] * (b - a) - p) ** 2).sum(-1))
    a, b, c = corners.swapaxes(0, 1)
    n = np.cross(b - a, c - a)
    area = (n**2).sum(-1)
    sides = [(np.cross(y - x, p - x) * n).sum(-1) for x, y in ((a, b), (b, c), (c, a))]
    flat = (area > 0) & (np.min(sides, axis=0) >= 0)
    plane = np.divide(((p - a) * n).sum(-1) ** 2, area, out=np.full(len(a), np.inf), where=area > 0)
    return np.where(np.isnan(corners).any(axis=(1, 2)), np.nan, np.where(flat, np.minimum(best, plane), best))


def determinants(corners: np.ndarray, start: np.ndarray, along: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """On which side of a ray the edges of triangles are, and how large rounding may be."""
    from_start = corners - start
    with np.errstate(invalid="ignore"):
        sides = np.stack(
            [(np.cross(from_start[:, (k + 1) % 3], from_start[:, (k + 2) % 3]) * along).sum(-1) for k in range(3)],
            axis=1,
        )
        size = (np.abs(from_start).max(axis=(1, 2)) ** 2) * np.abs(along).max()
    return sides, size


def hits(scene: Mesh, start: np.ndarray, along: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which faces a ray meets for sure, which perhaps, and how far away they are."""
    corners, start, along = scene.corners(), start.astype(float), along.astype(float)
    if not (np.isfinite(start).all() and np.isfinite(along).all() and along.any()):
        none = np.zeros(len(corners), bool)
        return none, none, np.full(len(corners), np.inf)
    sides, size = determinants(corners, start, along)
    n = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    against = n @ along
    with np.errstate(invalid="ignore", divide="ignore"):
        height = ((corners[:, 0] - start) * n).sum(-1)
        t = height / against
        # How far rounding may put the start before or behind a face that it lies on.
        near = np.abs(height) <= CLOSE * np.abs(corners - start).max(axis=(1, 2)) * np.abs(n).max(axis=1)
        slack = CLOSE * size[:, None]
        sure = ((sides > slack).all(axis=1) | (sides < -slack).all(axis=1)) & (t > 0) & ~near
        flat = np.abs(against) <= CLOSE * size
        beside = (sides.max(axis=1) > slack[:, 0]) & (sides.min(axis=1) < -slack[:, 0])
        never = beside | ((t < 0) & ~near)
    known = np.isfinite(corners).all(axis=(1, 2))
    return sure & known & ~flat, known & ~(never & ~flat), t


def way(corners: np.ndarray, start: np.ndarray, along: np.ndarray) -> np.ndarray:
    """How far the planes of triangles are along rays."""
    a, b, c = (corners[..., k, :] for k in range(3))
    n = np.cross(b - a, c - a)
    return ((a - start) * n).sum(-1) / (along * n).sum(-1)


def is_wide(corners: np.ndarray) -> bool:
    """Whether a triangle is far from being a line."""
    edges = corners - np.roll(corners, 1, axis=0)
    return bool(np.linalg.norm(np.cross(edges[0], edges[1])) > 0.1 * (edges**2).sum(axis=1).max())


def enclosed(scene: Mesh, p: np.ndarray) -> list[bool] | None:
    """Whether a point is inside of each of the boxes of a closed scene; None if it is near a face."""
    if not np.isfinite(p).all() or np.min(squares(scene.corners(), p.astype(float))) < 1e-9:
        return None
    boxes = [scene.points[k : k + 8] for k in range(0, len(scene.points), 8)]
    return [bool(((p > box.min(axis=0)) & (p < box.max(axis=0))).all()) for box in boxes]


# ---- trees


@dataclass
class Boxes:
    lows: np.ndarray
    highs: np.ndarray
    groups: np.ndarray | None


def boxes(rng: Rng) -> Boxes:
    """Boxes that touch, points, boxes upside down, infinite ones and such without numbers."""
    lattice = rng.random() < 0.5
    count = int(rng.choice([0, 1, 2, 5, 30, 120]))
    lows = numbers(rng, (count, 3), lattice)
    highs = lows + np.abs(numbers(rng, (count, 3), lattice, float(rng.choice([0, 0.5, 2]))))
    if rng.random() < 0.3:
        lows, highs = spoilt(rng, lows, 0.1), spoilt(rng, highs, 0.1)
        turned = rng.random((count, 1)) < 0.05
        lows, highs = np.where(turned, highs, lows), np.where(turned, lows, highs)
    groups = rng.integers(-2, 3, count).astype(np.int32) if rng.random() < 0.4 else None
    return Boxes(lows, highs, groups)


def in_group(groups: np.ndarray | None, count: int, group: int | None) -> np.ndarray:
    """What a query finds of a group; one that does not exist stands for all."""
    everything = np.ones(count, bool)
    if group is None or groups is None:
        return everything
    chosen = groups == group
    return chosen if chosen.any() else everything


def overlapping(scene: Boxes, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return ((scene.lows <= high) & (scene.highs >= low)).all(axis=1)


def near_boxes(scene: Boxes, centre: np.ndarray, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """Which boxes are within a distance for sure, and which perhaps."""
    with np.errstate(invalid="ignore"):
        below, above = scene.lows.astype(float) - centre, centre - scene.highs.astype(float)
        away = np.sqrt((np.maximum(np.maximum(below, above), 0) ** 2).sum(axis=1))
        fair = (scene.lows <= scene.highs).all(axis=1) & ~np.isnan(centre).any()
        radius = max(radius, 0.0)
        # Of an infinite centre nothing is said.
        return fair & (away <= radius * (1 - 1e-6)), fair & ~(away > radius * (1 + 1e-6) + 1e-30)


def met_boxes(scene: Boxes, start: np.ndarray, along: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which boxes a ray meets for sure, and which perhaps."""
    if np.isnan(start).any() or np.isnan(along).any():
        none = np.zeros(len(scene.lows), bool)
        return none, none
    fair = (scene.lows <= scene.highs).all(axis=1)
    if not (np.isfinite(start).all() and np.isfinite(along).all()):
        return np.zeros(len(fair), bool), fair
    enter, leave, perhaps = np.zeros(len(fair)), np.full(len(fair), np.inf), fair.copy()
    with np.errstate(invalid="ignore", over="ignore"):
        for axis in range(3):
            low, high = (x[:, axis].astype(float) - float(start[axis]) for x in (scene.lows, scene.highs))
            if along[axis] == 0:
                perhaps &= (low <= 0) & (high >= 0)
                continue
            ends = np.sort(np.stack([low, high]) / float(along[axis]), axis=0)
            enter, leave = np.maximum(enter, ends[0]), np.minimum(leave, ends[1])
        slack = 1e-5 * (1 + np.abs(enter))
        return perhaps & (enter <= leave - slack), perhaps & (enter <= leave + slack)


# ---- hash grids


@dataclass
class Grid:
    dims: tuple[int, int, int]
    width: float
    points: np.ndarray  # float16, float32 or float64
    groups: np.ndarray | None


def grid(rng: Rng) -> Grid:
    dims = tuple(int(n) for n in rng.choice([1, 2, 3, 5, 8], 3))
    width = float(rng.choice([0.125, 0.1, 0.37, 1.0]))
    count = int(rng.choice([0, 1, 20, 90]))
    dtype = rng.choice([np.float32, np.float64, np.float16])
    points = numbers(rng, (count, 3), bool(rng.integers(2)), float(rng.choice([0.5, 2, 60])))
    if rng.random() < 0.2:
        points = spoilt(rng, points, 0.1)
    groups = rng.integers(-2, 3, count).astype(np.int32) if rng.random() < 0.4 else None
    return Grid(dims, width, points.astype(dtype), groups)


def wide_type(scene: Grid) -> Any:
    """The type that cells are computed in."""
    return np.float64 if scene.points.dtype == np.float64 else np.float32


def cells_of(scene: Grid, at: np.ndarray) -> np.ndarray:
    """The cells of coordinates, before the grid repeats."""
    wide = wide_type(scene)
    per_width = wide(1) / wide(scene.points.dtype.type(scene.width))
    with np.errstate(invalid="ignore", over="ignore"):
        found = np.floor(at.astype(wide) * per_width)
    return np.clip(np.nan_to_num(found, nan=0.0, posinf=2**29, neginf=-(2**29)), -(2**29), 2**29).astype(np.int64)


def candidates(scene: Grid, p: np.ndarray, reach: float, group: int | None) -> list[int]:
    """The points in the cells that a box meets: by cells, x fastest, then by groups, and by number."""
    wide = wide_type(scene)
    with np.errstate(invalid="ignore", over="ignore"):
        low, high = p.astype(wide) - wide(reach), p.astype(wide) + wide(reach)
    first, last = cells_of(scene, low), cells_of(scene, high)
    counts = np.minimum(last - first + 1, scene.dims)
    own = cells_of(scene, scene.points) % scene.dims
    order = np.arange(len(own)) if scene.groups is None else np.argsort(scene.groups, kind="stable")
    found = []
    for z in range(counts[2]):
        for y in range(counts[1]):
            for x in range(counts[0]):
                cell = (first + np.array([x, y, z])) % scene.dims
                for k in order[(own[order] == cell).all(axis=1)]:
                    if group is None or scene.groups is None or scene.groups[k] == group:
                        found.append(int(k))
    return found
