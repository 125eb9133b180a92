"""`wp.map` and the operators of arrays: launches of kernels that are made once for each function and each types.

A kernel has a parameter for each input, then one for each result; its text says which dimensions an input is repeated
along. Arrays on the same memory are one parameter, so that a kernel which writes what it reads is one that says so.
"""

from __future__ import annotations

import builtins
import operator
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

import warp as wp
from warp import _warp
from warp._arrays.broadcast import _LETTERS, _broadcast, _steps
from warp._arrays.functions import _function, _name
from warp._language.meaning import meaning
from warp._warp import (
    Function,
    Kernel,
    _map_key,
    _map_plans,
    _mapped,
    _meeting,
    array,
    empty,
    get_device,
    launch,
)
from warp.types import type_is_value

# What Python does for an operator.
_PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}


class _Plan(NamedTuple):
    """A kernel for inputs of some types."""

    kernel: Kernel
    results: list[tuple[Any, bool]]
    """The dtype of each result, and whether it has a gradient."""
    alive: tuple[Any, ...]
    """What keys know by address."""


# The oldest go when there are too many: a lambda that is new in each call must not fill the memory. `_mapped` looks for
# plans of the commonest calls under keys of its own.
_plans: dict[Any, _Plan] = _map_plans


_MOST_PLANS = 1024


def map(
    func: Callable[..., Any],
    *inputs: Any,
    out: Any = None,
    return_kernel: bool = False,
    block_dim: int | None = None,
    device: Any = None,
) -> Any:
    """Call a function for each element of arrays.

    Shapes are broadcast as NumPy does it: aligned at the last dimension, where an extent of 1 is repeated. A kernel is
    made for each function and types of inputs; a second call only launches it. Tapes record the launch.

    Args:
        func: A builtin, a ``@wp.func``, a Python function or a lambda that kernels could call, or a type.
        inputs: Arrays, and values that are the same for all elements. A Python number is an int32, float32 or bool.
        out: Written to: an array, or a list of one for each result. New arrays by default, which require gradients
            where an input does.
        return_kernel: Return the kernel instead, whose parameters are the inputs and then the results.
        block_dim: Only for CUDA.
        device: Where to run: the device of the arrays.

    Returns:
        An array, or a list of arrays where ``func`` returns several values.

    Raises:
        TypeError: ``func`` does not take such elements, or ``out`` has another dtype.
        ValueError: No input is an array, shapes cannot be broadcast, ``out`` has another shape or is on another device.
    """
    if device is not None:
        device = get_device(device)
    key = _key(func)
    if device is None and not return_kernel and not isinstance(func, str):
        done = _mapped(key, inputs, out)
        if done is not None:
            return done
    arguments = [_argument(value, at) for at, value in enumerate(inputs)]
    if out is not None:
        if not _is_array(out) and not (isinstance(out, list | tuple) and all(_is_array(o) for o in out)):
            raise TypeError(f"map: out is {type(out).__name__}, expected a wp.array or a list of them")
        outs = [out] if _is_array(out) else list(out)
    else:
        outs = None
    if not any(_is_array(value) for value in arguments):
        raise ValueError("map: no input is a wp.array; one at least says how many elements there are")
    found = _apply(func, None, arguments, outs, device, return_kernel, key=key)
    if return_kernel or len(found) > 1 or isinstance(out, list | tuple):
        return found
    return found[0]


def binary(symbol: str, left: Any, right: Any) -> array:
    """``left symbol right``, element by element; a number of Python's has the type of the array's numbers."""
    if symbol == "@":
        _check_product(left, right)
    return _apply(symbol, f"{{}} {symbol} {{}}", [left, right], None, None)[0]  # type: ignore[no-any-return]


def beside(symbol: str, own: array, other: Any, reflected: bool) -> Any:
    """``own symbol other`` where ``other`` is nothing of this package.

    What a framework makes of it for its tensors, on the array's memory. Other objects are asked themselves.
    """
    for framework in _warp.FRAMEWORKS:
        tensor = getattr(sys.modules.get(framework), "Tensor", None)
        if isinstance(tensor, type) and isinstance(other, tensor):
            mine = getattr(wp, f"to_{framework}")(own)
            left, right = (other, mine) if reflected else (mine, other)
            return _PYTHON[symbol](left, right)
    return NotImplemented


