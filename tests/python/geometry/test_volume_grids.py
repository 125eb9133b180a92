"""``wp.Volume``: files, grids of codes, grids that are rebuilt, and what is refused."""

from __future__ import annotations

import gc
import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import warp as wp

RNG = np.random.default_rng(8)


@wp.kernel
def looked_up(id: wp.uint64, at: wp.array(dtype=wp.vec3i), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = wp.volume_lookup_f(id, at[i][0], at[i][1], at[i][2])


def all_of(volume: Any) -> np.ndarray:
    voxels = volume.get_voxels()
    out = wp.zeros(len(voxels), dtype=float)
    wp.launch(looked_up, len(voxels), inputs=[volume, wp.array(voxels.numpy(), dtype=wp.vec3i), out])
    return out.numpy()


def some_volume() -> Any:
    return wp.Volume.load_from_numpy(RNG.random((9, 8, 8)).astype(np.float32), voxel_size=0.5, bg_value=4.0)


@pytest.mark.parametrize("codec", ["none", "zip"])
def test_files_are_written_and_read(tmp_path: Path, codec: str) -> None:
    volume, path = some_volume(), tmp_path / "a.nvdb"
    volume.save_to_nvdb(path, codec=codec)
    content = path.read_bytes()
    for source in (path, str(path), content, io.BytesIO(content)):
        read = wp.Volume.load_from_nvdb(source)
        np.testing.assert_array_equal(read.array().numpy(), volume.array().numpy())
        assert read.load_next_grid() is None
    for end in (0, 10, 100, 192, 200, 1000, len(content) - 1):
        with pytest.raises(RuntimeError, match="Volume"):
            wp.Volume.load_from_nvdb(content[:end])
    # Two segments: two grids.
    both = wp.Volume.load_from_nvdb(content + content)
    assert both.load_next_grid().get_grid_info()[:2] == volume.get_grid_info()[:2]


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    volume = some_volume()
    with pytest.raises(TypeError, match="expected a path, a file or bytes, not int"):
        wp.Volume.load_from_nvdb(3)
    with pytest.raises(RuntimeError, match="'none', 'zip'"):
        volume.save_to_nvdb(tmp_path / "b.nvdb", codec="blosc")
    broken = volume.array().numpy()
    for at, change, why in ((0, 1, "begins with"), (636, 99, "type number"), (19, 8, "version"), (700, 255, "root")):
        bad = broken.copy()
        bad[at] ^= change
        with pytest.raises(RuntimeError, match=why):
            wp.Volume(wp.array(bad, dtype=wp.uint8))
    with pytest.raises(RuntimeError, match="an array of float32"):
        wp.Volume(wp.zeros(1000, dtype=float))
    with pytest.raises(RuntimeError, match="grid_ptr is 0"):
        wp.Volume.load_from_address(0)
    shared = wp.Volume.load_from_address(volume.array().ptr)
    shared.values.fill_(3.0)
    assert (volume.values.numpy() == 3.0).all()


CODES = {"Float4": (13, 4, 4), "Float8": (14, 8, 8), "Float16": (15, 16, 16), "FloatN": (16, 0, 8), "Half": (9, 0, 0)}


@pytest.mark.parametrize("name", CODES)
def test_codes_are_read_as_float32(name: str) -> None:
    """A grid whose one leaf is replaced by one of codes."""
    whole = wp.Volume.allocate([0, 0, 0], [7, 7, 7], 1.0, 0.25).array().numpy()
    number, bits, used = CODES[name]
    leaf = len(whole) - 2144
    codes = RNG.integers(0, 1 << used, 512) if used else RNG.random(512)
    if name == "Half":
        body = whole[leaf : leaf + 96].tobytes() + codes.astype(np.float16).tobytes()
        wanted = codes.astype(np.float16).astype(np.float32)
    else:
        flags = {0: 3 << 5}.get(bits, 0) | 2
        head = whole[leaf : leaf + 15].tobytes() + bytes([flags]) + whole[leaf + 16 : leaf + 80].tobytes()
        head += struct.pack("<2f", -1.0, 0.125) + bytes(8)
        if used == 4:
            packed = (codes[0::2] | codes[1::2] << 4).astype(np.uint8)
        else:
            packed = codes.astype(np.uint8 if used == 8 else np.uint16)
        body = head + packed.tobytes()
        wanted = -1.0 + 0.125 * codes.astype(np.float32)
    content = bytearray(whole[:leaf].tobytes() + body)
    struct.pack_into("<I", content, 636, number)
    struct.pack_into("<Q", content, 32, len(content))
    struct.pack_into("<q", content, 640, len(content))
    volume = wp.Volume(wp.array(np.frombuffer(bytes(content), dtype=np.uint8)))
    assert volume.get_grid_info().type_str == name
    assert volume.dtype is wp.float32
    np.testing.assert_array_equal(all_of(volume), wanted)
    with pytest.raises(RuntimeError, match="have no gradient"):
        volume.requires_grad = True
    with pytest.raises(RuntimeError, match=f"a grid of {name} holds no values"):
        _ = volume.values


def test_grids_are_rebuilt_in_place_and_by_graphs() -> None:
    points = wp.array([[0, 0, 0], [20, 0, 0]], dtype=wp.vec3i)
    volume = wp.Volume.allocate_by_tiles(points, 1.0, 0.5, rebuildable=True, max_tiles=3)
    id, status = volume.id, wp.zeros(1, dtype=wp.uint32)
    assert volume.is_rebuildable
    assert volume.get_tile_count() == 2
    assert volume.get_rebuild_info() == ("tiles", 1536, 3, 3, 3)
    volume.values.fill_(2.0)
    with wp.ScopedCapture(device="cpu") as capture:
        volume.rebuild(points, status=status)
    points.assign(np.array([[100, 0, 0], [-1, -1, -1]], dtype=np.int32))
    wp.capture_launch(capture.graph)
    assert volume.values.shape == (2, 8, 8, 8)
    assert (volume.values.numpy() == 0.5).all()
    assert volume.id == id
    assert status.numpy()[0] == wp.Volume.REBUILD_SUCCESS
    assert sorted(map(tuple, volume.get_tiles().numpy())) == [(-8, -8, -8), (96, 0, 0)]
    assert (all_of(volume) == 0.5).all()
    far = wp.array(np.arange(4)[:, None] * np.array([[50, 0, 0]]), dtype=wp.vec3i)
    volume.rebuild(far, status=status)
    assert status.numpy()[0] == wp.Volume.REBUILD_LEAF_CAPACITY_EXCEEDED
    assert volume.get_tile_count() == 0
    volume.rebuild(far, status=status, point_mask=wp.array([True, False, True, False], dtype=bool))
    assert status.numpy()[0] == 0
    assert volume.get_tile_count() == 2
    volume.rebuild(wp.array([[np.nan, 0, 0]], dtype=wp.vec3), status=status)
    assert status.numpy()[0] == wp.Volume.REBUILD_INVALID_INPUT
    voxels = wp.Volume.allocate_by_voxels(far, 1.0, rebuildable=True, max_active_voxels=4, max_leaf_nodes=8)
    voxels.rebuild(wp.array([[1, 2, 3], [1, 2, 4], [1, 2, 3]], dtype=wp.vec3i))
    assert voxels.get_voxel_count() == 2
    assert voxels.get_rebuild_info().kind == "voxels"
    with pytest.raises(RuntimeError, match="rebuildable=True"):
        some_volume().rebuild(far)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"voxel_size": -1.0}, "voxel_size is -1.0"),
        ({"voxel_size": "a"}, "voxel_size is 'a'"),
        ({}, "one of voxel_size and transform"),
        ({"voxel_size": 1.0, "transform": np.eye(3)}, "one of voxel_size and transform"),
        ({"transform": np.zeros((3, 3))}, "has no inverse"),
        ({"voxel_size": 1.0, "bg_value": "x"}, "bg_value is 'x'"),
        ({"voxel_size": 1.0, "bg_value": True}, "bg_value is True"),
        ({"voxel_size": 1.0, "translation": (1, 2)}, "translation"),
        ({"voxel_size": 1.0, "max_tiles": 4}, "rebuildable=True"),
        ({"voxel_size": 1.0, "point_mask": wp.zeros(3, dtype=bool)}, "point_mask has 3 elements"),
    ],
)
def test_what_is_wrong_is_named(given: dict[str, Any], why: str) -> None:
    with pytest.raises((TypeError, ValueError), match=why):
        wp.Volume.allocate_by_tiles(wp.zeros(2, dtype=wp.vec3i), **given)


