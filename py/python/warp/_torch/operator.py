"""Kernels as operators of torch's. Imported when `torch_kernel` is first asked for, so that torch may be missing."""

from __future__ import annotations

import contextlib
import keyword
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from warp import config
from warp._operator import Operator, Parameter, batch
from warp._operator import call as operator_call
from warp._torch.autograd import autograd, below, is_plain, split
from warp._warp import Kernel, _implement_torch

_VMAP_METHODS = ("broadcast_all", "expand_dims", "sequential")
_NAMESPACE = "warp"
# Words that mean something else in a schema.
_RESERVED = {"Tensor", "Scalar", "str", "int", "float", "bool", "SymInt", "Device", "Generator", "self"}

# Looked up once: a call takes two microseconds.
_Tensor, _is_compiling = torch.Tensor, torch.compiler.is_dynamo_compiling

_library = torch.library.Library(_NAMESPACE, "FRAGMENT")
_registered: dict[str, Any] = {}
_lock = threading.RLock()


class _TorchMemory:
    """How operators make tensors."""

    @staticmethod
    def zeros(shape: tuple[int, ...], scalar: str, near: Any) -> Any:
        return torch.zeros(shape, dtype=getattr(torch, scalar), device=None if near is None else near.device)

    @staticmethod
    def copy(array: Any) -> Any:
        return array.clone(memory_format=torch.contiguous_format)

    @staticmethod
    def readable(array: Any, inner: int) -> Any:
        want, shape, strides = 1, array.shape, array.stride()
        for d in range(len(shape) - 1, len(shape) - 1 - inner, -1):
            if strides[d] != want and shape[d] != 1:
                return array.contiguous()
            want *= shape[d]
        return array

    @staticmethod
    def shape(array: Any) -> tuple[int, ...]:
        return tuple(array.shape)

    @staticmethod
    def place(array: Any) -> tuple[int, int] | None:
        if not array.is_cuda:
            return None
        return array.device.index, torch.cuda.current_stream(array.device).cuda_stream


def _schema_type(p: Parameter) -> str:
    if p.is_array:
        return "Tensor"
    scalar = "float" if p.dtype._elem.is_float else "bool" if p.scalar == "bool" else "SymInt"
    return f"{scalar}[]" if p.inner else scalar


def _schema(op: Operator) -> str:
    parts = []
    for i in op.arguments:
        p = op.parameters[i]
        name = operator_call.plain(p.name)
        if keyword.iskeyword(name) or name in _RESERVED or name in ("launch_dims", "output_dims"):
            name += "_"
        parts.append(f"{_schema_type(p)} {name}")
    parts.append("SymInt[]? launch_dims=None")
    parts.append("SymInt[]? output_dims=None")
    returns = ", ".join("Tensor" for _ in op.results)
    return f"{op.name}({', '.join(parts)}) -> {returns if len(op.results) == 1 else f'({returns})'}"


def _implementation(op: Operator) -> Callable[..., Any]:
    composites = [(k, op.parameters[i].dtype) for k, i in enumerate(op.arguments) if _is_composite(op.parameters[i])]

    def run(*args: Any) -> Any:
        arguments, launch, outputs = split(op, args)
        for k, dtype in composites:
            arguments[k] = dtype(*arguments[k])
        results = op.run(arguments, launch, outputs, _TorchMemory)
        return results[0] if len(results) == 1 else tuple(results)

    return run


def _is_composite(p: Parameter) -> bool:
    return not p.is_array and bool(p.inner)


