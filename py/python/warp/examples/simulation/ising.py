"""The Ising model: when a magnet loses its magnetism.

Shows random numbers that go on from launch to launch: each site keeps the state of its generator in an array. Sites
of one colour of a chessboard do not see each other, so they change at once; each turns as Metropolis and others
(1953) say. Below the temperature 2 / log(1 + sqrt(2)) the spins agree, by how much was found by Onsager (1944; proof
by Yang, 1952).

    python -m warp.examples.simulation.ising [--steps SWEEPS] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared

CRITICAL = 2 / np.log(1 + np.sqrt(2))


@wp.kernel
def seed(states: wp.array3d[wp.uint32], number: int) -> None:
    k, i, j = wp.tid()
    states[k, i, j] = wp.rand_init(number, (k * states.shape[1] + i) * states.shape[2] + j)


@wp.kernel
def turn(
    spins: wp.array3d[wp.int8],
    temperature: wp.array[float],
    colour: int,
    states: wp.array3d[wp.uint32],
) -> None:
    """Each magnet k has a temperature of its own; a thread has one site of the colour."""
    k, i, half = wp.tid()
    rows, columns = spins.shape[1], spins.shape[2]
    j = 2 * half + (i + colour) % 2
    around = int(spins[k, (i + 1) % rows, j]) + int(spins[k, (i + rows - 1) % rows, j])
    around += int(spins[k, i, (j + 1) % columns]) + int(spins[k, i, (j + columns - 1) % columns])
    cost = 2.0 * float(int(spins[k, i, j]) * around)
    state = states[k, i, j]
    if wp.randf(state) < wp.exp(-cost / temperature[k]):
        spins[k, i, j] = -spins[k, i, j]
    states[k, i, j] = state


@wp.kernel
def add_up(spins: wp.array3d[wp.int8], total: wp.array[int]) -> None:
    k, i, j = wp.tid()
    wp.atomic_add(total, k, int(spins[k, i, j]))


def cool(temperatures: np.ndarray, side: int, sweeps: int, number: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Spins of magnets that began with all alike, and their mean over the second half of the sweeps."""
    shape = (len(temperatures), side, side)
    spins, states = wp.ones(shape, dtype=wp.int8), wp.empty(shape, dtype=wp.uint32)
    t, total = wp.array(temperatures, dtype=float), wp.zeros(len(temperatures), dtype=int)
    wp.launch(seed, dim=shape, inputs=[states, number])
    means = []
    for sweep in range(sweeps):
        for colour in (0, 1):
            wp.launch(turn, dim=(shape[0], side, side // 2), inputs=[spins, t, colour, states])
        if 2 * sweep >= sweeps:
            total.zero_()
            wp.launch(add_up, dim=shape, inputs=[spins], outputs=[total])
            means.append(np.abs(total.numpy()) / side**2)
    return np.array(spins.numpy()), np.mean(means, axis=0)


def onsager(temperature: np.ndarray) -> np.ndarray:
    """The magnetisation of an infinite magnet."""
    return np.maximum(1 - np.sinh(2 / np.asarray(temperature)) ** -4.0, 0) ** 0.125


def draw(temperatures: np.ndarray, spins: np.ndarray, means: np.ndarray, file: str) -> None:
    chosen = [np.abs(temperatures - t).argmin() for t in (2.0, CRITICAL, 2.6)]
    with _shared.sheet(file, 1, 4, size=(16, 4.4), width_ratios=(1, 1, 1, 1.25)) as panels:
        for axes, k in zip(panels, chosen, strict=False):
            name = f"temperature {temperatures[k]:.2f}"
            _shared.image(axes, spins[k], name, cmap="bone", vmin=-1.3, vmax=1.3, interpolation="nearest")
        fine = np.linspace(temperatures[0], temperatures[-1], 500)
        panels[3].plot(fine, onsager(fine), color=_shared.INK, label="Onsager")
        panels[3].plot(temperatures, means, "o", color=_shared.RED, label="simulated")
        panels[3].set(title="magnetisation", xlabel="temperature")
        panels[3].legend()


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, steps=800)
    temperatures = np.sort(np.append(np.linspace(1.5, 3.0, 15), CRITICAL))
    with wp.ScopedDevice(options.device):
        spins, means = cool(temperatures, 128, options.steps)
    for t, found, true in zip(temperatures, means, onsager(temperatures), strict=True):
        print(f"temperature {t:.3f}: magnetisation {found:.4f}, Onsager {true:.4f}")
    if not options.headless:
        draw(temperatures, spins, means, options.picture)


if __name__ == "__main__":
    main()
