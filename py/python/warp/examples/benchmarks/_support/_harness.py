"""What the benchmarks share: timing a call, and running one file under two interpreters in turns.

A benchmark is a file whose `measure` gives a dictionary from row names to seconds. The file uses
only what both runtimes offer under the name `warp`, so that `--peer PYTHON` can run it under
another interpreter's `warp` too: each round starts a fresh process of either, in alternating order,
and the table holds the medians over the rounds.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
import time
import timeit
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

Rows = dict[str, float]
MARK = "benchmark-rows:"


def per_call(
    call: str | Callable[[], object],
    names: dict[str, Any] | None = None,
    *,
    repeats: int = 7,
    target: float = 0.02,
) -> float:
    """Seconds of one call: the median over repeats that each take about `target` seconds.

    A call given as source text, over `names`, is timed without the cost of a Python function
    around it, which would be a good part of the shortest calls.
    """
    timer = timeit.Timer(call, globals=names)
    timer.timeit(1)
    if is_once():
        return timer.timeit(1)
    number = 1
    while (took := timer.timeit(number)) < target / 4:
        number *= 4
    number = max(1, round(number * target / took))
    return statistics.median(timer.repeat(repeats, number)) / number


def wall_and_cpu(call: Callable[[], object], repeats: int = 5, target: float = 0.05) -> tuple[float, float]:
    """Wall and CPU seconds of one call, those of all threads of the process: the least over the repeats, since other
    programs can only add to them."""
    if is_once():
        repeats, target = 1, 0.0
    number = max(1, round(target / per_call(call, repeats=1, target=target))) if target else 1
    walls, cpus = [], []
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        for _ in range(number):
            call()
        walls.append((time.perf_counter() - wall) / number)
        cpus.append((time.process_time() - cpu) / number)
    return min(walls), min(cpus)


def example(name: str) -> ModuleType:
    """The example of that name, such as `simulation.cloth`, of this package whatever `warp` is imported."""
    if "examples" not in sys.modules:
        package = ModuleType("examples")
        package.__path__ = [str(Path(__file__).resolve().parents[2])]
        sys.modules["examples"] = package
    return importlib.import_module(f"examples.{name}")


def arguments(description: str | None) -> argparse.ArgumentParser:
    """The options that every benchmark has."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", metavar="PYTHON", help="another interpreter, whose warp is measured in turns")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each interpreter (default: 5)")
    parser.add_argument("--json", action="store_true", help="measure once, print the rows for another process")
    return parser


def run(
    description: str | None, file: str, measure: Callable[[], Rows], others: Callable[[], dict[str, Rows]] | None = None
) -> None:
    """The program of a benchmark whose rows can be chosen: `measure` asks `is_wanted` for each.

    `others` measures the same rows with other libraries, by name, and is called once.
    """
    parser = arguments(description)
    parser.add_argument("--only", metavar="NAME", help="only rows whose name contains this")
    options = parser.parse_args()
    if options.only:
        os.environ["BENCHMARK_ONLY"] = options.only  # reaches the processes that --peer starts
    report(options, file, measure, others=others)


def is_wanted(name: str) -> bool:
    """Whether the row was asked for: by `--only`, here or in the process that started this one."""
    return os.environ.get("BENCHMARK_ONLY", "") in name


def is_once() -> bool:
    """Whether each row is timed by one call, after a first one: enough to see that it runs."""
    return "BENCHMARK_ONCE" in os.environ


def report(
    options: argparse.Namespace,
    file: str,
    measure: Callable[[], Rows],
    floors: Rows | None = None,
    others: Callable[[], dict[str, Rows]] | None = None,
) -> None:
    """Measures here, or under both interpreters, and prints the table, with columns of `floors` and `others`."""
    if options.json:
        print(MARK + json.dumps(measure()))
        return
    ours, theirs = in_turns(file, options.peer, options.rounds) if options.peer else (measure(), None)
    columns = {"floor": floors} if floors else {}
    print_table(ours, theirs, columns | (others() if others else {}))


def in_turns(file: str, peer: str, rounds: int) -> tuple[Rows, Rows]:
    """Medians of this interpreter's rows and of the peer's."""
    samples: tuple[list[Rows], list[Rows]] = ([], [])
    both = ((sys.executable, samples[0]), (peer, samples[1]))
    for turn in range(rounds):
        for python, sink in both if turn % 2 == 0 else reversed(both):
            sink.append(rows_of(python, file))
        print(f"round {turn + 1} of {rounds}", file=sys.stderr, flush=True)
    return medians(samples[0]), medians(samples[1])


def rows_of(python: str, file: str, *more: str) -> Rows:
    """Runs a benchmark once in a fresh process of an interpreter."""
    done = subprocess.run(
        [python, os.path.abspath(file), *(more or ("--json",))], capture_output=True, text=True, check=False
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith(MARK)]
    if done.returncode != 0 or not lines:
        raise SystemExit(f"{python} {file} failed with status {done.returncode}:\n{done.stdout}{done.stderr}")
    rows: Rows = json.loads(lines[-1][len(MARK) :])
    return rows


def medians(samples: list[Rows]) -> Rows:
    return {name: statistics.median(rows[name] for rows in samples) for name in samples[0]}


def print_table(ours: Rows, theirs: Rows | None, columns: dict[str, Rows]) -> None:
    """One line per row, with what `columns` say of it; with a peer also its time and how much longer it takes."""
    width = max(len(name) for name in ours) + 2
    headings = ["this", *columns] + ["peer", "ratio"] * bool(theirs)
    if len(headings) > 1:
        print(" " * width + "".join(f"{heading:>12}" for heading in headings))
    for name, seconds in ours.items():
        cells = [spell(seconds)]
        cells += [spell(rows[name]) if name in rows else "" for rows in columns.values()]
        if theirs and name in theirs:
            cells += [spell(theirs[name]), f"{theirs[name] / seconds:.1f}x"]
        print(f"{name:<{width}}" + "".join(f"{cell:>12}" for cell in cells))


def spell(seconds: float) -> str:
    """A duration with the unit that suits its size."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.2f} {unit}"
    return f"{seconds / 1e-9:.0f} ns"
