"""Packing: rectangles of many sizes that lie upon each other part until they hardly do.

Shows a tree over boxes that move: each rectangle asks which others its own box overlaps, and is pushed by half of the
overlap along the shorter way. `wp.Bvh.refit` makes the tree follow the boxes. Sizes differ by a factor of 30, which no
grid of one width of cells would suit.

    python -m warp.examples.geometry.packing [--steps N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared


@wp.kernel
def enclose(x: wp.array[wp.vec3], half: wp.array[wp.vec3], low: wp.array[wp.vec3], high: wp.array[wp.vec3]) -> None:
    i = wp.tid()
    low[i] = x[i] - half[i]
    high[i] = x[i] + half[i]


@wp.kernel
def push(
    tree: wp.uint64,
    x: wp.array[wp.vec3],
    half: wp.array[wp.vec3],
    apart: float,
    x_next: wp.array[wp.vec3],
    overlap: wp.array[float],
) -> None:
    i = wp.tid()
    here = x[i]
    h = half[i]
    move = apart * here
    total = float(0.0)
    count = float(0.0)
    for j in wp.bvh_query_aabb(tree, here - h, here + h):
        away = here - x[j]
        dx = h[0] + half[j][0] - wp.abs(away[0])
        dy = h[1] + half[j][1] - wp.abs(away[1])
        if j != i and dx > 0.0 and dy > 0.0:
            # Large ones hardly move. The lower number goes left or down where two have the same centre.
            share = half[j][0] * half[j][1] / (half[j][0] * half[j][1] + h[0] * h[1])
            total += wp.min(dx, 2.0 * wp.min(h[0], half[j][0])) * wp.min(dy, 2.0 * wp.min(h[1], half[j][1]))
            count += 1.0
            side = wp.where(i < j, -1.0, 1.0)
            if dx < dy:
                move[0] = move[0] + share * (dx + 1.0e-4) * wp.where(away[0] == 0.0, side, wp.sign(away[0]))
            else:
                move[1] = move[1] + share * (dy + 1.0e-4) * wp.where(away[1] == 0.0, side, wp.sign(away[1]))
    x_next[i] = here + move / wp.max(0.5 * count, 1.2)
    overlap[i] = total


class Boxes:
    """Rectangles with random sizes and places."""

    def __init__(self, count: int, seed: int = 1) -> None:
        rng = np.random.default_rng(seed)
        area = np.exp(rng.normal(-7.2, 1.3, count))
        ratio = np.exp(rng.uniform(-0.9, 0.9, count))
        sides = np.stack([np.sqrt(area * ratio), np.sqrt(area / ratio), np.ones(count)], axis=1)
        self.half = wp.array(sides / 2, dtype=wp.vec3)
        angle, away = rng.uniform(0, 2 * np.pi, count), 1.1 * np.sqrt(rng.uniform(0, 1, count))
        places = np.stack([away * np.cos(angle), away * np.sin(angle), 0 * angle], axis=1)
        self.x = wp.array(places, dtype=wp.vec3)
        self.x_next = wp.empty_like(self.x)
        self.low, self.high = wp.empty_like(self.x), wp.empty_like(self.x)
        self.overlap = wp.zeros(count, dtype=float)
        self.enclose()
        self.tree = wp.Bvh(self.low, self.high)

    def enclose(self) -> None:
        wp.launch(enclose, dim=len(self.x), inputs=[self.x, self.half], outputs=[self.low, self.high])

    def run(self, steps: int) -> list[float]:
        """The area where rectangles overlap, in each step."""
        found = []
        for step in range(steps):
            if step % 20 == 0:
                self.tree.rebuild()
            else:
                self.tree.refit()
            inputs = [self.tree, self.x, self.half, 0.0006 if step < 240 else 0.0]
            wp.launch(push, dim=len(self.x), inputs=inputs, outputs=[self.x_next, self.overlap])
            self.x, self.x_next = self.x_next, self.x
            self.enclose()
            found.append(float(self.overlap.numpy().sum()) / 2)
        return found

    def rectangles(self) -> np.ndarray:
        """Left, bottom, right and top of each."""
        return np.concatenate([self.low.numpy()[:, :2], self.high.numpy()[:, :2]], axis=1)


def draw(seen: list[tuple[str, np.ndarray]], overlaps: list[float], file: str) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    with _shared.sheet(file, 1, 3, size=(13.0, 4.8), width_ratios=(1, 1, 0.6)) as panels:
        for axes, (title, boxes) in zip(panels, seen, strict=False):
            sizes = boxes[:, 2:] - boxes[:, :2]
            patches = [Rectangle(b[:2], *size) for b, size in zip(boxes, sizes, strict=True)]
            collection = PatchCollection(patches, cmap="YlGnBu", edgecolor=_shared.INK, linewidth=0.3, alpha=0.9)
            collection.set_array(np.log(sizes.prod(axis=1)))
            axes.add_collection(collection)
            axes.set(xlim=(-1.55, 1.55), ylim=(-1.55, 1.55), aspect="equal")
            _shared.bare(axes, title)
        panels[2].semilogy(overlaps, color=_shared.RED)
        panels[2].set(title="area of overlaps", xlabel="step")


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, steps=1000)
    with wp.ScopedDevice(options.device):
        boxes = Boxes(2000)
        before = boxes.rectangles()
        overlaps = boxes.run(options.steps)
        after = boxes.rectangles()
    area = (after[:, 2:] - after[:, :2]).prod(axis=1).sum()
    first, last = overlaps[0] / area, overlaps[-1] / area
    print(f"{len(after)} rectangles, {options.steps} steps: {last:.2%} of their area overlaps, {first:.0%} before")
    if not options.headless:
        draw([("step 0", before), (f"step {options.steps}", after)], overlaps, options.picture)


if __name__ == "__main__":
    main()
