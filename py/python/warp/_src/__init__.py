"""Where programs look for what NVIDIA Warp keeps in private modules: names that this package has elsewhere."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

_MODULES = ("context", "thirdparty", "types", "utils")


def __getattr__(name: str) -> ModuleType:
    if name not in _MODULES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return import_module(f"{__name__}.{name}")