def _fake(op: Operator) -> Callable[..., Any]:
    def describe(*args: Any) -> Any:
        arguments, launch, outputs = split(op, args)
        arrays = {i: a for i, a in zip(op.arguments, arguments, strict=True) if op.parameters[i].is_array}
        for i, a in arrays.items():
            p = op.parameters[i]
            if a.dtype is not getattr(torch, p.scalar):
                raise TypeError(f"{op.title}: argument '{p.name}' holds {a.dtype}, expected torch.{p.scalar}")
            _check_device(op, next(iter(arrays)), i, arrays)
        shapes = op.result_shapes({i: tuple(a.shape) for i, a in arrays.items()}, launch, outputs)
        near = next(iter(arrays.values()), None)
        device = "cpu" if near is None else near.device
        results = [
            torch.empty(shape, dtype=getattr(torch, op.parameters[i].scalar), device=device)
            for i, shape in zip(op.results, shapes, strict=True)
        ]
        return results[0] if len(results) == 1 else tuple(results)

    return describe


def _check_device(op: Operator, first: int, i: int, arrays: Mapping[int, Any]) -> None:
    if arrays[i].device != arrays[first].device:
        names = [op.parameters[k].name for k in (i, first)]
        raise RuntimeError(
            f"{op.title}: argument '{names[0]}' is on {arrays[i].device}, '{names[1]}' on {arrays[first].device}; "
            "a kernel takes tensors of one device"
        )


def _vmap(op: Operator) -> Callable[..., Any]:
    def batched(info: Any, in_dims: Any, *args: Any) -> Any:
        arguments, launch, outputs = split(op, args)
        size = info.batch_size
        rows, arrays = [], []
        for k, i in enumerate(op.arguments):
            if not op.parameters[i].is_array:
                continue
            if in_dims[k] is not None:
                arguments[k] = arguments[k].movedim(in_dims[k], 0)
                rows.append(i)
            elif i in op.copied:
                arguments[k] = arguments[k].expand(size, *arguments[k].shape)
                rows.append(i)
            arrays.append(k)
        given = None if launch is None else len(launch)
        whole = None if op.sequential else batch(op, rows, given)
        if whole is not None:
            made = register(whole)(*arguments, launch, outputs)
        else:
            made = _one_by_one(op, size, set(rows), arguments, launch, outputs)
        return made, 0 if len(op.results) == 1 else (0,) * len(op.results)

    return batched


def _one_by_one(op: Operator, size: int, rows: set[int], arguments: list[Any], launch: Any, outputs: Any) -> Any:
    overload = register(op)
    items = []
    for at in range(max(size, 1)):
        # An empty batch still has to say what its items are like.
        pick = [
            (a[at] if size else a.new_zeros(a.shape[1:])) if i in rows else a
            for i, a in zip(op.arguments, arguments, strict=True)
        ]
        items.append(overload(*pick, launch, outputs))
    if len(op.results) == 1:
        return torch.stack(items)[:size]
    return tuple(torch.stack(column)[:size] for column in zip(*items, strict=True))


def register(op: Operator, differentiable: bool = True) -> Any:
    """The operator as torch's `OpOverload`; made when it is first asked for."""
    overload = _registered.get(op.name)
    if overload is None:
        with _lock:
            overload = _registered.get(op.name)
            if overload is None:
                overload = _registered[op.name] = _register(op, differentiable)
    return overload


def _register(op: Operator, differentiable: bool) -> Any:
    qualified = f"{_NAMESPACE}::{op.name}"
    _library.define(_schema(op), tags=(torch.Tag.pt2_compliant_tag,))
    # For every backend and for no tensors at all: what does not run is refused where it can be named.
    _library.impl(op.name, _implementation(op), "CompositeExplicitAutograd")
    # Only the detour through Python raises ZeroDivisionError.
    if any(op.parameters[i].is_array for i in op.arguments) and config.mode != "debug":
        _register_native(op)
    torch.library.register_fake(qualified, _fake(op), lib=_library)
    overload = getattr(torch.ops.warp, op.name).default
    _library.impl(op.name, autograd(op, overload, register, differentiable), "Autograd")
    torch.library.register_vmap(qualified, _vmap(op), lib=_library)
    return overload


