"""`array[key]` and `array[key] = value` where lists or arrays are among the indices.

Arrays of int32 choose along each dimension by themselves, and the result is the same memory: an indexed array. Lists,
masks and arrays of other libraries work as in NumPy: the result is a copy, and there is one of them in a key.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import warp as wp
from warp import _warp
from warp._arrays import map as _map
from warp._arrays.broadcast import _broadcast
from warp._arrays.indexed import by_arrays, indexedarray
from warp._language.decorators import kernel
from warp._warp import array, empty, zeros
from warp.types import array1d


def select(a: array, key: Any) -> Any:
    """``a[key]``.

    Raises:
        IndexError: An index is out of range, a mask has another shape than what it chooses from, or there are too many.
        TypeError, ValueError: An index is no index, or there are several lists.
    """
    keys = key if isinstance(key, tuple) else (key,)
    if _is_view(keys):
        return by_arrays(a, key)
    source, chosen = _chosen(a, keys)
    return by_arrays(source, chosen).contiguous()


def assign(a: array, key: Any, value: Any) -> None:
    """``a[key] = value``. Tapes record it.

    Raises:
        IndexError: As `select`.
        TypeError, ValueError: As `select`; or the value has another dtype, or a shape that cannot be repeated to that
            of the chosen elements.
    """
    keys = key if isinstance(key, tuple) else (key,)
    if _is_view(keys):
        by_arrays(a, key).assign(value)
        return
    one = _one(a, value)
    if one is not None and len(keys) == 1 and _is_mask(keys[0]) and _shape(keys[0]) == a.shape:
        _map.choose(a, _mask(a, keys[0]), one)
        return
    source, chosen = _chosen(a, keys)
    _write(by_arrays(source, chosen), value if one is None else one)
    if source is not a and _warp._meeting(source, a) == "apart":
        # A copy without gaps, in which a mask of several dimensions chooses.
        a.assign(source.reshape(a.shape))


def _is_view(keys: Sequence[Any]) -> bool:
    """Whether all that choose several are arrays of int32."""
    return all(isinstance(k, array) and k.dtype is wp.int32 for k in keys if _is_several(k))


def _is_several(key: Any) -> bool:
    return isinstance(key, array | list) or getattr(key, "ndim", 0) > 0


def _is_mask(key: Any) -> bool:
    if isinstance(key, array):
        return key.dtype is wp.bool
    if isinstance(key, list):
        while key and isinstance(key[0], list):
            key = key[0]
        return bool(key) and isinstance(key[0], bool)
    return str(getattr(key, "dtype", "")).rpartition(".")[2] in ("bool", "bool_")


def _shape(mask: Any) -> tuple[int, ...]:
    if not isinstance(mask, list):
        return tuple(mask.shape)
    shape = []
    while isinstance(mask, list):
        shape.append(len(mask))
        mask = mask[0] if mask else None
    return tuple(shape)


def _one(a: array, value: Any) -> array | None:
    """A number, or one element, as an array of one."""
    kind = type(value)
    if not (kind in (int, float, bool) or kind is a.dtype or getattr(value, "ndim", None) == 0):
        return None
    one = zeros(1, a.dtype, a.device)
    one.fill_(value)
    return one


def _write(target: indexedarray, value: Any) -> None:
    if not isinstance(value, array | indexedarray):
        value = array(value, dtype=target.dtype, device=target.device)
    if value.dtype is not target.dtype:
        value = array(value, dtype=target.dtype)
    try:
        fits = _broadcast([value.shape, target.shape]) == target.shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"array assignment: the source has shape {value.shape}, the chosen elements {target.shape}; they must be "
            f"equal, or extents of the source 1"
        )
    _map.copy(target, value)


def _chosen(a: array, keys: Sequence[Any]) -> tuple[array, tuple[Any, ...]]:
    """An array and a key with one array of int32, which are what the keys choose from `a`."""
    several = [at for at, k in enumerate(keys) if _is_several(k)]
    if len(several) > 1:
        raise ValueError(
            "array index: two lists, masks or arrays, which NumPy pairs and a wp.array does not; arrays of int32 "
            "choose the intersection of rows and columns, a.numpy()[...] pairs"
        )
    at = several[0]
    key = keys[at]
    if not _is_mask(key):
        dimension = _dimension(a, keys, at)
        return a, (*keys[:at], _indices(a, key, dimension), *keys[at + 1 :])
    mask = _mask(a, key)
    if mask.ndim > 1:
        if len(keys) > 1:
            raise IndexError(f"array index: a mask of {mask.ndim} dimensions stands alone, as in a[mask]")
        if mask.shape != a.shape[: mask.ndim]:
            raise IndexError(f"array index: the mask has shape {mask.shape}, the array {a.shape}; they must be equal")
        rows = a.contiguous().reshape((mask.size, *a.shape[mask.ndim :]))
        return rows, (_positions(mask.contiguous().flatten()),)
    extent = a.shape[_dimension(a, keys, at)]
    if mask.size != extent:
        dimension = _dimension(a, keys, at)
        raise IndexError(
            f"array index: the mask has {mask.size} elements, dimension {dimension} has {extent}; they must be equal"
        )
    return a, (*keys[:at], _positions(mask), *keys[at + 1 :])


def _dimension(a: array, keys: Sequence[Any], at: int) -> int:
    """The dimension that a key is for."""
    if any(k is None for k in keys):
        raise IndexError("array index: None beside a list or an array; add the dimension later, as in a[indices][None]")
    if len(keys) - sum(k is ... for k in keys) > a.ndim:
        raise IndexError(f"too many indices: the array has {a.ndim} dimensions")
    return at if ... not in keys[:at] else a.ndim - (len(keys) - at)


def _mask(a: array, key: Any) -> array:
    if isinstance(key, array) and key.device == a.device:
        return key
    if isinstance(key, list) and not all(isinstance(k, bool | list) for k in key):
        raise TypeError("array index: a list of bools and ints; expected either")
    return array(key, dtype=wp.bool, device=a.device)


def _indices(a: array, key: Any, dimension: int) -> array:
    """Indices as an array of int32, where the array is. What the host knows is checked now, else when it is used."""
    if isinstance(key, array):
        if not key.dtype._elem.kind == "scalar" or key.dtype._elem.is_float or key.ndim != 1:
            raise TypeError(
                f"array index: an array of {key.dtype.__name__} with {key.ndim} dimensions; indices are ints in one"
            )
        return key.to(a.device).astype(wp.int32)
    listed = key if isinstance(key, list) else key.tolist()
    extent = a.shape[dimension]
    found = []
    for index in listed:
        if isinstance(index, list):
            raise TypeError(
                "array index: a list of lists; indices stand in one list, and a mask of several dimensions in an array"
            )
        try:
            number = index.__index__()
        except (AttributeError, TypeError):
            raise TypeError(
                f"array index: {index!r} ({type(index).__name__}) in a list, expected ints or bools"
            ) from None
        if isinstance(index, bool):
            # After an int: what begins with a bool is a mask.
            raise TypeError("array index: a list of bools and ints; expected either")
        if not -extent <= number < extent:
            raise IndexError(f"array index: index {number} is out of range for dimension {dimension} of size {extent}")
        found.append(number % extent)
    return array(found, dtype=wp.int32, device=a.device)


@kernel
def _count(mask: array1d[wp.bool], counts: array1d[wp.int32]) -> None:
    i = wp.tid()
    counts[i] = wp.int32(mask[i])


@kernel
def _place(mask: array1d[wp.bool], counts: array1d[wp.int32], positions: array1d[wp.int32]) -> None:
    i = wp.tid()
    if mask[i]:
        positions[counts[i] - 1] = i


def _positions(mask: array) -> array:
    """Where a mask of one dimension is true."""
    device = mask.device
    if device.is_capturing:
        raise RuntimeError(
            "array index: a capture records, in which nobody knows yet how many elements the mask chooses; "
            "a[mask] = number, and wp.where in a kernel, need not know"
        )
    if mask.size == 0:
        return zeros(0, wp.int32, device)
    counts = empty(mask.size, wp.int32, device)
    _warp.launch(_count, mask.size, [mask], [counts], device=device, record_tape=False)
    _warp.array_scan(counts, counts)
    positions = empty(counts.item(-1), wp.int32, device)
    _warp.launch(_place, mask.size, [mask, counts], [positions], device=device, record_tape=False)
    return positions
