"""A kernel as a differentiable function of torch, inside a small network, checked by torch itself.

python -m warp.examples.autograd_function [--steps N] [--headless]
"""

from __future__ import annotations

from typing import Any

import torch
import warp as wp

from . import _shared


@wp.kernel
def soft_clip(x: wp.array[wp.float64], y: wp.array[wp.float64]) -> None:
    i = wp.tid()
    v = x[i]
    y[i] = v / wp.sqrt(wp.float64(1.0) + v * v)


class SoftClip(torch.autograd.Function):
    """x / sqrt(1 + x^2), element by element.

    The gradient that `backward` returns is torch's to keep, so it lives in a new tensor and the
    arrays carry none of their own.
    """

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        y = torch.empty_like(x)
        wp.launch(soft_clip, dim=x.numel(), inputs=[flat(x)], outputs=[flat(y)])
        return y

    @staticmethod
    def backward(ctx: Any, grad_y: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        y, grad_x = torch.empty_like(x), torch.zeros_like(x)
        wp.launch(
            soft_clip,
            dim=x.numel(),
            inputs=[flat(x)],
            outputs=[flat(y)],
            adj_inputs=[flat(grad_x)],
            adj_outputs=[flat(grad_y.contiguous())],
            adjoint=True,
        )
        return grad_x


def flat(tensor: torch.Tensor) -> Any:
    """A one-dimensional array over a tensor's memory, without a gradient."""
    return wp.from_torch(tensor.detach().view(-1), requires_grad=False)


def main(steps: int = 400, picture: str | None = None) -> bool:
    """Returns whether torch's own check of the gradient passed and the network learned; draws it if a file is named."""
    torch.manual_seed(0)
    x = torch.randn(6, 5, dtype=torch.float64, requires_grad=True)
    right = torch.autograd.gradcheck(SoftClip.apply, (x,))
    print(f"torch.autograd.gradcheck: {right}")

    inputs = torch.linspace(-3, 3, 128, dtype=torch.float64)[:, None]
    targets = torch.sin(inputs)
    first, last = torch.nn.Linear(1, 24).double(), torch.nn.Linear(24, 1).double()
    optimizer = torch.optim.Adam([*first.parameters(), *last.parameters()], lr=0.02)

    def answer() -> torch.Tensor:
        result: torch.Tensor = last(SoftClip.apply(first(inputs)))
        return result

    losses, curves = [], {}
    for step in range(steps):
        optimizer.zero_grad()
        curve = answer()
        if step in (0, steps // 40, steps // 8):
            curves[step] = curve.detach()
        loss = torch.mean((curve - targets) ** 2)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    curves[steps] = answer().detach()
    print(f"a network that uses it: loss {losses[0]:.4f} -> {losses[-1]:.6f}")
    if picture:
        draw(inputs, targets, curves, losses, picture)
    return bool(right) and losses[-1] < 1e-3


def draw(
    inputs: torch.Tensor, targets: torch.Tensor, curves: dict[int, torch.Tensor], losses: list[float], file: str
) -> None:
    colours = (_shared.GOLD, _shared.GREEN, _shared.BLUE, _shared.RED)
    x = inputs.cpu().numpy()
    with _shared.sheet(file, 1, 2, size=(12, 5), width_ratios=(1.4, 1)) as (left, right):
        left.plot(x, targets.cpu().numpy(), color=_shared.INK, linewidth=4, alpha=0.25, label="sine")
        for (step, curve), colour in zip(curves.items(), colours, strict=False):
            left.plot(x, curve.cpu().numpy(), color=colour, linewidth=1.6, label=f"after {step} steps")
        left.set(title="24 soft clips learn a sine", xlabel="x")
        left.legend()
        right.semilogy(losses, color=_shared.RED)
        right.set(title="mean square of the difference", xlabel="step of Adam")


def program(arguments: list[str] | None = None) -> None:
    """What the command line runs."""
    options = _shared.options(__file__, __doc__, arguments, steps=400)
    with _shared.with_torch(options.device):
        main(options.steps, options.picture)


if __name__ == "__main__":
    program()
