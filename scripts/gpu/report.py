"""The end of the short run's output: what matters, in so few characters that the tail of a log holds it."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

from events import Outcome
from steps import Run, short_id

MOST = 9_500
# More names of tests than these are counted.
NAMES = 4


def spell(seconds: float) -> str:
    """A duration with three digits and the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.0f} ns"


def device_lines(run: Run) -> list[str]:
    """The facts that matter."""
    facts, first = run.facts, run.facts.get("cuda:0")
    lines = [f"device: {facts.get('device', 'none')}; driver for CUDA {facts.get('CUDA', '?')}"]
    if isinstance(first, dict):
        names = ("multiprocessors", "clock kHz", "memory clock kHz", "bus bits", "L2 bytes", "ECC", "copy engines")
        row = ", ".join(f"{name} {first.get(name)}" for name in names)
        lines.append(f"cuda:0: {first.get('bytes', 0) / 2**30:.1f} GiB, {row}")
    lines.append(f"nvidia-smi: {facts.get('nvidia-smi', '?')}"[:300])
    packages = facts.get("packages")
    listed = ", ".join(f"{k} {v}" for k, v in packages.items()) if isinstance(packages, dict) else "?"
    lines.append(f"python {facts.get('python', '?')}, {facts.get('cores', '?')} cores; {listed}")
    lines.append(f"GPU seen by torch: {facts.get('torch sees a GPU')}; by jax: {facts.get('jax sees a GPU')}")
    return lines


def benchmark_lines(run: Run) -> list[str]:
    """A line for each row: seconds, rate, other columns."""
    found = run.benchmark
    rows, columns, rates = (found.get(name) for name in ("rows", "columns", "rates"))
    if not isinstance(rows, dict) or not isinstance(columns, dict) or not isinstance(rates, dict):
        return []
    lines = []
    for name, seconds in rows.items():
        more = [rates[name]] if name in rates else []
        more += [f"{column} {spell(values[name])}" for column, values in columns.items() if name in values]
        lines.append("; ".join([f"{name}: {spell(seconds)}", *more]))
    return lines


def failure_lines(failures: Sequence[Outcome]) -> list[str]:
    """Failures that say the same stand in one line; what ended a process comes first."""
    groups: dict[tuple[str, str], list[Outcome]] = {}
    for one in sorted(failures, key=lambda one: one.outcome not in ("hung", "crashed")):
        # Numbers tell one address or value from another, not one mistake from another.
        alike = re.sub(r"0x[0-9a-f]+|\d+(\.\d+)?(e[-+]?\d+)?", "#", one.error)[:120]
        # What ended a process stands by itself.
        key = one.name if one.outcome in ("hung", "crashed") else alike
        groups.setdefault((one.outcome, key), []).append(one)
    lines = []
    for (outcome, _), group in groups.items():
        names = ", ".join(short_id(one.name) for one in group[:NAMES])
        rest = f" and {len(group) - NAMES} more" if len(group) > NAMES else ""
        lines.append(f"- {outcome}: {names}{rest}: {group[0].error[:220]}"[:420])
    return lines


def row(run: Run, command: str, counts: dict[str, int], bad: Sequence[str]) -> str:
    """A row of docs/gpu-runs.md."""
    name, _, driver = str(run.facts.get("device", "none")).partition(", driver ")
    result = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())) or "no test ran"
    if bad:
        result += f"; not good: {', '.join(bad)}"
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return f"| {today} | {name} | {driver} | `{command}` | {result} |"


def capped(lines: list[str], room: int, what: str) -> list[str]:
    """As many lines as there is room for."""
    taken: list[str] = []
    for at, line in enumerate(lines):
        if room < len(line) + 60 and at + 1 < len(lines):
            return [*taken, f"... and {len(lines) - at} more {what}, in the files of the steps"]
        taken.append(line)
        room -= len(line) + 1
    return taken


def closing(
    run: Run, steps: list[str], failures: Sequence[Outcome], counts: dict[str, int], command: str, most: int = MOST
) -> str:
    """The report. Failures get the room that the rest leaves."""
    bad = [line.split(":")[0] for line in steps if ": BAD, " in line or ": skipped: " in line]
    head = ["", "==== test-gpu, short run ====", *device_lines(run), "", "steps:"]
    head += capped([line[:600] for line in steps], 3_000, "steps")
    numbers = capped(benchmark_lines(run), 2_800, "rows")
    tail = ["", f"output of each step: {run.folder}; goldens below {run.folder / 'goldens'}"]
    tail += ["", "For docs/gpu-runs.md:", row(run, command, counts, bad)]
    fixed = sum(len(line) + 1 for line in [*head, *numbers, *tail]) + 100
    lines = capped(failure_lines(failures), most - fixed, "kinds of failures")
    middle = ["", f"{len(failures)} failures:" if failures else "no failures", *lines]
    if numbers:
        middle += ["", "benchmark:", *numbers]
    return "\n".join([*head, *middle, *tail])
