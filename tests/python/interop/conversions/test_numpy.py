"""NumPy arrays in and out."""

from __future__ import annotations

import array as stdlib_array
import gc
import sys

import numpy as np
import pytest
import warp as wp
from hypothesis import given
from hypothesis import strategies as st

NAMES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
EVERY = NAMES + FLOATS


# What NumPy 1 lacks: arrays that are read-only through DLPack, `copy=` of `asarray` and `from_dlpack`.
OF_NUMPY_2 = pytest.mark.skipif(np.__version__ < "2", reason="NumPy 1 lacks what the test calls")


@pytest.mark.parametrize("name", EVERY)
def test_dtypes_both_ways(name):
    t = getattr(wp, name)
    assert wp.dtype_to_numpy(t) == np.dtype(name)
    for spelling in (np.dtype(name), getattr(np, name if name != "bool" else "bool_"), name):
        assert wp.dtype_from_numpy(spelling) is t
    n = np.zeros(3, dtype=wp.dtype_to_numpy(t))
    for a in (wp.from_numpy(n), wp.array(n), wp.array(n, copy=False)):
        assert a.dtype is t
        assert a.numpy().dtype == n.dtype
    assert wp.zeros(2, dtype=np.dtype(name)).dtype is t


@pytest.mark.parametrize("name", EVERY)
def test_numpy_knows_our_types(name):
    t = getattr(wp, name)
    assert np.dtype(t) == np.zeros(3, dtype=t).dtype == np.dtype(name)
    assert np.dtype(name) == t
    # A value is no array, and is read as ever.
    assert not hasattr(t(1), "dtype")
    assert wp.array(np.ones(2, dtype=t)).dtype is t


