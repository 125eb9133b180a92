"""How fast kernels run on the CPU, from memory-bound ones to all-pairs forces.

    python -m warp.examples.benchmarks.benchmark_kernels [--peer PYTHON] [--only NAME]

Each kernel's values are held against NumPy before it is timed. The time is that of one launch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import warp as wp

if TYPE_CHECKING or __package__:
    from ._kernels import basic
    from ._support import _harness
else:
    from _kernels import basic
    from _support import _harness


def measure() -> _harness.Rows:
    """Seconds of one launch of each kernel."""
    wp.init()
    rows = {}
    for case in basic.cases():
        if _harness.is_wanted(case.name):
            case.check()
            rows[case.name] = _harness.per_call(case.launch, target=0.05)
    return rows


def main() -> None:
    _harness.run(__doc__, __file__, measure)


if __name__ == "__main__":
    main()
