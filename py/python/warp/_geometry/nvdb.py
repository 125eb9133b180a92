"""Files of NanoVDB: segments of a header, what is known of each grid, and the grids, compressed or not.

Source of the format: K. Museth, "NanoVDB", 2021, and the header of its files, version 32.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

from warp._warp import _error, _unpack_blosc

#: "NanoVDB0", which older files begin with, and "NanoVDB2".
_MAGICS = (b"NanoVDB0", b"NanoVDB2")
#: How a file says that it is compressed.
_CODECS = {"none": 0, "zip": 1, "blosc": 2}
#: The header of a segment: magic, version, how many grids, codec.
_HEADER = struct.Struct("<8sIHH")
#: What is known of a grid: see `_about`.
_ABOUT = struct.Struct("<4Q2I6d6i3dI4I3IHHI")


def read(data: bytes) -> bytes:
    """The grids of a file, one behind the other.

    Raises:
        RuntimeError: It is no such file, or it ends too early.
    """
    view, grids = memoryview(data), []
    if len(data) < _HEADER.size:
        raise _bad(f"{len(data)} bytes are too few for a file of NanoVDB")
    at = 0
    while at < len(view):
        if len(view) - at < _HEADER.size:
            raise _bad("the file ends in the header of a segment")
        magic, version, count, codec = _HEADER.unpack_from(view, at)
        if magic not in _MAGICS:
            # Bytes of grids alone.
            if at == 0 and magic == b"NanoVDB1":
                return data
            raise _bad(f"a segment begins with {bytes(magic)!r}, expected {_MAGICS[0]!r} or {_MAGICS[1]!r}")
        if version >> 21 != 32:
            raise _bad(f"the file is of version {version >> 21} of NanoVDB, expected 32")
        at += _HEADER.size
        sizes = []
        for _ in range(count):
            if len(view) - at < _ABOUT.size:
                raise _bad("the file ends before its grids begin")
            about = _ABOUT.unpack_from(view, at)
            sizes.append((about[0], about[1]))
            at += _ABOUT.size + about[21]
        for size, in_file in sizes:
            if in_file > len(view) - at:
                raise _bad(f"the file ends in a grid: {in_file} bytes were to come, {len(view) - at} are there")
            grids.append(_unpacked(bytes(view[at : at + in_file]), size, codec))
            at += in_file
    return b"".join(grids)


def written(grid: bytes, codec: str) -> bytes:
    """A file of one grid."""
    packed = grid
    if codec == "zip":
        squeezed = zlib.compress(grid)
        packed = struct.pack("<Q", len(squeezed)) + squeezed
    (version,) = struct.unpack_from("<I", grid, 16)
    header = _HEADER.pack(_MAGICS[0], version, 1, _CODECS[codec])
    return header + _about(grid, len(packed), _CODECS[codec], version) + packed


def check_codec(place: str, codec: Any, known: tuple[str, ...]) -> None:
    """Refuse a codec that cannot be written."""
    if codec not in known:
        names = ", ".join(repr(name) for name in known)
        raise _error("Runtime", f"{place}: codec is {codec!r}, expected one of {names}")


def _about(grid: bytes, in_file: int, codec: int, version: int) -> bytes:
    name = grid[40 : grid.index(b"\0", 40, 297)] + b"\0"
    tree = 672
    (root,) = struct.unpack_from("<q", grid, tree + 24)
    grid_class, grid_type = struct.unpack_from("<2I", grid, 632)
    nodes = struct.unpack_from("<3I", grid, tree + 32)
    return (
        _ABOUT.pack(
            len(grid),
            in_file,
            zlib.crc32(name),
            *struct.unpack_from("<Q", grid, tree + 56),
            grid_type,
            grid_class,
            *struct.unpack_from("<6d", grid, 560),
            *struct.unpack_from("<6i", grid, tree + root),
            *struct.unpack_from("<3d", grid, 608),
            len(name),
            *nodes,
            1,
            *struct.unpack_from("<3I", grid, tree + 44),
            codec,
            0,
            version,
        )
        + name
    )


def _unpacked(data: bytes, size: int, codec: int) -> bytes:
    """A grid of so many bytes."""
    if codec == _CODECS["none"]:
        found = data
    elif codec == _CODECS["zip"]:
        try:
            (length,) = struct.unpack_from("<Q", data)
            # No more than what the file says, whatever the data would become.
            found = zlib.decompressobj().decompress(data[8 : 8 + length], size + 1)
        except (struct.error, zlib.error) as why:
            raise _bad(f"a grid cannot be unpacked: {why}") from None
    elif codec == _CODECS["blosc"]:
        found = _from_frames(data, size)
    else:
        raise _bad(f"grids packed by codec {codec} cannot be read; save them with 'none', 'zip' or 'blosc'")
    if len(found) != size:
        raise _bad(f"a grid has {len(found)} bytes, its header names {size}")
    return found


def _from_frames(data: bytes, size: int) -> bytes:
    """The content of frames of Blosc, each behind its length."""
    parts, at, left = [], 0, size
    while left > 0 or at < len(data):
        try:
            (length,) = struct.unpack_from("<Q", data, at)
            parts.append(_unpack_blosc(data[at + 8 : at + 8 + length], left))
        except (struct.error, ValueError) as why:
            raise _bad(f"a grid cannot be unpacked: {why}") from None
        at += 8 + length
        left -= len(parts[-1])
    return b"".join(parts)


def _bad(what: str) -> Exception:
    return _error("Runtime", f"Volume.load_from_nvdb: {what}")  # type: ignore[no-any-return]
