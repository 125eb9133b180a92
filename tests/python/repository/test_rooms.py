"""No folder of tests or benchmarks is so full that nobody finds anything, and what is said of their files is so."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.places import ROOT

MOST = 20
FOLDERS = ("tests/python", "tests/compare", "py/python/warp/examples")
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
