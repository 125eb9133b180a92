"""How fast cloth falls: one step of `warp.examples.simulation.cloth`, and its gradient.

    python -m warp.examples.benchmarks.benchmark_cloth [--peer PYTHON] [--only NAME]

The same step is measured with NumPy, torch, Numba and Taichi, where they are installed. All are held against each
other before they are timed. NumPy and torch compute a spring at a time for the whole cloth; Numba and Taichi run the
loops of the kernel.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

if TYPE_CHECKING or __package__:
    from ._support import _harness, _rivals
else:
    from _support import _harness, _rivals

cloth = _harness.example("simulation.cloth")

SIDES = (64, 256, 512)
NUMBERS = {"stiffness": 2e5, "damping": 25.0, "gravity": 9.81, "dt": 1e-4}


def row(side: int) -> str:
    return f"step, {side} x {side}"


def start(side: int) -> tuple[np.ndarray, np.ndarray]:
    """A cloth that moves, partly inside the ball and partly below the floor."""
    falling = cloth.Cloth(side)
    rng = np.random.default_rng(0)
    x = falling.x.numpy() - np.array([0, 0, 0.2], dtype=np.float32)
    x[..., 2] -= (1.5 * np.abs(x[..., 0]) ** 3).astype(np.float32)
    return x, rng.normal(scale=0.1, size=x.shape).astype(np.float32)


def check(name: str, found: Any, expected: Any) -> None:
    """The velocities after two steps. Whether a particle on the ball is inside is up to rounding for a few."""
    close = np.isclose(found, expected, rtol=1e-3, atol=1e-4 * np.abs(expected).max())
    if close.mean() < 0.99:
        raise SystemExit(f"{name}: {(~close).sum()} of {close.size} velocities are wrong")


def expected(side: int) -> np.ndarray:
    """The velocities after two steps, by NumPy."""
    x, v = start(side)
    for _ in range(2):
        x, v = _rivals.step(np, x, v, 2.0 / (side - 1), **NUMBERS)
    return v


def measure() -> _harness.Rows:
    """Seconds of a step, and of its adjoint."""
    wp.init()
    rows = {}
    for side in SIDES:
        x, v = start(side)
        falling = cloth.Cloth(side)
        falling.x.assign(x)
        falling.v.assign(v)
        if _harness.is_wanted(row(side)):
            falling.advance(2, NUMBERS["dt"])
            check("step", falling.v.numpy(), expected(side))
            rows[row(side)] = _harness.per_call(partial(falling.advance, 1, NUMBERS["dt"]), target=0.1)
    name = "gradient of " + row(256)
    if _harness.is_wanted(name):
        falling = cloth.Cloth(256)
        numbers = [falling.spacing, *(NUMBERS[n] for n in ("stiffness", "damping", "gravity", "dt"))]
        grads = [wp.zeros((256, 256), dtype=wp.vec3) for _ in range(4)]

        def back() -> None:
            wp.launch(
                cloth.step,
                dim=(256, 256),
                inputs=[falling.x, falling.v, *numbers],
                outputs=[falling.x_next, falling.v_next],
                adj_inputs=[grads[0], grads[1], *[None] * 5],
                adj_outputs=grads[2:],
                adjoint=True,
            )

        rows[name] = _harness.per_call(back, target=0.1)
    return rows


def others() -> dict[str, _harness.Rows]:
    """The same steps with other libraries."""
    makers: dict[str, Callable[..., Callable[[int], np.ndarray]]] = {
        "numpy": _rivals.with_numpy,
        "torch": _rivals.with_torch,
        "numba": _rivals.with_numba,
        "taichi": _rivals.with_taichi,
    }
    columns: dict[str, _harness.Rows] = {}
    for name, make in makers.items():
        if importlib.util.find_spec(name) is None:
            continue
        columns[name] = {}
        for side in SIDES:
            if _harness.is_wanted(row(side)):
                advance = make(*start(side), spacing=2.0 / (side - 1), **NUMBERS)
                check(name, advance(2), expected(side))
                columns[name][row(side)] = _harness.per_call(partial(advance, 1), target=0.1, repeats=5)
    return columns


def main() -> None:
    _harness.run(__doc__, __file__, measure, others)


if __name__ == "__main__":
    main()
