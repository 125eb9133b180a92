"""Registration: a scan of an object finds its place on the mesh of that object.

Shows gradients of closest distances with respect to poses, several on one tape. A scan is a cloud of points of a part
of the surface, with noise and with points that belong to nothing, turned and moved in an unknown way. Each of a few
poses is improved by Adam, so that the points come near the mesh; the best one is taken. Distances are counted by a
function that grows slowly where they are large, as outliers would pull too much (Fitzgibbon, 2003).

    python -m warp.examples.geometry.registration [--steps N] [--headless]
"""

from __future__ import annotations

import itertools

import numpy as np
import warp as wp

from .. import _shared
from . import _shapes
from .ray_tracer import Lamp, look, picture

REACH = wp.constant(100.0)


@wp.func
def placed(pose: wp.transform, p: wp.vec3) -> wp.vec3:
    """A point in a pose, whose quaternion may have any length."""
    turn = wp.normalize(wp.transform_get_rotation(pose))
    return wp.quat_rotate(turn, p) + wp.transform_get_translation(pose)


@wp.kernel
def misfit(
    mesh: wp.uint64,
    scan: wp.array[wp.vec3],
    poses: wp.array[wp.transform],
    width: float,
    losses: wp.array[float],
) -> None:
    """The mean of a function of distances that is d * d / 2 near 0, and nearly constant far away."""
    k, i = wp.tid()
    p = placed(poses[k], scan[i])
    near = wp.mesh_query_point_no_sign(mesh, p, REACH)
    q = wp.mesh_eval_position(mesh, near.face, near.u, near.v)
    far = wp.length_sq(p - q) / (width * width)
    wp.atomic_add(losses, k, width * width * 0.5 * far / (1.0 + far) / float(scan.shape[0]))


def first_poses() -> np.ndarray:
    """The 24 rotations of a cube: no rotation is far from all of them."""
    turns = []
    for axes in itertools.permutations(range(3)):
        for signs in itertools.product((-1, 1), repeat=3):
            turn = np.diag(signs)[list(axes)]
            if np.linalg.det(turn) > 0:
                turns.append(wp.quat_from_matrix(wp.mat33(*turn.ravel().tolist())))
    return np.array([(0, 0, 0, *turn) for turn in turns])


class Registration:
    def __init__(self, mesh: wp.Mesh, scan: np.ndarray) -> None:
        self.mesh, self.scan = mesh, wp.array(scan, dtype=wp.vec3)
        self.poses = wp.array(first_poses(), dtype=wp.transform, requires_grad=True)
        self.losses = wp.zeros(len(self.poses), dtype=float, requires_grad=True)

    def launch(self, width: float) -> None:
        self.losses.zero_()
        inputs = [self.mesh, self.scan, self.poses, width]
        wp.launch(misfit, dim=(len(self.poses), len(self.scan)), inputs=inputs, outputs=[self.losses])

    def run(self, steps: int) -> np.ndarray:
        """The losses of the poses in each step."""
        optimizer = wp.optim.Adam([self.poses], lr=0.06)
        ones = wp.ones(len(self.poses), dtype=float)
        found = []
        for step in range(steps):
            optimizer.lr = 0.06 * 0.02 ** (step / steps)
            with wp.Tape() as tape:
                self.launch(0.4 * 0.15 ** (step / steps))
            tape.backward(grads={self.losses: ones})
            optimizer.step([self.poses.grad])
            tape.zero()
            found.append(np.array(self.losses.numpy()))
        return np.array(found)

    def best(self) -> np.ndarray:
        self.launch(0.05)
        return np.array(self.poses.numpy()[self.losses.numpy().argmin()])


def bust() -> _shapes.Shape:
    """A bust of nobody: a body with a head, a nose and an ear."""
    points, faces = _shapes.ball(4)
    r = 0.62 + 0.0 * points[:, 0]
    for towards, high, narrow in (((0.2, 0, 1), 0.55, 9), ((1, 0.1, 0.2), 0.5, 20), ((0.1, 1, 0.5), 0.3, 30)):
        away = 1 - points @ (np.array(towards) / np.linalg.norm(towards))
        r += high * np.exp(-narrow * away)
    return points * r[:, None] * [1, 0.85, 1], faces


