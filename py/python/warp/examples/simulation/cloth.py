"""Cloth: a grid of masses and springs falls on a ball.

Shows a gather: each thread sums the forces of the springs of its own particle, so that no sum is atomic, and writes
into a second pair of arrays. Springs to the twelve neighbours resist stretching, shearing and bending (Provot, 1995);
the step is semi-implicit Euler's.

    python -m warp.examples.simulation.cloth [--frames N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared

BALL = wp.constant(wp.vec3(0.0, 0.0, 0.62))
RADIUS = wp.constant(0.6)


@wp.func
def pull(
    x: wp.array2d[wp.vec3],
    v: wp.array2d[wp.vec3],
    i: int,
    j: int,
    di: int,
    dj: int,
    spacing: float,
    stiffness: float,
    damping: float,
) -> wp.vec3:
    """Force of one spring, on the particle (i, j); none where the cloth ends."""
    a = i + di
    b = j + dj
    if a < 0 or b < 0 or a >= x.shape[0] or b >= x.shape[1]:
        return wp.vec3(0.0, 0.0, 0.0)
    away = x[a, b] - x[i, j]
    length = wp.length(away)
    along = away / length
    rest = spacing * wp.sqrt(float(di * di + dj * dj))
    faster = wp.dot(v[a, b] - v[i, j], along)
    return (stiffness * (length - rest) + damping * faster) * along


@wp.kernel
def step(
    x: wp.array2d[wp.vec3],
    v: wp.array2d[wp.vec3],
    spacing: float,
    stiffness: float,
    damping: float,
    gravity: float,
    dt: float,
    x_next: wp.array2d[wp.vec3],
    v_next: wp.array2d[wp.vec3],
) -> None:
    i, j = wp.tid()
    force = wp.vec3(0.0, 0.0, -gravity)  # masses are 1
    for n in range(4):
        # (1, 0), (0, 1), (-1, 0), (0, -1), and what comes of them: diagonal and double
        di = (1 - n) * ((n + 1) % 2)
        dj = (2 - n) * (n % 2)
        force += pull(x, v, i, j, di, dj, spacing, stiffness, damping)
        force += pull(x, v, i, j, di - dj, di + dj, spacing, 0.5 * stiffness, damping)
        force += pull(x, v, i, j, 2 * di, 2 * dj, spacing, 0.2 * stiffness, damping)
    velocity = v[i, j] + dt * force
    position = x[i, j] + dt * velocity

    away = position - BALL
    if wp.length(away) < RADIUS:
        normal = wp.normalize(away)
        position = BALL + RADIUS * normal
        velocity = velocity - wp.min(wp.dot(velocity, normal), 0.0) * normal
        velocity = velocity * wp.exp(-6.0 * dt)  # friction
    if position[2] < 0.004:
        position[2] = 0.004
        velocity = velocity * wp.exp(-60.0 * dt)
    x_next[i, j] = position
    v_next[i, j] = velocity


class Cloth:
    """A square cloth of `side` x `side` particles."""

    def __init__(self, side: int, stiffness: float = 2e5, damping: float = 25.0, gravity: float = 9.81) -> None:
        self.side, self.spacing = side, 2.0 / (side - 1)
        self.stiffness, self.damping, self.gravity = stiffness, damping, gravity
        at = np.linspace(-1, 1, side)
        x, y = np.meshgrid(at, at, indexing="ij")
        turned = np.stack([0.96 * x - 0.28 * y, 0.28 * x + 0.96 * y, np.full_like(x, 1.3)], axis=-1)
        self.x, self.v = wp.array(turned, dtype=wp.vec3), wp.zeros((side, side), dtype=wp.vec3)
        self.x_next, self.v_next = wp.empty_like(self.x), wp.empty_like(self.v)

    def advance(self, steps: int, dt: float) -> None:
        for _ in range(steps):
            numbers = [self.spacing, self.stiffness, self.damping, self.gravity, dt]
            wp.launch(step, dim=self.x.shape, inputs=[self.x, self.v, *numbers], outputs=[self.x_next, self.v_next])
            self.x, self.x_next = self.x_next, self.x
            self.v, self.v_next = self.v_next, self.v

    def energy(self) -> float:
        """Kinetic, potential and elastic energy."""
        x, v = self.x.numpy().astype(float), self.v.numpy().astype(float)
        total = 0.5 * (v * v).sum() + self.gravity * x[..., 2].sum()
        n = self.side
        for di, dj, share in ((1, 0, 1), (0, 1, 1), (1, 1, 0.5), (1, -1, 0.5), (2, 0, 0.2), (0, 2, 0.2)):
            a = x[: n - di, max(0, -dj) : n - max(0, dj)]
            b = x[di:, max(0, dj) : n - max(0, -dj)]
            stretch = np.linalg.norm(b - a, axis=-1) - self.spacing * np.hypot(di, dj)
            total += 0.5 * share * self.stiffness * (stretch**2).sum()
        return float(total)


def triangles_of(grid: np.ndarray) -> np.ndarray:
    """Two triangles for each cell of a grid of points."""
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    return np.concatenate([np.stack(t, axis=2).reshape(-1, 3, 3) for t in ((a, b, c), (a, c, d))])


def draw(frames: list[np.ndarray], file: str) -> None:
    import matplotlib.colors

    u, w = np.meshgrid(np.linspace(0, 2 * np.pi, 60), np.linspace(0, np.pi, 40), indexing="ij")
    ball = np.array(BALL) + (RADIUS - 0.012) * np.stack(
        [np.cos(u) * np.sin(w), np.sin(u) * np.sin(w), np.cos(w)], axis=-1
    )
    with _shared.sheet(file, 1, len(frames), size=(4.3 * len(frames), 3.9)) as panels:
        for axes, x in zip(panels, frames, strict=True):
            cells = x.shape[0] - 1
            stripe = (np.add.outer(np.arange(cells) * 10 // cells, np.arange(cells) * 10 // cells) % 2).ravel()
            colours = np.where(np.tile(stripe, 2)[:, None], matplotlib.colors.to_rgb(_shared.RED), (0.96, 0.93, 0.88))
            ball_triangles = triangles_of(ball)
            everything = np.concatenate([triangles_of(x), ball_triangles])
            gray = np.full((len(ball_triangles), 3), 0.8)
            _shared.solid(axes, everything, colour=np.concatenate([colours, gray]), view=(-0.6, -0.8, 0.55))
            axes.set(xlim=(-1.3, 1.3), ylim=(-0.6, 1.6))
            _shared.bare(axes)


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, frames=120)
    with wp.ScopedDevice(options.device):
        cloth, seen = Cloth(96), []
        for frame in _shared.progress(options.frames):
            if frame in (options.frames // 8, options.frames // 3):
                seen.append(cloth.x.numpy().copy())
            cloth.advance(24, 1 / 60 / 24)
    seen.append(cloth.x.numpy())
    print(f"{cloth.side**2} particles, {options.frames} frames: energy {cloth.energy() / cloth.side**2:.3f} each")
    if not options.headless:
        draw(seen, options.picture)


if __name__ == "__main__":
    main()
