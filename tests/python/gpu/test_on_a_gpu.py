"""What only a GPU can show: time, occupancy, weak memory order, NVIDIA's own checker.

`docs/cuda.md` lists these tests: the driver for tests cannot stand in for a GPU in any of them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import warp as wp

from gpu.support import driver_calls

from .on_a_gpu_kernels import double, spin

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("a_gpu")]


def elapsed(rounds: int) -> tuple[float, float]:
    """Milliseconds of a launch, by events and by the host's clock."""
    x = wp.ones(1 << 20, dtype=float, device="cuda:0")
    wp.launch(spin, dim=x.shape, inputs=[x, 1], device="cuda:0")
    wp.synchronize()
    stream = wp.get_stream("cuda:0")
    begin, end = (wp.Event("cuda:0", enable_timing=True) for _ in range(2))
    clock = time.perf_counter()
    stream.record_event(begin)
    wp.launch(spin, dim=x.shape, inputs=[x, rounds], device="cuda:0")
    stream.record_event(end)
    wp.synchronize()
    return wp.get_event_elapsed_time(begin, end), (time.perf_counter() - clock) * 1e3


def test_time_between_events_is_that_of_the_host():
    device, host = elapsed(20_000)
    print(f"{device:.3f} ms on the device, {host:.3f} ms on the host")
    assert 0 < device <= host * 1.05
    assert device > host / 3, "most of the time is the kernel's"


def test_time_between_events_grows_with_work():
    short, long = elapsed(5_000)[0], elapsed(50_000)[0]
    assert 4 < long / short < 25, (short, long)


def test_a_launch_does_not_wait_for_the_kernel():
    x = wp.ones(1 << 20, dtype=float, device="cuda:0")
    wp.launch(spin, dim=x.shape, inputs=[x, 1], device="cuda:0")
    wp.synchronize()
    begin = time.perf_counter()
    wp.launch(spin, dim=x.shape, inputs=[x, 200_000], device="cuda:0")
    launched = time.perf_counter() - begin
    wp.synchronize()
    assert launched < (time.perf_counter() - begin) / 4


def test_two_streams_run_at_a_time():
    def took(streams: list[wp.Stream]) -> float:
        arrays = [wp.ones(256, dtype=float, device="cuda:0") for _ in range(4)]
        wp.synchronize()
        begin = time.perf_counter()
        for at, x in enumerate(arrays):
            wp.launch(spin, dim=x.shape, inputs=[x, 1_000_000], stream=streams[at % len(streams)])
        wp.synchronize()
        return time.perf_counter() - begin

    streams = [wp.Stream("cuda:0") for _ in range(4)]
    took(streams)
    assert took(streams) < 0.7 * took(streams[:1])


def test_occupancy_is_that_of_a_gpu():
    driver = driver_calls.Driver(driver_calls.real_driver()).start()
    text = ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry k() .maxntid 1024, 1, 1 { ret; }\n"
    function = driver.function(driver.module(text), "k")
    blocks = driver.get("cuOccupancyMaxActiveBlocksPerMultiprocessor", function, 256, 0) & 0xFFFFFFFF
    assert blocks * 256 == min(driver.attribute(39), driver.attribute(106) * 256)


@wp.kernel
def twice(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] + x[i]


def test_facts_of_kernels_are_those_of_a_gpu():
    device = wp.get_device("cuda:0")
    threads, blocks = wp.get_suggested_block_size(twice, device)
    assert threads % 32 == 0
    # A kernel this small leaves no multiprocessor half empty.
    assert threads * blocks >= 1024 * device.sm_count
    assert 0 < wp.get_cuda_kernel_properties(twice, device)["register_count"] < 64
    assert wp.get_cuda_max_cluster_dim(twice, device) in ((8, 16) if device.arch >= 90 else (1,))


THREADS = 1 << 22


# Blocks that write and read messages, and how often.
PAIRS, REPEATS = 2048, 20


@wp.kernel
def hammer(sums: wp.array(dtype=int), lanes: int, floats: wp.array(dtype=float), seen: wp.array(dtype=int)):
    i = wp.tid()
    wp.atomic_add(sums, i % lanes, 1)
    wp.atomic_add(floats, i % lanes, 1.0)
    # A number for each thread, and no number twice.
    mine = wp.atomic_add(sums, lanes, 1)
    wp.atomic_add(seen, mine, 1)
    wp.atomic_max(sums, lanes + 1, i)
    wp.atomic_min(sums, lanes + 2, -i)


