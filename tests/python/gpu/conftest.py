"""Tests on GPUs: on real ones, or on `ptx-driver`, a driver for tests that has two."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

# Read when the driver starts, which is the first question about devices.
os.environ.setdefault("PTX_DRIVER_DEVICES", "2")

import warp as wp

from gpu.support import driver, driver_calls

ABSENT = "no driver: set WARP_CUDA_DRIVER or build ptx-driver (make test-ptx-driver does both)"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if wp.is_cuda_available():
        return
    for item in items:
        if item.path.is_relative_to(os.path.dirname(__file__)):
            item.add_marker(pytest.mark.skip(reason=ABSENT))


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """No test leaves work, or the fault of a kernel, to the next."""
    yield
    wp.synchronize()


@pytest.fixture
def double() -> driver.Driver:
    """The driver for tests, for what only it can be asked."""
    if not driver.is_double():
        pytest.skip("only ptx-driver can be asked for this")
    return driver.get()


@pytest.fixture
def second() -> str:
    """A second GPU."""
    if wp.get_cuda_device_count() < 2:
        pytest.skip("there is one GPU only")
    return "cuda:1"


@pytest.fixture
def a_gpu() -> Iterator[str]:
    """A GPU; whatever a test leaves on it is waited for."""
    if driver_calls.real_driver() is None:
        pytest.skip("there is no NVIDIA GPU")
    yield "cuda:0"
    wp.synchronize()
