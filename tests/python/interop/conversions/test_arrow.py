"""Arrays for readers of Apache Arrow: `__arrow_c_array__`, read as its specification says."""

from __future__ import annotations

import ctypes as ct
import gc
from typing import Any

import numpy as np
import pytest
import warp as wp


class Schema(ct.Structure):
    """`struct ArrowSchema`."""


class Data(ct.Structure):
    """`struct ArrowArray`."""


Schema._fields_ = [
    ("format", ct.c_char_p),
    ("name", ct.c_char_p),
    ("metadata", ct.c_char_p),
    ("flags", ct.c_int64),
    ("n_children", ct.c_int64),
    ("children", ct.POINTER(ct.POINTER(Schema))),
    ("dictionary", ct.POINTER(Schema)),
    ("release", ct.CFUNCTYPE(None, ct.POINTER(Schema))),
    ("private_data", ct.c_void_p),
]
Data._fields_ = [
    ("length", ct.c_int64),
    ("null_count", ct.c_int64),
    ("offset", ct.c_int64),
    ("n_buffers", ct.c_int64),
    ("n_children", ct.c_int64),
    ("buffers", ct.POINTER(ct.c_void_p)),
    ("children", ct.POINTER(ct.POINTER(Data))),
    ("dictionary", ct.POINTER(Data)),
    ("release", ct.CFUNCTYPE(None, ct.POINTER(Data))),
    ("private_data", ct.c_void_p),
]
POINTER_OF = ct.pythonapi.PyCapsule_GetPointer
POINTER_OF.restype, POINTER_OF.argtypes = ct.c_void_p, [ct.py_object, ct.c_char_p]


def nodes(a: Any) -> tuple[Any, Schema, Data]:
    """The capsules of an array, which own what they point to, and the two structures."""
    capsules = a.__arrow_c_array__()
    schema = Schema.from_address(POINTER_OF(capsules[0], b"arrow_schema"))
    return capsules, schema, Data.from_address(POINTER_OF(capsules[1], b"arrow_array"))


def described(schema: Schema, data: Data) -> list[tuple[str, int]]:
    """Formats and lengths from the outermost to the innermost."""
    assert schema.n_children == data.n_children
    assert (data.null_count, data.offset, data.n_buffers) == (0, 0, 1 if data.n_children else 2)
    here = [(schema.format.decode(), data.length)]
    return here + (described(schema.children[0][0], data.children[0][0]) if schema.n_children else [])


def innermost(data: Data) -> Data:
    return innermost(data.children[0][0]) if data.n_children else data


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: wp.array([1.0, 2.0, 3.0], dtype=float), [("f", 3)]),
        (lambda: wp.array([1, 2], dtype=wp.uint8), [("C", 2)]),
        (lambda: wp.array([1.0, 2.0], dtype=wp.float16), [("e", 2)]),
        (lambda: wp.zeros((2, 3), dtype=wp.int64), [("+w:3", 2), ("l", 6)]),
        (lambda: wp.zeros(4, dtype=wp.vec3d), [("+w:3", 4), ("g", 12)]),
        (lambda: wp.zeros((2, 3), dtype=wp.mat22), [("+w:3", 2), ("+w:2", 6), ("+w:2", 12), ("f", 24)]),
        (lambda: wp.zeros(0, dtype=float), [("f", 0)]),
        (lambda: wp.zeros(6, dtype=int)[::2], [("i", 3)]),
    ],
)
def test_formats(make, expected):
    capsules, schema, data = nodes(make())
    assert described(schema, data) == expected
    del capsules


def test_the_memory_is_the_arrays_own_and_outlives_it():
    a = wp.array(np.arange(6), dtype=float).reshape((2, 3))
    address = a.ptr
    capsules, _, data = nodes(a)
    numbers = innermost(data).buffers[1]
    assert (innermost(data).buffers[0], numbers) == (None, address)
    del a
    gc.collect()
    assert list((ct.c_float * 6).from_address(numbers)) == [0, 1, 2, 3, 4, 5]
    del capsules


def test_bools_are_packed():
    values = [True, False, False, True, False, False, False, False, True]
    capsules, schema, data = nodes(wp.array(values, dtype=bool))
    assert schema.format == b"b"
    assert list((ct.c_uint8 * 2).from_address(data.buffers[1])) == [0b1001, 1]
    del capsules


def test_readers_release_what_they_take():
    a = wp.zeros((2, 3), dtype=wp.vec3)
    capsules, schema, data = nodes(a)
    # As a reader does: it moves the structures, children first, and releases them when it likes.
    moved = Data.from_buffer_copy(bytes(data))
    data.release = ct.CFUNCTYPE(None, ct.POINTER(Data))()
    del capsules
    gc.collect()
    assert described_lengths(moved) == [2, 6, 18]
    moved.release(ct.byref(moved))
    assert not moved.release


def described_lengths(data: Data) -> list[int]:
    return [data.length, *(described_lengths(data.children[0][0]) if data.n_children else [])]


@wp.struct
class Particle:
    mass: float


def test_what_arrow_has_no_type_for_is_refused():
    with pytest.raises(TypeError, match=r"Arrow has no type for elements of bfloat16; convert them, as a\.astype"):
        wp.zeros(2, dtype=wp.bfloat16).__arrow_c_array__()
    particles = wp.zeros(2, dtype=Particle)
    with pytest.raises(TypeError, match=r"Arrow has no type for elements of .*Particle, a struct; pass its fields"):
        particles.__arrow_c_array__()
    capsules, schema, _ = nodes(particles["mass"])
    assert schema.format == b"f"
    del capsules


def test_polars_and_pyarrow():
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    a = wp.array([1.0, 2.0, 3.0], dtype=float)
    assert pl.Series("x", a).to_list() == pa.array(a).to_pylist() == [1.0, 2.0, 3.0]
    points = wp.array([[1, 2, 3], [4, 5, 6]], dtype=wp.vec3)
    assert pl.Series(points).to_list() == pa.array(points).to_pylist() == [[1, 2, 3], [4, 5, 6]]
    assert pa.array(wp.array([True, False, True], dtype=bool)).to_pylist() == [True, False, True]
    frame = pl.DataFrame({"a": a, "p": wp.zeros((3, 2), dtype=int)})
    assert frame.shape == (3, 2)
