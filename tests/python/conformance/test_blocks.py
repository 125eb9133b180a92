"""Runs the blocks of the documents on NumPy, PyTorch and Paddle and checks the numbers they leave."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .documents import all_blocks, spec_dir
from .plan import COMMANDS, RUNS, Command, Run
from .running import run_blocks, run_command

pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(spec_dir() is None, reason="WARP_SPEC_DIR does not name the folder of the documents")


@pytest.fixture(autouse=True)
def repeatable() -> Iterator[None]:
    """The documents draw points without a seed; the checks should see the same ones in each run.

    One torch thread, because Adam on 3,000 numbers is slower on several where others run too.
    """
    import numpy as np
    import torch

    np.random.seed(7)
    torch.manual_seed(7)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def need(block_id: str) -> None:
    """Skips a block that is about a framework which not every Python has."""
    if "paddle" in all_blocks()[block_id].text:
        paddle = pytest.importorskip("paddle", reason="paddle is not installed (it has no wheel for every Python)")
        paddle.seed(7)


@pytest.mark.parametrize("row", RUNS, ids=lambda row: row.id)
def test_block(row: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need(row.id)
    ran = run_blocks([*row.needs, row.id], tmp_path, monkeypatch, row.extra, row.given())
    row.check(ran)


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.id)
def test_command(row: Command) -> None:
    need(row.id)
    row.check(run_command(all_blocks()[row.id]))
