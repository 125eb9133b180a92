"""A plugin of pytest for `third_party.py`: stand-ins for what `warp` lacks, and what each test came to as a file."""

import inspect
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
import warp
from stand_ins import stand_in

#: The end of a report that tells why a test failed, in characters.
LONGEST = 3000

stand_in(warp)


def pytest_pycollect_makeitem(collector: Any, obj: Any) -> list[Any] | None:
    """Leaves out functions that a class of `unittest` calls with itself, whatever their name."""
    if isinstance(collector, pytest.Module) and inspect.isfunction(obj):
        if next(iter(inspect.signature(obj).parameters), "") == "test":
            return []
    return None


def pytest_runtest_logreport(report: Any) -> None:
    if report.when == "call" or report.outcome != "passed":
        tell(report.nodeid, report.outcome, report.longreprtext if report.outcome == "failed" else "")


def pytest_collectreport(report: Any) -> None:
    if report.outcome != "passed":
        tell(report.nodeid, report.outcome, report.longreprtext if report.outcome == "failed" else "")


def tell(test: str, outcome: str, text: str) -> None:
    """Appends a line for a test; why it failed is the error that its report ends with."""
    raised = [line[1:].strip() for line in text.splitlines() if re.match(r"E\s", line)]
    why = "\n".join(raised) or text.strip()
    if len(why) > LONGEST:
        # The hint stands last.
        why = f"{why[: LONGEST - 500]}\n{why[-500:]}"
    with Path(os.environ["THIRD_PARTY_RESULTS"]).open("a", encoding="utf-8") as out:
        print(json.dumps({"test": test, "outcome": outcome, "why": why}), file=out)
