"""Types of values: scalars, vectors, matrices, quaternions, transforms.

Every type is a class whose instances are values, so that `wp.vec3(1.0, 2.0, 3.0)` means the same in
Python as in a kernel. Types with the same components are one class, however they are asked for.
"""

from __future__ import annotations

import builtins
import math
import operator
from types import GenericAlias
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from warp._base.class_names import named as _named
from warp._values.composite import _made, _make
from warp._values.facts import *  # noqa: F403  (what `__all__` there lists)
from warp._values.facts import type_ctype
from warp._values.scalars import elem_of
from warp._warp import SCALARS, Elem, Pattern, array


def _scalar_name(dtype: Any, place: str) -> str:
    alias = {builtins.float: "float32", builtins.int: "int32", builtins.bool: "bool"}
    if isinstance(dtype, type) and dtype in alias:
        return alias[dtype]
    elem = getattr(dtype, "_elem", None)
    if isinstance(elem, Elem) and elem.kind == "scalar":
        return elem.scalar
    raise TypeError(f"{place}: dtype is {dtype!r}, expected a scalar type such as float or wp.float64")


def _is_open(dtype: Any) -> builtins.bool:
    """Whether `dtype` leaves open which scalar type is meant."""
    return dtype is Any or isinstance(dtype, TypeVar)


def _size(what: str, value: Any) -> int:
    if not hasattr(type(value), "__index__"):
        raise TypeError(f"{what} is {value!r}, expected an int")
    return operator.index(value)


def vector(length: Any, dtype: Any = builtins.float) -> Any:
    """The type of vectors with `length` components of type `dtype`.

    The same arguments give the same type: ``vector(3, float) is wp.vec3``.

    In annotations of generic kernels and functions `length` may be ``typing.Any``, and `dtype` that or ``wp.Float``,
    ``wp.Int``, ``wp.Scalar``.

    Raises:
        TypeError: ``dtype`` is no scalar type, or ``length`` no int.
        ValueError: ``length`` is out of range.
    """
    if length is Any or _is_open(dtype):
        return Pattern("vec", dtype, None if length is Any else length)
    return _make("vec", _scalar_name(dtype, "vector"), _size("vector: length", length))


def matrix(shape: tuple[Any, Any], dtype: Any = builtins.float) -> Any:
    """The type of matrices with `shape` rows and columns of type `dtype`.

    The same arguments give the same type: ``matrix((2, 2), float) is wp.mat22``. What may be left open: see
    :func:`vector`.

    Raises:
        TypeError: ``dtype`` is no scalar type, or ``shape`` no pair of ints.
        ValueError: ``shape`` is out of range.
    """
    try:
        rows, cols = shape
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"matrix: shape is {shape!r}, expected a number of rows and one of columns") from error
    if rows is Any or cols is Any or _is_open(dtype):
        return Pattern("mat", dtype, None if rows is Any else rows, None if cols is Any else cols)
    sizes = (_size("matrix: the number of rows", rows), _size("matrix: the number of columns", cols))
    return _make("mat", _scalar_name(dtype, "matrix"), *sizes)


def quaternion(dtype: Any = builtins.float) -> Any:
    """The type of quaternions with components of type `dtype`.

    Raises:
        TypeError: ``dtype`` is no scalar type.
    """
    if _is_open(dtype):
        return Pattern("quat", dtype)
    return _make("quat", _scalar_name(dtype, "quaternion"))


def transformation(dtype: Any = builtins.float) -> Any:
    """The type of rigid transformations with components of type `dtype`: a position of 3, a quaternion of 4.

    Raises:
        TypeError: ``dtype`` is no scalar type.
    """
    if _is_open(dtype):
        return Pattern("transform", dtype)
    return _make("transform", _scalar_name(dtype, "transformation"))


def type_size_in_bytes(dtype: Any) -> int:
    """Bytes of one element of type `dtype` in an array.

    Raises:
        TypeError: ``dtype`` is no type of values or struct.
    """
    elem = elem_of(dtype)
    if elem is None:
        raise TypeError(f"type_size_in_bytes: expected a type of values or a struct, found {dtype!r}")
    if elem.kind == "struct" and not elem.size:
        # With fields that are arrays: as it is passed to native code.
        from ctypes import sizeof

        return sizeof(type_ctype(dtype))
    return elem.size


