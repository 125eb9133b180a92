"""``python -m warp cache``: compiled kernels on disk.

Any entry may be removed at any time: a process that looks for it compiles again.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from pathlib import Path
from typing import NamedTuple

import warp as wp
from warp._warp import _cache_dir

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}


class Entry(NamedTuple):
    """A compiled kernel in the cache."""

    path: Path
    size: int
    used: float

    @property
    def key(self) -> str:
        """The digest of what was compiled, which names the file."""
        return self.path.parent.name + self.path.stem


def entries(folder: str) -> list[Entry]:
    """The compiled kernels in a folder, the last used first."""
    found = []
    for path in Path(folder).glob("[0-9a-f][0-9a-f]/*.wk"):
        try:
            about = path.stat(follow_symlinks=False)
        except OSError:  # removed meanwhile
            continue
        # Reading sets the time of the last access, on most systems once a day.
        found.append(Entry(path, about.st_size, max(about.st_atime, about.st_mtime)))
    return sorted(found, key=lambda entry: -entry.used)


def readable(size: float) -> str:
    """A number of bytes for people."""
    for unit in ("bytes", "KB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.2f} GB"


def bytes_of(text: str) -> int:
    """The number of bytes that a text such as ``500MB`` names."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([KMGT]?I?)B?\s*", text.upper())
    if found is None or found[2] not in _UNITS:
        raise ValueError(f"{text!r} is no size; expected one such as 500MB or 2GB")
    return int(float(found[1]) * _UNITS[found[2]])


def _ago(then: float) -> str:
    seconds = max(0.0, time.time() - then)
    for limit, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * limit:
            return f"{seconds / limit:.0f} {unit} ago"
    return "just now" if seconds < 60 else "a minute ago"


def _reduce(found: list[Entry], most: int) -> int:
    """Remove entries that were not used for longest; how many those were."""
    kept = sum(entry.size for entry in found)
    removed = 0
    for entry in reversed(found):
        if kept <= most:
            break
        entry.path.unlink(missing_ok=True)
        kept -= entry.size
        removed += 1
    return removed


def cache(options: argparse.Namespace) -> int:
    """Run one of the actions."""
    folder = _cache_dir()
    if folder is None:
        print("there is no cache folder that may be used; WARP_CACHE_PATH can name one", file=sys.stderr)
        return 1
    if options.action == "path":
        print(folder)
        return 0
    found = entries(folder)
    total = sum(entry.size for entry in found)
    if options.action == "list":
        for entry in found[: options.n or None]:
            print(f"{entry.key[:16]}  {readable(entry.size):>10}  {_ago(entry.used)}")
        if 0 < options.n < len(found):
            print(f"and {len(found) - options.n} more")
    elif options.action == "size":
        print(f"{len(found)} kernels, {readable(total)} in {folder}")
    elif options.action == "limit":
        removed = _reduce(found, bytes_of(options.size))
        left = entries(folder)
        print(f"removed {removed} kernels; {len(left)} are left, {readable(sum(entry.size for entry in left))}")
    else:
        wp.clear_kernel_cache()
        if os.path.isdir(folder) and entries(folder):
            print(f"not all entries of {folder} could be removed", file=sys.stderr)
            return 1
        print(f"removed {len(found)} kernels, {readable(total)}")
    return 0
