"""Torch tensors and arrays on one memory, with their gradients.

python -m warp.examples.torch_arrays
"""

from __future__ import annotations

import torch
import warp as wp

from . import _shared


@wp.kernel
def wave(x: wp.array[float], y: wp.array[float]) -> None:
    i = wp.tid()
    y[i] = wp.sin(x[i]) * wp.exp(-0.1 * x[i])


def main(count: int = 1000) -> dict[str, float]:
    """Returns the largest error of each way."""
    x = torch.linspace(0, 10, count)
    expected = torch.sin(x) * torch.exp(-0.1 * x)
    errors = {}

    # Straight into the launch: nothing to convert, and nothing that knows of gradients.
    y = torch.empty(count)
    wp.launch(wave, dim=count, inputs=[x], outputs=[y])
    errors["tensors as arguments"] = float((y - expected).abs().max())

    # The cheap form of a conversion, for launches only.
    y.zero_()
    wp.launch(
        wave,
        dim=count,
        inputs=[wp.from_torch(x, return_ctype=True)],
        outputs=[wp.from_torch(y, return_ctype=True)],
    )
    errors["descriptors"] = float((y - expected).abs().max())

    # An array over a tensor that requires a gradient shares that gradient too.
    x.requires_grad_()
    array, result = wp.from_torch(x), wp.zeros(count, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(wave, dim=count, inputs=[array], outputs=[result])
    tape.backward(grads={result: wp.ones(count, dtype=float)})
    assert x.grad is not None
    slope = (torch.cos(x) - 0.1 * torch.sin(x)) * torch.exp(-0.1 * x)
    errors["gradient in x.grad"] = float((x.grad - slope).detach().abs().max())

    # And back: the tensor lies on the array's memory.
    tensor = wp.to_torch(result)
    errors["result as a tensor"] = float((tensor - expected).detach().abs().max())
    for name, error in errors.items():
        print(f"{name:<22} largest error {error:.1e}")
    return errors


def program(arguments: list[str] | None = None) -> None:
    """What the command line runs."""
    options = _shared.options(__file__, __doc__, arguments, draws=False)
    with _shared.with_torch(options.device):
        main()


if __name__ == "__main__":
    program()
