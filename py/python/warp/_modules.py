"""Options of all kernels of a Python module."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

_options: dict[str, dict[str, Any]] = {}

_BOOLEANS = ("check_bounds", "enable_backward")


def _name(module: ModuleType | str | None, caller: str) -> str:
    if module is None:
        return caller
    return module if isinstance(module, str) else module.__name__


def set_module_options(options: dict[str, Any], module: ModuleType | str | None = None) -> None:
    """Set options of the kernels of a Python module.

    They hold for kernels that are defined afterwards, unless a kernel says otherwise itself
    (``@wp.kernel(check_bounds=False)``). What they leave out is as ``wp.config`` says when a kernel is first launched.

    Args:
        options: By name: ``check_bounds`` and ``enable_backward`` (bool, see :func:`kernel`). Other names are
            kept and have no effect.
        module: The Python module, or its name. Defaults to the one that calls.

    Raises:
        TypeError: A value is of the wrong kind.
    """
    for name in _BOOLEANS:
        value = options.get(name, False)
        if not isinstance(value, bool):
            raise TypeError(f"option '{name}' is a bool, not {value!r}")
    name = _name(module, sys._getframe(1).f_globals["__name__"])
    _options.setdefault(name, {}).update(options)


def get_module_options(module: ModuleType | str | None = None) -> dict[str, Any]:
    """The options of the kernels of a Python module, as :func:`set_module_options` set them.

    Args:
        module: The Python module, or its name. Defaults to the one that calls.
    """
    name = _name(module, sys._getframe(1).f_globals["__name__"])
    return dict(_options.get(name, {}))


def option(module: str, name: str, own: Any) -> Any:
    """What a kernel says of an option, or else its module; None where neither does."""
    return _options.get(module, {}).get(name) if own is None else own
