"""What a type is, and what a value is of: questions that programs ask about types of values."""

from __future__ import annotations

import builtins
from typing import Any, get_args, get_origin

from warp._values.composite import _Composite, _Matrix, _Quaternion, _Transform, _Vector
from warp._values.scalars import PYTHONS, _Number, _Scalar, elem_of
from warp._warp import array

__all__ = [
    "is_array",
    "is_composite",
    "is_float",
    "is_int",
    "is_matrix",
    "is_quaternion",
    "is_scalar",
    "is_struct",
    "is_tile",
    "is_transformation",
    "is_value",
    "is_vector",
    "type_ctype",
    "type_is_array",
    "type_is_composite",
    "type_is_float",
    "type_is_int",
    "type_is_matrix",
    "type_is_quaternion",
    "type_is_scalar",
    "type_is_struct",
    "type_is_tile",
    "type_is_transformation",
    "type_is_value",
    "type_is_vector",
    "type_repr",
    "type_size",
    "types_equal",
]


def _is_handle(dtype: Any) -> builtins.bool:
    return isinstance(dtype, type) and dtype.__name__ == "handle" and issubclass(dtype, _Scalar)


def _is_a(dtype: Any, base: type) -> builtins.bool:
    return isinstance(dtype, type) and issubclass(dtype, base) and not _is_handle(dtype)


def type_is_float(dtype: Any) -> builtins.bool:
    """Whether a type is `float` or one of the floating point types."""
    return type_is_scalar(dtype) and bool(elem_of(dtype).is_float)  # type: ignore[union-attr]


def type_is_int(dtype: Any) -> builtins.bool:
    """Whether a type is `int` or one of the integer types; bool is none."""
    return type_is_scalar(dtype) and not type_is_float(dtype)


def type_is_scalar(dtype: Any) -> builtins.bool:
    """Whether a type is one of numbers; bool is none."""
    return dtype is builtins.float or dtype is builtins.int or _is_a(dtype, _Number)


def type_is_vector(dtype: Any) -> builtins.bool:
    """Whether a type is one of vectors."""
    return _is_a(dtype, _Vector)


def type_is_matrix(dtype: Any) -> builtins.bool:
    """Whether a type is one of matrices."""
    return _is_a(dtype, _Matrix)


def type_is_quaternion(dtype: Any) -> builtins.bool:
    """Whether a type is one of quaternions."""
    return _is_a(dtype, _Quaternion)


def type_is_transformation(dtype: Any) -> builtins.bool:
    """Whether a type is one of transforms."""
    return _is_a(dtype, _Transform)


def type_is_composite(dtype: Any) -> builtins.bool:
    """Whether a type is one of vectors, matrices, quaternions or transforms."""
    return _is_a(dtype, _Composite)


def type_is_array(dtype: Any) -> builtins.bool:
    """Whether a type is `wp.array`. An annotation such as `wp.array(dtype=float)` is an array: ask `is_array`."""
    return isinstance(dtype, type) and issubclass(dtype, array)


def type_is_struct(dtype: Any) -> builtins.bool:
    """Whether a type is a struct."""
    elem = elem_of(dtype)
    return elem is not None and elem.kind == "struct"


def type_is_tile(dtype: Any) -> builtins.bool:
    """Whether a type is one of tiles, which there are none of yet."""
    return False


def type_is_value(dtype: Any) -> builtins.bool:
    """Whether a type is one of values: bool, a scalar, a vector, matrix, quaternion or transform."""
    elem = elem_of(dtype)
    return elem is not None and elem.kind != "struct" and not _is_handle(dtype)


def is_float(value: Any) -> builtins.bool:
    """Whether a value is a Python float or of a floating point type."""
    return type_is_float(type(value))


def is_int(value: Any) -> builtins.bool:
    """Whether a value is a Python int or of an integer type; a bool is none."""
    return type_is_int(type(value))


def is_scalar(value: Any) -> builtins.bool:
    """Whether a value is a number of Python's or of a scalar type; a bool is none, nor are NumPy's numbers."""
    return type_is_scalar(type(value))


def is_vector(value: Any) -> builtins.bool:
    """Whether a value is a vector."""
    return isinstance(value, _Vector)


def is_matrix(value: Any) -> builtins.bool:
    """Whether a value is a matrix."""
    return isinstance(value, _Matrix)


def is_quaternion(value: Any) -> builtins.bool:
    """Whether a value is a quaternion."""
    return isinstance(value, _Quaternion)


def is_transformation(value: Any) -> builtins.bool:
    """Whether a value is a transform."""
    return isinstance(value, _Transform)


def is_composite(value: Any) -> builtins.bool:
    """Whether a value is a vector, matrix, quaternion or transform."""
    return isinstance(value, _Composite)


def is_array(value: Any) -> builtins.bool:
    """Whether a value is a Warp array, or an annotation that stands for arrays."""
    return isinstance(value, array)


def is_struct(value: Any) -> builtins.bool:
    """Whether a value is an instance of a struct."""
    return type_is_struct(type(value))


def is_tile(value: Any) -> builtins.bool:
    """Whether a value is a tile, which there are none of yet."""
    return False


def is_value(value: Any) -> builtins.bool:
    """Whether a value is a bool, a number, a handle, a vector, matrix, quaternion or transform."""
    return isinstance(value, _Scalar | _Composite | builtins.int | builtins.float)


def type_size(dtype: Any) -> int:
    """The number of components of a type: 1 for scalars and structs, 3 for `wp.vec3`, 7 for transforms.

    Raises:
        TypeError: It is no type of values or struct.
    """
    elem = elem_of(dtype) or elem_of(type(dtype) if isinstance(dtype, _Composite) else None)
    if elem is None:
        raise TypeError(f"type_size: expected a type of values or a struct, found {dtype!r}")
    return 1 if elem.kind == "struct" else elem.count


def type_ctype(dtype: Any) -> Any:
    """The ctypes type that lies in memory as values of a type do: `c_float`, an array of them, a structure.

    Raises:
        TypeError: It is no type of values or struct.
    """
    from warp._values.ctype import ctype_of

    return ctype_of(dtype)


def types_equal(a: Any, b: Any) -> builtins.bool:
    """Whether two types are the same one. `float` is `wp.float32`, and so on; arrays are compared by dtype alone."""
    if isinstance(a, array) and isinstance(b, array):
        return types_equal(a.dtype, b.dtype)
    one, other = elem_of(a), elem_of(b)
    if one is None or other is None:
        return a is b or (isinstance(a, type) and isinstance(b, type) and a == b)
    return one == other and _is_handle(a) == _is_handle(b)


def type_repr(t: Any) -> str:
    """A type as short text: `float32`, `vec3f`, `vector(length=5, dtype=float32)`, `array(ndim=2, dtype=vec3f)`."""
    if isinstance(t, array):
        if t.ptr is None and not t.size:
            return f"array(ndim={t.ndim}, dtype={type_repr(t.dtype)})"
        return f"array(shape={t.shape}, dtype={type_repr(t.dtype)})"
    if get_origin(t) is tuple:
        return f"tuple({', '.join(map(type_repr, get_args(t)))})"
    if t is Any:
        return "Any"
    if isinstance(t, type):
        named = t in PYTHONS or issubclass(t, _Scalar | _Composite)
        return t.__name__ if named else f"{t.__module__}.{t.__qualname__}"
    if hasattr(t, "__module__") and hasattr(t, "__name__"):
        return f"{t.__module__}.{t.__name__}"
    return repr(t)
