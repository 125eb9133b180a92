"""Arrays with other dimensions, other numbers, or as lists: attributes of `wp.array` and `wp.indexedarray`."""

from __future__ import annotations

from typing import Any

import warp as wp
from warp import _warp
from warp._arrays import cast
from warp._warp import array, empty


def plain(a: Any) -> array:
    """An array, or the elements of an indexed one as an array. Tapes record the copy."""
    return a if isinstance(a, array) else a.contiguous()


def scalar_of(dtype: Any) -> Any:
    """The type of the numbers that elements are made of; None for structs."""
    elem = dtype._elem
    return None if elem.kind == "struct" else getattr(wp, elem.scalar)


def with_scalar(dtype: Any, scalar: Any) -> Any:
    """The type of elements of the same kind that are made of other numbers."""
    elem = dtype._elem
    if elem.kind == "scalar":
        return scalar
    if elem.kind == "vec":
        return wp.types.vector(elem.count, scalar)
    if elem.kind == "mat":
        return wp.types.matrix(elem.shape, scalar)
    return {"quat": wp.types.quaternion, "transform": wp.types.transformation}[elem.kind](scalar)


def numbers(a: array) -> array:
    """The numbers of a contiguous array in one dimension, as the same memory and gradient."""
    scalar = scalar_of(a.dtype)
    if a.dtype is not scalar:
        a = a.flatten().view(scalar)
    return a.flatten()


def elements(flat: array, dtype: Any, shape: tuple[int, ...]) -> array:
    """Numbers in one dimension as elements of a shape, the same memory and gradient."""
    elem = dtype._elem
    if elem.kind != "scalar":
        inner = elem.shape if elem.kind == "mat" else (elem.count,)
        flat = flat.reshape((-1, *inner)).view(dtype)
    return flat.reshape(shape)


def _transposed(self: Any) -> array:
    """The same memory with its dimensions reversed, as `transpose()`."""
    return plain(self).transpose()


def _itemsize(self: Any) -> int:
    """Bytes of one element: 12 of a `wp.vec3`."""
    return int(self.dtype._elem.size)


def _nbytes(self: Any) -> int:
    """Bytes of all elements: `size * itemsize`."""
    return int(self.size * self.dtype._elem.size)


T = property(_transposed)
itemsize = property(_itemsize)
nbytes = property(_nbytes)


def astype(self: Any, dtype: Any, copy: bool = True) -> array:
    """The elements with other numbers, as a new array.

    A float becomes an integer by leaving out what is behind the point; a bool is 0 or 1, and a number is true unless
    it is 0. Vectors, matrices, quaternions and transforms stay what they are, and their numbers change. Tapes record
    the conversion of floats to floats.

    Args:
        dtype: A type of numbers, its name, or a type of elements of the same kind: `wp.float64`, `"float64"`, or
            `wp.vec3d` for an array of `wp.vec3`.
        copy: Whether an array that has this dtype already is copied.

    Raises:
        TypeError: Elements of this dtype have no such numbers.
    """
    a = plain(self)
    scalar, target = scalar_of(a.dtype), array(dtype=dtype).dtype
    if scalar is None or scalar_of(target) is None:
        raise TypeError(f"astype: an array of {a.dtype.__name__} cannot become one of {target.__name__}")
    if target is scalar_of(target):
        target = with_scalar(a.dtype, target)
    if target is a.dtype:
        return a.clone() if copy or a is not self else a
    if with_scalar(a.dtype, scalar_of(target)) is not target:
        raise TypeError(
            f"astype: an array of {a.dtype.__name__} cannot become one of {target.__name__}, whose elements have other "
            f"components; a.view(...) sees the same numbers as other elements"
        )
    made = empty(a.shape, dtype=target, device=a.device, requires_grad=a.requires_grad and target._elem.is_float)
    if a.size:
        source, found = numbers(a.contiguous()), numbers(made)
        step = cast.kernel_of(source.dtype, found.dtype)
        _warp.launch(step, source.shape, [source], [found], device=a.device)
    return made


def tolist(self: Any) -> Any:
    """The elements as nested lists of Python's numbers: one level for each dimension, and for those of an element.

    Structs stay what they are.
    """
    a = plain(self)
    return _nested(a.list(), a.shape)


def _nested(flat: list[Any], shape: tuple[int, ...]) -> list[Any]:
    if len(shape) > 1:
        step = len(flat) // shape[0] if shape[0] else 0
        return [_nested(flat[at * step : (at + 1) * step], shape[1:]) for at in range(shape[0])]
    if flat and hasattr(type(flat[0]), "_elem") and type(flat[0])._elem.kind != "struct":
        return [_listed(value) for value in flat]
    return flat


def _listed(value: Any) -> Any:
    """A vector or matrix as lists of numbers."""
    try:
        return [_listed(part) for part in value]
    except TypeError:
        return value


def __jax_array__(self: Any) -> Any:  # noqa: N807
    """What JAX computes with where it is given the array: the same memory."""
    return wp.to_jax(plain(self))


def __arrow_c_array__(self: Any, requested_schema: object = None) -> tuple[object, object]:  # noqa: N807
    """What polars, pyarrow and other readers of Apache Arrow take: the same memory, where it has no gaps.

    Dimensions beyond the first, and the components of vectors and matrices, become lists of a fixed size. An array
    with gaps, one on a GPU, and one of bools, which Arrow packs, is copied.

    Args:
        requested_schema: Ignored, as the interface allows: the reader converts what it is given.

    Raises:
        TypeError: Arrow has no type for the elements: structs and bfloat16.
    """
    return _warp._arrow_capsules(plain(self).to("cpu").contiguous())
