"""`wp.array`: making, seeing, changing and keeping arrays."""

from __future__ import annotations

import copy
import ctypes
import gc
import pickle
import weakref

import numpy as np
import pytest
import warp as wp
from hypothesis import given
from hypothesis import strategies as st

SCALARS = [wp.int8, wp.int16, wp.int32, wp.int64, wp.uint8, wp.uint16, wp.uint32, wp.uint64]
FLOATS = [wp.float16, wp.float32, wp.float64]
ALL = [wp.bool, *SCALARS, *FLOATS]


@pytest.mark.parametrize("dtype", ALL)
def test_zeros_ones_full_empty(dtype):
    assert wp.zeros((2, 3), dtype=dtype).numpy().tolist() == [[0, 0, 0], [0, 0, 0]]
    assert wp.ones(4, dtype=dtype).numpy().tolist() == [1] * 4
    assert wp.full(3, 1, dtype=dtype).numpy().tolist() == [1] * 3
    a = wp.empty((2, 0, 3), dtype=dtype)
    assert a.shape == (2, 0, 3)
    assert a.size == 0
    assert a.numpy().shape == (2, 0, 3)


def test_defaults():
    a = wp.zeros(5)
    assert a.dtype is wp.float32
    assert (a.shape, a.strides, a.ndim, a.size, len(a)) == ((5,), (4,), 1, 5, 5)
    assert a.device == "cpu"
    assert a.device == wp.get_device()
    assert not a.requires_grad
    assert a.grad is None
    assert a.is_contiguous
    assert a.ptr % 64 == 0
    assert wp.full(2, 1.5).dtype is wp.float32
    assert wp.full(2, 7).dtype is wp.int32
    assert wp.full(2, True).dtype is wp.bool
    assert wp.full(2, wp.vec3(1, 2, 3)).numpy().tolist() == [[1, 2, 3]] * 2


def test_like():
    a = wp.zeros((2, 3), dtype=wp.float64, requires_grad=True)
    for b in (wp.zeros_like(a), wp.ones_like(a), wp.empty_like(a), wp.full_like(a, 2.0), wp.clone(a)):
        assert (b.shape, b.dtype, b.requires_grad) == ((2, 3), wp.float64, True)
        assert b.ptr != a.ptr
    assert not wp.zeros_like(a, requires_grad=False).requires_grad
    assert wp.full_like(a, 2.0).numpy().tolist() == [[2.0] * 3] * 2


def test_from_lists():
    a = wp.array([[1, 2, 3], [4, 5, 6]], dtype=float)
    assert (a.shape, a.dtype) == ((2, 3), wp.float32)
    v = wp.array([[1, 2, 3], [4, 5, 6]], dtype=wp.vec3)
    assert (v.shape, v.strides, v.dtype) == ((2,), (12,), wp.vec3)
    assert wp.array([wp.vec2(1, 2), wp.vec2(3, 4)]).dtype is wp.vec2
    m = wp.array([[[1, 2], [3, 4]]], dtype=wp.mat22)
    assert m.shape == (1,)
    assert m[0] == wp.mat22(1, 2, 3, 4)
    assert wp.array([], dtype=int).shape == (0,)
    assert wp.array([1, 2]).dtype is wp.int64
    assert wp.array([1.5]).dtype is wp.float64
    assert wp.array([[1, 2]], dtype=int, ndim=2).shape == (1, 2)
    assert wp.array([1, 2, 3, 4], dtype=int, shape=(2, 2))[1, 0] == 3


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: wp.array([[1, 2], [3]], dtype=float), ValueError, []),
        (lambda: wp.array(3.5), TypeError, ["3.5", "list"]),
        (lambda: wp.array(ndim=2), TypeError, ["dtype"]),
        (lambda: wp.array("abc"), TypeError, ["abc"]),
        (lambda: wp.array([1, 2], dtype="float3"), TypeError, ["dtype", "float32"]),
        (lambda: wp.array([1, 2], dtype=wp.vec3), TypeError, ["vec", "3"]),
        (lambda: wp.array([1, 2], dtype=float, device="cuda:7"), ValueError, ["cuda:7", "cpu"]),
        (lambda: wp.array([1, 2], dtype=float, device=3), ValueError, ["device", "3"]),
        (lambda: wp.array([1, 2], dtype=float, shape=3), ValueError, ["3"]),
        (lambda: wp.zeros(-1), ValueError, ["-1"]),
        (lambda: wp.zeros(2**31), ValueError, ["2147483648"]),
        (lambda: wp.zeros((2**31 - 1,) * 4), ValueError, ["shape"]),
        (lambda: wp.zeros((2**31 - 1,) * 2), (MemoryError, ValueError), ["bytes"]),
        (lambda: wp.zeros((0, 2**31 - 1, 2**31 - 1, 2**31 - 1)), ValueError, ["shape"]),
        (lambda: wp.zeros((1, 2, 3, 4, 5)), ValueError, ["5"]),
        (lambda: wp.zeros(()), ValueError, ["0"]),
        (lambda: wp.zeros(2.5), TypeError, ["2.5"]),
        (lambda: wp.zeros("3"), TypeError, ["3"]),
        (lambda: wp.zeros(3, dtype=str), TypeError, ["str"]),
        (lambda: wp.zeros(3, n=3), TypeError, ["shape"]),
        (lambda: wp.full(3, 300, dtype=wp.int8), ValueError, ["300", "int8"]),
        (lambda: wp.full(3, 1.5, dtype=wp.int32), TypeError, ["1.5", "int32"]),
        (lambda: wp.array(ptr=16), TypeError, ["dtype"]),
        (lambda: wp.array(ptr=16, dtype=float, shape=4, capacity=8), ValueError, ["8"]),
        (lambda: wp.array(ptr=0, dtype=float, shape=4), ValueError, ["null"]),
        (lambda: wp.array(ptr=17, dtype=float, shape=4), ValueError, ["multiples"]),
    ],
)
def test_mistakes_are_named(make, error, words):
    with pytest.raises(error) as raised:
        make()
    for word in words:
        assert word in str(raised.value)


