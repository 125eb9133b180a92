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


class LaterName:
    # Stands for a function or class in the package's namespace, until it is first used. It is then imported and put
    # there; who took this object before goes on with it, as with the function or class. (No docstring: it has theirs.)

    __slots__ = ("_module", "_name")

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self._name = name

    def _found(self) -> Any:
        found = getattr(_import(self._module), self._name)
        package = vars(_import("warp"))
        if package.get(self._name) is self:
            package[self._name] = found
        return found

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self._found().__doc__  # type: ignore[no-any-return]

    def __getattr__(self, name: str) -> Any:
        # `inspect` follows __wrapped__ to the signature.
        return self._found() if name == "__wrapped__" else getattr(self._found(), name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._found()(*args, **kwargs)

    def __repr__(self) -> str:
        return repr(self._found())

    # What classes do besides: they are asked for instances, derived from, and some have members.

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, self._found())

    def __subclasscheck__(self, other: type) -> bool:
        return issubclass(other, self._found())

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[Any, ...]:
        return (self._found(),)

    def __iter__(self) -> Any:
        return iter(self._found())

    def __getitem__(self, key: Any) -> Any:
        return self._found()[key]

    def __or__(self, other: Any) -> Any:
        return self._found() | other

    def __ror__(self, other: Any) -> Any:
        return other | self._found()
