"""Random wrong use: each public function and method, called with neighbours of right arguments.

A case is a few lines of text, which follow from its seed.
"""

from __future__ import annotations

import ast
import inspect
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from wrong_use.neighbours import BASES, CLASS_PROTOCOLS, HOWS, NEIGHBOURS, PROTOCOLS, TRANSFORMED, TYPES
from wrong_use.right_values import ANY, ARRAYS, BY_KIND, BY_NAME, TOGETHER
from wrong_use.surface import Param, class_of, group_of, signatures, surface
from wrong_use.tables import IN_PLACE, LEFT_OUT, OF_GROUP, OFTEN, OPERATORS, OWN, RECEIVERS, UNARY


@dataclass
class Case:
    """One run: statements of which each may fail, and what they call."""

    seed: int
    path: str
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


class Generator:
    """Writes one case."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.case = Case(seed, "")
        self.wraps: list[str] = []

    def make(self) -> Case:
        rng = self.rng
        kinds = {
            self.function: 30,
            self.sequence: 30,
            self.launch: 14,
            self.operator: 10,
            self.definition: 8,
            self.setting: 4,
            self.freed: 3,
            self.module: 1,
        }
        rng.choices(list(kinds), list(kinds.values()))[0]()
        # What torch itself says of a tensor that has lost its memory is not looked at.
        if "ptr" not in self.case.text and "freeing" not in self.case.text and rng.random() < 0.5:
            self.case.lines.append("look(o)" if any(x.startswith("o = ") for x in self.case.lines) else "look(r)")
        return self.case

    # Values

    def right(self, p: Param, depth: int = 0) -> str:
        rng = self.rng
        if p.name in BY_NAME and rng.random() < 0.9:
            return rng.choice(BY_NAME[p.name])
        words = [w for w in BY_KIND if w in _words(p.annotation)]
        if words:
            return rng.choice(BY_KIND[rng.choice(words)])
        if p.name.endswith("array") or p.name in ("a", "src", "dest", "out"):
            return rng.choice(ARRAYS)
        return rng.choice(ANY)

    def misbehaving(self) -> str:
        rng = self.rng
        how = rng.choice(HOWS)
        if rng.random() < 0.05:
            return f"bad_class({how!r}, {rng.choice(CLASS_PROTOCOLS)!r})"
        names = rng.sample(PROTOCOLS, rng.choice([1, 1, 1, 2, 3]))
        if rng.random() < 0.1:
            names = PROTOCOLS[:9]
        base = rng.choice(BASES)
        more = "" if base == "object" else f", base={base}"
        if base in ("list", "tuple"):
            more += ", value=[1, 2]"
        if base in ("int", "float") and rng.random() < 0.5:
            more += ", value=2"
        return f"bad({how!r}, {', '.join(map(repr, names))}{more})"

    def neighbour(self, right: str = "None") -> str:
        rng = self.rng
        draw = rng.random()
        if draw < 0.16:
            return self.misbehaving()
        if draw < 0.2 and not self.wraps:
            self.wraps.append(rng.choice(TRANSFORMED))
            return "t"
        if draw < 0.27 and right != "None":
            # NumPy ends the process where it reads a sparse tensor of Paddle, without this package, too.
            whole = f"[[{right}]]" if "to_sparse" in right else f"np.asarray({right})"
            return rng.choice(
                [
                    f"[{right}]",
                    f"({right},)",
                    f"type({right})",
                    whole,
                    f"[{right}, {right}]",
                    f"{{'x': {right}}}",
                    f"iter([{right}])",
                    f"(lambda: {right})",
                    f"repr({right})",
                    f"[[{right}], {right}]",
                ]
            )
        return rng.choice(NEIGHBOURS[rng.choice(list(NEIGHBOURS))])

    def exchanged(self, call: str, count: int) -> str:
        """A call in which `count` parts of its arguments are exchanged for neighbours."""
        rng = self.rng
        tree = ast.parse(call, mode="eval")
        for _ in range(count):
            assert isinstance(tree.body, ast.Call)
            places = list(_places(tree.body, 0))
            if not places:
                continue
            # Whole arguments are drawn as often as all that is inside them.
            top = [p for p in places if p[3] == 0]
            inner = [p for p in places if p[3] > 0]
            owner, name, at, _ = rng.choice(inner if inner and rng.random() < 0.4 else top)
            old = getattr(owner, name) if at is None else getattr(owner, name)[at]
            new = ast.parse(self.neighbour(ast.unparse(old)), mode="eval").body
            if at is None:
                setattr(owner, name, new)
            else:
                getattr(owner, name)[at] = new
        return ast.unparse(tree)

    # Calls

    def arguments(self, path: str, params: list[Param], group: str = "") -> str:
        rng = self.rng
        together = TOGETHER.get(path) or TOGETHER.get(group)
        given = dict(rng.choice(together)) if together and rng.random() < 0.8 else {}
        stars = given.pop("*", None)
        parts: list[str] = []
        by_name = False
        for p in params:
            if p.is_star:
                if stars is not None:
                    parts.append(stars)
                elif not by_name:
                    parts += [rng.choice(ANY) for _ in range(rng.choice([0, 1, 1, 2, 3]))]
                continue
            if p.name in given:
                value = given.pop(p.name)
            elif p.is_required or rng.random() < (0.12 if together else 0.3):
                value = self.right(p)
            else:
                by_name = True
                continue
            if by_name or p.is_keyword or rng.random() < 0.15:
                by_name = True
                parts.append(f"{p.name}={value}")
            else:
                parts.append(value)
        parts += [f"{name}={value}" for name, value in given.items()]
        if rng.random() < 0.02:
            parts.append("no_such_parameter=1")
        if rng.random() < 0.03 and parts:
            parts.pop(rng.randrange(len(parts)))
        return ", ".join(sorted(parts, key=lambda part: bool(part.partition("=")[0].isidentifier() and "=" in part)))

    def call(self, target: str, path: str, params: list[Param], group: str = "") -> str:
        text = f"{target}({self.arguments(path, params, group)})"
        return self.exchanged(text, self.rng.choice([0, 1, 1, 1, 1, 2, 2]))

    def say(self, statement: str) -> None:
        """Adds a statement, within the transformation whose value it uses."""
        if self.wraps:
            statement = f"{self.wraps.pop()}(lambda t: {statement})"
        self.case.lines.append(f"r = {statement}")

    def function(self) -> None:
        group = self.rng.choice(list(surface().functions.values()))
        path, value, name = self.rng.choice(group)
        self.case.path = path
        self.say(self.call(path, path, self.rng.choice(signatures(value, name)), group_of(path, value)))
        if self.rng.random() < 0.15 and callable(value):
            decorated = f"r({self.neighbour()})"
            self.say(decorated)

    def launch(self) -> None:
        path = self.rng.choice(["wp.launch", "wp.launch", "wp.launch", "wp.map", "wp.array", "wp.copy", "wp.Launch"])
        found = next(item for item in everything() if item[0] == path)
        self.case.path = path
        self.say(self.call(path, path, self.rng.choice(signatures(found[1], found[2]))))

    def receiver(self) -> tuple[str, type]:
        """An object, as `o`, and its class."""
        rng = self.rng
        name, cls = rng.choice(rng.choice(list(surface().methods.values())))
        draw = rng.random()
        if draw < 0.45:
            name = "array" if draw < 0.25 else rng.choice(OFTEN)
            cls = class_of(name)
        group = group_of(name, cls)
        path = next((item[0] for item in everything() if item[1] is cls), "")
        if name in RECEIVERS:
            text = rng.choice(RECEIVERS[name])
        elif group in OF_GROUP:
            text = rng.choice(OF_GROUP[group]).format(path)
        else:
            text = f"{path}({self.arguments(path, rng.choice(signatures(cls, name)), group)})"
        self.case.path = name
        self.case.lines.append(f"o = {text}")
        return name, cls

    def sequence(self) -> None:
        """Up to three calls and assignments on one object."""
        rng = self.rng
        name, cls = self.receiver()
        cls = class_of(name) if cls is object else cls
        members = [m for m in sorted(set(dir(cls))) if m not in OWN and (m.startswith("__") or not m.startswith("_"))]
        members = [m for m in members if f"wp.{name}.{m}" not in LEFT_OUT] or ["__str__"]
        for _ in range(rng.choice([1, 1, 2, 3])):
            member = rng.choice(members)
            value = inspect.getattr_static(cls, member, None)
            if member == "__enter__":
                self.say("o.__enter__()")
                continue
            if callable(value) or isinstance(value, staticmethod | classmethod):
                path = f"wp.{name}.{member}"
                params = rng.choice(signatures(getattr(cls, member), f"{name}.{member}"))
                self.say(self.call(f"o.{member}", path, params))
            elif rng.random() < 0.4:
                self.case.lines.append(f"r = o.{member}")
            elif rng.random() < 0.1:
                self.case.lines.append(f"del o.{member}")
            else:
                self.case.lines.append(f"o.{member} = {self.plain_neighbour()}")

    def plain_neighbour(self) -> str:
        """A neighbour where no transformation can be wrapped around."""
        found = self.neighbour()
        while self.wraps:
            self.wraps.clear()
            found = self.neighbour()
        return found

    def operator(self) -> None:
        rng = self.rng
        self.receiver()
        for _ in range(rng.choice([1, 1, 2])):
            other = self.plain_neighbour()
            draw = rng.random()
            if draw < 0.3:
                self.say(rng.choice(["o {} ({})", "({1}) {0} o"]).format(rng.choice(OPERATORS), other))
            elif draw < 0.4:
                self.case.lines.append(f"o {rng.choice(IN_PLACE)} {other}")
            elif draw < 0.6:
                self.say(rng.choice(UNARY).format("o"))
            elif draw < 0.8:
                self.say(f"o[{other}]" if rng.random() < 0.7 else f"o[{other}, {self.plain_neighbour()}]")
            elif draw < 0.95:
                key = rng.choice(["0", "...", "slice(None)", "(0, 0)", self.plain_neighbour()])
                self.case.lines.append(f"o[{key}] = {other}")
            else:
                self.case.lines.append(f"del o[{other}]")

    def definition(self) -> None:
        """A kernel, function or struct of types that are none, and a use of it."""
        rng = self.rng
        one, two = (self.plain_neighbour() if rng.random() < 0.7 else rng.choice(TYPES) for _ in range(2))
        given = self.plain_neighbour()
        texts = rng.choice(
            [
                [f"kernel_with({one}, {two})", f"wp.launch(r, dim=1, inputs=[{given}, {self.plain_neighbour()}])"],
                [f"kernel_with({one})", f"wp.launch(r, dim=1, inputs=[{given}])"],
                [f"kernel_with(wp.array(dtype={one}), body='p0[0] = p0[1]')", f"wp.launch(r, dim=1, inputs=[{given}])"],
                [f"func_with({one})", f"r({given})"],
                [f"func_with({one}, body='return p0 + p0')", f"wp.map(r, {given})"],
                [f"kernel_that_knows({one})", "wp.launch(r, dim=1, inputs=[wp.zeros(1)])"],
                [f"struct_with(x={one})", f"setattr(o, 'x', {given})", "wp.zeros(2, dtype=r)", f"r.fill_({given})"],
                [
                    f"struct_with(x=float, y={two})",
                    f"wp.array([{given}], dtype=r)",
                    f"wp.array([r() for r in [{given}]])",
                ],
                [f"wp.array(dtype={one}, ndim={given})", f"r({two})"],
                [f"wp.zeros(2, dtype={one})", f"r.fill_({given})"],
                [f"wp.types.vector({given}, {one})", f"r({two})"],
                [f"wp.types.matrix(({given}, 2), {one})", f"r({two})"],
            ]
        )
        self.case.path = texts[0].partition("(")[0]
        self.say(texts[0])
        if "struct_with(x=" in texts[0] and len(texts) > 3:
            self.case.lines.append("o = r()")
            self.case.lines.append(texts[1])
            del texts[1]
        for text in texts[1:]:
            self.say(text)

    def setting(self) -> None:
        path = self.rng.choice(surface().settings)
        self.case.path = path
        self.case.lines.append(f"{path} = {self.plain_neighbour()}")
        self.case.lines.append("wp.launch(scale, dim=4, inputs=[wp.ones(4), 2.0])")

    def freed(self) -> None:
        """Memory that an argument's reading frees or changes."""
        rng = self.rng
        self.case.path = "wp.launch"
        if rng.random() < 0.5:
            self.case.lines.append(f"o = {rng.choice(['torch.ones(4)', 'torch.ones(100000)'])}")
            other = "freeing(o)"
        else:
            self.case.lines.append(f"o = {rng.choice(['wp.ones(4)', 'wp.ones((2, 2))', 'wp.ones(100000)'])}")
            name, value = rng.choice(
                [("shape", "2"), ("shape", "(2, 2)"), ("grad", "None"), ("requires_grad", "True"), ("strides", "(8,)")]
            )
            other = f"writing(o, {name!r}, {value})"
        self.say(
            rng.choice(
                [
                    f"wp.launch(scale, dim=4, inputs=[o, {other}])",
                    f"wp.launch(scale, dim={other}, inputs=[o, 2.0])",
                    f"wp.launch(table, dim=(2, 2), inputs=[o, {other}])",
                    f"wp.copy(wp.zeros(4), o, count={other})",
                    f"wp.copy(o, wp.zeros(4), dest_offset={other})",
                    f"wp.array(o, dtype=float, shape=({other},))",
                    f"wp.array(o, dtype=float, shape=({other}, 2), copy=False)",
                    f"wp.utils.array_sum(o, value_count={other})",
                    f"wp.full(shape=({other},), value=o)",
                    f"wp.map(double, o, {other})",
                    f"wp.from_torch(o, dtype=wp.types.vector({other}, float))",
                    f"wp.ones(4)[{other}]",
                    f"wp.launch(scale, dim=4, inputs=[[1.0, {other}], o])",
                ]
            )
        )

    def module(self) -> None:
        path = self.rng.choice(surface().modules)
        self.case.path = path
        self.case.lines.append(f"r = getattr({path}, {self.rng.choice(['x', 'nowhere', '_x', '__x__', ''])!r})")


