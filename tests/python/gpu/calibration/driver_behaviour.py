"""What a driver does, as the cases of `driver_cases` ask it.

    python tests/python/gpu/calibration/driver_behaviour.py [--driver LIBRARY] [--goldens FOLDER] [CASE...]

Each case makes calls and states with `see` what the driver for tests answers, and behind that what a real driver may
answer instead; `ANY` stands where its documentation leaves everything open. Cases run in new processes: those that
break their context or hand over what is no handle alone, the others together.

Needs Python's own library alone.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from gpu.calibration.driver_cases import faults, graphs, memory, modules, rig, streams
from gpu.calibration.driver_cases.rig import ANY
from gpu.support.driver_calls import LIBRARY, Driver, DriverError
from support.places import ROOT

GOLDENS = ROOT / "tests/goldens/driver"
# The order of goldens.
SUBJECTS = (streams, memory, graphs, modules, faults)
CASES = {name: case for s in SUBJECTS for name, case in rig.CASES.items() if case.run.__module__ == s.__name__}


@dataclass
class Seen:
    """An answer, with what the driver for tests answers and what a real one may answer instead."""

    case: str
    what: str
    got: Any
    ours: Any
    others: list[Any] = field(default_factory=list)

    def fits(self, is_ours: bool) -> bool:
        return self.got == self.ours or (not is_ours and (ANY in self.others or self.got in self.others))


def plain(value: Any) -> Any:
    """As JSON gives it back."""
    return json.loads(json.dumps(value))


def child(path: str, names: list[str]) -> None:
    """Runs cases here and prints a line for each answer."""
    driver = Driver(path)
    for name in names:
        if driver.is_ours:
            driver.call("ptx_driver_reset")
        if CASES[name].fresh:
            driver.start()

        def see(what: str, got: Any, ours: Any, *others: Any, name: str = name) -> None:
            print(json.dumps([name, what, got, ours, others]), flush=True)

        try:
            CASES[name].run(driver, see)
        except DriverError as error:
            see("ended", str(error), "")


def clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("PTX_DRIVER_")}


def observe(path: str, is_ours: bool, names: list[str]) -> list[Seen]:
    """Runs cases in new processes."""
    together = [name for name in names if not CASES[name].alone]
    found: list[Seen] = []
    for batch in [together, *([name] for name in names if CASES[name].alone)]:
        if not batch:
            continue
        command = [sys.executable, __file__, "--driver", path, "--child", *batch]
        begun: set[str] = set()
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, env=clean_environment(), timeout=120, check=False
            )
            output, status, said = done.stdout, done.returncode, done.stderr
        except subprocess.TimeoutExpired as late:
            output, status, said = (late.stdout or b"").decode(), -99, "it did not end within two minutes"
        for line in output.splitlines():
            name, what, got, ours, others = json.loads(line)
            begun.add(name)
            found.append(Seen(name, what, got, ours, others))
        if status:
            name = batch[max(len(begun) - 1, 0)]
            allowed = [ANY] if CASES[name].may_crash and not is_ours else []
            found.append(Seen(name, "status of the process", f"{status} {said.strip()[-300:]}", 0, allowed))
    return found


def golden(about: str, seen: list[Seen]) -> str:
    text = f"# What {about} answers; driver_behaviour.py writes this.\n"
    last = ""
    for one in seen:
        if one.case != last:
            last = one.case
            text += f"\n{last}\n"
        # An address says nothing to others.
        got = one.got if not isinstance(one.got, list) or max([0, *filter(is_number, one.got)]) < 1 << 32 else "..."
        text += f"    {one.what}: {json.dumps(got)}\n"
    return text


def is_number(value: Any) -> bool:
    return isinstance(value, int)


def complaint(one: Seen) -> str:
    other = f" or {one.others}" if one.others else ""
    return f"{one.case}: {one.what}: {one.got}, expected {one.ours}{other}"


def summary(seen: list[Seen], is_ours: bool) -> str:
    same = sum(one.got == one.ours for one in seen)
    fit = sum(one.fits(is_ours) for one in seen)
    cases = len({one.case for one in seen})
    return (
        f"{len(seen)} answers in {cases} cases: {same} as the driver for tests, {fit - same} otherwise as allowed, "
        f"{len(seen) - fit} different"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", default=LIBRARY, help=f"the library (default: {LIBRARY})")
    parser.add_argument("--goldens", type=Path, help="write the answers into this folder")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("cases", nargs="*", help="cases (default: all)")
    options = parser.parse_args()
    if options.child:
        child(options.driver, options.cases)
        return 0
    driver = Driver(options.driver)
    driver.ok("cuInit", 0)
    seen = observe(options.driver, driver.is_ours, options.cases or list(CASES))
    wrong = [one for one in seen if not one.fits(driver.is_ours)]
    for one in wrong:
        print(complaint(one))
    print(f"{driver.describe()}: {summary(seen, driver.is_ours)}")
    if options.goldens:
        options.goldens.mkdir(parents=True, exist_ok=True)
        path = options.goldens / f"sm_{driver.capability}.{driver.version}.txt"
        path.write_text(golden(driver.describe(), seen))
        print(f"wrote {path}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
