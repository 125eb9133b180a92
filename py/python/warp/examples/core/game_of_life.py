"""Conway's Game of Life: five cells that take 1103 generations to come to rest.

Shows a stencil on a torus with small integers, and two arrays that change roles. The rules are John Conway's (Martin
Gardner, Scientific American, October 1970), and so is the R-pentomino: at generation 1103 exactly 116 cells live, and
six gliders are on their way to infinity.

    python -m warp.examples.core.game_of_life [--frames GENERATIONS] [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared

R_PENTOMINO = np.array([[0, 1, 1], [1, 1, 0], [0, 1, 0]], dtype=np.uint8)


@wp.kernel
def generation(cells: wp.array2d[wp.uint8], new: wp.array2d[wp.uint8], now: int, last: wp.array2d[int]) -> None:
    i, j = wp.tid()
    rows, columns = cells.shape[0], cells.shape[1]
    count = int(0)
    for a in range(-1, 2):
        for b in range(-1, 2):
            count += int(cells[(i + a + rows) % rows, (j + b + columns) % columns])
    lives = count == 3 or (count == 4 and cells[i, j] == wp.uint8(1))  # the cell itself was counted, too
    new[i, j] = wp.uint8(1) if lives else wp.uint8(0)
    if lives:
        last[i, j] = now


def play(start: np.ndarray, generations: int, side: int) -> tuple[np.ndarray, np.ndarray]:
    """The cells after some generations, and when each lived last (0: never)."""
    board = np.zeros((side, side), dtype=np.uint8)
    corner = (side - start.shape[0]) // 2
    board[corner : corner + start.shape[0], corner : corner + start.shape[1]] = start
    cells, new = wp.array(board), wp.zeros((side, side), dtype=wp.uint8)
    last = wp.zeros((side, side), dtype=int)
    for now in range(1, generations + 1):
        wp.launch(generation, dim=(side, side), inputs=[cells, new, now, last])
        cells, new = new, cells
    return np.array(cells.numpy()), np.array(last.numpy())


def draw(cells: np.ndarray, last: np.ndarray, file: str) -> None:
    with _shared.sheet(file, size=(8, 8), dark=True) as axes:
        trail = np.ma.masked_equal(last, 0)
        low, high = last.shape[0] // 2 - 190, last.shape[0] // 2 + 190
        _shared.image(axes, trail, "R-pentomino: when each place lived last", cmap="magma", interpolation="nearest")
        axes.scatter(*np.argwhere(cells)[:, ::-1].T, s=1.6, color="#7df9ff", linewidths=0)
        axes.set(xlim=(low, high), ylim=(low, high))


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, frames=1103)
    with wp.ScopedDevice(options.device):
        cells, last = play(R_PENTOMINO, options.frames, 640)
    print(f"generation {options.frames}: {cells.sum()} cells live, {np.count_nonzero(last)} places were alive")
    if not options.headless:
        draw(cells, last, options.picture)


if __name__ == "__main__":
    main()
