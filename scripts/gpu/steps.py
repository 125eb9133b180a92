"""The steps of the short run, in their order."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import restart
import watch
from events import Outcome

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
TESTS = ROOT / "tests/python/gpu"
# What tells most comes first. A file that is not named comes behind these, and the suite, which is long, at the end.
FIRST = ("values", "launches", "arrays", "gradients", "streams", "graphs", "algorithms", "exchange", "pinned", "pools")
LAST = ("test_suite",)
# These ask no GPU, or run in a step of their own.
LEFT_OUT = ("assembler", "registers", "benchmark_gpu", "documents", "on_a_gpu", "smoke", "short_run", "calibration")


@dataclass
class Run:
    """What all steps share."""

    folder: Path
    until: float
    files: list[Path]
    cache: Path
    silence: float = 45.0
    jobs: int = 1
    facts: dict[str, object] = field(default_factory=dict)
    benchmark: dict[str, object] = field(default_factory=dict)

    @property
    def left(self) -> float:
        return 0.0 if watch.STOP.is_set() else self.until - time.monotonic()

    @property
    def driver(self) -> str:
        """The library, even where the step `facts` did not get so far."""
        return str(self.facts.get("driver") or os.environ.get("WARP_CUDA_DRIVER") or "libcuda.so.1")

    @property
    def environment(self) -> dict[str, str]:
        kept = dict(os.environ)
        # Nothing that was compiled before is used.
        kept["WARP_CACHE_PATH"] = str(self.cache)
        kept["CUDA_CACHE_PATH"] = str(self.cache / "driver")
        kept.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        kept["WARP_TIERED_COMPILATION"] = "0"
        kept["WARP_GOLDENS"] = str(self.folder / "goldens")
        kept["PYTHONPATH"] = os.pathsep.join([str(ROOT / "tests/python"), *filter(None, [kept.get("PYTHONPATH")])])
        return kept


@dataclass
class Done:
    """What came of a step."""

    summary: str
    is_good: bool
    failures: list[Outcome] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)


@dataclass
class Step:
    """A step, the seconds that it takes at least to be of use, and those that it may take."""

    name: str
    least: float
    most: float
    run: Callable[[Run, float], Done]
    reason: Callable[[Run], str] = lambda run: ""  # why it does not apply


def program(run: Run, name: str, command: list[str], limit: float) -> tuple[watch.Ended, str]:
    """Runs a program, and gives what it printed."""
    output = run.folder / f"{name}.txt"
    whole = [sys.executable, "-u", "-X", "faulthandler", *command]
    ended = watch.run(whole, output, limit, environment=run.environment)
    return ended, output.read_text(errors="replace")


def said(ended: watch.Ended, summary: str) -> Done:
    """How a program without tests of its own ended."""
    how = ended.how or (f"status {ended.code}" if ended.code else "")
    return Done("; ".join(filter(None, [summary, how])), not how)


def facts(run: Run, limit: float) -> Done:
    path = run.folder / "facts.json"
    ended, printed = program(run, "facts", [str(HERE / "facts.py"), "--json", str(path)], limit)
    run.facts = json.loads(path.read_text()) if path.exists() else {}
    if "driver" in run.facts and run.facts["driver"] is None:
        return Done("no NVIDIA GPU on this machine", False)
    last = "" if ended.code == 0 else printed.strip().splitlines()[-1:][0] if printed.strip() else "nothing printed"
    return said(ended, f"{run.facts.get('device', 'no device')}{'; ' if last else ''}{last}")


def _compared(run: Run, name: str, file: str, goldens: str, line: str, limit: float) -> Done:
    """A program of `tests/python/gpu` that compares a driver with a table, and keeps its answers."""
    library, folder = run.driver, str(run.folder / "goldens" / goldens)
    ended, printed = program(run, name, [str(TESTS / file), "--driver", library, "--goldens", folder], limit)
    found = [one for one in printed.splitlines() if line in one]
    done = said(ended, found[-1].split(": ", 1)[-1] if found else printed.strip()[-300:])
    if found:
        ahead = printed.splitlines()[: printed.splitlines().index(found[-1])]
        done.failures = [Outcome(f"{name}: {text[:60]}", "differs", text[:300]) for text in ahead if text.strip()]
        done.is_good = ended.code == 0
    return done


def calibration(run: Run, limit: float) -> Done:
    return _compared(run, "calibration", "calibration/calibrate.py", "ptx", " rows ran: ", limit)


def behaviour(run: Run, limit: float) -> Done:
    return _compared(run, "behaviour", "calibration/driver_behaviour.py", "driver", " answers in ", limit)


def tested(result: restart.Result) -> Done:
    return Done(result.summary, result.is_good, result.seen.failures, result.seen.counts)


def cases(module: str) -> Callable[[Run, float], Done]:
    """The cases of a module, without pytest."""

    def run_cases(run: Run, limit: float) -> Done:
        name = module.rpartition(".")[2]
        command = [str(HERE / "cases_child.py"), module]
        return tested(restart.run(name, command, run.folder, limit, silence=run.silence, environment=run.environment))

    return run_cases


def marked(name: str, marks: str, *files: str) -> Callable[[Run, float], Done]:
    """The tests with a marker in files."""

    def run_marked(run: Run, limit: float) -> Done:
        command = [str(HERE / "pytest_child.py"), "-m", marks, *(str(TESTS / file) for file in files)]
        # torch compiles, and NVIDIA's checker takes its time.
        silence = 2.0 * run.silence
        return tested(restart.run(name, command, run.folder, limit, silence=silence, environment=run.environment))

    return run_marked


def benchmark(run: Run, limit: float) -> Done:
    path = run.folder / "benchmark.json"
    command = ["-m", "warp.examples.benchmarks.benchmark_gpu", "--json", str(path)]
    ended, printed = program(run, "benchmark", command, limit)
    run.benchmark = json.loads(path.read_text()) if path.exists() else {}
    rows, failed = (dict(run.benchmark.get(name) or {}) for name in ("rows", "failed"))  # type: ignore[call-overload]
    done = said(ended, f"{len(rows)} rows" if rows else printed.strip()[-300:])
    done.failures = [Outcome(f"benchmark: {name}", "failed", error) for name, error in failed.items()]
    return done


def ordinary_files() -> list[Path]:
    """The files of the step `tests`, in their order."""
    left_out = {f"test_{name}" for name in LEFT_OUT}
    order = {f"test_{name}": at for at, name in enumerate(FIRST)} | dict.fromkeys(LAST, 1000)
    found = [path for path in TESTS.rglob("test_*.py") if path.stem not in left_out]
    return sorted(found, key=lambda path: (order.get(path.stem, 100), path.stem))


def ordinary(run: Run, limit: float) -> Done:
    """Each file in a process of its own, as many as fit."""
    until = time.monotonic() + limit
    (run.folder / "tests").mkdir(exist_ok=True)

    def one(path: Path) -> restart.Result | None:
        left = until - time.monotonic()
        if left < 3.0 or watch.STOP.is_set():
            return None
        command = [str(HERE / "pytest_child.py"), str(path)]
        # Each of its tests is a process with many.
        silence = run.silence if path.stem not in LAST else 3.0 * run.silence
        name = f"tests/{path.stem}"
        result = restart.run(name, command, run.folder, left, silence=silence, environment=run.environment)
        print(f"          {path.stem}: {result.summary}, {result.seconds:.0f} s", flush=True)
        return result

    with ThreadPoolExecutor(run.jobs) as pool:
        results = list(pool.map(one, run.files))
    counts: dict[str, int] = {}
    failures: list[Outcome] = []
    notes = []
    for path, result in zip(run.files, results, strict=True):
        if result is None:
            notes.append(f"{path.stem} did not fit")
            continue
        for outcome, count in result.seen.counts.items():
            counts[outcome] = counts.get(outcome, 0) + count
        for failure in result.seen.failures:
            # Pytest leaves the name of a file out that lies outside of the repository.
            failure.name = path.name + failure.name if failure.name.startswith("::") else failure.name
            failures.append(failure)
        if result.is_cut:
            notes.append(f"{path.stem} was cut off with {result.missing} tests left")
        elif result.ended or result.missing or not result.seen.total:
            notes.append(f"{path.stem}: {result.summary}")
    ran = sum(result is not None for result in results)
    said = [f"{ran} of {len(run.files)} files", *(f"{n} {what}" for what, n in sorted(counts.items())), *notes]
    return Done(", ".join(said), not failures and not notes, failures, counts)


def documents_are_absent(run: Run) -> str:
    return "" if os.environ.get("WARP_SPEC_DIR") else "WARP_SPEC_DIR names no folder of documents"


ON_A_GPU = ("test_on_a_gpu.py", "test_on_a_gpu_frameworks.py", "runtime/test_pools.py")
STEPS = [
    Step("facts", 2, 60, facts),
    Step("calibration", 2, 60, calibration),
    Step("behaviour", 2, 75, behaviour),
    Step("smoke", 3, 90, cases("gpu.smoke")),
    Step("gpu", 5, 120, marked("gpu", "gpu", *ON_A_GPU)),
    Step("benchmark", 5, 110, benchmark),
    Step("tests", 5, 1e9, ordinary),
    Step("captures", 10, 60, cases("gpu.runtime.captures")),
    Step("documents", 10, 1e9, marked("documents", "gpu", "test_documents.py"), documents_are_absent),
]


def short_id(name: str) -> str:
    """The name of a test without its folder."""
    path, colons, rest = name.partition("::")
    return path.rpartition("/")[2] + colons + rest
