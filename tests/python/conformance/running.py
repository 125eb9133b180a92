"""Runs blocks of the documents the way a reader would: from a file, one after the other."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from .documents import Block, all_blocks
from .substitutions import DEFINED, STAND_INS, Substitution, prepare


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
) -> Ran:
    """Runs the blocks in one namespace; the result is that of the last one.

    Each text goes to a real file, because kernels are compiled from their source.
    """
    for name, make in STAND_INS.items():
        monkeypatch.setitem(sys.modules, name, make())
    ran = Ran({}, "")
    module = ModuleType("document_" + re.sub(r"\W", "_", "_".join(ids)))
    module.__dict__.update(DEFINED)
    module.__dict__.update(given or {})
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for block_id in ids:
        block = all_blocks()[block_id]
        path = folder / f"block_{block_id.replace(':', '_')}.py"
        path.write_text(prepare(block_id, block.text, extra), encoding="utf-8")
        module.__file__ = str(path)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), module.__dict__)
        promised = re.findall(r"^> (.*)$", block.text, flags=re.MULTILINE)
        ran = Ran(module.__dict__, out.getvalue(), promised, block.text)
    return ran


def run_command(block: Block) -> str:
    """Runs a `python -m module` block with this interpreter and gives what it printed."""
    words = block.text.split()
    if words[:2] != ["python", "-m"]:
        raise ValueError(f"{block.id} is not a `python -m` command: {block.text!r}")
    done = subprocess.run([sys.executable, *words[1:]], capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{block.text.strip()} failed:\n{done.stdout}{done.stderr}")
    return done.stdout
