"""Some of the programs with other compilers: C and Numba."""

from __future__ import annotations

import importlib.util

from ..program import Maker
from . import in_c


def of(name: str) -> dict[str, Maker]:
    """The rivals that the program of a module has here, by name."""
    found = in_c.makers(name)
    if importlib.util.find_spec("numba"):
        from . import in_numba

        if name in in_numba.MAKERS:
            found["Numba"] = in_numba.MAKERS[name]
    return found
