"""What may happen while another library captures a graph: by the driver's own calls, and by torch where it is there.

Other libraries capture in the global mode, in which the driver forbids many calls on every thread: one such call of
ours, and their capture is lost. `CASES` names functions that raise where that happens.
"""

from __future__ import annotations

import ctypes
import gc
import threading
import unittest
from collections.abc import Callable

import warp as wp

from gpu.support import driver as drivers
from gpu.support.kernels import double

GPU = "cuda:0"
Case = Callable[[], str | None]
CASES: dict[str, Case] = {}


def case(function: Case) -> Case:
    CASES[function.__name__] = function
    return function


def captured_by_others(what: Callable[[], object]) -> None:
    """Does something while a stream that this package does not know is captured in the global mode."""
    driver = drivers.get()
    wp.synchronize()
    driver.enter()
    stream, graph = ctypes.c_void_p(driver.stream()), ctypes.c_void_p()
    driver("cuStreamBeginCapture_v2", stream, 0)
    try:
        what()
        gc.collect()
    finally:
        code = driver.ask("cuStreamEndCapture", stream, ctypes.byref(graph))
        driver.end_stream(stream.value)
    assert code == 0, f"the capture of the other library ended with {code}"
    driver("cuGraphDestroy", graph)


def on_another_thread(what: Callable[[], object]) -> None:
    failed: list[BaseException] = []

    def run() -> None:
        try:
            what()
        except BaseException as error:  # noqa: BLE001  raised below
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]


def _pinned() -> Callable[[], object]:
    kept = [wp.zeros(1000, dtype=float, device="cpu", pinned=True)]
    x = wp.zeros(1000, dtype=float, device=GPU)
    wp.copy(x, kept[0])
    return kept.clear


def _outside_of_pools() -> Callable[[], object]:
    with wp.ScopedMempool(GPU, False):
        kept = [wp.zeros(1000, dtype=float, device=GPU)]
    return kept.clear


def _of_a_pool() -> Callable[[], object]:
    kept = [wp.zeros(1000, dtype=float, device=GPU)]
    return kept.clear


def _kernel() -> Callable[[], object]:
    x = wp.zeros(1000, dtype=float, device=GPU)

    @wp.kernel(module="unique")
    def local(x: wp.array(dtype=float)):
        x[wp.tid()] = x[wp.tid()] * 3.0

    wp.launch(local, dim=1000, inputs=[x], device=GPU)
    kept = [local]
    return kept.clear


def _grid() -> Callable[[], object]:
    kept = [_built()]
    return kept.clear


def _built() -> wp.HashGrid:
    grid = wp.HashGrid(4, 4, 4, device=GPU)
    grid.build(wp.zeros(10, dtype=wp.vec3, device=GPU), 1.0)
    return grid


for name, make in (
    ("pinned_memory_is_dropped", _pinned),
    ("memory_outside_of_pools_is_freed", _outside_of_pools),
    ("memory_of_a_pool_is_freed", _of_a_pool),
    ("a_kernel_is_collected", _kernel),
    ("an_object_is_dropped", _grid),
    ("an_object_is_built", lambda: _built),
):
    CASES[name] = lambda make=make: captured_by_others(make())
    CASES[f"{name}_on_another_thread"] = lambda make=make: _both(make())


def _both(what: Callable[[], object]) -> None:
    captured_by_others(lambda: on_another_thread(what))


@case
def a_launch_on_our_stream():
    x = wp.ones(8, dtype=float, device=GPU)
    wp.launch(double, dim=8, inputs=[x], device=GPU)
    captured_by_others(lambda: wp.launch(double, dim=8, inputs=[x], device=GPU))
    assert x.list() == [4.0] * 8


def _torch():
    try:
        import torch
    except ImportError:
        raise unittest.SkipTest("torch is not installed") from None
    if not torch.cuda.is_available():
        raise unittest.SkipTest("torch sees no GPU")
    return torch


@case
def torch_captures_a_launch():
    torch = _torch()
    x = torch.ones(1000, device="cuda")
    wp.launch(double, dim=1000, inputs=[x], stream=wp.stream_from_torch(torch.cuda.current_stream()))
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        wp.launch(double, dim=1000, inputs=[x], stream=wp.stream_from_torch(torch.cuda.current_stream()))
        y = x + 1
    for value in (3.0, 5.0):
        x.fill_(value)
        graph.replay()
        torch.cuda.synchronize()
        assert (y == 2.0 * value + 1.0).all(), y[:3]


def _torch_while(make: Callable[[], Callable[[], object]], mode: str, thread: bool = False) -> None:
    torch = _torch()
    x = torch.ones(1000, device="cuda")
    what = make()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode=mode):
        y = x * 2
        on_another_thread(what) if thread else what()
        gc.collect()
        y += 1
    x.fill_(4.0)
    graph.replay()
    torch.cuda.synchronize()
    assert (y == 9.0).all(), y[:3]


@case
def torch_captures_while_pinned_memory_is_dropped():
    _torch_while(_pinned, "global")


@case
def torch_captures_while_memory_outside_of_pools_is_freed():
    _torch_while(_outside_of_pools, "global")


@case
def torch_captures_while_a_kernel_is_collected():
    _torch_while(_kernel, "global")


@case
def torch_captures_while_another_thread_frees():
    _torch_while(_outside_of_pools, "global", thread=True)


@case
def torch_captures_in_the_mode_of_the_thread():
    _torch_while(_pinned, "thread_local")
