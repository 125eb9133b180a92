"""What a kernel costs as an operator of torch's, made in the three ways there are, on tensors of one element.

    python -m warp.examples.benchmarks.benchmark_torch_operators [--peer PYTHON]

The first rows say what torch and a launch cost by themselves. The peer has no `torch_kernel`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import warp as wp

if TYPE_CHECKING or __package__:
    from ._support import _harness
else:
    from _support import _harness


@wp.kernel
def axpb(a: wp.array[float], b: wp.array[float], c: float, out: wp.array[float]) -> None:
    i = wp.tid()
    out[i] = a[i] + b[i] * c


class Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor, c: float) -> torch.Tensor:
        out = torch.empty_like(a)
        wp.launch(axpb, dim=len(a), inputs=[a, b, c], outputs=[out], device="cpu")
        ctx.c = c
        return out

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, None]:
        return grad, grad * ctx.c, None


def custom_op() -> Any:
    def run(a: torch.Tensor, b: torch.Tensor, c: float) -> torch.Tensor:
        out = torch.empty_like(a)
        wp.launch(axpb, dim=len(a), inputs=[a, b, c], outputs=[out], device="cpu")
        return out

    types = {"a": torch.Tensor, "b": torch.Tensor, "c": float, "return": torch.Tensor}
    run.__annotations__ = types  # text, under `from __future__ import annotations`
    made = torch.library.custom_op("warp_benchmark::axpb", run, mutates_args=())
    made.register_fake(lambda a, b, c: torch.empty_like(a))

    def keep(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.c = inputs[2]

    made.register_autograd(lambda ctx, grad: (grad, grad * ctx.c, None), setup_context=keep)
    return made


def check(function: Any) -> None:
    a, b = (torch.tensor([value], requires_grad=True) for value in (3.0, 4.0))
    out = function(a, b, 2.0)
    out.backward()
    if (out.item(), a.grad.item(), b.grad.item()) != (11.0, 1.0, 2.0):
        raise SystemExit(f"wrong values: {out}, {a.grad}, {b.grad}")


def measure() -> _harness.Rows:
    """Seconds of each call."""
    torch.set_num_threads(1)
    wp.init()
    a, b, out = torch.ones(1), torch.ones(1), torch.ones(1)
    names = {"torch": torch, "wp": wp, "axpb": axpb, "a": a, "b": b, "out": out, "g": torch.ones(1, requires_grad=True)}
    rows = {
        "torch.add": _harness.per_call("torch.add(a, b)", names),
        "launch, 3 tensors + float": _harness.per_call(
            "wp.launch(axpb, dim=1, inputs=[a, b, 2.0], outputs=[out], device='cpu')", names
        ),
    }
    ways = {"autograd.Function": Function.apply, "torch.library.custom_op": custom_op()}
    if hasattr(wp.torch, "torch_kernel"):
        ways["torch_kernel"] = wp.torch.torch_kernel(axpb)
    for name, function in ways.items():
        check(function)
        names["f"] = function
        rows[name] = _harness.per_call("f(a, b, 2.0)", names)
        rows[f"{name}, requires_grad"] = _harness.per_call("f(g, b, 2.0)", names)
        rows[f"{name}, and backward"] = _harness.per_call("f(g, b, 2.0).backward()", names)
    return rows


if __name__ == "__main__":
    _harness.report(_harness.arguments(__doc__).parse_args(), __file__, measure)
