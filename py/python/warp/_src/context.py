"""What programs import from where NVIDIA Warp launches kernels: public names, and the modules by their names."""

from __future__ import annotations

from typing import Any

import warp as _warp
from warp._modules import _modules as user_modules

__all__ = ["user_modules"]


def __getattr__(name: str) -> Any:
    return getattr(_warp, name)
