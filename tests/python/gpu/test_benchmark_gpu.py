"""The benchmark of GPUs on the driver for tests: its rows, and the driver's own cost beside ours."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from gpu.calibration import driver_behaviour
from gpu.support import driver_calls


def test_launches_are_measured_beside_the_driver(tmp_path):
    library = driver_calls.driver_for_tests()
    if library is None:
        pytest.skip("the driver for tests is not built: cargo build -p ptx-driver")
    environment = driver_behaviour.clean_environment() | {"WARP_CUDA_DRIVER": library}
    command = [sys.executable, "-m", "warp.examples.benchmarks.benchmark_gpu", "--only", "aunch", "--json", "rows.json"]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=200, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = re.findall(r"^(.*?): .* (?:more|less) than a bare cuLaunchKernel$", done.stdout, re.MULTILINE)
    kept = json.loads((tmp_path / "rows.json").read_text())
    assert kept["failed"] == {}
    assert kept["rows"]["first launch, nothing is kept"] > kept["rows"]["first launch, compiled before"] > 0
    assert kept["rows"]["cuLaunchKernel by ctypes, a launch"] > 0
    assert rows == ["launch, 3 own arrays + float", "recorded Launch.launch()", "one of 10 launches of a graph"]


def test_kernels_that_fill_a_gpu_are_checked(tmp_path):
    """Each of them runs, small, and a wrong result is told."""
    library = driver_calls.driver_for_tests()
    if library is None:
        pytest.skip("the driver for tests is not built: cargo build -p ptx-driver")
    environment = driver_behaviour.clean_environment() | {"WARP_CUDA_DRIVER": library}
    program = """
from pathlib import Path
from warp.examples.benchmarks import benchmark_gpu
from warp.examples.benchmarks._kernels import gpu

table = benchmark_gpu.Table(Path("rows.json"))
benchmark_gpu.large_kernels(table)
assert len(table.rows) == 7 and not table.failed, (table.rows, table.failed)
# Nothing is computed.
gpu.launcher = lambda kernel, dim, *values: lambda: None
table = benchmark_gpu.Table(Path("rows.json"))
benchmark_gpu.large_kernels(table)
assert len(table.failed) >= 5 and all("wrong values" in error for error in table.failed.values()), table.failed
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=environment,
        cwd=tmp_path,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
