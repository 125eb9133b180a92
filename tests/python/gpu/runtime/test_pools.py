"""Pools, access between GPUs, allocators, handles for other processes, times: the rest of what CUDA has names for."""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os

import pytest
import warp as wp

from gpu.support.driver import is_double

pytestmark = pytest.mark.skipif(not wp.is_cuda_available(), reason="there is no CUDA device")

GPU = "cuda:0"
MIB = 1 << 20


@wp.kernel
def add(x: wp.array(dtype=float), amount: float):
    i = wp.tid()
    x[i] = x[i] + amount


@pytest.fixture
def second() -> str:
    if wp.get_cuda_device_count() < 2:
        pytest.skip("there is one GPU only")
    return "cuda:1"


def test_pools_are_used():
    device = wp.get_device(GPU)
    assert wp.is_mempool_supported(GPU)
    assert wp.is_mempool_enabled(GPU)
    assert device.is_mempool_supported
    assert device.is_mempool_enabled
    wp.synchronize()
    before = wp.get_mempool_used_mem_current(GPU)
    x = wp.zeros(4 * MIB, dtype=wp.uint8, device=GPU)
    wp.synchronize()
    assert wp.get_mempool_used_mem_current(GPU) >= before + 4 * MIB
    assert wp.get_mempool_used_mem_high(GPU) >= before + 4 * MIB
    del x
    gc.collect()
    wp.synchronize()
    wp.zeros(1, device=GPU)
    wp.synchronize()
    assert wp.get_mempool_used_mem_current(GPU) < before + 4 * MIB


def test_pools_can_be_left():
    wp.synchronize()
    before = wp.get_mempool_used_mem_current(GPU)
    with wp.ScopedMempool(GPU, False):
        assert not wp.is_mempool_enabled(GPU)
        x = wp.full(MIB, 1.0, dtype=float, device=GPU)
        wp.synchronize()
        assert wp.get_mempool_used_mem_current(GPU) == before
    assert wp.is_mempool_enabled(GPU)
    y = wp.zeros_like(x)
    wp.copy(y, x)
    assert y[5:6].list() == [1.0]
    # Each goes back the way it came.
    wp.set_mempool_enabled(GPU, False)
    del y
    wp.set_mempool_enabled(GPU, True)
    del x
    gc.collect()
    wp.synchronize()


def test_release_thresholds():
    before = wp.get_mempool_release_threshold(GPU)
    try:
        wp.set_mempool_release_threshold(GPU, 3 * MIB)
        assert wp.get_mempool_release_threshold(GPU) == 3 * MIB
        wp.set_mempool_release_threshold(GPU, 0.5)
        assert wp.get_mempool_release_threshold(GPU) == wp.get_device(GPU).total_memory // 2
        with pytest.raises(ValueError, match="threshold is -1"):
            wp.set_mempool_release_threshold(GPU, -1)
    finally:
        wp.set_mempool_release_threshold(GPU, before)


def test_the_setting_holds_where_nobody_says_otherwise():
    assert wp.config.enable_mempools_at_init is True
    with pytest.raises(TypeError, match="enable_mempools_at_init"):
        wp.config.enable_mempools_at_init = 3


def test_a_device_reaches_its_own_memory():
    for ask in (
        wp.is_peer_access_supported,
        wp.is_peer_access_enabled,
        wp.is_mempool_access_supported,
        wp.is_mempool_access_enabled,
    ):
        assert ask(GPU, GPU)
        assert not ask(GPU, "cpu")
    assert wp.can_access(GPU, wp.zeros(3, device=GPU))
    assert not wp.can_access("cpu", wp.zeros(3, device=GPU))
    assert wp.get_device(GPU).can_access(GPU)
    assert not wp.get_device(GPU).can_access("cpu")


