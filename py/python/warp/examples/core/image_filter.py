"""Image filters: Gaussian blur in two passes, a median, edges, and a blur that keeps edges.

Shows stencils with weights from an array, a small sort inside a vector (the median of nine), and two-dimensional
launches. The last is the bilateral filter of Tomasi and Manduchi (1998), the edges are Sobel's.

    python -m warp.examples.core.image_filter [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared

vec9 = wp.types.vector(length=9, dtype=wp.float32)


@wp.func
def at(image: wp.array2d[float], i: int, j: int) -> float:
    """A pixel; outside, the nearest one of the border."""
    return image[wp.clamp(i, 0, image.shape[0] - 1), wp.clamp(j, 0, image.shape[1] - 1)]


@wp.kernel
def blur(image: wp.array2d[float], weights: wp.array[float], di: int, dj: int, out: wp.array2d[float]) -> None:
    """One pass of a separable blur, along the rows or along the columns."""
    i, j = wp.tid()
    radius = weights.shape[0] // 2
    total = float(0.0)
    for k in range(weights.shape[0]):
        total += weights[k] * at(image, i + di * (k - radius), j + dj * (k - radius))
    out[i, j] = total


@wp.kernel
def median(image: wp.array2d[float], out: wp.array2d[float]) -> None:
    i, j = wp.tid()
    v = vec9()
    for k in range(9):
        v[k] = at(image, i + k // 3 - 1, j + k % 3 - 1)
    for k in range(5):  # as much of a selection sort as the middle needs
        for m in range(k + 1, 9):
            low = wp.min(v[k], v[m])
            v[m] = wp.max(v[k], v[m])
            v[k] = low
    out[i, j] = v[4]


@wp.kernel
def edges(image: wp.array2d[float], out: wp.array2d[float]) -> None:
    i, j = wp.tid()
    x = float(0.0)
    y = float(0.0)
    for k in range(-1, 2):
        w = 2.0 - wp.abs(float(k))
        x += w * (at(image, i + k, j + 1) - at(image, i + k, j - 1))
        y += w * (at(image, i + 1, j + k) - at(image, i - 1, j + k))
    out[i, j] = wp.sqrt(x * x + y * y)


@wp.kernel
def bilateral(image: wp.array2d[float], radius: int, space: float, value: float, out: wp.array2d[float]) -> None:
    i, j = wp.tid()
    here = image[i, j]
    total = float(0.0)
    weight = float(0.0)
    for a in range(-radius, radius + 1):
        for b in range(-radius, radius + 1):
            there = at(image, i + a, j + b)
            off = (there - here) / value
            w = wp.exp(-0.5 * (float(a * a + b * b) / (space * space) + off * off))
            total += w * there
            weight += w
    out[i, j] = total / weight


def scene(side: int) -> np.ndarray:
    """Shaded balls on a chequered floor, with noise, and some pixels that are black or white."""
    y, x = np.mgrid[0:side, 0:side] / side
    image = (
        0.30 + 0.12 * ((np.floor(9 * x / (1.1 - y)) + np.floor(4 / (1.1 - y))) % 2) * (y < 0.62) + 0.4 * (y >= 0.62) * y
    )
    for cx, cy, r in ((0.30, 0.42, 0.21), (0.70, 0.34, 0.26), (0.55, 0.72, 0.13)):
        h2 = r * r - (x - cx) ** 2 - (y - cy) ** 2
        z = np.sqrt(np.maximum(h2, 0))
        light = np.maximum((-0.5 * (x - cx) + 0.6 * (y - cy) + 0.62 * z) / r, 0)
        image = np.where(h2 > 0, 0.08 + 0.75 * light + 0.6 * light**40, image)
    rng = np.random.default_rng(0)
    image += rng.normal(scale=0.04, size=image.shape)
    hit = rng.random(image.shape)
    image = np.where(hit < 0.02, 0, np.where(hit > 0.98, 1, image))
    return np.clip(image, 0, 1).astype(np.float32)


def filtered(image: np.ndarray, sigma: float = 2.5) -> dict[str, np.ndarray]:
    """The image, and what each filter makes of it."""
    source = wp.array(image)
    half, blurred, calm, smooth, outline = (wp.empty_like(source) for _ in range(5))
    offsets = np.arange(-round(3 * sigma), round(3 * sigma) + 1)
    weights = np.exp(-0.5 * (offsets / sigma) ** 2)
    kernel = wp.array(weights / weights.sum(), dtype=float)
    wp.launch(blur, dim=image.shape, inputs=[source, kernel, 1, 0], outputs=[half])
    wp.launch(blur, dim=image.shape, inputs=[half, kernel, 0, 1], outputs=[blurred])
    wp.launch(median, dim=image.shape, inputs=[source], outputs=[calm])
    wp.launch(bilateral, dim=image.shape, inputs=[calm, 5, 3.0, 0.12], outputs=[smooth])
    wp.launch(edges, dim=image.shape, inputs=[smooth], outputs=[outline])
    names = ("Gaussian blur", "median of nine", "then bilateral", "then Sobel's edges")
    return {"with noise": image} | dict(zip(names, [a.numpy() for a in (blurred, calm, smooth, outline)], strict=True))


def draw(images: dict[str, np.ndarray], file: str) -> None:
    with _shared.sheet(file, 1, 5, size=(17, 3.7)) as panels:
        for axes, (name, image) in zip(panels, images.items(), strict=True):
            _shared.image(axes, image, name, cmap="gray", vmin=0, vmax=1)


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments)
    with wp.ScopedDevice(options.device):
        images = filtered(scene(400))
    print("contrast: " + ", ".join(f"{name} {image.std():.3f}" for name, image in images.items()))
    if not options.headless:
        draw(images, options.picture)


if __name__ == "__main__":
    main()
