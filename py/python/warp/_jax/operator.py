"""`jax_kernel`: kernels as functions of jax. Imported when it is first asked for, so that jax may be missing.

Outside of `jax.jit` one jitted function per kernel serves all calls. A kernel that prints has an effect, so that jax
neither drops nor repeats it.
"""

from __future__ import annotations

import dataclasses
import operator as _python
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax._src.array import ArrayImpl
from warp._jax.lowering import Call, dtype_of
from warp._jax.modes import JaxModulePreloadMode
from warp._jax.once import dims_key, once
from warp._jax.place import HOST, has_gpus
from warp._jax.primitive import bind
from warp._operator import Operator, Parameter
from warp._operator import call as operator_call
from warp._operator.operator import MAX_EXTENT
from warp._warp import Kernel, _current, _error, _jax_register, _parameters, _reads, _value_bytes, _writes

_VMAP_METHODS = ("broadcast_all", "expand_dims", "sequential", "sequential_unrolled", "legacy_vectorized")
_MAX_NDIM = 4

# Equal operators are one object, so that jax finds what it compiled for another one.
_operators: dict[str, Operator] = {}
_lock = threading.Lock()


class JaxKernel:
    """A kernel as a function of jax arrays: what :func:`jax_kernel` returns."""

    def __init__(
        self,
        kernel: Kernel,
        num_outputs: int | None,
        vmap_method: str | None,
        launch_dims: Any,
        output_dims: Any,
        in_out_argnames: Sequence[str],
        enable_backward: bool,
        has_side_effect: bool,
        block_dim: int | None,
        module_preload_mode: JaxModulePreloadMode,
    ) -> None:
        self._kernel = kernel
        self._count = num_outputs
        self._method = _method(vmap_method)
        self._launch = launch_dims
        self._outputs = output_dims
        self._inout = in_out_argnames
        self._differentiable = enable_backward
        self._effect = has_side_effect
        self._block_dim = block_dim or 0
        self._preload = module_preload_mode
        self._by_count: dict[int, Operator] = {}
        self.__name__ = kernel.__name__
        self.__qualname__ = kernel.__name__
        self.__doc__ = kernel.__doc__
        # Programs that were compiled elsewhere may name it before it is called here. Where there are GPUs it is known
        # only when a program is compiled, or run, for which device that is.
        _jax_register(kernel, () if has_gpus() else HOST.devices)
        if num_outputs is not None:
            self._operator_for(num_outputs)
        self._kinds = [_kind(dtype, ndim) for _, dtype, ndim in _parameters(kernel)]
        self._jitted = jax.jit(lambda *args: self._traced(args, {}, None, None, None))

    @property
    def kernel(self) -> Kernel:
        """The kernel."""
        return self._kernel

    def __deepcopy__(self, memo: Any) -> JaxKernel:
        return self  # nothing in it changes

    def __repr__(self) -> str:
        return f"<jax function of {self._kernel!r}>"

    def __call__(
        self,
        *args: Any,
        launch_dims: Any = None,
        output_dims: Any = None,
        vmap_method: str | None = None,
        **kwargs: Any,
    ) -> list[Any]:
        if args and not kwargs and launch_dims is None and output_dims is None and vmap_method is None:
            # Outside transformations: one program for all values. Inside, numbers are known and need no buffer.
            for value, kind in zip(args, self._kinds, strict=False):
                if type(value) is not kind:
                    break
            else:
                made: list[Any] = self._jitted(*args)
                return made
        return self._traced(args, kwargs, launch_dims, output_dims, vmap_method)

    def _operator_for(self, count: int) -> Operator:
        """The operator with this many outputs."""
        found = self._by_count.get(count)
        if found is None:
            made = operator_call.operator(
                self._kernel,
                what="jax_kernel",
                num_outputs=count,
                in_out_argnames=self._inout,
                enable_backward=self._differentiable,
            )
            with _lock:
                found = _operators.setdefault(made.name, made)
            self._by_count[count] = found
        return found

    def _called_with(self, given: int) -> Operator:
        """The operator for a call with this many arguments: what is not passed is an output."""
        if self._count is not None:
            return self._operator_for(self._count)
        names = [name for name, _, _ in _parameters(self._kernel)]
        rest = len(names) - given
        op = self._operator_for(max(rest, 0) + len(self._inout)) if rest > 0 or self._inout else None
        if op is None:
            text = (
                f"jax_kernel: kernel '{self._kernel.__name__}' has the parameters {', '.join(names)}, and all of them "
                "were given: its last ones are outputs, which are made and returned"
            )
            raise _error("Mismatch", text)
        reads, writes = _reads(self._kernel), _writes(self._kernel)
        for i in op.outputs:
            if reads[i] and not writes[i]:
                text = (
                    f"jax_kernel: kernel '{self._kernel.__name__}' reads '{names[i]}' and does not write it, so that "
                    f"it is an input, but only {given} inputs were given"
                )
                raise _error("Mismatch", text)
        return op

    def _traced(
        self,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        launch_dims: Any,
        output_dims: Any,
        vmap_method: str | None,
    ) -> list[Any]:
        op = self._called_with(len(args) + len(kwargs))
        given = operator_call.bind(op, "jax_kernel", args, kwargs)
        statics, arrays = [], []
        for i, value in zip(op.arguments, given, strict=True):
            p = op.parameters[i]
            if p.is_array:
                arrays.append(_array(op, p, value))
            elif isinstance(value, jax.Array):
                arrays.append(_dynamic(op, p, value))
            else:
                statics.append((i, _value_bytes(self._kernel, i, value)))
        launch = _dims(op, "launch_dims", self._launch if launch_dims is None else launch_dims)
        method = self._method if vmap_method is None else _method(vmap_method)
        call = Call(
            op,
            tuple(statics),
            launch,
            None,
            method,
            self._differentiable,
            self._effect,
            self._block_dim,
            self._preload,
        )
        shapes = call.shapes(arrays)
        op.check(shapes)
        outputs = self._outputs if output_dims is None else output_dims
        if outputs is not None:
            flat = operator_call.output_extents(op, outputs, lambda: op.dims(shapes, launch))
            call = dataclasses.replace(call, outputs=flat and _checked(op, "output_dims", flat))
        else:
            op.dims(shapes, launch)
        return bind(call, arrays)