def test_points_that_are_none_are_named() -> None:
    with pytest.raises(ValueError, match="point 1 is not finite"):
        wp.Volume.allocate_by_voxels(wp.array([[0, 0, 0], [np.nan, 0, 0]], dtype=wp.vec3), 0.5)
    with pytest.raises(RuntimeError, match="must be one of vec3i"):
        wp.Volume.allocate_by_voxels(wp.zeros(4, dtype=float), 0.5)
    with pytest.raises(RuntimeError, match="less than min"):
        wp.Volume.allocate([0, 0, 0], [-1, 0, 0], 1.0)
    with pytest.raises(MemoryError, match="allocate_by_tiles"):
        wp.Volume.allocate([0, 0, 0], [10**8, 10**8, 10**8], 1.0)
    assert wp.Volume.allocate_by_voxels(wp.zeros(0, dtype=wp.vec3i), 0.5).get_voxel_count() == 0


def test_ids_are_checked() -> None:
    out, at = wp.zeros(1, dtype=float), wp.zeros(1, dtype=wp.vec3i)
    whole = wp.Volume.allocate([0, 0, 0], [7, 7, 7], 1.0, 3)
    with pytest.raises(ValueError, match=r"is the id of a Volume of int32; the query needs a Volume of float32"):
        wp.launch(looked_up, 1, inputs=[whole, at, out])
    volume = some_volume()
    gone = volume.id
    del volume
    gc.collect()
    with pytest.raises(ValueError, match="has been deleted"):
        wp.launch(looked_up, 1, inputs=[gone, at, out])


