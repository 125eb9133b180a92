"""Operators made of operators: the derivative, the one for batches, the one whose values have gradients.

Each is made once per operator and kept in its `made`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from warp._operator.operator import Operator
from warp._operator.parts import ARGUMENTS, Extent, Fill, Parameter, Where
from warp._warp import _adjoint_facts, _adjoint_kernel, _batch_kernel, _lift_kernel, _parameters

_MAX_NDIM = 4


@dataclass(frozen=True)
class Derivative:
    """An operator's derivative."""

    operator: Operator
    #: For each argument: what it is, and of which parameter.
    sources: tuple[tuple[Where, int], ...]
    #: For each result: the parameter whose gradient it is.
    gradients: tuple[int, ...]
    #: Which arguments, by place in `sources`, are looked at for their extents only.
    bare: frozenset[int] = frozenset()


def derive(op: Operator, wanted: Sequence[int]) -> Derivative:
    """The operator for the gradients of the arguments `wanted`, given as parameters.

    Raises:
        RuntimeError, TypeError: There is no gradient; the message says why.
    """
    key = ("derive", tuple(wanted))
    if key not in op.made:
        op.made[key] = _derive(op, set(wanted))
    made: Derivative = op.made[key]
    return made


def _derive(op: Operator, wanted: set[int]) -> Derivative:
    consume = [i for i, p in enumerate(op.parameters) if p.fill is Fill.INOUT and p.is_differentiable]
    facts = {f[0]: f[1:] for f in _adjoint_facts(op.kernel, consume)}
    kernel = _adjoint_kernel(op.kernel, consume)
    described = _parameters(kernel)
    parameters = list(op.parameters)
    adjoints: dict[int, Parameter] = {}
    sources: dict[int, tuple[Where, int]] = {}
    bare: set[int] = set()
    for i, p in enumerate(op.parameters):
        if not p.is_array:
            sources[i] = (Where.ARGUMENT, i)
            continue
        grad, data, written, extremum = facts[i]
        made, source = _primal(op, p, grad, data, extremum)
        parameters[i] = made
        if source is not None and made.fill in ARGUMENTS:
            sources[i] = (source, i)
            if data == "none" and made.fill is Fill.READ:
                bare.add(i)
        if grad is not None:
            name, dtype, ndim = described[grad]
            fill = _adjoint_fill(p.fill, i in wanted, written)
            whole = tuple((i, d) for d in range(ndim))
            like = i if fill is Fill.ABSENT else None
            adjoints[grad] = Parameter(name, dtype, ndim, fill, like=like, item=whole)
            if fill in ARGUMENTS:
                sources[grad] = (Where.GRADIENT, i)
    parameters += [adjoints[g] for g in sorted(adjoints)]
    suffix = "".join(str(int(i in wanted)) for i in op.differentiable)
    derived = dataclasses.replace(op, name=f"{op.name}_d{suffix}", kernel=kernel, parameters=tuple(parameters), made={})
    of = {g: i for i, (g, *_) in facts.items() if g is not None}
    return Derivative(
        derived,
        tuple(sources[i] for i in derived.arguments),
        tuple(of[i] for i in derived.results),
        frozenset(k for k, i in enumerate(derived.arguments) if i in bare),
    )


def _primal(op: Operator, p: Parameter, grad: int | None, data: str, extremum: bool) -> tuple[Parameter, Where | None]:
    """What a parameter of the kernel gets in its adjoint, and where that comes from."""
    before = data in ("before", "scratch")
    match p.fill:
        case Fill.OUT if grad is None:
            return _filled_as(p, Fill.CLEAR if before else Fill.READ), Where.RESULT
        case Fill.OUT if data == "after":
            return _filled_as(p, Fill.READ), Where.RESULT
        case Fill.OUT if before:
            whole = tuple((grad, d) for d in range(p.ndim)) if grad is not None else None
            return dataclasses.replace(p, fill=Fill.ZEROS, front=(), item=whole), None
        case Fill.OUT:
            return dataclasses.replace(_filled_as(p, Fill.STAND), like=grad), None
        case Fill.INOUT | Fill.WORK if data == "after":
            if extremum and grad is not None:
                raise RuntimeError(
                    f"{op.title} has no gradient: it takes minima or maxima with what '{p.name}' held before; "
                    "make it an output of the kernel, or enable_backward=False"
                )
            return _filled_as(p, Fill.READ), Where.RESULT
        case Fill.INOUT | Fill.WORK:
            return _filled_as(p, Fill.WORK if data == "scratch" else Fill.READ), Where.ARGUMENT
        case _:
            return p, Where.ARGUMENT


