"""Writes the host API as pages for the site, from docstrings and signatures: `make docs`.

    python scripts/api_reference.py FOLDER

Each public name of `warp` and of its public modules is on one page, by subject. Functions of kernels are left to
`docs/builtins.md`, which the table of the compiler gives.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
import re
import sys
import typing
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import GenericAlias, ModuleType, UnionType
from typing import Any

import warp as wp
from warp import _public

#: Page and heading of the names that a module defines; the longest start of its name counts.
SUBJECTS = {
    "warp._arrays": ("arrays", "Maps and array types"),
    "warp._geometry": ("queried", "Objects that kernels query"),
    "warp.geometry": ("queried", "Objects that kernels query"),
    "warp._cuda": ("devices", "Devices, streams and memory"),
    "warp._devices": ("devices", "Devices, streams and memory"),
    "warp._host": ("messages", "Messages, reports and timelines"),
    "warp._language": ("language", "Kernels, functions, structs and modules"),
    "warp._values": ("values", "Types of values"),
    "warp._base": ("values", "Types of values"),
    "warp._warp": ("core", "Arrays, launches and errors"),
    "warp._jax": ("frameworks", "Names for frameworks"),
    "warp.jax": ("frameworks", "Names for frameworks"),
    "warp.context": ("devices", "Devices, streams and memory"),
    "warp.types": ("values", "Types of values"),
    "warp.utils": ("messages", "Messages, reports and timelines"),
}
#: Public modules, each a page.
MODULES = ("utils", "optim", "optim.linear", "geometry", "autograd", "torch", "jax", "paddle", "config", "types")


def subject(module: str) -> tuple[str, str]:
    """Page and heading for what a module defines."""
    found = [start for start in SUBJECTS if module == start or module.startswith(f"{start}.")]
    return SUBJECTS[max(found, key=len)] if found else ("other", "Other names")


def names() -> Iterator[tuple[str, str, Any]]:
    """Module, name and object of each row of the public table."""
    for table in _public._TABLE.values():
        for module, text in table.items():
            for name in text.split():
                if module != "builtins" and not isinstance(getattr(wp, name, None), ModuleType):
                    yield module, name, getattr(wp, name, None)


def members(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """What can be called of a module; of one that lists none, those that `wp` has not under this name."""
    listed = getattr(module, "__all__", None)
    for name in sorted(listed or dir(module)):
        of = getattr(module, name, None)
        own = str(getattr(of, "__module__", "")).startswith("warp") and getattr(wp, name, None) is not of
        is_there = "not supported" not in repr(of)
        if not name.startswith("_") and (listed or own) and is_there and callable(of):
            yield name, of


class _Plain:
    """An annotation, which a signature shows without the quotes of a string."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def signature(of: Any, *, method: bool = False) -> str:
    """The parameters, without the `self` of a method, or nothing where Python knows none."""
    try:
        found = inspect.signature(of)
    except (TypeError, ValueError):
        return ""

    def plain(annotation: Any) -> Any:
        return _Plain(annotation) if isinstance(annotation, str) else annotation

    parameters = [one.replace(annotation=plain(one.annotation)) for one in found.parameters.values()]
    if method and parameters and parameters[0].name == "self":
        del parameters[0]
    found = found.replace(parameters=parameters, return_annotation=plain(found.return_annotation))
    return re.sub(r" object at 0x[0-9a-f]+", "", str(found))


def broken(name: str, called: str) -> str:
    """A call, with a line for each parameter where one line would be long."""
    if len(name) + len(called) <= 80:
        return name + called
    parts, depth, quote = [""], 0, ""
    for sign in called[1:]:
        if quote or sign in "'\"":
            quote = "" if sign == quote else quote or sign
        depth += (sign in "([{") - (sign in ")]}") if not quote else 0
        if depth < 0:
            break
        if sign == "," and depth == 0 and not quote:
            parts.append("")
        else:
            parts[-1] += sign
    after = called[1 + len(",".join(parts)) :]
    return "\n".join([f"{name}(", *(f"    {part.strip()}," for part in parts), after])


def described(of: Any) -> str:
    """The docstring of a name, not of the type of a value."""
    if isinstance(of, typing.TypeVar):
        return f"A type variable, for annotations of what takes several types: {_choice(of)}."
    if isinstance(of, UnionType | GenericAlias) or typing.get_origin(of) is not None:
        return f"A type, for annotations: `{of}`."
    if not (inspect.isroutine(of) or inspect.isclass(of)) and getattr(of, "__doc__", None) == type(of).__doc__:
        return f"A value of type `{type(of).__name__}`: `{of!r}`." if isinstance(of, int | str | float) else ""
    return inspect.cleandoc(getattr(of, "__doc__", None) or "")


