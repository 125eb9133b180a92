"""Kernels as functions without side effects: what `torch_kernel` and its like in other frameworks share.

A kernel writes into arrays that it is given; an operator of a framework takes arrays and returns new ones. An
:class:`Operator` says how each parameter of a kernel is filled for that: with an argument, with a copy of one, with
new memory that is returned. Its derivative is an operator again, on the kernel's adjoint, and so is its version for
batches: derivatives of any order, of batches too, follow from two rules, `derive` and `batch`.

Nothing here knows a framework: shapes are tuples, and :class:`Memory` makes arrays.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from warp._warp import (
    Kernel,
    _adjoint_facts,
    _adjoint_kernel,
    _batch_kernel,
    _digest,
    _lift_kernel,
    _parameters,
    _prints,
    _run,
    _writes,
)

#: Where an extent comes from: a parameter and one of its dimensions, those of elements left out.
Extent = tuple[int, int]
Shape = tuple[Any, ...]

_MAX_NDIM = 4


class Fill(enum.Enum):
    """What a parameter of a kernel gets when an operator runs."""

    VALUE = "a number or vector, from the caller"
    READ = "an array from the caller, which is not written"
    INOUT = "a copy of an array from the caller; returned"
    WORK = "a copy of an array from the caller; dropped"
    CLEAR = "zeros of the size of an array from the caller; dropped"
    OUT = "zeros; returned"
    ZEROS = "zeros; dropped"
    STAND = "another parameter's array, for its extents only"
    ABSENT = "nothing: a gradient that nobody asked for"


_ARGUMENTS = {Fill.VALUE, Fill.READ, Fill.INOUT, Fill.WORK, Fill.CLEAR}
_RESULTS = {Fill.INOUT, Fill.OUT}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel and how an operator fills it."""

    name: str
    #: Type of the value, or of the elements: `wp.float32`, `wp.vec3`.
    dtype: Any
    #: Dimensions of an array; 0 for a value.
    ndim: int
    fill: Fill
    #: STAND: whose array.
    like: int | None = None
    #: OUT, ZEROS: extents in front of those of an item.
    front: tuple[Extent, ...] = ()
    #: OUT, ZEROS: extents of an item; None: what the caller says, else the launch's.
    item: tuple[Extent, ...] | None = None

    @property
    def is_array(self) -> bool:
        """Whether it is an array."""
        return self.ndim > 0

    @property
    def inner(self) -> tuple[int, ...]:
        """Dimensions of an element: `()`, `(3,)` for `vec3`."""
        shape: tuple[int, ...] = self.dtype._elem.shape
        return shape

    @property
    def scalar(self) -> str:
        """Name of the type of a component: "float32"."""
        name: str = self.dtype._elem.scalar
        return name

    @property
    def is_differentiable(self) -> bool:
        """Whether it is an array of floats."""
        return self.is_array and self.dtype._elem.is_float


class Memory(Protocol):
    """A framework's way to make arrays, next to an array `near` or on the default device."""

    def zeros(self, shape: Shape, scalar: str, near: Any) -> Any:
        """An array of zeros."""

    def copy(self, array: Any) -> Any:
        """A copy without gaps between elements."""

    def readable(self, array: Any, inner: int) -> Any:
        """The array, or a copy of it if the last `inner` dimensions have gaps."""

    def shape(self, array: Any) -> Shape:
        """The shape."""


class Where(enum.Enum):
    """What an argument of a derivative is, seen from the operator that was differentiated."""

    ARGUMENT = "one of its arguments"
    RESULT = "one of its results"
    GRADIENT = "the gradient of one of its results"


@dataclass(frozen=True)
class Derivative:
    """An operator's derivative."""

    operator: Operator
    #: For each argument: what it is, and of which parameter.
    sources: tuple[tuple[Where, int], ...]
    #: For each result: the parameter whose gradient it is.
    gradients: tuple[int, ...]
    #: Which arguments, by place in `sources`, are looked at for their extents only.
    bare: frozenset[int] = frozenset()


