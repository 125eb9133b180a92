"""Indices that are lists, masks, arrays or None, in reading and in writing, as NumPy has them."""

import numpy as np
import pytest
import warp as wp

X = np.arange(24.0).reshape(2, 3, 4)
READ = [
    None,
    (0, None),
    (None, 0),
    (slice(None), None),
    (..., None),
    (None, ..., 0),
    [1],
    ([1],),
    [],
    (slice(None), [0, -1]),
    (..., [0, 3]),
    (0, [1, 2]),
    ([1, 0], 0),
    X > 5,
    X[:, :, 0] > 5,
    np.array([True, False]),
    (slice(None), np.array([True, False, True])),
    (..., [True, False, True, True]),
    np.array([0, 1]),
    np.int64(1),
    np.array(1),
]


@pytest.mark.parametrize("at", range(len(READ)))
def test_reading_is_numpys(at):
    key = READ[at]
    np.testing.assert_array_equal(wp.array(X)[key].numpy(), X[key])


def test_keys_of_our_own():
    a = wp.array(X)
    np.testing.assert_array_equal(a[wp.array(X > 5)].numpy(), X[X > 5])
    np.testing.assert_array_equal(a[(a > 5) & (a < 9)].numpy(), X[(X > 5) & (X < 9)])
    np.testing.assert_array_equal(a[:, wp.array([2, 0], dtype=wp.int64)].numpy(), X[:, [2, 0]])
    np.testing.assert_array_equal(a[:, a[0, :, 0] > 3].numpy(), X[:, X[0, :, 0] > 3])


def test_what_is_selected_is_a_copy_and_a_new_dimension_a_view():
    a = wp.array(X)
    a[[0]].fill_(-1.0)
    a[a > 5].fill_(-1.0)
    assert a.numpy().tolist() == X.tolist()
    a[:, None].fill_(-1.0)
    assert a.max() == -1.0
    grown = wp.zeros((2, 3), requires_grad=True)[:, None]
    assert grown.shape == grown.grad.shape == (2, 1, 3)
    assert grown.is_contiguous


WRITTEN = [
    (X > 5, 1.0),
    (X > 20, np.arange(3.0)),
    ([0], 5.0),
    ((slice(None), [0, -1]), 7.0),
    ((slice(None), [0, -1]), np.arange(8.0).reshape(2, 1, 4)),
    (X[:, :, 0] > 5, 3.0),
    ((..., [0]), np.ones((2, 3, 1))),
    (X > 100, 2.0),
    (None, 2.0),
    ((slice(None), None, 0), np.arange(8.0).reshape(2, 1, 4)),
]


def test_writing_is_numpys():
    a, x = wp.array(X), X.copy()
    for key, value in WRITTEN:
        x[key], a[key] = value, value
        np.testing.assert_array_equal(a.numpy(), x, err_msg=str(key))
    # Where the elements have gaps.
    a, x = a.transpose(), x.T
    few, many = x > 5, x < 4
    for mask, value in ((few, -1.0), (many, np.arange(np.count_nonzero(many), dtype=np.float64))):
        a[mask], x[mask] = value, value
        np.testing.assert_array_equal(a.numpy(), x)
    a[a > 2] += 1.0
    x[x > 2] += 1.0
    np.testing.assert_array_equal(a.numpy(), x)
    points = wp.zeros(3, dtype=wp.vec3)
    points[[True, False, True]] = wp.vec3(1.0, 2.0, 3.0)
    points[[1]] = 4.0
    assert points.tolist() == [[1.0, 2.0, 3.0], [4.0, 4.0, 4.0], [1.0, 2.0, 3.0]]


WRONG = {
    "index": ([5], IndexError, "index 5 is out of range for dimension 0 of size 2"),
    "float": ([1.5], TypeError, r"1.5 \(float\) in a list, expected ints or bools"),
    "nested": ([[0, 1], [1, 0]], TypeError, "a list of lists"),
    "both": ([True, 0], TypeError, "a list of bools and ints"),
    "two": (([0], [1]), ValueError, "which NumPy pairs and a wp.array does not"),
    "mask": (np.array([True]), IndexError, "the mask has 1 elements, dimension 0 has 2"),
    "large mask": (np.ones((2, 4), bool), IndexError, r"the mask has shape \(2, 4\), the array \(2, 3, 4\)"),
    "mask beside": ((slice(None), X[0] > 1), IndexError, "a mask of 2 dimensions stands alone"),
    "none beside": ((None, [0]), IndexError, "add the dimension later"),
    "five": ((None, None), IndexError, "a new dimension would be number 5"),
    "many": ((0, 0, 0, [0]), IndexError, "the array has 3 dimensions"),
    "floats": (wp.zeros(2), TypeError, "an array of float32"),
    "text": ((0, "x"), TypeError, r"found 'x' \(str\)"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_keys(name):
    key, error, words = WRONG[name]
    a = wp.array(X)
    with pytest.raises(error, match=words):
        a[key]
    with pytest.raises(error, match=words):
        a[key] = 1.0


def test_wrong_values():
    a = wp.array(X)
    with pytest.raises(ValueError, match=r"the source has shape \(2, 2\), the chosen elements \(1, 3, 4\)"):
        a[[0]] = np.ones((2, 2))
    with wp.ScopedCapture(), pytest.raises(RuntimeError, match="how many elements the mask chooses"):
        a[a > 5]


def written(a):
    b = a * 1.0
    b[b > 3.0] = 0.0
    return (b * b).sum()


def moved(a):
    b = a * 1.0
    b[[0]] = a[[1]] * 3.0
    return (b * b).sum()


M = np.array([[1, 2, 5], [4, 5, 0]], np.float32)
GRADIENTS = {
    "mask": (lambda a: a[a > 1.5].sum(), M > 1.5),
    "list": (lambda a: (a[[1, 1]] * 2.0).sum(), [[0] * 3, [4] * 3]),
    "columns": (lambda a: a[:, [0, 2]].sum(), [[1, 0, 1]] * 2),
    "new dimension": (lambda a: (a[:, None] * a[None, 0]).sum(), [[6, 9, 10], [1, 2, 5]]),
    "written by a mask": (written, 2 * M * (M <= 3)),
    "written by a list": (moved, [[0] * 3, [80, 100, 0]]),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(name):
    function, want = GRADIENTS[name]
    a = wp.array(M, requires_grad=True)
    with wp.Tape() as tape:
        loss = function(a)
    tape.backward(loss)
    np.testing.assert_allclose(a.grad.numpy(), want)
