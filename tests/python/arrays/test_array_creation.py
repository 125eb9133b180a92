"""`arange`, `linspace`, `eye`, `stack`, `concatenate`, names of dtypes, and what arrays say of themselves."""

import subprocess
import sys

import numpy as np
import pytest
import warp as wp


def test_numbers_in_order_are_numpys():
    for arguments in ((5,), (2, 7), (7, 2), (1, 9, 3), (9, 1, -3), (0,)):
        found = wp.arange(*arguments)
        assert found.dtype is wp.int32
        assert found.list() == np.arange(*arguments).tolist()
    for arguments in ((2.5,), (0, 1, 0.25), (1.0, 0.0, -0.3)):
        found = wp.arange(*arguments)
        assert found.dtype is wp.float32
        np.testing.assert_allclose(found.numpy(), np.arange(*arguments), rtol=1e-6)
    assert wp.arange(3, dtype="uint8").dtype is wp.uint8
    assert wp.arange(2**60, 2**60 + 2, dtype=wp.int64).list() == [2**60, 2**60 + 1]
    for arguments, more in (
        ((0, 1), {}),
        ((0, 1, 7), {}),
        ((0, 1, 4), {"endpoint": False}),
        ((3, 1, 1), {}),
        ((0, 9, 4), {"dtype": int}),
    ):
        found = wp.linspace(*arguments, **more)
        np.testing.assert_allclose(found.numpy(), np.linspace(*arguments, **more), rtol=1e-6)
    assert wp.linspace(0, 1, 3, requires_grad=True).requires_grad
    assert wp.linspace(0, 0.1, 11).numpy()[-1] == np.float32(0.1)


def test_matrices_with_ones():
    for arguments in ((3,), (2, 4), (3, 2, 1), (2, 3, -1), (2, 2, 5)):
        np.testing.assert_array_equal(wp.eye(*arguments).numpy(), np.eye(*arguments))
    assert wp.eye(2, dtype="int64").dtype is wp.int64


