"""Names of private classes where Python itself writes messages: about operators, attributes and arguments."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import TypeVar

_C = TypeVar("_C", bound=type)


def named(name: str) -> Callable[[_C], _C]:
    """Give a class, and what its functions say of it, the name of what it is to users."""

    def rename(cls: _C) -> _C:
        cls.__name__ = cls.__qualname__ = name
        return _own(cls, f"{name}.")

    return rename


def nameless(cls: _C) -> _C:
    """Let the functions of a class that public ones derive from be called without its name."""
    return _own(cls, "")


def _own(cls: _C, owner: str) -> _C:
    for name, value in vars(cls).items():
        function = value.__func__ if isinstance(value, staticmethod | classmethod) else value
        if isinstance(function, FunctionType):
            function.__qualname__ = owner + name
    return cls
