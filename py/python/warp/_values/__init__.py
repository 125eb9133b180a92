"""Values in Python: scalars, vectors, matrices and the like, what their types are, and how C sees them and arrays."""

from __future__ import annotations

from warp._values.composite import _restore as _restore
