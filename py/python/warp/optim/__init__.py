"""Optimizers, which change parameters by the gradients of a loss, and solvers of linear systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warp._base.lazy import LazyModule
from warp.optim.adam import Adam
from warp.optim.sgd import SGD

if TYPE_CHECKING:
    from warp.optim import linear
else:
    linear = LazyModule("warp.optim.linear")

__all__ = ["SGD", "Adam", "linear"]
