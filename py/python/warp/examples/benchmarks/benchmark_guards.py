"""What guards at borders cost: five stencils without a guard and with one in three forms, beside C without guards.

    python -m warp.examples.benchmarks.benchmark_guards [--rounds N] [--only NAME]

Milliseconds of CPU time of a launch on one thread: the least over the rounds, in which the forms and C take turns, and
what that is of the kernel whose launch leaves the borders out ("none"). C is `benches/c/stencils.c` by gcc -O3, for the
processor that `WARP_CPU` names, or this one. All forms must find the same. This runtime is compared with itself:
`--peer` is ignored.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import warp as wp

if TYPE_CHECKING or __package__:
    from ._kernels import in_c, stencils
else:
    from _kernels import in_c, stencils

FORMS = ("none", "if", "return", "flat", "C")
Calls = dict[str, Callable[[], object]]


def rows(library: ctypes.CDLL | None, only: str) -> Iterator[tuple[str, Calls]]:
    """Each stencil whose name contains `only`, and its contestants, which have found the same."""
    rng = np.random.default_rng(5)
    for name, extents, kernels in stencils.STENCILS:
        if only not in name:
            continue
        # One output for all: where it lies beside what is read makes a difference of a third.
        u, v, out = (rng.uniform(-1, 1, extents).astype(np.float32) for _ in range(3))
        calls: Calls = {}
        for form, kernel in kernels.items():
            calls[form] = launcher(kernel, dim_of(form, extents), [*map(shared, (u, v, out)), *extents])
        if library:
            function = getattr(library, f"inside_{name}")
            arguments = [in_c.argument(value) for value in (*extents, u, v, out)]
            calls["C"] = lambda function=function, arguments=arguments: function(*arguments)  # type: ignore[misc]
        found = {form: result_of(call, out) for form, call in calls.items()}
        for form, values in found.items():
            if not np.allclose(values, found["none"], rtol=1e-5, atol=1e-6):
                raise SystemExit(f"{name}, {form}: other values than without a guard")
        yield name, calls


def result_of(call: Callable[[], object], out: np.ndarray) -> np.ndarray:
    """What a call leaves in an array of zeros."""
    out[...] = 0
    call()
    return out.copy()


def dim_of(form: str, extents: tuple[int, ...]) -> int | tuple[int, ...]:
    """The threads of a launch."""
    if form == "flat":
        return int(np.prod(extents))
    return tuple(extent - 2 for extent in extents) if form == "none" and len(extents) > 1 else extents


def shared(values: np.ndarray) -> wp.array[float]:
    return wp.array(values, dtype=float, copy=False)


def launcher(kernel: wp.Kernel, dim: int | tuple[int, ...], inputs: list[object]) -> Callable[[], object]:
    return lambda: wp.launch(kernel, dim, inputs)


def seconds(call: Callable[[], object], number: int) -> float:
    begin = time.process_time()
    for _ in range(number):
        call()
    return (time.process_time() - begin) / number


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=40, help="turns of each form (default: 40)")
    parser.add_argument("--only", metavar="NAME", default="", help="only stencils whose name contains this")
    parser.add_argument("--c", metavar="FOLDER", type=Path, default=Path("benches/c"), help="the C versions")
    options = parser.parse_args()
    wp.config.cpu_threads = 1
    level = os.environ.get("WARP_CPU") or "native"
    library = in_c.load(options.c / "stencils.c", ["-O3", f"-march={level}"])
    if library is None:
        print(f"no C: there is no gcc, or no {options.c}", file=sys.stderr)
    print(f"{level:<12}" + "".join(f"{form:>16}" for form in FORMS))
    for name, calls in rows(library, options.only):
        least = dict.fromkeys(calls, float("inf"))
        for turn in range(options.rounds):
            order = list(calls) if turn % 2 == 0 else list(reversed(calls))
            for form in order:
                least[form] = min(least[form], seconds(calls[form], 4))
        cells = [f"{least[f] * 1e3:.2f} ({least[f] / least['none']:.2f})" if f in least else "" for f in FORMS]
        print(f"{name:<12}" + "".join(f"{cell:>16}" for cell in cells))


if __name__ == "__main__":
    main()
