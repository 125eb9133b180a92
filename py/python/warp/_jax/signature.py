"""The parameters of a Python function as those of an operator: what `jax_callable` checks calls against."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from warp import _warp
from warp._operator import Binding, Operator, Parameter, call


class Signature(Operator):
    """The parameters of a function, with an operator's rules for shapes."""

    @property
    def title(self) -> str:
        """How messages name the function."""
        return f"function '{self.name}'"


def signature(
    func: Callable[..., Any], annotations: list[tuple[str, Any]], num_outputs: int, in_out_argnames: Sequence[str]
) -> Signature:
    """The signature of a function whose inputs come before its outputs.

    Raises:
        TypeError: An annotation is missing or names no type for jax, or an output is not an array.
        ValueError: `num_outputs` or a name does not fit the function.
    """
    name = func.__name__
    place = f"jax_callable: function '{name}'"
    names = [n for n, _ in annotations]
    inout = set(call.check_names(place, "in_out_argnames", in_out_argnames, names))
    least = max(1, len(inout))
    if not call.is_integer(num_outputs) or not least <= num_outputs:
        hint = " (those of in_out_argnames are outputs too)" if len(inout) > 1 else ""
        raise ValueError(f"{place}: num_outputs is {num_outputs!r}, expected at least {least}{hint}")
    first = len(names) - (num_outputs - len(inout))
    if first < 0:
        raise ValueError(f"{place} has {len(names)} parameters, so that there cannot be {num_outputs} outputs")
    parameters = []
    for i, (n, annotation) in enumerate(annotations):
        dtype, ndim = _type_of(f"{place}: parameter '{n}'", n, annotation)
        if not ndim and (i >= first or n in inout):
            raise TypeError(f"{place}: output '{n}' is not an array; outputs are the last parameters")
        if i >= first and n in inout:
            raise ValueError(f"{place}: '{n}' is in in_out_argnames, but outputs follow it only; lower num_outputs")
        binding = (
            Binding.OUT if i >= first else Binding.INOUT if n in inout else Binding.READ if ndim else Binding.VALUE
        )
        parameters.append(Parameter(n, dtype, ndim, binding))
    leader = next((i for i, p in enumerate(parameters) if p.binding in (Binding.READ, Binding.INOUT)), None)
    item = None if leader is None else tuple((leader, d) for d in range(parameters[leader].ndim))
    return Signature(name, func, tuple(parameters), item=item)  # type: ignore[arg-type]


def _type_of(place: str, name: str, annotation: Any) -> tuple[Any, int]:
    """The dtype and the number of dimensions (0 for a value) that an annotation names."""
    if annotation is None:
        text = (
            f"{place} has no annotation; write its type as in kernels, as in `{name}: float` or "
            f"`{name}: wp.array(dtype=float)`"
        )
        raise _warp._error("Argument", text)
    if isinstance(annotation, str):
        raise TypeError(f"{place}: the annotation {annotation!r} cannot be evaluated")
    ndim = annotation.ndim if isinstance(annotation, _warp.array) else 0
    try:
        dtype = annotation.dtype if ndim else _warp.array(dtype=annotation).dtype
    except TypeError:
        text = f"{place}: the annotation is {annotation!r}, expected a scalar, vector, matrix or array type of Warp's"
        raise _warp._error("Argument", text) from None
    if dtype._elem.kind == "struct":
        raise TypeError(f"{place} is a struct or an array of them, which jax does not have; take its fields instead")
    return dtype, ndim
