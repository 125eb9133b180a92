"""Runs the programs of the documents for several processes: in two of them, and as the documents start them."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from support.jax_processes import run_in_two, run_under_mpi

from .documents import ABSENT, all_blocks, spec_dir
from .plan import DISTRIBUTED, LAUNCHED, Distributed
from .substitutions import prepare

pytest.importorskip("jax")
pytestmark = pytest.mark.skipif(spec_dir() is None, reason=ABSENT)


def current(text: str) -> str:
    """The program with the present name of `shard_map`."""
    text = text.replace("from jax.experimental.shard_map import shard_map", "from jax import shard_map")
    return re.sub(r"\bcheck_rep=", "check_vma=", text)


def programs(rows: tuple[Distributed, ...], folder: Path) -> list[tuple[Distributed, Path]]:
    """Each program as a file: as it is written where jax still has the old name, and with the present one."""
    made = []
    is_old_there = importlib.util.find_spec("jax.experimental.shard_map") is not None
    for row in rows:
        text = prepare(row.id, all_blocks()[row.id].text)
        for form in sorted({text, current(text)} if is_old_there else {current(text)}):
            path = folder / f"block_{row.id.replace(':', '_')}_{len(made)}.py"
            path.write_text(form, encoding="utf-8")
            made.append((row, path))
    return made


def test_in_two_processes_with_two_devices_each(tmp_path: Path) -> None:
    made = programs(DISTRIBUTED, tmp_path)
    for (row, _), printed in zip(made, run_in_two([path for _, path in made], tmp_path), strict=True):
        row.check(printed, 4)


def test_by_mpirun(tmp_path: Path) -> None:
    """The command is the same in all documents, and stands for all of their programs."""
    (command,) = {all_blocks()[row.id].text.strip() for row in LAUNCHED}
    made = programs(DISTRIBUTED, tmp_path)
    for (row, _), printed in zip(made, run_under_mpi(command, [path for _, path in made], tmp_path), strict=True):
        row.check(printed, 2)
