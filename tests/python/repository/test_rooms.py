"""No folder is so full and no file or function so long that nobody finds anything, and what is said of files is so."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.places import ROOT

MOST = 20
FOLDERS = ("tests/python", "tests/compare", "py/python/warp/examples")
# Lines of a file and of a function, at most. Rust sources are measured by tests/rust/arrows/sizes.rs.
FILE, FUNCTION = 499, 100
MEASURED = ("tests", "py/python/warp", "scripts")
# What tests and scripts write.
MADE = ("py/python/warp/_builtins.pyi", "py/python/warp/__init__.pyi", "py/python/warp/_value_types.pyi")
# Files that are longer: they may shrink, and a row goes when it is not needed any more.
LONG: dict[str, int] = {}
# Where files are named by their paths.
NAMERS = ("Makefile", "*.md", "*.ini", ".ci/*", "docs/*.md", "scripts/**/*", "tests/python/**/*.py")
RUST = ("py/src/**/*.rs", "warp-*/**/*.rs", "ptx-driver/**/*.rs", "ptx-driver/tests/*.txt", "tests/rust/**/*.rs")
NAMED = re.compile(r"(?<![\w/])tests/(?:python|compare)(?:/\w+)*(?:\.(?:py|txt))?")


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_folder_holds_too_many_files(folder: str) -> None:
    found = Counter(path.parent for path in (ROOT / folder).rglob("*.py"))
    assert found
    full = {str(path.relative_to(ROOT)): count for path, count in found.items() if count > MOST}
    assert full == {}, f"more than {MOST} files: folders by subject are easier to read"


def sources() -> Iterator[tuple[str, str]]:
    for folder in MEASURED:
        for path in (ROOT / folder).rglob("*.py*"):
            name = str(path.relative_to(ROOT))
            if path.suffix in (".py", ".pyi") and name not in MADE:
                yield name, path.read_text(encoding="utf-8")


def test_no_file_is_long() -> None:
    found = {name: text.count("\n") for name, text in sources()}
    assert len(found) > 300
    assert {name: lines for name, lines in found.items() if lines > LONG.get(name, FILE)} == {}
    assert [name for name in LONG if found.get(name, 0) <= FILE] == [], "rows of LONG that are not needed"


def lengths(text: str) -> Iterator[tuple[str, int]]:
    """The functions of a file, and how many lines each has."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def test_no_function_is_long() -> None:
    assert [*lengths("def f():\n    def g():\n        pass\n")] == [("f", 3), ("g", 2)]
    found = {(name, of): lines for name, text in sources() for of, lines in lengths(text)}
    assert {of: lines for of, lines in found.items() if lines > FUNCTION} == {}


def test_a_folder_is_a_package() -> None:
    """Two files of one name would be one module otherwise."""
    tests = ROOT / "tests/python"
    folders = {path.parent for path in tests.rglob("*.py")} - {tests}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


def texts() -> Iterator[tuple[Path, str]]:
    for pattern in (*NAMERS, *RUST):
        for path in ROOT.glob(pattern):
            if path.is_file() and "target" not in path.relative_to(ROOT).parts and path.suffix != ".pyc":
                yield path, path.read_text(encoding="utf-8")


def test_files_that_are_named_are_there() -> None:
    named = {(match, path) for path, text in texts() for match in NAMED.findall(text)}
    assert len(named) > 40
    assert [f"{path.relative_to(ROOT)}: {name}" for name, path in sorted(named) if not (ROOT / name).exists()] == []
