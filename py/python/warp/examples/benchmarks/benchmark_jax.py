"""What a kernel costs as a function of jax's: inside one jitted program, and called outside of any.

    python -m warp.examples.benchmarks.benchmark_jax [--peer PYTHON]

"in jit" is one of 512 calls that are chained in one program, less what the same loop takes without them.
"""

from __future__ import annotations

import importlib
import os
import statistics
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import warp as wp

if TYPE_CHECKING or __package__:
    from ._support import _harness
else:
    from _support import _harness

CALLS = 512


def jax_kernel(kernel: Any) -> Any:
    """The function of a kernel; the peer has the name elsewhere."""
    try:
        module = importlib.import_module("warp.jax_experimental")
    except ImportError:
        module = wp
    return module.jax_kernel(kernel)


@wp.kernel
def axpb(x: wp.array[float], b: wp.array[float], out: wp.array[float]) -> None:
    i = wp.tid()
    out[i] = x[i] * 0.5 + b[0]


def chained(function: Callable[[Any, Any], Any] | None) -> Any:
    """A program of as many calls as `CALLS`, each on the result of the one before."""
    step = (lambda x, b: x * 0.5 + b[0]) if function is None else function
    return jax.jit(lambda x, b: jax.lax.fori_loop(0, CALLS, lambda _, x: step(x, b), x))


def seconds(function: Callable[[Any, Any], Any], x: Any, b: Any) -> float:
    """Of one run: the median over half a second, and at least 21 runs."""
    times: list[float] = []
    end = time.perf_counter() + 0.5
    while len(times) < 21 or time.perf_counter() < end:
        start = time.perf_counter()
        function(x, b).block_until_ready()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def measure() -> _harness.Rows:
    """Seconds of each call."""
    wp.config.quiet = True
    wp.init()
    kernel = jax_kernel(axpb)
    x, b = jnp.arange(4, dtype=jnp.float32), jnp.ones(1, jnp.float32)
    call = lambda x, b: kernel(x, b)[0]  # noqa: E731
    empty, full = chained(None), chained(call)
    if abs(float(full(x, b)[0]) - 2.0) > 1e-5 or abs(float(empty(x, b)[0]) - 2.0) > 1e-5:
        raise SystemExit(f"wrong values: {full(x, b)}")
    rows = {"in jit": (seconds(full, x, b) - seconds(empty, x, b)) / CALLS}
    call(x, b).block_until_ready()
    rows["eager"] = seconds(call, x, b)
    jitted = jax.jit(call)
    jitted(x, b).block_until_ready()
    rows["a jitted function of one"] = seconds(jitted, x, b)
    return rows


if __name__ == "__main__":
    _harness.report(_harness.arguments(__doc__).parse_args(), __file__, measure)