def scanned(points: np.ndarray, faces: np.ndarray, count: int, pose: np.ndarray, noise: float = 0.008) -> np.ndarray:
    """Points of the surface as seen from one side, one in eight of nothing, before `pose` is applied."""
    rng = np.random.default_rng(5)
    a, b, c = points[faces].swapaxes(0, 1)
    normal = np.cross(b - a, c - a)
    seen = np.maximum(normal @ np.array([0.6, 0.5, 0.62]), 0)
    face = rng.choice(len(faces), count, p=seen / seen.sum())
    u, v = rng.uniform(size=(2, count, 1))
    u, v = np.where(u + v > 1, 1 - u, u), np.where(u + v > 1, 1 - v, v)
    found = a[face] + u * (b - a)[face] + v * (c - a)[face] + rng.normal(scale=noise, size=(count, 3))
    found[::8] = rng.uniform(-1, 1, found[::8].shape)
    turn = matrix(pose)
    return np.array((found - pose[:3]) @ turn)  # the inverse of the pose


def matrix(pose: np.ndarray) -> np.ndarray:
    x, y, z, w = pose[3:] / np.linalg.norm(pose[3:])
    return np.array(wp.quat_to_matrix(wp.quat(x, y, z, w))).reshape(3, 3)


def errors(found: np.ndarray, pose: np.ndarray) -> tuple[float, float]:
    """Degrees, and a distance, between two poses."""
    cosine = (np.trace(matrix(found).T @ matrix(pose)) - 1) / 2
    return float(np.degrees(np.arccos(np.clip(cosine, -1, 1)))), float(np.linalg.norm(found[:3] - pose[:3]))


def draw(shape: _shapes.Shape, clouds: list[tuple[str, np.ndarray]], losses: np.ndarray, file: str) -> None:
    lamp, camera = Lamp(wp.vec3(1.2, 4.6, 4.6), 0.6), look((4.0, 2.4, 2.6), (0.0, 0.0, 0.05), 0.56)
    dot = _shapes.ball(0)
    with _shared.sheet(file, 1, 3, size=(12.6, 4.4)) as panels:
        for axes, (title, cloud) in zip(panels, clouds, strict=False):
            dots = [(0.022 * dot[0] + p, dot[1]) for p in cloud]
            points, faces, part = _shapes.joined(shape, _shapes.floor(-1.0), *dots)
            tones = np.array([(0.9, 0.88, 0.83), (0.8, 0.78, 0.74), (0.83, 0.27, 0.29)])
            image, _ = picture(points, faces, tones[np.minimum(part, 2)], camera, lamp, (320, 320))
            _shared.image(axes, np.clip(image, 0, 1), title)
        panels[2].semilogy(losses, color=_shared.BLUE, linewidth=1, alpha=0.7)
        best = losses[-1].argmin()
        panels[2].semilogy(losses[:, best], color=_shared.RED, linewidth=2)
        panels[2].set(title="losses of the poses, as their width shrinks", xlabel="step of Adam")


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, steps=60)
    points, faces = bust()
    pose = np.array([0.25, -0.15, 0.1, 0.35, -0.6, 0.45, 0.55])
    scan = scanned(points, faces, 300, pose)
    with wp.ScopedDevice(options.device):
        registration = Registration(_shapes.mesh(points, faces), scan)
        losses = registration.run(options.steps)
        found = registration.best()
    degrees, away = errors(found, pose)
    print(f"{options.steps} steps of {len(registration.poses)} poses: off by {degrees:.2f} degrees and {away:.4f}")
    if not options.headless:
        clouds = [("a mesh and a scan", scan), ("the scan in its place", scan @ matrix(found).T + found[:3])]
        draw((points, faces), clouds, losses, options.picture)


if __name__ == "__main__":
    main()
