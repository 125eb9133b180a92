"""``warp.geometry.swept_volume_field`` and its like: the union of poses of meshes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp
from warp.geometry import (
    IsoSurfaceMarchingCubes,
    SweptVolumeSignMode,
    swept_volume_bounds,
    swept_volume_field,
    swept_volume_mesh,
    swept_volume_sdf,
)

from .surfaces import is_manifold, sphere, triangles, volume


def ball(radius: float = 0.5, winding: bool = True) -> wp.Mesh:
    """A mesh of a ball round the origin."""
    surface = IsoSurfaceMarchingCubes.extract(wp.array(sphere(24, 9.0)), lower=(-1, -1, -1), upper=(1, 1, 1))
    verts = surface[0].numpy() * (radius / (9.0 / 11.5))
    return wp.Mesh(wp.array(verts, dtype=wp.vec3), surface[1], support_winding_number=winding)


def box(size: tuple[float, float, float]) -> wp.Mesh:
    """A box with a corner at the origin."""
    corners = np.array(list(np.ndindex(2, 2, 2))) * size
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    indices = [v for a, b, c, d in faces for v in (a, b, c, a, c, d)]
    points = wp.array(corners, dtype=wp.vec3)
    return wp.Mesh(points, wp.array(indices, dtype=int), support_winding_number=True)


def poses(*places: tuple[float, ...], turn: float = 0.0) -> np.ndarray:
    """Poses at places, turned round z."""
    found = np.zeros((1, len(places), 7))
    found[0, :, :3] = places
    found[..., 5:] = np.sin(turn / 2), np.cos(turn / 2)
    return found


def nodes(field: Any, lower: Any, upper: Any) -> np.ndarray:
    axes = [np.linspace(a, b, n) for a, b, n in zip(lower, upper, field.shape, strict=True)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)


@pytest.mark.parametrize("mode", SweptVolumeSignMode)
def test_the_field_of_balls(mode: SweptVolumeSignMode) -> None:
    """Two balls of different size, each in three poses."""
    centres = np.array([[[0, 0, 0], [1, 0, 0], [2, 0.5, 0]], [[0, 1, 0], [0, 2, 0], [0, 1, 1]]], dtype=float)
    transforms = np.concatenate([poses(*row) for row in centres])
    field, lower, upper = swept_volume_field([ball(0.5), ball(0.3)], transforms, 0.15, sign_mode=mode)
    away = np.linalg.norm(nodes(field, lower, upper)[..., None, None, :] - centres, axis=-1) - [[0.5], [0.3]]
    if mode == SweptVolumeSignMode.NO_SIGN:
        away = np.abs(away)
    np.testing.assert_allclose(field.numpy(), away.min((-1, -2)), atol=0.01)


def test_bounds() -> None:
    low, high = swept_volume_bounds([box((1, 2, 3))], poses((0, 0, 0), (5, 0, -1)))
    np.testing.assert_allclose([*low, *high], [0, 0, -1, 6, 2, 3], atol=1e-6)
    low, high = swept_volume_bounds([box((1, 2, 3))], poses((0, 0, 0), turn=np.pi / 2), padding=0.5)
    np.testing.assert_allclose([*low, *high], [-2.5, -0.5, -0.5, 0.5, 1.5, 3.5], atol=1e-6)


def test_grids() -> None:
    meshes, transforms = [box((1, 1, 1))], poses((0, 0, 0), (1, 0, 0), (2, 0, 0))
    for named, shape, lower, upper in [
        ({"voxel_size": 0.25}, (17, 9, 9), (-0.5, -0.5, -0.5), (3.5, 1.5, 1.5)),
        ({"resolution": (5, 9, 17)}, (5, 9, 17), (-1.5, -0.25, -0.125), (4.5, 1.25, 1.125)),
        ({"resolution": (9, 9, 9), "lower": (-1, -1, -1), "upper": (4, 2, 2)}, (9, 9, 9), (-1, -1, -1), (4, 2, 2)),
    ]:
        field, low, high = swept_volume_field(meshes, transforms, **named)
        assert field.shape == shape
        assert field.dtype is wp.float32
        np.testing.assert_allclose([*low, *high], [*lower, *upper], atol=1e-6)


@pytest.mark.parametrize("threshold", [0.0, 0.2, -0.2])
def test_the_surface(threshold: float) -> None:
    meshes, transforms = [box((1, 1, 1))], poses((0, 0, 0), (0.5, 0, 0), (1, 0, 0))
    verts, faces = triangles(swept_volume_mesh(meshes, transforms, 0.1, threshold=threshold))
    assert is_manifold(faces)
    np.testing.assert_allclose(verts.min(0), -threshold, atol=1e-5)
    np.testing.assert_allclose(verts.max(0), np.array([2, 1, 1]) + threshold, atol=1e-5)
    if threshold == 0.0:
        assert volume(verts, faces) == pytest.approx(2.0, rel=0.05)  # edges are cut off


def test_turned_poses() -> None:
    meshes, turned = [box((2, 1, 1))], poses((3, 0, 0), turn=np.pi / 2)
    given = wp.array(turned, dtype=wp.transform)
    verts, faces = triangles(swept_volume_mesh(meshes, given, resolution=(21, 41, 21)))
    np.testing.assert_allclose(verts.min(0), [2, 0, 0], atol=1e-4)
    np.testing.assert_allclose(verts.max(0), [3, 2, 1], atol=1e-4)
    assert volume(verts, faces) == pytest.approx(2.0, rel=0.02)


def test_distances_in_kernels() -> None:
    @wp.kernel
    def measure(
        points: wp.array[wp.vec3], ids: wp.array[wp.uint64], at: wp.array2d[wp.transform], out: wp.array[float]
    ):
        n = wp.tid()
        out[n] = swept_volume_sdf(points[n], ids, at, 1.5, 1)

    mesh = box((1, 1, 1))
    points = wp.array([[0.5, 0.5, 0.5], [3.5, 0.5, 0.5], [-1, 0.5, 0.5], [9, 9, 9]], dtype=wp.vec3)
    ids, at = wp.array([mesh.id], dtype=wp.uint64), wp.array(poses((0, 0, 0), (2, 0, 0)), dtype=wp.transform)
    out = wp.zeros(4, dtype=float)
    wp.launch(measure, dim=4, inputs=[points, ids, at, out])
    np.testing.assert_allclose(out.numpy(), [-0.5, 0.5, 1.0, 1.5], atol=1e-6)


def test_wrong_arguments() -> None:
    mesh, one = box((1, 1, 1)), poses((0, 0, 0))
    for call, error, match in [
        (lambda: swept_volume_field(mesh, one, 0.5), TypeError, r"swept_volume_field: meshes is Mesh, expected a list"),
        (lambda: swept_volume_field([mesh, 3], one, 0.5), TypeError, r"meshes\[1\] is int, expected a wp\.Mesh"),
        (lambda: swept_volume_field([], one, 0.5), ValueError, r"meshes is empty, expected at least one"),
        (
            lambda: swept_volume_field([mesh, mesh], one, 0.5),
            ValueError,
            r"transforms has 1 rows, expected 2, one a mesh",
        ),
        (
            lambda: swept_volume_field([mesh], one[0], 0.5),
            ValueError,
            r"transforms has the shape \(1, 7\), expected \(mes",
        ),
        (lambda: swept_volume_field([mesh], "a", 0.5), TypeError, r"transforms is str, expected numbers"),
        (lambda: swept_volume_field([mesh], one[:, :0], 0.5), ValueError, r"transforms has no poses"),
        (lambda: swept_volume_field([mesh], one * np.nan, 0.5), ValueError, r"poses that are not finite"),
        (lambda: swept_volume_field([mesh], one), ValueError, r"neither of voxel_size and resolution, expected one"),
        (lambda: swept_volume_field([mesh], one, 0.5, resolution=(4, 4, 4)), ValueError, r"both of voxel_size and res"),
        (lambda: swept_volume_field([mesh], one, 0.0), ValueError, r"voxel_size is 0\.0, expected a positive number"),
        (lambda: swept_volume_field([mesh], one, 1e-6), ValueError, r"voxel_size is 1e-06, the grid would have"),
        (
            lambda: swept_volume_field([mesh], one, resolution=(4, 4, 1)),
            ValueError,
            r"resolution\[2\] is 1, expected 2",
        ),
        (lambda: swept_volume_field([mesh], one, resolution=(4, 4)), ValueError, r"resolution has 2 numbers, expected"),
        (lambda: swept_volume_field([mesh], one, resolution=4), TypeError, r"resolution is 4, expected three integers"),
        (
            lambda: swept_volume_field([mesh], one, 0.5, lower=(0, 0, 0)),
            ValueError,
            r"lower is given alone, expected bo",
        ),
        (
            lambda: swept_volume_field([mesh], one, 0.5, sign_mode=9),
            ValueError,
            r"sign_mode is 9, expected one of NORMAL",
        ),
        (
            lambda: swept_volume_field([ball(winding=False)], one, 0.5),
            ValueError,
            r"meshes\[0\] is not prepared for wind",
        ),
        (
            lambda: swept_volume_mesh([mesh], one, 0.5, threshold=np.inf),
            ValueError,
            r"threshold is inf, expected a fin",
        ),
        (lambda: swept_volume_bounds([mesh], one, padding=np.nan), ValueError, r"padding is nan, expected a finite"),
    ]:
        with pytest.raises(error, match=match):
            call()
