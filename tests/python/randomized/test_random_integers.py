"""Random kernels that call long functions with constant integers: native code = CPython = interpreter, and gradients =
central differences.

Some functions only compute with their integers: these are compiled once for all. Others go around loops and take
branches by them."""

from __future__ import annotations

import os

import pytest
import warp as wp

from . import random_kernels
from .test_random_kernels import SIZE, check

PER_TEST = 20
COUNT = int(os.environ.get("WARP_RANDOM_INTEGERS", "4000" if random_kernels.SOAK else "80"))
CALLS = 6


class Generator(random_kernels.Generator):
    """Writes one program, whose functions take two numbers and two integers."""

    asks = True

    def kinds(self, depth: int, loop: bool) -> list[str]:
        if "p" in self.floats:
            return super().kinds(depth, loop)
        kinds = ["let", "set", "set", "augment"]
        if self.asks and depth > 0:
            kinds += ["if", "for", "while", "nested"]
        return kinds + ["break", "continue"] * loop

    def condition(self, depth: int = 1) -> str:
        ints, self.ints = self.ints, self.ints if self.asks else []
        text = super().condition(depth)
        self.ints = ints
        return text

    def integer(self) -> str:
        rng = self.rng
        k, m = rng.choice(self.ints), rng.randint(1, 4)
        forms = [k, f"{k} + {m}", f"{k} % {m}", f"{k} // {m}", f"{k} * {m}", f"(0 if {k} < {m} else {m})"]
        return rng.choice(forms[: None if self.asks else -1])

    def expr(self, depth: int) -> str:
        if depth > 0 and self.ints and self.rng.random() < 0.3:
            form = self.rng.choice(["wp.sin(wp.float64({}))", "wp.float64(({}) % 5) * wp.float64(0.25)"])
            return f"({form.format(self.integer())} * {self.expr(0)})"
        return super().expr(depth)

    def function(self) -> None:
        """A long function. What it is called with is in the range that loops of the program have."""
        name, params = self.fresh("f"), ["a", "b"]
        floats, ints, self.floats, self.ints = self.floats, self.ints, list(params), ["i", "n"]
        funcs, self.funcs = self.funcs, []
        self.asks = self.rng.random() < 0.5
        self.emit(0, "@wp.func")
        self.emit(0, f"def {name}(a: wp.float64, b: wp.float64, i: int, n: int):")
        for _ in range(self.rng.randint(8, 14)):
            self.statement(1, 2, False)
            if funcs and self.rng.random() < 0.3:
                other = self.rng.choice(funcs)[0]
                given = self.rng.choice(["i, n", "n, i % 4", "i + 1, 2", "3, n"])
                self.emit(1, f"{self.rng.choice(params)} = {other}({self.expr(1)}, b, {given})")
            if self.asks and self.rng.random() < 0.1:
                self.emit(1, f"if {self.condition()}:")
                self.emit(2, f"return {self.expr(1)}")
        self.emit(1, f"return {self.expr(2)}")
        self.emit(0, "")
        self.floats, self.ints, self.asks = floats, ints, True
        self.funcs = [*funcs, (name, 0)]

    def program(self) -> str:
        for _ in range(self.rng.randint(1, 3)):
            self.function()
        functions, self.funcs = [name for name, _ in self.funcs], []
        self.lines += random_kernels.HEAD.splitlines()
        self.floats, self.ints = ["p", "v", "w"], ["i", "n"]
        for line in ("v = x[i]", "w = (x[i - 1] + y[i]) * wp.float64(0.5)"):
            self.emit(1, line)
        for _ in range(2):
            self.statement(1, 2, False)
        for k in range(CALLS):
            constants = f"{self.rng.randint(0, 9)}, {self.rng.randint(0, 4)}"
            given = self.rng.choice([constants] * 4 + [f"{k}, n", f"i, {k % 5}"])
            self.emit(1, f"v = {self.rng.choice(functions)}(v, w, {given})")
        # A loop that is unrolled, so that its number is a constant in each round.
        self.emit(1, f"for k in range({CALLS}):")
        self.emit(2, f"w = {self.rng.choice(functions)}(w, v, k, k % 5)")
        self.emit(1, "y[i] = w")
        self.emit(1, f"out[i] = {self.expr(2)}")
        return "\n".join(self.lines) + "\n"


@pytest.mark.parametrize("first", range(0, COUNT, PER_TEST))
def test_values_and_gradients(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    checked = 0
    for seed in range(first, min(first + PER_TEST, COUNT)):
        monkeypatch.setattr(wp.config, "optimization_level", random_kernels.optimization_level(seed))
        checked += check(Generator(seed).program(), seed, f"integers {seed}", rtol=5e-5, atol=1e-6)
    assert checked > PER_TEST * SIZE // 2, "most points are smooth"
