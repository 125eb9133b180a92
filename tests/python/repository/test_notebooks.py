"""The notebooks of the documentation run, and print what they hold."""

from __future__ import annotations

import json
import sys

import pytest

from support.places import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import notebooks
import site_hooks

FILES = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def test_there_are_five() -> None:
    assert [path.stem for path in FILES] == ["gradients", "kernels", "particles", "pytorch", "simulation"]
    listed = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert [path.stem for path in FILES if f": notebooks/{path.stem}.md\n" not in listed] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_notebook(path, tmp_path, monkeypatch) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    if path.stem == "pytorch":
        pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    for cell, printed, picture in notebooks.outputs(notebook, path.stem):
        where = "".join(cell["source"])[:200]
        kept = {output["output_type"]: output for output in cell["outputs"]}
        assert "".join(kept.get("stream", {}).get("text", [])) == printed, where
        assert ("display_data" in kept) == (picture is not None), where


def test_a_notebook_that_prints_something_else_is_noticed() -> None:
    cell = {"cell_type": "code", "source": ["print(1 + 1)"], "outputs": notebooks.shown("3\n", None)}
    ((_, printed, picture),) = notebooks.outputs({"cells": [cell]}, "made")
    assert (printed, picture) == ("2\n", None)
    assert notebooks.shown(printed, picture) != cell["outputs"]


def test_a_notebook_becomes_a_page() -> None:
    page = site_hooks.from_notebook(FILES[0])
    assert page.startswith("# Gradients\n\nThis page is a notebook: [gradients.ipynb](gradients.ipynb).\n")
    assert "```python\nimport matplotlib.pyplot as plt\n" in page
    assert '<img alt="what the cell draws" src="data:image/png;base64,' in page
