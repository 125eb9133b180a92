"""Exceptions of Python functions that XLA calls, let out as they were raised.

XLA carries errors as text only. The text names the exception by a number, and `JaxRuntimeError.__new__` gives that
exception back in place of itself.
"""

from __future__ import annotations

import collections
import itertools
import re
import secrets
import threading
from typing import Any

import jax

#: How many exceptions are kept for whoever waits for their results.
_KEPT = 16

_raised: collections.OrderedDict[int, BaseException] = collections.OrderedDict()
_numbers = itertools.count(secrets.randbits(62) & ~0xFFFFFFFF)
_lock = threading.Lock()
_surfaced = False


class _CarriedError(RuntimeError):
    """Takes the number of an exception through XLA."""


def carried(title: str, error: BaseException) -> RuntimeError:
    """An error whose text stands for another one that the function `title` raised."""
    with _lock:
        number = next(_numbers)
        _raised[number] = error
        while len(_raised) > _KEPT:
            _raised.popitem(last=False)
    return _CarriedError(f"{title} raised {type(error).__name__} [warp exception {number}]")


def surface() -> None:
    """Lets carried exceptions out of XLA: jaxlib makes an exception of the text; from now on it is the one meant."""
    global _surfaced
    with _lock:
        if _surfaced:
            return
        _surfaced = True
    made = jax.errors.JaxRuntimeError.__new__

    def new(cls: Any, *args: Any) -> Any:
        if args and any(args[0] is error for error in list(_raised.values())):
            return args[0]  # it is on its way already
        found = re.search(r"\[warp exception (\d+)\]", args[0]) if args and isinstance(args[0], str) else None
        original = _raised.get(int(found[1])) if found else None
        return made(cls, *args) if original is None else original

    try:
        jax.errors.JaxRuntimeError.__new__ = new
    except TypeError:
        pass  # a class that cannot be changed: the error is jax's, with the traceback as its text
