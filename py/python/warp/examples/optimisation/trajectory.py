"""Trajectory optimisation: a boat finds its way through islands against a current.

Shows a gradient with respect to many numbers (the thrust in each step) through a simulation inside one thread, and
many first guesses at once: some go left of an island, others right. This is direct shooting, as old as optimal
control by gradients (Kelley, 1960).

    python -m warp.examples.optimisation.trajectory [--steps N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared

TIMES = 80
DT = 0.1
GOAL = wp.constant(wp.vec2(9.0, 5.0))
#: Islands: x, y, radius.
ISLANDS = [(2.3, 1.4, 0.9), (2.6, 4.6, 1.1), (4.7, 2.5, 1.0), (6.6, 5.3, 0.8), (7.2, 1.3, 1.1)]


@wp.func
def current(p: wp.vec2) -> wp.vec2:
    """Water turns round the middle."""
    return 0.22 * wp.vec2(-(p[1] - 3.0), p[0] - 5.0) * wp.exp(-0.06 * wp.length_sq(p - wp.vec2(5.0, 3.0)))


@wp.kernel
def sail(
    thrust: wp.array2d[wp.vec2],
    islands: wp.array[wp.vec3],
    path: wp.array2d[wp.vec2],
    loss: wp.array[float],
) -> None:
    """Thread i sails with thrust[i]; what it costs is fuel, land, and not to be at the goal at rest."""
    i = wp.tid()
    p = wp.vec2(0.0, 0.0)
    v = wp.vec2(0.0, 0.0)
    cost = float(0.0)
    for t in range(thrust.shape[1]):
        v += DT * (thrust[i, t] - 0.8 * (v - current(p)))
        p += DT * v
        path[i, t] = p
        cost += DT * wp.length_sq(thrust[i, t])
        for k in range(islands.shape[0]):
            depth = wp.max(islands[k][2] + 0.25 - wp.length(p - wp.vec2(islands[k][0], islands[k][1])), 0.0)
            cost += DT * 400.0 * depth * depth
    loss[i] = cost + 60.0 * wp.length_sq(p - GOAL) + 10.0 * wp.length_sq(v)


def guesses(count: int, seed: int = 0) -> np.ndarray:
    """Thrust towards the goal, with a slow swing to one side and the other."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0, np.pi, TIMES)
    swing = sum(rng.normal(scale=1.2 / k, size=(count, 1)) * np.sin(k * t) for k in (1, 2, 3))
    along, aside = np.array([0.87, 0.48]), np.array([-0.48, 0.87])
    thrust: np.ndarray = 1.1 * along + np.asarray(swing)[..., None] * aside
    return thrust


def optimise(start: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Paths before and after, and the losses after each step."""
    thrust = wp.array(start, dtype=wp.vec2, requires_grad=True)
    islands = wp.array(ISLANDS, dtype=wp.vec3)
    path = wp.zeros(start.shape[:2], dtype=wp.vec2)
    loss = wp.zeros(len(start), dtype=float, requires_grad=True)
    ones = wp.ones(len(start), dtype=float)
    with wp.Tape() as tape:
        wp.launch(sail, dim=len(start), inputs=[thrust, islands], outputs=[path, loss])
    before, losses = path.numpy().copy(), []
    optimizer = wp.optim.Adam([thrust], lr=0.1)
    for step in _shared.progress(steps, "step"):
        optimizer.lr = 0.1 * (1 - step / steps)
        tape.zero()
        tape.backward(grads={loss: ones})
        optimizer.step([thrust.grad])
        wp.launch(sail, dim=len(start), inputs=[thrust, islands], outputs=[path, loss])
        losses.append(loss.numpy().copy())
    return before, np.array(path.numpy()), np.array(losses)


def draw(before: np.ndarray, after: np.ndarray, losses: np.ndarray, file: str) -> None:
    from matplotlib.patches import Circle

    with _shared.sheet(file, 1, 2, size=(13.5, 5.6), width_ratios=(1.9, 1)) as (left, right):
        y, x = np.mgrid[-1.2:7.2:15j, -1:11:20j]
        fade = 0.22 * np.exp(-0.06 * ((x - 5) ** 2 + (y - 3) ** 2))
        left.quiver(x, y, -(y - 3) * fade, (x - 5) * fade, color="#8fb8c9", width=0.0018, scale=22)
        for cx, cy, r in ISLANDS:
            left.add_patch(Circle((cx, cy), r, facecolor="#d8c690", edgecolor="#a48d4f", linewidth=1.4, zorder=2))
        left.plot(*before.transpose(2, 1, 0), color="#b8bac2", linewidth=0.5, alpha=0.5)
        best = losses[-1].argmin()
        good = losses[-1] < 1.5 * losses[-1, best]
        left.plot(*after[good].transpose(2, 1, 0), color=_shared.BLUE, linewidth=0.9, alpha=0.6, zorder=3)
        left.plot(*after[best].T, color=_shared.RED, linewidth=2.6, zorder=4)
        left.scatter(*np.array([(0, 0), tuple(GOAL)]).T, s=70, color=_shared.INK, zorder=5)
        left.set(xlim=(-1, 11), ylim=(-1.4, 7.4), aspect="equal")
        _shared.bare(left, "first guesses gray, good ways blue, the best red")
        right.semilogy(losses, color=_shared.BLUE, linewidth=0.5, alpha=0.4)
        right.semilogy(losses[:, best], color=_shared.RED, linewidth=2)
        right.set(title="what each way costs", xlabel="step of Adam")


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, steps=400)
    with wp.ScopedDevice(options.device):
        before, after, losses = optimise(guesses(96), options.steps)
    best = losses[-1].argmin()
    off = np.linalg.norm(after[best, -1] - np.array(GOAL))
    print(f"{len(after)} ways, best cost {losses[0].min():.1f} -> {losses[-1, best]:.2f}, {off:.3f} from the goal")
    if not options.headless:
        draw(before, after, losses, options.picture)


if __name__ == "__main__":
    main()
