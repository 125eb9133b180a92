"""Arrays that kernels reach through addresses, read in lanes: the bits and the faults of one thread at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import warp as wp

COUNT = 45
WIDTHS = ["always", 2, 8, 16]


@wp.struct
class Field:
    """An array in a struct, which lies wherever it likes."""

    values: wp.array2d(dtype=wp.vec3)
    scale: float


def make() -> Any:
    """A kernel of its own, compiled as the configuration says."""

    @wp.kernel(module="unique")
    def read(
        addresses: wp.array(dtype=wp.uint64),
        fields: wp.array(dtype=Field),
        size: int,
        at: wp.array(dtype=int),
        far: wp.array(dtype=wp.int64),
        out: wp.array2d(dtype=float),
    ):
        i = wp.tid()
        k = at[i]
        one = wp.array(ptr=addresses[0], shape=size, dtype=float)
        each = wp.array(ptr=addresses[i % 3], shape=size, dtype=wp.vec3)
        out[0, i] = one[k]
        out[1, i] = each[k][i % 3] + each[far[i]][1]
        field = fields[i % 2]
        if k != 2:
            out[2, i] = field.values[k % 4, i % 5][2] * field.scale
        for n in range(k % 4):
            out[3, i] += one[n]

    return read


def launch(lanes: Any, at: np.ndarray, far: np.ndarray) -> np.ndarray:
    numbers = np.random.default_rng(4).uniform(-1, 1, (3, 20, 3)).astype(np.float32)
    arrays = [wp.array(of, dtype=wp.vec3) for of in numbers]
    fields = []
    for n in range(2):
        field = Field()
        # The second one is not contiguous.
        field.values = wp.array(numbers[:, :20].reshape(6, 10, 3), dtype=wp.vec3)[: 4 + n, :: 1 + n]
        field.scale = 0.5 + n
        fields.append(field)
    old = wp.config.lanes
    wp.config.lanes = lanes
    try:
        kernel = make()
        out = wp.zeros((4, len(at)), dtype=float)
        addresses = wp.array([a.ptr for a in arrays], dtype=wp.uint64)
        inputs = [addresses, wp.array(fields, dtype=Field), 20, wp.array(at, dtype=int), wp.array(far, dtype=wp.int64)]
        wp.launch(kernel, dim=len(at), inputs=inputs, outputs=[out])
        if lanes != "never":
            assert "in lanes" in kernel.report()
    finally:
        wp.config.lanes = old
    return out.numpy()


@pytest.mark.parametrize("lanes", WIDTHS)
def test_lanes_read_what_single_threads_read(lanes: Any) -> None:
    rng = np.random.default_rng(9)
    at, far = rng.integers(-20, 20, COUNT), rng.integers(-20, 20, COUNT)
    np.testing.assert_array_equal(launch(lanes, at, far), launch("never", at, far))


def said(launch: Callable[[], object]) -> str:
    with pytest.raises(IndexError) as caught:
        launch()
    return str(caught.value)


@pytest.mark.parametrize(("row", "bad"), [(0, 20), (0, -21), (1, 2**40), (1, -21)])
def test_the_first_lane_that_is_out_of_range_is_reported(row: int, bad: int) -> None:
    at, far = np.arange(COUNT) % 20, np.zeros(COUNT, dtype=np.int64)
    (at if row == 0 else far)[11:] = bad
    (at if row == 0 else far)[12] += 1 if bad > 0 else -1
    wanted = said(lambda: launch("never", at, far))
    assert f"index {bad}" in wanted or str(bad) in wanted
    for lanes in WIDTHS:
        assert said(lambda lanes=lanes: launch(lanes, at, far)) == wanted


def test_writes_through_addresses_run_one_thread_at_a_time() -> None:
    @wp.kernel(module="unique")
    def write(address: wp.uint64, at: wp.array(dtype=int)):
        i = wp.tid()
        out = wp.array(ptr=address, shape=9, dtype=float)
        out[at[i]] = wp.sin(float(i))

    assert "it writes arrays that it reaches through addresses" in write.report()
