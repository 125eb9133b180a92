"""A shape from depth images: the points of a mesh are found by gradients through ray casting.

Shows gradients that reach the points of a mesh. Cameras around an object measured how far it is away in each pixel.
Rays of the same pixels are cast at a ball, and the difference of the depths moves the corners of the faces that they
meet. Where the ball is missed, the closest point of the mesh is drawn to the point that was measured. The points of
the mesh are averages over neighbours, of parameters that Adam changes: what moves one point moves those around it, so
that the surface stays smooth (after Nicolet, Jacobson, Jakob: Large steps in inverse rendering, 2021).

    python -m warp.examples.geometry.depth_fit [--steps N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared
from . import _shapes
from .ray_tracer import Lamp, look, picture

FAR = wp.constant(100.0)


@wp.kernel
def measure(mesh: wp.uint64, starts: wp.array[wp.vec3], rays: wp.array[wp.vec3], depth: wp.array[float]) -> None:
    """Depths of an object; FAR where nothing is."""
    i = wp.tid()
    hit = wp.mesh_query_ray(mesh, starts[i], rays[i], FAR)
    depth[i] = wp.where(hit.result, hit.t, FAR)


@wp.kernel
def compare(
    mesh: wp.uint64,
    starts: wp.array[wp.vec3],
    rays: wp.array[wp.vec3],
    measured: wp.array[float],
    loss: wp.array[float],
) -> None:
    """Adds the squares of distances between what is seen of the mesh and what was measured."""
    i = wp.tid()
    if measured[i] < FAR:
        hit = wp.mesh_query_ray(mesh, starts[i], rays[i], FAR)
        off = hit.t - measured[i]
        if hit.result and wp.abs(off) < 0.5:
            wp.atomic_add(loss, 0, off * off)
        else:
            p = starts[i] + measured[i] * rays[i]
            near = wp.mesh_query_point_no_sign(mesh, p, FAR)
            q = wp.mesh_eval_position(mesh, near.face, near.u, near.v)
            wp.atomic_add(loss, 0, wp.length_sq(p - q))


@wp.kernel
def smooth(x: wp.array[wp.vec3], neighbours: wp.array2d[int], out: wp.array[wp.vec3]) -> None:
    i = wp.tid()
    total = 3.0 * x[i]
    for k in range(6):
        total += 0.5 * x[neighbours[i, k]]
    out[i] = total / 6.0


class Fit:
    """A ball inside of the object that cameras look at, with one ray for each pixel of each camera."""

    def __init__(self, target: wp.Mesh, cameras: int = 12, side: int = 32, rounds: int = 3) -> None:
        self.target = target
        self.starts, self.rays = (wp.array(x, dtype=wp.vec3) for x in pixels(cameras, side))
        self.depth = wp.zeros(len(self.rays), dtype=float)
        wp.launch(measure, dim=len(self.rays), inputs=[target, self.starts, self.rays], outputs=[self.depth])
        points, faces = _shapes.ball(rounds)
        self.neighbours = wp.array(neighbours_of(len(points), faces), dtype=int)
        self.parameters = wp.array(0.55 * points, dtype=wp.vec3, requires_grad=True)
        self.smoothed = [wp.clone(self.parameters) for _ in range(6)]
        self.mesh = wp.Mesh(self.smoothed[-1], wp.array(faces.ravel(), dtype=int))
        self.loss = wp.zeros(1, dtype=float, requires_grad=True)

    def forward(self) -> None:
        """The points of the mesh and the loss."""
        for x, y in zip([self.parameters, *self.smoothed], self.smoothed, strict=False):
            wp.launch(smooth, dim=len(x), inputs=[x, self.neighbours], outputs=[y])
        self.mesh.refit()  # the tree over the faces follows their points
        self.loss.zero_()
        inputs = [self.mesh, self.starts, self.rays, self.depth]
        wp.launch(compare, dim=len(self.rays), inputs=inputs, outputs=[self.loss])

    def run(self, steps: int, seen: list[np.ndarray] | None = None) -> list[float]:
        """The loss of each step; `seen` gets the points at some of them."""
        optimizer = wp.optim.Adam([self.parameters], lr=0.03)
        losses = []
        for step in range(steps):
            optimizer.lr = 0.03 * (1 - 0.9 * step / steps)
            with wp.Tape() as tape:
                self.forward()
            if seen is not None and step in (0, steps // 16, steps // 4):
                seen.append(np.array(self.mesh.points.numpy()))
            tape.backward(self.loss)
            optimizer.step([self.parameters.grad])
            tape.zero()
            losses.append(float(self.loss))
        return losses

    def error(self) -> float:
        """The mean distance of the points to the object."""
        points = self.mesh.points
        away = wp.zeros(len(points), dtype=float)
        wp.launch(distances, dim=len(points), inputs=[self.target, points], outputs=[away])
        return float(away.numpy().mean())


@wp.kernel
def distances(mesh: wp.uint64, points: wp.array[wp.vec3], out: wp.array[float]) -> None:
    i = wp.tid()
    near = wp.mesh_query_point_no_sign(mesh, points[i], FAR)
    out[i] = wp.length(points[i] - wp.mesh_eval_position(mesh, near.face, near.u, near.v))


def neighbours_of(count: int, faces: np.ndarray) -> np.ndarray:
    """The six points beside each; where there are only five, itself as well."""
    found = np.repeat(np.arange(count)[:, None], 6, axis=1)
    taken = np.zeros(count, dtype=int)
    for a, b, _ in np.concatenate([np.roll(faces, by, axis=1) for by in range(3)]):
        found[a, taken[a]] = b
        taken[a] += 1
    return found


def pixels(cameras: int, side: int) -> tuple[np.ndarray, np.ndarray]:
    """Starts and directions of the rays; the cameras lie on a spiral around the origin and look at it."""
    height = 1 - (2 * np.arange(cameras) + 1) / cameras
    angle = np.arange(cameras) * np.pi * (3 - 5**0.5)
    out = np.stack([np.cos(angle), np.sin(angle), height], axis=1)
    out[:, :2] *= np.sqrt(1 - height**2)[:, None]
    right = np.cross(out, (0, 0, 1))
    right /= np.linalg.norm(right, axis=1, keepdims=True)
    at = (np.arange(side) + 0.5) / side * 2 - 1
    u, v = (grid.ravel()[:, None] for grid in np.meshgrid(at, at))
    across = u * right[:, None] + v * np.cross(right, out)[:, None]
    rays = -out[:, None] + 0.36 * across
    starts = np.broadcast_to(4 * out[:, None], rays.shape)
    return starts.reshape(-1, 3), rays.reshape(-1, 3)


def blob(rounds: int) -> _shapes.Shape:
    """A ball with eight soft horns."""
    points, faces = _shapes.ball(rounds)
    x, y, z = points.T
    return points * (0.62 + 14 * (x * y * z) ** 2 + 0.12 * np.sin(3 * z))[:, None], faces


def draw(shapes: list[tuple[str, np.ndarray, np.ndarray]], losses: list[float], file: str) -> None:
    lamp, camera = Lamp(wp.vec3(-3.2, -2.6, 4.6), 0.55), look((1.5, -4.2, 1.5), (0.0, 0.0, 0.0), 0.56)
    tones = [(0.93, 0.68, 0.25), *[(0.0, 0.48, 0.55)] * 4]
    with _shared.sheet(file, 2, 3, size=(10.8, 7.0)) as panels:
        for axes, (title, points, faces), tone in zip(panels, shapes, tones, strict=False):
            floor = _shapes.floor(-1.15)
            points, faces, part = _shapes.joined((points, faces), floor)
            colours = np.array([tone, (0.8, 0.78, 0.74)])[part]
            image, _ = picture(points, faces, colours, camera, lamp, (280, 330))
            _shared.image(axes, np.clip(image, 0, 1), title)
        panels[-1].semilogy(losses, color=_shared.RED)
        panels[-1].set(title="loss", xlabel="step of Adam")


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, steps=128)
    with wp.ScopedDevice(options.device):
        points, faces = blob(5)
        fit = Fit(_shapes.mesh(points, faces))
        before = fit.error()
        seen: list[np.ndarray] = []
        losses = fit.run(options.steps, seen)
        after = fit.error()
        shapes = [("what the cameras saw", points, faces)]
        moving = fit.mesh.indices.numpy().reshape(-1, 3)
        titles = ("step 0", f"step {options.steps // 16}", f"step {options.steps // 4}", f"step {options.steps}")
        for title, x in zip(titles, [*seen, np.array(fit.mesh.points.numpy())], strict=False):
            shapes.append((title, x, moving))
    rays = f"{options.steps} steps, {len(fit.rays)} rays"
    print(f"{rays}: points are {after:.4f} away from the object on average, {before:.2f} before")
    if not options.headless:
        draw(shapes, losses, options.picture)


if __name__ == "__main__":
    main()
