"""Operators over sharded arrays in a plain `jax.jit`: arrays stay where they are as far as no thread sees a difference.

What XLA does not know it runs on whole arrays, which it gathers first. Where a kernel may be cut along a launch
dimension (`_cuts`, from what its threads do), a rule tells that to the partitioner, and each device launches on a part.
The rule is tried on made-up extents before it is given away.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
from jax.experimental.custom_partitioning import ArrayMapping, SdyShardingRule, custom_partitioning
from jax.sharding import NamedSharding, PartitionSpec
from warp._jax import lowering
from warp._jax.lowering import Call, result_types
from warp._jax.place import Place
from warp._operator import Binding
from warp._warp import _cuts

#: For each dimension of an array the launch dimension along which both are cut; None: it stays whole.
Cut = tuple[int | None, ...]


@dataclass(frozen=True)
class Parts:
    """How a call may be cut into parts."""

    operands: tuple[Cut, ...]
    results: tuple[Cut, ...]
    #: Extents of the launch dimensions that may be cut.
    extents: Mapping[int, int]


def parts(call: Call, arrays: Sequence[Any]) -> Parts | None:
    """How the call may be cut into parts; None if it may not be."""
    op, shapes = call.op, call.shapes(arrays)
    launch = op.dims(shapes, call.launch)
    types = dict(zip(op.results, result_types(call, shapes), strict=True))
    every = {**{i: tuple(t.shape) for i, t in types.items()}, **shapes}
    if not all(isinstance(n, int) for shape in (launch, *every.values()) for n in shape):
        return None  # symbolic, of jax.export
    absent = [p.binding is Binding.ABSENT for p in op.parameters]
    cuts = [[None if d < 0 else d for d in dims] for dims in _cuts(op.kernel, absent)]
    whole = {
        d
        for i, shape in every.items()
        for d, n in zip(cuts[i], shape, strict=False)
        if d is not None and n != launch[d]
    }
    whole.update(d for d, (i, k) in enumerate(op.launch_sources(call.launch)) if isinstance(i, int) and cuts[i][k] != d)
    extents = {d: n for d, n in enumerate(launch) if d not in whole and any(d in cut for cut in cuts)}

    def cut(i: int) -> Cut:
        own = tuple(d if d in extents else None for d in cuts[i])
        return own + (None,) * len(op.parameters[i].inner)

    made = Parts(tuple(cut(i) for i in call.dynamic), tuple(cut(i) for i in op.results), extents)
    return made if extents and _is_right(call, made, shapes, every) else None


def _is_right(call: Call, made: Parts, shapes: Mapping[int, Any], every: Mapping[int, Any]) -> bool:
    """Whether parts give parts: tried with extents that nothing else has."""
    op = call.op
    extents = {d: 1_000_003 + d for d in made.extents}
    cut = {**dict(zip(op.results, made.results, strict=True)), **dict(zip(call.dynamic, made.operands, strict=True))}

    def small(i: int) -> tuple[Any, ...]:
        return tuple(n if d is None else extents[d] for n, d in zip(every[i], cut[i], strict=True))

    try:
        part = part_of(call, made, extents, every)
        arguments = {i: small(i) for i in shapes}
        got = [tuple(t.shape) for t in result_types(part, arguments)]
        launch = op.dims(arguments, part.launch)
    except ValueError:
        return False
    return got == [small(i) for i in op.results] and all(launch[d] == n for d, n in extents.items())


def part_of(call: Call, made: Parts, extents: Mapping[int, int], every: Mapping[int, Any]) -> Call:
    """The call on a part in which the launch dimensions have these extents."""
    op, front = call.op, len(call.op.front)
    launch = call.launch
    if launch is not None:
        launch = tuple(extents.get(front + d, n) for d, n in enumerate(launch))
    cut = dict(zip(op.results, made.results, strict=True))
    flat: list[Any] = []
    for i in op.outputs:
        p = op.parameters[i]
        pairs = list(zip(every[i], cut[i], strict=True))[len(p.front) : p.ndim]
        flat += [n if d is None else extents.get(d, n) for n, d in pairs]
    return dataclasses.replace(call, launch=launch, outputs=tuple(flat) if flat else call.outputs)


def lower(call: Call, arrays: Sequence[Any], place: Place) -> list[Any]:
    """The call in terms of XLA, with a rule for the partitioner if there is one."""
    made = parts(call, arrays)
    if made is None:
        return lowering.lower(call, arrays, place)
    types = result_types(call, call.shapes(arrays))
    every = {**call.shapes(arrays), **{i: tuple(t.shape) for i, t in zip(call.op.results, types, strict=True)}}

    def partition(mesh: Any, arguments: Any, results: Any) -> tuple[Any, Callable[..., Any], Any, Any]:
        given, wanted = [a.sharding for a in arguments], [r.sharding for r in results]
        axes = _axes(made, given, wanted)
        if axes is None:
            return mesh, lambda *a: tuple(lowering.lower(call, a, place)), _whole(wanted), _whole(given)
        shards = {d: _size(mesh, axis) for d, axis in axes.items()}
        extents = {d: n // shards.get(d, 1) for d, n in made.extents.items()}
        part = part_of(call, made, extents, every)
        return (
            mesh,
            lambda *a: tuple(lowering.lower(part, a, place)),
            _shardings(mesh, axes, made.results),
            _shardings(mesh, axes, made.operands),
        )

    def infer(mesh: Any, arguments: Any, _results: Any) -> Any:
        axes = _axes(made, [a.sharding for a in arguments], [])
        return _shardings(mesh, axes or {}, made.results)

    function = custom_partitioning(lambda *a: tuple(lowering.lower(call, a, place)))
    # Before jax 0.7 sharding was spread by GSPMD, which asks a function.
    rule = _rule(made) if jax.config.jax_use_shardy_partitioner else None
    function.def_partition(partition, infer_sharding_from_operands=infer, sharding_rule=rule)
    return list(function(*arrays))


def _axes(made: Parts, given: Sequence[Any], wanted: Sequence[Any]) -> dict[int, Any] | None:
    """The mesh axes over which each launch dimension is cut; None where shardings do not name axes."""
    axes: dict[int, Any] = {}
    used: set[str] = set()
    pairs = (*zip(made.results, wanted, strict=False), *zip(made.operands, given, strict=False))
    for cut, sharding in pairs:
        if not isinstance(sharding, NamedSharding):
            return None
        for d, axis in zip(cut, sharding.spec, strict=False):
            names = {axis} if isinstance(axis, str) else set(axis or ())
            if d is None or d in axes or not names or names & used:
                continue
            # Parts that are not all of one size XLA fills up with what must not be computed with.
            if made.extents[d] % _size(sharding.mesh, axis) == 0:
                axes[d] = axis
                used |= names
    return axes


def _size(mesh: Any, axis: Any) -> int:
    size = 1
    for name in (axis,) if isinstance(axis, str) else axis:
        size *= mesh.shape[name]
    return size


def _shardings(mesh: Any, axes: Mapping[int, Any], cuts: Sequence[Cut]) -> tuple[Any, ...]:
    return tuple(NamedSharding(mesh, PartitionSpec(*(None if d is None else axes.get(d) for d in cut))) for cut in cuts)


def _whole(shardings: Sequence[Any]) -> tuple[Any, ...]:
    """Whole arrays on every device."""
    return tuple(
        NamedSharding(s.mesh, PartitionSpec())
        if isinstance(s, NamedSharding)
        else type(s).get_replicated(s._device_assignment)
        for s in shardings
    )


def _rule(made: Parts) -> SdyShardingRule:
    """The same for the partitioner: dimensions with one name are cut alike, those with their own names not at all."""
    alone: list[str] = []

    def named(cut: Cut) -> ArrayMapping:
        names = []
        for d in cut:
            if d is None:
                alone.append(f"w{len(alone)}")
            names.append(alone[-1] if d is None else f"t{d}")
        return ArrayMapping(*names)

    operands = tuple(named(cut) for cut in made.operands)
    results = tuple(named(cut) for cut in made.results)
    return SdyShardingRule(operands, results, need_replication_factors=tuple(alone))
