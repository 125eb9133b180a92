"""``wp.Volume``: files and grids byte by byte, as the format of NanoVDB has them."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import warp as wp

RNG = np.random.default_rng(62)
Volume = wp.Volume
MAGICS = (b"NanoVDB0", b"NanoVDB2")

#: What is known of a grid before it, in a file: 176 bytes.
ABOUT = struct.Struct("<4Q 2I 6d 6i 3d I 4I 3I 2H I")
#: Where a grid has what is known of it, and a tree behind it.
GRID = {"version": 16, "index": 24, "size": 32, "name": 40, "map": 296, "class": 632, "type": 636, "blind": 640}
TREE, ROOT = 672, 736


class About(NamedTuple):
    grid_size: int
    file_size: int
    name_key: int
    voxels: int
    type: int
    grid_class: int
    world: tuple[float, ...]
    index: tuple[int, ...]
    voxel_size: tuple[float, ...]
    name: bytes
    nodes: tuple[int, ...]
    codec: int
    version: int
    content: bytes


def parsed(content: bytes) -> tuple[tuple[Any, ...], About]:
    """The header of a file with one grid, and what is known of that."""
    header = struct.unpack_from("<8sIHH", content)
    n = ABOUT.unpack_from(content, 16)
    assert ABOUT.size == 176
    name = content[16 + 176 :][: n[21]]
    about = About(*n[:6], n[6:12], n[12:18], n[18:21], name, n[22:26], n[29], n[31], content[192 + n[21] :])
    return header, about


def file_of(volume: Any, tmp_path: Path, codec: str = "none") -> bytes:
    volume.save_to_nvdb(tmp_path / "grid.nvdb", codec)
    return (tmp_path / "grid.nvdb").read_bytes()


def bytes_of(volume: Any) -> bytes:
    return volume.array().numpy().tobytes()


def of_bytes(content: bytes | bytearray) -> Any:
    return Volume(wp.array(np.frombuffer(bytes(content), dtype=np.uint8)))


def some_volume() -> Any:
    return Volume.load_from_numpy(RNG.random((8, 8, 11)), (1.0, 2.0, -3.0), (0.5, 0.25, 2.0), 4.0)


@pytest.mark.parametrize("codec", ["none", "zip"])
def test_files_byte_by_byte(tmp_path: Path, codec: str) -> None:
    volume = some_volume()
    grid = bytes_of(volume)
    (magic, version, count, packed), about = parsed(file_of(volume, tmp_path, codec))
    assert magic in MAGICS
    assert (version >> 21, count, packed) == (32, 1, ("none", "zip").index(codec))
    assert about.version == version == struct.unpack_from("<I", grid, GRID["version"])[0]
    assert about.grid_size == len(grid) == volume.get_grid_info().size_in_bytes
    assert about.file_size == len(about.content)
    assert (about.voxels, about.type, about.codec, about.name) == (1024, 1, packed, b"\0")
    assert about.nodes == (2, 1, 1, 1)
    assert about.index == (0, 0, 0, 7, 7, 15)
    np.testing.assert_allclose(about.world[:3], (1, 2, -3))
    assert about.voxel_size == (0.5, 0.25, 2.0)
    if codec == "none":
        assert about.content == grid
    else:
        length = struct.unpack_from("<Q", about.content)[0]
        assert length == len(about.content) - 8 < len(grid)
        assert zlib.decompress(about.content[8:]) == grid


def test_grids_byte_by_byte() -> None:
    """The parts in front, and that a grid of one tile has 307,232 bytes, with more for each further node."""
    grid = bytes_of(Volume.allocate_by_tiles(np.zeros((1, 3), np.int32), 1.0))
    assert len(grid) == 307_232
    assert grid[:8] in (b"NanoVDB0", b"NanoVDB1")
    assert struct.unpack_from("<2I", grid, GRID["index"]) == (0, 1)
    assert struct.unpack_from("<Q", grid, GRID["size"]) == (307_232,)
    assert struct.unpack_from("<I", grid, GRID["type"]) == (1,)
    assert struct.unpack_from("<I", grid, GRID["blind"] + 8) == (0,)
    # In the tree: where leaves, lower and upper nodes and the root begin, counted from there, and how many there are.
    starts = struct.unpack_from("<4q", grid, TREE)
    assert starts[3] == ROOT - TREE
    assert all((TREE + at) % 32 == 0 for at in starts)
    assert struct.unpack_from("<3I", grid, TREE + 32) == (1, 1, 1)
    assert struct.unpack_from("<Q", grid, TREE + 56) == (512,)
    leaf, lower, upper = 2_144, 33_856, 270_400
    for tile, more in (((8, 0, 0), leaf), ((0, 128, 0), leaf + lower), ((0, 0, 4096), leaf + lower + upper + 32)):
        both = Volume.allocate_by_tiles(np.array([(0, 0, 0), tile], np.int32), 1.0)
        assert both.get_grid_info().size_in_bytes == 307_232 + more


def test_maps_of_grids() -> None:
    """A matrix, its inverse and the place, in float32 and in float64."""
    matrix, place = RNG.normal(size=(3, 3)), np.array([3.0, -7.0, 0.5])
    grid = bytes_of(
        Volume.allocate_by_tiles(np.zeros((1, 3), np.int32), transform=matrix, translation=tuple(place), bg_value=3)
    )
    for dtype, at in (("<f4", GRID["map"]), ("<f8", GRID["map"] + 88)):
        found = np.frombuffer(grid, dtype, 21, at)
        exact = 1e-12 if dtype == "<f8" else 1e-5
        np.testing.assert_allclose(found[:9].reshape(3, 3), matrix, rtol=exact)
        np.testing.assert_allclose(found[9:18].reshape(3, 3) @ matrix, np.eye(3), atol=exact)
        np.testing.assert_allclose(found[18:], place)
    assert struct.unpack_from("<I", grid, GRID["type"]) == (4,)


def test_names_and_classes_are_kept(tmp_path: Path) -> None:
    """Of every class from 0 to 9: grids of values, and the number of an index."""
    for number in range(10):
        content = bytearray(bytes_of(some_volume()))
        name = b"density %d" % number
        content[GRID["name"] : GRID["name"] + len(name)] = name
        struct.pack_into("<I", content, GRID["class"], number)
        volume = of_bytes(content)
        assert volume.get_grid_info().name == name.decode()
        file = file_of(volume, tmp_path, "zip" if number % 2 else "none")
        about = parsed(file)[1]
        assert about.name == name + b"\0"
        assert about.grid_class == number
        assert Volume.load_from_nvdb(file).get_grid_info()[:2] == volume.get_grid_info()[:2]
    of_index = (Volume.allocate_by_tiles, {"bg_value": None}), (Volume.allocate_by_voxels, {})
    for (call, named), kind in zip(of_index, (19, 20), strict=True):
        about = parsed(file_of(call(np.zeros((1, 3), np.int32), 1.0, **named), tmp_path))[1]
        assert (about.grid_class, about.type) == (8, kind)


@pytest.mark.parametrize("codec", ["none", "zip"])
def test_several_grids_in_one_segment(tmp_path: Path, codec: str) -> None:
    """All that is known of them comes first, then the grids."""
    volumes = [some_volume(), Volume.allocate([0] * 3, [9] * 3, 1.0, 3), some_volume()]
    files = [file_of(volume, tmp_path, codec) for volume in volumes]
    heads = [file[16:] for file in files]
    sizes = [parsed(file)[1].file_size for file in files]
    content = files[0][:12] + struct.pack("<H", 3) + files[0][14:16]
    content += b"".join(head[: len(head) - size] for head, size in zip(heads, sizes, strict=True))
    content += b"".join(head[len(head) - size :] for head, size in zip(heads, sizes, strict=True))
    found = Volume.load_from_nvdb(io.BytesIO(content))
    for volume in volumes:
        np.testing.assert_array_equal(found.values.numpy(), volume.values.numpy())
        assert found.dtype is volume.dtype
        found = found.load_next_grid()
    assert found is None


def test_several_grids_in_an_array() -> None:
    one, two = some_volume(), Volume.allocate([0] * 3, [9] * 3, 1.0, 3)
    both = Volume(wp.array(np.frombuffer(bytes_of(one) + bytes_of(two), np.uint8)))
    assert bytes_of(both) == bytes_of(one)
    assert bytes_of(both.load_next_grid()) == bytes_of(two)
    assert both.load_next_grid().load_next_grid() is None
    assert both.array().dtype is wp.uint8


def test_an_array_that_is_not_copied_is_shared() -> None:
    data = wp.array(np.frombuffer(bytes_of(some_volume()), np.uint8))
    own, shared = Volume(data), Volume(data, copy=False)
    shared.values.fill_(7.0)
    assert Volume(data).values.numpy().max() == 7.0
    assert own.values.numpy().max() < 7.0
    assert shared.array().ptr == data.ptr != own.array().ptr


def changed(content: bytes, at: int, format: str, *values: Any) -> bytes:
    made = bytearray(content)
    struct.pack_into(format, made, at, *values)
    return bytes(made)


def test_what_is_wrong_with_a_file_is_said(tmp_path: Path) -> None:
    file = file_of(some_volume(), tmp_path)
    zipped = file_of(some_volume(), tmp_path, "zip")
    grid = 193
    for content, why in (
        (b"", "0 bytes are too few"),
        (file[:15], "15 bytes are too few"),
        (changed(file, 0, "<Q", 5), "a segment begins with"),
        (changed(file, 8, "<I", 31 << 21), "of version 31 of NanoVDB, expected 32"),
        (changed(file, 8, "<I", 33 << 21), "of version 33 of NanoVDB, expected 32"),
        (changed(file, 14, "<H", 3), "packed by codec 3"),
        (changed(file, 12, "<H", 2), "ends"),
        (file[: grid + 500], "ends"),
        (file + b"rest", "ends in the header"),
        (changed(file, grid, "<Q", 5), "begins with"),
        (changed(file, grid + 16, "<I", 31 << 21), "version"),
        (changed(file, grid + TREE + 24, "<q", -64), "the tree has no root"),
        (changed(file, grid + GRID["size"], "<Q", 1 << 50), "1125899906842624 bytes"),
        (changed(zipped, grid, "<Q", 99), "a grid has .* bytes, its header names"),
        (changed(zipped, grid + 8, "<Q", 99), "a grid cannot be unpacked"),
    ):
        with pytest.raises(RuntimeError, match=why):
            Volume.load_from_nvdb(content)
    for other in ("gzip", "ZIP", "", None, 0):
        with pytest.raises(RuntimeError, match="codec is"):
            some_volume().save_to_nvdb(tmp_path / "none.nvdb", other)
    assert not (tmp_path / "none.nvdb").exists()
    with pytest.raises(FileNotFoundError):
        Volume.load_from_nvdb(tmp_path / "nothing.nvdb")


@pytest.mark.parametrize("number", [0, 12, 23, 27, 1000])
def test_types_that_are_not_read_are_refused(number: int) -> None:
    content = bytes_of(Volume.allocate_by_voxels(np.zeros((0, 3), np.int32), 1.0)) + bytes(256)
    content = changed(content, GRID["size"], "<Q", len(content))
    with pytest.raises(RuntimeError, match=f"the type number {number} are not supported"):
        of_bytes(changed(content, GRID["type"], "<I", number))
    mask = of_bytes(changed(content, GRID["type"], "<I", 8))
    assert (mask.get_grid_info().type_str, mask.dtype, mask.is_index) == ("Mask", None, False)


@pytest.mark.parametrize("number", [3, 8, 11, 24, 25, 26])
@pytest.mark.parametrize("dtype", [wp.int16, wp.uint8, wp.bool, wp.vec3ub, wp.float16, wp.mat44d, wp.quat])
def test_types_that_kernels_cannot_read_are_read_by_none(number: int, dtype: Any) -> None:
    """Whatever dtype is asked for: elements of another size would lie beyond the grid."""

    @wp.kernel(module="unique")
    def look(id: wp.uint64, out: wp.array[dtype]):
        out[0] = wp.volume_lookup(id, 7, 7, 7, dtype=dtype)

    @wp.kernel(module="unique")
    def store(id: wp.uint64, given: wp.array[dtype]):
        wp.volume_store(id, 7, 7, 7, given[0])

    # With room for leaves of any such type.
    content = bytes_of(Volume.allocate([0] * 3, [7] * 3, 1.0, 3)) + bytes(2048)
    content = changed(content, GRID["size"], "<Q", len(content))
    volume = of_bytes(changed(content, GRID["type"], "<I", number))
    for kernel in (look, store):
        with pytest.raises(ValueError, match="id"):
            wp.launch(kernel, 1, inputs=[volume, wp.zeros(1, dtype=dtype)])


def test_the_number_of_a_grid_among_others() -> None:
    content = changed(bytes_of(some_volume()), GRID["index"], "<2I", 2, 5)
    info = of_bytes(content).get_grid_info()
    assert (info.grid_index, info.grid_count) == (2, 5)


def test_where_feature_arrays_lie() -> None:
    grid = bytes_of(Volume.allocate_by_voxels(np.zeros((1, 3), np.int32), 1.0))
    values = RNG.random(5).astype(np.float32)
    content = changed(grid, GRID["blind"], "<qI", len(grid), 1)
    content += struct.pack("<qQIIII256s", 288, 5, 4, 0, 0, 1, b"heights") + values.tobytes() + bytes(12)
    volume = of_bytes(changed(content, GRID["size"], "<Q", len(content)))
    name, ptr, size, count, kind = volume.get_feature_array_info(0)
    assert (name, size, count, kind) == ("heights", 4, 5, "float")
    found = volume.feature_array(0)
    assert found.ptr == ptr == volume.array().ptr + len(grid) + 288
    np.testing.assert_array_equal(found.numpy(), values)
    # It shares the memory of the volume, and keeps it.
    found.fill_(3.0)
    assert volume.feature_array(0, wp.float32).list() == [3.0] * 5
    del volume
    assert found.list() == [3.0] * 5
