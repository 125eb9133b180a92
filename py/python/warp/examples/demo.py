"""Minimises two functions with torch's Adam and gradients of Warp kernels, on the CPU.

Three ways of joining the two are shown, each on real torch tensors without a copy:

1. `from_torch`: torch owns the points, a tape gives their gradient.
2. `to_torch`: Warp owns the points, torch's optimiser moves them.
3. `torch.autograd.Function`: the kernel is one more differentiable function of torch, its backward
   pass is the launch of the adjoint kernel.

    python -m warp.examples.demo [--steps N] [--headless]

The exit status is 1 if one of them does not converge.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
import warp as wp

from . import _shared


@wp.kernel
def squared_distance(points: wp.array2d[float], total: wp.array[float]) -> None:
    i = wp.tid()
    x = points[i, 0]
    y = points[i, 1]
    wp.atomic_add(total, 0, x * x + y * y)


@wp.func
def valley(x: float, y: float) -> float:
    """Rosenbrock's function: a long bent valley whose lowest point is (1, 1)."""
    away = 1.0 - x
    off = y - x * x
    return away * away + 100.0 * off * off


@wp.kernel
def rosenbrock(points: wp.array[wp.vec2], heights: wp.array[float]) -> None:
    i = wp.tid()
    p = points[i]
    heights[i] = valley(p[0], p[1])


@dataclass
class Descent:
    """What one way of minimising did: the loss before every step, and where the points went."""

    name: str
    losses: list[float] = field(default_factory=list)
    seconds: float = 0.0
    path: list[tuple[int, np.ndarray]] = field(default_factory=list)
    converged: bool = False

    def end(self) -> np.ndarray:
        return self.path[-1][1]

    def report(self) -> str:
        verdict = "converged" if self.converged else "DID NOT CONVERGE"
        per_step = self.seconds / max(1, len(self.losses)) * 1e6
        return (
            f"  {self.name:<25} loss {self.losses[0]:11.4f} -> {self.losses[-1]:9.2e}"
            f"   {len(self.losses):5} steps, {per_step:6.1f} us each   {verdict}"
        )


def descend_from_torch(start: np.ndarray, steps: int) -> Descent:
    """Torch's own tensors: the tape fills `points.grad`, Adam reads it."""
    descent = Descent("from_torch")
    points = torch.tensor(start, dtype=torch.float32, requires_grad=True)
    total = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.Adam([points], lr=0.1)

    shared_points, shared_total = wp.from_torch(points), wp.from_torch(total)
    tape = wp.Tape()
    with tape:
        wp.launch(squared_distance, dim=len(start), inputs=[shared_points], outputs=[shared_total])

    begun = time.perf_counter()
    for _ in range(steps):
        tape.zero()
        tape.backward(loss=shared_total)
        optimizer.step()
        shared_total.zero_()
        wp.launch(squared_distance, dim=len(start), inputs=[shared_points], outputs=[shared_total])
        descent.losses.append(total.item())
    descent.seconds = time.perf_counter() - begun
    descent.converged = bool(points.detach().abs().max() < 1e-2)
    return descent


def descend_to_torch(start: np.ndarray, steps: int) -> Descent:
    """Warp's own arrays: the optimiser gets a tensor that lies on the same memory."""
    descent = Descent("to_torch")
    points = wp.array(start, dtype=wp.float32, requires_grad=True)
    total = wp.zeros(1, dtype=wp.float32, requires_grad=True)
    optimizer = torch.optim.Adam([wp.to_torch(points)], lr=0.1)

    tape = wp.Tape()
    with tape:
        wp.launch(squared_distance, dim=len(start), inputs=[points], outputs=[total])

    begun = time.perf_counter()
    for _ in range(steps):
        tape.zero()
        tape.backward(loss=total)
        optimizer.step()
        total.zero_()
        wp.launch(squared_distance, dim=len(start), inputs=[points], outputs=[total])
        descent.losses.append(float(total.numpy()[0]))
    descent.seconds = time.perf_counter() - begun
    descent.converged = bool(np.abs(points.numpy()).max() < 1e-2)
    return descent