def _kind(dtype: Any, ndim: int) -> type | None:
    """What may be passed to a jitted function for a parameter without losing any of it."""
    kinds: dict[str, type] = {"float32": float, "int32": int, "bool": bool}
    if ndim:
        array: type = ArrayImpl
        return array
    return None if dtype._elem.shape else kinds.get(dtype._elem.scalar)


def _array(op: Operator, p: Parameter, value: Any) -> Any:
    if not hasattr(value, "dtype") or not hasattr(value, "shape"):
        raise TypeError(f"{op.title}: argument '{p.name}' is {type(value).__name__}, expected a jax array")
    want = dtype_of(p.scalar)
    if value.dtype != want:
        hint = ""
        if p.scalar.endswith("64") and not jax.config.jax_enable_x64:
            hint = '; jax has 64-bit types only with jax.config.update("jax_enable_x64", True)'
        raise TypeError(f"{op.title}: argument '{p.name}' holds {value.dtype}, expected {p.scalar}{hint}")
    return jnp.asarray(value)


def _dynamic(op: Operator, p: Parameter, value: Any) -> Any:
    """A value that jax computes: an array without dimensions, or with those of a vector or matrix."""
    if tuple(value.shape) != p.inner:
        raise ValueError(f"{op.title}: argument '{p.name}' has shape {tuple(value.shape)}, expected {p.inner}")
    want = dtype_of(p.scalar)
    if value.dtype == want:
        return value
    # A number of Python's becomes what it is used as, as in jax itself; a fraction becomes no integer.
    fits = jnp.issubdtype(want, jnp.floating) or not jnp.issubdtype(value.dtype, jnp.floating)
    wide = p.scalar.endswith("64") and not jax.config.jax_enable_x64
    if wide or not value.aval.weak_type or not fits:
        hint = '; it needs jax.config.update("jax_enable_x64", True), or a value known when tracing' if wide else ""
        raise TypeError(f"{op.title}: argument '{p.name}' is a {value.dtype}, expected a {p.scalar}{hint}")
    return jax.lax.convert_element_type(value, want)


def _dims(op: Operator, what: str, value: Any) -> tuple[int, ...] | None:
    dims = operator_call.extents(value, f"{op.title}: {what}")
    if dims is None:
        return None
    if not 1 <= len(dims) <= _MAX_NDIM:
        raise ValueError(f"{op.title}: {what} is {dims}, expected 1 to {_MAX_NDIM} dimensions")
    return tuple(_python.index(n) for n in _checked(op, what, dims))


def _checked(op: Operator, what: str, dims: tuple[Any, ...]) -> tuple[Any, ...]:
    for n in dims:
        if not hasattr(n, "__index__"):
            continue  # a symbolic one, of jax.export
        if not 0 <= _python.index(n) <= MAX_EXTENT:
            raise ValueError(f"{op.title}: {what} is {dims}, expected extents from 0 to {MAX_EXTENT}")
    return tuple(_python.index(n) if hasattr(n, "__index__") else n for n in dims)


