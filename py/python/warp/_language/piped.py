"""The end of a program that Python read from a pipe: what the C library's buffer of standard input still holds.

Nobody promises that it is there, and it need not be all of the program. So these are texts to be compared with the code
that they should be of, as all in :mod:`warp._language.recovered`. Unbuffered standard input (`python -u`) keeps none.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from types import ModuleType

_MOST_BYTES = 1 << 16
# Where glibc's FILE has the beginning and the end of its buffer, in words.
_BASE, _END = 7, 8


def _buffer() -> bytes:
    """What the buffer of standard input holds."""
    try:
        file = ctypes.c_void_p.in_dll(ctypes.CDLL(None), "stdin").value
    except (OSError, ValueError):
        return b""
    if not file:
        return b""
    words = (ctypes.c_void_p * (_END + 1)).from_address(file)
    base, end = words[_BASE], words[_END]
    if not base or not end or not 1 < end - base <= _MOST_BYTES:
        return b""
    return ctypes.string_at(base, end - base)


def texts(name: str, first: int) -> Iterator[str]:
    """Texts in which a function may be at the line where Python saw it.

    Args:
        name: The function's name.
        first: Its line in the program, or that of its first decorator.
    """
    held = _buffer()
    ends = [at + 1 for at, byte in enumerate(held) if byte == ord("\n")]
    # A program that fits begins where the buffer does. Of a longer one the last part overwrote the part before.
    for end in reversed(ends):
        yield held[:end].decode("utf-8", "replace")
    for end in reversed(ends):
        yield from _aligned((held[end:] + held[:end]).decode("utf-8", "replace"), name, first)


def _aligned(text: str, name: str, first: int) -> Iterator[str]:
    """The statements from the one on that holds a function, with as many lines before as there were."""
    lines = text.splitlines(keepends=True)
    for at, line in enumerate(lines):
        if not line.lstrip().startswith(f"def {name}"):
            continue
        own = at
        while own > 0 and lines[own - 1].lstrip().startswith("@"):
            own -= 1
        # A function in another one, or in a condition: from where that begins.
        outer = own
        while outer > 0 and (not lines[outer].strip() or lines[outer][0] in " \t#)"):
            outer -= 1
        before = first - 1 - (own - outer)
        if before >= 0:
            part = "".join(lines[outer:])
            yield "\n" * before + part
            if before > 0:
                yield _imports() + "\n" * before + part


def _imports() -> str:
    """An import of the program's modules, as Python compiles calls of what is imported differently."""
    main = vars(sys.modules["__main__"])
    return "".join(f"import {name};" for name, value in main.items() if isinstance(value, ModuleType))
