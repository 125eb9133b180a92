"""Programs of kernels that stand in no file, and what runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from support.places import search_path

PROGRAM = """\
import warp as wp
SCALE = 3.0

@wp.struct
class S:
    x: float

@wp.func
def f(s: S, x: float):
    return s.x * x * SCALE

@wp.kernel
def k(s: S, a: wp.array(dtype=float)):
    i = wp.tid()
    a[i] = f(s, a[i])

a = wp.ones(2)
wp.launch(k, dim=2, inputs=[S(2.0), a])
print(a.list(), wp.map(lambda x: x + 1.0, a).list())
"""
PRINTED = "[6.0, 6.0] [7.0, 7.0]"


def python(*arguments: str, folder: Path | None = None, **options: Any) -> subprocess.CompletedProcess[str]:
    """What a new interpreter says; `folder` is where it looks for modules first."""
    path = os.pathsep.join(filter(None, [str(folder or ""), search_path()]))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHON_BASIC_REPL": "1", **options.pop("env", {})}
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, cwd=folder, **options)


def printed(*arguments: str, **options: Any) -> str:
    """What a program prints that ends well."""
    done = python(*arguments, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
