"""Refuses to run on top of another package that owns the same folder."""

from __future__ import annotations

import os

# Files of the `warp-lang` wheel that this package does not have.
_MARKERS = ("native", "bin")


def check(folder: str) -> None:
    """Raise ImportError if `warp-lang` is installed into the same folder."""
    found = [name for name in _MARKERS if os.path.isdir(os.path.join(folder, name))]
    if found:
        raise ImportError(
            f"the folder {folder} holds files of the package warp-lang ({', '.join(found)}) as well as of "
            "warp-rs: both provide the module 'warp', so that only one can be installed. Uninstall both "
            "(pip uninstall warp-lang warp-rs), then install the one you want."
        )
