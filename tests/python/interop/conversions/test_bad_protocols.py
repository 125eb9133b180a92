"""Objects that offer memory by a protocol, and say of it what is wrong."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
import warp as wp
from hypothesis import given, settings
from hypothesis import strategies as st

from .offered import Interface, double

BAD_INTERFACES = {
    "a newer version": ({"version": 4}, "version 4"),
    "no version": ({"version": "three"}, "'version'"),
    "a mask": ({"mask": np.zeros(4, bool)}, "mask"),
    "no type": ({"typestr": None}, "'typestr' is missing"),
    "a type that is no string": ({"typestr": 4}, "'typestr'"),
    "nonsense as type": ({"typestr": "float32"}, "type string"),
    "foreign order": ({"typestr": ">f4"}, "foreign order"),
    "complex": ({"typestr": "<c8"}, "complex"),
    "objects": ({"typestr": "|O8"}, "objects"),
    "dates": ({"typestr": "<M8[s]"}, "type string"),
    "text": ({"typestr": "<U1"}, "text"),
    "records": ({"typestr": "|V4", "descr": [("x", "<f4")]}, r"\('x', '<f4'\)"),
    "no shape": ({"shape": None}, "'shape' is missing"),
    "a shape of floats": ({"shape": (4.0,)}, "'shape'"),
    "a negative shape": ({"shape": (-4,)}, "dimension of -4"),
    "a huge shape": ({"shape": (2**40,)}, "out of range"),
    "a shape beyond 64 bits": ({"shape": (2**70,)}, "'shape'"),
    "too many dimensions": ({"shape": (1,) * 40, "strides": (4,) * 40}, "dimensions"),
    "other strides": ({"strides": (4, 4)}, "2 strides for 1 dimensions"),
    "overflowing strides": ({"strides": (2**62,)}, "out of range"),
    "unaligned strides": ({"strides": (5,)}, "multiples of 4"),
    "no address": ({"data": (0, False)}, "no memory"),
    "an unaligned address": ({"data": (66, False)}, "multiples of 4"),
    "data of another kind": ({"data": 5}, "'data'"),
    "half a pair": ({"data": (5,)}, "'data'"),
    "data too short": ({"data": bytes(15)}, "15 bytes"),
    "an offset behind the data": ({"data": bytes(16), "offset": 4}, "16 bytes"),
    "an offset before the data": ({"data": bytes(64), "offset": -4}, "64 bytes"),
    "strides out of the data": ({"data": bytes(16), "strides": (-4,)}, "16 bytes"),
}


@pytest.mark.parametrize("name", BAD_INTERFACES)
def test_bad_interfaces_are_refused(name):
    changes, says = BAD_INTERFACES[name]
    bad = Interface(np.zeros(4, np.float32), **changes)
    for use in (
        lambda: wp.array(bad, copy=False),
        lambda: wp.launch(double, dim=1, inputs=[bad], outputs=[wp.zeros(4)]),
    ):
        with pytest.raises((TypeError, ValueError), match=says):
            use()


def test_bad_methods_are_refused():
    class Odd:
        def __init__(self, result):
            self.result = result

        def __array__(self, dtype=None, copy=None):
            return self.result

    for result in (None, 3, [1, 2], "text", Odd(None)):
        with pytest.raises(TypeError, match="expected a NumPy array"):
            wp.array(Odd(result))
    itself = Odd(None)
    itself.result = itself
    with pytest.raises(TypeError, match="expected a NumPy array"):
        wp.array(itself)

    class Raises:
        def __array__(self, dtype=None, copy=None):
            raise KeyError("my own")

    with pytest.raises(KeyError, match="my own"):
        wp.array(Raises())
    with pytest.raises(KeyError, match="my own"):
        wp.launch(double, dim=1, inputs=[Raises()], outputs=[wp.zeros(1)])


def test_classes_and_bad_capsules_are_no_arrays():
    for wrong in (Interface, np.ndarray, object(), {}, {1, 2}, 1.5, "text", range(3)):
        with pytest.raises(TypeError):
            wp.launch(double, dim=1, inputs=[wrong], outputs=[wp.zeros(1)])

    class Wrong:
        __array_struct__ = 5

    with pytest.raises(TypeError, match="capsule"):
        wp.array(Wrong())

    class Dictionary:
        __array_interface__ = 5

    with pytest.raises(TypeError, match="dict"):
        wp.array(Dictionary())


INTERFACE = st.fixed_dictionaries(
    {
        "typestr": st.sampled_from(["<f4", "<i8", "|u1", "|b1", "=f8", ">i2", "<c8", "f4", "", "|V3"]),
        "shape": st.lists(st.integers(-1, 5) | st.integers(), max_size=8).map(tuple),
        "strides": st.none() | st.lists(st.integers(-16, 16) | st.integers(), max_size=8).map(tuple),
        "offset": st.sampled_from([0, 0, 1, 4, 8, -1, 63, 64, 2**63, -(2**63)]),
        "data": st.sampled_from([bytes(range(64)), bytearray(range(64)), b"", None]),
        "version": st.sampled_from([3, 3, 3, 2, 9, None]),
    }
)


@settings(max_examples=3000)
@given(INTERFACE)
def test_mutated_interfaces_end_in_an_error_or_in_the_right_values(interface):
    """What NumPy reads there is what counts."""

    class Odd:
        __array_interface__ = interface

    try:
        a = wp.array(Odd(), copy=False)
    except (TypeError, ValueError, OverflowError):
        return
    expected = np.ndarray(
        interface["shape"],
        np.dtype(interface["typestr"]),
        np.frombuffer(interface["data"], np.uint8),
        interface["offset"] if 0 not in interface["shape"] else 0,
        interface["strides"] if 0 not in interface["shape"] else None,
    )
    np.testing.assert_array_equal(a.numpy().reshape(expected.shape), expected)
    assert a.read_only == isinstance(interface["data"], bytes)


class Raw(ctypes.Structure):
    """`PyArrayInterface` of NumPy's headers."""

    _fields_ = [
        ("two", ctypes.c_int),
        ("nd", ctypes.c_int),
        ("typekind", ctypes.c_char),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_int),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("data", ctypes.c_void_p),
        ("descr", ctypes.c_void_p),
    ]


