"""Photons: light that skin scatters and absorbs, by random walks through a volume.

Shows a volume of vectors that many threads look up, and sums by atomic additions. Each voxel says how much a photon is
absorbed and scattered per millimetre, and how far forward. A photon flies to collisions of the densest medium, of which
those that are too many are none (Woodcock, 1965); at a true one it leaves a part of itself and turns (Henyey and
Greenstein, 1941). Nothing is lost: what is absorbed and what leaves is what came in. The numbers are roughly those of
skin in green light, with a vessel one millimetre deep.

    python -m warp.examples.geometry.photons [--steps N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared

#: Absorption and scattering per millimetre, and the mean cosine of the angle of scattering.
EPIDERMIS, DERMIS, BLOOD = (1.7, 37.0, 0.9), (0.05, 36.0, 0.9), (23.0, 9.4, 0.9)


@wp.func
def turned(ray: wp.vec3, g: float, state: wp.ref[wp.uint32]) -> wp.vec3:
    """A random direction whose angle to the ray has the cosine g on average."""
    cosine = 2.0 * wp.randf(state) - 1.0
    if g > 0.0:
        share = (1.0 - g * g) / (1.0 + g * cosine)
        cosine = (1.0 + g * g - share * share) / (2.0 * g)
    sine = wp.sqrt(wp.max(1.0 - cosine * cosine, 0.0))
    angle = wp.TAU * wp.randf(state)
    # Two directions across the ray (Duff and others: Building an orthonormal basis, revisited, 2017).
    sign = wp.where(ray[2] < 0.0, -1.0, 1.0)
    a = -1.0 / (sign + ray[2])
    b = ray[0] * ray[1] * a
    right = wp.vec3(1.0 + sign * ray[0] * ray[0] * a, sign * b, -sign * ray[0])
    up = wp.vec3(b, sign + ray[1] * ray[1] * a, -ray[1])
    return wp.normalize(cosine * ray + sine * (wp.cos(angle) * right + wp.sin(angle) * up))


@wp.kernel
def walk(
    tissue: wp.uint64, high: wp.vec3, densest: float, beam: float, seed: int,
    absorbed: wp.array[wp.float64], left: wp.array[wp.float64],
) -> None:  # fmt: skip
    """Photons that come from above, z = 0; `left` is what leaves above, below and through the sides."""
    state = wp.rand_init(seed, wp.tid())
    spot = beam * wp.sample_unit_disk(state)
    p = wp.vec3(0.5 * high[0] + spot[0], 0.5 * high[1] + spot[1], 0.0)
    ray = wp.vec3(0.0, 0.0, 1.0)
    weight = float(1.0)
    while weight > 0.0:
        p += -wp.log(1.0 - wp.randf(state)) / densest * ray
        if p[2] < 0.0 or p[2] >= high[2]:
            wp.atomic_add(left, wp.where(p[2] < 0.0, 0, 1), wp.float64(weight))
            weight = 0.0
        elif wp.min(p[0], p[1]) < 0.0 or p[0] >= high[0] or p[1] >= high[1]:
            wp.atomic_add(left, 2, wp.float64(weight))
            weight = 0.0
        else:
            at = wp.volume_world_to_index(tissue, p)
            i, j, k = int(wp.floor(at[0])), int(wp.floor(at[1])), int(wp.floor(at[2]))
            here = wp.volume_lookup_v(tissue, i, j, k)
            if wp.randf(state) * densest < here[0] + here[1]:
                part = wp.where(weight < 1.0e-3, weight, weight * here[0] / (here[0] + here[1]))
                wp.atomic_add(absorbed, wp.volume_lookup_index(tissue, i, j, k), wp.float64(part))
                weight -= part
                ray = turned(ray, here[2], state)


class Tissue:
    """A block of voxels (n, m, l, 3) with a width in millimetres; the last axis goes down."""

    def __init__(self, media: np.ndarray, width: float) -> None:
        self.shape, self.width = media.shape[:3], width
        self.volume = wp.Volume.load_from_numpy(media, voxel_size=width, bg_value=(0.0, 0.0, 0.0))
        self.densest = float(media[..., :2].sum(axis=-1).max())
        self.media = media
        self.absorbed = wp.zeros(512 * self.volume.get_tile_count(), dtype=wp.float64)
        self.left = wp.zeros(3, dtype=wp.float64)
        self.photons = 0

    def shine(self, photons: int, beam: float) -> None:
        """Sends photons in a beam of a radius."""
        high = wp.vec3(*(self.width * n for n in self.shape))
        inputs = [self.volume, high, self.densest, beam, self.photons]
        wp.launch(walk, photons, inputs=inputs, outputs=[self.absorbed, self.left])
        self.photons += photons

    def shares(self) -> np.ndarray:
        """What leaves above, below and through the sides, and what is absorbed, of what came in."""
        return np.array([*self.left.numpy(), self.absorbed.numpy().sum()]) / self.photons

    def per_volume(self) -> np.ndarray:
        """What each voxel absorbs per cubic millimetre, of what came in."""
        tiles = self.absorbed.numpy().reshape(-1, 8, 8, 8)
        size = [-(-n // 8) * 8 for n in self.shape]
        found = np.zeros(size)
        for (i, j, k), tile in zip(self.volume.get_tiles().numpy(), tiles, strict=True):
            found[i : i + 8, j : j + 8, k : k + 8] = tile
        return found[tuple(slice(n) for n in self.shape)] / self.photons / self.width**3


def skin(shape: tuple[int, int, int], width: float) -> np.ndarray:
    """A thin dark layer above, a vessel of the radius 0.25 mm across."""
    media = np.empty((*shape, 3))
    media[:] = DERMIS
    x, y, z = (width * (np.arange(n) + 0.5) for n in shape)
    media[:, :, z < 0.06] = EPIDERMIS
    away = np.hypot(x[:, None, None] - 0.5 * x[-1] - 0.25 * np.sin(2.2 * y[:, None]), z - 1.0)
    media[np.broadcast_to(away < 0.25, shape)] = BLOOD
    return media


def draw(tissue: Tissue, file: str) -> None:
    found, absorption = tissue.per_volume(), tissue.media[..., 0]
    middle = slice(tissue.shape[1] // 2 - 1, tissue.shape[1] // 2 + 2)
    cut, passing = found[:, middle].mean(axis=1).T, (found / absorption)[:, middle].mean(axis=1).T
    in_vessel = np.where(absorption > 20, found, 0).sum(axis=2).T
    wide, deep = tissue.width * tissue.shape[0], tissue.width * tissue.shape[2]
    panels = [("absorbed, from the side", cut, "inferno", deep), ("light that passes", passing, "viridis", deep)]
    panels.append(("absorbed in the vessel, from above", in_vessel, "inferno", wide))
    with _shared.sheet(file, 1, 3, size=(13.5, 4.0), dark=True) as axes:
        for place, (title, values, colours, extent) in zip(axes, panels, strict=True):
            values = np.log10(values + 1e-4 * values.max())
            how = {"cmap": colours, "vmin": values.max() - 3.5, "extent": (0, wide, extent, 0)}
            _shared.image(place, values, title, origin="upper", **how)


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, steps=80)
    with wp.ScopedDevice(options.device):
        tissue = Tissue(skin((96, 96, 64), 0.03), 0.03)
        for _ in _shared.progress(options.steps, "step"):
            tissue.shine(5000, beam=0.4)
        above, below, beside, inside = tissue.shares()
    print(f"{tissue.photons} photons: {above:.1%} come back, {below:.1%} go through, {beside:.1%} leave at the sides")
    in_vessel = (tissue.per_volume() * (tissue.media[..., 0] > 20)).sum() * tissue.width**3
    print(f"{inside:.1%} are absorbed, {in_vessel:.1%} in the vessel")
    if abs(above + below + beside + inside - 1) > 1e-5:
        raise RuntimeError(f"light is lost: what leaves and what stays is {above + below + beside + inside}")
    if not options.headless:
        draw(tissue, options.picture)


if __name__ == "__main__":
    main()
