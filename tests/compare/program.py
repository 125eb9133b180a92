"""What programs are written with: how one is marked, and how its results become plain data.

A program is a public function of an area's file. It takes `wp` and returns numbers, strings, arrays, Warp values, or
lists and dicts of these. Both packages run the same function, so nothing here may name one of them.
"""

import importlib.util
import linecache
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np


def program(
    *, decided: str | None = None, lacks: str | None = None, exact: bool = False, tolerance: float | None = None
) -> Callable:
    """Marks a program that needs more than the defaults.

    Args:
        decided: the start of the row of docs/coming-from-nvidia-warp.md that says why the results differ.
        lacks: what this package is to learn before the results agree; until then the program is open.
        exact: floats must be equal bit for bit.
        tolerance: in place of that of each result's type; see `compare.TOLERANCE`.
    """

    def mark(f: Callable) -> Callable:
        f.facts = {"decided": decided, "lacks": lacks, "exact": exact, "tolerance": tolerance}
        return f

    return mark


def gradients(wp: Any, kernel: Any, dim: Any, inputs: list, outputs: list) -> list:
    """The outputs, then the gradient of each input that has one.

    The seed of each element is another number, so that swapped elements show.
    """
    tape = wp.Tape()
    with tape:
        wp.launch(kernel, dim=dim, inputs=inputs, outputs=outputs)
    results = [y.numpy().copy() for y in outputs]
    seeds = {}
    for y in outputs:
        seed = wp.zeros_like(y)
        flat = seed.numpy()
        flat[...] = (np.arange(flat.size) % 5 * 0.5 + 1.0).reshape(flat.shape)
        seeds[y] = seed
    tape.backward(grads=seeds)
    return results + [x.grad.numpy() for x in inputs if getattr(x, "requires_grad", False)]


def module(name: str, text: str) -> ModuleType:
    """A module of this text, for what programs need at the top level; `name` is that of no other module."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{name}.py")
        path.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        made = importlib.util.module_from_spec(spec)
        sys.modules[name] = made
        spec.loader.exec_module(made)
        linecache.getlines(str(path))  # kernels are read once more, when they are first launched
    return made


def raised(f: Callable, *args: Any, **kwargs: Any) -> Any:
    """The classes of the exception that a call raises, the nearest first; "nothing" if it returns."""
    try:
        f(*args, **kwargs)
    except Exception as e:  # noqa: BLE001  what is compared is which
        return Raised(type(e))
    return "nothing"


class Raised:
    """An exception's class, with the classes that it derives from."""

    def __init__(self, kind: type) -> None:
        self.names = [c.__name__ for c in kind.__mro__ if c is not object]


def printed(wp: Any, f: Callable[[], Any]) -> str:
    """What a call prints, kernels included."""
    sys.stdout.flush()
    wp.synchronize()
    with tempfile.TemporaryFile() as file:
        kept = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            f()
            wp.synchronize()
            sys.stdout.flush()
            _flush_c()
        finally:
            os.dup2(kept, 1)
            os.close(kept)
        file.seek(0)
        lines = file.read().decode().splitlines()
    return "\n".join(line for line in lines if not line.startswith("Module "))


def _flush_c() -> None:
    """Kernels of a C compiler print into a buffer of the C library."""
    import ctypes

    ctypes.CDLL(None).fflush(None)


def plain(value: Any) -> Any:
    """A result as JSON: each value with its type's name, so that 1, 1.0 and True differ."""
    kind = _name(type(value))
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, Raised):
        return {"raised": value.names}
    if isinstance(value, int):
        return {"int": str(int(value))} if type(value) is int else {"scalar": kind, "value": str(int(value))}
    if type(value) is float:
        return {"float": value.hex()}
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {"dict": {str(k): plain(v) for k, v in value.items()}}
    if isinstance(value, np.generic):
        return plain(np.asarray(value))
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, type):
        return {"type": _name(value)}
    return _warp(value, kind)


def _name(kind: type) -> str:
    """A type's name; one for all vectors and so on, which the packages name differently."""
    return re.sub(r"^(vec|mat|quat|transform)(_t$|[hfd]$|\d.*|tor\(.*|rix\(.*)", r"\1", kind.__name__)


def _array(value: np.ndarray) -> Any:
    shape = list(value.shape)
    if value.dtype.names:
        return {"shape": shape, "fields": {n: _array(value[n]) for n in value.dtype.names}}
    flat: Iterable = value.reshape(-1).tolist()
    if value.dtype.kind == "f":
        flat = [float(v).hex() for v in flat]
    return {"array": str(value.dtype), "shape": shape, "values": list(flat)}


def _warp(value: Any, kind: str) -> Any:
    if hasattr(value, "numpy"):
        return {"of": "array", "value": _array(value.numpy())}
    if hasattr(value, "__len__"):
        return {"of": kind, "value": [plain(v) for v in value]}
    number = getattr(value, "value", None)
    if isinstance(number, (bool, int, float)):
        return {"scalar": kind, "value": float(number).hex() if isinstance(number, float) else str(number)}
    return {"object": kind}
