"""Values of kernel types on the host: slices, operators, equality, scalars that keep their type."""

from __future__ import annotations

import operator
import pickle

import numpy as np
import pytest
import warp as wp
from hypothesis import given
from hypothesis import strategies as st

T = wp.types
OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.mod]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def matrix():
    return wp.mat33(*range(9))


@given(st.slices(5), st.slices(4))
def test_slices_are_those_of_numpy(rows, cols):
    v = wp.types.vector(5, wp.float64)(*range(5))
    want = np.arange(5.0)[rows]
    assert v[rows] == tuple(want)
    assert len(want) == 0 or type(v[rows]) is wp.types.vector(len(want), wp.float64)
    m = wp.types.matrix((5, 4), wp.int16)(*range(20))
    grid = np.arange(20, dtype=np.int16).reshape(5, 4)
    for key in ((rows, cols), rows, (rows, 1), (2, cols)):
        want = grid[key]
        if want.size:
            kind = wp.types.matrix(want.shape, wp.int16) if want.ndim == 2 else wp.types.vector(len(want), wp.int16)
            assert type(m[key]) is kind
            np.testing.assert_array_equal(np.array(m[key]), want)
        else:
            assert m[key] == ()
        m[key] = 7
        grid[key] = 7
        np.testing.assert_array_equal(np.array(m), grid)


@pytest.mark.parametrize("value", [wp.vec3(1.0, 2.0, 3.0), wp.mat22d(), wp.quat(), wp.transform(), wp.vec2i()])
def test_wrong_keys_are_key_errors_too(value):
    many = (0,) * (len(value._shape_) + 1)
    for key, kind in [(None, TypeError), ("x", TypeError), (1.0, TypeError), (..., TypeError), (many, IndexError)]:
        for expected in (kind, KeyError):
            with pytest.raises(expected, match=f"^{type(value).__name__}"):
                value[key]
            with pytest.raises(expected, match=f"^{type(value).__name__}"):
                value[key] = 1
    with pytest.raises(IndexError, match="out of range"):
        value[100]


def test_components_name_their_type_in_reprs():
    assert repr(wp.vec3d(1.0, 2.0, 3.5)) == "vec3d([float64(1.0), float64(2.0), float64(3.5)])"
    assert repr(wp.vec2ub(1, 2)) == "vec2ub([uint8(1), uint8(2)])"
    assert repr(wp.mat22h(0.5)) == "mat22h([[float16(0.5), float16(0.5)], [float16(0.5), float16(0.5)]])"
    assert repr(wp.vec2i(1, 2)) == "vec2i([1, 2])"
    assert repr(wp.mat22(0.5)) == "mat22f([[0.5, 0.5], [0.5, 0.5]])"
    assert str(wp.vec2d(1.0, 2.0)) == "[1.0, 2.0]"
    for value in (wp.vec3d(1.0, 2.0, 3.5), wp.mat22h(0.5), wp.quatd(), wp.vec2l(-1, 2**40)):
        assert eval(repr(value), {**vars(wp)}) == value


def test_slices_of_other_values():
    q, t = wp.quat(1, 2, 3, 4), wp.transform((1, 2, 3), (0, 0, 0, 1))
    assert type(q[0:2]) is wp.vec2
    assert t[:3] == wp.vec3(1, 2, 3)
    assert type(t[3:]) is wp.vec4
    t[:3] = 5.0
    assert t.p == (5, 5, 5)


def test_slices_are_assigned():
    v, m = wp.vec3(1, 2, 3), matrix()
    v[0:2] = 5
    assert v == (5, 5, 3)
    v[::2] = (7, 8)
    assert v == (7, 5, 8)
    v[1:] = wp.vec2i(3, 4)
    assert v == (7, 3, 4)
    m[0:2, 0:2] = wp.mat22(-1, -2, -3, -4)
    assert m == ((-1, -2, 2), (-3, -4, 5), (6, 7, 8))
    m[:, 1] = [1, 2, 3]
    m[0:2] = [[1, 2, 3], [4, 5, 6]]
    assert m == ((1, 2, 3), (4, 5, 6), (6, 3, 8))
    before = wp.mat33(*np.array(m).ravel())
    for key, wrong, expected in [
        (slice(0, 2), [[1, 2], [3, 4], [5, 6]], ValueError),
        (slice(0, 2), [1, 2], ValueError),
        ((slice(None), 1), [1, 2], ValueError),
        (0, "abc", TypeError),
        ((0, slice(None)), [1, 2, None], TypeError),
        ("x", 1, TypeError),
        ((0, 0, 0), 1, IndexError),
    ]:
        with pytest.raises(expected):
            m[key] = wrong
        assert m == before, "nothing was written"


