"""What meshes sweep when they move: the union of their poses, as a field and as a mesh."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np
import warp as wp
from warp import _warp
from warp._devices.stream import DeviceLike
from warp._geometry.mesh import Mesh
from warp._language.decorators import func, kernel
from warp._warp import array
from warp.geometry._arguments import MOST, Corner, array_of, integer, number, point, positive
from warp.geometry._marching_cubes import IsoSurfaceMarchingCubes
from warp.geometry._rows import launch
from warp.types import float32, transform, vec3

__all__ = ["SweptVolumeSignMode", "swept_volume_bounds", "swept_volume_field", "swept_volume_mesh", "swept_volume_sdf"]


class SweptVolumeSignMode(IntEnum):
    """How the inside of a mesh is told from its outside; the queries are those of kernels."""

    #: By the normal of the closest point, ``wp.mesh_query_point_sign_normal``.
    NORMAL = 0
    #: By winding numbers, ``wp.mesh_query_point_sign_winding_number``: for meshes with holes, too.
    WINDING_NUMBER = 1
    #: By counting crossings, ``wp.mesh_query_point_sign_parity``.
    PARITY = 2
    #: Distances without sign.
    NO_SIGN = 3


@func
def swept_volume_sdf(
    point: wp.vec3,
    mesh_ids: wp.array[wp.uint64],
    transforms: wp.array2d[wp.transform],
    max_dist: float,
    sign_mode: int,
) -> float:
    """In kernels: the least signed distance from a point to any pose of any mesh, negative inside.

    Args:
        point: The point.
        mesh_ids: The ids of meshes.
        transforms: The poses of each mesh, a row for each.
        max_dist: How far faces are looked for. A point with none so near is outside, at this distance.
        sign_mode: A value of :class:`SweptVolumeSignMode`.

    Returns:
        The distance, ``max_dist`` at most. It has no gradient.
    """
    least = max_dist
    for m in range(mesh_ids.shape[0]):
        mesh = mesh_ids[m]
        for s in range(transforms.shape[1]):
            p = wp.transform_point(wp.transform_inverse(transforms[m, s]), point)
            face = int(0)
            u = float(0.0)
            v = float(0.0)
            sign = float(1.0)
            found = wp.bool(False)
            if sign_mode == 0:
                found = wp.mesh_query_point_sign_normal(mesh, p, max_dist, sign, face, u, v)
            elif sign_mode == 1:
                found = wp.mesh_query_point_sign_winding_number(mesh, p, max_dist, sign, face, u, v)
            elif sign_mode == 2:
                found = wp.mesh_query_point_sign_parity(mesh, p, max_dist, sign, face, u, v)
            else:
                found = wp.mesh_query_point_no_sign(mesh, p, max_dist, face, u, v)
            if found:
                q = wp.mesh_eval_position(mesh, face, u, v)
                least = wp.min(least, sign * wp.length(q - p))
    return least


@kernel(enable_backward=False)
def sample(
    mesh_ids: wp.array[wp.uint64],
    transforms: wp.array2d[wp.transform],
    max_dist: float,
    sign_mode: int,
    lower: wp.vec3,
    step: wp.vec3,
    field: wp.array3d[float],
) -> None:
    i, j, k = wp.tid()
    p = lower + wp.cw_mul(wp.vec3(float(i), float(j), float(k)), step)
    field[i, j, k] = swept_volume_sdf(p, mesh_ids, transforms, max_dist, sign_mode)


def _given(place: str, meshes: Any, transforms: Any, device: DeviceLike) -> tuple[list[Mesh], Any]:
    """The meshes, and an array of their poses, checked."""
    if isinstance(meshes, Mesh) or not isinstance(meshes, Sequence):
        raise TypeError(f"{place}: meshes is {type(meshes).__name__}, expected a list of wp.Mesh")
    for n, mesh in enumerate(meshes):
        if not isinstance(mesh, Mesh):
            raise TypeError(f"{place}: meshes[{n}] is {type(mesh).__name__}, expected a wp.Mesh")
    if not meshes:
        raise ValueError(f"{place}: meshes is empty, expected at least one wp.Mesh")
    at = meshes[0].device if device is None else _warp.get_device(device)
    for n, mesh in enumerate(meshes):
        if mesh.device != at:
            raise ValueError(f"{place}: meshes[{n}] lies on {str(mesh.device)!r}, expected {str(at)!r}")
    if not isinstance(transforms, array):
        try:
            rows = np.asarray(transforms, dtype=np.float32)
        except (TypeError, ValueError):
            raise TypeError(
                f"{place}: transforms is {type(transforms).__name__}, expected numbers or a Warp array"
            ) from None
        if rows.ndim != 3 or rows.shape[2] != 7:
            raise ValueError(f"{place}: transforms has the shape {rows.shape}, expected (meshes, poses, 7)")
        transforms = array(rows, dtype=transform, device=at)
    transforms = array_of(place, "transforms", transforms, transform, 2, at)
    if transforms.shape[0] != len(meshes):
        raise ValueError(f"{place}: transforms has {transforms.shape[0]} rows, expected {len(meshes)}, one a mesh")
    if transforms.shape[1] == 0:
        raise ValueError(f"{place}: transforms has no poses, expected at least one")
    return list(meshes), transforms


def _bounds(place: str, meshes: list[Mesh], transforms: Any) -> tuple[np.ndarray, np.ndarray]:
    """The box round the boxes of all meshes in all poses, in float64."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for mesh, poses in zip(meshes, transforms.numpy().astype(float), strict=True):
        points = mesh.points.numpy().astype(float)
        if len(points) == 0:
            continue
        ends = np.stack([points.min(0), points.max(0)])
        corners = np.array([[ends[x, 0], ends[y, 1], ends[z, 2]] for x, y, z in np.ndindex(2, 2, 2)])
        axis, w = poses[:, None, 3:6], poses[:, None, 6:7]
        twice = 2 * np.cross(axis, corners)
        moved = poses[:, None, :3] + corners + w * twice + np.cross(axis, twice)
        low, high = np.minimum(low, moved.min((0, 1))), np.maximum(high, moved.max((0, 1)))
    if not np.isfinite(high - low).all():
        raise ValueError(f"{place}: the meshes have no points, or points and poses that are not finite")
    return low, high


