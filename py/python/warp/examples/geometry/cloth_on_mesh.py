"""Cloth on a mesh: position-based dynamics, with contacts by queries for the closest point.

Shows a mesh as an obstacle. Springs without mass pull pairs of particles to their distance, as XPBD does (Macklin,
Mueller, Chentanez, 2016), in many small steps of one round each. Pairs are launched in twelve groups, in each of which
no particle occurs twice, so that nothing is atomic. A particle that is nearer to the mesh than the cloth is thick, or
inside, is put outside and rubs along the face.

    python -m warp.examples.geometry.cloth_on_mesh [--frames N] [--headless]
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import warp as wp

from .. import _shared
from . import _shapes
from .ray_tracer import Lamp, look, picture

THICK = wp.constant(0.02)


@wp.kernel
def fall(x: wp.array[wp.vec3], v: wp.array[wp.vec3], dt: float, before: wp.array[wp.vec3]) -> None:
    i = wp.tid()
    before[i] = x[i]
    velocity = (1.0 - 0.3 * dt) * v[i] + dt * wp.vec3(0.0, 0.0, -9.81)
    x[i] = x[i] + dt * velocity


@wp.kernel
def pull(pairs: wp.array2d[int], rest: wp.array[float], compliance: float, x: wp.array[wp.vec3]) -> None:
    k = wp.tid()
    i = pairs[k, 0]
    j = pairs[k, 1]
    away = x[i] - x[j]
    far = wp.length(away)
    move = 0.5 * (far - rest[k]) / (1.0 + compliance) / far * away
    x[i] = x[i] - move
    x[j] = x[j] + move


@wp.kernel
def touch(
    mesh: wp.uint64,
    friction: float,
    dt: float,
    before: wp.array[wp.vec3],
    x: wp.array[wp.vec3],
    v: wp.array[wp.vec3],
) -> None:
    i = wp.tid()
    p = x[i]
    # Nothing moves further in a step than the cloth is thick.
    near = wp.mesh_query_point_sign_normal(mesh, p, 2.0 * THICK)
    if near.result:
        q = wp.mesh_eval_position(mesh, near.face, near.u, near.v)
        far = near.sign * wp.length(p - q)
        if far < THICK:
            out = near.sign * wp.normalize(p - q)
            p = q + THICK * out
            slip = p - before[i]
            slip -= wp.dot(slip, out) * out
            most = friction * (THICK - far)
            p -= wp.min(1.0, most / (wp.length(slip) + 1.0e-9)) * slip
    if p[2] < THICK:
        p = wp.vec3(before[i][0], before[i][1], THICK)
    x[i] = p
    v[i] = (p - before[i]) / dt


class Cloth:
    """A square cloth of `side` x `side` particles, 2 wide, above an obstacle."""

    def __init__(self, mesh: wp.Mesh, side: int, height: float, friction: float = 0.5) -> None:
        self.mesh, self.side, self.friction = mesh, side, friction
        at = np.linspace(-1, 1, side)
        x, y = np.meshgrid(at, at, indexing="ij")
        self.grid = np.stack([0.96 * x - 0.28 * y, 0.28 * x + 0.96 * y, np.full_like(x, height)], axis=-1)
        self.x = wp.array(self.grid.reshape(-1, 3), dtype=wp.vec3)
        self.v, self.before = wp.zeros_like(self.x), wp.empty_like(self.x)
        self.springs = list(self.groups())

    def groups(self) -> Iterator[tuple[wp.array, wp.array, float]]:
        """Pairs of particles, how far they are apart, and how much they give."""
        number = np.arange(self.side**2).reshape(self.side, self.side)
        for di, dj, give in ((1, 0, 0.0), (0, 1, 0.0), (1, 1, 0.5), (1, -1, 0.5), (2, 0, 8.0), (0, 2, 8.0)):
            a = number[: self.side - di, max(0, -dj) : self.side - max(0, dj)]
            b = number[di:, max(0, dj) : self.side - max(0, -dj)]
            row, column = np.indices(a.shape)
            parity = (row // di if di else column // dj) % 2
            for group in range(2):
                pairs = np.stack([a[parity == group], b[parity == group]], axis=1)
                ends = self.grid.reshape(-1, 3)[pairs]
                rest = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
                yield wp.array(pairs, dtype=int), wp.array(rest, dtype=float), give

    def advance(self, steps: int, dt: float) -> None:
        n = len(self.x)
        for _ in range(steps):
            wp.launch(fall, dim=n, inputs=[self.x, self.v, dt], outputs=[self.before])
            for pairs, rest, give in self.springs:
                wp.launch(pull, dim=len(rest), inputs=[pairs, rest, give], outputs=[self.x])
            wp.launch(touch, dim=n, inputs=[self.mesh, self.friction, dt, self.before], outputs=[self.x, self.v])

    def stretch(self) -> float:
        """How much longer the threads are than at rest, on average."""
        x = self.x.numpy().reshape(self.side, self.side, 3)
        lengths = np.concatenate([np.linalg.norm(np.diff(x, axis=axis), axis=2).ravel() for axis in (0, 1)])
        return float(lengths.mean() / (2 / (self.side - 1)) - 1)


def obstacle() -> _shapes.Shape:
    """A knot that lies above the floor."""
    points, faces = _shapes.knot(150, 20)
    return points * [0.95, 0.95, 1.1] + [0, 0, 0.62], faces


def draw(shape: _shapes.Shape, frames: list[np.ndarray], file: str) -> None:
    lamp, camera = Lamp(wp.vec3(-2.8, -2.8, 4.6), 0.6), look((0.9, -4.3, 2.9), (0.0, 0.0, 0.6), 0.52)
    with _shared.sheet(file, 1, len(frames), size=(4.2 * len(frames), 4.4)) as panels:
        for axes, x in zip(panels, frames, strict=True):
            cloth = _shapes.sheet(x)
            points, faces, part = _shapes.joined(shape, _shapes.floor(0.0), cloth)
            cells = (len(x) - 1) ** 2
            row, column = np.indices((len(x) - 1, len(x) - 1)) * 10 // len(x)
            stripes = np.where(((row + column) % 2 == 0).ravel()[:, None], (0.83, 0.27, 0.29), (0.95, 0.92, 0.86))
            colours = np.array([(0.93, 0.68, 0.25), (0.8, 0.78, 0.74), (1, 1, 1)])[part]
            colours[-2 * cells :] = np.tile(stripes, (2, 1))
            image, _ = picture(points, faces, colours, camera, lamp, (320, 320))
            _shared.image(axes, np.clip(image, 0, 1))


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, frames=80)
    points, faces = obstacle()
    with wp.ScopedDevice(options.device):
        cloth, seen = Cloth(_shapes.mesh(points, faces), 60, 1.3), []
        for frame in _shared.progress(options.frames):
            if frame in (options.frames // 5, options.frames * 2 // 5):
                seen.append(cloth.x.numpy().reshape(cloth.side, -1, 3).copy())
            cloth.advance(8, 1 / 60 / 8)
        seen.append(cloth.x.numpy().reshape(cloth.side, -1, 3))
    print(f"{cloth.side**2} particles, {options.frames} frames: threads are {cloth.stretch():.2%} longer than at rest")
    if not options.headless:
        draw((points, faces), seen, options.picture)


if __name__ == "__main__":
    main()
