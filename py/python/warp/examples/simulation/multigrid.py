"""Multigrid: Poisson's equation on a million points in a few rounds.

Shows a hierarchy of arrays and kernels between them. A few Gauss-Seidel sweeps in red and black make the error
smooth; a coarser grid, where smooth errors are cheap, finds the rest, down to a grid of one point (Fedorenko, 1962;
Brandt, 1977). A V-cycle divides the error by ten whatever the size.

    python -m warp.examples.simulation.multigrid [--steps CYCLES] [--headless]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import warp as wp

from .. import _shared


@wp.kernel
def sweep(u: wp.array2d[wp.float64], f: wp.array2d[wp.float64], colour: int) -> None:
    """Solves for the points of one colour of a chessboard; the rim stays."""
    a, b = wp.tid()
    i = a + 1
    j = 2 * b + 1 + (a + colour) % 2
    if j < u.shape[1] - 1:
        u[i, j] = wp.float64(0.25) * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] + f[i, j])


@wp.kernel
def rest(u: wp.array2d[wp.float64], f: wp.array2d[wp.float64], r: wp.array2d[wp.float64]) -> None:
    a, b = wp.tid()
    i = a + 1
    j = b + 1
    r[i, j] = f[i, j] + u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - wp.float64(4.0) * u[i, j]


@wp.kernel
def restrict(r: wp.array2d[wp.float64], f: wp.array2d[wp.float64]) -> None:
    """Means over 3 x 3 points, times 4 because the coarse grid's cells are twice as wide."""
    a, b = wp.tid()
    i = 2 * a + 2
    j = 2 * b + 2
    sides = r[i - 1, j] + r[i + 1, j] + r[i, j - 1] + r[i, j + 1]
    corners = r[i - 1, j - 1] + r[i - 1, j + 1] + r[i + 1, j - 1] + r[i + 1, j + 1]
    f[a + 1, b + 1] = r[i, j] + wp.float64(0.5) * sides + wp.float64(0.25) * corners


@wp.kernel
def correct(coarse: wp.array2d[wp.float64], u: wp.array2d[wp.float64]) -> None:
    """Adds what the coarse grid found, interpolated."""
    a, b = wp.tid()
    i = a + 1
    j = b + 1
    low = coarse[i // 2, j // 2] + coarse[i // 2, (j + 1) // 2]
    u[i, j] = u[i, j] + wp.float64(0.25) * (low + coarse[(i + 1) // 2, j // 2] + coarse[(i + 1) // 2, (j + 1) // 2])


@dataclass
class Level:
    u: wp.array
    f: wp.array
    r: wp.array
    inner: tuple[int, int]


class Poisson:
    """-laplace(u) = f on the unit square with u = 0 on the rim; 2^power cells along each side."""

    def __init__(self, power: int) -> None:
        self.n = 1 << power
        self.levels = []
        for p in range(power, 0, -1):
            n = (1 << p) + 1
            u, f, r = (wp.zeros((n, n), dtype=wp.float64) for _ in range(3))
            self.levels.append(Level(u, f, r, (n - 2, n - 2)))

    def smooth(self, level: Level, sweeps: int) -> None:
        rows, columns = level.inner
        for k in range(2 * sweeps):
            wp.launch(sweep, dim=(rows, (columns + 1) // 2), inputs=[level.u, level.f, k % 2])

    def cycle(self, at: int = 0) -> None:
        """A V-cycle from one level down and back."""
        level = self.levels[at]
        self.smooth(level, 2)
        if at + 1 == len(self.levels):
            return
        below = self.levels[at + 1]
        wp.launch(rest, dim=level.inner, inputs=[level.u, level.f], outputs=[level.r])
        wp.launch(restrict, dim=below.inner, inputs=[level.r], outputs=[below.f])
        below.u.zero_()
        self.cycle(at + 1)
        wp.launch(correct, dim=level.inner, inputs=[below.u], outputs=[level.u])
        self.smooth(level, 2)

    def residual(self) -> float:
        """The root mean square of what is left, in units of f."""
        level = self.levels[0]
        wp.launch(rest, dim=level.inner, inputs=[level.u, level.f], outputs=[level.r])
        return float(np.sqrt(np.mean(level.r.numpy() ** 2))) * self.n**2

    def solve(self, f: np.ndarray, cycles: int) -> list[float]:
        """The residual before the first cycle and after each."""
        self.levels[0].f.assign(f / self.n**2)
        self.levels[0].u.zero_()
        residuals = [self.residual()]
        for _ in range(cycles):
            self.cycle()
            residuals.append(self.residual())
        return residuals


def charges(n: int) -> np.ndarray:
    """A spiral of round charges, positive and negative in turns."""
    y, x = np.mgrid[0 : n + 1, 0 : n + 1] / n
    f = np.zeros((n + 1, n + 1))
    for k in range(14):
        angle, far = 0.9 * k, 0.05 + 0.028 * k
        r2 = (x - 0.5 - far * np.cos(angle)) ** 2 + (y - 0.5 - far * np.sin(angle)) ** 2
        f += (-1) ** k * np.exp(-r2 / 0.022**2)
    return 1000 * f


def draw(u: np.ndarray, residuals: list[float], plain: list[float], file: str) -> None:
    with _shared.sheet(file, 1, 2, size=(12, 5.6), width_ratios=(1.1, 1)) as (left, right):
        high = np.abs(u).max()
        _shared.image(left, u, "potential of charges in a box of metal", cmap="RdBu_r", vmin=-high, vmax=high)
        levels = high * np.linspace(-0.9, 0.9, 24) ** 3
        left.contour(u, levels=levels, colors=_shared.INK, linewidths=0.5, alpha=0.5)
        right.semilogy(np.array(residuals) / residuals[0], "o-", color=_shared.RED, label="V-cycles")
        right.semilogy(np.array(plain) / plain[0], "o-", color=_shared.BLUE, label="as much work, finest grid alone")
        right.set(title=f"residual, {u.shape[0]} x {u.shape[1]} points", xlabel="cycle")
        right.legend()


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, steps=8)
    with wp.ScopedDevice(options.device):
        problem = Poisson(10)
        residuals = problem.solve(charges(problem.n), options.steps)
        u = problem.levels[0].u.numpy().copy()
        problem.solve(charges(problem.n), 0)
        plain = [problem.residual()]
        for _ in _shared.progress(options.steps, "step"):
            problem.smooth(problem.levels[0], 6)
            plain.append(problem.residual())
    print(f"residual {residuals[0]:.1f} -> {residuals[-1]:.2e} in {options.steps} cycles; one grid: {plain[-1]:.1f}")
    if not options.headless:
        draw(u, residuals, plain, options.picture)


if __name__ == "__main__":
    main()