def swept_volume_bounds(
    meshes: Sequence[Mesh], transforms: Any, padding: float = 0.0, device: DeviceLike = None
) -> tuple[vec3, vec3]:
    """A box that holds all poses of meshes: that of the corners of the meshes' own boxes.

    Args:
        meshes: Meshes, at least one.
        transforms: The poses of each mesh: an array of ``transform`` with a row for each mesh, or numbers with the
            shape ``(meshes, poses, 7)``, each a place and a quaternion of length 1.
        padding: Added on each side.
        device: The device of the meshes, which is the default.

    Returns:
        The lowest and the highest corner.

    Raises:
        TypeError: An argument is something else.
        ValueError: There are no meshes, poses or points, rows and meshes are not of equal number, or something is on
            another device or not finite.
    """
    place = "swept_volume_bounds"
    given = _given(place, meshes, transforms, device)
    more = number(place, "padding", padding)
    if not math.isfinite(more):
        raise ValueError(f"{place}: padding is {more}, expected a finite number")
    low, high = _bounds(place, *given)
    return vec3(*(low - more).tolist()), vec3(*(high + more).tolist())


def _grid(
    place: str,
    bounds: tuple[np.ndarray, np.ndarray],
    voxel_size: Any,
    resolution: Any,
    lower: Any,
    upper: Any,
    threshold: float,
) -> tuple[tuple[int, int, int], np.ndarray, np.ndarray]:
    """The nodes of the grid along each axis, and its corners."""
    if (voxel_size is None) == (resolution is None):
        raise ValueError(
            f"{place}: {'neither' if voxel_size is None else 'both'} of voxel_size and resolution, expected one"
        )
    if (lower is None) != (upper is None):
        raise ValueError(
            f"{place}: {'upper' if lower is None else 'lower'} is given alone, expected both corners or none"
        )
    low, high = bounds[0] - max(threshold, 0.0), bounds[1] + max(threshold, 0.0)
    if voxel_size is not None:
        size = positive(place, "voxel_size", voxel_size)
        if lower is not None:
            raise ValueError(
                f"{place}: voxel_size with lower and upper, which need not be whole voxels apart; use resolution"
            )
        # Two cells on each side, and what makes the number of cells whole.
        cells = np.ceil((high - low) / size + 4 - 1e-6)
        if np.prod(cells + 1) > MOST:
            raise ValueError(f"{place}: voxel_size is {size}, the grid would have {cells + 1} nodes, more than {MOST}")
        more = (cells * size - (high - low)) / 2
        nodes = [int(n) + 1 for n in cells]
    else:
        try:
            nodes = [integer(place, f"resolution[{n}]", size, 2) for n, size in enumerate(resolution)]
        except TypeError:
            raise TypeError(f"{place}: resolution is {resolution!r}, expected three integers") from None
        if len(nodes) != 3:
            raise ValueError(f"{place}: resolution has {len(nodes)} numbers, expected three")
        if math.prod(nodes) > MOST:
            raise ValueError(f"{place}: resolution is {tuple(nodes)}, the grid would have more than {MOST} nodes")
        more = 2 * (high - low) / (np.array(nodes) - 1)
        if lower is not None:
            low, high = np.array(point(place, "lower", lower)), np.array(point(place, "upper", upper))
            more = np.zeros(3)
    return (nodes[0], nodes[1], nodes[2]), low - more, high + more


