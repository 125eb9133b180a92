"""What a launch costs before the kernel does any work, with arrays of either kind, first and later.

    python -m warp.examples.benchmarks.benchmark_launches [--peer PYTHON]

"First launch" is the first `wp.launch` of a fresh process: with an empty cache it compiles the
kernel, with a filled one it loads it. Imports, `wp.init` and the arrays are not in that time.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from typing import TYPE_CHECKING

import numpy as np
import warp as wp

if TYPE_CHECKING or __package__:
    from ._support import _harness
else:
    from _support import _harness


@wp.kernel
def saxpy(x: wp.array[float], y: wp.array[float], out: wp.array[float], a: float) -> None:
    i = wp.tid()
    out[i] = a * x[i] + y[i]


COUNT = 16


def numpy_arrays() -> list[np.ndarray]:
    x, y = np.arange(COUNT, dtype=np.float32), np.ones(COUNT, dtype=np.float32)
    return [x, y, np.zeros_like(x)]


def check(x: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    if not np.array_equal(out, 2 * x + y):
        raise SystemExit(f"wrong values: {out}")


def measure() -> _harness.Rows:
    """Seconds of each call."""
    wp.init()
    outside = numpy_arrays()
    own = [wp.array(a, dtype=float, device="cpu") for a in outside]

    wp.launch(saxpy, dim=COUNT, inputs=[*own, 2.0], device="cpu")
    check(*(a.numpy() for a in own))
    wp.launch(saxpy, dim=COUNT, inputs=[*outside, 2.0], device="cpu")
    check(*outside)
    recorded = wp.launch(saxpy, dim=COUNT, inputs=[*own, 2.0], device="cpu", record_cmd=True)
    assert recorded is not None
    own[2].zero_()
    recorded.launch()
    check(*(a.numpy() for a in own))

    names = {"wp": wp, "saxpy": saxpy, "n": COUNT, "recorded": recorded}
    names |= dict(zip(("x", "y", "out"), own, strict=True))
    names |= dict(zip(("np_x", "np_y", "np_out"), outside, strict=True))
    calls = {
        "launch, 3 own arrays + float": "wp.launch(saxpy, dim=n, inputs=[x, y, out, 2.0], device='cpu')",
        "launch, 3 NumPy arrays + float": "wp.launch(saxpy, dim=n, inputs=[np_x, np_y, np_out, 2.0], device='cpu')",
        "wp.array(numpy, copy=False)": "wp.array(np_x, dtype=float, device='cpu', copy=False)",
        "array.numpy()": "out.numpy()",
        "recorded Launch.launch()": "recorded.launch()",
    }
    return {name: _harness.per_call(call, names) for name, call in calls.items()} | first_launches()


def first_launches(repeats: int = 3) -> _harness.Rows:
    """First launches in fresh processes: one that compiles, one that finds its result on the disk."""
    cold: list[float] = []
    warm: list[float] = []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as cache:
            for times in (cold, warm):
                times.append(_harness.rows_of(sys.executable, __file__, "--first-launch", cache)["first"])
    return {
        "first launch, cold cache": statistics.median(cold),
        "first launch, warm cache": statistics.median(warm),
    }


def first_launch(cache: str) -> None:
    """Times this process's first launch."""
    wp.config.kernel_cache_dir = cache
    wp.init()
    arrays = [wp.array(a, dtype=float, device="cpu") for a in numpy_arrays()]
    begun = time.perf_counter()
    wp.launch(saxpy, dim=COUNT, inputs=[*arrays, 2.0], device="cpu")
    took = time.perf_counter() - begun
    check(*(a.numpy() for a in arrays))
    print(_harness.MARK + json.dumps({"first": took}))


def main() -> None:
    parser = _harness.arguments(__doc__)
    parser.add_argument("--first-launch", metavar="FOLDER", help="time one first launch with this cache folder")
    options = parser.parse_args()
    if options.first_launch:
        first_launch(options.first_launch)
    else:
        _harness.report(options, __file__, measure)


if __name__ == "__main__":
    main()
