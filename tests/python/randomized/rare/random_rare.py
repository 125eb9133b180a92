"""Rare values: numbers at the edges of their type, kernels that meet them in some lanes, and random programs of these.

Functions of mathematics have a fast way, which all lanes of a group take at once, and a rare one for the lanes whose
arguments are huge, tiny, infinite or none. A rare way must leave alone whatever the kernel keeps beside it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
import warp as wp

from randomized import random_kernels

from .rare_kernels import NEARLY, STEPS, table, term, typed, wide
from .rare_values import DTYPES, numpy_type, rare, rounded, to_warp

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
