"""The cells near a surface, which an octree finds by a bound on the field's slope."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import warp as wp
from warp import _warp
from warp._devices.stream import DeviceLike, ScopedStream, get_stream
from warp._language.decorators import kernel
from warp._warp import array
from warp.context import ScopedDevice
from warp.geometry._arguments import MOST, array_of, integer, number, point, positive
from warp.geometry._rows import launch, summed
from warp.types import float32, vec3, vec3i

__all__ = ["lipschitz_octree"]

Field = Callable[[Any], Any]


@kernel(enable_backward=False)
def place_centres(
    cells: wp.array[wp.vec3i], lower: wp.vec3, step: wp.vec3, half: float, points: wp.array[wp.vec3]
) -> None:
    """The centres of cells; `step` is the spacing of the finest ones, of which `half` are half of a cell's width."""
    n = wp.tid()
    c = wp.vec3(float(cells[n][0]), float(cells[n][1]), float(cells[n][2])) * (2.0 * half) + wp.vec3(half)
    points[n] = lower + wp.cw_mul(c, step)


@kernel(enable_backward=False)
def near(values: wp.array[float], threshold: float, bound: float, kept: wp.array[int]) -> None:
    """Whether a cell may have the surface. One whose value is NaN may."""
    n = wp.tid()
    kept[n] = int(not (wp.abs(values[n] - threshold) > bound))


@kernel(enable_backward=False)
def keep(cells: wp.array[wp.vec3i], places: wp.array[int], found: wp.array[wp.vec3i]) -> None:
    n = wp.tid()
    if places[n + 1] > places[n]:
        found[places[n]] = cells[n]


