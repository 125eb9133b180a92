"""Kernels with hundreds of accesses and conditions, and functions with many that are called often."""

from __future__ import annotations

import linecache

import numpy as np
import pytest
import warp as wp

LANES = ["auto", "never", 16]
N = 100


def compiled(lines: list[str], name: str, **options) -> wp.Kernel:
    """The kernel `k` of a text."""
    text = "".join(f"{line}\n" for line in lines)
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names = {"wp": wp, "__name__": name}
    exec(compile(text, file, "exec"), names)
    names["k"].options.update(options)
    return names["k"]


def reading(count: int) -> list[str]:
    """Reads elements around its own: from the front and, where the index is negative, from the back."""
    lines = ["@wp.kernel", "def k(a: wp.array(dtype=wp.float64), o: wp.array(dtype=wp.float64)):"]
    lines += ["    i = wp.tid()", "    x = wp.float64(0.0)"]
    for n in range(count):
        lines.append(f"    if a[i - {n % 90}] > {n % 7}.0:")
        lines.append(f"        x = x * wp.float64(0.5) + a[i + {n % 50} - {n % 80}] * wp.float64({n % 3 + 1}.0)")
    return [*lines, "    o[i] = x"]


def expected(a: np.ndarray, count: int, dim: int) -> tuple[np.ndarray, np.ndarray]:
    """What it writes, and the gradient of the sum of that."""
    x, i = np.zeros(dim), np.arange(dim)
    taken = []
    for n in range(count):
        at = (i + n % 50 - n % 80) % N
        where = a[(i - n % 90) % N] > n % 7
        x = np.where(where, x * 0.5 + a[at] * (n % 3 + 1), x)
        taken.append((where, at, n % 3 + 1))
    gradient, d = np.zeros(N), np.ones(dim)
    for where, at, by in reversed(taken):
        np.add.at(gradient, at[where], (d * by)[where])
        d = np.where(where, d * 0.5, d)
    return x, gradient


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("step", [1, 2])
def test_many_accesses(lanes, step: int, monkeypatch) -> None:
    """Indices from the end, conditions, and gradients, for elements that follow each other and for others."""
    monkeypatch.setattr(wp.config, "lanes", lanes)
    count, dim = 150, 50
    kernel = compiled(reading(count), f"crowded_{lanes}_{step}")
    values = np.random.default_rng(0).integers(0, 8, N).astype(float)
    a, o = (wp.array(np.repeat(v, step), dtype=wp.float64, requires_grad=True)[::step] for v in (values, np.zeros(dim)))
    with wp.Tape() as tape:
        wp.launch(kernel, dim, [a, o])
    want, gradient = expected(values, count, dim)
    np.testing.assert_array_equal(o.numpy(), want)
    tape.backward(grads={o: wp.array(np.ones(dim))})
    np.testing.assert_allclose(a.grad.numpy(), gradient, rtol=1e-14)


@pytest.mark.parametrize("lanes", LANES)
def test_an_index_beyond_the_end_is_named(lanes, monkeypatch) -> None:
    monkeypatch.setattr(wp.config, "lanes", lanes)
    lines = reading(150)
    lines.insert(-1, "    x = x + a[i * 2]")
    kernel = compiled(lines, f"beyond_{lanes}")
    a, o = wp.ones(N, dtype=wp.float64), wp.zeros(60, dtype=wp.float64)
    wp.launch(kernel, 50, [a, o])
    with pytest.raises(IndexError, match="index 100 is out of range for a dimension of size 100"):
        wp.launch(kernel, 60, [a, o])


