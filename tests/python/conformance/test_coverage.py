"""No block of the documents is silently left out, and no row of the tables is idle."""

from __future__ import annotations

import ast
import contextlib
import re

import pytest

from .documents import PYTHON, all_blocks, spec_dir
from .plan import COMMANDS, DISTRIBUTED, LAUNCHED, RUNS, SHOWN, WAITS, planned
from .substitutions import DEFINED, SUBSTITUTIONS, TAPE_SUBSTITUTIONS, WRAPPED, prepare

pytestmark = pytest.mark.skipif(spec_dir() is None, reason="WARP_SPEC_DIR does not name the folder of the documents")


def test_every_block_has_exactly_one_fate() -> None:
    rows = planned()
    ids = [block_id for block_id, _ in rows]
    assert len(ids) == len(set(ids)), "a block stands in two tables"
    assert set(ids) == set(all_blocks()), "blocks and tables differ"


def test_every_row_was_written_for_this_text() -> None:
    stale = [row for row in planned() if all_blocks()[row[0]].digest != row[1]]
    assert stale == []


def test_counts(capsys: pytest.CaptureFixture[str]) -> None:
    """The numbers behind the claim; they change only together with the tables."""
    waiting = {waits.why: waits.rows.count(":") for waits in WAITS}
    running = len(RUNS) + len(COMMANDS) + len(DISTRIBUTED) + len(LAUNCHED)
    with capsys.disabled():
        print(f"\n{len(all_blocks())} blocks: {running} run, {waiting} wait")
    assert running + len(SHOWN) + sum(waiting.values()) == len(all_blocks())


def test_every_python_block_parses() -> None:
    """A block that was cut short or joined with prose would not."""
    for block in all_blocks().values():
        if block.kind == PYTHON:
            ast.parse(prepare(block.id, block.text), filename=block.id)


def test_no_line_of_prose_is_code() -> None:
    """Finds code that the reader of rendered pages took for prose, by a rule of its own."""
    folder = spec_dir()
    assert folder is not None
    for path in sorted(folder.glob("[0-9][0-9][0-9]_*.txt")):
        inside = {
            block.line + offset
            for block in all_blocks().values()
            if block.document == path.name[:3]
            for offset in range(len(block.text.splitlines()))
        }
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if number not in inside:
                assert not looks_like_statement(line), f"{path.name}:{number}: {line}"


def looks_like_statement(line: str) -> bool:
    """Whether a line alone is a Python statement that does something."""
    for rest in ("", "\n    pass", "\ndef f(): pass"):  # of its own, a clause head, a decorator
        with contextlib.suppress(SyntaxError):
            tree = ast.parse(line.strip() + rest)
            break
    else:
        return False
    return not all(isinstance(s, ast.Expr) and is_mention(s.value) for s in tree.body)


def is_mention(value: ast.expr) -> bool:
    """Whether an expression only names something, as prose does: `a`, `a.b`, `f()`, `- a,`."""
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and not value.args
    return isinstance(value, ast.Name | ast.Attribute | ast.Constant | ast.UnaryOp | ast.BinOp | ast.Tuple)


def test_every_substitution_is_used() -> None:
    texts = {row.id: all_blocks()[row.id].text for row in (*RUNS, *DISTRIBUTED)}
    for row in (*SUBSTITUTIONS, *TAPE_SUBSTITUTIONS):
        used = [i for i, text in texts.items() if row.applies_to(i) and row.apply(text) != text]
        assert used, f"nothing matches {row.pattern!r}"
        assert not row.blocks or set(row.blocks) <= set(used)
    for name in DEFINED:
        assert any(re.search(rf"\b{name}\b", text) for text in texts.values())
    assert set(WRAPPED) <= set(texts)


def test_every_command_is_a_module_of_the_wheel() -> None:
    for row in COMMANDS:
        assert all_blocks()[row.id].text.startswith("python -m warp.")
