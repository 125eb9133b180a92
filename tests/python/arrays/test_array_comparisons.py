"""Comparisons of arrays, their truth, operators on bits, and arrays beside those of other libraries."""

import operator
import subprocess
import sys

import numpy as np
import pytest
import warp as wp

X, Y = np.array([3, 1, 2], np.int32), np.array([2, 2, 2], np.int32)
COMPARISONS = ["lt", "le", "gt", "ge"]


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_are_numpys(name):
    compare = getattr(operator, name)
    a, b = wp.array(X), wp.array(Y)
    for left, right, x, y in (
        (a, b, X, Y),
        (a, 2, X, 2),
        (2, a, 2, X),
        (a, wp.int32(2), X, 2),
        (wp.array([X, Y]), a, np.array([X, Y]), X),
        (a[wp.array([0, 2], dtype=int)], 2, X[[0, 2]], 2),
    ):
        found = compare(left, right)
        assert isinstance(found, wp.array)
        assert found.dtype is wp.bool
        np.testing.assert_array_equal(found.numpy(), compare(x, y))
    assert isinstance(compare(a, Y), np.ndarray)
    assert isinstance(compare(Y, a), np.ndarray)


@pytest.mark.filterwarnings("ignore:array == other")
def test_equal_compares_elements_and_the_operator_identity():
    a, b = wp.array(X), wp.array(Y)
    assert wp.equal(a, b).list() == [False, False, True]
    assert wp.equal(2, a).list() == [False, False, True]
    assert wp.equal(a, Y).list() == [False, False, True]
    points = wp.array([[1, 2], [3, 4]], dtype=wp.vec2)
    assert wp.equal(points, wp.vec2(3.0, 4.0)).list() == [False, True]
    assert a == a
    assert not a != a
    assert {a: 1}[a] == 1
    assert a in [b, a]
    assert len({a, b, a}) == 2
    assert hash(a) == hash(a) != hash(b)
    # NumPy's operator compares elements.
    assert (a == X).all()
    assert (X == a).all()
    with pytest.raises(ValueError, match="equal: neither a nor b is a wp.array"):
        wp.equal(1, 2)


def test_comparisons_on_tapes_are_constants():
    a = wp.array([1.0, 2.0, 3.0], dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        loss = (a * a * (a * a > 2.0).astype(float)).sum()
        a.fill_(0.0)  # the tape keeps what the gradient needs, and what was compared is not compared again
    tape.backward(loss)
    assert a.grad.list() == [0.0, 4.0, 6.0]


def test_identity_is_said_once():
    program = """
import warnings
import warp as wp
a, b = wp.zeros(3), wp.zeros(3)
a == a, a == None, a == "x", wp.array[float] == wp.array[float]
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    assert not a == 3.0 and a != b and not a == b
print([str(w.message) for w in said if "wp.equal(array, other)" in str(w.message)].__len__(), len(said))
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True)
    assert done.stdout == "1 1\n", done.stderr


def test_truth():
    a = wp.array(X)
    assert bool(a[:1] > 2) is True
    assert bool(a[1:2] > 2) is False
    for several in (
        a > 2,
        ~(a > 2),
        (a > 2) & (a < 9),
        (a > 2) | True,
        wp.equal(a, 3),
        a[:0] > 2,
        (a > 2)[:2],
        (a > 2).T,
    ):
        with pytest.raises(ValueError, match=r"bool: the array holds \d comparisons.*a.any\(\) or a.all\(\)"):
            bool(several)
    with pytest.raises(ValueError, match="comparisons"):
        assert 1 < a < 3
    # Other arrays are true if they have elements, bools among them.
    assert wp.zeros(2, dtype=wp.bool)
    assert wp.zeros(1, dtype=wp.bool)
    assert not wp.zeros(0)


@pytest.mark.parametrize("symbol", ["&", "|", "^", "<<", ">>"])
def test_operators_on_bits(symbol):
    a, b = wp.array(X), wp.array(Y)
    names = {"a": a, "b": b, "x": X.copy(), "y": Y}
    for ours, theirs in (
        (f"a {symbol} b", f"x {symbol} y"),
        (f"a {symbol} 1", f"x {symbol} 1"),
        (f"1 {symbol} a", f"1 {symbol} x"),
    ):
        np.testing.assert_array_equal(eval(ours, names).numpy(), eval(theirs, names))
    exec(f"a {symbol}= b; x {symbol}= y", names)
    assert names["a"] is a
    np.testing.assert_array_equal(a.numpy(), names["x"])
    assert isinstance(eval(f"a {symbol} y", names), np.ndarray)


def test_operators_of_one_operand():
    a = wp.array([-3, 1], dtype=int)
    assert (~a).list() == [2, -2]
    assert abs(a).list() == [3, 1]
    assert (~(a > 0)).list() == [True, False]
    assert (wp.array[float] | None).ndim == 1


def test_plots_and_sparse_matrices():
    pyplot, sparse = pytest.importorskip("matplotlib.pyplot"), pytest.importorskip("scipy.sparse")
    a, m = wp.array([1.0, 2.0], dtype=float), wp.eye(2) * 2.0
    figure, axes = pyplot.subplots()
    axes.plot(a, a * 2.0)
    axes.plot(m)
    assert [line.get_ydata().tolist() for line in axes.lines] == [[2.0, 4.0], [2.0, 0.0], [0.0, 2.0]]
    pyplot.close(figure)
    for kind in (sparse.csr_matrix, sparse.csr_array):
        s = kind([[1.0, 2.0], [0.0, 3.0]])
        assert (s @ a).tolist() == [5.0, 6.0]
        assert (a @ s).tolist() == [1.0, 8.0]
        assert (s @ m).tolist() == (m @ s).tolist() == [[2.0, 4.0], [0.0, 6.0]]
