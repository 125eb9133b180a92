"""Random kernels over the whole language: vectors, matrices, structs, tuples, generics, functions as values, draws.

The text is a kernel and a plain Python function at once. `Plain` stands in for `warp` in the second case: NumPy arrays
that are copied wherever a kernel copies.
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from . import random_kernels

HEAD = """\
@wp.kernel
def kernel(x: wp.array(dtype=wp.float64), u: wp.array(dtype=wp.vec3d), y: wp.array(dtype=wp.float64),
           v: wp.array(dtype=wp.vec3d), m: wp.array2d(dtype=wp.float64),
           out: wp.array(dtype=wp.float64), acc: wp.array(dtype=wp.float64), n: int, p: wp.float64):
    i = wp.tid()
"""

STRUCT = """\
@wp.struct
class Pair:
    a: wp.float64
    u: wp.vec3d
    k: int

"""

# Functions that every program may call. Each keeps what it gives within [-2, 2] if its arguments are.
FUNCTIONS = {
    "blend": """\
@wp.func
def blend(a: wp.float64, b: wp.float64):
    return (a + b) * wp.float64(0.5), wp.sin(a - b)
""",
    "apply": """\
@wp.func
def apply(f: wp.Function, a: wp.float64):
    return f(f(a))
""",
    "soft": """\
@wp.func
def soft(a: wp.float64):
    return a / (wp.float64(1.0) + a * a)
""",
    "swing": """\
@wp.func
def swing(a: wp.float64):
    if a < wp.float64(0.0):
        return wp.sin(a)
    return wp.tanh(a)
""",
    "squeeze": """\
@wp.func
def squeeze(a):
    return a * wp.float64(0.5)
""",
    "folded": """\
@wp.func
def folded(s: Pair):
    return s.a * wp.float64(0.5) + wp.sin(s.u[s.k % 3])
""",
    "turned": """\
@wp.func
def turned(s: Pair, by: wp.float64):
    t = Pair()
    t.a = wp.cos(s.a + by)
    t.u = wp.cross(s.u, wp.vec3d(by, s.a, by)) * wp.float64(0.25)
    t.k = s.k + 1
    return t
""",
    "mixed": """\
@wp.func
def mixed(a: Any, b: Any):
    return a * wp.float64(0.5) - b * wp.float64(0.25)
""",
    "middle": """\
@wp.func
def middle(t: tuple[wp.float64, wp.float64]):
    return (t[0] + t[len(t) - 1]) * wp.float64(0.5)
""",
    "scale_number": """\
@wp.func
def scaled(a: wp.float64):
    return a * wp.float64(0.5)


@wp.func
def scaled(a: wp.vec3d):
    return wp.vec3d(a[1], a[2], a[0]) * wp.float64(0.5)
