"""The source text of functions that are in no file: of ``python -c``, standard input, ``exec`` and interactive prompts.

Texts are looked for where they may be, and one counts only if Python compiles it to the very code of the function.
"""

from __future__ import annotations

import ast
import sys
import textwrap
import warnings
from collections import deque
from collections.abc import Iterator
from os import PathLike
from types import CodeType, FrameType

#: A text that defines the function, and the line of it that is line 1 to Python.
_Found = list[str]

# Files that Python names so are no files: several texts may have one of these names.
SHARED_NAMES = ("<string>", "<stdin>", "<console>", "<input>", "<unknown>", "<exec>", "<eval>")
_MOST_CHARACTERS = 8 << 20
_MOST_NAME = 4096
_MOST_FRAMES = 200
_MOST_LINES = 2000

#: Texts that were right before: a function in them may define kernels later, when nobody else holds the text.
_right: deque[str] = deque(maxlen=64)


def lines_of(code: CodeType, given: list[str] | None = None) -> _Found | None:
    """The lines of the text that code was compiled from, so that its first line is where code says; None if not found.

    Args:
        code: The code of a function or a lambda.
        given: Lines that it may be.
    """
    for text in _candidates(code, given):
        if not isinstance(text, str) or len(text) > _MOST_CHARACTERS or not _mentions(text, code):
            continue
        for whole in (text, textwrap.dedent(text)):
            if _compiles_to(whole, code):
                if whole not in _right:
                    _right.append(whole)
                return whole.splitlines(keepends=True)
        part = _statement(text, code)
        if part is not None:
            return part.splitlines(keepends=True)
    return None


def block_of(code: CodeType, lines: list[str]) -> list[str] | None:
    """The lines of the function whose code it is, decorators included."""
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == code.co_name:
            first = min(at.lineno for at in (node, *node.decorator_list))
            if first == code.co_firstlineno:
                return lines[first - 1 : node.end_lineno]
    return None


def why_not(code: CodeType) -> str:
    """What the author can do, where the text is not found."""
    if code.co_filename == "<stdin>" and not hasattr(sys, "ps1"):
        return (
            "Python read the program from a pipe, of which at most the last few thousand characters are kept, and none "
            "with `python -u` or PYTHONUNBUFFERED; name the file (`python file.py`), redirect it (`python - < file.py`)"
            " or use `python -c`"
        )
    return (
        "define it in a file or a notebook cell, keep the text in a variable of the function that calls exec(), or "
        "register it in linecache before exec()"
    )


def _candidates(code: CodeType, given: list[str] | None) -> Iterator[object]:
    if given is not None:
        yield "".join(given)
    yield from _command()
    if code.co_filename == "<stdin>":
        yield from _typed(code)
        yield from _standard_input()
    yield from _variables()
    yield from reversed(list(_right))
    if code.co_filename == "<stdin>" and not hasattr(sys, "ps1"):
        from warp._language import piped

        yield from piped.texts(code.co_name, code.co_firstlineno)


def _command() -> Iterator[str]:
    """What follows ``-c``, which may be one word with other options, or with the text."""
    words = sys.orig_argv
    for at in range(1, len(words)):
        word = words[at]
        if word.startswith("-") and not word.startswith("--") and "c" in word:
            attached = word.partition("c")[2]
            if attached:
                yield attached + "\n"
            elif at + 1 < len(words):
                yield words[at + 1] + "\n"


def _standard_input() -> Iterator[str]:
    """The file that standard input was redirected from, from its beginning; a pipe has none."""
    import os
    import stat

    try:
        if stat.S_ISREG(os.fstat(0).st_mode):
            with open("/proc/self/fd/0", encoding="utf-8") as file:  # its own position
                yield file.read(_MOST_CHARACTERS)
    except (OSError, ValueError):
        return


def _typed(code: CodeType) -> Iterator[str]:
    """What was typed at a prompt: the last lines that the line editor kept, one after the other."""
    readline = sys.modules.get("readline")
    if readline is None:
        return
    last = readline.get_current_history_length()
    typed: list[str] = []
    for at in range(last, max(0, last - _MOST_LINES), -1):
        line = readline.get_history_item(at)
        if line is None:
            return
        typed.insert(0, line + "\n")
        # Where a statement may begin; decorators stand before `def`.
        if line[:1] not in ("", " ", "\t", "#", ")", "]", "}"):
            yield "".join(typed)


def _variables() -> Iterator[object]:
    """Texts of the frames that are running: whoever calls ``exec`` may hold what it was given."""
    frame: FrameType | None = sys._getframe(1)
    seen: set[int] = set()
    for _ in range(_MOST_FRAMES):
        if frame is None:
            return
        code = frame.f_code
        values = [*code.co_consts, *frame.f_locals.values()]
        known = frame.f_globals
        values += [known[name] for name in code.co_names if name in known]
        for value in values:
            # What the frame reads of its objects, such as `cell.source`.
            kept = getattr(value, "__dict__", None)
            held = [kept[name] for name in code.co_names if name in kept] if type(kept) is dict else []
            for text in (value, *held):
                if isinstance(text, str | bytes | PathLike) and id(text) not in seen:
                    seen.add(id(text))
                    yield text.decode("utf-8", "replace") if isinstance(text, bytes) else text
                    yield _content(text)
        frame = frame.f_back


def _content(name: str | bytes | PathLike[str]) -> str | None:
    """What stands in a file of that name: of ``exec(open(name).read())``."""
    import os

    if isinstance(name, str | bytes) and (len(name) > _MOST_NAME or "\n" in os.fsdecode(name)):
        return None
    try:
        if os.path.isfile(name) and os.path.getsize(name) <= _MOST_CHARACTERS:
            with open(name, encoding="utf-8") as file:
                return file.read()
    except (OSError, ValueError):
        pass
    return None


def _mentions(text: str, code: CodeType) -> bool:
    return (f"def {code.co_name}" if code.co_name != "<lambda>" else "lambda") in text


def _flags(code: CodeType) -> int:
    """What ``from __future__`` said where the function was compiled."""
    import __future__

    every = 0
    for name in __future__.all_feature_names:
        every |= getattr(__future__, name).compiler_flag
    return code.co_flags & every


def _compiles_to(text: str, code: CodeType) -> bool:
    """Whether a text, compiled as a whole, has the very code in it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = compile(text, code.co_filename, "exec", flags=_flags(code), dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    waiting = [made]
    while waiting:
        one = waiting.pop()
        if one == code and one.co_linetable == code.co_linetable and one.co_flags == code.co_flags:
            return True
        waiting += [constant for constant in one.co_consts if isinstance(constant, CodeType)]
    return False


def _statement(text: str, code: CodeType) -> str | None:
    """The statement of a text that compiles to the code by itself: at a prompt each statement begins at line 1."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    lines = text.splitlines(keepends=True)
    for node in reversed(tree.body):
        first = min([node.lineno, *(at.lineno for at in getattr(node, "decorator_list", ()))])
        part = "".join(lines[first - 1 : node.end_lineno])
        if _mentions(part, code) and _compiles_to(part, code):
            return part
    return None
