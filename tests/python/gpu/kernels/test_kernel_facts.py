"""What CUDA knows of kernels, and names that users give devices."""

from __future__ import annotations

import ctypes
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import warp as wp

GPU = "cuda:0"


@wp.kernel
def scale(x: wp.array(dtype=float), by: float):
    i = wp.tid()
    x[i] = x[i] * by


@wp.kernel
def spread(x: wp.array(dtype=float), n: int):
    i = wp.tid()
    kept = wp.zeros(40, dtype=float)
    for k in range(n):
        kept[(k * i) % 40] += x[k]
    x[i] = kept[i % 40]


@wp.kernel
def any_scale(x: wp.array(dtype=Any)):
    i = wp.tid()
    x[i] = x[i] + x[i]


def test_blocks_that_fill_a_gpu():
    threads, blocks = wp.get_suggested_block_size(scale, GPU)
    assert threads % 32 == 0
    assert 32 <= threads <= 1024
    assert blocks > 0
    assert blocks % wp.get_device(GPU).sm_count == 0
    x = wp.ones(1000, dtype=float, device=GPU)
    wp.launch(scale, dim=1000, inputs=[x, 3.0], device=GPU, block_dim=threads, max_blocks=blocks)
    assert (x.numpy() == 3.0).all()


def test_what_a_thread_takes():
    plain, local = (wp.get_cuda_kernel_properties(kernel, GPU) for kernel in (scale, spread))
    assert set(plain) == set(local) == {"register_count", "local_memory_size"}
    assert 0 < plain["register_count"] <= 255
    assert plain["local_memory_size"] == 0
    assert local["local_memory_size"] >= 40 * 4
    assert wp.get_cuda_kernel_properties(scale, GPU, block_dim=64) == plain
    made = wp.overload(any_scale, [wp.array(dtype=float)])
    assert wp.get_cuda_kernel_properties(made, GPU)["register_count"] > 0


def test_kernels_are_loaded_once(double):
    wp.get_cuda_kernel_properties(scale, GPU)
    before = double.counts().modules
    wp.get_suggested_block_size(scale, GPU)
    wp.launch(scale, dim=1, inputs=[wp.ones(1, dtype=float, device=GPU), 1.0], device=GPU)
    assert double.counts().modules == before


def test_there_are_no_clusters_here(double):
    # The driver for tests has none, whatever the compute capability.
    assert wp.get_cuda_max_cluster_dim(scale, GPU) == 1
    assert wp.get_cuda_max_cluster_dim(scale, GPU, block_dim=64, dynamic_smem_bytes=1024) == 1


@pytest.mark.parametrize(
    "ask", [wp.get_suggested_block_size, wp.get_cuda_kernel_properties, wp.get_cuda_max_cluster_dim]
)
def test_generic_kernels_have_no_facts(ask):
    with pytest.raises(RuntimeError, match=r"kernel 'any_scale' is generic; pass what wp\.overload gives"):
        ask(any_scale, GPU)


@pytest.mark.parametrize("threads", [0, -1, 1025, 2.0, True])
def test_numbers_of_threads_are_looked_at(threads):
    for ask in (wp.get_cuda_kernel_properties, wp.get_cuda_max_cluster_dim):
        with pytest.raises(ValueError, match="expected 1 to 1024 threads"):
            ask(scale, GPU, block_dim=threads)


@pytest.fixture
def names() -> Iterator[list[str]]:
    """Names that are taken away again."""
    given: list[str] = []
    yield given
    for name in given:
        try:
            wp.unmap_cuda_device(name)
        except RuntimeError:
            pass


def test_a_name_stands_for_its_device(names):
    names.append("left")
    device = wp.get_device(GPU)
    wp.zeros(1, device=GPU)
    assert wp.map_cuda_device("left", device.context) is device
    assert wp.get_device("left") is device
    assert device.alias == "left"
    x = wp.ones(3, dtype=float, device="left")
    wp.launch(scale, dim=3, inputs=[x, 2.0], device="left")
    assert x.device == "left"
    assert x.device == GPU
    np.testing.assert_array_equal(x.numpy(), [2.0] * 3)
    # Another process knows no such name.
    assert b"left" not in pickle.dumps(device)
    wp.unmap_cuda_device("left")
    assert device.alias == GPU
    with pytest.raises(ValueError, match='there is no device "left"'):
        wp.get_device("left")


def test_a_later_name_takes_the_place_of_the_one_before(names):
    names += ["early", "late"]
    handle = ctypes.c_void_p(wp.get_device(GPU).context)
    wp.map_cuda_device("early", handle)
    wp.map_cuda_device("late", handle)
    assert wp.get_device(GPU).alias == "late"
    with pytest.raises(RuntimeError, match="there is no CUDA device 'early'"):
        wp.unmap_cuda_device("early")


def test_without_a_context_the_current_device_is_named(names, double):
    names.append("mine")
    with wp.ScopedDevice(GPU):
        assert wp.map_cuda_device("mine") is wp.get_device(GPU)


def test_names_of_two_devices(names, second):
    names.append("mine")
    wp.zeros(1, device=second)
    wp.map_cuda_device("mine", wp.get_device(second).context)
    assert wp.get_device("mine") == second
    wp.zeros(1, device=GPU)
    with pytest.raises(RuntimeError, match='the device "cuda:1" is named "mine" already'):
        wp.map_cuda_device("mine", wp.get_device(GPU).context)


def test_what_is_no_name_and_no_context():
    wp.zeros(1, device=GPU)
    for spelled in ("cpu", "cuda", "cuda:5", ""):
        with pytest.raises(ValueError, match="expected a text that no device is spelled with"):
            wp.map_cuda_device(spelled, wp.get_device(GPU).context)
    with pytest.raises(RuntimeError, match="0x7 is the primary context of no GPU"):
        wp.map_cuda_device("mine", 7)
    with pytest.raises(RuntimeError, match="there is no CUDA device 'cuda:0'"):
        wp.unmap_cuda_device(GPU)
