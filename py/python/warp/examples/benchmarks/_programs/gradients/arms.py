"""Inverse kinematics: many arms of six joints follow the gradient of how far their hands are from a goal."""

from __future__ import annotations

import numpy as np
import warp as wp

from ..program import Program, Spec

RATE, REACH = 0.02, 0.4


@wp.kernel
def hand(
    angles: wp.array2d[float], axes: wp.array[wp.vec3], goal: wp.array[wp.vec3], reach: float, loss: wp.array[float]
) -> None:
    i = wp.tid()
    pose = wp.transform_identity()
    for j in range(6):
        turn = wp.quat_from_axis_angle(axes[j], angles[i, j])
        pose = wp.transform_multiply(pose, wp.transform(wp.vec3(0.0, 0.0, 0.0), turn))
        pose = wp.transform_multiply(pose, wp.transform(wp.vec3(0.0, 0.0, reach), wp.quat_identity()))
    off = wp.transform_get_translation(pose) - goal[i]
    loss[i] = wp.dot(off, off)


@wp.kernel
def follow(gradient: wp.array2d[float], rate: float, angles: wp.array2d[float]) -> None:
    i, j = wp.tid()
    angles[i, j] = angles[i, j] - rate * gradient[i, j]


def start(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(18)
    axes = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]], dtype=np.float32)
    return (0.5 * rng.normal(size=(n, 6))).astype(np.float32), axes, rng.normal(size=(n, 3)).astype(np.float32)


def make(n: int) -> Program:
    turned, directions, goals = start(n)
    angles = wp.array(turned, dtype=float, requires_grad=True)
    axes, goal = wp.array(directions, dtype=wp.vec3), wp.array(goals, dtype=wp.vec3)
    loss = wp.zeros(n, dtype=float, requires_grad=True)
    ones = wp.ones(n, dtype=float)

    def frame() -> None:
        with wp.Tape() as tape:
            wp.launch(hand, dim=n, inputs=[angles, axes, goal, REACH], outputs=[loss])
        tape.backward(grads={loss: ones})
        wp.launch(follow, dim=(n, 6), inputs=[angles.grad, RATE], outputs=[angles])
        tape.zero()

    return Program(frame, lambda: np.append(angles.numpy().ravel(), loss.numpy()))


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    u, v, s, t = a[..., :3], b[..., :3], a[..., 3:], b[..., 3:]
    return np.concatenate([s * v + t * u + np.cross(u, v), s * t - (u * v).sum(-1, keepdims=True)], axis=-1)


def losses(angles: np.ndarray, axes: np.ndarray, goal: np.ndarray) -> np.ndarray:
    turn, at = np.zeros((*angles.shape[:-1], 4)), np.zeros((*angles.shape[:-1], 3))
    turn[..., 3] = 1
    for j in range(6):
        half = 0.5 * angles[..., j : j + 1]
        turn = product(turn, np.concatenate([np.sin(half) * axes[j], np.cos(half)], axis=-1))
        up = np.broadcast_to(np.array([0, 0, REACH, 0]), turn.shape)
        at = at + product(product(turn, up), turn * [-1, -1, -1, 1])[..., :3]
    return np.asarray(((at - goal) ** 2).sum(-1))


def expected(n: int, frames: int) -> np.ndarray:
    angles, axes, goal = (a.astype(np.float64) for a in start(n))
    for _ in range(frames):
        loss, h = losses(angles, axes, goal), 1e-5 * np.eye(6)[:, None]
        goals = np.broadcast_to(goal, (6, n, 3))
        gradient = (losses(angles + h, axes, goals) - losses(angles - h, axes, goals)).T / 2e-5
        angles = angles - RATE * gradient
    return np.append(angles, loss)


SPEC = Spec("inverse kinematics, 2e4 arms of 6 joints", make, expected, tiny=20, full=20_000, tolerance=1e-3)
