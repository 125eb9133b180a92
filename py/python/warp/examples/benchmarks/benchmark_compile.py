"""How long the first launch of a long kernel takes: CPU time to compile it without a cache and to run it once.

    python -m warp.examples.benchmarks.benchmark_compile [--peer PYTHON]

The kernels are written out here, since what counts is how the time grows with their text. Rows named "adjoint" are the
first adjoint launch after that. The time is the process's own, so that other work on the machine counts little; both
launches wait for optimised code. Rows named "until it runs" are wall time of a first launch that does not wait for it.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

if TYPE_CHECKING or __package__:
    from ._support import _harness
else:
    from _support import _harness

COUNT = 64
HEAD = "@wp.kernel\ndef kernel(a: wp.array[T], b: wp.array[T]):\n    i = wp.tid()\n"


def product(size: int) -> str:
    """A matrix times itself."""
    matrix = f"T = wp.types.matrix(shape=({size}, {size}), dtype=float)\n"
    return matrix + HEAD + "    b[i] = a[i] * a[i]\n"


def sines(count: int) -> str:
    """A chain of sines."""
    lines = "    x = wp.sin(x) + x\n" * count
    return f"T = float\n{HEAD}    x = a[i]\n{lines}    b[i] = x\n"


def calls(depth: int) -> str:
    """A function that calls one three times that calls one three times, and so on."""
    text = "T = float\n@wp.func\ndef f0(x: float):\n    return wp.sin(x) * 0.5 + 0.1\n"
    for d in range(1, depth + 1):
        g = f"f{d - 1}"
        text += f"@wp.func\ndef f{d}(x: float):\n    return {g}(x) + {g}(x * 0.7) - {g}(x + 0.3)\n"
    return f"{text}{HEAD}    b[i] = f{depth}(a[i])\n"


def statements(count: int) -> str:
    """Straight text over two variables."""
    pairs = (f"    x = x * 0.{k % 10}7 + y\n    y = 0.3 - x * 0.{k % 9 + 1}\n" for k in range(count // 2))
    return f"T = float\n{HEAD}    x = a[i]\n    y = float(i) * 0.001\n{''.join(pairs)}    b[i] = x + y\n"


def long_calls(lines: str, count: int, call: str = "f(x, a, i + {n}, i)") -> str:
    """Calls of one function of so many lines, which loads elements."""
    head = "T = float\n@wp.func\ndef f(x: float, a: wp.array[T], i: int, k: int):\n"
    body = "".join(lines.format(n=n) for n in range(count)) + f"    return x\n{HEAD}    x = a[i]\n"
    return head + body + "".join(f"    x = {call.format(n=n)}\n" for n in range(50)) + "    b[i] = x\n"


LOADS = "    x = x * 0.99 + a[(i + {n}) % 64] * x * 0.01\n"
BRANCHES = "    if x > 0.{n}:\n        x = wp.sin(x) * a[(i + {n}) % 64] + 0.5\n"
INTEGERS = "    x = x * 0.99 + a[(i + k * {n}) % 64] * x * 0.01\n"
LOOPS = "    for j in range(i % 3):\n        x = wp.sin(x + a[(j + {n}) % 64])\n"

KERNELS = {
    "saxpy": "T = float\n" + HEAD + "    b[i] = 2.0 * a[i] + b[i]\n",
    "4x4 product": product(4),
    "8x8 product": product(8),
    "12x12 product": product(12),
    "16x16 product": product(16),
    "243 calls": calls(5),
    "729 calls": calls(6),
    "50 calls of 200 loads": long_calls(LOADS, 200),
    "50 calls with 50 integers": long_calls(INTEGERS, 200, "f(x, a, i, {n})"),
    "50 calls of 100 branches": long_calls(BRANCHES, 100),
    "50 calls of 20 loops": long_calls(LOOPS, 20),
    "400 sines": sines(400),
    "2,000 statements": statements(2000),
    "10,000 statements": statements(10_000),
}


def load(text: str, folder: str, name: str) -> Any:
    """The module of a text, from a file: kernels are made from the source of their functions."""
    path = Path(folder) / f"{name}.py"
    path.write_text("import warp as wp\n" + text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def first_launches(text: str, folder: str, name: str) -> tuple[float, float]:
    """Seconds of CPU time of the first launch, and of the first one of the adjoint."""
    module = load(text, folder, name)
    shape = getattr(module.T, "_shape_", ())
    values = np.random.default_rng(0).normal(size=(COUNT, *shape)).astype(np.float32) / 16
    a = wp.array(values, dtype=module.T, requires_grad=True, device="cpu")
    b = wp.zeros(COUNT, dtype=module.T, requires_grad=True, device="cpu")
    start = time.process_time()
    wp.launch(module.kernel, dim=COUNT, inputs=[a], outputs=[b], device="cpu")
    between = time.process_time()
    adjoints: dict[str, Any] = {"adj_inputs": [a.grad], "adj_outputs": [b.grad]}
    wp.launch(module.kernel, dim=COUNT, inputs=[a], outputs=[b], device="cpu", adjoint=True, **adjoints)
    if not np.isfinite(b.numpy()).all():
        raise SystemExit(f"{name}: the values are not finite")
    return between - start, time.process_time() - between


def until_it_runs(text: str, folder: str, name: str) -> float:
    """Seconds of wall time of the first launch, as it is unless somebody asks for optimised code at once."""
    module = load(text, folder, name)
    a, b = (wp.zeros(COUNT, dtype=module.T, device="cpu") for _ in range(2))
    start = time.perf_counter()
    wp.launch(module.kernel, dim=COUNT, inputs=[a], outputs=[b], device="cpu")
    return time.perf_counter() - start


def measure() -> _harness.Rows:
    """Seconds of CPU time of the first launches of each kernel, and of wall time where it need not be optimised."""
    rows = {}
    tiered = hasattr(wp.config, "tiered_compilation")
    with tempfile.TemporaryDirectory() as folder:
        if tiered:
            wp.config.tiered_compilation = False
        wp.config.kernel_cache_dir = str(Path(folder) / "cache")
        wp.config.quiet = True
        wp.init()
        # The first compile of a process sets things up.
        first_launches(KERNELS["saxpy"].replace("2.0", "3.0"), folder, "first")
        for k, (name, text) in enumerate(KERNELS.items()):
            if _harness.is_wanted(name):
                rows[name], rows[f"{name}, adjoint"] = first_launches(text, folder, f"kernel_{k}")
        if tiered:
            from warp._warp import _finish_compiles

            wp.config.tiered_compilation = True
            wp.config.kernel_cache_dir = str(Path(folder) / "another")
            for k, (name, text) in enumerate(KERNELS.items()):
                if _harness.is_wanted(name):
                    rows[f"{name}, until it runs"] = until_it_runs(text, folder, f"again_{k}")
                    _finish_compiles()
    return rows


def main() -> None:
    _harness.run(__doc__, __file__, measure)


if __name__ == "__main__":
    main()
