"""While another library captures, in whatever mode, nothing of ours ends that capture."""

from __future__ import annotations

import ctypes
import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import warp as wp

from gpu.support import driver
from gpu.support.kernels import double as doubling

GPU = "cuda:0"
MODES = {"global": 0, "thread local": 1, "relaxed": 2}


@contextmanager
def captured(mode: int) -> Iterator[int]:
    """A stream that `warp` does not know is captured, as by `torch.cuda.graph`."""
    cuda = driver.get()
    cuda.enter()
    stream, graph = cuda.stream(), ctypes.c_void_p()
    cuda("cuStreamBeginCapture_v2", ctypes.c_void_p(stream), mode)
    try:
        yield stream
    finally:
        code = cuda.ask("cuStreamEndCapture", ctypes.c_void_p(stream), ctypes.byref(graph))
        cuda("cuGraphDestroy", graph)
        cuda.end_stream(stream)
    assert code == 0, f"the capture was ended: {code}"


def pinned_memory_goes(x: wp.array) -> None:
    pinned = wp.zeros(1000, dtype=float, device="cpu", pinned=True)
    wp.copy(pinned, x)


def memory_of_no_pool_goes(x: wp.array) -> None:
    with wp.ScopedMempool(GPU, False):
        direct = wp.zeros(1000, dtype=float, device=GPU)
    wp.copy(direct, x)


def memory_of_the_pool_goes(x: wp.array) -> None:
    wp.copy(wp.zeros(1000, dtype=float, device=GPU), x)


def a_kernel_goes(x: wp.array) -> None:
    @wp.kernel(module="unique")
    def tripled(x: wp.array(dtype=float)):
        x[wp.tid()] = x[wp.tid()] * 3.0

    wp.launch(tripled, 1000, [x], device=GPU)


def a_kernel_that_records_goes(x: wp.array) -> None:
    @wp.kernel(module="unique")
    def grows(x: wp.array(dtype=float), n: int):
        s = x[wp.tid()]
        for _ in range(n):
            s = s * s
        x[wp.tid()] = s

    y = wp.zeros(1000, dtype=float, device=GPU, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(grows, 1000, [y, 3], device=GPU)
    tape.backward(grads={y: wp.ones_like(y)})


def managed_memory_goes(x: wp.array) -> None:
    del x
    if wp.get_device(GPU).is_mempool_supported:
        wp.full(10, 2.0, dtype=float, device=GPU)


def events_and_streams_are_asked(x: wp.array) -> None:
    stream = wp.Stream(GPU)
    event = stream.record_event()
    _ = event.is_complete, stream.is_complete
    del stream, event, x


ACTS = [
    pinned_memory_goes,
    memory_of_no_pool_goes,
    memory_of_the_pool_goes,
    a_kernel_goes,
    a_kernel_that_records_goes,
    managed_memory_goes,
    events_and_streams_are_asked,
]


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.__name__)
def test_on_the_same_thread(act: Callable[[wp.array], None], mode: int):
    x = wp.full(1000, 0.5, dtype=float, device=GPU)
    with captured(mode):
        act(x)
        gc.collect()
        act(x)
        gc.collect()


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.__name__)
def test_on_another_thread(act: Callable[[wp.array], None]):
    x, failed = wp.full(1000, 0.5, dtype=float, device=GPU), []

    def work() -> None:
        try:
            act(x)
            gc.collect()
        except (RuntimeError, ValueError, TypeError, AttributeError) as e:
            failed.append(e)

    with captured(MODES["global"]):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert not failed


@pytest.mark.parametrize(
    ("make", "counted"),
    [
        (lambda: wp.zeros(1 << 16, dtype=float, device="cpu", pinned=True), "pinned_bytes"),
        (lambda: wp.zeros(1 << 16, dtype=float, device=GPU), "bytes"),
    ],
    ids=["pinned memory", "memory of no pool"],
)
def test_what_went_meanwhile_is_freed_later(double, make, counted):
    with wp.ScopedMempool(GPU, False):
        before = getattr(double.counts(), counted)
        kept = make()
        wp.synchronize()
        assert getattr(double.counts(), counted) > before
        with captured(MODES["global"]):
            wp.launch(doubling, 10, [wp.zeros(10, dtype=float, device=GPU)], device=GPU)
            del kept
        wp.synchronize()
        gc.collect()
        wp.synchronize()
        assert getattr(double.counts(), counted) <= before


def test_memory_of_no_pool_that_a_kernel_still_writes():
    """It is given back when the kernel is done: nobody waits for that."""
    with wp.ScopedMempool(GPU, False):
        for n in range(20):
            x = wp.full(1000, float(n), dtype=float, device=GPU)
            wp.launch(doubling, 1000, [x], device=GPU)
            y = wp.clone(x)
            del x
            assert y.numpy()[999] == 2.0 * n
