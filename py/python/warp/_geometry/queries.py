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
