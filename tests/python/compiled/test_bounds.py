"""Indices out of range raise IndexError whatever they are made of, and no memory but the arrays' own is touched."""

import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import warp as wp

LOW, HIGH = -(2**31), 2**31 - 1
ROWS, COLUMNS = 4, 5


def wrap(n):
    """An int32 as the machine has it."""
    return (n - LOW) % 2**32 + LOW


def quotient(a, b):
    return 0 if b == 0 else wrap(a // b)


def remainder(a, b):
    """Of the division that rounds towards zero."""
    return 0 if b == 0 else abs(a) % abs(b) * (1 if a >= 0 else -1)


OPERATORS = {
    "+": lambda a, b: wrap(a + b),
    "-": lambda a, b: wrap(a - b),
    "*": lambda a, b: wrap(a * b),
    "//": quotient,
    "%": remainder,
}
COMPARISONS = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


@dataclass
class Expression:
    """An integer expression as text and as a function of what its names mean."""

    text: str
    value: object


def expression(rng, names, depth):
    """A random one."""
    if depth == 0 or rng.random() < 0.25:
        if rng.random() < 0.3:
            n = rng.choice([-2, -1, 0, 1, 2, 3, 7])
            return Expression(f"({n})", lambda at: n)
        name = rng.choice(names)
        return Expression(name, lambda at: at[name])
    a, b = (expression(rng, names, depth - 1) for _ in range(2))
    if rng.random() < 0.25:
        which = rng.choice(["min", "max"])
        pick = min if which == "min" else max
        return Expression(f"wp.{which}({a.text}, {b.text})", lambda at: pick(a.value(at), b.value(at)))
    sign = rng.choice(["+", "+", "-", "*", "*", "//", "%"])
    return Expression(f"({a.text} {sign} {b.text})", lambda at: OPERATORS[sign](a.value(at), b.value(at)))


def condition(rng, names):
    a, b = expression(rng, names, 1), expression(rng, names, 1)
    sign = rng.choice(list(COMPARISONS))
    return Expression(f"{a.text} {sign} {b.text}", lambda at: COMPARISONS[sign](a.value(at), b.value(at)))


class OutError(Exception):
    """An index that the array does not have."""


@dataclass
class Program:
    """A kernel that counts how often it comes to each element of an array, and the same in Python."""

    text: str
    guards: list
    loop: tuple | None
    index: Expression
    size: int

    def count(self, names, dims):
        """What the array holds afterwards."""
        counts = np.zeros(self.size, dtype=np.int32)
        for i in range(dims[0]):
            for j in range(dims[1]):
                at = {**names, "i": i, "j": j, "n": self.size}
                for k in range(*(bound.value(at) for bound in self.loop)) if self.loop else [0]:
                    at["k"] = k
                    if all(guard.value(at) for guard in self.guards):
                        index = self.index.value(at)
                        if not -self.size <= index < self.size:
                            raise OutError
                        counts[index] += 1
        return counts


def program(rng, number):
    names = ["i", "j", "p", "q", "n"]
    loop = None
    lines = ["@wp.kernel", f"def walk{number}(x: wp.array(dtype=int), p: int, q: int):", "    i, j = wp.tid()"]
    lines.append("    n = x.shape[0]")
    pad = "    "
    if rng.random() < 0.5:
        # Short whatever the parameters are.
        start, step = rng.choice([("0", 1), ("p % 4", 1), ("i", 1), ("n - 1", -1), ("q % 3", 2)])
        stop = {1: f"{start} + 3", 2: f"{start} + 7", -1: "-1"}[step]
        sizes = {"0": lambda at: 0, "p % 4": lambda at: remainder(at["p"], 4), "i": lambda at: at["i"]}
        sizes |= {"n - 1": lambda at: at["n"] - 1, "q % 3": lambda at: remainder(at["q"], 3)}
        first = sizes[start]
        last = {1: lambda at: first(at) + 3, 2: lambda at: first(at) + 7, -1: lambda at: -1}[step]
        loop = (Expression(start, first), Expression(stop, last), Expression(str(step), lambda at: step))
        lines.append(f"{pad}for k in range({start}, {stop}, {step}):")
        names.append("k")
        pad += "    "
    guards = [condition(rng, names) for _ in range(rng.randrange(3))]
    index = expression(rng, names, 2)
    if rng.random() < 0.4:
        # As people write it.
        below = Expression(f"{index.text} < n", lambda at: index.value(at) < at["n"])
        above = Expression(f"{index.text} >= 0", lambda at: index.value(at) >= 0)
        guards += rng.choice([[below], [below, above], [above]])
    if guards:
        lines.append(f"{pad}if {' and '.join(guard.text for guard in guards)}:")
        pad += "    "
    access = rng.choice(["wp.atomic_add(x, {0}, 1)", "wp.atomic_add(x, {0}, x.shape[0] // n)"])
    lines.append(pad + access.format(index.text))
    return Program("\n".join(lines), guards, loop, index, rng.choice([1, 6, 20, 40]))


def values(rng):
    return rng.choice([0, 1, 2, COLUMNS, COLUMNS, rng.randrange(-6, 25), rng.choice([2**30, HIGH, LOW, 2**16])])


def kernels_of(programs, folder: Path):
    file = folder / "programs.py"
    file.write_text("import warp as wp\n\n" + "\n\n".join(p.text for p in programs))
    scope = {"__name__": "programs"}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    return [scope[f"walk{k}"] for k in range(len(programs))]


def test_random_indices(tmp_path):
    """An index raises IndexError if and only if a thread comes to it out of range; nothing beside the array changes."""
    rng = random.Random(7)
    programs = [program(rng, k) for k in range(150)]
    ends = {True: 0, False: 0}
    for p, kernel in zip(programs, kernels_of(programs, tmp_path), strict=True):
        for _ in range(6):
            names = {"p": values(rng), "q": values(rng)}
            dims = rng.choice([(ROWS, COLUMNS), (ROWS, COLUMNS), (1, 1), (ROWS, 1), (0, 3)])
            memory = np.full(p.size + 64, 77, dtype=np.int32)
            x = memory[32 : 32 + p.size]
            x[:] = 0
            try:
                expected = p.count(names, dims)
            except OutError:
                expected = None
            ends[expected is None] += 1
            try:
                wp.launch(kernel, dim=dims, inputs=[x, names["p"], names["q"]])
            except IndexError:
                assert expected is None, (p.text, names, dims)
            else:
                assert expected is not None, (p.text, names, dims)
                np.testing.assert_array_equal(x, expected, err_msg=f"{p.text}\n{names} {dims}")
            beside = np.concatenate([memory[:32], memory[32 + p.size :]])
            assert np.all(beside == 77), (p.text, names, dims)
    # Both ends are tested.
    assert min(ends.values()) > 100, ends


@wp.struct
class Cell:
    weight: float
    place: wp.vec3


@wp.kernel
def load(x: wp.array(dtype=float), at: wp.array(dtype=int), out: wp.array(dtype=float)):
    out[wp.tid()] = x[at[wp.tid()]]


@wp.kernel
def store(x: wp.array(dtype=float), at: wp.array(dtype=int), out: wp.array(dtype=float)):
    x[at[wp.tid()]] = 5.0


@wp.kernel
def change(x: wp.array(dtype=float), at: wp.array(dtype=int), out: wp.array(dtype=float)):
    x[at[wp.tid()]] += 5.0


@wp.kernel
def atomics(x: wp.array(dtype=float), at: wp.array(dtype=int), out: wp.array(dtype=float)):
    k = at[wp.tid()]
    wp.atomic_min(x, k, 5.0)
    wp.atomic_max(x, k, 7.0)
    out[wp.tid()] = wp.atomic_sub(x, k, 5.0)


@wp.kernel
def uniform(x: wp.array(dtype=float), at: wp.array(dtype=int), out: wp.array(dtype=float)):
    k = at[0]
    wp.atomic_add(x, k, 1.0)


@wp.kernel
def component(x: wp.array(dtype=float), at: wp.array(dtype=int), out: wp.array(dtype=float)):
    v = wp.vec3(1.0, 2.0, 3.0)
    out[wp.tid()] = v[at[wp.tid()] - 3]


@wp.kernel
def replaced(x: wp.array(dtype=float), at: wp.array(dtype=int), out: wp.array(dtype=float)):
    v = wp.vec3(1.0, 2.0, 3.0)
    v[at[wp.tid()] - 3] = 4.0
    out[wp.tid()] = v[0]


@wp.kernel
def entry(x: wp.array(dtype=float), at: wp.array(dtype=int), out: wp.array(dtype=float)):
    m = wp.mat33(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)
    out[wp.tid()] = m[1, at[wp.tid()] - 3]


@wp.kernel
def turned(x: wp.array(dtype=float), at: wp.array(dtype=int), out: wp.array(dtype=float)):
    q = wp.quat(0.0, 0.0, 0.0, 1.0)
    out[wp.tid()] = q[at[wp.tid()] - 2]


SIZE = 6
FORMS = [load, store, change, atomics, uniform, component, replaced, entry, turned]


@pytest.mark.parametrize("kernel", FORMS)
@pytest.mark.parametrize("strided", [False, True])
def test_every_form_of_access(kernel, strided):
    rng = random.Random(3)
    for _ in range(30):
        at = rng.choice([0, 1, 5, -6, 6, -7, 7, 100, -100, HIGH, LOW, rng.randrange(-9, 9)])
        memory = np.full(SIZE * 2 + 64, 77, dtype=np.float32)
        x = memory[32 : 32 + 2 * SIZE : 2] if strided else memory[32 : 32 + SIZE]
        before = memory.copy()
        inside = np.zeros(len(memory), dtype=bool)
        inside[32 : 32 + 2 * SIZE : 2 if strided else 1] = strided
        inside[32 : 32 + SIZE] |= not strided
        inputs = [x, np.array([at], dtype=np.int32), np.zeros(1, dtype=np.float32)]
        local = {component: (3, 3), replaced: (3, 3), entry: (3, 3), turned: (2, 4)}
        shift, size = local.get(kernel, (0, SIZE))
        if -size <= wrap(at - shift) < size:
            wp.launch(kernel, dim=1, inputs=inputs)
        else:
            given = wrap(at - shift)
            with pytest.raises(IndexError, match=rf"index {given} is out of range for a dimension of size {size}"):
                wp.launch(kernel, dim=1, inputs=inputs)
        np.testing.assert_array_equal(memory[~inside], before[~inside])


@wp.kernel
def grid(x: wp.array2d(dtype=wp.mat22), a: int, b: int, c: int, d: int):
    x[a, b][c, d] = 1.0


def test_dimensions_and_components():
    """Each index is compared with its own size: one too far to the right is not the next row."""
    for k, size in enumerate((3, 4, 2, 2)):
        x = np.zeros((3, 4, 2, 2), dtype=np.float32)
        for at in range(-size, size):
            indices = [0, 0, 0, 0]
            indices[k] = at
            wp.launch(grid, dim=1, inputs=[x, *indices])
            assert x[tuple(indices)] == 1.0
        before = x.copy()
        for at in (-size - 1, size, HIGH, LOW):
            indices = [0, 0, 0, 0]
            indices[k] = at
            with pytest.raises(IndexError, match=f"index {at} is out of range for a dimension of size {size}"):
                wp.launch(grid, dim=1, inputs=[x, *indices])
        np.testing.assert_array_equal(x, before)


@wp.kernel
def fields(cells: wp.array(dtype=Cell), k: int, c: int):
    cells[k].weight = 1.0
    cells[k].place[c] = 2.0


def test_arrays_of_structs():
    cells = wp.zeros(3, dtype=Cell)
    wp.launch(fields, dim=1, inputs=[cells, -1, 2])
    for k, c in ((3, 0), (0, 3), (-4, 0), (0, -4)):
        with pytest.raises(IndexError):
            wp.launch(fields, dim=1, inputs=[cells, k, c])


@wp.kernel
def everywhere(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = 2.0 * x[i] * x[i]


def test_empty_and_short_arrays():
    y = np.zeros(4, dtype=np.float32)
    for n in (0, 1, 3):
        with pytest.raises(IndexError, match=f"index {n} is out of range for a dimension of size {n}"):
            wp.launch(everywhere, dim=4, inputs=[np.ones(n, dtype=np.float32), y])
    wp.launch(everywhere, dim=0, inputs=[np.ones(0, dtype=np.float32), y])
    wp.launch(everywhere, dim=(2, 2), inputs=[np.ones(4, dtype=np.float32), y])
    with pytest.raises(IndexError):
        wp.launch(everywhere, dim=(3, 2), inputs=[np.ones(2, dtype=np.float32), y])


def test_gradients_check_too():
    x = wp.ones(4, requires_grad=True)
    y = wp.zeros(4, requires_grad=True)
    short = wp.zeros(3)
    with pytest.raises(ValueError, match=r"gradient of 'x' has shape \[3\]"):
        wp.launch(
            everywhere, dim=4, inputs=[x], outputs=[y], adj_inputs=[short], adj_outputs=[wp.ones(4)], adjoint=True
        )
    # A gradient that nobody asked for is no array at all.
    wp.launch(everywhere, dim=4, inputs=[x], outputs=[y], adj_inputs=[None], adj_outputs=[wp.ones(4)], adjoint=True)


def test_switched_off(monkeypatch):
    """Kernels, modules and wp.config may leave the checks out; what is closer to the kernel wins."""

    def kernel(**options):
        @wp.kernel(**options)
        def touch(v: wp.array(dtype=float), k: int):
            w = wp.vec3(1.0, 2.0, 3.0)
            # Without checks the last component stands for what is out of range: no memory is touched.
            v[0] = w[k]

        return touch

    def checks(k):
        v = np.zeros(1, dtype=np.float32)
        try:
            wp.launch(k, dim=1, inputs=[v, 5])
        except IndexError:
            return True
        assert v[0] == 3.0
        return False

    assert checks(kernel())
    assert not checks(kernel(check_bounds=False))
    wp.set_module_options({"check_bounds": False})
    try:
        assert wp.get_module_options()["check_bounds"] is False
        assert wp.get_module_options("somewhere.else")["check_bounds"] is None
        assert not checks(kernel())
        assert checks(kernel(check_bounds=True))
    finally:
        wp.set_module_options({"check_bounds": True})
    monkeypatch.setattr(wp.config, "check_bounds", False)
    assert checks(kernel())
    monkeypatch.setattr("warp._language.modules._modules", {})
    assert not checks(kernel())
    with pytest.raises(TypeError, match="'check_bounds' is a bool"):
        wp.set_module_options({"check_bounds": "no"})


def test_what_is_no_array_and_what_is_no_dimension():
    """An annotation has no memory, and a number in an array is no dimension: found before anything is written."""
    x, y = np.ones(4, dtype=np.float32), np.zeros(4, dtype=np.float32)
    for annotation in (wp.array(dtype=float), wp.array(dtype=float, ndim=1), wp.array[float]):
        with pytest.raises(TypeError, match="argument 'x': this is an annotation"):
            wp.launch(everywhere, dim=4, inputs=[annotation, y])
        with pytest.raises(TypeError, match="argument 'y': this is an annotation"):
            wp.launch(everywhere, dim=4, inputs=[x, annotation])
    for dim in (np.array(4), (np.array(4),), np.array([[4]]), np.array([4.0])):
        with pytest.raises(TypeError, match="dim is a numpy.ndarray"):
            wp.launch(everywhere, dim=dim, inputs=[x, y])
    assert not y.any()
    for dim in (np.int64(4), np.array([4])):
        wp.launch(everywhere, dim=dim, inputs=[x, y])
        assert y.all()
        y[:] = 0


FOREIGN = """
import numpy as np
import warp as wp


@wp.kernel
def everywhere(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = 2.0 * x[i] * x[i]


@wp.kernel
def at(x: wp.array(dtype=float), k: int):
    x[k] += 1.0


# Beside this nothing is mapped for a long way.
big, empty = wp.zeros(50_000_000), wp.zeros(0)
"""

# What ended a process without checks, or changed memory of others.
FAR = {
    "read": ("wp.launch(everywhere, dim=50_000_000, inputs=[wp.zeros(1), big])", IndexError),
    "write": ("wp.launch(everywhere, dim=50_000_000, inputs=[big, wp.zeros(1)])", IndexError),
    "above": ("wp.launch(at, dim=1, inputs=[big, 2**31 - 1])", IndexError),
    "below": ("wp.launch(at, dim=1, inputs=[big, -2**31])", IndexError),
    "empty": ("wp.launch(at, dim=1, inputs=[empty, 0])", IndexError),
    "empty for many": ("wp.launch(everywhere, dim=50_000_000, inputs=[empty, empty])", IndexError),
    "annotation": ("wp.launch(at, dim=1, inputs=[wp.array(dtype=float), 0])", TypeError),
}


@pytest.mark.parametrize("case", FAR)
def test_far_outside(case, tmp_path):
    launch, error = FAR[case]
    program = tmp_path / "program.py"
    program.write_text(f"{FOREIGN}\ntry:\n    {launch}\nexcept {error.__name__}:\n    print('refused')\n")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.returncode) == ("refused\n", 0), done.stderr


@wp.kernel
def gather_twice(x: wp.array2d(dtype=int), at: wp.array(dtype=int), out: wp.array(dtype=int)):
    i = wp.tid()
    k = at[i]
    # `at[i] % 3` is computed twice.
    out[i] = x[k, at[i] % 3] + 100 * x[k, at[i] % 3 - 1] + 10000 * x[k + 1, 0]


@pytest.mark.parametrize("lanes", ["never", "auto", 2, 4, 8, 16])
@pytest.mark.parametrize("low", [-9, 0])
def test_indices_of_either_sign(lanes, low, monkeypatch):
    """Some count from the end, most do not; the lowest thread that is out of range is the one that is reported."""
    monkeypatch.setattr(wp.config, "lanes", lanes)
    rng = np.random.default_rng(3)
    x = rng.integers(0, 100, (9, 3)).astype(np.int32)
    at = rng.integers(low, 8, 1003).astype(np.int32)
    out = np.zeros(at.size, np.int32)
    wp.launch(gather_twice, dim=at.size, inputs=[x, at, out])
    column = np.fmod(at, 3)
    np.testing.assert_array_equal(out, x[at, column] + 100 * x[at, column - 1] + 10000 * x[at + 1, 0])

    for bad in (9, -10, 2**31 - 1, -(2**31)):
        at[[500, 501, 900]] = bad, 77, -5
        with pytest.raises(IndexError, match=f"index {bad} "):
            wp.launch(gather_twice, dim=at.size, inputs=[x, at, out])


@pytest.mark.parametrize("lanes", ["never", "always", 8])
@pytest.mark.parametrize("wide", [37, 64])
def test_indices_mean_the_same_without_checks(lanes, wide):
    """What the entry point bounds, what it cannot, and what counts from the end."""

    @wp.kernel(check_bounds=False, module_options={"lanes": lanes}, module="unique")
    def turn(x: wp.array(dtype=float), at: wp.array(dtype=int), width: int, y: wp.array(dtype=float)):
        i, j = wp.tid()
        flat = i * width + j
        y[flat] = x[flat] + x[flat - width] + x[at[flat]] + x[-1 - j]

    rng = np.random.default_rng(wide)
    n = 5 * wide
    x, at = rng.random(n).astype(np.float32), rng.integers(-n, n, n).astype(np.int32)
    for strided in (False, True):
        # Every other element: the body for any strides.
        given, gathered, y = wp.array(np.repeat(x, 2)), wp.array(np.repeat(at, 2)), wp.zeros(2 * n, dtype=float)
        arrays = (
            [a[::2] for a in (given, gathered, y)] if strided else [wp.array(x), wp.array(at), wp.zeros(n, dtype=float)]
        )
        wp.launch(turn, dim=(5, wide), inputs=[arrays[0], arrays[1], wide], outputs=[arrays[2]])
        flat = np.arange(n)
        expected = x + x[flat - wide] + x[at] + x[-1 - flat % wide]
        np.testing.assert_allclose(arrays[2].numpy(), expected, rtol=1e-6)
