"""Stand-ins for what `warp` does not have yet, so that modules which mention it can be imported."""

import contextlib
import importlib
import importlib.machinery
import importlib.util
import inspect
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

#: Modules that `warp` does not have yet.
LATER_MODULES = ("fem", "sparse", "render", "build_experimental")


def stand_in(warp: Any) -> None:
    """Gives each name that `warp` lacks a value that may be called, subscripted, derived from and annotated with."""

    class Meta(type):
        def __getattr__(cls, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            return missing(f"{cls.__name__}.{name}")

        def __getitem__(cls, key: Any) -> Any:
            return cls

        def __iter__(cls) -> Iterator[Any]:
            return iter(())

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            return args[0] if args and inspect.isfunction(args[0]) else cls

    def missing(path: str) -> Any:
        return Meta(path, (), {})

    def find(module: str, known: Any = None) -> Any:
        def found(name: str) -> Any:
            # Modules of the package's own, which are imported late.
            if name.startswith("_"):
                raise AttributeError(name)
            with contextlib.suppress(AttributeError):
                if known is not None:
                    return known(name)
            return missing(f"{module}.{name}")

        return found

    warp.__getattr__ = find("wp", getattr(warp, "__getattr__", None))

    class Finder:
        """Modules of `warp` that it lacks: those of the peer's own, and later ones."""

        @staticmethod
        def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
            package, *parts = name.split(".")
            if package != "warp" or not parts:
                return None
            known = importlib.util._find_spec_from_path if parts[0] in LATER_MODULES else importlib.machinery.PathFinder
            if parts[0] not in LATER_MODULES and known.find_spec(name, path):
                return None
            return importlib.util.spec_from_loader(name, Finder)

        @staticmethod
        def create_module(spec: Any) -> ModuleType:
            module = ModuleType(spec.name)
            module.__path__ = []
            public = sys.modules.get(f"warp.{spec.name.rsplit('.', 1)[1]}", warp)
            lacks = find(spec.name.replace("warp", "wp", 1))
            own = spec.name.split(".")[1] not in LATER_MODULES
            module.__getattr__ = lambda name: getattr(public, name) if own and hasattr(public, name) else lacks(name)
            return module

        @staticmethod
        def exec_module(module: ModuleType) -> None:
            pass

    sys.meta_path.insert(0, Finder)
    for name in LATER_MODULES:
        vars(warp).pop(name, None)
    warp.config.__class__ = ModuleType  # its settings may have any name
    # Arrays may be annotated with classes that are refused: as structs of a handle.
    absent = importlib.import_module("warp._base.absent")

    def elem(cls: type) -> Any:
        return warp.struct(type(cls.__name__, (), {"__annotations__": {"id": warp.uint64}}))._elem

    absent.Absent._elem = property(elem)
    for name, value in list(vars(warp).items()):
        if getattr(type(value), "__name__", "") == "LazyName" and value._module == absent.__name__:
            setattr(warp, name, getattr(absent, name))
