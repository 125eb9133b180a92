"""A grid of square cells that says which particles are near: built by a counting sort of kernels.

Particles are counted in each cell, a running sum gives where each cell begins, and each particle takes the next place
of its cell.
"""

from __future__ import annotations

import warp as wp

from ..core.histogram_equalisation import prefix_sum


@wp.struct
class Cells:
    low: wp.vec2
    size: float
    columns: int
    rows: int
    ends: wp.array[int]  # where the particles of each cell end in `order`; they begin where the cell before ends
    order: wp.array[int]


@wp.func
def column_of(cells: Cells, p: wp.vec2) -> int:
    return wp.clamp(int((p[0] - cells.low[0]) / cells.size), 0, cells.columns - 1)


@wp.func
def row_of(cells: Cells, p: wp.vec2) -> int:
    return wp.clamp(int((p[1] - cells.low[1]) / cells.size), 0, cells.rows - 1)


@wp.func
def begin(cells: Cells, row: int, first_column: int) -> int:
    """Where the particles of a cell begin in `order`."""
    cell = row * cells.columns + first_column
    return cells.ends[cell - 1] if cell > 0 else 0


@wp.func
def end(cells: Cells, row: int, last_column: int) -> int:
    return cells.ends[row * cells.columns + last_column]


@wp.kernel
def count(points: wp.array[wp.vec2], cells: Cells, counts: wp.array[int]) -> None:
    i = wp.tid()
    wp.atomic_add(counts, row_of(cells, points[i]) * cells.columns + column_of(cells, points[i]), 1)


@wp.kernel
def place(points: wp.array[wp.vec2], cells: Cells, left: wp.array[int]) -> None:
    i = wp.tid()
    cell = row_of(cells, points[i]) * cells.columns + column_of(cells, points[i])
    cells.order[cells.ends[cell] - wp.atomic_sub(left, cell, 1)] = i


def sort(points: wp.array, low: tuple[float, float], high: tuple[float, float], size: float) -> Cells:
    """The cells between two corners, and which points lie in each; points outside lie in the nearest one."""
    columns, rows = (max(1, int((b - a) / size) + 1) for a, b in zip(low, high, strict=True))
    counts = wp.zeros(columns * rows, dtype=int)
    cells = Cells(wp.vec2(*low), size, columns, rows, counts, wp.empty(len(points), dtype=int))
    wp.launch(count, dim=len(points), inputs=[points, cells], outputs=[counts])
    cells.ends = prefix_sum(counts)
    wp.launch(place, dim=len(points), inputs=[points, cells, counts])
    return cells
