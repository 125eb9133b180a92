from collections.abc import Iterator
from typing import Any

from warp._value_types import vec3f

class HashGridQuery:
    """A query of a hash grid in a kernel: a loop over it gives the numbers of points."""

    def __iter__(self) -> Iterator[int]: ...
    def __class_getitem__(cls, dtype: Any) -> type[HashGridQuery]: ...

class BvhQuery:
    """A query of a tree in a kernel: a loop over it gives the numbers of boxes."""

    def __iter__(self) -> Iterator[int]: ...

class MeshQuery:
    """A query of a mesh in a kernel: a loop over it gives the numbers of faces."""

    def __iter__(self) -> Iterator[int]: ...

MeshQueryAABB = MeshQuery

class MeshQueryPoint:
    """What a query for the closest point of a mesh found."""

    result: bool
    sign: float
    face: int
    u: float
    v: float

class MeshQueryRay:
    """What a query for the first face along a ray found."""

    result: bool
    sign: float
    face: int
    t: float
    u: float
    v: float
    normal: vec3f
