"""The user's side of operators: which parameters are what, and what a call gives for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from warp._operator.operator import Operator
from warp._operator.parts import Binding, Parameter, Shape
from warp._warp import Kernel, _current, _digest, _error, _parameters, _writes


def operator(
    kernel: Kernel,
    *,
    what: str,
    num_outputs: int = 1,
    in_out_argnames: Sequence[str] = (),
    sequential: bool = False,
    enable_backward: bool = True,
) -> Operator:
    """The operator of a kernel whose inputs come before its outputs.

    Args:
        kernel: The kernel.
        what: Name of the calling function, for messages.
        num_outputs: How many of the last parameters are outputs, those of `in_out_argnames` included.
        in_out_argnames: Inputs that the kernel changes: they are copied, and the copy is an output.
        sequential: One launch for each item of a batch.
        enable_backward: Part of the name, as operators with and without gradients differ.

    Raises:
        TypeError: This is not a kernel, or it writes one of its inputs, or an output is not an array.
        ValueError: `num_outputs` or a name does not fit the kernel.
    """
    if not isinstance(kernel, Kernel):
        raise TypeError(f"{what}: kernel is {type(kernel).__name__}, expected a kernel; decorate it with @wp.kernel")
    kernel = _current(kernel)
    described = _parameters(kernel)
    names = [name for name, _, _ in described]
    place = f"{what}: kernel '{kernel.__name__}'"
    inout = set(check_names(place, "in_out_argnames", in_out_argnames, names))
    if not is_integer(num_outputs) or num_outputs < max(1, len(inout)):
        raise ValueError(
            f"{place}: num_outputs is {num_outputs!r}, expected at least {max(1, len(inout))}"
            + (" (those of in_out_argnames are outputs too)" if len(inout) > 1 else "")
        )
    pure = num_outputs - len(inout)
    if pure > len(names):
        raise ValueError(f"{place} has {len(names)} parameters, so that there cannot be {num_outputs} outputs")
    first = len(names) - pure
    writes = _writes(kernel)
    parameters = []
    for i, (name, dtype, ndim) in enumerate(described):
        is_output = i >= first
        if (is_output or name in inout) and not ndim:
            raise TypeError(f"{place}: output '{name}' is not an array; outputs are the last parameters")
        if is_output and name in inout:
            raise ValueError(f"{place}: '{name}' is in in_out_argnames, but outputs follow it only; lower num_outputs")
        if not is_output and name not in inout and writes[i]:
            raise TypeError(
                f"{place} writes its input '{name}'; count it with num_outputs, or name it in in_out_argnames"
            )
        binding = (
            Binding.OUT if is_output else Binding.INOUT if name in inout else Binding.READ if ndim else Binding.VALUE
        )
        parameters.append(Parameter(name, dtype, ndim, binding))
    leader = next((i for i, p in enumerate(parameters) if p.binding in (Binding.READ, Binding.INOUT)), None)
    item = None if leader is None else tuple((leader, d) for d in range(parameters[leader].ndim))
    roles = "".join({Binding.OUT: "o", Binding.INOUT: "m"}.get(p.binding, "i") for p in parameters)
    flags = roles + ("s" if sequential else "") + ("" if enable_backward else "n")
    name = f"{plain(kernel.__name__)}_{_digest(kernel)[:16]}_{flags}"
    return Operator(name, kernel, tuple(parameters), item=item, sequential=sequential)


def check_names(place: str, what: str, given: Iterable[str] | None, known: Sequence[str]) -> tuple[str, ...]:
    """The names of parameters that are given for an option.

    Args:
        place: What has the parameters, for messages.
        what: Name of the option.
        given: The names; None for none.
        known: Those of all parameters.

    Raises:
        TypeError: This is a str.
        ValueError: There is no parameter of a name, or one is given twice.
    """
    if isinstance(given, str):
        raise TypeError(f"{place}: {what} is a str, expected a list of names, as in [{given!r}]")
    names = tuple(given or ())
    for k, name in enumerate(names):
        if name not in known:
            raise ValueError(f"{place} has no parameter '{name}' ({what}); it has {', '.join(known)}")
        if name in names[:k]:
            raise ValueError(f"{place}: {what} names '{name}' twice")
    return names


def is_integer(value: Any) -> bool:
    """Whether this is an int, or one of NumPy's; True and False are none."""
    return hasattr(value, "__index__") and not isinstance(value, bool) and getattr(value, "ndim", 0) == 0