def in_place(symbol: str, target: Any, other: Any) -> None:
    """``target symbol= other``."""
    if not _is_array(other):
        other = _argument(other, 1)
    if symbol == "@":
        _check_product(target, other)
    _apply(symbol, f"{{}} {symbol} {{}}", [target, other], [target], None)


def unary(symbol: str, operand: Any) -> array:
    """``-operand`` for the symbol ``-1``."""
    return _apply(symbol, f"{symbol.removesuffix('1')} {{}}", [operand], None, None)[0]  # type: ignore[no-any-return]


def copied(source: Any) -> array:
    """The elements as a new array."""
    return _apply("copy", "{}", [source], None, None)[0]  # type: ignore[no-any-return]


def copy(target: Any, source: Any) -> None:
    """Write elements of the same dtype to an array of the same shape, or to all of it where there is one."""
    _apply("copy", "{}", [source], [target], None, whole=target.shape)


def choose(target: array, mask: array, source: Any) -> None:
    """Write elements of the same dtype, one or of the target's shape, where the mask of this shape is true."""
    _apply("choose", "wp.where({}, {}, {})", [mask, source, target], [target], None)


def _is_array(value: Any) -> bool:
    kind = type(value)
    return issubclass(kind, array) or hasattr(kind, "_kernel_type")


def _memory(value: Any) -> array:
    """The array whose elements these are."""
    return value if isinstance(value, array) else value.data


def _check_product(left: Any, right: Any) -> None:
    for operand in (left, right):
        elem = getattr(operand.dtype if _is_array(operand) else type(operand), "_elem", None)
        if elem is not None and elem.kind == "mat":
            return
    raise TypeError(
        "@: multiplies the matrices that arrays hold, element by element; here neither side holds matrices; "
        "(a * b).sum() is the inner product of two arrays, and a.numpy() @ b.numpy() NumPy's product"
    )


def _type(symbol: str | None, value: Any, inputs: list[Any]) -> Any:
    """The type of an input's elements. Beside an operator, a number of Python's is one of the array's numbers."""
    if isinstance(value, array):
        return value.dtype
    if _is_array(value):
        # Another parameter than an array of the same dtype.
        return type(value), value.dtype
    if symbol is None or type(value) not in (builtins.int, builtins.float):
        return type(value)
    elem = next(other for other in inputs if _is_array(other)).dtype._elem
    if elem.kind == "struct" or elem.scalar == "bool":
        return type(value)
    if type(value) is builtins.float and not elem.is_float:
        raise TypeError(
            f"{symbol}: {value!r} is a float, the array holds {elem.scalar}; types are never converted silently: write "
            f"an int, or convert the array, as in a.astype(float)"
        )
    return getattr(wp, elem.scalar)


def _argument(value: Any, at: int) -> Any:
    """An input as an array or a value of kernels."""
    kind = type(value)
    if _is_array(value) or kind in (builtins.int, builtins.float, builtins.bool) or type_is_value(kind):
        return value
    if hasattr(kind, "_elem"):
        return value
    if hasattr(kind, "dtype") and getattr(value, "ndim", None) == 0 and hasattr(kind, "__array_interface__"):
        return wp.dtype_from_numpy(value.dtype)(value.item())
    if hasattr(kind, "__dlpack__") or hasattr(kind, "__array_interface__"):
        return array(value, copy=False)
    raise TypeError(f"map: input {at} is of type {kind.__name__}, expected an array, a number or a value of kernels")


