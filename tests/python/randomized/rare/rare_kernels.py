"""Kernels about functions, as texts.

They are written in float64, which stands for their type; `wp.SUM` is a type with digits enough for sums of `term`, and
`wp.OTHER` one that some of the calls are made in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from randomized import random_kernels
from support.places import ROOT

from .rare_values import to_numpy, to_warp

BUILTINS = ROOT / "docs" / "builtins.md"
SIGNATURE = re.compile(r"- `(\w+)\((.*)\) -> (\w+)`")


# Functions of which native code and the interpreter may give results that differ in their last bits.
NEARLY = {
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "log2", "log10",
    "cbrt", "pow", "erf", "erfc", "erfinv", "erfcinv",
}  # fmt: skip


@dataclass(frozen=True)
class Function:
    """A function of one to three floats, as a kernel calls it."""

    name: str
    arity: int
    is_test: bool

    def call(self, *args: str) -> str:
        """A float, whatever the result is: tests give 1 or 0."""
        text = f"wp.{self.name}({', '.join(args[: self.arity])})"
        return f"wp.where({text}, wp.float64(1.0), wp.float64(0.0))" if self.is_test else text

    def call_in_other(self, *args: str) -> str:
        """The same, computed in another type."""
        text = self.call(*(f"wp.OTHER({arg})" for arg in args))
        return text if self.is_test else f"wp.float64({text})"


def table() -> list[Function]:
    """All functions of floats in the table of builtins, from the page that is made of it."""
    found = {}
    for line in BUILTINS.read_text().splitlines():
        parts = SIGNATURE.fullmatch(line)
        if not parts:
            continue
        name, params, result = parts.groups()
        types = [param.partition(": ")[2] for param in re.split(r", (?=\w+:)", params)]
        if set(types) <= {"F", "S", "E(F)", "E(S)"} and result in ("F", "S", "E", "bool"):
            found.setdefault(name, Function(name, len(types), result == "bool"))
    return list(found.values())


def wide(dtype: str) -> str:
    return "float64" if dtype == "float64" else "float32"


def typed(text: str, dtype: str, other: str = "") -> str:
    """Names the types of a kernel."""
    return text.replace("float64", dtype).replace("SUM", wide(dtype)).replace("OTHER", other or dtype)


def term(value: str) -> str:
    """What is added up of a value: a small whole number, so that sums are the same in any order."""
    return f"wp.SUM(wp.rint(wp.clamp({value}, wp.float64(-2.0), wp.float64(2.0)) * wp.float64(16.0)))"


@contextmanager
def compiled_as(lanes: str | int, level: int | None) -> Iterator[None]:
    """How kernels are compiled."""
    old = wp.config.lanes, wp.config.optimization_level
    wp.config.lanes, wp.config.optimization_level = lanes, level
    try:
        yield
    finally:
        wp.config.lanes, wp.config.optimization_level = old


@dataclass(frozen=True)
class Kernel:
    """A kernel of arrays by name and type; those of two dimensions have a type with `*`."""

    params: dict[str, str]
    lines: list[str]
    other: str = ""

    def text(self, dtype: str) -> str:
        arrays = (f"{name}: wp.array{'2d' * ('*' in of)}(dtype=wp.{of.strip('*')})" for name, of in self.params.items())
        body = ["i = wp.tid()", *self.lines]
        head = f"@wp.kernel\ndef kernel({', '.join(arrays)}):\n"
        return typed(head + "".join(f"    {line}\n" for line in body), dtype, self.other)

    def compiled(self, dtype: str, lanes: str | int) -> Any:
        """Compiled when it is launched first."""
        text = self.text(dtype)
        return random_kernels.compile_text(text, {"wp": wp}, f"rare {lanes} {hash(text)}")["kernel"]

    def given(self, dtype: str, values: dict[str, np.ndarray], **options: bool) -> dict[str, wp.array]:
        """The arrays that are passed."""
        types = {name: typed(of.strip("*"), dtype, self.other) for name, of in self.params.items()}
        return {name: to_warp(values[name], of, **({} if of == "int32" else options)) for name, of in types.items()}

    def run(
        self, dtype: str, lanes: str | int, values: dict[str, np.ndarray], launch: Callable = wp.launch
    ) -> dict[str, np.ndarray]:
        """What it leaves in its arrays; as many threads run as `x` has numbers in a row."""
        arrays = self.given(dtype, values)
        with compiled_as(lanes, None):
            launch(self.compiled(dtype, lanes), dim=values["x"].shape[-1], inputs=[*arrays.values()])
        return {name: to_numpy(array) for name, array in arrays.items()}

    def slopes(
        self, dtype: str, lanes: str | int, values: dict[str, np.ndarray], seeds: dict[str, np.ndarray]
    ) -> dict[str, np.ndarray]:
        """The gradients of its arrays, of what it writes those that are given."""
        arrays = self.given(dtype, values, requires_grad=True)
        given = self.given(dtype, {**values, **seeds})
        with compiled_as(lanes, None):
            with wp.Tape() as tape:
                wp.launch(self.compiled(dtype, lanes), dim=values["x"].shape[-1], inputs=[*arrays.values()])
            tape.backward(grads={arrays[name]: given[name] for name in seeds})
        return {name: to_numpy(array.grad) for name, array in arrays.items() if array.requires_grad}


def of_arguments(params: dict[str, str], lines: list[str]) -> Kernel:
    """A kernel of the arguments of all functions, `x`, `y`, `z`, and of other arrays."""
    given = dict.fromkeys(["x", "y", "z"], "float64")
    return Kernel({**given, **params}, ["a = x[i]", "b = y[i]", "c = z[i]", *lines])


def every_function(functions: list[Function]) -> Kernel:
    """Each function of a thread's arguments."""
    lines = [f"out[{k}, i] = {f.call('a', 'b', 'c')}" for k, f in enumerate(functions)]
    return of_arguments({"out": "float64*"}, lines)


