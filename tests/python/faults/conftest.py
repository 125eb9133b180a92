"""Fault tests run a few rounds by default and many in `make soak` (WARP_SOAK=1)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOAK = bool(os.environ.get("WARP_SOAK"))
# A program that hangs is told from one that has much to do.
LIMIT = 7200 if SOAK else 120


@pytest.fixture
def rounds():
    """How often to try: the first number by default, the second in a soak run."""
    return lambda few, many: many if SOAK else few


class Script:
    """A Python program in a file, run in a process of its own with a cache of its own."""

    def __init__(self, path: Path, cache: Path):
        self.path = path
        self.env = {**os.environ, "WARP_CACHE_PATH": str(cache)}
        self.env.pop("WARP_NUM_THREADS", None)
        self.started: list[subprocess.Popen] = []

    def start(self, *args: str, **env: str) -> subprocess.Popen:
        process = subprocess.Popen(
            [sys.executable, str(self.path), *args],
            env={**self.env, **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.started.append(process)
        return process

    def run(self, *args: str, **env: str) -> str:
        """What it printed; fails with what it complained about."""
        process = self.start(*args, **env)
        out, err = process.communicate(timeout=LIMIT)
        assert process.returncode == 0, f"exit status {process.returncode}: {err}"
        return out


@pytest.fixture
def script(tmp_path):
    """Makes a `Script` of source text; the cache directory is `tmp_path / "cache"`."""

    made: list[Script] = []

    def make(source: str) -> Script:
        path = tmp_path / "program.py"
        path.write_text(source)
        made.append(Script(path, tmp_path / "cache"))
        return made[-1]

    yield make
    # A test that failed may have left one running.
    for one in made:
        for process in one.started:
            process.kill()
