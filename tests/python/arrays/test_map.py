"""`wp.map`: functions of elements as kernels; their results, their gradients, and what they refuse."""

import inspect
import math

import numpy as np
import pytest
import warp as wp

from .mapped import arrays

SCALE = 3.0


@wp.func
def difference(x: float, y: float):
    return x - y


def product(x, y):
    return x * y


def two(x):
    return x * 2.0, wp.vec2(x, 1.0)


@wp.struct
class Point:
    x: float
    n: int


@pytest.mark.parametrize(
    ("func", "wanted"),
    [
        (wp.add, [5, 7, 9]),
        (difference, [-3, -3, -3]),
        (product, [4, 10, 18]),
        (lambda x, y: wp.max(x, y) + SCALE, [7, 8, 9]),
        (wp.vec2, [[1, 4], [2, 5], [3, 6]]),
    ],
)
def test_any_function(func, wanted):
    result = wp.map(func, *arrays())
    assert type(result) is wp.array
    assert result.numpy().tolist() == wanted


def test_several_results():
    x, y = wp.map(two, arrays()[0])
    assert x.list() == [2, 4, 6]
    assert y.dtype is wp.vec2
    assert y.numpy().tolist() == [[1, 1], [2, 1], [3, 1]]


def test_types_of_results():
    a = wp.array([1.5, -2.5], dtype=float)
    assert wp.map(wp.int8, a).dtype is wp.int8
    assert wp.map(lambda x: x > 0.0, a).list() == [True, False]
    assert wp.map(wp.length, wp.array([[3, 4]], dtype=wp.vec2d)).dtype is wp.float64
    points = wp.map(lambda x: Point(x, 7), a)
    assert points.dtype is Point
    assert points["n"].list() == [7, 7]
    assert points["x"].list() == [1.5, -2.5]
    assert wp.map(lambda p: p.x, points).list() == [1.5, -2.5]


def test_values_among_the_inputs():
    a, _ = arrays()
    v = wp.array([[1, 2, 3]], dtype=wp.vec3)
    assert wp.map(wp.add, a, 1.0).list() == [2, 3, 4]
    assert wp.map(lambda n, x: x * float(n), 2, a).list() == [2, 4, 6]
    assert wp.map(wp.add, a, wp.float32(1)).list() == wp.map(wp.add, a, np.float32(1)).list() == [2, 3, 4]
    assert wp.map(wp.add, v, wp.vec3(1, 1, 1)).numpy().tolist() == [[2, 3, 4]]
    assert wp.map(lambda x, p: x * p.x, a, Point(x=2.0)).list() == [2, 4, 6]
    assert wp.map(wp.add, a, np.ones(3, np.float32)).list() == [2, 3, 4]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((3, 2), (2,)),
        ((2,), (3, 2)),
        ((3, 1), (1, 4)),
        ((3, 2), (3, 1)),
        ((1,), (3,)),
        ((2, 3, 4, 5), (4, 1)),
        ((2, 1, 4, 1), (3, 1, 5)),
        ((0, 3), (3,)),
        ((0,), (1,)),
    ],
)
def test_broadcasts_as_numpy(left, right):
    x, y = np.random.rand(*left).astype(np.float32), np.random.rand(*right).astype(np.float32)
    for a, b in ((wp.array(x), wp.array(y)), (wp.array(x.T.copy()).transpose(), wp.array(y))):
        np.testing.assert_array_equal(wp.map(wp.mul, a, b).numpy(), x * y)


