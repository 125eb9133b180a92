"""What a volume is to be: the type of its values, its background, and its map to the world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import warp.types as t
from warp._warp import _capturing, _error, array

#: For each type of values by its name: number, dtype, how many components, and the bytes of one as NumPy names them.
VALUES: dict[str, tuple[int, Any]] = {
    "float": (1, t.float32),
    "double": (2, t.float64),
    "int16": (3, t.int16),
    "int32": (4, t.int32),
    "int64": (5, t.int64),
    "Vec3f": (6, t.vec3f),
    "Vec3d": (7, t.vec3d),
    "Half": (9, t.float32),
    "uint32": (10, t.uint32),
    "bool": (11, t.bool),
    "Float4": (13, t.float32),
    "Float8": (14, t.float32),
    "Float16": (15, t.float32),
    "FloatN": (16, t.float32),
    "Vec4f": (17, t.vec4f),
    "Vec4d": (18, t.vec4d),
    "Vec3u8": (24, t.vec3ub),
    "Vec3u16": (25, t.vec3us),
    "uint8": (26, t.uint8),
}
NAMES = {number: name for name, (number, _) in VALUES.items()}
#: Types of values without a dtype: what they hold are the numbers of voxels, or bits.
INDEX, ON_INDEX = 19, 20
INDEXES = ("Index", "OnIndex", "IndexMask", "OnIndexMask")
#: What a volume may be allocated for.
_BACKGROUNDS = (t.int32, t.int64, t.uint32, t.float32, t.float64, t.vec3f, t.vec3d, t.vec4f, t.vec4d)


class Wanted(NamedTuple):
    """A grid to be built."""

    value: int
    background: bytes
    matrix: list[float]
    translation: list[float]


class Rebuild(NamedTuple):
    """How a grid is built anew."""

    wanted: Wanted
    only: bool
    nodes: list[int]
    voxels: int


def refuse_capture(place: str) -> None:
    """Refuse to fill a new volume in a capture, which would fill it when its graph runs, and each time."""
    if _capturing():
        raise _error("Runtime", f"{place}: a volume cannot be made of an array in a capture; make it before")


def background_of(place: str, value: Any) -> tuple[int, Any]:
    """The number of the type of a background, and an array with it."""
    if value is None:
        return INDEX, np.zeros(0, dtype=np.uint8)
    dtype: Any = next((known for known in _BACKGROUNDS if isinstance(value, known)), None)
    if dtype is None and isinstance(value, Sequence | np.ndarray) and not isinstance(value, str):
        dtype = {3: t.vec3f, 4: t.vec4f}.get(len(value))
    elif dtype is None and not isinstance(value, bool):
        numbers = ((int, t.int32), (float, t.float32), (np.floating, t.float32), (np.integer, t.int32))
        dtype = next((known for kind, known in numbers if isinstance(value, kind)), None)
    if dtype is None:
        known = "an int, a float, three or four numbers, int64, uint32, float64, vec3, vec3d, vec4, vec4d or None"
        raise TypeError(f"Volume.{place}: bg_value is {value!r}, expected {known}")
    number = next(number for number, known in VALUES.values() if known == dtype)
    if isinstance(value, np.integer):
        # Such a number that does not fit is named as one of Python is.
        value = int(value)
    return number, array([value], dtype=dtype, device="cpu").numpy()


def wanted_of(
    place: str, value: int, background: Any, voxel_size: Any, translation: Sequence[float], transform: Any
) -> Wanted:
    """A grid of a type, and its map."""
    if (voxel_size is None) == (transform is None):
        raise _error("ArrayValue", f"Volume.{place}: give one of voxel_size and transform")
    if transform is not None:
        matrix = np.asarray(transform, dtype=np.float64).reshape(-1)
        if matrix.size != 9 or not np.isfinite(matrix).all():
            raise _error(
                "ArrayValue", f"Volume.{place}: transform is {transform!r}, expected a matrix of 3 x 3 numbers"
            )
    else:
        try:
            sizes = np.asarray(voxel_size, dtype=np.float64)
        except (TypeError, ValueError):
            raise TypeError(f"Volume.{place}: voxel_size is {voxel_size!r}, expected one number or three") from None
        if sizes.shape not in ((), (3,)) or not (np.isfinite(sizes) & (sizes > 0)).all():
            raise _error(
                "ArrayValue", f"Volume.{place}: voxel_size is {voxel_size!r}, expected positive numbers: one or three"
            )
        matrix = np.diag(np.broadcast_to(sizes, 3)).reshape(-1)
    shift = np.asarray(translation, dtype=np.float64)
    if shift.shape != (3,) or not np.isfinite(shift).all():
        raise _error("ArrayValue", f"Volume.{place}: translation is {translation!r}, expected three numbers")
    return Wanted(value, background.tobytes(), matrix.tolist(), shift.tolist())
