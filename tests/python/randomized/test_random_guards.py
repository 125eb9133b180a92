"""Random kernels with guards of every form: rows that are split give the bits, and the faults, of the interpreter.

Conditions compare thread indices, or rows and columns of flat ones, with extents and parameters. Some indices are out
of range where they stand: then every body has to say so, and where."""

from __future__ import annotations

import os
import random
import re

import numpy as np
import pytest
import warp as wp
from warp import _warp

from . import random_kernels

PER_TEST = 25
COUNT = int(os.environ.get("WARP_RANDOM_GUARDS", "10000" if random_kernels.SOAK else "300"))
EXTENTS = [1, 2, 3, 7, 16, 17, 23]
# Along the last dimension; rows of fewer than 64 threads are not split, and those of a flat index of fewer than 16.
LENGTHS = [1, 7, 15, 16, 40, 63, 64, 65, 70, 81]
FAULT = re.compile(r"index (-?\d+) is out of range for (?:a dimension of )?size (\d+)")
LANES: list[int | str] = ["never", "auto", 4, 8, 16]
# Of so many programs the gradient of one is compared, which takes more time than all the rest.
ONE_DIFFERENTIATED_OF = 1 if random_kernels.ONE_OPTIMISED_OF == 1 else 6

HEAD = """\
@wp.kernel
def kernel(a: wp.array(dtype=wp.float64, ndim={ndim}), n: int, m: int, k: int, p: int, q: int,
           out: wp.array(dtype=wp.float64, ndim={ndim}), hits: wp.array(dtype=int)):
"""

# Of each kind of launch: how the indices come about.
STARTS = {
    "line": ["i = wp.tid()"],
    "plane": ["i, j = wp.tid()"],
    "space": ["i, j, l = wp.tid()"],
    "flat plane": ["t = wp.tid()", "i = t // m", "j = t % m"],
    "flat plane, subtracted": ["t = wp.tid()", "i = t // m", "j = t - i * m"],
    "flat space": ["t = wp.tid()", "i = t // (m * k)", "r = t % (m * k)", "j = r // k", "l = r % k"],
    "flat space, divided twice": ["t = wp.tid()", "i = t // (m * k)", "j = (t // k) % m", "l = t % k"],
}
AXES = {"i": "n", "j": "m", "l": "k"}


class Generator:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.kind = self.rng.choice(list(STARTS))
        self.ndim = 1 if self.kind == "line" else 3 if "space" in self.kind else 2
        self.axes = list(AXES)[: self.ndim]
        self.lines = [*HEAD.format(ndim=self.ndim).splitlines(), *(f"    {line}" for line in STARTS[self.kind])]

    def comparison(self) -> str:
        rng, axis = self.rng, self.rng.choice(self.axes)
        extent, c = AXES[axis], self.rng.randint(0, 3)
        return rng.choice([
            f"{axis} > {c}", f"{axis} >= {c + 1}", f"{c} < {axis}", f"{axis} == {c}", f"{axis} != 0",
            f"{axis} < {extent} - {c}", f"{axis} <= {extent} - {c + 1}", f"{axis} + {c} < {extent}",
            f"{axis} == {extent} - 1", f"{axis} != {extent} - 1", f"{extent} - {axis} > {c}",
            f"{axis} < a.shape[{self.axes.index(axis)}] - {c}", f"{axis} < {extent}", f"{axis} >= {extent} - 1",
            f"{axis} < p", f"{axis} > q", f"p < {axis}", f"{axis} + p < q", f"{axis} - q > {c}", f"{axis} == p",
            f"2 * {axis} < {extent} + {c}", f"{c} - 3 * {axis} > q", "p > q",
            "a[" + ", ".join("0" * self.ndim) + "] > 0.0",
        ])  # fmt: skip

    def condition(self, depth: int = 2) -> str:
        if depth == 0 or self.rng.random() < 0.3:
            return self.comparison()
        a, b = self.condition(depth - 1), self.condition(depth - 1)
        return self.rng.choice([f"{a} and {b}", f"({a} or {b})", f"{a} and {b}", f"not ({a})"])

    def index(self, axis: str) -> str:
        extent, c = AXES[axis], self.rng.randint(1, 2)
        safe = [
            axis, axis, f"wp.max({axis} - {c}, 0)", f"wp.min({axis} + {c}, {extent} - 1)",
            f"wp.clamp({axis} + {c}, 0, {extent} - 1)", f"({axis} + {c}) % {extent}",
            f"({axis} + {extent} - 1) % {extent}",
            f"wp.max({axis} - {c}, 0) % {extent}", f"wp.where({axis} > {c}, {axis} - {c}, {axis}) % {extent}",
            f"wp.where({axis} == 0, {extent} - 1, {axis} - 1)", f"wp.where({axis} < {extent} - 1, {axis} + 1, 0)",
        ]  # fmt: skip
        near = [f"{axis} - {c}", f"{axis} + {c}", f"{axis} + p", f"{axis} - {extent}"]
        return self.rng.choice(safe if self.rng.random() < 0.92 else near)

    def element(self) -> str:
        return "a[" + ", ".join(self.index(axis) for axis in self.axes) + "]"

    def block(self, indent: int, depth: int) -> None:
        for _ in range(self.rng.randint(1, 2)):
            self.statement(indent, depth)

    def statement(self, indent: int, depth: int) -> None:
        rng, room = self.rng, " " * 4 * indent
        own = ", ".join(self.axes)
        what = rng.choice(["add", "store", "hit", "if", "if", "if", "else", "return", "loop"])
        if depth == 0 and what in ("if", "else", "loop", "return"):
            what = rng.choice(["add", "store"])
        if what == "add":
            self.lines.append(f"{room}s += {rng.choice(['s *', ''])} {self.element()}")
        elif what == "store":
            self.lines.append(f"{room}out[{own}] = s - {self.element()} * {self.element()}")
        elif what == "hit":
            self.lines.append(f"{room}wp.atomic_add(hits, {rng.choice(['0', 'q', self.axes[-1] + ' % 2'])}, 1)")
        elif what == "return":
            self.lines += [f"{room}if {self.condition()}:", f"{room}    return"]
        elif what == "loop":
            self.lines.append(f"{room}for _ in range(q):")
            self.block(indent + 1, 0)
        else:
            self.lines.append(f"{room}if {self.condition()}:")
            self.block(indent + 1, depth - 1)
            if what == "else":
                self.lines.append(f"{room}else:")
                self.block(indent + 1, depth - 1)

    def program(self) -> str:
        self.lines.append(f"    s = {self.rng.choice(['wp.float64(0.25)', 'a[' + ', '.join(self.axes) + ']'])}")
        self.block(1, 2)
        self.statement(1, 2)
        self.lines.append(f"    out[{', '.join(self.axes)}] = s") if self.rng.random() < 0.5 else self.statement(1, 0)
        return "\n".join(self.lines) + "\n"


