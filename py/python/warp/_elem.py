"""What a Python type is made of."""

from __future__ import annotations

import builtins
from typing import Any

from warp._warp import Elem

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