def plain(name: str) -> str:
    """A name of letters that torch and jax take."""
    return "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in name)


def extents(value: Any, what: str) -> tuple[Any, ...] | None:
    """An extent or a sequence of them as a tuple; None stays None.

    Raises:
        TypeError: It is something else.
    """
    if value is None:
        return None
    if isinstance(value, (list, tuple)):  # torch 2.8 compiles no unions
        return tuple(value)
    if (
        isinstance(value, int) or hasattr(value, "__index__") or hasattr(value, "node")
    ):  # an int, NumPy's too, or a symbolic one
        return (value,)
    try:
        return tuple(value)
    except TypeError:
        raise TypeError(f"{what} is {type(value).__name__}, expected an int or a tuple of ints") from None


def output_extents(op: Operator, value: Any, item_dims: Callable[[], Shape]) -> tuple[Any, ...] | None:
    """`output_dims` as the extents of all outputs one after the other, without those of elements.

    Args:
        op: The operator.
        value: None; an int or a sequence for all outputs; or a mapping from names of outputs to those. The
            dimensions of elements may follow: `(n, 3)` for `n` elements of `vec3`.
        item_dims: The launch dimensions, for outputs that a mapping leaves out.

    Raises:
        TypeError, ValueError: It does not fit the outputs; the message names which.
    """
    if value is None:
        return None
    outputs = {op.parameters[i].name: op.parameters[i] for i in op.outputs}
    if isinstance(value, Mapping):
        for name in value:
            if name not in outputs:
                known = ", ".join(outputs) or "none"
                raise ValueError(f"{op.title}: output_dims names '{name}', which is no output; outputs are {known}")
    result: list[Any] = []
    for name, p in outputs.items():
        one = value.get(name) if isinstance(value, Mapping) else value
        dims = extents(one, f"{op.title}: output_dims of '{name}'")
        if dims is None:
            dims = item_dims()
        if p.inner and len(dims) == p.ndim + len(p.inner) and tuple(dims[p.ndim :]) == p.inner:
            dims = dims[: p.ndim]
        if len(dims) != p.ndim:
            raise ValueError(
                f"{op.title}: output_dims of '{name}' is {tuple(dims)}, expected {p.ndim} dimensions"
                + (f", or {p.ndim + len(p.inner)} that end in {p.inner}" if p.inner else "")
            )
        result += dims
    return tuple(result)


def bind(op: Operator, what: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
    """The arguments of a call in order; they may be given by the names of parameters.

    Raises:
        TypeError: There are too few, too many, or unknown ones.
    """
    names = [op.parameters[i].name for i in op.arguments]
    if not kwargs and len(args) == len(names):
        return tuple(args)
    given = {name: value for name, value in zip(names, args)}  # noqa: B905, C416  (as torch 2.8 compiles it)
    for name, value in kwargs.items():
        if name not in names:
            raise TypeError(f"{what}: {op.title} has no input '{name}'; inputs are {', '.join(names)}")
        if name in given:
            raise TypeError(f"{what}: {op.title} got two values for '{name}'")
        given[name] = value
    if len(args) > len(names) or len(given) < len(names):
        text = (
            f"{what}: {op.title} takes {len(names)} inputs ({', '.join(names)}), found {len(args) + len(kwargs)}; "
            "outputs are made and returned"
        )
        raise _error("Mismatch", text)
    return tuple(given[name] for name in names)
