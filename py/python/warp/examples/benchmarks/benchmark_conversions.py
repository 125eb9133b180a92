"""What each way of an array between frameworks costs, in one table.

Alone it prints this package's times; with `--peer PYTHON` those under the other interpreter's `warp` too:

    python -m warp.examples.benchmarks.benchmark_conversions --peer PYTHON

`floor` is what a minimal extension needs for the same way, without the checks that make it safe: a look at what
is to be had, measured on another machine of the kind that docs/benchmarks.md names.
"""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import warp as wp

if TYPE_CHECKING or __package__:
    from ._support import _harness
else:
    from _support import _harness


@wp.kernel
def saxpy(x: wp.array[float], y: wp.array[float], out: wp.array[float], a: float) -> None:
    i = wp.tid()
    out[i] = a * x[i] + y[i]


COUNT = 16  # small, so that the time is that of the calls
# The peer dies with fewer: it launches on temporary copies of paddle tensors, and loses what is written to them.
PADDLE_COUNT = 1024


def launch(prefix: str) -> str:
    """The call that launches on the arrays whose names begin so."""
    count = "m" if prefix == "p_" else "n"
    arrays = ", ".join(f"{prefix}{name}" for name in ("x", "y", "out"))
    return f"wp.launch(saxpy, dim={count}, inputs=[{arrays}, 2.0], device='cpu')"


CALLS = {
    "from_torch": "wp.from_torch(t_x)",
    "from_torch with grad": "wp.from_torch(t_grad)",
    "from_torch return_ctype": "wp.from_torch(t_x, return_ctype=True)",
    "to_torch": "wp.to_torch(array)",
    "from_dlpack, torch": "wp.from_dlpack(t_x)",
    "launch, 3 torch tensors": launch("t_"),
    "wp.array(numpy, copy=False)": "wp.array(n_x, copy=False)",
    "array.numpy()": "array.numpy()",
    "launch, 3 NumPy arrays": launch("n_"),
    "from_paddle": "wp.from_paddle(p_x)",
    "to_paddle": "wp.to_paddle(array)",
    "launch, 3 paddle tensors": launch("p_"),
    "launch, 3 own arrays": launch(""),
}

FLOORS = {
    "from_torch": 125e-9,
    "from_torch with grad": 304e-9,
    "to_torch": 401e-9,
    "launch, 3 torch tensors": 344e-9,
    "wp.array(numpy, copy=False)": 69e-9,
    "array.numpy()": 70e-9,
    "launch, 3 NumPy arrays": 167e-9,
    "from_paddle": 169e-9,
    "to_paddle": 602e-9,
    "launch, 3 own arrays": 147e-9,
}


def names() -> dict[str, Any]:
    """What the calls are made with, by name."""
    values = {"x": 1.0, "y": 2.0, "out": 0.0}
    found: dict[str, Any] = {"wp": wp, "saxpy": saxpy, "n": COUNT, "m": PADDLE_COUNT}
    found["array"] = wp.zeros(COUNT, dtype=float, device="cpu")
    found["t_grad"] = torch.zeros(COUNT, requires_grad=True)
    found["t_grad"].grad = torch.zeros(COUNT)
    for name, value in values.items():
        found[f"n_{name}"] = np.full(COUNT, value, dtype=np.float32)
        found[name] = wp.array(found[f"n_{name}"], dtype=float, device="cpu")
        found[f"t_{name}"] = torch.full((COUNT,), value)
    if importlib.util.find_spec("paddle"):
        import paddle

        paddle.set_device("cpu")
        for name, value in values.items():
            found[f"p_{name}"] = paddle.full([PADDLE_COUNT], value, dtype="float32")
    return found


def check(found: dict[str, Any]) -> None:
    """Launches on each framework's arrays and looks at what they wrote."""
    for prefix in ("", "n_", "t_", "p_"):
        if f"{prefix}out" not in found:
            continue
        exec(launch(prefix), found)
        out = found[f"{prefix}out"]
        values = np.asarray(out if prefix == "n_" else out.numpy())
        if np.array_equal(values, np.full(values.shape, 4, dtype=np.float32)):
            continue
        if hasattr(wp, "_warp"):
            raise SystemExit(f"{launch(prefix)}: wrong values: {out}")
        print(f"{launch(prefix)}: the peer's values are wrong; its time is shown all the same", file=sys.stderr)


def measure() -> _harness.Rows:
    """Seconds of each call."""
    wp.init()
    found = names()
    check(found)
    calls = {row: call for row, call in CALLS.items() if "p_x" in found or "paddle" not in row}
    return {row: _harness.per_call(call, found) for row, call in calls.items()}


def main() -> None:
    _harness.report(_harness.arguments(__doc__).parse_args(), __file__, measure, FLOORS)


if __name__ == "__main__":
    main()