def test_pointer_and_deleter():
    buffer = (ctypes.c_float * 6)(*range(6))
    calls = []
    a = wp.array(
        ptr=ctypes.addressof(buffer),
        dtype=float,
        shape=(2, 3),
        capacity=24,
        deleter=lambda ptr, size: calls.append((ptr, size)),
    )
    assert a.numpy().tolist() == [[0, 1, 2], [3, 4, 5]]
    row = a[1]
    del a
    gc.collect()
    assert calls == []
    row[0] = 9.0
    assert buffer[3] == 9.0
    del row
    gc.collect()
    assert calls == [(ctypes.addressof(buffer), 24)]


def test_annotations():
    for a, ndim in ((wp.array(dtype=float), 1), (wp.array(dtype=float, ndim=2), 2), (wp.array3d(dtype=float), 3)):
        assert isinstance(a, wp.array)
        assert (a.ndim, a.dtype, a.size) == (ndim, wp.float32, 0)
    assert wp.array[float].ndim == 1
    assert wp.array2d[wp.vec3].ndim == 2
    assert wp.array2d[wp.vec3].dtype is wp.vec3
    assert repr(wp.array4d(dtype=wp.vec3)) == "wp.array4d[wp.vec3f]"
    assert wp.array2d([[1, 2]], dtype=int).shape == (1, 2)
    with pytest.warns(UserWarning, match="1 dimensions"):
        assert wp.array2d([1, 2], dtype=int).ndim == 1
    with pytest.raises(TypeError, match="dtype"):
        wp.array(ndim=2)


@given(st.data())
def test_indexing_means_what_numpy_means(data):
    shape = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    n = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    a = wp.array(n)
    key = []
    for size in shape[: data.draw(st.integers(0, len(shape)))]:
        if data.draw(st.booleans()):
            key.append(data.draw(st.integers(-size, size - 1)))
        else:
            key.append(data.draw(st.slices(size)))
    key = tuple(key)
    want, got = n[key], a[key]
    if isinstance(got, wp.array):
        np.testing.assert_array_equal(got.numpy(), want)
        assert got.ndim == want.ndim
        if want.size:
            assert got.numpy().__array_interface__["data"][0] >= a.ptr
            n[key] = -7
            got.fill_(-7)
            np.testing.assert_array_equal(a.numpy(), n)
    else:
        assert got == want
        assert type(got) is int


@given(st.lists(st.integers(0, 4), min_size=1, max_size=4), st.data())
def test_transpose_reshape_flatten_contiguous(shape, data):
    n = np.arange(np.prod(shape), dtype=np.float64).reshape(shape)
    a = wp.array(n)
    axes = data.draw(st.permutations(range(len(shape))))
    t = a.transpose(axes)
    np.testing.assert_array_equal(t.numpy(), n.transpose(axes))
    c = t.contiguous()
    assert c.is_contiguous
    np.testing.assert_array_equal(c.numpy(), n.transpose(axes))
    np.testing.assert_array_equal(c.flatten().numpy(), n.transpose(axes).ravel())
    assert t.list() == n.transpose(axes).ravel().tolist()
    np.testing.assert_array_equal(t.clone().numpy(), n.transpose(axes))


