"""`__module__` and `__doc__` of classes whose objects have those of the function that they were made of."""

from __future__ import annotations

from typing import Any

from warp._warp import Function, Kernel


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
