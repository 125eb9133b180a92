"""Kernels as operations of paddle's. Imported when `paddle_kernel` is asked for, so that paddle may be missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import paddle
from paddle.autograd import PyLayer
from warp._operator import Operator, Where, derive
from warp._operator import call as operator_call
from warp._paddle import wanted
from warp._warp import Kernel

# Paddle has no kernels that make arrays of these.
_WIDE = ("uint16", "uint32", "uint64")


class _PaddleMemory:
    """How operators make tensors."""

    @staticmethod
    def zeros(shape: tuple[int, ...], scalar: str, near: Any) -> Any:
        if scalar in _WIDE:
            made = paddle.from_dlpack(np.zeros(shape, dtype=scalar))
        else:
            made = paddle.zeros(shape, dtype=getattr(paddle, scalar))
        # Paddle makes them on its default device.
        return made if near is None or made.place == near.place else made.to(near.place)

    @staticmethod
    def copy(array: Any) -> Any:
        return array.detach().clone().contiguous()

    @staticmethod
    def readable(array: Any, inner: int) -> Any:
        want, shape, strides = 1, array.shape, array.strides
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
        if not array.place.is_gpu_place():
            return None
        ordinal = array.place.gpu_device_id()
        return ordinal, paddle.device.current_stream(f"gpu:{ordinal}").stream_base.cuda_stream


class _Call:
    """An operator with what a call of it is given besides arrays."""

    def __init__(self, op: Operator, values: dict[int, Any], launch: Any, outputs: Any, differentiable: bool) -> None:
        self.op = op
        self.values = values
        self.launch = launch
        self.outputs = outputs
        self.differentiable = differentiable
        #: The parameters whose gradients are asked for.
        self.wanted: tuple[int, ...] = ()
        #: Where the gradients of the arrays go, if there are several.
        self.edges: list[Any] = []

    @property
    def arrays(self) -> list[int]:
        """The parameters that the arrays are for."""
        return [i for i in self.op.arguments if self.op.parameters[i].is_array]

    def run(self, arrays: Sequence[Any]) -> list[Any]:
        """The results, without gradients."""
        given = iter(arrays)
        arguments = [self.values[i] if i in self.values else next(given) for i in self.op.arguments]
        return self.op.run(arguments, self.launch, self.outputs, _PaddleMemory)

    def apply(self, arrays: Sequence[Any]) -> list[Any]:
        """The results, as part of paddle's graph where an array is."""
        op = self.op
        if paddle.is_grad_enabled():
            pairs = zip(self.arrays, arrays, strict=True)
            self.wanted = tuple(i for i, a in pairs if i in op.differentiable and not a.stop_gradient)
        if not self.wanted:
            return self.run(arrays)
        made = _Layer.apply(self, *arrays)
        results = list(made) if isinstance(made, tuple | list) else [made]
        if len(self.wanted) > 1:
            graph = next((r for r in results if not r.stop_gradient), results[0])
            self.edges = wanted.edges(graph, len(arrays))
        return results


class _Layer(PyLayer):  # type: ignore[misc]
    """A call of an operator whose gradients are asked for."""

    @staticmethod
    def forward(ctx: Any, call: _Call, *arrays: Any) -> Any:
        op = call.op
        results = call.run(arrays)
        ctx.call, ctx.failure = call, None
        if not call.differentiable:
            ctx.failure = (
                f"{op.title} has no gradient: its operator was made with enable_backward=False; "
                "remove that to differentiate it"
            )
        else:
            try:
                ctx.derivative = derive(op, call.wanted)
                if ctx.derivative.most is not None:
                    pairs = zip(call.arrays, arrays, strict=True)
                    ctx.derivative.check(op, op.dims({i: tuple(a.shape) for i, a in pairs}, call.launch))
            except (RuntimeError, TypeError, ValueError) as error:  # it counts only if somebody asks for the gradient
                ctx.failure = str(error)
        if ctx.failure is None:
            _keep(ctx, call, arrays, results)
        ctx.mark_non_differentiable(
            *(r for i, r in zip(op.results, results, strict=True) if not op.parameters[i].is_differentiable)
        )
        return results[0] if len(results) == 1 else tuple(results)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        call = ctx.call
        if ctx.failure is not None:
            raise RuntimeError(ctx.failure)
        made = _gradients(ctx, call, grads)
        found = tuple(made.get(i) for i in call.arrays)
        if call.edges:
            pairs = zip(found, wanted.reached(call.edges), strict=True)
            found = tuple(gradient if taken else None for gradient, taken in pairs)
        return found[0] if len(found) == 1 else found


