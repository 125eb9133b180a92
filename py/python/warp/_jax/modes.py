"""How functions of jax are run and prepared: enumerations, which need no jax."""

from __future__ import annotations

import enum


class JaxCallableGraphMode(enum.IntEnum):
    """How the function of a :func:`jax_callable` is run."""

    #: Called by Python at every execution.
    NONE = 0
    #: Traced once, then part of the program that jax compiles.
    JAX = 1
    #: As `JAX`: what is traced is native either way.
    WARP = 2
    #: A graph of a GPU with buffers of its own. On the CPU as `WARP`.
    WARP_STAGED = 3
    #: As `WARP_STAGED`, by another way of copying.
    WARP_STAGED_EX = 4


class JaxModulePreloadMode(enum.IntEnum):
    """For which devices kernels are loaded before they are called. They are compiled while jax traces, by each mode."""

    #: None.
    NONE = 0
    #: The current one.
    CURRENT_DEVICE = 1
    #: All.
    ALL_DEVICES = 2
