"""Numbers of several systems that are solved together: one of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable


class Each:
    """A number of each system. Sums and products are formed system by system; a quotient by zero is zero."""

    __slots__ = ("values",)

    def __init__(self, values: Iterable[float]) -> None:
        self.values = tuple(values)

    def _with(self, other: Each | float, operation: Callable[[float, float], float]) -> Each:
        if isinstance(other, Each):
            return Each(map(operation, self.values, other.values))
        return Each(operation(value, other) for value in self.values)

    def __add__(self, other: Each | float) -> Each:
        return self._with(other, lambda a, b: a + b)

    def __sub__(self, other: Each | float) -> Each:
        return self._with(other, lambda a, b: a - b)

    def __mul__(self, other: Each | float) -> Each:
        return self._with(other, lambda a, b: a * b)

    def __truediv__(self, other: Each | float) -> Each:
        return self._with(other, lambda a, b: a / b if b != 0.0 else 0.0)

    def __neg__(self) -> Each:
        return Each(-value for value in self.values)

    def __bool__(self) -> bool:
        """Whether one of them is not zero."""
        return any(self.values)

    def inverse(self) -> Each:
        """One over each; zero over zero."""
        return Each(1.0 / value if value != 0.0 else 0.0 for value in self.values)

    def root(self) -> Each:
        """The square roots."""
        return Each(math.sqrt(value) for value in self.values)

    def length(self, other: Each) -> Each:
        """The lengths of vectors of two components."""
        return self._with(other, math.hypot)

    def within(self, limits: Iterable[float]) -> bool:
        """Whether the absolute value of each is at most its limit."""
        return all(abs(value) <= limit for value, limit in zip(self.values, limits, strict=True))

    def is_finite(self) -> bool:
        """Whether all of them are numbers."""
        return all(map(math.isfinite, self.values))