@dataclass(frozen=True, eq=False)
class Operator:
    """A kernel as a function from arrays to new arrays."""

    #: Stable across processes, different for what differs.
    name: str
    kernel: Kernel
    parameters: tuple[Parameter, ...]
    #: Launch dimensions in front: batches.
    front: tuple[Extent, ...] = ()
    #: The other launch dimensions, unless the caller gives them; None if there is nothing to take them from.
    item: tuple[Extent, ...] | None = None
    #: One launch for each item of a batch.
    sequential: bool = False
    _made: dict[Any, Any] = dataclasses.field(default_factory=dict, repr=False)

    @functools.cached_property
    def arguments(self) -> tuple[int, ...]:
        """The parameters that the caller fills."""
        return tuple(i for i, p in enumerate(self.parameters) if p.fill in _ARGUMENTS)

    @functools.cached_property
    def results(self) -> tuple[int, ...]:
        """The parameters that are returned."""
        return tuple(i for i, p in enumerate(self.parameters) if p.fill in _RESULTS)

    @functools.cached_property
    def outputs(self) -> tuple[int, ...]:
        """The parameters whose extents the caller may give."""
        return tuple(i for i, p in enumerate(self.parameters) if p.fill is Fill.OUT and p.item is None)

    @functools.cached_property
    def prints(self) -> bool:
        """Whether running it prints."""
        return _prints(self.kernel)

    # Shapes

    def check(self, shapes: Mapping[int, Shape]) -> None:
        """Raise ValueError unless the shapes of the array arguments are those that the parameters want."""
        for i in self.arguments:
            p = self.parameters[i]
            if not p.is_array:
                continue
            shape, inner = tuple(shapes[i]), p.inner
            if len(shape) != p.ndim + len(inner) or (inner and tuple(shape[p.ndim :]) != inner):
                want = ", ".join(["n"] * p.ndim + [str(n) for n in inner])
                raise ValueError(
                    f"{self.title}: argument '{p.name}' has shape {shape}, expected {p.ndim + len(inner)} dimensions "
                    f"({want}{',' if p.ndim + len(inner) == 1 else ''}) for an array of {p.dtype.__name__}"
                )

    @property
    def title(self) -> str:
        """How messages name the operator."""
        return f"kernel '{self.kernel.key}'"

    def dims(self, shapes: Mapping[int, Shape], given: Sequence[Any] | None) -> Shape:
        """The launch dimensions. `given` are those of an item."""
        return (*self._extents(self.front, shapes), *self._item_dims(shapes, given))

    def _item_dims(self, shapes: Mapping[int, Shape], given: Sequence[Any] | None) -> Shape:
        if given is not None:
            return tuple(given)
        if self.item is None:
            raise ValueError(f"{self.title}: no input array says how many threads to launch; give launch_dims")
        return self._extents(self.item, shapes)

    def _extents(self, extents: tuple[Extent, ...], shapes: Mapping[int, Shape]) -> Shape:
        return tuple(self._shape(i, shapes)[d] for i, d in extents)

    def _shape(self, i: int, shapes: Mapping[int, Shape]) -> Shape:
        p = self.parameters[i]
        if p.fill is Fill.STAND:
            assert p.like is not None
            return self._shape(p.like, shapes)
        if i in shapes:
            return shapes[i]
        return self.shape(i, shapes, None, None)

    def shape(
        self, i: int, shapes: Mapping[int, Shape], launch: Sequence[Any] | None, outputs: Sequence[Any] | None
    ) -> Shape:
        """The shape that an array that the operator makes has for the framework.

        `outputs` holds the extents of all `outputs` one after the other; those of an item, without components.
        """
        p = self.parameters[i]
        front = self._extents(p.front, shapes)
        if p.item is not None:
            item = self._extents(p.item, shapes)
        elif outputs is not None:
            start = sum(self._given_ndim(j) for j in self.outputs if j < i)
            item = tuple(outputs[start : start + self._given_ndim(i)])
        else:
            item = self._item_dims(shapes, launch)
        if len(front) + len(item) != p.ndim:
            raise ValueError(
                f"{self.title}: output '{p.name}' has {p.ndim - len(front)} dimensions and the launch {len(item)} "
                f"{tuple(item)}; give output_dims"
            )
        return (*front, *item, *p.inner)

    def _given_ndim(self, i: int) -> int:
        return self.parameters[i].ndim - len(self.parameters[i].front)

    def result_shapes(
        self, shapes: Mapping[int, Shape], launch: Sequence[Any] | None, outputs: Sequence[Any] | None
    ) -> list[Shape]:
        """Shapes of the results; `shapes` are those of the array arguments, by parameter."""
        self.check(shapes)
        return [
            shapes[i] if self.parameters[i].fill is Fill.INOUT else self.shape(i, shapes, launch, outputs)
            for i in self.results
        ]

    # Running

    def run(
        self,
        arguments: Sequence[Any],
        launch: Sequence[int] | None,
        outputs: Sequence[int] | None,
        memory: Memory,
    ) -> list[Any]:
        """Run the kernel on `arguments`, one for each of `self.arguments`; returns the results."""
        given = dict(zip(self.arguments, arguments, strict=True))
        for i, argument in given.items():
            if argument is None:
                raise TypeError(f"{self.title}: argument '{self.parameters[i].name}' is None")
        shapes = {i: memory.shape(a) for i, a in given.items() if self.parameters[i].is_array}
        self.check(shapes)
        near = next((given[i] for i in shapes), None)
        filled: list[Any] = []
        for i, p in enumerate(self.parameters):
            filled.append(self._filled(i, p, given.get(i), shapes, launch, outputs, near, memory))
        for i, p in enumerate(self.parameters):
            if p.fill is Fill.STAND:
                assert p.like is not None
                filled[i] = filled[p.like]
        _run(self.kernel, self.dims(shapes, launch), tuple(filled))
        return [filled[i] for i in self.results]

    def _filled(
        self,
        i: int,
        p: Parameter,
        argument: Any,
        shapes: Mapping[int, Shape],
        launch: Sequence[int] | None,
        outputs: Sequence[int] | None,
        near: Any,
        memory: Memory,
    ) -> Any:
        match p.fill:
            case Fill.VALUE:
                return argument
            case Fill.READ:
                return memory.readable(argument, len(p.inner)) if p.inner else argument
            case Fill.INOUT | Fill.WORK:
                return memory.copy(argument)
            case Fill.CLEAR:
                return memory.zeros(shapes[i], p.scalar, near)
            case Fill.OUT | Fill.ZEROS:
                return memory.zeros(self.shape(i, shapes, launch, outputs), p.scalar, near)
            case _:
                return None

    # Derivatives

    @functools.cached_property
    def differentiable(self) -> tuple[int, ...]:
        """The arguments, as parameters, that have gradients."""
        return tuple(i for i in self.arguments if self.parameters[i].is_differentiable)

    def derive(self, wanted: Sequence[int]) -> Derivative:
        """The operator for the gradients of the arguments `wanted`, given as parameters.

        Raises:
            RuntimeError, TypeError: There is no gradient; the message says why.
        """
        key = ("derive", tuple(wanted))
        if key not in self._made:
            self._made[key] = self._derive(set(wanted))
        made: Derivative = self._made[key]
        return made

    def _derive(self, wanted: set[int]) -> Derivative:
        consume = [i for i, p in enumerate(self.parameters) if p.fill is Fill.INOUT and p.is_differentiable]
        facts = {f[0]: f[1:] for f in _adjoint_facts(self.kernel, consume)}
        kernel = _adjoint_kernel(self.kernel, consume)
        described = _parameters(kernel)
        parameters = list(self.parameters)
        adjoints: dict[int, Parameter] = {}
        sources: dict[int, tuple[Where, int]] = {}
        bare: set[int] = set()
        for i, p in enumerate(self.parameters):
            if not p.is_array:
                sources[i] = (Where.ARGUMENT, i)
                continue
            grad, data, written, extremum = facts[i]
            made, source = self._primal(p, grad, data, extremum)
            parameters[i] = made
            if source is not None and made.fill in _ARGUMENTS:
                sources[i] = (source, i)
                if data == "none" and made.fill is Fill.READ:
                    bare.add(i)
            if grad is not None:
                name, dtype, ndim = described[grad]
                fill = _adjoint_fill(p.fill, i in wanted, written)
                whole = tuple((i, d) for d in range(ndim))
                adjoints[grad] = Parameter(name, dtype, ndim, fill, item=whole)
                if fill in _ARGUMENTS:
                    sources[grad] = (Where.GRADIENT, i)
        parameters += [adjoints[g] for g in sorted(adjoints)]
        suffix = "".join(str(int(i in wanted)) for i in self.differentiable)
        operator = dataclasses.replace(
            self, name=f"{self.name}_d{suffix}", kernel=kernel, parameters=tuple(parameters), _made={}
        )
        of = {g: i for i, (g, *_) in facts.items() if g is not None}
        return Derivative(
            operator,
            tuple(sources[i] for i in operator.arguments),
            tuple(of[i] for i in operator.results),
            frozenset(k for k, i in enumerate(operator.arguments) if i in bare),
        )

    def _primal(self, p: Parameter, grad: int | None, data: str, extremum: bool) -> tuple[Parameter, Where | None]:
        """What a parameter of the kernel gets in its adjoint, and where that comes from."""
        before = data in ("before", "scratch")
        match p.fill:
            case Fill.OUT if grad is None:
                return _filled_as(p, Fill.CLEAR if before else Fill.READ), Where.RESULT
            case Fill.OUT if data == "after":
                return _filled_as(p, Fill.READ), Where.RESULT
            case Fill.OUT if before:
                whole = tuple((grad, d) for d in range(p.ndim)) if grad is not None else None
                return dataclasses.replace(p, fill=Fill.ZEROS, front=(), item=whole), None
            case Fill.OUT:
                return dataclasses.replace(_filled_as(p, Fill.STAND), like=grad), None
            case Fill.INOUT | Fill.WORK if data == "after":
                if extremum and grad is not None:
                    raise RuntimeError(
                        f"{self.title} has no gradient: it takes minima or maxima with what '{p.name}' held before; "
                        "make it an output of the kernel, or enable_backward=False"
                    )
                return _filled_as(p, Fill.READ), Where.RESULT
            case Fill.INOUT | Fill.WORK:
                return _filled_as(p, Fill.WORK if data == "scratch" else Fill.READ), Where.ARGUMENT
            case _:
                return p, Where.ARGUMENT

    # Values with gradients

    def lift(self, values: Sequence[int]) -> Operator:
        """The operator whose parameters `values`, which are values, are arrays of one element instead."""
        key = ("lift", tuple(values))
        if key not in self._made:
            marked = [i in values for i in range(len(self.parameters))]
            parameters = tuple(
                dataclasses.replace(p, ndim=1, fill=Fill.READ) if m else p
                for m, p in zip(marked, self.parameters, strict=True)
            )
            self._made[key] = dataclasses.replace(
                self,
                name=f"{self.name}_l{'_'.join(map(str, values))}",
                kernel=_lift_kernel(self.kernel, marked),
                parameters=parameters,
                _made={},
            )
        made: Operator = self._made[key]
        return made

    # Batches

    def batch(self, batched: Sequence[int], given: int | None) -> Operator | None:
        """The operator for a batch of arguments, those of the parameters `batched`, which have the batch in front.

        Args:
            batched: At least one array argument; all that are copied (INOUT, WORK, CLEAR) are among them.
            given: Number of launch dimensions that the caller gives, if any.

        Returns:
            None if there would be more than four dimensions.
        """
        item = len(self.item or ()) if given is None else given
        if len(self.front) + item >= _MAX_NDIM:
            return None
        key = ("batch", tuple(batched))
        if key not in self._made:
            self._made[key] = self._batch(set(batched))
        made: Operator | None = self._made[key]
        return made

    @functools.cached_property
    def copied(self) -> tuple[int, ...]:
        """The arguments that need an array of their own for each item of a batch."""
        fills = (Fill.INOUT, Fill.WORK, Fill.CLEAR)
        return tuple(i for i in self.arguments if self.parameters[i].fill in fills)

    def _batch(self, batched: set[int]) -> Operator | None:
        items = set(batched)
        for i, p in enumerate(self.parameters):
            if p.fill in (Fill.OUT, Fill.ZEROS):
                items.add(i)
        for i, p in enumerate(self.parameters):
            if p.fill is Fill.STAND and p.like in items:
                items.add(i)
        kernel = _batch_kernel(self.kernel, [i in items for i in range(len(self.parameters))])
        if kernel is None:
            return None

        def moved(extents: tuple[Extent, ...]) -> tuple[Extent, ...]:
            return tuple((i, d + (i in items)) for i, d in extents)

        one = (min(batched), 0)
        parameters = []
        for i, p in enumerate(self.parameters):
            ndim = p.ndim + (i in items)
            if p.fill in (Fill.OUT, Fill.ZEROS):
                item = None if p.item is None else moved(p.item)
                p = dataclasses.replace(p, ndim=ndim, front=(one, *moved(p.front)), item=item)
            elif i in items:
                p = dataclasses.replace(p, ndim=ndim)
            parameters.append(p)
        suffix = "".join(str(int(i in batched)) for i in self.arguments if self.parameters[i].is_array)
        return dataclasses.replace(
            self,
            name=f"{self.name}_b{suffix}",
            kernel=kernel,
            parameters=tuple(parameters),
            front=(one, *moved(self.front)),
            item=None if self.item is None else moved(self.item),
            _made={},
        )


