"""Types of values in Python: scalars, vectors, matrices, quaternions."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import warp as wp
from hypothesis import given
from hypothesis import strategies as st

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_hold_their_range(name):
    t, info = getattr(wp, name), np.iinfo(name)
    for value in (info.min, 0, 1, info.max):
        assert t(value) == value
        assert t(value).value == value
    for value in (info.min - 1, info.max + 1, 2**200 + 5, -(2**70)):
        assert t(value).value == (value - info.min) % 2**info.bits + info.min, "wraps"
    with pytest.raises(ValueError, match=name):
        t(float(info.max) * 4)
    assert repr(t(3)) == f"{name}(3)"
    assert pickle.loads(pickle.dumps(t(3))) == 3
    assert t(2.9) == 2


@pytest.mark.parametrize("name", FLOATS)
@given(st.floats())
def test_floats_are_rounded(name, value):
    with np.errstate(over="ignore"):
        want = float(np.dtype(name).type(value))
    np.testing.assert_equal(getattr(wp, name)(value).value, want)


def test_bfloat16():
    assert wp.bfloat16(1.0 + 2**-8).value == 1.0
    assert wp.bfloat16(1.0 + 2**-7).value == 1.0 + 2**-7


def test_bool():
    assert wp.bool(2).value is True
    assert not wp.bool()
    assert wp.bool(True) == True  # noqa: E712


def test_same_arguments_same_type():
    assert wp.types.vector(length=3, dtype=float) is wp.vec3
    assert wp.types.vector(3, wp.float32) is wp.vec3f
    assert wp.types.matrix(shape=(2, 2), dtype=float) is wp.mat22
    assert wp.types.vector(5, wp.int8) is wp.types.vector(5, wp.int8)
    assert wp.vec3 is not wp.vec3d
    for n, letters in ((2, "f d h i l s b ub us ui ul"), (3, "f d h i l s b"), (4, "f d h")):
        for letter in letters.split():
            t = getattr(wp, f"vec{n}{letter}")
            assert len(t()) == n
            assert t.__name__ == f"vec{n}{letter}"
    for name in ("mat22 mat33 mat44 mat22f mat33d mat44h quat quatf quatd quath").split():
        assert wp.types.type_is_value(getattr(wp, name))


def test_every_spelling_is_that_of_the_table():
    from warp._warp import SCALARS

    for name, short, _, _, is_float in SCALARS:
        if not short:
            continue
        scalar = getattr(wp, name)
        for n in (2, 3, 4):
            assert getattr(wp, f"vec{n}{short}") is wp.types.vector(n, scalar)
            if is_float:
                assert getattr(wp, f"mat{n}{n}{short}") is wp.types.matrix((n, n), scalar)
        if is_float:
            assert getattr(wp, f"quat{short}") is wp.types.quaternion(scalar)
    assert set(wp.__all__) <= set(dir(wp))


def test_constructors():
    assert list(wp.vec3()) == [0, 0, 0]
    assert list(wp.vec3(2.0)) == [2, 2, 2]
    assert list(wp.vec3(1, 2, 3)) == [1, 2, 3]
    assert list(wp.vec3([1, 2, 3])) == [1, 2, 3]
    assert list(wp.vec3(np.array([1, 2, 3]))) == [1, 2, 3]
    assert wp.mat22([[1, 2], [3, 4]]) == wp.mat22(1, 2, 3, 4)
    assert wp.mat22(wp.vec2(1, 2), wp.vec2(3, 4)) == wp.mat22(1, 2, 3, 4)
    assert list(wp.quat(1, 2, 3, 4)) == [1, 2, 3, 4]
    for wrong in (("a", "b", "c"), (None, None, None)):
        with pytest.raises(TypeError):
            wp.vec3(*wrong)
    for wrong in ((1, 2), (1, 2, 3, 4), ([1, 2],)):
        for expected in (TypeError, ValueError):
            with pytest.raises(expected, match="vec3f has 3 components"):
                wp.vec3(*wrong)
    assert wp.vec3ub(-1, 2, 300) == (255, 2, 44)
    with pytest.raises(TypeError, match="1.5"):
        wp.vec3i(1.5, 0, 0)


def test_errors_of_the_factories():
    with pytest.raises(ValueError, match="0"):
        wp.types.vector(0, float)
    with pytest.raises(TypeError, match="dtype"):
        wp.types.vector(3, str)
    with pytest.raises(TypeError, match="dtype"):
        wp.types.matrix((2, 2), wp.vec3)
    with pytest.raises(AttributeError):
        wp.vec9q
    with pytest.raises(TypeError, match=r"vector: length is 1\.5, expected an int"):
        wp.types.vector(1.5, float)
    with pytest.raises(TypeError, match=r"matrix: shape is 4, expected a number of rows and one of columns"):
        wp.types.matrix(4, float)
    with pytest.raises(ValueError, match=r"matrix: shape is \(1, 2, 3\)"):
        wp.types.matrix((1, 2, 3), float)
    with pytest.raises(TypeError, match=r"the number of columns is 2\.5, expected an int"):
        wp.types.matrix((1, 2.5), float)


numbers = st.integers(-100, 100)


@given(st.lists(numbers, min_size=3, max_size=3), st.lists(numbers, min_size=3, max_size=3), numbers)
def test_vector_arithmetic(a, b, s):
    x, y = wp.vec3d(a), wp.vec3d(b)
    u, v = np.array(a, float), np.array(b, float)
    np.testing.assert_array_equal(x + y, u + v)
    np.testing.assert_array_equal(x - y, u - v)
    np.testing.assert_array_equal(-x, -u)
    np.testing.assert_array_equal(x * float(s), u * s)
    np.testing.assert_array_equal(float(s) * x, u * s)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(x / float(s), u / s)
    assert (x == y) == (a == b)


@given(st.lists(numbers, min_size=6, max_size=6), st.lists(numbers, min_size=6, max_size=6))
def test_matrix_arithmetic(a, b):
    left = wp.types.matrix((2, 3), wp.float64)(*a)
    right = wp.types.matrix((3, 2), wp.float64)(*b)
    u, v = np.array(a, float).reshape(2, 3), np.array(b, float).reshape(3, 2)
    np.testing.assert_array_equal(left @ right, u @ v)
    np.testing.assert_array_equal(left @ wp.vec3d(1, 2, 3), u @ [1, 2, 3])
    assert (left @ right) == left * right


def test_mismatched_arithmetic_is_refused():
    for wrong in (
        lambda: wp.vec3(1, 2, 3) + wp.vec2(1, 2),
        lambda: wp.vec3(1, 2, 3) + wp.vec3d(1, 2, 3),
        lambda: wp.vec3(1, 2, 3) * wp.vec3(1, 2, 3),
        lambda: wp.mat22() @ wp.vec3(),
        lambda: wp.vec3() + 1.0,
    ):
        with pytest.raises(TypeError):
            wrong()


@pytest.mark.parametrize("key", [1.5, "x", None, int, wp.fixedarray(float, 4)])
def test_what_is_no_index_is_refused(key):
    m = wp.mat22()
    for use in (m.get_row, m.get_col, lambda k: m.set_row(k, wp.vec2()), m.__getitem__, wp.vec3().__getitem__):
        with pytest.raises(TypeError, match="an index is an int"):
            use(key)
    with pytest.raises(TypeError, match="expected an int or a tuple of ints"):
        wp.fixedarray(float, (key,))


def test_quaternions_multiply():
    i, j, k = wp.quat(1, 0, 0, 0), wp.quat(0, 1, 0, 0), wp.quat(0, 0, 1, 0)
    assert i * j == k
    assert j * i == -k
    assert i * i == wp.quat(0, 0, 0, -1)


def test_components():
    v = wp.vec3(1, 2, 3)
    assert (v.x, v.y, v.z, v[-1], v[0:2], len(v)) == (1, 2, 3, 3, wp.vec2(1, 2), 3)
    v.y = 7
    v[0] = 5.5
    assert list(v) == [5.5, 7, 3]
    m = wp.mat33(*range(9))
    assert m[1] == wp.vec3(3, 4, 5)
    assert m[1, 2] == 5
    assert m[-1, -1] == 8
    assert m[:, 1] == wp.vec3(1, 4, 7)
    m[0] = wp.vec3(9, 9, 9)
    m[2, 2] = -1
    assert list(m[0]) == [9, 9, 9]
    assert m[2, 2] == -1
    for wrong in (3, -4, (0, 3), (0, 0, 0)):
        with pytest.raises(IndexError):
            m[wrong]
    with pytest.raises(ValueError, match="2 values"):
        m[0] = (1, 2)
    with pytest.raises(TypeError):
        hash(v)


def test_numpy_and_text():
    assert np.array(wp.vec3(1, 2, 3)).dtype == np.float32
    assert np.array(wp.mat22d(1, 2, 3, 4)).tolist() == [[1, 2], [3, 4]]
    assert np.asarray(wp.vec2i(1, 2), dtype=np.float64).dtype == np.float64
    assert repr(wp.vec2(1, 2)) == "vec2f([1.0, 2.0])"
    assert str(wp.vec2(1, 2)) == "[1.0, 2.0]"
    assert repr(wp.types.vector(5, wp.int8)(1)) == "vector(length=5, dtype=int8)([" + ", ".join(["int8(1)"] * 5) + "])"
    assert str(wp.mat22(1, 2, 3, 4)) == "[[1.0, 2.0],\n [3.0, 4.0]]"


@pytest.mark.parametrize(
    "value", [wp.vec3(1, 2, 3), wp.mat22d(1, 2, 3, 4), wp.quath(1, 2, 3, 4), wp.types.vector(6, wp.uint8)(3)]
)
def test_pickle(value):
    back = pickle.loads(pickle.dumps(value))
    assert back == value
    assert type(back) is type(value)


def test_constant():
    assert wp.constant(3) == 3
    assert wp.constant(wp.vec3(1, 2, 3)) == wp.vec3(1, 2, 3)
    with pytest.raises(TypeError, match="list"):
        wp.constant([1, 2])
