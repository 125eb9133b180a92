"""Forks in the middle of a compile or a launch."""

from __future__ import annotations

import pytest

from .large_kernel import large_kernel

REST = """
import os
import signal
import threading
import time
import warnings

import numpy as np
import warp as wp

warnings.simplefilter("ignore", DeprecationWarning)  # Python's own about fork with threads

@wp.kernel
def add_one(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] + 1.0


@wp.kernel
def waits(x: wp.array(dtype=float), n: int):
    i = wp.tid()
    v = x[i]
    for _ in range(n):
        v = wp.sin(v) + 1.0
    x[i] = v


def works():
    x = wp.zeros(1000, dtype=float)
    wp.launch(add_one, dim=len(x), inputs=[x])
    assert (x.numpy() == 1).all()


def fork(work):
    child = os.fork()
    if child == 0:
        signal.alarm(100)
        work()
        os._exit(0)
    return child


def join(child):
    status = os.waitpid(child, 0)[1]
    assert status == 0, status
"""
START = large_kernel(800) + REST

# The child has no thread that compiles, and may not wait for one of its parent's: that waits for the child. A fork
# that waited for the compile would take all that is left of it.
COMPILE = (
    large_kernel(1500)
    + REST
    + """
ended = []


def compile_beside():
    compile()
    ended.append(time.perf_counter())


thread = threading.Thread(target=compile_beside)
thread.start()
time.sleep(0.2)
begin = time.perf_counter()
child = fork(lambda: (works(), compile()))
took = time.perf_counter() - begin
join(child)
if not ended:
    join(fork(lambda: (works(), compile())))
thread.join()
left = ended[0] - begin
assert left > 0, "the compile was too quick"
assert took < 0.7 * left, f"the fork took {took} s and {left} s of the compile were left: it waited for the compile"
works()
print("done")
"""
)

HANDLER_IN_COMPILE = (
    START
    + """
parent, forks = os.getpid(), []


def handler(number, frame):
    start = time.perf_counter()
    child = os.fork()
    if child == 0:
        signal.alarm(100)
        forks.append(0)
        return
    forks.append(time.perf_counter() - start)
    join(child)


signal.signal(signal.SIGUSR1, handler)
threading.Timer(0.2, lambda: os.kill(parent, signal.SIGUSR1)).start()
compile()
assert forks and forks[0] < 0.5, forks
works()
if os.getpid() != parent:
    os._exit(0)
print("done")
"""
)

HANDLER_IN_LAUNCH = (
    START
    + """
parent, children = os.getpid(), []


def handler(number, frame):
    child = os.fork()
    if child == 0:
        signal.alarm(100)
    children.append(child)


x = wp.zeros(2000, dtype=float)
wp.launch(waits, dim=len(x), inputs=[x, 1])
works()
signal.signal(signal.SIGUSR1, handler)
threading.Timer(0.2, lambda: os.kill(parent, signal.SIGUSR1)).start()
try:
    wp.launch(waits, dim=len(x), inputs=[x, 500_000])
except RuntimeError as error:
    assert os.getpid() != parent and "forked while the launch ran" in str(error), error
assert children
works()
wp.launch(waits, dim=len(x), inputs=[x, 20])
if os.getpid() != parent:
    os._exit(0)
join(children[0])
print("done")
"""
)


# The child does its work in the handler: its parent waits for it, and holds the locks of the compile.
WORK_IN_HANDLER = (
    START
    + """
parent, children = os.getpid(), []


def handler(number, frame):
    children.append(fork(lambda: (works(), compile())))
    join(children[-1])


signal.signal(signal.SIGUSR1, handler)
threading.Timer(0.2, lambda: os.kill(parent, signal.SIGUSR1)).start()
compile()
assert children
works()
print("done")
"""
)

# The child has neither the thread that launches nor its workers.
BESIDE_A_LAUNCH = (
    START
    + """
x = wp.zeros(2000, dtype=float)
wp.launch(waits, dim=len(x), inputs=[x, 1])
works()


def launch(n):
    wp.launch(waits, dim=len(x), inputs=[x, n])


thread = threading.Thread(target=launch, args=[500_000])
thread.start()
time.sleep(0.1)
assert thread.is_alive(), "the launch was too quick"
for _ in range(4):
    start = time.perf_counter()
    child = fork(lambda: (works(), launch(20), compile()))
    assert time.perf_counter() - start < 0.5
    join(child)
thread.join()
works()
print("done")
"""
)

ASLEEP = (
    START
    + """
big = wp.zeros(3_000_000, dtype=float)
for _ in range(3):
    wp.launch(add_one, dim=len(big), inputs=[big])
time.sleep(0.1)  # the workers sleep


def again():
    wp.launch(add_one, dim=len(big), inputs=[big])
    assert (big.numpy() == 4).all()
    join(fork(works))


for _ in range(4):
    join(fork(again))
wp.launch(add_one, dim=len(big), inputs=[big])
assert (big.numpy() == 4).all()
print("done")
"""
)

MULTIPROCESSING = (
    START
    + """
import multiprocessing

works()
thread = threading.Thread(target=compile)
thread.start()
time.sleep(0.1)


def work(n):
    works()
    x = wp.full(100_000, float(n), dtype=float)
    wp.launch(add_one, dim=len(x), inputs=[x])
    assert (x.numpy() == n + 1).all()
    return n


with multiprocessing.get_context("fork").Pool(3) as pool:
    assert pool.map(work, range(20)) == list(range(20))
thread.join()
works()
print("done")
"""
)

PROGRAMS = {
    "in a compile": COMPILE,
    "in a handler in a compile": HANDLER_IN_COMPILE,
    "for work in a handler in a compile": WORK_IN_HANDLER,
    "in a handler in a launch": HANDLER_IN_LAUNCH,
    # Handlers run from its beginning, since a launch before it took as long.
    "in a handler in a long launch": HANDLER_IN_LAUNCH.replace("inputs=[x, 1])", "inputs=[x, 500_000])"),
    "beside a launch": BESIDE_A_LAUNCH,
    "while workers sleep": ASLEEP,
    "by multiprocessing": MULTIPROCESSING,
}


@pytest.mark.parametrize("threads", ["1", "2", "4"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_fork_hangs_nobody(script, tmp_path, program, threads, rounds):
    for k in range(rounds(1, 30)):
        cache = str(tmp_path / f"cache {k}")
        assert script(PROGRAMS[program]).run(WARP_NUM_THREADS=threads, WARP_CACHE_PATH=cache) == "done\n"
