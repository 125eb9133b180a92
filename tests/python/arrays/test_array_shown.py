"""Arrays where tools show them: pytest's messages, `reprlib`."""

from __future__ import annotations

import reprlib

import pytest
import warp as wp


def test_reprlib_shows_arrays():
    """Before Python 3.12 it takes everything that is called an array for one of Python's."""
    for array in (wp.zeros(3, dtype=float), wp.zeros((2, 2), dtype=int), wp.zeros(2, dtype=wp.vec3)):
        assert "0" in reprlib.repr(array)
        assert "rror" not in reprlib.repr([array])
    assert wp.zeros(1, dtype=wp.vec3d).typecode == "vec3d"


def test_pytest_shows_arrays():
    array = wp.array([1.0, 2.0], dtype=float)
    with pytest.raises(AssertionError) as caught:
        assert [array] == [wp.zeros(1, dtype=float)]
    assert "raised in repr" not in str(caught.value)
