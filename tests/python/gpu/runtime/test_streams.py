"""Streams and events: what runs before what."""

from __future__ import annotations

import ctypes
import gc
import os
import threading

import numpy as np
import pytest
import warp as wp

from gpu.support import driver as drivers
from gpu.support.kernels import add, beyond, double, number

GPU = "cuda:0"
LAZY = drivers.is_double() and os.environ.get("PTX_DRIVER_ORDER", "lazy") == "lazy"
lazily = pytest.mark.skipif(not LAZY, reason="where work runs when somebody waits for it")


def array(n: int = 4) -> wp.array:
    return wp.zeros(n, dtype=float, device=GPU)


def test_a_stream_waits_for_a_stream():
    x, first, second = array(), wp.Stream(GPU), wp.Stream(GPU)
    first.wait_stream(wp.get_stream(GPU))
    wp.launch(number, dim=4, inputs=[x], stream=first)
    second.wait_stream(first)
    wp.launch(double, dim=4, inputs=[x], stream=second)
    with wp.ScopedStream(second, sync_enter=False):
        assert x.list() == [0.0, 2.0, 4.0, 6.0]


def test_a_stream_waits_for_an_event_and_not_for_what_came_later():
    x, y, first, second = array(), array(), wp.Stream(GPU), wp.Stream(GPU)
    first.wait_stream(wp.get_stream(GPU))
    wp.launch(number, dim=4, inputs=[x], stream=first)
    event = first.record_event()
    wp.launch(number, dim=4, inputs=[y], stream=first)
    second.wait_event(event)
    wp.launch(double, dim=4, inputs=[x], stream=second)
    wp.synchronize_stream(second)
    assert event.is_complete
    if LAZY:
        assert not first.is_complete
    wp.synchronize_stream(first)
    assert first.is_complete
    assert x.list() == [0.0, 2.0, 4.0, 6.0]


def test_scoped_streams_wait_at_both_ends():
    x = array()
    wp.launch(number, dim=4, inputs=[x], device=GPU)
    before = wp.get_stream(GPU)
    with wp.ScopedStream(wp.Stream(GPU), sync_exit=True) as stream:
        assert wp.get_stream(GPU) is stream
        wp.launch(double, dim=4, inputs=[x], device=GPU)
    assert wp.get_stream(GPU) is before
    wp.launch(double, dim=4, inputs=[x], device=GPU)
    assert x.list() == [0.0, 4.0, 8.0, 12.0]


def test_set_stream_and_the_functions_of_the_current_stream():
    before, stream, x = wp.get_stream(GPU), wp.Stream(GPU), array()
    wp.launch(number, dim=4, inputs=[x], device=GPU)
    try:
        wp.set_stream(stream, sync=True)
        wp.launch(double, dim=4, inputs=[x], device=GPU)
        event = wp.record_event()
        wp.set_stream(before)
        wp.wait_event(event)
        wp.launch(double, dim=4, inputs=[x], device=GPU)
        wp.set_stream(stream)
        wp.wait_stream(before)
        wp.launch(double, dim=4, inputs=[x], device=GPU)
        assert x.list() == [0.0, 8.0, 16.0, 24.0]
    finally:
        wp.set_stream(before)


@lazily
def test_launches_return_before_their_work_is_done():
    x, stream = array(), wp.Stream(GPU)
    wp.synchronize()
    event = wp.Event(GPU)
    assert stream.is_complete
    wp.launch(number, dim=4, inputs=[x], stream=stream)
    stream.record_event(event)
    assert not stream.is_complete
    assert not event.is_complete
    wp.synchronize_event(event)
    assert event.is_complete
    assert stream.is_complete


@pytest.mark.parametrize(
    "wait",
    [
        wp.synchronize,
        lambda: wp.synchronize_device(GPU),
        lambda: wp.synchronize_stream(wp.get_stream(GPU)),
        lambda: wp.synchronize_stream(GPU),
        lambda: wp.synchronize_event(wp.get_stream(GPU).record_event()),
    ],
)
def test_every_way_to_wait_waits(wait):
    x = array()
    wp.launch(number, dim=4, inputs=[x], device=GPU)
    wait()
    assert wp.get_stream(GPU).is_complete


