"""The short run: what tells the most about a GPU that is there for minutes."""

from __future__ import annotations

import argparse
import os
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path

import report
import steps
import watch
from events import Outcome
from steps import ROOT, STEPS, Done, Run, Step

# For the closing report.
SPARE = 3.0


def reserved(at: int, chosen: list[Step], run: Run) -> float:
    """Seconds that the steps behind one need at least, as far as there is not too little for all."""
    later = sum(step.least for step in chosen[at + 1 :] if not step.reason(run))
    return min(3.0 * later, run.left / 3.0)


def empty(folder: Path) -> Path:
    """The folder, or one in it where it has something already."""
    found, number = folder, 1
    while found.exists() and any(found.iterdir()):
        found, number = folder / f"run-{number}", number + 1
    found.mkdir(parents=True, exist_ok=True)
    return found


def perform(at: int, chosen: list[Step], run: Run) -> Done | str:
    """Runs a step, or says why it is skipped."""
    step = chosen[at]
    reason = step.reason(run)
    if reason:
        return reason
    if run.left < step.least:
        return f"skipped: {max(run.left, 0):.0f} s of the budget are left, and it needs {step.least:.0f} s"
    try:
        return step.run(run, max(min(step.most, run.left - reserved(at, chosen, run)), step.least))
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        return Done(f"the step itself failed: {type(error).__name__}: {error}", False)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", required=True)
    parser.add_argument("--out", type=Path, default=ROOT / "target/gpu-run", help="the folder of outputs")
    parser.add_argument("--budget", type=float, default=480.0, help="seconds of the whole run")
    parser.add_argument("--silence", type=float, default=45.0, help="seconds that one test may take")
    jobs = min(4, max(1, (os.cpu_count() or 1) // 4))
    parser.add_argument("--jobs", type=int, default=jobs, help="files of tests at a time")
    parser.add_argument("--only", default="", help="names of steps, with commas between them")
    parser.add_argument("--files", type=Path, nargs="+", help="the files of the step `tests`")
    options = parser.parse_args(arguments)
    begin = time.monotonic()
    # Programs that are killed leave no image of a GPU's address space.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    folder = empty(options.out.absolute())
    files = [path.absolute() for path in options.files] if options.files else steps.ordinary_files()
    # Whoever ends this program still gets the closing report.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: watch.STOP.set())
    known = {step.name for step in STEPS}
    names = {"facts", *filter(None, options.only.split(","))} if options.only else known
    if names - known:
        parser.error(f"there are no steps {sorted(names - known)}; there are {[step.name for step in STEPS]}")
    chosen = [step for step in STEPS if step.name in names]
    with tempfile.TemporaryDirectory(prefix="gpu-run-") as cache:
        run = Run(folder, begin + options.budget - SPARE, files, Path(cache), options.silence, options.jobs)
        command = f"scripts/test_gpu.py --short --budget {options.budget:.0f}"
        command += f" --only {options.only}" if options.only else ""
        return perform_all(run, chosen, begin, command)


def perform_all(run: Run, chosen: list[Step], begin: float, command: str) -> int:
    """Runs the steps and prints a line for each, and the closing report."""
    lines: list[str] = []
    failures: list[Outcome] = []
    counts: dict[str, int] = {}
    is_good = True
    for at, step in enumerate(chosen):
        started = time.monotonic()
        done = perform(at, chosen, run)
        if isinstance(done, str):
            line = f"{step.name}: {done}"
        else:
            line = (
                f"{step.name}: {'good' if done.is_good else 'BAD'}, {time.monotonic() - started:.0f} s: {done.summary}"
            )
            failures += done.failures
            is_good = is_good and done.is_good
            for outcome, count in done.counts.items():
                counts[outcome] = counts.get(outcome, 0) + count
        lines.append(line)
        print(f"[{time.monotonic() - begin:5.0f} s] {line}", flush=True)
        if step.name == "facts" and run.facts.get("driver", "") is None:
            print("test-gpu: there is nothing to test")
            return 0
    print(report.closing(run, lines, failures, counts, command), flush=True)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
