"""Functions on arrays and timers, as `warp.utils` has them."""

from __future__ import annotations

from typing import Any

import warp.utils as _utils


def __getattr__(name: str) -> Any:
    return getattr(_utils, name)
