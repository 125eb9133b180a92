"""Writes `py/python/warp/__init__.pyi`, the public names as type checkers and editors see them, of `warp/_public.py`.

python scripts/public_stub.py
"""

from __future__ import annotations

import runpy
import textwrap
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "py" / "python" / "warp"
STUB = PACKAGE / "__init__.pyi"


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
        lines += [f"from {module} import (", *wrapped(names), ")"]
    lines += ["", "__all__ = [", *wrapped(f'"{name}"' for name in sorted(table["NAMES"])), "]", ""]
    return "\n".join(lines)


def wrapped(items: Iterable[str]) -> list[str]:
    return textwrap.wrap(", ".join(items) + ",", 120, initial_indent="    ", subsequent_indent="    ")


if __name__ == "__main__":
    STUB.write_text(text(), encoding="utf-8")
    print(f"written: {STUB}")
