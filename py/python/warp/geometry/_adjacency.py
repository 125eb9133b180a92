"""Neighbours of triangles, and flips of edges that make a triangulation Delaunay."""

from __future__ import annotations

from typing import Any, Literal, overload

import warp as wp
from warp import _warp
from warp._geometry.sides import name_sides
from warp._language.decorators import func, kernel
from warp._warp import array
from warp.geometry._arguments import MOST, array_of, integer, number
from warp.geometry._rows import launch
from warp.types import int32, vec2

__all__ = ["delaunay_edge_flip", "find_triangle_neighbor_edge_index", "tri_tri_adjacency"]


@func
def find_triangle_neighbor_edge_index(triangle_neighbors: wp.array2d[int], triangle: int, neighbor: int) -> int:
    """In kernels: which side of a triangle is at a neighbour.

    Args:
        triangle_neighbors: What :func:`tri_tri_adjacency` found.
        triangle: The triangle.
        neighbor: Another one.

    Returns:
        The first j with ``triangle_neighbors[triangle, j] == neighbor``, or -1.
    """
    found = int(-1)
    for j in range(3):
        if found < 0 and triangle_neighbors[triangle, j] == neighbor:
            found = j
    return found


@kernel(enable_backward=False)
def join_sides(
    keys: wp.array[wp.int64], sides: wp.array[int], neighbors: wp.array2d[int], edges: wp.array2d[int]
) -> None:
    """Of the sorted sides, the first two of each key are neighbours. `edges` may be without elements."""
    at = wp.tid()
    key = keys[at]
    if (at == 0 or keys[wp.max(at - 1, 0)] != key) and at + 1 < neighbors.shape[0] * 3 and keys[at + 1] == key:
        a, b = sides[at], sides[at + 1]
        neighbors[a // 3, a % 3] = b // 3
        neighbors[b // 3, b % 3] = a // 3
        if edges.shape[0] > 0:
            edges[a // 3, a % 3] = b % 3
            edges[b // 3, b % 3] = a % 3


def _triangles_of(place: str, indices: Any) -> array[Any]:
    found = array_of(place, "indices", indices, int32, 2)
    if found.shape[1] != 3:
        raise ValueError(f"{place}: indices has the shape {found.shape}, expected three vertices in each row")
    if 6 * len(found) > MOST:
        raise ValueError(f"{place}: indices has {len(found)} triangles, expected at most {MOST // 6}")
    return found


@overload
def tri_tri_adjacency(
    indices: Any, vertex_count: int | None = None, return_neighbor_edge_indices: Literal[True] = True
) -> tuple[array[Any], array[Any]]: ...
@overload
def tri_tri_adjacency(
    indices: Any, vertex_count: int | None = None, *, return_neighbor_edge_indices: Literal[False]
) -> array[Any]: ...
@overload
def tri_tri_adjacency(
    indices: Any, vertex_count: int | None = None, return_neighbor_edge_indices: bool = True
) -> array[Any] | tuple[array[Any], array[Any]]: ...
def tri_tri_adjacency(
    indices: Any, vertex_count: int | None = None, return_neighbor_edge_indices: bool = True
) -> array[Any] | tuple[array[Any], array[Any]]:
    """The neighbours of each triangle of a mesh, found by sorting sides. Graphs may record it.

    Side j of a triangle is opposite of its vertex j. Triangles may be oriented in any way. Where more than two
    triangles have a side, the first two are neighbours there. A triangle that names a vertex twice, or one that is
    none, has no neighbours.

    Args:
        indices: The vertices of each triangle, an array of int32 with the shape ``(n, 3)``.
        vertex_count: How many vertices there are; any number by default.
        return_neighbor_edge_indices: Whether the sides of neighbours are found, too.

    Returns:
        ``neighbors``, an array of int32 with the shape ``(n, 3)``: the triangle at each side, -1 where there is none;
        and, in a tuple with it, an array of the same shape with the side of that triangle, -1 where there is none.

    Raises:
        TypeError: ``indices`` is no Warp array of int32, or ``vertex_count`` no integer.
        ValueError: ``indices`` has another shape, or ``vertex_count`` is negative.
    """
    place = "tri_tri_adjacency"
    indices = _triangles_of(place, indices)
    vertices = MOST if vertex_count is None else integer(place, "vertex_count", vertex_count, 0)
    count, device = len(indices), indices.device
    neighbors = _warp.full((count, 3), -1, dtype=int, device=device)
    edges = _warp.full((count if return_neighbor_edge_indices else 0, 3), -1, dtype=int, device=device)
    if count:
        # The sort needs as much memory again.
        keys = _warp.empty(6 * count, dtype=wp.int64, device=device)
        sides = _warp.empty(6 * count, dtype=int, device=device)
        launch(name_sides, count, indices, vertices, keys, sides, device=device)
        _warp.radix_sort_pairs(keys, sides, 3 * count)
        launch(join_sides, 3 * count, keys, sides, neighbors, edges, device=device)
    return (neighbors, edges) if return_neighbor_edge_indices else neighbors


@func
def area(a: wp.vec2d, b: wp.vec2d, c: wp.vec2d) -> wp.float64:
    """Positive if the corners go counterclockwise."""
    return wp.float64(0.5) * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


@func
def in_circle(a: wp.vec2d, b: wp.vec2d, c: wp.vec2d, d: wp.vec2d) -> wp.bool:
    """Whether d is in the circle through a, b, c, which go counterclockwise, by more than rounding can say."""
    p, q, r = a - d, b - d, c - d
    qr = q[0] * r[1] - q[1] * r[0]
    rp = r[0] * p[1] - r[1] * p[0]
    pq = p[0] * q[1] - p[1] * q[0]
    pp, qq, rr = wp.dot(p, p), wp.dot(q, q), wp.dot(r, r)
    bound = (
        pp * (wp.abs(q[0] * r[1]) + wp.abs(q[1] * r[0]))
        + qq * (wp.abs(r[0] * p[1]) + wp.abs(r[1] * p[0]))
        + rr * (wp.abs(p[0] * q[1]) + wp.abs(p[1] * q[0]))
    )
    return pp * qr + qq * rp + rr * pq > wp.float64(1.0e-14) * bound


@func
def wide(p: wp.vec2) -> wp.vec2d:
    return wp.vec2d(wp.float64(p[0]), wp.float64(p[1]))


@func
def around(neighbors: wp.array2d[int], t: int, j: int, u: int, k: int) -> wp.vec4i:
    """The triangles beside two that share a side, in the order of t's other sides and u's."""
    return wp.vec4i(
        neighbors[t, (j + 1) % 3], neighbors[t, (j + 2) % 3], neighbors[u, (k + 1) % 3], neighbors[u, (k + 2) % 3]
    )


@kernel(enable_backward=False)
def claim(
    positions: wp.array[wp.vec2],
    reference: wp.array[wp.vec2],
    indices: wp.array2d[int],
    neighbors: wp.array2d[int],
    edges: wp.array2d[int],
    least: wp.float64,
    least_reference: wp.float64,
    wanted: wp.array[int],
    claims: wp.array[int],
) -> None:
    """Whether a side should be flipped; if so, its triangles and those beside are for the first that wants them."""
    side = wp.tid()
    t, j = side // 3, side % 3
    u = neighbors[t, j]
    wanted[side] = 0
    if u > t:
        k = edges[t, j]
        a, b, c, d = indices[t, j], indices[t, (j + 1) % 3], indices[t, (j + 2) % 3], indices[u, k]
        beside = around(neighbors, t, j, u, k)
        sound = a != d and indices[u, (k + 1) % 3] == c and indices[u, (k + 2) % 3] == b
        for n in range(4):
            sound = sound and beside[n] != t and beside[n] != u
        if sound:
            pa, pb, pc, pd = wide(positions[a]), wide(positions[b]), wide(positions[c]), wide(positions[d])
            flip = in_circle(pa, pb, pc, pd) and area(pa, pb, pd) > least and area(pd, pc, pa) > least
            if flip and reference.shape[0] > 0:
                ra, rb, rc, rd = wide(reference[a]), wide(reference[b]), wide(reference[c]), wide(reference[d])
                flip = wp.abs(area(ra, rb, rd)) > least_reference and wp.abs(area(rd, rc, ra)) > least_reference
            if flip:
                wanted[side] = 1
                wp.atomic_min(claims, t, side)
                wp.atomic_min(claims, u, side)
                for n in range(4):
                    if beside[n] >= 0:
                        wp.atomic_min(claims, beside[n], side)


@kernel(enable_backward=False)
def decide(neighbors: wp.array2d[int], edges: wp.array2d[int], claims: wp.array[int], wanted: wp.array[int]) -> None:
    """Whether a side that wants to be flipped has all triangles that change."""
    side = wp.tid()
    if wanted[side] == 1:
        t, j = side // 3, side % 3
        u = neighbors[t, j]
        beside = around(neighbors, t, j, u, edges[t, j])
        mine = claims[t] == side and claims[u] == side
        for n in range(4):
            if beside[n] >= 0:
                mine = mine and claims[beside[n]] == side
        if not mine:
            wanted[side] = 0


@func
def join(neighbors: wp.array2d[int], edges: wp.array2d[int], t: int, j: int, u: int, k: int) -> None:
    neighbors[t, j] = u
    edges[t, j] = k
    if u >= 0:
        neighbors[u, k] = t
        edges[u, k] = j


@kernel(enable_backward=False)
def flip(
    indices: wp.array2d[int],
    neighbors: wp.array2d[int],
    edges: wp.array2d[int],
    wanted: wp.array[int],
    flipped: wp.array[int],
) -> None:
    """Two triangles (a, b, c) and (d, c, b) become (a, b, d) and (d, c, a)."""
    side = wp.tid()
    if wanted[side] == 1:
        t, j = side // 3, side % 3
        u, k = neighbors[t, j], edges[t, j]
        a, b, c, d = indices[t, j], indices[t, (j + 1) % 3], indices[t, (j + 2) % 3], indices[u, k]
        beside = around(neighbors, t, j, u, k)
        ca, ab = edges[t, (j + 1) % 3], edges[t, (j + 2) % 3]
        bd, dc = edges[u, (k + 1) % 3], edges[u, (k + 2) % 3]
        indices[t, 0], indices[t, 1], indices[t, 2] = a, b, d
        indices[u, 0], indices[u, 1], indices[u, 2] = d, c, a
        join(neighbors, edges, t, 1, u, 1)
        join(neighbors, edges, t, 2, beside[1], ab)
        join(neighbors, edges, t, 0, beside[2], bd)
        join(neighbors, edges, u, 0, beside[0], ca)
        join(neighbors, edges, u, 2, beside[3], dc)
        wp.atomic_add(flipped, 0, 1)


def delaunay_edge_flip(
    positions: Any,
    indices: Any,
    ref_positions: Any = None,
    max_passes: int = 1000,
    area_epsilon: float = 0.0,
    ref_area_epsilon: float = 1e-10,
) -> array[Any]:
    """Flip sides of triangles in the plane, until no circle round a triangle has a neighbour's corner in it.

    The flips of C. L. Lawson, "Software for C1 Surface Interpolation", 1977. In a pass, all sides flip that are not
    near one with a smaller number; the test for circles is in float64, and leaves what rounding could decide.

    Args:
        positions: The vertices, an array of ``vec2``.
        indices: The vertices of each triangle, counterclockwise: an array of int32 with the shape ``(n, 3)``. It is
            changed. No flip makes a triangle that goes clockwise.
        ref_positions: Other positions of the vertices, where flips must not make a triangle without area.
        max_passes: Passes at most, at least 1.
        area_epsilon: New triangles must have a larger area.
        ref_area_epsilon: The same for ``ref_positions``.

    Returns:
        How many sides were flipped, an array of one int32.

    Raises:
        TypeError: An array holds something else, or an argument is no number.
        ValueError: An array has another shape or device, ``max_passes`` is below 1, or an area negative or not finite.
        RuntimeError: A graph is being captured.
    """
    place = "delaunay_edge_flip"
    indices = _triangles_of(place, indices)
    device = indices.device
    positions = array_of(place, "positions", positions, vec2, 1, device)
    if ref_positions is None:
        reference = _warp.empty(0, dtype=vec2, device=device)
    else:
        reference = array_of(place, "ref_positions", ref_positions, vec2, 1, device)
        if len(reference) != len(positions):
            raise ValueError(f"{place}: ref_positions has {len(reference)} points, positions has {len(positions)}")
    passes = integer(place, "max_passes", max_passes, 1)
    least = [number(place, "area_epsilon", area_epsilon), number(place, "ref_area_epsilon", ref_area_epsilon)]
    for name, value in zip(("area_epsilon", "ref_area_epsilon"), least, strict=True):
        if not 0.0 <= value < float("inf"):
            raise ValueError(f"{place}: {name} is {value}, expected a finite number that is not negative")
    if device.is_capturing:
        raise RuntimeError(
            f"{place}: a graph is being captured; how many passes it takes is known only when they have run"
        )

    neighbors, edges = tri_tri_adjacency(indices, len(positions))
    wanted = _warp.empty(3 * len(indices), dtype=int, device=device)
    claims = _warp.empty(len(indices), dtype=int, device=device)
    flipped = _warp.zeros(1, dtype=int, device=device)
    before = 0
    for _ in range(passes if len(indices) else 0):
        claims.fill_(MOST)
        asked = (positions, reference, indices, neighbors, edges, *least, wanted, claims)
        launch(claim, len(wanted), *asked, device=device)
        launch(decide, len(wanted), neighbors, edges, claims, wanted, device=device)
        launch(flip, len(wanted), indices, neighbors, edges, wanted, flipped, device=device)
        now = int(flipped.numpy()[0])
        if now == before:
            break
        before = now
    return flipped