def _filled_as(p: Parameter, fill: Fill) -> Parameter:
    return dataclasses.replace(p, fill=fill, like=None, front=(), item=None)


def _adjoint_fill(fill: Fill, wanted: bool, written: bool) -> Fill:
    """How the gradient of a parameter that is filled so is filled."""
    match fill:
        case Fill.READ:
            return Fill.OUT if wanted else Fill.ABSENT
        case Fill.OUT:
            return Fill.WORK if written else Fill.READ
        case Fill.INOUT if wanted:
            return Fill.INOUT
        case Fill.INOUT:
            return Fill.WORK if written else Fill.READ
        case Fill.WORK:
            return Fill.OUT if wanted else Fill.ZEROS
        case Fill.ZEROS | Fill.CLEAR:
            return Fill.ZEROS
        case _:
            return Fill.ABSENT


# The user's side: which parameters are what


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
    if isinstance(in_out_argnames, str):
        raise TypeError(f"{what}: in_out_argnames is a str, expected a list of names, as in [{in_out_argnames!r}]")
    described = _parameters(kernel)
    names = [name for name, _, _ in described]
    inout = set(in_out_argnames or ())
    place = f"{what}: kernel '{kernel.key}'"
    for name in inout - set(names):
        raise ValueError(f"{place} has no parameter '{name}' (in_out_argnames); it has {', '.join(names)}")
    if isinstance(num_outputs, bool) or not isinstance(num_outputs, int) or num_outputs < max(1, len(inout)):
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
        fill = Fill.OUT if is_output else Fill.INOUT if name in inout else Fill.READ if ndim else Fill.VALUE
        parameters.append(Parameter(name, dtype, ndim, fill))
    leader = next((i for i, p in enumerate(parameters) if p.fill in (Fill.READ, Fill.INOUT)), None)
    item = None if leader is None else tuple((leader, d) for d in range(parameters[leader].ndim))
    roles = "".join({Fill.OUT: "o", Fill.INOUT: "m"}.get(p.fill, "i") for p in parameters)
    flags = roles + ("s" if sequential else "") + ("" if enable_backward else "n")
    name = f"{_plain(kernel.key)}_{_digest(kernel)[:16]}_{flags}"
    return Operator(name, kernel, tuple(parameters), item=item, sequential=sequential)


def _plain(name: str) -> str:
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
        raise TypeError(
            f"{what}: {op.title} takes {len(names)} inputs ({', '.join(names)}), found {len(args) + len(kwargs)}; "
            "outputs are made and returned"
        )
    return tuple(given[name] for name in names)
