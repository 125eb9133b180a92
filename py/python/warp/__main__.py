"""``python -m warp``: what is installed, the cache of kernels, what is wrong, and compiling ahead of time."""

from __future__ import annotations

import sys

from warp._cli.command import main as main

if __name__ == "__main__":
    sys.exit(main())
