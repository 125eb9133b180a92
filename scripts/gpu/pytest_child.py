"""Runs tests under pytest and reports each of them as it ends.

    python scripts/gpu/pytest_child.py --events FILE --skip FILE [-m EXPRESSION] [-k EXPRESSION] TEST...

The tests whose names stand in the file of `--skip` are not run. A test that loses the device ends the process, since
no later test of it could pass.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from pathlib import Path

import pytest
from events import LOST, Events

ROOT = Path(__file__).resolve().parents[2]


class Reporter:
    """A plugin that reports, and that stands in for plugins that need not be installed."""

    def __init__(self, events: Events, skipped: set[str]) -> None:
        self.events, self.skipped = events, skipped

    def pytest_addoption(self, parser: pytest.Parser) -> None:
        # The setting of pytest-timeout: unknown settings are errors.
        if importlib.util.find_spec("pytest_timeout") is None:
            parser.addini("timeout", "ignored: pytest-timeout is not installed")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        # Later than what `-m` and `-k` leave out.
        self.events.total(len(items))
        left = [item for item in items if item.nodeid not in self.skipped]
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in self.skipped])
        items[:] = left

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.events.begin(nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> pytest.TestReport:
        report = yield
        if report.when == "call" or report.outcome != "passed":
            outcome, error, note = report.outcome, "", ""
            if report.failed:
                outcome = "failed" if report.when == "call" else "error"
                error = last_of(report.longreprtext)
            elif report.skipped:
                note = report.longrepr[-1] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            self.events.end(item.nodeid, outcome, error, note.removeprefix("Skipped: "))
        if report.failed and LOST in report.longreprtext:
            self.events.write(lost=item.nodeid)
            sys.stdout.flush()
            os._exit(3)
        return report

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.events.total(1)
            self.events.end(report.nodeid, "error", last_of(report.longreprtext))
        elif report.skipped:
            self.events.total(1)
            self.events.end(report.nodeid, "skipped", note=str(report.longrepr)[-200:])


def last_of(text: str) -> str:
    """The line that names the error: the first that pytest marks with E."""
    lines = [line for line in text.splitlines() if line.strip()]
    marked = [line[1:].strip() for line in lines if line.startswith("E ") and line[1:].strip()]
    first = marked[0] if marked else ""
    return (first or (lines[-1].strip() if lines else ""))[:300]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=Path, required=True)
    parser.add_argument("--skip", type=Path, required=True)
    parser.add_argument("-m", dest="marks", default="not gpu and not soak")
    parser.add_argument("-k", dest="names", default="")
    parser.add_argument("tests", nargs="+")
    options = parser.parse_args()
    reporter = Reporter(Events(options.events), set(options.skip.read_text().splitlines()))
    chosen = ["-v", "--tb=short", "-m", options.marks, f"--rootdir={ROOT}", "-c", str(ROOT / "pytest.ini")]
    chosen += ["-p", "no:cacheprovider", "-p", "no:xdist", "-o", "console_output_style=classic"]
    # Killed by the parent, which then knows the test; pytest-timeout would end the process without a word to it.
    chosen += ["-o", "timeout=0"]
    if options.names:
        chosen += ["-k", options.names]
    if importlib.util.find_spec("hypothesis") is None:
        # What the tests of other folders share needs it.
        chosen.append(f"--confcutdir={ROOT / 'tests/python/gpu'}")
    return int(pytest.main([*chosen, *options.tests], plugins=[reporter]))


if __name__ == "__main__":
    sys.exit(main())
