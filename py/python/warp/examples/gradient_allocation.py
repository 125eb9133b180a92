"""Who allocates the gradient when a tensor that requires one meets a kernel?

Torch allocates a gradient when the backward pass first needs it. `from_torch` needs it at once, so
it allocates one for a tensor that requires a gradient and has none. That is memory, and time to
clear it, for nothing where a function returns its gradients in tensors of its own. This program
shows the four ways that it can be done, what each leaves in `.grad`, and what each costs.

    python -m warp.examples.gradient_allocation [--steps N]
"""

from __future__ import annotations

import time
from collections.abc import Callable

import torch
import warp as wp

from . import _shared


@wp.kernel
def product(a: wp.array[float], b: wp.array[float], out: wp.array[float]) -> None:
    i = wp.tid()
    out[i] = a[i] * b[i]


def convert_all(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> None:
    """The plain conversion: a and b get a gradient each."""
    inputs = [wp.from_torch(a), wp.from_torch(b)]
    wp.launch(product, dim=len(a), inputs=inputs, outputs=[wp.from_torch(out)])


def convert_without(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> None:
    """Asks for no gradient: none is allocated."""
    inputs = [wp.from_torch(a, requires_grad=False), wp.from_torch(b, requires_grad=False)]
    wp.launch(product, dim=len(a), inputs=inputs, outputs=[wp.from_torch(out)])


def pass_detached(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> None:
    """Detached tensors require no gradient, and go into the launch as they are."""
    wp.launch(product, dim=len(a), inputs=[a.detach(), b.detach()], outputs=[out])


def allocate_first(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> None:
    """For a tape, which adds to `.grad`: torch allocates it beforehand, and cleared."""
    for tensor in (a, b):
        if tensor.grad is None:
            tensor.grad = torch.zeros_like(tensor)
    array = wp.from_torch(out, requires_grad=True)
    with wp.Tape() as tape:
        inputs = [wp.from_torch(a), wp.from_torch(b)]
        wp.launch(product, dim=len(a), inputs=inputs, outputs=[array])
    tape.backward(grads={array: wp.ones(len(a), dtype=float)})


Way = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], None]
WAYS: dict[str, Way] = {
    "from_torch": convert_all,
    "from_torch, requires_grad=False": convert_without,
    "detached, passed directly": pass_detached,
    "allocated first, with a tape": allocate_first,
}


def main(count: int = 100_000, steps: int = 20) -> dict[str, tuple[bool, bool]]:
    """Returns for each way whether values are right, and whether `a` has a gradient afterwards."""
    results = {}
    for name, way in WAYS.items():
        torch.manual_seed(1)
        a, b = torch.randn(count, requires_grad=True), torch.randn(count, requires_grad=True)
        out = torch.empty(count)
        way(a, b, out)
        right = torch.equal(out, (a * b).detach())
        if way is allocate_first:
            right = right and torch.equal(a.grad, b.detach())
        results[name] = (right, a.grad is not None)
        begun = time.perf_counter()
        for _ in range(steps):
            a.grad = b.grad = None  # as for tensors that are new in each step
            way(a, b, out)
        each = (time.perf_counter() - begun) / max(1, steps) * 1e6
        print(f"{name:<34} gradient allocated: {results[name][1]!s:<6} {each:8.1f} us")
    return results


def program(arguments: list[str] | None = None) -> None:
    """What the command line runs."""
    options = _shared.options(__file__, __doc__, arguments, draws=False, steps=20)
    with _shared.with_torch(options.device):
        main(steps=options.steps)


if __name__ == "__main__":
    program()
