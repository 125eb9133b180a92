"""Fork, exit and Ctrl-C."""

from __future__ import annotations

import select
import signal
import time

import pytest

LAUNCH = """
import numpy as np
import warp as wp


@wp.kernel
def add_one(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] + 1.0


def launch(n=100_000):
    x = np.zeros(n, dtype=np.float32)
    wp.launch(add_one, dim=n, inputs=[x])
    assert (x == 1).all()
"""

FORK = (
    LAUNCH
    + """
import os
import warnings

warnings.simplefilter("ignore", DeprecationWarning)  # Python's own about fork with threads


@wp.kernel
def add_two(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] + 2.0


launch()
children = []
for _ in range(4):
    child = os.fork()
    if child == 0:
        launch()
        x = np.zeros(10, dtype=np.float32)
        wp.launch(add_two, dim=10, inputs=[x])  # compiled in the child
        assert (x == 2).all()
        os._exit(0)
    children.append(child)
for child in children:
    assert os.waitpid(child, 0)[1] == 0
launch()
print("done")
"""
)

EXIT = (
    LAUNCH
    + """
import torch

launch()
kept = [wp.zeros(100, dtype=float) for _ in range(4)]
views = [np.from_dlpack(kept[0]), kept[1].numpy(), torch.from_dlpack(kept[2]), wp.to_torch(kept[3])]
imported = [wp.from_torch(torch.ones(5)), wp.array(np.ones(5), copy=False)]
tape = wp.Tape()
print("leaving")
"""
)

LONG = (
    LAUNCH
    + """
import signal

# A process started in the background of a shell inherits that SIGINT is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)


@wp.kernel
def spin(x: wp.array(dtype=float), n: int):
    i = wp.tid()
    v = x[i]
    for _ in range(n):
        v = wp.sin(v) + 1.0
    x[i] = v


x = np.zeros(4_000_000, dtype=np.float32)
wp.launch(spin, dim=4, inputs=[x, 1])
print("spinning", flush=True)
try:
    wp.launch(spin, dim=len(x), inputs=[x, 100_000])
except KeyboardInterrupt:
    print("interrupted", flush=True)
launch()
print("works", flush=True)
"""
)


SHORT_OF_MEMORY = """
import resource
import warp as wp

wp.config.cache_kernels = False

def compiled(limit):
    @wp.kernel(module="unique")
    def number(x: wp.array(dtype=float)):
        x[wp.tid()] = float(wp.static(limit))

    wp.load_module(number.module)

compiled(1)
ends = set()
for spare in (0, 1 << 20, 12 << 20, 40 << 20):
    pages = int(open("/proc/self/statm").read().split()[0])
    most = pages * resource.getpagesize() + spare
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
    try:
        compiled(spare)
        ends.add("compiled")
    except (OSError, MemoryError) as error:
        ends.add(type(error).__name__)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
compiled(2)
print(" ".join(sorted(ends)))
"""


def test_a_compile_without_memory_is_an_error(script):
    """Of the environment, not of the compiler; a later one works."""
    ends = script(SHORT_OF_MEMORY).run().split()
    assert {*ends} <= {"OSError", "MemoryError", "compiled"}
    assert len(ends) > 1


def test_a_child_works_after_fork(script, rounds):
    program = script(FORK)
    for _ in range(rounds(2, 50)):
        assert program.run() == "done\n"


def test_live_exports_at_exit(script, rounds):
    program = script(EXIT)
    for _ in range(rounds(3, 50)):
        assert program.run() == "leaving\n"


@pytest.mark.parametrize("threads", ["1", "2"])
def test_ctrl_c_is_answered_within_a_second(script, threads):
    process = script(LONG).start(WARP_NUM_THREADS=threads)
    assert process.stdout.readline() == "spinning\n"
    time.sleep(0.5)
    sent = time.perf_counter()
    process.send_signal(signal.SIGINT)
    answered, _, _ = select.select([process.stdout], [], [], 20)
    if not answered:
        process.kill()
    answer = process.stdout.readline()
    waited = time.perf_counter() - sent
    out, err = process.communicate(timeout=60)
    assert (answer, out, process.returncode) == ("interrupted\n", "works\n", 0), err
    assert waited < 1.0
