"""Finds every code block of the specification documents.

A document is either reStructuredText, whose blocks are indented under `::` or a code directive, or
the text of a rendered page, whose blocks are runs of code lines between lines of prose. A block is
named by the document's first three digits and the line it starts on ("001:122"), and its digest
tells when the text under that name is no longer the one that the plan was written for.
"""

from __future__ import annotations

import hashlib
import os
import re
import textwrap
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PYTHON, SHELL, OUTPUT = "python", "shell", "output"
#: Why tests of the documents are skipped.
ABSENT = "WARP_SPEC_DIR does not name the folder of the documents"


@dataclass(frozen=True)
class Block:
    """One code block: where it stands, what it is and its text without the common indentation."""

    document: str
    line: int
    kind: str
    text: str

    @property
    def id(self) -> str:
        return f"{self.document}:{self.line}"

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]


def spec_dir() -> Path | None:
    """The folder of the documents, or None where the environment does not name one."""
    name = os.environ.get("WARP_SPEC_DIR")
    return Path(name) if name else None


@cache
def all_blocks() -> dict[str, Block]:
    """Every block of every document, in order, by its id."""
    folder = spec_dir()
    if folder is None:
        return {}
    paths = sorted(folder.glob("[0-9][0-9][0-9]_*.txt"))
    if not paths:
        raise FileNotFoundError(f"WARP_SPEC_DIR names {folder}, which holds no document")
    found = [block for path in paths for block in blocks_of(path)]
    return {block.id: block for block in found}


def blocks_of(path: Path) -> list[Block]:
    """The blocks of one document."""
    lines = path.read_text(encoding="utf-8").splitlines()
    is_rendered_page = lines[0].endswith("#")
    read = page_blocks if is_rendered_page else rst_blocks
    return [make_block(path.name[:3], *raw) for raw in read(lines)]


def make_block(document: str, start: int, kind: str, lines: list[str]) -> Block:
    text = textwrap.dedent("\n".join(line.rstrip() for line in lines)).strip("\n") + "\n"
    return Block(document, start + 1, kind, text)


Raw = tuple[int, str, list[str]]

# reStructuredText -------------------------------------------------------------------------------

DIRECTIVE = re.compile(r"\s*\.\. ([\w-]+)::\s*(\S*)")
LANGUAGES = {"python": PYTHON, "shell": SHELL, "bash": SHELL, "": OUTPUT}


def rst_blocks(lines: list[str]) -> list[Raw]:
    """Blocks under `.. code::`, `.. code-block::` and paragraphs that end in `::`."""
    found: list[Raw] = []
    at = 0
    while at < len(lines):
        kind = rst_opening(lines[at])
        at += 1
        if kind is None:
            continue
        body, at = indented(lines, at)
        start = next(i for i, line in body if line.strip())
        found.append((start, kind, [line for i, line in body if i >= start]))
    return found


def rst_opening(line: str) -> str | None:
    """The kind of block that this line opens."""
    directive = DIRECTIVE.match(line)
    if directive:
        is_code = directive[1] in ("code", "code-block")
        return LANGUAGES[directive[2]] if is_code else None
    return PYTHON if line.rstrip().endswith("::") else None


def indented(lines: list[str], at: int) -> tuple[list[tuple[int, str]], int]:
    """The lines from `at` on that are blank or indented, less the blank ones at the end."""
    body: list[tuple[int, str]] = []
    while at < len(lines) and (not lines[at].strip() or lines[at][0] == " "):
        body.append((at, lines[at]))
        at += 1
    while body and not body[-1][1].strip():
        body.pop()
    return body, at


# The text of a rendered page ----------------------------------------------------------------------

# What the first line of a statement looks like, as against prose that merely mentions a name.
CODE = re.compile(
    r"""import\ \w | from\ [\w.]+\ import\b | @\w | \#\  | \.\.\.$ | >\ \[
      | def\ \w+\( | class\ \w+.*:$ | (for|with|if)\ .*:$ | else:$
      | \(?\w[\w.\[\]]*(,\s*\w[\w.]*)*,?\)?\ [+*-]?=\ \S
      | [a-z_]\w*(\.\w+)+\(\)(\ *\#.*)?$
      | [a-z_]\w*(\.\w+)*\([^)].*\)$
      | [a-z_]\w*(\.\w+)*\($""",
    re.VERBOSE,
)
COMMAND = re.compile(r"(python|mpirun)\s+-\w+ ")
TIMING = re.compile(r"\s*\d+ ms  ")


def page_blocks(lines: list[str]) -> list[Raw]:
    """Runs of lines of one kind; blank lines inside a run belong to it."""
    found: list[Raw] = []
    start, kind, body = 0, "", list[str]()
    depth = 0
    for at, line in enumerate([*lines, "The end."]):
        if not line.strip():
            body.append(line)
            continue
        continues = kind == PYTHON and (depth > 0 or line.startswith(("    ", ")")))
        now = PYTHON if continues else page_kind(line)
        if now != kind:
            if kind:
                found.append((start, kind, body))
            start, kind, body, depth = at, now, [], 0
        body.append(line)
        if now == PYTHON:
            depth = max(0, depth + open_brackets(line))
    return found


def page_kind(line: str) -> str:
    """The kind of block that a line stands in, "" for prose."""
    if CODE.match(line):
        return PYTHON
    if COMMAND.match(line):
        return SHELL
    return OUTPUT if TIMING.match(line) else ""


def open_brackets(line: str) -> int:
    """How many brackets a line leaves open (no string of the documents holds one that matters)."""
    code = line.split("#")[0]
    return sum(code.count(c) for c in "([{") - sum(code.count(c) for c in ")]}")
