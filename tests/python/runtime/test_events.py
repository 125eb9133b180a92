"""Devices, streams and events on a machine without a GPU."""

import time

import pytest
import warp as wp


def test_names_of_devices():
    cpu = wp.get_device("cpu")
    with pytest.raises(RuntimeError, match='no device "cuda"'):
        wp.get_device("cuda")
    for name in ("cuda:0", "foo", 3, -1, 1.5):
        with pytest.raises(ValueError, match="device"):
            wp.get_device(name)
    with pytest.raises(TypeError, match=r"device is \['cpu'\]"):
        wp.get_device(["cpu"])
    assert wp.get_device(cpu) is cpu
    assert not wp.is_device_available("cuda")
    with pytest.raises(RuntimeError, match='no device "cuda"'):
        wp.zeros(3, device="cuda")


def test_attributes_of_the_cpu():
    cpu = wp.get_device("cpu")
    assert (cpu.arch, cpu.sm_count, cpu.max_shared_memory_per_block) == (0, 0, 0)
    for name in ("has_context", "has_stream", "is_capturing", "is_primary", "is_mempool_supported"):
        assert getattr(cpu, name) is False
    for name in ("is_mempool_enabled", "is_ipc_supported"):
        assert getattr(cpu, name) is False
    assert cpu.context is cpu.uuid is cpu.pci_bus_id is None
    assert 0 < cpu.free_memory <= cpu.total_memory
    assert cpu.stream is wp.get_stream("cpu")
    assert cpu.can_access(cpu)
    assert cpu.can_access("cpu")
    with pytest.raises(ValueError, match="device"):
        cpu.can_access(3)


def test_the_current_stream():
    before, stream = wp.get_stream(), wp.Stream()
    wp.set_stream(stream, device="cpu", sync=True)
    assert wp.get_stream() is stream
    wp.set_stream(before)
    assert wp.get_stream() is before
    with pytest.raises(TypeError, match="stream is NoneType"):
        wp.set_stream(None)
    with pytest.raises(ValueError, match="cuda:0"):
        wp.set_stream(stream, device="cuda:0")


def test_streams():
    a, b = wp.Stream(), wp.Stream()
    assert (a.is_blocking, a.is_capturing, a.is_complete) == (True, False, True)
    assert a.cached_event is a.cached_event
    event = a.record_event()
    assert isinstance(event, wp.Event)
    assert event.is_complete
    assert a.record_event(event) is event
    b.wait_event(event)
    b.wait_stream(a)
    b.wait_stream(a, event)
    with wp.ScopedCapture():
        assert a.is_capturing
    for call in (a.record_event, a.wait_event, wp.wait_event, wp.synchronize_event):
        with pytest.raises(TypeError, match=r"event is int, expected a wp\.Event"):
            call(3)
    for call in (a.wait_stream, wp.wait_stream):
        with pytest.raises(TypeError, match="other_stream is int"):
            call(3)


def test_events_tell_the_time():
    start, end = wp.Event(enable_timing=True), wp.Event(enable_timing=True)
    assert wp.record_event(start) is start
    time.sleep(0.02)
    wp.record_event(end)
    wp.wait_event(end)
    wp.wait_stream(wp.Stream())
    wp.synchronize_event(end)
    assert 20.0 <= wp.get_event_elapsed_time(start, end) < 5000.0
    assert wp.get_event_elapsed_time(end, start) < 0.0
    with pytest.raises(RuntimeError, match="start_event was not recorded"):
        wp.get_event_elapsed_time(wp.Event(enable_timing=True), end)
    with pytest.raises(RuntimeError, match="end_event was made without enable_timing=True"):
        wp.get_event_elapsed_time(start, wp.record_event())
    with pytest.raises(TypeError, match="event is int"):
        wp.get_event_elapsed_time(3, end)


def test_what_only_cuda_has():
    with pytest.raises(ValueError, match="no CUDA events"):
        wp.Event(cuda_event=3)
    with pytest.raises(ValueError, match="other processes"):
        wp.Event(interprocess=True)
    with pytest.raises(RuntimeError, match="other processes"):
        wp.Event().ipc_handle()
    with pytest.raises(RuntimeError, match="other processes"):
        wp.event_from_ipc_handle(b"")
    with pytest.raises(ValueError, match="cuda:0"):
        wp.Event("cuda:0")
