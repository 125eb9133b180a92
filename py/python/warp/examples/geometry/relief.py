"""A relief from photographs: a ray caster whose pictures have derivatives by the corners of the mesh.

Shows shape from shading. A camera above a relief takes a photograph in the light of each of some lamps. Rays of the
same pixels are cast at a flat sheet; what a pixel shows is the light on the face that it meets, where no other face is
in the way, and how it differs from the photograph moves the corners of the face. Heights are averages over neighbours,
near ones and far ones, of parameters that Adam changes, so that hills are found as fast as wrinkles. Where a pixel lies
in the shadow in one of the two pictures only, it counts for nothing: shadows have no derivative.

    python -m warp.examples.geometry.relief [--steps N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared
from . import _shapes


@wp.kernel
def widen(x: wp.array2d[float], reach: int, axis: int, share: float, out: wp.array2d[float]) -> None:
    """Adds a share of the means with weights 1, 2, 1 along an axis; beyond the sheet is nothing."""
    i, j = wp.tid()
    total = 0.5 * x[i, j]
    for side in range(2):
        p = i + wp.where(axis == 0, reach * (2 * side - 1), 0)
        q = j + wp.where(axis == 1, reach * (2 * side - 1), 0)
        if p >= 0 and q >= 0 and p < x.shape[0] and q < x.shape[1]:
            total += 0.25 * x[p, q]
    out[i, j] = wp.lerp(x[i, j], total, share)


@wp.kernel
def lift(base: wp.array2d[wp.vec3], height: wp.array2d[float], points: wp.array2d[wp.vec3]) -> None:
    """Corners of the sheet; those at the border stay."""
    i, j = wp.tid()
    inner = i > 0 and j > 0 and i < base.shape[0] - 1 and j < base.shape[1] - 1
    points[i, j] = base[i, j] + wp.vec3(0.0, 0.0, wp.where(inner, height[i, j], 0.0))


@wp.kernel
def photograph(mesh: wp.uint64, lamps: wp.array[wp.vec3], pictures: wp.array3d[float]) -> None:
    """How bright each pixel is, from above; -1 in the shadow."""
    k, i, j = wp.tid()
    u = (float(i) + 0.5) / float(pictures.shape[1]) * 2.0 - 1.0
    v = (float(j) + 0.5) / float(pictures.shape[2]) * 2.0 - 1.0
    hit = wp.mesh_query_ray(mesh, wp.vec3(u, v, 5.0), wp.vec3(0.0, 0.0, -1.0), 10.0)
    light = wp.dot(hit.normal, lamps[k])
    shadow = light <= 0.0
    if not shadow:
        p = wp.mesh_eval_position(mesh, hit.face, hit.u, hit.v) + 1.0e-3 * hit.normal
        shadow = wp.mesh_query_ray_anyhit(mesh, p, lamps[k], 10.0)
    pictures[k, i, j] = wp.where(shadow, -1.0, light)


@wp.kernel
def compare(found: wp.array3d[float], seen: wp.array3d[float], loss: wp.array[float]) -> None:
    k, i, j = wp.tid()
    if found[k, i, j] >= 0.0 and seen[k, i, j] >= 0.0:
        off = found[k, i, j] - seen[k, i, j]
        wp.atomic_add(loss, 0, off * off / float(seen.shape[0] * seen.shape[1] * seen.shape[2]))


class Sheet:
    """A sheet over the square from -1 to 1 that is given heights."""

    def __init__(self, side: int, pixels: int, lamps: np.ndarray) -> None:
        u, v = np.meshgrid(*[np.linspace(-1, 1, side)] * 2, indexing="ij")
        flat, faces = _shapes.sheet(np.stack([u, v, 0 * u], axis=-1))
        self.faces = faces
        self.base = wp.array(flat.reshape(side, side, 3), dtype=wp.vec3)
        self.height = wp.zeros((side, side), dtype=float, requires_grad=True)
        self.points = wp.zeros((side, side), dtype=wp.vec3, requires_grad=True)
        wp.launch(lift, self.points.shape, inputs=[self.base, self.height], outputs=[self.points])
        self.mesh = wp.Mesh(self.points.flatten(), wp.array(faces.ravel(), dtype=int))
        self.lamps = wp.array(lamps, dtype=wp.vec3)
        self.pictures = wp.zeros((len(lamps), pixels, pixels), dtype=float, requires_grad=True)

    def photograph(self, height: wp.array) -> None:
        """Gives the sheet heights, and takes the pictures."""
        wp.launch(lift, height.shape, inputs=[self.base, height], outputs=[self.points])
        self.mesh.refit()
        wp.launch(photograph, self.pictures.shape, inputs=[self.mesh, self.lamps], outputs=[self.pictures])


class Fit:
    """Parameters of the heights of a sheet whose pictures are to be those that were seen."""

    def __init__(self, sheet: Sheet, seen: wp.array) -> None:
        self.sheet, self.seen = sheet, seen
        self.parameters = wp.zeros_like(sheet.height, requires_grad=True)
        self.smoothed = [wp.zeros_like(self.parameters, requires_grad=True) for _ in range(8)]
        self.loss = wp.zeros(1, dtype=float, requires_grad=True)

    def forward(self) -> None:
        """Gives the sheet its heights, and compares the pictures with those that were seen."""
        x = self.parameters
        for n, y in enumerate(self.smoothed):
            wp.launch(widen, x.shape, inputs=[x, 1 << (n // 2), n % 2, 0.5], outputs=[y])
            x = y
        self.sheet.photograph(x)
        self.loss.zero_()
        wp.launch(compare, self.seen.shape, inputs=[self.sheet.pictures, self.seen], outputs=[self.loss])

    def run(self, steps: int) -> list[float]:
        """The loss of each step."""
        optimizer = wp.optim.Adam([self.parameters.flatten()], lr=0.05)
        losses = []
        for step in range(steps):
            optimizer.lr = 0.05 * min(1.0, (step + 1) / 10) * (1 - 0.95 * step / steps)
            with wp.Tape() as tape:
                self.forward()
            tape.backward(self.loss)
            optimizer.step([self.parameters.grad.flatten()])
            tape.zero()
            losses.append(float(self.loss))
        return losses


def medal(side: int) -> np.ndarray:
    """Heights of a flower in a ring, worn a bit."""
    u, v = np.meshgrid(*[np.linspace(-1, 1, side)] * 2, indexing="ij")
    r, angle = np.hypot(u, v), np.arctan2(v, u)
    petals = 0.16 * np.exp(-(((r - 0.36 - 0.1 * np.cos(6 * angle)) / 0.13) ** 2)) * (1.2 + np.cos(6 * angle)) / 2
    ring = 0.12 * np.exp(-(((r - 0.78) / 0.055) ** 2)) * (1 + 0.25 * np.cos(24 * angle))
    bud = 0.16 * np.sqrt(np.maximum(0.17**2 - r**2, 0)) / 0.17
    wear = 0.004 * np.sin(9 * u + 3 * np.sin(5 * v)) * np.cos(8 * v)
    return np.array(0.6 * (petals + ring + bud) + wear)


def lamps_around(count: int) -> np.ndarray:
    """Directions to the lamps, 40 degrees above the sheet."""
    angle, up = 2 * np.pi * (np.arange(count) + 0.25) / count, np.deg2rad(40)
    return np.stack([np.cos(up) * np.cos(angle), np.cos(up) * np.sin(angle), np.full(count, np.sin(up))], axis=1)


def draw(seen: np.ndarray, target: np.ndarray, found: np.ndarray, losses: list[float], file: str) -> None:
    with _shared.sheet(file, 2, 4, size=(14, 7.2)) as panels:
        for k in range(4):
            _shared.image(panels[k], np.maximum(seen[k].T, 0), f"photograph {k + 1}", cmap="gray", vmin=0, vmax=1)
        high = target.max()
        for axes, heights, title in ((panels[4], target, "heights"), (panels[5], found, "found")):
            _shared.image(axes, heights.T, title, cmap="cividis", vmin=-0.02, vmax=high)
        _shared.image(
            panels[6], (found - target).T, "difference, 10 times", cmap="RdBu", vmin=-high / 10, vmax=high / 10
        )
        panels[7].semilogy(losses, color=_shared.RED)
        panels[7].set(title="loss", xlabel="step of Adam")


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, steps=120)
    with wp.ScopedDevice(options.device):
        sheet = Sheet(80, 160, lamps_around(4))
        sheet.photograph(wp.array(medal(80), dtype=float))
        seen = wp.clone(sheet.pictures, requires_grad=False)
        fit = Fit(sheet, seen)
        target = sheet.points.numpy()[..., 2].copy()
        losses = fit.run(options.steps)
        found = sheet.points.numpy()[..., 2]
    off = np.abs(found - target).mean()
    shadow = (seen.numpy() < 0).mean()
    print(f"{seen.size} pixels, {shadow:.0%} in the shadow, {len(sheet.faces)} faces")
    print(
        f"{options.steps} steps: heights are off by {off:.4f} on average, those of a flat sheet by {target.mean():.4f}"
    )
    if not losses[-1] < losses[0]:
        raise RuntimeError(f"the pictures have not come closer: {losses[0]} to {losses[-1]}")
    if not options.headless:
        draw(seen.numpy(), target, found, losses, options.picture)


if __name__ == "__main__":
    main()
