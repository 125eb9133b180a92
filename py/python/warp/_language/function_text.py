"""What Python says of a function: its text, the annotations of its parameters, and what its names mean."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

#: File, first line and text of a function, decorators included.
_Text = tuple[str, int, str]


#: Names and annotations of parameters, in order.
_Annotations = list[tuple[str, Any]]


def _code(fn: Callable[..., Any]) -> CodeType:
    code = getattr(fn, "__code__", None)
    if not isinstance(code, CodeType):
        raise TypeError(
            f"expected a Python function, found {type(fn).__name__}; decorate a function written with `def`"
        )
    return code


def _source(fn: Callable[..., Any]) -> _Text:
    """The text of a function."""
    import inspect  # slow to import, and only needed once something is decorated

    code = _code(fn)
    file = code.co_filename
    problem = None
    try:
        lines, first = inspect.getsourcelines(fn)
    except (OSError, TypeError, IndexError, SyntaxError) as error:
        lines, first, problem = [], code.co_firstlineno, error
    if problem is not None or file.startswith("<"):
        from warp._language import recovered

        found = recovered.lines_of(code, _registered(file))
        block = None if found is None else recovered.block_of(code, found)
        if block is not None:
            lines, first = block, code.co_firstlineno
        elif problem is not None or file in recovered.SHARED_NAMES:
            raise OSError(
                f"the source text of function '{fn.__name__}' ({file}, line {code.co_firstlineno}) is not available; "
                f"{recovered.why_not(code)}"
            ) from problem
    return file, max(first, 1), "".join(lines)


def _registered(file: str) -> list[str] | None:
    """The lines that somebody registered under the name of a file."""
    import linecache

    entry = linecache.cache.get(file)
    if entry is None or len(entry) < 3:
        return None
    return list(entry[2])


def _annotations(fn: Callable[..., Any], kind: str, caller: FrameType) -> _Annotations:
    """Names and evaluated annotations of the parameters, in order.

    An annotation that is text (as with ``from __future__ import annotations``) may name what is local to
    the function that holds the decorator: ``caller`` is its frame.
    """
    code = fn.__code__
    if code.co_flags & 0x0C:
        raise TypeError(f"{kind} '{fn.__name__}' takes *args or **kwargs; list its parameters one by one")
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    found = dict(getattr(fn, "__annotations__", {}))
    scope: dict[str, Any] | None = None
    result = []
    for name in names:
        annotation = found.get(name)
        if isinstance(annotation, str):
            if scope is None:
                scope = _visible(fn) if caller.f_globals is caller.f_locals else {**_visible(fn), **caller.f_locals}
            try:
                annotation = _eval(annotation, scope)
            except Exception as error:
                raise TypeError(
                    f"parameter '{name}' of {kind} '{fn.__name__}': the annotation "
                    f"{annotation!r} cannot be evaluated ({error})"
                ) from error
        result.append((name, annotation))
    return result


def _visible(fn: Callable[..., Any]) -> dict[str, Any]:
    """What a name in the body of a function can mean: its closure over its globals."""
    scope = dict(fn.__globals__)
    for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True):
        try:
            scope[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            scope.pop(name, None)
    return scope


def _value_of(fn: Callable[..., Any], text: str, known: list[tuple[str, int]] | None = None) -> Any:
    """The value of an expression in a function's scope, where variables may be `known`."""
    scope = _visible(fn)
    scope.setdefault("len", _length)
    return _eval(text, {**scope, **dict(known or ())})


def _eval(text: str, scope: dict[str, Any]) -> Any:
    """The value of an expression. Once a KeyboardInterrupt has left an ``eval`` that was given text, Python ends with
    status 130, also if the program caught it.
    """
    return eval(compile(text.strip(), "<expression>", "eval"), scope)


def _length(value: Any) -> int:
    """``len``, which in ``wp.static`` takes types of vectors and matrices too."""
    return int(value._shape_[0]) if isinstance(value, type) and hasattr(value, "_shape_") else len(value)


def _text(fn: Callable[..., Any], source: str | None, code_transformers: Any) -> _Text:
    """The text of what is constructed: that of the function or `source`, as each transformer leaves it."""
    if source is None:
        file, line, text = _source(fn)
    else:
        code = _code(fn)
        file, line, text = code.co_filename, max(code.co_firstlineno, 1), source
    if code_transformers:
        import ast  # both are slow to import, and few programs transform code
        import textwrap

        tree: Any = ast.parse(textwrap.dedent(text))
        for transformer in code_transformers:
            tree = transformer.visit(tree)
        text = ast.unparse(ast.fix_missing_locations(tree))
    return file, line, text
