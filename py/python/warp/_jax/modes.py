"""How functions of jax are run and prepared: enumerations, which need no jax."""

from __future__ import annotations

import enum


class JaxCallableGraphMode(enum.IntEnum):
    """How the function of a :func:`jax_callable` is run."""

    #: Called by Python at every execution.
    NONE = 0
    #: Traced once, then part of the program that jax compiles.
    JAX = 1
    #: As `JAX` where the function can be traced. Where it cannot, on a GPU a CUDA graph for each set of addresses.
    WARP = 2
    #: As `WARP`, with one graph, from and to whose buffers arrays are copied.
    WARP_STAGED = 3
    #: As `WARP_STAGED`.
    WARP_STAGED_EX = 4


class JaxModulePreloadMode(enum.IntEnum):
    """For which GPUs kernels are compiled and loaded while jax compiles the program that calls them."""

    #: None: a kernel is loaded when the program first runs on a GPU.
    NONE = 0
    #: Those of the program.
    CURRENT_DEVICE = 1
    #: All of this process.
    ALL_DEVICES = 2