def test_an_event_that_is_done_tells_of_a_fault():
    x = array()
    wp.launch(beyond, dim=1, inputs=[x, 9], device=GPU)
    event = wp.get_stream(GPU).record_event()
    with pytest.raises(IndexError, match="index 9"):
        wp.synchronize_event(event)
    wp.synchronize()


def test_times_between_events():
    start, end = (wp.Event(GPU, enable_timing=True) for _ in range(2))
    wp.record_event(start)
    wp.launch(number, dim=4, inputs=[array()], device=GPU)
    wp.record_event(end)
    assert wp.get_event_elapsed_time(start, end) >= 0.0
    with pytest.raises(RuntimeError, match="without enable_timing=True"):
        wp.get_event_elapsed_time(start, wp.Event(GPU))
    with pytest.raises(RuntimeError, match="was not recorded"):
        wp.get_event_elapsed_time(start, wp.Event(GPU, enable_timing=True))


def test_timers_wait():
    with wp.ScopedTimer("there", print=False, synchronize=True) as timer:
        wp.launch(number, dim=4, inputs=[array()], device=GPU)
    assert timer.elapsed >= 0.0
    assert wp.get_stream(GPU).is_complete


def test_copies_run_on_the_stream_that_is_named():
    x, y, stream = array(), array(), wp.Stream(GPU)
    stream.wait_stream(wp.get_stream(GPU))
    wp.launch(number, dim=4, inputs=[x], stream=stream)
    wp.copy(y, x, stream=stream)
    wp.copy(y[::2], x[1::2], stream=stream)
    if LAZY:
        assert not stream.is_complete
    host = wp.zeros(4, dtype=float, device="cpu")
    wp.copy(host, y, stream=stream)
    assert host.list() == [1.0, 1.0, 3.0, 3.0]
    assert wp.get_stream(GPU) is not stream


def test_priorities():
    assert wp.Stream(GPU, priority=-1).priority < wp.Stream(GPU).priority == 0
    assert wp.Stream(GPU, priority=-100).priority == -1
    assert wp.Stream(GPU).is_blocking


def test_streams_of_others():
    driver = drivers.get()
    driver.enter()
    handle = driver.stream(drivers.NON_BLOCKING)
    stream, x = wp.Stream(GPU, cuda_stream=handle), array()
    assert stream.cuda_stream == handle
    assert not stream.is_blocking
    wp.synchronize()
    wp.launch(number, dim=4, inputs=[x], stream=stream)
    driver.fill(x.ptr + 4, 0x40000000, 1, handle)
    wp.launch(double, dim=4, inputs=[x], stream=stream)
    with wp.ScopedStream(stream):
        assert x.list() == [0.0, 4.0, 4.0, 6.0]
    del stream
    driver.end_stream(handle)
    del x
    wp.zeros(10, dtype=float, device=GPU)


def test_the_default_stream_of_cuda():
    driver = drivers.get()
    x = array()
    wp.launch(number, dim=4, inputs=[x], device=GPU)
    # Our streams are ordered with it.
    read = np.frombuffer(driver.read(x.ptr, 16), dtype=np.float32)
    assert read.tolist() == [0.0, 1.0, 2.0, 3.0]
    null = wp.get_device(GPU).null_stream
    wp.launch(double, dim=4, inputs=[x], stream=null)
    assert x.list() == [0.0, 2.0, 4.0, 6.0]


