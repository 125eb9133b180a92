"""Choices that captures and launches have by name; few programs ask for them."""

from __future__ import annotations

from enum import IntEnum


class CaptureMode(IntEnum):
    """Which calls of other threads a capture of a CUDA graph forbids."""

    GLOBAL = 0
    THREAD_LOCAL = 1
    RELAXED = 2


class LaunchArrayAccessMode(IntEnum):
    """How closely launches look at the arrays that they are given; see ``wp.config.launch_array_access_mode``."""

    RELAXED = 0
    CHECKED = 1
    STRICT = 2
