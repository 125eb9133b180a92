"""The types of queries, for annotations of functions and fields of structs."""

from __future__ import annotations

from typing import Any

from warp._language.struct import of_elem
from warp._warp import _fields, _library_struct, register_type


def _query_type(name: str, doc: str) -> Any:
    elem = _library_struct(name)
    annotations = {field: cls for field, cls, _ in _fields(elem)}
    more: dict[str, Any] = {"__doc__": doc, "__module__": "warp", "_declared_": None, "__class_getitem__": _same}
    made = of_elem(elem, name, annotations, more)
    register_type(elem, made)
    return made


@classmethod  # type: ignore[misc]
def _same(cls: Any, dtype: Any) -> Any:
    """The query type itself: it serves all precisions."""
    return cls


HashGridQuery = _query_type(
    "HashGridQuery", "A query of a :class:`HashGrid` in a kernel, as ``wp.hash_grid_query`` starts it."
)
BvhQuery = _query_type(
    "BvhQuery", "A query of a :class:`Bvh` in a kernel, as ``wp.bvh_query_aabb`` and its like start it."
)
MeshQuery = _query_type("MeshQuery", "A query for faces of a :class:`Mesh`, as ``wp.mesh_query_sphere`` starts it.")
MeshQueryAABB = _query_type("MeshQueryAABB", "A query for faces of a :class:`Mesh` by ``wp.mesh_query_aabb``.")
MeshQueryPoint = _query_type("MeshQueryPoint", "What ``wp.mesh_query_point`` and its like find of a :class:`Mesh`.")
MeshQueryRay = _query_type("MeshQueryRay", "What ``wp.mesh_query_ray`` finds of a :class:`Mesh`.")
