"""Rare values: numbers at the edges of their type, kernels that meet them in some lanes, and random programs of these.

Functions of mathematics have a fast way, which all lanes of a group take at once, and a rare one for the lanes whose
arguments are huge, tiny, infinite or none. A rare way must leave alone whatever the kernel keeps beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import warp as wp

from support.places import ROOT

from . import random_kernels

DTYPES = ["float16", "bfloat16", "float32", "float64"]
WIDTHS = [2, 4, 8, 16, 32, 64]
# Threads of the largest group.
BLOCK = 64

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


# Floats as NumPy has them: of bfloat16, float32 with the low half of the bits zero.


def numpy_type(dtype: str) -> type:
    return {"float16": np.float16, "float64": np.float64}.get(dtype, np.float32)


def rounded(values: np.ndarray, dtype: str) -> np.ndarray:
    """The nearest numbers of a type."""
    with np.errstate(over="ignore"):
        values = np.asarray(values).astype(numpy_type(dtype))
    if dtype != "bfloat16":
        return values
    bits = values.view(np.uint32).astype(np.uint64)
    even = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return np.where(np.isnan(values), np.float32(np.nan), even.astype(np.uint32).view(np.float32))


def to_warp(values: np.ndarray, dtype: str, **options: bool) -> wp.array:
    if dtype != "bfloat16":
        return wp.array(values, dtype=getattr(wp, dtype), **options)
    halves = (np.ascontiguousarray(values).view(np.uint32) >> 16).astype(np.uint16)
    array = wp.zeros(halves.shape, dtype=wp.bfloat16, **options)
    wp.copy(array, wp.array(halves, dtype=wp.uint16).view(wp.bfloat16))
    return array


def to_numpy(array: wp.array) -> np.ndarray:
    if array.dtype is not wp.bfloat16:
        return array.numpy()
    return (array.view(wp.uint16).numpy().astype(np.uint32) << 16).view(np.float32)


def bits(values: np.ndarray) -> np.ndarray:
    """What is compared: the sign of zero counts, and all NaNs are one value."""
    if values.dtype.kind != "f":
        return values
    one = np.where(np.isnan(values), values.dtype.type(np.nan), values)
    return one.view(f"u{values.itemsize}")


def assert_same(got: np.ndarray, want: np.ndarray, note: str, *given: np.ndarray) -> None:
    """Bit for bit; names the first elements that differ, and what was given there."""
    differ = np.argwhere(bits(got) != bits(want))
    rows = [
        f"at {tuple(map(int, at))}: {got[tuple(at)]!r}, not {want[tuple(at)]!r}, of {[a[at[-1]] for a in given]}"
        for at in differ[:8]
    ]
    assert not rows, "\n".join([f"{note}: {len(differ)} of {got.size} differ", *rows])


def assert_near(got: np.ndarray, want: np.ndarray, dtype: str, ulps: float, note: str, *given: np.ndarray) -> None:
    """Within some units in the last place of a type; NaN and infinities are where they should be."""
    unit = 2**16 if dtype == "bfloat16" else 1
    with np.errstate(invalid="ignore", over="ignore"):
        spacing = np.spacing(np.abs(np.where(np.isfinite(want), want, 1))) * unit
        far = ~(np.abs(got - want) <= ulps * spacing)
    assert_same(np.where(far, got, want), want, note, *given)


# Values.


def rare(dtype: str) -> np.ndarray:
    """Numbers at the edges: of the type, of domains, of where fast ways end. No two are the same."""
    info = np.finfo(numpy_type(dtype))
    tiny, denormal, largest, one = info.tiny, info.smallest_subnormal, info.max, 1 + info.eps
    if dtype == "bfloat16":
        tiny, denormal, largest, one = 2.0**-126, 2.0**-133, 2.0**128 - 2.0**120, 1 + 2.0**-7
    # Largest angles without the C library, arguments of exp, sinh and erf that overflow or vanish.
    edges = [
        30_000.0,
        30_001.0,
        1e9,
        1e9 + 1,
        88.8,
        -103.5,
        709.8,
        -745.2,
        11.1,
        -17.4,
        27.3,
        4.1,
        -6.0,
        0.5,
        1.5,
        -2.5,
    ]
    large = [1e4, 1e20, 1e300, 2.0**23 + 1, 2.0**52 + 1, 2.0**31, -(2.0**63), largest, largest / 2]
    small = [0.0, denormal, 3 * denormal, tiny, tiny - denormal, 1e-20, 1e-300, 1 - info.eps, one, 1.0, 2.0]
    all_of = np.array([*edges, *large, *small, -1.0, np.inf, np.nan])
    values = rounded(np.concatenate([all_of, -all_of]), dtype)
    return np.unique(bits(values)).view(numpy_type(dtype))


def ordinary(dtype: str, rng: np.random.Generator, count: int) -> np.ndarray:
    """Numbers in the domain of every function, for which none leaves its fast way."""
    return rounded(rng.uniform(0.05, 0.95, count), dtype)


def lanes_of_rare(dtype: str, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three arguments for each thread: groups with one, with some and with nothing but rare lanes.

    The last group is none of a full size."""
    rng = np.random.default_rng(seed)
    edges = rare(dtype)

    def plain() -> np.ndarray:
        return ordinary(dtype, rng, BLOCK)

    def one(value: np.generic, at: int) -> tuple[np.ndarray, np.ndarray]:
        """A group with one rare lane, in one argument or the other."""
        block = plain(), plain()
        block[at][rng.integers(BLOCK)] = value
        return block

    blocks = [(plain(), plain()), *(one(value, 0) for value in edges)]
    for share in (0.1, 0.25, 0.5, 0.9):
        block = plain(), plain()
        for argument in block:
            some = rng.random(BLOCK) < share
            argument[some] = rng.choice(edges, some.sum())
        blocks.append(block)
    for run in (1, 2, 4, 8, 16, 32):
        # Whole groups of a width beside groups without any.
        some = np.arange(BLOCK) // run % 2 == 0
        blocks.append((np.where(some, rng.choice(edges, BLOCK), plain()), plain()))
    blocks += [one(value, 1) for value in edges]
    pairs = np.stack([a.ravel() for a in np.meshgrid(edges, edges)])
    pairs = pairs[:, rng.permutation(pairs.shape[1])]
    x, y = (np.concatenate([*(b[k] for b in blocks), pairs[k], ordinary(dtype, rng, 37)]) for k in (0, 1))
    if len(x) % BLOCK == 0:
        x, y = x[:-1], y[:-1]
    return x, y, np.roll(y, 7)


