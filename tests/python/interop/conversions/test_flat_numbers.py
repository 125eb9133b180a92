"""Numbers become vectors and matrices in the order of memory, if they are not grouped as their components."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

GROUPED = [
    ((12,), wp.vec3, (4,)),
    ((3,), wp.vec3, (1,)),
    ((0,), wp.vec3, (0,)),
    ((2, 9), wp.mat33, (2,)),
    ((2, 9), wp.vec3, (2, 3)),
    ((6, 4), wp.vec2, (6, 2)),
    ((6, 4), wp.mat22, (6,)),
    ((4, 2, 1), wp.vec2, (4,)),
    ((2, 3, 1), wp.vec3, (2,)),
    ((14,), wp.transform, (2,)),
    ((5, 7), wp.transform, (5,)),
    ((2, 2, 4), wp.quat, (2, 2)),
    ((4, 1, 3), wp.vec3, (4, 1)),
    ((2, 2, 3, 3), wp.mat33, (2, 2)),
]
UNGROUPED = [
    ((3, 4), wp.vec3),
    ((9, 2), wp.vec3),
    ((2, 7), wp.vec2),
    ((1,), wp.vec2),
    ((5,), wp.vec3),
    ((0, 3), wp.vec2),
]


def numbers(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def flat(a):
    return a.numpy().ravel().tolist()


WAYS = {
    "array": lambda n, t: wp.array(n, dtype=t),
    "shared": lambda n, t: wp.array(n, dtype=t, copy=False),
    "float64": lambda n, t: wp.array(n.astype(np.float64), dtype=t),
    "list": lambda n, t: wp.array(n.tolist(), dtype=t),
    "from_numpy": lambda n, t: wp.from_numpy(n, dtype=t),
    "warp array": lambda n, t: wp.array(wp.array(n), dtype=t),
    "reversed strides": lambda n, t: wp.array(np.asfortranarray(n), dtype=t),
    "every second": lambda n, t: wp.array(np.repeat(n, 2, axis=-1)[..., ::2], dtype=t),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("shape", "dtype", "grouped"), GROUPED)
def test_rows_become_elements(way, shape, dtype, grouped):
    n = numbers(*shape)
    if way == "list" and n.size == 0:
        grouped = (0,)
    a = WAYS[way](n, dtype)
    assert (a.shape, flat(a)) == (grouped, n.ravel().tolist())
    if n.size:
        assert (a.ptr == n.ctypes.data) == (way == "shared")


@pytest.mark.parametrize("way", ["array", "shared", "list", "from_numpy"])
@pytest.mark.parametrize(("shape", "dtype"), UNGROUPED)
def test_elements_do_not_reach_across_rows(way, shape, dtype):
    if way == "list" and 0 in shape:
        return
    with pytest.raises((TypeError, ValueError, RuntimeError), match="ends in the dimensions"):
        WAYS[way](numbers(*shape), dtype)


@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize(
    ("shape", "dtype", "wanted"),
    [
        ((12,), wp.vec3, (2, 2)),
        ((12,), float, (3, 4)),
        ((3, 4), float, (4, 3)),
        ((3, 4), wp.vec3, (4,)),
        ((3, 4), wp.vec3, 4),
        ((2, 18), wp.mat33, (2, 2)),
        ((9, 2), wp.vec3, (6, 1)),
        ((4, 3), wp.vec3, (2, 2)),
    ],
)
def test_a_shape_takes_as_many_numbers(shape, dtype, wanted, copy):
    n = numbers(*shape)
    a = wp.array(n, dtype=dtype, shape=wanted, copy=copy)
    assert (a.shape, flat(a)) == (wanted if isinstance(wanted, tuple) else (wanted,), n.ravel().tolist())
    assert (a.ptr == n.ctypes.data) == (not copy)
    with pytest.raises(ValueError, match=r"elements|numbers"):
        wp.array(n, dtype=dtype, shape=(5, 5), copy=copy)


def test_assignments_take_as_many_numbers():
    for shape, dtype, target in [
        ((12,), wp.vec3, 4),
        ((3, 4), wp.vec3, 4),
        ((12,), float, (3, 4)),
        ((4, 3), float, (3, 4)),
        ((2, 9), wp.mat33, (2, 1)),
    ]:
        n = numbers(*shape)
        for source in (n, n.tolist(), wp.array(n), np.asfortranarray(n), n.astype(np.float64)):
            a = wp.zeros(target, dtype=dtype)
            a.assign(source)
            assert flat(a) == n.ravel().tolist()
            part = wp.zeros((5, *a.shape), dtype=dtype)
            part[1].assign(source)
            assert flat(part) == [0.0] * n.size + n.ravel().tolist() + [0.0] * 3 * n.size
    a = wp.ones(4, dtype=wp.vec3)
    for shape in ((10,), (15,), (5, 3), (4, 4)):
        with pytest.raises((ValueError, TypeError, RuntimeError)):
            a.assign(numbers(*shape))
    assert flat(a) == [1.0] * 12
    for shape in ((9,), (3, 3)):
        a.fill_(1.0)
        with pytest.warns(RuntimeWarning, match="the first 3 are written"):
            a.assign(numbers(*shape))
        assert flat(a) == [*numbers(*shape).ravel().tolist(), 1.0, 1.0, 1.0]


def test_a_value_is_an_element():
    assert wp.array(wp.vec3(1, 2, 3), dtype=wp.vec3).list() == [wp.vec3(1, 2, 3)]


def test_another_number_of_dimensions_is_told():
    with pytest.warns(UserWarning, match="ndim says 2"):
        a = wp.array(numbers(12), dtype=float, ndim=2)
    assert a.shape == (12,)