def test_reshape_views_the_same_memory():
    a = wp.zeros((2, 6))
    b = a.reshape((3, -1))
    assert (b.shape, b.ptr) == ((3, 4), a.ptr)
    assert a.reshape(12).shape == (12,)
    assert a.reshape(4, 3).shape == (4, 3)
    for wrong in ((5, -1), (-1, -1), (7,), (2, -3, -2)):
        with pytest.raises(ValueError, match="shape"):
            a.reshape(wrong)
    with pytest.raises(ValueError, match="contiguous"):
        a.transpose().reshape(12)


def test_elements():
    v = wp.zeros((2, 2), dtype=wp.vec3)
    v[0, 1] = wp.vec3(1, 2, 3)
    v[1] = wp.vec3(4, 4, 4)
    v[1, 0] = (7, 8, 9)
    assert v[0, 1] == wp.vec3(1, 2, 3)
    assert v.numpy()[1].tolist() == [[7, 8, 9], [4, 4, 4]]
    assert v[0].list() == [wp.vec3(0, 0, 0), wp.vec3(1, 2, 3)]
    with pytest.raises(TypeError, match="components"):
        v[0, 0] = (1, 2)
    for key in (2, -3, (0, 2)):
        with pytest.raises(IndexError, match="out of range"):
            v[key]
    for key in ((0, 0, 0), [0, 2], (None,) * 3, "a", 1.0, True):
        with pytest.raises((IndexError, TypeError)):
            v[key]
    b = wp.array([True, False], dtype=bool)
    assert b[0] is True
    assert list(b) == [True, False]


def test_assign_and_copy():
    a = wp.zeros((2, 2))
    a.assign([[1, 2], [3, 4]])
    assert a.list() == [1, 2, 3, 4]
    a.assign(np.array([[5, 6], [7, 8]]))
    assert a.list() == [5, 6, 7, 8]
    a[0] = [9, 9]
    wp.copy(a[1], a[0])
    assert a.list() == [9, 9, 9, 9]
    b = wp.array([0.0, 1, 2, 3, 4, 5])
    b[1:].assign(b[:-1])  # overlapping
    assert b.list() == [0, 0, 1, 2, 3, 4]
    s = wp.array([0.0, 1, 2, 3, 4, 5])
    s[::-1].assign(s)
    assert s.list() == [5, 4, 3, 2, 1, 0]
    wp.copy(b, s, dest_offset=4, src_offset=1, count=2)
    assert b.list() == [0, 0, 1, 2, 4, 3]
    with pytest.raises(ValueError, match="shape"):
        a.assign([1, 2, 3, 4, 5])
    with pytest.raises(ValueError, match="within dest, which has 6"):
        wp.copy(b, s, dest_offset=5, count=2)


def test_view():
    a = wp.array([1.0, 2.0], dtype=wp.float32)
    bits = a.view(wp.uint32)
    assert bits.list() == [0x3F800000, 0x40000000]
    assert bits.ptr == a.ptr
    with pytest.raises(TypeError, match="bytes"):
        a.view(wp.float64)


def test_gradients():
    a = wp.zeros((3, 2), requires_grad=True)
    assert a.grad.shape == (3, 2)
    a.grad.fill_(2.0)
    assert a[1].grad.list() == [2, 2]
    a[1].grad.zero_()
    assert a.grad.list() == [2, 2, 0, 0, 2, 2]
    assert a.reshape(6).grad.ptr == a.grad.ptr
    assert a.transpose().grad.shape == (2, 3)
    a.requires_grad = False
    assert a.grad is None
    a.requires_grad = True
    assert a.grad.list() == [0] * 6
    g = wp.ones((3, 2))
    a.grad = g
    assert a.grad is g
    a.grad = None
    assert not a.requires_grad
    for wrong in (wp.ones(6), wp.ones((3, 2), dtype=wp.float64), np.ones((2, 3), np.float32)):
        with pytest.raises((ValueError, TypeError)):
            a.grad = wrong
    n = np.ones((3, 2), np.float32)
    assert wp.zeros((3, 2), requires_grad=True).grad is not None
    assert wp.array(n, grad=g).grad is g


def test_text():
    a = wp.array([[1.5, 2], [3, 4]], dtype=float)
    assert str(a) == str(a.numpy())
    assert repr(a) == "array([[1.5, 2. ],\n       [3. , 4. ]], dtype=float32)"
    assert str(wp.array([1.5], dtype=wp.bfloat16)) == "[1.5]"


@pytest.mark.filterwarnings("ignore:array == other")
def test_identity():
    a, b = wp.zeros(2), wp.zeros(2)
    assert a != b
    assert {a: 1, b: 2}[b] == 2
    assert weakref.ref(a)() is a


