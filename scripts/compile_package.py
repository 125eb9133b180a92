"""Compiles every kernel of a package that is written with `warp`, forward and adjoint, and says what failed and why.

    .venv/bin/python scripts/compile_package.py PACKAGE [--only TEXT] [--skip TEXT]... [--stand-ins] [--verbose]

PACKAGE is importable (PYTHONPATH=folder for one that is unpacked somewhere). All its modules are imported; its kernels
are those that exist then, each with the types that it declares, a generic one with those of its overloads, or else with
TRIED in turns. A kernel is launched over no threads, which compiles it and runs nothing. A compile that takes more than
SECONDS, or that ends the process, is a failure of its own.

The failures are printed by cause, the cause that stops most kernels first. Those of tiles and acceleration structures,
which this package does not have yet, stand apart.
"""

import argparse
import contextlib
import gc
import importlib
import inspect
import json
import pkgutil
import re
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

SECONDS = 120
LATER = re.compile(r"tile|mesh_|Mesh|bvh|Bvh|hash_grid|HashGrid|volume_|Volume|texture|Texture|\bfem\b|\bsparse\b")
TRIED = ("float32", "int32", "vec3", "mat33")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package")
    parser.add_argument("--only", default="", help="only kernels with this in their name")
    parser.add_argument("--skip", action="append", default=[], help="modules with this in their name are not imported")
    parser.add_argument(
        "--stand-ins", action="store_true", help="give names that warp lacks a meaning, to load the rest"
    )
    parser.add_argument("--verbose", action="store_true", help="every failure in full")
    parser.add_argument("--worker", nargs=2, metavar=("FILE", "FIRST"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(options, Path(options.worker[0]), int(options.worker[1]))
        return 0
    modules, kernels = collect(options)
    return report(modules, kernels, options.verbose)


def collect(options: argparse.Namespace) -> tuple[list[dict], list[dict]]:
    """What each module and each kernel came to, from as many processes as it takes."""
    modules: list[dict] = []
    kernels: list[dict] = []
    while True:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "results")
            file.touch()
            command = [sys.executable, __file__, *sys.argv[1:], "--worker", str(file), str(len(kernels))]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            how = wait(process, file)
            found = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        modules = [r for r in found if "module" in r]
        kernels += [r for r in found if "kernel" in r]
        if found and "done" in found[-1]:
            return modules, kernels
        if not found or "start" not in found[-1]:
            sys.exit(f"a process of {options.package}'s modules {how}")
        kernels.append({**found[-1], "kernel": found[-1]["start"], "forward": how})


def wait(process: subprocess.Popen, file: Path) -> str:
    """Waits for a worker, and ends it when a kernel takes too long; says how it ended."""
    while True:
        size = file.stat().st_size
        try:
            return f"ended with {process.wait(SECONDS)}"
        except subprocess.TimeoutExpired:
            if file.stat().st_size == size:
                process.kill()
                process.wait()
                return f"took longer than {SECONDS} s"


Causes = dict[str, list[dict]]


def report(modules: list[dict], kernels: list[dict], verbose: bool) -> int:
    """Prints the tables."""
    unloaded = [m for m in modules if m["error"]]
    print(f"{len(modules) - len(unloaded)} of {len(modules)} modules load; {len(kernels)} kernels")
    for m in unloaded:
        print(f"  {m['module']}: {m['error']}" + f" ({m['kernels']} kernels in its text)" * bool(m["kernels"]))
    for way in ("forward", "adjoint"):
        tried = [k for k in kernels if way in k]
        print(f"{way}: {sum(not k[way] for k in tried)} of {len(tried)} compile")
    groups: dict[str, Causes] = {
        "fail": {},
        "fail that use tiles or acceleration structures": {},
        "are generic, and no tried type fits": {},
    }
    for k in kernels:
        if error := k.get("forward") or k.get("adjoint"):
            later = k.get("later") or LATER.search(error)
            group = list(groups)[1 if later else 2 if k.get("generic") else 0]
            groups[group].setdefault(cause(error), []).append({**k, "error": error})
    for group, causes in groups.items():
        print(f"\n{sum(map(len, causes.values()))} kernels {group}")
        for text, those in sorted(causes.items(), key=lambda item: -len(item[1])):
            ways = Counter("forward" if k.get("forward") else "adjoint" for k in those)
            print(f"{len(those):6}  {text}  ({', '.join(ways)}; {those[0]['kernel']})")
            for k in those if verbose else []:
                print(f"\n--- {k['kernel']}\n{k['error']}")
    return int(bool(unloaded) or any(k.get("forward") or k.get("adjoint") for k in kernels))


def cause(error: str) -> str:
    """The first line of a message, without what is the kernel's own."""
    return re.sub(r"kernel '[^']*'", "kernel", error.splitlines()[0])[:200]


def work(options: argparse.Namespace, file: Path, first: int) -> None:
    """Imports the package and compiles its kernels from number `first` on; a line of `file` for each."""
    with file.open("a", encoding="utf-8") as out:

        def tell(**record: Any) -> None:
            print(json.dumps(record), file=out, flush=True)

        import warp

        if options.stand_ins:
            stand_in(warp)
        remember_overloads(warp)
        for name, error, count in load(options.package, options.skip):
            tell(module=name, error=error, kernels=count)
        for kernel in kernels_of(options.package, options.only)[first:]:
            name = f"{kernel.func.__module__}.{kernel.func.__qualname__}"
            later = bool(LATER.search(text_of(kernel)))
            tell(start=name, later=later)
            tell(kernel=name, later=later, **compiled(warp, kernel))
        tell(done=True)


def load(package: str, skip: list[str]) -> Iterator[tuple[str, str, int]]:
    """Imports all modules: the name of each, why it does not load, and how many kernels its text has then."""
    names = [package]
    with contextlib.suppress(Exception):
        names += [m.name for m in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}.", str)]
    for name in names:
        if name.endswith("__main__") or any(s in name for s in skip):
            continue
        try:
            importlib.import_module(name)
        except (Exception, SystemExit) as e:  # noqa: BLE001  a package raises what it likes
            where = traceback.extract_tb(e.__traceback__)[-1]
            last = f"{type(e).__name__}: {e}".splitlines() or [type(e).__name__]
            yield name, f"{last[0][:300]} ({Path(where.filename).name}:{where.lineno})", kernels_in_text(name)
        else:
            yield name, "", 0


def kernels_in_text(module: str) -> int:
    """How many functions the text of a module decorates as kernels."""
    try:
        spec = importlib.util.find_spec(module)
        text = Path(spec.origin).read_text(encoding="utf-8") if spec and spec.origin else ""
    except (Exception, SystemExit):  # noqa: BLE001
        return 0
    return len(re.findall(r"^\s*@(?:\w+\.)?kernel\b", text, re.MULTILINE))


def stand_in(warp: Any) -> None:
    """Gives each name that `warp` lacks a value that may be called, subscripted and derived from."""

    class Meta(type):
        def __getattr__(cls, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            return cls

        def __getitem__(cls, key: Any) -> Any:
            return cls

    class Missing(metaclass=Meta):
        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            return args[0] if args and inspect.isfunction(args[0]) else cls

    known = getattr(warp, "__getattr__", None)

    def find(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        with contextlib.suppress(AttributeError):
            return known(name) if known else Missing
        return Missing

    warp.__getattr__ = find

    class Finder:
        """Modules of `warp` that it lacks: those of the peer's own, and later ones."""

        @staticmethod
        def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
            return importlib.util.spec_from_loader(name, Finder) if name.startswith("warp.") else None

        @staticmethod
        def create_module(spec: Any) -> ModuleType:
            module = ModuleType(spec.name)
            module.__path__ = []
            public = sys.modules.get(f"warp.{spec.name.rsplit('.', 1)[1]}", warp)
            module.__getattr__ = lambda name: getattr(public, name) if hasattr(public, name) else find(name)
            return module

        @staticmethod
        def exec_module(module: ModuleType) -> None:
            pass

    sys.meta_path.append(Finder)
    warp.config.__class__ = ModuleType  # its settings may have any name


OVERLOADS: list[tuple[Any, list[Any]]] = []


def remember_overloads(warp: Any) -> None:
    """Has `wp.overload` keep the types of each kernel that it makes."""
    overload = getattr(warp, "overload", None)
    if overload is None:
        return

    def remembered(kernel: Any, arg_types: Any = None) -> Any:
        made = overload(kernel) if arg_types is None else overload(kernel, arg_types)
        if arg_types is not None and isinstance(kernel, warp.Kernel):
            types = list(inspect.signature(kernel.func).parameters)
            given = (
                [arg_types.get(n, a) for n, a in zip(types, annotations(kernel), strict=True)]
                if isinstance(arg_types, dict)
                else list(arg_types)
            )
            OVERLOADS.append((made, given))
        return made

    warp.overload = remembered


def kernels_of(package: str, only: str) -> list[Any]:
    """The kernels that the package's modules made, in an order that every process finds."""
    import warp

    found = [k for k in gc.get_objects() if isinstance(k, warp.Kernel)]
    found = [k for k in found if (k.func.__module__ or "").split(".")[0] == package]
    found = [k for k in found if only in f"{k.func.__module__}.{k.func.__qualname__}"]
    # A generic kernel with overloads is compiled as these, which are kernels, too.
    found = [k for k in found if not getattr(k, "overloads", None)]
    return sorted(found, key=lambda k: (k.func.__module__, k.func.__code__.co_firstlineno, recorded(k)[0]))


def recorded(kernel: Any) -> tuple[int, list[Any] | None]:
    """Which of the recorded overloads a kernel is, and its types."""
    return next(((i, types) for i, (made, types) in enumerate(OVERLOADS) if made is kernel), (-1, None))


def text_of(kernel: Any) -> str:
    try:
        return inspect.getsource(kernel.func)
    except OSError:
        return ""


def compiled(warp: Any, kernel: Any) -> dict[str, str]:
    """What compiling a kernel says, forward and adjoint; empty text where it went well."""
    result = {"forward": ""}
    error = ""
    for types, chosen in types_of(kernel):
        try:
            arguments = [argument(warp, t, chosen) for t in types]
            warp.launch(kernel, dim=0, inputs=arguments)
        except Exception as e:  # noqa: BLE001
            error = error or f"{type(e).__name__}: {e}"
            continue
        error = ""
        try:
            differentiate(warp, kernel, arguments)
        except Exception as e:  # noqa: BLE001
            text = f"{type(e).__name__}: {e}"
            if "was defined with enable_backward=False" in text:
                return result
            return {**result, "adjoint": text}
        return {**result, "adjoint": ""}
    return {"forward": error, **({"generic": True} if getattr(kernel, "is_generic", False) else {})}


def differentiate(warp: Any, kernel: Any, arguments: list[Any]) -> None:
    """Compiles a kernel's adjoint: launched, or through a tape, which keeps what the kernel overwrites."""
    try:
        warp.launch(kernel, dim=0, inputs=arguments, adjoint=True)
    except RuntimeError as e:
        if "record the launch with wp.Tape" not in str(e):
            raise
        tape = warp.Tape()
        with tape:
            warp.launch(kernel, dim=0, inputs=arguments)
        outputs = [a for a in arguments if getattr(a, "requires_grad", False)]
        tape.backward(grads={a: warp.zeros_like(a) for a in outputs})


def types_of(kernel: Any) -> Iterator[tuple[list[Any], str]]:
    """The types of a kernel's parameters, and what stands for those that they leave open."""
    types = recorded(kernel)[1] or annotations(kernel)
    for chosen in TRIED if getattr(kernel, "is_generic", False) else TRIED[:1]:
        yield types, chosen


def annotations(kernel: Any) -> list[Any]:
    """The types of a kernel's parameters."""
    adj = getattr(kernel, "adj", None)
    if adj is not None:
        return [a.type for a in adj.args]
    f = kernel.func
    scope = dict(zip(f.__code__.co_freevars, (c.cell_contents for c in f.__closure__ or ()), strict=True))
    found = {name: t for name, t in inspect.get_annotations(f).items() if name != "return"}
    return [eval(t, f.__globals__, scope) if isinstance(t, str) else t for t in found.values()]


def argument(warp: Any, kind: Any, chosen: str) -> Any:
    """A value of a parameter's type; `chosen` stands for what a generic one leaves open."""
    ndim = getattr(kind, "ndim", None)
    if ndim is not None and hasattr(kind, "dtype"):
        dtype = concrete(warp, kind.dtype, chosen)
        if "indexed" in type(kind).__name__ or "indexed" in getattr(kind, "__name__", ""):
            data = warp.zeros((1,) * ndim, dtype=dtype)
            return warp.indexedarray(data, [warp.zeros(1, dtype=int)] * ndim)
        return warp.zeros((1,) * ndim, dtype=dtype, requires_grad=is_float(warp, dtype))
    kind = concrete(warp, kind, chosen)
    if kind in (int, float, bool):
        return kind(0)
    value = kind()
    for name, field in fields(kind).items():
        # A field that holds no array is refused where the kernel reads it.
        if hasattr(field, "ndim") or fields(field):
            setattr(value, name, argument(warp, field, chosen))
    return value


def fields(kind: Any) -> dict[str, Any]:
    """The fields of a struct, by name; none for other types."""
    if not any(hasattr(kind, name) for name in ("vars", "_setters")):
        return {}
    return dict(getattr(kind, "__annotations__", {}))


def concrete(warp: Any, kind: Any, chosen: str) -> Any:
    """A type in place of one that is left open: `chosen`; vectors and matrices get 3 rows and columns."""
    if kind is Any or type(kind).__name__ == "TypeVar":
        return getattr(warp, "int32" if getattr(kind, "__name__", "") == "Int" else chosen)
    if pattern := re.fullmatch(
        r"<warp type pattern (vec|mat|quat|transform)\((?:(\w+)(?: x (\w+))?, )?(\w+)\)>", repr(kind)
    ):
        family, rows, columns, scalar = pattern.groups()
        dtype = {"Any": float, "Float": float, "Scalar": float, "Int": int}.get(scalar) or getattr(warp, scalar)
        sizes = [3 if n == "Any" else int(n) for n in (rows, columns) if n]
        if family == "vec":
            return warp.types.vector(length=sizes[0], dtype=dtype)
        if family == "mat":
            return warp.types.matrix(shape=tuple(sizes), dtype=dtype)
        return getattr(warp.types, {"quat": "quaternion", "transform": "transformation"}[family])(dtype=dtype)
    return kind


def is_float(warp: Any, dtype: Any) -> bool:
    scalar = getattr(dtype, "_wp_scalar_type_", dtype)
    return scalar in (float, warp.float16, warp.float32, warp.float64) or hasattr(dtype, "vars")


if __name__ == "__main__":
    sys.exit(main())
