"""How fast kernels run on the CPU beside C, Numba and another `warp`: wall and CPU time of a launch.

    python -m warp.examples.benchmarks.benchmark_native [--peer PYTHON] [--only NAME] [--rounds N] [--threads N]

The kernels of `benchmark_kernels`, others with control flow, gathers and guards, and adjoints. Contestants run in
processes of their own, fresh ones in each round, and measure each row one after the other, in alternating order. The
table holds medians over the rounds, of times and of ratios:

- this: with all checks, and strict floating point;
- scalar: the same with `wp.config.lanes = "never"`;
- C: `benches/c`, by gcc -Ofast -march=native -fopenmp, where there is gcc; `--c FOLDER` names the folder;
- Numba: `njit(parallel=True, fastmath=False)`, where it is installed;
- peer: the `warp` of another interpreter.

Values are held against NumPy, or against C's, before they are timed. The peer's may be wrong: their times have a `!`,
and are left out of means.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import warp as wp

if TYPE_CHECKING or __package__:
    from ._kernels import adjoints, basic, flow, guarded, in_c
    from ._kernels.cases import Case
    from ._support import _harness, _turns
else:
    from _kernels import adjoints, basic, flow, guarded, in_c
    from _kernels.cases import Case
    from _support import _harness, _turns

CPU, WRONG = ", CPU", ", wrong"  # what the names of rows end with: CPU seconds; 1 where values are wrong

Table = dict[str, list[_harness.Rows]]  # of each contestant, round by round


def cases() -> Iterator[Case]:
    yield from basic.cases()
    yield basic.jacobi_case(2048, np.random.default_rng(3))
    yield from flow.cases()
    yield from guarded.cases()
    yield from adjoints.cases()


def measure(who: str, library: str | None, values: Path) -> None:
    """The process of one contestant: wall and CPU seconds of each row. C leaves those results in the folder that NumPy
    has no formula for."""
    if who == "scalar":
        setattr(wp.config, "lanes", "never")  # noqa: B010 (the peer has no such setting)
    loaded = ctypes.CDLL(library) if who == "C" and library else None
    rows = (case for case in cases() if _harness.is_wanted(case.name))
    while True:
        _turns.wait()
        case = next(rows, None)  # made now, since others time theirs while this one waits
        if case is None:
            return
        call = call_of(who, case, loaded)
        _turns.answer({} if call is None else prepare(who, case, call, values))
        _turns.wait()
        times = _harness.wall_and_cpu(call) if call else ()
        _turns.answer(dict(zip((case.name, case.name + CPU), times, strict=False)))


def prepare(who: str, case: Case, call: Callable[[], object], values: Path) -> _harness.Rows:
    """Runs the call once, and holds what it finds against what is right. Only the peer goes on if it is wrong."""
    call()
    found = case.result.numpy() if who in ("this", "scalar", "peer") else result_of(case)
    kept = values / f"{case.name}.npy"
    if case.expected is None and who == "C":
        np.save(kept, found)
    expected = np.load(kept) if case.expected is None and kept.exists() else case.expected
    if expected is not None:
        try:
            case.compare(found, expected)
        except SystemExit:
            if who != "peer":
                raise
            return {case.name + WRONG: 1.0}
    return {}


def call_of(who: str, case: Case, library: ctypes.CDLL | None) -> Callable[[], object] | None:
    """What the contestant runs, if it has the kernel."""
    if who not in ("C", "Numba"):
        return case.launch
    native = case.native
    assert native is not None
    if library is not None:
        return in_c.bind(library, native)
    if TYPE_CHECKING or __package__:
        from ._kernels import in_numba
    else:
        from _kernels import in_numba
    function = getattr(in_numba, native.function, None)
    return None if function is None else lambda: function(*native.dim, *native.values)


def result_of(case: Case) -> np.ndarray:
    assert case.native is not None
    return case.native.result()


def contestants(peer: str | None, library: Path | None) -> dict[str, str]:
    """The interpreter of each. C comes first, since others are held against what it finds."""
    here = sys.executable
    found = {"C": here} if library else {}
    found["this"] = here
    if hasattr(wp.config, "lanes"):
        found["scalar"] = here
    if importlib.util.find_spec("numba"):
        found["Numba"] = here
    return found | ({"peer": peer} if peer else {})


def in_turns(who: dict[str, str], rounds: int, library: Path | None, folder: str) -> Table:
    """The rows of each contestant, round by round."""
    table: Table = {name: [] for name in who}
    more = ["--values", folder, *(["--library", str(library)] if library else [])]
    for turn in range(rounds):
        started = {name: _turns.Contestant(python, __file__, ["--as", name, *more]) for name, python in who.items()}
        for name, rows in _turns.one_round(started, backwards=turn % 2 == 1).items():
            table[name].append(rows)
        print(f"round {turn + 1} of {rounds}", file=sys.stderr, flush=True)
    return table


def print_table(table: Table) -> None:
    """A line for each kernel: times, then how many times as long the others take, or this takes beside C."""
    names = [name for name in table["this"][0] if not name.endswith((CPU, WRONG))]
    width = max(map(len, names)) + 1
    order = [who for who in ("this", "scalar", "C", "Numba", "peer") if who in table]
    ratios: list[tuple[str, str, str, str]] = []  # heading, dividend, divisor, suffix of rows
    if "C" in table:
        ratios += [("this/C", "this", "C", ""), ("CPU", "this", "C", CPU)]
    ratios += [(f"{who}/this", who, "this", "") for who in order if who not in ("this", "C")]
    head = "".join(f"{who:>10}{'CPU':>10}" for who in order) + "".join(f"{heading:>12}" for heading, *_ in ratios)
    print(" " * width + head)
    for name in names:
        line = "".join(f"{cell(table[who], name):>10}{cell(table[who], name + CPU):>10}" for who in order)
        for _, above, below, suffix in ratios:
            ratio = quotient(table[above], table[below], name + suffix)
            line += f"{ratio:>11.2f}x" if ratio else " " * 12
        print(f"{name:<{width}}{line}")
    print_means(table, names, width + 20 * len(order), ratios)


def print_means(table: Table, names: list[str], width: int, ratios: list[tuple[str, str, str, str]]) -> None:
    """Geometric means of the ratios, over all rows and over those that memory does not bound."""
    bound = {case.name for case in cases() if case.memory_bound}
    for what, chosen in (
        ("geometric mean", names),
        ("geometric mean without memory-bound", [n for n in names if n not in bound]),
    ):
        line = ""
        for _, above, below, suffix in ratios:
            right = [n for n in chosen if not is_wrong(table[above], n)]
            found = [quotient(table[above], table[below], n + suffix) for n in right]
            logs = [math.log(r) for r in found if r]
            line += f"{math.exp(statistics.fmean(logs)):>11.2f}x" if logs else " " * 12
        print(f"{what:<{width}}{line}")


def cell(rounds: list[_harness.Rows], name: str) -> str:
    times = [rows[name] for rows in rounds if name in rows]
    return _harness.spell(statistics.median(times)) + "!" * is_wrong(rounds, name) if times else ""


def is_wrong(rounds: list[_harness.Rows], name: str) -> bool:
    return any(name + WRONG in rows for rows in rounds)


def quotient(above: list[_harness.Rows], below: list[_harness.Rows], name: str) -> float | None:
    """The median of the rounds' ratios, if both have the row."""
    rounds = [a[name] / b[name] for a, b in zip(above, below, strict=True) if name in a and name in b]
    return statistics.median(rounds) if rounds else None


