"""Atomic operations on numbers of 8 and 16 bits, which a GPU makes on the whole word around them."""

from __future__ import annotations

import pytest
import warp as wp

GPU = "cuda:0"
TYPES = [wp.int8, wp.uint8, wp.int16, wp.uint16, wp.float16, wp.bfloat16]


def adder(dtype):
    @wp.kernel(module="unique")
    def add(x: wp.array(dtype=dtype), at: int):
        wp.atomic_add(x, at, dtype(1))

    return add


@pytest.mark.parametrize("count", [1, 2, 3, 5, 6, 7])
@pytest.mark.parametrize("dtype", TYPES, ids=lambda t: t.__name__)
@pytest.mark.parametrize("pooled", [True, False], ids=["pool", "no pool"])
def test_the_last_element_of_an_array(dtype, count, pooled):
    """Beyond the array lies nothing that may be written."""
    with wp.ScopedMempool(GPU, pooled):
        x = wp.zeros(count, dtype=dtype, device=GPU)
    add = adder(dtype)
    for at in {0, count - 1}:
        wp.launch(add, dim=50, inputs=[x, at], device=GPU)
    wp.synchronize()
    expected = [0.0] * count
    for at in {0, count - 1}:
        expected[at] = 50.0
    assert x.numpy().astype(float).tolist() == expected
