"""Operators as calls of XLA's foreign function interface: which buffers a call has, and what its attributes say."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from warp._jax.modes import JaxModulePreloadMode
from warp._jax.place import Place
from warp._operator import Operator, Shape
from warp._warp import _jax_gpu_handler, _jax_handler, _jax_launches_alone, _jax_lower, _jax_register

#: What XLA calls. Programs that jax keeps between processes name it.
TARGET = "warp_kernel"
#: The same for launches on GPUs that XLA must not make a part of its own graphs ("command buffers").
TARGET_ALONE = "warp_kernel_alone"

jax.ffi.register_ffi_target(TARGET, _jax_handler(), platform="cpu")
for _target, _captured in ((TARGET, True), (TARGET_ALONE, False)):
    _handler = _jax_gpu_handler(_captured)
    # It loads kernels before XLA captures anything.
    jax.ffi.register_ffi_target(_target, {"initialize": _handler, "execute": _handler}, platform="CUDA")


@dataclass(frozen=True)
class Call:
    """Everything about a call of an operator but its arrays."""

    op: Operator
    #: Values that are known when jax traces: the parameter and its bytes.
    statics: tuple[tuple[int, bytes], ...] = ()
    #: Launch dimensions of an item, if they are given.
    launch: tuple[int, ...] | None = None
    #: Extents of the outputs, one after the other, if they are given.
    outputs: tuple[Any, ...] | None = None
    #: What `jax.vmap` does: one of the names that `jax_kernel` takes.
    method: str | None = "broadcast_all"
    #: Whether there are gradients.
    differentiable: bool = True
    #: Whether it does more than to give results, as the caller says.
    effect: bool = False
    #: Threads of a block on a GPU; 0 leaves it to the kernel.
    block_dim: int = 0
    #: For which GPUs the kernel is loaded beforehand.
    preload: JaxModulePreloadMode = JaxModulePreloadMode.CURRENT_DEVICE

    def __repr__(self) -> str:
        return self.op.name

    @property
    def dynamic(self) -> tuple[int, ...]:
        """The parameters that are filled with arrays, or with values in arrays without dimensions."""
        static = {i for i, _ in self.statics}
        return tuple(i for i in self.op.arguments if i not in static)

    def shapes(self, arrays: Sequence[Any]) -> dict[int, Shape]:
        """The shapes of the array arguments, by parameter; `arrays` is one for each of `dynamic`."""
        pairs = zip(self.dynamic, arrays, strict=True)
        return {i: tuple(a.shape) for i, a in pairs if self.op.parameters[i].is_array}


def dtype_of(scalar: str) -> Any:
    """The NumPy dtype of a scalar type by name."""
    return jnp.dtype(getattr(jnp, "bool_" if scalar == "bool" else scalar))


def result_types(call: Call, shapes: Mapping[int, Shape]) -> list[jax.ShapeDtypeStruct]:
    """Shapes and types of the results."""
    op = call.op
    made = op.result_shapes(shapes, call.launch, call.outputs)
    return [_struct(op, i, shape) for i, shape in zip(op.results, made, strict=True)]


def _struct(op: Operator, i: int, shape: Shape) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, dtype_of(op.parameters[i].scalar))


def lower(call: Call, arrays: Sequence[Any], place: Place, prints: bool = False) -> list[Any]:
    """The call in terms of XLA; `arrays` is one for each of `call.dynamic`. On GPUs none of them may be a value.

    What prints is neither dropped nor shared. XLA runs such calls on one of several devices only, unless they are
    parts already, so that the partitioner is not told.
    """
    op, shapes = call.op, call.shapes(arrays)
    op.check(shapes)
    numbers, values, results, aliases = _jax_lower(
        op.rules,
        call.launch,
        None if call.outputs is None else len(call.outputs),
        dict(call.statics),
        call.block_dim,
    )
    types = [_struct(op, i, op.shape(i, shapes, call.launch, call.outputs)) for i in results]
    key, plan = _jax_register(op.kernel, place.devices), np.array(numbers, dtype=np.int32)
    # Without a layout XLA would be free to hand over arrays in column-major order: the default asks for rows.
    target = TARGET_ALONE if place.is_gpu and _jax_launches_alone(op.kernel) else TARGET
    called = jax.ffi.ffi_call(target, types, input_output_aliases=aliases, has_side_effect=prints)(
        *arrays,
        call=call_name(key, plan),
        key=key,
        kernel=op.kernel.__name__,
        plan=plan,
        values=np.frombuffer(values, dtype=np.uint8),
    )
    return list(called[: len(op.results)])


def call_name(key: str, plan: Any) -> str:
    """A digest of a kernel's key and a plan: by this alone the handler knows calls that it has seen before."""
    return hashlib.sha256(key.encode() + plan.tobytes()).hexdigest()[: len(key)]
