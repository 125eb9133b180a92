"""Neighbour lists of molecules: liquid argon in a box that repeats, by molecular dynamics.

Shows a hash grid whose cells fill a periodic box, so that queries find neighbours across its sides, and a list of
neighbours made by counting, adding up and filling, as models of molecules in other frameworks take it. Lists reach a
bit further than forces do, and are made again when an atom has moved half of that. Atoms attract and repel each other
as Lennard and Jones have it, cut off at 2.5 diameters (Allen and Tildesley, Computer Simulation of Liquids, 1987); all
numbers are in units of the diameter, the depth of the potential and the mass, in float64.

    python -m warp.examples.geometry.molecules [--steps N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp
import warp.utils

from .. import _shared

CUT, SKIN = wp.constant(wp.float64(2.5)), wp.constant(wp.float64(0.3))
ZERO, ONE, HALF = wp.constant(wp.float64(0.0)), wp.constant(wp.float64(1.0)), wp.constant(wp.float64(0.5))


@wp.func
def apart(a: wp.vec3d, b: wp.vec3d, side: wp.float64) -> wp.vec3d:
    """From b to a, the shortest way through the sides of the box."""
    d = a - b
    for axis in range(3):
        d[axis] = d[axis] - side * wp.rint(d[axis] / side)
    return d


@wp.kernel
def find(
    grid: wp.uint64, x: wp.array[wp.vec3d], side: wp.float64, reach: wp.float64, starts: wp.array[int],
    neighbours: wp.array[int], counts: wp.array[int],
) -> None:  # fmt: skip
    """Writes the neighbours of each atom behind its start; without starts it only counts them."""
    i = wp.tid()
    here = x[i]
    count = int(0)
    for j in wp.hash_grid_query(grid, here, reach):
        if j != i and wp.length_sq(apart(here, x[j], side)) < reach * reach:
            if starts:
                neighbours[starts[i] + count] = j
            count += 1
    counts[i] = count


@wp.func
def bond(square: wp.float64) -> wp.float64:
    """The energy of two atoms, by the square of their distance; 0 from CUT on."""
    energy = ZERO
    if square < CUT * CUT:
        s = ONE / (square * square * square)
        c = ONE / wp.pow(CUT, wp.float64(6.0))
        energy = wp.float64(4.0) * (s * (s - ONE) - c * (c - ONE))
    return energy


@wp.kernel
def energies(
    x: wp.array[wp.vec3d], side: wp.float64, starts: wp.array[int], neighbours: wp.array[int],
    energy: wp.array[wp.float64],
) -> None:  # fmt: skip
    """Adds half of each atom's bonds: a gradient with respect to x is minus the forces."""
    i = wp.tid()
    total = ZERO
    for n in range(starts[i], starts[i + 1]):
        total += HALF * bond(wp.length_sq(apart(x[i], x[neighbours[n]], side)))
    wp.atomic_add(energy, 0, total)


@wp.kernel
def push(
    x: wp.array[wp.vec3d], side: wp.float64, starts: wp.array[int], neighbours: wp.array[int], dt: wp.float64,
    v: wp.array[wp.vec3d],
) -> None:  # fmt: skip
    """Speeds after dt under forces, which are derivatives of bonds."""
    i = wp.tid()
    force = wp.vec3d()
    for n in range(starts[i], starts[i + 1]):
        away = apart(x[i], x[neighbours[n]], side)
        square = wp.length_sq(away)
        if square < CUT * CUT:
            s = ONE / (square * square * square)
            force += wp.float64(24.0) * s * (s + s - ONE) / square * away
    v[i] = v[i] + dt * force


@wp.kernel
def move(x: wp.array[wp.vec3d], v: wp.array[wp.vec3d], dt: wp.float64, side: wp.float64) -> None:
    i = wp.tid()
    p = x[i] + dt * v[i]
    for axis in range(3):
        p[axis] = p[axis] - side * wp.floor(p[axis] / side)
    x[i] = p


