"""Protocols of Python for classes of the extension, of structs and of values: docstrings, signatures, copies and
pickles.

`give` adds them at import. Kernels and functions have `__module__` and `__doc__` of the Python function behind them.
"""

from __future__ import annotations

import copyreg
from typing import Any

from warp._language.struct import _StructType
from warp._values.storage import Kind
from warp._warp import Builtin, Elem, Function, Kernel


class ClassText(str):
    """A class's text, in whose place its objects have the attribute `own`; else the class would have a descriptor."""

    own: str

    def __new__(cls, text: str, own: str) -> ClassText:
        made = super().__new__(cls, text)
        made.own = own
        return made

    def __get__(self, instance: object, owner: Any = None) -> Any:
        return self if instance is None else getattr(instance, self.own)

    def __set__(self, instance: object, value: Any) -> None:
        setattr(instance, self.own, value)


class Signature:
    """What ``inspect.signature`` finds of an object; of the class it finds what the extension says.

    The class has the attribute, too, as None: else `inspect` would ask for its `__wrapped__`, which a class has not.
    """

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return None
        from warp._language import signatures

        return signatures.of(instance)


_DOCS = {
    Kernel: "A Python function as native code, for each index of a launch: what ``@wp.kernel`` makes.",
    Function: "A function that kernels call: what ``@wp.func`` makes.",
}


def give() -> None:
    """Give the classes texts, which `pydoc` and others take for granted."""
    for made, doc in _DOCS.items():
        of: Any = made
        of.__module__ = ClassText("warp", "_module")
        of.__doc__ = ClassText(doc, "_doc")
    for kind in (Kernel, Function, Builtin):
        copied: Any = kind
        copied.__copy__ = _itself
        copied.__deepcopy__ = _itself
        copied.__signature__ = Signature()
    copyreg.pickle(Kernel, _definition)
    copyreg.pickle(Function, _definition)
    copyreg.pickle(Builtin, _builtin)
    copyreg.pickle(Elem, _elem)
    copyreg.pickle(_StructType, _struct)
    copyreg.pickle(Kind, _value_type)


def _itself(of: Any, memo: Any = None) -> Any:
    return of


def _builtin(of: Any) -> str:
    return str(of.__name__)


# What follows is imported when something is pickled.


def _definition(of: Any) -> str | tuple[Any, ...]:
    from warp._language import pickled

    return pickled.definition(of)


def _struct(of: Any) -> str | tuple[Any, ...]:
    from warp._language import pickled

    return pickled.struct(of)


def _elem(of: Any) -> str | tuple[Any, ...]:
    from warp._language import pickled

    return pickled.elem(of)


def _value_type(of: Any) -> str | tuple[Any, ...]:
    from warp._language import pickled

    return pickled.value_type(of)
