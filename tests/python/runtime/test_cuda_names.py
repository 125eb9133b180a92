"""Names of CUDA's: what they answer on a machine whose only device is the CPU."""

from __future__ import annotations

import inspect
import subprocess
import sys
from enum import IntEnum
from pathlib import Path

import pytest
import warp as wp

pytestmark = pytest.mark.skipif(wp.is_cuda_available(), reason="these are the answers without a CUDA device")

NOWHERE = "cuda:65535"


@wp.kernel
def fill(x: wp.array(dtype=float)):
    x[wp.tid()] = 1.0


def test_there_are_no_cuda_devices():
    assert wp.get_cuda_devices() == []
    assert wp.get_cuda_device_count() == 0
    with pytest.raises(RuntimeError, match="get_cuda_device: there is no CUDA device"):
        wp.get_cuda_device()
    for ordinal in (0, 1, -1):
        with pytest.raises(IndexError, match=f"there is no device {ordinal}; the machine has 0 CUDA devices"):
            wp.get_cuda_device(ordinal)
    with pytest.raises(TypeError, match="ordinal is '0', expected an int or None"):
        wp.get_cuda_device("0")


def test_versions():
    assert wp.get_cuda_driver_version() is None
    assert wp.get_cuda_toolkit_version() is None
    assert wp.get_cuda_supported_archs() == []
    assert wp.is_conditional_graph_supported() is False


@pytest.mark.parametrize("ask", [wp.is_mempool_supported, wp.is_mempool_enabled])
@pytest.mark.parametrize("device", ["cpu", None, wp.get_device("cpu")], ids=repr)
def test_no_device_has_a_memory_pool(ask, device):
    assert ask(device) is False
    with pytest.raises(ValueError, match=NOWHERE):
        ask(NOWHERE)


@pytest.mark.parametrize(
    "ask",
    [
        wp.is_mempool_access_supported,
        wp.is_mempool_access_enabled,
        wp.is_peer_access_supported,
        wp.is_peer_access_enabled,
    ],
)
def test_no_device_accesses_another(ask):
    assert ask("cpu", "cpu") is False
    for pair in (("cpu", NOWHERE), (NOWHERE, "cpu")):
        with pytest.raises(ValueError, match=NOWHERE):
            ask(*pair)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("set_mempool_enabled", lambda device: wp.set_mempool_enabled(device, True)),
        ("set_mempool_release_threshold", lambda device: wp.set_mempool_release_threshold(device, 1 << 20)),
        ("get_mempool_release_threshold", wp.get_mempool_release_threshold),
        ("get_mempool_used_mem_current", wp.get_mempool_used_mem_current),
        ("get_mempool_used_mem_high", wp.get_mempool_used_mem_high),
        ("set_mempool_enabled", lambda device: wp.ScopedMempool(device, True).__enter__()),
    ],
)
def test_memory_pools_are_refused(name, call):
    with pytest.raises(ValueError, match=f"{name}: device 'cpu' has no memory pool; only CUDA devices have"):
        call("cpu")
    with pytest.raises(ValueError, match=NOWHERE):
        call(NOWHERE)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("set_mempool_access_enabled", lambda a, b: wp.set_mempool_access_enabled(a, b, True)),
        ("set_peer_access_enabled", lambda a, b: wp.set_peer_access_enabled(a, b, True)),
        ("set_mempool_access_enabled", lambda a, b: wp.ScopedMempoolAccess(a, b, True).__enter__()),
        ("set_peer_access_enabled", lambda a, b: wp.ScopedPeerAccess(a, b, True).__enter__()),
    ],
)
def test_access_between_devices_is_refused(name, call):
    with pytest.raises(ValueError, match=f"{name}: only CUDA devices access each other, not 'cpu' and 'cpu'"):
        call("cpu", "cpu")
    with pytest.raises(ValueError, match=NOWHERE):
        call("cpu", NOWHERE)


def test_switching_off_what_is_off_is_allowed():
    wp.set_mempool_enabled("cpu", False)
    wp.set_mempool_access_enabled("cpu", "cpu", False)
    wp.set_peer_access_enabled("cpu", "cpu", False)
    with (
        wp.ScopedMempool("cpu", False),
        wp.ScopedMempoolAccess("cpu", "cpu", False),
        wp.ScopedPeerAccess("cpu", "cpu", False),
    ):
        pass


def test_can_access():
    x = wp.zeros(3, dtype=float)
    assert wp.can_access("cpu", x) is True
    assert wp.can_access(None, x) is True
    with pytest.raises(TypeError, match="can_access: expected an array, found int"):
        wp.can_access("cpu", 3)
    with pytest.raises(ValueError, match=NOWHERE):
        wp.can_access(NOWHERE, x)


def test_contexts_have_no_names():
    with pytest.raises(RuntimeError, match="map_cuda_device: there is no CUDA context to name 'mine'"):
        wp.map_cuda_device("mine")
    with pytest.raises(RuntimeError, match="unmap_cuda_device: there is no CUDA device 'mine'"):
        wp.unmap_cuda_device("mine")


