"""``warp.geometry``: tables, names, odd fields, and what has no gradient."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
import warp as wp
import warp.geometry
from warp.geometry import IsoSurfaceBase, IsoSurfaceMarchingCubes, IsoSurfaceNets, SweptVolumeSignMode

from geometry.surfaces import noise, sphere, triangles

Cubes = IsoSurfaceMarchingCubes


def test_the_sizes_of_tables() -> None:
    assert len(Cubes.CUBE_CORNER_OFFSETS) == 8
    assert [len(pair) for pair in Cubes.EDGE_TO_CORNERS] == [2] * 12
    assert len(Cubes.CASE_TO_TRI_RANGE) == 257
    assert len(Cubes.TRI_LOCAL_INDICES) == 2460
    assert set(Cubes.TRI_LOCAL_INDICES) == set(range(12))
    counts = np.diff(Cubes.CASE_TO_TRI_RANGE)
    assert (counts % 3 == 0).all()
    assert (counts[0], counts[255], counts.max()) == (0, 0, 15)


#: Each function as it is called; what follows `*` has a name.
CALLS = {
    "delaunay_edge_flip": "(positions, indices, ref_positions=None, max_passes=1000, area_epsilon=0.0, "
    "ref_area_epsilon=1e-10)",
    "lipschitz_octree": "(field, origin, root_width, max_depth, threshold=0.0, lipschitz_bound=1.0, device=None)",
    "sparse_marching_cubes": "(field, nx, ny, nz, *, lower=None, upper=None, threshold=0.0, lipschitz_bound=1.0, "
    "device=None, return_stats=False)",
    "sparse_marching_cubes_from_cells": "(cells, corner_values, origin=(0.0, 0.0, 0.0), cell_width=1.0, "
    "threshold=0.0, device=None)",
    "swept_volume_bounds": "(meshes, transforms, padding=0.0, device=None)",
    "tri_tri_adjacency": "(indices, vertex_count=None, return_neighbor_edge_indices=True)",
}


def test_names_and_parameters() -> None:
    for name, wanted in CALLS.items():
        found = inspect.signature(getattr(warp.geometry, name))
        plain = [p.replace(annotation=inspect.Parameter.empty) for p in found.parameters.values()]
        assert str(inspect.Signature(plain)) == wanted, name
    for name in ("swept_volume_field", "swept_volume_mesh"):
        parameters = inspect.signature(getattr(warp.geometry, name)).parameters
        assert list(parameters)[:3] == ["meshes", "transforms", "voxel_size"]
        assert {"resolution", "lower", "upper", "sign_mode", "device"} <= set(parameters)
    classes = {"IsoSurfaceBase", "IsoSurfaceMarchingCubes", "IsoSurfaceNets", "SweptVolumeSignMode"}
    of_kernels = {"find_triangle_neighbor_edge_index", "swept_volume_sdf"}
    swept = {"swept_volume_field", "swept_volume_mesh"}
    assert set(warp.geometry.__all__) == classes | of_kernels | swept | set(CALLS)


def test_corners_by_place() -> None:
    cubes = Cubes(4, 5, 6, (1, 2, 3), (4, 5, 6))
    assert (cubes.nx, cubes.ny, cubes.nz, cubes.lower, cubes.upper) == (4, 5, 6, (1, 2, 3), (4, 5, 6))


def test_the_class_by_its_older_name() -> None:
    field = wp.array(sphere(12, 4.2))
    one, other = wp.MarchingCubes(12, 12, 12), Cubes(12, 12, 12)
    assert type(one) is type(other) is Cubes
    assert isinstance(one, IsoSurfaceBase)
    assert not isinstance(IsoSurfaceNets(2, 2, 2), wp.MarchingCubes)
    for cubes in (one, other):
        cubes.surface(field, 0.0)
    np.testing.assert_array_equal(one.verts.numpy(), other.verts.numpy())
    np.testing.assert_array_equal(one.indices.numpy(), other.indices.numpy())
    with pytest.raises(TypeError, match="max_verts"):
        wp.MarchingCubes(12, 12, 12, max_verts=5, max_tris=9)


@pytest.mark.parametrize("kind", [IsoSurfaceMarchingCubes, IsoSurfaceNets])
def test_coordinates_are_the_numbers_of_nodes(kind: Any) -> None:
    """Unless corners are given, which those of the first and of the last node become; also after a resize."""
    field = noise(3, (6, 8, 11))
    verts, faces = triangles(kind.extract(wp.array(field)))
    assert (verts.min(axis=0) >= 0).all()
    assert (verts.max(axis=0) <= np.array(field.shape) - 1).all()
    low, high = np.array([-2.0, 1.0, 5.0]), np.array([3.0, 9.0, 5.5])
    placed = kind(2, 2, 2, lower=tuple(low), upper=tuple(high))
    placed.resize(*field.shape)
    placed.surface(wp.array(field), 0.0)
    right = low + verts * (high - low) / (np.array(field.shape) - 1)
    np.testing.assert_allclose(placed.verts.numpy(), right, atol=1e-5)
    np.testing.assert_array_equal(placed.indices.numpy().reshape(-1, 3), faces)


def test_values_that_are_the_threshold_are_outside() -> None:
    """Triangles at such a node have no area: each edge to it has a vertex of its own there."""
    field = np.ones((3, 3, 3), np.float32)
    field[1, 1, 1] = 0.0
    assert len(Cubes.extract(wp.array(field))[0]) == 0
    field[1] = -1.0
    field[1, 1, 1] = 0.0
    verts, faces = triangles(Cubes.extract(wp.array(field)))
    a, b, c = verts[faces].astype(float).swapaxes(0, 1)
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    assert (areas == 0).any()
    assert (areas > 0).any()
    # Four neighbours are inside, in the plane.
    assert (verts == [1, 1, 1]).all(axis=1).sum() == 4


@pytest.mark.parametrize("kind", [IsoSurfaceMarchingCubes, IsoSurfaceNets])
def test_infinite_thresholds_and_fields(kind: Any) -> None:
    for threshold in (np.inf, -np.inf, np.nan):
        verts, indices = kind.extract(wp.array(noise(1)), threshold)
        assert (verts.shape, indices.shape) == ((0,), (0,))
    verts, indices = kind.extract(wp.full((2, 2, 2), np.nan, dtype=float))
    assert (verts.shape, indices.shape) == ((0,), (0,))


@pytest.mark.parametrize("kind", [IsoSurfaceMarchingCubes, IsoSurfaceNets])
def test_only_vertices_have_gradients(kind: Any) -> None:
    field = wp.array(noise(2), requires_grad=True)
    with wp.Tape():
        verts, indices = kind.extract(field)
    assert verts.requires_grad
    assert not indices.requires_grad


def poses() -> np.ndarray:
    found = np.zeros((1, 2, 7), np.float32)
    found[0, 1, 0] = 1.0
    found[..., 6] = 1.0
    return found


def a_ball() -> Any:
    surface = Cubes.extract(wp.array(sphere(12, 4.0)), lower=(-1, -1, -1), upper=(1, 1, 1))
    points = wp.array(surface[0].numpy(), dtype=wp.vec3, requires_grad=True)
    return wp.Mesh(points, surface[1], support_winding_number=True)


def test_swept_volumes_have_no_gradient() -> None:
    mesh = a_ball()
    given = wp.array(poses(), dtype=wp.transform, requires_grad=True)
    with wp.Tape():
        field, _, _ = warp.geometry.swept_volume_field([mesh], given, 0.3)
        verts, indices = warp.geometry.swept_volume_mesh([mesh], given, 0.3)
    assert not any(array.requires_grad for array in (field, verts, indices))
    assert len(verts)


def test_which_ways_there_are_to_find_the_inside() -> None:
    mesh = a_ball()
    centre = {}
    for mode in SweptVolumeSignMode:
        field, lower, _ = warp.geometry.swept_volume_field(
            [mesh], poses()[:, :1], resolution=(9, 9, 9), lower=(-2, -2, -2), upper=(2, 2, 2), sign_mode=mode
        )
        assert tuple(lower) == (-2, -2, -2)
        centre[mode.name] = field.numpy()[4, 4, 4]
        assert field.numpy()[0, 0, 0] > 0
        same, _, _ = warp.geometry.swept_volume_field(
            [mesh], poses()[:, :1], resolution=(9, 9, 9), lower=(-2, -2, -2), upper=(2, 2, 2), sign_mode=int(mode)
        )
        np.testing.assert_array_equal(same.numpy(), field.numpy())
    unsigned = centre.pop("NO_SIGN")
    assert centre
    assert all(value == pytest.approx(-unsigned) for value in centre.values())


def test_where_results_lie() -> None:
    def ball(points: Any) -> Any:
        return wp.array(np.linalg.norm(points.numpy(), axis=1) - 0.5, dtype=float, device=points.device)

    cells, width = warp.geometry.lipschitz_octree(ball, (-1, -1, -1), 2.0, 3, device="cpu")
    values = np.ones((len(cells), 8), np.float32)
    low, high = (-1, -1, -1), (1, 1, 1)
    found = [
        cells,
        *warp.geometry.sparse_marching_cubes(ball, 9, 9, 9, lower=low, upper=high, device="cpu"),
        *warp.geometry.sparse_marching_cubes_from_cells(cells.numpy(), values, low, width, device="cpu"),
        warp.geometry.swept_volume_field([a_ball()], poses(), 0.5, device="cpu")[0],
        *warp.geometry.swept_volume_mesh([a_ball()], poses(), 0.5, device="cpu"),
    ]
    assert {str(array.device) for array in found} == {"cpu"}
    assert width == 0.25
    bounds = warp.geometry.swept_volume_bounds([a_ball()], poses(), device="cpu")
    assert [len(corner) for corner in bounds] == [3, 3]
