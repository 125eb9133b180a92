"""Marching cubes: a surface of triangles where a function of space is zero.

Shows how threads of which each makes another number of results share one array: they count, a running sum gives each
its place, and they write. Cubes, their 256 cases, and interpolation along edges are from Lorensen and Cline (1987).
The table of cases is made below: on each face, lines join the crossed edges so that corners inside are kept apart;
the lines of a cube form loops, and loops are cut into triangles. A face looks the same from both its cubes, so that
the surface has no holes.

    python -m warp.examples.core.marching_cubes [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared

# Corner c lies at (c & 1, c >> 1 & 1, c >> 2 & 1). An edge leads from a corner along an axis.
EDGES = [(c, axis) for axis in range(3) for c in range(8) if not c >> axis & 1]


def faces() -> list[list[int]]:
    """The corners of each face, counterclockwise as seen from outside."""
    found = []
    for axis in range(3):
        u, v = 1 << (axis + 1) % 3, 1 << (axis + 2) % 3
        for side in (0, 1 << axis):
            ring = [side, side | u, side | u | v, side | v]
            found.append(ring if side else ring[::-1])
    return found


def triangles_of(case: int) -> list[tuple[int, int, int]]:
    """Triangles of a cube whose corners with a bit in `case` are inside, as triples of edges."""

    def edge(a: int, b: int) -> int:
        return EDGES.index((min(a, b), (a ^ b).bit_length() - 1))

    after: dict[int, int] = {}
    for ring in faces():
        inside = [case >> c & 1 for c in ring]
        for at in range(4):
            if inside[at] and not inside[at - 1]:  # the line leaves round this corner and those inside behind it
                end = at
                while inside[(end + 1) % 4]:
                    end = (end + 1) % 4
                after[edge(ring[end], ring[(end + 1) % 4])] = edge(ring[at - 1], ring[at])
    triangles = []
    while after:
        first, second = after.popitem()
        while second in after and after[second] != first:
            third = after.pop(second)
            triangles.append((first, third, second))
            second = third
        after.pop(second, None)
    return triangles


def tables() -> tuple[np.ndarray, np.ndarray]:
    """How many triangles each case has, and their edges, three for each triangle."""
    cases = [triangles_of(case) for case in range(256)]
    counts = np.array([len(case) for case in cases], dtype=np.int32)
    edges = np.zeros((256, 3 * counts.max()), dtype=np.int32)
    for row, case in zip(edges, cases, strict=True):
        row[: 3 * len(case)] = np.ravel(case)
    return counts, edges


@wp.func
def case_of(field: wp.array3d[float], i: int, j: int, k: int) -> int:
    case = int(0)
    for c in range(8):
        if field[i + (c & 1), j + ((c >> 1) & 1), k + ((c >> 2) & 1)] < 0.0:
            case = case | (1 << c)
    return case


@wp.kernel
def count(field: wp.array3d[float], counts: wp.array[int], numbers: wp.array3d[int]) -> None:
    i, j, k = wp.tid()
    numbers[i, j, k] = counts[case_of(field, i, j, k)]


@wp.kernel
def emit(
    field: wp.array3d[float],
    counts: wp.array[int],
    edges: wp.array2d[int],
    leads: wp.array2d[int],
    ends: wp.array3d[int],
    vertices: wp.array2d[wp.vec3],
) -> None:
    i, j, k = wp.tid()
    case = case_of(field, i, j, k)
    n = counts[case]
    for t in range(3 * n):
        edge = edges[case, t]
        corner = leads[edge, 0]
        axis = leads[edge, 1]
        a = i + (corner & 1)
        b = j + ((corner >> 1) & 1)
        c = k + ((corner >> 2) & 1)
        p = wp.vec3(float(a), float(b), float(c))
        here = field[a, b, c]
        there = field[a + int(axis == 0), b + int(axis == 1), c + int(axis == 2)]
        p[axis] = p[axis] + here / (here - there)
        vertices[ends[i, j, k] - n + t // 3, t % 3] = p


def surface(field: np.ndarray) -> np.ndarray:
    """Triangles, counterclockwise from outside, where the field goes through zero; it is negative inside."""
    counts, edges = (wp.array(table) for table in tables())
    values, leads = wp.array(field, dtype=float), wp.array(EDGES, dtype=int)
    cells = tuple(n - 1 for n in field.shape)
    numbers = wp.empty(cells, dtype=int)
    wp.launch(count, dim=cells, inputs=[values, counts], outputs=[numbers])
    ends = np.cumsum(numbers.numpy(), dtype=np.int32).reshape(cells)
    vertices = wp.empty((int(ends[-1, -1, -1]), 3), dtype=wp.vec3)
    wp.launch(emit, dim=cells, inputs=[values, counts, edges, leads, ends], outputs=[vertices])
    return np.array(vertices.numpy())


def knot(side: int) -> np.ndarray:
    """Distance to a trefoil knot, less the thickness of the rope."""
    t = np.linspace(0, 2 * np.pi, 240, endpoint=False)
    curve = np.stack([np.sin(t) + 2 * np.sin(2 * t), np.cos(t) - 2 * np.cos(2 * t), -1.2 * np.sin(3 * t)], axis=1) / 4.2
    axis = np.linspace(-1, 1, side, dtype=np.float32)
    x, y, z = np.meshgrid(axis, axis, axis, indexing="ij")
    least = np.full(x.shape, np.inf, dtype=np.float32)
    for p in curve.astype(np.float32):
        least = np.minimum(least, (x - p[0]) ** 2 + (y - p[1]) ** 2 + (z - p[2]) ** 2)
    return np.sqrt(least) - 0.15


def draw(triangles: np.ndarray, file: str) -> None:
    with _shared.sheet(file, size=(7.5, 7.5), dark=True) as axes:
        _shared.solid(axes, triangles, colour="#f2a65a", edge="#00000030")
        _shared.bare(axes, f"a trefoil knot of {len(triangles)} triangles")


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments)
    with wp.ScopedDevice(options.device):
        triangles = surface(knot(64))
    a, b, c = triangles.swapaxes(0, 1)
    volume = np.einsum("ij,ij->", a.astype(float), np.cross(b, c)) / 6
    print(f"{len(triangles)} triangles round {volume:.0f} cells of space")
    if not options.headless:
        draw(triangles, options.picture)


if __name__ == "__main__":
    main()
