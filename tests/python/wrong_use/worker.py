"""Runs the cases of `random_use`: one JSON line each on its input, and one on a pipe for what came of it."""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import inspect
import json
import os
import pkgutil
import re
import resource
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

GROWTH = 1 << 30
# Numbers that a case may ask for are far beyond what there is, or small; what lies between would only take time.
ADDRESS_SPACE = 1900 << 20
PACKAGE = Path()
REPOSITORY = Path(__file__).parents[3]

# What Rust prints for its own programmers.
RUST = [
    (re.compile(pattern), what)
    for pattern, what in [
        (r"\bSome\(", "an option of Rust"),
        (r"\b(Ok|Err)\(", "a result of Rust"),
        (r"\b[A-Z]\w+ \{ \w+:", "a struct of Rust"),
        (r"unwrap|panicked|RUST_BACKTRACE|broken invariant", "a panic"),
        (r"\w\.rs\b", "a source file"),
        (r"[pP]yo3|Already (mutably )?borrowed|PyErr\b|RefCell", "a word of the bindings"),
        (r"^[\w.]+\.<locals>\.\w+\(\)", "a function that makes others"),
        (r"\b_warp\b|warp\._", "a private module"),
    ]
]
CLASS_SHOWN = re.compile(r"<(class|enum) 'warp\.[\w.]+'>")
SLIPS = {"SystemError", "PanicException"}
# What Python says by itself, where the package should have.
UNMEANT = re.compile(r"object has no attribute|^pop from|index out of range|is not defined|referenced before|unpack")
UNMEANT_KINDS = (KeyError, AssertionError, ZeroDivisionError, StopIteration)


def internal_names() -> set[str]:
    """Classes of the package, and types of its Rust sources, that are not public."""
    import warp as wp

    public = set(dir(wp))
    found = set()
    for name, module in list(sys.modules.items()):
        if name.startswith("warp.") and "._" not in name:
            public |= {n for n in getattr(module, "__all__", dir(module)) if not n.startswith("_")}
        if name.startswith("warp."):
            found |= {n for n, v in vars(module).items() if inspect.isclass(v) and v.__module__.startswith("warp")}
            found |= {part for part in name.split(".")[1:] if part.startswith("_")}
    for path in REPOSITORY.glob("*/src/**/*.rs"):
        found |= set(re.findall(r"\b(?:struct|enum|trait) (\w+)", path.read_text(encoding="utf-8")))
    for module in list(sys.modules.values()):
        # Only names that nobody else has in public.
        if module is not None and getattr(module, "__name__", "").split(".")[0] in ("numpy", "builtins", "types"):
            public |= {n for n in dir(module) if not n.startswith("_")}
    return {n for n in found - public if n.startswith("_") or re.search(r"[a-z][A-Z]", n)}


def complaints_about(error: BaseException, names: re.Pattern[str]) -> list[str]:
    kind = type(error).__name__
    found = []
    if kind in SLIPS:
        found.append(f"{kind}: {error}")
    try:
        message = str(error)
        told = "".join(traceback.format_exception_only(error))
    except Exception as second:  # noqa: BLE001
        return [f"the error cannot be printed: {kind}: {second!r}"]
    # A class that the caller gave is shown as Python shows it.
    message = CLASS_SHOWN.sub("", message)
    for pattern, what in RUST:
        if pattern.search(message):
            found.append(f"{what} in the message: {told}")
    hit = names.search(message)
    if hit and not found:
        found.append(f"the internal name {hit[0]} in the message: {told}")
    with contextlib.suppress(Exception):
        whole = "".join(traceback.format_exception(error))
        for pattern, what in RUST[:-1]:
            if not found and pattern.search(re.sub(r'File "[^"]*"', "", whole)):
                found.append(f"{what} in the traceback: {whole}")
    last = (traceback.extract_tb(error.__traceback__) or [None])[-1]
    in_package = last is not None and str(PACKAGE) in last.filename and not str(last.line).startswith("raise")
    if in_package and not kind.startswith("Warp"):
        if UNMEANT.search(message) or isinstance(error, UNMEANT_KINDS):
            found.append(f"slip in {Path(last.filename).name}:{last.lineno} `{last.line}`: {told}")
    if kind != "KeyboardInterrupt" and not message and kind.startswith(("Warp", "Array")):
        found.append(f"{kind} without a message")
    return found