@kernel(enable_backward=False)
def split(cells: wp.array[wp.vec3i], limit: wp.vec3i, children: wp.array[wp.vec3i], within: wp.array[int]) -> None:
    """The eight parts of each cell, and whether they are in the grid, which has `limit` cells of their size."""
    n = wp.tid()
    part = n % 8
    c = cells[n // 8] * 2 + wp.vec3i(part & 1, (part >> 1) & 1, part >> 2)
    children[n] = c
    within[n] = int(c[0] < limit[0] and c[1] < limit[1] and c[2] < limit[2])


def _compacted(place: str, cells: Any, flags: Any) -> Any:
    """The cells with a flag of 1; `flags` has a 0 behind."""
    places, (count,) = summed(place, flags, 1)
    found = _warp.empty(count, dtype=vec3i, device=cells.device)
    if len(cells):
        launch(keep, len(cells), cells, places, found, device=cells.device)
    return found


def values_of(place: str, field: Field, points: Any) -> Any:
    """What a field gives for points, checked."""
    values = array_of(place, "the field's result", field(points), float32, 1, points.device)
    if len(values) != len(points):
        raise ValueError(f"{place}: the field's result has {len(values)} numbers, expected {len(points)}, one a point")
    return values


def _recording() -> bool:
    """Whether a tape records on this thread."""
    try:
        with wp.Tape():
            return False
    except RuntimeError:
        return True


def _unrecorded(call: Callable[[], Any], device: Any) -> Any:
    """The result of a call that no tape records: tapes record what their thread launches."""
    if not _recording():
        return call()
    stream = get_stream(device) if device.is_cuda else None

    def run() -> Any:
        with ScopedDevice(device), ScopedStream(stream):
            return call()

    with ThreadPoolExecutor(1, "warp-octree") as pool:
        return pool.submit(run).result()


def near_cells(
    place: str,
    field: Field,
    lower: vec3,
    step: tuple[float, float, float],
    limit: tuple[int, int, int],
    depth: int,
    threshold: float,
    slope: float,
    device: Any,
) -> tuple[Any, dict[str, int]]:
    """The finest cells that may have the surface, in the order of a walk through the tree, and how they were found."""
    cells = _warp.zeros(1, dtype=vec3i, device=device)
    seen, outside = 0, 0
    diagonal = float(np.sqrt(sum(s * s for s in step)))
    for level in range(depth + 1):
        width = 1 << (depth - level)  # of a cell, in finest ones
        points = _warp.empty(len(cells), dtype=vec3, device=device)
        if len(cells) == 0:
            break
        launch(place_centres, len(cells), cells, lower, vec3(*step), 0.5 * width, points, device=device)
        values = _unrecorded(lambda points=points: values_of(place, field, points), device)  # type: ignore[misc]
        seen += len(points)
        flags = _warp.zeros(len(cells) + 1, dtype=int, device=device)
        # Rounding of the centre and the value may not lose a cell.
        bound = slope * 0.5 * width * diagonal * (1.0 + 1e-5)
        launch(near, len(cells), values, threshold, bound, flags, device=device)
        cells = _compacted(place, cells, flags)
        if level < depth and len(cells):
            if 8 * len(cells) > MOST:
                raise ValueError(f"{place}: there are more than {MOST // 8} cells near the surface")
            children = _warp.empty(8 * len(cells), dtype=vec3i, device=device)
            within = _warp.zeros(len(children) + 1, dtype=int, device=device)
            half = width // 2
            most = vec3i(*((n + half - 1) // half for n in limit))
            launch(split, len(children), cells, most, children, within, device=device)
            cells = _compacted(place, children, within)
            outside += len(children) - len(cells)
    return cells, {"field_evaluations": seen, "culled_cells": outside}


def checked(place: str, field: Any, lipschitz_bound: Any, device: DeviceLike) -> tuple[float, Any]:
    if not callable(field):
        raise TypeError(
            f"{place}: field is {type(field).__name__}, expected a function that takes an array of vec3 and returns "
            "one of float32"
        )
    found = _warp.get_device(device)
    if found.is_capturing:
        raise RuntimeError(f"{place}: a graph is being captured; how many cells there are is known only later")
    return positive(place, "lipschitz_bound", lipschitz_bound), found


def lipschitz_octree(
    field: Field,
    origin: Any,
    root_width: float,
    max_depth: int,
    threshold: float = 0.0,
    lipschitz_bound: float = 1.0,
    device: DeviceLike = None,
) -> tuple[array[Any], float]:
    """The cells of a cube that may have the surface of a field, found from coarse to fine.

    A cell of width h is kept while ``abs(field(centre) - threshold) <= lipschitz_bound * sqrt(3) / 2 * h``: a field
    whose values differ by at most ``lipschitz_bound`` times the distance of two points stays away from the threshold in
    others.
    What is NaN is kept, too. The evaluations are not recorded on a tape.

    Args:
        field: A function that takes an array of ``vec3``, any number of points, and returns an array of float32 with a
            value for each, on the same device.
        origin: The corner of the cube with the smallest coordinates.
        root_width: The width of the cube.
        max_depth: How often cells are split into eight, 0 to 20.
        threshold: The value on the surface.
        lipschitz_bound: How steep the field is at most; 1 for distances.
        device: Where points lie; the current device by default.

    Returns:
        The cells of the finest level that are kept, an array of ``vec3i``, and their width. Cell (i, j, k) has its
        lowest corner at ``origin + (i, j, k) * width``.

    Raises:
        TypeError: ``field`` cannot be called or returns something else than an array of float32, or an argument is no
            number.
        ValueError: A width or bound is not positive, the depth out of range, or the result has another length or
            device.
        RuntimeError: A graph is being captured.
    """
    place = "lipschitz_octree"
    slope, at = checked(place, field, lipschitz_bound, device)
    width = positive(place, "root_width", root_width)
    depth = integer(place, "max_depth", max_depth, 0)
    if depth > 20:
        raise ValueError(f"{place}: max_depth is {depth}, expected 0 to 20")
    lower, level = vec3(*point(place, "origin", origin)), number(place, "threshold", threshold)
    size = width / (1 << depth)
    limit = (1 << depth,) * 3
    cells, _ = near_cells(place, field, lower, (size, size, size), limit, depth, level, slope, at)
    return cells, size