def test_a_volume_is_itself() -> None:
    volume = some_volume()
    other = wp.Volume(volume.array(), copy=True)
    assert volume == volume
    assert volume != other
    assert len({volume, other, volume}) == 2
    assert volume.device == volume.array().device == wp.get_device()
    assert wp.Volume.allocate([0] * 3, [1] * 3, 1.0, device="cpu").device == wp.get_device("cpu")
    with pytest.raises(AttributeError):
        volume.id = 3


def test_an_id_is_no_address() -> None:
    # Eight of them, as addresses are multiples of 8.
    volumes = [some_volume() for _ in range(9)]
    wrong = next(volume.id for volume in volumes if volume.id % 8 == 0)
    with pytest.raises(RuntimeError, match=rf"grid_ptr is {wrong}, the id of an object.*volume\.array\(\)\.ptr"):
        wp.Volume.load_from_address(wrong)


def test_which_nodes_there_was_no_room_for() -> None:
    tile, status = wp.zeros(1, dtype=wp.vec3i), wp.zeros(1, dtype=wp.uint32)
    volume = wp.Volume.allocate_by_tiles(
        tile, 1.0, 0.0, rebuildable=True, max_tiles=9, max_lower_nodes=2, max_upper_nodes=1
    )
    leaf, lower, upper = (getattr(wp.Volume, f"REBUILD_{n}_CAPACITY_EXCEEDED") for n in ("LEAF", "LOWER", "UPPER"))
    named = (leaf, lower, upper, wp.Volume.REBUILD_VOXEL_CAPACITY_EXCEEDED, wp.Volume.REBUILD_INVALID_INPUT)
    assert (wp.Volume.REBUILD_SUCCESS, *named) == (0, 1, 2, 4, 8, 16)
    for x, wanted in (([0, 200], 0), ([0, 200, 400], lower), ([0, 5000], upper), ([0, 5000, 9999], lower | upper)):
        volume.rebuild(wp.array([[k, 0, 0] for k in x], dtype=wp.vec3i), status=status)
        assert status.numpy()[0] == wanted
        assert volume.get_tile_count() == (0 if wanted else len(x))


