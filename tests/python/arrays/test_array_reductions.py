"""Sums, means, least and greatest elements of arrays as NumPy has them, and their gradients."""

import math

import numpy as np
import pytest
import warp as wp

NAMES = ["sum", "mean", "min", "max", "argmin", "argmax", "any", "all"]
# Shapes that take one pass, and several: of rows in one piece, in lanes, and in chunks.
SHAPES = [(1,), (70,), (3, 4), (2, 3, 4), (3, 1, 2, 5), (9001,), (3, 2000), (2000, 3)]


def values(shape, dtype):
    numbers = np.random.default_rng(1).random(shape) * 20 - 5
    return numbers > 0 if dtype == np.bool_ else numbers.astype(dtype)


def axes_of(name, ndim):
    several = [(0, 1), (-1, 0)] if ndim > 1 and not name.startswith("arg") else []
    return [None, *range(-1, ndim), *several]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.uint8, np.bool_])
def test_reductions_are_numpys(dtype):
    for shape in SHAPES:
        x = values(shape, dtype)
        a = wp.array(x)
        for name in NAMES:
            for axis in axes_of(name, len(shape)):
                for keepdims in (False, True):
                    want = getattr(x, name)(axis=axis, keepdims=keepdims)
                    found = getattr(a, name)(axis, keepdims=keepdims)
                    case = (shape, name, axis, keepdims)
                    assert np.shape(found.numpy() if isinstance(found, wp.array) else found) == np.shape(want), case
                    seen = found.numpy() if isinstance(found, wp.array) else found
                    np.testing.assert_allclose(seen, want, rtol=1e-5, err_msg=str(case))
                    if isinstance(found, wp.array):
                        assert found.numpy().dtype == (np.int32 if name.startswith("arg") else want.dtype), case
                    else:
                        assert type(found) in (bool, int, float), case


def test_reductions_of_arrays_with_gaps():
    x = values((6, 8, 4), np.float32)
    a, x = wp.array(x)[::2, 1:7, ::-1].transpose([2, 0, 1]), x[::2, 1:7, ::-1].transpose(2, 0, 1)
    for name in NAMES:
        for axis in axes_of(name, 3):
            found = getattr(a, name)(axis)
            found = found.numpy() if isinstance(found, wp.array) else found
            np.testing.assert_allclose(found, getattr(x, name)(axis=axis), rtol=1e-5, err_msg=f"{name} {axis}")


