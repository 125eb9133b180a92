"""Traced Python functions as jax programs.

A trace is a list of launches, fills and copies, and of the memories that these name. Replaying it, each memory
has a value of jax's, and each step makes new ones: a launch is a call of the kernel's operator, in which what the
kernel writes is an output or a changed copy. XLA makes that happen in place. Derivatives, batches and sharding follow
from the steps.
"""

from __future__ import annotations

import dataclasses
import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from warp import _warp
from warp._jax.host import Captured
from warp._jax.lowering import Call, dtype_of
from warp._jax.modes import JaxModulePreloadMode
from warp._jax.primitive import bind
from warp._operator import Binding, Operator, Parameter
from warp._warp import Kernel, _digest, _merge_kernel, _parameters, _reads, _trace, _Traced, _writes


class Traced(_Traced):
    """A value that jax computes, while a function is traced. It can be passed to launches, and nothing else."""

    __slots__ = ()


def _ends(self: Traced, *_: Any) -> Any:
    self._end()


for _name in (
    "float int index complex bool len iter hash str repr format neg pos abs invert round eq ne lt le gt ge getitem "
    "call getattr add sub mul truediv floordiv mod divmod pow matmul lshift rshift and or xor radd rsub rmul rtruediv "
    "rfloordiv rmod rdivmod rpow rmatmul rlshift rrshift rand ror rxor"
).split():
    setattr(Traced, f"__{_name}__", _ends)


@dataclass(frozen=True)
class Memory:
    """Memory that steps name."""

    #: Type of the elements: `wp.float32`, `wp.vec3`.
    dtype: Any
    #: Elements per dimension.
    dims: tuple[int, ...]
    #: What it holds before the first step, unless that is given or zero; an array from outside is asked each time.
    content: bytes | Captured | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape for jax."""
        return (*self.dims, *self.dtype._elem.shape)

    def start(self) -> Any:
        """The value before the first step; None for zeros."""
        if self.content is None:
            return None
        if isinstance(self.content, Captured):
            return self.content.read()
        flat = np.frombuffer(self.content, dtype=dtype_of(self.dtype._elem.scalar))
        if not flat.view(np.uint8).any():
            return None
        items = flat.reshape(math.prod(self.dims), -1)
        if (items.view(np.uint8) == items[:1].view(np.uint8)).all():
            return jnp.broadcast_to(jnp.asarray(items[0].reshape(self.dtype._elem.shape)), self.shape)
        return jnp.asarray(flat.reshape(self.shape))


@dataclass(frozen=True)
class Trace:
    """What a function does for arguments of certain shapes, or why that cannot be told."""

    memories: tuple[Memory, ...] = ()
    steps: tuple[Any, ...] = ()
    why: str | None = None


def trace(title: str, function: Callable[[list[Any]], Any], given: Sequence[tuple[Memory, bool]]) -> Trace:
    """Run a function on arrays that stand for others: memories, and whether they must not be written."""
    made, steps, why = _trace(title, function, [(m.dtype, list(m.dims), read_only) for m, read_only in given])
    if made is None or steps is None:
        return Trace(why=why)
    if not jax.config.jax_enable_x64 and any(dtype._elem.scalar.endswith("64") for dtype, _, _ in made):
        return Trace(why="jax has 64-bit types only with jax_enable_x64")
    memories = [m for m, _ in given] + [_memory(*m) for m in made]
    return Trace(tuple(memories), tuple(_merged(*step) if step[0] == "launch" else step for step in steps))


def _memory(dtype: Any, dims: tuple[int, ...], content: Any) -> Memory:
    memory = Memory(dtype, dims, content)
    if isinstance(content, _warp.array):
        captured = Captured(content, jax.ShapeDtypeStruct(memory.shape, dtype_of(dtype._elem.scalar)))
        return dataclasses.replace(memory, content=captured)
    return memory


def _merged(name: str, kernel: Kernel, dims: tuple[int, ...], arguments: list[tuple[Any, ...]], block_dim: int) -> Any:
    """A launch in which arrays that are given twice, and written, are one parameter."""
    writes = _writes(kernel)
    of: dict[tuple[Any, ...], list[int]] = {}
    for i, argument in enumerate(arguments):
        if argument[0] == "array":
            of.setdefault(argument, []).append(i)
    stands = list(range(len(arguments)))
    for places in of.values():
        if any(writes[i] for i in places):
            for i in places[1:]:
                stands[i] = places[0]
    if stands == list(range(len(arguments))):
        return name, kernel, dims, arguments, block_dim
    replaced = [a if stands[i] == i else ("stand", stands[i]) for i, a in enumerate(arguments)]
    return name, _merge_kernel(kernel, stands), dims, replaced, block_dim


def replay(
    traced: Trace,
    arrays: Sequence[Any],
    values: Sequence[Any],
    method: str | None,
    effect: bool = False,
    preload: JaxModulePreloadMode = JaxModulePreloadMode.CURRENT_DEVICE,
) -> list[Any]:
    """Do what was traced: `arrays` are the given memories' values, None for zeros; returns those afterwards."""
    state = [*arrays, *(m.start() for m in traced.memories[len(arrays) :])]
    for step in traced.steps:
        match step:
            case ("launch", kernel, dims, arguments, block_dim):
                _launch(traced, state, kernel, dims, arguments, block_dim, values, method, effect, preload)
            case ("fill", place, element):
                _fill(traced, state, place, element)
            case ("copy", to, source):
                _put(traced, state, to, _get(traced, state, source))
    return [_whole(m, v) for m, v in zip(traced.memories[: len(arrays)], state, strict=False)]


