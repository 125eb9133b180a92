"""Modules, functions and classes that are imported when something of theirs is first asked for.

Inspection of a namespace (`dir`, `help`, `doctest`, `unittest.mock`) reads names in double underscores, which are
answered without an import: an import may fail, and changes the inspected namespace.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from warp._base.class_names import named

#: Names in double underscores that only the function or class itself can answer for.
_OWN = {
    "__annotations__",
    "__bases__",
    "__code__",
    "__defaults__",
    "__kwdefaults__",
    "__members__",
    "__mro__",
    "__signature__",
    "__subclasses__",
}
#: What others look for in any object, to know their own.
_FOREIGN = ("_is_coroutine", "_mock_", "_spec_", "_ipython_", "_repr_")


def _import(name: str) -> ModuleType:
    from importlib import import_module  # where nothing is imported late, importlib need not be

    return import_module(name)


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _file(module: str) -> str:
    """The file of a module of the package. To look for it as an import does would import the modules around it."""
    import os

    package, *parts = module.split(".")
    path = os.path.join(os.path.dirname(str(sys.modules[package].__file__)), *parts)
    return os.path.join(path, "__init__.py") if os.path.isdir(path) else f"{path}.py"


def _doc(module: str, name: str | None = None) -> str | None:
    """The docstring of a module, or of a function or class in it, from its text. A value has that of its class."""
    import ast

    try:
        with open(_file(module), encoding="utf-8") as text:
            node: Any = ast.parse(text.read())
    except (OSError, SyntaxError, ValueError):
        return None  # there is no text
    if name is None:
        return ast.get_docstring(node)
    made = {n.name: n for n in node.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    for statement in node.body:
        if name not in made and isinstance(statement, ast.Assign):
            parts = list(ast.walk(statement))
            classes = [p.func.id for p in parts if isinstance(p, ast.Call) and isinstance(p.func, ast.Name)]
            if any(isinstance(p, ast.Name) and p.id == name for p in parts) and classes:
                name = classes[0]
            elif isinstance(statement.value, ast.Name) and name in [ast.unparse(t) for t in statement.targets]:
                name = statement.value.id
    return ast.get_docstring(made[name]) if name in made else None


@named("module")
class LazyModule(ModuleType):
    # Stands for the module of its name in the package's namespace, until the import of that puts the module there.
    # It is not in `sys.modules`, whose entries others (`inspect`, `pickle`) look through for names. (No docstring: it
    # has the module's.)

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return _doc(self.__name__)

    def __getattr__(self, name: str) -> Any:
        if name == "__file__":
            return _file(self.__name__)
        if name == "__path__" and _file(self.__name__).endswith("__init__.py"):
            return [_file(self.__name__).removesuffix("__init__.py")[:-1]]
        if (_is_dunder(name) and name != "__all__") or name.startswith(_FOREIGN):
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'", name=name, obj=self)
        try:
            return getattr(_import(self.__name__), name)
        except ImportError as error:
            if name.startswith("_"):
                raise AttributeError(f"module '{self.__name__}' has no attribute '{name}': {error}") from error
            raise

    def __setattr__(self, name: str, value: object) -> None:
        setattr(_import(self.__name__), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_import(self.__name__), name)

    def __dir__(self) -> list[str]:
        try:
            return dir(_import(self.__name__))
        except ImportError:  # it needs what is not installed
            return sorted(self.__dict__)

    def __repr__(self) -> str:
        return f"<module '{self.__name__}', imported at its first use>"


@named("function")
class LazyName:
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
        imported = sys.modules.get(self._module)
        if imported is not None:
            return getattr(imported, self._name).__doc__  # type: ignore[no-any-return]
        return _doc(self._module, self._name)

    def __getattr__(self, name: str) -> Any:
        if name in ("__name__", "__qualname__"):
            return self._name
        if (_is_dunder(name) and name not in _OWN) or name.startswith(_FOREIGN):
            raise AttributeError(f"'{self._name}' has no attribute '{name}'", name=name, obj=self)
        try:
            found = self._found()
        except ImportError as error:
            if name.startswith("_"):
                raise AttributeError(f"'{self._name}' has no attribute '{name}': {error}") from error
            raise
        if name == "__signature__":
            import inspect

            try:
                return inspect.signature(found)
            except (TypeError, ValueError) as error:
                raise AttributeError(f"'{self._name}' has no signature") from error
        return getattr(found, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._found()(*args, **kwargs)

    def __dir__(self) -> list[str]:
        try:
            return dir(self._found())
        except ImportError:  # it needs what is not installed
            return sorted(object.__dir__(self))

    def __repr__(self) -> str:
        if self._module in sys.modules:
            return repr(self._found())
        return f"<'{self._name}' of '{self._module}', imported at its first use>"

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
