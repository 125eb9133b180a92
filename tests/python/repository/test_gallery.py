"""The gallery shows each example that draws, and its pictures stay small."""

from __future__ import annotations

import re

from support.places import ROOT
from warp_examples.test_programs import BESIDE, PROGRAMS

FOLDER = ROOT / "docs" / "gallery"
DRAWING = {*PROGRAMS, *(name for name, (_, draws) in BESIDE.items() if draws)}
PICTURE, ALL = 60_000, 1_500_000


def test_every_example_that_draws_has_a_picture() -> None:
    text = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^\]]+\]\(gallery/([\w.]+)\.webp\)", text)
    assert sorted(shown) == sorted(DRAWING)
    assert {path.stem for path in FOLDER.glob("*.webp")} == DRAWING
    commands = re.findall(r"^`python -m warp\.examples\.([\w.]+)[^`]*`, \d+\.\d s:$", text, flags=re.MULTILINE)
    assert commands == shown


def test_pictures_are_small() -> None:
    sizes = {path.name: path.stat().st_size for path in FOLDER.iterdir()}
    assert {name: size for name, size in sizes.items() if size > PICTURE} == {}
    assert sum(sizes.values()) < ALL
