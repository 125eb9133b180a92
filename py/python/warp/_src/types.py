"""Types, as `warp.types` has them."""

from __future__ import annotations

from types import GenericAlias
from typing import Any

import warp.types as _types


class Vector:
    """In annotations of Python's functions: a vector of some scalar type and length."""

    __class_getitem__: Any = classmethod(GenericAlias)


class Matrix:
    """In annotations of Python's functions: a matrix of some scalar type, rows and columns."""

    __class_getitem__: Any = classmethod(GenericAlias)


def __getattr__(name: str) -> Any:
    return getattr(_types, name)
