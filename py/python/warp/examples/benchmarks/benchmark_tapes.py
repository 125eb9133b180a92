"""What a tape of many short launches takes, with its backward pass: each launch reads a row and writes the next one.

    python -m warp.examples.benchmarks.benchmark_tapes [--peer PYTHON] [--only NAME]

Rows are the wall time of recording and backward pass, and the CPU time of all threads. The trajectories need torch.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import warp as wp

if TYPE_CHECKING or __package__:
    from ._support import _harness
else:
    from _support import _harness

WIDTH = 64
DT = 0.02


@wp.kernel
def swing(x: wp.array2d[float], k: int, dt: float) -> None:
    i = wp.tid()
    x[k + 1, i] = x[k, i] + dt * wp.sin(x[k, i])


@wp.kernel
def advance(
    k: int,
    dt: float,
    control: wp.array2d[wp.vec2],
    x: wp.array2d[wp.vec2],
    v: wp.array2d[wp.vec2],
) -> None:
    """A body that is pulled to the middle and pushed."""
    i = wp.tid()
    force = control[k, i] - 0.5 * x[k, i] - 0.1 * wp.length(v[k, i]) * v[k, i]
    faster = v[k, i] + dt * force
    v[k + 1, i] = faster
    x[k + 1, i] = x[k, i] + dt * faster


@wp.kernel
def miss(last: int, x: wp.array2d[wp.vec2], goal: wp.vec2, loss: wp.array[float]) -> None:
    i = wp.tid()
    d = x[last, i] - goal
    wp.atomic_add(loss, 0, wp.dot(d, d))


ROWS = (
    "tape of 200 launches",
    "tape of 20000 launches",
    "tape of 200 launches, arrays made in the loop",
    "trajectory optimisation, 200 launches, 60 steps of Adam",
)
Case = tuple[Callable[[], object], Callable[[], None]]


def together(count: int) -> Case:
    """A tape of `count` launches on one array."""
    x = wp.array(table(count), dtype=float, requires_grad=True, device="cpu")
    seed = np.zeros((count + 1, WIDTH), dtype=np.float32)
    seed[count] = 1.0
    given = wp.array(seed, dtype=float, device="cpu")

    def call() -> None:
        with wp.Tape() as tape:
            for k in range(count):
                wp.launch(swing, dim=WIDTH, inputs=[x, k, 4.0 / count], device="cpu")
        tape.backward(grads={x: given})

    def check() -> None:
        x.grad.zero_()
        call()
        check_slope(x.grad.numpy()[0], count)

    return call, check


def apart(count: int) -> Case:
    """The same with an array of two rows for each step."""
    first = wp.array(table(1), dtype=float, requires_grad=True, device="cpu")
    seed = wp.array([np.zeros(WIDTH), np.ones(WIDTH)], dtype=float, device="cpu")

    def call() -> None:
        with wp.Tape() as tape:
            at = first
            for k in range(count):
                wp.launch(swing, dim=WIDTH, inputs=[at, 0, 4.0 / count], device="cpu")
                if k < count - 1:
                    following = wp.zeros((2, WIDTH), dtype=float, requires_grad=True, device="cpu")
                    wp.copy(following, at, src_offset=WIDTH, count=WIDTH)
                    at = following
        tape.backward(grads={at: seed})

    def check() -> None:
        first.grad.zero_()
        call()
        check_slope(first.grad.numpy()[0], count)

    return call, check


def table(count: int) -> np.ndarray:
    """Rows for `count` steps, of which the first is where they begin."""
    rows = np.zeros((count + 1, WIDTH), dtype=np.float32)
    rows[0] = np.linspace(-1.0, 2.0, WIDTH)
    return rows


def check_slope(found: np.ndarray, count: int) -> None:
    """The derivatives of the last row by the first, in double precision."""
    value, slope = np.linspace(-1.0, 2.0, WIDTH), np.ones(WIDTH)
    for _ in range(count):
        slope = slope * (1.0 + 4.0 / count * np.cos(value))
        value = value + 4.0 / count * np.sin(value)
    if not np.allclose(found, slope, rtol=1e-2, atol=1e-3 * np.abs(slope).max()):
        raise SystemExit(f"wrong gradient: {found}, expected {slope}")


def trajectories(steps: int, rounds: int) -> Case:
    """Controls of bodies that are to end at a place, by torch's Adam."""
    import torch

    seen: list[float] = []

    def call() -> None:
        control = torch.zeros((steps, WIDTH, 2), dtype=torch.float32, requires_grad=True)
        u = wp.from_torch(control, dtype=wp.vec2)
        starts = np.random.default_rng(0).uniform(-1.0, 1.0, (steps + 1, WIDTH, 2)).astype(np.float32)
        x = wp.array(starts, dtype=wp.vec2, requires_grad=True, device="cpu")
        v = wp.zeros((steps + 1, WIDTH), dtype=wp.vec2, requires_grad=True, device="cpu")
        loss = wp.zeros(1, dtype=float, requires_grad=True, device="cpu")
        adam = torch.optim.Adam([control], lr=0.05)
        seen.clear()
        for _ in range(rounds):
            loss.zero_()
            with wp.Tape() as tape:
                for k in range(steps):
                    wp.launch(advance, dim=WIDTH, inputs=[k, DT, u, x, v], device="cpu")
                wp.launch(miss, dim=WIDTH, inputs=[steps, x, wp.vec2(2.0, 1.0), loss], device="cpu")
            tape.backward(loss)
            adam.step()
            tape.zero()
            seen.append(float(loss.numpy()[0]))

    def check() -> None:
        if not (np.isfinite(seen).all() and seen[-1] < 0.5 * seen[0]):
            raise SystemExit(f"the loss goes from {seen[0]} to {seen[-1]}")

    return call, check


def case(name: str) -> Case | None:
    """The case of a row; None where a library is missing."""
    if name.startswith("trajectory"):
        return trajectories(200, 60) if importlib.util.find_spec("torch") else None
    count = int(name.split()[2])
    return apart(count) if "made" in name else together(count)


def measure() -> _harness.Rows:
    """Seconds of each."""
    wp.init()
    rows: _harness.Rows = {}
    for name in filter(_harness.is_wanted, ROWS):
        made = case(name)
        if made is None:
            continue
        call, check = made
        call()
        check()
        rows[name], rows[f"{name}, CPU time"] = _harness.wall_and_cpu(call, repeats=3)
    return rows


def main() -> None:
    _harness.run(__doc__, __file__, measure)


if __name__ == "__main__":
    main()