""",
}


class Generator(random_kernels.Generator):
    """Writes one program. Every number stays within [-2, 2] if its parts do."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.vectors: list[str] = []
        self.structs: list[str] = []
        self.matrices: list[str] = []
        self.states: list[str] = []
        self.locals: list[str] = []

    def expr(self, depth: int) -> str:
        rng = self.rng
        if depth == 0 or rng.random() < 0.55 or not self.vectors:
            return super().expr(depth)
        u, w = self.vector(depth - 1), self.vector(depth - 1)
        k = rng.choice(self.ints)
        named = rng.choice(self.vectors)
        forms = [
            f"{named}[{rng.choice([0, 1, 2, -1])}]",
            f"{named}[wp.abs({k}) % 3]",
            f"wp.sin(wp.dot({u}, {w}))",
            f"wp.tanh(wp.length_sq({u}))",
            f"apply({rng.choice(['soft', 'swing', 'wp.sin', 'wp.tanh'])}, {self.expr(0)})",
            f"squeeze({self.expr(depth - 1)})",
            f"scaled({self.expr(depth - 1)})",
            f"mixed({self.expr(0)}, {self.expr(depth - 1)})",
            f"middle(({self.expr(depth - 1)}, {self.expr(0)}))",
            f"wp.sin(wp.dot({named}[{rng.choice(['0:2', '1:', '::2', '1::-1'])}], {rng.choice(self.vectors)}[0:2]))",
            f"wp.cos(m[i, {rng.choice(['i % 3', '1', '-2'])}])",
        ]
        if self.structs:
            s = rng.choice(self.structs)
            forms += [
                f"{s}.a",
                f"{s}.u[{rng.choice([0, 1, -1])}]",
                f"folded({s})",
                f"folded(turned({s}, {self.expr(0)}))",
            ]
        if self.matrices:
            a = rng.choice(self.matrices)
            forms += [
                f"{a}[{rng.choice([0, 1])}, {rng.choice([0, -1])}]",
                f"wp.sin(wp.determinant({a}))",
                f"wp.tanh(wp.trace({a}))",
            ]
            forms += [
                f"wp.sin(wp.trace({a}[0:2, {rng.choice(['0:2', '1:', '::2', '1::-1'])}]))",
                f"wp.tanh(wp.length_sq({a}[:, 1]))",
            ]
        if self.locals:
            a = rng.choice(self.locals)
            forms += [f"{a}[wp.abs({k}) % 4]", f"{a}[{rng.choice([0, 3, -1])}]"] * 2
        return "(" + rng.choice(forms) + ")"

    def vector(self, depth: int) -> str:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.3:
            if rng.random() < 0.6:
                return rng.choice(self.vectors)
            return f"wp.vec3d({', '.join(super(Generator, self).expr(0) for _ in range(3))})"
        u, w = self.vector(depth - 1), self.vector(depth - 1)
        a = random_kernels.Generator.expr(self, 1)
        forms = [
            f"({u} + {w}) * wp.float64(0.5)",
            f"({u} - {w}) * wp.float64(0.5)",
            f"{u} * wp.cos({a})",
            f"wp.cross({u}, {w}) * wp.float64(0.25)",
            f"wp.cw_mul({u}, {w}) * wp.float64(0.5)",
            f"-{u}",
            f"{u} / (wp.float64(1.0) + wp.length_sq({w}))",
            f"squeeze({u})",
            f"mixed({u}, {w})",
            f"{rng.choice(self.vectors)}[::-1] * wp.float64(0.7)",
            f"scaled({u})",
            f"({u} if {self.condition(0)} else {w})",
        ]
        if self.matrices:
            forms += [f"{rng.choice(self.matrices)} @ {u} * wp.float64(0.2)"] * 2
        if self.structs:
            forms += [f"{rng.choice(self.structs)}.u"]
        return "(" + rng.choice(forms) + ")"

    def statement(self, indent: int, depth: int, loop: bool) -> None:
        rng = self.rng
        if rng.random() < 0.45:
            super().statement(indent, depth, loop)
            return
        writes = {
            "vector": self.let_vector,
            "component": self.set_component,
            "tuple": self.let_tuple,
            "struct": self.let_struct,
            "field": self.set_field,
            "matrix": self.let_matrix,
            "draw": self.draw,
            "alias": self.alias,
            "array": self.store,
            "slice": self.set_slice,
            "local": self.let_local,
            "element": self.set_element,
            "chain": self.chain,
        }
        writes[rng.choice(list(writes))](indent)

    def let_vector(self, indent: int) -> None:
        # A new value: in Python a bare name would be the same object.
        text = f"wp.vec3d() + {self.vector(2)}"
        if self.rng.random() < 0.4:
            self.emit(indent, f"{self.rng.choice(self.vectors)} = {text}")
            return
        name = self.fresh("w")
        self.emit(indent, f"{name} = {text}")
        self.vectors.append(name)

    def set_component(self, indent: int) -> None:
        rng = self.rng
        at = rng.choice(["0", "2", "-2", f"wp.abs({rng.choice(self.ints)}) % 3"])
        name = rng.choice(self.vectors)
        if rng.random() < 0.3:
            self.emit(indent, f"{name}[{at}] *= wp.cos({self.expr(1)})")
        else:
            self.emit(indent, f"{name}[{at}] = {self.expr(1)}")

    def let_tuple(self, indent: int) -> None:
        one, two = self.fresh("v"), self.fresh("v")
        if self.rng.random() < 0.6:
            self.emit(indent, f"{one}, {two} = blend({self.expr(1)}, {self.expr(1)})")
        else:
            self.emit(indent, f"{one}, {two} = {self.expr(1)}, {self.expr(1)}")
        self.floats += [one, two]

    def let_struct(self, indent: int) -> None:
        name = self.fresh("s")
        if self.structs and self.rng.random() < 0.5:
            self.emit(indent, f"{name} = turned({self.rng.choice(self.structs)}, {self.expr(1)})")
        else:
            self.emit(indent, f"{name} = Pair()")
            self.emit(indent, f"{name}.u = {self.vector(1)} * wp.float64(0.5)")
        self.structs.append(name)

    def set_field(self, indent: int) -> None:
        if not self.structs:
            self.let_struct(indent)
        name, rng = self.rng.choice(self.structs), self.rng
        kind = rng.choice(["a", "u", "k", "component"])
        if kind == "a":
            self.emit(indent, f"{name}.a = {self.expr(2)}")
        elif kind == "u":
            self.emit(indent, f"{name}.u = {self.vector(1)} * wp.float64(0.5)")
        elif kind == "k":
            self.emit(indent, f"{name}.k = wp.abs({rng.choice(self.ints)}) + {rng.randint(0, 3)}")
        else:
            self.emit(indent, f"{name}.u[{rng.choice([0, 1, -1])}] = {self.expr(1)}")

    def let_matrix(self, indent: int) -> None:
        name = self.fresh("g")
        rows = ", ".join(self.expr(0) for _ in range(9))
        self.emit(indent, f"{name} = wp.mat33d({rows})")
        if self.rng.random() < 0.5:
            self.emit(indent, f"{name}[{self.rng.choice([0, 2])}, {self.rng.choice([1, -1])}] = {self.expr(1)}")
        if self.rng.random() < 0.3:
            self.emit(indent, f"{name}[1] = {self.vector(1)} * wp.float64(0.5)")
        self.matrices.append(name)

    def draw(self, indent: int) -> None:
        if not self.states:
            state = self.fresh("r")
            self.emit(indent, f"{state} = wp.rand_init({self.rng.randint(0, 99)}, i)")
            self.states.append(state)
        name, state = self.fresh("v"), self.rng.choice(self.states)
        draw = self.rng.choice(["wp.randf({})", "wp.randf({}, -1.0, 1.0)"]).format(state)
        self.emit(indent, f"{name} = wp.float64({draw}) * {self.expr(0)}")
        self.floats.append(name)

    def alias(self, indent: int) -> None:
        name, value = self.fresh("q"), self.fresh("v")
        self.emit(indent, f"{name} = {self.rng.choice(['soft', 'swing', 'wp.sin', 'wp.cos'])}")
        self.emit(indent, f"{value} = {name}({self.expr(1)})")
        self.floats.append(value)

    def store(self, indent: int) -> None:
        at = self.rng.choice(["0", "1", "-1"])
        form = self.rng.choice(
            ["v[i] = {w} * wp.float64(0.5)", "m[i, {at}] = {a}", "acc[0] += {a}", "v[i] += {w} * wp.float64(0.1)"]
        )
        self.emit(indent, form.format(w=self.vector(1), a=self.expr(1), at=at))

    def set_slice(self, indent: int) -> None:
        to, source = self.rng.choice(self.vectors), self.rng.choice(self.vectors)
        at = self.rng.choice(["0:2", "1:", "::2", "2:0:-1"])
        self.emit(indent, f"{to}[{at}] {self.rng.choice(['=', '-='])} {source}[1:] * wp.float64(0.5)")

    def let_local(self, indent: int) -> None:
        name = self.fresh("l")
        self.emit(indent, f"{name} = wp.zeros({self.rng.choice(['4', 'shape=4', '(4,)'])}, dtype=wp.float64)")
        self.locals.append(name)
        for _ in range(self.rng.randint(0, 2)):
            self.set_element(indent)

    def set_element(self, indent: int) -> None:
        if not self.locals:
            self.let_local(indent)
        at = self.rng.choice(["0", "3", f"wp.abs({self.rng.choice(self.ints)}) % 4"])
        form = self.rng.choice(["= {a}", "*= wp.cos({a})"])
        self.emit(indent, f"{self.rng.choice(self.locals)}[{at}] {form.format(a=self.expr(1))}")

    def chain(self, indent: int) -> None:
        """A loop that is unrolled, with another function in each round."""
        name, at = self.fresh("v"), self.fresh("j")
        self.emit(indent, f"{name} = {self.expr(1)}")
        self.emit(indent, f"for {at} in range({self.rng.randint(1, 3)}):")
        self.emit(indent + 1, f"{name} = wp.static(CHAIN[{at}])({name}) * wp.float64(wp.static(1.0 - 0.25 * {at}))")
        self.floats.append(name)

    def block(self, indent: int, size: int, depth: int, loop: bool) -> None:
        kept = [list(names) for names in (self.vectors, self.structs, self.matrices, self.states, self.locals)]
        super().block(indent, size, depth, loop)
        self.vectors, self.structs, self.matrices, self.states, self.locals = kept

    def program(self) -> str:
        chain = "CHAIN = [soft, swing, squeeze]"
        self.lines = "\n\n".join([STRUCT, *FUNCTIONS.values(), chain, "\n"]).splitlines()
        self.lines += HEAD.splitlines()
        self.floats, self.ints, self.vectors = ["p"], ["i", "n"], []
        for source in ("x[i]", "x[i - 1]", "m[i, 0]"):
            name = self.fresh("v")
            self.emit(1, f"{name} = {source}")
            self.floats.append(name)
        for source in ("v[i]", "u[i - 1]"):
            name = self.fresh("w")
            self.emit(1, f"{name} = {source} * wp.float64(1.0)")
            self.vectors.append(name)
        for _ in range(self.rng.randint(4, 8)):
            self.statement(1, 3, False)
        self.emit(1, f"out[i] = {self.expr(2)} + wp.float64(0.5) * wp.sin(wp.dot({self.vector(2)}, {self.vector(1)}))")
        return "\n".join(self.lines) + "\n"


