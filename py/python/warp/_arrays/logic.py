"""Comparisons of arrays and operators on bits: `wp.equal` and attributes of `wp.array`. `==` compares identity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import warp as wp
from warp._warp import _mapped, _truths, array


def equal(a: Any, b: Any) -> array:
    """Compare elements by `==`, which for arrays themselves asks whether they are one object.

    Shapes are broadcast as NumPy does it. A vector or matrix is equal if all its numbers are.

    Args:
        a: An array, or a number or value.
        b: The same; one of both is an array. A Python number has the type of the array's numbers.

    Returns:
        An array of bools.

    Raises:
        TypeError: Elements of these types are not compared.
        ValueError: The shapes cannot be broadcast, or there is no array.
    """
    if not (_is_array(a) or _is_array(b)):
        raise ValueError("equal: neither a nor b is a wp.array; numbers and values compare by ==")
    device = (a if _is_array(a) else b).device
    return _truths(_applied("==", _operand(a, device), _operand(b, device)))  # type: ignore[no-any-return]


def _is_array(value: Any) -> bool:
    return isinstance(value, array) or hasattr(type(value), "_kernel_type")


def _operand(value: Any, device: Any) -> Any:
    if _is_array(value) or type(value) in (int, float, bool) or hasattr(type(value), "_elem"):
        return value
    return array(value, copy=False).to(device)


def _applied(symbol: str, left: Any, right: Any) -> Any:
    done = _mapped(symbol, (left, right), None)
    return _map().binary(symbol, left, right) if done is None else done


def _map() -> Any:
    # Not before it is needed: who looks at the methods of a class imports this module.
    from warp._arrays import map

    return map


def _is_operand(other: Any) -> bool:
    return _is_array(other) or type(other) in (int, float, bool) or hasattr(type(other), "_elem")


def _bits(symbol: str) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    def of(own: Any, other: Any, reflected: bool) -> Any:
        if not _is_operand(other):
            return _map().beside(symbol, own, other, reflected) if isinstance(own, array) else NotImplemented
        left, right = (other, own) if reflected else (own, other)
        found = _applied(symbol, left, right)
        return _truths(found) if found.dtype is wp.bool else found

    def forward(self: Any, other: Any) -> Any:
        return of(self, other, False)

    def reflected(self: Any, other: Any) -> Any:
        return of(self, other, True)

    def in_place(self: Any, other: Any) -> Any:
        if _mapped(symbol, (self, other), self) is None:
            _map().in_place(symbol, self, other)
        return self

    return forward, reflected, in_place


for _name, _symbol in {"and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>"}.items():
    for _prefix, _method in zip(("", "r", "i"), _bits(_symbol), strict=True):
        _method.__name__ = f"__{_prefix}{_name}__"
        _method.__qualname__ = f"array.{_method.__name__}"
        globals()[_method.__name__] = _method


def __invert__(self: Any) -> array:  # noqa: N807
    if self.dtype is wp.bool:
        return _truths(_map().unary("not1", self))  # type: ignore[no-any-return]
    return _map().unary("~1", self)  # type: ignore[no-any-return]


def __abs__(self: Any) -> array:  # noqa: N807
    return wp.map(wp.abs, self)  # type: ignore[no-any-return]
