"""Modules that are imported when something of theirs is first asked for."""

from __future__ import annotations

from types import ModuleType
from typing import Any


def _import(name: str) -> ModuleType:
    from importlib import import_module  # where nothing is imported late, importlib need not be

    return import_module(name)


class Later(ModuleType):
    """Stands for the module of its name in the package's namespace, until the import of that puts the module there.

    It is not in `sys.modules`, whose entries others (`inspect`, `pickle`) look through for names.
    """

    def __getattr__(self, name: str) -> Any:
        return getattr(_import(self.__name__), name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(_import(self.__name__), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_import(self.__name__), name)

    def __dir__(self) -> list[str]:
        return dir(_import(self.__name__))

    def __repr__(self) -> str:
        return f"<module '{self.__name__}', imported at its first use>"
