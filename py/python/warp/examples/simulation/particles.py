"""Particles: a fountain whose drops fall on a ball.

Shows a struct for what all threads share, an array of structs for the drops, and random numbers that go on from frame
to frame: the state of the generator is a field of each drop.

    python -m warp.examples.simulation.particles [--frames N] [--headless]
"""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from .. import _shared


@wp.struct
class Drop:
    position: wp.vec3
    velocity: wp.vec3
    wait: float  # seconds until it leaves the nozzle
    random: wp.uint32


@wp.struct
class Scene:
    gravity: wp.vec3
    ball: wp.vec3
    radius: float
    speed: float
    spread: float
    bounce: float  # share of the speed that is left


@wp.kernel
def fill(drops: wp.array[Drop], every: float) -> None:
    """The drops wait in a line."""
    i = wp.tid()
    drops[i] = Drop(wp.vec3(), wp.vec3(), float(i + 1) * every, wp.rand_init(7, i))


@wp.func
def bounced(velocity: wp.vec3, normal: wp.vec3, bounce: float) -> wp.vec3:
    towards = wp.dot(velocity, normal)
    return velocity - (1.0 + bounce) * wp.min(towards, 0.0) * normal


@wp.kernel
def move(drops: wp.array[Drop], scene: Scene, dt: float) -> None:
    i = wp.tid()
    drop = drops[i]
    drop.wait -= dt
    if drop.wait > 0.0:
        drops[i] = drop
        return
    if drop.wait > -dt:  # it leaves now
        random = drop.random
        aside = wp.sample_unit_disk(random) * scene.spread
        drop.random = random
        drop.position = wp.vec3(0.0, 0.0, 0.0)
        drop.velocity = scene.speed * wp.vec3(aside[0] + 0.16, aside[1], 1.0)
    # Exact where nothing is hit: gravity does not change.
    drop.position += dt * drop.velocity + 0.5 * dt * dt * scene.gravity
    drop.velocity += dt * scene.gravity
    away = drop.position - scene.ball
    if wp.length(away) < scene.radius:
        normal = wp.normalize(away)
        drop.position = scene.ball + scene.radius * normal
        drop.velocity = bounced(drop.velocity, normal, scene.bounce)
    if drop.position[2] < 0.0:
        drop.position[2] = 0.0
        drop.velocity = 0.8 * bounced(drop.velocity, wp.vec3(0.0, 0.0, 1.0), scene.bounce)
    drops[i] = drop


def scene(radius: float = 0.42, speed: float = 6.2, spread: float = 0.05, bounce: float = 0.45) -> Scene:
    return Scene(wp.vec3(0.0, 0.0, -9.81), wp.vec3(1.12, 0.0, 0.75), radius, speed, spread, bounce)


def simulate(frames: int, count: int, of: Scene, seconds: float = 2.4) -> np.ndarray:
    """The drops after some frames of a sixtieth of a second, as a structured array."""
    drops = wp.zeros(count, dtype=Drop)
    wp.launch(fill, dim=count, inputs=[drops, seconds / count])
    for _ in range(4 * frames):
        wp.launch(move, dim=count, inputs=[drops, of, 1 / 240])
    return np.array(drops.numpy())


def draw(drops: np.ndarray, of: Scene, file: str) -> None:
    flying = drops[drops["wait"] <= 0]
    x, y, z = flying["position"].T
    with _shared.sheet(file, size=(10, 6), dark=True) as axes:
        axes.axhspan(-0.15, 0, color="#1a2233")
        order = np.argsort(-y)
        speed = np.linalg.norm(flying["velocity"], axis=1)
        back = order[y[order] > 0]
        front = order[y[order] <= 0]
        axes.scatter(x[back], z[back] - 0.06 * y[back], s=2, c=speed[back], cmap="GnBu_r", linewidths=0, vmin=0, vmax=8)
        for k in range(40):  # a ball with a light from above
            centre = (of.ball[0] - 0.12 * k / 40, of.ball[2] + 0.16 * k / 40)
            shade = np.array([0.55, 0.2, 0.22]) * (0.35 + 0.9 * (k / 40) ** 1.5)
            axes.add_patch(_circle(centre, of.radius * (1 - k / 40) ** 0.75, np.clip(shade, 0, 1)))
        axes.scatter(
            x[front], z[front] - 0.06 * y[front], s=3, c=speed[front], cmap="GnBu_r", linewidths=0, vmin=0, vmax=8
        )
        axes.set(xlim=(-0.9, 2.9), ylim=(-0.15, 2.1), aspect="equal")
        _shared.bare(axes, f"{len(flying)} drops, bright ones are slow")


def _circle(centre: tuple[float, float], radius: float, colour: np.ndarray) -> Any:
    from matplotlib.patches import Circle

    return Circle(centre, radius, color=colour, linewidth=0)


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, frames=150)
    fountain = scene()
    with wp.ScopedDevice(options.device):
        drops = simulate(options.frames, 20_000, fountain)
    flying = drops[drops["wait"] <= 0]
    print(f"{len(flying)} drops, the highest at {flying['position'][:, 2].max():.2f} m")
    if not options.headless:
        draw(drops, fountain, options.picture)


if __name__ == "__main__":
    main()
