"""Conversions through DLPack, for libraries that have no conversions of their own here; they are in ``warp`` too."""

from __future__ import annotations

from warp._warp import from_dlpack, to_dlpack

__all__ = ["from_dlpack", "to_dlpack"]