def _keep(ctx: Any, call: _Call, arrays: Sequence[Any], results: Sequence[Any]) -> None:
    """Saves what the gradient needs."""
    sources = ctx.derivative.sources
    by_result = {i for where, i in sources if where is Where.RESULT}
    # Where results are needed, a derivative of the derivative computes them again, from all arguments.
    needed = {i for where, i in sources if where is Where.ARGUMENT} if not by_result else set(call.arrays)
    kept = [(i, a) for i, a in zip(call.arrays, arrays, strict=True) if i in needed]
    ctx.kept = [i for i, _ in kept]
    # Paddle does not notice that what it saved was changed.
    ctx.versions = [a.inplace_version for _, a in kept]
    # A result that its own graph holds would never be freed.
    ctx.results = {i: r.detach() for i, r in zip(call.op.results, results, strict=True) if i in by_result}
    ctx.result_versions = {i: r.inplace_version for i, r in ctx.results.items()}
    ctx.save_for_backward(*(a for _, a in kept))


def _gradients(ctx: Any, call: _Call, grads: Sequence[Any]) -> dict[int, Any]:
    """The gradients that are asked for, by parameter."""
    op, derivative = call.op, ctx.derivative
    saved = ctx.saved_tensor() if ctx.kept else ()
    arguments = dict(zip(ctx.kept, saved, strict=True))
    for (i, a), version in zip(arguments.items(), ctx.versions, strict=True):
        _check_version(op, i, a, version)
    for i, r in ctx.results.items():
        _check_version(op, i, r, ctx.result_versions[i])
    results = ctx.results
    if results and paddle.is_grad_enabled():
        again = _Call(op, call.values, call.launch, call.outputs, call.differentiable)
        made = again.apply([arguments[i] for i in call.arrays])
        results = dict(zip(op.results, made, strict=True))
    arrays, values = [], {}
    for parameter, (where, i) in zip(derivative.operator.arguments, derivative.sources, strict=True):
        if where is Where.GRADIENT:
            arrays.append(grads[op.results.index(i)])
        elif where is Where.RESULT:
            arrays.append(results[i])
        elif op.parameters[i].is_array:
            arrays.append(arguments[i])
        else:
            values[parameter] = call.values[i]
    launch = derivative.launch(call.launch)
    made = _Call(derivative.operator, values, launch, None, call.differentiable).apply(arrays)
    return dict(zip(derivative.gradients, made, strict=True))


def _check_version(op: Operator, i: int, array: Any, version: int) -> None:
    if array.inplace_version != version:
        raise RuntimeError(
            f"gradient of {op.title}: the tensor for '{op.parameters[i].name}' was changed in place after the kernel "
            "ran; give the kernel a clone, or change a clone"
        )


class PaddleKernel:
    """A kernel as a function of paddle tensors: what :func:`paddle_kernel` returns."""

    def __init__(self, operator: Operator, launch: Any, outputs: Any, differentiable: bool) -> None:
        self._operator = operator
        self._launch = launch
        self._outputs = outputs
        self._differentiable = differentiable
        self._arrays = tuple(operator.parameters[i].is_array for i in operator.arguments)
        self.__name__ = operator.kernel.__name__
        self.__qualname__ = operator.kernel.__name__
        self.__doc__ = operator.kernel.__doc__

    @property
    def kernel(self) -> Kernel:
        """The kernel."""
        return self._operator.kernel

    def __deepcopy__(self, memo: Any) -> PaddleKernel:
        return self  # nothing in it changes

    def __repr__(self) -> str:
        return f"<paddle operation of kernel '{self.kernel.__name__}'>"

    # Not transformed where it is called inside `paddle.jit.to_static`, so that it can say that it has to be eager.
    @paddle.jit.not_to_static  # type: ignore[untyped-decorator]
    def __call__(self, *args: Any, launch_dims: Any = None, output_dims: Any = None, **kwargs: Any) -> Any:
        op = self._operator
        given = operator_call.bind(op, "paddle_kernel", args, kwargs)
        arrays, values = [], {}
        for i, is_array, value in zip(op.arguments, self._arrays, given, strict=True):
            if is_array:
                arrays.append(_checked(op, i, value))
            else:
                values[i] = _value(op, i, value)
        launch = operator_call.extents(
            self._launch if launch_dims is None else launch_dims, "paddle_kernel: launch_dims"
        )
        outputs = self._outputs if output_dims is None else output_dims
        flat = None
        if outputs is not None:

            def item_dims() -> tuple[Any, ...]:
                pairs = zip(op.arguments, given, strict=True)
                return op.dims({i: tuple(a.shape) for i, a in pairs if op.parameters[i].is_array}, launch)

            flat = operator_call.output_extents(op, outputs, item_dims)
        results = _Call(op, values, launch, flat, self._differentiable).apply(arrays)
        return results[0] if len(results) == 1 else tuple(results)


