"""What torch's autograd does with operators made of kernels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._functorch.utils import enable_single_level_autograd_function
from torch.autograd import forward_ad
from torch.autograd.function import _SingleLevelFunction
from warp._operator import Derivative, Operator, Where, derive
from warp._warp import _raise_interrupt

# Looked up once: a call of an operator takes two microseconds.
_BelowAutograd, _is_grad_enabled = torch._C._AutoDispatchBelowAutograd, torch.is_grad_enabled
_is_compiling = torch.compiler.is_dynamo_compiling
_any_requires_grad, _are_transforms_active = torch._C._any_requires_grad, torch._C._are_functorch_transforms_active

#: Gives the registered operator of an operator.
_Register = Callable[[Operator], Any]


def split(op: Operator, args: Sequence[Any]) -> tuple[list[Any], Any, Any]:
    """Arguments of the kernel, launch dimensions, output dimensions; torch leaves out trailing defaults."""
    n = len(op.arguments)
    launch = args[n] if len(args) > n else None
    outputs = args[n + 1] if len(args) > n + 1 else None
    return list(args[:n]), launch, outputs


def below(overload: Any, args: Sequence[Any]) -> Any:
    """Call an operator without autograd. Ctrl-C in it is raised as it is."""
    with _BelowAutograd():
        try:
            return overload(*args)
        except RuntimeError:
            _raise_interrupt()
            raise


def is_plain(args: Sequence[Any]) -> bool:
    """Whether no derivative of a call is wanted, so that autograd can be bypassed."""
    return (
        not (_is_grad_enabled() and _any_requires_grad(*args))
        and forward_ad._current_level < 0
        and not _are_transforms_active()
    )


class _Back:
    """The backward pass for one choice of arguments that need gradients, with every look-up done."""

    def __init__(self, op: Operator, register: _Register, needs: Sequence[bool]) -> None:
        wanted = [i for k, i in enumerate(op.arguments) if needs[k] and i in op.differentiable]
        self.derivative = derivative = derive(op, wanted)
        self.overload = register(derivative.operator)
        #: Where each argument comes from: a saved tensor, an argument of the forward pass, a gradient.
        self.sources: list[tuple[str, int]] = []
        #: What to save: arguments and results, by place.
        self.arguments: list[int] = []
        self.results: list[int] = []
        kept: list[tuple[bool, int]] = []
        for at, (where, i) in enumerate(derivative.sources):
            if where is not Where.GRADIENT and op.parameters[i].is_array:
                bare = at in derivative.bare
                kept.append((where is Where.RESULT, len(op.parameters[i].inner) if bare else -1))
            if where is Where.GRADIENT:
                self.sources.append(("gradient", op.results.index(i)))
            elif where is Where.ARGUMENT and op.parameters[i].is_array:
                self.sources.append(("argument", len(self.arguments)))
                self.arguments.append(op.arguments.index(i))
            elif where is Where.ARGUMENT:
                self.sources.append(("value", op.arguments.index(i)))
            else:
                self.sources.append(("result", len(self.results)))
                self.results.append(op.results.index(i))
        kept.sort(key=lambda one: one[0])  # arguments before results, as they are saved
        #: Which of the saved ones are kept as extents, with the number of their inner dimensions.
        self.bare = [(k, inner) for k, (_, inner) in enumerate(kept) if inner >= 0]
        self.values = [k for kind, k in self.sources if kind == "value"]
        places = {i: k for k, i in enumerate(derivative.gradients)}
        #: For each argument of the forward pass: which result is its gradient.
        self.gradients = [places.get(i) for i in op.arguments]

    def run(self, ctx: Any, grads: Sequence[Any]) -> tuple[Any, ...]:
        saved, count = ctx.saved_tensors, len(self.arguments)
        args: list[Any] = []
        for kind, k in self.sources:
            if kind == "gradient":
                args.append(grads[k])
            elif kind == "argument":
                args.append(saved[k])
            elif kind == "value":
                args.append(ctx.values[k])
            else:
                args.append(saved[count + k])
        args.append(self.derivative.launch(ctx.launch))
        # Compiled autograd traces this, and cannot trace the question.
        made = below(self.overload, args) if not _is_compiling() and is_plain(args) else self.overload(*args)
        if not isinstance(made, tuple | list):
            made = (made,)
        given = [None if k is None else made[k] for k in self.gradients]
        return (*given, *[None] * (ctx.count - len(given)))


def _check(op: Operator, derivative: Derivative, inputs: Sequence[Any], launch: Any) -> None:
    """Refuse a launch that has no gradient."""
    pairs = zip(op.arguments, inputs, strict=False)
    shapes = {i: tuple(a.shape) for i, a in pairs if op.parameters[i].is_array}
    derivative.check(op, op.dims(shapes, launch))


def _extents(t: Any, inner: int) -> Any:
    """A tensor of the same shape without the memory, whose last `inner` dimensions have no gaps."""
    shape, strides = t.shape, [0] * (t.dim() - inner)
    for d in range(t.dim() - inner, t.dim()):
        strides.append(math.prod(shape[d + 1 :]))
    return t.new_empty_strided(shape, strides)


def _function(op: Operator, overload: Any, register: _Register, differentiable: bool) -> type[_SingleLevelFunction]:
    """The operator with its backward pass.

    Those that `torch.library.register_autograd` makes are refused by `torch.func`.
    """
    backs: dict[tuple[bool, ...], _Back] = {}
    count = len(op.arguments)

    def keep(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.count = len(inputs)
        ctx.launch = inputs[count] if len(inputs) > count else None
        ctx.failure = None
        if forward_ad._current_level >= 0:
            # Read by `push`, which comes right after this.
            ctx.forward = (inputs[:count], output if isinstance(output, tuple | list) else (output,))
        needs = ctx.needs_input_grad
        back = backs.get(needs)
        if back is None:
            try:
                if not differentiable:
                    raise RuntimeError(
                        f"{op.title} has no gradient: its operator was made with enable_backward=False; "
                        "remove that to differentiate it"
                    )
                back = backs[needs] = _Back(op, register, needs)
            except (RuntimeError, TypeError, ValueError) as error:  # it counts if somebody asks for the gradient
                ctx.failure = error
                return
        if back.derivative.most is not None:
            try:
                _check(op, back.derivative, inputs, ctx.launch)
            except RuntimeError as error:
                ctx.failure = error
                return
        ctx.back = back
        if back.values:
            ctx.values = {k: inputs[k] for k in back.values}
        saved = [inputs[k] for k in back.arguments]
        if back.results:
            results = output if isinstance(output, tuple | list) else (output,)
            saved += [results[k] for k in back.results]
        for k, inner in back.bare:
            saved[k] = _extents(saved[k], inner)
        ctx.save_for_backward(*saved)

    def backward(ctx: Any, *grads: Any) -> Any:
        if ctx.failure is not None:
            raise ctx.failure
        return ctx.back.run(ctx, grads)

    def push(ctx: Any, *tangents: Any) -> Any:
        if not differentiable:
            raise ctx.failure
        made = _pushed(op, register, ctx.forward, ctx.launch, tangents)
        del ctx.forward
        return made[0] if len(made) == 1 else tuple(made)

    def forward(*args: Any) -> Any:
        if not torch._C._are_functorch_transforms_active():
            return below(overload, args)
        # A function's forward pass runs without gradients, but these are only off for this level: the next one,
        # to which the dispatcher goes on, may want its own.
        with torch.enable_grad(), forward_ad._set_fwd_grad_enabled(True):
            return below(overload, args)

    def key(ctx: Any) -> tuple[Any, ...]:
        # Compiled autograd finds what it has compiled for a graph by the keys of its functions.
        return (ctx._autograd_function_id,)

    methods = {
        "forward": forward,
        "setup_context": keep,
        "backward": backward,
        "jvp": push,
        "_compiled_autograd_key": key,
    }
    return type(op.name, (_SingleLevelFunction,), {name: staticmethod(f) for name, f in methods.items()})


def _pushed(
    op: Operator, register: _Register, forward: tuple[Any, Any], launch: Any, tangents: Sequence[Any]
) -> list[Any]:
    """Tangents of the results. The backward pass is linear in the gradients that it is given, so that its
    derivative in these, which needs not be told them, is the forward pass of tangents."""
    arguments, results = forward
    given = {i: tangents[k] for k, i in enumerate(op.arguments) if tangents[k] is not None}
    wanted = [i for i in op.differentiable if i in given]
    if not wanted:
        return [None] * len(results)
    back = derive(op, wanted)
    if back.most is not None:
        _check(op, back, arguments, launch)
    seeds = {
        a: i for a, (where, i) in zip(back.operator.arguments, back.sources, strict=True) if where is Where.GRADIENT
    }
    push = derive(back.operator, sorted(seeds))
    values = {}
    for a, (where, i) in zip(back.operator.arguments, back.sources, strict=True):
        if where is Where.ARGUMENT:
            values[a] = arguments[op.arguments.index(i)]
        else:
            result = results[op.results.index(i)]
            values[a] = result if where is Where.RESULT else torch.zeros_like(result)
    tangent_of = dict(zip(back.operator.results, (given[i] for i in back.gradients), strict=True))
    args = [tangent_of[i] if where is Where.GRADIENT else values[i] for where, i in push.sources]
    made = register(push.operator)(*args, push.launch(back.launch(launch)))
    made = made if isinstance(made, tuple | list) else (made,)
    by_result = {seeds[a]: tangent for a, tangent in zip(push.gradients, made, strict=True)}
    return [by_result.get(i) for i in op.results]


def autograd(op: Operator, overload: Any, register: _Register, differentiable: bool) -> Callable[..., Any]:
    """What the operator does where autograd looks on."""
    # Inside a transformation of `torch.func` this runs for one of its levels, as autograd of torch's own operators
    # does; the ordinary `Function` would begin with the outermost level again.
    apply = _function(op, overload, register, differentiable).apply

    def run(*args: Any) -> Any:
        needed = torch.is_grad_enabled() and torch._C._any_requires_grad(*args)
        if needed or forward_ad._current_level >= 0:
            if torch._C._are_functorch_transforms_active():
                with enable_single_level_autograd_function():
                    return apply(*args)
            return apply(*args)
        return below(overload, args)

    return run
