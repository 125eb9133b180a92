"""What a conversion between paddle tensors and arrays costs, and a launch on tensors.

Alone it prints the milliseconds of 100,000 rounds of five conversions and a launch, done in three ways:

    python -m warp.examples.benchmarks.benchmark_interop_paddle

With `--peer PYTHON` it prints the time of each single call, here and under the other interpreter.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import paddle
import warp as wp

if TYPE_CHECKING or __package__:
    from . import _harness
else:
    import _harness


@wp.kernel
def blend(
    a: wp.array(dtype=wp.float32),
    b: wp.array(dtype=wp.float64),
    c: wp.array(dtype=wp.int32),
    d: wp.array(dtype=wp.int64),
    out: wp.array(dtype=wp.float32),
):
    i = wp.tid()
    out[i] = a[i] * wp.float32(b[i]) + wp.float32(c[i]) * wp.float32(d[i])


@wp.kernel
def saxpy(x: wp.array(dtype=float), y: wp.array(dtype=float), out: wp.array(dtype=float), a: float):
    i = wp.tid()
    out[i] = a * x[i] + y[i]


# Small, so that the time is that of the calls. With far fewer elements the peer dies: it launches on temporary copies
# of tensors that are passed as they are, so that their values are lost, too.
COUNT = 1024
ROUNDS = 100_000
TYPES = ("float32", "float64", "int32", "int64", "float32")


def five_tensors() -> list[paddle.Tensor]:
    return [paddle.full([COUNT], value, dtype=name) for value, name in enumerate(TYPES, start=1)]


def launchers() -> dict[str, Callable[[list[paddle.Tensor]], None]]:
    """The three ways to launch on tensors, by the names of the table."""

    def converted(tensors: list[paddle.Tensor]) -> None:
        wp.launch(blend, dim=COUNT, inputs=[wp.from_paddle(t) for t in tensors], device="cpu")

    def descriptors(tensors: list[paddle.Tensor]) -> None:
        inputs = [wp.from_paddle(t, return_ctype=True) for t in tensors]
        wp.launch(blend, dim=COUNT, inputs=inputs, device="cpu")

    def direct(tensors: list[paddle.Tensor]) -> None:
        wp.launch(blend, dim=COUNT, inputs=tensors, device="cpu")

    return {
        "from_paddle(...)": converted,
        "from_paddle(..., return_ctype=True)": descriptors,
        "direct from paddle": direct,
    }


def check(tensors: list[paddle.Tensor], name: str, launch: Callable[[list[paddle.Tensor]], None]) -> None:
    tensors[4].zero_()
    launch(tensors)
    if tensors[4].tolist() != [14.0] * COUNT:
        if hasattr(wp, "_warp"):
            raise SystemExit(f"{name}: wrong values: {tensors[4]}")
        print(f"{name}: the peer's values are wrong; its time is shown all the same", file=sys.stderr)


def measure() -> _harness.Rows:
    """Seconds of each single call."""
    wp.init()
    tensors = five_tensors()
    for name, launch in launchers().items():
        check(tensors, name, launch)
    names: dict[str, Any] = {
        "wp": wp,
        "saxpy": saxpy,
        "n": COUNT,
        "plain": paddle.zeros([COUNT]),
        "tracked": paddle.zeros([COUNT]),
        "array": wp.zeros(COUNT, dtype=float, device="cpu"),
        "array_with_grad": wp.zeros(COUNT, dtype=float, device="cpu", requires_grad=True),
    }
    for name in ("x", "y", "out"):
        names[name] = paddle.zeros([COUNT])
        names[f"{name}_c"] = wp.from_paddle(names[name], return_ctype=True)
    names["tracked"].stop_gradient = False
    names["tracked"].grad = paddle.zeros([COUNT])
    calls = {
        "from_paddle": "wp.from_paddle(plain)",
        "from_paddle with grad": "wp.from_paddle(tracked)",
        "from_paddle return_ctype": "wp.from_paddle(plain, return_ctype=True)",
        "to_paddle": "wp.to_paddle(array)",
        "to_paddle with grad": "wp.to_paddle(array_with_grad)",
        "launch, 3 tensors + float": "wp.launch(saxpy, dim=n, inputs=[x, y, out, 2.0], device='cpu')",
        "launch, 3 descriptors + float": "wp.launch(saxpy, dim=n, inputs=[x_c, y_c, out_c, 2.0], device='cpu')",
    }
    rows = {name: _harness.per_call(call, names) for name, call in calls.items()}
    for name, launch in launchers().items():
        rows[f"5 x {name}, launch"] = _harness.per_call(lambda launch=launch: launch(tensors))
    return rows


def print_rounds() -> None:
    """The three lines: milliseconds of all rounds."""
    wp.init()
    tensors = five_tensors()
    for name, launch in launchers().items():
        check(tensors, name, launch)
        begun = time.perf_counter()
        for _ in range(ROUNDS):
            launch(tensors)
        wp.synchronize()
        print(f"{(time.perf_counter() - begun) * 1e3:5.0f} ms  {name}")


def main() -> None:
    options = _harness.arguments(__doc__).parse_args()
    if options.json or options.peer:
        _harness.report(options, __file__, measure)
    else:
        print_rounds()


if __name__ == "__main__":
    main()
