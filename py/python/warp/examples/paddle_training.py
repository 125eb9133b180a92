"""A network of paddle's learns to aim: the flight of the ball is a kernel, which gradients go through.

The network is told where the ball should be after a second and answers with the velocity to throw it
with. Air slows the ball down, so that there is no formula for that; the flight is simulated step by step, and the
kernel's exact adjoint carries the miss back to the network.

    python -m warp.examples.paddle_training [--steps N] [--headless]
"""

from __future__ import annotations

import numpy as np
import paddle
import warp as wp
from warp.paddle import paddle_kernel

from . import _shared

#: Steps of time in the second that a ball flies.
PIECES = 50


@wp.kernel
def fly(
    velocity: wp.array[wp.vec2],
    drag: float,
    dt: float,
    steps: int,
    position: wp.array[wp.vec2],
) -> None:
    i = wp.tid()
    v = velocity[i]
    p = wp.vec2(0.0, 0.0)
    for _ in range(steps):
        p = p + v * dt
        v = v + (wp.vec2(0.0, -9.81) - v * (drag * wp.length(v))) * dt
    position[i] = p


def targets(count: int, seed: int) -> paddle.Tensor:
    """Places to hit."""
    low, high = np.array([3.0, -2.0]), np.array([9.0, 4.0])
    places = np.random.default_rng(seed).uniform(low, high, size=(count, 2))
    return paddle.to_tensor(places.astype(np.float32))


def main(steps: int = 500, picture: str | None = None) -> tuple[float, float]:
    """Returns the mean miss on targets that the network was not trained on, before and after; draws flights to some of
    them if a file is named."""
    paddle.seed(5)
    network = paddle.nn.Sequential(paddle.nn.Linear(2, 32), paddle.nn.Tanh(), paddle.nn.Linear(32, 2))
    optimizer = paddle.optimizer.Adam(learning_rate=0.02, parameters=network.parameters())
    flight = paddle_kernel(fly)

    def reached(places: paddle.Tensor, pieces: int = PIECES) -> paddle.Tensor:
        """Where balls are that the network throws at some places."""
        velocity = network((places - 3.0) / 3.0) * 10.0
        return flight(velocity, 0.1, 1.0 / PIECES, pieces)

    def paths(places: paddle.Tensor) -> np.ndarray:
        """All the way there, as (ball, moment, coordinate)."""
        with paddle.no_grad():
            return np.stack([reached(places, n).numpy() for n in range(PIECES + 1)], axis=1)

    def miss(places: paddle.Tensor) -> paddle.Tensor:
        return paddle.norm(reached(places) - places, axis=1)

    unseen = targets(200, seed=1)
    some = unseen[:12]
    before, first = float(miss(unseen).mean()), paths(some)
    for step in range(steps):
        loss = (miss(targets(64, seed=100 + step)) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        if step % 100 == 0 or step == steps - 1:
            print(f"step {step:4}: mean square of the miss {float(loss):.4f}")
    after = float(miss(unseen).mean())
    print(f"mean miss on targets not seen in training: {before:.2f} before, {after:.3f} after")
    if picture:
        draw(some.numpy(), first, paths(some), picture)
    return before, after


def draw(places: np.ndarray, first: np.ndarray, trained: np.ndarray, file: str) -> None:
    with _shared.sheet(file, 1, 2, size=(10, 5.6), sharex=True, sharey=True) as panels:
        for axes, paths, title in zip(
            panels, (first, trained), ("throws before training", "and afterwards"), strict=True
        ):
            axes.scatter(*places.T, s=90, marker="o", facecolor="none", edgecolor=_shared.RED, linewidth=1.6)
            for path, place in zip(paths, places, strict=True):
                axes.plot(*path.T, color=_shared.BLUE, linewidth=1.3, alpha=0.8)
                axes.plot(*path[-1], "o", color=_shared.INK, markersize=4)
                axes.plot(*np.stack([path[-1], place]).T, ":", color=_shared.RED, linewidth=1)
            axes.set(title=title, xlabel="m", aspect="equal")


def program(arguments: list[str] | None = None) -> None:
    """What the command line runs."""
    options = _shared.options(__file__, __doc__, arguments, steps=500)
    with wp.ScopedDevice(options.device) as device:
        paddle.set_device(wp.device_to_paddle(device))
        main(options.steps, options.picture)


if __name__ == "__main__":
    program()
