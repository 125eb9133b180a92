"""What a conversion between torch tensors and arrays costs, and a launch on tensors.

Alone it prints the milliseconds of 100,000 rounds of five conversions and a launch, done in three ways:

    python -m warp.examples.benchmarks.benchmark_interop_torch

With `--peer PYTHON` it prints the time of each single call, here and under the other interpreter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING or __package__:
    from ._support import _interop
else:
    from _support import _interop


def full(count: int, value: float, dtype: str) -> torch.Tensor:
    return torch.full((count,), value, dtype=getattr(torch, dtype))


def tracked(count: int) -> torch.Tensor:
    tensor = torch.zeros(count, requires_grad=True)
    tensor.grad = torch.zeros(count)
    return tensor


FRAMEWORK = _interop.Framework("torch", 16, full, tracked)

if __name__ == "__main__":
    FRAMEWORK.main(__doc__, __file__)
