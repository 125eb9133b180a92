"""The types of queries, for annotations of functions and fields of structs."""

from __future__ import annotations

from typing import Any

from warp._language.struct import of_elem
from warp._warp import _fields, _library_struct, register_type


def _query_type(text: type) -> Any:
    """The type of the query of the same name in kernels, with the text of a class."""
    elem = _library_struct(text.__name__)
    annotations = {field: cls for field, cls, _ in _fields(elem)}
    more: dict[str, Any] = {"__doc__": text.__doc__, "__module__": "warp", "_declared_": None}
    made = of_elem(elem, text.__name__, annotations, {**more, "__class_getitem__": _same})
    register_type(elem, made)
    return made


@classmethod  # type: ignore[misc]
def _same(cls: Any, dtype: Any) -> Any:
    """The query type itself: it serves all precisions."""
    return cls


@_query_type
class HashGridQuery:
    """A query of a :class:`HashGrid` in a kernel, as ``wp.hash_grid_query`` starts it."""


@_query_type
class BvhQuery:
    """A query of a :class:`Bvh` in a kernel, as ``wp.bvh_query_aabb`` and its like start it."""


@_query_type
class MeshQuery:
    """A query for faces of a :class:`Mesh`, as ``wp.mesh_query_aabb`` and ``wp.mesh_query_sphere`` start it."""


#: The same: a variable may be either.
MeshQueryAABB = MeshQuery


@_query_type
class MeshQueryPoint:
    """What ``wp.mesh_query_point`` and its like find of a :class:`Mesh`.

    Attributes:
        result: Whether there is such a point; the others are 0 if not.
        sign: -1 inside and 1 outside; 0 where the query does not tell.
        face: The number of the face.
        u: The point is ``u * p0 + v * p1 + (1 - u - v) * p2`` of the face's corners.
        v: See ``u``.
    """


@_query_type
class MeshQueryRay:
    """What ``wp.mesh_query_ray`` finds of a :class:`Mesh`.

    Attributes:
        result: Whether the ray meets a face; the others are 0 if not.
        sign: 1 where it meets the front of the face, which the normal comes out of, else -1.
        face: The number of the face.
        t: The distance in lengths of the direction.
        u: The point is ``u * p0 + v * p1 + (1 - u - v) * p2`` of the face's corners.
        v: See ``u``.
        normal: The normal of the face, of length 1.
    """
