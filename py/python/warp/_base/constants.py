"""Constants that settings and calls take: levels of messages, kinds of what is timed, how far results are equal."""

from __future__ import annotations

from enum import IntEnum

# Levels of messages to the logger, as the standard library numbers them.
LOG_DEBUG = 10
LOG_INFO = 20
LOG_WARNING = 30
LOG_ERROR = 40

# What is timed on CUDA devices.
TIMING_KERNEL = 1
TIMING_KERNEL_BUILTIN = 2
TIMING_MEMCPY = 4
TIMING_MEMSET = 8
TIMING_GRAPH = 16
TIMING_ALL = 0xFFFFFFFF


class DeterministicMode(IntEnum):
    """How far results are to be bit-equal; see ``wp.config.deterministic``."""

    NOT_GUARANTEED = 0
    RUN_TO_RUN = 1
    GPU_TO_GPU = 2
