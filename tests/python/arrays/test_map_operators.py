"""Operators of arrays, element by element."""

import operator

import numpy as np
import pytest
import warp as wp

BINARY = ["+", "-", "*", "/", "//", "%", "**"]


def compute(symbol, x, y):
    return eval(f"x {symbol} y", {"x": x, "y": y})


@pytest.mark.parametrize("symbol", BINARY)
def test_operators_are_numpys_on_floats(symbol):
    x, y = np.array([1.5, 7.0, 2.0], np.float64), np.array([0.5, 2.0, 3.0], np.float64)
    a, b = wp.array(x), wp.array(y)
    for result, wanted in (
        (compute(symbol, a, b), compute(symbol, x, y)),
        (compute(symbol, a, 2.0), compute(symbol, x, 2.0)),
        (compute(symbol, 2, a), compute(symbol, 2.0, x)),
        (compute(symbol, a, wp.float64(3.0)), compute(symbol, x, 3.0)),
    ):
        assert type(result) is wp.array
        np.testing.assert_allclose(result.numpy(), wanted, rtol=1e-15)


@pytest.mark.parametrize("symbol", ["+", "-", "*", "//", "%"])
def test_operators_on_integers(symbol):
    x, y = np.array([7, 9, 12], np.int32), np.array([2, 3, 5], np.int32)
    assert compute(symbol, wp.array(x), wp.array(y)).list() == compute(symbol, x, y).tolist()
    assert compute(symbol, wp.array(x), 4).list() == compute(symbol, x, 4).tolist()


def test_division_of_integers_is_that_of_kernels():
    assert (wp.array([7, -9], dtype=int) / 2).list() == [3, -4]


@pytest.mark.parametrize("symbol", BINARY)
def test_in_place(symbol):
    n = np.array([1.5, 7.0, 2.0])
    a = wp.array(n)
    same, scope = a, {"a": a, "b": wp.array([0.5, 2.0, 3.0])}
    exec(f"a {symbol}= b", scope)
    assert scope["a"] is same
    np.testing.assert_allclose(a.numpy(), compute(symbol, n, np.array([0.5, 2.0, 3.0])), rtol=1e-15)


def test_in_place_forms():
    a = wp.zeros((2, 3), dtype=float)
    a += wp.array([1.0, 2.0, 3.0], dtype=float)
    a[0] += 1.0
    a[:, 1] *= 10
    assert a.list() == [2, 30, 4, 1, 20, 3]
    a += np.ones((2, 3), np.float32)
    assert a.list() == [3, 31, 5, 2, 21, 4]
    a -= a
    assert a.list() == [0] * 6
    row = wp.zeros(3)
    with pytest.raises(ValueError, match=r"shape \(3,\).*\(2, 3\)"):
        row += a
    with pytest.raises(TypeError, match="float64"):
        a += wp.zeros(3, dtype=wp.float64)
    frozen = wp.array(b"abcd", copy=False)
    with pytest.raises(ValueError, match="read-only"):
        frozen += 1


def test_unary():
    a = wp.array([1.0, -2.0], dtype=float)
    assert (-a).list() == [-1, 2]
    assert (+a).list() == [1, -2]
    assert (+a).ptr != a.ptr
    assert abs(a).list() == [1, 2]


def test_composites():
    v = wp.array([[1, 2, 3], [4, 5, 6]], dtype=wp.vec3)
    m = wp.array(np.stack([np.eye(3) * 2, np.eye(3) * 3]), dtype=wp.mat33)
    s = wp.array([2.0, 3.0], dtype=float)
    assert (v + wp.vec3(1, 1, 1)).numpy().tolist() == (wp.vec3(1, 1, 1) + v).numpy().tolist() == [[2, 3, 4], [5, 6, 7]]
    scaled = [[2, 4, 6], [12, 15, 18]]
    for result in (v * s, s * v, m * v, m @ v, v @ m):
        assert result.dtype is wp.vec3
        assert result.numpy().tolist() == scaled
    assert (m @ m).dtype is wp.mat33
    assert (wp.mat33(np.eye(3).tolist()) @ v).numpy().tolist() == v.numpy().tolist()
    for wrong in (lambda: v * v, lambda: s @ s, lambda: v @ v, lambda: s + s.view(wp.int32)):
        with pytest.raises(TypeError):
            wrong()


