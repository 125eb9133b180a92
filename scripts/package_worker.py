"""Imports a package that is written with `warp` and compiles its kernels: the child process of `compile_package.py`.

    package_worker.py RESULTS FIRST OPTIONS

It appends a line of JSON to RESULTS for each module that it imports, before each kernel that it compiles and after it,
from kernel number FIRST on. A kernel is launched over no threads, which compiles it and runs nothing. The time of a
compile is what the processor spends on it, so that other processes do not count. Limits are those of the operating
system: a compile that goes beyond them ends this process.
"""

import ast
import contextlib
import ctypes
import gc
import importlib
import importlib.util
import inspect
import itertools
import json
import re
import resource
import sys
import textwrap
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stand_ins import stand_in

#: What stands for a type that is left open, in turns, where the package does not tell.
TRIED = ("float32", "int32", "vec3", "mat33", "float64", "vec3d", "vec2", "quat", "transform", "uint64")
#: Combinations of types that are tried for a generic kernel, and the seconds that they may take together.
COMBINATIONS = 1000
SEARCH_SECONDS = 10
#: What a process says that asked for more memory than it may have, also for the stack of a thread. LLVM throws no
#: exception but that of C++'s `new`, for which Rust ends the process.
NO_MEMORY = re.compile(
    r"out of memory|memory allocation of|bad_alloc|Cannot allocate memory|MemoryError|a thread to compile a kernel on|"
    r"Resource temporarily unavailable|Rust cannot catch foreign exceptions",
    re.IGNORECASE,
)


def main() -> None:
    results, first, options = Path(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])
    sys.argv[1:] = []  # some packages read it
    with results.open("a", encoding="utf-8") as out:

        def tell(**record: Any) -> None:
            print(json.dumps(record), file=out, flush=True)

        import warp

        warp.config.tiered_compilation = False  # a launch waits for the code that is optimised
        if options["stand_ins"]:
            stand_in(warp)
        remember_overloads(warp)
        for name, error, count in load(options["package"], options["skip"]):
            tell(module=name, error=error, kernels=count)
        kernels = kernels_of(options["package"], options["only"])
        known = Known(options["package"], all_kernels(options["package"]))
        tell(found=len(kernels))
        gc.freeze()  # what the package made stays, and need not be gone through before each compile
        for kernel in kernels[first:]:
            name = f"{kernel.func.__module__}.{kernel.func.__qualname__}"
            tell(start=name)
            tell(kernel=name, **compiled(warp, kernel, known, options))
        tell(done=True)


def load(package: str, skip: list[str]) -> Iterator[tuple[str, str, int]]:
    """Imports all modules: the name of each, why it does not load, and how many kernels its text has then."""
    for name in [package, *modules_below(package)]:
        if any(s in name for s in skip):
            continue
        try:
            importlib.import_module(name)
        except (Exception, SystemExit) as e:  # noqa: BLE001  a package raises what it likes
            where = traceback.extract_tb(e.__traceback__)[-1]
            last = f"{type(e).__name__}: {e}".splitlines() or [type(e).__name__]
            yield name, f"{last[0][:300]} ({Path(where.filename).name}:{where.lineno})", kernels_in_text(name)
        else:
            yield name, "", 0


