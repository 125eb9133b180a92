"""No block of the documents is silently left out, and no row of the tables is idle."""

from __future__ import annotations

import ast
import contextlib
import re

import pytest

from support.places import TESTS

from . import prose
from .cuda import FURTHER, OUT_OF_REACH, names_cuda, out_of_reach, uses_the_gpu, within_reach
from .documents import ABSENT, PYTHON, all_blocks, spec_dir
from .plan import COMMANDS, DISTRIBUTED, LAUNCHED, RUNS, SHOWN, WAITS, planned
from .substitutions import DEFINED, SUBSTITUTIONS, TAPE_SUBSTITUTIONS, WRAPPED, prepare

pytestmark = pytest.mark.skipif(spec_dir() is None, reason=ABSENT)


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


def test_every_block_that_names_cuda_runs_on_a_gpu_or_says_why_not() -> None:
    """`gpu/test_documents.py` runs the rows that are within reach, and shows of the others that they are not."""
    named = {block.id for block in all_blocks().values() if names_cuda(block)}
    served = {row.id for row in within_reach() if uses_the_gpu(row)}
    absent = set(out_of_reach())
    assert named - served - absent == set(), "neither run on the driver for tests nor out of its reach"
    assert served >= {row.id for row in RUNS if row.check in FURTHER}
    assert len(named & served) >= 6
    assert sum(len(row.ids) for row in OUT_OF_REACH) == len(absent), "a block stands twice"
    assert absent <= {row.id for row in (*RUNS, *DISTRIBUTED, *LAUNCHED)}, "no such block runs"


def test_a_block_is_out_of_reach_only_where_its_frameworks_are_in_it() -> None:
    rows = {row.id: row for row in RUNS}
    for block_id in rows.keys() & out_of_reach().keys():
        row = out_of_reach()[block_id]
        texts = [all_blocks()[i].text for i in (*rows[block_id].needs, block_id)]
        for framework in row.frameworks:
            assert any(framework in text for text in texts), (block_id, framework)


def test_no_word_of_cuda_escapes() -> None:
    """A rule of its own: whatever the documents spell with these letters is found."""
    for block in all_blocks().values():
        words = set(re.split(r"[^a-z]+", block.text.lower()))
        assert not words & {"cuda", "cupy", "cp", "stream", "gpu", "nvtx"} or names_cuda(block), block.id


def test_every_line_about_cuda_is_held_by_tests() -> None:
    """Prose, too: each line has a subject, each subject a line and tests that are there."""
    without = [f"{at}: {line}" for at, line in prose.lines() if not prose.subjects_of(line)]
    assert without == []
    for subject in prose.SUBJECTS:
        assert any(subject in prose.subjects_of(line) for _, line in prose.lines()), subject.pattern
        assert subject.functions(), subject.pattern
        for file, name in subject.functions():
            assert re.search(rf"^ *def {name}\(", (TESTS / file).read_text(), flags=re.MULTILINE), (file, name)


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
