"""Random programs of several launches: kernels, fills, copies and slices that overwrite what was read before.

A program is a list of steps on four arrays, of which two hold scalars and two vectors. It runs on any arrays, recorded
or not, so that one text gives the values, the differences and the gradients.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import warp as wp

from . import random_kernels

SIZE = 4

HEAD = """\
@wp.kernel
def kernel(a: wp.array(dtype=wp.float64), b: wp.array(dtype=wp.float64),
           u: wp.array(dtype=wp.vec2d), v: wp.array(dtype=wp.vec2d), n: int, p: wp.float64):
    i = wp.tid()
"""


@dataclass
class Kernels:
    """Writes the text of one kernel, in the expressions of the single kernels."""

    rng: random.Random
    lines: list[str] = field(default_factory=list)

    def text(self, seed: int) -> str:
        rng = self.rng
        writer = random_kernels.Generator(seed)
        writer.rng = rng
        for _ in range(rng.randint(0, 1)):
            writer.function()
        writer.lines += HEAD.splitlines()
        writer.floats, writer.ints = ["p"], ["i", "n"]
        for source in rng.sample(("a[i]", "b[i]", "a[i - 1]", "u[i][0]", "wp.dot(u[i], v[i])", "v[i][1]"), 3):
            name = writer.fresh("x")
            writer.emit(1, f"{name} = {source}")
            writer.floats.append(name)
        for _ in range(rng.randint(1, 3)):
            self.statement(writer, 1)
        if rng.random() < 0.4:
            writer.emit(1, f"if {writer.condition(0)}:")
            self.write(writer, 2)
            writer.emit(2, "return")
        if rng.random() < 0.5:
            name = writer.fresh("k")
            writer.emit(1, f"for {name} in range(n):")
            self.statement(writer, 2)
        self.write(writer, 1)
        return "\n".join(writer.lines) + "\n"

    def statement(self, writer: random_kernels.Generator, indent: int) -> None:
        if self.rng.random() < 0.5:
            self.write(writer, indent)
        else:
            mutable = [x for x in writer.floats if x != "p"]
            writer.emit(indent, f"{self.rng.choice(mutable)} = {writer.expr(1)}")

    def write(self, writer: random_kernels.Generator, indent: int) -> None:
        """Threads write only what is theirs: no result depends on their order."""
        e = writer.expr
        forms = [
            lambda: f"b[i] = {e(1)}",
            lambda: f"b[i] = wp.sin(b[i] + {e(1)})",
            lambda: f"b[i] += {e(1)} * wp.float64(0.25)",
            lambda: f"u[i] = wp.vec2d({e(1)}, {e(0)})",
            lambda: f"v[i] = v[i] * wp.cos({e(0)}) + u[i] * wp.float64(0.5)",
            lambda: f"u[i][1] = {e(1)}",
            lambda: f"wp.atomic_add(v, i, wp.vec2d({e(0)}, {e(0)}))",
        ]
        writer.emit(indent, self.rng.choice(forms)())


Arrays = dict[str, wp.array]
Step = tuple[str, Callable[[Arrays], object]]


class Program:
    """Two to five launches, and what overwrites arrays between them: a and b of scalars, u and v of vectors."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.steps: list[Step] = []
        count = self.rng.randint(2, 5)
        texts = [Kernels(self.rng).text(seed) for _ in range(self.rng.randint(1, 2))]
        namespace = {"wp": wp}
        self.kernels = [
            random_kernels.compile_text(text, dict(namespace), f"program {seed}.{at}")["kernel"]
            for at, text in enumerate(texts)
        ]
        self.texts = texts
        for at in range(count):
            if at > 0:
                for _ in range(self.rng.randint(0, 2)):
                    self.steps.append(self.overwrite())
            self.steps.append(self.launch())
        if self.rng.random() < 0.5:
            self.steps.append(self.overwrite())

    def __str__(self) -> str:
        return "\n".join([*self.texts, *(text for text, _ in self.steps)])

    def launch(self) -> Step:
        rng = self.rng
        at = rng.randrange(len(self.kernels))
        kernel = self.kernels[at]
        # A kernel reads a and writes b, u, v: each may be any array of its type that no other argument is.
        a, b = rng.sample("ab", 2)
        u, v = rng.sample("uv", 2)
        n, p = rng.randint(0, 3), rng.uniform(-1.0, 1.0)
        how = rng.choice(["launch", "launch", "command", "slices"])
        text = f"{how} kernel {at} with {a}, {b}, {u}, {v}, {n}, {p}"

        def run(arrays: Arrays) -> None:
            args = [arrays[name] for name in (a, b, u, v)]
            if how == "slices":
                args = [arg[1:] for arg in args]
            dim = args[0].shape[0]
            if how == "command":
                wp.launch(kernel, dim=dim, inputs=[*args, n, p], record_cmd=True).launch()
            else:
                wp.launch(kernel, dim=dim, inputs=[*args, n, p])

        return text, run

    def overwrite(self) -> Step:
        rng = self.rng
        pair = rng.choice(["ab", "uv"])
        to, source = rng.sample(pair, 2)
        value = rng.uniform(-1.0, 1.0)
        low = rng.randint(0, SIZE - 2)
        high = rng.randint(low + 1, SIZE)
        shift = rng.randint(0, SIZE - (high - low))
        where, of = slice(low, high), slice(shift, shift + high - low)
        forms: list[Step] = [
            (f"{to}.fill_({value})", lambda x: x[to].fill_(value)),
            (f"{to}.zero_()", lambda x: x[to].zero_()),
            (f"{to}[{low}:{high}] = {value}", lambda x: x[to].__setitem__(where, value)),
            (f"{to}[{low}:{high}].zero_()", lambda x: x[to][where].zero_()),
            (f"{to}[{low}:{high}].fill_({value})", lambda x: x[to][where].fill_(value)),
            (f"{to}[{low}] = {value}", lambda x: x[to].__setitem__(low, element(x[to], value))),
            (f"{to}.assign({source})", lambda x: x[to].assign(x[source])),
            (f"copy({to}, {source})", lambda x: wp.copy(x[to], x[source])),
            (
                f"{to}[{low}:{high}] = {source}[{of.start}:{of.stop}]",
                lambda x: x[to].__setitem__(where, x[source][of]),
            ),
            (f"copy({to}[::2], {source}[1::2])", lambda x: wp.copy(x[to][::2], x[source][1::2])),
            (f"{to} = {source}.clone()", lambda x: x.__setitem__(to, x[source].clone())),
        ]
        return rng.choice(forms)

    def run(self, arrays: Arrays) -> Arrays:
        """Runs all steps; returns the arrays at the end, which may be other ones."""
        arrays = dict(arrays)
        for _, step in self.steps:
            step(arrays)
        return arrays


def element(array: wp.array, value: float) -> object:
    return wp.vec2d(value, -value) if array.dtype is wp.vec2d else value