def each_of_its_own(functions: list[Function]) -> Kernel:
    """Each function of arguments of its own, so that each has its own gradients."""
    calls = [f.call(f"x[{k}, i]", f"y[{k}, i]", f"z[{k}, i]") for k, f in enumerate(functions)]
    lines = [f"out[{k}, i] = {call}" for k, call in enumerate(calls)]
    return Kernel(dict.fromkeys(["x", "y", "z", "out"], "float64*"), lines)


def summing(functions: list[Function]) -> Kernel:
    """Sums beside the calls: of all threads in one element, of some in one, and of each in an element of its own."""
    lines = []
    for k, f in enumerate(functions):
        lines += [
            f"v{k} = {f.call('a', 'b', 'c')}",
            f"wp.atomic_add(total, {k}, {term(f'v{k}')})",
            f"if wp.abs(v{k}) < wp.float64(100.0):",
            f"    wp.atomic_add(raw, {k}, wp.SUM(v{k}))",
            f"wp.atomic_add(some, at[i] % 50, {term(f'v{k}')})",
            f"wp.atomic_add(own, at[i], v{k})",
        ]
    return of_arguments({"at": "int32", "total": "SUM", "raw": "SUM", "some": "SUM", "own": "float64"}, lines)


def living(functions: list[Function]) -> Kernel:
    """Calls under a condition and in a loop of the thread's own length, and values that are used before and after: an
    index that walks, a condition, sums."""
    lines = ["j = at[i]", "m = j", "s = wp.float64(0.0)", "below = b < wp.float64(0.5)"]
    for k, f in enumerate(functions):
        lines += [
            f"v{k} = wp.float64(0.25)",
            f"if (i + {k}) % 3 != 0:",
            f"    v{k} = {f.call('a', 'b', 'c')}",
            f"out[{2 * k}, m] = v{k}",
            f"for k{k} in range(trips[j]):",
            f"    w = {f.call('x[j]', 'y[j]', 'z[j]')}",
            "    if w > wp.float64(0.5):",
            "        s = s + w",
            "    else:",
            f"        s = s * wp.float64(0.5) - wp.float64(k{k})",
            "    j = at[j]",
            f"out[{2 * k + 1}, m] = s if below else v{k} - c",
        ]
    lines.append("kept[i] = j")
    return of_arguments({"at": "int32", "trips": "int32", "out": "float64*", "kept": "int32"}, lines)


