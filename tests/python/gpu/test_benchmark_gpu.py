"""The benchmark of GPUs on the driver for tests: its rows, and the driver's own cost beside ours."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from gpu import driver_behaviour, driver_calls


def test_launches_are_measured_beside_the_driver(tmp_path):
    library = driver_calls.driver_for_tests()
    if library is None:
        pytest.skip("the driver for tests is not built: cargo build -p ptx-driver")
    environment = driver_behaviour.clean_environment() | {"WARP_CUDA_DRIVER": library}
    command = [sys.executable, "-m", "warp.examples.benchmarks.benchmark_gpu", "--only", "aunch"]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=200, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = re.findall(r"^(.*?): .* (?:more|less) than a bare cuLaunchKernel$", done.stdout, re.MULTILINE)
    assert rows == ["launch, 3 own arrays + float", "recorded Launch.launch()", "one of 10 launches of a graph"]
