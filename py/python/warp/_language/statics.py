"""What expressions in ``wp.static`` give where a kernel or function is defined.

Their names may mean something else when the kernel is compiled: a loop that defines kernels has gone on. Expressions
that name variables of the function, or what is not defined yet, are left to the compiler.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from warp._language.function_text import _value_of

if TYPE_CHECKING:
    from warp._language.modules import About

#: Values by the expression, whatever its white space.
_Values = dict[str, Any]


def values_of(fn: Callable[..., Any], text: str, static: Any) -> _Values | None:
    """The values of a function's expressions; None if it has none that can be evaluated.

    Args:
        fn: The function.
        text: Its text.
        static: What such expressions are arguments of: ``wp.static``.
    """
    found: _Values = {}
    own = {*fn.__code__.co_varnames, *fn.__code__.co_cellvars}
    for call in _calls(fn, text, static):
        expression = call.args[0]
        if not (_names(expression) & own):
            try:
                found[ast.dump(expression)] = _value_of(fn, ast.unparse(expression))
            except Exception:  # noqa: BLE001 - the compiler says what is wrong, if it still is
                continue
    return found or None


def _evaluate(
    fn: Callable[..., Any], text: str, known: list[tuple[str, int]] | None = None, about: About | None = None
) -> Any:
    """The value of an expression when a kernel is compiled: the one that it had at the definition, or what it has now.

    Args:
        fn: The function.
        text: The expression.
        known: Variables of the function, and what they hold.
        about: What is known of the function.
    """
    if about is not None and about.adj.statics:
        key = _key_of(text)
        if key in about.adj.statics:
            return about.adj.statics[key]
    return _value_of(fn, text, known)


def _key_of(expression: str) -> str:
    """What values are kept by, of a text; empty if it is no expression."""
    try:
        return ast.dump(ast.parse(f"({expression})", mode="eval").body)
    except SyntaxError:
        return ""


def _calls(fn: Callable[..., Any], text: str, static: Any) -> list[Any]:
    """The calls of ``wp.static`` with one argument."""
    try:
        tree = ast.parse(textwrap.dedent(text))
    except SyntaxError:  # a line that goes on in the first column
        return []
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and len(node.args) == 1]
    found = []
    for call in calls:
        if isinstance(call.func, ast.Attribute | ast.Name) and "static" in ast.dump(call.func) and not call.keywords:
            try:
                is_static = _value_of(fn, ast.unparse(call.func)) is static
            except Exception:  # noqa: BLE001 - a name that is not defined yet
                continue
            found += [call] if is_static else []
    return found


def _names(expression: Any) -> set[str]:
    """The names that an expression reads and does not bind itself."""
    read: set[str] = set()
    bound: set[str] = set()
    for node in ast.walk(expression):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
    return read - bound
