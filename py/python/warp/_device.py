"""What names a device."""

from __future__ import annotations

from warp._warp import Device

DeviceLike = Device | str | None
"""What names a device: itself, its alias, or None for the current one."""
