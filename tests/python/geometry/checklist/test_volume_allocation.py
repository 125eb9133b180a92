"""``wp.Volume``: which tiles and voxels points allocate, and grids that are built anew, beside brute force."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
import warp as wp

RNG = np.random.default_rng(61)
Volume = wp.Volume


#: Each method as it is called.
CALLS = {
    "allocate": "(min, max, voxel_size, bg_value=0.0, translation=(0.0, 0.0, 0.0), points_in_world_space=False, "
    "device=None)",
    "allocate_by_tiles": "(tile_points, voxel_size=None, bg_value=0.0, translation=(0.0, 0.0, 0.0), device=None, "
    "transform=None, rebuildable=False, max_tiles=None, max_lower_nodes=None, max_upper_nodes=None, status=None, "
    "point_mask=None)",
    "allocate_by_voxels": "(voxel_points, voxel_size=None, translation=(0.0, 0.0, 0.0), device=None, transform=None, "
    "rebuildable=False, max_active_voxels=None, max_leaf_nodes=None, max_lower_nodes=None, max_upper_nodes=None, "
    "status=None, point_mask=None)",
    "load_from_numpy": "(ndarray, min_world=(0.0, 0.0, 0.0), voxel_size=1.0, bg_value=0.0, device=None)",
    "load_from_nvdb": "(file_or_buffer, device=None)",
    "load_from_address": "(grid_ptr, buffer_size=0, device=None)",
    "save_to_nvdb": "(self, path, codec='none')",
    "rebuild": "(self, points, status=None, point_mask=None)",
    "get_tiles": "(self, out=None)",
    "get_voxels": "(self, out=None)",
    "feature_array": "(self, feature_index, dtype=None)",
}


@pytest.mark.parametrize("name", CALLS)
def test_parameters(name: str) -> None:
    found = inspect.signature(getattr(Volume, name)).parameters.values()
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in found]
    assert str(inspect.Signature(plain)) == CALLS[name]


def rows(found: np.ndarray) -> set[tuple[int, ...]]:
    return set(map(tuple, found.tolist()))


def test_points_of_every_kind() -> None:
    """Integers are voxels, floats places in the world, in rows or in vectors; some lie in one tile or voxel."""
    voxels = np.repeat(RNG.integers(-40, 40, (30, 3)), 2, axis=0).astype(np.int32)
    size, place = np.array([0.5, 0.25, 2.0]), np.array([3.0, -1.0, 8.0])
    world = (voxels * size + place + RNG.uniform(-0.4, 0.4, voxels.shape) * size).astype(np.float32)
    given = [wp.array(voxels), wp.array(voxels, dtype=wp.vec3i), wp.array(world), wp.array(world, dtype=wp.vec3)]
    for points in (*given, voxels, world):
        tiles = Volume.allocate_by_tiles(points, tuple(size), translation=tuple(place))
        assert rows(tiles.get_tiles().numpy()) == rows(voxels // 8 * 8)
        assert tiles.get_tile_count() == len(rows(voxels // 8 * 8))
        only = Volume.allocate_by_voxels(points, tuple(size), translation=tuple(place))
        assert rows(only.get_voxels().numpy()) == rows(voxels)
        assert only.get_voxel_count() == only.get_active_stats().voxel_count == len(rows(voxels))
        for volume in (tiles, only):
            assert tuple(volume.get_grid_info().translation) == tuple(place)
            assert volume.get_voxel_size() == tuple(size)
            counts = [len(rows(voxels // n * n)) for n in (8, 128, 4096)]
            assert list(volume.get_active_stats())[1:] == counts


@pytest.mark.parametrize("method", ["allocate_by_tiles", "allocate_by_voxels"])
def test_points_under_a_transform(method: str) -> None:
    matrix = wp.mat33(0.5, 0.1, 0.0, 0.0, 0.25, -0.2, 0.3, 0.0, 1.5)
    numbers = np.array(matrix).reshape(3, 3).astype(float)
    voxels = RNG.integers(-40, 40, (30, 3)).astype(np.int32)
    world = (voxels @ numbers.T + [1, 2, 3]).astype(np.float32)
    volume = getattr(Volume, method)(wp.array(world), transform=matrix, translation=(1, 2, 3))
    if method == "allocate_by_tiles":
        assert rows(volume.get_tiles().numpy()) == rows(voxels // 8 * 8)
    else:
        assert rows(volume.get_voxels().numpy()) == rows(voxels)
    np.testing.assert_array_equal(np.array(volume.get_grid_info().transform_matrix).reshape(3, 3), np.array(matrix))
    for wrong in ({"voxel_size": 1.0}, {"transform": None}):
        with pytest.raises(ValueError, match="one of voxel_size and transform"):
            getattr(Volume, method)(wp.array(world), **{"transform": matrix, **wrong})


def test_places_are_rounded_to_voxels() -> None:
    """By floor(x + 0.5)."""
    x = np.array([-1.5, -0.51, -0.5, -0.49, 0.49, 0.5, 1.5, 2.5, 1000.5], np.float32)
    for k, place in enumerate(x):
        point = np.array([[place, 0, 0]], np.float32)
        voxel = [int(np.floor(place + np.float32(0.5))), 0, 0]
        assert Volume.allocate_by_voxels(point, 1.0).get_voxels().numpy().tolist() == [voxel], k
        tile = Volume.allocate_by_tiles(point, 1.0).get_tiles().numpy().tolist()
        assert tile == [[voxel[0] // 8 * 8, 0, 0]]


def test_boxes_include_both_ends() -> None:
    """In voxels, and in the world behind a translation."""
    for _ in range(10):
        low = RNG.integers(-40, 40, 3)
        high = low + RNG.integers(0, 30, 3)
        ranges = [range(a // 8 * 8, b + 1, 8) for a, b in zip(low, high, strict=True)]
        tiles = {(x, y, z) for x in ranges[0] for y in ranges[1] for z in ranges[2]}
        place, size = np.array([2.0, -3.0, 1.0]), 0.25
        volumes = [
            Volume.allocate(low.tolist(), high.tolist(), size, translation=tuple(place)),
            Volume.allocate(
                list(low * size + place), list(high * size + place), size, 0.0, tuple(place), points_in_world_space=True
            ),
        ]
        for volume in volumes:
            assert rows(volume.get_tiles().numpy()) == tiles
            assert tuple(volume.get_grid_info().translation) == tuple(place)
    for inverted in ([0, 0, -1], [-9, 5, 5]):
        with pytest.raises(RuntimeError, match="is less than min"):
            Volume.allocate([0, 0, 0], inverted, 1.0)


@pytest.mark.parametrize("device", [None, "cpu"])
def test_where_volumes_lie(device: str | None) -> None:
    point = np.zeros((1, 3), np.int32)
    first = Volume.allocate_by_tiles(point, 1.0, device=device)
    content = first.array().numpy()
    made = [
        first,
        Volume.allocate_by_voxels(point, 1.0, device=device),
        Volume.allocate([0] * 3, [1] * 3, 1.0, device=device),
        Volume.load_from_numpy(np.zeros((1, 1, 1)), device=device),
        Volume.load_from_nvdb(b"NanoVDB1" + content[8:].tobytes(), device=device),
    ]
    for volume in made:
        assert str(volume.device) == str(wp.get_device(device))


@pytest.mark.parametrize("wrong", [0, -1.0, np.nan, np.inf, (1, 1), (1, 0, 1), (1.0, np.nan, 1.0), [[1.0]]])
def test_sizes_of_voxels_are_positive(wrong: Any) -> None:
    point = np.zeros((1, 3), np.int32)
    for call in (Volume.allocate_by_tiles, Volume.allocate_by_voxels):
        with pytest.raises(ValueError, match="voxel_size is"):
            call(point, wrong)
    with pytest.raises(ValueError, match="voxel_size is"):
        Volume.load_from_numpy(np.zeros((1, 1, 1)), voxel_size=wrong)


@pytest.mark.parametrize(
    "wrong", ["x", True, (1.0, 2.0), (1, 2, 3, 4, 5), wp.vec2(1.0, 2.0), wp.vec3i(1, 2, 3), wp.mat22()]
)
def test_other_backgrounds_are_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match="an int, a float, three or four numbers, int64, .* vec4d or None"):
        Volume.allocate_by_tiles(np.zeros((1, 3), np.int32), 1.0, wrong)


def test_points_too_far_away_are_named() -> None:
    far = [
        np.array([[0, 0, 0], [1e30, 0, 0]], np.float32),
        np.array([[0, 0, 0], [0, -np.inf, 0]], np.float32),
        np.array([[0, 0, 0], [2**31 - 1, 0, 0]], np.int32),
        np.array([[0, 0, 0], [0, 0, -(2**31)]], np.int32),
    ]
    for points in far:
        for call in (Volume.allocate_by_tiles, Volume.allocate_by_voxels):
            with pytest.raises(ValueError, match="point 1 is not finite, or too far away"):
                call(points, 1.0)
            masked = call(points, 1.0, point_mask=wp.array([1, 0], dtype=int))
            assert masked.get_tile_count() == 1


def test_numbers_of_numpy_become_the_type_of_the_background() -> None:
    numbers = np.array([[[1.75, -1.75, 1e-40]]])
    for given, background, dtype, wanted in (
        (numbers, 0.0, wp.float32, numbers.astype(np.float32)[0, 0]),
        (numbers.astype(np.float32), 3, wp.int32, [1, -1, 0]),
        (np.array([[[1, 2, 3]]]), 0.0, wp.float32, [1.0, 2.0, 3.0]),
        (np.array([[[1, 2, 3]]], np.uint8), np.float32(7), wp.float32, [1.0, 2.0, 3.0]),
    ):
        volume = Volume.load_from_numpy(given, bg_value=background)
        assert volume.dtype is dtype
        found = volume.values.numpy()[0]
        np.testing.assert_array_equal(found[0, 0, :3], wanted)
        assert (found[0, 0, 3:] == background).all()
    for wrong in (np.zeros((2, 2, 2, 3)), np.zeros((2, 2, 2, 2)), np.zeros(8), np.zeros((0, 2, 2))):
        with pytest.raises(ValueError, match="ndarray has the shape"):
            Volume.load_from_numpy(wrong)
    with pytest.raises(ValueError, match=r"expected \(x, y, z, 3\)"):
        Volume.load_from_numpy(np.zeros((2, 2, 2, 4)), bg_value=(0.0, 0.0, 0.0))


# Grids that are built anew


def test_rebuilt_grids_are_those_of_brute_force() -> None:
    """Of any points, in voxels and in the world, some of them masked; the memory stays."""
    start = np.zeros((1, 3), np.int32)
    tiles = Volume.allocate_by_tiles(start, 0.5, 2.5, rebuildable=True, max_tiles=400)
    only = Volume.allocate_by_voxels(start, 0.5, rebuildable=True, max_active_voxels=400, max_leaf_nodes=400)
    assert tiles.is_rebuildable
    assert only.is_rebuildable
    ids, memory = (tiles.id, only.id), (tiles.array().ptr, only.array().ptr)
    for count, spread in ((0, 1), (1, 9), (200, 30), (400, 900)):
        voxels = RNG.integers(-spread, spread, (count, 3)).astype(np.int32)
        mask = RNG.random(count) < 0.7
        world = (voxels * 0.5 + RNG.uniform(-0.2, 0.2, voxels.shape)).astype(np.float32)
        status = wp.full(1, 9, dtype=wp.uint32)
        for points in (wp.array(voxels, dtype=wp.vec3i), wp.array(world, dtype=wp.vec3)):
            for given, kept in ((None, np.ones(count, bool)), (wp.array(mask, dtype=wp.bool), mask)):
                tiles.rebuild(points, status=status, point_mask=given)
                assert status.numpy()[0] == Volume.REBUILD_SUCCESS
                assert rows(tiles.get_tiles().numpy()) == rows(voxels[kept] // 8 * 8)
                assert (tiles.values.numpy() == 2.5).all()
                only.rebuild(points, status=status, point_mask=given)
                assert status.numpy()[0] == Volume.REBUILD_SUCCESS
                assert rows(only.get_voxels().numpy()) == rows(voxels[kept])
                assert only.get_voxel_count() == len(rows(voxels[kept]))
    assert ids == (tiles.id, only.id)
    assert memory == (tiles.array().ptr, only.array().ptr)


def test_what_there_is_no_room_for_at_first() -> None:
    far = np.arange(4)[:, None].astype(np.int32) * np.array([[5000, 0, 0]], np.int32)
    status = wp.zeros(1, dtype=wp.uint32)
    volume = Volume.allocate_by_tiles(far, 1.0, rebuildable=True, max_tiles=3, status=status)
    assert status.numpy()[0] & Volume.REBUILD_LEAF_CAPACITY_EXCEEDED
    assert (volume.get_tile_count(), volume.get_active_stats()) == (0, (0, 0, 0, 0))
    assert volume.get_rebuild_info() == ("tiles", 1536, 3, 3, 3)
    only = Volume.allocate_by_voxels(
        far, 1.0, rebuildable=True, max_active_voxels=9, max_leaf_nodes=9, max_lower_nodes=4, max_upper_nodes=3,
        status=status,
    )  # fmt: skip
    assert status.numpy()[0] == Volume.REBUILD_UPPER_CAPACITY_EXCEEDED
    assert only.get_voxel_count() == 0
    assert only.get_rebuild_info() == ("voxels", 9, 9, 4, 3)
    only.rebuild(far[:3], status=status)
    assert status.numpy()[0] == Volume.REBUILD_SUCCESS
    assert only.get_voxel_count() == 3
    once = Volume.allocate_by_tiles(far, 1.0, status=status)
    assert status.numpy()[0] == Volume.REBUILD_SUCCESS
    assert not once.is_rebuildable


def test_points_that_are_none_leave_an_empty_grid() -> None:
    status = wp.zeros(1, dtype=wp.uint32)
    for call in (Volume.allocate_by_tiles, Volume.allocate_by_voxels):
        volume = call(np.zeros((1, 3), np.int32), 1.0, rebuildable=True)
        for wrong in ([[np.nan, 0, 0]], [[0, 0, 0], [1e30, 0, 0]], [[0, -np.inf, 0]]):
            volume.rebuild(np.array(wrong, np.float32), status=status)
            assert status.numpy()[0] == Volume.REBUILD_INVALID_INPUT
            assert volume.get_tile_count() == 0
            assert len(volume.get_voxels()) == 0
        volume.rebuild(np.zeros((1, 3), np.float32), status=status)
        assert status.numpy()[0] == 0
        assert volume.get_tile_count() == 1
        with pytest.raises(RuntimeError, match="status"):
            volume.rebuild(np.zeros((1, 3), np.float32), status=wp.zeros(1, dtype=float))


def test_what_is_no_grid_to_rebuild_has_no_room() -> None:
    volume = Volume.allocate([0] * 3, [1] * 3, 1.0)
    with pytest.raises(RuntimeError, match="rebuildable=True"):
        volume.get_rebuild_info()
    with pytest.raises(RuntimeError, match="rebuildable=True"):
        volume.rebuild(np.zeros((1, 3), np.int32))
    assert not volume.is_rebuildable
