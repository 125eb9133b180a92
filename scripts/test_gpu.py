"""Run the tests marked `gpu` where there is an NVIDIA GPU; say so and succeed where there is none."""

from __future__ import annotations

import ctypes
import sys

import pytest


def gpu_count() -> int:
    """How many GPUs the driver sees; 0 where there is no driver."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


def main() -> int:
    """The exit status of the tests, or 0 where nothing can be tested."""
    if gpu_count() == 0:
        print("test-gpu: no NVIDIA GPU on this machine, so there is nothing to test")
        return 0
    return pytest.main(["-m", "gpu", "tests/python"])


if __name__ == "__main__":
    sys.exit(main())
