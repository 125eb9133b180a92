"""Makes the graph of a tape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from warp import _warp
from warp._tape.graph import (
    Argument,
    Array,
    Edge,
    Graph,
    Launch,
    Scope,
    all_arrays,
    arguments,
    byte_range,
    dtype_name,
    key_of,
    part_edges,
)
from warp._tape.repeats import Token, fold


@dataclass
class Options:
    """What is drawn; see ``Tape.visualize``."""

    simplify: bool = True
    hide_readonly: bool = False
    labels: dict[Any, str] = field(default_factory=dict)
    longest_name: bool = True
    ignore_scopes: bool = False
    tracked: list[tuple[_warp.array, str]] = field(default_factory=list)


@dataclass
class _Listed:
    """A launch with its arrays."""

    launch: list[Any]
    given: tuple[Any, list[Argument]]
    number: int


def tokens_of(tape: Any, ignore_scopes: bool) -> list[Token]:
    """The launches of a tape, with the begins and ends of scopes between them."""
    launches, marks = tape.launches, [] if ignore_scopes else tape.scopes
    tokens: list[Token] = []
    for number, launch in enumerate([*launches, None]):
        while marks and (marks[0][0] <= number or launch is None):
            _, name, metadata = marks.pop(0)
            if name is None:
                tokens.append(Token("end", depth=-1))
            else:
                tokens.append(Token(("scope", name), (name, metadata), depth=1))
        if launch is None or callable(launch):
            continue
        shapes = [value.shape if isinstance(value, _warp.array) else None for value in (*launch[3], *launch[4])]
        key = (launch[0], launch[1], len(launch[3]), tuple(shapes))
        tokens.append(Token(key, _Listed(launch, arguments(launch), number)))
    return tokens


class Builder:
    """Puts nodes and edges together, launch by launch."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.root = Scope("")
        self.edges: list[Edge] = []
        self.arrays: dict[tuple[Any, ...], Array] = {}
        self.names: dict[str, list[str]] = {}
        self.fixed: set[str] = set()
        self.written: set[str] = set()
        self.launches = 0
        self.joined: set[tuple[str, str]] = set()

    def graph(self, tokens: Sequence[Token]) -> Graph:
        """The graph of a tape."""
        for array, label in self.options.tracked:
            node = self._node(array, label)
            self.fixed.add(node.id)
            node.label = label
        self._scope(tokens, self.root, {})
        self._name()
        self._hide()
        self._place()
        arrays = list(all_arrays(self.root))
        return Graph(self.root, [*self.edges, *part_edges(arrays)])

    def _scope(self, tokens: Sequence[Token], scope: Scope, drawn: dict[int, Launch]) -> None:
        """Draw tokens; `drawn` gets the node of each launch by its place."""
        inner = [scope]
        for token in tokens:
            if token.rounds is not None:
                self._repeat(token.rounds, inner[-1], drawn)
            elif token.depth > 0:
                name, metadata = token.value
                note = ", ".join(f"{key}: {value}" for key, value in metadata.items())
                child = Scope(name, note, parent=inner[-1])
                inner[-1].items.append(child)
                inner.append(child)
            elif token.depth < 0:
                if len(inner) > 1:
                    inner.pop()
            else:
                self._launch(token.value, inner[-1], drawn)

    def _repeat(self, rounds: list[list[Token]], scope: Scope, drawn: dict[int, Launch]) -> None:
        child = Scope(f"repeated {len(rounds)}x", repeated=True, parent=scope)
        scope.items.append(child)
        self._scope(rounds[0], child, drawn)
        first = _flat(rounds[0])
        for later in rounds[1:]:
            for model, listed in zip(first, _flat(later), strict=True):
                self._again(model, listed, drawn[model.number])

    def _launch(self, listed: _Listed, scope: Scope, drawn: dict[int, Launch]) -> None:
        kernel, dim, *_ = listed.launch
        ports, given = listed.given
        shape = " x ".join(map(str, dim)) or "1"
        name = kernel.__name__
        node = Launch(f"kernel{self.launches}", name, f"{name}: {shape} threads", ports, self.launches)
        self.launches += 1
        drawn[listed.number] = node
        scope.items.append(node)
        for argument in given:
            # What a copy calls its arrays says nothing about them.
            name = "" if kernel.func.__module__ == "warp._arrays.copy" else argument.name
            array = self._node(argument.array, name)
            if not array.users:
                array.made_here = argument.port.side == "out"
                array.order = node.order + (0.25 if argument.port.side == "out" else -0.25)
            array.users.append(scope)
            if argument.writes:
                self.written.add(array.id)
            self.edges.append(Edge(array, node, argument.port, argument.reads, argument.writes))

    def _again(self, model: _Listed, listed: _Listed, node: Launch) -> None:
        """Draw a launch of a later repetition on the node of the first."""
        drawn = dict(zip(_flat_names(model), model.given[1], strict=False))
        for name, argument in zip(_flat_names(listed), listed.given[1], strict=False):
            first = drawn.get(name)
            if first is None:
                continue
            array, key = self.arrays[key_of(first.array)], key_of(argument.array)
            known = self.arrays.setdefault(key, array)
            if known.id == array.id:
                continue
            if (known.id, array.id) not in self.joined:
                self.joined.add((known.id, array.id))
                pair = (known, array) if argument.reads else (array, known)
                self.edges.append(Edge(pair[0], other=pair[1], kind="again"))

    def _node(self, array: _warp.array, name: str) -> Array:
        key = key_of(array)
        node = self.arrays.get(key)
        if node is None:
            note = f"shape={array.shape}, dtype={dtype_name(array.dtype)}, requires_grad={array.requires_grad}"
            node = Array(f"arr{len(self.arrays)}", name, note, array.requires_grad, bytes=byte_range(array))
            self.arrays[key] = node
            self.names[node.id] = []
        if name and name not in self.names[node.id]:
            self.names[node.id].append(name)
        return node

    def _name(self) -> None:
        for array, label in self.options.labels.items():
            node = self.arrays.get(key_of(array))
            if node is not None and node.id not in self.fixed:
                self.fixed.add(node.id)
                node.label = label
        for node in self.arrays.values():
            if node.id not in self.fixed:
                names = self.names[node.id] or ["array"]
                node.label = max(names, key=len) if self.options.longest_name else names[0]

    def _hide(self) -> None:
        if self.options.hide_readonly:
            hidden = {a.id for a in self.arrays.values()} - self.written - self.fixed
            self.edges = [e for e in self.edges if e.array.id not in hidden and not (e.other and e.other.id in hidden)]

    def _place(self) -> None:
        """Put what a launch makes into its scope, other arrays into the innermost one that holds all their users."""
        shown = {e.array.id for e in self.edges} | {e.other.id for e in self.edges if e.other}
        done: set[str] = set()
        for node in self.arrays.values():
            if node.id in done or (node.id not in shown and node.id not in self.fixed):
                continue
            done.add(node.id)
            path = [self.root]
            if node.made_here:
                path = node.users[0].path()
            elif node.users:
                paths = [scope.path() for scope in node.users]
                path = [same[0] for same in zip(*paths, strict=False) if all(s is same[0] for s in same)]
            path[-1].items.append(node)
        _sort(self.root)


def _sort(scope: Scope) -> None:
    for item in scope.items:
        if isinstance(item, Scope):
            _sort(item)
    scope.items.sort(key=lambda item: item.order)


def _flat(tokens: Sequence[Token]) -> list[_Listed]:
    """The launches of tokens, of repetitions only the first."""
    found: list[_Listed] = []
    for token in tokens:
        if token.rounds is not None:
            found.extend(_flat(token.rounds[0]))
        elif token.depth == 0 and token.value is not None:
            found.append(token.value)
    return found


def _flat_names(listed: _Listed) -> list[tuple[str, str]]:
    return [(argument.port.key, argument.name) for argument in listed.given[1]]


def build(tape: Any, options: Options) -> Graph:
    """The graph of a tape."""
    tokens = tokens_of(tape, options.ignore_scopes)
    return Builder(options).graph(fold(tokens) if options.simplify else tokens)