def _whole(memory: Memory, value: Any) -> Any:
    return jnp.zeros(memory.shape, dtype_of(memory.dtype._elem.scalar)) if value is None else value


# Launches

_operators: dict[tuple[str, str], Operator] = {}
_lock = threading.Lock()

_LETTERS = {Binding.VALUE: "v", Binding.READ: "i", Binding.INOUT: "m", Binding.OUT: "o"}


def _operator(kernel: Kernel, bindings: Sequence[Binding], likes: Sequence[int | None]) -> Operator:
    """The operator of a kernel whose parameters are filled so; equal ones are one object, for jax's caches."""
    letters = (_LETTERS[f] if like is None else f"s{like}" for f, like in zip(bindings, likes, strict=True))
    key = (_digest(kernel), "".join(letters))
    with _lock:
        found = _operators.get(key)
        if found is None:
            parameters = tuple(
                Parameter(name, dtype, ndim, binding, like)
                for (name, dtype, ndim), binding, like in zip(_parameters(kernel, True), bindings, likes, strict=True)
            )
            found = _operators[key] = Operator(f"{kernel.__name__}_{key[0][:16]}_r{key[1]}", kernel, parameters)
    return found


def _launch(
    traced: Trace,
    state: list[Any],
    kernel: Kernel,
    dims: tuple[int, ...],
    arguments: Sequence[tuple[Any, ...]],
    block_dim: int,
    values: Sequence[Any],
    method: str | None,
    effect: bool,
    preload: JaxModulePreloadMode,
) -> None:
    reads, writes = _reads(kernel), _writes(kernel)
    bindings, statics, arrays, extents = [], [], [], []
    likes: list[int | None] = [None] * len(arguments)
    for i, argument in enumerate(arguments):
        match argument:
            case ("value", content):
                bindings.append(Binding.VALUE)
                statics.append((i, content))
            case ("given", k):
                bindings.append(Binding.VALUE)
                arrays.append(values[k])
            case ("stand", like):
                bindings.append(Binding.STAND)
                likes[i] = like
            case ("array", memory, *_) if writes[i] and state[memory] is None and _is_whole(traced, argument):
                bindings.append(Binding.OUT)
                extents += argument[3]
            case _:
                looks = reads[i] or writes[i]
                bindings.append(Binding.INOUT if writes[i] else Binding.READ)
                arrays.append(_get(traced, state, argument) if looks else _zeros(argument))
    op = _operator(kernel, bindings, likes)
    outputs = tuple(extents) if op.outputs else None
    call = Call(op, tuple(statics), dims, outputs, method, effect=effect, block_dim=block_dim, preload=preload)
    for i, made in zip(op.results, bind(call, arrays), strict=True):
        _put(traced, state, arguments[i], made)


