"""Runs programs under this package and under another interpreter's `warp`, and compares what they give.

    python tests/compare/compare.py PEER [--area NAME]... [--only PROGRAM]... [--verbose]

Each program ends as one of:

- equal: the same results, floats within TOLERANCE;
- decided: the row of docs/coming-from-nvidia-warp.md that the program names says why they differ;
- open: this package refuses what the peer runs, or lacks what the program names;
- different: anything else. These are listed, and make the command fail.
"""

import argparse
import ast
import json
import math
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from worker import load

HERE = Path(__file__).resolve().parent
DECISIONS = HERE.parents[1] / "docs" / "coming-from-nvidia-warp.md"
# |a - b| <= TOLERANCE * max(1, |a|, |b|): what two right ways to compute a few operations may differ by. A Python float
# mostly holds a float32.
TOLERANCE = {"float16": 2e-3, "float32": 4e-6, "float64": 1e-12, "float": 4e-6}
# A program that takes longer than this has hung.
SECONDS = 120


class Outcome(NamedTuple):
    area: str
    name: str
    state: str
    why: str = ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("peer", help="the interpreter whose warp is compared with")
    parser.add_argument("--area", action="append", help="only this file of a folder of tests/compare")
    parser.add_argument("--only", action="append", help="only this program")
    parser.add_argument("--verbose", action="store_true", help="list every program")
    options = parser.parse_args()
    files = [f for f in sorted(HERE.glob("*/*.py")) if not options.area or f.stem in options.area]
    outcomes = []
    for file in files:
        names = [n for n in programs(file) if not options.only or n in options.only]
        outcomes += compare_area(file, names, options.peer)
    table(outcomes)
    listed = [o for o in outcomes if options.verbose or o.state == "different"]
    for state in ("equal", "decided", "open", "different"):
        for o in (o for o in listed if o.state == state):
            print(f"\n{state}: {o.area}.{o.name}{': ' * bool(o.why)}{o.why}")
    return int(any(o.state == "different" for o in outcomes))


def programs(file: Path) -> list[str]:
    """The public functions of a file, in its order."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return [n.name for n in tree.body if isinstance(n, ast.FunctionDef) and not n.name.startswith("_")]


def table(outcomes: list[Outcome]) -> None:
    """Counts by area."""
    states = ("equal", "decided", "open", "different")
    print(f"{'area':14}" + "".join(f"{s:>11}" for s in states))
    areas = list(dict.fromkeys(o.area for o in outcomes))
    for area in [*areas, "all"]:
        counts = Counter(o.state for o in outcomes if area in (o.area, "all"))
        print(f"{area:14}" + "".join(f"{counts[s]:11}" for s in states))


def compare_area(file: Path, names: list[str], peer: str) -> Iterator[Outcome]:
    """The outcomes of an area's programs."""
    with ThreadPoolExecutor(2) as both:
        ours, theirs = both.map(lambda python: results(file, names, python), (sys.executable, peer))
    module = load(str(file), f"facts_{file.stem}")
    for name in names:
        facts = getattr(getattr(module, name), "facts", {})
        state, why = judge(ours[name], theirs[name], facts.get("exact", False), facts.get("tolerance"))
        yield Outcome(file.stem, name, *marked(state, why, facts.get("decided"), facts.get("lacks")))


def marked(state: str, why: str, decided: str | None, lacks: str | None) -> tuple[str, str]:
    """The state of a program with what it is marked with."""
    if decided:
        if not has_row(decided):
            return "different", f"no row of {DECISIONS.name} starts with {decided!r}"
        if state == "equal":
            return "different", f"equal, so that it names a decision in vain: {decided}"
        return "decided", why
    if lacks:
        if state == "equal":
            return "different", f"equal, so that nothing is lacking: {lacks}"
        return "open", f"{lacks}: {why}"
    return state, why


def has_row(start: str) -> bool:
    """Whether the decisions' table has a row that starts so."""
    return any(row.startswith(f"| {start}") for row in DECISIONS.read_text(encoding="utf-8").splitlines())


