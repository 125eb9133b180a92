"""What arrays have of NumPy's: methods and properties whose modules are imported when they are first used."""

from __future__ import annotations

from typing import Any

from warp._warp import array

#: Attributes by the module that has them, under the same names.
_TABLE = {
    "conversions": "T __arrow_c_array__ __jax_array__ astype itemsize nbytes tolist",
    "logic": """
        __abs__ __and__ __iand__ __ilshift__ __invert__ __ior__ __irshift__ __ixor__ __lshift__ __rand__ __rlshift__
        __rrshift__ __rshift__ __rxor__ __xor__""",
    "reductions": "all any argmax argmin max mean min sum",
    "shown": "_repr_html_",
}


class _Late:
    """Stands for a function or property in a class, until it is first asked for."""

    __slots__ = ("_class", "_module", "_name")

    def __init__(self, owner: type, module: str, name: str) -> None:
        self._class = owner
        self._module = module
        self._name = name

    def _found(self) -> Any:
        from importlib import import_module

        found = getattr(import_module(f"{__package__}.{self._module}"), self._name)
        setattr(self._class, self._name, found)
        return found

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self._found().__get__(instance, owner)

    def __set__(self, instance: object, value: object) -> None:
        found = self._found()
        if hasattr(found, "__set__"):
            found.__set__(instance, value)
        else:
            # An attribute of the program's own hides a method.
            vars(instance)[self._name] = value


def give(owner: type) -> None:
    """Give a class of arrays these attributes, beside those that it defines itself."""
    own = vars(owner)
    for module, names in _TABLE.items():
        for name in names.split():
            if name not in own:
                setattr(owner, name, _Late(owner, module, name))


give(array)
