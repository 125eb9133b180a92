"""What a package index shows: versions, extras, links."""

from __future__ import annotations

import re
import sys
import tomllib

import pytest
from packaging.requirements import Requirement

from support.places import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import release_metadata

TEXT = (ROOT / "py/pyproject.toml").read_text(encoding="utf-8")
PROJECT = tomllib.loads(TEXT)["project"]
REPOSITORY = "https://example.org/owner/name"


def test_versions_of_python():
    said = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r"Python :: 3\.\d+$", c)]
    assert said == ["3.11", "3.12", "3.13"]
    assert PROJECT["requires-python"] == f">={said[0]}"
    assert len(PROJECT["classifiers"]) == len(set(PROJECT["classifiers"]))


def test_extras():
    extras = {name: [Requirement(text) for text in texts] for name, texts in PROJECT["optional-dependencies"].items()}
    assert {"numpy", "torch", "jax", "paddle", "examples", "all"} <= set(extras)
    own = [requirement for requirement in extras["all"] if requirement.name == PROJECT["name"]]
    assert own[0].extras == {"numpy", "torch", "jax", "paddle", "examples"}
    # NumPy is optional, as importing the package needs none.
    assert PROJECT.get("dependencies", []) == []
    # Each extra that is named is there.
    named = {name for texts in extras.values() for r in texts if r.name == PROJECT["name"] for name in r.extras}
    assert named <= set(extras)
    paddle = extras["paddle"][0]
    assert paddle.marker is not None
    assert not paddle.marker.evaluate({"python_version": "3.14"})


def test_what_names_the_version_names_one():
    version = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]["version"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.*)$", citation, re.MULTILINE) == [version]
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert [h for h in headings[1:] if not re.fullmatch(r"\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d", h)] == []


def test_workflows_call_the_makefile():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    called = set()
    for file in (ROOT / ".github/workflows").glob("*.yml"):
        text = file.read_text(encoding="utf-8")
        for run in re.findall(r"run: make (.*)", text):
            matrix = re.findall(r"target: \[(.*)\]", text)
            called |= set(matrix[0].split(", ") if "matrix" in run else run.split())
    assert called
    assert called <= targets


def test_links_are_absolute_for_a_release():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    made = release_metadata.absolute(text, REPOSITORY, "v1")
    links = re.findall(r"\]\(([^)]*)\)", made)
    assert len(links) > 10
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
    assert f"({REPOSITORY}/blob/v1/docs/README.md)" in made
    assert release_metadata.absolute("[a](#b) [c](https://d)", REPOSITORY, "v1") == "[a](#b) [c](https://d)"


def test_urls_of_a_release():
    made = release_metadata.with_urls(TEXT, REPOSITORY, "v1")
    project = tomllib.loads(made)["project"]
    assert project["readme"] == "README.md"
    assert project["urls"]["Source"] == REPOSITORY
    assert project["urls"]["Changelog"] == f"{REPOSITORY}/blob/v1/CHANGELOG.md"
    assert project["optional-dependencies"] == PROJECT["optional-dependencies"]
    with pytest.raises(SystemExit, match="is prepared already"):
        release_metadata.with_urls(made, REPOSITORY, "v1")


def test_the_guide_tells_the_extras():
    guide = (ROOT / "docs/install.md").read_text(encoding="utf-8")
    for name in PROJECT["optional-dependencies"]:
        assert f"`{name}`" in guide or name == "demo", name
