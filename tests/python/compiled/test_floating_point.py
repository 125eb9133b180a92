"""Kernels run in the standard floating-point environment on all threads, whatever the program has set.

The program's threads keep their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAD = """
import ctypes
import platform
import numpy as np
import warp as wp

libm = ctypes.CDLL("libm.so.6")
UPWARD, NEAREST = {"x86_64": 0x800, "aarch64": 0x400000}[platform.machine()], 0

@wp.kernel
def halve(x: wp.array(dtype=float), n: int, y: wp.array(dtype=float)):
    i = wp.tid()
    v = x[i]
    for _ in range(n):
        v = v * 0.5 * 2.0
    y[i] = v * 0.5

@wp.kernel
def third(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    y[i] = x[i] / wp.float64(3.0)

COUNT = 2_000_000
x, y = np.full(COUNT, 3e-39, np.float32), np.zeros(COUNT, np.float32)

def kept(count=COUNT):
    for _ in range(4):
        wp.launch(halve, dim=count, inputs=[x, 8], outputs=[y])
        assert (y[:count].view(np.int32) != 0).all()

def nearest(count=COUNT):
    ones, thirds = np.ones(count), np.zeros(count)
    wp.launch(third, dim=count, inputs=[ones, thirds])
    assert (thirds.view(np.int64) == 0x3fd5555555555555).all()
"""

FLUSHES = """
import torch
{before}
torch.set_flush_denormal(True)
kept(); kept(3)
wp.config.deterministic = True
kept()
wp.config.deterministic = False
assert (torch.tensor([3e-39]) * 0.5).item() == 0.0, "the thread's own mode is gone"
torch.set_flush_denormal(False)
kept(); kept(3)
"""

ROUNDS = """
{before}
assert libm.fesetround(UPWARD) == 0
nearest(); nearest(3)
total = wp.utils.array_sum(wp.array(np.full(COUNT, 0.1), dtype=wp.float64))
assert libm.fegetround() == UPWARD, "the thread's own mode is gone"
libm.fesetround(NEAREST)
nearest(); nearest(3)
assert total == wp.utils.array_sum(wp.array(np.full(COUNT, 0.1), dtype=wp.float64))
"""


@pytest.mark.parametrize("before", ["", "kept()"], ids=["as the pool starts", "later"])
def test_denormals_are_kept_where_the_program_flushes_them(before: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    program(HEAD + FLUSHES.format(before=before), tmp_path)


@pytest.mark.parametrize("before", ["", "nearest()"], ids=["as the pool starts", "later"])
def test_results_are_rounded_to_nearest_where_the_program_rounds_up(before: str, tmp_path: Path) -> None:
    program(HEAD + ROUNDS.format(before=before), tmp_path)


def program(text: str, folder: Path) -> None:
    """A process of its own, since the environment is the thread's and the pool starts once."""
    file = folder / "program.py"
    file.write_text(text)
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