@pytest.mark.parametrize("lanes", [1, 7, 32, 4096])
def test_many_threads_hammer_atomics(lanes):
    sums = wp.zeros(lanes + 3, dtype=int, device="cuda:0")
    floats, seen = wp.zeros(lanes, dtype=float, device="cuda:0"), wp.zeros(THREADS, dtype=int, device="cuda:0")
    wp.launch(hammer, dim=THREADS, inputs=[sums, lanes, floats, seen], device="cuda:0")
    expected = np.bincount(np.arange(THREADS) % lanes, minlength=lanes)
    np.testing.assert_array_equal(sums.numpy()[:lanes], expected)
    np.testing.assert_array_equal(floats.numpy(), expected.astype(np.float32))
    assert (seen.numpy() == 1).all()
    assert sums.numpy()[lanes:].tolist() == [THREADS, THREADS - 1, 1 - THREADS]


# Each block of work leaves data and then a flag; who sees the flag sees the data.
MESSAGES = """.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 data_p, .param .u64 flag_p, .param .u64 bad_p)
{
    .reg .pred %p<4>;
    .reg .b32 %r<10>;
    .reg .b64 %rd<10>;
    ld.param.u64 %rd1, [data_p];
    ld.param.u64 %rd2, [flag_p];
    ld.param.u64 %rd3, [bad_p];
    mov.u32 %r1, %ctaid.x;
    shr.u32 %r2, %r1, 1;
    mov.u32 %r3, %tid.x;
    mov.u32 %r4, %ntid.x;
    mad.lo.u32 %r2, %r2, %r4, %r3;
    mul.wide.u32 %rd4, %r2, 4;
    add.u64 %rd1, %rd1, %rd4;
    add.u64 %rd2, %rd2, %rd4;
    and.b32 %r5, %r1, 1;
    setp.eq.u32 %p1, %r5, 0;
    @%p1 bra READ;
    st.relaxed.gpu.global.u32 [%rd1], 41;
    st.release.gpu.global.u32 [%rd2], 1;
    ret;
READ:
    mov.u32 %r6, 0;
LOOP:
    ld.acquire.gpu.global.u32 %r7, [%rd2];
    add.u32 %r6, %r6, 1;
    setp.eq.u32 %p2, %r7, 1;
    @%p2 bra SEEN;
    setp.lt.u32 %p3, %r6, 10000;
    @%p3 bra LOOP;
    ret;
SEEN:
    ld.relaxed.gpu.global.u32 %r8, [%rd1];
    setp.eq.u32 %p3, %r8, 41;
    @%p3 ret;
    atom.global.add.u32 %r9, [%rd3], 1;
    ret;
}
"""


def test_a_flag_that_is_released_brings_its_data():
    """The order that fences and atomics of kernels rely upon, under contention."""
    driver = driver_calls.Driver(driver_calls.real_driver()).start()
    function = driver.function(driver.module(MESSAGES), "k")
    threads = 128
    bad = driver.put(bytes(4))
    for _ in range(REPEATS):
        data, flags = (driver.put(bytes(4 * PAIRS * threads)) for _ in range(2))
        assert driver.launch(function, [data, flags, bad], (2 * PAIRS, 1, 1), (threads, 1, 1)) == 0
        assert driver.read(bad, 4) == bytes(4)
        driver.free(data, flags)


def test_threads_of_the_host_launch_at_a_time():
    def work(number: int) -> None:
        x = wp.full(1000, float(number), dtype=float, device="cuda:0")
        y = wp.zeros(1000, dtype=float, device="cuda:0")
        with wp.ScopedStream(wp.Stream("cuda:0")):
            for _ in range(200):
                wp.launch(double, dim=1000, inputs=[x, y], device="cuda:0")
            results[number] = y.numpy()

    results: dict[int, np.ndarray] = {}
    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((results[n] == 2 * n).all() for n in range(8))


# NVIDIA's checker.

CHECKED = """
import numpy as np, warp as wp
@wp.kernel
def add(x: wp.array(dtype=float), total: wp.array(dtype=float), y: wp.array2d(dtype=float)):
    i = wp.tid()
    wp.atomic_add(total, 0, x[i])
    y[i, 1] = wp.sin(x[i])
x = wp.array(np.ones(1000, dtype=np.float32), device="cuda:0", requires_grad=True)
total = wp.zeros(1, dtype=float, device="cuda:0", requires_grad=True)
y = wp.zeros((1000, 2), dtype=float, device="cuda:0", requires_grad=True)
tape = wp.Tape()
with tape:
    wp.launch(add, dim=1000, inputs=[x, total, y], device="cuda:0")
tape.backward(grads={total: wp.ones(1, dtype=float, device="cuda:0")})
wp.copy(y[:, 0], y[:, 1])
assert total.numpy()[0] == 1000
assert (x.grad.numpy() == 1).all()
"""


@pytest.mark.parametrize("tool", ["memcheck", "racecheck", "initcheck", "synccheck"])
def test_compute_sanitizer_finds_nothing(tool, tmp_path):
    program = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if not os.path.exists(program):
        pytest.skip("compute-sanitizer is not installed")
    script = tmp_path / "checked.py"
    script.write_text(CHECKED)
    command = [program, "--tool", tool, "--error-exitcode", "7", sys.executable, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
