"""The C versions in `benches/c`: compiled by gcc where there is one, and called through ctypes."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .cases import Native

FLAGS = ["-Ofast", "-march=native", "-fopenmp", "-shared", "-fPIC"]


def build(sources: Path, folder: Path) -> Path | None:
    """The library made of the sources, or None where there are none or no gcc."""
    files = sorted(sources.glob("*.c"))
    gcc = shutil.which("gcc")
    if not files or gcc is None:
        return None
    library = folder / "kernels.so"
    subprocess.run([gcc, *FLAGS, *map(str, files), "-o", str(library), "-lm"], check=True)
    return library


def load(source: Path, flags: list[str]) -> ctypes.CDLL | None:
    """The functions of one file, or None where there is none or no gcc."""
    gcc = shutil.which("gcc")
    if gcc is None or not source.exists():
        return None
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/{source.stem}.so"
        subprocess.run([gcc, *flags, "-shared", "-fPIC", str(source), "-o", library], check=True)
        return ctypes.CDLL(library)


def bind(library: ctypes.CDLL, native: Native) -> Callable[[], object] | None:
    """A call with its arguments converted, or None if the library has no such function."""
    try:
        function = getattr(library, native.function)
    except AttributeError:
        return None
    function.restype = None
    arguments = [argument(v) for v in (*native.dim, *native.values, *native.sizes)]
    return lambda: function(*arguments)


def argument(value: Any) -> Any:
    """An array's address, or a number of four bytes. The array must live as long as the call is used."""
    if isinstance(value, np.ndarray):
        assert value.flags.c_contiguous
        assert value.itemsize == 4
        return ctypes.c_void_p(value.ctypes.data)
    return ctypes.c_float(value) if isinstance(value, float) else ctypes.c_int(value)