def test_what_is_not_a_number_is_least_and_greatest():
    x = np.array([1, np.nan, 3, -np.nan, 0], np.float32)
    a = wp.array(x)
    assert math.isnan(a.min())
    assert math.isnan(a.max())
    assert a.argmin() == a.argmax() == 1
    late = np.zeros(9000, np.float32)
    late[8888] = np.nan
    assert wp.array(late).argmax() == 8888
    assert math.isnan(wp.array(late).min())
    assert wp.zeros(9000).argmax() == 0
    assert wp.array(np.arange(9000) // 8999).argmax() == 8999


def test_reductions_of_elements_with_components():
    x = values((5, 3), np.float32)
    a = wp.array(x, dtype=wp.vec3)
    for name in ("sum", "mean", "min", "max"):
        found = getattr(a, name)()
        assert type(found) is wp.vec3
        np.testing.assert_allclose(list(found), getattr(x, name)(axis=0), rtol=1e-5)
        np.testing.assert_allclose(getattr(a, name)(keepdims=True).numpy(), getattr(x, name)(axis=0)[None], rtol=1e-5)
    matrices = wp.array(x[:4, :2].reshape(2, 2, 2), dtype=wp.mat22)
    np.testing.assert_allclose(np.array(matrices.max()), x[:4, :2].reshape(2, 2, 2).max(axis=0))
    assert type(wp.array([[1, 2]], dtype=wp.vec2i).sum()) is wp.types.vector(2, wp.int64)
    for name in ("argmin", "argmax", "any", "all"):
        with pytest.raises(TypeError, match=f"{name}: an array of vec3f"):
            getattr(a, name)()


def test_integers_are_summed_wide_and_small_floats_do_not_overflow():
    assert wp.array([2**31 - 1] * 3, dtype=wp.int32).sum() == 3 * (2**31 - 1)
    assert wp.array([255] * 300, dtype=wp.uint8).sum() == 255 * 300
    assert wp.full(300, 1000.0, dtype=wp.float16).mean() == 1000.0
    assert wp.full(3, 2.0, dtype=wp.bfloat16).sum() == 6.0
    assert wp.array([1, 2], dtype=int).mean() == 1.5


def test_reductions_of_nothing():
    empty = wp.zeros((0, 3))
    assert empty.sum() == 0.0
    assert math.isnan(empty.mean())
    assert not empty.any()
    assert empty.all()
    assert empty.sum(axis=0).list() == [0.0] * 3
    assert empty.sum(axis=1).shape == (0,)
    for name in ("min", "max", "argmin", "argmax"):
        with pytest.raises(ValueError, match=f"{name}: the array has shape"):
            getattr(empty, name)()
        assert getattr(empty, name)(axis=1).shape == (0,)


def test_numpy_computes_where_it_is_asked():
    a = wp.array([[1.0, 2.0], [3.0, 5.0]], dtype=float)
    assert type(np.sum(a)) is np.float32
    assert np.sum(a) == 11
    assert type(np.mean(a, axis=0)) is np.ndarray
    assert np.max(a) == 5.0
    assert np.argmax(a) == 3
    out = np.zeros(2)
    np.sum(a, axis=1, out=out)
    assert out.tolist() == [3.0, 8.0]
    assert a.sum(dtype=np.float64).dtype == np.float64
    with pytest.raises(TypeError, match=r"array.sum\(\) has no parameter 'axs'; it has axis, keepdims"):
        a.sum(axs=1)


def test_wrong_axes():
    a = wp.zeros((2, 3))
    for axis, error, words in (
        (2, IndexError, "sum: axis 2 is out of range for an array with 2 dimensions"),
        ((0, 0), ValueError, "names a dimension twice"),
        ("x", TypeError, "axis is 'x'"),
    ):
        with pytest.raises(error, match=words):
            a.sum(axis=axis)
    with pytest.raises(TypeError, match="argmax: axis is"):
        a.argmax(axis=(0, 1))


def test_indexed_arrays_have_them_too():
    a = wp.array([3.0, 1.0, 2.0], dtype=float)
    part = a[wp.array([0, 2], dtype=int)]
    assert part.sum() == 5.0
    assert part.argmin() == 1
    assert part.tolist() == [3.0, 2.0]
    assert (part > 2.5).numpy()[0]


X = np.array([[1, 2, 5], [4, 5, 0]], np.float32)
W = np.array([1.0, 2.0, 3.0], np.float32)
GRADIENTS = {
    "sum": (lambda a: a.sum(), np.ones((2, 3))),
    "mean": (lambda a: a.mean(), np.full((2, 3), 1 / 6)),
    # Equal elements share it.
    "max": (lambda a: a.max(), [[0, 0, 0.5], [0, 0.5, 0]]),
    "min": (lambda a: a.min(), [[0, 0, 0], [0, 0, 1]]),
    "of a product": (lambda a: (a * a).sum(), 2 * X),
    "along one dimension": (lambda a: (a.sum(axis=0) * wp.array(W)).sum(), [W, W]),
    "along the other": (lambda a: (a.mean(axis=1) * wp.array(W[:2])).sum(), [[1 / 3] * 3, [2 / 3] * 3]),
    "kept": (lambda a: (a.max(axis=1, keepdims=True) * a).sum(), [[5, 5, 13], [5, 14, 5]]),
    "with gaps": (lambda a: (a.transpose().mean(axis=1) * wp.array(W)).sum(), [W / 2, W / 2]),
    "of two dimensions": (lambda a: a[None, :, :, None].sum(axis=(0, 3)).max(), [[0, 0, 0.5], [0, 0.5, 0]]),
    "converted": (lambda a: a.astype(wp.float64).sum(), np.ones((2, 3))),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name):
    function, want = GRADIENTS[name]
    a = wp.array(X, requires_grad=True)
    with wp.Tape() as tape:
        loss = function(a)
    assert isinstance(loss, wp.array)
    assert loss.shape == (1,)
    tape.backward(loss)
    np.testing.assert_allclose(a.grad.numpy(), want, rtol=1e-6)
    # A second pass starts anew.
    tape.zero()
    tape.backward(loss)
    np.testing.assert_allclose(a.grad.numpy(), want, rtol=1e-6)
    assert not isinstance(wp.array(X).sum(), wp.array)


def test_gradients_of_vectors():
    points = wp.array(np.arange(6.0).reshape(2, 3), dtype=wp.vec3, requires_grad=True)
    with wp.Tape() as tape:
        loss = wp.map(wp.dot, points.mean(), points.max())
    tape.backward(loss)
    # Of the mean (1.5, 2.5, 3.5) and the greatest components (3, 4, 5), which the second point has.
    np.testing.assert_allclose(points.grad.numpy(), [[1.5, 2, 2.5], [1.5 + 1.5, 2 + 2.5, 2.5 + 3.5]])


def test_a_capture_has_no_numbers():
    a = wp.array([1.0, 2.0, 4.0], dtype=float)
    with wp.ScopedCapture() as capture:
        with pytest.raises(RuntimeError, match="sum: a capture records.*keepdims=True"):
            a.sum()
        total, most = a.sum(keepdims=True), a.max(keepdims=True)
    a.assign([3.0, 4.0, 5.0])
    wp.capture_launch(capture.graph)
    assert total.list() == [12.0]
    assert most.list() == [5.0]