def _apply(
    func: Any,
    form: str | None,
    inputs: list[Any],
    outs: list[Any] | None,
    device: Any,
    return_kernel: bool = False,
    whole: tuple[int, ...] | None = None,
    key: Any = None,
) -> Any:
    """Launch ``func``, whose key is ``key``, or the expression ``form``, over the elements of inputs, which are
    repeated to the shape ``whole``."""
    # Under it the next call of this kind is found without a look at each input from here.
    short = None
    if device is None and whole is None and not return_kernel:
        short = _map_key(func if form is not None else key, tuple(inputs), outs)
    same: tuple[int, ...] = ()
    kinds: tuple[type, ...] = ()
    if outs is not None:
        inputs, same = _apart(inputs, outs)
        if any(type(out) is not array for out in outs):
            kinds = tuple([type(out) for out in outs])
    symbol = None if form is None else func
    # A text that `wp.map` is given is no operator.
    if form is not None:
        key = (form,)
    shape, pattern, grad, place = _pattern(inputs, whole)
    elements = tuple([_type(symbol, value, inputs) for value in inputs])
    plan = _plans.get((key, elements, pattern, same, kinds))
    if plan is None:
        plan = _made(func, form, elements, pattern, same, kinds)._replace(alive=(func, key, elements))
        _remember((key, elements, pattern, same, kinds), plan)
    if return_kernel:
        return plan.kernel
    if outs is not None:
        _check_outs(plan, outs, shape, symbol)
    if short is not None:
        _remember(short, plan)
    if device is None:
        device = place.device
    if outs is None:
        outs = [empty(shape, dtype, device, grad and floats) for dtype, floats in plan.results]
    launch(plan.kernel, shape, inputs, _others(outs, same), device=device)
    return outs


def _others(outs: list[array], same: tuple[int, ...]) -> list[array]:
    """The results that are parameters of their own: one that is an input is that parameter."""
    return [out for out, at in zip(outs, same, strict=True) if at < 0] if same else outs


def _remember(key: Any, plan: _Plan) -> None:
    if len(_plans) >= _MOST_PLANS:
        del _plans[next(iter(_plans))]
    _plans[key] = plan


def _pattern(inputs: list[Any], whole: tuple[int, ...] | None) -> tuple[tuple[int, ...], tuple[Any, ...], bool, Any]:
    """The shape of the result; its number of dimensions and the indices of each input, None for a value; whether an
    input requires a gradient; and an array."""
    arrays = [value for value in inputs if _is_array(value)]
    given = [value.shape for value in arrays]
    if whole is not None:
        given.append(whole)
    shape = given[0] if all(own == given[0] for own in given) else _broadcast(given)
    steps = [_steps(value.shape, shape) if _is_array(value) else None for value in inputs]
    return shape, (len(shape), *steps), any(value.requires_grad for value in arrays), arrays[0]


def _has_floats(dtype: Any) -> bool:
    elem = dtype._elem
    return elem.kind != "struct" and bool(elem.is_float)


def _check_outs(plan: _Plan, outs: list[array], shape: tuple[int, ...], symbol: str | None) -> None:
    place = "map: out" if symbol is None else f"{symbol}="
    if len(outs) != len(plan.results):
        raise TypeError(f"{place} holds {len(outs)} arrays, the function returns {len(plan.results)} values")
    for found, (dtype, _) in zip(outs, plan.results, strict=True):
        if found.dtype is not dtype:
            raise TypeError(f"{place} has the dtype {found.dtype.__name__}, the result is {dtype.__name__}")
        if found.shape != shape:
            raise ValueError(f"{place} has the shape {found.shape}, the result has {shape}")


def _apart(inputs: list[Any], outs: list[array]) -> tuple[list[Any], tuple[int, ...]]:
    """Inputs that outputs leave alone, and which input each output is, or -1; what overlaps otherwise is copied."""
    inputs = list(inputs)
    same = []
    for out in outs:
        is_input = -1
        for at, value in enumerate(inputs):
            if not _is_array(value):
                continue
            meeting = _meeting(_memory(out), _memory(value))
            if meeting != "apart" and not (isinstance(value, array) and isinstance(out, array)):
                # Nobody looks at the indices of indexed arrays to find out.
                meeting = "same" if value is out else "overlap"
            if meeting == "overlap":
                inputs[at] = value.clone() if isinstance(value, array) else copied(value)
            elif meeting == "same":
                # The gradient is that of the array which is written.
                inputs[at] = out
                is_input = at if is_input < 0 else is_input
        same.append(is_input)
    return inputs, tuple(same) if any(at >= 0 for at in same) else ()


