"""What of the package can be called, and with which parameters: found by introspection and in its stubs."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import pkgutil
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wrong_use.tables import LEFT_OUT, RECEIVERS


@dataclass(frozen=True)
class Param:
    name: str
    annotation: str = ""
    is_required: bool = True
    is_star: bool = False
    is_keyword: bool = False


def _of_signature(signature: inspect.Signature) -> list[Param]:
    found = []
    for p in signature.parameters.values():
        if p.name in ("self", "cls") or p.kind is p.VAR_KEYWORD:
            continue
        annotation = "" if p.annotation is p.empty else str(p.annotation)
        star = p.kind is p.VAR_POSITIONAL
        found.append(Param(p.name, annotation, p.default is p.empty and not star, star, p.kind is p.KEYWORD_ONLY))
    return found


def _of_text(function: ast.FunctionDef) -> list[Param]:
    a = function.args
    plain = [*a.posonlyargs, *a.args]
    defaults = [None] * (len(plain) - len(a.defaults)) + list(a.defaults)

    def param(p: ast.arg, default: ast.expr | None, is_keyword: bool) -> Param:
        annotation = ast.unparse(p.annotation) if p.annotation else ""
        return Param(p.arg, annotation, default is None, is_keyword=is_keyword)

    found = [param(p, default, False) for p, default in zip(plain, defaults, strict=True)]
    if a.vararg:
        found.append(Param(a.vararg.arg, is_required=False, is_star=True))
    found += [param(p, default, True) for p, default in zip(a.kwonlyargs, a.kw_defaults, strict=True)]
    return [p for p in found if p.name not in ("self", "cls")]


@functools.cache
def _stubs() -> dict[str, list[list[Param]]]:
    """What the package's stubs say of functions and methods, by their names there."""
    import warp as wp

    found: dict[str, list[list[Param]]] = defaultdict(list)
    for path in sorted(Path(wp.__path__[0]).glob("*.pyi")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                found[node.name].append(_of_text(node))
            elif isinstance(node, ast.ClassDef):
                for method in node.body:
                    if isinstance(method, ast.FunctionDef):
                        name = node.name if method.name in ("__new__", "__init__") else f"{node.name}.{method.name}"
                        found[name].append(_of_text(method))
    return found


def signatures(value: Any, name: str) -> list[list[Param]]:
    """The parameters of each form of a callable."""
    # The stubs know the types of what is written in Rust.
    stubs = _stubs().get(name)
    if stubs:
        return stubs
    try:
        return [_of_signature(inspect.signature(value))]
    except (TypeError, ValueError):
        return [[Param("args", is_required=False, is_star=True)]]


def public_modules() -> list[tuple[str, Any]]:
    """The public modules of the package that can be imported, by their path."""
    import warp as wp

    found: list[tuple[str, Any]] = [("wp", wp)]
    for info in pkgutil.walk_packages(wp.__path__, "warp."):
        if any(part.startswith("_") or part == "examples" for part in info.name.split(".")):
            continue
        try:
            found.append((f"wp.{info.name.removeprefix('warp.')}", importlib.import_module(info.name)))
        except ImportError:
            continue  # it says itself that it is not supported, or wants what is not installed
    return sorted(found, key=lambda item: (item[0].count("."), item[0]))


def _public_names(path: str, module: Any) -> list[str]:
    if path == "wp":
        return sorted(n for n in dir(module) if not n.startswith("_"))
    if hasattr(module, "__all__"):
        return sorted(module.__all__)
    if path == "wp.config":
        return sorted(n for n in module.__annotations__ if not n.startswith("_"))
    return sorted(
        n
        for n in dir(module)
        if not n.startswith("_") and str(getattr(getattr(module, n), "__module__", "")).startswith("warp")
    )


def _resolved(value: Any) -> Any:
    """What stands behind a name that is imported at its first use."""
    found = getattr(value, "_found", None)
    return found() if found else value


@dataclass
class Surface:
    """What can be called, by kind; each group counts once where one is drawn."""

    functions: dict[str, list[tuple[str, Any, str]]] = field(default_factory=lambda: defaultdict(list))
    methods: dict[str, list[tuple[str, Any]]] = field(default_factory=dict)
    settings: list[str] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)


def group_of(name: str, value: Any) -> str:
    """Callables that are made alike share a group, so that vectors do not outweigh all others."""
    if type(value).__name__ == "Absent":
        return "refused"
    if isinstance(value, type):
        if issubclass(value, BaseException):
            return "error"
        return next((base.__name__ for base in value.__mro__[1:] if base.__name__.startswith("_")), name)
    if type(value).__name__ == "Builtin":
        return "builtin"
    try:
        if str(inspect.signature(value).return_annotation).strip("'") == "NoReturn":
            return "refused"
    except (TypeError, ValueError):
        pass
    return name


@functools.cache
def surface() -> Surface:
    found = Surface()
    classes: dict[str, type] = {}
    for path, module in public_modules():
        if path != "wp.config":
            found.modules.append(path)
        for name in _public_names(path, module):
            full = f"{path}.{name}"
            if path == "wp.config":
                if full not in LEFT_OUT:
                    found.settings.append(full)
                continue
            if full in LEFT_OUT:
                continue
            value = _resolved(getattr(module, name))
            if not callable(value) or inspect.ismodule(value) or id(value) in found.seen:
                continue
            found.seen.add(id(value))
            found.functions[group_of(full, value)].append((full, value, name))
            if isinstance(value, type) and not issubclass(value, BaseException):
                classes[name] = value
    for name in RECEIVERS:
        classes.setdefault(name, object)
    groups: dict[str, list[tuple[str, type]]] = defaultdict(list)
    for name, cls in classes.items():
        groups[group_of(name, cls)].append((name, cls))
    found.methods = {group: members for group, members in sorted(groups.items()) if members}
    found.functions = dict(sorted(found.functions.items()))
    return found


def class_of(name: str) -> type:
    import warp as wp

    found = getattr(wp, name, None)
    if isinstance(found, type):
        return found
    found = _resolved(found) if found is not None else None
    if isinstance(found, type):
        return found
    from wrong_use import values

    made = eval(RECEIVERS[name][0], vars(values))
    return type(made)
