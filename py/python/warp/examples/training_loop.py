"""Fits a curve: a tape gives the gradient of a kernel's loss, torch's Adam takes the steps.

The kernel is recorded once. Each backward pass reads the parameters as they are then, so the loop
records nothing and converts nothing.

python -m warp.examples.training_loop
"""

from __future__ import annotations

import numpy as np
import torch
import warp as wp


@wp.kernel
def misfit(
    t: wp.array(dtype=float),
    measured: wp.array(dtype=float),
    parameters: wp.array(dtype=float),
    loss: wp.array(dtype=float),
):
    """Squares of the differences from amplitude * exp(-decay t) * cos(frequency t)."""
    i = wp.tid()
    model = parameters[0] * wp.exp(-parameters[1] * t[i]) * wp.cos(parameters[2] * t[i])
    wp.atomic_add(loss, 0, (model - measured[i]) ** 2.0 / float(t.shape[0]))


TRUE = np.array([1.5, 0.35, 3.2], dtype=np.float32)


def main(count: int = 400, steps: int = 400) -> np.ndarray:
    """Returns the parameters that were found."""
    times = np.linspace(0, 6, count, dtype=np.float32)
    values = TRUE[0] * np.exp(-TRUE[1] * times) * np.cos(TRUE[2] * times)
    noise = np.random.default_rng(3).normal(scale=0.02, size=count).astype(np.float32)

    t = wp.array(times, dtype=float, device="cpu")
    measured = wp.array(values + noise, dtype=float, device="cpu")
    parameters = wp.array([1.0, 0.1, 2.8], dtype=float, requires_grad=True, device="cpu")
    loss = wp.zeros(1, dtype=float, requires_grad=True, device="cpu")
    optimizer = torch.optim.Adam([wp.to_torch(parameters)], lr=0.03)

    tape = wp.Tape()
    with tape:
        wp.launch(misfit, dim=count, inputs=[t, measured, parameters], outputs=[loss], device="cpu")

    for step in range(steps):
        tape.zero()
        tape.backward(loss=loss)
        optimizer.step()
        if step % 100 == 0 or step == steps - 1:
            loss.zero_()
            wp.launch(misfit, dim=count, inputs=[t, measured, parameters], outputs=[loss], device="cpu")
            found = ", ".join(f"{p:.3f}" for p in parameters.numpy())
            print(f"step {step:4}: loss {loss.numpy()[0]:.6f}, parameters {found}")
    print("true parameters:                  " + ", ".join(f"{p:.3f}" for p in TRUE))
    return np.array(parameters.numpy())


if __name__ == "__main__":
    main()
