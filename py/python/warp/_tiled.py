"""Launches of blocks of threads, each of which works on one tile."""

from __future__ import annotations

from typing import Any

from warp import _warp
from warp._warp import ArrayValueError, LaunchError


def launch_tiled(kernel: _warp.Kernel, *others: Any, **named: Any) -> Any:
    """Launch a block of threads for each index; the index within the block is the last one of ``wp.tid()``.

    On the CPU a block is one thread, so that the last index is 0.

    Args:
        kernel: The kernel.
        others: Nothing: ``dim`` and the rest are given by name.
        named: ``dim``: an int, or a tuple of up to 3; ``block_dim``: threads of a block, for CUDA. The others are those
            of :func:`launch`.

    Raises:
        TypeError: ``dim`` or ``block_dim`` is missing, or not given by name. It is a RuntimeError, too.
        ValueError: There are more than 3 dimensions. It is a RuntimeError, too.
    """
    if others or "dim" not in named:
        raise LaunchError("launch_tiled: dim is given by name, as all arguments but the kernel")
    if named.get("block_dim") is None:
        raise LaunchError("launch_tiled: block_dim is missing; it is given by name")
    dim = named.pop("dim")
    dims = tuple(dim) if isinstance(dim, tuple | list) else (dim,)
    if len(dims) > 3:
        raise ArrayValueError(f"launch_tiled: dim has {len(dims)} dimensions; there may be 3, and one for the block")
    return _warp.launch(kernel, (*dims, 1), **named)
