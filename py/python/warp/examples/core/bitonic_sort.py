"""A sorting network: pairs of numbers are compared and exchanged, all pairs of a stage at once.

Shows kernels that change an array in place, each thread its own pair of elements. Which pairs does not depend on the
numbers: Batcher's bitonic sorter (1968) sorts 2^k of them in k (k + 1) / 2 stages.

    python -m warp.examples.core.bitonic_sort [--headless]
"""

from __future__ import annotations

import numpy as np
import warp as wp

from .. import _shared


@wp.kernel
def exchange(values: wp.array[float], block: int, distance: int) -> None:
    """Thread t has the t-th pair of elements at that distance; blocks rise and fall in turns."""
    t = wp.tid()
    i = (t // distance) * distance * 2 + t % distance
    j = i + distance
    rises = (i & block) == 0
    a, b = values[i], values[j]
    if (a > b) == rises:
        values[i] = b
        values[j] = a


def stages(count: int) -> list[tuple[int, int]]:
    """Size of the blocks and distance of the pairs, for each stage."""
    rounds = count.bit_length() - 1
    return [(2 << k, 1 << d) for k in range(rounds) for d in range(k, -1, -1)]


def sort(values: wp.array, seen: list[np.ndarray] | None = None) -> None:
    """Sorts 2^k numbers in place; `seen` gets a copy before the first stage and after each."""
    count = len(values)
    if count & (count - 1):
        raise ValueError(f"a bitonic sorter takes a power of two of numbers, not {count}")
    for block, distance in stages(count):
        if seen is not None:
            seen.append(np.array(values.numpy()))
        wp.launch(exchange, dim=count // 2, inputs=[values, block, distance])
    if seen is not None:
        seen.append(np.array(values.numpy()))


def draw(seen: list[np.ndarray], file: str) -> None:
    with _shared.sheet(file, size=(11, 6), dark=True) as axes:
        _shared.image(
            axes, np.array(seen).T, f"{len(seen[0])} numbers, {len(seen) - 1} stages", cmap="turbo", aspect="auto"
        )
        axes.images[0].set_interpolation("nearest")
        axes.set_xlabel("stage of the network, from left to right; each column holds all numbers")


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments)
    rng = np.random.default_rng(1)
    with wp.ScopedDevice(options.device):
        many = wp.array(rng.random(1 << 18), dtype=float)
        sort(many)
        print(f"{len(many)} numbers in {len(stages(len(many)))} stages, sorted: {(np.diff(many.numpy()) >= 0).all()}")
        few = wp.array(rng.permutation(256), dtype=float)
        seen: list[np.ndarray] = []
        sort(few, seen)
    if not options.headless:
        draw(seen, options.picture)


if __name__ == "__main__":
    main()
