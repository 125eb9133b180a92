"""What examples show on a terminal while they run."""

from __future__ import annotations

import io
import sys
import types

import pytest
from warp.examples import _shared


class Terminal(io.StringIO):
    """A stream that someone sits at."""

    def isatty(self) -> bool:
        return True


def at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Called in the test: after fixtures pytest puts its own stream there."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    return stream


def test_nothing_is_shown_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    assert _shared.progress(5) == range(5)
    assert capsys.readouterr() == ("", "")


def test_tqdm_shows_it_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def tqdm(items: range, **options: object) -> range:
        asked.append((items, options))
        return items

    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace(tqdm=tqdm))
    at_a_terminal(monkeypatch)
    assert list(_shared.progress(3, "step")) == [0, 1, 2]
    assert asked == [(range(3), {"unit": "step", "delay": _shared._PATIENCE})]


def test_without_it_a_line_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    terminal = at_a_terminal(monkeypatch)
    # A short loop says nothing.
    assert list(_shared.progress(3)) == [0, 1, 2]
    assert terminal.getvalue() == ""
    monkeypatch.setattr(_shared, "_PATIENCE", 0.0)
    assert list(_shared.progress(3)) == [0, 1, 2]
    assert terminal.getvalue().startswith("\rframe 1 of 3")
    # What is printed next begins in an empty line.
    assert terminal.getvalue().endswith("\r" + " " * len("frame 1 of 3") + "\r")


def test_long_examples_show_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from warp.examples.simulation import lattice_boltzmann

    seen = []
    monkeypatch.setattr(_shared, "progress", lambda count, unit="frame": seen.append(count) or range(count))
    lattice_boltzmann.main(["--frames", "2", "--headless"])
    assert seen == [2]