def _checked(op: Operator, i: int, value: Any) -> Any:
    p = op.parameters[i]
    if not isinstance(value, paddle.Tensor):
        hint = ""
        if type(value).__module__.startswith("paddle."):
            hint = "; kernels run eagerly, so call this outside paddle.jit.to_static"
        raise TypeError(
            f"paddle_kernel: {op.title}: argument '{p.name}' is {type(value).__name__}, expected a paddle.Tensor{hint}"
        )
    if value.dtype != getattr(paddle, p.scalar):
        raise TypeError(
            f"paddle_kernel: {op.title}: argument '{p.name}' holds {value.dtype.name.lower()}, expected {p.scalar}"
        )
    return value


def _value(op: Operator, i: int, value: Any) -> Any:
    p = op.parameters[i]
    if isinstance(value, paddle.Tensor):
        if not value.stop_gradient:
            raise TypeError(
                f"paddle_kernel: {op.title}: '{p.name}' is a value, to which no gradient can flow, and the tensor for "
                "it has stop_gradient=False; pass a number, or make the parameter an array of one element"
            )
        value = value.tolist()
    if p.inner:
        return p.dtype(*_flat(value))
    return value


def _flat(value: Any) -> list[Any]:
    """The components of a vector or matrix, row by row."""
    return [part for item in value for part in (_flat(item) if hasattr(item, "__iter__") else (item,))]


def paddle_kernel(
    kernel: Kernel,
    num_outputs: int = 1,
    launch_dims: Any = None,
    output_dims: Any = None,
    in_out_argnames: Sequence[str] | None = None,
    enable_backward: bool = True,
) -> PaddleKernel:
    """Make a paddle operation of a kernel.

    The operation takes tensors (and numbers) for the inputs of the kernel and returns new tensors, its outputs. It
    has gradients of any order by the kernel's exact adjoint: ``loss.backward()`` and
    ``paddle.grad(..., create_graph=True)`` go through it.

    The inputs of the kernel come before its outputs. Arrays of vectors and matrices are tensors with the
    components as last dimensions: ``[n, 3]`` for an array of ``vec3``. Outputs are zero before the kernel runs.

    Args:
        kernel: The kernel.
        num_outputs: How many of the last parameters are outputs, those of `in_out_argnames` included.
        launch_dims: Launch dimensions, an int or a tuple; the shape of the first array by default.
        output_dims: Shape of all outputs, or a dict from names to shapes; the launch dimensions by default.
        in_out_argnames: Names of inputs that the kernel changes. The operation leaves the tensor alone and
            returns the changed copy, before the outputs proper.
        enable_backward: Whether there are gradients.

    Returns:
        A function of the kernel's inputs, by position or by name. It takes `launch_dims` and `output_dims` too, and
        returns a tensor, or a tuple of them if there are several outputs.

    Raises:
        TypeError: `kernel` is no kernel, writes one of its inputs, or an output is not an array.
        ValueError: An argument does not fit the kernel.
    """
    operator = operator_call.operator(
        kernel,
        what="paddle_kernel",
        num_outputs=num_outputs,
        in_out_argnames=in_out_argnames or (),
        enable_backward=enable_backward,
    )
    return PaddleKernel(operator, launch_dims, output_dims, enable_backward)