if TYPE_CHECKING:
    _T = TypeVar("_T")
    ref = Annotated[_T, "written by the function"]
else:

    class ref:
        """Annotation of a `@wp.func` parameter that the function writes: `x: wp.ref[float]`.

        What the function assigns to `x` its caller finds in the argument: a variable, a part of one or an element of an
        array.

        Raises:
            TypeError: a kernel that calls the function passes it another type, or a value that has no place.
        """

        def __class_getitem__(cls, dtype: Any) -> GenericAlias:
            return GenericAlias(cls, (dtype,))


class fixedarray:
    """Annotation of a `@wp.func` parameter that is a local array, as `wp.fixedarray(dtype=float, shape=(3,))`.

    In kernels `wp.zeros(shape, dtype)` makes such arrays.

    Raises:
        TypeError: ``shape`` is neither an int nor a tuple of ints.
        ValueError: an extent is less than 1.
    """

    def __init__(self, dtype: Any = builtins.float, shape: Any = 1) -> None:
        extents = shape if isinstance(shape, (tuple, list)) else (shape,)
        self.dtype = dtype
        if not all(hasattr(type(n), "__index__") for n in extents):
            raise TypeError(f"fixedarray: shape is {shape!r}, expected an int or a tuple of ints")
        self.shape = tuple(operator.index(n) for n in extents)
        if any(n < 1 for n in self.shape):
            raise ValueError(f"fixedarray: shape is {shape!r}, expected extents of at least 1")

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    def __repr__(self) -> str:
        return f"fixedarray(dtype={self.dtype!r}, shape={self.shape})"


@_named("array type")
class _ArrayOf:
    """`wp.array2d` and its like: annotations and arrays with a given number of dimensions."""

    def __init__(self, ndim: int) -> None:
        self._ndim = ndim
        self.__name__ = f"array{ndim}d"
        self.__doc__ = f"As `wp.array`, with {ndim} dimension{'s' if ndim > 1 else ''}: `array{ndim}d(dtype=float)`."

    def __call__(self, data: Any = None, dtype: Any = None, **options: Any) -> array:
        return array(data, dtype, ndim=self._ndim, **options)

    def __getitem__(self, dtype: Any) -> array:
        return array(dtype=dtype, ndim=self._ndim)

    def __repr__(self) -> str:
        return f"<warp {self.__name__}>"


if TYPE_CHECKING:
    from warp._array import array1d as array1d
    from warp._array import array2d as array2d
    from warp._array import array3d as array3d
    from warp._array import array4d as array4d
    from warp._value_types import *  # noqa: F403