class Rosenbrock(torch.autograd.Function):
    """The height of the valley under each point, differentiable by torch."""

    @staticmethod
    def forward(ctx: Any, points: torch.Tensor) -> torch.Tensor:
        heights = torch.empty(len(points))
        # Torch keeps the gradients here, so the arrays need none of their own.
        ctx.points = wp.from_torch(points, dtype=wp.vec2, requires_grad=False)
        ctx.heights = wp.from_torch(heights)
        wp.launch(rosenbrock, dim=len(points), inputs=[ctx.points], outputs=[ctx.heights])
        return heights

    @staticmethod
    def backward(ctx: Any, grad_heights: torch.Tensor) -> torch.Tensor:
        grad = torch.zeros(len(grad_heights), 2)  # the adjoint adds to it
        wp.launch(
            rosenbrock,
            dim=len(grad),
            inputs=[ctx.points],
            outputs=[ctx.heights],
            adj_inputs=[wp.from_torch(grad, dtype=wp.vec2)],
            adj_outputs=[wp.from_torch(grad_heights.contiguous())],
            adjoint=True,
        )
        return grad


def descend_autograd(start: np.ndarray, steps: int) -> Descent:
    """Torch's own training loop, with a kernel inside."""
    descent = Descent("torch.autograd.Function")
    points = torch.tensor(start, dtype=torch.float32, requires_grad=True)
    optimizer = torch.optim.Adam([points], lr=0.06)
    # Steps of one size would dance round the minimum for ever.
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.3 ** (1 / steps))
    descent.path.append((0, start.copy()))

    begun = time.perf_counter()
    for step in range(steps):
        optimizer.zero_grad()
        total = Rosenbrock.apply(points).mean()
        total.backward()
        optimizer.step()
        schedule.step()
        descent.losses.append(total.item())
        # The way down is steep first and slow later.
        if step < 100 or step % 20 == 19:
            descent.path.append((step + 1, points.detach().cpu().numpy().copy()))
    descent.seconds = time.perf_counter() - begun
    descent.converged = bool(np.abs(descent.end().mean(axis=0) - 1).max() < 1e-2)
    return descent


# Times --------------------------------------------------------------------------------------------


def first_time(call: Callable[[], object]) -> float:
    """Milliseconds of one call."""
    begun = time.perf_counter()
    call()
    return (time.perf_counter() - begun) * 1e3


def each_time(call: Callable[[], object], rounds: int = 5, calls: int = 2000) -> float:
    """Microseconds of one call among many: the best of a few rounds."""
    best = float("inf")
    for _ in range(rounds):
        begun = time.perf_counter()
        for _ in range(calls):
            call()
        best = min(best, time.perf_counter() - begun)
    return best / calls * 1e6


def measure(count: int) -> list[tuple[str, str]]:
    """Compile, launch and conversion times, each as (what, how long)."""
    points = torch.randn(count, 2)
    heights = torch.empty(count)
    grad, ones = torch.zeros(count, 2), torch.ones(count)
    arrays: dict[str, Any] = {
        "inputs": [wp.from_torch(points, dtype=wp.vec2)],
        "outputs": [wp.from_torch(heights)],
        "adj_inputs": [wp.from_torch(grad, dtype=wp.vec2)],
        "adj_outputs": [wp.from_torch(ones)],
    }

    def forward() -> None:
        wp.launch(rosenbrock, dim=count, inputs=arrays["inputs"], outputs=arrays["outputs"])

    def backward() -> None:
        wp.launch(rosenbrock, dim=count, adjoint=True, **arrays)

    tracked = torch.randn(count, requires_grad=True)
    tracked.grad = torch.zeros(count)
    own = wp.zeros(count, dtype=float)
    return [
        ("compile Rosenbrock, cold cache (first launch)", f"{first_time(forward):10.2f} ms"),
        ("compile its adjoint, cold cache (first launch)", f"{first_time(backward):10.2f} ms"),
        (f"launch on {count} points", f"{each_time(forward):10.2f} us"),
        (f"launch of the adjoint on {count} points", f"{each_time(backward):10.2f} us"),
        ("from_torch", f"{each_time(lambda: wp.from_torch(heights)):10.2f} us"),
        ("from_torch with a gradient", f"{each_time(lambda: wp.from_torch(tracked)):10.2f} us"),
        ("to_torch", f"{each_time(lambda: wp.to_torch(own)):10.2f} us"),
    ]


# The figure ---------------------------------------------------------------------------------------


def draw(descents: list[Descent], output: str) -> None:
    """The valley with the ways of some points on the left, the losses on the right."""
    with _shared.sheet(output, 1, 2, size=(13.5, 6.6), width_ratios=(1.55, 1)) as (left, right):
        draw_valley(left, descents[-1])
        draw_losses(right, descents)


