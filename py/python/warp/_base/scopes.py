"""What objects of `with` blocks share."""

from __future__ import annotations

from typing import TypeVar

_T = TypeVar("_T")


def taken_back(scope: object, before: list[_T]) -> _T:
    """What the innermost open block of `scope` found, and no longer keeps.

    Raises:
        RuntimeError: No block is open.
    """
    if not before:
        raise RuntimeError(f"{type(scope).__name__}: a block ends that has not begun")
    return before.pop()
