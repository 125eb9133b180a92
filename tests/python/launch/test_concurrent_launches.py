"""Launches of several Python threads that change one array: what all of them add is there in the end."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import warp as wp


@wp.kernel
def to_own(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(out, i, x[i])


@wp.kernel
def to_any(at: wp.array(dtype=int), out: wp.array(dtype=float)):
    wp.atomic_add(out, at[wp.tid()], 1.0)


@wp.kernel
def doubled(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = 2.0 * x[i]


def together(*works: Callable[[], None]) -> None:
    """Runs each on a thread, and raises what any raised."""
    with ThreadPoolExecutor(len(works)) as pool:
        for done in [pool.submit(work) for work in works]:
            done.result()


@pytest.mark.parametrize("count", [100, 200_000])
def test_adds_of_three_threads_to_elements_of_their_own(count: int) -> None:
    x, out = wp.ones(count), wp.zeros(count)
    wp.launch(to_own, dim=count, inputs=[x, out])

    def add() -> None:
        for _ in range(100):
            wp.launch(to_own, dim=count, inputs=[x, out])

    together(add, add, add)
    np.testing.assert_array_equal(out.numpy(), np.full(count, 301))


def test_adds_of_every_kind() -> None:
    """To elements of one's own, to copies, to memory that all have, and to views of it."""
    size, many, rounds = 50_000, 400_000, 40
    x, out = wp.ones(size), wp.zeros(size)
    rng = np.random.default_rng(1)
    anywhere, few = (rng.integers(0, size, count).astype(np.int32) for count in (many, 1000))
    part = (few // 2).astype(np.int32)
    given = [wp.array(at) for at in (anywhere, few, part)]

    def plain() -> None:
        for _ in range(rounds):
            wp.launch(to_own, dim=size, inputs=[x, out])

    def scattered() -> None:
        for _ in range(rounds):
            wp.launch(to_any, dim=many, inputs=[given[0], out])
            wp.launch(to_any, dim=len(few), inputs=[given[1], out])

    def to_view() -> None:
        for _ in range(rounds):
            wp.launch(to_any, dim=len(part), inputs=[given[2], out[size // 2 :]])

    together(plain, scattered, to_view)
    expected = np.full(size, rounds, dtype=float)
    np.add.at(expected, anywhere, rounds)
    np.add.at(expected, few, rounds)
    np.add.at(expected, size // 2 + part, rounds)
    np.testing.assert_array_equal(out.numpy(), expected)


def test_gradients_of_two_threads_come_together() -> None:
    count = 100_000
    x = wp.ones(count, requires_grad=True)

    def step() -> None:
        for _ in range(30):
            y = wp.zeros(count, requires_grad=True)
            tape = wp.Tape()
            with tape:
                wp.launch(doubled, dim=count, inputs=[x, y])
            tape.backward(grads={y: wp.ones(count)})

    together(step, step)
    np.testing.assert_array_equal(x.grad.numpy(), np.full(count, 120))


KERNEL = """
import _thread, os, signal, threading, time
import warp as wp

@wp.kernel
def rounds(n: int, out: wp.array(dtype=float)):
    i = wp.tid()
    v = float(0.0)
    for k in range(n):
        v = wp.sin(v + float(k))
    wp.atomic_add(out, i, 1.0 + 0.0 * v)
"""

LONG = (
    KERNEL
    + """
out = wp.zeros(64)
wp.launch(rounds, dim=64, inputs=[1, out])
out.zero_()
running = threading.Thread(target=lambda: wp.launch(rounds, dim=64, inputs=[SIZE, out]), daemon=True)
running.start()
time.sleep(0.3)
"""
)

FORK = (
    LONG.replace("SIZE", "100_000_000")
    + """
assert running.is_alive()
child = os.fork()
if child == 0:
    # Its parent's thread is not here, nor what that claimed.
    before = out.numpy().copy()
    wp.launch(rounds, dim=64, inputs=[1, out])
    os._exit(0 if (out.numpy() == before + 1.0).all() else 1)
assert os.waitpid(child, 0)[1] == 0
wp.launch(rounds, dim=64, inputs=[1, out])
running.join()
assert (out.numpy() == 2.0).all(), out.numpy()
print("done")
"""
)

INTERRUPT = (
    LONG.replace("SIZE", "2_000_000_000")
    + """
assert running.is_alive()
# Who runs tests in the background may have it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(0.2, _thread.interrupt_main).start()
start = time.monotonic()
try:
    while True:  # in case the other thread has not come to its launch
        wp.launch(rounds, dim=64, inputs=[1, out])
except KeyboardInterrupt:
    assert time.monotonic() - start < 2.0
    # The launch on the other thread has no end.
    print("done", flush=True)
    os._exit(0)
"""
)

WITHIN = (
    KERNEL
    + """
out, seen = wp.zeros(64), []

def handler(*_):
    wp.launch(rounds, dim=64, inputs=[1, out])
    seen.append(1)

wp.launch(rounds, dim=64, inputs=[1, out])
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.2)
wp.launch(rounds, dim=64, inputs=[60_000_000, out])
assert seen
print("done")
"""
)


@pytest.mark.parametrize("program", [FORK, INTERRUPT, WITHIN], ids=["fork", "interrupt", "within"])
def test_who_waits_can_be_stopped(program: str, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(program)
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "done\n", done.stderr