def results(file: Path, names: list[str], python: str) -> dict[str, dict]:
    """What each program gives under an interpreter; one that ends its process is marked and the rest goes on."""
    found: dict[str, dict] = {}
    environment = dict(os.environ, PYTHONUNBUFFERED="1")
    if python != sys.executable:
        environment.pop("PYTHONPATH", None)
    while left := [n for n in names if n not in found]:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "results")
            out.touch()
            command = [python, str(HERE / "worker.py"), str(file), str(out), *left]
            with open(Path(folder, "errors"), "w+", encoding="utf-8") as errors:
                process = subprocess.Popen(
                    command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors
                )
                how = wait(process, out)
                errors.seek(0)
                last_words = errors.read()[-2000:]
            started = None
            for line in out.read_text(encoding="utf-8").splitlines():
                record = json.loads(line)
                started = record.pop("start", started)
                if "name" in record:
                    found[record.pop("name")] = record
        if started is None:
            sys.exit(f"{python} cannot run the programs:\n{last_words}")
        if started not in found:
            found[started] = {"crash": how, "text": last_words}
    return found


def wait(process: subprocess.Popen, out: Path) -> str:
    """Waits for a worker, and ends it when a program takes too long; says how it ended."""
    while True:
        size = out.stat().st_size
        try:
            return f"ended with {process.wait(SECONDS)}"
        except subprocess.TimeoutExpired:
            if out.stat().st_size == size:
                process.kill()
                process.wait()
                return f"took longer than {SECONDS} s"


def judge(ours: dict, theirs: dict, exact: bool, tolerance: float | None) -> tuple[str, str]:
    """The state of a program without a decision, and what differs."""
    if "crash" in ours:
        return "different", f"this package: {ours['crash']} {ours['text']}"
    if "crash" in theirs:
        return "different", f"the peer: {theirs['crash']} {theirs['text']}"
    if "error" in theirs:
        seen = f"the peer: {theirs['error'][0]}, line {theirs['line']}: {theirs['text']}"
        return "different", f"{seen}; this package: {brief(ours)}"
    if "error" in ours:
        return "open", f"{ours['error'][0]}, line {ours['line']}: {ours['text']}"
    where = difference(ours["result"], theirs["result"], exact, tolerance, "result")
    return ("different", where) if where else ("equal", "")


def brief(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) < 300 else text[:300] + " .."


def difference(a: Any, b: Any, exact: bool, tolerance: float | None, at: str) -> str:
    """Where two results differ first, and how; empty where they agree."""
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        if "raised" in a:
            # A class of ours may derive from the peer's and from the one that a Python user expects.
            return "" if b["raised"][0] in a["raised"] else f"{at}: {a['raised'][0]}, the peer {b['raised'][0]}"
        for key in a:
            if key in ("values", "value", "float") and (kind := float_type(a)):
                found = floats(a[key], b[key], kind, exact, tolerance, at)
            else:
                found = difference(a[key], b[key], exact, tolerance, at if key in ("dict", "value") else f"{at}.{key}")
            if found:
                return found
        return ""
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        pairs = enumerate(zip(a, b, strict=True))
        return next((d for i, (x, y) in pairs if (d := difference(x, y, exact, tolerance, f"{at}[{i}]"))), "")
    return "" if a == b and type(a) is type(b) else f"{at}: {brief(a)}, the peer {brief(b)}"


def float_type(a: dict) -> str | None:
    """The float type that a result's numbers are written in."""
    kind = a.get("array") or a.get("scalar") or ("float" if "float" in a else "")
    return kind if kind in TOLERANCE else None


def floats(a: Any, b: Any, kind: str, exact: bool, tolerance: float | None, at: str) -> str:
    ours, theirs = ([x] if isinstance(x, str) else x for x in (a, b))
    if len(ours) != len(theirs):
        return f"{at}: {len(ours)} numbers, the peer {len(theirs)}"
    for i, (x, y) in enumerate(zip(map(float.fromhex, ours), map(float.fromhex, theirs), strict=True)):
        if exact:
            same = x == y and math.copysign(1, x) == math.copysign(1, y)
        else:
            same = x == y or abs(x - y) <= (tolerance or TOLERANCE[kind]) * max(1.0, abs(x), abs(y))
        if not (same or (math.isnan(x) and math.isnan(y))):
            return f"{at}[{i}]: {x!r}, the peer {y!r}" if len(ours) > 1 else f"{at}: {x!r}, the peer {y!r}"
    return ""


if __name__ == "__main__":
    sys.exit(main())
