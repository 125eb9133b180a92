"""PageRank: how often somebody who follows links at random comes to each page.

Shows a sparse matrix in compressed rows: each thread has one row, whose length it reads. The matrix holds for each
page those that link to it, so that a thread only reads what others have and writes its own. The method is Brin and
Page's (1998).

    python -m warp.examples.core.pagerank [--steps N] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared

DAMPING = 0.85


@wp.kernel
def follow(
    starts: wp.array[int],
    sources: wp.array[int],
    links: wp.array[int],
    rank: wp.array[wp.float64],
    lost: wp.array[wp.float64],
    new: wp.array[wp.float64],
    change: wp.array[wp.float64],
) -> None:
    """One step of all readers. Who is at a page without links (`lost`) goes anywhere next."""
    i = wp.tid()
    n = wp.float64(rank.shape[0])
    come = lost[0] / n
    for k in range(starts[i], starts[i + 1]):
        j = sources[k]
        come += rank[j] / wp.float64(links[j])
    new[i] = (wp.float64(1.0) - wp.float64(DAMPING)) / n + wp.float64(DAMPING) * come
    wp.atomic_add(change, 0, wp.abs(new[i] - rank[i]))


@wp.kernel
def lose(links: wp.array[int], rank: wp.array[wp.float64], lost: wp.array[wp.float64]) -> None:
    i = wp.tid()
    if links[i] == 0:
        wp.atomic_add(lost, 0, rank[i])


def rows_of(edges: np.ndarray, pages: int) -> tuple[np.ndarray, np.ndarray]:
    """Compressed rows: where the sources of each page's incoming links begin, and the sources."""
    order = np.argsort(edges[:, 1], kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(edges[:, 1], minlength=pages))])
    return starts.astype(np.int32), edges[order, 0].astype(np.int32)


def pagerank(edges: np.ndarray, pages: int, steps: int) -> tuple[np.ndarray, list[float]]:
    """The rank of each page, and how much each step changed; `edges` holds (from, to) in each row."""
    starts, sources = (wp.array(a) for a in rows_of(edges, pages))
    links = wp.array(np.bincount(edges[:, 0], minlength=pages), dtype=int)
    rank = wp.full(pages, 1 / pages, dtype=wp.float64)
    new = wp.empty_like(rank)
    lost, change = wp.zeros(1, dtype=wp.float64), wp.zeros(1, dtype=wp.float64)
    changes = []
    for _ in range(steps):
        lost.zero_()
        change.zero_()
        wp.launch(lose, dim=pages, inputs=[links, rank], outputs=[lost])
        wp.launch(follow, dim=pages, inputs=[starts, sources, links, rank, lost], outputs=[new, change])
        rank, new = new, rank
        changes.append(float(change))
    return np.array(rank.numpy()), changes


def web(pages: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Where pages lie, and links: from each to some near it, preferring those that are linked to often."""
    rng = np.random.default_rng(seed)
    at = rng.normal(size=(pages, 2)) * rng.uniform(0.2, 1, size=(pages, 1)) * 2
    at += rng.choice([[-2.4, 0], [2.4, 0.6], [0, 3.1]], size=pages)
    fame = rng.pareto(1.1, size=pages) + 0.3
    edges = []
    for i in range(pages):
        appeal = fame * np.exp(-((at - at[i]) ** 2).sum(axis=1))
        appeal[i] = 0
        count = min(rng.poisson(4), pages - 1)
        edges += [(i, j) for j in rng.choice(pages, size=count, replace=False, p=appeal / appeal.sum())]
    return at, np.array(edges)


def draw(at: np.ndarray, edges: np.ndarray, rank: np.ndarray, file: str) -> None:
    from matplotlib.collections import LineCollection

    with _shared.sheet(file, size=(10, 8), dark=True) as axes:
        axes.add_collection(LineCollection(list(at[edges]), colors="#8fa3e0", linewidths=0.4, alpha=0.5))
        order = np.argsort(rank)
        axes.scatter(
            *at[order].T,
            s=2.2e4 * rank[order],
            c=np.log(rank[order]),
            cmap="plasma",
            edgecolor="black",
            linewidth=0.4,
            zorder=3,
        )
        axes.set_aspect("equal")
        _shared.bare(axes, f"{len(at)} pages and {len(edges)} links: area and colour are the rank")


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, steps=60)
    at, edges = web(700)
    with wp.ScopedDevice(options.device):
        rank, changes = pagerank(edges, len(at), options.steps)
    print(f"the last step changed {changes[-1]:.1e}; the first ten have {np.sort(rank)[-10:].sum():.1%} of all readers")
    if not options.headless:
        draw(at, edges, rank, options.picture)


if __name__ == "__main__":
    main()