def test_one_of_several_grids_is_written_alone(tmp_path: Path) -> None:
    volume = some_volume()
    volume.save_to_nvdb(tmp_path / "a.nvdb")
    content = (tmp_path / "a.nvdb").read_bytes()
    # Newer files begin otherwise; what begins with 1 is grids alone.
    assert wp.Volume.load_from_nvdb(b"NanoVDB2" + content[8:]).get_voxel_count() == volume.get_voxel_count()
    for begin, why in ((b"NanoVDB1", "the grid is of version"), (b"NanoVDB9", "a segment begins with b'NanoVDB9'")):
        with pytest.raises(RuntimeError, match=why):
            wp.Volume.load_from_nvdb(begin + content[8:])
    second = wp.Volume.load_from_nvdb(content + content).load_next_grid()
    second.save_to_nvdb(tmp_path / "b.nvdb")
    again = wp.Volume.load_from_nvdb(tmp_path / "b.nvdb")
    np.testing.assert_array_equal(again.values.numpy(), volume.values.numpy())
    assert again.load_next_grid() is None


#: Types by number: name and dtype.
TYPES = {
    1: ("float", wp.float32), 2: ("double", wp.float64), 3: ("int16", wp.int16), 4: ("int32", wp.int32),
    5: ("int64", wp.int64), 6: ("Vec3f", wp.vec3), 7: ("Vec3d", wp.vec3d), 9: ("Half", wp.float32),
    10: ("uint32", wp.uint32), 11: ("bool", wp.bool), 13: ("Float4", wp.float32), 14: ("Float8", wp.float32),
    15: ("Float16", wp.float32), 16: ("FloatN", wp.float32), 17: ("Vec4f", wp.vec4), 18: ("Vec4d", wp.vec4d),
    19: ("Index", None), 20: ("OnIndex", None), 21: ("IndexMask", None), 22: ("OnIndexMask", None),
    24: ("Vec3u8", wp.vec3ub), 25: ("Vec3u16", wp.vec3us), 26: ("uint8", wp.uint8),
}  # fmt: skip


def ask_and_wait(volume: Any, at: Any, out: Any) -> None:
    wp.launch(looked_up, 1, inputs=[volume, at, out])
    wp.synchronize()


@pytest.mark.parametrize("number", TYPES)
def test_types_of_grids(number: int) -> None:
    """Empty grids of every type are loaded; kernels read those of their own type, and refuse others by name."""
    empty = wp.Volume.allocate_by_voxels(wp.zeros(0, dtype=wp.vec3i), 0.5).array().numpy().tobytes()
    content = bytearray(empty + bytes(256))
    struct.pack_into("<I", content, 636, number)
    struct.pack_into("<Q", content, 32, len(content))
    struct.pack_into("<q", content, 640, len(content))
    volume = wp.Volume(wp.array(np.frombuffer(bytes(content), dtype=np.uint8)))
    name, dtype = TYPES[number]
    assert (volume.get_grid_info().type_str, volume.dtype) == (name, dtype)
    assert volume.is_index == (dtype is None)
    out, at = wp.full(1, 7.0, dtype=float), wp.zeros(1, dtype=wp.vec3i)
    if dtype is wp.float32:
        wp.launch(looked_up, 1, inputs=[volume, at, out])
        assert out.list() == [0.0]
    else:
        with pytest.raises(ValueError, match="the query needs a Volume of float32"):
            ask_and_wait(volume, at, out)
