"""Histogram equalisation: a dark picture gets contrast from a histogram and a running sum.

Shows atomic additions of integers (the histogram) and a parallel prefix sum: in round k each number adds the one 2^k
places before it, so that n numbers take log2(n) rounds (Hillis and Steele, 1986). The picture is made of `wp.noise`.

    python -m warp.examples.core.histogram_equalisation [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared

LEVELS = 256


@wp.func
def height(state: wp.uint32, p: wp.vec2) -> float:
    """Noise in six sizes, each twice as fine and a third as high as the one before."""
    total = float(0.0)
    scale = float(1.0)
    high = float(1.0)
    for _ in range(6):
        total += high * wp.noise(state, p * scale)
        scale = scale * 2.0
        high = high * 0.36
    return total


@wp.kernel
def landscape(seed: int, image: wp.array2d[int]) -> None:
    """Mountains in the dusk: lit from the side, and hardly brighter than black."""
    i, j = wp.tid()
    state = wp.rand_init(seed)
    step = 3.0 / float(image.shape[1])
    p = wp.vec2(float(j) + 0.5, float(i) + 0.5) * step
    slope = (height(state, p + wp.vec2(step, -step)) - height(state, p)) / step
    image[i, j] = wp.clamp(int(30.0 + 13.0 * slope), 0, 255)


@wp.kernel
def count(image: wp.array2d[int], histogram: wp.array[int]) -> None:
    i, j = wp.tid()
    wp.atomic_add(histogram, image[i, j], 1)


@wp.kernel
def add_before(sums: wp.array[int], distance: int, out: wp.array[int]) -> None:
    i = wp.tid()
    out[i] = sums[i] + (sums[i - distance] if i >= distance else 0)


@wp.kernel
def spread(image: wp.array2d[int], sums: wp.array[int], out: wp.array2d[int]) -> None:
    """Each level becomes the share of pixels that are not brighter."""
    i, j = wp.tid()
    out[i, j] = (LEVELS - 1) * sums[image[i, j]] // (image.shape[0] * image.shape[1])


def prefix_sum(values: wp.array) -> wp.array:
    """The sums of all numbers up to each one."""
    sums, other = wp.clone(values), wp.empty_like(values)
    distance = 1
    while distance < len(values):
        wp.launch(add_before, dim=len(values), inputs=[sums, distance], outputs=[other])
        sums, other = other, sums
        distance *= 2
    return sums


def equalise(image: wp.array) -> tuple[wp.array, wp.array]:
    """The image with its levels spread, and the histogram it had."""
    histogram = wp.zeros(LEVELS, dtype=int)
    wp.launch(count, dim=image.shape, inputs=[image], outputs=[histogram])
    out = wp.empty_like(image)
    wp.launch(spread, dim=image.shape, inputs=[image, prefix_sum(histogram)], outputs=[out])
    return out, histogram


def dusk(shape: tuple[int, int]) -> wp.array:
    image = wp.empty(shape, dtype=int)
    wp.launch(landscape, dim=shape, inputs=[7], outputs=[image])
    return image


def draw(before: np.ndarray, after: np.ndarray, file: str) -> None:
    with _shared.sheet(file, 2, 2, size=(10, 5.6), height_ratios=(3, 1)) as panels:
        for axes, image, title in zip(panels, (before, after), ("before", "after"), strict=False):
            _shared.image(axes, image, title, cmap="gray", vmin=0, vmax=LEVELS - 1)
        for axes, image in zip(panels[2:], (before, after), strict=True):
            axes.hist(image.ravel(), bins=64, range=(0, LEVELS), color=_shared.BLUE)
            axes.set(xlim=(0, LEVELS), yticks=[], xlabel="level")


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments)
    with wp.ScopedDevice(options.device):
        image = dusk((480, 640))
        spread_out, _ = equalise(image)
    before, after = image.numpy(), spread_out.numpy()
    print(f"standard deviation of the levels: {before.std():.1f} before, {after.std():.1f} after")
    if not options.headless:
        draw(before, after, options.picture)


if __name__ == "__main__":
    main()