def _choice(of: typing.TypeVar) -> str:
    """What a type variable stands for."""
    names = [getattr(one, "__name__", str(one)) for one in of.__constraints__]
    return ", ".join(f"`{name}`" for name in names) if names else f"`{of.__bound__ or 'any'}`"


def entry(path: str, of: Any) -> list[str]:
    """A name with its signature, docstring and, for classes, what it has."""
    lines = [f"## `{path}`", ""]
    called = signature(of) if callable(of) else ""
    if called:
        lines += ["```python", broken(path.rpartition(".")[2], called), "```", ""]
    text = described(of)
    if text:
        lines += [shown(text), ""]
    if inspect.isclass(of) and not issubclass(of, BaseException):
        has = list(attributes(of))
        lines += ["**Methods and properties:**", "", *has, ""] if has else []
    return lines


def is_member(of: type, name: str) -> bool:
    """Whether a class has a method or a property of that name. The text of a struct says what its fields are."""
    member = vars(of)[name]
    is_field = type(member).__name__ == "CField" or name in vars(of).get("_annotations_", ())
    return not is_field and (inspect.isroutine(member) or inspect.isdatadescriptor(member))


def attributes(of: type) -> Iterator[str]:
    """A line for each public method and property of a class."""
    for name in sorted(vars(of)):
        if name.startswith("_"):
            continue
        # Asked for first: one whose module is imported at its first use takes its place then.
        found = getattr(of, name, None)
        member = vars(of)[name]
        if is_member(of, name):
            text = inspect.getdoc(member) or ""
            brief = re.split(r"\n\n|\n(?:Args|Returns|Raises):", text)[0]
            brief = shown(brief.replace("\n", " "))
            called = signature(found, method=True) if inspect.isroutine(member) else ""
            yield f"- `{name}{called}`{': ' if brief else ''}{brief}"


def shown(text: str) -> str:
    """A docstring as Markdown: sections become lists, and what has two backquotes has one."""
    lines, within = [], False
    for line in text.replace("``", "`").splitlines():
        if re.fullmatch(r"(Args|Returns|Raises|Yields|Attributes):", line):
            lines += [f"**{line}**", ""]
            within = True
        elif within and re.match(r" {4}\S", line):
            lines.append(re.sub(r"^ {4}([\w*, .]+):", r"- `\1`:", line) if ":" in line else f"- {line.strip()}")
        elif within and line.startswith("     "):
            lines.append(f"  {line.strip()}")
        else:
            within = within and not line.strip()
            lines.append(line)
    return "\n".join(lines)


def settings(module: ModuleType) -> list[str]:
    """Names of a module that are followed by a text, as those of `wp.config`."""
    lines: list[str] = []
    body = ast.parse(inspect.getsource(module)).body
    for before, after in itertools.pairwise(body):
        text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else None
        if isinstance(before, ast.AnnAssign) and isinstance(before.target, ast.Name) and isinstance(text, str):
            said = f"`{before.target.id}: {ast.unparse(before.annotation)}`"
            lines += [f"- {said}: {shown(inspect.cleandoc(text))}"]
    return [*lines, ""]


def pages() -> dict[str, list[str]]:
    """The lines of each page."""
    made: dict[str, list[str]] = defaultdict(list)
    for module, name, of in sorted(names(), key=lambda found: found[1].lower()):
        page, heading = subject(module)
        if not made[page]:
            made[page] += [f"# {heading}", ""]
        made[page] += entry(f"wp.{name}", of)
    for short in MODULES:
        module = importlib.import_module(f"warp.{short}")
        lines = [f"# `warp.{short}`", "", shown(described(module)), ""]
        lines += settings(module)
        for name, of in members(module):
            lines += entry(f"wp.{short}.{name}", of)
        made[short.replace(".", "_")] = lines
    return made


def overview(made: dict[str, list[str]]) -> str:
    """Links to all names, page by page, in the order in which the site lists the pages."""
    listed = (Path(__file__).parents[1] / "mkdocs.yml").read_text(encoding="utf-8")
    text = "# API of the host\n\nWhat programs call. What kernels call is in the [builtins](../builtins.md).\n"
    for page, lines in sorted(made.items(), key=lambda found: listed.find(f": api/{found[0]}.md")):
        text += f"\n## [{lines[0].removeprefix('# ')}]({page}.md)\n\n"
        found = [line.removeprefix("## ").strip("`") for line in lines if line.startswith("## `")]
        text += ", ".join(f"[`{name}`]({page}.md#{re.sub(r'[^a-z0-9_]', '', name.lower())})" for name in found) + "\n"
    return text


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.md"):
        old.unlink()
    made = pages()
    for page, lines in made.items():
        (folder / f"{page}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "index.md").write_text(overview(made), encoding="utf-8")


if __name__ == "__main__":
    main()
