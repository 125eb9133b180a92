"""Random kernels whose lanes take different ways through loops: derivatives of any order are those of single threads.

A group of threads shares the stacks on which its loops record. So these kernels have loops on both sides of conditions,
loops in loops, early exits, and nothing that would keep them from running in lanes."""

from __future__ import annotations

import os

import numpy as np
import pytest
import warp as wp
from warp import _warp

from . import random_kernels

SIZE = 19  # groups of any width, and threads that are left over
PER_TEST = 30
COUNT = int(os.environ.get("WARP_RANDOM_BRANCHES", "4000" if random_kernels.SOAK else "120"))
WIDTHS = [2, 4, 8, 16, 32]


HEAD = """\
@wp.kernel
def kernel(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64), n: int, p: wp.float64,
           out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    v1 = x[i]
    v2 = x[i - 1]
    v3 = y[i]
"""


class Generator(random_kernels.Generator):
    """Writes one program. It reads `x` and `y` and writes `out`."""

    def kinds(self, depth: int, loop: bool) -> list[str]:
        kinds = ["augment", "augment", "set"]
        if depth > 0:
            kinds += ["for", "nested", "while"]
        return kinds + ["break", "continue"] * loop

    def statement(self, indent: int, depth: int, loop: bool) -> None:
        if depth > 0 and self.rng.random() < 0.6:
            self.ways(indent, depth, loop)
        else:
            super().statement(indent, depth, loop)

    def ways(self, indent: int, depth: int, loop: bool) -> None:
        """A condition with a loop on each side, most of the time."""
        for head in (f"if {self.condition()}:", "else:"):
            self.emit(indent, head)
            if self.rng.random() < 0.8:
                name = self.fresh("k")
                bounds = self.rng.choice(["n", "1, n", "n, 0, -1", "i % 3", "2"])
                self.emit(indent + 1, f"for {name} in range({bounds}):")
                self.block(indent + 2, 1, depth - 1, True)
            else:
                self.block(indent + 1, 1, depth - 1, loop)

    def program(self) -> str:
        self.lines += HEAD.splitlines()
        self.floats, self.ints, self.names = ["p", "v1", "v2", "v3"], ["i", "n"], 3
        for _ in range(self.rng.randint(1, 3)):
            self.statement(1, 2, False)
        self.emit(1, f"out[i] = {self.expr(2)} + v1 * v2 * v3")
        return "\n".join(self.lines) + "\n"


def run_orders(text: str, seed: int, lanes: str | int, orders: int) -> tuple[list[list[np.ndarray]], list[bool]]:
    """The arrays after the kernel, its adjoint, the adjoint of that, and so on; which of these ran in lanes."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(1, 5)), float(rng.uniform(-1.0, 1.0))
    old = wp.config.lanes, wp.config.optimization_level
    wp.config.lanes, wp.config.optimization_level = lanes, 0
    try:
        kernel = random_kernels.compile_text(text, {"wp": wp}, f"branches {seed} {lanes}")["kernel"]
        arrays, after, grouped = 3, [], []
        for _ in range(orders + 1):
            values = [rng.uniform(-1.5, 1.5, SIZE) for _ in range(arrays)]
            wp.launch(kernel, SIZE, inputs=(*values[:2], n, p, *values[2:]))
            after.append(values)
            grouped.append("it is the epilogue, for threads that fill no gang" in kernel.report())
            # For each array, its gradient follows.
            kernel, arrays = _warp._adjoint_kernel(kernel, []), 2 * arrays
    finally:
        wp.config.lanes, wp.config.optimization_level = old
    return after, grouped


@pytest.mark.parametrize("first", range(0, COUNT, PER_TEST))
def test_derivatives_are_those_of_single_threads(first: int) -> None:
    for seed in range(first, min(first + PER_TEST, COUNT)):
        text = Generator(seed).program()
        orders = 3 if seed % PER_TEST == 0 else 2
        width = WIDTHS[seed % len(WIDTHS)]
        alone, _ = run_orders(text, seed, "never", orders)
        grouped, in_lanes = run_orders(text, seed, width, orders)
        assert all(in_lanes), f"seed {seed}, {width} lanes: {in_lanes}\n{text}"
        for order, (got, want) in enumerate(zip(grouped, alone, strict=True)):
            for k, (g, w) in enumerate(zip(got, want, strict=True)):
                note = f"seed {seed}, {width} lanes, derivative {order}, array {k}\n{text}"
                if order == 0:
                    np.testing.assert_array_equal(g, w, err_msg=note)
                # Threads add to the gradients of their neighbours in any order.
                np.testing.assert_allclose(g, w, rtol=1e-10, atol=1e-11, err_msg=note)