def plain(value: Any, depth: int = 0) -> Any:
    """A value as JSON that another package would give alike; None where it has no such form.

    Names of types are left out, as are addresses, texts of objects, and floats of 16 bits, which may be bits to NumPy.
    """
    import numpy as np
    import warp as wp

    kind = type(value)
    if value is None or kind is bool or kind is float:
        return [kind.__name__, repr(value)]
    if kind is str:
        return None if re.search(r"0x|[<(]", value) else ["str", value[:200]]
    if kind is int:
        return ["int", str(value)] if abs(value) < 1 << 33 else None
    if kind in (list, tuple) and depth < 3:
        parts = [plain(v, depth + 1) for v in value[:50]]
        return None if None in parts else ["list", parts]
    if isinstance(value, wp.array):
        try:
            value = value.numpy()
        except Exception:  # noqa: BLE001
            return None
    if isinstance(value, np.generic | np.ndarray):
        a = np.asarray(value)
        return (
            ["numbers", list(a.shape), repr(a.tolist())[:300]] if a.dtype.kind in "biuf" and a.itemsize != 2 else None
        )
    if kind.__module__.split(".")[0] == "warp" and not kind.__name__.endswith(("h", "bf", "16")):
        with contextlib.suppress(Exception):
            return ["value", repr([float(v) for v in np.asarray([value[i] for i in range(len(value))]).ravel()])]
        with contextlib.suppress(Exception):
            return ["value", repr(float(getattr(value, "value", value)))]
    return None


