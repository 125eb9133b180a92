"""The text of `py/python/warp/_value_types.pyi`: the named types of values, as type checkers and editors see them.

`scripts/public_stub.py` writes it.
"""

from __future__ import annotations

from collections.abc import Iterator

HEAD = """\
# Made from the table of types: `python scripts/public_stub.py` writes it anew.

import builtins
from collections.abc import Iterator
from typing import Any, Literal, SupportsIndex, TypeAlias, TypeVar, overload

from warp._value_bases import (
    Composite, Floating, Integer, Matrix, Nested, Number, Parts, Quaternion, Real, Transform, Vector, Whole,
)

# What kernels do not tell apart is one type.
bool: TypeAlias = builtins.bool
int32: TypeAlias = builtins.int
float32: TypeAlias = builtins.float

"""

# What follows the name of a vector type, with the scalar type.
LETTERS = {
    "f": "float32",
    "d": "float64",
    "h": "float16",
    "bf": "bfloat16",
    "b": "int8",
    "s": "int16",
    "i": "int32",
    "l": "int64",
    "ub": "uint8",
    "us": "uint16",
    "ui": "uint32",
    "ul": "uint64",
}
FLOATS = ("f", "d", "h", "bf")
PYTHONS = {"float32": "builtins.float", "int32": "builtins.int"}


def text() -> str:
    """What the stub should hold."""
    out = [HEAD]
    for name in LETTERS.values():
        if name not in PYTHONS:
            base = "Floating" if "float" in name else "Integer"
            out.append(f"class {name}({base}): ...\n")
    out.append('\nclass handle(uint64):\n    """An address or another handle that programs pass on."""\n\n')
    names = [PYTHONS.get(name, name) for name in LETTERS.values()]
    floats = [name for name in names if "float" in name]
    ints = [name for name in names if "float" not in name]
    for var, admitted in (("Int", ints), ("Float", floats), ("Scalar", ints + floats)):
        out.append(f'{var} = TypeVar("{var}", {", ".join(admitted)})\n')
    out.append("\n")
    for letter in LETTERS:
        for size in (2, 3, 4):
            out += vector(f"vec{size}{letter}", size, letter)
    for letter in ("f", "d", "h"):
        out += vector(f"spatial_vector{letter}", 6, letter)
    for letter in FLOATS:
        for size in (2, 3, 4):
            out += matrix(f"mat{size}{size}{letter}", f"vec{size}{letter}", size, letter)
    for letter in ("f", "d", "h"):
        out += matrix(f"spatial_matrix{letter}", f"spatial_vector{letter}", 6, letter)
    for letter in FLOATS:
        out += quaternion(letter)
    for letter in ("f", "d", "h"):
        out += transform(letter)
    short = ("vec2", "vec3", "vec4", "mat22", "mat33", "mat44", "quat", "transform", "spatial_vector", "spatial_matrix")
    out += (f"{name}: TypeAlias = {name}f\n" for name in short)
    return "".join(out)


def kinds(letter: str) -> tuple[str, str, str]:
    """The type of a component, Python's number beside it, and what a constructor takes."""
    name = LETTERS[letter]
    whole = "float" not in name
    return PYTHONS.get(name, name), "builtins.int" if whole else "builtins.float", "Whole" if whole else "Real"


def component(name: str, of: str, python: str) -> Iterator[str]:
    """A component by name, which takes what an assignment to it may be."""
    if of == python:
        yield f"    {name}: {of}\n"
    else:
        yield f"    @property\n    def {name}(self) -> {of}: ...\n"
        yield f"    @{name}.setter\n    def {name}(self, value: {of} | {python}) -> None: ...\n"


def constructors(parameters: list[str]) -> Iterator[str]:
    for listed in parameters:
        yield f"    @overload\n    def __init__(self{listed}) -> None: ...\n"


def named(names: str, of: str) -> str:
    return "".join(f", {name}: {of}" for name in names.split())


def vector(name: str, size: int, letter: str) -> Iterator[str]:
    of, python, taken = kinds(letter)
    yield f"class {name}(Vector[{of}, {python}, Literal[{size}]]):\n"
    axes = "x y z w"[: 2 * size - 1] if size <= 4 else ""
    for axis in axes.split():
        yield from component(axis, of, python)
    each = named(axes or "w0 w1 w2 v0 v1 v2", taken)
    parts = {
        3: [", xy: Parts, z: Real"],
        4: [", xyz: Parts, w: Real", ", xy: Parts, zw: Parts"],
        6: [", w: Parts, v: Parts"],
    }
    yield from constructors(["", f", s: {taken}, /", each, ", parts: Parts, /", *parts.get(size, [])])
    yield "\n"


def matrix(name: str, row: str, size: int, letter: str) -> Iterator[str]:
    of, python, taken = kinds(letter)
    yield f"class {name}(Matrix[{of}, {python}, Literal[{size}], Literal[{size}]]):\n"
    yield f"    def __iter__(self) -> Iterator[{row}]: ...\n"
    for key, found in (("SupportsIndex", row), ("tuple[SupportsIndex, SupportsIndex]", of), ("Any", "Any")):
        yield f"    @overload\n    def __getitem__(self, key: {key}) -> {found}: ...\n"
    for key, value in (
        ("SupportsIndex", f"{row} | Parts | {python}"),
        ("tuple[SupportsIndex, SupportsIndex]", of if of == python else f"{of} | {python}"),
        ("slice | tuple[SupportsIndex | slice, SupportsIndex | slice]", "Any"),
    ):
        yield f"    @overload\n    def __setitem__(self, key: {key}, value: {value}) -> None: ...\n"
    number = of if of == python else f"{of} | {python}"
    for operator, number_too in (("matmul", False), ("mul", True)):
        for other in (row, name, *([number] if number_too else [])):
            result = row if other == row else name
            yield f"    @overload\n    def __{operator}__(self, other: {other}) -> {result}: ...\n"
    yield f"    def __rmatmul__(self, other: {row}) -> {row}: ...\n"
    yield f"    @overload\n    def __rmul__(self, other: {row}) -> {row}: ...\n"
    yield f"    @overload\n    def __rmul__(self, other: {number}) -> {name}: ...\n"
    rows = named(" ".join(f"row{i}" for i in range(size)), "Parts")
    each = named(" ".join(f"m{i}{j}" for i in range(size) for j in range(size)), taken)
    yield from constructors(["", f", s: {taken}, /", each, rows, ", parts: Parts, /"])
    yield "\n"


def quaternion(letter: str) -> Iterator[str]:
    of, python, taken = kinds(letter)
    yield f"class quat{letter}(Quaternion[{of}, {python}]):\n"
    for axis in "xyzw":
        yield from component(axis, of, python)
    yield from constructors(["", named("x y z w", taken), ", ijk: Parts, real: Real", ", parts: Parts, /"])
    yield "\n"


def transform(letter: str) -> Iterator[str]:
    of, python, taken = kinds(letter)
    yield f"class transform{letter}(Transform[{of}, {python}]):\n    p: vec3{letter}\n    q: quat{letter}\n"
    each = named("px py pz qx qy qz qw", taken)
    pair = f", p: vec3{letter} | Parts | None = None, q: quat{letter} | Parts | None = None"
    yield from constructors([pair, each])
    yield "\n"
