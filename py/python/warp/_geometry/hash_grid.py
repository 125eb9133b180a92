"""Points sorted by the cells of a grid, so that kernels find neighbours."""

from __future__ import annotations

from typing import Any

from warp._devices.stream import DeviceLike
from warp._geometry.queried import Queried
from warp._warp import Device, _HashGrid, array, get_device
from warp.types import float16, float32, float64


class HashGrid(Queried):
    """A grid of cells that repeats in space, with the numbers of the points in each cell.

    Kernels take it as a parameter ``wp.uint64``: pass the grid itself or its :attr:`id`. There, ``wp.hash_grid_query``
    finds the points near a place. A launch, a tape and a graph keep a grid that they were given alive.

    Args:
        dim_x: Cells along x, at least 1.
        dim_y: Cells along y.
        dim_z: Cells along z. The product is less than 2^31 - 1.
        device: Where it lies; the current device by default.
        dtype: The type of positions: ``float16``, ``float32`` (the default) or ``float64``.

    Raises:
        TypeError: A dimension is no integer, or ``dtype`` is another type.
        ValueError: A dimension is not positive, or there are too many cells. It is a RuntimeError, too.
    """

    def __init__(self, dim_x: int, dim_y: int, dim_z: int, device: DeviceLike = None, dtype: Any = None) -> None:
        dims = [_dimension(name, dim) for name, dim in (("dim_x", dim_x), ("dim_y", dim_y), ("dim_z", dim_z))]
        self.device: Device = get_device(device)
        self.dtype: Any = float32 if dtype is None or dtype is float else dtype
        if self.dtype not in (float16, float32, float64):
            raise TypeError(f"HashGrid: dtype is {dtype!r}, expected wp.float16, wp.float32 or wp.float64")
        self._dims = tuple(dims)
        self._object = _HashGrid(dims, self.dtype.__name__, self.device)
        self._groups: array[Any] | None = None
        self._reserved = 0

    @property
    def reserved(self) -> int:
        """The most points that :meth:`reserve` was asked to make room for."""
        return self._reserved

    @property
    def groups(self) -> array[Any] | None:
        """The groups that it was built with last."""
        return self._groups

    def build(self, points: array[Any], radius: float, groups: array[Any] | None = None) -> None:
        """Sort points into cells. Call it again when points have moved.

        Args:
            points: An array of vectors with 3 components of :attr:`dtype`. Dimensions beyond the first are flattened.
            radius: The width of a cell, a positive number. Queries are fastest for distances of about this.
            groups: A number (int32) for each point, for queries of one group.

        Raises:
            TypeError: An array holds something else. It is a RuntimeError, too.
            ValueError: ``radius`` is not positive, ``groups`` has another size, or an array is on another device. It is
                a RuntimeError, too.
        """
        for name, value in (("points", points), ("groups", groups)):
            if not isinstance(value, array) and not (name == "groups" and value is None):
                raise TypeError(f"HashGrid.build: {name} is {type(value).__name__}, expected a Warp array")
        self._object.build(points, float(radius), groups)
        self._groups = groups

    def reserve(self, num_points: int, with_groups: bool = False) -> None:
        """Make room for so many points, so that the next build allocates nothing.

        Raises:
            TypeError: ``num_points`` is no integer.
            ValueError: It is negative.
        """
        count = _integer("reserve: num_points", num_points)
        if count < 0:
            raise ValueError(f"HashGrid.reserve: num_points is {count}, it must not be negative")
        self._object.reserve(count, bool(with_groups))
        self._reserved = max(self._reserved, count)

    def __repr__(self) -> str:
        x, y, z = self._dims
        return f"HashGrid({x}, {y}, {z}, device={str(self.device)!r}, dtype={self.dtype.__name__})"

    def __reduce__(self) -> Any:
        made = (HashGrid, (*self._dims, str(self.device), self.dtype))
        return (*made, (self._object.content(), self._groups, self._reserved))

    def __setstate__(self, state: Any) -> None:
        if not isinstance(state, tuple) or len(state) != 3 or not isinstance(state[0], bytes):
            raise TypeError(
                f"HashGrid.__setstate__: the state is {state!r:.60}, expected what a pickle of a grid holds"
            )
        content, self._groups, self._reserved = state
        self._object.restore(content)


def _integer(name: str, value: Any) -> int:
    try:
        return value.__index__()  # type: ignore[no-any-return]
    except AttributeError:
        raise TypeError(f"HashGrid.{name} is {value!r}, expected an integer") from None


def _dimension(name: str, value: Any) -> int:
    try:
        return min(int(value.__index__()), 1 << 62)
    except AttributeError:
        raise TypeError(f"HashGrid: {name} is {value!r}, expected an integer") from None
