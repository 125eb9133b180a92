"""Scalar values of kernel types in Python: their classes, which are Python's numbers, and their arithmetic.

Numbers of one type compute as in kernels: integers wrap and are divided towards zero, floats are rounded to their type.
What comes out is of the type, too; that of int32 and float32, which Python's own numbers stand for, is Python's.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any, ClassVar

from warp import config
from warp._base.class_names import nameless
from warp._warp import Elem, _error, dtype_to_numpy

# Types of Python's that stand for types of kernels.
PYTHONS = {builtins.float: "float32", builtins.int: "int32", builtins.bool: "bool"}


def elem_of(dtype: Any) -> Elem | None:
    """What a type of values or a struct is made of; None for other objects."""
    if isinstance(dtype, type):
        elem = getattr(dtype, "_elem", None)
        if isinstance(elem, Elem):
            return elem
        if dtype in PYTHONS:
            return Elem("scalar", PYTHONS[dtype])
    return None


class _NumpyDtype:
    """The attributes `dtype` and `__numpy_dtype__` of a class of values, which NumPy asks for where it expects a dtype.

    Only classes have them: NumPy, jax and others take an object with a `dtype` for an array. NumPy before 2.4 makes
    `object` of a type without counterpart, since it ignores what is raised here.
    """

    def __get__(self, instance: object, owner: Any) -> Any:
        if instance is not None:
            raise AttributeError(f"'{owner.__name__}' object has no attribute 'dtype'", name="dtype", obj=instance)
        if not hasattr(owner, "_elem"):
            raise AttributeError(f"type object '{owner.__name__}' has no attribute 'dtype'", name="dtype", obj=owner)
        try:
            return dtype_to_numpy(owner)
        except ImportError as error:  # without NumPy there is none
            raise AttributeError(str(error), name="dtype", obj=owner) from error


@nameless
class _Scalar:
    """What all scalar types share."""

    _elem: ClassVar[Elem]
    # Whether Python's own numbers stand for this type.
    _is_pythons: ClassVar[builtins.bool]
    dtype: ClassVar[Any] = _NumpyDtype()
    __numpy_dtype__: ClassVar[Any] = _NumpyDtype()
    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.value!r})"  # type: ignore[attr-defined]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.value,)  # type: ignore[attr-defined]


def typed(cls: Any, number: Any) -> Any:
    """A number of the type `cls`, which it fits, as what Python is given: of that class, or plain."""
    if cls._is_pythons or config.legacy_scalar_return_types:
        return number
    return cls._exactly(number)


def operand(owner: str, scalar: Any, other: Any) -> Any:
    """The other number of an operation with values of a scalar type; NotImplemented if it is none of Python's or ours.

    `owner` is the type that messages name.
    """
    found = type(other)
    if found is scalar:
        return other.value
    if found is builtins.int or found is builtins.bool or (found is builtins.float and scalar._elem.is_float):
        return other
    if isinstance(other, _Scalar):
        text = f"{owner} and {found.__name__}: types are never converted silently; write wp.{scalar.__name__}(...)"
        raise _error("Argument", text)
    return NotImplemented


def divide(a: Any, b: Any) -> Any:
    """As floating point hardware does it: division by zero is no error."""
    if b != 0:
        return a / b
    if a == 0 or a != a or b != b:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def quotient(a: Any, b: Any) -> builtins.int:
    """Integers are cut towards zero, as in kernels."""
    q: builtins.int = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def remainder(a: Any, b: Any) -> Any:
    """It has the sign of `a`, as in kernels."""
    if isinstance(a, builtins.int) and isinstance(b, builtins.int):
        return a - b * quotient(a, b)
    if b == 0 or math.isinf(a) or a != a or b != b:
        return math.nan
    return math.fmod(a, b)


def _floor(a: Any, b: Any) -> Any:
    q = divide(a, b)
    return builtins.float(math.floor(q)) if math.isfinite(q) else q


def _binary(compute: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    """The method of an operator, and that for a number of ours on its right."""

    def forward(self: Any, other: Any) -> Any:
        cls = type(self)
        number = operand(cls.__name__, cls, other)
        if number is NotImplemented:
            return NotImplemented
        return typed(cls, cls._elem.wrap(compute(self.value, number)))

    def backward(self: Any, other: Any) -> Any:
        cls = type(self)
        number = operand(cls.__name__, cls, other)
        if number is NotImplemented:
            return NotImplemented
        return typed(cls, cls._elem.wrap(compute(number, self.value)))

    return forward, backward


def _unary(compute: Callable[[Any], Any]) -> Any:
    def method(self: Any) -> Any:
        cls = type(self)
        return typed(cls, cls._elem.wrap(compute(self.value)))

    return method


@nameless
class _Number(_Scalar):
    """What numbers share: their operators."""

    __slots__ = ()
    __add__, __radd__ = _binary(lambda a, b: a + b)
    __sub__, __rsub__ = _binary(lambda a, b: a - b)
    __mul__, __rmul__ = _binary(lambda a, b: a * b)
    __mod__, __rmod__ = _binary(remainder)
    __neg__ = _unary(lambda a: -a)
    __pos__ = _unary(lambda a: a)
    __abs__ = _unary(abs)


@nameless
class _Float(_Number, builtins.float):
    """A floating point number, rounded to its type."""

    __slots__ = ()
    __truediv__, __rtruediv__ = _binary(divide)
    __floordiv__, __rfloordiv__ = _binary(_floor)

    def __new__(cls, value: Any = 0.0) -> _Float:
        return super().__new__(cls, cls._elem.round(value))

    @classmethod
    def _exactly(cls, value: builtins.float) -> Any:
        return builtins.float.__new__(cls, value)

    @property
    def value(self) -> builtins.float:
        """The number as Python's."""
        return builtins.float(self)

    def __str__(self) -> str:
        return str(self.value)


@nameless
class _Int(_Number, builtins.int):
    """An integer of its type: one out of range wraps, a float is cut towards zero."""

    __slots__ = ()
    __truediv__, __rtruediv__ = _binary(quotient)
    __floordiv__, __rfloordiv__ = _binary(lambda a, b: a // b)
    __and__, __rand__ = _binary(lambda a, b: a & b)
    __or__, __ror__ = _binary(lambda a, b: a | b)
    __xor__, __rxor__ = _binary(lambda a, b: a ^ b)
    __invert__ = _unary(lambda a: ~a)

    def __new__(cls, value: Any = 0) -> _Int:
        if isinstance(value, builtins.float):
            # What does not fit is no integer that somebody wrote.
            return super().__new__(cls, cls._elem.round(builtins.int(value)))
        return super().__new__(cls, cls._elem.wrap(value))

    @classmethod
    def _exactly(cls, value: builtins.int) -> Any:
        return builtins.int.__new__(cls, value)

    @property
    def value(self) -> builtins.int:
        """The number as Python's."""
        return builtins.int(self)

    def __str__(self) -> str:
        return str(self.value)


@nameless
class _Bool(_Scalar, builtins.int):
    """A truth value. (Python's own bool cannot be derived from.)"""

    __slots__ = ()

    def __new__(cls, value: Any = False) -> _Bool:
        return builtins.int.__new__(cls, builtins.bool(value))

    @property
    def value(self) -> builtins.bool:
        """The truth value as Python's."""
        return builtins.bool(builtins.int(self))

    def __str__(self) -> str:
        return str(self.value)
