"""Signatures of kernels, functions and builtins, for ``inspect.signature`` and what asks it: editors, notebooks."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from inspect import Parameter, Signature
from typing import Any

from warp._warp import Builtin


def of(definition: Any) -> Signature:
    """The signature of a builtin, or of the Python function behind a kernel or function."""
    if isinstance(definition, Builtin):
        return merged([parsed(text) for text in definition._signatures])
    return inspect.signature(definition.__wrapped__)


def parsed(text: str) -> Signature:
    """The signature that ``name(x: F, y: vec(3, F) = 1, *more: F) -> F`` is; types are texts."""
    begin = text.index("(") + 1
    parts = [""]
    depth = 1
    for at in range(begin, len(text)):
        sign = text[at]
        depth += (sign in "([") - (sign in ")]")
        if depth == 0:
            break
        if sign == "," and depth == 1:
            parts.append("")
        else:
            parts[-1] += sign
    returned = text[at + 1 :].partition("->")[2].strip()
    return Signature(list(_parameters(parts)), return_annotation=returned or Signature.empty)


def _parameters(parts: list[str]) -> Iterator[Parameter]:
    by_name = False
    for part in filter(None, map(str.strip, parts)):
        declared, _, default = part.partition(" = ")
        name, _, annotation = declared.partition(": ")
        several = name.startswith("*")
        kind = Parameter.KEYWORD_ONLY if by_name else Parameter.POSITIONAL_OR_KEYWORD
        yield Parameter(
            name.removeprefix("*"),
            Parameter.VAR_POSITIONAL if several else kind,
            default=_value(default) if default else Parameter.empty,
            annotation=annotation or Parameter.empty,
        )
        by_name = by_name or several


def _value(text: str) -> Any:
    if text == "none":
        return None
    try:
        return ast.literal_eval(text)
    except ValueError:
        return getattr(sys.modules["warp"], text.removeprefix("wp."))


def merged(found: list[Signature]) -> Signature:
    """One signature for all: what only some overloads have is optional, and what they name differently is `args`."""
    if len(found) == 1:
        return found[0]
    longest = max(found, key=lambda one: len(one.parameters))
    parameters: list[Parameter] = []
    for at, (name, wanted) in enumerate(longest.parameters.items()):
        here = [list(one.parameters.values())[at] for one in found if len(one.parameters) > at]
        if any((one.name, one.kind) != (name, wanted.kind) for one in here):
            before = {one.name for one in parameters}
            parameters += [Parameter("args", Parameter.VAR_POSITIONAL), *_by_name(found, before)]
            break
        optional = wanted.default
        if len(here) < len(found) and optional is Parameter.empty and wanted.kind is not Parameter.VAR_POSITIONAL:
            optional = ...
        parameters.append(wanted.replace(default=optional, annotation=_any(one.annotation for one in here)))
    return Signature(parameters, return_annotation=_any(one.return_annotation for one in found))


def _by_name(found: list[Signature], before: set[str]) -> list[Parameter]:
    """Parameters with a default, which calls give by name where positions differ."""
    each = [one for signature in found for one in signature.parameters.values()]
    named = {one.name: one for one in each if one.default is not Parameter.empty and one.name not in before}
    return [one.replace(kind=Parameter.KEYWORD_ONLY) for one in named.values()]


def _any(annotations: Iterator[Any]) -> Any:
    return " | ".join(dict.fromkeys(str(one) for one in annotations if one is not Parameter.empty)) or Parameter.empty
