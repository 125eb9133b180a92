"""Operators as primitives of jax: evaluation, batches, derivatives.

There are two. `kernel_p` is an operator; `tangent_p` is its derivative along tangents, which is linear in these.
Reverse mode never evaluates `tangent_p`: its transpose is `kernel_p` of the adjoint's operator. Forward mode does, by
the adjoint of the adjoint. Both are differentiated and batched again by the same rules, to any order.

The batch of an operator is an operator on the kernel with a launch dimension more, or `lax.map` where there is none. A
value that jax computes is an argument without dimensions; where it has a gradient, or differs between the items of a
batch, `lift` makes an array of one element of it.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax._src import core, dispatch
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from warp._jax import lowering, sharding
from warp._jax.effect import Effect
from warp._jax.lowering import Call, result_types
from warp._jax.place import HOST, PLATFORMS, Place, gpus
from warp._operator import Binding, Derivative, Where, batch, derive, lift
from warp._warp import _error

kernel_p = Primitive("warp_kernel")
kernel_p.multiple_results = True
tangent_p = Primitive("warp_kernel_tangent")
tangent_p.multiple_results = True
# Rules for the partitioner are made where it is known which devices there are.
dispatch.prim_requires_devices_during_lowering.update((kernel_p, tangent_p))


def bind(call: Call, arrays: Sequence[Any]) -> list[Any]:
    """The results of a call; `arrays` is one for each of `call.dynamic`."""
    made: list[Any] = kernel_p.bind(*_alike(arrays), call=call)
    return made


def _varying(aval: Any) -> frozenset[Any]:
    """The mesh axes of a `jax.shard_map` around over which a value differs."""
    axes: frozenset[Any] = aval.mat.varying if hasattr(aval, "mat") else getattr(aval, "vma", frozenset())
    return axes


def _alike(arrays: Sequence[Any]) -> list[Any]:
    """The arrays, all differing over the same mesh axes: gradients of those that did not are summed over them."""
    over = [_varying(jax.typeof(a)) for a in arrays]
    every = frozenset[Any]().union(*over)
    return [_vary(a, tuple(every - own)) if every - own else a for a, own in zip(arrays, over, strict=True)]


def _vary(array: Any, axes: tuple[Any, ...]) -> Any:
    if hasattr(jax.lax, "pcast"):
        return jax.lax.pcast(array, axes, to="varying")
    return jax.lax.pvary(array, axes)  # before jax 0.8


def _avals(types: Sequence[jax.ShapeDtypeStruct], operands: Sequence[Any]) -> list[Any]:
    """Abstract values of results: they differ over the mesh axes over which the operands do."""
    made = [jax.core.ShapedArray(t.shape, t.dtype) for t in types]
    if not operands or not _varying(operands[0]):
        return made
    if hasattr(operands[0], "manual_axis_type"):
        mesh = core.get_cur_mesh_sharding()
        return [a.update(sharding=mesh, manual_axis_type=operands[0].manual_axis_type) for a in made]
    return [a.update(vma=operands[0].vma) for a in made]


# The operator


#: That a kernel prints, or has another effect, as its caller says.
_printed = Effect("KernelPrint")


def _has_effect(call: Call) -> bool:
    return call.op.prints or call.effect


def _kernel_abstract(*arrays: Any, call: Call) -> tuple[list[Any], set[Any]]:
    return _avals(result_types(call, call.shapes(arrays)), arrays), {_printed} if _has_effect(call) else set()


kernel_p.def_effectful_abstract_eval(_kernel_abstract)


@functools.lru_cache(maxsize=4096)
def _compiled(primitive: Primitive, **params: Any) -> Any:
    return jax.jit(lambda *arrays: primitive.bind(*arrays, **params))


def _evaluate(primitive: Primitive, *arrays: Any, **params: Any) -> Any:
    """Outside `jax.jit`: compiled once for all calls that differ only in the content of arrays."""
    if jax.config.jax_disable_jit:
        with jax.disable_jit(False):
            return _compiled(primitive, **params)(*arrays)
    return _compiled(primitive, **params)(*arrays)


kernel_p.def_impl(functools.partial(_evaluate, kernel_p))


@functools.partial(mlir.lower_fun, multiple_results=True)
def _on_one(*arrays: Any, call: Call, place: Place) -> Any:
    call, arrays = _at(place, call, arrays)
    return lowering.lower(call, arrays, place, _has_effect(call))


@functools.partial(mlir.lower_fun, multiple_results=True)
def _on_several(*arrays: Any, call: Call, place: Place) -> Any:
    call, arrays = _at(place, call, arrays)
    return sharding.lower(call, arrays, place)


def _at(place: Place, call: Call, arrays: Sequence[Any]) -> tuple[Call, Any]:
    """The call as a place can take it: a value that jax computes lies on the GPU, where only the kernel can read it."""
    values = {i for i in call.dynamic if not call.op.parameters[i].is_array} if place.is_gpu else set()
    return _lifted(call, values, arrays)


def _kernel_lowering(ctx: Any, *arrays: Any, call: Call, gpu: bool) -> Any:
    context = ctx.module_context
    # Known in a plain `jax.jit`; under `jax.shard_map` and `jax.pmap` arrays are parts already, and a rule for the
    # partitioner cannot be exported.
    devices = getattr(context.axis_context, "device_assignment", None)
    several = devices is not None and len(devices) > 1 and not context.lowering_parameters.for_export
    place = gpus(call.preload, devices) if gpu else HOST
    return (_on_several if several else _on_one)(ctx, *arrays, call=call, place=place)


for _platform in PLATFORMS:
    mlir.register_lowering(kernel_p, functools.partial(_kernel_lowering, gpu=_platform == "cuda"), platform=_platform)


def _lifted(call: Call, lifted: set[int], arrays: Sequence[Any]) -> tuple[Call, list[Any]]:
    """The call with values as arrays of one element."""
    if not lifted:
        return call, list(arrays)
    op = lift(call.op, sorted(lifted))
    made = []
    for i, a in zip(call.dynamic, arrays, strict=True):
        inner = len(call.op.parameters[i].inner)
        made.append(jnp.expand_dims(a, jnp.ndim(a) - inner) if i in lifted else a)
    return dataclasses.replace(call, op=op), made


def _kernel_jvp(primals: Sequence[Any], tangents: Sequence[Any], *, call: Call) -> tuple[Any, Any]:
    moving = {i for i, t in zip(call.dynamic, tangents, strict=True) if not isinstance(t, ad.Zero)}
    lifted = {i for i in moving if not call.op.parameters[i].is_array}
    call, primals = _lifted(call, lifted, primals)
    tangents = [
        jnp.expand_dims(t, jnp.ndim(t) - len(call.op.parameters[i].inner)) if i in lifted else t
        for i, t in zip(call.dynamic, tangents, strict=True)
    ]
    results = bind(call, primals)
    op = call.op
    wanted = tuple(i for i in op.differentiable if i in moving)
    if not wanted:
        return results, [_zero(r) for r in results]
    given = [t for i, t in zip(call.dynamic, tangents, strict=True) if i in wanted]
    made = iter(tangent_p.bind(*_alike([*primals, *results, *given]), call=call, wanted=wanted))
    floats = [op.parameters[i].is_differentiable for i in op.results]
    return results, [next(made) if f else _zero(r) for f, r in zip(floats, results, strict=True)]


def _zero(value: Any) -> Any:
    return ad.Zero(jax.typeof(value).to_tangent_aval())


ad.primitive_jvps[kernel_p] = _kernel_jvp


def _front(array: Any, axis: int | None, size: int, wanted: bool) -> Any:
    """An array with the batch in front, if it has one or is to have one."""
    if axis is not None:
        return jnp.moveaxis(array, axis, 0)
    return jnp.broadcast_to(array, (size, *array.shape)) if wanted else array


def _size(arrays: Sequence[Any], axes: Sequence[int | None]) -> int:
    sizes = (a.shape[d] for a, d in zip(arrays, axes, strict=True) if d is not None)
    size: int = next(sizes)
    return size


def _kernel_batch(arrays: Sequence[Any], axes: Sequence[int | None], *, call: Call) -> tuple[Any, Any]:
    if call.method is None:
        raise NotImplementedError(
            f"{call.op.title} has no batches: it was made with vmap_method=None; give a method, such as 'broadcast_all'"
        )
    size = _size(arrays, axes)
    arrays = [_front(a, d, size, False) for a, d in zip(arrays, axes, strict=True)]
    rows = {i for i, d in zip(call.dynamic, axes, strict=True) if d is not None}
    call, arrays = _lifted(call, {i for i in rows if not call.op.parameters[i].is_array}, arrays)
    copied = [i for i in call.op.copied if i not in rows]
    arrays = [_front(a, None, size, i in copied) for i, a in zip(call.dynamic, arrays, strict=True)]
    rows.update(copied)
    whole = _whole(call, rows)
    if whole is not None:
        results = bind(whole, arrays)
    else:
        batched, unrolled = [i in rows for i in call.dynamic], call.method == "sequential_unrolled"
        results = _one_by_one(lambda *items: bind(call, items), arrays, batched, size if unrolled else None)
    return results, [0] * len(results)


def _whole(call: Call, rows: set[int]) -> Call | None:
    """The call for all items of a batch at once; None if there is none."""
    if call.method in ("sequential", "sequential_unrolled"):
        return None
    op = batch(call.op, sorted(rows), None if call.launch is None else len(call.launch))
    return None if op is None else dataclasses.replace(call, op=op)


def _one_by_one(
    function: Any, arrays: Sequence[Any], batched: Sequence[bool], unrolled: int | None = None
) -> list[Any]:
    """The results for one item of a batch after the other: in a loop, or `unrolled`, which is how many there are."""

    def one(items: Sequence[Any]) -> Any:
        rest = iter(items)
        return function(*(next(rest) if b else a for a, b in zip(arrays, batched, strict=True)))

    rows = [a for a, b in zip(arrays, batched, strict=True) if b]
    if unrolled:
        items = [one([a[k] for a in rows]) for k in range(unrolled)]
        return [jnp.stack(results) for results in zip(*items, strict=True)]
    made: list[Any] = jax.lax.map(one, rows)
    return made


batching.primitive_batchers[kernel_p] = _kernel_batch


# Its derivative along tangents


def _split(call: Call, operands: Sequence[Any]) -> tuple[dict[int, Any], dict[int, Any], list[Any]]:
    """Arguments and results by parameter, and tangents."""
    n, m = len(call.dynamic), len(call.op.results)
    arguments = dict(zip(call.dynamic, operands[:n], strict=True))
    results = dict(zip(call.op.results, operands[n : n + m], strict=True))
    return arguments, results, list(operands[n + m :])


def _differentiable_results(call: Call) -> list[int]:
    return [i for i in call.op.results if call.op.parameters[i].is_differentiable]


def _tangent_abstract(*operands: Any, call: Call, wanted: tuple[int, ...]) -> list[Any]:
    _, results, _ = _split(call, operands)
    types = [jax.ShapeDtypeStruct(results[i].shape, results[i].dtype) for i in _differentiable_results(call)]
    return _avals(types, operands)


tangent_p.def_abstract_eval(_tangent_abstract)


def _derived(call: Call, derivative: Derivative) -> Call:
    """The call of a derivative: values have the same places, and the launch is the same as far as threads differ."""
    launch = None if call.launch is None else tuple(derivative.launch(call.launch) or ())
    return dataclasses.replace(call, op=derivative.operator, launch=launch, outputs=None, effect=False)


def _derivative(call: Call, wanted: tuple[int, ...], arguments: Mapping[int, Any]) -> Derivative:
    """The derivative, once it is needed: what is only followed by `jax.lax.stop_gradient` needs none."""
    if not call.differentiable:
        text = (
            f"{call.op.title} has no gradient: jax_kernel was called with enable_backward=False, the default; "
            "give enable_backward=True to differentiate it"
        )
        raise _error("Mismatch", text)
    made = derive(call.op, wanted)
    if made.most is not None:
        shapes = {i: tuple(a.shape) for i, a in arguments.items() if call.op.parameters[i].is_array}
        made.check(call.op, call.op.dims(shapes, call.launch))
    return made


def _reverse(call: Call, wanted: tuple[int, ...], arguments: Any, results: Any, seeds: Any) -> dict[int, Any]:
    """Gradients of the arguments `wanted`, by parameter."""
    derivative = _derivative(call, wanted, arguments)
    derived = _derived(call, derivative)
    sources = dict(zip(derivative.operator.arguments, derivative.sources, strict=True))
    of = {Where.ARGUMENT: arguments, Where.RESULT: results, Where.GRADIENT: seeds}
    operands = [of[sources[i][0]][sources[i][1]] for i in derived.dynamic]
    return dict(zip(derivative.gradients, bind(derived, operands), strict=True))


def _push(*given: Any, call: Call, wanted: tuple[int, ...]) -> list[Any]:
    """Tangents of the results. Reverse mode is linear in the gradients that it is given, so that its derivative
    in these is forward mode; where that is taken makes no difference."""
    arguments, results, tangents = _split(call, given)
    back = _derivative(call, wanted, arguments)
    place = dict(zip(back.operator.arguments, back.sources, strict=True))
    seeds = {a: i for a, (where, i) in place.items() if where is Where.GRADIENT}
    push = derive(back.operator, sorted(seeds))
    derived = dataclasses.replace(_derived(call, back), op=push.operator)
    along = dict(zip(wanted, tangents, strict=True))
    tangent_of = dict(zip(back.operator.results, (along[i] for i in back.gradients), strict=True))

    def value(a: int) -> Any:
        where, i = place[a]
        if where is Where.ARGUMENT:
            return arguments[i]
        return results[i] if where is Where.RESULT else jnp.zeros_like(results[i])

    sources = dict(zip(push.operator.arguments, push.sources, strict=True))
    operands = []
    for a in derived.dynamic:
        where, i = sources[a]
        operands.append(tangent_of[i] if where is Where.GRADIENT else value(i))
    made = bind(derived, operands)
    by_result = {seeds[a]: t for a, t in zip(push.gradients, made, strict=True)}
    return [by_result[i] if i in by_result else jnp.zeros_like(results[i]) for i in _differentiable_results(call)]


tangent_p.def_impl(functools.partial(_evaluate, tangent_p))
mlir.register_lowering(tangent_p, mlir.lower_fun(_push, multiple_results=True))


def _tangent_jvp(primals: Sequence[Any], tangents: Sequence[Any], **params: Any) -> tuple[Any, Any]:
    tangents = [ad.instantiate_zeros(t) if isinstance(t, ad.Zero) else t for t in tangents]
    made: tuple[Any, Any] = jax.jvp(functools.partial(_push, **params), tuple(primals), tuple(tangents))
    return made


ad.primitive_jvps[tangent_p] = _tangent_jvp


def _tangent_transpose(seeds: Sequence[Any], *operands: Any, call: Call, wanted: tuple[int, ...]) -> list[Any]:
    arguments, results, tangents = _split(call, operands)
    assert all(ad.is_undefined_primal(t) for t in tangents)
    of = dict(zip(_differentiable_results(call), seeds, strict=True))
    given = {
        i: jnp.zeros_like(results[i]) if i not in of or isinstance(of[i], ad.Zero) else of[i] for i in call.op.results
    }
    made = _reverse(call, wanted, arguments, results, given)
    return [None] * (len(arguments) + len(results)) + [made[i] for i in wanted]


ad.primitive_transposes[tangent_p] = _tangent_transpose


def _tangent_batch(
    operands: Sequence[Any], axes: Sequence[int | None], *, call: Call, wanted: tuple[int, ...]
) -> tuple[Any, Any]:
    n = len(call.dynamic)
    if all(d is None for d in axes[:n]):
        # A basis of tangents at one point: the point is not copied.
        made = jax.vmap(functools.partial(_push, call=call, wanted=wanted), in_axes=tuple(axes))(*operands)
        return made, [0] * len(made)
    size = _size(operands, axes)
    lifted = {
        i
        for i, d in zip(call.dynamic, axes[:n], strict=True)
        if d is not None and call.op.parameters[i].binding is Binding.VALUE
    }
    rows = {i for i, d in zip(call.dynamic, axes[:n], strict=True) if d is not None}
    rows.update(wanted, call.op.copied)
    fronts = [i in rows for i in call.dynamic] + [True] * (len(operands) - n)
    arrays = [_front(a, d, size, f) for a, d, f in zip(operands, axes, fronts, strict=True)]
    call, primals = _lifted(call, lifted, arrays[:n])
    arrays[:n] = primals
    whole = _whole(call, rows)
    if whole is not None:
        made = tangent_p.bind(*arrays, call=whole, wanted=wanted)
    else:
        made = _one_by_one(lambda *items: tangent_p.bind(*items, call=call, wanted=wanted), arrays, fronts)
    return made, [0] * len(made)


batching.primitive_batchers[tangent_p] = _tangent_batch
