"""Runs blocks of the documents the way a reader would: from a file, one after the other."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from .documents import Block, all_blocks
from .stand_ins import stand_ins
from .substitutions import CPU, DEFINED, Substitution, prepare


@dataclass
class Ran:
    """What is left after a block ran: its names, what it printed, what it says it prints, and its text."""

    names: dict[str, Any]
    printed: str
    promised: list[str] = field(default_factory=list)
    block: str = ""

    def __getitem__(self, name: str) -> Any:
        return self.names[name]


def run_blocks(
    ids: list[str],
    folder: Path,
    monkeypatch: Any,
    extra: tuple[Substitution, ...] = (),
    given: dict[str, Any] | None = None,
    target: str = CPU,
) -> Ran:
    """Runs the blocks in one namespace, written for a target; the result is that of the last one.

    Each text goes to a real file, because kernels are compiled from their source.
    """
    for name, stand_in in stand_ins(target).items():
        monkeypatch.setitem(sys.modules, name, stand_in)
    ran = Ran({}, "")
    module = ModuleType("document_" + re.sub(r"\W", "_", "_".join(ids)))
    module.__dict__.update(DEFINED)
    module.__dict__.update(given or {})
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for block_id in ids:
        block = all_blocks()[block_id]
        path = folder / f"block_{block_id.replace(':', '_')}.py"
        path.write_text(prepare(block_id, block.text, extra, target), encoding="utf-8")
        module.__file__ = str(path)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), module.__dict__)
        promised = re.findall(r"^> (.*)$", block.text, flags=re.MULTILINE)
        ran = Ran(module.__dict__, out.getvalue(), promised, block.text)
    return ran


@contextlib.contextmanager
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


def run_command(block: Block) -> str:
    """Runs a `python -m module` block with this interpreter and gives what it printed."""
    words = block.text.split()
    if words[:2] != ["python", "-m"]:
        raise ValueError(f"{block.id} is not a `python -m` command: {block.text!r}")
    done = subprocess.run([sys.executable, *words[1:]], capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{block.text.strip()} failed:\n{done.stdout}{done.stderr}")
    return done.stdout
