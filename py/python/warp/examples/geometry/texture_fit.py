"""A painting from photographs: texels are found by gradients through what cameras see of them.

Shows a texture whose texels are parameters. Cameras look at a painted ring from all sides, in the light of a lamp. The
same rays sample a grey texture, and the difference of the pictures goes back to its texels, which Adam changes. A
picture depends on them linearly, so that the adjoint can be tested without differences: for any texels x and pictures
y, the product of the pictures of x with y is that of x with the gradient of y.

    python -m warp.examples.geometry.texture_fit [--steps N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared
from . import _shapes
from .ray_tracer import Camera, look

BIG, SMALL = wp.constant(0.7), wp.constant(0.3)


@wp.kernel
def cast(mesh: wp.uint64, camera: Camera, uv: wp.array2d[wp.vec2], bright: wp.array2d[float]) -> None:
    """Where each pixel shows the ring, in the coordinates of the texture, and how bright it is; 0 beside the ring."""
    i, j = wp.tid()
    rows = float(uv.shape[0])
    u, v = (float(j) + 0.5 - 0.5 * float(uv.shape[1])) / rows, (float(i) + 0.5) / rows - 0.5
    hit = wp.mesh_query_ray(mesh, camera.eye, wp.normalize(camera.forward + u * camera.right + v * camera.up), 100.0)
    bright[i, j] = 0.0
    if hit.result:
        p = wp.mesh_eval_position(mesh, hit.face, hit.u, hit.v)
        round_axis, round_rope = wp.atan2(p[1], p[0]), wp.atan2(p[2], wp.sqrt(p[0] * p[0] + p[1] * p[1]) - BIG)
        uv[i, j] = wp.vec2(round_axis, round_rope) / wp.TAU
        bright[i, j] = 0.35 + 0.65 * wp.abs(wp.dot(hit.normal, wp.normalize(camera.eye - p)))


@wp.kernel
def photograph(
    texture: wp.Texture2D, uv: wp.array3d[wp.vec2], bright: wp.array3d[float], picture: wp.array3d[wp.vec4]
) -> None:
    k, i, j = wp.tid()
    if bright[k, i, j] > 0.0:
        picture[k, i, j] = bright[k, i, j] * wp.texture_sample(texture, uv[k, i, j], dtype=wp.vec4)


@wp.kernel
def compare(a: wp.array3d[wp.vec4], b: wp.array3d[wp.vec4], loss: wp.array[float]) -> None:
    k, i, j = wp.tid()
    wp.atomic_add(loss, 0, wp.length_sq(a[k, i, j] - b[k, i, j]) / float(a.shape[0] * a.shape[1] * a.shape[2]))


class Cameras:
    """Rays of all pixels of some cameras around the ring."""

    def __init__(self, count: int, side: int) -> None:
        mesh = _shapes.mesh(*_shapes.ring(float(BIG), float(SMALL), 160, 80))
        self.uv = wp.zeros((count, side, side), dtype=wp.vec2)
        self.bright = wp.zeros((count, side, side), dtype=float)
        for k in range(count):
            height, angle = 1 - (2 * k + 1) / count, k * np.pi * (3 - 5**0.5)
            across = (1 - height**2) ** 0.5
            eye = (3.2 * across * np.cos(angle), 3.2 * across * np.sin(angle), 3.2 * height)
            camera = look(eye, (0.0, 0.0, 0.0), 0.7)
            wp.launch(cast, (side, side), inputs=[mesh, camera], outputs=[self.uv[k], self.bright[k]])

    def pictures(self, texels: wp.array, out: wp.array | None = None) -> wp.array:
        """What they see where the ring has these texels (height, width)."""
        texture = wp.Texture2D(texels, address_mode=wp.TextureAddressMode.WRAP)
        out = wp.zeros(self.uv.shape, dtype=wp.vec4, requires_grad=texels.requires_grad) if out is None else out
        wp.launch(photograph, out.shape, inputs=[texture, self.uv, self.bright], outputs=[out])
        return out

    def gradient(self, pictures: np.ndarray, texels: wp.array) -> np.ndarray:
        """The gradient of the product of the pictures of texels with others."""
        with wp.Tape() as tape:
            seen = self.pictures(texels)
        tape.backward(grads={seen: wp.array(pictures, dtype=wp.vec4)})
        found = np.array(texels.grad.numpy())
        tape.zero()
        return found


def painting(height: int, width: int) -> np.ndarray:
    """Waves, tiles and a frieze; colours (height, width, 4) whose last part is 0."""
    v, u = np.meshgrid((np.arange(height) + 0.5) / height, (np.arange(width) + 0.5) / width, indexing="ij")
    ink, paper = np.array([0.10, 0.18, 0.36]), np.array([0.95, 0.90, 0.80])
    waves = np.sin(2 * np.pi * (3 * v + 0.5 * np.sin(2 * np.pi * 5 * u)))
    colours = np.where((np.abs(waves) > 0.55)[..., None], ink, paper)
    dots = np.hypot((u * 24) % 1 - 0.5, (v * 6) % 1 - 0.5) < 0.28
    colours[dots & (u % 0.5 < 0.25)] = (0.82, 0.27, 0.29)
    rim = (u * 2) % 1 < 0.06
    colours[rim & ((np.floor(u * 100) + np.floor(v * 24)) % 2 == 0)] = (0.93, 0.68, 0.25)
    return np.concatenate([colours, np.zeros((height, width, 1))], axis=2)


def fitted(cameras: Cameras, seen: wp.array, shape: tuple[int, int], steps: int) -> tuple[np.ndarray, list[float]]:
    """Texels that look as was seen, and the loss of each step."""
    texels = wp.full(shape, wp.vec4(0.5, 0.5, 0.5, 0.0), dtype=wp.vec4, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    pictures = wp.zeros(cameras.uv.shape, dtype=wp.vec4, requires_grad=True)
    optimizer = wp.optim.Adam([texels.flatten()], lr=0.05)
    losses = []
    for step in range(steps):
        optimizer.lr = 0.05 * (1 - step / steps) + 0.002
        loss.zero_()
        with wp.Tape() as tape:
            cameras.pictures(texels, pictures)
            wp.launch(compare, pictures.shape, inputs=[pictures, seen], outputs=[loss])
        tape.backward(loss)
        optimizer.step([texels.grad.flatten()])
        tape.zero()
        losses.append(float(loss))
    return np.array(texels.numpy()), losses


def check_adjoint(cameras: Cameras, shape: tuple[int, int]) -> float:
    """How far the two products differ, of their size."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(*shape, 4)), rng.normal(size=(*cameras.uv.shape, 4))
    texels = wp.array(x, dtype=wp.vec4, requires_grad=True)
    forward = np.sum(cameras.pictures(texels).numpy() * y, dtype=float)
    backward = np.sum(cameras.gradient(y, texels) * x, dtype=float)
    return float(abs(forward - backward) / np.linalg.norm(y))