def everything() -> Iterator[tuple[str, Any, str]]:
    for group in surface().functions.values():
        yield from group


def _words(text: str) -> set[str]:
    return set("".join(c if c.isalnum() or c == "_" else " " for c in text).split())


def _places(call: ast.Call, depth: int) -> Iterator[tuple[ast.AST, str, int | None, int]]:
    """Where a call has expressions that can be exchanged: owner, field, index, depth."""
    for at, arg in enumerate(call.args):
        yield call, "args", at, depth
        yield from _inside(arg, depth + 1)
    for keyword in call.keywords:
        yield keyword, "value", None, depth
        yield from _inside(keyword.value, depth + 1)


def _inside(node: ast.AST, depth: int) -> Iterator[tuple[ast.AST, str, int | None, int]]:
    if isinstance(node, ast.List | ast.Tuple):
        for at, part in enumerate(node.elts):
            yield node, "elts", at, depth
            yield from _inside(part, depth + 1)
    elif isinstance(node, ast.Dict):
        for at, part in enumerate(node.values):
            yield node, "keys", at, depth
            yield node, "values", at, depth
            yield from _inside(part, depth + 1)
    elif isinstance(node, ast.Call) and ast.unparse(node.func).startswith("wp."):
        yield from _places(node, depth)


def case(seed: int) -> Case:
    return Generator(seed).make()
