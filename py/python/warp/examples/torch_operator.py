"""Finds the air's drag and wind from where thrown balls land: a kernel as a torch operator.

One thread follows one ball, step by step. `torch_kernel` makes the kernel an operator with exact derivatives of any
order: `torch.func.jacfwd` asks for the first ones and makes Gauss-Newton steps of them, `torch.func.hessian` asks
for the second ones, which say how sure the result is.

    python -m warp.examples.torch_operator [--steps N] [--headless]
"""

from __future__ import annotations

import numpy as np
import torch
import warp as wp
from warp.torch import torch_kernel

from . import _shared

STEPS = 200
TRUE = (0.08, -1.3)


@wp.kernel
def throw(
    start: wp.array[wp.vec2d],
    air: wp.array[wp.float64],
    steps: int,
    dt: wp.float64,
    landed: wp.array[wp.vec2d],
) -> None:
    """Follows balls from the origin with velocities `start`; `air` holds the drag and the wind."""
    i = wp.tid()
    position = wp.vec2d(wp.float64(0.0), wp.float64(0.0))
    velocity = start[i]
    wind = wp.vec2d(air[1], wp.float64(0.0))
    gravity = wp.vec2d(wp.float64(0.0), wp.float64(-9.81))
    for _ in range(steps):
        relative = velocity - wind
        velocity = velocity + dt * (gravity - air[0] * wp.length(relative) * relative)
        position = position + dt * velocity
    landed[i] = position


follow = torch_kernel(throw)


def main(
    count: int = 64, noise: float = 0.01, steps: int = 20, picture: str | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns drag and wind as they were found, and their standard deviations; draws them if a file is named."""
    torch.manual_seed(1)
    angle = torch.linspace(0.3, 1.3, count, dtype=torch.float64)
    start = 20.0 * torch.stack([angle.cos(), angle.sin()], dim=1)
    dt = 2.0 / STEPS
    true = torch.tensor(TRUE, dtype=torch.float64)
    measured = follow(start, true, STEPS, dt)
    measured = measured + noise * torch.randn_like(measured)

    def residual(air: torch.Tensor) -> torch.Tensor:
        difference: torch.Tensor = (follow(start, air, STEPS, dt) - measured).flatten()
        return difference / noise

    air = torch.tensor([0.05, 0.0], dtype=torch.float64)
    way = [air]
    for step in range(steps):
        off, slope = residual(air), torch.func.jacfwd(residual)(air)
        change = torch.linalg.lstsq(slope, -off[:, None]).solution[:, 0]
        print(f"step {step}: misfit {off.square().mean():.3e}, drag {air[0]:.5f}, wind {air[1]:+.4f}")
        if change.norm() < 1e-10:
            break
        air = air + change
        way.append(air)
    curvature = torch.func.hessian(lambda air: 0.5 * residual(air).square().sum())(air)
    sigma = torch.linalg.inv(curvature).diagonal().sqrt()
    print(f"found: drag {air[0]:.5f} +- {sigma[0]:.5f}, wind {air[1]:+.4f} +- {sigma[1]:.4f}")
    print(f"true:  drag {true[0]:.5f},            wind {true[1]:+.4f}")
    if picture:
        draw(start, measured, torch.stack(way), torch.linalg.inv(curvature), picture)
    return air, sigma


def flights(start: torch.Tensor, air: torch.Tensor, pieces: int = 40) -> np.ndarray:
    """Where each ball is at some moments of its flight, as (ball, moment, coordinate)."""
    dt, every = 2.0 / STEPS, STEPS // pieces
    seen = [follow(start, air, n * every, dt) for n in range(pieces + 1)]
    return np.asarray(torch.stack(seen, dim=1).cpu())


def draw(start: torch.Tensor, measured: torch.Tensor, way: torch.Tensor, spread: torch.Tensor, file: str) -> None:
    """The balls, with the air as it was thought of first and found in the end; and the way to it."""
    places, steps = measured.cpu().numpy(), way.cpu().numpy()
    with _shared.sheet(file, 1, 3, size=(15, 5), width_ratios=(1.3, 1, 1)) as (left, middle, right):
        for air, colour, name in ((way[0], _shared.GOLD, "first guess"), (way[-1], _shared.BLUE, "found")):
            for ball, path in enumerate(flights(start[::7], air)):
                left.plot(*path.T, color=colour, linewidth=1.2, label=name if ball == 0 else None)
        left.plot(*places.T, ".", color=_shared.RED, label="measured after two seconds")
        left.set(title="balls in the wind", xlabel="m", ylabel="m", aspect="equal")
        middle.plot(*steps.T, "o-", color=_shared.VIOLET, markersize=4, label="steps of Gauss and Newton")
        middle.set(title="what is thought of the air", xlabel="drag in 1/m", ylabel="wind in m/s")
        # What the second derivatives say of the end: an ellipse of two standard deviations.
        values, axes = np.linalg.eigh(spread.cpu().numpy())
        turn = np.linspace(0, 2 * np.pi, 100)
        ring = (2 * np.sqrt(values)[:, None] * np.stack([np.cos(turn), np.sin(turn)])).T @ axes.T
        scale, last = np.array([1e5, 1e3]), steps[-1]
        right.fill(*(ring * scale).T, color=_shared.VIOLET, alpha=0.25, label="two standard deviations")
        right.plot(0, 0, "o", color=_shared.VIOLET, markersize=4, label="found")
        right.set(title="how sure that is", xlabel="drag - found, in 0.00001/m", ylabel="wind - found, in mm/s")
        middle.plot(*TRUE, "*", color=_shared.GOLD, markersize=13, label="true")
        right.plot(*((np.array(TRUE) - last) * scale), "*", color=_shared.GOLD, markersize=13, label="true")
        for panel in (left, middle, right):
            panel.legend(loc="upper right" if panel is not right else "upper left")


def program(arguments: list[str] | None = None) -> None:
    """What the command line runs."""
    options = _shared.options(__file__, __doc__, arguments, steps=20)
    with _shared.with_torch(options.device):
        main(steps=options.steps, picture=options.picture)


if __name__ == "__main__":
    program()
