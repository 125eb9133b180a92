"""The cases of `smoke.py` and `captures.py` as tests."""

from __future__ import annotations

import pytest
import warp as wp

from gpu import smoke
from gpu.runtime import captures

pytestmark = pytest.mark.skipif(not wp.is_cuda_available(), reason="there is no CUDA device")


@pytest.mark.parametrize("name", smoke.CASES)
def test_case(name):
    smoke.CASES[name]()


@pytest.mark.parametrize("name", captures.CASES)
def test_capture(name):
    captures.CASES[name]()


def test_a_difference_is_found():
    with pytest.raises(AssertionError, match="result 0"):
        smoke.compare(lambda: [wp.array([1.0 if wp.get_device().is_cuda else 1.1], dtype=float)])
    with pytest.raises(AssertionError, match="result 1"):
        smoke.compare(lambda: [wp.zeros(2, dtype=float), wp.full(2, int(wp.get_device().is_cuda), dtype=int)])