def status(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    return 0


class Runner:
    def __init__(self, frameworks: bool, is_own: bool) -> None:
        warnings.simplefilter("ignore")
        import warp as wp

        from wrong_use import values

        global PACKAGE
        PACKAGE = Path(wp.__path__[0])
        if is_own:
            for info in pkgutil.walk_packages(wp.__path__, "warp."):
                if not any(part.startswith("_") or part == "examples" for part in info.name.split(".")):
                    with contextlib.suppress(ImportError):
                        importlib.import_module(info.name)
        self.wp = wp
        self.values = values
        self.names = self.known(frameworks)
        found = internal_names() if is_own else {"nothing_at_all"}
        self.internal = re.compile(r"(?<![\w])(" + "|".join(sorted(map(re.escape, found))) + r")(?!\w)")
        self.config = {n: v for n, v in vars(wp.config).items() if not n.startswith("_") and n != "version"}
        self.out, self.err = os.dup(1), os.dup(2)
        self.said = open("said.txt", "w+b")

    def known(self, frameworks: bool) -> dict[str, Any]:
        import array
        import collections
        import copy
        import ctypes
        import datetime
        import decimal
        import enum
        import fractions
        import functools
        import io
        import operator
        import pathlib
        import pickle
        import threading
        import weakref

        import numpy as np

        found = dict(self.values.names(frameworks))
        modules = [array, collections, copy, ctypes, datetime, decimal, enum, fractions, functools, io, operator, os]
        modules += [pathlib, pickle, re, sys, threading, weakref]
        found |= {module.__name__: module for module in modules}
        return found | {"np": np, "Any": Any, "MEMORY": np.zeros(4096)}

    def restore(self, used: dict[str, Any], lines: list[str]) -> None:
        """Undoes what lasts beyond a case."""
        wp = self.wp
        for line in lines:
            if ".__enter__(" in line:
                with contextlib.suppress(BaseException):
                    used["o"].__exit__(None, None, None)
        for name, value in self.config.items():
            if vars(wp.config).get(name) is not value:
                with contextlib.suppress(BaseException):
                    setattr(wp.config, name, value)
        for undo in ("capture_end", "timing_end"):
            with contextlib.suppress(BaseException):
                getattr(wp, undo)()
        for name in ("set_logger", "set_cuda_allocator"):
            with contextlib.suppress(BaseException):
                getattr(wp, name)(None)
        with contextlib.suppress(BaseException):
            wp.set_device("cpu")

    def statement(self, line: str, used: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
        values = self.values
        values.forget()
        try:
            code = compile(line, "<case>", "exec")
            exec(code, used)
        except BaseException as error:  # noqa: BLE001 (a panic is no Exception)
            if isinstance(error, NameError) and str(error).split("'")[1:2] in (["torch"], ["jax"], ["jnp"], ["paddle"]):
                return {"skipped": True, "error": "skipped"}, []
            found = complaints_about(error, self.internal)
            if values.INTERRUPTED and not isinstance(error, KeyboardInterrupt):
                found.append(f"KeyboardInterrupt in {values.INTERRUPTED[0]} became {type(error).__name__}: {error}")
            if isinstance(error, KeyboardInterrupt) and not values.INTERRUPTED and "'interrupt'" not in line:
                found.append("KeyboardInterrupt that nobody raised")
            try:
                text = str(error)[:300]
            except BaseException as second:  # noqa: BLE001
                text = f"cannot be printed: {type(second).__name__}"
            result: dict[str, Any] = {"error": type(error).__name__, "text": text}
            error.__traceback__ = None
            return result, found
        found = []
        if values.INTERRUPTED:
            found.append(f"KeyboardInterrupt in {values.INTERRUPTED[0]} was lost")
        return {"value": plain(used.get("r" if line.startswith("r = ") else "o"))}, found

    def run(self, case: dict[str, Any]) -> dict[str, Any]:
        used = dict(self.names)
        results, complaints = [], []
        Path("/proc/self/clear_refs").write_text("5")
        before = status("VmRSS")
        self.said.seek(0)
        self.said.truncate()
        os.dup2(self.said.fileno(), 1)
        os.dup2(self.said.fileno(), 2)
        begin = time.perf_counter()
        faulthandler.dump_traceback_later(9.0, file=self.log)
        for line in case["lines"]:
            try:
                result, found = self.statement(line, used)
            except BaseException as error:  # noqa: BLE001 (the next is tried)
                result, found = {"error": type(error).__name__}, []
            results.append(result)
            complaints += [f"{line}: {complaint}" for complaint in found]
        faulthandler.cancel_dump_traceback_later()
        seconds = time.perf_counter() - begin
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
        os.dup2(self.out, 1)
        os.dup2(self.err, 2)
        self.said.seek(0)
        said = self.said.read(100_000).decode(errors="replace")
        for pattern, what in RUST[:-1]:
            if pattern.search(said):
                complaints.append(f"{what} was printed: {said[:2000]}")
        grown = status("VmHWM") - before
        if grown > GROWTH:
            complaints.append(f"memory grew by {grown >> 20} MB")
        self.restore(used, case["lines"])
        return {"seed": case["seed"], "results": results, "complaints": complaints, "seconds": seconds}


def main() -> None:
    pipe = os.dup(int(sys.argv[1]))
    channel = os.fdopen(os.dup2(pipe, 200), "wb")
    stdin = os.fdopen(os.dup2(os.dup(0), 201), "rb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    log = os.fdopen(os.dup2(os.dup(2), 202), "wb", buffering=0)
    faulthandler.enable(log)
    sys.path[0] = str(Path(__file__).parents[1])
    runner = Runner("--frameworks" in sys.argv, "--own" in sys.argv)
    runner.log = log
    used = status("VmSize")
    resource.setrlimit(resource.RLIMIT_AS, (used + ADDRESS_SPACE, used + ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    channel.write(b'{"ready": true}\n')
    channel.flush()
    for line in stdin:
        answer = runner.run(json.loads(line))
        channel.write(json.dumps(answer).encode() + b"\n")
        channel.flush()


if __name__ == "__main__":
    main()
