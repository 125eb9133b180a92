"""Contestants in processes of their own that measure row after row in turns.

What is compared is measured within seconds, so that what else the machine does in the meantime slows all alike. The
process of a contestant takes two steps for each row: it prepares what it will time, and it times it. It waits for a
line on its input before each, and answers with a line of rows.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING or __package__:
    from . import _harness
else:
    import _harness


class Contestant:
    """The process of one contestant, as the one that started it sees it."""

    def __init__(self, python: str, file: str, options: Sequence[str]) -> None:
        self.command = [python, str(Path(file).resolve()), *options]
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True
        )

    def step(self) -> _harness.Rows | None:
        """The rows of the next step, or None if there is none."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write("\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # it ended: its status says how
        for line in self.process.stdout:
            if line.startswith(_harness.MARK):
                rows: _harness.Rows = json.loads(line[len(_harness.MARK) :])
                return rows
        if self.process.wait() != 0:
            self.errors.seek(0)
            ended = f"ended with status {self.process.returncode}"
            raise SystemExit(f"{' '.join(self.command)} {ended}:\n{self.errors.read()}")
        return None

    def close(self) -> None:
        """Ends the process, which may be at any step."""
        self.process.kill()
        self.process.communicate()
        self.errors.close()


def one_round(contestants: dict[str, Contestant], backwards: bool) -> dict[str, _harness.Rows]:
    """All rows of each: for each row all prepare it, in this order, then time it, in this order or backwards."""
    rows: dict[str, _harness.Rows] = {name: {} for name in contestants}
    try:
        while True:
            for step in range(2):
                order = reversed(contestants) if step == 1 and backwards else iter(contestants)
                found = {name: contestants[name].step() for name in order}
                ended = [name for name, more in found.items() if more is None]
                if len(ended) == len(found):
                    return rows
                if ended:
                    raise SystemExit(f"{', '.join(ended)}: fewer rows than the others have")
                for name, more in found.items():
                    rows[name].update(more or {})
    finally:
        for contestant in contestants.values():
            contestant.close()


def wait() -> None:
    """Waits, in the process of a contestant, for the line before the next step."""
    if not sys.stdin.readline():
        raise SystemExit(1)  # nobody is left to answer


def answer(rows: _harness.Rows) -> None:
    """What the process of a contestant found in a step."""
    print(_harness.MARK + json.dumps(rows), flush=True)
