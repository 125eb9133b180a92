"""Surface nets: the dual of marching cubes, with a vertex in each cell and a face across each edge."""

from __future__ import annotations

from typing import Any, Literal

import warp as wp
from warp import _warp
from warp._language.decorators import func, kernel
from warp._warp import array
from warp.geometry import _rows
from warp.geometry._arguments import Corner, field_of
from warp.geometry._iso_surface import IsoSurfaceBase
from warp.geometry._rows import crossed_cells, crossed_edges, lowest, on_edge, ones
from warp.types import vec3

__all__ = ["IsoSurfaceNets"]

TOPOLOGIES = ("triangle", "quad")


@kernel(enable_backward=False)
def mark(inside: wp.array3d[wp.uint32], known: wp.array3d[wp.uint32], active: wp.array3d[wp.uint32]) -> None:
    """Which cells the surface meets."""
    i, j, w = wp.tid()
    active[i, j, w] = crossed_cells(inside, known, i, j, w)


@func
def with_lower(active: wp.array3d[wp.uint32], i: int, j: int, w: int) -> wp.uint32:
    """For each node of a word, whether the cells above and below it along z are both met."""
    m = active[i, j, w] << wp.uint32(1)
    if w > 0:
        m = m | (active[i, j, w - 1] >> wp.uint32(31))
    return m & active[i, j, w]


@kernel(enable_backward=False)
def count(
    inside: wp.array3d[wp.uint32],
    known: wp.array3d[wp.uint32],
    active: wp.array3d[wp.uint32],
    faced: wp.array3d[wp.vec3ui],
    counts: wp.array[int],
) -> None:
    """The vertices of the cells of each word; the edges from its nodes round which are four cells that have one."""
    i, j, w = wp.tid()
    at = (i * inside.shape[1] + j) * inside.shape[2] + w
    edges = crossed_edges(inside, known, i, j, w)
    x = wp.uint32(0)
    y = wp.uint32(0)
    z = wp.uint32(0)
    if j > 0:
        x = edges[0] & with_lower(active, i, j, w) & with_lower(active, i, j - 1, w)
    if i > 0:
        y = edges[1] & with_lower(active, i, j, w) & with_lower(active, i - 1, j, w)
    if i > 0 and j > 0:
        z = edges[2] & active[i, j, w] & active[i - 1, j, w] & active[i, j - 1, w] & active[i - 1, j - 1, w]
    faced[i, j, w] = wp.vec3ui(x, y, z)
    counts[at] = ones(active[i, j, w])
    counts[inside.shape[0] * inside.shape[1] * inside.shape[2] + at] = ones(x) + ones(y) + ones(z)


@kernel(enable_backward=False)
def emit_cells(active: wp.array3d[wp.uint32], places: wp.array[int], cells: wp.array[wp.vec3i]) -> None:
    """The cell of each vertex."""
    i, j, w = wp.tid()
    at = places[(i * active.shape[1] + j) * active.shape[2] + w]
    left = active[i, j, w]
    while left != wp.uint32(0):
        cells[at] = wp.vec3i(i, j, 32 * w + lowest(left))
        at += 1
        left = left & (left - wp.uint32(1))


@func
def vertex_in(active: wp.array3d[wp.uint32], places: wp.array[int], i: int, j: int, k: int) -> int:
    """The number of the vertex in a cell."""
    w = k >> 5
    below = (wp.uint32(1) << wp.uint32(k & 31)) - wp.uint32(1)
    return places[(i * active.shape[1] + j) * active.shape[2] + w] + ones(active[i, j, w] & below)


@kernel(enable_backward=False)
def emit_faces(
    inside: wp.array3d[wp.uint32],
    active: wp.array3d[wp.uint32],
    faced: wp.array3d[wp.vec3ui],
    places: wp.array[int],
    vertices: int,
    corners: int,
    indices: wp.array[int],
) -> None:
    """The four cells round each edge, counterclockwise as seen from outside; as two triangles if `corners` is 6."""
    i, j, w = wp.tid()
    words = inside.shape[0] * inside.shape[1] * inside.shape[2]
    at = corners * (places[words + (i * inside.shape[1] + j) * inside.shape[2] + w] - vertices)
    for axis in range(3):
        left = faced[i, j, w][axis]
        while left != wp.uint32(0):
            bit = lowest(left)
            # The cells before and behind the edge's node, along the two other axes.
            cell = wp.vec3i(i, j, 32 * w + bit)
            first = cell
            second = cell
            first[(axis + 1) % 3] -= 1
            second[(axis + 2) % 3] -= 1
            a = vertex_in(
                active, places, first[0] + second[0] - i, first[1] + second[1] - j, first[2] + second[2] - cell[2]
            )
            b = vertex_in(active, places, second[0], second[1], second[2])
            c = vertex_in(active, places, cell[0], cell[1], cell[2])
            d = vertex_in(active, places, first[0], first[1], first[2])
            if (inside[i, j, w] >> wp.uint32(bit)) & wp.uint32(1) == wp.uint32(0):
                b, d = d, b
            indices[at] = a
            indices[at + 1] = b
            indices[at + 2] = c
            if corners == 6:
                indices[at + 3] = a
                indices[at + 4] = c
            indices[at + corners - 1] = d
            at += corners
            left = left & (left - wp.uint32(1))


