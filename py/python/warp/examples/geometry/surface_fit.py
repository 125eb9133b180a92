"""A surface from points: a field is changed until marching cubes make the surface that the points lie on.

Shows gradients through marching cubes and through closest points on a mesh that is new in each step. The surface begins
as a ball around a scan of a knot, which it cannot become by moving points: a field has no faces that would be in the
way of holes. Squares of distances count from the scan to the surface and back. The field is an average over neighbours
of parameters that Adam changes, so that each part of the surface moves what is around it.

    python -m warp.examples.geometry.surface_fit [--steps N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp
import warp.geometry

from .. import _shared
from . import _shapes
from .ray_tracer import Lamp, look, picture

HALF = 1.3


@wp.kernel
def smooth(x: wp.array3d[float], axis: int, out: wp.array3d[float]) -> None:
    """Weights 1, 2, 1 along an axis."""
    i, j, k = wp.tid()
    at = wp.vec3i(i, j, k)
    before, behind = at, at
    before[axis] = wp.max(at[axis] - 1, 0)
    behind[axis] = wp.min(at[axis] + 1, x.shape[axis] - 1)
    here = 0.5 * x[i, j, k]
    here += 0.25 * x[before[0], before[1], before[2]]
    out[i, j, k] = here + 0.25 * x[behind[0], behind[1], behind[2]]


@wp.kernel
def misfit(mesh: wp.uint64, points: wp.array[wp.vec3], weight: float, loss: wp.array[float]) -> None:
    """Adds the mean square of the distances from points to a mesh."""
    p = points[wp.tid()]
    near = wp.mesh_query_point_no_sign(mesh, p, 100.0)
    q = wp.mesh_eval_position(mesh, near.face, near.u, near.v)
    wp.atomic_add(loss, 0, weight * wp.length_sq(p - q) / float(points.shape[0]))


class Fit:
    """A field on the nodes of a cube, a ball at first."""

    def __init__(self, scan: np.ndarray, target: wp.Mesh, side: int) -> None:
        self.scan, self.target = wp.array(scan, dtype=wp.vec3), target
        x, y, z = np.meshgrid(*[np.linspace(-HALF, HALF, side)] * 3, indexing="ij")
        field = np.sqrt(x * x + y * y + z * z) - 1.15
        self.parameters = wp.array(field.astype(np.float32), requires_grad=True)
        self.smoothed = [wp.zeros_like(self.parameters, requires_grad=True) for _ in range(6)]
        corners = {"lower": (-HALF,) * 3, "upper": (HALF,) * 3}
        self.cubes = warp.geometry.IsoSurfaceMarchingCubes(side, side, side, **corners)
        self.loss = wp.zeros(1, dtype=float, requires_grad=True)

    def forward(self) -> None:
        """The surface and its loss."""
        for n, (x, y) in enumerate(zip([self.parameters, *self.smoothed], self.smoothed, strict=False)):
            wp.launch(smooth, x.shape, inputs=[x, n % 3], outputs=[y])
        self.cubes.surface(self.smoothed[-1], 0.0)
        mesh = wp.Mesh(self.cubes.verts, self.cubes.indices)
        self.loss.zero_()
        wp.launch(misfit, len(self.scan), inputs=[mesh, self.scan, 4.0], outputs=[self.loss])
        wp.launch(misfit, len(mesh.points), inputs=[self.target, mesh.points, 1.0], outputs=[self.loss])

    def run(self, steps: int, seen: list[_shapes.Shape] | None = None, when: tuple[int, ...] = ()) -> list[float]:
        """The loss of each step; `seen` gets the surfaces of some."""
        optimizer = wp.optim.Adam([self.parameters.flatten()], lr=0.02)
        losses = []
        for step in range(steps):
            optimizer.lr = 0.02 * (1 - 0.9 * step / steps)
            with wp.Tape() as tape:
                self.forward()
            if seen is not None and step in when:
                seen.append(self.surface())
            tape.backward(self.loss)
            optimizer.step([self.parameters.grad.flatten()])
            tape.zero()
            losses.append(float(self.loss))
        return losses

    def surface(self) -> _shapes.Shape:
        return np.array(self.cubes.verts.numpy()), self.cubes.indices.numpy().reshape(-1, 3)


def scanned(points: np.ndarray, faces: np.ndarray, count: int) -> np.ndarray:
    """Random points of a surface."""
    rng = np.random.default_rng(3)
    a, b, c = points[faces].swapaxes(0, 1)
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    chosen = rng.choice(len(faces), count, p=area / area.sum())
    u, v = np.sqrt(rng.uniform(size=(count, 1))), rng.uniform(size=(count, 1))
    return np.array((1 - u) * a[chosen] + u * (1 - v) * b[chosen] + u * v * c[chosen])


def enclosed(points: np.ndarray, faces: np.ndarray) -> float:
    return float(np.linalg.det(points[faces].astype(float)).sum() / 6)


def draw(shapes: list[tuple[str, _shapes.Shape]], losses: list[float], file: str) -> None:
    lamp, camera = Lamp(wp.vec3(-3.2, -2.6, 4.6), 0.55), look((1.0, -3.6, 2.2), (0.0, 0.0, 0.0), 0.62)
    with _shared.sheet(file, 2, 3, size=(12.0, 7.0)) as panels:
        for axes, (title, shape) in zip(panels, shapes, strict=False):
            points, faces, part = _shapes.joined(shape, _shapes.floor(-1.2))
            colours = np.array([(0.0, 0.48, 0.55), (0.8, 0.78, 0.74)])[part]
            image, _ = picture(points, faces, colours, camera, lamp, (300, 380))
            _shared.image(axes, np.clip(image, 0, 1), title)
        panels[-1].semilogy(losses, color=_shared.RED)
        panels[-1].set(title="loss", xlabel="step of Adam")


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, steps=300)
    with wp.ScopedDevice(options.device):
        shape = _shapes.knot(180, 32, 0.15)
        fit = Fit(scanned(*shape, 4000), _shapes.mesh(*shape), 48)
        seen: list[_shapes.Shape] = []
        when = tuple(options.steps * part // 16 for part in (0, 1, 3, 6))
        losses = fit.run(options.steps, seen, when)
        fit.forward()
        found = fit.surface()
    print(f"{options.steps} steps: the loss fell from {losses[0]:.2f} to {losses[-1]:.4f}")
    print(f"{len(found[1])} triangles enclose {enclosed(*found):.3f}, those of the knot {enclosed(*shape):.3f}")
    if not losses[-1] < losses[0]:
        raise RuntimeError(f"the surface has not come closer: {losses[0]} to {losses[-1]}")
    if not options.headless:
        titles = [f"step {step}" for step in when]
        draw([*zip(titles, seen, strict=False), (f"step {options.steps}", found)], losses, options.picture)


if __name__ == "__main__":
    main()