# Kernels about functions. They are written in float64, which stands for their type; `wp.SUM` is a type with digits
# enough for sums of `term`, and `wp.OTHER` one that some of the calls are made in.


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


# Random programs.

SIZES = [1, 3, 17, 64, 65, 100, 130, 257]
TRIPS = [0, 1, 2, 3, 5, 300, 3000]
TRIP_SHARES = [0.2, 0.3, 0.2, 0.15, 0.11, 0.03, 0.01]
# How an array is read and written. Each element of what is `added` to gets one number; sums are of `term`.
READ = ["own", "permuted", "shared", "any"]
WRITTEN = ["out", "out", "added", "added at", "sum", "sum at", "sum own"]
# Gradients of these are sums over threads, which have no order.
SHARED_READS = ("shared", "any")


@dataclass(frozen=True)
class Array:
    """An array of a program, by how its threads use it."""

    name: str
    use: str

    @property
    def is_float(self) -> bool:
        return self.use not in ("at", "trips")

    @property
    def of(self) -> str:
        return "SUM" if self.use.startswith("sum") else "float64" if self.is_float else "int32"


@dataclass
class Generator(random_kernels.Generator):
    """Writes a program of 1 to 64 arrays. What it computes stays within no bounds.

    Threads meet in sums of `term` only, so that results do not depend on their order."""

    arrays: list[Array] = field(default_factory=list)
    # What has not been written yet.
    pending: list[Array] = field(default_factory=list)
    is_exact: bool = False
    long: bool = False
    # The kind that the next statement must have.
    asked: str = ""
    dtype: str = ""
    other: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        rng = self.rng
        self.dtype = rng.choice([*DTYPES, "float32", "float64"])
        self.other = rng.choice(DTYPES)
        self.is_exact = rng.random() < 0.4
        # The sign of a NaN that was computed is open, and copysign shows it.
        self.functions = [f for f in table() if f.name != "copysign" and not (self.is_exact and f.name in NEARLY)]
        if rng.random() < 0.6:
            # Calls stay in the loop while there are few of them.
            self.functions = rng.sample(self.functions, 2)
            if not self.is_exact:
                self.functions.append(rng.choice([f for f in table() if f.name in NEARLY]))
        self.arrays = self.parameters(rng.choice([1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 24, 32, 48, 64]))
        self.pending = [array for array in self.arrays if array.use in WRITTEN]

    def parameters(self, count: int) -> list[Array]:
        uses = ["out", *(["at"] if count > 2 else []), *(["trips"] if count > 3 else [])]
        only = self.rng.choice([READ + WRITTEN] * 3 + [READ, WRITTEN, ["added", "added at"]])
        uses += [self.rng.choice(only) for _ in range(count - len(uses))]
        # Without an index array, nothing is read or written through one.
        if "at" not in uses:
            uses = [use if use in ("own", "shared", "added", "sum") else "out" for use in uses]
        return [Array(use if use in ("at", "trips") else f"a{k}", use) for k, use in enumerate(uses)]

    def named(self, *uses: str) -> list[str]:
        return [array.name for array in self.arrays if array.use in uses]

    def read(self, array: Array) -> str:
        """An element, as this kind of array is read."""
        rng = self.rng
        k = rng.choice([k for k in self.ints if k != "i"] or ["3"])
        index = {
            "permuted": "at[i]",
            "shared": rng.choice(["0", "2", f"wp.abs({k}) % 5"]),
            "any": f"(at[i] * {rng.choice([3, 7])} + {rng.choice([k, '1'])}) % {self.rng.choice([5, 8])}",
        }.get(array.use, "i")
        return f"{array.name}[{index}]"

    def expr(self, depth: int) -> str:
        rng = self.rng
        if depth == 0 or rng.random() < 0.15:
            readable = [array for array in self.arrays if array.use in (*READ, "out")]
            # Functions have no arrays: they know only what they are given.
            if "p" in self.floats and readable and rng.random() < 0.2:
                return self.read(rng.choice(readable))
            return rng.choice(self.floats) if rng.random() < 0.85 else self.literal()
        a, b = self.expr(depth - 1), self.expr(depth - 1)
        forms = [
            f"{a} + {b}",
            f"{a} - {b}",
            f"{a} * {b}",
            f"{a} / {b}",
            f"{a} % {b}",
            f"-{a}",
            f"wp.copysign({a}, {self.literal()})",
            f"wp.float64(wp.int32({a}))",
            rng.choice(self.functions).call_in_other(a, b, self.expr(0)),
            f"({a} if {self.condition(0)} else {b})",
        ]
        forms += [rng.choice(self.functions).call(a, b, self.expr(0)) for _ in range(len(forms) + 6)]
        if self.funcs:
            name, arity = rng.choice(self.funcs)
            forms += [f"{name}({', '.join([a, b, self.expr(0)][:arity])})"] * 4
        return f"({rng.choice(forms)})"

    def kinds(self, depth: int, loop: bool) -> list[str]:
        if self.asked:
            asked, self.asked = self.asked, ""
            return [asked]
        kinds = ["let", "set", "set", "step", "store", "store", "add", "add"]
        if depth > 0:
            kinds += ["if", "if", "for", "while", "nested"]
        if depth > 1 and not loop:
            kinds += ["long"] * 3
        return kinds + ["break", "continue"] * loop

    def statement(self, indent: int, depth: int, loop: bool) -> None:
        rng = self.rng
        kind = rng.choice(self.kinds(depth, loop))
        if kind == "step":
            # What stays near 1, so that a loop does something for long.
            name = rng.choice([v for v in self.floats if v != "p"])
            step = rng.choice(STEPS) if not self.is_exact else "v * wp.float64(0.75) + w"
            w = self.expr(0)
            step = re.sub(r"\b[vw]\b", lambda match: name if match[0] == "v" else w, step)
            self.emit(indent, f"{name} = {step}")
        elif kind in ("store", "add"):
            out = [array for array in self.arrays if array.use == "out"]
            once = [] if loop else [array for array in self.pending if array.use.startswith("added")]
            sums = [array for array in self.arrays if array.use.startswith("sum")]
            # A long loop would add up more than sums have digits for.
            others = once if self.long else once + sums
            self.write(indent, out if kind == "store" else others or out)
        elif kind == "long":
            name = self.fresh("k")
            trips = rng.choice(
                ["trips[i]", "trips[at[i]]"] if self.named("trips") else ["i % 3 * 7", "i % 11 // 9 * 800"]
            )
            self.emit(indent, f"for {name} in range({trips}):")
            self.ints.append(name)
            self.long = True
            self.block(indent + 1, rng.randint(1, 3), 0, True)
            self.long = False
            self.ints.remove(name)
        elif kind in ("let", "set"):
            name = self.fresh("v") if kind == "let" else rng.choice([v for v in self.floats if v != "p"])
            self.emit(indent, f"{name} = {self.expr(2)}")
            if kind == "let":
                self.floats.append(name)
        else:
            self.asked = kind
            super().statement(indent, depth, loop)

    def write(self, indent: int, arrays: list[Array]) -> None:
        """Writes one of the arrays, each in the way that it is written."""
        rng = self.rng
        array = rng.choice(arrays)
        name = array.name
        if array in self.pending:
            self.pending.remove(array)
        forms = {
            "out": [f"{name}[i] = {self.expr(1)}", f"{name}[i] += {self.expr(1)}"],
            "added": [f"wp.atomic_add({name}, i, {self.expr(1)})"],
            "added at": [f"wp.atomic_add({name}, at[i], {self.expr(1)})"],
            "sum": [f"wp.atomic_add({name}, {rng.randint(0, 3)}, {term(self.expr(1))})"],
            "sum at": [f"wp.atomic_add({name}, at[i] % {rng.choice([1, 3, 5])}, {term(self.expr(1))})"],
            "sum own": [f"wp.atomic_add({name}, {rng.choice(['i', 'at[i]'])}, {term(self.expr(1))})"],
        }
        self.emit(indent, rng.choice(forms[array.use]))

    def program(self) -> str:
        rng = self.rng
        for _ in range(rng.randint(0, 1)):
            self.function()
        params = [*(f"{a.name}: wp.array(dtype=wp.{a.of})" for a in self.arrays), "n: int", "p: wp.float64"]
        self.emit(0, "@wp.kernel")
        self.emit(0, f"def kernel({', '.join(params)}):")
        self.emit(1, "i = wp.tid()")
        self.floats, self.ints = ["p"], ["i", "n"]
        readable = [array for array in self.arrays if array.use in (*READ, "out")]
        for array in rng.sample(readable, min(len(readable), 5)):
            name = self.fresh("v")
            self.emit(1, f"{name} = {self.read(array)}")
            self.floats.append(name)
        for _ in range(rng.randint(2, 5)):
            self.statement(1, 3, False)
        if rng.random() < 0.1:
            self.emit(1, f"if {self.condition()}:")
            self.emit(2, "return")
        # Every array has a part in the program.
        for array in self.arrays:
            if array in self.pending:
                self.write(1, [array])
            elif array.use in READ:
                self.emit(1, f"a0[i] += {self.read(array)}")
        return typed("\n".join(self.lines) + "\n", self.dtype, self.other)

    def values(self, seed: int) -> tuple[int, list[np.ndarray], int, float]:
        """How many threads run, what is in the arrays, and the other arguments."""
        rng = np.random.default_rng(seed)
        size = int(rng.choice(SIZES))
        made = {
            "at": rng.permutation(size).astype(np.int32),
            "trips": rng.choice(TRIPS, size, p=TRIP_SHARES).astype(np.int32),
        }
        values = [made[a.use] if not a.is_float else self.floats_of(a, rng, size + 8) for a in self.arrays]
        p = self.mixed(rng, 1)[0]
        return size, values, int(rng.integers(0, 5)), float(p)

    def floats_of(self, array: Array, rng: np.random.Generator, count: int) -> np.ndarray:
        if array.use.startswith("sum"):
            return np.zeros(count, numpy_type(wide(self.dtype)))
        # Where a sum is 0, -0.0 may stay what it is or become 0.0.
        return self.mixed(rng, count) + numpy_type(self.dtype)(0 if array.use.startswith("added") else -0.0)

    def mixed(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Ordinary numbers with rare ones between them: none, few, many or nothing else."""
        values = rounded(rng.uniform(-1.5, 1.5, count), self.dtype)
        some = rng.random(count) < rng.choice([0.0, 0.02, 0.2, 1.0], p=[0.3, 0.4, 0.25, 0.05])
        values[some] = rng.choice(rare(self.dtype), some.sum())
        return values

    def given(self, values: list[np.ndarray], **options: bool) -> list[wp.array]:
        """The arrays that are passed."""
        types = [typed(array.of, self.dtype) for array in self.arrays]
        return [to_warp(v, of, **({} if of == "int32" else options)) for v, of in zip(values, types, strict=True)]
