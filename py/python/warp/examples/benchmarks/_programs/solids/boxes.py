"""Rigid bodies: boxes fall on a floor and tumble; each corner below the floor is pushed up, with friction."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from ..program import Program, Spec

STEPS = 10  # in a frame
DT, GRAVITY = 1e-3, 9.81
STIFFNESS, DAMPING, FRICTION = 2e4, 60.0, 0.4


@wp.struct
class Body:
    at: wp.vec3
    turn: wp.quat
    v: wp.vec3
    w: wp.vec3
    half: wp.vec3  # half the lengths of the edges


@wp.kernel
def push(
    bodies: wp.array[Body], stiffness: float, damping: float, friction: float, wrench: wp.array[wp.spatial_vector]
) -> None:
    i = wp.tid()
    body = bodies[i]
    force = wp.vec3()
    torque = wp.vec3()
    for c in range(8):
        corner = wp.vec3(
            body.half[0] * (2.0 * float(c & 1) - 1.0),
            body.half[1] * (float(c & 2) - 1.0),
            body.half[2] * (0.5 * float(c & 4) - 1.0),
        )
        arm = wp.quat_rotate(body.turn, corner)
        depth = -(body.at[2] + arm[2])
        if depth > 0.0:
            u = body.v + wp.cross(body.w, arm)
            up = wp.max(stiffness * depth - damping * u[2], 0.0)
            slide = wp.vec3(u[0], u[1], 0.0)
            f = wp.vec3(0.0, 0.0, up) - slide * (friction * up / (wp.length(slide) + 0.01))
            force += f
            torque += wp.cross(arm, f)
    wrench[i] = wp.spatial_vector(torque, force)


@wp.kernel
def integrate(wrench: wp.array[wp.spatial_vector], gravity: float, dt: float, bodies: wp.array[Body]) -> None:
    """A body of mass 1; torques are taken in its own axes, where inertia is diagonal."""
    i = wp.tid()
    body = bodies[i]
    torque = wp.spatial_top(wrench[i])
    force = wp.spatial_bottom(wrench[i])
    square = wp.cw_mul(body.half, body.half)
    inertia = wp.vec3(square[1] + square[2], square[2] + square[0], square[0] + square[1]) / 3.0
    w = wp.quat_rotate_inv(body.turn, body.w)
    t = wp.quat_rotate_inv(body.turn, torque) - wp.cross(w, wp.cw_mul(inertia, w))
    w = w + dt * wp.cw_div(t, inertia)
    body.w = wp.quat_rotate(body.turn, w)
    body.v = body.v + dt * (force - wp.vec3(0.0, 0.0, gravity))
    body.at = body.at + dt * body.v
    spin = wp.quat(body.w[0], body.w[1], body.w[2], 0.0) * body.turn
    body.turn = wp.normalize(body.turn + 0.5 * dt * spin)
    bodies[i] = body


def start(n: int) -> dict[str, np.ndarray]:
    """Boxes near the floor, turned and moving at random."""
    rng = np.random.default_rng(12)
    turn = rng.normal(size=(n, 4))
    return {
        "at": np.column_stack([10 * rng.random((n, 2)), 0.3 + 0.3 * rng.random(n)]).astype(np.float32),
        "turn": (turn / np.linalg.norm(turn, axis=1, keepdims=True)).astype(np.float32),
        "v": rng.normal(size=(n, 3)).astype(np.float32),
        "w": rng.normal(size=(n, 3)).astype(np.float32),
        "half": (0.2 + 0.3 * rng.random((n, 3))).astype(np.float32),
    }


def make(n: int) -> Program:
    values = start(n)
    kind: Any = Body
    records: Any = np.zeros(n, dtype=kind.numpy_dtype())
    for name, value in values.items():
        records[name] = value
    bodies = wp.array(records, dtype=Body)
    wrench = wp.zeros(n, dtype=wp.spatial_vector)

    def frame() -> None:
        for _ in range(STEPS):
            wp.launch(push, dim=n, inputs=[bodies, STIFFNESS, DAMPING, FRICTION], outputs=[wrench])
            wp.launch(integrate, dim=n, inputs=[wrench, GRAVITY, DT], outputs=[bodies])

    def found() -> np.ndarray:
        state = bodies.numpy()
        return np.concatenate([state[name] for name in ("at", "turn", "v", "w")], axis=1)

    return Program(frame, found)


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """That of quaternions whose last part is the real one."""
    u, v, s, t = a[:, :3], b[:, :3], a[:, 3:], b[:, 3:]
    return np.concatenate([s * v + t * u + np.cross(u, v), s * t - (u * v).sum(1, keepdims=True)], axis=1)


def rotate(q: np.ndarray, v: np.ndarray, back: bool = False) -> np.ndarray:
    inverse = q * np.array([-1, -1, -1, 1])
    a, b = (inverse, q) if back else (q, inverse)
    return product(product(a, np.pad(v, ((0, 0), (0, 1)))), b)[:, :3]


def expected(n: int, frames: int) -> np.ndarray:
    at, turn, v, w, half = (a.astype(np.float64) for a in start(n).values())
    square = half**2
    inertia = (square.sum(1, keepdims=True) - square) / 3
    for _ in range(STEPS * frames):
        force, torque = np.zeros((n, 3)), np.zeros((n, 3))
        for c in range(8):
            arm = rotate(turn, half * [2 * (c & 1) - 1, (c & 2) - 1, (c & 4) / 2 - 1])
            depth = -(at[:, 2] + arm[:, 2])
            u = v + np.cross(w, arm)
            up = np.where(depth > 0, np.maximum(STIFFNESS * depth - DAMPING * u[:, 2], 0), 0)[:, None]
            slide = u * [1, 1, 0]
            f = up * [0, 0, 1] - slide * FRICTION * up / (np.linalg.norm(slide, axis=1, keepdims=True) + 0.01)
            force += f
            torque += np.cross(arm, f)
        own = rotate(turn, w, back=True)
        own += DT * (rotate(turn, torque, back=True) - np.cross(own, inertia * own)) / inertia
        w = rotate(turn, own)
        v = v + DT * (force - [0, 0, GRAVITY])
        at = at + DT * v
        turn = turn + 0.5 * DT * product(np.pad(w, ((0, 0), (0, 1))), turn)
        turn /= np.linalg.norm(turn, axis=1, keepdims=True)
    return np.concatenate([at, turn, v, w], axis=1)


SPEC = Spec("rigid boxes on a floor, 2e4", make, expected, tiny=50, full=20_000, tolerance=2e-3)
