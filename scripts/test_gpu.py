"""Run the tests marked `gpu` on an NVIDIA GPU, and print what can be pasted into docs/gpu-runs.md; without one say so.

Needs the installed package, pytest and NumPy; tests of torch and jax are skipped where these are missing.
`--short --out FOLDER --budget SECONDS` runs what tells the most in a few minutes instead: `scripts/gpu/short.py`.
"""

from __future__ import annotations

import datetime
import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/python"))
from gpu.support.driver_calls import Driver, real_driver  # noqa: E402


class Run:
    """A pytest plugin: counts outcomes, and stands in for plugins that need not be installed."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.failed: list[str] = []

    def pytest_addoption(self, parser: pytest.Parser) -> None:
        # The setting of pytest-timeout: unknown settings are errors.
        if importlib.util.find_spec("pytest_timeout") is None:
            parser.addini("timeout", "ignored: pytest-timeout is not installed")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            self.counts[report.outcome] = self.counts.get(report.outcome, 0) + 1
            if report.failed:
                self.failed.append(report.nodeid)


def row(device: str, command: str, run: Run) -> str:
    """A row of docs/gpu-runs.md."""
    result = ", ".join(f"{count} {outcome}" for outcome, count in sorted(run.counts.items())) or "no test ran"
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    name, _, driver = device.partition(", driver ")
    return f"| {today} | {name} | {driver} | `{command}` | {result} |"


def main() -> int:
    """The exit status of the tests, or 0 where nothing can be tested."""
    if "--short" in sys.argv:
        sys.path.insert(0, str(ROOT / "scripts/gpu"))
        import short

        return short.main(sys.argv[1:])
    path = real_driver()
    if path is None:
        print("test-gpu: no NVIDIA GPU on this machine, so there is nothing to test")
        return 0
    driver = Driver(path)
    driver.ok("cuInit", 0)
    device = driver.describe()
    print(f"test-gpu: {device}")
    run, more = Run(), sys.argv[1:]
    folder = ROOT / "tests/python/gpu"
    # What the other tests share needs more packages.
    options = ["-m", "gpu", "-rA", f"--rootdir={ROOT}", "-c", str(ROOT / "pytest.ini"), f"--confcutdir={folder}"]
    status = int(pytest.main([*options, *(more or [str(folder)])], plugins=[run]))
    print("\nFor docs/gpu-runs.md:\n")
    print(row(device, "make test-gpu" + (f" TESTS='{' '.join(more)}'" if more else ""), run))
    for name in run.failed:
        print(f"- failed: `{name}`")
    print("\nGoldens of this device lie in tests/goldens; commit them after a look at the difference.")
    return status


if __name__ == "__main__":
    sys.exit(main())
