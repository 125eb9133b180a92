"""A kernel as a function from arrays to new arrays: what it takes, what it returns, how it runs."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from warp._operator.parts import ARGUMENTS, RESULTS, Extent, Fill, Memory, Parameter, Shape
from warp._warp import Kernel, _prints, _run


@dataclass(frozen=True, eq=False)
class Operator:
    """A kernel as a function from arrays to new arrays."""

    #: Stable across processes, different for what differs.
    name: str
    kernel: Kernel
    parameters: tuple[Parameter, ...]
    #: Launch dimensions in front: batches.
    front: tuple[Extent, ...] = ()
    #: The other launch dimensions, unless the caller gives them; None if there is nothing to take them from.
    item: tuple[Extent, ...] | None = None
    #: One launch for each item of a batch.
    sequential: bool = False
    #: Operators made of this one, by what was asked for: `derived` keeps them here.
    made: dict[Any, Any] = dataclasses.field(default_factory=dict, repr=False)

    @functools.cached_property
    def arguments(self) -> tuple[int, ...]:
        """The parameters that the caller fills."""
        return tuple(i for i, p in enumerate(self.parameters) if p.fill in ARGUMENTS)

    @functools.cached_property
    def results(self) -> tuple[int, ...]:
        """The parameters that are returned."""
        return tuple(i for i, p in enumerate(self.parameters) if p.fill in RESULTS)

    @functools.cached_property
    def outputs(self) -> tuple[int, ...]:
        """The parameters whose extents the caller may give."""
        return tuple(i for i, p in enumerate(self.parameters) if p.fill is Fill.OUT and p.item is None)

    @functools.cached_property
    def prints(self) -> bool:
        """Whether running it prints."""
        return _prints(self.kernel)

    # Shapes

    def check(self, shapes: Mapping[int, Shape]) -> None:
        """Raise ValueError unless the shapes of the array arguments are those that the parameters want."""
        for i in self.arguments:
            p = self.parameters[i]
            if not p.is_array:
                continue
            shape, inner = tuple(shapes[i]), p.inner
            if len(shape) != p.ndim + len(inner) or (inner and tuple(shape[p.ndim :]) != inner):
                want = ", ".join(["n"] * p.ndim + [str(n) for n in inner])
                raise ValueError(
                    f"{self.title}: argument '{p.name}' has shape {shape}, expected {p.ndim + len(inner)} dimensions "
                    f"({want}{',' if p.ndim + len(inner) == 1 else ''}) for an array of {p.dtype.__name__}"
                )

    @property
    def title(self) -> str:
        """How messages name the operator."""
        return f"kernel '{self.kernel.key}'"

    def dims(self, shapes: Mapping[int, Shape], given: Sequence[Any] | None) -> Shape:
        """The launch dimensions. `given` are those of an item."""
        return (*self._extents(self.front, shapes), *self._item_dims(shapes, given))

    def _item_dims(self, shapes: Mapping[int, Shape], given: Sequence[Any] | None) -> Shape:
        if given is not None:
            return tuple(given)
        if self.item is None:
            raise ValueError(f"{self.title}: no input array says how many threads to launch; give launch_dims")
        return self._extents(self.item, shapes)

    def _extents(self, extents: tuple[Extent, ...], shapes: Mapping[int, Shape]) -> Shape:
        return tuple(self._shape(i, shapes)[d] for i, d in extents)

    def _shape(self, i: int, shapes: Mapping[int, Shape]) -> Shape:
        p = self.parameters[i]
        if p.fill is Fill.STAND:
            assert p.like is not None
            return self._shape(p.like, shapes)
        if i in shapes:
            return shapes[i]
        return self.shape(i, shapes, None, None)

    def shape(
        self, i: int, shapes: Mapping[int, Shape], launch: Sequence[Any] | None, outputs: Sequence[Any] | None
    ) -> Shape:
        """The shape that an array that the operator makes has for the framework.

        `outputs` holds the extents of all `outputs` one after the other; those of an item, without components.
        """
        p = self.parameters[i]
        front = self._extents(p.front, shapes)
        if p.item is not None:
            item = self._extents(p.item, shapes)
        elif outputs is not None:
            start = sum(self._given_ndim(j) for j in self.outputs if j < i)
            item = tuple(outputs[start : start + self._given_ndim(i)])
        else:
            item = self._item_dims(shapes, launch)
        if len(front) + len(item) != p.ndim:
            raise ValueError(
                f"{self.title}: output '{p.name}' has {p.ndim - len(front)} dimensions and the launch {len(item)} "
                f"{tuple(item)}; give output_dims"
            )
        return (*front, *item, *p.inner)

    def _given_ndim(self, i: int) -> int:
        return self.parameters[i].ndim - len(self.parameters[i].front)

    def result_shapes(
        self, shapes: Mapping[int, Shape], launch: Sequence[Any] | None, outputs: Sequence[Any] | None
    ) -> list[Shape]:
        """Shapes of the results; `shapes` are those of the array arguments, by parameter."""
        self.check(shapes)
        return [
            shapes[i] if self.parameters[i].fill is Fill.INOUT else self.shape(i, shapes, launch, outputs)
            for i in self.results
        ]

    # Running

    def run(
        self,
        arguments: Sequence[Any],
        launch: Sequence[int] | None,
        outputs: Sequence[int] | None,
        memory: Memory,
    ) -> list[Any]:
        """Run the kernel on `arguments`, one for each of `self.arguments`; returns the results."""
        given = dict(zip(self.arguments, arguments, strict=True))
        for i, argument in given.items():
            if argument is None:
                raise TypeError(f"{self.title}: argument '{self.parameters[i].name}' is None")
        shapes = {i: memory.shape(a) for i, a in given.items() if self.parameters[i].is_array}
        self.check(shapes)
        near = next((given[i] for i in shapes), None)
        filled: list[Any] = []
        for i, p in enumerate(self.parameters):
            filled.append(self._filled(i, p, given.get(i), shapes, launch, outputs, near, memory))
        for i, p in enumerate(self.parameters):
            if p.fill is Fill.STAND:
                assert p.like is not None
                filled[i] = filled[p.like]
        _run(self.kernel, self.dims(shapes, launch), tuple(filled))
        return [filled[i] for i in self.results]

    def _filled(
        self,
        i: int,
        p: Parameter,
        argument: Any,
        shapes: Mapping[int, Shape],
        launch: Sequence[int] | None,
        outputs: Sequence[int] | None,
        near: Any,
        memory: Memory,
    ) -> Any:
        match p.fill:
            case Fill.VALUE:
                return argument
            case Fill.READ:
                return memory.readable(argument, len(p.inner)) if p.inner else argument
            case Fill.INOUT | Fill.WORK:
                return memory.copy(argument)
            case Fill.CLEAR:
                return memory.zeros(shapes[i], p.scalar, near)
            case Fill.OUT | Fill.ZEROS:
                return memory.zeros(self.shape(i, shapes, launch, outputs), p.scalar, near)
            case _:
                return None

    # Derivatives and batches

    @functools.cached_property
    def differentiable(self) -> tuple[int, ...]:
        """The arguments, as parameters, that have gradients."""
        return tuple(i for i in self.arguments if self.parameters[i].is_differentiable)

    @functools.cached_property
    def copied(self) -> tuple[int, ...]:
        """The arguments that need an array of their own for each item of a batch."""
        fills = (Fill.INOUT, Fill.WORK, Fill.CLEAR)
        return tuple(i for i in self.arguments if self.parameters[i].fill in fills)
