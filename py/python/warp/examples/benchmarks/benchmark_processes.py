"""How a stencil on a divided domain scales over processes: one step of heat on a field whose rows are shared out.

    python -m warp.examples.benchmarks.benchmark_processes [--peer PYTHON] [--only NAME]

Each process has one thread, its rows, and a halo row on either side, which its neighbours send through a pipe before
each step, as `docs/processes.md` does with MPI. Rows of arrays are sent and received without a copy of their own.
Beside that stands one process with as many threads.

Times are of the wall, of the slowest process: other programs on the cores lengthen them. Rows with "CPU" have the
time that the busiest process computed, which is what a step takes on free cores but for the waiting. All find the
same heat, before they are timed.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

import numpy as np
import warp as wp

if TYPE_CHECKING or __package__:
    from ._support import _harness
else:
    from _support import _harness

SIDES = (512, 2048, 4096)
COUNT = 2
CHECKED = 20  # steps before heat is summed


@wp.kernel
def start(u: wp.array2d[float], first: int, side: int) -> None:
    i, j = wp.tid()
    row = first + i - 1
    low, high = side // 4, 3 * (side // 4)
    u[i, j] = wp.where(row >= low and row < high and j >= low and j < high, 1.0, 0.0)


@wp.kernel
def spread(u: wp.array2d[float], out: wp.array2d[float]) -> None:
    i, j = wp.tid()
    i += 1  # behind the halo
    around = u[i - 1, j] + u[i + 1, j]
    if j > 0:
        around += u[i, j - 1]
    if j + 1 < u.shape[1]:
        around += u[i, j + 1]
    out[i, j] = u[i, j] + 0.2 * (around - 4.0 * u[i, j])


class Part:
    """The rows of one process, and pipes to the ones before and behind it."""

    def __init__(self, side: int, rank: int, count: int, before: Connection | None, behind: Connection | None) -> None:
        self.rows, self.side = side // count, side
        self.before, self.behind = before, behind
        shape = (self.rows + 2, side)
        self.fields = [wp.zeros(shape, dtype=float, device="cpu") for _ in range(2)]
        self.views = [field.numpy() for field in self.fields]
        wp.launch(start, dim=shape, inputs=[self.fields[0], rank * self.rows, side], device="cpu")

    def step(self) -> None:
        """Exchange halo rows, and compute the own ones."""
        view, last = self.views[0], self.rows
        for pipe, own in ((self.before, 1), (self.behind, last)):
            if pipe is not None:
                pipe.send_bytes(view[own])
        for pipe, halo in ((self.before, 0), (self.behind, last + 1)):
            if pipe is not None:
                pipe.recv_bytes_into(view[halo])
        wp.launch(spread, dim=(self.rows, self.side), inputs=[self.fields[0]], outputs=[self.fields[1]], device="cpu")
        self.fields.reverse()
        self.views.reverse()

    def heat(self) -> float:
        return float(np.sum(self.views[0][1:-1], dtype=np.float64))


def work(
    side: int, rank: int, count: int, pipes: tuple[Connection | None, Connection | None], master: Connection
) -> None:
    """A process: it says what heat it finds, then does as many steps as it is told, and says how long they took."""
    part = Part(side, rank, count, *pipes)
    for _ in range(CHECKED):
        part.step()
    master.send(part.heat())
    while steps := master.recv():
        wall, cpu = time.perf_counter(), time.process_time()
        for _ in range(steps):
            part.step()
        master.send((time.perf_counter() - wall, time.process_time() - cpu))


def seconds(side: int, count: int, threads: int) -> tuple[float, float, float]:
    """Heat after some steps, and wall and CPU seconds of a step, of `count` processes with so many threads each."""
    os.environ["WARP_NUM_THREADS"] = str(threads)
    context = multiprocessing.get_context("spawn")
    ends: list[Connection | None] = [None]  # of the pipes between neighbours, in the order of the processes
    for _ in range(count - 1):
        ends += context.Pipe()
    ends.append(None)
    masters, processes = [], []
    for rank in range(count):
        mine, theirs = context.Pipe()
        pipes = (ends[2 * rank], ends[2 * rank + 1])
        processes.append(context.Process(target=work, args=(side, rank, count, pipes, theirs), daemon=True))
        processes[-1].start()
        masters.append(mine)

    def slowest(steps: int) -> list[float]:
        for master in masters:
            master.send(steps)
        taken = [master.recv() for master in masters]
        return [max(times) / steps for times in zip(*taken, strict=True)]

    heat = sum(master.recv() for master in masters)
    steps = 1 if _harness.is_once() else max(1, round(0.2 / slowest(10)[0]))
    rounds = [slowest(steps) for _ in range(1 if _harness.is_once() else 5)]
    wall, cpu = map(min, zip(*rounds, strict=True))
    for master, process in zip(masters, processes, strict=True):
        master.send(0)
        process.join()
    return heat, wall, cpu


def measure() -> _harness.Rows:
    """Seconds of a step: of one process, of several, and of one with several threads."""
    kinds = {"1 process": (1, 1), f"{COUNT} processes": (COUNT, 1), f"1 process, {COUNT} threads": (1, COUNT)}
    rows: _harness.Rows = {}
    for side in SIDES[:1] if _harness.is_once() else SIDES:
        found: dict[str, float] = {}
        for kind, (count, threads) in kinds.items():
            name = f"{side} x {side}, {kind}"
            if _harness.is_wanted(name):
                found[name], rows[name], cpu = seconds(side, count, threads)
                if threads == 1:
                    rows[f"{name}, CPU"] = cpu
        if found and not np.allclose(list(found.values()), next(iter(found.values())), rtol=1e-6):
            raise SystemExit(f"the heat differs: {found}")
    return rows


def main() -> None:
    _harness.run(__doc__, __file__, measure)


if __name__ == "__main__":
    main()
