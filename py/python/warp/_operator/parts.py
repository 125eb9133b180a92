"""What operators are made of: how each parameter of a kernel is filled, and how a framework makes arrays."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, Protocol

#: Where an extent comes from: a parameter and one of its dimensions, those of elements left out.
Extent = tuple[int, int]
Shape = tuple[Any, ...]


class Fill(enum.Enum):
    """What a parameter of a kernel gets when an operator runs."""

    VALUE = "a number or vector, from the caller"
    READ = "an array from the caller, which is not written"
    INOUT = "a copy of an array from the caller; returned"
    WORK = "a copy of an array from the caller; dropped"
    CLEAR = "zeros of the size of an array from the caller; dropped"
    OUT = "zeros; returned"
    ZEROS = "zeros; dropped"
    STAND = "another parameter's array, for its extents only"
    ABSENT = "nothing: a gradient that nobody asked for"


#: Fills that the caller gives something for.
ARGUMENTS = {Fill.VALUE, Fill.READ, Fill.INOUT, Fill.WORK, Fill.CLEAR}
#: Fills whose arrays are returned.
RESULTS = {Fill.INOUT, Fill.OUT}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel and how an operator fills it."""

    name: str
    #: Type of the value, or of the elements: `wp.float32`, `wp.vec3`.
    dtype: Any
    #: Dimensions of an array; 0 for a value.
    ndim: int
    fill: Fill
    #: STAND: whose array.
    like: int | None = None
    #: OUT, ZEROS: extents in front of those of an item.
    front: tuple[Extent, ...] = ()
    #: OUT, ZEROS: extents of an item; None: what the caller says, else the launch's.
    item: tuple[Extent, ...] | None = None

    @property
    def is_array(self) -> bool:
        """Whether it is an array."""
        return self.ndim > 0

    @property
    def inner(self) -> tuple[int, ...]:
        """Dimensions of an element: `()`, `(3,)` for `vec3`."""
        shape: tuple[int, ...] = self.dtype._elem.shape
        return shape

    @property
    def scalar(self) -> str:
        """Name of the type of a component: "float32"."""
        name: str = self.dtype._elem.scalar
        return name

    @property
    def is_differentiable(self) -> bool:
        """Whether it is an array of floats."""
        return self.is_array and self.dtype._elem.is_float


class Memory(Protocol):
    """A framework's way to make arrays, next to an array `near` or on the default device."""

    def zeros(self, shape: Shape, scalar: str, near: Any) -> Any:
        """An array of zeros."""

    def copy(self, array: Any) -> Any:
        """A copy without gaps between elements."""

    def readable(self, array: Any, inner: int) -> Any:
        """The array, or a copy of it if the last `inner` dimensions have gaps."""

    def shape(self, array: Any) -> Shape:
        """The shape."""


class Where(enum.Enum):
    """What an argument of a derivative is, seen from the operator that was differentiated."""

    ARGUMENT = "one of its arguments"
    RESULT = "one of its results"
    GRADIENT = "the gradient of one of its results"
