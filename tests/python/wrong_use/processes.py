"""Runs cases in other processes, and watches these."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wrong_use.generator import Case, case
from wrong_use.tables import NOT_COMPARED

WORKER = Path(__file__).with_name("worker.py")
SECONDS = 10
PER_WORKER = 500


@dataclass
class Outcome:
    seed: int
    results: list[Any] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    seconds: float = 0.0


class Worker:
    """A process that runs cases one after the other."""

    def __init__(self, python: str, folder: str, frameworks: bool) -> None:
        mine, its = os.pipe()
        self.results = os.fdopen(mine, "rb")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("WARP_")}
        environment |= {"WARP_CACHE_PATH": str(Path(folder, "cache")), "JAX_PLATFORMS": "cpu", "PYTHONHASHSEED": "0"}
        if python != sys.executable:
            # Another interpreter has its own packages.
            environment.pop("PYTHONPATH", None)
        self.log = open(Path(folder, "log.txt"), "w+b")
        flags = ["--frameworks"] * frameworks + ["--own"] * (python == sys.executable)
        self.process = subprocess.Popen(
            [python, str(WORKER), str(its), *flags],
            stdin=subprocess.PIPE,
            stdout=self.log,
            stderr=self.log,
            pass_fds=[its],
            cwd=folder,
            env=environment,
        )
        os.close(its)

    def answer(self, seconds: float) -> dict[str, Any] | None:
        """The next line; None if there is none within so many seconds, or no more."""
        ready, _, _ = select.select([self.results], [], [], seconds)
        line = self.results.readline() if ready else b""
        return json.loads(line) if line else None

    def run(self, case: Case, seconds: float) -> dict[str, Any] | None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps({"seed": case.seed, "lines": case.lines}).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return None
        return self.answer(seconds)

    def end(self) -> str:
        """How the process ends, and the last of what it wrote."""
        assert self.process.stdin is not None
        how = "is killed"
        if self.process.poll() is None:
            try:
                self.process.wait(2)
            except subprocess.TimeoutExpired:
                self.process.send_signal(signal.SIGABRT)  # faulthandler prints where it is
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        code = self.process.returncode
        how = signal.Signals(-code).name if code < 0 else f"exit {code}"
        self.close()
        self.log.seek(0)
        said = self.log.read().decode(errors="replace")
        self.log.close()
        return f"{how}\n{said[-3000:]}"

    def close(self) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.results.close()


def run(
    seeds: Iterable[int],
    python: str = sys.executable,
    per_worker: int = PER_WORKER,
    frameworks: bool = True,
    seconds: float = SECONDS,
) -> Iterator[tuple[Case, Outcome]]:
    """Runs cases in processes of `per_worker` each. A process that ends or hangs is followed by another one."""
    worker: Worker | None = None
    done = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            made = case(seed)
            if worker is None:
                worker = Worker(python, folder, frameworks)
                if worker.answer(120) is None:
                    raise RuntimeError(f"the worker does not begin: {worker.end()}")
                done = 0
            answer = worker.run(made, seconds)
            done += 1
            if answer is None:
                is_alive = worker.process.poll() is None
                said = worker.end()
                worker = None
                word = "hangs" if is_alive and "SIGABRT" in said.split("\n")[0] else "ends the process"
                yield made, Outcome(seed, [], [f"{word}: {said}"])
                continue
            yield made, Outcome(seed, answer["results"], answer["complaints"], answer["seconds"])
            if done >= per_worker:
                worker.process.stdin.close()  # type: ignore[union-attr]
                worker.process.wait(60)
                if worker.process.returncode:
                    yield made, Outcome(seed, [], [f"the process ends with {worker.end()}"])
                worker = None
        if worker is not None:
            worker.process.stdin.close()  # type: ignore[union-attr]
            worker.process.wait(60)


def wrong(seeds: Iterable[int], **options: Any) -> Iterator[tuple[Case, Outcome]]:
    """The cases that are wrong. One that takes too long is so only if it does alone, too."""
    for made, outcome in run(seeds, **options):
        if any(c.startswith("hangs") for c in outcome.complaints):
            ((made, alone),) = run([made.seed], **options)
            if not any(c.startswith("hangs") for c in alone.complaints):
                continue
        if outcome.complaints:
            yield made, outcome


def describe(made: Case, outcome: Outcome) -> str:
    lines = [f"seed {made.seed}", *(f"    {line}" for line in made.lines)]
    lines += [f"  {complaint}" for complaint in outcome.complaints]
    return "\n".join(lines)


def compare(seeds: list[int], peer: str) -> Iterator[tuple[Case, Any, Any]]:
    """Cases whose statements give values under both packages, other ones here."""
    ours = {o.seed: (c, o.results) for c, o in run(seeds, frameworks=False)}
    theirs = {o.seed: o.results for _, o in run(seeds, peer, frameworks=False)}
    for seed, (made, mine) in ours.items():
        if any(part in made.text for part in NOT_COMPARED):
            continue
        for here, there in zip(mine, theirs.get(seed, []), strict=False):
            if "error" in here or "error" in there:
                break  # from here on they differ on purpose
            if here.get("value") != there.get("value") and here.get("value") and there.get("value"):
                yield made, here["value"], there["value"]
                break
