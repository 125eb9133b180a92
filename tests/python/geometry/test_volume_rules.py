"""``wp.Volume`` and textures: what grids, files and textures say of themselves, and odd cases of reading them."""

from __future__ import annotations

import base64
import io
import struct
from typing import Any

import numpy as np
import pytest
import warp as wp
from warp import _warp

RNG = np.random.default_rng(41)


def test_grids_from_numpy() -> None:
    """A whole background makes int32, else numbers are float32; three components make vectors."""
    values = RNG.integers(0, 9, (3, 9, 4))
    for given, background, dtype, number in (
        (values, 7, wp.int32, 7),
        (values.astype(float), 7.0, wp.float32, 7.0),
        (RNG.random((3, 9, 4, 3)), (1, 2, 3), wp.vec3, [1, 2, 3]),
        (RNG.random((3, 9, 4, 4)), (1, 2, 3, 4), wp.vec4, [1, 2, 3, 4]),
    ):
        volume = wp.Volume.load_from_numpy(given, min_world=(1, 2, 3), voxel_size=0.5, bg_value=background)
        assert volume.dtype is dtype
        assert not volume.is_index
        assert not volume.is_rebuildable
        # Tiles are filled up with the background, whose voxels are active.
        assert (volume.get_tile_count(), volume.get_voxel_count()) == (2, 1024)
        found = volume.values.numpy()
        np.testing.assert_allclose(found[0, :3, :8, :4], given[:, :8], rtol=1e-6)
        assert (found[0, 3:] == number).all()
        assert (found[1, :, 1:] == number).all()
        info = volume.get_grid_info()
        assert list(info.translation) == [1, 2, 3]
        np.testing.assert_array_equal(np.array(info.transform_matrix).reshape(3, 3), np.eye(3) / 2)
        assert (info.grid_index, info.grid_count) == (0, 1)
        assert info.type_str == {wp.int32: "int32", wp.float32: "float", wp.vec3: "Vec3f", wp.vec4: "Vec4f"}[dtype]
        assert info.size_in_bytes == volume.array().size
        assert volume.get_voxel_size() == (0.5, 0.5, 0.5)
    for wrong in (np.zeros((2, 2)), np.zeros((2, 2, 2, 5)), np.zeros((2, 2, 2), "U1")):
        with pytest.raises((TypeError, ValueError), match="Volume"):
            wp.Volume.load_from_numpy(wrong)


def test_boxes_of_tiles() -> None:
    volume = wp.Volume.allocate([-1, 0, 8], [0, 15, 15], voxel_size=0.25, bg_value=2.5, translation=(9, 9, 9))
    tiles = sorted(map(tuple, volume.get_tiles().numpy().tolist()))
    assert tiles == [(x, y, 8) for x in (-8, 0) for y in (0, 8)]
    given = wp.zeros((4, 3), dtype=int)
    assert volume.get_tiles(out=given) is given
    assert sorted(map(tuple, given.numpy().tolist())) == tiles
    voxels = wp.zeros((2048, 3), dtype=int)
    assert volume.get_voxels(out=voxels) is voxels
    assert len(np.unique(voxels.numpy(), axis=0)) == 2048
    # Of the world: the box is given in lengths.
    world = wp.Volume.allocate(
        [0, 0, 0], [3.9, 1, 1], voxel_size=0.25, bg_value=1.0, points_in_world_space=True
    )  # voxels 0 to 16
    assert sorted(world.get_tiles().numpy()[:, 0].tolist()) == [0, 8, 16]
    with pytest.raises(ValueError, match=r"out has the shape \(9, 3\), expected \(4, 3\)"):
        volume.get_tiles(out=wp.zeros((9, 3), dtype=int))