def test_access_between_devices(second):
    assert wp.is_peer_access_supported(GPU, second) == wp.is_mempool_access_supported(GPU, second)
    if not wp.is_peer_access_supported(GPU, second):
        pytest.skip("the GPUs do not reach each other")
    x = wp.zeros(4, dtype=float, device=GPU)
    with wp.ScopedMempool(GPU, False):
        y = wp.zeros(4, dtype=float, device=GPU)
    wp.synchronize()
    assert not wp.can_access(second, x)
    with wp.ScopedMempoolAccess(GPU, second, True):
        assert wp.is_mempool_access_enabled(GPU, second)
        assert not wp.is_peer_access_enabled(GPU, second)
        assert wp.can_access(second, x)
        assert not wp.can_access(second, y)
        wp.synchronize()
    assert not wp.is_mempool_access_enabled(GPU, second)
    with wp.ScopedPeerAccess(GPU, second, True):
        assert wp.is_peer_access_enabled(GPU, second)
        assert not wp.is_peer_access_enabled(second, GPU)
        assert wp.can_access(second, y)
    assert not wp.is_peer_access_enabled(GPU, second)


def test_access_of_the_cpu_is_refused():
    with pytest.raises(ValueError, match="set_peer_access_enabled: only CUDA devices access each other"):
        wp.set_peer_access_enabled(GPU, "cpu", True)
    with pytest.raises(ValueError, match="set_mempool_access_enabled: only CUDA devices access each other"):
        wp.set_mempool_access_enabled("cpu", GPU, True)
    wp.set_peer_access_enabled(GPU, "cpu", False)


class Counting:
    """Takes memory of Warp's, and counts."""

    def __init__(self) -> None:
        self.own = wp.get_device_allocator(GPU)
        self.given: dict[int, int] = {}
        self.total = 0

    def allocate(self, size_in_bytes: int) -> int:
        with wp.ScopedAllocator(GPU, None):
            address = self.own.allocate(size_in_bytes)
        self.given[address] = size_in_bytes
        self.total += 1
        return address

    def deallocate(self, ptr: int, size_in_bytes: int) -> None:
        assert self.given.pop(ptr) == size_in_bytes
        self.own.deallocate(ptr, size_in_bytes)


def test_allocators():
    counting = Counting()
    with wp.ScopedAllocator(GPU, counting):
        assert wp.get_device_allocator(GPU) is counting
        x = wp.zeros(100, dtype=float, device=GPU)
        wp.launch(add, dim=100, inputs=[x, 2.0], device=GPU)
    assert wp.get_device_allocator(GPU) is not counting
    assert list(counting.given.values()) == [400]
    assert x.ptr in counting.given
    y = wp.zeros(100, dtype=float, device=GPU)
    assert y.ptr not in counting.given
    assert set(x.list()) == {2.0}
    del x
    gc.collect()
    assert counting.given == {}
    assert counting.total == 1


def test_allocators_of_all_devices():
    counting = Counting()
    wp.set_cuda_allocator(counting)
    try:
        x = wp.zeros(3, device=GPU)
        assert x.ptr in counting.given
    finally:
        wp.set_cuda_allocator(None)
    del x
    gc.collect()
    assert counting.given == {}


class Failing:
    def allocate(self, size_in_bytes: int) -> int:
        raise OverflowError("no more today")

    def deallocate(self, ptr: int, size_in_bytes: int) -> None:
        raise AssertionError("nothing was given")


def test_what_an_allocator_raises_is_told():
    with wp.ScopedAllocator(GPU, Failing()), pytest.raises(RuntimeError, match="OverflowError: no more today"):
        wp.zeros(3, device=GPU)
    with pytest.raises(TypeError, match="allocator is int, expected an object with allocate"):
        wp.set_device_allocator(GPU, 3)


def test_managed_memory():
    managed = wp.CudaManagedAllocator()
    if is_double():
        with pytest.raises(RuntimeError, match="cuMemAllocManaged"):
            managed.allocate(64)
        return
    with wp.ScopedAllocator(GPU, managed):
        x = wp.zeros(4, dtype=float, device=GPU)
        wp.launch(add, dim=4, inputs=[x, 1.0], device=GPU)
    assert x.list() == [1.0] * 4


def test_handles_of_memory():
    with pytest.raises(RuntimeError, match=r"memory of a pool has none; make the array with wp.ScopedMempool"):
        wp.zeros(4, device=GPU).ipc_handle()
    with wp.ScopedMempool(GPU, False):
        x = wp.zeros(4, dtype=float, device=GPU)
    handle = x.ipc_handle()
    assert isinstance(handle, bytes)
    assert len(handle) == 64
    with pytest.raises(RuntimeError, match="a part of another array"):
        x[1:].ipc_handle()
    # The driver lets nobody open his own.
    with pytest.raises(RuntimeError, match="cuIpcOpenMemHandle"):
        wp.from_ipc_handle(handle, float, (4,), device=GPU)
    with pytest.raises(ValueError, match="handle has 3 bytes, expected the 64"):
        wp.from_ipc_handle(b"abc", float, (4,), device=GPU)


