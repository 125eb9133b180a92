"""What a conversion between torch tensors and arrays costs, and a launch on tensors.

Alone it prints the milliseconds of many rounds of five conversions and a launch, done in three ways:

    python -m warp.examples.benchmarks.benchmark_interop_torch

With `--peer PYTHON` it prints the time of each single call, here and under the other interpreter.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
import warp as wp

if TYPE_CHECKING or __package__:
    from . import _harness
else:
    import _harness


@wp.kernel
def blend(
    a: wp.array(dtype=float),
    b: wp.array(dtype=float),
    c: wp.array(dtype=float),
    d: wp.array(dtype=float),
    out: wp.array(dtype=float),
):
    i = wp.tid()
    out[i] = a[i] * b[i] + c[i] * d[i]


@wp.kernel
def saxpy(x: wp.array(dtype=float), y: wp.array(dtype=float), out: wp.array(dtype=float), a: float):
    i = wp.tid()
    out[i] = a * x[i] + y[i]


COUNT = 16  # small, so that the time is that of the calls
ROUNDS = 50_000


def five_tensors() -> list[torch.Tensor]:
    return [torch.full((COUNT,), float(value)) for value in range(1, 6)]


def launchers() -> dict[str, Callable[[list[torch.Tensor]], None]]:
    """The three ways to launch on tensors, by the names of the table."""

    def converted(tensors: list[torch.Tensor]) -> None:
        wp.launch(blend, dim=COUNT, inputs=[wp.from_torch(t) for t in tensors], device="cpu")

    def descriptors(tensors: list[torch.Tensor]) -> None:
        inputs = [wp.from_torch(t, return_ctype=True) for t in tensors]
        wp.launch(blend, dim=COUNT, inputs=inputs, device="cpu")

    def direct(tensors: list[torch.Tensor]) -> None:
        wp.launch(blend, dim=COUNT, inputs=tensors, device="cpu")

    return {
        "from_torch(...)": converted,
        "from_torch(..., return_ctype=True)": descriptors,
        "direct from torch": direct,
    }


def check(tensors: list[torch.Tensor], launch: Callable[[list[torch.Tensor]], None]) -> None:
    tensors[4].zero_()
    launch(tensors)
    if not torch.equal(tensors[4], torch.full((COUNT,), 14.0)):
        raise SystemExit(f"wrong values: {tensors[4]}")


def measure() -> _harness.Rows:
    """Seconds of each single call."""
    wp.init()
    tensors = five_tensors()
    for launch in launchers().values():
        check(tensors, launch)
    names: dict[str, Any] = {
        "wp": wp,
        "saxpy": saxpy,
        "n": COUNT,
        "plain": torch.zeros(COUNT),
        "tracked": torch.zeros(COUNT, requires_grad=True),
        "array": wp.zeros(COUNT, dtype=float, device="cpu"),
        "array_with_grad": wp.zeros(COUNT, dtype=float, device="cpu", requires_grad=True),
    }
    for name, tensor in zip(("x", "y", "out"), tensors, strict=False):
        names[name] = tensor
        names[f"{name}_c"] = wp.from_torch(tensor, return_ctype=True)
    names["tracked"].grad = torch.zeros(COUNT)
    calls = {
        "from_torch": "wp.from_torch(plain)",
        "from_torch with grad": "wp.from_torch(tracked)",
        "from_torch return_ctype": "wp.from_torch(plain, return_ctype=True)",
        "to_torch": "wp.to_torch(array)",
        "to_torch with grad": "wp.to_torch(array_with_grad)",
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
        check(tensors, launch)
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