@pytest.mark.parametrize("dtype", [*ALL, wp.bfloat16])
def test_one_element_is_a_number(dtype):
    """Of more, the digits 52 and 50 are no text "42"."""
    for shape in (1, (1, 1)):
        a = wp.full(shape, 1, dtype=dtype)
        for function in (int, float, complex):
            assert function(a) == 1
            assert type(function(a)) is function
        assert a.item() == 1
        assert dtype is wp.bfloat16 or a.numpy().item() == 1
        assert type(a.item()) is (float if dtype in (*FLOATS, wp.bfloat16) else bool if dtype is wp.bool else int)
    for other in (wp.array([52, 50], dtype=dtype), wp.zeros(0, dtype=dtype)):
        for function in (int, float, complex):
            with pytest.raises(
                TypeError, match=f"{function.__name__}: the array holds {other.size} numbers, expected one"
            ):
                function(other)


def test_numbers_of_arrays():
    assert int(wp.array([-2.75], dtype=float)) == -2
    assert int(wp.array([2**63 + 1], dtype=wp.uint64)) == 2**63 + 1
    assert wp.array([1.0, 5.0], dtype=float)[1:].item() == 5.0
    with pytest.raises(ValueError, match="NaN"):
        int(wp.array([np.nan], dtype=float))
    with pytest.raises(OverflowError):
        int(wp.array([np.inf], dtype=float))
    # One vector is several numbers.
    v = wp.array([wp.vec3(1, 2, 3)])
    for function in (int, float):
        with pytest.raises(TypeError, match="3 numbers"):
            function(v)
    assert v.item() == wp.vec3(1, 2, 3)
    # What would round or lose a dimension is refused.
    big, one = wp.zeros(1, dtype=wp.int64), wp.array([2**53 + 1], dtype=wp.int64)
    with pytest.raises(TypeError, match="expected a number"):
        big[0] = one
    with pytest.raises(TypeError, match=r"no index.*int\(a\)"):
        range(one)
    assert np.arange(5)[wp.array([2])].shape == (1,)
    # An annotation holds nothing.
    with pytest.raises(TypeError, match="0 numbers"):
        float(wp.array(dtype=float))


def test_item():
    n = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
    a = wp.array(n)
    whole, part = (a, n), (a.transpose()[1:, ::2], n.T[1:, ::2])
    for ours, theirs in (whole, part):
        for args in ((0,), (5,), (-1,), (1, 1, 1), (-1, 0, 1), ((0, 1, 0),)):
            assert ours.item(*args) == theirs.item(*args)
        for args in ((), (99,), (-99,), (0, 0), (0, 9, 0), (1.5,), ("x",)):
            with pytest.raises((ValueError, IndexError, TypeError)) as expected:
                theirs.item(*args)
            with pytest.raises(expected.type):
                ours.item(*args)
    with pytest.raises(IndexError):
        wp.zeros(0).item(0)


@pytest.mark.parametrize("dtype", [*ALL, wp.bfloat16, wp.vec3, wp.mat22d, wp.quat, wp.types.vector(7, wp.int16)])
def test_pickle_and_copies(dtype):
    a = wp.full((2, 3), 1, dtype=dtype)
    if dtype in (wp.float32, wp.vec3):
        a.requires_grad = True
        a.grad.fill_(2.0)
    for b in (pickle.loads(pickle.dumps(a)), copy.deepcopy(a)):
        assert (b.shape, b.dtype, b.requires_grad) == (a.shape, a.dtype, a.requires_grad)
        assert b.list() == a.list()
        assert b.ptr != a.ptr
        if a.requires_grad:
            assert b.grad.list() == a.grad.list()
            assert b.grad.ptr != a.grad.ptr
    assert copy.copy(a).ptr == a.ptr
    strided = a.transpose()
    assert pickle.loads(pickle.dumps(strided)).list() == strided.list()
    annotation = pickle.loads(pickle.dumps(wp.array2d(dtype=dtype)))
    assert (annotation.ndim, annotation.dtype) == (2, dtype)


def test_bytes():
    a = wp.array([[1, 2, 3], [4, 5, 6]], dtype=wp.int16)
    assert bytes(a) == a.numpy().tobytes()
    assert bytes(a.transpose()) == a.numpy().T.tobytes()
    assert bytes(wp.ones(2, dtype=wp.bfloat16)) == b"\x80\x3f" * 2
    assert bytes(wp.zeros(2, dtype=wp.vec3)) == bytes(24)
    assert bytes(wp.zeros(0)) == b""
    # torch.asarray would ask for a buffer first, and take it for flat float32.
    with pytest.raises(TypeError):
        memoryview(a)