def test_what_files_with_several_grids_hold(tmp_path: Any) -> None:
    one = wp.Volume.load_from_numpy(np.ones((2, 2, 2), np.float32), bg_value=0.0)
    two = wp.Volume.allocate([0, 0, 0], [0, 0, 0], 1.0, bg_value=3)
    for volume, name in ((one, "one"), (two, "two")):
        volume.save_to_nvdb(str(tmp_path / name), codec="zip")
    content = (tmp_path / "one").read_bytes() + (tmp_path / "two").read_bytes()
    first = wp.Volume.load_from_nvdb(io.BytesIO(content))
    second = first.load_next_grid()
    assert (first.dtype, second.dtype, second.load_next_grid()) == (wp.float32, wp.int32, None)
    header = content[:16]
    magic, version, count, codec = struct.unpack("<QIHH", header)
    assert (magic, version >> 21, count, codec) == (0x304244566F6E614E, 32, 1, 1)
    with pytest.raises(RuntimeError, match="codec"):
        wp.Volume.load_from_nvdb(content[:14] + b"\x09\x00" + content[16:])


#: Frames that c-blosc 1.21 has made of `packed_numbers()`.
FRAMES = {
    "lz4": (
        "AgEhBBAOAAAQDgAA7QAAABQAAAAOAAAAHwABAP///25QAAAAAAAOAAAAHwABAP///25QAAAAAAB9AAAA/1IAAIDAACBAYICQoLDA"
        "0ODwAAgQGCAoMDhASFBYYGhweICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8AAIEBggKDA4QEhQWGBocHiAiJCYoKiwu"
        "MDI0Njg6PD5AYQC4FVABAA8jAf8HD0YC/xEJIwFQMDhASFAwAAAAVwA/Pz9AAQAfQQEAHB9CAQAND2EAvw8mAR0PIgENDyMBwA9F"
        "AhwPIwHnUEFBQUFB"
    ),
    "blosclz": (
        "AgEBBBAOAAAQDgAA8AAAABQAAAAPAAAAIwAAAADg////dwMCAAAADwAAACMAAAAA4P///3cDAgAAAHsAAAA/AACAwAAgQGCAkKCw"
        "wNDg8AAIEBggKDA4QEhQWGBocHgfgISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+PwfAAIEBggKDA4QEhQWGBocHiAiJCYo"
        "KiwuMDI0Njg6PD4AQODCYABQ4AAA4f8RIuL/G0XhByIBSFAzAAAAJAA/Pz9A4AEAAUBB4CUAAUFC4BYAAELgyGAAQOEmJeHqIuL/"
        "G0ULQEFBQUFBQUFBQUFB"
    ),
    "not sorted": (
        "AgEAARAOAAAQDgAAyQEAABQAAACxAQAAPwAAAAAAAAA/AACAPwAAwD8AAABAAAAgQAAAQEAAAGBAHwAAgEAAAJBAAACgQAAAsEAA"
        "AMBAAADQQAAA4EAAAPBAHwAAAEEAAAhBAAAQQQAAGEEAACBBAAAoQQAAMEEAADhBHwAAQEEAAEhBAABQQQAAWEEAAGBBAABoQQAA"
        "cEEAAHhBHwAAgEEAAIRBAACIQQAAjEEAAJBBAACUQQAAmEEAAJxBHwAAoEEAAKRBAACoQQAArEEAALBBAAC0QQAAuEEAALxBHwAA"
        "wEEAAMRBAADIQQAAzEEAANBBAADUQQAA2EEAANxBHwAA4EEAAORBAADoQQAA7EEAAPBBAAD0QQAA+EEAAPxBHwAAAEIAAAJCAAAE"
        "QgAABkIAAAhCAAAKQgAADEIAAA5CHwAAEEIAABJCAAAUQgAAFkIAABhCAAAaQgAAHEIAAB5CHwAAIEIAACJCAAAkQgAAJkIAAChC"
        "AAAqQgAALEIAAC5CHwAAMEIAADJCAAA0QgAANkIAADhCAAA6QgAAPEIAAD5CAwAAQELh////KIMBUEDgHQPk/////1+L6f////+H"
        "F+Q7iwFQQQ=="
    ),
    "zstd": (
        "AgGRBBAOAAAQDgAArgAAABQAAACWAAAAKLUv/WAQDWUEAIQGAIDAACBAYICQoLDA0ODwAAgQGCAoMDhASFBYYGhweICEiIyQlJic"
        "oKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8AAIEBggKDA4QEhQWGBocHiAiJCYoKiwuMDI0Njg6PD5AUAA/Pz9AQUIMIAA5wzjqquBO"
        "aMARBeCHyGa8uqvmJs7w4j4kmToG/04I"
    ),
}


