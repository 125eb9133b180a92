"""What the site says of the API: every public name is on a page, and links lead to pages."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import warp as wp

from support.places import ROOT

#: What `dir(wp)` has beside public names: Python's own, and names of kernels that `math` has, too.
OTHERS = {"annotations", "breakpoint", "float", "int", "range"}


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _is_absent(name: str) -> bool:
    """Whether it only says what to do instead."""
    return "not supported" in repr(getattr(wp, name))


def test_every_public_name_is_on_a_page():
    reference = script("api_reference")
    made = reference.pages()
    assert set(made) >= {"arrays", "core", "devices", "language", "values", "utils", "config"}
    text = "\n".join("\n".join(lines) for lines in made.values())
    builtins = (ROOT / "docs" / "builtins.md").read_text(encoding="utf-8")
    missing = [
        name
        for name in dir(wp)
        if not name.startswith("_")
        and name not in OTHERS
        and not isinstance(getattr(wp, name), ModuleType | float)
        and not _is_absent(name)
        and f"`wp.{name}`" not in text
        and f"`{name}(" not in builtins
        and f"`{name}`" not in builtins
    ]
    assert missing == []


def test_public_names_have_docstrings():
    reference = script("api_reference")
    bare = {name for _, name, of in reference.names() if callable(of) and not reference.described(of)}
    assert bare == set()


def test_pages_of_the_site_are_those_that_are_made():
    made = {f"api/{page}.md" for page in script("api_reference").pages()} | {"api/index.md"}
    listed = {line.split(": ")[1] for line in (ROOT / "mkdocs.yml").read_text().splitlines() if ": api/" in line}
    assert listed == made


def test_links_are_rewritten():
    hooks = script("site_hooks")
    assert (
        hooks.from_docs("[a](../ARCHITECTURE.md#x) [b](arrays.md)") == "[a](project/ARCHITECTURE.md#x) [b](arrays.md)"
    )
    text = "[a](docs/arrays.md) [b](CONTRIBUTING.md#x) [c](warp-core/src/lib.rs) [d](https://example.org) [e](#here)"
    moved = "[a](../arrays.md) [b](CONTRIBUTING.md#x) c [d](https://example.org) [e](#here)"
    assert hooks.from_root(text) == moved