class State:
    """A random state, which draws change in the caller's variable."""

    def __init__(self, bits: int) -> None:
        self.bits = bits


class Struct:
    """A struct whose fields are zero at first."""

    def __init__(self) -> None:
        zeros = {"int": int, "wp.float64": np.float64, "wp.vec3d": Plain.vec3d}
        for name, annotation in type(self).__annotations__.items():
            setattr(self, name, zeros[annotation]())


class Plain(random_kernels.Plain):
    """Stands in for `warp` so that the same text runs as plain Python."""

    Function = object
    cross, cw_mul = staticmethod(np.cross), staticmethod(np.multiply)
    trace, determinant = staticmethod(np.trace), staticmethod(np.linalg.det)

    def __init__(self) -> None:
        super().__init__()
        self.funcs: dict[str, list] = {}

    @staticmethod
    def vec3d(*parts):
        return np.array(parts or (0.0, 0.0, 0.0), dtype=np.float64)

    @staticmethod
    def mat33d(*parts):
        return np.array(parts, dtype=np.float64).reshape(3, 3)

    @staticmethod
    def dot(a, b):
        """Each product rounded, summed in order. NumPy fuses some: sums of the same products would compare unequal."""
        return functools.reduce(operator.add, (x * y for x, y in zip(a, b, strict=True)))

    @staticmethod
    def length_sq(a):
        return Plain.dot(a, a)

    @staticmethod
    def array2d(dtype):
        return dtype

    @staticmethod
    def struct(cls):
        return type(cls.__name__, (Struct,), {"__annotations__": cls.__annotations__})

    def func(self, f):
        """The one of several functions of a name that takes a vector, or the one that does not."""
        known = self.funcs.setdefault(f.__name__, [])
        known.append(f)
        if len(known) == 1:
            return f

        def chosen(a):
            takes_vector = [next(iter(g.__annotations__.values())) == "wp.vec3d" for g in known]
            return known[takes_vector.index(np.ndim(a) == 1)](a)

        return chosen

    @staticmethod
    def static(value):
        return value

    @staticmethod
    def zeros(shape, dtype):
        return np.zeros(shape)

    @staticmethod
    def rand_init(seed, offset):
        return State(pcg((seed + pcg(offset)) & 0xFFFFFFFF))

    @staticmethod
    def randf(state, low=None, high=None):
        state.bits = pcg(state.bits)
        drawn = np.float32(state.bits >> 8) * np.float32(2.0**-24)
        if low is None:
            return drawn
        return (np.float32(high) - np.float32(low)) * drawn + np.float32(low)


def pcg(s: int) -> int:
    """The hash of M. O'Neill's PCG (RXS-M-XS, 32 bits)."""
    s = (s * 747796405 + 2891336453) & 0xFFFFFFFF
    w = (((s >> ((s >> 28) + 4)) ^ s) * 277803737) & 0xFFFFFFFF
    return (w >> 22) ^ w


def run_plain(text: str, label: str, arrays, n: int, p: float) -> None:
    """Runs every thread in order with CPython."""
    plain = Plain()
    names = {"wp": plain, "Any": Any}
    function = random_kernels.compile_text(text, names, f"{label} plain")["kernel"]
    for i in range(len(arrays[0])):
        plain.index = i
        function(*arrays, n, np.float64(p))
