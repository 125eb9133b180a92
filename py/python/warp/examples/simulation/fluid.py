"""Smoke: a fluid that is carried along by itself and kept free of sources by a pressure.

Shows a solver of several kernels that change roles of arrays: advection backwards along the flow with interpolation,
and a Jacobi iteration for the pressure. The method is Stam's (Stable Fluids, 1999); swirls that it loses are given
back by vorticity confinement (Fedkiw, Stam and Jensen, 2001). The border is a torus.

    python -m warp.examples.simulation.fluid [--frames N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared


@wp.func
def wrap(i: int, n: int) -> int:
    return (i + n) % n


@wp.func
def corner(x: float) -> int:
    return int(wp.floor(x))


@wp.kernel
def carry(
    velocity: wp.array2d[wp.vec2], smoke: wp.array2d[float], dt: float,
    velocity_out: wp.array2d[wp.vec2], smoke_out: wp.array2d[float],
) -> None:  # fmt: skip
    """What is here now was there before: cells of size 1, values in their middles."""
    i, j = wp.tid()
    n, m = smoke.shape[0], smoke.shape[1]
    middle = wp.vec2(float(i), float(j)) - 0.5 * dt * velocity[i, j]
    v = mix(velocity, middle, n, m)
    p = wp.vec2(float(i), float(j)) - dt * v
    a = corner(p[0])
    b = corner(p[1])
    s = p[0] - float(a)
    t = p[1] - float(b)
    a0 = wrap(a, n)
    a1 = wrap(a + 1, n)
    b0 = wrap(b, m)
    b1 = wrap(b + 1, m)
    velocity_out[i, j] = mix(velocity, p, n, m)
    low = wp.lerp(smoke[a0, b0], smoke[a0, b1], t)
    smoke_out[i, j] = wp.lerp(low, wp.lerp(smoke[a1, b0], smoke[a1, b1], t), s)


@wp.func
def mix(v: wp.array2d[wp.vec2], p: wp.vec2, n: int, m: int) -> wp.vec2:
    """The velocity between the middles of cells."""
    a = corner(p[0])
    b = corner(p[1])
    s = p[0] - float(a)
    t = p[1] - float(b)
    low = wp.lerp(v[wrap(a, n), wrap(b, m)], v[wrap(a, n), wrap(b + 1, m)], t)
    return wp.lerp(low, wp.lerp(v[wrap(a + 1, n), wrap(b, m)], v[wrap(a + 1, n), wrap(b + 1, m)], t), s)


@wp.kernel
def swirl(velocity: wp.array2d[wp.vec2], curl: wp.array2d[float]) -> None:
    i, j = wp.tid()
    n, m = curl.shape[0], curl.shape[1]
    across = velocity[i, wrap(j + 1, m)][0] - velocity[i, wrap(j - 1, m)][0]
    curl[i, j] = 0.5 * (velocity[wrap(i + 1, n), j][1] - velocity[wrap(i - 1, n), j][1] - across)


@wp.kernel
def push(
    velocity: wp.array2d[wp.vec2], smoke: wp.array2d[float], curl: wp.array2d[float],
    lift: float, confinement: float, dt: float,
) -> None:  # fmt: skip
    """Smoke rises, and swirls are turned on."""
    i, j = wp.tid()
    n, m = curl.shape[0], curl.shape[1]
    slope = wp.vec2(
        wp.abs(curl[wrap(i + 1, n), j]) - wp.abs(curl[wrap(i - 1, n), j]),
        wp.abs(curl[i, wrap(j + 1, m)]) - wp.abs(curl[i, wrap(j - 1, m)]),
    )
    towards = slope / (wp.length(slope) + 1.0e-5)
    turn = confinement * curl[i, j] * wp.vec2(towards[1], -towards[0])
    velocity[i, j] = velocity[i, j] + dt * (turn + wp.vec2(lift * smoke[i, j], 0.0))


@wp.kernel
def diverge(velocity: wp.array2d[wp.vec2], divergence: wp.array2d[float]) -> None:
    i, j = wp.tid()
    n, m = divergence.shape[0], divergence.shape[1]
    along = velocity[wrap(i + 1, n), j][0] - velocity[i, j][0]
    divergence[i, j] = along + velocity[i, wrap(j + 1, m)][1] - velocity[i, j][1]


@wp.kernel
def relax(pressure: wp.array2d[float], divergence: wp.array2d[float], out: wp.array2d[float]) -> None:
    i, j = wp.tid()
    n, m = pressure.shape[0], pressure.shape[1]
    around = pressure[wrap(i + 1, n), j] + pressure[wrap(i - 1, n), j]
    around += pressure[i, wrap(j + 1, m)] + pressure[i, wrap(j - 1, m)]
    # A little less than what Jacobi says, or neighbours would swing against each other for ever.
    out[i, j] = wp.lerp(pressure[i, j], 0.25 * (around - divergence[i, j]), 0.9)


@wp.kernel
def project(velocity: wp.array2d[wp.vec2], pressure: wp.array2d[float]) -> None:
    i, j = wp.tid()
    n, m = pressure.shape[0], pressure.shape[1]
    here = pressure[i, j]
    slope = wp.vec2(here - pressure[wrap(i - 1, n), j], here - pressure[i, wrap(j - 1, m)])
    velocity[i, j] = velocity[i, j] - slope


class Smoke:
    """A fluid with smoke in it; the first axis points up."""

    def __init__(self, smoke: np.ndarray, velocity: np.ndarray | None = None, rounds: int = 40) -> None:
        self.shape, self.rounds = smoke.shape, rounds
        self.smoke = wp.array(smoke, dtype=float)
        start = np.zeros((*smoke.shape, 2)) if velocity is None else velocity
        self.velocity = wp.array(start, dtype=wp.vec2)
        self.smoke_out, self.curl, self.divergence, self.pressure, self.other = (
            wp.zeros(smoke.shape, dtype=float) for _ in range(5)
        )
        self.velocity_out = wp.zeros(smoke.shape, dtype=wp.vec2)

    def launch(self, kernel: wp.Kernel, *arguments: object) -> None:
        wp.launch(kernel, dim=self.shape, inputs=list(arguments))

    def make_free_of_sources(self) -> None:
        self.launch(diverge, self.velocity, self.divergence)
        for _ in range(self.rounds):  # the pressure of the last step is a good start
            self.launch(relax, self.pressure, self.divergence, self.other)
            self.pressure, self.other = self.other, self.pressure
        self.launch(project, self.velocity, self.pressure)

    def advance(self, dt: float, lift: float = 0.0, confinement: float = 0.0) -> None:
        self.launch(swirl, self.velocity, self.curl)
        self.launch(push, self.velocity, self.smoke, self.curl, lift, confinement, dt)
        self.make_free_of_sources()
        self.launch(carry, self.velocity, self.smoke, dt, self.velocity_out, self.smoke_out)
        self.velocity, self.velocity_out = self.velocity_out, self.velocity
        self.smoke, self.smoke_out = self.smoke_out, self.smoke


def draw(smoke: np.ndarray, file: str) -> None:
    with _shared.sheet(file, size=(6, 9), dark=True) as axes:
        _shared.image(axes, np.clip(smoke, 0, None) ** 0.7, cmap="magma", vmin=0, vmax=1.05)


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, frames=260)
    rows, columns = 384, 256
    y, x = np.mgrid[0:rows, 0:columns]
    source = wp.array(((y - 26) ** 2 + (x - columns / 2 - 4) ** 2 < 12**2).astype(np.float32))
    with wp.ScopedDevice(options.device):
        fluid = Smoke(source.numpy())
        for _ in _shared.progress(options.frames):
            wp.launch(feed, dim=fluid.shape, inputs=[source, fluid.smoke])
            fluid.advance(1.0, lift=0.045, confinement=0.12)
        wp.launch(diverge, dim=fluid.shape, inputs=[fluid.velocity, fluid.divergence])
    speed = np.linalg.norm(fluid.velocity.numpy(), axis=-1).max()
    left = fluid.divergence.numpy().std()
    print(f"{options.frames} frames: at most {speed:.2f} cells in a frame, divergence {left:.1e}")
    if not options.headless:
        draw(fluid.smoke.numpy(), options.picture)


@wp.kernel
def feed(source: wp.array2d[float], smoke: wp.array2d[float]) -> None:
    i, j = wp.tid()
    smoke[i, j] = wp.max(0.998 * smoke[i, j], source[i, j])


if __name__ == "__main__":
    main()
