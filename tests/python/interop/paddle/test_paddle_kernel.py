"""Kernels as paddle operations: values, gradients of two orders, refusals, nothing leaked."""

from __future__ import annotations

import copy
import gc
import weakref

import numpy as np
import pytest
import warp as wp

paddle = pytest.importorskip("paddle", reason="paddle is not installed (it has no wheel for every Python)")

paddle_kernel = wp.paddle.paddle_kernel


@wp.kernel
def wave(x: wp.array(dtype=wp.float64), s: wp.float64, y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    y[i] = x[i] * x[i] * s * wp.sin(x[i])


@wp.kernel
def turn(
    m: wp.array(dtype=wp.mat33d),
    v: wp.array(dtype=wp.vec3d),
    u: wp.array(dtype=wp.vec3d),
    n: wp.array(dtype=wp.float64),
):
    i = wp.tid()
    u[i] = m[i] * v[i]
    n[i] = wp.dot(m[i] * v[i], v[i])


@wp.kernel
def matmul(a: wp.array2d[wp.float64], b: wp.array2d[wp.float64], c: wp.array2d[wp.float64]):
    i, j = wp.tid()
    s = wp.float64(0.0)
    for k in range(a.shape[1]):
        s += a[i, k] * b[k, j]
    c[i, j] = s


@wp.kernel
def rowsum(m: wp.array2d[wp.float64], sums: wp.array1d[wp.float64]):
    i, j = wp.tid()
    wp.atomic_add(sums, i, m[i, j] * m[i, j])


@wp.kernel
def lookup(table: wp.array(dtype=wp.float64), indices: wp.array(dtype=int), output: wp.array(dtype=wp.float64)):
    i = wp.tid()
    output[i] = table[indices[i]]


@wp.kernel
def rewritten(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    y[i] = x[i] * x[i]
    y[i] = y[i] * wp.sin(y[i])


@wp.kernel
def lowest(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
    wp.atomic_min(y, 0, -x[wp.tid()] * x[wp.tid()])


@wp.kernel
def double_in_place(x: wp.array(dtype=wp.float64), w: wp.array(dtype=wp.float64)):
    i = wp.tid()
    w[i] = w[i] * x[i]


@wp.kernel
def shifted(x: wp.array(dtype=wp.vec3), by: wp.vec3, y: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    y[i] = x[i] + by


@wp.kernel
def ranked(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64), sign: wp.array(dtype=int)):
    i = wp.tid()
    y[i] = wp.abs(x[i])
    sign[i] = 1
    if x[i] < wp.float64(0.0):
        sign[i] = -1


def randn(*shape):
    return paddle.to_tensor(np.random.default_rng(7).normal(size=shape))


def same(a, b):
    np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-10, atol=1e-12)


CASES = {
    "values": (lambda: paddle_kernel(wave), lambda: (randn(5), 2.0), lambda x, s: x * x * s * x.sin()),
    "several outputs": (
        lambda: paddle_kernel(turn, num_outputs=2),
        lambda: (randn(4, 3, 3), randn(4, 3)),
        lambda m, v: ((m * v.unsqueeze(1)).sum(2), ((m * v.unsqueeze(1)).sum(2) * v).sum(1)),
    ),
    "loop": (
        lambda: paddle_kernel(matmul, launch_dims=(3, 4)),
        lambda: (randn(3, 2), randn(2, 4)),
        paddle.matmul,
    ),
    "in-out": (
        lambda: paddle_kernel(rowsum, in_out_argnames=["sums"]),
        lambda: (randn(3, 4), randn(3)),
        lambda m, sums: sums + (m * m).sum(1),
    ),
    "in-out that is overwritten": (
        lambda: paddle_kernel(double_in_place, in_out_argnames=["w"]),
        lambda: (randn(5), randn(5)),
        lambda x, w: x * w,
    ),
    "indices": (
        lambda: paddle_kernel(lookup, launch_dims=6),
        lambda: (randn(4), paddle.to_tensor([3, 0, 0, 1, 3, 3], dtype="int32")),
        lambda t, i: paddle.gather(t, i),
    ),
    "output that is overwritten": (
        lambda: paddle_kernel(rewritten),
        lambda: (randn(5),),
        lambda x: x**2 * paddle.sin(x**2),
    ),
    "minimum": (
        lambda: paddle_kernel(lowest, output_dims=1),
        lambda: (randn(5),),
        lambda x: paddle.gather(-x * x, paddle.argmax(x.abs())).reshape([1]),
    ),
}


def is_float(a):
    return isinstance(a, paddle.Tensor) and a.dtype == paddle.float64


def differentiable(args):
    copies = [a.clone() if isinstance(a, paddle.Tensor) else a for a in args]
    for a in filter(is_float, copies):
        a.stop_gradient = False
    return copies


def listed(made):
    return list(made) if isinstance(made, tuple) else [made]


@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients_of_two_orders(name):
    make, arguments, expected = CASES[name]
    f, args = make(), arguments()
    for a, b in zip(listed(f(*args)), listed(expected(*args)), strict=True):
        assert a.stop_gradient
        same(a, b)

    def grads(f):
        """First and second derivatives of a weighted sum of the results."""
        given = differentiable(args)
        wanted = [a for a in given if is_float(a)]
        total = sum((r * r.detach().cos()).sum() for r in listed(f(*given)))
        first = paddle.grad(total, wanted, create_graph=True)
        again = sum((g * g).sum() for g in first)
        second = paddle.grad(again, wanted, allow_unused=True) if not again.stop_gradient else []
        return list(first), [g for g in second if g is not None]

    (first, second), (first_wanted, second_wanted) = grads(f), grads(expected)
    for a, b in zip(first, first_wanted, strict=True):
        same(a, b)
    for a, b in zip(second, second_wanted, strict=True):
        same(a, b)


LOSSES = {
    "sum": lambda made: sum(r.sum() for r in made),
    "element": lambda made: made[-1][0].sum(),
    "constants": lambda made: sum((r * randn(*r.shape)).sum() for r in made),
    "one of them": lambda made: made[0].sum(),
    "results": lambda made: list(made),
}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", [name for name in CASES if name != "minimum"])
def test_three_orders_where_gradients_come_from_constants(name, loss):
    """The gradient of a sum is in a graph that leads to nothing."""
    make, arguments, expected = CASES[name]
    args = arguments()

    def derivatives(f):
        given = differentiable(args)
        leaves = [a for a in given if is_float(a)]
        totals, found = LOSSES[loss](listed(f(*given))), []
        for order in range(3):
            grads = paddle.grad(totals, leaves, create_graph=order < 2, allow_unused=True)
            found += [paddle.zeros_like(leaf) if g is None else g for g, leaf in zip(grads, leaves, strict=True)]
            totals = [g.sum() for g in grads if g is not None and not g.stop_gradient]
            if not totals:
                break
        return found

    got, want = derivatives(make()), derivatives(expected)
    for k in range(max(len(got), len(want))):
        # Where one of them knows that a derivative is zero, the other computes it.
        pair = [found[k] if k < len(found) else None for found in (got, want)]
        a, b = (paddle.zeros_like(next(x for x in pair if x is not None)) if p is None else p for p in pair)
        same(a, b)


def test_the_gradient_of_one_of_several_inputs():
    f = paddle_kernel(matmul, launch_dims=(3, 4))
    a, b = randn(3, 2), randn(2, 4)
    a.stop_gradient = b.stop_gradient = False
    product = f(a, b)
    (only,) = paddle.grad(product.sum(), b, retain_graph=True)
    same(only, paddle.matmul(a, paddle.ones_like(product), transpose_x=True))
    inner = b * 2.0
    (only,) = paddle.grad(f(a, inner).sum(), inner)
    same(only, paddle.matmul(a, paddle.ones_like(product), transpose_x=True))
    # The weights of a product are inputs of its gradient.
    weight = randn(3, 4)
    weight.stop_gradient = False
    (first,) = paddle.grad(product, a, grad_outputs=weight, create_graph=True)
    by_b, by_weight = paddle.grad(first.sum(), [b, weight])
    same(by_b, paddle.matmul(paddle.ones_like(a), weight, transpose_x=True))
    same(by_weight, paddle.matmul(paddle.ones_like(a), b))


def test_a_backward_pass_inside_another():
    """Recomputation runs a pass of its own, which takes all gradients, inside that of `paddle.grad`."""
    from paddle.distributed.fleet.utils import recompute

    f = paddle_kernel(matmul, launch_dims=(3, 4))
    x, a, b = randn(3, 2), randn(3, 2), randn(2, 4)
    for leaf in (x, a, b):
        leaf.stop_gradient = False
    made = recompute(lambda x: f(x * a, b), x, use_reentrant=True)
    (got,) = paddle.grad(made.sum(), x)
    same(got, a * paddle.matmul(paddle.ones_like(made), b, transpose_y=True))
    same(b.grad, paddle.matmul(x * a, paddle.ones_like(made), transpose_x=True))


def test_backward_accumulates_into_leaves():
    f = paddle_kernel(wave)
    x = randn(5)
    x.stop_gradient = False
    f(x, 2.0).sum().backward()
    once = x.grad.numpy().copy()
    f(x, 2.0).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * once)
    # In the middle of a graph, and only one of two inputs.
    y = randn(5)
    y.stop_gradient = False
    g = paddle_kernel(double_in_place, in_out_argnames=["w"])
    (g(y * 2.0, paddle.ones([5], dtype="float64")) * 3).sum().backward()
    np.testing.assert_allclose(y.grad.numpy(), 6.0)


def test_an_output_that_is_not_used():
    f = paddle_kernel(turn, num_outputs=2)
    m, v = randn(4, 3, 3), randn(4, 3)
    m.stop_gradient = False
    _, n = f(m, v)
    n.sum().backward()
    same(m.grad, paddle.einsum("ni,nj->nij", v, v))


def test_outputs_of_integers_have_no_gradient():
    f = paddle_kernel(ranked, num_outputs=2)
    x = paddle.to_tensor([-1.0, 2.0], dtype="float64", stop_gradient=False)
    y, sign = f(x)
    assert sign.tolist() == [-1, 1]
    assert sign.stop_gradient
    y.sum().backward()
    assert x.grad.tolist() == [-1, 1]


def test_vectors_as_values_and_names():
    f = paddle_kernel(shifted)
    x = paddle.zeros([2, 3])
    for by in (wp.vec3(1.0, 2.0, 3.0), (1.0, 2.0, 3.0), paddle.to_tensor([1.0, 2.0, 3.0])):
        assert f(x, by).tolist() == f(by=by, x=x).tolist() == [[1, 2, 3]] * 2
    assert f.kernel is shifted
    assert f.__name__ == "shifted"
    assert "shifted" in repr(f)


def test_layouts():
    f = paddle_kernel(wave)
    x = paddle.arange(10, dtype="float64")[::3]
    same(f(x, 1.0), f(x.contiguous(), 1.0))
    v = paddle.arange(12, dtype="float32").reshape([3, 4]).t()
    assert paddle_kernel(shifted)(v, (0.0, 0.0, 0.0)).tolist() == v.tolist()
    assert f(paddle.zeros([0], dtype="float64"), 1.0).shape == [0]
    assert f(x, 1.0, launch_dims=2, output_dims=4).tolist()[2:] == [0, 0]
    assert f(x, 1.0, output_dims={"y": 5}).shape == [5]


def test_no_gradient_no_graph():
    f = paddle_kernel(wave)
    x = randn(5)
    x.stop_gradient = False
    with paddle.no_grad():
        assert f(x, 1.0).stop_gradient
    assert not f(x, 1.0).stop_gradient
    assert f(x.detach(), 1.0).stop_gradient


def test_wide_unsigned_types():
    @wp.kernel
    def add_one(x: wp.array(dtype=wp.uint32), y: wp.array(dtype=wp.uint32)):
        i = wp.tid()
        y[i] = x[i] + wp.uint32(1)

    made = paddle_kernel(add_one)(paddle.from_dlpack(np.array([1, 2**32 - 2], np.uint32)))
    assert made.dtype == paddle.uint32
    assert made.numpy().tolist() == [2, 2**32 - 1]


def test_an_operator_without_gradient_says_so():
    x = randn(5)
    x.stop_gradient = False
    y = paddle_kernel(wave, enable_backward=False)(x, 1.0)
    with pytest.raises((RuntimeError, OSError), match="enable_backward"):
        y.sum().backward()


def test_what_changed_in_place_is_noticed():
    """Paddle itself does not look."""
    x = randn(5)
    x.stop_gradient = False
    u = x * 1.0
    y = paddle_kernel(wave)(u, 1.0)
    with paddle.no_grad():
        u.add_(paddle.ones([5], dtype="float64"))
    with pytest.raises((RuntimeError, OSError), match="changed in place"):
        y.sum().backward()


def test_refusals():
    f = paddle_kernel(wave)
    x = randn(5)
    with pytest.raises(TypeError, match=r"'x' holds float32, expected float64"):
        f(x.astype("float32"), 1.0)
    with pytest.raises(TypeError, match=r"'x' is ndarray"):
        f(x.numpy(), 1.0)
    with pytest.raises(ValueError, match=r"'x' has shape"):
        f(randn(5, 2), 1.0)
    with pytest.raises(TypeError, match="takes 2 inputs"):
        f(x)
    with pytest.raises(TypeError, match="no input 'z'"):
        f(x, z=1.0)
    s = paddle.to_tensor(1.0, stop_gradient=False)
    with pytest.raises(TypeError, match="'s' is a value"):
        f(x, s)
    with pytest.raises(TypeError, match="'s'"):
        f(x, "a")
    for wrong in (wave.key, lambda x: x):
        with pytest.raises(TypeError, match="kernel"):
            paddle_kernel(wrong)
    with pytest.raises(TypeError, match="writes its input"):
        paddle_kernel(rowsum, num_outputs=1, in_out_argnames=[]) and paddle_kernel(turn)
    with pytest.raises(ValueError, match="no parameter 'q'"):
        paddle_kernel(wave, in_out_argnames=["q"])
    with pytest.raises(ValueError, match="output_dims"):
        f(x, 1.0, output_dims=(2, 3))


def test_static_graphs_are_refused_by_name():
    f = paddle_kernel(wave)

    @paddle.jit.to_static(full_graph=True)
    def model(x):
        return f(x, 1.0)

    with pytest.raises(TypeError, match="to_static"):
        model(randn(3))


@pytest.mark.parametrize("name", CASES)
def test_graphs_are_freed(name):
    make, arguments, _ = CASES[name]
    f = make()
    args = differentiable(arguments())
    made = listed(f(*args))
    gone = [weakref.ref(r) for r in made]
    del made
    gc.collect()
    assert [r() for r in gone] == [None] * len(gone)


def test_training():
    f = paddle_kernel(wave)
    x = paddle.to_tensor([1.0, 1.2, 0.8], dtype="float64", stop_gradient=False)
    optimizer = paddle.optimizer.Adam(learning_rate=0.05, parameters=[x])
    for _ in range(200):
        ((f(x, 1.0) - 0.25) ** 2).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    np.testing.assert_allclose(f(x, 1.0).numpy(), 0.25, atol=1e-3)


def test_deep_copies_share_it():
    f = paddle_kernel(wave)
    assert copy.deepcopy({"f": f})["f"] is f