def modules_below(package: str) -> list[str]:
    """The names of a package's modules, by their files: some folders of modules are no packages of their own."""
    spec = importlib.util.find_spec(package)
    found = set()
    for folder in map(Path, spec.submodule_search_locations or () if spec else ()):
        for file in folder.rglob("*.py"):
            parts = [package, *file.relative_to(folder).with_suffix("").parts]
            if all(part.isidentifier() for part in parts) and parts[-1] != "__main__":
                found.add(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return sorted(found - {package})


def kernels_in_text(module: str) -> int:
    """How many functions the text of a module decorates as kernels."""
    try:
        spec = importlib.util.find_spec(module)
        text = Path(spec.origin).read_text(encoding="utf-8") if spec and spec.origin else ""
    except (Exception, SystemExit):  # noqa: BLE001
        return 0
    return len(re.findall(r"^\s*@(?:\w+\.)?kernel\b", text, re.MULTILINE))


OVERLOADS: list[tuple[Any, list[Any]]] = []


def remember_overloads(warp: Any) -> None:
    """Has `wp.overload` keep the types of each kernel that it makes."""
    overload = warp.overload

    def remembered(kernel: Any, arg_types: Any = None) -> Any:
        made = overload(kernel) if arg_types is None else overload(kernel, arg_types)
        if arg_types is not None and isinstance(kernel, warp.Kernel):
            types = annotations(kernel)
            given = [arg_types.get(n, a) for n, a in types.items()] if isinstance(arg_types, dict) else list(arg_types)
            OVERLOADS.append((made, given))
        return made

    warp.overload = remembered


def all_kernels(package: str) -> list[Any]:
    """The kernels that the package's modules made."""
    import warp

    found = [k for k in gc.get_objects() if type(k) is warp.Kernel]
    return [k for k in found if (k.func.__module__ or "").split(".")[0] == package]


def kernels_of(package: str, only: str) -> list[Any]:
    """The kernels to compile, in an order that every process finds."""
    found = [k for k in all_kernels(package) if only in f"{k.func.__module__}.{k.func.__qualname__}"]
    # A generic kernel with overloads is compiled as these, which are kernels, too.
    found = [k for k in found if not getattr(k, "overloads", None)]
    return sorted(found, key=lambda k: (k.func.__module__, k.func.__code__.co_firstlineno, recorded(k)[0]))


def recorded(kernel: Any) -> tuple[int, list[Any] | None]:
    """Which of the recorded overloads a kernel is, and its types."""
    return next(((i, types) for i, (made, types) in enumerate(OVERLOADS) if made is kernel), (-1, None))


def annotations(kernel: Any) -> dict[str, Any]:
    """The types of a kernel's parameters."""
    adj = getattr(kernel, "adj", None)
    if adj is not None:
        return {a.label: a.type for a in adj.args}
    f = kernel.func
    scope = dict(zip(f.__code__.co_freevars, (c.cell_contents for c in f.__closure__ or ()), strict=True))
    found = {name: t for name, t in inspect.get_annotations(f).items() if name != "return"}
    return {name: eval(t, f.__globals__, scope) if isinstance(t, str) else t for name, t in found.items()}


def dimensions(kind: Any) -> int | None:
    """How many dimensions an annotation of an array has; None for what is no array."""
    count = getattr(kind, "ndim", None) if hasattr(kind, "dtype") else None
    # What stands in for a missing name has every attribute.
    return count if isinstance(count, int) else None


PATTERN = re.compile(r"<warp type pattern (vec|mat|quat|transform)\((?:(\w+)(?: x (\w+))?, )?(\w+)\)>")


def is_open(kind: Any) -> bool:
    """Whether a type admits several."""
    if dimensions(kind) is not None:
        return is_open(kind.dtype)
    return kind is Any or type(kind).__name__ == "TypeVar" or bool(PATTERN.fullmatch(repr(kind)))


class Known:
    """The types that the package gives parameters of a name, the usual one first.

    They come from its `wp.overload` calls, and from its kernels and functions that declare them. An array's name tells
    the dtype of other arrays of that name.
    """

    def __init__(self, package: str, kernels: list[Any]) -> None:
        self.counts: dict[tuple[str, bool], Counter] = defaultdict(Counter)
        self.types: dict[str, Any] = {}
        for made, types in OVERLOADS:
            for name, kind in zip(annotations(made), types, strict=False):
                self.add(name, kind, 3)
        for kernel in kernels:
            with contextlib.suppress(Exception):
                for name, kind in annotations(kernel).items():
                    self.add(name, kind, 1)
        # Vectors and matrices that the package makes for itself.
        for module in [m for n, m in sys.modules.items() if n.split(".")[0] == package]:
            for name, value in list(vars(module).items()):
                if isinstance(value, type) and hasattr(value, "_wp_scalar_type_"):
                    self.add(name, value, 1)

    def add(self, name: str, kind: Any, weight: int) -> None:
        if is_open(kind):
            return
        if dimensions(kind) is not None:
            self.types.setdefault(repr(kind.dtype), kind.dtype)
            self.counts[name, True][repr(kind.dtype)] += weight
        else:
            self.types.setdefault(repr(kind), kind)
            self.counts[name, False][repr(kind)] += weight

    def of(self, name: str, kind: Any) -> list[Any]:
        """What may stand for the open part of a parameter's type."""
        array = dimensions(kind) is not None
        return [self.types[text] for text, _ in self.counts[name, array].most_common(3)]

    def values(self) -> list[Any]:
        """The types of values, those of most parameters first."""
        counts: Counter = sum(self.counts.values(), Counter())
        return [self.types[text] for text, _ in counts.most_common(20) if dimensions(self.types[text]) is None]


def compiled(warp: Any, kernel: Any, known: Known, options: dict) -> dict[str, Any]:
    """What compiling a kernel says, forward and adjoint; empty text where it went well."""
    error = ""
    began = time.process_time()
    for types, source in types_of(warp, kernel, known):
        watch = Watch(options)
        try:
            with watch:
                arguments = [argument(warp, t) for t in types]
                warp.launch(kernel, dim=0, inputs=arguments)
        except Exception as e:  # noqa: BLE001
            error = error or text_of(e, options)
            # What is not there, is not there for other types either.
            if "is not supported" in error or time.process_time() - began > SEARCH_SECONDS:
                break
            continue
        result = {"forward": "", "types": source, "forward_cost": watch.cost}
        if options["no_adjoint"]:
            return result
        watch = Watch(options)
        try:
            with watch:
                differentiate(warp, kernel, arguments)
        except Exception as e:  # noqa: BLE001
            text = text_of(e, options)
            if "was defined with enable_backward=False" in text:
                return result
            return {**result, "adjoint": text}
        return {**result, "adjoint": "", "adjoint_cost": watch.cost}
    return {"forward": error, "generic": any(map(is_open, annotations(kernel).values()))}


def text_of(error: Exception, options: dict) -> str:
    """An error as text."""
    text = f"{type(error).__name__}: {error}"
    return no_memory(options) if NO_MEMORY.search(text) else text


def no_memory(options: dict) -> str:
    return f"takes more than {options['bytes'] >> 20} MB of memory"


class Watch:
    """Measures what a compile takes, in seconds of the processor and bytes, and limits both."""

    def __init__(self, options: dict) -> None:
        self.seconds, self.bytes = options["seconds"], options["bytes"]
        self.cost: tuple[float, int] = (0.0, 0)

    def __enter__(self) -> None:
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins anew
        self.before = status("VmRSS")
        self.began = time.process_time()
        limit(resource.RLIMIT_CPU, int(self.began + self.seconds) + 1)
        limit(resource.RLIMIT_AS, status("VmSize") + self.bytes)

    def __exit__(self, *_: object) -> None:
        for kind in (resource.RLIMIT_CPU, resource.RLIMIT_AS):
            limit(kind, resource.RLIM_INFINITY)
        self.cost = (time.process_time() - self.began, max(0, status("VmHWM") - self.before))


def limit(kind: int, value: int) -> None:
    resource.setrlimit(kind, (value, resource.getrlimit(kind)[1]))


def status(field: str) -> int:
    """A field of the process's memory, in bytes."""
    text = Path("/proc/self/status").read_text(encoding="ascii")
    found = re.search(rf"^{field}:\s*(\d+) kB", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


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


def types_of(warp: Any, kernel: Any, known: Known) -> Iterator[tuple[list[Any], str]]:
    """Types of a kernel's parameters, the most likely ones first, and where they come from."""
    declared = annotations(kernel)
    if types := recorded(kernel)[1]:
        yield types, "wp.overload"
        return
    open_ones = {name: kind for name, kind in declared.items() if is_open(kind)}
    if not open_ones:
        yield list(declared.values()), "declared"
        return
    tried = [getattr(warp, name) for name in TRIED]
    tried += [t for t in known.values() if t not in tried]
    named = {name: known.of(name, kind) for name, kind in open_ones.items()}
    for name, ndim in subscripts(kernel).items():
        if open_ones.get(name) is Any:
            named[name] = named[name] + [warp.array(dtype=t, ndim=ndim) for t in tried[:3]]
    seen: list[list[Any]] = []
    everything = itertools.chain(
        departures([(found or tried)[0] for found in named.values()], tried),
        ([t] * len(named) for t in tried),
        likely([[*found, *(t for t in tried if t not in found)] for found in named.values()]),
    )
    for chosen in itertools.islice(everything, COMBINATIONS):
        if chosen in seen:
            continue
        seen.append(chosen)
        by_name = dict(zip(open_ones, chosen, strict=True))
        told = all(t in known.of(name, open_ones[name]) for name, t in by_name.items())
        types = [closed(warp, kind, by_name.get(name)) for name, kind in declared.items()]
        yield types, "names of parameters" if told else "tried in turns"


def subscripts(kernel: Any) -> dict[str, int]:
    """With how many indices a kernel's text takes elements of a name."""
    found: dict[str, int] = {}
    with contextlib.suppress(OSError, SyntaxError):
        for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(kernel.func)))):
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
                count = len(node.slice.elts) if isinstance(node.slice, ast.Tuple) else 1
                found[node.value.id] = max(count, found.get(node.value.id, 0))
    return found


