"""Programs in C (`benches/c/programs`): compiled by gcc where there is one, called through ctypes, one thread."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..grids import jacobi_guards, jacobi_return, lattice_2d, stencil
from ..program import Maker, Program
from ..solids import cloth

SOURCE = Path("benches/c/programs/programs.c")
ARCHITECTURES = {"C": "native", "C v3": "x86-64-v3"}

Call = Callable[..., None]


def makers(name: str) -> dict[str, Maker]:
    """Those of a program, one for each architecture."""
    if name not in MAKERS or not SOURCE.exists() or shutil.which("gcc") is None:
        return {}
    return {who: partial(make, name, architecture) for who, architecture in ARCHITECTURES.items()}


def make(name: str, architecture: str, size: int) -> Program:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "programs.so"
        flags = ["-O3", f"-march={architecture}", "-shared", "-fPIC"]
        subprocess.run(["gcc", *flags, str(SOURCE), "-o", str(file), "-lm"], check=True)
        library = ctypes.CDLL(str(file))

    def call(function: str, *values: Any) -> None:
        getattr(library, function)(*(argument(value) for value in values))

    return MAKERS[name](call, size)


def argument(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        assert value.flags.c_contiguous
        return ctypes.c_void_p(value.ctypes.data)
    return ctypes.c_float(value) if isinstance(value, float) else ctypes.c_int(value)


def jacobi(call: Call, n: int) -> Program:
    u, f = jacobi_guards.start(n)
    other = u.copy()

    def frame() -> None:
        for _ in range(jacobi_guards.PAIRS):
            call("jacobi", n, u, f, other)
            call("jacobi", n, other, f, u)

    return Program(frame, lambda: u)


def conduct(call: Call, n: int) -> Program:
    u, k = jacobi_return.start(n)
    other = u.copy()

    def frame() -> None:
        for _ in range(jacobi_return.PAIRS):
            call("conduct", n, u, k, jacobi_return.DT, other)
            call("conduct", n, other, k, jacobi_return.DT, u)

    return Program(frame, lambda: u)


def diffuse(call: Call, n: int) -> Program:
    u = stencil.start(n)
    other = u.copy()

    def frame() -> None:
        for _ in range(stencil.PAIRS):
            call("diffuse", n, u, 0.1, other)
            call("diffuse", n, other, 0.1, u)

    return Program(frame, lambda: u)


def lattice(call: Call, n: int) -> Program:
    f, solid = lattice_2d.start(n)
    out = f.copy()
    numbers = (lattice_2d.OMEGA, lattice_2d.FORCE)

    def frame() -> None:
        for _ in range(lattice_2d.PAIRS):
            call("lattice", n, 2 * n, f, solid, *numbers, out)
            call("lattice", n, 2 * n, out, solid, *numbers, f)

    return Program(frame, lambda: f)


def springs(call: Call, n: int) -> Program:
    x, mass, ends, rest = cloth.start(n)
    v, f = np.zeros_like(x), np.zeros_like(x)

    def frame() -> None:
        for _ in range(cloth.STEPS):
            call("pull", len(ends), x, v, ends, rest, cloth.STIFFNESS, cloth.DAMPING, f)
            call("move", n * n, f, mass, cloth.GRAVITY, cloth.DT, x, v)

    return Program(frame, lambda: np.concatenate([x, v]))


MAKERS: dict[str, Callable[[Call, int], Program]] = {
    "grids.jacobi_guards": jacobi,
    "grids.jacobi_return": conduct,
    "grids.stencil": diffuse,
    "grids.lattice_2d": lattice,
    "solids.cloth": springs,
}