def _field(
    place: str,
    meshes: Any,
    transforms: Any,
    voxel_size: Any,
    resolution: Any,
    lower: Any,
    upper: Any,
    sign_mode: Any,
    device: DeviceLike,
    threshold: float = 0.0,
) -> tuple[Any, vec3, vec3]:
    meshes, transforms = _given(place, meshes, transforms, device)
    try:
        mode = SweptVolumeSignMode(sign_mode)
    except ValueError:
        known = ", ".join(f"{mode.name} ({mode.value})" for mode in SweptVolumeSignMode)
        raise ValueError(f"{place}: sign_mode is {sign_mode!r}, expected one of {known}") from None
    if mode is SweptVolumeSignMode.WINDING_NUMBER:
        for n, mesh in enumerate(meshes):
            if not mesh.support_winding_number:
                raise ValueError(
                    f"{place}: meshes[{n}] is not prepared for winding numbers; make it with "
                    "support_winding_number=True, or choose another sign_mode"
                )
    bounds = _bounds(place, meshes, transforms)
    nodes, low, high = _grid(place, bounds, voxel_size, resolution, lower, upper, threshold)
    step = (high - low) / (np.array(nodes) - 1)
    # No distance within the grid is longer than the diagonal of a box round it and all meshes.
    span = np.maximum(high, low).clip(bounds[1]) - np.minimum(low, high).clip(None, bounds[0])
    field = _warp.empty(nodes, dtype=float32, device=transforms.device)
    ids = array([mesh.id for mesh in meshes], dtype=wp.uint64, device=transforms.device)
    most = 1.001 * float(np.linalg.norm(span)) + 1e-6
    arguments = (ids, transforms, most, int(mode), vec3(*low.tolist()), vec3(*step.tolist()), field)
    launch(sample, nodes, *arguments, device=transforms.device)
    return field, vec3(*low.tolist()), vec3(*high.tolist())


def swept_volume_field(
    meshes: Sequence[Mesh],
    transforms: Any,
    voxel_size: float | None = None,
    *,
    resolution: Sequence[int] | None = None,
    lower: Corner = None,
    upper: Corner = None,
    sign_mode: SweptVolumeSignMode = SweptVolumeSignMode.WINDING_NUMBER,
    device: DeviceLike = None,
) -> tuple[array[Any], vec3, vec3]:
    """The least signed distance to any pose of any mesh, on a grid: negative in what the meshes sweep.

    Only the poses that are given count; what is between two of them does not. Within the union, distances are those to
    the pose in which a point is deepest. There are no gradients.

    Args:
        meshes: Meshes, at least one.
        transforms: The poses of each mesh: an array of ``transform`` with a row for each mesh, or numbers with the
            shape ``(meshes, poses, 7)``, each a place and a quaternion of length 1.
        voxel_size: The spacing of nodes. The grid has two cells or more around the bounds of the meshes.
        resolution: The nodes along each axis, in place of ``voxel_size``.
        lower: Where the first node is, with ``resolution``; by default around the bounds.
        upper: Where the last node is.
        sign_mode: How the inside is found.
        device: The device of the meshes, which is the default.

    Returns:
        The field, an array of float32 with three dimensions, and the places of its first and last node.

    Raises:
        TypeError: An argument is something else.
        ValueError: See :func:`swept_volume_bounds`; a size is out of range, ``voxel_size`` and ``resolution`` are both
            given or none, one corner is given alone, or a mesh lacks ``support_winding_number``.
    """
    place = "swept_volume_field"
    return _field(place, meshes, transforms, voxel_size, resolution, lower, upper, sign_mode, device)


def swept_volume_mesh(
    meshes: Sequence[Mesh],
    transforms: Any,
    voxel_size: float | None = None,
    *,
    resolution: Sequence[int] | None = None,
    lower: Corner = None,
    upper: Corner = None,
    threshold: float = 0.0,
    sign_mode: SweptVolumeSignMode = SweptVolumeSignMode.WINDING_NUMBER,
    device: DeviceLike = None,
) -> tuple[array[Any], array[Any]]:
    """The surface of what meshes sweep: marching cubes of :func:`swept_volume_field`, whose arguments these are.

    Args:
        meshes: Meshes, at least one.
        transforms: The poses of each mesh.
        voxel_size: The spacing of nodes.
        resolution: The nodes along each axis, in place of ``voxel_size``.
        lower: Where the first node is, with ``resolution``.
        upper: Where the last node is.
        threshold: The distance from what is swept at which the surface is; the grid grows with it.
        sign_mode: How the inside is found.
        device: The device of the meshes, which is the default.

    Returns:
        The vertices, an array of ``vec3``, and three numbers of vertices (int32) for each triangle.

    Raises:
        TypeError: An argument is something else.
        ValueError: As :func:`swept_volume_field`, or ``threshold`` is not finite.
        RuntimeError: A graph is being captured.
    """
    place = "swept_volume_mesh"
    level = number(place, "threshold", threshold)
    if not math.isfinite(level):
        raise ValueError(f"{place}: threshold is {level}, expected a finite number")
    field, low, high = _field(
        place, meshes, transforms, voxel_size, resolution, lower, upper, sign_mode, device, threshold=level
    )
    return IsoSurfaceMarchingCubes.extract(field, level, lower=low, upper=high)
