"""Writes what type checkers and editors see: `py/python/warp/__init__.pyi`, the public names, of `warp/_public.py`, and
`_value_types.pyi`, the named types of values.

python scripts/public_stub.py
"""

from __future__ import annotations

import runpy
import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import value_stubs

PACKAGE = Path(__file__).resolve().parents[1] / "py" / "python" / "warp"
STUB = PACKAGE / "__init__.pyi"
VALUES = PACKAGE / "_value_types.pyi"


def text() -> str:
    """What the stub should hold."""
    table = runpy.run_path(str(PACKAGE / "_public.py"))
    by_module: dict[str, list[str]] = defaultdict(list)
    for name, (module, _) in sorted(table["NAMES"].items()):
        by_module[module].append(name)
    lines = [
        "# Made from the table of public names: `python scripts/public_stub.py` writes it anew.",
        "",
        # Beside what `__all__` lists: names of kernels, and modules.
        "from builtins import float as float, int as int",
        "",
        *(f"from warp import {name} as {name}" for name in sorted(table["MODULES"]) if not name.startswith("_")),
        "from warp._builtins import *",
    ]
    for module, names in sorted(by_module.items()):
        # Stubs show under a name of theirs what they give to others.
        lines += [f"from {module} import (", *wrapped(f"{name} as {name}" for name in names), ")"]
    lines += ["", "__all__ = [", *wrapped(f'"{name}"' for name in sorted(table["NAMES"])), "]", ""]
    return "\n".join(lines)


def wrapped(items: Iterable[str]) -> list[str]:
    return textwrap.wrap(", ".join(items) + ",", 120, initial_indent="    ", subsequent_indent="    ")


if __name__ == "__main__":
    for path, found in ((STUB, text()), (VALUES, value_stubs.text())):
        path.write_text(found, encoding="utf-8")
        print(f"written: {path}")
