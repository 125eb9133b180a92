"""Exceptions of two classes: the one that Python has for a mistake, and the RuntimeError that NVIDIA's Warp raises."""

from __future__ import annotations


class ArgumentTypeError(TypeError, RuntimeError):
    """An argument of the wrong type."""


class ArgumentValueError(ValueError, RuntimeError):
    """An argument of the right type whose value is not allowed."""
