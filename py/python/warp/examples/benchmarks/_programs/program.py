"""A program of the benchmark, and how it is held against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass
class Program:
    """A program that is ready: a call that takes it on by a frame, and one that gives its state."""

    frame: Callable[[], object]
    found: Callable[[], np.ndarray]


Maker = Callable[[int], Program]  # of a size


@dataclass
class Spec:
    """A row of the benchmark."""

    name: str
    make: Maker
    #: What NumPy finds for a size after some frames.
    expected: Callable[[int, int], np.ndarray]
    tiny: int
    full: int
    #: The frames after which values are compared.
    frames: int = 2
    tolerance: float = 1e-4
    #: The share of values that may be off: where rounding decides a branch.
    may_differ: float = 0.0
    #: Modules that the program needs beside NumPy, with those that they import late.
    needs: tuple[str, ...] = ()

    def off(self, found: np.ndarray, expected: np.ndarray) -> float:
        """The share of values that are wrong. What is small is held against the mean."""
        found, expected = found.reshape(-1), expected.reshape(-1)
        if found.shape != expected.shape:
            return 1.0
        scale = self.tolerance * max(1e-3, float(np.abs(expected).mean()))
        wrong = 1 - float(np.isclose(found, expected, rtol=self.tolerance, atol=scale).mean())
        return wrong if wrong > self.may_differ else 0.0


def directional(loss: Callable[[np.ndarray], float], at: np.ndarray, count: int = 3, h: float = 1e-5) -> np.ndarray:
    """Derivatives of a loss along some directions, by central differences; `along` gives those of a gradient."""
    at = at.astype(np.float64)
    return np.array([(loss(at + h * d) - loss(at - h * d)) / (2 * h) for d in directions(at.shape, count)])


def along(gradient: np.ndarray, count: int = 3) -> np.ndarray:
    """The parts of a gradient along the same directions."""
    return np.array([(gradient.astype(np.float64) * d).sum() for d in directions(gradient.shape, count)])


def directions(shape: tuple[int, ...], count: int) -> np.ndarray:
    return np.random.default_rng(77).uniform(0.5, 1.5, size=(count, *shape))
