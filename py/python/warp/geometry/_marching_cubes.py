"""Marching cubes: surfaces of triangles where a field goes through a threshold."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any, ClassVar

import warp as wp
from warp import _warp
from warp._language.decorators import kernel
from warp._warp import array
from warp.geometry import _rows, _tables
from warp.geometry._arguments import Corner, field_of
from warp.geometry._iso_surface import IsoSurfaceBase
from warp.geometry._rows import case_of, crossed_cells, crossed_edges, lowest, on_edge, ones, vertex_on
from warp.types import vec3

__all__ = ["IsoSurfaceMarchingCubes", "MarchingCubes"]


@kernel(enable_backward=False)
def count(
    inside: wp.array3d[wp.uint32],
    known: wp.array3d[wp.uint32],
    starts: wp.array[int],
    crossed: wp.array3d[wp.vec3ui],
    active: wp.array3d[wp.uint32],
    counts: wp.array[int],
) -> None:
    """The vertices of each word of nodes, and the triangles of its cells."""
    i, j, w = wp.tid()
    at = (i * inside.shape[1] + j) * inside.shape[2] + w
    edges = crossed_edges(inside, known, i, j, w)
    cells = crossed_cells(inside, known, i, j, w)
    crossed[i, j, w] = edges
    active[i, j, w] = cells
    counts[at] = ones(edges[0]) + ones(edges[1]) + ones(edges[2])
    triangles = int(0)
    while cells != wp.uint32(0):
        case = case_of(inside, i, j, 32 * w + lowest(cells))
        triangles += (starts[case + 1] - starts[case]) // 3
        cells = cells & (cells - wp.uint32(1))
    counts[inside.shape[0] * inside.shape[1] * inside.shape[2] + at] = triangles


@kernel(enable_backward=False)
def emit_edges(crossed: wp.array3d[wp.vec3ui], places: wp.array[int], edges: wp.array[wp.vec4i]) -> None:
    """The edge of each vertex: its first node and its axis."""
    i, j, w = wp.tid()
    at = places[(i * crossed.shape[1] + j) * crossed.shape[2] + w]
    for axis in range(3):
        left = crossed[i, j, w][axis]
        while left != wp.uint32(0):
            edges[at] = wp.vec4i(i, j, 32 * w + lowest(left), axis)
            at += 1
            left = left & (left - wp.uint32(1))


@kernel(enable_backward=False)
def emit_triangles(
    inside: wp.array3d[wp.uint32],
    active: wp.array3d[wp.uint32],
    crossed: wp.array3d[wp.vec3ui],
    places: wp.array[int],
    starts: wp.array[int],
    table: wp.array[wp.vec4i],
    vertices: int,
    indices: wp.array[int],
) -> None:
    """The three vertices of each triangle of the cells of a word."""
    i, j, w = wp.tid()
    words = inside.shape[0] * inside.shape[1] * inside.shape[2]
    at = 3 * (places[words + (i * inside.shape[1] + j) * inside.shape[2] + w] - vertices)
    left = active[i, j, w]
    while left != wp.uint32(0):
        k = 32 * w + lowest(left)
        case = case_of(inside, i, j, k)
        for n in range(starts[case], starts[case + 1]):
            edge = table[n]
            indices[at] = vertex_on(crossed, places, i + edge[0], j + edge[1], k + edge[2], edge[3])
            at += 1
        left = left & (left - wp.uint32(1))


@kernel
def interpolate(
    field: wp.array3d[float],
    edges: wp.array[wp.vec4i],
    threshold: float,
    lower: wp.vec3,
    step: wp.vec3,
    verts: wp.array[wp.vec3],
) -> None:
    """Where each vertex is. The derivative of the surface is that of this kernel."""
    v = wp.tid()
    edge = edges[v]
    p = on_edge(field, edge[0], edge[1], edge[2], edge[3], threshold)
    verts[v] = lower + wp.cw_mul(p, step)


@cache
def tables_on(device: str) -> tuple[array[int], array[Any]]:
    """Where the edges of each case begin; the first node and the axis of each edge, three for each triangle."""
    starts, local = _tables.tables()
    edges = [(*_tables.CORNERS[_tables.EDGES[e][0]], _tables.axis(e)) for e in local]
    return array(starts, dtype=int, device=device), array(edges, dtype=wp.vec4i, device=device)


def triangulated(
    place: str, field: array[float], threshold: float, lower: vec3, step: vec3
) -> tuple[array[vec3], array[int]]:
    """The vertices and indices of a field that was checked."""
    device = field.device
    starts, table = tables_on(str(device))
    inside, known = _rows.classified(field, threshold)
    words = inside.shape
    crossed = _warp.empty(words, dtype=wp.vec3ui, device=device)
    active = _warp.empty(words, dtype=wp.uint32, device=device)
    counts = _warp.zeros(2 * inside.size + 1, dtype=int, device=device)
    _rows.launch(count, words, inside, known, starts, crossed, active, counts, device=device)
    places, (vertices, triangles) = _rows.summed(place, counts, 2)

    verts = _warp.empty(vertices, dtype=vec3, device=device, requires_grad=field.requires_grad)
    indices = _warp.empty(3 * triangles, dtype=int, device=device)
    edges = _warp.empty(vertices, dtype=wp.vec4i, device=device)
    if vertices:
        _rows.launch(emit_edges, words, crossed, places, edges, device=device)
        _rows.launch(interpolate, vertices, field, edges, threshold, lower, step, verts, device=device, record=True)
    if triangles:
        more = (inside, active, crossed, places, starts, table, vertices, indices)
        _rows.launch(emit_triangles, words, *more, device=device)
    return verts, indices


class IsoSurfaceMarchingCubes(IsoSurfaceBase):
    """Surfaces of triangles by marching cubes (W. E. Lorensen and H. E. Cline, SIGGRAPH 1987).

    Nodes with a value below the threshold are inside. Each edge of the grid between a node inside and one outside has
    one vertex, where the value between them, interpolated linearly, is the threshold. Triangles share vertices, and go
    counterclockwise as seen from outside. Where the surface does not leave the grid it is closed: each side of a
    triangle is that of one other, in the opposite direction. (Where a face has two corners inside, diagonally, the
    surface goes between them.) Triangles without area, where nodes have the value of the threshold, are kept.

    A node that is NaN counts as outside, and cells that have one stay empty.

    Vertices are differentiable: on a tape, gradients go from :attr:`verts` to the field. Indices have none.

    Args:
        nx: Nodes along x, at least 2.
        ny: Nodes along y.
        nz: Nodes along z.
        lower: Where the first node is; the origin by default.
        upper: Where the last node is; by default at its numbers, ``(nx - 1, ny - 1, nz - 1)``.
        domain_bounds_lower_corner: Deprecated: ``lower``.
        domain_bounds_upper_corner: Deprecated: ``upper``.

    Raises:
        TypeError: A size is no integer, or a corner holds something else than numbers.
        ValueError: A size is below 2, or a corner has not three finite numbers.
    """

    #: The coordinates of the corners of a cube. Bit c of a case says that corner c is inside.
    CUBE_CORNER_OFFSETS: ClassVar = _tables.CORNERS
    #: The two corners of each edge.
    EDGE_TO_CORNERS: ClassVar = _tables.EDGES
    #: Where the edges of each case begin in ``TRI_LOCAL_INDICES``; those of case c end where those of c + 1 begin.
    CASE_TO_TRI_RANGE: ClassVar = _tables.tables()[0]
    #: The edges that have the vertices, three for each triangle.
    TRI_LOCAL_INDICES: ClassVar = _tables.tables()[1]

    def __init__(
        self,
        nx: int,
        ny: int,
        nz: int,
        lower: Corner = None,
        upper: Corner = None,
        *,
        domain_bounds_lower_corner: Corner = None,
        domain_bounds_upper_corner: Corner = None,
    ) -> None:
        lower = _renamed("domain_bounds_lower_corner", domain_bounds_lower_corner, "lower", lower)
        upper = _renamed("domain_bounds_upper_corner", domain_bounds_upper_corner, "upper", upper)
        super().__init__(nx, ny, nz, lower=lower, upper=upper)

    @property
    def domain_bounds_lower_corner(self) -> Corner:
        """Deprecated: ``lower``."""
        return self.lower

    @domain_bounds_lower_corner.setter
    def domain_bounds_lower_corner(self, value: Corner) -> None:
        self.lower = _renamed("domain_bounds_lower_corner", value, "lower", None)

    @property
    def domain_bounds_upper_corner(self) -> Corner:
        """Deprecated: ``upper``."""
        return self.upper

    @domain_bounds_upper_corner.setter
    def domain_bounds_upper_corner(self, value: Corner) -> None:
        self.upper = _renamed("domain_bounds_upper_corner", value, "upper", None)

    def surface(self, field: Any, threshold: float) -> None:
        """Find the surface of a field.

        :attr:`verts` and :attr:`indices` become new arrays, of length 0 where nothing is crossed.

        Args:
            field: An array of float32 with the shape ``(nx, ny, nz)``. It need not be contiguous.
            threshold: The value on the surface; nodes below it are inside.

        Raises:
            TypeError: ``field`` is no Warp array of float32, or ``threshold`` no number.
            ValueError: ``field`` has another shape, or the surface more triangles than int32 can number.
            RuntimeError: A graph is being captured.
        """
        field, threshold = self._given(field, threshold)
        place = f"{type(self).__name__}.surface"
        self.verts, self.indices = triangulated(place, field, threshold, *self._corners())

    @classmethod
    def extract(
        cls, field: Any, threshold: float = 0.0, *, lower: Corner = None, upper: Corner = None
    ) -> tuple[array[vec3], array[int]]:
        """The surface of a field, with a grid of the field's shape.

        Args:
            field: An array of float32 with three dimensions, at least 2 nodes along each.
            threshold: The value on the surface; nodes below it are inside.
            lower: Where the first node is.
            upper: Where the last node is.

        Returns:
            The vertices, an array of ``vec3``, and three numbers of vertices (int32) for each triangle.

        Raises:
            TypeError: ``field`` is no Warp array of float32, or another argument no number.
            ValueError: ``field`` has not three dimensions or fewer than 2 nodes along one.
            RuntimeError: A graph is being captured.
        """
        nx, ny, nz = field_of(f"{cls.__name__}.extract", field).shape
        made = cls(nx, ny, nz, lower=lower, upper=upper)
        made.surface(field, threshold)
        return made.verts, made.indices

    @classmethod
    def extract_surface_marching_cubes(
        cls,
        field: Any,
        threshold: float = 0.0,
        domain_bounds_lower_corner: Corner = None,
        domain_bounds_upper_corner: Corner = None,
    ) -> tuple[array[vec3], array[int]]:
        """Deprecated: :meth:`extract`."""
        warnings.warn(
            f"{cls.__name__}.extract_surface_marching_cubes is deprecated, use extract",
            DeprecationWarning,
            stacklevel=2,
        )
        return cls.extract(field, threshold, lower=domain_bounds_lower_corner, upper=domain_bounds_upper_corner)


def _renamed(old: str, value: Any, new: str, given: Any) -> Any:
    """The value of an argument that has another name now."""
    if value is None:
        return given
    warnings.warn(f"IsoSurfaceMarchingCubes: {old} is deprecated, use {new}", DeprecationWarning, stacklevel=3)
    if given is not None:
        raise ValueError(f"IsoSurfaceMarchingCubes: both {new} and {old}, which is its older name, are given")
    return value


MarchingCubes = IsoSurfaceMarchingCubes