class Liquid:
    """Atoms on a lattice at first, `cells` of four along each side of the box."""

    def __init__(self, cells: int, density: float = 0.8442, temperature: float = 2.6) -> None:
        rng = np.random.default_rng(2)
        corners = np.stack(np.meshgrid(*[np.arange(cells)] * 3), axis=-1).reshape(-1, 1, 3)
        lattice = corners + np.array([[0, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]]) + 0.25
        count = 4 * cells**3
        self.side = (count / density) ** (1 / 3)
        self.x = wp.array(lattice.reshape(-1, 3) * self.side / cells, dtype=wp.vec3d)
        v = rng.normal(size=(count, 3)) * temperature**0.5
        self.v = wp.array(v - v.mean(axis=0), dtype=wp.vec3d)
        self.reach = float(CUT) + float(SKIN)
        self.along = along = int(self.side / self.reach)
        if along < 3:
            raise ValueError(f"a box of {self.side:.1f} is too small for neighbours up to {self.reach}")
        self.grid = wp.HashGrid(along, along, along, dtype=wp.float64)
        self.lists = 0
        self.list()

    def list(self) -> None:
        """Makes the lists: those of atom i are neighbours[starts[i] : starts[i + 1]]."""
        count = len(self.x)
        self.grid.build(self.x, self.side / self.along)
        inputs = [self.grid, self.x, self.side, self.reach]
        counts, ends = wp.zeros(count, dtype=int), wp.zeros(count, dtype=int)
        wp.launch(find, count, inputs=[*inputs, None, None], outputs=[counts])
        warp.utils.array_scan(counts, ends, inclusive=True)
        self.starts = wp.zeros(count + 1, dtype=int)
        wp.copy(self.starts, ends, dest_offset=1)
        self.neighbours = wp.empty(int(ends.numpy()[-1]), dtype=int)
        wp.launch(find, count, inputs=[*inputs, self.starts, self.neighbours], outputs=[counts])
        self.at = self.x.numpy().copy()
        self.lists += 1

    def pairs(self) -> np.ndarray:
        """The lists as rows of two atoms."""
        starts = self.starts.numpy()
        return np.stack([np.repeat(np.arange(len(self.x)), np.diff(starts)), self.neighbours.numpy()], axis=1)

    def advance(self, dt: float) -> None:
        """A step by the velocities of Verlet's method."""
        count, half = len(self.x), [self.x, self.side, self.starts, self.neighbours, 0.5 * dt]
        wp.launch(push, count, inputs=[*half, self.v])
        wp.launch(move, count, inputs=[self.x, self.v, dt, self.side])
        moved = self.x.numpy() - self.at
        moved -= self.side * np.rint(moved / self.side)
        if (moved**2).sum(axis=1).max() > (0.5 * float(SKIN)) ** 2:
            self.list()
        wp.launch(push, count, inputs=[self.x, self.side, self.starts, self.neighbours, 0.5 * dt, self.v])

    def energy(self) -> tuple[float, float]:
        """Of bonds, and of motion, of each atom."""
        found = wp.zeros(1, dtype=wp.float64)
        inputs = [self.x, self.side, self.starts, self.neighbours]
        wp.launch(energies, len(self.x), inputs=inputs, outputs=[found])
        count = len(self.x)
        return float(found.numpy()[0]) / count, 0.5 * float((self.v.numpy() ** 2).sum()) / count

    def distances(self) -> np.ndarray:
        """Of all pairs in reach, each twice."""
        i, j = self.pairs().T
        x = self.x.numpy()
        d = x[i] - x[j]
        return np.array(np.linalg.norm(d - self.side * np.rint(d / self.side), axis=1))


def all_pairs(x: np.ndarray, side: float, reach: float) -> np.ndarray:
    """Pairs nearer than that by brute force."""
    d = x[:, None] - x
    d -= side * np.rint(d / side)
    near = (d**2).sum(axis=2) < reach**2
    np.fill_diagonal(near, False)
    return np.argwhere(near)


def check_lists(liquid: Liquid) -> None:
    """Holds the lists against brute force."""
    liquid.list()
    found = liquid.pairs()
    found = found[np.lexsort(found.T[::-1])]
    expected = all_pairs(liquid.x.numpy(), liquid.side, liquid.reach)
    if not np.array_equal(found, expected):
        raise RuntimeError(f"the lists have {len(found)} pairs, all pairs in reach are {len(expected)}")


def draw(liquid: Liquid, seen: np.ndarray, total: np.ndarray, file: str) -> None:
    """Atoms in front over those behind, how many lie at each distance, and energies."""
    x, side = liquid.x.numpy(), liquid.side
    with _shared.sheet(file, 1, 3, size=(14, 4.8), width_ratios=(1, 1, 1)) as panels:
        order = np.argsort(-x[:, 1])
        depth = x[order, 1] / side
        panels[0].scatter(x[order, 0], x[order, 2], s=170 * (1.1 - 0.5 * depth), c=depth, cmap="GnBu_r", linewidths=0.3,
                          edgecolors=_shared.INK, vmin=-0.2, vmax=1.2)  # fmt: skip
        panels[0].set_aspect("equal")
        _shared.bare(panels[0], f"{len(x)} atoms")
        edges = np.linspace(0.8, float(CUT), 80)
        counts, _ = np.histogram(seen, edges)
        shells = 4 / 3 * np.pi * (edges[1:] ** 3 - edges[:-1] ** 3) * len(x) / side**3
        often = len(total) // 10 or 1
        panels[1].plot((edges[1:] + edges[:-1]) / 2, counts / shells / len(x) / often, color=_shared.BLUE)
        panels[1].axhline(1, color="#8a8d96", linewidth=0.8)
        panels[1].set(title="density around an atom, by the mean density", xlabel="distance in diameters")
        for values, label, colour in ((total[:, 0], "bonds", _shared.VIOLET), (total[:, 1], "motion", _shared.GOLD)):
            panels[2].plot(values, label=label, color=colour)
        panels[2].plot(total.sum(axis=1), label="both", color=_shared.INK)
        panels[2].set(title="energy of an atom", xlabel="step")
        panels[2].legend()


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, steps=600)
    with wp.ScopedDevice(options.device):
        liquid = Liquid(6)
        check_lists(liquid)
        total, seen = [], []
        for step in _shared.progress(options.steps, "step"):
            liquid.advance(0.004)
            total.append(liquid.energy())
            if step % 10 == 9:
                seen.append(liquid.distances())
        check_lists(liquid)
    each = len(liquid.neighbours) / len(liquid.x)
    both = np.sum(total, axis=1)
    lists = f"{liquid.lists} lists of {each:.0f} neighbours each, as by brute force"
    print(f"{len(liquid.x)} atoms, {options.steps} steps, {lists}")
    print(f"energy of an atom {both[0]:.4f}, it varies by {np.ptp(both):.1e}; temperature {2 / 3 * total[-1][1]:.2f}")
    if np.ptp(both) > 0.01:
        raise RuntimeError(f"energy is not kept: it varies by {np.ptp(both)}")
    if not options.headless:
        draw(liquid, np.concatenate([np.zeros(0), *seen]), np.array(total), options.picture)


if __name__ == "__main__":
    main()