def packed_numbers() -> np.ndarray:
    numbers = (np.arange(900) % 97 * 0.5).astype(np.float32)
    numbers[300:310] = 3.25
    return numbers


@pytest.mark.parametrize("name", ["lz4", "blosclz", "not sorted"])
def test_frames_of_blosc(name: str) -> None:
    frame = base64.b64decode(FRAMES[name])
    content = packed_numbers().tobytes()
    assert _warp._unpack_blosc(frame, len(content)) == content
    with pytest.raises(ValueError, match="3600 bytes, 3599 were to come"):
        _warp._unpack_blosc(frame, len(content) - 1)
    for end in range(len(frame)):
        with pytest.raises(ValueError, match=r"ends too early|no frame|more bytes than there are"):
            _warp._unpack_blosc(frame[:end], len(content))
    # Damaged ones are refused, or give other bytes; none harms.
    for _ in range(3000):
        damaged = bytearray(frame)
        for at in RNG.integers(0, len(frame), RNG.integers(1, 4)):
            damaged[at] = RNG.integers(256)
        try:
            assert len(_warp._unpack_blosc(bytes(damaged), len(content))) <= len(content)
        except ValueError:
            pass


def test_files_packed_by_blosc(tmp_path: Any) -> None:
    volume = wp.Volume.load_from_numpy(RNG.random((9, 8, 8)).astype(np.float32), bg_value=4.0)
    volume.save_to_nvdb(tmp_path / "a.nvdb")
    content = (tmp_path / "a.nvdb").read_bytes()
    grid = volume.array().numpy().tobytes()

    def file(*frames: bytes) -> bytes:
        packed = b"".join(struct.pack("<Q", len(frame)) + frame for frame in frames)
        head = bytearray(content[: len(content) - len(grid)])
        struct.pack_into("<H", head, 14, 2)
        struct.pack_into("<Q", head, 24, len(packed))
        return bytes(head) + packed

    def stored(part: bytes) -> bytes:
        return struct.pack("<4B3I", 2, 1, 2, 4, len(part), len(part), len(part) + 16) + part

    read = wp.Volume.load_from_nvdb(file(stored(grid[:5000]), stored(grid[5000:])))
    np.testing.assert_array_equal(read.array().numpy(), volume.array().numpy())
    for frames, why in (
        ([stored(grid[:5000])], "unpack"),
        ([stored(grid), stored(b"more")], "4 bytes, 0 were to come"),
        ([base64.b64decode(FRAMES["zstd"])], "packed by zstd, which cannot be read"),
        ([b"nothing"], "no frame of Blosc"),
    ):
        with pytest.raises(RuntimeError, match=why):
            wp.Volume.load_from_nvdb(file(*frames))


def test_grids_at_an_address() -> None:
    volume = wp.Volume.load_from_numpy(np.ones((2, 2, 2), np.float32), bg_value=0.0)
    shared = wp.Volume.load_from_address(volume.array().ptr, volume.array().size)
    volume.values.fill_(5.0)
    assert (shared.values.numpy() == 5.0).all()
    assert shared.id != volume.id
    for wrong, error in ((-32, RuntimeError), (volume.id * 8 + 3, RuntimeError), ("x", TypeError), (1.5, TypeError)):
        with pytest.raises(error, match="load_from_address: grid_ptr is"):
            wp.Volume.load_from_address(wrong)
    own = wp.Volume(volume.array(), copy=True)
    volume.values.fill_(6.0)
    assert (own.values.numpy() == 5.0).all()