def test_broadcast_gradients_are_sums():
    x = wp.array(np.arange(6.0).reshape(3, 2), dtype=wp.float64, requires_grad=True)
    y = wp.array([2.0, 3.0], dtype=wp.float64, requires_grad=True)
    z = wp.array([[5.0]], dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        out = wp.map(lambda x, y, z: x * y * wp.sin(z), x, y, z)
    seed = np.random.rand(3, 2)
    tape.backward(grads={out: wp.array(seed, dtype=wp.float64)})
    n, m = x.numpy(), y.numpy()
    np.testing.assert_allclose(x.grad.numpy(), seed * m * math.sin(5.0))
    np.testing.assert_allclose(y.grad.numpy(), (seed * n * math.sin(5.0)).sum(0))
    np.testing.assert_allclose(z.grad.numpy(), [[(seed * n * m).sum() * math.cos(5.0)]])


def test_requires_grad_carries_over():
    a = wp.array([1.0], dtype=float, requires_grad=True)
    assert wp.map(wp.sin, a).requires_grad
    assert not wp.map(wp.sin, arrays()[0]).requires_grad
    values, whole = wp.map(lambda x: (x, int(x)), a)
    assert values.requires_grad
    assert not whole.requires_grad


def test_out():
    a, b = arrays()
    out = wp.zeros(3, dtype=float)
    assert wp.map(wp.add, a, b, out=out) is out
    assert out.list() == [5, 7, 9]
    outs = [wp.zeros(3, dtype=float), wp.zeros(3, dtype=wp.vec2)]
    assert wp.map(two, a, out=outs) == outs
    assert outs[0].list() == [2, 4, 6]
    strided = wp.zeros(6, dtype=float)[::2]
    wp.map(wp.neg, a, out=strided)
    assert strided.list() == [-1, -2, -3]


@pytest.mark.parametrize(
    ("out", "error", "says"),
    [
        (lambda: wp.zeros(3, dtype=wp.float64), TypeError, "float64.*float32"),
        (lambda: wp.zeros(4, dtype=float), ValueError, r"\(4,\).*\(3,\)"),
        (lambda: [wp.zeros(3), wp.zeros(3)], TypeError, "2 arrays.*1 values"),
        (lambda: 3, TypeError, "out is int"),
        (lambda: np.zeros(3, np.float32), TypeError, "out is ndarray"),
    ],
)
def test_wrong_outs(out, error, says):
    with pytest.raises(error, match=says):
        wp.map(wp.sin, arrays()[0], out=out())


def test_out_is_an_input():
    a, b = arrays()
    wp.map(wp.add, a, b, out=a)
    assert a.list() == [5, 7, 9]
    wp.map(wp.mul, a, a, out=a)
    assert a.list() == [25, 49, 81]
    n = np.arange(6, dtype=np.float32)
    shifted = wp.array(n)
    wp.map(wp.add, shifted[:-1], shifted[1:], out=shifted[1:])
    assert shifted.list() == [0, 1, 3, 5, 7, 9]


def test_gradients_where_out_is_an_input():
    x = wp.array([2.0, 3.0], dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        y = wp.clone(x)
        wp.map(wp.mul, y, y, out=y)
        wp.map(wp.mul, y, x, out=y)
        wp.map(wp.add, y[:1], y[1:], out=y[1:])
    tape.backward(grads={y: wp.array([1.0, 10.0], dtype=wp.float64)})
    # y = (a^3, a^3 + b^3)
    assert x.grad.list() == [3 * 4 * 11.0, 3 * 9 * 10.0]


def test_return_kernel():
    a, b = arrays()
    kernel = wp.map(wp.add, a, b, return_kernel=True)
    assert isinstance(kernel, wp.Kernel)
    out = wp.zeros(3, dtype=float)
    wp.launch(kernel, dim=3, inputs=[a, b], outputs=[out])
    assert out.list() == [5, 7, 9]


def test_a_second_call_makes_no_kernel():
    a, b = arrays()

    def kernel(func):
        return wp.map(func, a, b, return_kernel=True)

    assert kernel(wp.add) is kernel(wp.add)
    assert kernel(product) is kernel(product)
    assert kernel(wp.add) is not kernel(wp.sub)

    def scaled(k):
        return lambda x, y: x * k + y

    # Lambdas that are new each time, with variables of the same value.
    assert kernel(scaled(2.0)) is kernel(scaled(2.0))
    assert kernel(scaled(2.0)) is not kernel(scaled(3.0))
    assert wp.map(scaled(3.0), a, b).list() == [7, 11, 15]
    assert wp.map(scaled(2.0), a, b).list() == [6, 9, 12]
    other = wp.array([1.0], dtype=wp.float64)
    assert wp.map(wp.add, other, other, return_kernel=True) is not kernel(wp.add)


@pytest.mark.parametrize("out", [False, True])
def test_second_calls_do_what_first_ones_do(out):
    def call(func, *inputs):
        if not out:
            return wp.map(func, *inputs)
        given = wp.zeros(3, dtype=float)
        assert wp.map(func, *inputs, out=given) is given
        return given

    def scaled(k):
        return lambda x, y: x * k + y

    def shifted(x, y, by=4.0):
        return x + y + by

    a, b = arrays()
    for _ in range(3):
        assert call(wp.add, a, b).list() == [5, 7, 9]
        assert call(wp.add, b, b).list() == [8, 10, 12]
        assert call(product, a, b).list() == [4, 10, 18]
        assert call(wp.mul, a, 2.0).list() == [2, 4, 6]
        assert call(wp.mul, 3.0, a).list() == [3, 6, 9]
        assert call(scaled(2.0), a, b).list() == [6, 9, 12]
        assert call(scaled(3.0), a, b).list() == [7, 11, 15]
        assert call(shifted, a, b).list() == [9, 11, 13]
        # Other shapes, and other numbers of dimensions.
        assert wp.map(wp.add, a[:2], b[1:]).list() == [6, 8]
        pairs = wp.array([[1.0, 2.0]], dtype=float)
        assert wp.map(wp.add, pairs, pairs).list() == [2, 4]
        with pytest.raises(ValueError, match="cannot be broadcast"):
            wp.map(wp.add, a, b[:2])
        with pytest.raises(TypeError, match="func is of type str"):
            wp.map("+", a, b)
        assert (a + b).list() == [5, 7, 9]


def test_second_calls_with_gradients():
    for _ in range(2):
        a = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
        b = wp.array([3.0, 4.0], dtype=float)
        with wp.Tape() as tape:
            c = wp.map(wp.mul, a, b)
            d = c * a
        assert c.requires_grad
        assert not wp.map(wp.mul, b, b).requires_grad
        tape.backward(grads={d: wp.ones(2, dtype=float)})
        assert a.grad.list() == [6, 16]


def test_second_calls_on_memory_that_overlaps():
    for _ in range(2):
        a = wp.array([1.0, 2.0, 3.0, 4.0], dtype=float)
        wp.map(wp.add, a, a, out=a)
        assert a.list() == [2, 4, 6, 8]
        # Each element is read before it is written.
        wp.map(wp.add, a[:3], a[:3], out=a[1:])
        assert a.list() == [2, 4, 8, 12]
        a += 1.0
        a += a
        assert a.list() == [6, 10, 18, 26]


def test_second_calls_know_structs_and_composites_apart():
    vec2, vec3 = wp.vec2, wp.vec3
    for _ in range(2):
        for dtype, zeros in ((vec2, (0, 0)), (vec3, (0, 0, 0)), (wp.quat, (0, 0, 0, 0))):
            found = wp.zeros(2, dtype=dtype) + wp.zeros(2, dtype=dtype)
            assert found.dtype is dtype
            assert tuple(found.numpy()[0]) == zeros


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda a: wp.map(wp.sin, 1.0), ValueError, "no input is a wp.array"),
        (lambda a: wp.map(wp.sin), ValueError, "no input is a wp.array"),
        (lambda a: wp.map(3, a), TypeError, "func is of type int"),
        (lambda a: wp.map(math.sin, a), TypeError, "func is of type builtin"),
        (lambda a: wp.map(difference, a), TypeError, "without its argument `y`"),
        (lambda a: wp.map(wp.sin, a, a), TypeError, "sin"),
        (lambda a: wp.map(wp.add, a, 1), TypeError, "int32, expected float32"),
        (lambda a: wp.map(wp.add, a, [1.0, 2.0, 3.0]), TypeError, "input 1 is of type list"),
        (lambda a: wp.map(wp.add, a, wp.zeros(4)), ValueError, r"\(3,\) and \(4,\) cannot be broadcast"),
        (lambda a: wp.map(lambda x: None, a), TypeError, "returns nothing"),
        (lambda a: wp.map(lambda x: undefined_name, a), NameError, "undefined_name"),  # noqa: F821
        (lambda a: wp.map(wp.sin, a, device="cuda:9"), ValueError, "cuda:9"),
    ],
)
def test_mistakes(call, error, says):
    with pytest.raises(error, match=says):
        call(arrays()[0])


def test_a_kernel_is_no_function():
    @wp.kernel
    def k(a: wp.array(dtype=float)):
        a[0] = 1.0

    with pytest.raises(TypeError, match="a kernel is launched"):
        wp.map(k, arrays()[0])


def test_signature():
    assert [*inspect.signature(wp.map).parameters] == ["func", "inputs", "out", "return_kernel", "block_dim", "device"]
    assert wp.map(wp.sin, wp.zeros(1), block_dim=64, device="cpu").list() == [0.0]
