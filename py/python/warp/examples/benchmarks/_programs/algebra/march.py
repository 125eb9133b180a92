"""Ray marching: a picture of shapes that are given by how far away they are, with shadows."""

from __future__ import annotations

import numpy as np
import warp as wp

from ..program import Program, Spec

ROUNDS, FAR = 64, 12.0


@wp.func
def distance(p: wp.vec3) -> float:
    """To a ball, a ring and the floor."""
    ball = wp.length(p - wp.vec3(0.0, 0.6, 0.0)) - 0.6
    q = wp.vec2(wp.length(wp.vec2(p[0], p[2])) - 1.2, p[1] - 0.2)
    ring = wp.length(q) - 0.2
    return wp.min(wp.min(ball, ring), p[1])


@wp.func
def march(eye: wp.vec3, ray: wp.vec3) -> float:
    t = float(0.0)
    for _ in range(64):
        d = distance(eye + t * ray)
        if d < 0.001 or t > 12.0:
            break
        t += d
    return t


@wp.kernel
def render(eye: wp.vec3, light: wp.vec3, image: wp.array2d[wp.vec3]) -> None:
    i, j = wp.tid()
    rows = float(image.shape[0])
    u = (float(j) + 0.5 - 0.5 * float(image.shape[1])) / rows
    v = (0.5 * rows - float(i) - 0.5) / rows
    ray = wp.normalize(wp.vec3(u, v - 0.35, -1.0))
    t = march(eye, ray)
    colour = wp.vec3(0.3, 0.5, 0.8) * (1.0 - 0.5 * ray[1])
    if t < 12.0:
        p = eye + t * ray
        e = 0.001
        n = wp.normalize(
            wp.vec3(
                distance(p + wp.vec3(e, 0.0, 0.0)) - distance(p - wp.vec3(e, 0.0, 0.0)),
                distance(p + wp.vec3(0.0, e, 0.0)) - distance(p - wp.vec3(0.0, e, 0.0)),
                distance(p + wp.vec3(0.0, 0.0, e)) - distance(p - wp.vec3(0.0, 0.0, e)),
            )
        )
        lit = 0.1
        if march(p + 0.02 * n, light) >= 12.0:
            lit = lit + wp.max(wp.dot(n, light), 0.0)
        shine = wp.pow(wp.max(wp.dot(wp.normalize(light - ray), n), 0.0), 32.0)
        colour = lit * wp.vec3(0.9, 0.6, 0.4) + 0.3 * lit * shine * wp.vec3(1.0, 1.0, 1.0)
    image[i, j] = colour


def camera(frame: int) -> tuple[np.ndarray, np.ndarray]:
    """Where the eye is in a frame, and where light comes from."""
    light = np.array([0.5, 0.8, 0.4])
    return np.array([0.1 * np.sin(0.3 * frame), 1.4, 3.2]), light / np.linalg.norm(light)


def make(n: int) -> Program:
    image = wp.zeros((n, 3 * n // 2), dtype=wp.vec3)
    frames = [0]

    def frame() -> None:
        frames[0] += 1
        eye, light = camera(frames[0])
        wp.launch(render, dim=image.shape, inputs=[wp.vec3(*eye), wp.vec3(*light)], outputs=[image])

    return Program(frame, image.numpy)


def far_from(p: np.ndarray) -> np.ndarray:
    ball = np.linalg.norm(p - [0, 0.6, 0], axis=-1) - 0.6
    ring = np.hypot(np.hypot(p[..., 0], p[..., 2]) - 1.2, p[..., 1] - 0.2) - 0.2
    return np.asarray(np.minimum(np.minimum(ball, ring), p[..., 1]))


def marched(eye: np.ndarray, ray: np.ndarray) -> np.ndarray:
    t, live = np.zeros(ray.shape[:-1]), np.ones(ray.shape[:-1], dtype=bool)
    for _ in range(ROUNDS):
        d = far_from(eye + t[..., None] * ray)
        live &= (d >= 0.001) & (t <= FAR)
        t = np.where(live, t + d, t)
    return t


def normalized(v: np.ndarray) -> np.ndarray:
    return np.asarray(v / np.linalg.norm(v, axis=-1, keepdims=True))


def expected(n: int, frames: int) -> np.ndarray:
    eye, light = camera(frames)
    i, j = np.mgrid[0:n, 0 : 3 * n // 2]
    u, v = (j + 0.5 - 0.5 * (3 * n // 2)) / n, (0.5 * n - i - 0.5) / n
    ray = normalized(np.stack([u, v - 0.35, np.full(u.shape, -1.0)], axis=-1))
    t = marched(eye, ray)
    p = eye + t[..., None] * ray
    normal = normalized(np.stack([far_from(p + e) - far_from(p - e) for e in 0.001 * np.eye(3)], axis=-1))
    sunny = marched(p + 0.02 * normal, np.broadcast_to(light, p.shape)) >= FAR
    lit = 0.1 + np.where(sunny, np.maximum(normal @ light, 0), 0)[..., None]
    shine = np.maximum((normalized(light - ray) * normal).sum(-1, keepdims=True), 0) ** 32
    sky = np.array([0.3, 0.5, 0.8]) * (1 - 0.5 * ray[..., 1:2])
    return np.where(t[..., None] < FAR, lit * np.array([0.9, 0.6, 0.4]) + 0.3 * lit * shine, sky)


SPEC = Spec("ray marching, 512 x 768", make, expected, tiny=32, full=512, tolerance=5e-3, may_differ=0.02)