def test_numbers_beside_arrays_have_its_type():
    assert (wp.zeros(1, dtype=wp.float16) + 1).dtype is wp.float16
    assert (1.5 * wp.ones(1, dtype=wp.vec2d)).dtype is wp.vec2d
    with pytest.raises(TypeError, match="1.5 is a float, the array holds int32"):
        wp.zeros(1, dtype=int) + 1.5
    for wrong in ("x", None, [1.0]):
        with pytest.raises(TypeError):
            wp.zeros(1) + wrong


@pytest.mark.filterwarnings("ignore:array == other")
def test_comparison_is_identity():
    a, b = wp.zeros(2), wp.zeros(2)
    assert (a == a) is True
    assert (a == b) is False
    assert (a != b) is True
    with pytest.raises(TypeError):
        pow(a, b, b)


@pytest.mark.parametrize("symbol", BINARY)
def test_gradients_of_operators(symbol):
    x, y = np.array([1.5, 2.5, 3.25]), np.array([0.8, 2.2, 1.3])
    a, b = wp.array(x, requires_grad=True), wp.array(y, requires_grad=True)
    with wp.Tape() as tape:
        c = compute(symbol, a, b)
    assert c.requires_grad
    tape.backward(grads={c: wp.ones(3, dtype=wp.float64)})
    h = 1e-6
    dx = (compute(symbol, x + h, y) - compute(symbol, x - h, y)) / (2 * h)
    dy = (compute(symbol, x, y + h) - compute(symbol, x, y - h)) / (2 * h)
    np.testing.assert_allclose(a.grad.numpy(), dx, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(b.grad.numpy(), dy, rtol=1e-6, atol=1e-8)


def test_gradients_in_place():
    """y = ((x * x) - x / 2) with every step in the same memory, and one array on both sides."""
    n = np.array([1.5, -2.0, 3.0])
    x = wp.array(n, requires_grad=True)
    with wp.Tape() as tape:
        y = wp.clone(x)
        y *= y
        y -= x / 2.0
        y *= -1.0
        y[1:] += y[:-1]
    tape.backward(grads={y: wp.ones(3, dtype=wp.float64)})
    # A part is added as it was before.
    slope = -(2 * n - 0.5)
    np.testing.assert_allclose(x.grad.numpy(), slope * [2, 2, 1])


def test_operators_of_types_that_do_not_fit_show_no_made_up_text():
    with pytest.raises(wp.WarpCodegenTypeError, match=r"cannot add float32 and int32.*astype") as caught:
        wp.ones(2) + wp.ones(2, dtype=int)
    assert "map_add" not in str(caught.value)


class Described:
    """Something with NumPy's interface and nothing else of its arrays."""

    __array_interface__ = np.zeros(3).__array_interface__


def test_a_variable_that_only_describes_its_memory():
    held = Described()
    with pytest.raises(TypeError, match="held"):
        wp.map(lambda x: x * held, wp.ones(3))


@pytest.mark.parametrize("framework", ["torch", "paddle"])
def test_operators_beside_tensors_are_the_frameworks(framework):
    module = pytest.importorskip(framework)
    a = wp.array([[1.0, 2.0], [3.0, 4.0]], dtype=float, device="cpu")
    make = module.tensor if framework == "torch" else module.to_tensor
    t = make([[2.0, 2.0], [2.0, 4.0]])
    x, y = a.numpy(), t.numpy()
    for symbol, operation in {
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "/": operator.truediv,
        "**": operator.pow,
        "@": operator.matmul,
    }.items():
        pairs = [(operation(a, t), operation(x, y))]
        if framework == "torch":  # Paddle refuses what it does not know on its left
            pairs.append((operation(t, a), operation(y, x)))
        for found, expected in pairs:
            assert isinstance(found, module.Tensor), symbol
            np.testing.assert_allclose(found.numpy(), expected, err_msg=symbol)
    with pytest.raises(TypeError):
        a + object()
