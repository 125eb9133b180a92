"""Shapes and strides that are assigned to arrays."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp


@wp.kernel
def double(m: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    i, j = wp.tid()
    out[i, j] = m[i, j] * 2.0


def test_strides_then_shape_repeat_an_array():
    a = wp.array(np.arange(4, dtype=np.float32).reshape(1, 4))
    a.strides = (0, *a.strides[1:])
    a.shape = (3, 4)
    out = wp.zeros((3, 4))
    wp.launch(double, dim=(3, 4), inputs=[a, out])
    assert out.numpy().tolist() == [[0, 2, 4, 6]] * 3
    assert a.numpy().tolist() == [[0, 1, 2, 3]] * 3


def test_another_dimension_in_front():
    a = wp.array(np.arange(4, dtype=np.float32), requires_grad=True)
    a.strides = (0, *a.strides)
    a.ndim += 1
    a.shape = (1, *a.shape)
    assert (a.ndim, a.shape, a.strides, a.grad.shape) == (2, (1, 4), (0, 4), (1, 4))
    a.shape = (2, 4)
    assert a.numpy().tolist() == [[0, 1, 2, 3]] * 2
    assert np.from_dlpack(a).tolist() == a.list() or np.from_dlpack(a).tolist() == a.numpy().tolist()


def test_a_shape_of_as_many_elements_reshapes():
    a = wp.array(np.arange(12, dtype=np.float32).reshape(3, 4))
    first = np.from_dlpack(a)
    a.shape = (2, 6)
    assert (a.shape, a.strides) == ((2, 6), (24, 4))
    a.shape = 12
    assert (a.ndim, a.list()) == (1, list(range(12)))
    a.shape = (4, 3)
    assert (np.from_dlpack(a).shape, first.shape) == ((4, 3), (3, 4))
    a.strides = (4, 16)
    a.shape = (4, 3)
    assert a.numpy().tolist() == np.arange(12).reshape(3, 4).T.tolist()


def test_memory_is_never_left():
    a = wp.array(np.arange(12, dtype=np.float32).reshape(3, 4))
    for attempt in (
        lambda: setattr(a, "shape", (4, 4)),
        lambda: setattr(a, "strides", (32, 4)),
        lambda: setattr(a, "strides", (-16, 4)),
        lambda: setattr(a, "strides", (16, 2)),
        lambda: setattr(a, "ndim", 3),
        lambda: setattr(a, "shape", (1, 2, 3)),
        lambda: setattr(a, "shape", "abc"),
        lambda: setattr(a, "shape", ()),
    ):
        with pytest.raises((ValueError, TypeError, RuntimeError)):
            attempt()
        assert (a.shape, a.strides) == ((3, 4), (16, 4))
    part = a[1:, 1:3]
    with pytest.raises(ValueError, match="reaches bytes"):
        part.shape = (3, 2)
    with pytest.raises(AttributeError):
        wp.array(dtype=float).strides = (4,)