class _Meaning:
    """Stands for all functions of one meaning: the key of their plans, alive as long as one of these."""

    __slots__ = ()


_meanings: dict[Any, _Meaning] = {}


def _key(func: Any) -> Any:
    """The key of a function: two lambdas with the same code and the same variables are one."""
    if type(func) is not FunctionType and type(func) is not Function:
        return func
    key = meaning(func)
    found = _meanings.get(key)
    if found is None:
        if len(_meanings) >= _MOST_PLANS:
            _meanings.pop(next(iter(_meanings)), None)
        found = _meanings.setdefault(key, _Meaning())
    return found


def _made(
    func: Any,
    form: str | None,
    types: tuple[Any, ...],
    pattern: tuple[Any, ...],
    same: tuple[int, ...],
    kinds: tuple[type, ...],
) -> _Plan:
    """A kernel for inputs of these types."""
    ndim, *repeated = pattern
    function = None if form is not None else _function(func)
    name = f"map_{_OPERATORS[func]}" if form is not None else f"map_{_name(func)}"
    letters = _LETTERS[:ndim]
    params: list[tuple[str, Any]] = []
    values = []
    for at, (dtype, steps) in enumerate(zip(types, repeated, strict=True)):
        if steps is None:
            values.append(f"x{at}")
            params.append((f"x{at}", dtype))
        else:
            values.append(f"x{at}[{', '.join(steps)}]")
            kind, dtype = dtype if isinstance(dtype, tuple) else (array, dtype)
            params.append((f"x{at}", kind(dtype=dtype, ndim=len(steps))))
    call = f"func({', '.join(values)})" if form is None else form.format(*values)
    known: dict[str, Any] = {"wp": wp, "func": function, "__name__": __name__}
    # One element of each, to learn what comes out.
    names = ", ".join(f"{param}: 0" for param, _ in params)
    index = "".join(f"    {letter} = 0\n" for letter in letters)
    text = f"def {name}({names}):\n{index}    return {call}\n"
    try:
        results = _warp._result_types(_defined(text, name, known), (f"<{name}>", 1, text), params)
    except _warp.WarpCodegenTypeError as wrong:
        if form is None:
            raise
        # The text that was made up for an operator would say nothing to whoever wrote it.
        what = str(wrong).partition("\n")[0]
        raise type(wrong)(f"{what}; a.astype(dtype) converts an array") from None
    outs = []
    for at, dtype in enumerate(results):
        if same and same[at] >= 0:
            outs.append(f"x{same[at]}")
        else:
            outs.append(f"out{at}")
            kind = kinds[at] if at < len(kinds) else array
            params.append((f"out{at}", kind(dtype=dtype, ndim=ndim)))
    names = ", ".join(f"{param}: 0" for param, _ in params)
    found = [f"r{at}" for at in range(len(results))]
    stores = "".join(f"    {out}[{', '.join(letters)}] = {result}\n" for out, result in zip(outs, found, strict=True))
    text = f"def {name}({names}):\n    {', '.join(letters)} = wp.tid()\n    {', '.join(found)} = {call}\n{stores}"
    kernel = Kernel._of(_defined(text, name, known), (f"<{name}>", 1, text), params, None, None)
    return _Plan(kernel, [(dtype, _has_floats(dtype)) for dtype in results], ())


_OPERATORS = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "-1": "neg",
    "+1": "pos",
    "<": "lt",
    "<=": "le",
    ">": "gt",
    ">=": "ge",
    "==": "eq",
    "&": "and",
    "|": "or",
    "^": "xor",
    "<<": "lshift",
    ">>": "rshift",
    "~1": "invert",
    "not1": "not",
    "copy": "copy",
    "choose": "choose",
}


def _defined(text: str, name: str, known: dict[str, Any]) -> Any:
    exec(compile(text, f"<{name}>", "exec"), known)
    return known[name]
