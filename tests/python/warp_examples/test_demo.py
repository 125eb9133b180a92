"""The demo converges in all three ways, says what things cost and leaves a figure."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("matplotlib")


def test_demo(tmp_path: Path) -> None:
    figure = tmp_path / "demo.png"
    done = subprocess.run(
        [sys.executable, "-m", "warp.examples.demo", "--output", str(figure)],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "NOT CONVERGE" not in done.stdout

    reports = re.findall(r"^  (\S+) +loss +(\S+) -> +(\S+) .* converged$", done.stdout, flags=re.MULTILINE)
    assert [name for name, _, _ in reports] == ["from_torch", "to_torch", "torch.autograd.Function"]
    assert all(float(end) < 1e-3 * float(start) for _, start, end in reports)

    mean = re.search(r"mean of the Rosenbrock points: \((\S+), (\S+)\)", done.stdout)
    assert mean is not None
    assert max(abs(float(word) - 1) for word in mean.groups()) < 1e-2

    times = re.findall(r"^  \S.*? +([\d.]+) (?:ms|us)$", done.stdout, flags=re.MULTILINE)
    assert len(times) == 7
    assert all(float(time) > 0 for time in times)

    # A picture of the size it should have, with more than an empty sheet in it.
    content = figure.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = (int.from_bytes(content[at : at + 4], "big") for at in (16, 20))
    assert (width, height) == (1620, 792)
    assert len(content) > 100_000


def test_failure_is_the_exit_status(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A way that does not converge is named, and turns the status."""
    from warp.examples import demo

    monkeypatch.setattr(demo, "measure", lambda _count: [])
    monkeypatch.setattr(demo, "draw", lambda _descents, _output: None)
    autograd = demo.descend_autograd
    monkeypatch.setattr(demo, "descend_autograd", lambda start, _steps: autograd(start, 3))
    assert demo.main(["--output", str(tmp_path / "none.png")]) == 1