def departures(usual: list[Any], others: list[Any]) -> Iterator[list[Any]]:
    """The usual choices, and with one other choice in place of one, two or three of them."""
    yield usual
    for count in (1, 2, 3):
        for places in itertools.combinations(range(len(usual)), count):
            for other in others:
                yield [other if i in places else t for i, t in enumerate(usual)]


def likely(choices: list[list[Any]]) -> Iterator[list[Any]]:
    """All combinations, those that take the first choices first."""
    lengths = [len(c) for c in choices]
    for total in range(sum(lengths)):
        for ranks in compositions(total, lengths):
            yield [c[r] for c, r in zip(choices, ranks, strict=True)]


def compositions(total: int, lengths: list[int]) -> Iterator[list[int]]:
    """The lists of numbers below `lengths` that add up to `total`."""
    if not lengths:
        if total == 0:
            yield []
        return
    for first in range(min(total + 1, lengths[0])):
        for rest in compositions(total - first, lengths[1:]):
            yield [first, *rest]


def closed(warp: Any, kind: Any, chosen: Any) -> Any:
    """A type in place of one that is left open; vectors and matrices get 3 rows and columns."""
    if not is_open(kind):
        return kind
    if (ndim := dimensions(kind)) is not None:
        dtype = closed(warp, kind.dtype, chosen)
        if "indexed" in type(kind).__name__ or "indexed" in getattr(kind, "__name__", ""):
            return warp.indexedarray(dtype=dtype, ndim=ndim)
        return warp.array(dtype=dtype, ndim=ndim)
    if pattern := PATTERN.fullmatch(repr(kind)):
        family, rows, columns, scalar = pattern.groups()
        dtype = {"Any": float, "Float": float, "Scalar": float, "Int": int}.get(scalar) or getattr(warp, scalar)
        scalar_chosen = getattr(chosen, "_wp_scalar_type_", chosen)
        if scalar in ("Any", "Float", "Scalar") and scalar_chosen in (warp.float64, warp.float16):
            dtype = scalar_chosen
        sizes = [3 if n == "Any" else int(n) for n in (rows, columns) if n]
        if family == "vec":
            return warp.types.vector(length=sizes[0], dtype=dtype)
        if family == "mat":
            return warp.types.matrix(shape=tuple(sizes), dtype=dtype)
        return getattr(warp.types, {"quat": "quaternion", "transform": "transformation"}[family])(dtype=dtype)
    if getattr(kind, "__name__", "") == "Int" and chosen not in (warp.int32, warp.uint64):
        return warp.int32
    return chosen