def draw_valley(axes: Any, descent: Descent) -> None:
    from matplotlib.collections import LineCollection
    from matplotlib.colors import LogNorm

    steps = np.array([step for step, _ in descent.path])
    path = np.stack([points for _, points in descent.path])  # step, point, coordinate
    xs, ys = np.meshgrid(np.linspace(-2.3, 2.3, 500), np.linspace(-2.1, 3.7, 500))
    heights = np.log10((1 - xs) ** 2 + 100 * (ys - xs**2) ** 2 + 1e-3)
    levels = np.linspace(-3, 4, 29)
    axes.contourf(xs, ys, heights, levels=levels, cmap="bone", extend="both", vmin=-6, vmax=4)
    axes.contour(xs, ys, heights, levels=levels[::2], colors=_shared.INK, linewidths=0.4, alpha=0.3)

    inside = (np.abs(path[0, :, 0]) < 2.2) & (path[0, :, 1] > -2) & (path[0, :, 1] < 3)
    chosen = np.flatnonzero(inside)[:60]
    ways = [
        LineCollection(
            list(np.stack([path[:-1, index], path[1:, index]], axis=1)),
            array=steps[1:],
            cmap="inferno",
            norm=LogNorm(1, steps[-1]),
            linewidths=1.3,
        )
        for index in chosen
    ]
    for way in ways:
        axes.add_collection(way)
    axes.scatter(*path[0, chosen].T, s=20, color="#ffffff", edgecolor=_shared.INK, linewidth=0.9, zorder=3)
    axes.scatter([1], [1], s=330, marker="*", color="#ffd23f", edgecolor=_shared.INK, linewidth=1.1, zorder=4)
    axes.annotate(
        "minimum (1, 1)",
        (1, 1),
        xytext=(1.18, 0.28),
        weight="bold",
        arrowprops={"arrowstyle": "-", "color": _shared.INK, "shrinkB": 9},
        bbox={"boxstyle": "round,pad=0.3", "facecolor": _shared.PAPER, "edgecolor": "none", "alpha": 0.9},
    )
    bar = axes.figure.colorbar(ways[0], ax=axes, pad=0.015, aspect=32)
    bar.set_label("step of Adam")
    mean = path[-1].mean(axis=0)
    axes.set(xlim=(-2.3, 2.3), ylim=(-2.1, 3.7), xlabel="x", ylabel="y")
    axes.set_title(
        f"Rosenbrock: {len(chosen)} of {path.shape[1]} points on their way; "
        f"mean at the end ({mean[0]:.4f}, {mean[1]:.4f})"
    )


def draw_losses(axes: Any, descents: list[Descent]) -> None:
    styles = ((_shared.RED, "-"), (_shared.BLUE, "--"), (_shared.VIOLET, "-"))
    for descent, (color, line) in zip(descents, styles, strict=True):
        steps = np.arange(1, len(descent.losses) + 1)
        axes.plot(steps, descent.losses, line, color=color, linewidth=1.8, label=descent.name)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_facecolor("#ffffff")
    axes.grid(True, which="major", color="#d9d8d2", linewidth=0.6)
    axes.set(xlabel="step of Adam", ylabel="loss", ylim=(1e-10, None))
    axes.set_title("Loss, three ways to join Warp and torch")
    axes.legend(loc="lower left")


def main(arguments: list[str] | None = None) -> int:
    options = _shared.options(__file__, __doc__, arguments, steps=10000)
    torch.set_num_threads(1)  # tensors this small only wait for more
    with _shared.with_torch(options.device), tempfile.TemporaryDirectory() as cache:
        wp.config.kernel_cache_dir = cache  # so that "cold" is true
        wp.init()
        print("Times")
        for what, how_long in measure(1500):
            print(f"  {what:<48}{how_long}")

        rng = np.random.default_rng(42)
        print("Minimising with Adam")
        descents = []
        for descend, count, steps in (
            (descend_from_torch, 100, max(1, options.steps // 20)),
            (descend_to_torch, 100, max(1, options.steps // 20)),
            (descend_autograd, 1500, options.steps),
        ):
            descents.append(descend(rng.normal(size=(count, 2)).astype(np.float32), steps))
            print(descents[-1].report())
        mean = descents[-1].end().mean(axis=0)
        print(f"  mean of the Rosenbrock points: ({mean[0]:.5f}, {mean[1]:.5f}), minimum at (1, 1)")
    if options.picture:
        draw(descents, options.picture)
    return 0 if all(descent.converged for descent in descents) else 1


if __name__ == "__main__":
    sys.exit(main())
