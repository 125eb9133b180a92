"""Python functions, lambdas among them, as functions that kernels call."""

from __future__ import annotations

import sys
from types import CellType, CodeType, FrameType, FunctionType
from typing import Any

from warp._language.function_text import _annotations
from warp._language.function_text import _source as _text_of
from warp._language.modules import About, key_of, register_function
from warp._warp import (
    Builtin,
    Function,
    Kernel,
)


def _name(func: Any) -> str:
    name = getattr(func, "__name__", "")
    return name if name.isidentifier() else "function"


def _function(func: Any) -> Any:
    """What kernels call."""
    if isinstance(func, Function | Builtin) or isinstance(func, type):
        return func
    if type(func) is not FunctionType:
        known = "; a kernel is launched" if isinstance(func, Kernel) else ""
        raise TypeError(
            f"map: func is of type {type(func).__name__}, expected a builtin, a @wp.func or a Python function{known}"
        )
    name, func = _name(func), _frozen(func)
    if func.__name__ == "<lambda>":
        return _of_lambda(func, name)
    return Function._of(func, name, _text_of(func), _annotations(func, "function", _caller()))


def _of_lambda(func: FunctionType, name: str, about: About | None = None) -> Function:
    parameters = [(param, None) for param in _params(func.__code__)]
    return Function._of(func, name, _lambda_text(func, name), parameters, None, about)


def of_lambda(func: FunctionType) -> Function:
    """A function that kernels can call, of a lambda; its module is that of the lambda."""
    about = About(key_of(func), func.__module__, {}, [(param, None) for param in _params(func.__code__)])
    made = _of_lambda(func, _name(func), about)
    register_function(made, about)
    return made


def _frozen(func: FunctionType) -> FunctionType:
    """A copy with cells of its own: a kernel looks its names up again, and others of the meaning share it."""
    cells = func.__closure__
    if cells is not None:
        cells = tuple([_copied_cell(cell) for cell in cells])
    made = FunctionType(func.__code__, func.__globals__, func.__name__, func.__defaults__, cells)
    made.__kwdefaults__, made.__annotations__ = func.__kwdefaults__, func.__annotations__
    made.__module__, made.__qualname__ = func.__module__, func.__qualname__
    return made


def _copied_cell(cell: CellType) -> CellType:
    try:
        return CellType(cell.cell_contents)
    except ValueError:  # not assigned yet
        return CellType()


def _params(code: CodeType) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


# Modules whose frames are between a call of `wp.map` and here.
_OURS = (__name__.rpartition(".")[0] + ".", "warp._base.lazy")


def _caller() -> FrameType:
    frame = sys._getframe(1)
    while str(frame.f_globals.get("__name__")).startswith(_OURS) and frame.f_back is not None:
        frame = frame.f_back
    return frame


def _lines(func: FunctionType) -> list[str]:
    """The lines of the text that a lambda stands in."""
    import inspect

    code = func.__code__
    try:
        return inspect.findsource(func)[0]
    except (OSError, TypeError, IndexError, SyntaxError):
        from warp._language import recovered

        found = recovered.lines_of(code)
        if found is None:
            raise
        return found


def _lambda_text(func: FunctionType, name: str) -> tuple[str, int, str]:
    """A lambda as a function's text: found by where its instructions say that they come from."""
    import ast

    code = func.__code__
    try:
        source = "".join(_lines(func))
        nodes = [
            node
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno
        ]
    except (OSError, SyntaxError, TypeError) as error:
        raise OSError(
            f"the source text of the lambda in {code.co_filename}, line {code.co_firstlineno}, is not available; "
            "write it as a function"
        ) from error
    at = [
        (line, column, end_line, end_column)
        for line, end_line, column, end_column in code.co_positions()
        if line is not None
        and column is not None
        and end_line is not None
        and end_column is not None
        and (line, column) != (end_line, end_column)
    ]

    def is_it(node: ast.Lambda) -> bool:
        if [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)] != [*_params(code)]:
            return False
        body = node.body
        if not at:
            # Python 3.12 does not say where a constant comes from.
            return compile(ast.Expression(body), "", "eval").co_consts[-1:] == code.co_consts[-1:]
        first, last = min((p[0], p[1]) for p in at), max((p[2], p[3]) for p in at)
        end = (body.end_lineno or 0, body.end_col_offset or 0)
        return (body.lineno, body.col_offset) <= first and last <= end

    around = [node for node in nodes if is_it(node)]
    if not around:
        raise OSError(f"the text of the lambda in {code.co_filename}, line {code.co_firstlineno}, is not found there")
    # The innermost of several.
    node = max(around, key=lambda node: (node.lineno, node.col_offset))
    body = ast.unparse(node.body)
    arguments = ast.unparse(node.args)
    return code.co_filename, code.co_firstlineno, f"def {name}({arguments}):\n    return {body}\n"
