"""A kernel or function with its arguments: what is evaluated, again and again, at other inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import warp as wp
from warp import _warp

Mask = Sequence[tuple[str | int, str | int]] | None


@dataclass
class FunctionMetadata:
    """How a kernel or function and its arguments are called in messages and plots.

    Attributes:
        key: The name.
        input_labels: A name for each input.
        output_labels: A name for each output.
    """

    key: str
    input_labels: list[str] = field(default_factory=list)
    output_labels: list[str] = field(default_factory=list)


def numbers(array: _warp.array) -> np.ndarray[Any, Any]:
    """A copy of an array's numbers in a row, in double precision."""
    return np.array(array.numpy(), dtype=np.float64, order="C").reshape(-1)


def is_differentiable(value: Any) -> bool:
    """Whether it is an array of floats, or vectors and the like of them, that asks for a gradient."""
    return isinstance(value, _warp.array) and value.requires_grad and value.dtype._elem.kind != "struct"


class Call:
    """What is differentiated. ``inputs`` are the arguments that :meth:`run` uses, whose content may be changed."""

    metadata: FunctionMetadata
    inputs: list[Any]

    def run(self, record: bool) -> list[_warp.array]:
        """The outputs at what the inputs hold, which the call may overwrite.

        Args:
            record: Whether a tape in force is to record it.
        """
        raise NotImplementedError

    def restore(self) -> None:
        """Put back what the inputs held at first."""
        raise NotImplementedError

    @contextmanager
    def borrowed(self) -> Iterator[None]:
        """What is done within leaves the inputs and their gradients as they were."""
        yield


class KernelCall(Call):
    """A launch, on copies of its arguments: each counts as an array of its own."""

    def __init__(
        self,
        kernel: _warp.Kernel,
        dim: Any,
        inputs: Sequence[Any],
        outputs: Sequence[Any] | None,
        options: dict[str, Any],
    ) -> None:
        names = list(kernel.func.__code__.co_varnames[: kernel.func.__code__.co_argcount])
        if dim is None:
            raise TypeError(f"kernel '{kernel.__name__}': dim is missing: over how many threads is it launched?")
        if not outputs:
            raise ValueError(f"kernel '{kernel.__name__}': outputs are missing: the arrays that follow its inputs")
        if len(inputs) + len(outputs) != len(names):
            raise TypeError(
                f"kernel '{kernel.__name__}' has {len(names)} parameters; "
                f"{len(inputs)} inputs and {len(outputs)} outputs were given"
            )
        count = len(inputs)
        self.metadata = FunctionMetadata(kernel.__name__, names[:count], names[count:])
        self._launch = {"kernel": kernel, "dim": dim, **options}
        self._first = list(inputs)
        self._outputs = list(outputs)
        self.inputs = [_copy(value) for value in inputs]

    def run(self, record: bool) -> list[_warp.array]:
        outputs = [_copy(value) for value in self._outputs]
        if record:
            # A tape would pass over a kernel that has no gradient.
            _warp._adjoint_facts(self._launch["kernel"], [])
        wp.launch(**self._launch, inputs=self.inputs, outputs=outputs, record_tape=record)
        return outputs

    def restore(self) -> None:
        for own, first in zip(self.inputs, self._first, strict=True):
            if isinstance(own, _warp.array):
                wp.copy(own, first)


class FunctionCall(Call):
    """A Python function, on the arrays that were given: it may reach them by other names, too."""

    def __init__(self, function: Callable[..., Any], inputs: Sequence[Any], restore: bool) -> None:
        name = getattr(function, "__name__", type(function).__name__)
        self.metadata = FunctionMetadata(name, _labels(function, len(inputs)), [])
        self._function = function
        self.inputs = list(inputs)
        arrays = [value for value in inputs if isinstance(value, _warp.array)]
        self._first = [(array, wp.clone(array)) for array in arrays] if restore else []

    def run(self, record: bool) -> list[_warp.array]:
        found = self._function(*self.inputs)
        outputs = list(found) if isinstance(found, list | tuple) else [found]
        for output in outputs:
            if not isinstance(output, _warp.array):
                raise TypeError(
                    f"function '{self.metadata.key}' returned {type(output).__name__}, expected an array or several"
                )
        self.metadata.output_labels = [f"output_{index}" for index in range(len(outputs))]
        return outputs

    def restore(self) -> None:
        for array, first in self._first:
            wp.copy(array, first)

    @contextmanager
    def borrowed(self) -> Iterator[None]:
        gradients = [value.grad for value in self.inputs if is_differentiable(value)]
        before = [(gradient, wp.clone(gradient)) for gradient in gradients]
        try:
            yield
        finally:
            self.restore()
            for gradient, content in before:
                wp.copy(gradient, content)


def _copy(value: Any) -> Any:
    return wp.clone(value, requires_grad=value.requires_grad) if isinstance(value, _warp.array) else value


def _labels(function: Callable[..., Any], count: int) -> list[str]:
    """Names for the arguments of a function: those of its parameters, as far as it has any."""
    import inspect

    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    named = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [named[index] if index < len(named) else f"input_{index}" for index in range(count)]


def call_of(
    function: Any, dim: Any, inputs: Sequence[Any] | None, outputs: Sequence[Any] | None, restore: bool, **options: Any
) -> Call:
    """The call of a kernel or function.

    Raises:
        TypeError: ``function`` is neither; arguments are missing or too many.
        ValueError: ``inputs`` are missing; so are the outputs of a kernel.
    """
    if isinstance(function, _warp.Kernel):
        if inputs is None:
            raise ValueError(f"kernel '{function.__name__}': inputs are missing")
        given = {name: value for name, value in options.items() if value is not None}
        return KernelCall(function, dim, inputs, outputs, given)
    if not callable(function):
        raise TypeError(f"expected a kernel or a function, found {type(function).__name__}")
    if inputs is None:
        raise ValueError(f"function '{getattr(function, '__name__', function)}': inputs are missing")
    return FunctionCall(function, inputs, restore)


def pairs_of(call: Call, outputs: Sequence[_warp.array], mask: Mask) -> list[tuple[int, int]]:
    """Which outputs are differentiated with respect to which inputs, by index.

    Raises:
        ValueError: The mask names an input or output that does not exist.
    """
    every = [
        (i, o)
        for i, value in enumerate(call.inputs)
        if is_differentiable(value)
        for o, output in enumerate(outputs)
        if is_differentiable(output)
    ]
    if mask is None:
        return every
    labels = call.metadata
    wanted = {
        (
            _index(name, labels.input_labels, len(call.inputs), "input"),
            _index(to, labels.output_labels, len(outputs), "output"),
        )
        for name, to in mask
    }
    return [pair for pair in every if pair in wanted]


def _index(name: str | int, labels: list[str], count: int, kind: str) -> int:
    if isinstance(name, str):
        if name in labels:
            return labels.index(name)
        raise ValueError(f"input_output_mask: there is no {kind} '{name}'; there are {', '.join(labels) or 'none'}")
    if 0 <= name < count:
        return name
    raise ValueError(f"input_output_mask: there is no {kind} {name}; there are {count}")