@kernel
def average(
    field: wp.array3d[float],
    cells: wp.array[wp.vec3i],
    threshold: float,
    lower: wp.vec3,
    step: wp.vec3,
    verts: wp.array[wp.vec3],
) -> None:
    """The mean of where the surface crosses the edges of a cell."""
    v = wp.tid()
    cell = cells[v]
    total = wp.vec3()
    crossed = float(0.0)
    for axis in range(3):
        for a in range(2):
            for b in range(2):
                node = cell
                node[(axis + 1) % 3] += a
                node[(axis + 2) % 3] += b
                here = field[node[0], node[1], node[2]]
                there = field[node[0] + int(axis == 0), node[1] + int(axis == 1), node[2] + int(axis == 2)]
                if (here < threshold) != (there < threshold):
                    total += on_edge(field, node[0], node[1], node[2], axis, threshold)
                    crossed += 1.0
    verts[v] = lower + wp.cw_mul(total / crossed, step)


class IsoSurfaceNets(IsoSurfaceBase):
    """Surfaces by surface nets (S. F. F. Gibson, "Constrained Elastic Surface Nets", MICCAI 1998, without relaxation).

    Each cell that the surface meets has one vertex: the mean of the places where the surface crosses the cell's edges,
    interpolated linearly. Each crossed edge that has four cells around it has a face, a quad between their vertices.
    There are fewer thin triangles than by marching cubes, and about as many vertices.

    Nodes with a value below the threshold are inside. Faces go counterclockwise as seen from outside. Where the surface
    stays a cell away from the border it is closed: each side of a face is that of as many others in the opposite
    direction. That is one, but for cells that the surface goes through twice, whose parts share their vertex.

    A node that is NaN counts as outside, and cells that have one have no vertex. Vertices are differentiable: on a
    tape, gradients go from :attr:`verts` to the field.

    Args:
        nx: Nodes along x, at least 2.
        ny: Nodes along y.
        nz: Nodes along z.
        lower: Where the first node is; the origin by default.
        upper: Where the last node is; by default at its numbers, ``(nx - 1, ny - 1, nz - 1)``.
        topology: ``"triangle"``: each quad is two triangles, six indices; ``"quad"``: four indices.

    Raises:
        TypeError: A size is no integer, or a corner holds something else than numbers.
        ValueError: A size is below 2, a corner has not three finite numbers, or the topology is unknown.
    """

    def __init__(
        self,
        nx: int,
        ny: int,
        nz: int,
        *,
        lower: Corner = None,
        upper: Corner = None,
        topology: Literal["triangle", "quad"] = "triangle",
    ) -> None:
        super().__init__(nx, ny, nz, lower=lower, upper=upper)
        self.topology = topology
        self._corners_of_a_face()

    def surface(self, field: Any, threshold: float) -> None:
        """Find the surface of a field.

        :attr:`verts` and :attr:`indices` become new arrays, of length 0 where nothing is crossed.

        Args:
            field: An array of float32 with the shape ``(nx, ny, nz)``. It need not be contiguous.
            threshold: The value on the surface; nodes below it are inside.

        Raises:
            TypeError: ``field`` is no Warp array of float32, or ``threshold`` no number.
            ValueError: ``field`` has another shape, or the surface more faces than int32 can number.
            RuntimeError: A graph is being captured.
        """
        field, threshold = self._given(field, threshold)
        lower, step = self._corners()
        corners, device = self._corners_of_a_face(), field.device
        inside, known = _rows.classified(field, threshold)
        words = inside.shape
        active = _warp.empty(words, dtype=wp.uint32, device=device)
        faced = _warp.empty(words, dtype=wp.vec3ui, device=device)
        counts = _warp.zeros(2 * inside.size + 1, dtype=int, device=device)
        _rows.launch(mark, words, inside, known, active, device=device)
        _rows.launch(count, words, inside, known, active, faced, counts, device=device)
        places, (vertices, faces) = _rows.summed(f"{type(self).__name__}.surface", counts, 2)

        verts = _warp.empty(vertices, dtype=vec3, device=device, requires_grad=field.requires_grad)
        indices = _warp.empty(corners * faces, dtype=int, device=device)
        cells = _warp.empty(vertices, dtype=wp.vec3i, device=device)
        if vertices:
            _rows.launch(emit_cells, words, active, places, cells, device=device)
            _rows.launch(average, vertices, field, cells, threshold, lower, step, verts, device=device, record=True)
        if faces:
            more = (inside, active, faced, places, vertices, corners, indices)
            _rows.launch(emit_faces, words, *more, device=device)
        self.verts, self.indices = verts, indices

    @classmethod
    def extract(
        cls,
        field: Any,
        threshold: float = 0.0,
        *,
        lower: Corner = None,
        upper: Corner = None,
        topology: Literal["triangle", "quad"] = "triangle",
    ) -> tuple[array[vec3], array[int]]:
        """The surface of a field, with a grid of the field's shape.

        Args:
            field: An array of float32 with three dimensions, at least 2 nodes along each.
            threshold: The value on the surface; nodes below it are inside.
            lower: Where the first node is.
            upper: Where the last node is.
            topology: ``"triangle"`` or ``"quad"``.

        Returns:
            The vertices, an array of ``vec3``, and three or four numbers of vertices (int32) for each face.

        Raises:
            TypeError: ``field`` is no Warp array of float32, or another argument no number.
            ValueError: ``field`` has not three dimensions or fewer than 2 nodes along one; the topology is unknown.
            RuntimeError: A graph is being captured.
        """
        nx, ny, nz = field_of(f"{cls.__name__}.extract", field).shape
        made = cls(nx, ny, nz, lower=lower, upper=upper, topology=topology)
        made.surface(field, threshold)
        return made.verts, made.indices

    def _corners_of_a_face(self) -> int:
        """How many indices a quad has."""
        if self.topology not in TOPOLOGIES:
            raise ValueError(f"{type(self).__name__}: topology is {self.topology!r}, expected 'triangle' or 'quad'")
        return 4 if self.topology == "quad" else 6