def test_rows_and_columns():
    m = wp.types.matrix((2, 3), float)(*range(6))
    assert m.get_row(1) == wp.vec3(3, 4, 5)
    assert m.get_col(-1) == wp.vec2(2, 5)
    m.set_row(0, wp.vec3(9, 8, 7))
    m.set_col(1, 1.5)
    assert m == ((9, 1.5, 7), (3, 1.5, 5))
    with pytest.raises(IndexError, match="index 2"):
        m.get_row(2)
    with pytest.raises(IndexError, match="index 3"):
        m.set_col(3, 0)
    with pytest.raises(ValueError, match="2 values for 3"):
        m.set_row(0, (1, 2))


def test_operators_of_vectors_and_matrices():
    v, m = wp.vec3(1, 2, 4), matrix()
    assert 8.0 / v == (8, 4, 2)
    assert 6 / wp.vec3i(1, -4, 0 + 3) == (6, -1, 2)
    assert 1.0 / wp.mat22(1, 2, 4, 0) == ((1, 0.5), (0.25, float("inf")))
    assert 2 / wp.quat(1, 2, 4, 8) == (2, 1, 0.5, 0.25)
    assert wp.vec3i(7, -7, 5) % wp.vec3i(2, 2, -3) == (1, -1, 2)
    assert wp.vec3i(7, -7, 5) % 2 == (1, -1, 1)
    assert wp.vec2(-7, 7.5) % wp.vec2(2, 2) == (-1, 1.5)
    assert v * m == v @ m == tuple(np.array(v) @ np.array(m))
    assert m * v == m @ v == tuple(np.array(m) @ np.array(v))
    wide = wp.types.matrix((3, 2), float)(*range(6))
    assert v @ wide == wp.vec2(20, 27)
    assert -wp.vec3ub(1, 2, 3) == (255, 254, 253)
    assert wp.vec2ub(200, 1) + wp.vec2ub(100, 1) == (44, 2)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda v, m: v * v,
        lambda v, m: v / v,
        lambda v, m: v @ wp.mat22(),
        lambda v, m: m @ wp.mat22(),
        lambda v, m: v + wp.vec2(),
        lambda v, m: v + wp.quat(),
        lambda v, m: v % wp.vec3d(),
        lambda v, m: v * wp.float64(2),
        lambda v, m: wp.float64(2) * v,
        lambda v, m: wp.quat() * v,
        lambda v, m: m * wp.quat(),
        lambda v, m: wp.float32(1) + wp.float64(1),
    ],
)
def test_what_does_not_go_together_is_both_errors(wrong):
    for expected in (TypeError, RuntimeError):
        with pytest.raises(expected):
            wrong(wp.vec3(), matrix())


def test_equality_is_by_value():
    v, m = wp.vec3(1, 2, 3), wp.mat22(1, 2, 3, 4)
    for same in ((1, 2, 3), [1.0, 2, 3], np.array([1, 2, 3]), wp.vec3d(1, 2, 3), wp.vec3i(1, 2, 3)):
        assert v == same
        assert not v != same
    for other in ((1, 2), (1, 2, 4), [[1], [2], [3]], "123", 1.0, None, wp.vec2(1, 2), (1, 2, "x"), m):
        assert v != other
    for same in (((1, 2), (3, 4)), [[1, 2], [3, 4]], (wp.vec2(1, 2), [3, 4]), np.array([[1, 2], [3, 4]])):
        assert m == same
    for other in ((1, 2, 3, 4), ((1, 2, 3, 4),), ((1, 2), (3, 5)), ((1, 2), 3, 4), wp.vec4(1, 2, 3, 4)):
        assert m != other
    assert wp.quat(1, 2, 3, 4) == wp.vec4(1, 2, 3, 4) == (1, 2, 3, 4)
    nan = wp.vec2(float("nan"), 0)
    assert nan != nan


def test_components_keep_their_type():
    for name in ("float16", "float64", "bfloat16", "uint8", "int64"):
        scalar = getattr(wp, name)
        v = wp.types.vector(2, scalar)(1, 2)
        assert [type(x) for x in v] == [scalar, scalar]
        assert type(wp.types.matrix((2, 2), scalar)(1)[0, 1]) is scalar
    assert type(wp.vec3d().x) is wp.float64
    assert type(wp.vec3(1, 2, 3)[0]) is float
    assert type(wp.vec3i(1, 2, 3).y) is int
    assert type(wp.sin(wp.float64(1))) is wp.float64
    assert type(wp.length(wp.vec3h(1, 2, 2))) is wp.float16
    assert type(wp.sin(1.0)) is float
    assert type(wp.dot(wp.vec2i(1, 2), wp.vec2i(1, 2))) is int
    assert type(wp.rand_init(3)) is wp.uint32
    try:
        wp.config.legacy_scalar_return_types = True
        assert type(wp.vec3d().x) is float
        assert type(wp.sin(wp.float64(1))) is float
        assert type(wp.uint8(1) + wp.uint8(2)) is int
    finally:
        wp.config.legacy_scalar_return_types = False
    with pytest.raises(TypeError, match="bool"):
        wp.config.legacy_scalar_return_types = 1


