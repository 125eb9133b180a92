"""Ctrl-C: kernels and compiles end within a second, whatever they are at."""

from __future__ import annotations

import select
import signal
import time

import pytest

from .large_kernel import large_kernel

# A process started in the background of a shell inherits that SIGINT is ignored.
START = """
import signal
import threading
import time

import numpy as np
import warp as wp

signal.signal(signal.SIGINT, signal.default_int_handler)
"""

END = """
print("begins", flush=True)
try:
    run()
except KeyboardInterrupt:
    print("interrupted", flush=True)


@wp.kernel
def add_one(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] + 1.0


x = wp.zeros(100_000, dtype=float)
wp.launch(add_one, dim=len(x), inputs=[x])
assert (x.numpy() == 1).all()
print("works", flush=True)
"""

KERNELS = """
@wp.kernel
def waits(x: wp.array(dtype=int), go_on: wp.array(dtype=int)):
    i = wp.tid()
    n = int(0)
    while go_on[0] > 0:
        n += 1
    x[i] = n


@wp.kernel
def nests(x: wp.array(dtype=int), n: int):
    i = wp.tid()
    for a in range(n):
        for b in range(n):
            for c in range(a):
                x[i] = x[i] ^ (b + c)


@wp.kernel
def fills(x: wp.array(dtype=int), n: wp.int64):
    i = wp.tid()
    for k in range(n):
        x[int(k) & 1023] = i


@wp.kernel
def adds(x: wp.array(dtype=wp.int64), n: wp.int64):
    i = wp.tid()
    s = wp.int64(0)
    for k in range(n):
        s += k * k ^ (s >> wp.int64(3))
    x[i] = s


@wp.kernel
def leaps(x: wp.array(dtype=int), n: int):
    i = wp.tid()
    for a in range(n):
        for k in range(n, 0, -7):
            x[i] = x[i] ^ (k + a)


@wp.kernel
def iterates(x: wp.array(dtype=float), y: wp.array(dtype=float), n: int):
    i = wp.tid()
    v = x[i]
    for a in range(n):
        for k in range(1000):
            v = wp.sin(v) + 1.0e-9 * float(k)
    y[i] = v


@wp.kernel
def prints(x: wp.array(dtype=int), n: int):
    i = wp.tid()
    for a in range(n):
        for b in range(n):
            x[i] = x[i] ^ (a + b)
    if x[i] == -1:
        print(x[i])


@wp.kernel
def wide(x: wp.array(dtype=int), n: int):
    i = wp.tid()
    s = int(0)
    for k in range(n):
        s += k ^ (s >> 1)
    x[i % 1024] = s


ints = wp.zeros(1024, dtype=int)
longs = wp.zeros(1024, dtype=wp.int64)
floats = wp.full(1024, 0.5, dtype=float, requires_grad=True)
sines = wp.zeros(1024, dtype=float, requires_grad=True)
"""

# By name: launches that would take for ever, each after launches that let the kernel look short.
RUNS = {
    "while": "launch(waits, 1, [ints, wp.zeros(1, dtype=int)], [ints, wp.full(1, 1, dtype=int)])",
    "while on all threads": "launch(waits, 1024, [ints, wp.zeros(1, dtype=int)], [ints, wp.full(1, 1, dtype=int)])",
    "nest": "launch(nests, 1, [ints, 1], [ints, 2**31 - 1])",
    "vectors": "launch(fills, 1, [ints, 1], [ints, 2**62])",
    "sum": "launch(adds, 1, [longs, 1], [longs, 2**62])",
    "leaps": "launch(leaps, 1, [ints, 1], [ints, 2**31 - 1])",
    "brief loops in a long one": "launch(iterates, 1, [floats, sines, 1], [floats, sines, 2**31 - 1])",
    "in order": "launch(prints, 1024, [ints, 1], [ints, 2**31 - 1])",
    "many threads": "launch(wide, 60_000, [ints, 0], [ints, 2**26])",
    "repeats": "launch(nests, (2, 2, 2), [ints, 1], [ints, 2**31 - 1])",
    "recorded": "launch(nests, 1, [ints, 1], [ints, 2**31 - 1], record_cmd=True)",
}

LAUNCH = """
def launch(kernel, dim, short, long, record_cmd=False):
    for _ in range(300):
        wp.launch(kernel, dim=dim, inputs=short)

    def run():
        command = wp.launch(kernel, dim=dim, inputs=long, record_cmd=record_cmd)
        if record_cmd:
            command.launch()

    return run


"""

ADJOINT = """
@wp.kernel
def spreads(x: wp.array(dtype=float), y: wp.array(dtype=float), n: wp.int64):
    i = wp.tid()
    v = x[i]
    for k in range(n):
        y[int(k % wp.int64(16))] = v * float(k)


def back(n):
    wp.launch(
        spreads, dim=1, inputs=[floats, sines, n], adj_inputs=[floats.grad, sines.grad, None], adjoint=True
    )


for _ in range(300):
    back(1)


def run():
    back(2**50)


"""


def interrupt(script, program: str, threads: str = "1", after: float = 0.5, within: float = 1.0) -> None:
    process = script(START + program + END).start(WARP_NUM_THREADS=threads)
    try:
        assert process.stdout.readline() == "begins\n", process.communicate(timeout=20)[1]
        time.sleep(after)
        sent = time.perf_counter()
        process.send_signal(signal.SIGINT)
        answered, _, _ = select.select([process.stdout], [], [], 10)
        waited = time.perf_counter() - sent
        assert answered, "no answer"
        out, err = process.communicate(timeout=60)
        assert (out, process.returncode) == ("interrupted\nworks\n", 0), err
        assert waited < within
    finally:
        process.kill()


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("threads", ["1", "2"])
def test_ctrl_c_ends_a_kernel(script, name, threads):
    interrupt(script, KERNELS + LAUNCH + f"run = {RUNS[name]}\n", threads)


