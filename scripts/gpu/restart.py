"""Runs a child that reports its tests, and starts it again behind a test that ended it."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import events
import watch

# A child whose tests end it again and again is given up.
STARTS = 12


@dataclass
class Result:
    """What came of all tests of a child."""

    name: str
    seen: events.Seen
    seconds: float
    ended: list[str] = field(default_factory=list)  # starts that did not end by themselves
    is_cut: bool = False  # time was up

    @property
    def missing(self) -> int:
        return max(0, self.seen.total - len(self.seen.outcomes))

    @property
    def is_good(self) -> bool:
        return not (self.seen.failures or self.ended or self.missing or self.is_cut or not self.seen.total)

    @property
    def summary(self) -> str:
        said = [f"{count} {outcome}" for outcome, count in sorted(self.seen.counts.items())]
        if self.missing:
            said.append(f"{self.missing} did not run")
        if self.is_cut:
            said.append("time was up")
        said += [f"the process ended: {how}" for how in self.ended[-2:]]
        return ", ".join(said) or "no test ran"


def run(
    name: str,
    program: Sequence[str],
    folder: Path,
    limit: float,
    *,
    silence: float,
    environment: dict[str, str],
) -> Result:
    """Runs a program, which takes `--events FILE --skip FILE`, until each of its tests has an outcome or time is up."""
    begin = time.monotonic()
    path, skip, output = folder / f"{name}.events", folder / f"{name}.skip", folder / f"{name}.txt"
    command = [sys.executable, "-u", "-X", "faulthandler", *program, "--events", str(path), "--skip", str(skip)]
    result = Result(name, events.Seen(), 0.0)
    for _ in range(STARTS):
        before = len(result.seen.outcomes)
        skip.write_text("\n".join(result.seen.outcomes))
        left = begin + limit - time.monotonic()
        if left < 1.0:
            result.is_cut = True
            break
        ended = watch.run(command, output, left, environment=environment, signs=path, silence=silence)
        result.seen = events.read(path)
        running = result.seen.begun
        if ended.killed == "time":
            result.is_cut = True
            break
        if running is not None and ended.how:
            outcome = "hung" if ended.killed else "crashed"
            _report(path, running, outcome, ended.how)
            result.seen = events.read(path)
        elif ended.how:
            result.ended.append(ended.how)
        elif ended.code and not result.seen.outcomes:
            result.ended.append(f"status {ended.code}, {last_line(output)}")
        if not result.missing or len(result.seen.outcomes) == before:
            break
    result.seconds = time.monotonic() - begin
    return result


def _report(path: Path, name: str, outcome: str, error: str) -> None:
    # The child may have been cut off within a line.
    with path.open("a") as file:
        file.write("\n")
    events.Events(path).end(name, outcome, error)


def last_line(output: Path) -> str:
    """The last line that says something."""
    lines = output.read_text(errors="replace").splitlines() if output.exists() else []
    return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "")
