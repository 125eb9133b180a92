"""A kernel as a differentiable function of torch, inside a small network, checked by torch itself.

python -m warp.examples.autograd_function
"""

from __future__ import annotations

from typing import Any

import torch
import warp as wp


@wp.kernel
def soft_clip(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
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
        wp.launch(soft_clip, dim=x.numel(), inputs=[flat(x)], outputs=[flat(y)], device="cpu")
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
            device="cpu",
        )
        return grad_x


def flat(tensor: torch.Tensor) -> Any:
    """A one-dimensional array over a tensor's memory, without a gradient."""
    return wp.from_torch(tensor.detach().view(-1), requires_grad=False)


def main() -> bool:
    """Returns whether torch's own check of the gradient passed and the network learned."""
    torch.manual_seed(0)
    x = torch.randn(6, 5, dtype=torch.float64, requires_grad=True)
    right = torch.autograd.gradcheck(SoftClip.apply, (x,))
    print(f"torch.autograd.gradcheck: {right}")

    inputs = torch.linspace(-3, 3, 128, dtype=torch.float64)[:, None]
    targets = torch.sin(inputs)
    first, last = torch.nn.Linear(1, 24).double(), torch.nn.Linear(24, 1).double()
    optimizer = torch.optim.Adam([*first.parameters(), *last.parameters()], lr=0.02)
    losses = []
    for _ in range(400):
        optimizer.zero_grad()
        loss = torch.mean((last(SoftClip.apply(first(inputs))) - targets) ** 2)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print(f"a network that uses it: loss {losses[0]:.4f} -> {losses[-1]:.6f}")
    return bool(right) and losses[-1] < 1e-3


if __name__ == "__main__":
    main()
