"""What objects that kernels query have in common."""

from __future__ import annotations

from typing import Any

from warp._warp import _error, array


class Queried:
    """An object that kernels know by an integer."""

    #: What holds the memory.
    _object: Any

    @property
    def id(self) -> int:
        """What kernels know it by: an integer for ``wp.uint64``. Never 0; valid while the object lives."""
        return self._object.id  # type: ignore[no-any-return]

    def __index__(self) -> int:
        return self.id


#: Types of elements by the name of an argument.
_DTYPES = {
    **dict.fromkeys(("lowers", "points", "uppers", "velocities"), "wp.vec3"),
    **dict.fromkeys(("groups", "indices"), "int"),
}


def check_arrays(place: str, **arrays: Any) -> None:
    """Refuse what is no array, with the name of the argument."""
    for name, value in arrays.items():
        if not isinstance(value, array):
            made = f"wp.array({name}, dtype={_DTYPES.get(name, '...')})"
            what = f"{name} is {type(value).__name__}, expected a Warp array; {made} makes one"
            raise _error("ArrayType", f"{place}: {what}")


#: Names of ways to build a tree.
CONSTRUCTORS = ("sah", "median", "lbvh", "cubql")


def check_constructor(place: str, name: Any) -> None:
    """Refuse the name of an unknown way to build a tree."""
    if name is not None and (not isinstance(name, str) or name.lower() not in CONSTRUCTORS):
        known = ", ".join(repr(known) for known in CONSTRUCTORS)
        raise ValueError(f"{place}: the constructor is {name!r}, expected one of {known} or None")


def check_leaf_size(place: str, size: Any, least: int = 1) -> None:
    """Refuse a number of items per leaf that is none."""
    try:
        size = size.__index__()
    except AttributeError:
        raise TypeError(f"{place}: the leaf size is {size!r}, expected an integer") from None
    if size < least:
        raise ValueError(f"{place}: the leaf size is {size}, it must be at least {least}")
