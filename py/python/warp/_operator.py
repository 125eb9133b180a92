"""Kernels as functions without side effects: what `torch_kernel` and its like in other frameworks share.

A kernel writes into arrays that it is given; an operator of a framework takes arrays and returns new ones. An
:class:`Operator` says how each parameter of a kernel is filled for that: with an argument, with a copy of one, with
new memory that is returned. Its derivative is an operator again, on the kernel's adjoint, and so is its version for
batches: derivatives of any order, of batches too, follow from two rules, `derive` and `batch`.

Nothing here knows a framework: shapes are tuples, and :class:`Memory` makes arrays.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from warp._operator_derived import Derivative, batch, derive
from warp._operator_parts import ARGUMENTS, RESULTS, Extent, Fill, Memory, Parameter, Shape, Where
from warp._warp import Kernel, _lift_kernel, _prints, _run

__all__ = ["Derivative", "Extent", "Fill", "Memory", "Operator", "Parameter", "Shape", "Where"]

_MAX_NDIM = 4


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
    _made: dict[Any, Any] = dataclasses.field(default_factory=dict, repr=False)

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

    # Derivatives

    @functools.cached_property
    def differentiable(self) -> tuple[int, ...]:
        """The arguments, as parameters, that have gradients."""
        return tuple(i for i in self.arguments if self.parameters[i].is_differentiable)

    def derive(self, wanted: Sequence[int]) -> Derivative:
        """The operator for the gradients of the arguments `wanted`, given as parameters.

        Raises:
            RuntimeError, TypeError: There is no gradient; the message says why.
        """
        key = ("derive", tuple(wanted))
        if key not in self._made:
            self._made[key] = derive(self, set(wanted))
        made: Derivative = self._made[key]
        return made

    # Values with gradients

    def lift(self, values: Sequence[int]) -> Operator:
        """The operator whose parameters `values`, which are values, are arrays of one element instead."""
        key = ("lift", tuple(values))
        if key not in self._made:
            marked = [i in values for i in range(len(self.parameters))]
            parameters = tuple(
                dataclasses.replace(p, ndim=1, fill=Fill.READ) if m else p
                for m, p in zip(marked, self.parameters, strict=True)
            )
            self._made[key] = dataclasses.replace(
                self,
                name=f"{self.name}_l{'_'.join(map(str, values))}",
                kernel=_lift_kernel(self.kernel, marked),
                parameters=parameters,
                _made={},
            )
        made: Operator = self._made[key]
        return made

    # Batches

    def batch(self, batched: Sequence[int], given: int | None) -> Operator | None:
        """The operator for a batch of arguments, those of the parameters `batched`, which have the batch in front.

        Args:
            batched: At least one array argument; all that are copied (INOUT, WORK, CLEAR) are among them.
            given: Number of launch dimensions that the caller gives, if any.

        Returns:
            None if there would be more than four dimensions.
        """
        item = len(self.item or ()) if given is None else given
        if len(self.front) + item >= _MAX_NDIM:
            return None
        key = ("batch", tuple(batched))
        if key not in self._made:
            self._made[key] = batch(self, set(batched))
        made: Operator | None = self._made[key]
        return made

    @functools.cached_property
    def copied(self) -> tuple[int, ...]:
        """The arguments that need an array of their own for each item of a batch."""
        fills = (Fill.INOUT, Fill.WORK, Fill.CLEAR)
        return tuple(i for i in self.arguments if self.parameters[i].fill in fills)