class Structured:
    """An object whose structure was written by hand; it keeps what the structure points to."""

    def __init__(self, n, **changes):
        numbers = ctypes.c_ssize_t * 40
        self.kept = (n, numbers(*n.shape), numbers(*n.strides))
        kind, size = n.dtype.kind.encode(), n.itemsize
        self.raw = Raw(2, n.ndim, kind, size, 0x700, self.kept[1], self.kept[2], n.ctypes.data, None)
        for name, value in changes.items():
            setattr(self.raw, name, value)
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.__array_struct__ = make(ctypes.addressof(self.raw), None, None)


BAD_STRUCTURES = {
    "no structure": ({"two": 3}, "3 instead of 2"),
    "negative dimensions": ({"nd": -1}, "-1 dimensions"),
    "too many dimensions": ({"nd": 40}, "40 dimensions"),
    "no shape": ({"shape": None}, "without shape"),
    "complex": ({"typekind": b"c", "itemsize": 8}, "c8.*complex"),
    "an odd size": ({"itemsize": 3}, "f3.*counterpart"),
    "a negative size": ({"itemsize": -4}, "f0.*counterpart"),
    "foreign order": ({"flags": 0x500}, "foreign order"),
    "no memory": ({"data": None}, "no memory"),
    "unaligned memory": ({"data": 66}, "multiples of 4"),
}


@pytest.mark.parametrize("name", BAD_STRUCTURES)
def test_bad_structures_are_refused(name):
    changes, says = BAD_STRUCTURES[name]
    bad = Structured(np.zeros(4, np.float32), **changes)
    for use in (
        lambda: wp.array(bad, copy=False),
        lambda: wp.launch(double, dim=1, inputs=[bad], outputs=[wp.zeros(4)]),
    ):
        with pytest.raises((TypeError, ValueError), match=says):
            use()


def test_structures_with_what_may_be_missing():
    n = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert wp.array(Structured(n, strides=None), copy=False).numpy().tolist() == n.tolist()
    assert wp.array(Structured(n, flags=0x300), copy=False).read_only
    assert wp.array(Structured(n, nd=0), copy=False).list() == [0]
    assert wp.array(Structured(n[:0], data=None), copy=False).shape == (0, 3)
