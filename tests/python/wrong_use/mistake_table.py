"""The table of mistakes, `mistakes.txt`: what users write wrongly, what they are told, and how good that is.

python -m wrong_use.mistake_table, in `tests/python`, writes the messages of today into the table; read the diff.

A mistake begins with `==` and its name. Its code follows, which runs after that of `BEFORE`. Then come `-- GRADE`,
the words that the message must have (`+ words`), and the message when the table was written last (`> line`).

Grades: A names the place, what was found there, and the remedy; B names two of the three; C one; D none of them; F is a
crash, silence, or a wrong result.
"""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TABLE = Path(__file__).with_name("mistakes.txt")
HEAD = """\
# Mistakes and what users are told; `mistake_table.py` says what the lines mean.
"""
BEFORE = """\
import numpy as np
import warp as wp

a = wp.zeros(3)
v = wp.zeros(3, dtype=int)
b64 = wp.zeros(3, dtype=wp.float64)


@wp.kernel
def scale(x: wp.array[float], factor: float):
    i = wp.tid()
    x[i] = x[i] * factor


@wp.kernel
def shift(x: wp.array[int], by: int):
    i = wp.tid()
    x[i] = x[i] + by
"""


@dataclass
class Mistake:
    """An entry of the table."""

    name: str
    code: str
    grade: str = ""
    words: list[str] = field(default_factory=list)
    message: str = ""


def read() -> list[Mistake]:
    """The entries of the table."""
    found: list[Mistake] = []
    for line in TABLE.read_text(encoding="utf-8").removeprefix(HEAD).splitlines():
        if line.startswith("== "):
            found.append(Mistake(line[3:], ""))
        elif line.startswith("-- "):
            found[-1].grade = line[3:]
        elif line.startswith("+ "):
            found[-1].words.append(line[2:])
        elif line.startswith(">"):
            found[-1].message += line[2:] + "\n"
        elif found and not found[-1].grade:
            found[-1].code += line + "\n"
    return found


def told(mistake: Mistake) -> str:
    """The error or warning that the code leads to, as Python shows it; nothing if there is none."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            for text in (BEFORE, mistake.code):
                exec(compile(text, "<mistake>", "exec", dont_inherit=True), names)
        except Exception as error:  # noqa: BLE001
            shown = io.StringIO()
            # With Python's own suggestions, which `traceback` lacks before Python 3.12.
            with contextlib.redirect_stderr(shown):
                sys.__excepthook__(type(error), error.with_traceback(None), None)
            return shown.getvalue()
    return ""


def write(mistakes: list[Mistake]) -> None:
    """Write the table."""
    parts = [HEAD]
    for mistake in mistakes:
        lines = [f"== {mistake.name}", mistake.code.rstrip("\n"), f"-- {mistake.grade}"]
        lines += [f"+ {words}" for words in mistake.words]
        lines += [f"> {line}".rstrip() for line in mistake.message.splitlines()]
        parts.append("\n".join(lines) + "\n")
    TABLE.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    mistakes = read()
    for mistake in mistakes:
        mistake.message = told(mistake)
    write(mistakes)
    print({grade: sum(m.grade == grade for m in mistakes) for grade in "ABCDF"}, f"{len(mistakes)} mistakes")