def version(python: str) -> str:
    """Which `warp` the interpreter finds: with PYTHONPATH it may be another one than it looks."""
    code = "import warp; print(warp.__version__, 'in', warp.__path__[0])"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def set_threads(count: int) -> None:
    """For the processes that this one starts. OpenMP's threads wait for each other awake for some microseconds only, as
    ours do: where a core has other work to do, whole launches would pass otherwise, counted as CPU time."""
    for name in ("WARP_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ[name] = str(count)
    os.environ.setdefault("GOMP_SPINCOUNT", "2000")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", metavar="PYTHON", help="another interpreter, whose warp is measured in turns")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each contestant (default: 5)")
    parser.add_argument("--only", metavar="NAME", help="only rows whose name contains this")
    parser.add_argument("--threads", type=int, default=2, help="threads of each (default: 2; the peer has one)")
    parser.add_argument("--c", metavar="FOLDER", type=Path, default=Path("benches/c"), help="the C versions")
    parser.add_argument("--once", action="store_true", help="compare values; times are those of one launch")
    parser.add_argument("--as", dest="who", help=argparse.SUPPRESS)
    parser.add_argument("--library", help=argparse.SUPPRESS)
    parser.add_argument("--values", type=Path, default=Path(), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.who:
        measure(options.who, options.library, options.values)
        return
    if options.only:
        os.environ["BENCHMARK_ONLY"] = options.only
    if options.once:
        os.environ["BENCHMARK_ONCE"] = "1"
    set_threads(options.threads)
    with tempfile.TemporaryDirectory() as folder:
        library = in_c.build(options.c, Path(folder))
        if library is None:
            print(f"no C: there is no gcc, or no {options.c}", file=sys.stderr)
        for name, python in {"this": sys.executable, "peer": options.peer}.items():
            if python:
                print(f"{name}: warp {version(python)}", file=sys.stderr)
        print_table(in_turns(contestants(options.peer, library), options.rounds, library, folder))


if __name__ == "__main__":
    main()
