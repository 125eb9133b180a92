"""``python -m warp compile``: all kernels of modules, compiled into the cache."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import pkgutil
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import warp as wp
from warp._language.modules import _instances, _modules
from warp._warp import Kernel, _load_kernel


class _Plain:
    """What stands for a progress bar where tqdm is not installed: a line for each kernel, on a terminal."""

    def __init__(self, items: list[Any], quiet: bool) -> None:
        self.items = items
        self.quiet = quiet
        self.shown = 0

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def set_postfix_str(self, text: str) -> None:
        """Say what is worked on."""
        self.shown += 1
        if not self.quiet and sys.stderr.isatty():
            print(f"[{self.shown}/{len(self.items)}] {text}", file=sys.stderr)


def _bar(items: list[Any], quiet: bool) -> Any:
    try:
        tqdm: Any = importlib.import_module("tqdm").tqdm
    except ImportError:
        return _Plain(items, quiet)
    # Without a terminal it shows nothing.
    return tqdm(items, unit="kernel", disable=True if quiet else None)


def _import(name: str) -> ModuleType:
    if not name.endswith(".py"):
        return importlib.import_module(name)
    path = Path(name).resolve()
    if not path.is_file():
        raise ImportError(f"there is no file {name}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{name} cannot be imported")
    made = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = made
    sys.path.insert(0, str(path.parent))
    spec.loader.exec_module(made)
    return made


def _below(module: ModuleType) -> Iterator[str]:
    """The names of all modules in a package but those that run when they are imported."""
    for found in pkgutil.walk_packages(getattr(module, "__path__", ()), f"{module.__name__}.", onerror=lambda _: None):
        if not found.name.endswith("__main__"):
            yield found.name


def kernels_of(names: Iterable[str]) -> list[Kernel]:
    """The kernels that were defined in modules of these names, or below them; those of modules of their own, too."""
    wanted = tuple(names)
    found = {}
    for module in list(_modules.values()):
        for kernel in module.kernels.values():
            home = str(kernel.func.__module__)
            if home in wanted or home.startswith(tuple(f"{name}." for name in wanted)):
                found[id(kernel)] = kernel
    return list(found.values())


def _argument(declared: Any) -> Any:
    """An argument of a type: arrays of one element, with a gradient where they may have one, and zero."""
    ndim = getattr(declared, "ndim", None) if hasattr(declared, "dtype") else None
    if isinstance(ndim, int):
        shape, dtype = (1,) * ndim, declared.dtype
        if not isinstance(declared, wp.array):
            return wp.indexedarray(wp.zeros(shape, dtype=dtype), [wp.zeros(1, dtype=int)] * ndim)
        elem = getattr(dtype, "_elem", None)
        floats = dtype is float or (elem is not None and (elem.kind == "struct" or elem.is_float))
        return wp.zeros(shape, dtype=dtype, requires_grad=floats)
    value = declared()
    for name, field in getattr(declared, "vars", {}).items() if hasattr(declared, "_setters") else ():
        setattr(value, name, _argument(field.type))
    return value


def _differentiate(kernel: Kernel, device: Any) -> None:
    """Compile a gradient: launched over no threads, or through a tape, which keeps what the kernel overwrites."""
    with wp.ScopedDevice(device):
        arguments = [_argument(of) for of in _types(kernel)]
        try:
            wp.launch(kernel, dim=0, inputs=arguments, adjoint=True)
        except RuntimeError as error:
            if "record the launch with wp.Tape" not in str(error):
                raise
            with wp.Tape() as tape:
                wp.launch(kernel, dim=0, inputs=arguments)
            outputs = [a for a in arguments if getattr(a, "requires_grad", False)]
            tape.backward(grads={a: wp.zeros_like(a) for a in outputs})


def _types(kernel: Any) -> list[Any]:
    """The types of a kernel's parameters; of one that was made of a generic kernel its own."""
    kind: Any = type(kernel)
    reduced = kind.__reduce__(kernel)
    return [var.type for var in kernel.adj.args] if isinstance(reduced, str) else list(reduced[1][2])


def _compile(kernel: Kernel, device: Any, adjoint: bool) -> None:
    _load_kernel(kernel, device)
    own = (kernel.options or {}).get("enable_backward")
    if adjoint and (kernel.module.options["enable_backward"] if own is None else own):
        _differentiate(kernel, device)


def compile_modules(options: argparse.Namespace) -> int:
    """Import modules and compile their kernels; 1 if a module or a kernel fails."""
    device = wp.get_device(options.device)
    failed: list[str] = []
    names = []
    for name in options.modules:
        module = _import(name)
        names.append(module.__name__)
        for below in _below(module) if options.recursive else ():
            try:
                importlib.import_module(below)
            except Exception as error:  # noqa: BLE001 - a module raises what it likes
                failed.append(f"{below} cannot be imported: {type(error).__name__}: {error}")
    kernels = kernels_of(names)
    before = wp.config.tiered_compilation
    wp.config.tiered_compilation = False  # nothing would wait for what is compiled in the background
    try:
        said, wrong = _compile_all(kernels, device, options)
    finally:
        wp.config.tiered_compilation = before
    failed += wrong
    for failure in failed:
        print(failure, file=sys.stderr)
    if not options.quiet:
        print(said)
    if not kernels and not failed:
        print(f"no kernels are defined in {', '.join(names)}", file=sys.stderr)
        return 1
    return 1 if failed else 0


def _compile_all(kernels: list[Kernel], device: Any, options: argparse.Namespace) -> tuple[str, list[str]]:
    """What was done, and what failed."""
    start = time.perf_counter()
    work = [made for kernel in kernels for made in _instances(kernel)]
    bar = _bar(work, options.quiet)
    failed = []
    for kernel in bar:
        bar.set_postfix_str(kernel.key)
        try:
            _compile(kernel, device, options.adjoint)
        except Exception as error:  # noqa: BLE001 - the others are compiled nevertheless
            failed.append(f"{kernel.func.__module__}.{kernel.key}: {error}")
    done, seconds = len(work) - len(failed), time.perf_counter() - start
    said = f"{done} of {len(work)} kernels are compiled for {device.alias} ({seconds:.1f} s)"
    left = sum(not _instances(kernel) for kernel in kernels)
    if left:
        said += f"\n{left} generic kernels have no types yet: they are compiled when they are launched"
    return said, failed
