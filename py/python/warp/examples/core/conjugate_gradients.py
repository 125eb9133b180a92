"""Preconditioned conjugate gradients: heat in a plate whose conductivity differs by a factor of a thousand.

Shows a linear system without a matrix: a kernel applies it to a vector. Dot products are atomic sums in float64, and
only they come back to Python. The method is Hestenes and Stiefel's (1952), preconditioned by the diagonal (Jacobi).

    python -m warp.examples.core.conjugate_gradients [--steps MOST] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared


@wp.func
def between(k: wp.array2d[wp.float64], i: int, j: int, a: int, b: int) -> wp.float64:
    """How well heat goes from one cell to the cell beside it: the harmonic mean; the outside is cold."""
    if a < 0 or b < 0 or a >= k.shape[0] or b >= k.shape[1]:
        return wp.float64(2.0) * k[i, j]
    return wp.float64(2.0) * k[i, j] * k[a, b] / (k[i, j] + k[a, b])


@wp.func
def value(x: wp.array2d[wp.float64], a: int, b: int) -> wp.float64:
    if a < 0 or b < 0 or a >= x.shape[0] or b >= x.shape[1]:
        return wp.float64(0.0)
    return x[a, b]


@wp.kernel
def apply(k: wp.array2d[wp.float64], x: wp.array2d[wp.float64], out: wp.array2d[wp.float64]) -> None:
    """out = A x: the heat that leaves each cell."""
    i, j = wp.tid()
    total = wp.float64(0.0)
    for n in range(4):
        a = i + (n - 1) * ((n + 1) % 2)
        b = j + (n - 2) * (n % 2)
        total += between(k, i, j, a, b) * (x[i, j] - value(x, a, b))
    out[i, j] = total


@wp.kernel
def invert_diagonal(k: wp.array2d[wp.float64], out: wp.array2d[wp.float64]) -> None:
    i, j = wp.tid()
    total = wp.float64(0.0)
    for n in range(4):
        total += between(k, i, j, i + (n - 1) * ((n + 1) % 2), j + (n - 2) * (n % 2))
    out[i, j] = wp.float64(1.0) / total


@wp.kernel
def advance(
    step: wp.float64,
    p: wp.array2d[wp.float64],
    ap: wp.array2d[wp.float64],
    inverse: wp.array2d[wp.float64],
    x: wp.array2d[wp.float64],
    r: wp.array2d[wp.float64],
    z: wp.array2d[wp.float64],
    sums: wp.array[wp.float64],
) -> None:
    """A step along p; sums are those of r z and of r r."""
    i, j = wp.tid()
    x[i, j] = x[i, j] + step * p[i, j]
    left = r[i, j] - step * ap[i, j]
    r[i, j] = left
    z[i, j] = inverse[i, j] * left
    wp.atomic_add(sums, 0, left * z[i, j])
    wp.atomic_add(sums, 1, left * left)


@wp.kernel
def turn(z: wp.array2d[wp.float64], beta: wp.float64, p: wp.array2d[wp.float64]) -> None:
    i, j = wp.tid()
    p[i, j] = z[i, j] + beta * p[i, j]


@wp.kernel
def dot(a: wp.array2d[wp.float64], b: wp.array2d[wp.float64], total: wp.array[wp.float64]) -> None:
    i, j = wp.tid()
    wp.atomic_add(total, 0, a[i, j] * b[i, j])


def solve(
    conductivity: np.ndarray, heat: np.ndarray, most: int, tolerance: float = 1e-10, preconditioned: bool = True
) -> tuple[np.ndarray, list[float]]:
    """The temperature for a conductivity and what heats each cell; the norm of the residual before each step."""
    shape = conductivity.shape
    k, r = wp.array(conductivity, dtype=wp.float64), wp.array(heat, dtype=wp.float64)
    x, p, ap, z = (wp.zeros(shape, dtype=wp.float64) for _ in range(4))
    inverse = wp.ones(shape, dtype=wp.float64)
    if preconditioned:
        wp.launch(invert_diagonal, dim=shape, inputs=[k], outputs=[inverse])
    sums, along = wp.zeros(2, dtype=wp.float64), wp.zeros(1, dtype=wp.float64)
    wp.launch(advance, dim=shape, inputs=[0.0, p, ap, inverse, x, r, z, sums])
    wp.copy(p, z)
    rz, rr = sums.numpy().tolist()
    norms = [rr**0.5]
    while norms[-1] > tolerance * norms[0] and len(norms) <= most:
        along.zero_()
        sums.zero_()
        wp.launch(apply, dim=shape, inputs=[k, p], outputs=[ap])
        wp.launch(dot, dim=shape, inputs=[p, ap], outputs=[along])
        wp.launch(advance, dim=shape, inputs=[rz / float(along), p, ap, inverse, x, r, z, sums])
        before, (rz, rr) = rz, sums.numpy().tolist()
        wp.launch(turn, dim=shape, inputs=[z, rz / before], outputs=[p])
        norms.append(rr**0.5)
    return np.array(x.numpy()), norms


def plate(side: int) -> tuple[np.ndarray, np.ndarray]:
    """Conductivity: copper (1) with insulating walls (0.001); what is heated: a spot."""
    y, x = np.mgrid[0.5:side, 0.5:side] / side
    r, angle = np.hypot(x - 0.5, y - 0.5), np.arctan2(y - 0.5, x - 0.5)
    walls = (np.abs((r * 9 - angle / (2 * np.pi) * 1.0) % 1 - 0.5) < 0.13) & (r < 0.46) & (r > 0.07)
    return np.where(walls, 1e-3, 1.0), np.exp(-(r**2) / 0.0015) / side**2


def draw(k: np.ndarray, x: np.ndarray, norms: list[list[float]], file: str) -> None:
    with _shared.sheet(file, 1, 3, size=(15, 4.7), width_ratios=(1, 1, 1.1)) as panels:
        _shared.image(panels[0], k, "conductivity: a spiral wall", cmap="copper")
        _shared.image(panels[1], x, "temperature, heated in the middle", cmap="inferno")
        panels[1].contour(x, levels=14, colors="white", linewidths=0.4, alpha=0.6)
        for values, name, colour in zip(norms, ("preconditioned", "plain"), (_shared.RED, _shared.BLUE), strict=True):
            panels[2].semilogy(np.array(values) / values[0], label=name, color=colour)
        panels[2].set(title="norm of the residual", xlabel="step")
        panels[2].legend()


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, steps=5000)
    k, heat = plate(200)
    with wp.ScopedDevice(options.device):
        x, norms = solve(k, heat, options.steps)
        _, plain = solve(k, heat, options.steps, preconditioned=False)
    print(f"residual {norms[-1] / norms[0]:.1e} after {len(norms) - 1} steps; {len(plain) - 1} without preconditioner")
    if not options.headless:
        draw(k, x, [norms, plain], options.picture)


if __name__ == "__main__":
    main()
