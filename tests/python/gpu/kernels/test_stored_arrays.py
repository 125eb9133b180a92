"""Kernels on a GPU that store arrays in the structs of an array: the tests of the CPU run there and say the same."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import pytest
import warp as wp

from language.structs import test_stored_arrays

#: Those that see when arrays go: what a launch on a GPU may have stored stays until somebody asks.
WHEN = {
    "test_what_is_stored_stays_alive_and_nothing_else",
    "test_a_loop_of_launches_holds_only_the_last",
    "test_a_row_keeps_its_array",
}
#: One with tensors of the CPU.
OF_THE_CPU = {"test_tensors_stay_alive"}


@pytest.fixture(autouse=True)
def on_a_gpu() -> Iterator[None]:
    with wp.ScopedDevice("cuda:0"):
        yield


for name, found in vars(test_stored_arrays).items():
    if name.startswith("test_") and inspect.isfunction(found) and name not in WHEN | OF_THE_CPU:
        globals()[name] = found