@given(st.integers(-300, 300), st.integers(-300, 300).filter(bool), st.sampled_from(INTEGERS))
def test_integers_compute_as_in_kernels(a, b, name):
    t, dtype = getattr(wp, name), np.dtype(name)
    x, y = np.array([a, b]).astype(dtype)
    if y == 0:
        return
    with np.errstate(all="ignore"):
        quotient = int(np.fix(np.longdouble(x) / np.longdouble(y)))
        want = [x + y, x - y, x * y, np.array(quotient).astype(dtype), np.fmod(x, y)]
    for op, w in zip(OPERATORS, want, strict=True):
        for other in (t(b), int(y)):
            got = op(t(a), other)
            assert got == int(w), (op, x, y)
            assert type(got) is (int if name == "int32" else t)
    assert int(x) / t(b) == want[3]
    assert -t(a) == np.negative(np.array([x]))[0]
    assert ~t(a) == ~x
    assert (t(a) & t(b), t(a) | t(b), t(a) ^ t(b)) == (x & y, x | y, x ^ y)


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
@given(st.floats(-1e4, 1e4), st.floats(-1e4, 1e4))
def test_floats_compute_in_their_type(name, a, b):
    t, dtype = getattr(wp, name), np.dtype(name).type
    with np.errstate(all="ignore"):
        x, y = dtype(a), dtype(b)
        want = [x + y, x - y, x * y, x / y, np.fmod(x, y)]
        for op, w in zip(OPERATORS, want, strict=True):
            got = op(t(a), t(b))
            np.testing.assert_equal(float(got), float(w))
            assert type(got) is (float if name == "float32" else t)
    assert type(t(a) + 1) is (float if name == "float32" else t)
    assert abs(t(-2.5)) == 2.5


def test_numbers_of_others_go_with_ours():
    assert wp.uint8(3) * 0.5 == 1.5
    assert wp.float64(2) * np.float64(3) == 6
    np.testing.assert_array_equal(wp.float64(2) * np.arange(3.0), [0, 2, 4])
    assert wp.float64(2) ** 3 == 8
    assert [1, 2, 3][wp.uint8(1)] == 2
    assert wp.vec3(1, 2, 3) * np.float32(2) == (2, 4, 6)
    with pytest.raises(ZeroDivisionError):
        wp.int32(1) / 0
    with pytest.raises(TypeError):
        wp.float64(1) + "x"


def test_numpy_takes_the_types():
    for name in ("bool", "int8", "uint16", "int64", "float16", "float32", "float64"):
        scalar = getattr(wp, name)
        assert np.dtype(scalar) == np.dtype(name)
        assert scalar.__numpy_dtype__ == np.dtype(name)
        assert np.zeros(2, scalar).dtype == np.dtype(name)
    assert np.array(matrix()).shape == (3, 3)


def test_handles():
    h = wp.handle(7)
    assert (h, h.value, int(h), repr(h)) == (7, 7, 7, "handle(7)")
    assert wp.handle() == 0
    assert wp.handle(-1) == 2**64 - 1
    assert type(pickle.loads(pickle.dumps(h))) is wp.handle
    with pytest.raises(TypeError):
        wp.handle("x")

    @wp.kernel
    def keep(h: wp.handle, to: wp.array(dtype=wp.handle), same: wp.array(dtype=wp.uint64)):
        to[0] = h
        same[0] = wp.uint64(h)

    to, same = wp.zeros(1, dtype=wp.handle), wp.zeros(1, dtype=wp.uint64)
    for passed in (h, 7, wp.uint64(7)):
        same.zero_()
        wp.launch(keep, dim=1, inputs=[passed, to, same])
        assert to.list() == same.list() == [7]


@pytest.mark.parametrize(
    ("a", "b", "instead"),
    [
        (wp.vec3(), wp.vec3(), "cw_mul"),
        (wp.quat_identity(), wp.vec3(), "quat_rotate"),
        (wp.transform_identity(), wp.vec3(), "transform_point"),
    ],
)
def test_products_that_there_are_not_say_what_to_use(a, b, instead):
    with pytest.raises(wp.ArgumentError, match=f"is not defined; use .*{instead}"):
        a * b