def _zeros(place: tuple[Any, ...]) -> Any:
    """An array whose content is not read."""
    shape, dtype = (place[3], place[5]) if place[0] == "array" else place[1:]
    return jnp.zeros((*shape, *dtype._elem.shape), dtype_of(dtype._elem.scalar))


# Arrays in memories: where they are is ("array", memory, offset, shape, strides, dtype), with offset and strides in
# bytes, or ("empty", shape, dtype).


def _is_whole(traced: Trace, place: tuple[Any, ...]) -> bool:
    memory = traced.memories[place[1]]
    return place[3] == memory.dims and place[5] is memory.dtype and _is_dense(place) and place[2] == 0


def _is_dense(place: tuple[Any, ...]) -> bool:
    _, _, _, shape, strides, dtype = place
    step = _size_of(dtype)
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent != 1 and stride != step:
            return False
        step *= extent
    return True


def _size_of(dtype: Any) -> int:
    size: int = math.prod(dtype._elem.shape) * dtype_of(dtype._elem.scalar).itemsize
    return size


def _shape_of(place: tuple[Any, ...]) -> tuple[int, ...]:
    return (*place[3], *place[5]._elem.shape)


def _span(place: tuple[Any, ...]) -> tuple[int, int]:
    """First scalar and number of scalars of a dense array."""
    return place[2] // dtype_of(place[5]._elem.scalar).itemsize, math.prod(_shape_of(place))


def _indices(place: tuple[Any, ...]) -> Any:
    """For each scalar of an array, where it is among those of its memory."""
    _, _, offset, _, strides, dtype = place
    size = dtype_of(dtype._elem.scalar).itemsize
    inner = dtype._elem.shape
    steps = [s // size for s in strides] + [math.prod(inner[d + 1 :]) for d in range(len(inner))]
    shape = _shape_of(place)
    at = jnp.full(shape, offset // size, dtype=jnp.int32)
    for d, step in enumerate(steps):
        at += step * jax.lax.broadcasted_iota(jnp.int32, shape, d)
    return at


def _get(traced: Trace, state: list[Any], place: tuple[Any, ...]) -> Any:
    if place[0] == "empty":
        return _zeros(place)
    memory = traced.memories[place[1]]
    value = state[place[1]]
    if value is None:
        return _zeros(place)
    if _is_whole(traced, place):
        return value
    flat = value.reshape(-1)
    if not _is_dense(place):
        return flat[_indices(place)]
    start, count = _span(place)
    if count != math.prod(memory.shape):
        flat = jax.lax.slice_in_dim(flat, start, start + count)
    return flat.reshape(_shape_of(place))


def _put(traced: Trace, state: list[Any], place: tuple[Any, ...], made: Any) -> None:
    if place[0] == "empty":
        return
    memory = traced.memories[place[1]]
    if _is_whole(traced, place):
        state[place[1]] = made
        return
    flat = _whole(memory, state[place[1]]).reshape(-1)
    if not _is_dense(place):
        flat = flat.at[_indices(place)].set(made, unique_indices=True)
    else:
        start, count = _span(place)
        new = made.reshape(-1)
        flat = new if count == flat.size else flat.at[start : start + count].set(new)
    state[place[1]] = flat.reshape(memory.shape)


def _fill(traced: Trace, state: list[Any], place: tuple[Any, ...], element: bytes) -> None:
    if place[0] == "empty":
        return
    if _is_whole(traced, place) and not any(element):
        state[place[1]] = None
        return
    dtype = place[5]
    one = np.frombuffer(element, dtype=dtype_of(dtype._elem.scalar)).reshape(dtype._elem.shape)
    _put(traced, state, place, jnp.broadcast_to(jnp.asarray(one), _shape_of(place)))
