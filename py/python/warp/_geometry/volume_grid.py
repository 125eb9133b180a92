"""What is known of a grid in the format of NanoVDB."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
import warp.types as t
from warp._geometry.queried import Queried, check_arrays
from warp._geometry.volume_options import INDEXES, NAMES, VALUES, Rebuild, refuse_capture
from warp._warp import Device, _error, _Volume, empty, get_device, zeros
from warp._warp import array as Array  # noqa: N812

#: Values that have a gradient.
_FLOATS = (t.float32, t.float64, t.vec3f, t.vec3d, t.vec4f, t.vec4d)


def _let_go(memory: Array[Any], ptr: int, capacity: int) -> None:
    """What is called once nobody uses an array on this memory, which has kept it until now."""


class Grid(Queried):
    """A grid: what it is, what it has, and its values."""

    _object: _Volume

    class GridInfo(NamedTuple):
        """What is known of a grid."""

        #: Its name, often empty.
        name: str
        #: How many bytes it has.
        size_in_bytes: int
        #: The number of the grid of those that came together.
        grid_index: int
        #: How many came together.
        grid_count: int
        #: The type of its values, such as ``"float"``, ``"Vec3f"`` or ``"OnIndex"``.
        type_str: str
        #: Where voxel (0, 0, 0) lies in the world.
        translation: Any
        #: The matrix from index space to the world.
        transform_matrix: Any

    class ActiveStats(NamedTuple):
        """How much a grid has."""

        #: Active voxels.
        voxel_count: int
        #: Tiles of 8 x 8 x 8 voxels.
        leaf_node_count: int
        #: Nodes of 128 x 128 x 128 voxels.
        lower_node_count: int
        #: Nodes of 4096 x 4096 x 4096 voxels.
        upper_node_count: int

    class RebuildInfo(NamedTuple):
        """How much a grid that can be rebuilt has room for."""

        #: ``"tiles"`` or ``"voxels"``.
        kind: str
        #: Active voxels.
        max_voxel_count: int
        #: Tiles of 8 x 8 x 8 voxels.
        max_leaf_node_count: int
        #: Nodes of 128 x 128 x 128 voxels.
        max_lower_node_count: int
        #: Nodes of 4096 x 4096 x 4096 voxels.
        max_upper_node_count: int

    class FeatureArrayInfo(NamedTuple):
        """What is known of an array beside the voxels."""

        #: Its name.
        name: str
        #: Where it lies.
        ptr: int
        #: How many bytes a value has.
        value_size: int
        #: How many values it has.
        value_count: int
        #: The type of values, as :attr:`GridInfo.type_str`.
        type_str: str

    def __init__(self, data: Array[Any], copy: bool = True) -> None:
        check_arrays("Volume", data=data)
        if copy and data.dtype == t.uint8:
            refuse_capture("Volume")
            data = _copied(data)
        self._object = _Volume(data)
        #: The grid, and what came behind it.
        self._data = data
        self._rebuilds: Rebuild | None = None
        self._single = True
        #: The gradient of the bytes of the grid, of which that of the values is a part.
        self._gradient: Array[Any] | None = None
        self._values: Array[Any] | None = None
        self._leaves: Any = None
        self._latest()

    def _latest(self) -> Array[Any] | None:
        """The array on the values of leaves as they lie now: a graph may have rebuilt the grid."""
        leaves = (self._object.leaves, self._object.counts[2])
        if leaves != self._leaves:
            self._leaves, self._values = leaves, self._shown(self._data)
            if self._values is not None:
                if self._gradient is not None:
                    self._values.grad = self._shown(self._gradient)
                self._object.show(self._values)
        return self._values

    def _shown(self, data: Array[Any]) -> Array[Any] | None:
        """An array on the values of leaves in the bytes of the grid, or of its gradient."""
        dtype, (first, stride, plain) = self.dtype, self._object.leaves
        leaves = self._object.counts[2]
        if dtype is None or not plain or not stride or not leaves:
            return None
        size, keeper = t.type_size_in_bytes(dtype), functools.partial(_let_go, data)
        strides = (stride, 64 * size, 8 * size, size)
        return Array(
            ptr=data.ptr + first,
            shape=(leaves, 8, 8, 8),
            strides=strides,
            dtype=dtype,
            device=self.device,
            deleter=keeper,
        )

    @property
    def device(self) -> Device:
        """Where it lies."""
        return get_device(self._data.device)

    @property
    def dtype(self) -> Any:
        """The type of its values as kernels read them; None for a grid that numbers its voxels."""
        name = self._object.about[5]
        return VALUES[name][1] if name in VALUES else None

    @property
    def is_index(self) -> bool:
        """Whether the grid numbers its voxels, for arrays that have an element for each."""
        return self._object.about[5] in INDEXES

    @property
    def is_rebuildable(self) -> bool:
        """Whether :meth:`rebuild` may be called."""
        return self._rebuilds is not None

    @property
    def values(self) -> Array[Any]:
        """An array on the values of tiles: (tiles, 8, 8, 8), in the order of :meth:`get_tiles`.

        It shares the memory of the volume. Its ``grad`` is the gradient if :attr:`requires_grad` is set.

        Raises:
            RuntimeError: The grid holds codes, or numbers its voxels.
        """
        values = self._latest()
        if values is not None:
            return values
        if self.dtype is None or not self._object.leaves[2]:
            kind = self.get_grid_info().type_str
            raise _error(
                "Runtime", f"Volume.values: a grid of {kind} holds no values; wp.volume_lookup reads what kernels can"
            )
        return zeros((0, 8, 8, 8), dtype=self.dtype, device=self.device)

    @property
    def requires_grad(self) -> bool:
        """Whether adjoints of samples add to the gradient of :attr:`values`. May be assigned.

        Raises:
            RuntimeError: The values are no floats, or coded.
        """
        return self._gradient is not None

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        values = self._latest()
        if not value:
            self._gradient = None
        elif values is None or self.dtype not in _FLOATS:
            raise _error("Runtime", f"Volume.requires_grad: values of {self.get_grid_info().type_str} have no gradient")
        elif self._gradient is None:
            self._gradient = zeros(self._data.size, dtype=t.uint8, device=self.device)
        if values is not None:
            values.grad = None if self._gradient is None else self._shown(self._gradient)
            self._object.refresh()

    def array(self) -> Array[Any]:
        """The bytes of the grid: an array of uint8 that shares its memory."""
        return self._data[: self._object.about[1]]

    def get_grid_info(self) -> GridInfo:
        """What is known of the grid: name, size, type of values, and the map to the world."""
        name, size, index, count, _, value = self._object.about
        matrix, translation, _ = self._object.map
        return Grid.GridInfo(name, size, index, count, value, t.vec3f(*translation), t.mat33f(*matrix))

    def get_voxel_size(self) -> tuple[float, float, float]:
        """How long a voxel is along each axis of index space, in units of the world."""
        x, y, z = self._object.map[2]
        return (x, y, z)

    def get_active_stats(self) -> ActiveStats:
        """How many active voxels and nodes of each level there are."""
        voxels, _, *nodes = self._object.counts
        return Grid.ActiveStats(voxels, *nodes)

    def get_tile_count(self) -> int:
        """How many tiles of 8 x 8 x 8 voxels there are."""
        return self._object.counts[2]

    def get_tiles(self, out: Array[Any] | None = None) -> Array[Any]:
        """The first voxel of each tile: int32, (tiles, 3).

        Args:
            out: An array of int32 with this shape, or of ``vec3i``, that is written and returned.

        Raises:
            TypeError: ``out`` holds something else. It is a RuntimeError, too.
            ValueError: ``out`` has another shape. It is a RuntimeError, too.
        """
        return self._listed("Volume.get_tiles", self._object.voxels(False), out)

    def get_voxel_count(self) -> int:
        """How many voxels have numbers: the active ones of a grid allocated by voxels, else all voxels of all tiles."""
        return self._object.counts[1]

    def get_voxels(self, out: Array[Any] | None = None) -> Array[Any]:
        """The active voxels: int32, (voxels, 3). In a grid that numbers its voxels, they are in this order.

        Args:
            out: As for :meth:`get_tiles`.

        Raises:
            TypeError: ``out`` holds something else. It is a RuntimeError, too.
            ValueError: ``out`` has another shape. It is a RuntimeError, too.
        """
        return self._listed("Volume.get_voxels", self._object.voxels(True), out)

    def _listed(self, place: str, content: bytes, out: Array[Any] | None) -> Array[Any]:
        found = np.frombuffer(content, dtype=np.int32).reshape(-1, 3)
        if out is None:
            return Array(found, dtype=t.int32, device=self.device)
        check_arrays(place, out=out)
        shape = (len(found), 3) if out.dtype == t.int32 else (len(found),)
        if out.dtype not in (t.int32, t.vec3i):
            raise _error("ArrayType", f"{place}: out is an array of {out.dtype.__name__}; it must be of int32 or vec3i")
        if out.shape != shape:
            raise _error("ArrayValue", f"{place}: out has the shape {out.shape}, expected {shape}")
        out.assign(found)
        return out

    def get_feature_array_count(self) -> int:
        """How many arrays the grid has beside its voxels: "blind data" in the words of NanoVDB."""
        return len(self._object.features)

    def get_feature_array_info(self, feature_index: int) -> FeatureArrayInfo:
        """What is known of such an array.

        Raises:
            RuntimeError: There is none of this number.
        """
        name, at, count, size, value = self._feature("get_feature_array_info", feature_index)
        return Grid.FeatureArrayInfo(name, self._data.ptr + at, size, count, NAMES.get(value, str(value)))

    def feature_array(self, feature_index: int, dtype: Any = None) -> Array[Any]:
        """Such an array; it shares the memory of the volume.

        Args:
            feature_index: Its number.
            dtype: The type of an element; that which the grid names by default, or bytes if that is none of Warp's.

        Raises:
            RuntimeError: There is none of this number, or elements of ``dtype`` have another size.
        """
        _, at, count, size, value = self._feature("feature_array", feature_index)
        if dtype is None:
            known = VALUES[NAMES[value]][1] if value in NAMES else None
            dtype = known if known is not None and t.type_size_in_bytes(known) == size else t.uint8
        each = t.type_size_in_bytes(dtype)
        if count * size % each:
            what = f"Volume.feature_array: {count * size} bytes are no whole number of elements of {dtype.__name__}"
            raise _error("Runtime", what)
        keeper = functools.partial(_let_go, self._data)
        return Array(
            ptr=self._data.ptr + at, shape=count * size // each, dtype=dtype, device=self.device, deleter=keeper
        )

    def _feature(self, method: str, index: int) -> Any:
        features = self._object.features
        if not 0 <= index < len(features):
            raise _error("Runtime", f"Volume.{method}: there is no array {index}; the grid has {len(features)}")
        return features[index]

    def get_rebuild_info(self) -> RebuildInfo:
        """How much a volume that can be rebuilt has room for.

        Raises:
            RuntimeError: It cannot be rebuilt.
        """
        if self._rebuilds is None:
            raise _error("Runtime", "Volume.get_rebuild_info: the volume was not allocated with rebuildable=True")
        _, only, nodes, voxels = self._rebuilds
        return Grid.RebuildInfo("voxels" if only else "tiles", voxels, *nodes)


def _copied(data: Array[Any]) -> Array[Any]:
    """The same bytes in memory of its own, which begins at a multiple of 32."""
    own: Array[Any] = empty(data.shape, dtype=t.uint8, device=data.device)
    own.assign(data)
    return own