class Given:
    """The arguments of a program, which the bodies are given in turn."""

    def __init__(self, seed: int, generator: Generator) -> None:
        rng = np.random.default_rng(seed)
        shape = [int(rng.choice(EXTENTS)) for _ in range(3)]
        shape[generator.ndim - 1] = int(rng.choice(LENGTHS))
        self.numbers = (*shape, int(rng.integers(-2, 9)), int(rng.integers(0, 4)))
        self.shape = shape[: generator.ndim]
        # Now and then there are more threads than elements, or fewer.
        dims = [max(1, n + int(rng.choice([0, 0, 0, 0, 0, 0, 1, -1]))) for n in self.shape]
        self.dim = int(np.prod(dims)) if generator.kind.startswith("flat") else tuple(dims)
        self.a = rng.uniform(-1.0, 1.0, self.shape)

    def run(self, kernel: wp.Kernel, run) -> tuple[str, list[np.ndarray]]:
        """What a run says and leaves."""
        out, hits = np.zeros_like(self.a), np.zeros(4, np.int32)
        try:
            run(kernel, self.dim, (self.a, *self.numbers, out, hits))
        except Exception as error:  # noqa: BLE001
            return str(error), [out, hits]
        return "", [out, hits]

    def gradient(self, kernel: wp.Kernel) -> np.ndarray:
        """Of the array that is read, for random ones of the array that is written."""
        a = wp.array(self.a, requires_grad=True)
        out = wp.zeros_like(a)
        with wp.Tape() as tape:
            wp.launch(kernel, self.dim, (a, *self.numbers, out, wp.zeros(4, dtype=int)))
        tape.backward(grads={out: wp.array(np.cos(np.arange(self.a.size)).reshape(self.shape))})
        return a.grad.numpy()


def compiled(text: str, label: str, level: int | None, lanes: int | str) -> wp.Kernel:
    """The kernel of a program, which is compiled as these settings say."""
    wp.config.optimization_level, wp.config.lanes = level, lanes
    kernel: wp.Kernel = random_kernels.compile_text(text, {"wp": wp}, label)["kernel"]
    return kernel


def check(seed: int) -> bool:
    """Compares the bodies of one program; whether any ran to the end."""
    generator = Generator(seed)
    text, label = generator.program(), f"guards {seed}"
    given = [Given(7 * seed + k, generator) for k in range(3)]
    lanes = LANES[seed % len(LANES)]
    kernel = compiled(text, label, None if lanes == "auto" else random_kernels.optimization_level(seed), lanes)
    done = None
    for one in given:
        want, left = one.run(kernel, _warp.interpret)
        said, got = one.run(kernel, wp.launch)
        note = f"seed {seed}, lanes {lanes}, launch {one.dim}, numbers {one.numbers}\n{text}"
        assert bool(said) == bool(want), f"{said!r} instead of {want!r}; {note}"
        if lanes == "never":
            assert FAULT.findall(said) == FAULT.findall(want), f"{said!r} instead of {want!r}; {note}"
        if not want:
            done = one
            for g, w in zip(got, left, strict=True):
                np.testing.assert_array_equal(g, w, err_msg=note)
    if done and seed % ONE_DIFFERENTIATED_OF == 0:
        found = done.gradient(kernel)
        # Rows are not split in code that is made quickly.
        whole = compiled(text, label, 0, "auto")
        # Gangs add in another order.
        rtol = 0.0 if lanes == "never" else 1e-11
        np.testing.assert_allclose(found, done.gradient(whole), rtol=rtol, atol=0.1 * rtol, err_msg=note)
    return done is not None


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread, so that the first fault is that of the first thread that has one; programs set the others."""
    for name in ("lanes", "optimization_level"):
        monkeypatch.setattr(wp.config, name, getattr(wp.config, name))
    monkeypatch.setattr(wp.config, "cpu_threads", 1)


@pytest.mark.parametrize("first", range(0, COUNT, PER_TEST))
def test_rows_are_split_without_a_trace(first: int) -> None:
    done = [check(seed) for seed in range(first, min(first + PER_TEST, COUNT))]
    assert sum(done) > len(done) // 3, "many programs are to run to the end"