def test_each_thread_has_current_streams_of_its_own():
    found = {}
    own = wp.Stream(GPU)

    def work():
        found["before"] = wp.get_stream(GPU).cuda_stream
        wp.set_stream(wp.Stream(GPU))
        x = wp.ones(50, dtype=float, device=GPU)
        for _ in range(5):
            wp.launch(double, dim=50, inputs=[x], device=GPU)
        found["values"] = x.list()
        found["stream"] = wp.get_stream(GPU).cuda_stream

    with wp.ScopedStream(own):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert wp.get_stream(GPU) is own
    assert found["values"] == [32.0] * 50
    assert found["stream"] != own.cuda_stream
    assert found["before"] == wp.get_stream(GPU).cuda_stream


def test_threads_work_at_once():
    results = []

    def work(n: int):
        with wp.ScopedStream(wp.Stream(GPU)):
            x, y = wp.full(64, float(n), dtype=float, device=GPU), wp.zeros(64, dtype=float, device=GPU)
            for _ in range(20):
                wp.launch(add, dim=64, inputs=[x, y], device=GPU)
            results.append((n, y.numpy()))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(results) == 6
    for n, values in results:
        assert values.tolist() == [20.0 * n] * 64


def test_an_array_may_go_before_its_work_is_done():
    first, out = wp.Stream(GPU), array(64)
    wp.synchronize()
    for n in range(10):
        x = wp.full(64, float(n), dtype=float, device=GPU)
        first.wait_stream(wp.get_stream(GPU))
        wp.launch(add, dim=64, inputs=[x, out], stream=first)
        del x
        # Might get the same memory.
        wp.full(64, -1.0, dtype=float, device=GPU)
    wp.synchronize_stream(first)
    assert out.list() == [45.0] * 64


def test_a_stream_may_go_before_its_work_is_done():
    x = array()
    wp.synchronize()
    stream = wp.Stream(GPU)
    wp.launch(number, dim=4, inputs=[x], stream=stream)
    wp.get_stream(GPU).wait_stream(stream)
    del stream
    assert x.list() == [0.0, 1.0, 2.0, 3.0]


def test_streams_and_events_end_with_their_objects(double):
    gc.collect()
    before = double.counts()
    for _ in range(10):
        x, stream = array(), wp.Stream(GPU)
        stream.wait_stream(wp.get_stream(GPU))
        stream.record_event()
        wp.launch(number, dim=4, inputs=[x], stream=stream)
    del stream
    wp.synchronize()
    array()
    wp.synchronize()
    gc.collect()
    wp.Stream(GPU)
    after = double.counts()
    assert after.streams <= before.streams + 1
    assert after.events <= before.events


def test_a_stream_of_another_device_is_refused(second):
    x = array()
    with pytest.raises(ValueError, match='the stream is one of the device "cuda:1", device is "cuda:0"'):
        wp.launch(number, dim=4, inputs=[x], device=GPU, stream=wp.Stream(second))
    with pytest.raises(ValueError, match='on the device "cuda:0", the launch runs on "cuda:1"'):
        wp.launch(number, dim=4, inputs=[x], stream=wp.Stream(second))
    with pytest.raises(ValueError, match="event is one of the device"):
        wp.Stream(GPU).record_event(wp.Event(second))
    with pytest.raises(ValueError, match="'cuda:1'"):
        wp.set_stream(wp.Stream(second), GPU)
    assert x.list() == [0.0] * 4


def test_streams_of_two_devices_wait_for_each_other(second):
    x, there, here = array(), wp.Stream(second), wp.Stream(GPU)
    y = wp.zeros(4, dtype=float, device=second)
    wp.synchronize()
    wp.launch(number, dim=4, inputs=[y], stream=there)
    here.wait_stream(there)
    with wp.ScopedStream(here, sync_enter=False):
        wp.copy(x, y)
        wp.launch(double, dim=4, inputs=[x], device=GPU)
        assert x.list() == [0.0, 2.0, 4.0, 6.0]


def test_handles_are_numbers():
    stream, event = wp.Stream(GPU), wp.Event(GPU)
    assert stream.cuda_stream > 2
    assert event.cuda_event
    assert ctypes.c_void_p(stream.cuda_stream).value == stream.cuda_stream
    assert wp.Stream("cpu").cuda_stream is None
