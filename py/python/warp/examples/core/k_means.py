"""k-means: points find their clusters, one thread for each point.

Shows a search through a small table in each thread, and means by atomic additions to vectors. The method is Lloyd's
(1957, published in 1982); it starts from points that are far from each other (Gonzalez, 1985).

    python -m warp.examples.core.k_means [--steps N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared


@wp.kernel
def assign(
    points: wp.array[wp.vec2],
    centres: wp.array[wp.vec2],
    labels: wp.array[int],
    sums: wp.array[wp.vec2],
    counts: wp.array[float],
    spread: wp.array[float],
) -> None:
    """Finds the nearest centre of each point and adds the point to it."""
    i = wp.tid()
    best = int(0)
    least = float(wp.INF)
    for k in range(centres.shape[0]):
        distance = wp.length_sq(points[i] - centres[k])
        if distance < least:
            least = distance
            best = k
    labels[i] = best
    wp.atomic_add(sums, best, points[i])
    wp.atomic_add(counts, best, 1.0)
    wp.atomic_add(spread, 0, least)


@wp.kernel
def move(centres: wp.array[wp.vec2], sums: wp.array[wp.vec2], counts: wp.array[float]) -> None:
    k = wp.tid()
    if counts[k] > 0.0:
        centres[k] = sums[k] / counts[k]


def apart(points: np.ndarray, count: int) -> np.ndarray:
    """Points of which each is as far as can be from those before it."""
    chosen = [points[0]]
    distance = np.full(len(points), np.inf)
    for _ in range(count - 1):
        distance = np.minimum(distance, ((points - chosen[-1]) ** 2).sum(axis=1))
        chosen.append(points[distance.argmax()])
    return np.array(chosen)


def cluster(points: np.ndarray, count: int, steps: int) -> tuple[np.ndarray, list[np.ndarray], list[float]]:
    """The label of each point, the centres before each step and at the end, and the mean squared distances."""
    n = len(points)
    data, centres = wp.array(points, dtype=wp.vec2), wp.array(apart(points, count), dtype=wp.vec2)
    labels = wp.zeros(n, dtype=int)
    sums, counts, spread = wp.zeros(count, dtype=wp.vec2), wp.zeros(count, dtype=float), wp.zeros(1, dtype=float)
    way, spreads = [np.array(centres.numpy())], []
    for _ in range(steps):
        for array in (sums, counts, spread):
            array.zero_()
        wp.launch(assign, dim=n, inputs=[data, centres], outputs=[labels, sums, counts, spread])
        wp.launch(move, dim=count, inputs=[centres, sums, counts])
        way.append(np.array(centres.numpy()))
        spreads.append(float(spread) / n)
    return np.array(labels.numpy()), way, spreads


def clouds(count: int, each: int, seed: int = 4) -> np.ndarray:
    """Points in round and stretched clouds."""
    rng = np.random.default_rng(seed)
    middles = rng.uniform(-4, 4, size=(count, 2))
    shapes = rng.normal(scale=0.45, size=(count, 2, 2))
    points = np.einsum("kab,knb->kna", shapes, rng.normal(size=(count, each, 2))) + middles[:, None]
    return rng.permutation(points.reshape(-1, 2)).astype(np.float32)


def draw(points: np.ndarray, labels: np.ndarray, way: list[np.ndarray], file: str) -> None:
    import matplotlib

    colours = matplotlib.colormaps["tab20"]
    with _shared.sheet(file, size=(8, 7)) as axes:
        axes.scatter(*points.T, c=labels, cmap="tab20", vmin=0, vmax=19, s=1.5, alpha=0.5, linewidths=0)
        for k, path in enumerate(np.array(way).swapaxes(0, 1)):
            axes.plot(*path.T, color=_shared.INK, linewidth=1.2)
            axes.scatter(*path[-1], s=110, color=colours(k), edgecolor=_shared.INK, linewidth=1.5, zorder=3)
        axes.set_aspect("equal")
        _shared.bare(axes, f"{len(points)} points, {len(way[0])} centres and the ways they took")


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, steps=30)
    points = clouds(12, 2500)
    with wp.ScopedDevice(options.device):
        labels, way, spreads = cluster(points, 12, options.steps)
    print(f"mean squared distance to the nearest centre: {spreads[0]:.4f} -> {spreads[-1]:.4f}")
    if not options.headless:
        draw(points, labels, way, options.picture)


if __name__ == "__main__":
    main()
