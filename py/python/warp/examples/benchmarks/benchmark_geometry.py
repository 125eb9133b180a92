"""How fast meshes, trees, hash grids, volumes, textures and surfaces are, beside other libraries.

    python -m warp.examples.benchmarks.benchmark_geometry [--peer PYTHON] [--others PYTHON] [--only NAME] [--rounds N]

Contestants run in processes of their own, fresh ones in each round, and measure each row one after the other:

- this: with all threads; wall time;
- one: with one thread; its CPU time, and that of an adjoint by that of the row without;
- peer: the `warp` of another interpreter; CPU time (it has one thread);
- others: Embree (by embreex), FCPW, libigl, Open3D, SciPy and scikit-image, those that the interpreter `--others` has
  (this one by default); CPU time of all their threads, and that by ours.

All find what this one finds, before they are timed: distances, counts, sums, gradients. Build and refit find nothing.
`WARP_CPU=x86-64-v3` measures this one's code for AVX2.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING or __package__:
    from ._kernels import geometry_others as others
    from ._kernels import geometry_scenes as scenes
    from ._support import _harness, _turns
else:
    from _kernels import geometry_others as others
    from _kernels import geometry_scenes as scenes
    from _support import _harness, _turns

CPU, WRONG = ", CPU", ", wrong"  # what the names of rows end with: CPU seconds; 1 where values are wrong
WARPS = ("this", "one", "peer")

Table = dict[str, list[_harness.Rows]]  # of each contestant, round by round


def measure(who: str, values: Path) -> None:
    """The process of one contestant: wall and CPU seconds of each row."""
    if who in WARPS:
        if TYPE_CHECKING or __package__:
            from ._kernels import geometry
        else:
            from _kernels import geometry
    rows = (scene for scene in scenes.scenes() if _harness.is_wanted(scene.name))
    for turn in itertools.count():
        _turns.wait()
        scene = next(rows, None)
        if scene is None:
            return
        work = geometry.work_of(scene) if who in WARPS else others.work_of(who, scene)
        _turns.answer({} if work is None else prepare(who, scene, work, values / f"{turn}.npy"))
        _turns.wait()
        times = timed(work.call) if work else ()
        _turns.answer(dict(zip((scene.name, scene.name + CPU), times, strict=False)))
        del work


def prepare(who: str, scene: scenes.Scene, work: scenes.Work, kept: Path) -> _harness.Rows:
    """Runs the call once, and holds what it finds against what this one found."""
    work.call()
    if work.found is None:
        return {}
    found = np.asarray(work.found(), dtype=np.float64)
    if who == "this":
        np.save(kept, found)
        return {}
    expected = np.load(kept)
    if found.shape != expected.shape:
        expected = expected[..., 0]  # SciPy only counts
    scale = scene.tolerance * max(1.0, float(np.abs(expected).mean()))
    off = 1 - np.isclose(found, expected, rtol=scene.tolerance, atol=scale).mean()
    if off > scene.may_differ:
        if who == "one":
            raise SystemExit(f"{scene.name}: {off:.2%} of the values depend on the number of threads")
        return {scene.name + WRONG: off}
    return {}


def timed(call: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU seconds: the least of some calls, a second of them or five."""
    if _harness.is_once():
        return _harness.wall_and_cpu(call)
    walls: list[float] = []
    cpus: list[float] = []
    number, began = 1, time.perf_counter()
    while len(walls) < 5 and (len(walls) < 2 or time.perf_counter() - began < 2):
        wall, cpu = time.perf_counter(), time.process_time()
        for _ in range(number):
            call()
        took, spent = time.perf_counter() - wall, time.process_time() - cpu
        if took < 0.02:  # too short to be timed
            number *= 4
            continue
        walls.append(took / number)
        cpus.append(spent / number)
    return min(walls), min(cpus)


def contestants(peer: str | None, other: str) -> dict[str, str]:
    """The interpreter of each. This one comes first, since others are held against what it finds."""
    found = {"this": sys.executable, "one": sys.executable}
    if peer:
        found["peer"] = peer
    for name, module in others.LIBRARIES.items():
        if subprocess.run([other, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0:
            found[name] = other
    return found


def in_turns(who: dict[str, str], rounds: int, folder: str) -> Table:
    """The rows of each contestant, round by round."""
    table: Table = {name: [] for name in who}
    before = os.environ.get("WARP_NUM_THREADS")
    for turn in range(rounds):
        started = {}
        for name, python in who.items():
            if name == "one":
                os.environ["WARP_NUM_THREADS"] = "1"
            started[name] = _turns.Contestant(python, __file__, ["--as", name, "--values", folder])
            os.environ.pop("WARP_NUM_THREADS", None)
            if before is not None:
                os.environ["WARP_NUM_THREADS"] = before
        for name, rows in _turns.one_round(started, backwards=turn % 2 == 1).items():
            table[name].append(rows)
        print(f"round {turn + 1} of {rounds}", file=sys.stderr, flush=True)
    return table


def print_table(table: Table) -> None:
    """A line for each row, as a table of Markdown."""
    print("| row | this | one thread | adjoint / forward | peer | peer / one | others | others / one |")
    print("|---|---|---|---|---|---|---|---|")
    names = [name for name in table["this"][0] if not name.endswith((CPU, WRONG))]
    for name in names:
        one = seconds(table, "one", name + CPU)
        forward = seconds(table, "one", name.removeprefix("adjoint of ") + CPU) if name.startswith("adjoint") else None
        peer = seconds(table, "peer", name + CPU)
        found = {other: seconds(table, other, name + CPU) for other in others.LIBRARIES}
        known = {other + "!" * is_wrong(table, other, name): took for other, took in found.items() if took}
        cells = [
            spelt(seconds(table, "this", name)),
            spelt(one),
            f"{one / forward:.2f}" if one and forward else "",
            spelt(peer) + "!" * is_wrong(table, "peer", name),
            f"{peer / one:.1f}" if one and peer else "",
            ", ".join(f"{other} {spelt(took)}" for other, took in known.items()),
            ", ".join(f"{took / one:.2f}" for took in known.values() if one),
        ]
        print(f"| {name} | " + " | ".join(cells) + " |")


def seconds(table: Table, who: str, name: str) -> float | None:
    """The median over the rounds."""
    times = [rows[name] for rows in table.get(who, []) if name in rows]
    return statistics.median(times) if times else None


def is_wrong(table: Table, who: str, name: str) -> bool:
    return any(name + WRONG in rows for rows in table.get(who, []))


def spelt(took: float | None) -> str:
    return _harness.spell(took) if took is not None else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", metavar="PYTHON", help="another interpreter, whose warp is measured in turns")
    parser.add_argument("--others", metavar="PYTHON", default=sys.executable, help="the interpreter of other libraries")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each contestant (default: 3)")
    parser.add_argument("--only", metavar="NAME", help="only rows whose name contains this")
    parser.add_argument("--once", action="store_true", help="compare values of small scenes")
    parser.add_argument("--as", dest="who", help=argparse.SUPPRESS)
    parser.add_argument("--values", type=Path, default=Path(), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.who:
        measure(options.who, options.values)
        return
    if options.only:
        os.environ["BENCHMARK_ONLY"] = options.only
    if options.once:
        os.environ["BENCHMARK_ONCE"] = "1"
    for name, python in {"this": sys.executable, "peer": options.peer}.items():
        if python:
            code = "import warp; print(warp.__version__, 'in', warp.__path__[0])"
            done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
            print(f"{name}: warp {done.stdout.strip()}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        print_table(in_turns(contestants(options.peer, options.others), options.rounds, folder))


if __name__ == "__main__":
    main()
