"""What the numbers of a value lie in: memory of ctypes, which NumPy and functions written in C share, or, of floats of
16 bits or fewer, for which ctypes has no type, a list."""

from __future__ import annotations

import ctypes
from typing import Any, ClassVar

from warp._warp import SCALARS, _float_bits, _float_of

# Floats that C lacks; it has their bits.
NARROW = {name for name, _, _, bits, is_float in SCALARS if is_float and bits <= 16}

C_TYPES: dict[str, Any] = {
    **{name: getattr(ctypes, f"c_{name}", None) for name, *_ in SCALARS},
    **{name: getattr(ctypes, f"c_uint{bits}") for name, _, _, bits, _ in SCALARS if name in NARROW},
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
}

# Those of instances: values have their own `v[i]`.
_get: Any = ctypes.Array.__getitem__
_set: Any = ctypes.Array.__setitem__
_ALL = slice(None)


def of_ctypes(kind: Any) -> Any:
    """A type that ctypes makes once for all, and takes for one of the module that first asks for it."""
    kind.__module__ = "ctypes"
    return kind


def as_bits(number: Any, scalar: str) -> Any:
    """A number as ctypes has it: a float that C lacks as its bits."""
    return _float_bits(number, scalar) if scalar in NARROW else number


def of_bits(number: Any, scalar: str) -> Any:
    """The number that ctypes has this for."""
    return _float_of(number, scalar) if scalar in NARROW else number


class _Memory:
    """Memory of ctypes."""

    __slots__ = ()

    def __copy__(self) -> Any:
        return type(self).from_buffer_copy(self)  # type: ignore[attr-defined]


class Row(_Memory):
    """Memory of ctypes that holds numbers."""

    __slots__ = ()

    @property
    def _parts(self) -> list[Any]:
        parts: list[Any] = _get(self, _ALL)
        return parts

    def _fill(self, parts: list[Any]) -> None:
        _set(self, _ALL, parts)

    def _put(self, place: int, number: Any) -> None:
        _set(self, place, number)


class Rows(_Memory):
    """Memory of ctypes that holds rows of numbers."""

    __slots__ = ()
    _shape_: ClassVar[tuple[int, ...]]

    @property
    def _parts(self) -> list[Any]:
        return [number for row in _get(self, _ALL) for number in row]

    def _fill(self, parts: list[Any]) -> None:
        cols = self._shape_[1]
        rows = range(0, len(parts), cols)
        _set(self, _ALL, [tuple(parts[at : at + cols]) for at in rows])

    def _put(self, place: int, number: Any) -> None:
        row, col = divmod(place, self._shape_[1])
        _get(self, row)[col] = number


class Listed:
    """A list of numbers."""

    __slots__ = ("_parts",)
    _parts: list[Any]
    _wp_scalar_type_: ClassVar[Any]
    _length_: ClassVar[int]

    def __new__(cls, *args: Any, **options: Any) -> Any:
        made = super().__new__(cls)
        made._parts = [0.0] * cls._length_
        return made

    def _fill(self, parts: list[Any]) -> None:
        self._parts = parts.copy()

    def _put(self, place: int, number: Any) -> None:
        self._parts[place] = number

    def __copy__(self) -> Any:
        made = type(self).__new__(type(self))
        made._parts = self._parts.copy()
        return made

    @classmethod
    def from_buffer_copy(cls, source: Any, offset: int = 0) -> Any:
        """A value of what lies in an object's memory, from `offset` bytes on.

        Raises:
            ValueError: The memory ends before the value does.
        """
        scalar = cls._wp_scalar_type_.__name__
        bits = (C_TYPES[scalar] * cls._length_).from_buffer_copy(source, offset)
        made = cls.__new__(cls)
        made._parts = [of_bits(number, scalar) for number in bits]
        return made


class Kind(type(ctypes.Array)):  # type: ignore[misc]
    """The class of value types whose memory is that of ctypes."""

    def __new__(mcs, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> Any:
        # To ctypes the length is that of the first dimension, also of what derives from these types.
        shape = body.get("_shape_") or next(base._shape_ for base in bases if hasattr(base, "_shape_"))
        return super().__new__(mcs, name, bases, {**body, "_length_": shape[0]})

    def __init__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> None:
        rows = cls._shape_[0]
        cls._length_ = rows
        super().__init__(name, bases, body)
        cls._length_ = rows * (cls._shape_[1] if len(cls._shape_) == 2 else 1)


def stored(base: type, scalar: str, shape: tuple[int, ...]) -> tuple[type, tuple[type, ...], dict[str, Any]]:
    """The metaclass of a type of values, what it derives from, and what its body says of its memory."""
    if scalar in NARROW:
        return type, (base, Listed), {"_memory_rounds": False}
    number = C_TYPES[scalar]
    rounds = scalar in ("float32", "float64")
    if len(shape) == 2:
        return Kind, (base, Rows, ctypes.Array), {"_type_": of_ctypes(number * shape[1]), "_memory_rounds": rounds}
    return Kind, (base, Row, ctypes.Array), {"_type_": number, "_memory_rounds": rounds}