def with_arrays(volume: Any, *arrays: tuple[bytes, np.ndarray, int]) -> Any:
    """A grid with feature arrays behind it: name, values, and the number of their type."""
    content = bytearray(volume.array().numpy().tobytes())
    offset, bodies = len(content), b""
    struct.pack_into("<qI", content, 640, offset, len(arrays))
    for k, (name, values, number) in enumerate(arrays):
        body = values.tobytes()
        body += bytes(-len(body) % 32)
        start = (len(arrays) - k) * 288 + len(bodies)
        size = values.dtype.itemsize * (values.shape[1] if values.ndim > 1 else 1)
        content += struct.pack("<qQIIII256s", start, len(values), size, 0, 0, number, name)
        bodies += body
    content += bodies
    struct.pack_into("<Q", content, 32, len(content))
    return wp.Volume(wp.array(np.frombuffer(bytes(content), dtype=np.uint8)))


def test_feature_arrays() -> None:
    points = wp.array(np.arange(30).reshape(10, 3), dtype=wp.vec3i)
    index = wp.Volume.allocate_by_voxels(points, 1.0)
    assert index.get_feature_array_count() == 0
    density, colour = RNG.random(11).astype(np.float32), RNG.random((11, 3)).astype(np.float32)
    volume = with_arrays(index, (b"density", density, 1), (b"colour", colour, 6))
    assert volume.get_feature_array_count() == 2
    name, _, size, count, kind = volume.get_feature_array_info(1)
    assert (name, size, count, kind) == ("colour", 12, 11, "Vec3f")
    assert volume.get_feature_array_info(0)[0] == "density"
    np.testing.assert_array_equal(volume.feature_array(0).numpy(), density)
    assert volume.feature_array(1).dtype is wp.vec3
    np.testing.assert_array_equal(volume.feature_array(1).numpy(), colour)
    assert volume.feature_array(1, dtype=wp.float32).size == 33
    for wrong in (2, -1):
        with pytest.raises(RuntimeError, match="there is no array"):
            volume.feature_array(wrong)
        with pytest.raises(RuntimeError, match="there is no array"):
            volume.get_feature_array_info(wrong)


@wp.kernel
def counted(f: wp.uint64, v: wp.uint64, i: wp.uint64, out: wp.array(dtype=float)):
    p = wp.vec3(0.25, 0.5, 0.0)
    out[0] = wp.volume_sample_f(f, p, wp.Volume.LINEAR)
    out[1] = wp.volume_sample_v(v, p, wp.Volume.LINEAR)[1]
    out[2] = float(wp.volume_sample_i(i, p))
    out[3] = float(wp.volume_voxel_count(f))
    slope = wp.mat33()
    value = wp.volume_sample_grad(v, p, wp.Volume.LINEAR, slope, dtype=wp.vec3)
    out[4] = value[2]
    out[5] = slope[2, 0]
    out[6] = slope[2, 1]


def test_samples_by_name_of_the_type() -> None:
    x, y, _ = np.meshgrid(*(np.arange(4.0),) * 3, indexing="ij")
    numbers = (x + 10 * y).astype(np.float32)
    vectors = np.stack([numbers, 2 * numbers, 3 * numbers], axis=-1)
    volumes = [wp.Volume.load_from_numpy(numbers), wp.Volume.load_from_numpy(vectors, bg_value=(0.0, 0.0, 0.0))]
    volumes.append(wp.Volume.load_from_numpy(numbers.astype(int), bg_value=0))
    out = wp.zeros(7, dtype=float)
    wp.launch(counted, 1, inputs=[*volumes, out])
    # The closest of (0.25, 0.5) is (0, 1): halves go away from zero.
    np.testing.assert_allclose(out.numpy(), [5.25, 10.5, 10, 512, 15.75, 3, 30], rtol=1e-6)


