"""Deleters: what is called once nothing uses an array's memory any more."""

from __future__ import annotations

from collections.abc import Callable


class Deleter:
    """Keeps memory for the arrays on it, which hold this, and calls a function when the last of them is gone.

    A class of Python's own, so that a deleter which leads back to its array is called while it is whole: Python calls
    the finalizers of all objects in a cycle, in any order, before it takes them apart.
    """

    __slots__ = ("_arguments", "call")

    def __init__(self, call: Callable[[int, int], object], ptr: int, capacity: int) -> None:
        self.call = call
        self._arguments = (ptr, capacity)

    def __del__(self) -> None:
        self.call(*self._arguments)
