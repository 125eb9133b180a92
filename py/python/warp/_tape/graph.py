"""A tape as a graph: launches, the arrays between them, and scopes around them; nothing of how it is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from warp import _warp


@dataclass
class Port:
    """A parameter of a launch.

    Attributes:
        name: Its name.
        note: What it is: its type.
        side: "in" or "out".
        index: Its number on that side.
    """

    name: str
    note: str
    side: str
    index: int

    @property
    def key(self) -> str:
        return f"{self.side}_{self.index}"


@dataclass
class Launch:
    """A launch as a node."""

    id: str
    title: str
    note: str
    ports: list[Port]
    order: float = 0.0


@dataclass
class Array:
    """An array as a node.

    Attributes:
        id: Its name in the text of the graph.
        label: What it is called.
        note: Its dtype, shape and the like.
        has_gradient: Whether it requires a gradient.
        users: The scopes of the launches that use it.
        bytes: Its first address, and the one after its last.
        order: When it is first used.
        made_here: Whether the first launch that uses it writes it.
    """

    id: str
    label: str
    note: str
    has_gradient: bool
    users: list[Scope] = field(default_factory=list)
    bytes: tuple[int, int] = (0, 0)
    order: float = 0.0
    made_here: bool = False


@dataclass
class Edge:
    """What joins a launch and an array.

    Attributes:
        array: The array.
        launch: The launch; None where two arrays are joined.
        port: Its parameter.
        reads: Whether the launch reads the array.
        writes: Whether it writes it.
        other: Where two arrays are joined: the other one.
        kind: "use", "again" (from one repetition to the next) or "part" (they share memory).
    """

    array: Array
    launch: Launch | None = None
    port: Port | None = None
    reads: bool = False
    writes: bool = False
    other: Array | None = None
    kind: str = "use"


@dataclass(eq=False)
class Scope:
    """A named part of the tape, or what it repeats, with what is in it, in order."""

    label: str
    note: str = ""
    repeated: bool = False
    parent: Scope | None = None
    items: list[Launch | Array | Scope] = field(default_factory=list)

    @property
    def order(self) -> float:
        """When it is first used; items are sorted by that."""
        return min((item.order for item in self.items), default=0.0)

    def path(self) -> list[Scope]:
        """The scopes around this one, the outermost first, and itself."""
        return [*(self.parent.path() if self.parent else []), self]


@dataclass
class Graph:
    """The whole: a scope without a name, and what joins the nodes in it."""

    root: Scope
    edges: list[Edge]


@dataclass
class Argument:
    """An array that a launch was given."""

    array: _warp.array
    name: str
    port: Port
    reads: bool
    writes: bool


def dtype_name(dtype: Any) -> str:
    return str(getattr(dtype, "__name__", dtype))


def arguments(launch: list[Any]) -> tuple[list[Port], list[Argument]]:
    """The ports of a launch, as ``Tape.launches`` lists it, and the arrays that are given there.

    What the kernel only writes goes out, and so does what it adds to, where it was given as an output. All else goes
    in. A struct has a port for each of its arrays, and one for its values.
    """
    kernel, _, _, inputs, outputs, *_ = launch
    leaves = _warp._parameters(kernel, True)
    access = list(zip(_warp._reads(kernel), _warp._writes(kernel), strict=True))
    ports: list[Port] = []
    found: list[Argument] = []

    def add(name: str, note: str, out: bool) -> Port:
        side = "out" if out else "in"
        port = Port(name, note, side, sum(1 for other in ports if other.side == side))
        ports.append(port)
        return port

    names = list(dict.fromkeys(leaf[0].partition(".")[0] for leaf in leaves))
    for place, (name, value) in enumerate(zip(names, [*inputs, *outputs], strict=True)):
        is_output = place >= len(inputs)
        own = [at for at, leaf in enumerate(leaves) if leaf[0] == name or leaf[0].startswith(f"{name}.")]
        if isinstance(value, _warp.array):
            reads, writes = any(access[at][0] for at in own), any(access[at][1] for at in own)
            port = add(name, f"array of {dtype_name(value.dtype)}, {value.ndim}-d", writes and (is_output or not reads))
            found.append(Argument(value, name, port, reads, writes))
            continue
        if not all(leaves[at][2] for at in own) or not own:
            is_value = len(own) == 1 and leaves[own[0]][0] == name
            add(name, dtype_name(leaves[own[0]][1] if is_value else type(value)), False)
        for at in own:
            leaf, leaf_dtype, leaf_ndim = leaves[at]
            array = _member(value, leaf.removeprefix(f"{name}.")) if leaf_ndim else None
            if isinstance(array, _warp.array):
                reads, writes = access[at]
                port = add(
                    leaf, f"array of {dtype_name(leaf_dtype)}, {leaf_ndim}-d", writes and (is_output or not reads)
                )
                found.append(Argument(array, leaf, port, reads, writes))
    return ports, found


def _member(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = getattr(value, name, None)
        if isinstance(value, _warp.array):
            return value
    return value


def key_of(array: _warp.array) -> tuple[Any, ...]:
    """The same for arrays of the same elements."""
    return (array.ptr or id(array), array.shape, array.strides, dtype_name(array.dtype))


def byte_range(array: _warp.array) -> tuple[int, int]:
    """The addresses from the first to after the last byte."""
    if not array.ptr or not array.size:
        return 0, 0
    steps = [(extent - 1) * stride for extent, stride in zip(array.shape, array.strides, strict=True)]
    low, high = sum(min(step, 0) for step in steps), sum(max(step, 0) for step in steps)
    return array.ptr + low, array.ptr + high + array.dtype._elem.size


def all_arrays(scope: Scope) -> Iterator[Array]:
    """The arrays in a scope and in those within it."""
    for item in scope.items:
        if isinstance(item, Array):
            yield item
        elif isinstance(item, Scope):
            yield from all_arrays(item)


def part_edges(arrays: Sequence[Array]) -> list[Edge]:
    """Edges between arrays that share memory, each to the smallest that holds it, or else to the one before."""
    order = sorted((a for a in arrays if a.bytes[1] > a.bytes[0]), key=lambda a: (a.bytes[0], -a.bytes[1]))
    edges: list[Edge] = []
    open_: list[Array] = []
    for array in order:
        open_ = [other for other in open_ if other.bytes[1] > array.bytes[0]]
        if open_:
            edges.append(Edge(array, other=open_[-1], kind="part"))
        open_.append(array)
    return edges