def _register_native(op: Operator) -> bool:
    """Let torch call the kernel without Python, through torch's stable C functions; False if it is too old for that."""
    path = os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so")
    return _implement_torch(op.kernel, op.rules, path, _NAMESPACE, op.name)


class TorchKernel:
    """A kernel as a function of torch tensors: what :func:`torch_kernel` returns."""

    def __init__(self, operators: Mapping[str, Operator], options: Mapping[str, Any]) -> None:
        self._options = options
        vmap_method, differentiable = options["vmap_method"], options["enable_backward"]
        launch, outputs = options["launch_dims"], options["output_dims"]
        self._overloads = {method: register(op, differentiable) for method, op in operators.items()}
        self._launch = launch
        self._outputs = outputs
        self._op = self._overloads[vmap_method]
        #: Without the function in Python around it.
        self._direct = getattr(self._op, "_op", self._op)
        operator = operators[vmap_method]
        self._operator = operator
        _prepare(operator)
        self._count = len(operator.arguments)
        self._composites = [k for k, i in enumerate(operator.arguments) if _is_composite(operator.parameters[i])]
        self._values = [k for k, i in enumerate(operator.arguments) if not operator.parameters[i].is_array]
        # Calls that can go to the operator as they are.
        self._is_plain = launch is None and outputs is None and not self._composites
        self.__name__ = operator.kernel.__name__
        self.__qualname__ = operator.kernel.__name__
        self.__doc__ = operator.kernel.__doc__

    @property
    def kernel(self) -> Kernel:
        """The kernel."""
        return self._operator.kernel

    @property
    def op(self) -> Any:
        """The registered operator, `torch.ops.warp.NAME.default`."""
        return self._op

    def __deepcopy__(self, memo: Any) -> TorchKernel:
        return self  # nothing in it changes

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.kernel, self._options)

    def __repr__(self) -> str:
        return f"<torch operator {_NAMESPACE}::{self._operator.name}>"

    def __call__(
        self,
        *args: Any,
        launch_dims: Any = None,
        output_dims: Any = None,
        vmap_method: str | None = None,
        **kwargs: Any,
    ) -> Any:
        if (
            self._is_plain
            and not kwargs
            and len(args) == self._count
            and launch_dims is None
            and output_dims is None
            and vmap_method is None
        ):
            for k in self._values:
                if isinstance(args[k], _Tensor):
                    self._check_values(args)
            if not _is_compiling() and is_plain(args):
                return below(self._direct, args)
            return self._op(*args)
        return self._call(args, kwargs, launch_dims, output_dims, vmap_method)

    def _check_values(self, args: Sequence[Any]) -> None:
        """Refuse tensors that would lose their gradient silently."""
        for k in self._values:
            if isinstance(args[k], torch.Tensor) and args[k].requires_grad:
                name = self._operator.parameters[self._operator.arguments[k]].name
                raise TypeError(
                    f"torch_kernel: {self._operator.title}: '{name}' is a value, to which no gradient can flow, "
                    "and the tensor for it requires grad; pass a number, or make the parameter an array of one element"
                )

    def _call(self, args: Any, kwargs: Any, launch_dims: Any, output_dims: Any, vmap_method: str | None) -> Any:
        op = self._operator
        values = list(operator_call.bind(op, "torch_kernel", args, kwargs))
        self._check_values(values)
        for k in self._composites:
            values[k] = _flat(values[k])
        launch = operator_call.extents(
            self._launch if launch_dims is None else launch_dims, "torch_kernel: launch_dims"
        )

        def item_dims() -> tuple[Any, ...]:
            arrays = zip(op.arguments, values, strict=True)
            shapes = {i: tuple(a.shape) for i, a in arrays if op.parameters[i].is_array}
            return op.dims(shapes, launch)

        outputs = self._outputs if output_dims is None else output_dims
        flat = operator_call.output_extents(op, outputs, item_dims)
        overload = self._op if vmap_method is None else self._overloads[_method(vmap_method)]
        return overload(*values, launch, flat)


