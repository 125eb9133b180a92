"""Marching cubes in some cells of a grid, and in those near the surface of a function."""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np
import warp as wp
from warp import _warp
from warp._devices.stream import DeviceLike
from warp._language.decorators import func, kernel
from warp._warp import array
from warp.geometry import _tables
from warp.geometry._arguments import MOST, Corner, array_of, integer, number, point, positive
from warp.geometry._marching_cubes import tables_on
from warp.geometry._octree import Field, checked, near_cells, values_of
from warp.geometry._rows import launch, summed
from warp.types import float32, int32, vec3, vec3i

__all__ = ["sparse_marching_cubes", "sparse_marching_cubes_from_cells"]

#: Cells along each axis at most: the number of a node fits 20 bits.
SPAN = 1 << 20


@func
def packed(node: wp.vec3i, first: wp.vec3i, axis: int) -> wp.int64:
    """A number for an edge from a node, in the order of nodes."""
    key = (wp.int64(node[0] - first[0]) << wp.int64(20)) | wp.int64(node[1] - first[1])
    return (((key << wp.int64(20)) | wp.int64(node[2] - first[2])) << wp.int64(2)) | wp.int64(axis)


@func
def corner_of(c: int) -> wp.vec3i:
    """The coordinates of a corner, in the order of CUBE_CORNER_OFFSETS."""
    x = ((c + 1) >> 1) & 1
    return wp.vec3i(x, (c >> 1) & 1, c >> 2)


