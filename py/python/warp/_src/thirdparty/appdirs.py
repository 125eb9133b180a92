"""Folders of applications."""

from __future__ import annotations

import os


def user_cache_dir(
    appname: str | None = None, appauthor: str | None = None, version: str | None = None, opinion: bool = True
) -> str:
    """The folder where an application keeps what it can make again. `appauthor` and `opinion` mean nothing on Linux."""
    folder = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(folder, *filter(None, [appname, version if appname else None]))