@pytest.mark.parametrize("threads", ["1", "2"])
def test_ctrl_c_ends_an_adjoint(script, threads):
    interrupt(script, KERNELS + ADJOINT, threads)


COMPILE = (
    large_kernel(4000)
    + """
def run():
    compile()
    print("compiled after all", flush=True)


"""
)

WAITS = (
    large_kernel(4000)
    + """
threading.Thread(target=compile, daemon=True).start()
time.sleep(0.3)


def run():
    compile()


"""
)

AT_EXIT = (
    START
    + large_kernel(1500)
    + """
print("begins", flush=True)
try:
    compile()
except KeyboardInterrupt:
    if not CAUGHT:
        raise
    print("ends", flush=True)
"""
)

DAEMON = (
    START
    + large_kernel(1500)
    + """
threading.Thread(target=compile, daemon=True).start()
time.sleep(WAIT)
print("ends", flush=True)
"""
)

NEXT = (
    START
    + large_kernel(1200)
    + """
import os


def cached():
    return [name for _, _, names in os.walk(os.environ["WARP_CACHE_PATH"]) for name in names]


x = wp.full(1, 0.5, dtype=float)
if INTERRUPTED:
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        wp.launch(large, dim=1, inputs=[x])
        print("compiled after all")
    except KeyboardInterrupt:
        pass
    assert x.numpy()[0] == 0.5
    assert cached() == [], cached()
wp.launch(large, dim=1, inputs=[x])
names = cached()
assert len(names) == 1 and names[0].endswith(".wk"), names
print(x.numpy()[0], names)
"""
)


@pytest.mark.parametrize("program", [COMPILE, WAITS], ids=["own", "another thread's"])
def test_ctrl_c_ends_waiting_for_a_compile(script, program):
    interrupt(script, program, threads="2")


def test_the_next_compile_is_right(script, tmp_path):
    right = script("INTERRUPTED = False\n" + NEXT).run(WARP_CACHE_PATH=str(tmp_path / "another"))
    assert script("INTERRUPTED = True\n" + NEXT).run() == right


@pytest.mark.parametrize("caught", [False, True], ids=["uncaught", "caught"])
def test_a_process_may_end_in_a_compile(script, rounds, caught):
    """The compile that was left alone must not meet destroyed globals of LLVM."""
    for _ in range(rounds(2, 30)):
        process = script(f"CAUGHT = {caught}\n" + AT_EXIT).start()
        assert process.stdout.readline() == "begins\n", process.communicate(timeout=20)[1]
        time.sleep(0.5)
        sent = time.perf_counter()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert time.perf_counter() - sent < 2.0
        # As Python ends with a KeyboardInterrupt that nobody catches.
        ended = ("ends\n", 0) if caught else ("", -signal.SIGINT)
        assert (out, process.returncode) == ended, err


@pytest.mark.parametrize("wait", [0.1, 0.3, 0.6])
def test_a_process_may_end_in_a_compile_of_a_daemon(script, rounds, wait):
    for _ in range(rounds(2, 30)):
        assert script(f"WAIT = {wait}\n" + DAEMON).run() == "ends\n"


THREAD = (
    KERNELS
    + """
for _ in range(300):
    wp.launch(waits, dim=1, inputs=[ints, wp.zeros(1, dtype=int)])
go_on = wp.full(1, 1, dtype=int)
threading.Thread(target=lambda: wp.launch(waits, dim=1, inputs=[ints, go_on]), daemon=True).start()


def run():
    while True:
        time.sleep(0.01)


"""
)


def test_other_threads_go_on_beside_a_launch_that_looked_short(script):
    interrupt(script, THREAD)


PASSING = """
import pytest
import warp as wp


class Odd(BaseException):
    pass


def test(error):
    @wp.func
    def inner(x: float):
        return x * wp.static(raises())

    @wp.kernel
    def static(x: wp.array(dtype=float)):
        x[wp.tid()] = wp.static(raises())

    @wp.kernel
    def called(x: wp.array(dtype=float)):
        x[wp.tid()] = inner(1.0)

    class Names:
        def __getattr__(self, name):
            raise error

    names = Names()

    @wp.kernel
    def named(x: wp.array(dtype=float)):
        x[wp.tid()] = names.value

    class Memory:
        def __dlpack_device__(self):
            return 1, 0

        def __dlpack__(self, **_):
            raise error

    @wp.kernel
    def plain(x: wp.array(dtype=float)):
        x[wp.tid()] = 1.0

    # Behind the kernels that name it: evaluated when they are compiled.
    def raises():
        raise error

    def define():
        @wp.kernel
        def static(x: wp.array(dtype=float)):
            x[wp.tid()] = wp.static(raises())

    x = wp.zeros(1, dtype=float)
    launches = [
        define,
        lambda: wp.launch(static, dim=1, inputs=[x]),
        lambda: wp.launch(called, dim=1, inputs=[x]),
        lambda: wp.launch(named, dim=1, inputs=[x]),
        lambda: wp.launch(plain, dim=1, inputs=[Memory()]),
    ]
    for launch in launches:
        with pytest.raises(BaseException) as caught:
            launch()
        assert caught.value is error, (launch, caught.value)


for error in (KeyboardInterrupt("no"), SystemExit(3), Odd("no"), GeneratorExit()):
    test(error)
print("done")
"""


def test_what_is_no_exception_passes_unchanged(script):
    assert script(PASSING).run() == "done\n"
