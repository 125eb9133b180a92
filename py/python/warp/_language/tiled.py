"""Launches of blocks of threads, each of which works on one tile."""

from __future__ import annotations

from typing import Any

from warp import _warp
from warp._warp import ArrayValueError, LaunchError


def launch_tiled(kernel: _warp.Kernel, *others: Any, **named: Any) -> Any:
    """Launch a block of threads for each index; the index within the block is the last one of ``wp.tid()``.

    On a GPU the last index is below ``block_dim``, which ``wp.block_dim()`` is, too. On the CPU a block is one thread:
    the last index is 0, and ``wp.block_dim()`` 1.

    Args:
        kernel: The kernel.
        others: Nothing: ``dim`` and the rest are given by name.
        named: ``dim``: an int, or a tuple of up to 3; ``block_dim``: threads of a block, for GPUs. The others are those
            of :func:`launch`.

    Raises:
        TypeError: ``dim`` or ``block_dim`` is missing, or not given by name. It is a RuntimeError, too.
        ValueError: There are more than 3 dimensions, or ``block_dim`` is not 1 to 1024. It is a RuntimeError, too.
    """
    if others or "dim" not in named:
        raise LaunchError("launch_tiled: dim is given by name, as all arguments but the kernel")
    if named.get("block_dim") is None:
        raise LaunchError("launch_tiled: block_dim is missing; it is given by name")
    if named["block_dim"] == 0:
        raise ArrayValueError("launch_tiled: block_dim is 0, expected 1 to 1024 threads")
    dim = named.pop("dim")
    dims = tuple(dim) if isinstance(dim, tuple | list) else (dim,)
    if len(dims) > 3:
        raise ArrayValueError(f"launch_tiled: dim has {len(dims)} dimensions; there may be 3, and one for the block")
    stream, block_dim = named.get("stream"), named["block_dim"]
    device = _warp.get_device(named.get("device")) if stream is None else stream.device
    # What is no number is left to `launch` to refuse.
    threads = block_dim if device.is_cuda and isinstance(block_dim, int) else 1
    return _warp.launch(kernel, (*dims, threads), **named)
