"""Random kernels: text that is both a kernel and a plain Python function on NumPy scalars."""

from __future__ import annotations

import linecache
import os
import random
from dataclasses import dataclass, field

import numpy as np

SOAK = bool(os.environ.get("WARP_SOAK"))
# Of so many programs one is compiled with LLVM's optimiser, which takes five times as long as all the rest.
ONE_OPTIMISED_OF = int(os.environ.get("WARP_RANDOM_OPTIMISED", "1" if SOAK else "8"))


def optimization_level(seed: int) -> int | None:
    """The setting ``optimization_level`` for the kernels of one seed."""
    return 0 if seed % ONE_OPTIMISED_OF else None


HEAD = """\
@wp.kernel
def kernel(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64),
           out: wp.array(dtype=wp.float64), acc: wp.array(dtype=wp.float64),
           n: int, p: wp.float64):
    i = wp.tid()
"""


@dataclass
class Generator:
    """Writes one program. Every expression stays within [-2, 2] if its parts do."""

    seed: int
    rng: random.Random = field(init=False)
    lines: list[str] = field(default_factory=list)
    floats: list[str] = field(default_factory=list)
    ints: list[str] = field(default_factory=list)
    funcs: list[tuple[str, int]] = field(default_factory=list)
    names: int = 0

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    def fresh(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def literal(self) -> str:
        return f"wp.float64({self.rng.uniform(-1.5, 1.5):.4f})"

    def expr(self, depth: int) -> str:
        rng = self.rng
        if depth == 0 or rng.random() < 0.15:
            return rng.choice(self.floats) if rng.random() < 0.8 else self.literal()
        a = self.expr(depth - 1)
        b = self.expr(depth - 1)
        half = "wp.float64(0.5)"
        one = "wp.float64(1.0)"
        forms = [
            f"({a} + {b}) * {half}",
            f"({a} - {b}) * {half}",
            f"{a} * {b} * {half}",
            f"wp.sin({a} * {b})",
            f"wp.cos({a} - {b})",
            f"wp.tanh({a} + {b})",
            f"wp.exp(-{a} * {a})",
            f"{a} / ({one} + {b} * {b})",
            f"wp.sqrt({one} + {a} * {a}) * {half}",
            f"wp.log({one} + {a} * {a})",
            f"wp.atan2({a}, {one} + {b} * {b})",
            f"wp.min({a}, {b})",
            f"wp.max({a}, {b})",
            f"wp.abs({a})",
            f"({a} if {self.condition(0)} else {b})",
            f"(wp.abs({a}) + {half}) ** {half}",
        ]
        if self.funcs:
            name, arity = rng.choice(self.funcs)
            args = ", ".join([a, b, self.expr(0)][:arity])
            forms += [f"{name}({args})"] * 3
        return "(" + rng.choice(forms) + ")"

    def condition(self, depth: int = 1) -> str:
        rng = self.rng
        if self.ints and rng.random() < 0.4:
            left, right = rng.choice(self.ints), rng.randint(0, 3)
            test = f"{left} {rng.choice(['<', '>', '==', '!=', '<=', '>='])} {right}"
        else:
            test = f"{self.expr(depth)} {rng.choice(['<', '>'])} {self.expr(depth)}"
        if depth and rng.random() < 0.25:
            test = f"{test} {rng.choice(['and', 'or'])} {self.condition(0)}"
        return f"not ({test})" if rng.random() < 0.1 else test

    def emit(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def block(self, indent: int, size: int, depth: int, loop: bool) -> None:
        """Statements that may see outer variables; what they define stays inside."""
        floats, ints = list(self.floats), list(self.ints)
        for _ in range(size):
            self.statement(indent, depth, loop)
        self.floats, self.ints = floats, ints

    def kinds(self, depth: int, loop: bool) -> list[str]:
        """The kinds of statements to choose from."""
        kinds = ["let", "set", "set", "set", "augment", "store", "atomic"]
        if depth > 0:
            kinds += ["if", "if", "for", "for", "while", "nested"]
        if loop:
            kinds += ["break", "continue"]
        return kinds

    def statement(self, indent: int, depth: int, loop: bool) -> None:
        rng = self.rng
        kind = rng.choice(self.kinds(depth, loop))
        if kind == "let":
            name = self.fresh("v")
            self.emit(indent, f"{name} = {self.expr(2)}")
            self.floats.append(name)
        elif kind == "set":
            mutable = [v for v in self.floats if v != "p"]
            self.emit(indent, f"{rng.choice(mutable)} = {self.expr(2)}")
        elif kind == "augment":
            mutable = [v for v in self.floats if v != "p"]
            name = rng.choice(mutable)
            self.emit(indent, f"{name} *= wp.cos({self.expr(1)})")
        elif kind == "store":
            if rng.random() < 0.5:
                self.emit(indent, f"y[i] = wp.sin(y[i] + {self.expr(1)})")
            else:
                self.emit(indent, f"y[i] = {self.expr(1)}")
        elif kind == "atomic":
            self.emit(indent, f"wp.atomic_add(acc, 0, {self.expr(1)})")
        elif kind == "if":
            self.emit(indent, f"if {self.condition()}:")
            self.block(indent + 1, rng.randint(1, 2), depth - 1, loop)
            if rng.random() < 0.3:
                self.emit(indent, f"elif {self.condition()}:")
                self.block(indent + 1, 1, depth - 1, loop)
            if rng.random() < 0.5:
                self.emit(indent, "else:")
                self.block(indent + 1, rng.randint(1, 2), depth - 1, loop)
        elif kind in ("for", "nested"):
            name = self.fresh("k")
            bounds = ["n", "n - 1", "1, n", "n, 0, -1", "0, n, 2", "2"]
            bounds += [f"{k} + 1" for k in self.ints if k.startswith("k")]
            self.emit(indent, f"for {name} in range({rng.choice(bounds)}):")
            self.ints.append(name)
            size = rng.randint(1, 2) if kind == "for" else 1
            self.block(indent + 1, size, depth - 1, True)
            self.ints.remove(name)
        elif kind == "while":
            count = self.fresh("c")
            self.emit(indent, f"{count} = int(0)")
            self.emit(indent, f"while {count} < n and {self.condition(0)}:")
            self.emit(indent + 1, f"{count} += 1")
            self.ints.append(count)
            self.block(indent + 1, rng.randint(1, 2), depth - 1, True)
            self.ints.remove(count)
        elif kind in ("break", "continue"):
            self.emit(indent, f"if {self.condition(0)}:")
            self.emit(indent + 1, kind)

    def function(self) -> None:
        """A function with an early return and perhaps a loop."""
        name, arity = self.fresh("f"), self.rng.randint(1, 3)
        params = [f"a{j}" for j in range(arity)]
        floats, ints, self.floats, self.ints = self.floats, self.ints, list(params), []
        self.emit(0, "@wp.func")
        self.emit(0, f"def {name}({', '.join(f'{a}: wp.float64' for a in params)}):")
        if self.rng.random() < 0.4:
            self.emit(1, f"for k in range({self.rng.randint(2, 4)}):")
            self.emit(2, f"{params[0]} = {self.expr(1)}")
            if self.rng.random() < 0.6:
                self.emit(2, f"if {self.condition(0)}:")
                self.emit(3, f"return {self.expr(1)}")
        if self.rng.random() < 0.5:
            self.emit(1, f"if {self.condition()}:")
            self.emit(2, f"return {self.expr(1)}")
        self.emit(1, f"return {self.expr(2)}")
        self.emit(0, "")
        self.floats, self.ints = floats, ints
        self.funcs.append((name, arity))

    def program(self) -> str:
        for _ in range(self.rng.randint(0, 2)):
            self.function()
        self.lines += HEAD.splitlines()
        self.floats, self.ints = ["p"], ["i", "n"]
        for source in ("x[i]", "x[i - 1]", "y[i]"):
            name = self.fresh("v")
            self.emit(1, f"{name} = {source}")
            self.floats.append(name)
        for _ in range(self.rng.randint(3, 6)):
            self.statement(1, 3, False)
            if self.rng.random() < 0.08:
                self.emit(1, f"if {self.condition()}:")
                self.emit(2, f"out[i] = {self.expr(1)}")
                self.emit(2, "return")
        self.emit(1, f"out[i] = {self.expr(2)}")
        return "\n".join(self.lines) + "\n"


def compile_text(text: str, namespace: dict, label: str) -> dict:
    """Runs the text so that `inspect` finds its source."""
    filename = f"<random kernel {label}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    exec(compile(text, filename, "exec"), namespace)
    return namespace


class Plain:
    """Stands in for `warp` so that the same text runs as plain Python on NumPy scalars."""

    float64 = np.float64
    sin, cos, tanh, exp, sqrt = np.sin, np.cos, np.tanh, np.exp, np.sqrt
    log, abs = np.log, np.abs
    atan2, min, max = np.arctan2, np.minimum, np.maximum

    def __init__(self) -> None:
        self.index = 0

    def tid(self) -> int:
        return self.index

    @staticmethod
    def kernel(f):
        return f

    @staticmethod
    def func(f):
        return f

    @staticmethod
    def array(dtype):
        return dtype

    @staticmethod
    def atomic_add(array, index, value):
        array[index] += value


def run_plain(text: str, label: str, x, y, out, acc, n: int, p: float) -> None:
    """Runs every thread in order with CPython."""
    plain = Plain()
    function = compile_text(text, {"wp": plain}, f"{label} plain")["kernel"]
    for i in range(len(x)):
        plain.index = i
        function(x, y, out, acc, n, np.float64(p))
