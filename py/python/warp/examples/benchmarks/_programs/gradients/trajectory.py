"""Trajectories to a goal through wind: torch's Adam chooses the thrust, and a tape gives its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from ..program import Program, Spec

TIMES, DT, DRAG, COST = 60, 0.05, 0.3, 1e-3
RATE, BETAS, TINY = 0.05, (0.9, 0.999), 1e-8


@wp.func
def wind(x: wp.vec2) -> wp.vec2:
    return wp.vec2(wp.sin(2.0 * x[1]), 0.5 * wp.cos(2.0 * x[0]))


@wp.kernel
def fly(
    thrust: wp.array2d[wp.vec2], goal: wp.array[wp.vec2], dt: float, drag: float, cost: float, loss: wp.array[float]
) -> None:
    i = wp.tid()
    x = wp.vec2(0.0, 0.0)
    v = wp.vec2(0.0, 0.0)
    spent = float(0.0)
    for t in range(thrust.shape[1]):
        push = thrust[i, t]
        v += dt * (push + drag * (wind(x) - v))
        x += dt * v
        spent += wp.dot(push, push)
    off = x - goal[i]
    loss[i] = wp.dot(off, off) + cost * spent


def start(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(16)
    return (0.1 * rng.normal(size=(n, TIMES, 2))).astype(np.float32), (2 * rng.normal(size=(n, 2))).astype(np.float32)


def make(n: int) -> Program:
    import torch

    guesses, goals = start(n)
    thrust = torch.tensor(guesses, requires_grad=True)
    goal = wp.array(goals, dtype=wp.vec2)
    optimizer = torch.optim.Adam([thrust], lr=RATE, betas=BETAS, eps=TINY)
    loss = wp.zeros(n, dtype=float, requires_grad=True)
    ones = wp.ones(n, dtype=float)

    def frame() -> None:
        optimizer.zero_grad(set_to_none=False)
        controls: Any = wp.from_torch(thrust, dtype=wp.vec2)
        with wp.Tape() as tape:
            wp.launch(fly, dim=n, inputs=[controls, goal, DT, DRAG, COST], outputs=[loss])
        tape.backward(grads={loss: ones})
        optimizer.step()
        loss.grad.zero_()

    return Program(frame, lambda: np.append(thrust.detach().numpy().ravel(), loss.numpy()))


def losses(thrust: np.ndarray, goal: np.ndarray) -> np.ndarray:
    x, v = np.zeros_like(goal), np.zeros_like(goal)
    for t in range(TIMES):
        wind = np.stack([np.sin(2 * x[..., 1]), 0.5 * np.cos(2 * x[..., 0])], axis=-1)
        v = v + DT * (thrust[..., t, :] + DRAG * (wind - v))
        x = x + DT * v
    return np.asarray(((x - goal) ** 2).sum(-1) + COST * (thrust**2).sum((-1, -2)))


def expected(n: int, frames: int) -> np.ndarray:
    """Gradients by central differences, all paths at once."""
    thrust, goal = (a.astype(np.float64) for a in start(n))
    first, second = np.zeros_like(thrust), np.zeros_like(thrust)
    for t in range(1, frames + 1):
        h = 1e-5 * np.eye(2 * TIMES).reshape(-1, 1, TIMES, 2)
        goals = np.broadcast_to(goal, (2 * TIMES, *goal.shape))
        gradient = ((losses(thrust + h, goals) - losses(thrust - h, goals)) / 2e-5).T.reshape(thrust.shape)
        loss = losses(thrust, goal)
        first = BETAS[0] * first + (1 - BETAS[0]) * gradient
        second = BETAS[1] * second + (1 - BETAS[1]) * gradient**2
        scale = np.sqrt(second / (1 - BETAS[1] ** t)) + TINY
        thrust = thrust - RATE * first / (1 - BETAS[0] ** t) / scale
    return np.append(thrust, loss)


SPEC = Spec(
    "trajectories with torch's Adam, 2000 x 60", make, expected, tiny=5, full=2000, tolerance=2e-3, may_differ=0.01,
    needs=("torch", "torch._dynamo"),
)  # fmt: skip