def test_arrays_of_arrays_are_numpys():
    x, y = np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(2, 3) + 10
    a, b = wp.array(x), wp.array(y)
    for axis in (0, 1, 2, -1):
        np.testing.assert_array_equal(wp.stack([a, b], axis).numpy(), np.stack([x, y], axis))
    for axis in (0, 1, -1):
        np.testing.assert_array_equal(wp.concatenate((a, b[:, :], a), axis).numpy(), np.concatenate((x, y, x), axis))
    np.testing.assert_array_equal(wp.concatenate([a[:1], y, a[[0]]]).numpy(), np.concatenate([x[:1], y, x[[0]]]))
    points = wp.zeros(2, dtype=wp.vec3)
    assert wp.stack([points, points]).shape == (2, 2)
    assert wp.stack([points]).dtype is wp.vec3
    c = wp.array(x, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        loss = (wp.concatenate([c, c * 2.0], axis=1) * wp.concatenate([c, c], axis=1)).sum() + wp.stack([c, c], 1)[
            :, 0
        ].sum()
    tape.backward(loss)
    np.testing.assert_allclose(c.grad.numpy(), 6 * x + 1)


WRONG = {
    "step": (lambda: wp.arange(0, 1, 0), ValueError, "arange: step is 0"),
    "text": (lambda: wp.arange("3"), TypeError, r"arange: stop is '3' \(str\)"),
    "infinite": (lambda: wp.arange(0, float("inf")), ValueError, "arange: stop is inf"),
    "unfit": (lambda: wp.arange(300, dtype=wp.uint8), (ValueError, OverflowError), "299"),
    "dtype": (lambda: wp.arange(3, dtype=wp.vec3), TypeError, "arange: dtype is vec3f, expected a type of numbers"),
    "num": (lambda: wp.linspace(0, 1, 2.5), TypeError, r"linspace: num is 2.5 \(float\)"),
    "negative": (lambda: wp.linspace(0, 1, -1), ValueError, "linspace: num is -1"),
    "none": (lambda: wp.stack([]), ValueError, "stack: arrays is empty"),
    "one": (lambda: wp.stack(wp.zeros(3)), TypeError, "stack: arrays is array, expected a list"),
    "item": (lambda: wp.stack([wp.zeros(3), 1.0]), TypeError, "stack: array 1 is float"),
    "shapes": (lambda: wp.stack([wp.zeros(3), wp.zeros(2)]), ValueError, r"array 1 has shape \(2,\), array 0 \(3,\)"),
    "extents": (
        lambda: wp.concatenate([wp.zeros((2, 3)), wp.zeros((2, 2))]),
        ValueError,
        "may differ in dimension 0 only",
    ),
    "dtypes": (
        lambda: wp.concatenate([wp.zeros(3), wp.zeros(3, dtype=int)]),
        TypeError,
        r"array 1 holds int32.*astype",
    ),
    "axis": (
        lambda: wp.stack([wp.zeros(3)], axis=2),
        IndexError,
        "axis 2 is out of range for a result with 2 dimensions",
    ),
    "five": (lambda: wp.stack([wp.zeros((1, 1, 1, 1))]), IndexError, "number 5"),
    "name": (lambda: wp.zeros(3, dtype="float3"), TypeError, "dtype is 'float3' .*did you mean \"float32\""),
    "no name": (lambda: wp.array([1.0], dtype="real"), TypeError, "names no type; expected one of bool, int8"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(name):
    function, error, words = WRONG[name]
    with pytest.raises(error, match=words):
        function()


def test_names_of_dtypes():
    for name in ("float32", "int8", "bool", "bfloat16", "vec3", "mat22d", "quat"):
        assert wp.zeros(2, dtype=name).dtype is getattr(wp, name)
    assert wp.array([1, 2], dtype="float64").dtype is wp.float64


def test_attributes_are_numpys():
    x = np.arange(6, dtype=np.int16).reshape(2, 3)
    a = wp.array(x)
    np.testing.assert_array_equal(a.T.numpy(), x.T)
    assert (a.nbytes, a.itemsize, a[:, ::2].nbytes) == (x.nbytes, x.itemsize, x[:, ::2].nbytes)
    assert a.tolist() == x.tolist()
    assert wp.zeros((0, 2)).tolist() == []
    assert wp.zeros((2, 0)).tolist() == [[], []]
    assert wp.array([[1, 2]], dtype=wp.vec2).tolist() == [[1.0, 2.0]]
    assert wp.zeros(1, dtype=wp.vec3).itemsize == 12
    a.T.fill_(7)
    assert a.max() == 7
    for name in ("T", "nbytes"):
        with pytest.raises(AttributeError):
            setattr(a, name, a)
    program = "import warp as wp; a = wp.zeros(3); a.mean = 7; assert a.mean == 7 and wp.zeros(3).mean() == 0"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_astype():
    x = np.array([[1.7, -2.5, 0.0]])
    a = wp.array(x)
    for dtype in (wp.float32, wp.int32, wp.int8, wp.bool, wp.float16, "float64"):
        found = a.astype(dtype)
        wanted = x.astype(found.numpy().dtype)
        np.testing.assert_array_equal(found.numpy(), wanted)
    assert a.astype(float).dtype is wp.float32
    assert wp.array([True, False]).astype(int).list() == [1, 0]
    assert a.astype(wp.float64).ptr != a.ptr
    assert a.astype(wp.float64, copy=False) is a
    points = wp.array([[1.0, 2.0, 3.0]], dtype=wp.vec3)
    assert points.astype(wp.float64).dtype is points.astype(wp.vec3d).dtype is wp.vec3d
    assert wp.zeros(1, dtype=wp.transform).astype("float64").dtype is wp.transformd
    for dtype, words in (
        (wp.vec2, "an array of vec3f cannot become one of vec2f"),
        (wp.mat33, "cannot become one of mat33f"),
    ):
        with pytest.raises(TypeError, match=words):
            points.astype(dtype)


def test_notebooks_show_tables():
    table = wp.array([[1.0, 2.0], [3.0, 4.5]], dtype=float)._repr_html_()
    assert "2 × 2 float32" in table
    assert table.count("<tr>") == 2
    assert "<td>4.5</td>" in table
    assert wp.arange(100)._repr_html_().count("<tr>") == 7
    assert "…" in wp.arange(100)._repr_html_()
    assert wp.zeros((20, 30))._repr_html_().count("<td>") == 49
    assert "<pre>" in wp.zeros((2, 2, 2))._repr_html_()
    assert wp.zeros(2, dtype=wp.vec3)._repr_html_().count("<td>") == 2


def test_reprs_say_what_is_left_out():
    large = wp.array(np.arange(20000.0).reshape(20, 1000))
    assert repr(large) == f"array({repr(large.numpy())[6:].partition('], ')[0]}], shape=(20, 1000), dtype=float64)"


def test_reprs_read_nothing_while_steps_are_recorded():
    with wp.ScopedCapture():
        assert repr(wp.zeros(3)) == "array(shape=(3,), dtype=float32)"
