"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# No test measures time: other programs may share the machine.
settings.register_profile("warp", deadline=None)
settings.load_profile("warp")
