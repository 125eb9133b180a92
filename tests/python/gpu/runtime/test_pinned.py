"""Pinned memory of the host: who has it, when copies are done, and when it goes."""

from __future__ import annotations

import gc
import os

import numpy as np
import pytest
import warp as wp

from gpu.support.driver import is_double

pytestmark = pytest.mark.skipif(not wp.is_cuda_available(), reason="there is no CUDA device")

GPU = "cuda:0"


lazily = pytest.mark.skipif(
    not (wp.is_cuda_available() and is_double() and os.environ.get("PTX_DRIVER_ORDER", "lazy") == "lazy"),
    reason="where work runs when somebody waits for it",
)


@wp.kernel
def double(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] * 2.0


MAKERS = {
    "zeros": lambda pinned: wp.zeros(4, dtype=float, device="cpu", pinned=pinned),
    "empty": lambda pinned: wp.empty(4, dtype=float, device="cpu", pinned=pinned),
    "ones": lambda pinned: wp.ones(4, dtype=float, device="cpu", pinned=pinned),
    "full": lambda pinned: wp.full(4, 2.0, dtype=float, device="cpu", pinned=pinned),
    "array": lambda pinned: wp.array([1.0, 2.0], dtype=float, device="cpu", pinned=pinned),
    "array of NumPy's": lambda pinned: wp.array(np.arange(3.0), device="cpu", pinned=pinned),
    "array of zeros": lambda pinned: wp.array(shape=3, dtype=float, device="cpu", pinned=pinned),
    "zeros_like": lambda pinned: wp.zeros_like(wp.zeros(3, device="cpu"), pinned=pinned),
    "empty_like": lambda pinned: wp.empty_like(wp.zeros(3, device="cpu"), pinned=pinned),
    "ones_like": lambda pinned: wp.ones_like(wp.zeros(3, device="cpu"), pinned=pinned),
    "full_like": lambda pinned: wp.full_like(wp.zeros(3, device="cpu"), 2.0, pinned=pinned),
    "clone": lambda pinned: wp.clone(wp.zeros(3, device="cpu"), pinned=pinned),
    "clone of a GPU's": lambda pinned: wp.clone(wp.zeros(3, device=GPU), device="cpu", pinned=pinned),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
def test_arrays_are_pinned_where_that_is_asked(make):
    made = make(True)
    assert made.pinned
    assert not make(False).pinned
    assert made[1:].pinned
    wp.synchronize()
    ordinary = made.numpy().copy()
    np.testing.assert_array_equal(ordinary, made.list())


def test_copies_are_pinned_as_their_source_is():
    pinned = wp.zeros(3, device="cpu", pinned=True)
    assert wp.zeros_like(pinned).pinned
    assert wp.clone(pinned).pinned
    assert not wp.clone(pinned, pinned=False).pinned
    assert not wp.zeros_like(wp.zeros(3, device="cpu")).pinned


def test_memory_of_gpus_is_not_pinned():
    assert not wp.zeros(3, device=GPU, pinned=True).pinned


def test_pinned_memory_is_memory():
    x = wp.array([1.0, 2.0, 3.0], dtype=float, device="cpu", pinned=True)
    wp.launch(double, dim=3, inputs=[x], device="cpu")
    assert x.list() == [2.0, 4.0, 6.0]
    x.numpy()[0] = 9.0
    assert x.list() == [9.0, 4.0, 6.0]


def test_the_driver_says_what_is_pinned():
    x = wp.array([1.0, 2.0, 3.0], dtype=float, device="cpu", pinned=True)
    again = wp.array(ptr=x.ptr, dtype=float, shape=3, device="cpu", pinned=True)
    assert again.pinned
    assert again.list() == [1.0, 2.0, 3.0]
    assert wp.can_access(GPU, x)
    assert not wp.can_access(GPU, wp.zeros(3, device="cpu"))


def test_copies_to_the_gpu_and_back():
    source = wp.array(np.arange(1000.0), dtype=float, device="cpu", pinned=True)
    target, x = wp.empty(1000, dtype=float, device="cpu", pinned=True), wp.empty(1000, dtype=float, device=GPU)
    wp.copy(x, source)
    wp.launch(double, dim=1000, inputs=[x], device=GPU)
    wp.copy(target, x)
    wp.synchronize()
    np.testing.assert_array_equal(target.numpy(), 2 * np.arange(1000))


@lazily
def test_nobody_waits_for_copies():
    source, target = (wp.full(4, v, dtype=float, device="cpu", pinned=True) for v in (1.0, 5.0))
    x = wp.zeros(4, dtype=float, device=GPU)
    wp.synchronize()
    wp.copy(x, source)
    wp.copy(target, x)
    assert target.list() == [5.0] * 4
    wp.synchronize()
    assert target.list() == [1.0] * 4
    ordinary = wp.full(4, 5.0, dtype=float, device="cpu")
    wp.copy(ordinary, x)
    assert ordinary.list() == [1.0] * 4


def test_memory_stays_until_copies_are_done():
    x = wp.zeros(1 << 12, dtype=float, device=GPU)
    for value in (1.0, 2.0, 3.0):
        source = wp.full(x.size, value, dtype=float, device="cpu", pinned=True)
        wp.copy(x, source)
        del source
        gc.collect()
        # Takes and gives back more, so that what waits is looked at.
        wp.zeros(16, device="cpu", pinned=True)
    assert set(x.list()) == {3.0}


def test_strided_arrays():
    host = wp.zeros((4, 4), dtype=float, device="cpu", pinned=True)
    x = wp.full((4, 4), 2.0, dtype=float, device=GPU)
    wp.copy(host[:, 1], x[:, 0])
    wp.copy(host[2], x[1])
    wp.synchronize()
    np.testing.assert_array_equal(host.numpy(), [[0, 2, 0, 0], [0, 2, 0, 0], [2, 2, 2, 2], [0, 2, 0, 0]])
