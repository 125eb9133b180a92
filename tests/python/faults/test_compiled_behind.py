"""Forks, ends of processes and Ctrl-C while optimised code is compiled behind launches; several processes at it."""

from __future__ import annotations

import os
import signal
import time

import pytest

from .large_kernel import large_kernel
from .test_cache import PROGRAM, entries, leftovers

TIERED = {"WARP_TIERED_COMPILATION": "1"}

pytestmark = pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one core compiles before it launches")

# A process that ends waits a little, so that the next one would find the code in the cache.
UNKEPT = "import warp as wp\nwp.config.cache_kernels = False\n"

# Seconds of LLVM are behind the launch when it returns.
START = (
    large_kernel(700)
    + """
import os
import signal
import sys
import time
import warnings

from warp._warp import _finish_compiles

warnings.simplefilter("ignore", DeprecationWarning)  # Python's own about fork with threads
signal.signal(signal.SIGINT, signal.default_int_handler)


def values():
    x = wp.full(2000, 0.5, dtype=float)
    wp.launch(large, dim=2000, inputs=[x])
    return x.numpy().tobytes()


first = values()
assert not _finish_compiles(0.0), "nothing is compiled"
print("begins", flush=True)
"""
)

FORK = (
    START
    + """
began = time.perf_counter()
child = os.fork()
waited = time.perf_counter() - began
if child == 0:
    signal.alarm(100)
    assert values() == first
    # What its parent's thread was at, a thread of its own does.
    assert not _finish_compiles(0.0), "the child compiles nothing"
    assert _finish_compiles()
    assert values() == first
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
assert _finish_compiles()
assert values() == first
print("right")
"""
)

INTERRUPT = (
    START
    + """
try:
    while True:
        values()
except KeyboardInterrupt:
    print("interrupted", flush=True)
    if CAUGHT:
        assert _finish_compiles()
        assert values() == first
        print("right", flush=True)
    else:
        raise
"""
)


def begins(process):
    assert process.stdout.readline() == "begins\n", process.communicate(timeout=20)[1]


def test_a_fork_while_code_is_compiled_behind(script, rounds):
    for _ in range(rounds(2, 20)):
        assert script(UNKEPT + FORK).run(**TIERED) == "begins\nright\n"


@pytest.mark.parametrize("status", [0, 3])
def test_a_process_may_end(script, rounds, status):
    """Soon, with its own exit status, whatever is compiled behind."""
    for _ in range(rounds(2, 30)):
        process = script(f"{UNKEPT}{START}\nsys.exit({status})\n").start(**TIERED)
        begins(process)
        began = time.monotonic()
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (status, "")
        assert time.monotonic() - began < 10, "it waited for the compile"


@pytest.mark.parametrize("caught", [False, True], ids=["uncaught", "caught"])
def test_ctrl_c(script, caught):
    process = script(f"CAUGHT = {caught}\n{INTERRUPT}").start(**TIERED)
    begins(process)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=100)
    if caught:
        assert (process.returncode, out) == (0, "interrupted\nright\n"), err
    else:
        assert out == "interrupted\n"
        assert process.returncode in (130, -signal.SIGINT, 1), err
        assert err.rstrip().endswith("KeyboardInterrupt")


def test_eight_processes_share_one_cold_cache(script, tmp_path):
    program = script(f"{PROGRAM}\nfrom warp._warp import _finish_compiles\nassert _finish_compiles()\n")
    processes = [program.start(**TIERED) for _ in range(8)]
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert (process.returncode, out) == (0, "right\n"), err
    assert len(entries(tmp_path / "cache")) == 1
    assert not leftovers(tmp_path / "cache")


def test_a_short_program_leaves_its_code(script, tmp_path):
    """A program that ends right after its launch waits a moment, so that the next one finds optimised code."""
    for _ in range(5):
        script(PROGRAM).run(**TIERED)
        if entries(tmp_path / "cache"):
            break
    assert len(entries(tmp_path / "cache")) == 1
