"""Types and structs as ctypes has them: what lies in memory, for code that reads it there."""

from __future__ import annotations

import ctypes
from typing import Any

from warp._values.c_array import array_t, ctype
from warp._values.composite import _Composite
from warp._values.scalars import elem_of
from warp._values.storage import C_TYPES, as_bits, of_bits, of_ctypes
from warp._warp import Elem, _fields, array

_made: dict[Elem, Any] = {}


def ctype_of(dtype: Any) -> Any:
    """The ctypes type of a type of values or a struct.

    Raises:
        TypeError: The object names none.
    """
    elem = elem_of(dtype)
    if elem is None:
        raise TypeError(f"type_ctype: expected a type of values or a struct, found {dtype!r}")
    found = _made.get(elem)
    if found is None:
        found = _made[elem] = _make(elem, dtype)
    return found


def _make(elem: Elem, dtype: Any) -> Any:
    if elem.kind == "struct":
        annotations = getattr(dtype, "_annotations_", {})
        fields = [
            (name, _described(annotations.get(name)) if cls is None else ctype_of(cls))
            for name, cls, _ in _fields(elem)
        ]
        return type(dtype.__name__, (ctypes.Structure,), {"_fields_": fields, "__module__": "warp"})
    scalar = C_TYPES[elem.scalar]
    return scalar if elem.kind == "scalar" else of_ctypes(scalar * elem.count)


def _described(annotation: Any) -> Any:
    """The memory of a field that is an array: its array descriptor, of an indexed array that of each part."""
    return of_ctypes(array_t * (1 + annotation.ndim)) if hasattr(annotation, "_kernel_type") else array_t


def write(value: Any, cls: Any) -> Any:
    """A value of a type as ctypes has it; `cls` is None for an array, which is then described."""
    if hasattr(value, "_kernel_type"):
        return of_ctypes(array_t * (1 + value.ndim))(*(ctype(part) for part in value._parts()))
    if cls is None:
        return array_t() if value is None else ctype(value)
    if isinstance(value, _Composite):
        return ctype_of(cls)(*(as_bits(part, value._elem.scalar) for part in value._parts))
    if cls._elem.kind != "struct":
        return as_bits(getattr(value, "value", value), cls._elem.scalar)
    made = ctype_of(cls)()
    for (name, field, _), part in zip(_fields(cls._elem), value._values, strict=True):
        if part is not None:
            setattr(made, name, write(part, field))
    # What is pointed to lives as long as the pointers.
    made._owner = value.__copy__()
    return made


def argument(value: Any, declared: Any) -> Any:
    """What a ctypes object holds for a parameter of a kernel; anything else as it is."""
    if isinstance(value, ctypes._SimpleCData):
        return value.value
    if isinstance(value, array_t):
        return _array(value, declared)
    if isinstance(value, ctypes.Structure | ctypes.Array) and getattr(declared, "_elem", None) is not None:
        return read(value, declared, None)
    return value


def read(at: Any, cls: Any, declared: Any) -> Any:
    """The value that a part of a ctypes structure holds; `declared` is the annotation of a field that is an array."""
    if hasattr(declared, "_kernel_type"):
        indices = array(dtype=int, ndim=1)
        data, *others = (_array(part, declared if n == 0 else indices) for n, part in enumerate(at))
        return None if data is None else type(declared)(data, others)
    if cls is None:
        return _array(at, declared)
    elem = cls._elem
    if elem.kind == "struct":
        fields = zip(_fields(elem), cls._annotations_.values(), strict=True)
        return cls._of([read(getattr(at, name), field, annotation) for (name, field, _), annotation in fields])
    if elem.kind == "scalar":
        return of_bits(at, elem.scalar)
    return cls._of(of_bits(part, elem.scalar) for part in at)


def _array(at: array_t, declared: Any) -> array | None:
    """The array that is described; it does not keep the memory alive."""
    if not at.data:
        return None
    shape, strides = tuple(at.shape[: at.ndim]), tuple(at.strides[: at.ndim])
    grad = array(ptr=at.grad, dtype=declared.dtype, shape=shape, strides=strides) if at.grad else None
    return array(ptr=at.data, dtype=declared.dtype, shape=shape, strides=strides, grad=grad)
