"""Finds the air's drag and wind from where thrown balls land: a kernel as a torch operator.

One thread follows one ball, step by step. `torch_kernel` makes the kernel an operator with exact derivatives of any
order: `torch.func.jacfwd` asks for the first ones and makes Gauss-Newton steps of them, `torch.func.hessian` asks
for the second ones, which say how sure the result is.

python -m warp.examples.torch_operator
"""

from __future__ import annotations

import torch
import warp as wp
from warp.torch import torch_kernel

STEPS = 200
TRUE = (0.08, -1.3)


@wp.kernel
def throw(
    start: wp.array(dtype=wp.vec2d),
    air: wp.array(dtype=wp.float64),
    steps: int,
    dt: wp.float64,
    landed: wp.array(dtype=wp.vec2d),
):
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


def main(count: int = 64, noise: float = 0.01) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns drag and wind as they were found, and their standard deviations."""
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
    for step in range(20):
        off, slope = residual(air), torch.func.jacfwd(residual)(air)
        change = torch.linalg.lstsq(slope, -off[:, None]).solution[:, 0]
        print(f"step {step}: misfit {off.square().mean():.3e}, drag {air[0]:.5f}, wind {air[1]:+.4f}")
        if change.norm() < 1e-10:
            break
        air = air + change
    curvature = torch.func.hessian(lambda air: 0.5 * residual(air).square().sum())(air)
    sigma = torch.linalg.inv(curvature).diagonal().sqrt()
    print(f"found: drag {air[0]:.5f} +- {sigma[0]:.5f}, wind {air[1]:+.4f} +- {sigma[1]:.4f}")
    print(f"true:  drag {true[0]:.5f},            wind {true[1]:+.4f}")
    return air, sigma


if __name__ == "__main__":
    main()
