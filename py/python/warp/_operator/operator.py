"""A kernel as a function from arrays to new arrays: what it takes, what it returns, how it runs."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from warp._operator.parts import Extent, Memory, Parameter, Shape, Source, Supply
from warp._warp import Kernel, _OperatorRules, _prints, _run_operator

#: The largest extent of an array.
MAX_EXTENT = 2**31 - 1


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
    def rules(self) -> _OperatorRules:
        """How parameters are filled: `warp_core::operator`."""
        return _OperatorRules(self.title, self.parameters, self.front, self.item)

    @functools.cached_property
    def arguments(self) -> tuple[int, ...]:
        """The parameters that the caller fills."""
        return self.rules.arguments

    @functools.cached_property
    def results(self) -> tuple[int, ...]:
        """The parameters that are returned."""
        return self.rules.results

    @functools.cached_property
    def outputs(self) -> tuple[int, ...]:
        """The parameters whose extents the caller may give."""
        return self.rules.outputs

    @functools.cached_property
    def prints(self) -> bool:
        """Whether running it prints."""
        return _prints(self.kernel)

    @property
    def title(self) -> str:
        """How messages name the operator."""
        return f"kernel '{self.kernel.__name__}'"

    # Shapes. `shapes` are those of the array arguments, by parameter; `launch` are the launch dimensions of an item and
    # `outputs` the extents of all outputs one after the other, without those of elements, where the caller gives them.

    def check(self, shapes: Mapping[int, Shape]) -> None:
        """Raise ValueError unless the shapes of the array arguments are those that the parameters want."""
        for i in self.arguments:
            if self.parameters[i].is_array:
                self.rules.check_shape(i, tuple(shapes[i]))

    def launch_sources(self, launch: Sequence[Any] | None) -> tuple[Source, ...]:
        """Where the launch dimensions come from."""
        key = _count(launch)
        found = self._launches.get(key)
        if found is None:
            found = self._launches[key] = self.rules.launch(key)
        return found

    def supplies(self, launch: Sequence[Any] | None, outputs: Sequence[Any] | None) -> tuple[Supply, ...]:
        """What each parameter gets."""
        key = _count(launch), _count(outputs)
        found = self._supplies.get(key)
        if found is None:
            found = self._supplies[key] = self.rules.supplies(*key)
        return found

    @functools.cached_property
    def _launches(self) -> dict[int | None, tuple[Source, ...]]:
        return {}

    @functools.cached_property
    def _supplies(self) -> dict[tuple[int | None, int | None], tuple[Supply, ...]]:
        return {}

    def dims(self, shapes: Mapping[int, Shape], launch: Sequence[Any] | None) -> Shape:
        """The launch dimensions."""
        return _extents(self.launch_sources(launch), shapes, launch, None)

    def shape(
        self, i: int, shapes: Mapping[int, Shape], launch: Sequence[Any] | None, outputs: Sequence[Any] | None
    ) -> Shape:
        """The shape for the framework of the array that a parameter gets, if it gets one of its own."""
        kind, extents = self.supplies(launch, outputs)[i]
        if kind != "new":
            return shapes[i]
        return (*_extents(extents, shapes, launch, outputs), *self.parameters[i].inner)

    def result_shapes(
        self, shapes: Mapping[int, Shape], launch: Sequence[Any] | None, outputs: Sequence[Any] | None
    ) -> list[Shape]:
        """The shapes of the results.

        Raises:
            ValueError: The shapes of the array arguments are others than the parameters want, or too large.
        """
        self.check(shapes)
        made = [self.shape(i, shapes, launch, outputs) for i in self.results]
        for i, shape in (*shapes.items(), *zip(self.results, made, strict=True)):
            # Not of symbolic ones.
            if any(type(n) is int and n > MAX_EXTENT for n in shape):
                raise ValueError(
                    f"{self.title}: '{self.parameters[i].name}' has shape {tuple(shape)}, expected extents up to "
                    f"{MAX_EXTENT}"
                )
        return made

    # Running

    def run(
        self,
        arguments: Sequence[Any],
        launch: Sequence[int] | None,
        outputs: Sequence[int] | None,
        memory: Memory,
    ) -> list[Any]:
        """Run the kernel on `arguments`, one for each of `self.arguments`; returns the results."""
        made: list[Any] = _run_operator(self.rules, self.kernel, arguments, launch, outputs, memory)
        return made

    # Derivatives and batches

    @functools.cached_property
    def differentiable(self) -> tuple[int, ...]:
        """The arguments, as parameters, that have gradients."""
        return tuple(i for i in self.arguments if self.parameters[i].is_differentiable)

    @functools.cached_property
    def copied(self) -> tuple[int, ...]:
        """The arguments that need an array of their own for each item of a batch."""
        return self.rules.copied


def _count(given: Sequence[Any] | None) -> int | None:
    return None if given is None else len(given)


def _extents(
    sources: Sequence[Source], shapes: Mapping[int, Shape], launch: Sequence[Any] | None, outputs: Sequence[Any] | None
) -> Shape:
    lists: dict[int | str, Any] = {"launch": launch, "outputs": outputs}
    lists.update(shapes.items())
    return tuple(lists[where][at] for where, at in sources)
