"""Python processes of their own: for what ends them, or the device for the rest of their time."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import textwrap

import pytest
import warp as wp

from gpu.support import driver
from support.places import search_path

BEGIN = """
import os, sys, ctypes
import numpy as np
import warp as wp
from gpu.support import driver as drivers
from gpu.support.kernels import *
driver = drivers.get()
"""


def run(code: str, **settings: object) -> subprocess.CompletedProcess[str]:
    """Runs code with settings of ptx-driver, as in `MEMORY=1 << 20`; in lazy order unless they say otherwise.

    Other drivers have no settings but the number of their devices."""
    if not driver.is_double():
        if settings.keys() - {"DEVICES"}:
            pytest.skip(f"only ptx-driver can be set to {', '.join(sorted(settings))}")
        if not 0 < settings.get("DEVICES", 1) <= wp.get_cuda_device_count():
            pytest.skip("the number of GPUs is another one")
    settings = {"ORDER": "lazy"} | settings
    environment = dict(os.environ)
    environment |= {f"PTX_DRIVER_{name}": str(value) for name, value in settings.items()}
    environment["PYTHONPATH"] = search_path()
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(BEGIN + textwrap.dedent(code))
        file.flush()
        return subprocess.run(
            [sys.executable, file.name], capture_output=True, text=True, env=environment, timeout=120, check=False
        )


def succeeds(code: str, **settings: object) -> str:
    """What code prints that must end well."""
    done = run(code, **settings)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
