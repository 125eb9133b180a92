"""Derivatives of kernels as torch operators: of every order, in both directions, nested."""

from __future__ import annotations

from functools import partial

import pytest
import warp as wp

from .torch_kernels import CASES, differentiable, expected_wave, lowest, randn, same, torch, torch_kernel, turn, wave

gradcheck, gradgradcheck = torch.autograd.gradcheck, torch.autograd.gradgradcheck


@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients_of_two_orders(name):
    make, arguments, expected = CASES[name]
    f, args = make(), arguments()
    before = [a.clone() for a in args if isinstance(a, torch.Tensor)]
    got, want = f(*args), expected(*args)
    same(got, want)
    assert all(map(torch.equal, before, [a for a in args if isinstance(a, torch.Tensor)]))
    args = differentiable(args)
    assert gradcheck(f, args)
    assert gradgradcheck(f, args)


def test_functional_transformations():
    f = partial(torch_kernel(wave), s=2.0)
    x, r = randn(5), partial(expected_wave, s=2.0)
    same(torch.func.jacrev(f)(x), torch.func.jacrev(r)(x))
    same(torch.func.jacfwd(f)(x), torch.func.jacrev(r)(x))
    same(torch.func.hessian(lambda x: f(x).sum())(x), torch.func.hessian(lambda x: r(x).sum())(x))
    same(torch.func.jvp(f, (x,), (x.cos(),)), torch.func.jvp(r, (x,), (x.cos(),)))
    batch = randn(3, 5)
    want = torch.vmap(torch.func.grad(lambda x: r(x).sum()))(batch)
    same(torch.vmap(torch.func.grad(lambda x: f(x).sum()))(batch), want)
    same(torch.compile(torch.vmap(torch.func.grad(lambda x: f(x).sum())), fullgraph=True)(batch), want)
    assert gradcheck(f, (x.requires_grad_(),), check_forward_ad=True, check_batched_grad=True)


def nests():
    func = torch.func
    return {
        "hessian": lambda f, x: func.hessian(lambda x: (f(x) ** 2).sum())(x),
        "reverse over reverse": lambda f, x: func.jacrev(func.jacrev(lambda x: (f(x) ** 2).sum()))(x),
        "reverse over forward": lambda f, x: func.jacrev(func.jacfwd(lambda x: f(x) ** 2))(x),
        "forward over forward": lambda f, x: func.jacfwd(func.jacfwd(lambda x: f(x) ** 2))(x),
        "three times": lambda f, x: func.jacfwd(func.hessian(lambda x: (f(x) ** 2).sum()))(x),
        "gradient of a norm of gradients": lambda f, x: func.grad(
            lambda x: func.grad(lambda x: (f(x) ** 2).sum())(x).norm()
        )(x),
        "batch of hessians": lambda f, x: func.vmap(func.hessian(lambda x: (f(x) ** 2).sum()))(torch.stack([x, 2 * x])),
        "outside of autograd": lambda f, x: torch.autograd.functional.hessian(lambda x: (f(x) ** 2).sum(), x),
        "autograd outside": lambda f, x: torch.autograd.functional.jacobian(
            func.grad(lambda x: (f(x) ** 2).sum()), x, create_graph=True
        ).detach(),
    }


@pytest.mark.parametrize("name", nests())
def test_nested_transformations_of_what_comes_after(name):
    """The gradient that comes in depends on the input too, at every level."""
    x = randn(4)
    got = nests()[name](partial(torch_kernel(wave), s=2.0), x)
    want = nests()[name](partial(expected_wave, s=2.0), x)
    torch.testing.assert_close(got, want, rtol=1e-10, atol=1e-10)


def test_only_wanted_gradients_are_computed():
    f = torch_kernel(turn, num_outputs=2)
    m, v = randn(4, 3, 3), randn(4, 3, requires_grad=True)
    u, _ = f(m, v)
    u.sum().backward()
    same(v.grad, m.sum(1))
    names = [n for n in vars(torch.ops.warp) if n.startswith(f.op._opname + "_d")]
    assert f"{f.op._opname}_d01" in names


def test_only_what_the_adjoint_reads_is_kept():
    @wp.kernel
    def added(x: wp.array(dtype=wp.vec3), w: wp.array(dtype=float), y: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        y[i] = 2.0 * x[i] + wp.vec3(w[i] * w[i])

    f = torch_kernel(added)
    x, w = torch.rand(1000, 3, requires_grad=True), torch.rand(1000, requires_grad=True)
    sizes = []

    def pack(t):
        sizes.append(t.untyped_storage().nbytes())
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        y = f(x, w)
    assert sorted(sizes) == [3 * 4, 1000 * 4]
    with torch.no_grad():
        x.mul_(2.0)  # not read by the adjoint, so that it may change
    y.sum().backward()
    torch.testing.assert_close(x.grad, torch.full((1000, 3), 2.0))
    torch.testing.assert_close(w.grad, 6.0 * w.detach())
    y = f(x, w)
    with torch.no_grad():
        w.mul_(2.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_without_backward():
    x = randn(3, requires_grad=True)
    f = torch_kernel(wave, enable_backward=False)
    y = f(x, 2.0)
    with pytest.raises(RuntimeError, match="enable_backward=False"):
        y.sum().backward()
    assert f.op is not torch_kernel(wave).op

    @wp.kernel(enable_backward=False)
    def forward_only(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
        i = wp.tid()
        y[i] = x[i]

    with pytest.raises(RuntimeError, match="forward_only"):
        torch_kernel(forward_only)(x).sum().backward()

    with pytest.raises(RuntimeError, match="'y'"):
        torch_kernel(lowest, in_out_argnames=["y"])(x, x.detach()[:1]).sum().backward()
