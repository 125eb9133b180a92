"""What operators are made of: parameters of kernels, and how a framework makes arrays."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, Protocol

from warp._warp import _bindings

#: A parameter and one of its dimensions, those of elements left out.
Extent = tuple[int, int]
#: Where an extent comes from: a parameter and a place in its array's shape, or a place in the launch dimensions
#: ("launch") or output dimensions ("outputs") that the caller gives.
Source = tuple[int | str, int]
#: What a parameter gets: a word of `warp_core::operator::Supply`, and what goes with it.
Supply = tuple[str, Any]
Shape = tuple[Any, ...]


class Binding(enum.Enum):
    """What a parameter of a kernel gets when an operator runs: see `warp_core::operator::Binding`."""

    VALUE = enum.auto()
    READ = enum.auto()
    INOUT = enum.auto()
    WORK = enum.auto()
    CLEAR = enum.auto()
    OUT = enum.auto()
    ZEROS = enum.auto()
    STAND = enum.auto()
    ABSENT = enum.auto()


#: Bindings that the caller gives something for.
ARGUMENTS = {Binding[name] for name, is_argument, _ in _bindings() if is_argument}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel and how an operator fills it."""

    name: str
    #: Type of the value, or of the elements: `wp.float32`, `wp.vec3`.
    dtype: Any
    #: Dimensions of an array; 0 for a value.
    ndim: int
    binding: Binding
    #: STAND: whose array. ABSENT: whose extents.
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
    """A framework's constructors of arrays, next to an array `near` or on the default device."""

    def zeros(self, shape: Shape, scalar: str, near: Any) -> Any:
        """An array of zeros."""

    def copy(self, array: Any) -> Any:
        """A copy without gaps between elements."""

    def readable(self, array: Any, inner: int) -> Any:
        """The array, or a copy of it if the last `inner` dimensions have gaps."""

    def shape(self, array: Any) -> Shape:
        """The shape."""

    def place(self, array: Any) -> tuple[int, int] | None:
        """The number of the GPU that the array is on, and the framework's current stream there; None elsewhere."""


class Where(enum.Enum):
    """What an argument of a derivative is, seen from the operator that was differentiated."""

    ARGUMENT = "one of its arguments"
    RESULT = "one of its results"
    GRADIENT = "the gradient of one of its results"
