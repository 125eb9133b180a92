"""Runs the blocks of the documents on NumPy, PyTorch and Paddle and checks the numbers they leave."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .documents import ABSENT, all_blocks, spec_dir
from .plan import COMMANDS, RUNS, Command, Run
from .running import need, repeatable, run_blocks, run_command

pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(spec_dir() is None, reason=ABSENT)


@pytest.fixture(autouse=True)
def repeatable_draws() -> Iterator[None]:
    with repeatable():
        yield


@pytest.mark.parametrize("row", RUNS, ids=lambda row: row.id)
def test_block(row: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need(row.id)
    ran = run_blocks([*row.needs, row.id], tmp_path, monkeypatch, row.extra, row.given())
    row.check(ran)


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.id)
def test_command(row: Command) -> None:
    need(row.id)
    row.check(run_command(all_blocks()[row.id]))
