"""What a conversion between paddle tensors and arrays costs, and a launch on tensors.

Alone it prints the milliseconds of 100,000 rounds of five conversions and a launch, done in three ways:

    python -m warp.examples.benchmarks.benchmark_interop_paddle

With `--peer PYTHON` it prints the time of each single call, here and under the other interpreter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import paddle

if TYPE_CHECKING or __package__:
    from ._support import _interop
else:
    from _support import _interop


def full(count: int, value: float, dtype: str) -> paddle.Tensor:
    return paddle.full([count], value, dtype=dtype)


def tracked(count: int) -> paddle.Tensor:
    tensor = paddle.zeros([count])
    tensor.stop_gradient = False
    tensor.grad = paddle.zeros([count])
    return tensor


# With far fewer elements the peer dies: it launches on temporary copies of tensors that are passed as they are, so that
# their values are lost, too.
FRAMEWORK = _interop.Framework("paddle", 1024, full, tracked)

if __name__ == "__main__":
    FRAMEWORK.main(__doc__, __file__)