def test_handles_of_events():
    event = wp.Event(GPU, interprocess=True)
    handle = event.ipc_handle()
    assert len(handle) == 64
    with pytest.raises(RuntimeError, match="cuIpcOpenEventHandle"):
        wp.event_from_ipc_handle(handle, GPU)
    with pytest.raises(RuntimeError, match="cuIpcGetEventHandle"):
        wp.Event(GPU).ipc_handle()


def _add_in_another_process(memory: bytes, event: bytes, done) -> None:
    x = wp.from_ipc_handle(memory, float, (4,), device=GPU)
    wp.wait_event(wp.event_from_ipc_handle(event, GPU))
    wp.launch(add, dim=4, inputs=[x, 1.0], device=GPU)
    wp.synchronize()
    done.put(x.list())


@pytest.mark.gpu
@pytest.mark.skipif(wp.is_cuda_available() and is_double(), reason="ptx-driver shares no memory between processes")
def test_two_processes():
    with wp.ScopedMempool(GPU, False):
        x = wp.full(4, 2.0, dtype=float, device=GPU)
    event = wp.record_event(wp.Event(GPU, interprocess=True))
    context = multiprocessing.get_context("spawn")
    done = context.Queue()
    other = context.Process(target=_add_in_another_process, args=(x.ipc_handle(), event.ipc_handle(), done))
    other.start()
    assert done.get(timeout=120) == [3.0] * 4
    other.join(timeout=60)
    assert x.list() == [3.0] * 4


def test_versions():
    major, minor = wp.get_cuda_driver_version()
    assert major >= 11
    assert 0 <= minor < 100
    device = wp.get_device(GPU)
    archs = wp.get_cuda_supported_archs()
    assert device.get_cuda_compile_arch() in archs
    assert device.get_cuda_compile_arch() <= device.arch
    assert wp.get_device("cpu").get_cuda_compile_arch() is None
    assert wp.is_conditional_graph_supported() == ((major, minor) >= (12, 4))


def test_target_architectures():
    wp.config.ptx_target_arch = 75
    try:
        assert wp.get_device(GPU).get_cuda_compile_arch() == 75

        @wp.kernel
        def early(x: wp.array(dtype=float)):
            x[wp.tid()] = 7.0

        x = wp.zeros(2, dtype=float, device=GPU)
        wp.launch(early, dim=2, inputs=[x], device=GPU)
        assert x.list() == [7.0] * 2
    finally:
        wp.config.ptx_target_arch = None
    with pytest.raises(TypeError, match="ptx_target_arch is None or a compute capability"):
        wp.config.ptx_target_arch = 61


def test_verify_cuda():
    @wp.kernel
    def beyond(x: wp.array(dtype=float)):
        x[wp.tid() + 9] = 1.0

    x = wp.zeros(2, dtype=float, device=GPU)
    wp.config.verify_cuda = True
    try:
        with pytest.raises(IndexError):
            wp.launch(beyond, dim=2, inputs=[x], device=GPU)
    finally:
        wp.config.verify_cuda = False
    wp.synchronize()


def test_times():
    x, y = wp.zeros(100, dtype=float, device=GPU), wp.zeros(100, dtype=float, device=GPU)
    with wp.ScopedCapture(device=GPU) as capture:
        wp.launch(add, dim=100, inputs=[x, 1.0], device=GPU)
    wp.timing_begin(wp.TIMING_ALL)
    wp.launch(add, dim=100, inputs=[x, 1.0], device=GPU)
    wp.copy(y, x)
    y.fill_(2.0)
    wp.capture_launch(capture.graph)
    results = wp.timing_end()
    kinds = [wp.TIMING_KERNEL, wp.TIMING_MEMCPY, wp.TIMING_MEMSET, wp.TIMING_GRAPH]
    assert [r.filter for r in results] == kinds
    assert all(r.elapsed >= 0 and r.device == wp.get_device(GPU) for r in results)
    assert "add" in results[0].name
    wp.launch(add, dim=100, inputs=[x, 1.0], device=GPU)
    assert wp.timing_end() == []


