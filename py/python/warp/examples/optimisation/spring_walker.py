"""A soft creature learns to walk: its springs are muscles, and gradients say when each should pull.

Shows a simulation of a thousand launches on one tape, each of which reads one row of an array of all states and
writes the next. Muscles change their length as sines; how much and when is found by Adam. Creatures of masses and
springs that are optimised through their simulation are from Hu and others (DiffTaichi, 2020).

    python -m warp.examples.optimisation.spring_walker [--steps N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared

DT = 0.004
STIFFNESS, DAMPING = 900.0, 4.0
BEAT = 2.0 * np.pi * 1.6


@wp.kernel
def step(
    t: int,
    starts: wp.array[int],
    springs: wp.array[int],
    others: wp.array[int],
    rest: wp.array[float],
    muscles: wp.array[wp.vec2],
    x: wp.array2d[wp.vec2],
    v: wp.array2d[wp.vec2],
) -> None:
    """Masses of 1; the springs of mass i are entries starts[i] to starts[i + 1]. A muscle has a sine and a cosine."""
    i = wp.tid()
    p = x[t, i]
    u = v[t, i]
    force = wp.vec2(0.0, -9.8)
    time = float(t) * DT * BEAT
    for k in range(starts[i], starts[i + 1]):
        s = springs[k]
        pull = muscles[s][0] * wp.sin(time) + muscles[s][1] * wp.cos(time)
        length = rest[s] * (1.0 + 0.22 * wp.tanh(pull))
        away = x[t, others[k]] - p
        far = wp.length(away)
        faster = wp.dot(v[t, others[k]] - u, away) / far
        force += (STIFFNESS * (far - length) + DAMPING * faster) / far * away
    # The ground pushes back, and holds what presses on it.
    press = 3000.0 * wp.max(-p[1], 0.0)
    force += wp.vec2(-1.2 * press * wp.tanh(4.0 * u[0]), press - 0.01 * press * u[1])
    u = wp.exp(-0.3 * DT) * (u + DT * force)
    v[t + 1, i] = u
    x[t + 1, i] = p + DT * u


@wp.kernel
def stay_behind(x: wp.array2d[wp.vec2], loss: wp.array[float]) -> None:
    """Minus the way of the middle."""
    i = wp.tid()
    last = x.shape[0] - 1
    wp.atomic_add(loss, 0, (x[0, i][0] - x[last, i][0]) / float(x.shape[1]))


def creature() -> tuple[np.ndarray, np.ndarray]:
    """A body of two rows with three legs: points, and pairs of points that springs join."""
    cells = [(c, 1) for c in range(5)] + [(0, 0), (2, 0), (4, 0)]
    points = sorted({(c + a, r + b) for c, r in cells for a in (0, 1) for b in (0, 1)})
    pairs = set()
    for c, r in cells:
        corners = [(c, r), (c + 1, r), (c, r + 1), (c + 1, r + 1)]
        for a in range(4):
            for b in range(a):
                pairs.add(tuple(sorted((points.index(corners[a]), points.index(corners[b])))))
    return 0.2 * np.array(points, dtype=float), np.array(sorted(pairs))


class Walker:
    """The creature, its muscles, and all its states from rest over some steps of time."""

    def __init__(self, times: int, seed: int = 3) -> None:
        points, self.pairs = creature()
        count, self.times = len(points), times
        ends = np.concatenate([self.pairs, self.pairs[:, ::-1]])
        order = np.argsort(ends[:, 0], kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(ends[:, 0], minlength=count))])
        rest = np.linalg.norm(points[self.pairs[:, 0]] - points[self.pairs[:, 1]], axis=1)
        self.starts, self.rest = wp.array(starts, dtype=int), wp.array(rest, dtype=float)
        self.springs, self.others = wp.array(order % len(self.pairs), dtype=int), wp.array(ends[order, 1], dtype=int)
        weak = np.random.default_rng(seed).normal(scale=0.1, size=(len(self.pairs), 2))
        self.muscles = wp.array(weak, dtype=wp.vec2, requires_grad=True)
        self.x, self.v = (wp.zeros((times + 1, count), dtype=wp.vec2, requires_grad=True) for _ in range(2))
        self.x[0].assign(points)
        self.loss = wp.zeros(1, dtype=float, requires_grad=True)

    def walk(self) -> float:
        """How far it comes."""
        self.loss.zero_()
        body = [self.starts, self.springs, self.others, self.rest, self.muscles]
        for t in range(self.times):
            wp.launch(step, dim=self.x.shape[1], inputs=[t, *body], outputs=[self.x, self.v])
        wp.launch(stay_behind, dim=self.x.shape[1], inputs=[self.x], outputs=[self.loss])
        return -float(self.loss)

    def learn(self, steps: int) -> list[float]:
        """How far it comes before each step of Adam."""
        optimizer = wp.optim.Adam([self.muscles], lr=0.01)
        ways = []
        for _ in _shared.progress(steps, "step"):
            with wp.Tape() as tape:
                ways.append(self.walk())
            tape.backward(self.loss)
            optimizer.step([self.muscles.grad])
            tape.zero()
        return ways


def draw(walker: Walker, ways: list[float], file: str) -> None:
    from matplotlib.collections import LineCollection

    x, power = walker.x.numpy(), np.linalg.norm(walker.muscles.numpy(), axis=1)
    with _shared.sheet(file, 2, 1, size=(12, 6), height_ratios=(1, 1.1)) as (top, bottom):
        for k, t in enumerate(np.linspace(0, walker.times, 4).astype(int)):
            lines = LineCollection(list(x[t][walker.pairs]), array=power, cmap="plasma_r", linewidths=2.2)
            lines.set_alpha(0.4 + 0.2 * k)
            top.add_collection(lines)
        middle = x.mean(axis=1)
        top.plot(*middle.T, color=_shared.INK, linewidth=0.8, alpha=0.6)
        top.axhline(0, color=_shared.INK, linewidth=1.5)
        top.set(xlim=(-0.3, x[..., 0].max() + 0.3), ylim=(-0.1, 0.75), aspect="equal")
        _shared.bare(top, f"{walker.times * DT:.1f} seconds of walking; dark muscles are strong")
        bottom.plot(ways, color=_shared.RED)
        bottom.set(title="how far it comes", xlabel="step of Adam")


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, steps=120)
    with wp.ScopedDevice(options.device):
        walker = Walker(1000)
        ways = walker.learn(options.steps)
        ways.append(walker.walk())
    print(f"{len(walker.pairs)} muscles, {options.steps} steps: it comes {ways[0]:.2f} -> {ways[-1]:.2f} far")
    if not options.headless:
        draw(walker, ways, options.picture)


if __name__ == "__main__":
    main()