def mixing(f: Function, other: str, has_other_arguments: bool, has_loop: bool) -> Kernel:
    """A sum of calls in another type than the sum's, straight or in loops that lanes leave one by one. A group of one
    type has twice or four times as many vectors of another."""
    arguments = dict.fromkeys("xyz", "OTHER" if has_other_arguments else "float64")
    lines = [
        f"v = {f.call_in_other('x[i]', 'y[i]', 'z[i]')}",
        "s = wp.where(wp.abs(v) < wp.float64(9.0), v, wp.float64(0.25))",
        f"wp.atomic_add(total, 0, {term('s')})",
    ]
    if has_loop:
        loop = ["for k in range(trips[i]):", *(f"    {line}" for line in lines[:2]), "    sum += s * w[k]"]
        lines = ["sum = wp.float64(0.0)", *loop, f"wp.atomic_add(total, 0, {term('sum')})", "last[i] = sum"]
    return Kernel({**arguments, "w": "float64", "trips": "int32", "total": "SUM", "last": "float64"}, lines, other)


LIVE = 100


def hundred(functions: list[Function]) -> Kernel:
    """A loop with calls, through whose rounds a hundred values live, some of them whole numbers."""
    lines = [f"u{k} = a * wp.float64({k}) + c" for k in range(0, LIVE) if k % 8]
    lines += [f"u{k} = at[i] + {k}" for k in range(0, LIVE, 8)]
    lines.append("for k in range(trips[i]):")
    for f in functions:
        lines.append(f"    a, b, c = {f.call('a', 'b', 'c')}, a, b")
    for k in range(LIVE):
        lines.append(f"    u{k} = u{k} * 3 + k" if k % 8 == 0 else f"    u{k} = u{k} * wp.float64(0.75) + a")
    for k in range(LIVE):
        lines.append(f"lived[{k}, i] = " + (f"u{k}" if k % 8 else f"wp.float64(u{k} % 1000)"))
    return of_arguments({"at": "int32", "trips": "int32", "lived": "float64*"}, lines)


# What a loop does with its value `v` in each round, beside `w` of the thread. None runs away for ordinary `w`.
STEPS = [
    "wp.sin(wp.float64(1.1) * v) + w",
    "wp.cos(v) - w * v * wp.float64(0.1)",
    "wp.log(wp.abs(v) + wp.float64(0.125)) + w",
    "wp.pow(wp.abs(v) + wp.float64(0.1), wp.float64(0.75)) - w",
    "wp.exp(-v * v) + w",
    "wp.tanh(v * wp.float64(1.5)) + w",
    "wp.atan2(v, w) * wp.float64(1.25)",
    "wp.mod(v * wp.float64(1.7), wp.float64(3.0)) - w",
    "wp.erf(v) + wp.cbrt(v) - w",
    "wp.tan(v * wp.float64(0.3)) + w",
    "wp.sinh(wp.asin(wp.clamp(v, wp.float64(-0.9), wp.float64(0.9)))) - w",
    # Lanes that have ended run away, if anything goes on in them.
    "v * v * v + wp.sin(v) if wp.abs(v) < wp.float64(1.0) else w",
]


def chasing(step: str) -> Kernel:
    """A loop that lanes leave after very different numbers of rounds."""
    lines = ["v = a", "w = b", "for k in range(trips[i]):", f"    v = {step}", "last[i] = v"]
    return of_arguments({"trips": "int32", "last": "float64"}, lines)
