"""Counts of the API: each public name has a page, a docstring and a signature, and so has what classes have."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
import warp as wp

from support.places import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import api_reference

#: What modules have beside public names: Python's own, and names of kernels that `math` has, too.
OTHERS = {"annotations", "breakpoint", "float", "int", "range"}
BUILTINS = (ROOT / "docs" / "builtins.md").read_text(encoding="utf-8")


def public(path: str) -> Iterator[tuple[str, Any]]:
    """The public names of a module, without what it imports from elsewhere for itself, and what is absent."""
    module = importlib.import_module(path)
    listed = getattr(module, "__all__", None) if path != "warp" else None
    for name in listed or dir(module):
        of = getattr(module, name)
        if path == "warp" or listed is not None or callable(of):
            own = path == "warp" or str(getattr(of, "__module__", "")).startswith("warp")
        else:
            own = False
        if own and not name.startswith("_") and name not in OTHERS and not isinstance(of, ModuleType):
            if "not supported" not in repr(of):
                yield name, of


def members(of: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties of a class."""
    for name in sorted(vars(of)):
        # Asked for first: one whose module is imported at its first use takes its place then.
        found = getattr(of, name, None)
        member = vars(of)[name]
        if not name.startswith("_") and api_reference.is_member(of, name):
            yield name, found if inspect.isroutine(member) else member


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """Every public name, with what it stands for."""
    found = {}
    for short in ("", *api_reference.MODULES):
        for name, of in public(f"warp.{short}".removesuffix(".")):
            found[f"wp.{short}.{name}".replace("..", ".")] = of
    return found


@pytest.fixture(scope="module")
def of_classes(names: dict[str, Any]) -> dict[str, Any]:
    """Every public method and property of a public class."""
    found = {path: of for path, of in names.items() if inspect.isclass(of) and not issubclass(of, Exception)}
    classes = {of: path for path, of in reversed(found.items())}
    return {f"{path}.{name}": of for each, path in classes.items() for name, of in members(each)}


def has_signature(of: Any) -> bool:
    try:
        return inspect.signature(of) is not None
    except (TypeError, ValueError):
        return False


def test_so_many_names_there_are(names: dict[str, Any], of_classes: dict[str, Any]) -> None:
    print(f"{len(names)} public names, {len(of_classes)} methods and properties")
    assert len(names) > 700
    assert len(of_classes) > 150


def test_every_name_is_on_a_page(names: dict[str, Any]) -> None:
    text = "\n".join("\n".join(lines) for lines in api_reference.pages().values())
    headings = set(re.findall(r"^## `(wp\.[\w.]+)`", text, flags=re.MULTILINE))
    builtins = set(re.findall(r"`(?:wp\.)?(\w+)[(`]", BUILTINS))
    # Constants have two names.
    builtins |= {name.lower() for name in builtins if name.isupper()}

    def is_told(path: str) -> bool:
        name = path.rpartition(".")[2]
        # Some modules have names of the package, too.
        is_again = f"wp.{name}" in headings and names.get(f"wp.{name}") is names[path]
        return path in headings or is_again or name in builtins

    assert [path for path in names if not is_told(path)] == []


def test_every_name_has_a_docstring(names: dict[str, Any], of_classes: dict[str, Any]) -> None:
    assert [path for path, of in names.items() if not api_reference.described(of)] == []
    assert [path for path, of in of_classes.items() if not inspect.getdoc(of)] == []


def test_every_name_has_a_signature(names: dict[str, Any], of_classes: dict[str, Any]) -> None:
    def lacks(of: Any) -> bool:
        # Exceptions are called as Python's own are.
        is_error = inspect.isclass(of) and issubclass(of, BaseException)
        return callable(of) and not is_error and not has_signature(of)

    assert [path for path, of in (names | of_classes).items() if lacks(of)] == []


def test_signatures_say_what_is_passed() -> None:
    for of, said in (
        (wp.sin, "(x: 'F') -> 'F'"),
        (wp.randf, "(state: 'ref(uint32)', low: 'float32' = Ellipsis, high: 'float32' = Ellipsis) -> 'float32'"),
        (wp.atomic_add, "(arr: 'array', i: 'any', *args) -> 'E'"),
        (wp.vector, "(*args, length: 'any' = None, dtype: 'any' = None) -> 'vec(N, S)'"),
        (wp.bvh_query_ray, "(id: 'wp.uint64', start: 'wp.vec3', dir: 'wp.vec3', root: 'int' = -1) -> 'BvhQuery'"),
    ):
        assert str(inspect.signature(of)) == said
    assert list(inspect.signature(wp.Kernel).parameters)[:2] == ["func", "key"]

    def doubled(x: float, y: float = 2.0) -> float:
        return x * y

    assert inspect.signature(wp.func(doubled)) == inspect.signature(doubled)