def test_numpy_knows_our_composites_and_structs():
    assert np.zeros(2, dtype=wp.vec3).shape == (2, 3)
    assert np.zeros(2, dtype=wp.mat22d).dtype == np.float64
    assert not hasattr(wp.vec3(), "dtype")

    @wp.struct
    class Point:
        at: wp.vec3
        mass: wp.float64

    records = np.zeros(2, dtype=Point)
    assert records.dtype == Point.numpy_dtype()
    assert wp.array(records, dtype=Point, copy=False).numpy().dtype == records.dtype
    with pytest.raises(AttributeError, match="no field 'dtype'"):
        Point().dtype

    @wp.struct
    class Held:
        data: wp.array[float]
        n: int

    # Addresses are shown, and nobody else writes them.
    assert Held.numpy_dtype()["data"].names == ("data", "grad", "shape", "strides", "ndim")
    with pytest.raises(TypeError, match="keep no array alive"):
        wp.array(np.zeros(2, dtype=Held.numpy_dtype()), dtype=Held)
    array = wp.array([Held()], dtype=Held)
    shown = array.numpy()
    with pytest.raises(ValueError, match="read-only"):
        shown["data"]["data"] = 1
    array["n"].numpy()[0] = 3
    assert shown["n"].tolist() == [3]
    with pytest.raises(TypeError, match="holds arrays"):
        array.view(wp.types.vector(shown.itemsize // 8, dtype=wp.uint64))
    with pytest.raises(TypeError, match="holds arrays"):
        wp.zeros((1, 1), dtype=wp.types.vector(shown.itemsize // 8, dtype=wp.uint64)).view(Held)


def test_other_names_of_dtypes():
    assert wp.dtype_from_numpy(np.longlong) is wp.int64
    assert wp.dtype_from_numpy(np.intp) is wp.int64
    assert wp.dtype_to_numpy(float) == np.float32
    assert wp.dtype_to_numpy(int) == np.int32
    assert np.zeros(4, dtype=wp.dtype_to_numpy(wp.vec3)).shape == (4, 3)
    assert np.zeros(4, dtype=wp.dtype_to_numpy(wp.mat22d)).shape == (4, 2, 2)
    for wrong in (np.complex64, ">f4", "U3", [("x", "f4")], np.longdouble, "M8[s]"):
        with pytest.raises(TypeError):
            wp.dtype_from_numpy(wrong)
    with pytest.raises(TypeError, match="str"):
        wp.dtype_to_numpy(str)


@pytest.mark.parametrize("dtype", [np.complex64, np.longdouble, "U3", "M8[s]"])
def test_unsupported_types_raise_runtime_error(dtype):
    with pytest.raises(RuntimeError, match="no counterpart"):
        wp.from_numpy(np.zeros(3, dtype=dtype))


def test_copies_and_views():
    n = np.arange(6, dtype=np.float32).reshape(2, 3)
    copied = wp.from_numpy(n, dtype=wp.float32)
    assert copied.ptr != n.ctypes.data
    shared = wp.array(n, copy=False)
    assert shared.ptr == n.ctypes.data
    assert shared.numpy().ctypes.data == n.ctypes.data
    n[0, 0] = 9
    assert shared[0, 0] == 9
    assert copied[0, 0] == 0
    shared[1, 2] = 7.0
    assert n[1, 2] == 7
    assert wp.from_numpy(n, shape=(3, 2)).shape == (3, 2)
    assert wp.from_numpy(n, dtype=wp.float64).dtype is wp.float64
    assert wp.from_numpy(n, dtype=wp.vec3, requires_grad=True).grad.dtype is wp.vec3
    assert wp.array(n, dtype=wp.float64, copy=False).ptr != n.ctypes.data


def test_inner_dimensions_become_components():
    n = np.arange(24, dtype=np.float64).reshape(2, 3, 2, 2)
    m = wp.array(n, dtype=wp.mat22d, copy=False)
    assert (m.shape, m.strides) == ((2, 3), (96, 32))
    np.testing.assert_array_equal(m.numpy(), n)
    assert m[1, 2] == wp.mat22d(20, 21, 22, 23)
    q = wp.array(np.zeros((5, 4), np.float32), dtype=wp.quat)
    assert q.shape == (5,)
    one = wp.array(np.ones(3, np.float32), dtype=wp.vec3)
    assert one.shape == (1,)
    with pytest.raises(TypeError, match="3"):
        wp.array(np.zeros((5, 4), np.float32), dtype=wp.vec3, copy=False)
    with pytest.raises(ValueError, match="contiguous in memory"):
        wp.array(np.zeros((3, 5), np.float32).T, dtype=wp.vec3, copy=False)


@pytest.mark.parametrize("kind", ["rows and columns swapped", "reversed", "every other", "converted", "one axis more"])
def test_components_that_lie_apart_are_copied_together(kind):
    n = np.arange(36, dtype=np.float32).reshape(3, 12).T
    n = {
        "rows and columns swapped": n,
        "reversed": n[::-1, ::-1],
        "every other": n[1::2],
        "converted": n.astype(np.int16, order="F"),
        "one axis more": n.reshape(4, 3, 3),
    }[kind]
    for made in (wp.array(n, dtype=wp.vec3), wp.from_numpy(n, dtype=wp.vec3)):
        assert made.shape == n.shape[:-1]
        np.testing.assert_array_equal(made.numpy(), n)
    other = wp.zeros(n.shape[:-1], dtype=wp.vec3)
    other.assign(n)
    np.testing.assert_array_equal(other.numpy(), n)
    m = np.arange(72, dtype=np.float64).reshape(2, 3, 12).T
    np.testing.assert_array_equal(wp.array(m, dtype=wp.types.matrix((3, 2), float)).numpy(), m)


EDGES = {
    "negative strides": np.arange(6, dtype=np.float32)[::-1],
    "transposed": np.arange(6, dtype=np.float32).reshape(2, 3).T,
    "broadcast": np.broadcast_to(np.float32(2), (3, 4)),
    "0-d": np.array(3, np.float32),
    "empty": np.zeros((0, 3), np.float32),
    "column major": np.asfortranarray(np.ones((2, 3))),
    "slice": np.arange(24, dtype=np.int16).reshape(4, 6)[1::2, ::3],
    "4-d": np.ones((1, 2, 3, 4), np.uint8),
}


@pytest.mark.parametrize("name", EDGES)
def test_every_layout(name):
    n = EDGES[name]
    for a in (wp.array(n), wp.array(n, copy=False)):
        np.testing.assert_array_equal(a.numpy().reshape(n.shape), n)
    assert wp.array(n).is_contiguous


def test_foreign_byte_order_and_alignment():
    swapped = np.arange(4, dtype=">f4")
    np.testing.assert_array_equal(wp.array(swapped).numpy(), swapped)
    with pytest.raises(TypeError, match="foreign order"):
        wp.array(swapped, copy=False)
    misaligned = np.frombuffer(bytearray(17), np.uint8)[1:].view(np.float32)
    np.testing.assert_array_equal(wp.array(misaligned).numpy(), misaligned)
    with pytest.raises(ValueError, match="multiples of 4"):
        wp.array(misaligned, copy=False)


@OF_NUMPY_2
def test_read_only_stays_read_only():
    n = np.zeros(4, np.float32)
    n.flags.writeable = False
    a = wp.array(n, copy=False)
    assert a.read_only
    assert not a.numpy().flags.writeable
    assert a.__array_interface__["data"][1]
    for write in (
        lambda: a.fill_(1.0),
        a.zero_,
        lambda: a.assign([1, 2, 3, 4]),
        lambda: a.__setitem__(0, 1.0),
        lambda: a[1:].zero_(),
        lambda: wp.copy(a, wp.zeros(4)),
    ):
        with pytest.raises(ValueError, match="read-only"):
            write()
    assert n.tolist() == [0] * 4
    with pytest.raises(BufferError, match="read-only"):
        a.__dlpack__()
    assert not np.from_dlpack(a).flags.writeable
    assert not a.clone().read_only
    b = wp.array(b"abcd", copy=False)
    assert (b.dtype, b.read_only, b.list()) == (wp.uint8, True, [97, 98, 99, 100])


def test_too_many_dimensions():
    with pytest.raises(ValueError, match="4 dimensions"):
        wp.array(np.zeros((1,) * 5, np.float32))
    with pytest.raises(ValueError, match="dimensions"):
        wp.array(np.zeros((1,) * 9, np.float32))
    assert wp.array(np.zeros((1, 1, 1, 1, 3), np.float32), dtype=wp.vec3).ndim == 4


@OF_NUMPY_2
def test_the_array_protocols():
    a = wp.array([[1, 2], [3, 4]], dtype=float)
    assert np.asarray(a).ctypes.data == a.ptr
    assert np.array(a).ctypes.data != a.ptr
    assert np.asarray(a, dtype=np.float64).tolist() == [[1, 2], [3, 4]]
    assert np.asarray(a, dtype=np.float32, copy=False).ctypes.data == a.ptr
    with pytest.raises(ValueError, match="copy"):
        np.asarray(a, dtype=np.float64, copy=False)
    assert np.from_dlpack(a).ctypes.data == a.ptr
    t = a.transpose()
    np.testing.assert_array_equal(np.from_dlpack(t), a.numpy().T)
    i = t.__array_interface__
    assert (i["typestr"], i["shape"], i["strides"], i["version"]) == ("<f4", (2, 2), (4, 8), 3)
    assert not hasattr(a, "__cuda_array_interface__")


class Interface:
    """An object with nothing but an `__array_interface__`."""

    def __init__(self, n):
        self.n = n

    @property
    def __array_interface__(self):
        return self.n.__array_interface__


class Converts:
    def __init__(self, n):
        self.n = n

    def __array__(self, dtype=None, copy=None):
        return self.n


class Exports:
    """A producer of DLPack from before versions."""

    def __init__(self, n):
        self.n = n

    def __dlpack__(self, stream=None):
        return self.n.__dlpack__()

    def __dlpack_device__(self):
        return (1, 0)


@pytest.mark.parametrize("wrap", [Interface, Converts, Exports, memoryview])
def test_objects_with_array_memory(wrap):
    n = np.arange(6, dtype=np.float32).reshape(2, 3)
    before = sys.getrefcount(n)
    a = wp.array(wrap(n), copy=False)
    assert a.ptr == n.ctypes.data
    assert wp.array(wrap(n)).ptr != n.ctypes.data
    assert wp.array(wrap(n), dtype=wp.vec3).shape == (2,)
    gc.collect()
    del a
    gc.collect()
    assert sys.getrefcount(n) == before
    assert wp.array(stdlib_array.array("d", [1, 2])).list() == [1, 2]


def test_a_cuda_object_is_named():
    class Cuda:
        @property
        def __cuda_array_interface__(self):
            return {"shape": (1,), "typestr": "<f4", "data": (64, False), "version": 3}

    with pytest.raises(TypeError, match="CUDA"):
        wp.array(Cuda())


@given(st.sampled_from(EVERY), st.sampled_from(EVERY), st.lists(st.integers(0, 100), min_size=1, max_size=9))
def test_copies_convert_as_numpy_does(source, target, values):
    n = np.array(values).astype(source)
    a = wp.array(n, dtype=getattr(wp, target))
    np.testing.assert_array_equal(a.numpy(), n.astype(target))


def test_bfloat16_without_numpy():
    a = wp.array([1.0, 2.5, 3.0078125], dtype=wp.bfloat16)
    assert a.list() == [1.0, 2.5, 3.0]
    assert a.view(wp.uint16).numpy().tolist() == [0x3F80, 0x4020, 0x4040]
    assert wp.array(a, dtype=wp.float32).list() == [1.0, 2.5, 3.0]
    with pytest.raises(AttributeError, match="bfloat16"):
        a.__array_interface__
    try:
        import ml_dtypes
    except ImportError:
        with pytest.raises(TypeError, match="ml_dtypes"):
            a.numpy()
    else:
        n = a.numpy()
        assert n.dtype == ml_dtypes.bfloat16
        assert wp.array(n, copy=False).ptr == a.ptr


@OF_NUMPY_2
def test_dlpack_arguments():
    a = wp.zeros(3)
    copied = np.from_dlpack(a, copy=True)
    assert copied.ctypes.data != a.ptr
    assert a.__dlpack_device__() == (1, 0)
    a.__dlpack__(stream=-1)
    with pytest.raises(ValueError, match="stream"):
        a.__dlpack__(stream=3)
    with pytest.raises(BufferError, match="device"):
        a.__dlpack__(dl_device=(2, 0))
    assert "dltensor_versioned" in repr(a.__dlpack__(max_version=(1, 0)))
    assert '"dltensor"' in repr(a.__dlpack__(max_version=(0, 8)))