def argument(warp: Any, kind: Any) -> Any:
    """A value of a parameter's type."""
    if (ndim := dimensions(kind)) is not None:
        if "indexed" in type(kind).__name__ or "indexed" in getattr(kind, "__name__", ""):
            data = warp.zeros((1,) * ndim, dtype=kind.dtype)
            return warp.indexedarray(data, [warp.zeros(1, dtype=int)] * ndim)
        return warp.zeros((1,) * ndim, dtype=kind.dtype, requires_grad=is_float(warp, kind.dtype))
    if kind in (int, float, bool):
        return kind(0)
    value = kind()
    for name, field in fields(kind).items():
        # A field that holds no array is refused where the kernel reads it.
        if hasattr(field, "ndim") or fields(field):
            setattr(value, name, argument(warp, field))
    return value


def fields(kind: Any) -> dict[str, Any]:
    """The fields of a struct, by name; none for other types."""
    if not any(hasattr(kind, name) for name in ("vars", "_setters")):
        return {}
    return {name: getattr(field, "type", field) for name, field in kind.vars.items()}


def is_float(warp: Any, dtype: Any) -> bool:
    scalar = getattr(dtype, "_wp_scalar_type_", dtype)
    return scalar in (float, warp.float16, warp.float32, warp.float64) or hasattr(dtype, "vars")


if __name__ == "__main__":
    main()
