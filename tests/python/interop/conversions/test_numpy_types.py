"""NumPy's dtypes: what goes through, and what is refused by name."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp


@wp.kernel
def copy_floats(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i]


REFUSED = {
    "complex": (np.zeros(3, np.complex64), "complex64.*complex.*a.real"),
    "dates": (np.zeros(3, "M8[s]"), "datetime64.*dates and times.*int64"),
    "durations": (np.zeros(3, "m8[ns]"), "timedelta64.*dates and times"),
    "objects": (np.array([1, None, 2]), "object.*Python objects.*astype"),
    "text": (np.array(["a", "bc", "d"]), "str64.*text"),
    "bytes": (np.array([b"a", b"bc", b"d"]), "bytes16.*text"),
    "raw bytes": (np.zeros(3, "V5"), "void40.*raw bytes"),
    "long doubles": (np.zeros(3, np.longdouble), "(longdouble|float128).*counterpart"),
    "records": (np.zeros(3, [("x", "f4"), ("n", "i4", (2,))]), r"x: float32, n: \('<i4', \(2,\)\).*a\['x'\]"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_types_without_counterpart_are_named(name):
    n, says = REFUSED[name]
    for use in (
        lambda: wp.array(n),
        lambda: wp.array(n, copy=False),
        lambda: wp.dtype_from_numpy(n.dtype),
        lambda: wp.zeros(3).assign(n),
    ):
        with pytest.raises(TypeError, match=says):
            use()
    with pytest.raises(RuntimeError, match=says):
        wp.from_numpy(n)
    with pytest.raises(TypeError, match=f"argument 'x'.*{says}"):
        wp.launch(copy_floats, dim=3, inputs=[n], outputs=[wp.zeros(3)])


def test_narrow_floats_are_named():
    ml = pytest.importorskip("ml_dtypes")
    for name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "int4", "uint4"):
        n = np.zeros(3, getattr(ml, name))
        for use in (lambda n=n: wp.array(n), lambda n=n: wp.dtype_from_numpy(n.dtype)):
            with pytest.raises(TypeError, match=f"{name}.*uint8"):
                use()
        with pytest.raises(TypeError, match=name):
            wp.launch(copy_floats, dim=3, inputs=[n], outputs=[wp.zeros(3)])
        with pytest.raises(TypeError):
            wp.zeros(3, dtype=getattr(ml, name))


@wp.kernel
def halve(x: wp.array(dtype=wp.bfloat16), y: wp.array(dtype=wp.bfloat16)):
    i = wp.tid()
    y[i] = x[i] * wp.bfloat16(0.5)


def test_bfloat16_by_dtype_object():
    ml = pytest.importorskip("ml_dtypes")
    x = np.array([1, 2.5, -3], ml.bfloat16)
    y = np.zeros(6, ml.bfloat16)[::2]
    wp.launch(halve, dim=3, inputs=[x], outputs=[y])
    assert y.tolist() == [0.5, 1.25, -1.5]
    shared = wp.array(y, copy=False)
    assert (shared.dtype, shared.ptr) == (wp.bfloat16, y.ctypes.data)
    back = shared.numpy()
    assert (back.dtype, back.ctypes.data, back.strides) == (ml.bfloat16, y.ctypes.data, (4,))
    assert np.asarray(shared).dtype == ml.bfloat16
    for spelling in (ml.bfloat16, np.dtype(ml.bfloat16), "bfloat16"):
        assert wp.dtype_from_numpy(spelling) is wp.bfloat16
    assert wp.zeros(2, dtype=ml.bfloat16).dtype is wp.bfloat16
    assert wp.dtype_to_numpy(wp.bfloat16) == ml.bfloat16
    vectors = wp.array(np.ones((2, 3), ml.bfloat16), dtype=wp.vec3bf)
    assert vectors.numpy().shape == (2, 3)
    assert wp.from_numpy(x, dtype=float).list() == [1, 2.5, -3]


def test_bfloat16_without_ml_dtypes(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    a = wp.array([1.0, 2.5], dtype=wp.bfloat16)
    for use in (a.numpy, lambda: np.asarray(a), lambda: wp.dtype_to_numpy(wp.bfloat16)):
        with pytest.raises(TypeError, match="ml_dtypes"):
            use()
    assert "2.5" in str(a)
    assert a.view(wp.uint16).numpy().tolist() == [0x3F80, 0x4020]


def test_byte_orders_and_alignment():
    swapped = np.arange(4, dtype=np.float32).astype(">f4")
    with pytest.raises(TypeError, match="argument 'x'.*foreign order.*newbyteorder"):
        wp.launch(copy_floats, dim=4, inputs=[swapped], outputs=[wp.zeros(4)])
    with pytest.raises(TypeError, match="foreign order"):
        wp.array(swapped, copy=False)
    with pytest.raises(TypeError, match="foreign order"):
        wp.dtype_from_numpy(">f4")
    assert wp.array(swapped).list() == [0, 1, 2, 3]
    assert wp.from_numpy(swapped, dtype=wp.float64).list() == [0, 1, 2, 3]
    assert wp.array(memoryview(swapped)).list() == [0, 1, 2, 3]
    one_byte = np.arange(4, dtype=np.uint8).astype(">u1")
    assert wp.array(one_byte, copy=False).list() == [0, 1, 2, 3]
    packed = np.zeros(4, [("flag", "u1"), ("x", "f4")])
    packed["x"] = [1, 2, 3, 4]
    with pytest.raises(ValueError, match="argument 'x'.*multiples of 4"):
        wp.launch(copy_floats, dim=4, inputs=[packed["x"]], outputs=[wp.zeros(4)])
    assert wp.array(packed["x"]).list() == [1, 2, 3, 4]
    aligned = np.zeros(4, np.dtype([("flag", "u1"), ("x", "f4")], align=True))
    wp.launch(copy_floats, dim=4, inputs=[wp.array([1.0, 2.0, 3.0, 4.0], dtype=float)], outputs=[aligned["x"]])
    assert aligned["x"].tolist() == [1, 2, 3, 4]
    assert aligned["flag"].tolist() == [0] * 4


def test_masked_arrays():
    masked = np.ma.masked_array(np.arange(4, dtype=np.float32), mask=[0, 1, 0, 0])
    for use in (
        lambda: wp.array(masked),
        lambda: wp.array(masked, copy=False),
        lambda: wp.launch(copy_floats, dim=4, inputs=[masked], outputs=[wp.zeros(4)]),
    ):
        with pytest.raises(TypeError, match=r"masked.*filled"):
            use()
    assert wp.array(masked.filled(9)).list() == [0, 9, 2, 3]
    assert wp.array(np.ma.masked_array(np.ones(2, np.float32))).list() == [1, 1]


def test_zero_dimensions():
    one = np.array(3, np.float32)
    out = np.array(0, np.float32)
    wp.launch(copy_floats, dim=1, inputs=[one], outputs=[out])
    assert out == 3
    shared = wp.array(one, copy=False)
    assert shared.shape == (1,)
    shared.fill_(5.0)
    assert one == 5


def test_lists_need_no_numpy(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "numpy", None)
    assert wp.array([1, 2, 3]).dtype is wp.int64
    assert wp.array([1.0, 2]).dtype is wp.float64
    assert wp.array([True, False]).dtype is wp.bool
    assert wp.array([2**63]).dtype is wp.uint64
    assert wp.array([]).dtype is wp.float32
    assert wp.array([[]]).shape == (1, 0)
    a = wp.array([[1, 2, 3], [4, 5, 6.9]], dtype=wp.vec3i)
    assert a.list() == [wp.vec3i(1, 2, 3), wp.vec3i(4, 5, 6)]
    assert wp.array([wp.vec2(1, 2), wp.vec2(3, 4)]).dtype is wp.vec2
    assert wp.array([[wp.mat22(1, 2, 3, 4)]]).shape == (1, 1)
    assert wp.array([wp.float16(1), 2.5]).list() == [1, 2.5]
    assert wp.array(((1.0, 2.0), [3.0, 4.0]), dtype=wp.bfloat16).shape == (2, 2)
    assert wp.array([1.0, 2.0, 3.0], dtype=wp.vec3).shape == (1,)
    for wrong, says in (
        ([[1], [2, 3]], "shape of an array"),
        ([1, [2]], "shape of an array"),
        ([[1], 2], "shape of an array"),
        ([[[[[[[1]]]]]]], "shape of an array|dimensions"),
        ([float("nan")], "NaN"),
        ([300], "300"),
    ):
        with pytest.raises(ValueError, match=says):
            wp.array(wrong, dtype=wp.uint8)
    with pytest.raises(TypeError, match="ends in the dimensions"):
        wp.array([1.0, 2.0], dtype=wp.vec3)
    with pytest.raises(TypeError, match="not installed"):
        wp.array(["text"])
