"""Fits a curve: a tape gives the gradient of a kernel's loss, torch's Adam takes the steps.

The kernel is recorded once. Each backward pass reads the parameters as they are then, so the loop
records nothing and converts nothing.

    python -m warp.examples.training_loop [--steps N] [--headless]
"""

from __future__ import annotations

import numpy as np
import torch
import warp as wp

from . import _shared


@wp.kernel
def misfit(
    t: wp.array[float],
    measured: wp.array[float],
    parameters: wp.array[float],
    loss: wp.array[float],
) -> None:
    """Squares of the differences from amplitude * exp(-decay t) * cos(frequency t)."""
    i = wp.tid()
    model = parameters[0] * wp.exp(-parameters[1] * t[i]) * wp.cos(parameters[2] * t[i])
    wp.atomic_add(loss, 0, (model - measured[i]) ** 2.0 / float(t.shape[0]))


TRUE = np.array([1.5, 0.35, 3.2], dtype=np.float32)


START = np.array([1.0, 0.1, 2.8], dtype=np.float32)


def curve(times: np.ndarray, parameters: np.ndarray) -> np.ndarray:
    """The kernel's model, in NumPy."""
    amplitude, decay, frequency = parameters
    return np.asarray(amplitude * np.exp(-decay * times) * np.cos(frequency * times))


def measurements(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Times, and the true curve there with noise."""
    times = np.linspace(0, 6, count, dtype=np.float32)
    noise = np.random.default_rng(3).normal(scale=0.02, size=count)
    return times, (curve(times, TRUE) + noise).astype(np.float32)


def main(count: int = 400, steps: int = 400, picture: str | None = None) -> np.ndarray:
    """Returns the parameters that were found; draws them if a file is named."""
    times, values = measurements(count)
    t, measured = wp.array(times, dtype=float), wp.array(values, dtype=float)
    parameters = wp.array(START, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    optimizer = torch.optim.Adam([wp.to_torch(parameters)], lr=0.03)

    found, tape = [START], wp.Tape()
    with tape:
        wp.launch(misfit, dim=count, inputs=[t, measured, parameters], outputs=[loss])

    for step in range(steps):
        tape.zero()
        tape.backward(loss=loss)
        optimizer.step()
        found.append(parameters.numpy().copy())
        if step % 100 == 0 or step == steps - 1:
            loss.zero_()
            wp.launch(misfit, dim=count, inputs=[t, measured, parameters], outputs=[loss])
            now = ", ".join(f"{p:.3f}" for p in found[-1])
            print(f"step {step:4}: loss {loss.numpy()[0]:.6f}, parameters {now}")
    print("true parameters:                  " + ", ".join(f"{p:.3f}" for p in TRUE))
    if picture:
        draw(times, values, np.stack(found), picture)
    return found[-1]


def draw(times: np.ndarray, values: np.ndarray, found: np.ndarray, file: str) -> None:
    with _shared.sheet(file, 1, 2, size=(12, 5), width_ratios=(1.6, 1)) as (left, right):
        left.plot(times, values, ".", color="#8a8d96", markersize=3, label="measured")
        for step, colour in ((0, _shared.GOLD), (len(found) // 16, _shared.VIOLET), (len(found) - 1, _shared.RED)):
            left.plot(times, curve(times, found[step]), color=colour, linewidth=1.6, label=f"after {step} steps")
        left.set(title="a damped swing", xlabel="t")
        left.legend(ncols=2)
        colours = (_shared.RED, _shared.BLUE, _shared.GREEN)
        for name, values, true, colour in zip(("amplitude", "decay", "frequency"), found.T, TRUE, colours, strict=True):
            right.plot(values, color=colour, linewidth=1.6, label=name)
            right.axhline(true, color=colour, linewidth=0.8, linestyle="--")
        right.set(title="its parameters (dashed: the true ones)", xlabel="step of Adam")
        right.legend(loc="center right", bbox_to_anchor=(1, 0.68))


def program(arguments: list[str] | None = None) -> None:
    """What the command line runs."""
    options = _shared.options(__file__, __doc__, arguments, steps=400)
    with _shared.with_torch(options.device):
        main(steps=options.steps, picture=options.picture)


if __name__ == "__main__":
    program()