def test_times_are_filtered(capsys):
    x = wp.zeros(100, dtype=float, device=GPU)
    with wp.ScopedTimer("both", cuda_filter=wp.TIMING_MEMSET, synchronize=True) as timer:
        wp.launch(add, dim=100, inputs=[x, 1.0], device=GPU)
        x.fill_(1.0)
    assert [r.filter for r in timer.timing_results] == [wp.TIMING_MEMSET]
    out = capsys.readouterr().out
    assert "memset" in out
    assert "both took" in out
    told = []
    with wp.ScopedTimer("told", cuda_filter=wp.TIMING_KERNEL, synchronize=True, report_func=lambda *a: told.append(a)):
        wp.launch(add, dim=100, inputs=[x, 1.0], device=GPU)
    assert [len(results) for results, _ in told] == [1]


def test_ranges_of_profilers(capsys):
    with wp.ScopedTimer("a range", use_nvtx=True):
        pass
    assert capsys.readouterr().out == ""
    with wp.ScopedCudaProfiler(GPU):
        wp.zeros(3, device=GPU)


def threads_of(launch) -> int:
    """How many threads a launch for one element has: all but one end at once, after the same few instructions."""
    library = ctypes.CDLL(os.environ.get("WARP_CUDA_DRIVER") or "libcuda.so.1")

    def instructions() -> int:
        counts = (ctypes.c_uint64 * 16)()
        assert library.ptx_driver_counts(counts) == 0
        return counts[1]

    wp.synchronize()
    before = instructions()
    launch()
    wp.synchronize()
    return instructions() - before


@pytest.fixture
def of_blocks():
    """What tells the threads of blocks, from how many instructions launches take."""
    if not is_double():
        pytest.skip("only ptx-driver tells how many instructions a launch takes")
    x = wp.zeros(1, dtype=float, device=GPU)

    def with_blocks(threads: int) -> int:
        return threads_of(lambda: wp.launch(add, dim=1, inputs=[x, 1.0], device=GPU, block_dim=threads))

    with_blocks(32)
    taken = {with_blocks(threads): threads for threads in (32, 64, 96, 128, 256)}
    assert len(taken) == 5
    return x, lambda launch: taken.get(threads_of(launch))


def test_the_blocks_of_a_module(of_blocks):
    x, of = of_blocks
    assert of(lambda: wp.launch(add, dim=1, inputs=[x, 1.0], device=GPU)) == 256

    @wp.kernel(module="unique", module_options={"block_dim": 64})
    def own(x: wp.array(dtype=float), amount: float):
        i = wp.tid()
        x[i] = x[i] + amount

    wp.load_module(own.module, device=GPU)
    assert of(lambda: wp.launch(own, dim=1, inputs=[x, 1.0], device=GPU)) == 64
    assert of(lambda: wp.launch(own, dim=1, inputs=[x, 1.0], device=GPU, block_dim=32)) == 32
    with wp.ScopedCapture(device=GPU) as capture:
        wp.launch(own, dim=1, inputs=[x, 1.0], device=GPU, block_dim=96)
    assert of(lambda: wp.capture_launch(capture.graph)) == 96
    with pytest.raises(ValueError, match="option 'block_dim' is an int from 1 to 1024, not 0"):
        wp.set_module_options({"block_dim": 0}, own.module)


def test_recorded_launches_keep_their_blocks(of_blocks):
    x, of = of_blocks
    command = wp.launch(add, dim=2, inputs=[x, 1.0], device=GPU, block_dim=96, record_cmd=True)
    command.set_dim(1)
    assert of(command.launch) == 96
    assert of(wp.Launch(add, GPU, bounds=1, fwd_args=[x, 1.0], block_dim=128).launch) == 128
    with pytest.raises(ValueError, match="block_dim is 2000, expected 1 to 1024"):
        wp.Launch(add, GPU, bounds=1, fwd_args=[x, 1.0], block_dim=2000)


def test_tapes_list_blocks():
    x = wp.zeros(2, dtype=float, device=GPU, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(add, dim=2, inputs=[x, 1.0], device=GPU, block_dim=32, max_blocks=3)
    assert tape.launches[0][2] == 3
    assert tape.launches[0][6] == 32