@pytest.mark.parametrize(("op", "start"), [("add", 0), ("min", 10**6), ("max", -(10**6))])
@pytest.mark.parametrize("dtype", ["wp.float32", "wp.float16", "wp.int32"])
def test_many_atomic_operations(op: str, start: int, dtype: str) -> None:
    """On elements that threads share, of one thread and of several."""
    start = max(min(start, 60000), -60000)
    lines = ["@wp.kernel", f"def k(a: wp.array(dtype={dtype}), o: wp.array(dtype={dtype})):", "    i = wp.tid()"]
    lines += [f"    wp.atomic_{op}(o, (i + {n}) % 7, a[i] + {dtype}({n % 5}))" for n in range(300)]
    kernel = compiled(lines, f"atomic_{op}_{dtype}")
    kind = np.dtype(dtype.removeprefix("wp."))
    dim = 4 if kind == np.float16 else 1000
    values = (np.arange(dim) % 3).astype(kind)
    o = wp.full(7, start, dtype=eval(dtype))
    wp.launch(kernel, dim, [wp.array(values), o])
    want = np.full(7, start, np.float64)
    for n in range(300):
        ufunc = {"add": np.add, "min": np.minimum, "max": np.maximum}[op]
        ufunc.at(want, (np.arange(dim) + n) % 7, values + float(n % 5))
    np.testing.assert_array_equal(o.numpy().astype(np.float64), want)


#: How many of which statements the function has.
CALLED = {
    "loads": (80, "x = x * 0.99 + b[(i + {n}) % 50] * x * 0.01"),
    "branches": (80, "if x > 0.{n}:\n        x = wp.sin(x) * b[(i + {n}) % 50]"),
    "loops": (16, "for j in range(i % 3 + 1):\n        x = wp.sin(x + b[j + {n} % 40])"),
}


def calling(what: str, calls: int) -> list[str]:
    count, line = CALLED[what]
    lines = ["@wp.func", "def f(x: float, b: wp.array(dtype=float), i: int):"]
    lines += [*(f"    {line.format(n=n)}" for n in range(count)), "    return x"]
    lines += ["@wp.kernel", "def k(b: wp.array(dtype=float), o: wp.array(dtype=float)):", "    i = wp.tid()"]
    return [*lines, "    s = b[i]", *(f"    s = f(s, b, i + {n})" for n in range(calls)), "    o[i] = s"]


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("what", CALLED)
def test_functions_that_load_have_derivatives_that_are_functions(what: str, lanes, monkeypatch) -> None:
    """Long functions of long kernels: as the same text of a kernel without calls, and without growing by calls."""
    monkeypatch.setattr(wp.config, "lanes", lanes)
    values = np.random.default_rng(1).uniform(0.5, 1.5, 64).astype(np.float32)
    kernels = [compiled(calling(what, calls), f"calling_{what}_{lanes}_{calls}") for calls in (30, 40)]
    sizes = [len(kernel.inspect("ir", adjoint=True)) for kernel in kernels]
    assert sizes[1] - sizes[0] < 10 * 500, sizes
    kernel = compiled(calling(what, 40), f"calling_{what}_{lanes}")
    b, o = wp.array(values, requires_grad=True), wp.zeros(20, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(kernel, 20, [b, o])
    tape.backward(grads={o: wp.ones(20, dtype=float)})
    # The same in float64 and in Python gives the derivative along a direction.
    text = "\n".join(calling(what, 40)).replace("wp.", "np.")
    names: dict = {"np": Plain}
    exec(text, names)
    along = np.random.default_rng(2).normal(size=64)
    ends = []
    for step in (1e-6, -1e-6):
        out = np.zeros(20)
        x = values.astype(np.float64) + step * along
        for i in range(20):
            Plain.index = i
            names["k"](x, out)
        ends.append(out.sum())
    np.testing.assert_allclose((b.grad.numpy() * along).sum(), (ends[0] - ends[1]) / 2e-6, rtol=2e-3, atol=1e-3)


class Plain:
    """What the text of `calling` names, in Python."""

    index = 0
    sin = np.sin

    @staticmethod
    def array(dtype: type) -> type:
        return dtype

    @staticmethod
    def func(f):
        return f

    kernel = func

    @classmethod
    def tid(cls) -> int:
        return cls.index
