"""Parameters of a differential equation from noisy data: foxes and rabbits.

Shows a whole simulation inside one thread, whose gradient the compiler finds through all its steps, and many first
guesses at once: each thread fits its own. The equations are Lotka's (1925) and Volterra's (1926), the integrator is
the fourth-order one of Runge and Kutta.

    python -m warp.examples.optimisation.ode_fit [--steps N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared

TRUE = (1.1, 0.4, 0.1, 0.4)
START = (8.0, 4.0)
DT, EVERY = 0.02, 25  # length of a step, and after how many of them is measured


@wp.func
def change(s: wp.vec2, p: wp.vec4) -> wp.vec2:
    """Rabbits multiply and are eaten; foxes multiply where they eat, and die."""
    return wp.vec2(p[0] * s[0] - p[1] * s[0] * s[1], p[2] * s[0] * s[1] - p[3] * s[1])


@wp.func
def runge_kutta(s: wp.vec2, p: wp.vec4, dt: float) -> wp.vec2:
    a = change(s, p)
    b = change(s + 0.5 * dt * a, p)
    c = change(s + 0.5 * dt * b, p)
    d = change(s + dt * c, p)
    return s + dt / 6.0 * (a + 2.0 * b + 2.0 * c + d)


@wp.kernel
def misfit(logs: wp.array[wp.vec4], data: wp.array[wp.vec2], loss: wp.array[float]) -> None:
    """Parameters are given by their logarithms, so that they stay positive; numbers of animals are compared by them."""
    i = wp.tid()
    p = wp.vec4(wp.exp(logs[i][0]), wp.exp(logs[i][1]), wp.exp(logs[i][2]), wp.exp(logs[i][3]))
    s = wp.vec2(START[0], START[1])
    total = float(0.0)
    for k in range(data.shape[0]):
        for _ in range(EVERY):
            s = runge_kutta(s, p, DT)
        x = wp.log(s[0] / data[k][0])
        y = wp.log(s[1] / data[k][1])
        total += x * x + y * y
    loss[i] = total / float(data.shape[0])


@wp.kernel
def follow(p: wp.vec4, path: wp.array[wp.vec2]) -> None:
    s = wp.vec2(START[0], START[1])
    for k in range(path.shape[0]):
        s = runge_kutta(s, p, DT)
        path[k] = s


def path_of(parameters: tuple[float, ...], steps: int) -> np.ndarray:
    path = wp.zeros(steps, dtype=wp.vec2)
    wp.launch(follow, dim=1, inputs=[wp.vec4(*parameters)], outputs=[path])
    return np.array(path.numpy())


def measured(count: int, noise: float = 0.05) -> np.ndarray:
    """What is counted, with noise."""
    exact = path_of(TRUE, count * EVERY)[EVERY - 1 :: EVERY]
    result: np.ndarray = exact * np.exp(np.random.default_rng(0).normal(scale=noise, size=exact.shape))
    return result


def fit(data: np.ndarray, guesses: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The parameters found from each guess, their loss in each step, and the parameters in each step."""
    logs = wp.array(np.log(guesses), dtype=wp.vec4, requires_grad=True)
    loss = wp.zeros(len(guesses), dtype=float, requires_grad=True)
    ones = wp.ones(len(guesses), dtype=float)
    counted = wp.array(data, dtype=wp.vec2)
    with wp.Tape() as tape:
        wp.launch(misfit, dim=len(guesses), inputs=[logs, counted], outputs=[loss])
    optimizer = wp.optim.Adam([logs], lr=0.03)
    losses, way = [], []
    for step in _shared.progress(steps, "step"):
        optimizer.lr = 0.03 * (1 - step / steps)
        tape.zero()
        tape.backward(grads={loss: ones})
        optimizer.step([logs.grad])
        wp.launch(misfit, dim=len(guesses), inputs=[logs, counted], outputs=[loss])
        losses.append(loss.numpy().copy())
        way.append(np.exp(logs.numpy()))
    return np.exp(logs.numpy()), np.array(losses), np.array(way)


def draw(data: np.ndarray, best: np.ndarray, losses: np.ndarray, way: np.ndarray, file: str) -> None:
    with _shared.sheet(file, 1, 3, size=(16, 4.6), width_ratios=(1.5, 1, 1)) as (left, middle, right):
        t = DT * EVERY * (1 + np.arange(len(data)))
        path = path_of(tuple(best), len(data) * EVERY)
        fine = DT * (1 + np.arange(len(path)))
        for k, (name, colour) in enumerate((("rabbits", _shared.BLUE), ("foxes", _shared.RED))):
            left.plot(fine, path[:, k], color=colour, label=name)
            left.plot(t, data[:, k], "o", color=colour, markersize=3.5)
        left.set(title="counted (dots) and fitted", xlabel="time")
        left.legend()
        good = losses[-1] < 2 * losses[-1].min()
        middle.plot(way[:, good, 0], way[:, good, 3], color=_shared.VIOLET, linewidth=0.6, alpha=0.6)
        middle.plot(way[:, ~good, 0], way[:, ~good, 3], color="#a9abb3", linewidth=0.5, alpha=0.5)
        middle.scatter(TRUE[0], TRUE[3], marker="*", s=220, color=_shared.GOLD, edgecolor=_shared.INK, zorder=3)
        middle.set(xscale="log", yscale="log", xlabel="how rabbits multiply", ylabel="how foxes die")
        middle.minorticks_off()
        middle.set_title(f"{way.shape[1]} guesses, {good.sum()} arrive")
        right.semilogy(losses[:, good], color=_shared.VIOLET, linewidth=0.6, alpha=0.6)
        right.semilogy(losses[:, ~good], color="#a9abb3", linewidth=0.5, alpha=0.5)
        right.set(title="misfit", xlabel="step of Adam")


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, steps=400)
    with wp.ScopedDevice(options.device):
        data = measured(50)
        guesses = np.array(TRUE) * np.exp(np.random.default_rng(1).normal(scale=0.5, size=(64, 4)))
        found, losses, way = fit(data, guesses, options.steps)
        best = found[losses[-1].argmin()]
        print(f"misfit {losses[0].min():.3f} -> {losses[-1].min():.5f} (noise alone: {2 * 0.05**2:.5f})")
        print("found: " + ", ".join(f"{p:.4f}" for p in best) + "; true: " + ", ".join(map(str, TRUE)))
        if not options.headless:
            draw(data, best, losses, way, options.picture)


if __name__ == "__main__":
    main()