def test_samples_beyond_the_grid_are_background() -> None:
    @wp.kernel
    def sample(id: wp.uint64, at: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
        i = wp.tid()
        out[i] = wp.volume_sample_f(id, at[i], wp.Volume.LINEAR)

    volume = wp.Volume.allocate([0, 0, 0], [7, 7, 7], 1.0, bg_value=4.0)
    volume.values.fill_(8.0)
    at = wp.array([[7, 3, 3], [7.25, 3, 3], [8, 3, 3], [-0.5, 3, 3], [1e6, 0, 0]], dtype=wp.vec3)
    out = wp.zeros(5, dtype=float)
    wp.launch(sample, 5, inputs=[volume, at, out])
    assert out.numpy().tolist() == [8, 7, 4, 6, 4]


def test_grids_of_tiles_and_voxels() -> None:
    points = wp.array([[0, 0, 0], [0, 0, 1], [0, 0, 0], [9, 0, 0]], dtype=wp.vec3i)
    tiles = wp.Volume.allocate_by_tiles(points, voxel_size=(0.5, 1, 2), bg_value=None)
    assert tiles.is_index
    assert tiles.dtype is None
    assert tiles.get_tile_count() == 2
    assert tiles.get_voxel_size() == (0.5, 1.0, 2.0)
    for dtype in (int, wp.uint8, bool):
        mask = wp.array([1, 1, 0, 0], dtype=dtype)
        voxels = wp.Volume.allocate_by_voxels(points, voxel_size=0.5, point_mask=mask)
        assert sorted(map(tuple, voxels.get_voxels().numpy().tolist())) == [(0, 0, 0), (0, 0, 1)]
    masked = wp.Volume.allocate_by_tiles(points, voxel_size=0.5, point_mask=wp.array([0, 0, 0, 256], dtype=int))
    assert masked.get_tiles().numpy().tolist() == [[8, 0, 0]]
    with pytest.raises(RuntimeError, match="point_mask is an array of float32; it must be one of bool"):
        wp.Volume.allocate_by_voxels(points, voxel_size=0.5, point_mask=wp.ones(4))
    assert voxels.get_grid_info().type_str == "OnIndex"
    assert voxels.get_voxel_count() == 2
    assert voxels.get_active_stats() == (2, 1, 1, 1)
    # Places of the world are rounded to voxels: halves up.
    world = wp.array([[0.24, 0.0, 0.0], [0.25, 0.0, 0.0], [-0.25, 0.0, 0.0]], dtype=wp.vec3)
    found = wp.Volume.allocate_by_voxels(world, voxel_size=0.5).get_voxels().numpy()
    assert sorted(found[:, 0].tolist()) == [0, 1]
    with pytest.raises(RuntimeError, match="rebuildable=True"):
        voxels.rebuild(points)
    grown = wp.Volume.allocate_by_voxels(points, 0.5, rebuildable=True, max_active_voxels=3, max_leaf_nodes=1)
    assert grown.get_rebuild_info()[:3] == ("voxels", 3, 1)
    status = wp.zeros(1, dtype=wp.uint32)
    for x, wanted in (([0, 1, 2, 3], wp.Volume.REBUILD_VOXEL_CAPACITY_EXCEEDED), ([0, 9], 1), ([5], 0)):
        grown.rebuild(wp.array([[k, 0, 0] for k in x], dtype=wp.vec3i), status=status)
        assert bool(status.numpy()[0] & wanted) == bool(wanted)
        assert grown.get_voxel_count() == (1 if wanted == 0 else 0)


# Textures


def test_what_textures_say_of_themselves() -> None:
    modes = wp.TextureAddressMode
    texture = wp.Texture3D(
        np.zeros((2, 3, 5, 2), np.uint8), filter_mode=wp.TextureFilterMode.CLOSEST, address_mode_v=modes.MIRROR
    )
    assert (texture.ndim, texture.width, texture.height, texture.depth, texture.num_channels) == (3, 5, 3, 2, 2)
    assert texture.dtype is wp.uint8
    assert texture.filter_mode == wp.TextureFilterMode.CLOSEST
    assert (texture.address_mode_u, texture.address_mode_v, texture.address_mode_w) == (
        modes.CLAMP,
        modes.MIRROR,
        modes.CLAMP,
    )
    assert texture.normalized_coords
    assert not texture.is_mipmapped
    assert texture.num_mip_levels == 1
    assert isinstance(texture.id, int)
    assert texture == texture
    assert [int(m) for m in (modes.WRAP, modes.CLAMP, modes.MIRROR, modes.BORDER)] == [0, 1, 2, 3]
    assert [int(m) for m in (wp.TextureFilterMode.CLOSEST, wp.TextureFilterMode.LINEAR)] == [0, 1]
    with pytest.raises(TypeError, match="make a Texture1D, Texture2D or Texture3D"):
        wp.Texture(2, np.zeros((4, 3), np.float32))
    for name in ("cuda_array", "cuda_texture", "cuda_surface"):
        with pytest.raises(RuntimeError, match="CPU"):
            getattr(texture, name)
    with pytest.raises(NotImplementedError):
        wp.GLTextureResource(1, 2)


def test_small_integers_are_fractions() -> None:
    @wp.kernel
    def sample(t: wp.Texture1D, out: wp.array(dtype=wp.vec2)):
        i = wp.tid()
        out[i] = wp.texture_sample(t, float(i) + 0.5, dtype=wp.vec2)

    for dtype, numbers, wanted in (
        (np.int8, [-128, -127, 127], [-1, -1, 1]),
        (np.uint8, [0, 255, 51], [0, 1, 0.2]),
        (np.int16, [-32768, -32767, 32767], [-1, -1, 1]),
        (np.uint16, [0, 65535, 13107], [0, 1, 0.2]),
        (np.float16, [0.5, -2.0, 9.0], [0.5, -2, 9]),
    ):
        out = wp.zeros(3, dtype=wp.vec2)
        texture = wp.Texture1D(np.array(numbers, dtype), normalized_coords=False, filter_mode=0)
        wp.launch(sample, 3, inputs=[texture, out])
        # There is one channel: the second is 0.
        np.testing.assert_allclose(out.numpy(), [[x, 0] for x in wanted], rtol=1e-6)


def test_each_way_to_give_coordinates() -> None:
    @wp.kernel
    def sample(a: wp.Texture1D, b: wp.Texture2D, c: wp.Texture3D, out: wp.array(dtype=float)):
        out[0] = wp.texture_sample(a, 0.3, dtype=float)
        out[1] = wp.texture_sample(b, wp.vec2(0.3, 0.6), dtype=float)
        out[2] = wp.texture_sample(b, 0.3, 0.6, dtype=float)
        out[3] = wp.texture_sample(c, wp.vec3(0.3, 0.6, 0.9), dtype=float)
        out[4] = wp.texture_sample(c, 0.3, 0.6, 0.9, dtype=float)
        out[5] = wp.texture_sample(c, 0.3, 0.6, 0.9, dtype=wp.vec4)[0]
        out[6] = wp.texture_sample(a, 0.3, float, 0.0)

    numbers = RNG.random((4, 4, 4)).astype(np.float32)
    out = wp.zeros(7, dtype=float)
    textures = [wp.Texture1D(numbers[0, 0]), wp.Texture2D(numbers[0]), wp.Texture3D(numbers)]
    wp.launch(sample, 1, inputs=[*textures, out])
    found = out.numpy()
    assert found[0] == found[6]
    assert found[1] == found[2]
    assert found[3] == found[4] == found[5]
