"""Run the Python blocks of a page of the documentation, in order, and compare what they print with the text below them.

Usage: run_page.py PAGE

Needs nothing but what the page needs: for the installed package in an environment without tests.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
from pathlib import Path

BLOCK = re.compile(r"^```(?P<info>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


def run(page: Path) -> int:
    """Run the blocks of `page` in one namespace; how many there were. What differs ends the program."""
    text = page.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    names: dict[str, object] = {"__name__": "__main__", "__file__": str(page)}
    ran = 0
    for block, after in zip(blocks, [*blocks[1:], None], strict=True):
        if block["info"] != "python":
            continue
        # Lines keep their numbers, so that the sources of kernels are found in the page.
        line = text.count("\n", 0, block.start("body"))
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * line + block["body"], str(page), "exec"), names)
        ran += 1
        follows = after is not None and after["info"] == "text" and not text[block.end() : after.start()].strip()
        if follows and printed.getvalue() != after["body"]:
            sys.exit(f"{page}:{line}: printed\n{printed.getvalue()}instead of\n{after['body']}")
    return ran


def main() -> None:
    """Run the one page named on the command line."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: run_page.py PAGE (got {sys.argv[1:]})")
    page = Path(sys.argv[1])
    if not (ran := run(page)):
        sys.exit(f"{page} has no Python blocks")
    print(f"{page.name}: {ran} blocks ran, and print what the page says")


if __name__ == "__main__":
    main()
