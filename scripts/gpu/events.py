"""What a child reports while it runs, one JSON object a line, so that nothing is lost when it dies."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

# The package says so once the driver's context is gone.
LOST = "nothing more runs on the device in this process"


class Events:
    """The child's side."""

    def __init__(self, path: Path) -> None:
        self.file = path.open("a")

    def write(self, **what: object) -> None:
        self.file.write(json.dumps(what) + "\n")
        self.file.flush()

    def begin(self, name: str) -> None:
        self.write(begin=name)

    def end(self, name: str, outcome: str, error: str = "", note: str = "") -> None:
        self.write(end=name, outcome=outcome, error=error[-400:], note=note[:200])

    def total(self, count: int) -> None:
        self.write(total=count)


@dataclass
class Outcome:
    """What came of a test."""

    name: str
    outcome: str  # passed, failed, skipped, error, hung, crashed
    error: str = ""
    note: str = ""


@dataclass
class Seen:
    """The parent's side."""

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    begun: str | None = None
    total: int = 0

    @property
    def counts(self) -> dict[str, int]:
        counts: dict[str, int] = {}
        for one in self.outcomes.values():
            counts[one.outcome] = counts.get(one.outcome, 0) + 1
        return counts

    @property
    def failures(self) -> list[Outcome]:
        return [one for one in self.outcomes.values() if one.outcome not in ("passed", "skipped")]


def read(path: Path) -> Seen:
    """All that was reported. A line that was cut off by the child's end is left out."""
    seen = Seen()
    if not path.exists():
        return seen
    for line in path.read_text().splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if "begin" in event:
            seen.begun = event["begin"]
        elif "end" in event:
            name = event["end"]
            seen.begun = None if seen.begun == name else seen.begun
            last = seen.outcomes.get(name)
            # What goes wrong after a test counts more than that it passed.
            if last is None or last.outcome in ("passed", "skipped"):
                seen.outcomes[name] = Outcome(name, event["outcome"], event["error"], event["note"])
        elif "total" in event:
            seen.total = max(seen.total, event["total"])
    return seen
