"""How fast 24 whole programs run: frames in a second, the first run without a cache, and memory.

    python -m warp.examples.benchmarks.benchmark_programs [--peer PYTHON] [--only NAME] [--rounds N]

The programs are in `_programs`, written as users write them. Contestants run a program in processes of their own, with
a cache of kernels that is empty, and measure it one after the other:

- this: with two threads; wall time;
- one: with one thread; its CPU time;
- peer: the `warp` of another interpreter, whose kernels have one thread; CPU time, but wall time with two threads for
  programs with torch or jax beside that of this one;
- C, C v3: one thread of `benches/c/programs`, by gcc -O3 -march=native and -march=x86-64-v3, where there are both;
- Numba: with two threads, where it is installed; wall time.

The first run is wall time of the first frame, which compiles. Memory is the most that the process has had until then.

All find the same values: after a frame or two at the full size those of this one, and at a tiny size those of NumPy.
Those that do not have a `!`, and are left out of means. `WARP_CPU=x86-64-v3` measures this one's code for AVX2.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING or __package__:
    from ._programs import contestant as of
    from ._programs import listing, rivals
    from ._programs.program import Spec
    from ._support import _harness, _turns
else:
    from _programs import contestant as of
    from _programs import listing, rivals
    from _support import _harness, _turns

WARPS = ("this", "one", "peer")
SECONDS = 1.0  # for which a program is timed

Table = dict[str, dict[str, _harness.Rows]]  # of each program and contestant: medians


def measure(who: str, name: str, values: Path) -> None:
    """The process of one contestant."""
    spec = listing.load(name)
    make = spec.make if who in WARPS else rivals.of(name)[who]
    size, seconds = (spec.tiny, 0.0) if _harness.is_once() else (spec.full, SECONDS)
    with tempfile.TemporaryDirectory() as cache:
        _turns.wait()
        if who in WARPS:
            start_warp(cache)
        for module in spec.needs:
            importlib.import_module(module)
        _turns.answer({})
        _turns.wait()
        program = make(size)
        rows = of.first_frame(program)
        finish_compiles()
        _turns.answer(rows | of.memory())
        _turns.wait()
        _turns.answer(of.hold_against(spec, program, values / f"{name}.npy", is_first=who == "this"))
        _turns.wait()
        rows = of.timed(program, seconds)
        if of.off_numpy(spec, make):
            rows[of.WRONG] = 1.0
        _turns.answer(rows)
    _turns.wait()


def start_warp(cache: str) -> None:
    import warp as wp

    wp.config.kernel_cache_dir = cache
    wp.config.quiet = True
    wp.init()


def finish_compiles() -> None:
    """Waits for optimised code, where a first run does not."""
    if importlib.util.find_spec("warp._warp"):
        from warp._warp import _finish_compiles

        _finish_compiles()


def contestants(name: str, peer: str | None) -> dict[str, str]:
    """The interpreter of each. This one comes first, since others are held against what it finds."""
    found = {"this": sys.executable, "one": sys.executable}
    if peer:
        found["peer"] = peer
    return found | dict.fromkeys(rivals.of(name), sys.executable)


def environment(who: str) -> dict[str, str]:
    """How many threads a contestant has, with its libraries. Those of OpenMP wait awake for some microseconds."""
    threads = "1" if who in ("one", "C", "C v3") else "2"
    names = ("WARP_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS")
    return dict.fromkeys(names, threads) | {"GOMP_SPINCOUNT": "2000"}


def one_program(name: str, spec: Spec, peer: str | None, rounds: int, folder: str) -> dict[str, _harness.Rows]:
    """The medians of each contestant."""
    samples: dict[str, list[_harness.Rows]] = {}
    for turn in range(rounds):
        started = {}
        for who, python in contestants(name, peer).items():
            os.environ |= environment(who)
            options = ["--as", who, "--program", name, "--values", folder]
            started[who] = _turns.Contestant(python, __file__, options)
        for who, rows in _turns.one_round(started, backwards=turn % 2 == 1).items():
            samples.setdefault(who, []).append(rows)
    for who in ("this", "one"):
        if any(of.WRONG in rows for rows in samples[who]):
            raise SystemExit(f"{spec.name}: values are wrong ({who})")
    return {who: medians(found) for who, found in samples.items()}


def medians(samples: list[_harness.Rows]) -> _harness.Rows:
    """Those of a contestant; values that are wrong once are wrong."""
    names = {name for rows in samples for name in rows}
    return {name: statistics.median(rows[name] for rows in samples if name in rows) for name in names}


def wanted() -> Iterable[tuple[str, Spec]]:
    """The programs that were asked for and whose libraries are there."""
    for name in listing.PROGRAMS:
        spec = listing.load(name)
        if not (_harness.is_wanted(spec.name) or _harness.is_wanted(name)):
            continue
        missing = [module for module in spec.needs if importlib.util.find_spec(module) is None]
        if missing:
            print(f"{spec.name}: {', '.join(missing)} is not installed", file=sys.stderr)
        else:
            yield name, spec


def has_modules(python: str, names: tuple[str, ...]) -> bool:
    """Whether an interpreter finds these modules."""
    code = "import importlib.util as u, sys; sys.exit(any(u.find_spec(name) is None for name in sys.argv[1:]))"
    return subprocess.run([python, "-c", code, *names], check=False).returncode == 0


class Line:
    """What the table says of a program."""

    def __init__(self, spec: Spec, found: dict[str, _harness.Rows]) -> None:
        self.spec, self.found = spec, found
        self.this, self.one = found["this"][of.WALL], found["one"][of.CPU]
        self.peer = found.get("peer")

    @property
    def is_right(self) -> bool:
        return bool(self.peer) and of.WRONG not in (self.peer or {})

    def peer_frame(self) -> float:
        assert self.peer
        return self.peer[of.WALL if self.spec.needs else of.CPU]

    def ratios(self) -> dict[str, float]:
        """How many times faster than the peer: with two threads, with one, at first; and with two threads than one."""
        found = {"scaling": self.one / self.this}
        if self.peer:
            found["two"] = self.peer_frame() / self.this
            found["one"] = self.peer[of.CPU] / self.one
            found["first"] = self.peer[of.FIRST] / self.found["this"][of.FIRST]
        return found

    def cells(self) -> list[str]:
        ratios, this, one, peer = self.ratios(), self.found["this"], self.found["one"], self.peer or {}
        mark = "" if self.is_right or not peer else "!"

        def ratio(name: str) -> str:
            return f"{ratios[name]:.1f}{mark}" if name in ratios else ""

        others = [
            f"{who}{'!' * (of.WRONG in rows)} {rows[of.CPU if who in ('C', 'C v3') else of.WALL] * 1e3:.3g} ms"
            for who, rows in self.found.items()
            if who not in WARPS
        ]
        return [
            self.spec.name,
            rate(self.this),
            ratio("two"),
            rate(self.one),
            ratio("one"),
            f"{ratios['scaling']:.2f}",
            f"{this[of.MEMORY] / 2**20:.0f}" + (f" / {peer[of.MEMORY] / 2**20:.0f}" if peer else ""),
            f"{1e3 * this[of.FIRST]:.0f}" + (f" / {1e3 * peer[of.FIRST]:.0f}" if peer else ""),
            ratio("first"),
            f"{1e3 * self.this:.3g} ms, {1e3 * one[of.CPU]:.3g} ms" + "".join(f", {other}" for other in others),
        ]


def rate(seconds: float) -> str:
    """Frames in a second."""
    return f"{1 / seconds:.3g}" if seconds > 1e-3 else f"{1 / seconds:.0f}"


HEADINGS = (
    "program", "frames/s", "of peer", "one thread", "of peer", "two / one", "memory, peer's (MB)",
    "first run, peer's (ms)", "peer / this", "a frame with two threads, one, others",
)  # fmt: skip


def print_means(lines: list[Line]) -> None:
    """Geometric means, and what is least."""
    for name in ("two", "one", "first", "scaling"):
        counted = [line for line in lines if name in line.ratios() and (line.is_right or name == "scaling")]
        found = {line.spec.name: line.ratios()[name] for line in counted}
        if not found:
            continue
        mean = math.exp(statistics.fmean(math.log(ratio) for ratio in found.values()))
        least = min(found, key=lambda program: found[program])
        print(f"{name}: geometric mean {mean:.2f}, least {found[least]:.2f} ({least})")


def table(peer: str | None, rounds: int) -> list[Line]:
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        print("| " + " | ".join(HEADINGS) + " |\n" + "|---" * len(HEADINGS) + "|")
        for name, spec in wanted():
            other = peer if peer and has_modules(peer, spec.needs) else None
            if peer and not other:
                print(f"{spec.name}: {peer} lacks {' or '.join(spec.needs)}", file=sys.stderr)
            lines.append(Line(spec, one_program(name, spec, other, rounds, folder)))
            print("| " + " | ".join(lines[-1].cells()) + " |", flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", metavar="PYTHON", help="another interpreter, whose warp is measured in turns")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each contestant (default: 3)")
    parser.add_argument("--only", metavar="NAME", help="only programs whose name contains this")
    parser.add_argument(
        "--once", action="store_true", help="compare values of tiny sizes; times are those of one frame"
    )
    parser.add_argument("--as", dest="who", help=argparse.SUPPRESS)
    parser.add_argument("--program", help=argparse.SUPPRESS)
    parser.add_argument("--values", type=Path, default=Path(), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.who:
        measure(options.who, options.program, options.values)
        return
    if options.only:
        os.environ["BENCHMARK_ONLY"] = options.only
    if options.once:
        os.environ["BENCHMARK_ONCE"] = "1"
    print_means(table(options.peer, options.rounds))


if __name__ == "__main__":
    main()
