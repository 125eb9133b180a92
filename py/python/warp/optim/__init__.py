"""Optimizers: they change parameters that are arrays, given the gradients of a loss."""

from __future__ import annotations

from warp.optim.adam import Adam
from warp.optim.sgd import SGD

__all__ = ["SGD", "Adam"]