def _method(name: str | None, what: str = "jax_kernel") -> str | None:
    if name is not None and name not in _VMAP_METHODS:
        raise ValueError(f"{what}: vmap_method is {name!r}, expected None or one of {', '.join(_VMAP_METHODS)}")
    return name


def _preload(mode: Any, what: str) -> None:
    if mode not in list(JaxModulePreloadMode):
        expected = ", ".join(str(m) for m in JaxModulePreloadMode)
        raise ValueError(f"{what}: module_preload_mode is {mode!r}, expected one of {expected}")


def jax_kernel(
    kernel: Kernel,
    num_outputs: int | None = None,
    vmap_method: str | None = "broadcast_all",
    launch_dims: Any = None,
    output_dims: Any = None,
    in_out_argnames: Sequence[str] | None = None,
    module_preload_mode: JaxModulePreloadMode = JaxModulePreloadMode.CURRENT_DEVICE,
    enable_backward: bool = False,
    has_side_effect: bool = False,
    block_dim: int | None = None,
) -> JaxKernel:
    """Make a function of jax arrays of a kernel.

    The function takes arrays (and numbers) for the inputs of the kernel and returns a list of new arrays, its outputs.
    It works inside and outside `jax.jit`, under `jax.vmap`, and with `enable_backward` under `jax.grad`, `jax.jvp` and
    their like, to any order. Inside a jitted function a call is native: it needs neither Python nor its lock.

    The inputs of the kernel come before its outputs. Arrays of vectors and matrices are jax arrays with the
    components as last dimensions: `(n, 3)` for an array of `vec3`. Outputs are zero before the kernel runs.

    Args:
        kernel: The kernel.
        num_outputs: How many of the last parameters are outputs, those of `in_out_argnames` included. By default
            the parameters that a call does not pass.
        vmap_method: What `jax.vmap` does: `"broadcast_all"`, `"expand_dims"` and `"legacy_vectorized"` launch once with
            one dimension more, `"sequential"` launches once per item, in a loop of the program, `"sequential_unrolled"`
            one after the other without; None refuses. Arrays that are not batched are never copied.
        launch_dims: Launch dimensions, an int or a sequence; the shape of the first array by default.
        output_dims: Shape of all outputs, or a dict from names to shapes; the launch dimensions by default.
        in_out_argnames: Names of inputs that the kernel changes. jax's array stays as it is; the changed copy is
            returned, in the place of the parameter. Where the argument is donated nothing is copied.
        module_preload_mode: For which GPUs the kernel is compiled and loaded while jax compiles a program that calls
            it: for none, those of the program, or all. For others it is when the program first runs there. For the CPU
            it is always compiled with the program.
        enable_backward: Whether there are gradients, for arrays of floats and for values that jax computes.
        has_side_effect: Whether the kernel has side effects: jax then runs it even if its results are not used. Kernels
            that print have one anyway.
        block_dim: Threads of a block, for GPUs; what the kernel's module says by default.

    Returns:
        A function of the kernel's inputs, by position or by name. It takes `launch_dims`, `output_dims` and
        `vmap_method` too.

    Raises:
        TypeError: `kernel` is no kernel, writes one of its inputs, or an output is not an array.
        ValueError: An argument does not fit the kernel.
    """
    _preload(module_preload_mode, "jax_kernel")
    if block_dim is not None:
        if not operator_call.is_integer(block_dim) or block_dim < 1:
            raise ValueError(f"jax_kernel: block_dim is {block_dim!r}, expected None or a positive int")
        block_dim = _python.index(block_dim)
    if not isinstance(kernel, Kernel):
        raise TypeError(
            f"jax_kernel: kernel is {type(kernel).__name__}, expected a kernel; decorate it with @wp.kernel"
        )
    if num_outputs is not None and operator_call.is_integer(num_outputs):
        num_outputs = _python.index(num_outputs)
    kernel = _current(kernel)
    place, known = f"jax_kernel: kernel '{kernel.__name__}'", [name for name, _, _ in _parameters(kernel)]
    names = operator_call.check_names(place, "in_out_argnames", in_out_argnames, known)
    options = (vmap_method, launch_dims, output_dims, names, enable_backward, has_side_effect, block_dim)

    def make() -> JaxKernel:
        return JaxKernel(kernel, num_outputs, *options, module_preload_mode)

    given = (
        type(num_outputs),
        num_outputs,
        vmap_method,
        frozenset(names),
        bool(enable_backward),
        bool(has_side_effect),
    )
    key = (kernel, *given, block_dim, module_preload_mode, dims_key(launch_dims), dims_key(output_dims))
    return once(kernel.func, key, make)