def _prepare(op: Operator) -> None:
    """Ask for all that a call reads of an operator: `torch.compile` can trace neither the rules nor what is cached."""
    _ = op.outputs
    for launch in (None, (1,), (1, 1), (1, 1, 1), (1, 1, 1, 1)):
        with contextlib.suppress(ValueError):  # a call with as many says why
            op.launch_sources(launch)


def _restore(kernel: Kernel, options: Mapping[str, Any]) -> TorchKernel:
    return torch_kernel(kernel, **options)


def _flat(value: Any) -> list[Any]:
    """The components of a vector or matrix, row by row."""
    if isinstance(value, torch.Tensor):
        parts: list[Any] = value.flatten().tolist()
        return parts
    return [part for item in value for part in (_flat(item) if hasattr(item, "__iter__") else (item,))]


def _method(name: str) -> str:
    if name not in _VMAP_METHODS:
        raise ValueError(f"torch_kernel: vmap_method is {name!r}, expected one of {', '.join(_VMAP_METHODS)}")
    return name


def torch_kernel(
    kernel: Kernel,
    num_outputs: int = 1,
    vmap_method: str = "broadcast_all",
    launch_dims: Any = None,
    output_dims: Any = None,
    in_out_argnames: Sequence[str] | None = None,
    enable_backward: bool = True,
) -> TorchKernel:
    """Make a torch operator of a kernel.

    The operator takes tensors (and numbers) for the inputs of the kernel and returns new tensors, its outputs. It
    has gradients of any order by the kernel's exact adjoint, and works under ``torch.compile(fullgraph=True)``,
    ``torch.export``, ``torch.func`` and ``torch.vmap``.

    The inputs of the kernel come before its outputs. Arrays of vectors and matrices are tensors with the
    components as last dimensions: ``(n, 3)`` for an array of ``vec3``. Outputs are zero before the kernel runs.

    Args:
        kernel: The kernel.
        num_outputs: How many of the last parameters are outputs, those of `in_out_argnames` included.
        vmap_method: What ``torch.vmap`` does: ``"broadcast_all"`` and ``"expand_dims"`` launch once with one
            dimension more, ``"sequential"`` launches once per item. Arrays that are not batched are never copied.
        launch_dims: Launch dimensions, an int or a tuple; the shape of the first array by default.
        output_dims: Shape of all outputs, or a dict from names to shapes; the launch dimensions by default.
        in_out_argnames: Names of inputs that the kernel changes. The operator leaves the tensor alone and
            returns the changed copy, before the outputs proper.
        enable_backward: Whether there are gradients.

    Returns:
        A function of the kernel's inputs, by position or by name. It takes `launch_dims`, `output_dims` and
        `vmap_method` too, and returns a tensor, or a tuple of them if there are several outputs. Its `op` is the
        registered operator, whose name depends only on what the kernel does: the same kernel gives the same operator.

    Like torch's own operators it raises RuntimeError, TypeError or ValueError for tensors that do not fit; the
    message names the argument. Tensors on other devices than the CPU and sparse ones are refused.

    Raises:
        TypeError: `kernel` is no kernel, writes one of its inputs, or an output is not an array.
        ValueError: An argument does not fit the kernel.
    """
    method = _method(vmap_method)
    made = {}
    for name, sequential in (("broadcast_all", False), ("expand_dims", False), ("sequential", True)):
        made[name] = operator_call.operator(
            kernel,
            what="torch_kernel",
            num_outputs=num_outputs,
            in_out_argnames=in_out_argnames or (),
            sequential=sequential,
            enable_backward=enable_backward,
        )
    options = {
        "num_outputs": num_outputs,
        "vmap_method": method,
        "launch_dims": launch_dims,
        "output_dims": output_dims,
        "in_out_argnames": None if in_out_argnames is None else tuple(in_out_argnames),
        "enable_backward": enable_backward,
    }
    return TorchKernel(made, options)
