"""A network of paddle's learns to aim: the flight of the ball is a kernel, which gradients go through.

The network is told where the ball should be after a second and answers with the velocity to throw it
with. Air slows the ball down, so that there is no formula for that; the flight is simulated step by step, and the
kernel's exact adjoint carries the miss back to the network.

python -m warp.examples.paddle_training
"""

from __future__ import annotations

import numpy as np
import paddle
import warp as wp
from warp.paddle import paddle_kernel


@wp.kernel
def fly(
    velocity: wp.array(dtype=wp.vec2),
    drag: float,
    dt: float,
    steps: int,
    position: wp.array(dtype=wp.vec2),
):
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


def main(steps: int = 500) -> tuple[float, float]:
    """Returns the mean miss on targets that the network was not trained on, before and after."""
    paddle.seed(5)
    network = paddle.nn.Sequential(paddle.nn.Linear(2, 32), paddle.nn.Tanh(), paddle.nn.Linear(32, 2))
    optimizer = paddle.optimizer.Adam(learning_rate=0.02, parameters=network.parameters())
    flight = paddle_kernel(fly)

    def miss(places: paddle.Tensor) -> paddle.Tensor:
        velocity = network((places - 3.0) / 3.0) * 10.0
        return paddle.norm(flight(velocity, 0.1, 0.02, 50) - places, axis=1)

    unseen = targets(200, seed=1)
    before = float(miss(unseen).mean())
    for step in range(steps):
        loss = (miss(targets(64, seed=100 + step)) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        if step % 100 == 0 or step == steps - 1:
            print(f"step {step:4}: mean square of the miss {float(loss):.4f}")
    after = float(miss(unseen).mean())
    print(f"mean miss on targets not seen in training: {before:.2f} before, {after:.3f} after")
    return before, after


if __name__ == "__main__":
    main()
