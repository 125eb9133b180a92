"""Ray marching: a picture of shapes that are given by how far away they are.

Shows functions that call functions, vectors, and loops that end early: each thread follows the ray of one pixel,
going as far as nothing can be hit (sphere tracing: Hart, 1996). Soft shadows come from how closely a ray to the light
passes by.

    python -m warp.examples.core.ray_march [--rows N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared

EYE = wp.constant(wp.vec3(3.4, 2.5, 4.6))
FAR = 30.0


@wp.func
def torus(p: wp.vec3, big: float, small: float) -> float:
    return wp.length(wp.vec2(wp.length(wp.vec2(p[0], p[2])) - big, p[1])) - small


@wp.func
def melt(a: float, b: float, k: float) -> float:
    """The nearer of two shapes, which flow into each other where both are near."""
    h = wp.max(k - wp.abs(a - b), 0.0) / k
    return wp.min(a, b) - 0.25 * k * h * h


@wp.func
def distance(p: wp.vec3) -> float:
    ball = wp.length(p - wp.vec3(0.0, 0.75, 0.0)) - 0.75
    dent = wp.length(p - wp.vec3(0.45, 1.15, 0.55)) - 0.55
    core = wp.length(p - wp.vec3(0.27, 0.93, 0.33)) - 0.24
    ring = torus(p - wp.vec3(0.0, 0.28, 0.0), 1.35, 0.26)
    # A ring of twelve small balls, of which only the nearest is looked at.
    angle = wp.atan2(p[2], p[0])
    sector = wp.TAU / 12.0
    turn = wp.round(angle / sector) * sector
    bead = wp.length(p - wp.vec3(2.1 * wp.cos(turn), 0.2, 2.1 * wp.sin(turn))) - 0.2
    shapes = wp.min(melt(wp.max(ball, -dent), ring, 0.35), wp.min(core, bead))
    return wp.min(shapes, p[1])


@wp.func
def normal(p: wp.vec3) -> wp.vec3:
    e = 0.0005
    x = wp.vec3(e, 0.0, 0.0)
    y = wp.vec3(0.0, e, 0.0)
    z = wp.vec3(0.0, 0.0, e)
    return wp.normalize(
        wp.vec3(distance(p + x) - distance(p - x), distance(p + y) - distance(p - y), distance(p + z) - distance(p - z))
    )


@wp.func
def march(start: wp.vec3, ray: wp.vec3) -> float:
    """How far the ray goes before it hits something; FAR if it does not."""
    far = float(0.0)
    for _ in range(160):
        d = distance(start + far * ray)
        if d < 0.0003 * (1.0 + far):
            break
        far += d
        if far > FAR:
            break
    return wp.min(far, FAR)


@wp.func
def lit(p: wp.vec3, light: wp.vec3) -> float:
    """The share of a light of some size that is seen from p."""
    share = float(1.0)
    far = float(0.02)
    for _ in range(40):
        d = distance(p + far * light)
        share = wp.min(share, 9.0 * d / far)
        far += wp.clamp(d, 0.01, 0.3)
        if share < 0.001 or far > 8.0:
            break
    return wp.smoothstep(0.0, 1.0, share)


@wp.func
def open_sky(p: wp.vec3, n: wp.vec3) -> float:
    """How little stands round p: ambient occlusion."""
    hidden = float(0.0)
    weight = float(1.0)
    for k in range(1, 6):
        h = 0.09 * float(k)
        hidden += weight * (h - distance(p + h * n))
        weight *= 0.65
    return wp.clamp(1.0 - 1.3 * hidden, 0.0, 1.0)


@wp.func
def sky(ray: wp.vec3) -> wp.vec3:
    return wp.lerp(wp.vec3(0.85, 0.80, 0.75), wp.vec3(0.30, 0.45, 0.70), wp.clamp(1.6 * ray[1] + 0.1, 0.0, 1.0))


@wp.func
def colour_of(p: wp.vec3) -> wp.vec3:
    if p[1] < 0.012:
        tile = (int(wp.floor(p[0])) + int(wp.floor(p[2]))) & 1
        return wp.where(tile == 1, wp.vec3(0.30, 0.31, 0.34), wp.vec3(0.62, 0.60, 0.56))
    around = wp.length(wp.vec2(p[0], p[2]))
    if around > 1.75:
        return wp.vec3(0.10, 0.38, 0.42)
    if wp.length(p - wp.vec3(0.27, 0.93, 0.33)) < 0.25:
        return wp.vec3(0.95, 0.70, 0.25)
    return wp.vec3(0.72, 0.24, 0.25)


@wp.func
def shade(p: wp.vec3, ray: wp.vec3, n: wp.vec3) -> wp.vec3:
    light = wp.normalize(wp.vec3(0.75, 0.85, 0.25))
    sun = wp.max(wp.dot(n, light), 0.0) * lit(p + 0.002 * n, light)
    shine = wp.pow(wp.max(wp.dot(n, wp.normalize(light - ray)), 0.0), 60.0) * sun
    from_sky = (0.6 + 0.4 * n[1]) * open_sky(p, n)
    bright = 1.7 * sun * wp.vec3(1.0, 0.93, 0.80) + 0.55 * from_sky * wp.vec3(0.65, 0.78, 1.0)
    return wp.cw_mul(colour_of(p), bright) + 0.8 * shine * wp.vec3(1.0, 1.0, 1.0)


@wp.kernel
def render(samples: int, depth: wp.array2d[float], image: wp.array2d[wp.vec3]) -> None:
    i, j = wp.tid()
    rows = float(image.shape[0])
    forward = wp.normalize(wp.vec3(0.0, 0.45, 0.0) - EYE)
    right = wp.normalize(wp.cross(forward, wp.vec3(0.0, 1.0, 0.0)))
    up = wp.cross(right, forward)
    total = wp.vec3()
    for s in range(samples * samples):
        u = (float(j) + (float(s % samples) + 0.5) / float(samples) - 0.5 * float(image.shape[1])) / rows
        v = (float(i) + (float(s // samples) + 0.5) / float(samples) - 0.5 * rows) / rows
        ray = wp.normalize(forward + 0.85 * (u * right + v * up))
        far = march(EYE, ray)
        depth[i, j] = far
        colour = sky(ray)
        if far < FAR:
            p = EYE + far * ray
            n = normal(p)
            mirrored = ray - 2.0 * wp.dot(ray, n) * n
            gloss = 0.04 + 0.5 * wp.pow(1.0 - wp.max(-wp.dot(ray, n), 0.0), 5.0)
            beyond = march(p + 0.01 * n, mirrored)
            reflected = sky(mirrored)
            if beyond < FAR:
                q = p + 0.01 * n + beyond * mirrored
                reflected = shade(q, mirrored, normal(q))
            colour = wp.lerp(wp.lerp(shade(p, ray, n), reflected, gloss), colour, 1.0 - wp.exp(-0.0022 * far * far))
        total += colour
    # Bright light is compressed, and stored as screens want it.
    mean = total / float(samples * samples)
    for c in range(3):
        mean[c] = wp.pow(wp.clamp(mean[c] / (0.35 + mean[c]) * 1.25, 0.0, 1.0), 0.85)
    image[i, j] = mean


def picture(shape: tuple[int, int], samples: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Colours of the pixels, and how far what they show is away."""
    depth, image = wp.zeros(shape, dtype=float), wp.zeros(shape, dtype=wp.vec3)
    wp.launch(render, dim=shape, inputs=[samples], outputs=[depth, image])
    return np.array(image.numpy()), np.array(depth.numpy())


def draw(image: np.ndarray, file: str) -> None:
    with _shared.sheet(file, size=(9.6, 6.4), dark=True) as axes:
        _shared.image(axes, image)


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, rows=480)
    with wp.ScopedDevice(options.device):
        image, depth = picture((options.rows, options.rows * 3 // 2))
    print(f"{(depth < FAR).mean():.0%} of the rays hit something, {depth[depth < FAR].mean():.2f} away on average")
    if not options.headless:
        draw(image, options.picture)


if __name__ == "__main__":
    main()
