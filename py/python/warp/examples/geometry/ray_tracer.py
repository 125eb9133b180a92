"""Ray tracing: a picture of a mesh in the light of a lamp, with soft shadows.

Shows three kinds of rays in one kernel: the first face along the ray of a pixel, whether anything stands between it
and a place on the lamp, and whether anything is near (ambient occlusion). Normals are interpolated with the weights
that the query gives. A lamp has some size, so that places see a share of it; each sample draws one of its points.

    python -m warp.examples.geometry.ray_tracer [--rows N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared
from . import _shapes

FAR = wp.constant(100.0)
SKY = wp.constant(wp.vec3(0.93, 0.92, 0.89))


@wp.struct
class Camera:
    eye: wp.vec3
    forward: wp.vec3
    right: wp.vec3  # as long as the picture is high, at the distance 1
    up: wp.vec3


@wp.struct
class Lamp:
    centre: wp.vec3
    radius: float


@wp.func
def seen(mesh: wp.uint64, p: wp.vec3, lamp: Lamp, state: wp.ref[wp.uint32]) -> float:
    """1 if nothing stands between p and a random point of the lamp, else 0."""
    beam = lamp.centre + lamp.radius * wp.sample_unit_sphere(state) - p
    return wp.where(wp.mesh_query_ray_anyhit(mesh, p, beam, 1.0), 0.0, 1.0)


@wp.kernel
def render(
    mesh: wp.uint64,
    normals: wp.array[wp.vec3],
    colours: wp.array[wp.vec3],
    camera: Camera,
    lamp: Lamp,
    samples: int,
    depth: wp.array2d[float],
    image: wp.array2d[wp.vec3],
) -> None:
    i, j = wp.tid()
    rows = float(image.shape[0])
    state = wp.rand_init(7, i * image.shape[1] + j)
    total = wp.vec3()
    for s in range(samples * samples):
        u = (float(j) + (float(s % samples) + 0.5) / float(samples) - 0.5 * float(image.shape[1])) / rows
        v = (float(i) + (float(s // samples) + 0.5) / float(samples) - 0.5 * rows) / rows
        ray = wp.normalize(camera.forward + u * camera.right + v * camera.up)
        hit = wp.mesh_query_ray(mesh, camera.eye, ray, FAR)
        depth[i, j] = wp.where(hit.result, hit.t, FAR)
        colour = SKY
        if hit.result:
            a = normals[wp.mesh_get_index(mesh, 3 * hit.face)]
            b = normals[wp.mesh_get_index(mesh, 3 * hit.face + 1)]
            c = normals[wp.mesh_get_index(mesh, 3 * hit.face + 2)]
            n = hit.sign * wp.normalize(hit.u * a + hit.v * b + (1.0 - hit.u - hit.v) * c)
            # Rays on begin a little above the face, so that they do not meet it again.
            p = wp.mesh_eval_position(mesh, hit.face, hit.u, hit.v) + 0.002 * hit.sign * hit.normal
            light = wp.normalize(lamp.centre - p)
            sun = wp.max(wp.dot(n, light), 0.0) * seen(mesh, p, lamp, state)
            around = wp.normalize(n + wp.sample_unit_sphere_surface(state))
            open = wp.where(wp.mesh_query_ray_anyhit(mesh, p, 0.9 * around, 1.0), 0.0, 1.0)
            shine = wp.pow(wp.max(wp.dot(n, wp.normalize(light - ray)), 0.0), 60.0) * sun
            bright = 0.72 * sun * wp.vec3(1.0, 0.95, 0.86) + 0.34 * open * wp.vec3(0.85, 0.93, 1.0)
            lit = wp.cw_mul(colours[hit.face], bright) + 0.3 * shine * wp.vec3(1.0, 1.0, 1.0)
            colour = wp.lerp(SKY, lit, wp.exp(-0.00005 * wp.pow(hit.t, 4.0)))
        total += colour
    mean = total / float(samples * samples)
    for k in range(3):
        mean[k] = wp.pow(wp.clamp(mean[k], 0.0, 1.0), 0.8)
    image[i, j] = mean


def look(eye: tuple[float, ...], at: tuple[float, ...], wide: float) -> Camera:
    """A camera whose picture shows `wide` at the distance 1, from bottom to top."""
    forward = np.subtract(at, eye) / np.linalg.norm(np.subtract(at, eye))
    right = np.cross(forward, (0, 0, 1))
    right /= np.linalg.norm(right)
    return Camera(wp.vec3(*eye), wp.vec3(*forward), wp.vec3(*wide * right), wp.vec3(*wide * np.cross(right, forward)))


def picture(
    points: np.ndarray,
    faces: np.ndarray,
    colours: np.ndarray,
    camera: Camera,
    lamp: Lamp,
    shape: tuple[int, int],
    samples: int = 3,
) -> tuple[np.ndarray, np.ndarray]:
    """Colours of the pixels, and how far what they show is away; `colours` are those of the faces."""
    mesh = _shapes.mesh(points, faces)
    given = [wp.array(values, dtype=wp.vec3) for values in (_shapes.normals(points, faces), colours)]
    depth, image = wp.zeros(shape, dtype=float), wp.zeros(shape, dtype=wp.vec3)
    wp.launch(render, dim=shape, inputs=[mesh, *given, camera, lamp, samples], outputs=[depth, image])
    return np.array(image.numpy()), np.array(depth.numpy())


def scene() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A knot that stands on the floor between balls: points, faces, colours of the faces."""
    points, faces = _shapes.knot(240, 36)
    turned = np.stack([points[:, 0], points[:, 2], -points[:, 1]], axis=1)
    rope = turned - [0, 0, turned[:, 2].min()], faces
    balls = []
    places = [(1.55, -0.5, 0.3), (-1.6, -0.35, 0.38), (0.5, -1.25, 0.17), (-0.55, -1.2, 0.22), (1.15, -1.3, 0.12)]
    for x, y, size in places:
        points, faces = _shapes.ball(4)
        balls.append((points * size + [x, y, size], faces))
    points, faces, part = _shapes.joined(_shapes.floor(0.0), rope, *balls)
    tones = [(0.8, 0.78, 0.74), (0.83, 0.27, 0.29), (0.0, 0.48, 0.55), (0.93, 0.68, 0.25), (0.9, 0.9, 0.9)]
    tones += [(0.42, 0.3, 0.58), (0.24, 0.55, 0.35)]
    return points, faces, np.array(tones)[part]


def draw(image: np.ndarray, file: str) -> None:
    with _shared.sheet(file, size=(9.6, 6.4)) as axes:
        _shared.image(axes, np.clip(image, 0, 1))


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, rows=400)
    points, faces, colours = scene()
    camera = look((0.6, -5.2, 2.1), (0.0, 0.0, 0.72), 0.52)
    lamp = Lamp(wp.vec3(-3.2, -2.6, 4.6), 0.55)
    with wp.ScopedDevice(options.device):
        image, depth = picture(points, faces, colours, camera, lamp, (options.rows, options.rows * 3 // 2))
    hit = depth < FAR
    print(f"{len(faces)} faces: {hit.mean():.0%} of the rays hit one, {depth[hit].mean():.2f} away on average")
    if not options.headless:
        draw(image, options.picture)


if __name__ == "__main__":
    main()