def _filled_as(p: Parameter, fill: Fill) -> Parameter:
    return dataclasses.replace(p, fill=fill, like=None, front=(), item=None)


def _adjoint_fill(fill: Fill, wanted: bool, written: bool) -> Fill:
    """How the gradient of a parameter that is filled so is filled."""
    match fill:
        case Fill.READ:
            return Fill.OUT if wanted else Fill.ABSENT
        case Fill.OUT:
            return Fill.WORK if written else Fill.READ
        case Fill.INOUT if wanted:
            return Fill.INOUT
        case Fill.INOUT:
            return Fill.WORK if written else Fill.READ
        case Fill.WORK:
            return Fill.OUT if wanted else Fill.ZEROS
        case Fill.ZEROS | Fill.CLEAR:
            return Fill.ZEROS
        case _:
            return Fill.ABSENT


def lift(op: Operator, values: Sequence[int]) -> Operator:
    """The operator whose parameters `values`, which are values, are arrays of one element instead."""
    key = ("lift", tuple(values))
    if key not in op.made:
        op.made[key] = _lift(op, values)
    made: Operator = op.made[key]
    return made


def _lift(op: Operator, values: Sequence[int]) -> Operator:
    marked = [i in values for i in range(len(op.parameters))]
    parameters = tuple(
        dataclasses.replace(p, ndim=1, fill=Fill.READ) if m else p for m, p in zip(marked, op.parameters, strict=True)
    )
    return dataclasses.replace(
        op,
        name=f"{op.name}_l{'_'.join(map(str, values))}",
        kernel=_lift_kernel(op.kernel, marked),
        parameters=parameters,
        made={},
    )


def batch(op: Operator, batched: Sequence[int], given: int | None) -> Operator | None:
    """The operator for a batch of arguments, those of the parameters `batched`, which have the batch in front.

    Args:
        op: The operator.
        batched: At least one array argument; all that are copied (INOUT, WORK, CLEAR) are among them.
        given: Number of launch dimensions that the caller gives, if any.

    Returns:
        None if there would be more than four dimensions.
    """
    item = len(op.item or ()) if given is None else given
    if len(op.front) + item >= _MAX_NDIM:
        return None
    key = ("batch", tuple(batched))
    if key not in op.made:
        op.made[key] = _batch(op, set(batched))
    made: Operator | None = op.made[key]
    return made


def _batch(op: Operator, batched: set[int]) -> Operator | None:
    items = set(batched)
    for i, p in enumerate(op.parameters):
        if p.fill in (Fill.OUT, Fill.ZEROS):
            items.add(i)
    for i, p in enumerate(op.parameters):
        if p.fill is Fill.STAND and p.like in items:
            items.add(i)
    kernel = _batch_kernel(op.kernel, [i in items for i in range(len(op.parameters))])
    if kernel is None:
        return None

    def moved(extents: tuple[Extent, ...]) -> tuple[Extent, ...]:
        return tuple((i, d + (i in items)) for i, d in extents)

    one = (min(batched), 0)
    parameters = []
    for i, p in enumerate(op.parameters):
        ndim = p.ndim + (i in items)
        if p.fill in (Fill.OUT, Fill.ZEROS):
            item = None if p.item is None else moved(p.item)
            p = dataclasses.replace(p, ndim=ndim, front=(one, *moved(p.front)), item=item)
        elif i in items:
            p = dataclasses.replace(p, ndim=ndim)
        parameters.append(p)
    suffix = "".join(str(int(i in batched)) for i in op.arguments if op.parameters[i].is_array)
    return dataclasses.replace(
        op,
        name=f"{op.name}_b{suffix}",
        kernel=kernel,
        parameters=tuple(parameters),
        front=(one, *moved(op.front)),
        item=None if op.item is None else moved(op.item),
        made={},
    )
