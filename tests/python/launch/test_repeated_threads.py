"""Operators launched over more dimensions than their kernels take indices of: each thread runs several times."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp


@wp.kernel
def squares(x: wp.array2d(dtype=float), sums: wp.array(dtype=float)):
    b = wp.tid()
    s = float(0.0)
    for k in range(x.shape[1]):
        s += x[b, k] * x[b, k]
    sums[b] = s


@wp.kernel
def added(x: wp.array2d(dtype=float), sums: wp.array(dtype=float)):
    b = wp.tid()
    wp.atomic_add(sums, b, x[b, 0] * x[b, 0])


@wp.kernel
def copied(x: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    b = wp.tid()
    for k in range(x.shape[1]):
        out[b, k] = x[b, k] * x[b, k]


@wp.kernel
def both(x: wp.array2d(dtype=float), first: wp.array(dtype=float), total: wp.array(dtype=float)):
    b = wp.tid()
    first[b] = x[b, 0] * x[b, 0]
    wp.atomic_add(total, 0, x[b, 1] * x[b, 1])


@wp.kernel
def alone(x: wp.array2d(dtype=float), out: wp.array(dtype=float)):
    out[0] = x[0, 0] * x[0, 0]


VALUES = np.linspace(-1.0, 2.0, 14, dtype=np.float32).reshape(2, 7)


class Jax:
    def __init__(self, kernel, num_outputs=1, **options):
        self.jax = pytest.importorskip("jax")
        self.f = wp.jax.jax_kernel(kernel, num_outputs, enable_backward=True, **options)

    def total(self, x, **options):
        return sum(r.sum() for r in self.f(x, **options))

    def derivatives(self, **options):
        """The results, the gradient of their sum, and the second derivative along ones."""
        x = self.jax.numpy.asarray(VALUES)
        first = self.jax.grad(lambda x: self.total(x, **options))
        _, second = self.jax.jvp(first, (x,), (self.jax.numpy.ones_like(x),))
        return self.f(x, **options), first(x), second


class Torch:
    def __init__(self, kernel, num_outputs=1, **options):
        self.torch = pytest.importorskip("torch")
        self.f = wp.torch.torch_kernel(kernel, num_outputs, **options)

    def derivatives(self, **options):
        x = self.torch.tensor(VALUES, requires_grad=True)
        made = self.f(x, **options)
        made = list(made) if isinstance(made, tuple) else [made]
        (first,) = self.torch.autograd.grad(sum(r.sum() for r in made), x, create_graph=True)
        (second,) = self.torch.autograd.grad(first.sum(), x)
        return [r.detach() for r in made], first.detach(), second


class Paddle:
    def __init__(self, kernel, num_outputs=1, **options):
        self.paddle = pytest.importorskip("paddle")
        self.f = wp.paddle.paddle_kernel(kernel, num_outputs, **options)

    def derivatives(self, **options):
        x = self.paddle.to_tensor(VALUES, stop_gradient=False)
        made = self.f(x, **options)
        made = list(made) if isinstance(made, tuple) else [made]
        (first,) = self.paddle.grad(sum(r.sum() for r in made), x, create_graph=True)
        (second,) = self.paddle.grad(first.sum(), x)
        return made, first.detach(), second


def one_column(columns, times):
    made = np.zeros_like(VALUES)
    made[:, columns] = times
    return made


@pytest.mark.parametrize("framework", [Jax, Torch, Paddle])
@pytest.mark.parametrize("given", [{}, {"launch_dims": (2, 7)}, {"launch_dims": 2}], ids=["inferred", "more", "enough"])
@pytest.mark.parametrize("kernel", [squares, added, copied], ids=["stores", "adds", "stores rows"])
def test_gradients_are_those_of_what_ran(framework, kernel, given):
    dims = VALUES.shape if kernel is copied else 2
    made, first, second = framework(kernel, output_dims=dims).derivatives(**given)
    times = 7 if kernel is added and given.get("launch_dims") != 2 else 1
    weights = one_column(0, 2.0 * times) if kernel is added else np.full_like(VALUES, 2.0)
    values = VALUES * VALUES
    expected = {squares: values.sum(1), added: times * values[:, 0], copied: values}[kernel]
    np.testing.assert_allclose(np.asarray(made[0]), expected, rtol=1e-5)
    np.testing.assert_allclose(np.asarray(first), weights * VALUES, rtol=1e-5)
    np.testing.assert_allclose(np.asarray(second), weights, rtol=1e-5)


@pytest.mark.parametrize("framework", [Jax, Torch, Paddle])
def test_what_depends_on_how_often_is_refused(framework):
    f = framework(both, 2, output_dims={"first": 2, "total": 1})
    with pytest.raises((RuntimeError, OSError), match=r"one index of .*, and is launched with the dimensions \(2, 7\)"):
        f.derivatives()
    _, first, _ = f.derivatives(launch_dims=2)
    np.testing.assert_allclose(np.asarray(first), one_column([0, 1], 2.0) * VALUES, rtol=1e-5)


@pytest.mark.parametrize("framework", [Jax, Torch, Paddle])
def test_kernels_without_an_index(framework):
    f = framework(alone, output_dims=1)
    with pytest.raises((RuntimeError, OSError), match="it takes no indices"):
        f.derivatives()
    _, first, _ = f.derivatives(launch_dims=1)
    wanted = np.zeros_like(VALUES)
    wanted[0, 0] = 2.0 * VALUES[0, 0]
    np.testing.assert_allclose(np.asarray(first), wanted, rtol=1e-5)


def test_batches():
    jax = pytest.importorskip("jax")
    f = wp.jax.jax_kernel(squares, 1, enable_backward=True, output_dims=2)
    x = jax.numpy.asarray(np.stack([VALUES, 2 * VALUES, -VALUES]))
    first = jax.vmap(jax.grad(lambda x: f(x)[0].sum()))(x)
    np.testing.assert_allclose(first, 2 * x, rtol=1e-5)
    first = jax.grad(lambda x: jax.vmap(lambda x: f(x)[0])(x).sum())(x)
    np.testing.assert_allclose(first, 2 * x, rtol=1e-5)
    torch = pytest.importorskip("torch")
    g = wp.torch.torch_kernel(squares, output_dims=2)
    y = torch.tensor(np.asarray(x))
    np.testing.assert_allclose(torch.func.vmap(torch.func.grad(lambda x: g(x).sum()))(y), 2 * y, rtol=1e-5)


def test_forward_results_need_no_dimensions():
    """Without a gradient nothing is refused."""
    torch = pytest.importorskip("torch")
    f = wp.torch.torch_kernel(both, 2, output_dims={"first": 2, "total": 1})
    x = torch.tensor(VALUES, requires_grad=True)
    first, total = f(x)
    np.testing.assert_allclose(first.detach(), VALUES[:, 0] ** 2, rtol=1e-5)
    np.testing.assert_allclose(total.detach(), [7 * (VALUES[:, 1] ** 2).sum()], rtol=1e-5)
