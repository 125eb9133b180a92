"""Sparse volumes in the format of NanoVDB, so that kernels look up and interpolate values in space."""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import warp.types as t
from warp._devices.stream import DeviceLike
from warp._geometry import nvdb
from warp._geometry.volume_grid import Grid
from warp._geometry.volume_options import (
    NAMES,
    ON_INDEX,
    VALUES,
    Rebuild,
    Wanted,
    background_of,
    refuse_capture,
    wanted_of,
)
from warp._warp import Device, _error, _is_object, _volume_size, _VolumeLeaves, get_device, zeros
from warp._warp import array as Array  # noqa: N812


class Volume(Grid):
    """A sparse volume that kernels look up and interpolate: a grid in the format of NanoVDB.

    Kernels take it as a parameter ``wp.uint64``: pass the volume itself or its :attr:`id`. There, ``wp.volume_sample``
    interpolates between voxels, ``wp.volume_lookup`` and ``wp.volume_store`` read and write one, and
    ``wp.volume_sample_index`` interpolates an array that has an element for each voxel. A volume is made of tiles of 8
    x 8 x 8 voxels; where it has none, its value is that of the background. Samples have derivatives to the place, to
    such an array, and to the values of the volume itself if :attr:`requires_grad` is set.

    Args:
        data: An array of uint8 with a grid in the format of NanoVDB, version 32, and perhaps others behind it.
        copy: Whether the volume has memory of its own. Otherwise it keeps the array, which must begin at a multiple of
            32 bytes.

    Raises:
        TypeError: ``data`` is something else. It is a RuntimeError, too.
        RuntimeError: The bytes are no grid, its parts name memory beyond it, or they would be copied in a capture.
    """

    #: For ``sampling_mode``: the value of the closest voxel.
    CLOSEST = 0
    #: For ``sampling_mode``: interpolated between eight voxels.
    LINEAR = 1
    #: What :meth:`rebuild` writes to ``status``.
    REBUILD_SUCCESS = 0
    #: There are more tiles than the volume has room for.
    REBUILD_LEAF_CAPACITY_EXCEEDED = 1
    #: There are more lower nodes (of 128 x 128 x 128 voxels) than the volume has room for.
    REBUILD_LOWER_CAPACITY_EXCEEDED = 2
    #: There are more upper nodes (of 4096 x 4096 x 4096 voxels) than the volume has room for.
    REBUILD_UPPER_CAPACITY_EXCEEDED = 4
    #: There are more voxels than the volume has room for.
    REBUILD_VOXEL_CAPACITY_EXCEEDED = 8
    #: A point is not finite, or too far away.
    REBUILD_INVALID_INPUT = 16

    def load_next_grid(self) -> Volume | None:
        """The volume of the grid behind this one in the bytes that it came with; None behind the last one."""
        at = self._object.about[1]
        rest = self._data[at:]
        if rest.size == 0:
            return None
        found = Volume(rest, copy=True)
        found._single = False
        return found

    @classmethod
    def load_from_nvdb(cls, file_or_buffer: Any, device: DeviceLike = None) -> Volume:
        """The volume of the first grid of a file of NanoVDB.

        Args:
            file_or_buffer: A path, a file that is open for reading bytes, or the bytes of one. Grids may be packed by
                zip, or not at all.
            device: Where it is to lie; the current device by default.

        Raises:
            TypeError: ``file_or_buffer`` is something else.
            RuntimeError: It is no such file, or is not sound.
        """
        content = file_or_buffer
        if isinstance(content, str | os.PathLike):
            with open(content, "rb") as file:
                content = file.read()
        elif hasattr(content, "read"):
            content = content.read()
        if not isinstance(content, bytes | bytearray | memoryview):
            kind = type(file_or_buffer).__name__
            raise TypeError(f"Volume.load_from_nvdb: expected a path, a file or bytes, not {kind}")
        grids = nvdb.read(bytes(content))
        return cls(_of_bytes(grids, get_device(device)), copy=False)

    def save_to_nvdb(self, path: str | os.PathLike[str], codec: str = "none") -> None:
        """Write the grid to a file.

        Args:
            path: Of the file.
            codec: ``"none"`` or ``"zip"``, which packs it.

        Raises:
            RuntimeError: The codec is another one.
        """
        nvdb.check_codec("Volume.save_to_nvdb", codec, ("none", "zip"))
        content = nvdb.written(self.array().numpy().tobytes(), codec)
        with open(path, "wb") as file:
            file.write(content)

    @classmethod
    def load_from_address(cls, grid_ptr: int, buffer_size: int = 0, device: DeviceLike = None) -> Volume:
        """The volume of a grid that lies in memory already, which it shares.

        Args:
            grid_ptr: Where the grid begins, a multiple of 8; NanoVDB makes grids at multiples of 32.
            buffer_size: How many bytes are there; as many as the grid's header says by default.
            device: What the memory belongs to; the current device by default.

        Raises:
            RuntimeError: It is no such address, or no sound grid lies there.
            TypeError: It is no integer.
        """
        try:
            grid_ptr = operator.index(grid_ptr)
        except TypeError:
            text = f"Volume.load_from_address: grid_ptr is {type(grid_ptr).__name__}, expected an address, an integer"
            raise TypeError(text) from None
        if grid_ptr <= 0 or grid_ptr % 8:
            text = f"Volume.load_from_address: grid_ptr is {grid_ptr}, expected the address of a grid, a multiple of 8"
            raise _error("Runtime", text)
        if grid_ptr < 1 << 64 and _is_object(grid_ptr):
            text = (
                f"Volume.load_from_address: grid_ptr is {grid_ptr}, the id of an object, expected the address of a "
                "grid, such as volume.array().ptr"
            )
            raise _error("Runtime", text)
        where = get_device(device)
        if buffer_size == 0:
            head = Array(ptr=grid_ptr + 32, shape=1, dtype=t.uint64, device=where)
            buffer_size = int(head.numpy()[0])
        return cls(Array(ptr=grid_ptr, shape=buffer_size, dtype=t.uint8, device=where), copy=False)

    @classmethod
    def load_from_numpy(
        cls,
        ndarray: Any,
        min_world: Sequence[float] = (0.0, 0.0, 0.0),
        voxel_size: float | Sequence[float] = 1.0,
        bg_value: Any = 0.0,
        device: DeviceLike = None,
    ) -> Volume:
        """A dense volume of the values of an array.

        Args:
            ndarray: Numbers, (x, y, z), or vectors of three, (x, y, z, 3).
            min_world: Where voxel (0, 0, 0) lies in the world.
            voxel_size: How long voxels are: one number, or one along each axis.
            bg_value: The value elsewhere, and in what fills the last tiles. It sets the type of values, as in
                :meth:`allocate_by_tiles`; vectors are ``vec3`` or, with a vector of float64, ``vec3d``.
            device: Where it is to lie; the current device by default.

        Raises:
            TypeError: ``bg_value`` is of another type.
            ValueError: The array has another shape. It is a RuntimeError, too.
            RuntimeError: A capture records.
        """
        place = "load_from_numpy"
        refuse_capture(f"Volume.{place}")
        values = np.asarray(ndarray.numpy() if isinstance(ndarray, Array) else ndarray)
        if values.dtype.kind not in "biuf":
            raise TypeError(f"Volume.{place}: ndarray holds {values.dtype}, expected numbers")
        value, background = background_of(place, bg_value)
        dtype = VALUES[NAMES[value]][1] if value in NAMES else None
        if dtype is None:
            raise TypeError(f"Volume.{place}: bg_value is None, expected the value where there is no voxel")
        shape = values.shape
        inner = (background.shape[-1],) if background.ndim == 2 else ()
        if shape[3:] != inner or len(shape) < 3 or 0 in shape:
            what = (
                f"Volume.{place}: ndarray has the shape {shape}, expected (x, y, z{''.join(f', {n}' for n in inner)})"
            )
            raise _error("ArrayValue", what)
        high = [n - 1 for n in shape[:3]]
        wanted = wanted_of(place, value, background, voxel_size, min_world, None)
        made = cls._built(_VolumeLeaves.of_box([0, 0, 0], high), wanted, get_device(device))
        # Tiles in their order, so that all of them are filled at once.
        tiles = made.get_tiles().numpy() // 8
        counts = tiles.max(axis=0) + 1
        padded = np.empty((*(8 * counts), *inner), dtype=background.dtype)
        padded[:] = background[0]
        padded[: shape[0], : shape[1], : shape[2]] = values
        split = padded.reshape(counts[0], 8, counts[1], 8, counts[2], 8, *inner)
        blocks = split.transpose(0, 2, 4, 1, 3, 5, *range(6, 6 + len(inner)))
        made.values.assign(np.ascontiguousarray(blocks[tiles[:, 0], tiles[:, 1], tiles[:, 2]]))
        return made

    @classmethod
    def allocate(
        cls,
        min: Sequence[Any],
        max: Sequence[Any],
        voxel_size: float | Sequence[float],
        bg_value: Any = 0.0,
        translation: Sequence[float] = (0.0, 0.0, 0.0),
        points_in_world_space: bool = False,
        device: DeviceLike = None,
    ) -> Volume:
        """A volume with all tiles that meet a box.

        Args:
            min: The lowest voxel of the box.
            max: The highest one.
            voxel_size: How long voxels are: one number, or one along each axis.
            bg_value: The value of all voxels, as for :meth:`allocate_by_tiles`.
            translation: Where voxel (0, 0, 0) lies in the world.
            points_in_world_space: Whether ``min`` and ``max`` are places in the world.
            device: Where it is to lie; the current device by default.

        Raises:
            RuntimeError: ``max`` is less than ``min``, or the box has too many tiles.
        """
        place = "allocate"
        wanted = wanted_of(place, *background_of(place, bg_value), voxel_size, translation, None)
        corners = np.asarray([list(min), list(max)], dtype=np.float64)
        if points_in_world_space:
            corners = (corners - wanted.translation) / np.diagonal(np.reshape(wanted.matrix, (3, 3))) + 0.5
        if corners.shape != (2, 3) or not (np.abs(corners) < 2**30).all():
            raise _error(
                "Runtime", f"Volume.allocate: min is {min!r} and max {max!r}, expected three numbers of voxels each"
            )
        low, high = np.floor(corners).astype(int).tolist()
        if any(a > b for a, b in zip(low, high, strict=True)):
            raise _error("Runtime", f"Volume.allocate: max {max!r} is less than min {min!r}")
        tiles = np.prod([float(b // 8 - a // 8 + 1) for a, b in zip(low, high, strict=True)])
        if tiles >= 2**27:
            raise _error(
                "Memory", f"Volume.allocate: the box has {tiles:.3g} tiles; allocate_by_tiles makes those needed"
            )
        return cls._built(_VolumeLeaves.of_box(low, high), wanted, get_device(device))

    @classmethod
    def allocate_by_tiles(
        cls,
        tile_points: Any,
        voxel_size: float | Sequence[float] | None = None,
        bg_value: Any = 0.0,
        translation: Sequence[float] = (0.0, 0.0, 0.0),
        device: DeviceLike = None,
        transform: Any = None,
        rebuildable: bool = False,
        max_tiles: int | None = None,
        max_lower_nodes: int | None = None,
        max_upper_nodes: int | None = None,
        status: Array[Any] | None = None,
        point_mask: Array[Any] | None = None,
    ) -> Volume:
        """A volume with the tiles that points lie in. All voxels of these are active.

        Args:
            tile_points: Voxels (int32, (n, 3), or ``vec3i``), or places in the world (float32, (n, 3), or ``vec3``).
                Several may lie in one tile.
            voxel_size: How long voxels are: one number, or one along each axis. Either this or ``transform`` is given.
            bg_value: The value of all voxels, and elsewhere. It sets the type of values: an ``int`` int32, a ``float``
                float32, three or four numbers ``vec3`` or ``vec4``, and any of ``wp.int64``, ``uint32``, ``float64``,
                ``vec3d``, ``vec4d`` its own; None makes a grid that numbers its voxels, for arrays.
            translation: Where voxel (0, 0, 0) lies in the world.
            device: Where it is to lie; that of the points by default.
            transform: The matrix (3 x 3) from index space to the world.
            rebuildable: Whether :meth:`rebuild` may be called.
            max_tiles: How many tiles there is room for then; as many as there are now by default.
            max_lower_nodes: How many nodes of 128 x 128 x 128 voxels there is room for; as many as tiles by default.
            max_upper_nodes: How many nodes of 4096 x 4096 x 4096 voxels there is room for.
            status: An array of uint32 whose first element becomes what :meth:`rebuild` would say.
            point_mask: A bool or an int32 for each point, whether it counts.

        Raises:
            TypeError: ``bg_value`` or an array is of another type.
            ValueError: A point is not finite, or neither or both of ``voxel_size`` and ``transform`` are given. It is a
                RuntimeError, too.
        """
        place = "allocate_by_tiles"
        wanted = wanted_of(place, *background_of(place, bg_value), voxel_size, translation, transform)
        room = (max_tiles, max_lower_nodes, max_upper_nodes)
        return cls._of_points(place, (tile_points, point_mask), wanted, device, rebuildable, (None, *room), status)

    @classmethod
    def allocate_by_voxels(
        cls,
        voxel_points: Any,
        voxel_size: float | Sequence[float] | None = None,
        translation: Sequence[float] = (0.0, 0.0, 0.0),
        device: DeviceLike = None,
        transform: Any = None,
        rebuildable: bool = False,
        max_active_voxels: int | None = None,
        max_leaf_nodes: int | None = None,
        max_lower_nodes: int | None = None,
        max_upper_nodes: int | None = None,
        status: Array[Any] | None = None,
        point_mask: Array[Any] | None = None,
    ) -> Volume:
        """A volume that numbers the voxels which points lie in, for arrays with an element for each.

        Args:
            voxel_points: As ``tile_points`` of :meth:`allocate_by_tiles`.
            voxel_size: As there.
            translation: As there.
            device: As there.
            transform: As there.
            rebuildable: As there.
            max_active_voxels: How many voxels there is room for; as many as there are now by default.
            max_leaf_nodes: How many tiles there is room for.
            max_lower_nodes: How many nodes of 128 x 128 x 128 voxels there is room for.
            max_upper_nodes: How many nodes of 4096 x 4096 x 4096 voxels there is room for.
            status: As there.
            point_mask: As there.

        Raises:
            TypeError: An array is of another type.
            ValueError: As there.
        """
        place = "allocate_by_voxels"
        background = np.zeros(0, dtype=np.uint8)
        wanted = wanted_of(place, ON_INDEX, background, voxel_size, translation, transform)
        room = (max_active_voxels, max_leaf_nodes, max_lower_nodes, max_upper_nodes)
        return cls._of_points(place, (voxel_points, point_mask), wanted, device, rebuildable, room, status)

    @classmethod
    def _of_points(
        cls,
        place: str,
        points: tuple[Any, Array[Any] | None],
        wanted: Wanted,
        device: DeviceLike,
        rebuildable: bool,
        room: tuple[int | None, ...],
        status: Array[Any] | None,
    ) -> Volume:
        """A volume of points, with room for so many voxels, leaves, lower and upper nodes."""
        given, mask = points
        name = f"Volume.{place}"
        if not isinstance(given, Array):
            given = Array(np.asarray(given), device=device)
        where = get_device(given.device if device is None else device)
        only = wanted.value == ON_INDEX
        leaves = _VolumeLeaves.of_points(name, given, mask, wanted, only)
        if not rebuildable:
            if any(n is not None for n in room):
                raise _error(
                    "ArrayValue", f"{name}: how much there is room for is said of a volume with rebuildable=True"
                )
            if status is not None:
                status.fill_(0)
            return cls._built(leaves, wanted, where)
        tiles = leaves.nodes[0] if room[1] is None else room[1]
        most = [tiles, *(tiles if n is None else n for n in room[2:])]
        if room[2] is None and room[1] is None:
            most = list(leaves.nodes)
        voxels = room[0] if room[0] is not None else (512 * tiles if not only or room[1] is not None else leaves.voxels)
        size = _volume_size(wanted.value, most)
        data: Array[Any] = zeros(size, dtype=t.uint8, device=where)
        none = _VolumeLeaves.of_points(name, given[:0], None, wanted, only)
        none.write(data, wanted)
        made = cls(data, copy=False)
        made._rebuilds = Rebuild(wanted, only, most, voxels)
        made.rebuild(given, status, mask)
        return made

    @classmethod
    def _built(cls, leaves: _VolumeLeaves, wanted: Wanted, device: Device) -> Volume:
        size = _volume_size(wanted.value, leaves.nodes)
        data: Array[Any] = zeros(size, dtype=t.uint8, device=device)
        leaves.write(data, wanted)
        return cls(data, copy=False)

    def rebuild(self, points: Any, status: Array[Any] | None = None, point_mask: Array[Any] | None = None) -> None:
        """Build the volume anew of other points, in the memory that it has.

        Its :attr:`id` stays. All values become those of the background. Graphs hold it.

        Args:
            points: As ``tile_points`` or ``voxel_points`` of the method that allocated it.
            status: An array of uint32 whose first element becomes :attr:`REBUILD_SUCCESS`, or the sum of what there was
                no room for; the volume is empty then.
            point_mask: A bool or an int32 for each point, whether it counts.

        Raises:
            RuntimeError: The volume was not allocated with ``rebuildable=True``.
        """
        if self._rebuilds is None:
            raise _error("Runtime", "Volume.rebuild: the volume was not allocated with rebuildable=True")
        if not isinstance(points, Array):
            points = Array(np.asarray(points), device=self.device)
        wanted, only, nodes, voxels = self._rebuilds
        self._object.rebuild(points, point_mask, status, wanted, only, nodes, voxels if only else 512 * points.size)

    def __repr__(self) -> str:
        voxels, _, tiles, *_ = self._object.counts
        return f"Volume({self._object.about[5]}, {tiles} tiles, {voxels} voxels, device={str(self.device)!r})"

    def __reduce__(self) -> Any:
        return (_restored, (self.array().numpy().tobytes(), str(self.device), self._rebuilds))


def _restored(content: bytes, device: str, rebuilds: Any) -> Volume:
    """A volume of the bytes of another one."""
    if rebuilds is None:
        return Volume(_of_bytes(content, get_device(device)), copy=False)
    size = _volume_size(rebuilds.wanted.value, rebuilds.nodes)
    made = Volume(_of_bytes(content + bytes(size - len(content)), get_device(device)), copy=False)
    made._rebuilds = rebuilds
    return made


def _of_bytes(content: bytes, device: Device) -> Array[Any]:
    return Array(np.frombuffer(content, dtype=np.uint8), dtype=t.uint8, device=device)
