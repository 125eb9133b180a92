"""The whole programs of the benchmark find what NumPy finds, and its table has a line for each."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from warp.examples.benchmarks import benchmark_programs
from warp.examples.benchmarks._programs import contestant, listing, rivals
from warp.examples.benchmarks._programs.program import Program, Spec
from warp.examples.benchmarks._programs.rivals import in_c

from support.places import ROOT


@pytest.mark.parametrize("name", listing.PROGRAMS)
def test_a_program_finds_what_numpy_finds(name: str) -> None:
    spec = listing.load(name)
    for module in spec.needs:
        pytest.importorskip(module)
    assert contestant.off_numpy(spec, spec.make) == 0


@pytest.mark.parametrize("name", sorted({*in_c.MAKERS, "algebra.sparse"}))
def test_rivals_find_what_numpy_finds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = rivals.of(name)
    if not found:
        pytest.skip("neither gcc nor Numba is there")
    for rival, make in found.items():
        assert contestant.off_numpy(listing.load(name), make) == 0, rival


def test_there_are_24_programs() -> None:
    assert len(set(listing.PROGRAMS)) == 24
    names = [listing.load(name).name for name in listing.PROGRAMS]
    assert len(set(names)) == 24


def test_wrong_values_are_seen() -> None:
    """A part of the values may be off where a program says so, and no more."""
    values = np.linspace(1, 2, 100)
    spec = Spec("one", lambda _: Program(list, lambda: values), lambda *_: values, tiny=1, full=1)
    assert spec.off(values * (1 + 1e-6), values) == 0
    assert spec.off(np.append(values[1:], 3.0), values) > 0.9
    assert spec.off(values[1:], values) == 1
    few = np.where(np.arange(100) < 2, 5, values)
    assert spec.off(few, values) == pytest.approx(0.02)
    spec.may_differ = 0.05
    assert spec.off(few, values) == 0


def test_a_table_of_two_contestants(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A tiny program in processes of their own: times, ratios to itself as the peer, and means."""
    monkeypatch.setenv("BENCHMARK_ONCE", "1")
    monkeypatch.setenv("BENCHMARK_ONLY", "jacobi_guards")
    lines = benchmark_programs.table(sys.executable, 1)
    benchmark_programs.print_means(lines)
    (line,) = lines
    assert line.is_right
    assert all(ratio > 0 and math.isfinite(ratio) for ratio in line.ratios().values())
    printed = capsys.readouterr().out.splitlines()
    assert printed[2].startswith("| Jacobi with guards, 1024^2 | ")
    assert printed[2].count("|") == printed[0].count("|") == len(benchmark_programs.HEADINGS) + 1
    assert [text.split(":")[0] for text in printed[3:]] == ["two", "one", "first", "scaling"]


def test_a_wrong_peer_is_marked() -> None:
    """Its ratios have a mark, and no mean counts them."""
    rows = {contestant.WALL: 1.0, contestant.CPU: 1.0, contestant.FIRST: 1.0, contestant.MEMORY: 2.0**20}
    spec = listing.load("grids.stencil")
    right = benchmark_programs.Line(spec, {"this": rows, "one": rows, "peer": rows})
    wrong = benchmark_programs.Line(spec, {"this": rows, "one": rows, "peer": rows | {contestant.WRONG: 1.0}})
    assert right.is_right
    assert "!" not in "".join(right.cells())
    assert not wrong.is_right
    assert [cell for cell in wrong.cells() if "!" in cell] == ["1.0!", "1.0!", "1.0!"]