def test_kernels():
    assert wp.get_suggested_block_size(fill) == (1, 1)
    assert wp.get_cuda_max_cluster_dim(fill, "cpu", block_dim=64) == 1
    with pytest.raises(RuntimeError, match="get_cuda_kernel_properties: device 'cpu' is no CUDA device"):
        wp.get_cuda_kernel_properties(fill)
    for ask in (wp.get_suggested_block_size, wp.get_cuda_max_cluster_dim, wp.get_cuda_kernel_properties):
        with pytest.raises(TypeError, match="expected a kernel, found str"):
            ask("cpu")
        with pytest.raises(ValueError, match=NOWHERE):
            ask(fill, NOWHERE)


class Arena:
    def allocate(self, size_in_bytes):
        raise AssertionError("nobody asks this")

    def deallocate(self, ptr, size_in_bytes):
        raise AssertionError("nobody asks this")


def test_the_allocator_of_the_cpu():
    allocator = wp.get_device_allocator("cpu")
    assert isinstance(allocator, wp.Allocator)
    address = allocator.allocate(64)
    assert address != 0
    allocator.deallocate(address, 64)
    with pytest.raises(ValueError, match="gave nothing at"):
        allocator.deallocate(address, 64)
    with pytest.raises(ValueError, match=NOWHERE):
        wp.get_device_allocator(NOWHERE)


@pytest.mark.parametrize("allocator", [None, Arena()], ids=["own", "another"])
def test_only_cuda_devices_take_another_allocator(allocator):
    with pytest.raises(RuntimeError, match="set_device_allocator: device 'cpu' has Warp's own allocator"):
        wp.set_device_allocator("cpu", allocator)
    with pytest.raises(RuntimeError, match="set_cuda_allocator: there is no CUDA device"):
        wp.set_cuda_allocator(allocator)
    with pytest.raises(RuntimeError, match="ScopedAllocator: device 'cpu' has Warp's own allocator"):
        wp.ScopedAllocator("cpu", allocator).__enter__()


def test_managed_memory():
    managed = wp.CudaManagedAllocator()
    assert isinstance(managed, wp.Allocator)
    with pytest.raises(RuntimeError, match="there is no CUDA device"):
        managed.allocate(64)


def test_the_profiler_does_nothing():
    wp.cuda_profiler_start()
    wp.cuda_profiler_stop("cpu")
    with wp.ScopedCudaProfiler() as scope:
        assert scope.device == wp.get_device("cpu")
    with pytest.raises(ValueError, match=NOWHERE):
        wp.cuda_profiler_start(NOWHERE)


def test_modes():
    assert [(mode.name, mode.value) for mode in wp.CaptureMode] == [("GLOBAL", 0), ("THREAD_LOCAL", 1), ("RELAXED", 2)]
    assert [mode.name for mode in wp.DeterministicMode] == ["NOT_GUARANTEED", "RUN_TO_RUN", "GPU_TO_GPU"]
    assert isinstance(wp.CaptureMode.GLOBAL, IntEnum)
    assert wp.DeterministicMode(2) is wp.DeterministicMode.GPU_TO_GPU


def test_determinism_may_be_asked_for_by_mode():
    try:
        for mode in wp.DeterministicMode:
            wp.config.deterministic = mode
            assert wp.config.deterministic == mode
        with pytest.raises(TypeError, match=r"wp.config.deterministic is a bool or a wp.DeterministicMode, not 3"):
            wp.config.deterministic = 3
    finally:
        wp.config.deterministic = False


def run(program: str) -> str:
    environment = {"PYTHONPATH": str(Path(wp.__file__).parent.parent)}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_names_are_imported_when_they_are_used():
    program = """
import sys
import warp as wp
from warp import Allocator, CaptureMode, get_cuda_devices
later = ("warp._cuda.devices", "warp._cuda.allocator", "warp._host.logging", "warp._devices.timing",
         "warp.optim", "warp.autograd")
print([name for name in later if name in sys.modules])
print(get_cuda_devices(), type(wp.get_cuda_devices).__name__)
print(CaptureMode.RELAXED.value, CaptureMode(1).name, CaptureMode["GLOBAL"].value, len(list(CaptureMode)))

class Own(Allocator):
    def allocate(self, size_in_bytes): return 0
    def deallocate(self, ptr, size_in_bytes): pass

print(isinstance(Own(), Allocator), isinstance(Own(), wp.Allocator), isinstance(3, Allocator))
print(issubclass(Own, Allocator))
print(wp.optim.Adam.__name__, wp.autograd.gradcheck.__name__, wp.Logger | None, None | wp.ScopedLogger)
"""
    assert run(program).splitlines() == [
        "[]",
        "[] function",
        "2 THREAD_LOCAL 0 3",
        "True True False",
        "True",
        "Adam gradcheck warp._host.logging.Logger | None None | warp._host.logging.ScopedLogger",
    ]


def test_names_that_wait_are_described_as_what_they_stand_for():
    program = """
import inspect
import warp as wp
from warp import can_access, get_cuda_device
print(inspect.signature(can_access))
print(get_cuda_device.__doc__.splitlines()[0])
print(repr(get_cuda_device).split(" at ")[0])
"""
    assert run(program).splitlines() == [
        "(device: 'DeviceLike', resource: 'Any') -> 'bool'",
        "A CUDA device.",
        "<function get_cuda_device",
    ]


def test_every_name_has_a_text():
    for name in wp.__all__:
        value = getattr(wp, name)
        assert inspect.getdoc(value) or not callable(value), name