def draw(panels: list[tuple[str, np.ndarray]], losses: list[float], file: str) -> None:
    with _shared.sheet(file, 2, 3, size=(13, 7)) as axes:
        for place, (title, image) in zip(axes, panels, strict=False):
            _shared.image(place, np.clip(image[..., :3], 0, 1), title, interpolation="nearest")
        axes[-1].semilogy(losses, color=_shared.RED)
        axes[-1].set(title="mean squared difference", xlabel="step of Adam")


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, steps=60)
    shape = (96, 320)
    with wp.ScopedDevice(options.device):
        cameras = Cameras(24, 128)
        off = check_adjoint(cameras, shape)
        target = painting(*shape)
        seen = cameras.pictures(wp.array(target, dtype=wp.vec4))
        found, losses = fitted(cameras, seen, shape, options.steps)
        again = cameras.pictures(wp.array(found, dtype=wp.vec4)).numpy()
    away = np.abs(found - target)[..., :3].mean()
    rays = f"{cameras.bright.size} pixels of {len(cameras.uv)} pictures"
    print(f"{rays}: texels are off by {away:.3f} on average after {options.steps} steps")
    print(f"the two products differ by {off:.1e}")
    if off > 1e-4 or not losses[-1] < losses[0]:
        raise RuntimeError(f"the gradient is wrong: {off}, losses {losses[0]} to {losses[-1]}")
    if not options.headless:
        panels = [("the painting", target), ("a photograph", seen.numpy()[5]), ("another one", seen.numpy()[12])]
        draw([*panels, ("found texels", found), ("a picture of them", again[5])], losses, options.picture)


if __name__ == "__main__":
    main()
