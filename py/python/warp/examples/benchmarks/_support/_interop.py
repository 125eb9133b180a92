"""What the benchmarks of torch and of paddle share: five conversions and a launch, in three ways, and single calls.

The file of a framework says what is its own in a `Framework`; everything that is measured stands here once.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import warp as wp

if TYPE_CHECKING or __package__:
    from . import _harness
else:
    import _harness


@wp.kernel
def blend(
    a: wp.array[wp.float32],
    b: wp.array[wp.float64],
    c: wp.array[wp.int32],
    d: wp.array[wp.int64],
    out: wp.array[wp.float32],
) -> None:
    i = wp.tid()
    out[i] = a[i] * wp.float32(b[i]) + wp.float32(c[i]) * wp.float32(d[i])


@wp.kernel
def saxpy(x: wp.array[float], y: wp.array[float], out: wp.array[float], a: float) -> None:
    i = wp.tid()
    out[i] = a * x[i] + y[i]


ROUNDS = 100_000
TYPES = ("float32", "float64", "int32", "int64", "float32")

Tensors = list[Any]
Launch = Callable[[Tensors], None]


class Framework(NamedTuple):
    """What differs between frameworks."""

    name: str
    """As in `wp.from_NAME`."""
    size: int
    """Elements of each tensor: few, so that the time is that of the calls."""
    full: Callable[[int, float, str], Any]
    """A new tensor: its length, value and type."""
    tracked: Callable[[int], Any]
    """A new tensor of float32 that has a gradient."""

    def five_tensors(self) -> Tensors:
        """The tensors of a round, of four types; the last one is written."""
        return [self.full(self.size, value, name) for value, name in enumerate(TYPES, start=1)]

    def launchers(self) -> dict[str, Launch]:
        """The three ways to launch on tensors, by the names of the table."""
        convert, size = getattr(wp, f"from_{self.name}"), self.size

        def converted(tensors: Tensors) -> None:
            wp.launch(blend, dim=size, inputs=[convert(t) for t in tensors], device="cpu")

        def descriptors(tensors: Tensors) -> None:
            wp.launch(blend, dim=size, inputs=[convert(t, return_ctype=True) for t in tensors], device="cpu")

        def direct(tensors: Tensors) -> None:
            wp.launch(blend, dim=size, inputs=tensors, device="cpu")

        return {
            f"from_{self.name}(...)": converted,
            f"from_{self.name}(..., return_ctype=True)": descriptors,
            f"direct from {self.name}": direct,
        }

    def check(self, tensors: Tensors, name: str, launch: Launch) -> None:
        """Launches once and looks at what was written."""
        tensors[4].zero_()
        launch(tensors)
        if tensors[4].tolist() != [14.0] * self.size:
            if hasattr(wp, "_warp"):
                raise SystemExit(f"{name}: wrong values: {tensors[4]}")
            print(f"{name}: the peer's values are wrong; its time is shown all the same", file=sys.stderr)

    def measure(self) -> _harness.Rows:
        """Seconds of each single call, and of one round in each of the three ways."""
        wp.init()
        tensors = self.five_tensors()
        for name, launch in self.launchers().items():
            self.check(tensors, name, launch)
        there, back = f"from_{self.name}", f"to_{self.name}"
        calls = {
            there: f"wp.{there}(plain)",
            f"{there} with grad": f"wp.{there}(tracked)",
            f"{there} return_ctype": f"wp.{there}(plain, return_ctype=True)",
            back: f"wp.{back}(array)",
            f"{back} with grad": f"wp.{back}(array_with_grad)",
            "launch, 3 tensors + float": "wp.launch(saxpy, dim=n, inputs=[x, y, out, 2.0], device='cpu')",
            "launch, 3 descriptors + float": "wp.launch(saxpy, dim=n, inputs=[x_c, y_c, out_c, 2.0], device='cpu')",
        }
        names = self.names()
        rows = {name: _harness.per_call(call, names) for name, call in calls.items()}
        for name, launch in self.launchers().items():
            rows[f"5 x {name}, launch"] = _harness.per_call(partial(launch, tensors))
        return rows

    def names(self) -> dict[str, Any]:
        """What single calls are made with, by name."""
        convert = getattr(wp, f"from_{self.name}")
        found: dict[str, Any] = {
            "wp": wp,
            "saxpy": saxpy,
            "n": self.size,
            "plain": self.full(self.size, 0, "float32"),
            "tracked": self.tracked(self.size),
            "array": wp.zeros(self.size, dtype=float, device="cpu"),
            "array_with_grad": wp.zeros(self.size, dtype=float, device="cpu", requires_grad=True),
        }
        for name in ("x", "y", "out"):
            found[name] = self.full(self.size, 0, "float32")
            found[f"{name}_c"] = convert(found[name], return_ctype=True)
        return found

    def print_rounds(self) -> None:
        """The three lines: milliseconds of all rounds."""
        wp.init()
        tensors = self.five_tensors()
        for name, launch in self.launchers().items():
            self.check(tensors, name, launch)
            begun = time.perf_counter()
            for _ in range(ROUNDS):
                launch(tensors)
            wp.synchronize()
            print(f"{(time.perf_counter() - begun) * 1e3:5.0f} ms  {name}")

    def main(self, description: str | None, file: str) -> None:
        """The command: the three lines, or the table of single calls."""
        options = _harness.arguments(description).parse_args()
        if options.json or options.peer:
            _harness.report(options, file, self.measure)
        else:
            self.print_rounds()
