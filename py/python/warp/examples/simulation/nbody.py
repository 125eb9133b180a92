"""N bodies: two galaxies meet.

Shows a loop over all others in each thread, which the compiler runs for several bodies at once. The step is the
leapfrog, whose energy does not drift; forces are softened (Aarseth, 1963). The model is that of Toomre and Toomre
(1972), with stars that attract each other, too.

    python -m warp.examples.simulation.nbody [--frames N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared


@wp.kernel
def attract(x: wp.array[wp.vec3], mass: wp.array[float], soft2: float, a: wp.array[wp.vec3]) -> None:
    i = wp.tid()
    here = x[i]
    total = wp.vec3(0.0, 0.0, 0.0)
    for j in range(x.shape[0]):
        away = x[j] - here
        r2 = wp.dot(away, away) + soft2
        total += away * (mass[j] / (r2 * wp.sqrt(r2)))
    a[i] = total


@wp.kernel
def kick_and_drift(x: wp.array[wp.vec3], v: wp.array[wp.vec3], a: wp.array[wp.vec3], kick: float, drift: float) -> None:
    i = wp.tid()
    v[i] = v[i] + kick * a[i]
    x[i] = x[i] + drift * v[i]


class Bodies:
    """Bodies whose constant of gravity is 1."""

    def __init__(self, x: np.ndarray, v: np.ndarray, mass: np.ndarray, soft: float) -> None:
        self.x, self.v, self.mass = wp.array(x, dtype=wp.vec3), wp.array(v, dtype=wp.vec3), wp.array(mass, dtype=float)
        self.a, self.soft2 = wp.zeros_like(self.x), soft * soft
        self.attract()

    def attract(self) -> None:
        wp.launch(attract, dim=len(self.x), inputs=[self.x, self.mass, self.soft2], outputs=[self.a])

    def advance(self, steps: int, dt: float) -> None:
        n = len(self.x)
        for _ in range(steps):
            wp.launch(kick_and_drift, dim=n, inputs=[self.x, self.v, self.a, 0.5 * dt, dt])
            self.attract()
            wp.launch(kick_and_drift, dim=n, inputs=[self.x, self.v, self.a, 0.5 * dt, 0.0])

    def energy(self) -> float:
        x, v, m = (array.numpy().astype(float) for array in (self.x, self.v, self.mass))
        total = 0.5 * (m * (v * v).sum(axis=1)).sum()
        for i in range(len(m)):
            r2 = ((x[:i] - x[i]) ** 2).sum(axis=1) + self.soft2
            total -= m[i] * (m[:i] / np.sqrt(r2)).sum()
        return float(total)


def galaxy(count: int, mass: float, radius: float, tilt: float, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """A heavy centre with stars on circles round it: positions, velocities, masses."""
    r = radius * np.sqrt(rng.uniform(0.03, 1, count))
    angle = rng.uniform(0, 2 * np.pi, count)
    masses = np.concatenate([[0.8 * mass], np.full(count, 0.2 * mass / count)])
    inside = 0.8 * mass + 0.2 * mass * (r / radius) ** 2
    speed = np.sqrt(inside / r)
    flat = np.stack([np.cos(angle), np.sin(angle), rng.normal(scale=0.02, size=count)], axis=1)
    turn = np.stack([-np.sin(angle), np.cos(angle), np.zeros(count)], axis=1)
    c, s = np.cos(tilt), np.sin(tilt)
    rotation = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    zero = np.zeros((1, 3))
    return (
        np.vstack([zero, r[:, None] * flat @ rotation.T]),
        np.vstack([zero, speed[:, None] * turn @ rotation.T]),
        masses,
    )


def meeting(count: int) -> Bodies:
    """Two galaxies that will pass each other closely."""
    rng = np.random.default_rng(5)
    x1, v1, m1 = galaxy(count, 1.0, 1.0, 0.4, rng)
    x2, v2, m2 = galaxy(count * 2 // 3, 0.6, 0.75, -0.9, rng)
    start, speed = np.array([2.4, 0.8, 0.3]), np.array([-0.85, 0.1, 0.0])
    share = 0.6 / 1.6
    x = np.vstack([x1 - share * start, x2 + (1 - share) * start])
    v = np.vstack([v1 - share * speed, v2 + (1 - share) * speed])
    return Bodies(x, v, np.concatenate([m1, m2]), 0.05)


def draw(seen: list[np.ndarray], first: int, file: str) -> None:
    with _shared.sheet(file, 2, 3, size=(13.5, 8.4), dark=True) as panels:
        for axes, x in zip(panels, seen, strict=True):
            for part, colour in ((slice(0, first), "#9ecbff"), (slice(first, None), "#ffc48a")):
                axes.scatter(x[part, 0], x[part, 1], s=2.6, color=colour, alpha=0.65, linewidths=0)
            axes.set(xlim=(-2.4, 2.4), ylim=(-1.6, 1.6), aspect="equal")
            _shared.bare(axes)


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, frames=90)
    count, seen = 1500, []
    with wp.ScopedDevice(options.device):
        bodies = meeting(count)
        before = bodies.energy()
        for frame in _shared.progress(options.frames):
            if frame * 5 % options.frames < 5:
                seen.append(bodies.x.numpy().copy())
            bodies.advance(4, 0.01)
    seen = [*seen[:5], bodies.x.numpy()]
    print(f"{len(bodies.x)} bodies, {4 * options.frames} steps: energy {before:.4f} -> {bodies.energy():.4f}")
    if not options.headless:
        draw(seen + seen[-1:] * (6 - len(seen)), count + 1, options.picture)


if __name__ == "__main__":
    main()