@kernel(enable_backward=False)
def name_corners(cells: wp.array[wp.vec3i], first: wp.vec3i, keys: wp.array[wp.int64], refs: wp.array[int]) -> None:
    n = wp.tid()
    keys[n] = packed(cells[n // 8] + corner_of(n % 8), first, 0)
    refs[n] = n


@kernel(enable_backward=False)
def count_edges(
    corners: wp.array2d[float], threshold: float, starts: wp.array[int], cases: wp.array[int], counts: wp.array[int]
) -> None:
    """The case of each cell, how many edges it crosses, and how many corners its triangles have."""
    n = wp.tid()
    case = int(0)
    known = wp.bool(True)
    for c in range(8):
        value = corners[n, c]
        if value < threshold:
            case = case | (1 << c)
        known = known and value == value
    if not known:
        case = 0
    edges = int(0)
    for e in range(12):
        a, b = ends_of(e)
        edges += ((case >> a) ^ (case >> b)) & 1
    cases[n] = case
    counts[n] = edges
    counts[cases.shape[0] + n] = starts[case + 1] - starts[case]


@func
def ends_of(e: int) -> tuple[int, int]:
    """The corners of an edge, in the order of EDGE_TO_CORNERS: round the bottom, round the top, upwards."""
    a, b = e - 8, e - 4
    if e < 8:
        side = e & 3
        base = e & 4
        a, b = base + side, base + ((side + 1) & 3)
        if side >= 2:
            a, b = b, a
    return a, b


@kernel(enable_backward=False)
def name_edges(
    cells: wp.array[wp.vec3i],
    first: wp.vec3i,
    cases: wp.array[int],
    places: wp.array[int],
    keys: wp.array[wp.int64],
    refs: wp.array[int],
) -> None:
    n = wp.tid()
    at = places[n]
    for e in range(12):
        a, b = ends_of(e)
        if ((cases[n] >> a) ^ (cases[n] >> b)) & 1 == 1:
            low = corner_of(a)
            along = corner_of(b) - low
            keys[at] = packed(cells[n] + low, first, along[1] + 2 * along[2])
            refs[at] = 12 * n + e
            at += 1


@kernel(enable_backward=False)
def find_first(keys: wp.array[wp.int64], flags: wp.array[int]) -> None:
    """Whether a key is the first of its kind."""
    n = wp.tid()
    flags[n] = int(n == 0 or keys[wp.max(n - 1, 0)] != keys[n])


@kernel(enable_backward=False)
def number_them(
    flags: wp.array[int], places: wp.array[int], refs: wp.array[int], owners: wp.array[int], numbers: wp.array[int]
) -> None:
    """The number of each reference's kind, and the first reference of each kind."""
    n = wp.tid()
    kind = places[n + 1] - 1
    numbers[refs[n]] = kind
    if places[n + 1] > places[n]:
        owners[kind] = refs[n]


@kernel(enable_backward=False)
def emit(
    cases: wp.array[int],
    starts: wp.array[int],
    local: wp.array[int],
    numbers: wp.array[int],
    places: wp.array[int],
    edges: int,
    indices: wp.array[int],
) -> None:
    n = wp.tid()
    at = places[cases.shape[0] + n] - edges
    for t in range(starts[cases[n]], starts[cases[n] + 1]):
        indices[at] = numbers[12 * n + local[t]]
        at += 1


@kernel
def interpolate(
    corners: wp.array2d[float],
    cells: wp.array[wp.vec3i],
    owners: wp.array[int],
    threshold: float,
    lower: wp.vec3,
    step: wp.vec3,
    verts: wp.array[wp.vec3],
) -> None:
    """Where each vertex is: on an edge of the first cell that has it."""
    v = wp.tid()
    n = owners[v] // 12
    a, b = ends_of(owners[v] % 12)
    here, there = corners[n, a], corners[n, b]
    t = (threshold - here) / (there - here)
    if not (t >= 0.0 and t <= 1.0):  # of infinite values
        t = 0.5
    low = corner_of(a)
    along = corner_of(b) - low
    node = cells[n] + low
    p = wp.vec3(float(node[0]), float(node[1]), float(node[2]))
    p = p + wp.vec3(float(along[0]), float(along[1]), float(along[2])) * t
    verts[v] = lower + wp.cw_mul(p, step)


@kernel(enable_backward=False)
def place_nodes(
    cells: wp.array[wp.vec3i], owners: wp.array[int], lower: wp.vec3, step: wp.vec3, points: wp.array[wp.vec3]
) -> None:
    n = wp.tid()
    node = cells[owners[n] // 8] + corner_of(owners[n] % 8)
    points[n] = lower + wp.cw_mul(wp.vec3(float(node[0]), float(node[1]), float(node[2])), step)


@kernel
def spread(values: wp.array[float], numbers: wp.array[int], corners: wp.array2d[float]) -> None:
    n, c = wp.tid()
    corners[n, c] = values[numbers[8 * n + c]]


def _shared(place: str, keys: Any, refs: Any, count: int, most: int) -> tuple[Any, Any]:
    """The first reference of each key, and the number of the key of each of `most` references."""
    device = keys.device
    flags = _warp.zeros(count + 1, dtype=int, device=device)
    numbers = _warp.zeros(most, dtype=int, device=device)
    if count:
        _warp.radix_sort_pairs(keys, refs, count)
        launch(find_first, count, keys, flags, device=device)
    places, (kinds,) = summed(place, flags, 1)
    owners = _warp.empty(kinds, dtype=int, device=device)
    if count:
        launch(number_them, count, flags, places, refs, owners, numbers, device=device)
    return owners, numbers


def _surface(
    place: str, cells: Any, corners: Any, first: vec3i, threshold: float, lower: vec3, step: vec3
) -> tuple[array[Any], array[Any]]:
    """The triangles in cells whose corners have values."""
    device, count = cells.device, len(cells)
    starts = tables_on(str(device))[0]
    local = array(_tables.tables()[1], dtype=int, device=device)
    cases = _warp.empty(count, dtype=int, device=device)
    counts = _warp.zeros(2 * count + 1, dtype=int, device=device)
    edges = length = 0
    places = counts
    if count:
        launch(count_edges, count, corners, threshold, starts, cases, counts, device=device)
        places, (edges, length) = summed(place, counts, 2)
    keys = _warp.empty(2 * edges, dtype=wp.int64, device=device)
    refs = _warp.empty(2 * edges, dtype=int, device=device)
    if edges:
        launch(name_edges, count, cells, first, cases, places, keys, refs, device=device)
    owners, numbers = _shared(place, keys, refs, edges, 12 * count)
    verts = _warp.empty(len(owners), dtype=vec3, device=device, requires_grad=corners.requires_grad)
    indices = _warp.empty(length, dtype=int, device=device)
    if edges:
        more = (corners, cells, owners, threshold, lower, step, verts)
        launch(interpolate, len(owners), *more, device=device, record=True)
        launch(emit, count, cases, starts, local, numbers, places, edges, indices, device=device)
    return verts, indices


def sparse_marching_cubes_from_cells(
    cells: Any,
    corner_values: Any,
    origin: Any = (0.0, 0.0, 0.0),
    cell_width: float = 1.0,
    threshold: float = 0.0,
    device: DeviceLike = None,
) -> tuple[array[Any], array[Any]]:
    """Marching cubes in some cells of a grid, by the values at their corners.

    Cells share the vertices on their common edges, where the values of the first cell count. A cell with a NaN stays
    empty. On a tape, gradients go from vertices to ``corner_values``.

    Args:
        cells: The coordinates of each cell: an array of ``vec3i``, or of int32 with the shape ``(n, 3)``, or what NumPy
            makes such an array of. They span less than 2^20 cells along each axis.
        corner_values: The values at the corners of each cell, in the order of
            ``IsoSurfaceMarchingCubes.CUBE_CORNER_OFFSETS``: an array of float32 with the shape ``(n, 8)``.
        origin: Where the node (0, 0, 0) is.
        cell_width: The width of a cell.
        threshold: The value on the surface; corners below it are inside.
        device: Where arrays of NumPy go; that of the Warp arrays, or the current device, by default.

    Returns:
        The vertices, an array of ``vec3``, and three numbers of vertices (int32) for each triangle.

    Raises:
        TypeError: An array holds something else, or an argument is no number.
        ValueError: An array has another shape or device, the width is not positive, or cells span too much.
        RuntimeError: A graph is being captured.
    """
    place = "sparse_marching_cubes_from_cells"
    known = [given.device for given in (cells, corner_values) if isinstance(given, array)]
    at = known[0] if device is None and known else _warp.get_device(device)
    if at.is_capturing:
        raise RuntimeError(f"{place}: a graph is being captured; how many vertices there are is known only later")
    if not isinstance(cells, array):
        cells = array(_numpy(place, "cells", cells, np.int32, 3), dtype=vec3i, device=at)
    elif cells.dtype is int32:
        cells = _triples(place, cells)
    if not isinstance(corner_values, array):
        corner_values = array(_numpy(place, "corner_values", corner_values, np.float32, 8), dtype=float32, device=at)
    cells = array_of(place, "cells", cells, vec3i, 1, at)
    corners = array_of(place, "corner_values", corner_values, float32, 2, at)
    if corners.shape != (len(cells), 8):
        raise ValueError(f"{place}: corner_values has the shape {corners.shape}, expected {(len(cells), 8)}")
    low, width = vec3(*point(place, "origin", origin)), positive(place, "cell_width", cell_width)
    level, first = number(place, "threshold", threshold), vec3i()
    if 12 * len(cells) > MOST:
        raise ValueError(f"{place}: there are {len(cells)} cells, expected at most {MOST // 12}")
    if len(cells):
        found = cells.numpy().astype(np.int64)
        least, most = found.min(0), found.max(0)
        if (most - least).max() > SPAN - 2:
            raise ValueError(
                f"{place}: cells span {(most - least + 1).tolist()}, expected at most {SPAN - 1} along each axis"
            )
        first = vec3i(*least.tolist())
    return _surface(place, cells, corners, first, level, low, vec3(width))


def _numpy(place: str, name: str, value: Any, dtype: Any, width: int) -> np.ndarray:
    """What NumPy makes of an argument: rows of a width."""
    try:
        found = np.asarray(value)
    except ValueError:
        raise TypeError(
            f"{place}: {name} is {type(value).__name__}, expected numbers with the shape (n, {width})"
        ) from None
    if found.size == 0:
        return np.zeros((0, width), dtype)
    if found.dtype.kind not in ("iu" if dtype is np.int32 else "iuf"):
        raise TypeError(f"{place}: {name} holds {found.dtype}, expected {np.dtype(dtype)}")
    if found.ndim != 2 or found.shape[1] != width:
        raise ValueError(f"{place}: {name} has the shape {found.shape}, expected (n, {width})")
    return found.astype(dtype)


@kernel(enable_backward=False)
def gather_cells(rows: wp.array2d[int], cells: wp.array[wp.vec3i]) -> None:
    n = wp.tid()
    cells[n] = wp.vec3i(rows[n, 0], rows[n, 1], rows[n, 2])


def _triples(place: str, rows: Any) -> Any:
    """Rows of three integers as vectors."""
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise ValueError(f"{place}: cells has the shape {rows.shape}, expected (n, 3)")
    cells = _warp.empty(len(rows), dtype=vec3i, device=rows.device)
    if len(rows):
        launch(gather_cells, len(rows), rows, cells, device=rows.device)
    return cells


@overload
def sparse_marching_cubes(
    field: Field,
    nx: int,
    ny: int,
    nz: int,
    *,
    lower: Corner = None,
    upper: Corner = None,
    threshold: float = 0.0,
    lipschitz_bound: float = 1.0,
    device: DeviceLike = None,
    return_stats: Literal[False] = False,
) -> tuple[array[Any], array[Any]]: ...
@overload
def sparse_marching_cubes(
    field: Field,
    nx: int,
    ny: int,
    nz: int,
    *,
    lower: Corner = None,
    upper: Corner = None,
    threshold: float = 0.0,
    lipschitz_bound: float = 1.0,
    device: DeviceLike = None,
    return_stats: Literal[True],
) -> tuple[array[Any], array[Any], dict[str, Any]]: ...
def sparse_marching_cubes(
    field: Field,
    nx: int,
    ny: int,
    nz: int,
    *,
    lower: Corner = None,
    upper: Corner = None,
    threshold: float = 0.0,
    lipschitz_bound: float = 1.0,
    device: DeviceLike = None,
    return_stats: bool = False,
) -> Any:
    """The surface of a function, as marching cubes on the whole grid find it, from evaluations near the surface only.

    An octree (see :func:`lipschitz_octree`) finds the cells of the grid that may have the surface; the function is then
    evaluated once at each of their nodes. On a tape, gradients go from vertices through those values: to what the
    function's result depends on, if that has a gradient.

    Args:
        field: A function that takes an array of ``vec3``, any number of points, and returns an array of float32 with a
            value for each, on the same device.
        nx: Nodes of the grid along x, 2 to 2^20.
        ny: Nodes along y.
        nz: Nodes along z.
        lower: Where the first node is; the origin by default.
        upper: Where the last node is; by default at its numbers, ``(nx - 1, ny - 1, nz - 1)``.
        threshold: The value on the surface; nodes below it are inside.
        lipschitz_bound: How steep the function is at most; 1 for distances.
        device: Where points lie; the current device by default.
        return_stats: Whether counts are returned, too.

    Returns:
        The vertices, an array of ``vec3``, and three numbers of vertices (int32) for each triangle. Then, if asked for,
        a dictionary: ``leaf_cells`` and ``unique_corners``, where the surface may be; ``field_evaluations``;
        ``resolution``, the cells of the octree along an axis; ``requested_ncells``, those of the grid; and
        ``culled_cells``, those of the octree that were dropped because they are outside of the grid.

    Raises:
        TypeError: ``field`` cannot be called or returns something else than an array of float32, or an argument is no
            number.
        ValueError: A size or bound is out of range, or the result has another length or device.
        RuntimeError: A graph is being captured.
    """
    place = "sparse_marching_cubes"
    slope, at = checked(place, field, lipschitz_bound, device)
    nodes = [integer(place, name, n, 2) for name, n in (("nx", nx), ("ny", ny), ("nz", nz))]
    if max(nodes) > SPAN:
        raise ValueError(f"{place}: the grid has {tuple(nodes)} nodes, expected at most {SPAN} along each axis")
    low = (0.0, 0.0, 0.0) if lower is None else point(place, "lower", lower)
    high = tuple(n - 1.0 for n in nodes) if upper is None else point(place, "upper", upper)
    a, b, c = ((y - x) / (n - 1) for x, y, n in zip(low, high, nodes, strict=True))
    level, step, corner = number(place, "threshold", threshold), vec3(a, b, c), vec3(*low)
    limit = (nodes[0] - 1, nodes[1] - 1, nodes[2] - 1)
    depth = (max(limit) - 1).bit_length()
    cells, stats = near_cells(place, field, corner, (a, b, c), limit, depth, level, slope, at)

    count = len(cells)
    keys = _warp.empty(16 * count, dtype=wp.int64, device=at)
    refs = _warp.empty(16 * count, dtype=int, device=at)
    if count:
        launch(name_corners, 8 * count, cells, vec3i(), keys, refs, device=at)
    owners, numbers = _shared(place, keys, refs, 8 * count, 8 * count)
    if count:
        points = _warp.empty(len(owners), dtype=vec3, device=at)
        launch(place_nodes, len(owners), cells, owners, corner, step, points, device=at)
        values = values_of(place, field, points)
        corners = _warp.empty((count, 8), dtype=float32, device=at, requires_grad=values.requires_grad)
        launch(spread, (count, 8), values, numbers, corners, device=at, record=True)
    else:
        corners = _warp.empty((0, 8), dtype=float32, device=at)
    verts, indices = _surface(place, cells, corners, vec3i(), level, corner, step)
    if not return_stats:
        return verts, indices
    found = {
        "leaf_cells": count,
        "unique_corners": len(owners),
        "field_evaluations": stats["field_evaluations"] + len(owners),
        "resolution": 1 << depth,
        "requested_ncells": limit,
        "culled_cells": stats["culled_cells"],
    }
    return verts, indices, found
