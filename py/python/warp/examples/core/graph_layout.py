"""Drawing a graph: its nodes move until they are as far from each other as the ways between them are long.

Shows shortest paths between all pairs by one launch for each node (Floyd, 1962), and a relaxation that reads the old
positions and writes new ones. Each node goes to the mean of where the others want it; that lowers the stress of
Kamada and Kawai (1989), and the step is the majorisation of de Leeuw (1977), a node at a time, with half its length.

    python -m warp.examples.core.graph_layout [--steps N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared


@wp.kernel
def shorten(distance: wp.array2d[float], k: int) -> None:
    """Ways through node k; its own row and column do not change."""
    i, j = wp.tid()
    through = distance[i, k] + distance[k, j]
    if through < distance[i, j]:
        distance[i, j] = through


@wp.kernel
def relax(
    at: wp.array[wp.vec2],
    distance: wp.array2d[float],
    new: wp.array[wp.vec2],
    stress: wp.array[wp.float64],
) -> None:
    i = wp.tid()
    here = at[i]
    wish = wp.vec2()
    weights = float(0.0)
    off = float(0.0)
    for j in range(at.shape[0]):
        if j != i:
            d = distance[i, j]
            away = here - at[j]
            length = wp.length(away) + 1.0e-9
            weight = 1.0 / (d * d)
            wish += weight * (at[j] + away * (d / length))
            weights += weight
            off += weight * (length - d) * (length - d)
    new[i] = 0.5 * (here + wish / weights)
    wp.atomic_add(stress, 0, wp.float64(0.5 * off))


def distances(edges: np.ndarray, nodes: int) -> wp.array:
    """The number of edges on the shortest way between each two nodes of a connected graph."""
    start = np.full((nodes, nodes), np.inf, dtype=np.float32)
    np.fill_diagonal(start, 0)
    start[edges[:, 0], edges[:, 1]] = start[edges[:, 1], edges[:, 0]] = 1
    distance = wp.array(start)
    for k in range(nodes):
        wp.launch(shorten, dim=(nodes, nodes), inputs=[distance, k])
    return distance


def layout(edges: np.ndarray, nodes: int, steps: int, seed: int = 0) -> tuple[np.ndarray, list[float]]:
    """Where the nodes come to lie, and the stress before each step."""
    distance = distances(edges, nodes)
    start = np.random.default_rng(seed).normal(size=(nodes, 2)) * np.sqrt(nodes) / 3
    at, stress = wp.array(start, dtype=wp.vec2), wp.zeros(1, dtype=wp.float64)
    new, stresses = wp.empty_like(at), []
    for _ in range(steps):
        stress.zero_()
        wp.launch(relax, dim=nodes, inputs=[at, distance], outputs=[new, stress])
        at, new = new, at
        stresses.append(float(stress))
    return np.array(at.numpy()), stresses


def mesh(rows: int, columns: int) -> np.ndarray:
    """A grid with a round hole in it."""
    y, x = np.mgrid[0:rows, 0:columns]
    kept = np.hypot(y - rows * 0.5, x - columns * 0.36) > rows * 0.24
    number = np.where(kept, np.cumsum(kept).reshape(kept.shape) - 1, -1)
    pairs = [(number[:-1], number[1:]), (number[:, :-1], number[:, 1:])]
    edges = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs])
    return edges[(edges >= 0).all(axis=1)]


def tree(depth: int) -> np.ndarray:
    """Each node has three below it."""
    nodes = (3**depth - 1) // 2
    return np.array([((i - 1) // 3, i) for i in range(1, nodes)])


def moebius(count: int) -> np.ndarray:
    """A ladder of which the ends are joined after half a turn."""
    return np.array([(i, (i + 1) % (2 * count)) for i in range(2 * count)] + [(i, i + count) for i in range(count)])


def draw(drawings: list[tuple[str, np.ndarray, np.ndarray]], file: str) -> None:
    from matplotlib.collections import LineCollection

    with _shared.sheet(file, 1, len(drawings), size=(15, 5.4)) as panels:
        for axes, (title, at, edges) in zip(panels, drawings, strict=True):
            axes.add_collection(LineCollection(list(at[edges]), colors=_shared.BLUE, linewidths=0.9))
            axes.scatter(*at.T, s=9, color=_shared.INK, zorder=3)
            axes.set_aspect("equal", adjustable="datalim")
            _shared.bare(axes, title)


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, steps=600)
    graphs = {"a grid with a hole": mesh(18, 26), "a tree": tree(6), "a twisted ladder": moebius(60)}
    drawings = []
    with wp.ScopedDevice(options.device):
        for name, edges in graphs.items():
            at, stresses = layout(edges, int(edges.max()) + 1, options.steps)
            print(f"{name}: {len(at)} nodes, stress {stresses[0]:.0f} -> {stresses[-1]:.1f}")
            drawings.append((f"{name}: stress {stresses[-1]:.0f}", at, edges))
    if not options.headless:
        draw(drawings, options.picture)


if __name__ == "__main__":
    main()
