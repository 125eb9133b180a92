"""Tests that were written for the CPU, on a GPU: files of `suite.py`, each in a process of its own.

A GPU is the device of everything that names none there.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from gpu.suite import FILES, SLOW
from gpu.support import driver, driver_calls
from randomized.random_kernels import SOAK
from support.places import ROOT, TESTS, search_path

PLUGINS = ["-p", "gpu.hosted", "-p", "no:cacheprovider", "-p", "no:xdist"]
INTERPRETED = driver.is_double() or driver_calls.stands_in()
OTHER_ORDER = driver.is_double() and os.environ.get("PTX_DRIVER_ORDER", "lazy") != "lazy"


@pytest.mark.parametrize("name", FILES)
def test_file(name: str) -> None:
    if OTHER_ORDER:
        pytest.skip("each launch waits here, so that the order is the same")
    if name in SLOW and not SOAK and INTERPRETED:
        pytest.skip("takes long; run by `make soak`")
    environment = dict(os.environ)
    environment["PYTHONPATH"] = search_path()
    environment["WARP_GPU_WAIT"] = "1"
    # One device, as such tests expect.
    environment["PTX_DRIVER_DEVICES"] = "1"
    file = TESTS / f"{name}.py"
    left_out = [f"--deselect={file.relative_to(ROOT)}::{test}" for test in FILES[name]]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--tb=short", *PLUGINS, *left_out, str(file)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    failed = re.findall(r"^(?:FAILED|ERROR) .*", done.stdout, re.MULTILINE)
    # In one line, which is what the end of a long run keeps.
    assert done.returncode == 0, f"{'; '.join(failed)}\n{done.stdout[-20000:]}{done.stderr}"
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed, done.stdout
    print(f"{name}: {passed[1]} tests on a GPU")
