"""Names that jax had elsewhere in the versions that we support."""

from __future__ import annotations

from typing import Any

import jax
import jax.experimental

enable_x64 = jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64

IS_CURRENT = hasattr(jax, "shard_map")


def shard_map(function: Any, **how: Any) -> Any:
    """`jax.shard_map`, with the present names of its arguments."""
    if IS_CURRENT:
        return jax.shard_map(function, **how)
    from jax.experimental.shard_map import shard_map as old

    if "check_vma" in how:
        how["check_rep"] = how.pop("check_vma")
    return old(function, **how)
