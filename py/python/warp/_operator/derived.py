"""Operators made of operators: the derivative, the one for batches, the one whose values have gradients.

Each is made once per operator and kept in its `made`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from warp._operator.operator import Operator
from warp._operator.parts import ARGUMENTS, Binding, Extent, Parameter, Shape, Where
from warp._warp import _adjoint_facts, _adjoint_kernel, _batch_kernel, _lift_kernel, _parameters, _reads, _writes

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
    #: How many launch dimensions of an item it has; None: those that the operator has.
    dims: int | None = None
    #: After how many launch dimensions, those of batches too, an extent other than 1 is refused; None: after none.
    most: int | None = None

    def launch(self, given: Sequence[Any] | None) -> Sequence[Any] | None:
        """The launch dimensions of an item of the derivative, where those of the operator are `given`."""
        return given if given is None or self.dims is None else given[: self.dims]

    def check(self, op: Operator, dims: Shape) -> None:
        """Refuse launch dimensions of `op` whose threads repeat each other.

        Raises:
            RuntimeError: They do, and what they write depends on how often.
        """
        if self.most is not None and any(n != 1 for n in dims[self.most :]):
            own = self.most - len(op.front)
            indices = "one index" if own == 1 else f"{own or 'no'} indices"
            raise RuntimeError(
                f"{op.title} has no gradient here: it takes {indices} of wp.tid(), and is launched with the dimensions "
                f"{dims[len(op.front) :]}, so that several threads write each element of what it also reads or adds "
                "to; give launch_dims"
            )


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
    consume = [i for i, p in enumerate(op.parameters) if p.binding is Binding.INOUT and p.is_differentiable]
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
        if source is not None and made.binding in ARGUMENTS:
            sources[i] = (source, i)
            if data == "none" and made.binding is Binding.READ:
                bare.add(i)
        if grad is not None:
            name, dtype, ndim = described[grad]
            binding = _adjoint_binding(p.binding, i in wanted, written)
            whole = tuple((i, d) for d in range(ndim))
            like = i if binding is Binding.ABSENT else None
            adjoints[grad] = Parameter(name, dtype, ndim, binding, like=like, item=whole)
            if binding in ARGUMENTS:
                sources[grad] = (Where.GRADIENT, i)
    parameters += [adjoints[g] for g in sorted(adjoints)]
    suffix = "".join(str(int(i in wanted)) for i in op.differentiable)
    derived = dataclasses.replace(op, name=f"{op.name}_d{suffix}", kernel=kernel, parameters=tuple(parameters), made={})
    of = {g: i for i, (g, *_) in facts.items() if g is not None}
    dims, most = _repeated(op)
    if dims is not None and op.item is not None:
        derived = dataclasses.replace(derived, item=op.item[:dims], made={})
    return Derivative(
        derived,
        tuple(sources[i] for i in derived.arguments),
        tuple(of[i] for i in derived.results),
        frozenset(k for k, i in enumerate(derived.arguments) if i in bare),
        dims,
        most,
    )


def _repeated(op: Operator) -> tuple[int | None, int | None]:
    """`Derivative.dims` and `Derivative.most` of an operator.

    Threads along dimensions that the kernel takes no index of do the same. What they add counts as often as they are;
    of what they write, only once. Where a kernel does nothing else, one of them stands for all.
    """
    indices = _indices(op)
    if indices == _MAX_NDIM:
        return None, None
    floats = [i for i, p in enumerate(op.parameters) if p.is_differentiable]
    results = [i for i in floats if op.parameters[i].binding in (Binding.OUT, Binding.INOUT)]
    # The adjoint writes the gradients of what the kernel writes, and only reads those of what it adds to.
    stores = {i for i, _, _, written, _ in _adjoint_facts(op.kernel, results) if written and i in results}
    if not stores:
        return None, None
    reads, changed = _reads(op.kernel), [i for i, w in enumerate(_writes(op.kernel)) if w]
    own = indices - len(op.front)
    if own > 0 and not any(reads[i] or (i in floats and i not in stores) for i in changed):
        return own, None
    return None, indices


def _indices(op: Operator) -> int:
    """How many launch indices the kernel takes: there is room for that many less of batches."""
    kernel, left = op.kernel, 0
    nothing = [False] * len(op.parameters)
    while left < _MAX_NDIM:
        batched = _batch_kernel(kernel, nothing)
        if batched is None:
            break
        kernel, left = batched, left + 1
    return _MAX_NDIM - left


def _primal(op: Operator, p: Parameter, grad: int | None, data: str, extremum: bool) -> tuple[Parameter, Where | None]:
    """What a parameter of the kernel gets in its adjoint, and where that comes from."""
    before = data in ("before", "scratch")
    match p.binding:
        case Binding.OUT if grad is None:
            return _bound_as(p, Binding.CLEAR if before else Binding.READ), Where.RESULT
        case Binding.OUT if data == "after":
            return _bound_as(p, Binding.READ), Where.RESULT
        case Binding.OUT if before:
            whole = tuple((grad, d) for d in range(p.ndim)) if grad is not None else None
            return dataclasses.replace(p, binding=Binding.ZEROS, front=(), item=whole), None
        case Binding.OUT:
            return dataclasses.replace(_bound_as(p, Binding.STAND), like=grad), None
        case Binding.INOUT | Binding.WORK if data == "after":
            if extremum and grad is not None:
                raise RuntimeError(
                    f"{op.title} has no gradient: it takes minima or maxima with what '{p.name}' held before; "
                    "make it an output of the kernel, or enable_backward=False"
                )
            return _bound_as(p, Binding.READ), Where.RESULT
        case Binding.INOUT | Binding.WORK:
            return _bound_as(p, Binding.WORK if data == "scratch" else Binding.READ), Where.ARGUMENT
        case Binding.READ if data == "scratch":
            return _bound_as(p, Binding.WORK), Where.ARGUMENT
        case _:
            return p, Where.ARGUMENT


def _bound_as(p: Parameter, binding: Binding) -> Parameter:
    return dataclasses.replace(p, binding=binding, like=None, front=(), item=None)


def _adjoint_binding(binding: Binding, wanted: bool, written: bool) -> Binding:
    """How the gradient of a parameter that is filled so is filled."""
    match binding:
        case Binding.READ:
            return Binding.OUT if wanted else Binding.ABSENT
        case Binding.OUT:
            return Binding.WORK if written else Binding.READ
        case Binding.INOUT if wanted:
            return Binding.INOUT
        case Binding.INOUT:
            return Binding.WORK if written else Binding.READ
        case Binding.WORK:
            return Binding.OUT if wanted else Binding.ZEROS
        case Binding.ZEROS | Binding.CLEAR:
            return Binding.ZEROS
        case _:
            return Binding.ABSENT


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
        dataclasses.replace(p, ndim=1, binding=Binding.READ) if m else p
        for m, p in zip(marked, op.parameters, strict=True)
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
        if p.binding in (Binding.OUT, Binding.ZEROS):
            items.add(i)
    for i, p in enumerate(op.parameters):
        if p.binding is Binding.STAND and p.like in items:
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
        if p.binding in (Binding.OUT, Binding.ZEROS):
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