else:
    array1d, array2d, array3d, array4d = (_ArrayOf(n) for n in (1, 2, 3, 4))

    for _name, *_ in SCALARS:
        _make("scalar", _name)

    bool = _made[("scalar", "bool", 1, 1)]
    int8 = _made[("scalar", "int8", 1, 1)]
    int16 = _made[("scalar", "int16", 1, 1)]
    int32 = _made[("scalar", "int32", 1, 1)]
    int64 = _made[("scalar", "int64", 1, 1)]
    uint8 = _made[("scalar", "uint8", 1, 1)]
    uint16 = _made[("scalar", "uint16", 1, 1)]
    uint32 = _made[("scalar", "uint32", 1, 1)]
    uint64 = _made[("scalar", "uint64", 1, 1)]
    float16 = _made[("scalar", "float16", 1, 1)]
    bfloat16 = _made[("scalar", "bfloat16", 1, 1)]
    float32 = _made[("scalar", "float32", 1, 1)]
    float64 = _made[("scalar", "float64", 1, 1)]

    class handle(uint64):
        """An address or another handle that programs pass on: a uint64, as what kernels take it."""

        __slots__ = ()
        __module__ = "warp"

    _INTS = (builtins.int, int8, uint8, int16, uint16, int32, uint32, int64, uint64)
    _FLOATS = (builtins.float, float16, bfloat16, float32, float64)

    # What annotations of generic kernels and functions admit besides `typing.Any`. Two of one name may differ in one
    # call.
    Float = TypeVar("Float", *_FLOATS)
    Int = TypeVar("Int", *_INTS)
    Scalar = TypeVar("Scalar", *_INTS, *_FLOATS)

    # The typed spellings: a letter for each scalar type; a test holds them to the table.
    vec2f = _make("vec", "float32", 2)
    vec2d = _make("vec", "float64", 2)
    vec2h = _make("vec", "float16", 2)
    vec2bf = _make("vec", "bfloat16", 2)
    vec2b = _make("vec", "int8", 2)
    vec2s = _make("vec", "int16", 2)
    vec2i = _make("vec", "int32", 2)
    vec2l = _make("vec", "int64", 2)
    vec2ub = _make("vec", "uint8", 2)
    vec2us = _make("vec", "uint16", 2)
    vec2ui = _make("vec", "uint32", 2)
    vec2ul = _make("vec", "uint64", 2)
    vec3f = _make("vec", "float32", 3)
    vec3d = _make("vec", "float64", 3)
    vec3h = _make("vec", "float16", 3)
    vec3bf = _make("vec", "bfloat16", 3)
    vec3b = _make("vec", "int8", 3)
    vec3s = _make("vec", "int16", 3)
    vec3i = _make("vec", "int32", 3)
    vec3l = _make("vec", "int64", 3)
    vec3ub = _make("vec", "uint8", 3)
    vec3us = _make("vec", "uint16", 3)
    vec3ui = _make("vec", "uint32", 3)
    vec3ul = _make("vec", "uint64", 3)
    vec4f = _make("vec", "float32", 4)
    vec4d = _make("vec", "float64", 4)
    vec4h = _make("vec", "float16", 4)
    vec4bf = _make("vec", "bfloat16", 4)
    vec4b = _make("vec", "int8", 4)
    vec4s = _make("vec", "int16", 4)
    vec4i = _make("vec", "int32", 4)
    vec4l = _make("vec", "int64", 4)
    vec4ub = _make("vec", "uint8", 4)
    vec4us = _make("vec", "uint16", 4)
    vec4ui = _make("vec", "uint32", 4)
    vec4ul = _make("vec", "uint64", 4)
    mat22f = _make("mat", "float32", 2, 2)
    mat22d = _make("mat", "float64", 2, 2)
    mat22h = _make("mat", "float16", 2, 2)
    mat22bf = _make("mat", "bfloat16", 2, 2)
    mat33f = _make("mat", "float32", 3, 3)
    mat33d = _make("mat", "float64", 3, 3)
    mat33h = _make("mat", "float16", 3, 3)
    mat33bf = _make("mat", "bfloat16", 3, 3)
    mat44f = _make("mat", "float32", 4, 4)
    mat44d = _make("mat", "float64", 4, 4)
    mat44h = _make("mat", "float16", 4, 4)
    mat44bf = _make("mat", "bfloat16", 4, 4)
    quatf = _make("quat", "float32")
    quatd = _make("quat", "float64")
    quath = _make("quat", "float16")
    quatbf = _make("quat", "bfloat16")
    transformf = _make("transform", "float32")
    transformd = _make("transform", "float64")
    transformh = _make("transform", "float16")

    # Spatial vectors: six components, the angular part first; and what maps them.
    spatial_vectorf = _make("vec", "float32", 6)
    spatial_vectord = _make("vec", "float64", 6)
    spatial_vectorh = _make("vec", "float16", 6)
    spatial_matrixf = _make("mat", "float32", 6, 6)
    spatial_matrixd = _make("mat", "float64", 6, 6)
    spatial_matrixh = _make("mat", "float16", 6, 6)

    # Without a letter they are float32.
    vec2 = vec2f
    vec3 = vec3f
    vec4 = vec4f
    mat22 = mat22f
    mat33 = mat33f
    mat44 = mat44f
    quat = quatf
    transform = transformf
    spatial_vector = spatial_vectorf
    spatial_matrix = spatial_matrixf
