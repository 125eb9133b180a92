"""Kernels as torch operators in graphs and batches: opcheck, `torch.compile`, `torch.export`, `torch.vmap`."""

from __future__ import annotations

from functools import partial

import pytest
import warp as wp
from warp._operator import batch

from .torch_kernels import (
    CASES,
    differentiable,
    expected_wave,
    lookup,
    matmul,
    randn,
    rowsum,
    same,
    torch,
    torch_kernel,
    turn,
    wave,
)


@pytest.fixture(autouse=True)
def fresh_compiler():
    """Cases of one test have the same code, and torch limits how often that is compiled."""
    torch.compiler.reset()


@pytest.mark.parametrize("name", CASES)
def test_opcheck(name):
    make, arguments, _ = CASES[name]
    f, args = make(), differentiable(arguments())
    extents = {}
    if f._launch is not None:
        extents["launch_dims"] = [f._launch] if isinstance(f._launch, int) else list(f._launch)
    if f._outputs is not None:
        extents["output_dims"] = [f._outputs]
    torch.library.opcheck(f.op, args, extents)


@pytest.mark.parametrize("name", CASES)
def test_compiled_as_one_graph(name):
    make, arguments, _ = CASES[name]
    f, args = make(), differentiable(arguments())

    def total(*args):
        got = f(*[a.sin() if isinstance(a, torch.Tensor) and a.is_floating_point() else a for a in args])
        return sum((g * g).sum() for g in (got if isinstance(got, tuple) else (got,)))

    inputs = [a for a in args if isinstance(a, torch.Tensor) and a.requires_grad]
    want = torch.autograd.grad(total(*args), inputs)
    compiled = torch.compile(total, fullgraph=True, backend="aot_eager")
    same(compiled(*args), total(*args))
    got = torch.autograd.grad(compiled(*args), inputs)
    same(got, want)


def test_compiled_by_the_default_compiler():
    x, f = randn(5), torch_kernel(wave)
    compiled = torch.compile(lambda x: f(x.sin(), 2.0).cos(), fullgraph=True)
    same(compiled(x), expected_wave(x.sin(), 2.0).cos())


def test_exported():
    f = torch_kernel(wave)

    class Module(torch.nn.Module):
        def forward(self, x):
            return f(x, 2.0) + 1

    x = randn(5)
    n = torch.export.Dim("n")
    program = torch.export.export(Module(), (x,), dynamic_shapes=({0: n},))
    assert any(node.target is f.op for node in program.graph.nodes)
    for count in (5, 9):
        y = randn(count)
        same(program.module()(y), expected_wave(y, 2.0) + 1)


def test_dynamic_shapes_compile_once():
    f = torch_kernel(wave)
    seen = []

    def backend(graph, inputs):
        seen.append(graph)
        return graph

    compiled = torch.compile(
        lambda x, s: f(x * 2, s, launch_dims=x.shape[0]), fullgraph=True, dynamic=True, backend=backend
    )
    for n in (4, 7, 30):
        x = randn(n)
        same(compiled(x, 3.0), expected_wave(x * 2, 3.0))
    assert len(seen) == 1


def test_output_dims_of_some_outputs_while_compiling():
    @wp.kernel
    def both(a: wp.array[float], b: wp.array[float], c: wp.array[float]):
        i = wp.tid()
        b[i] = a[i] * 2.0
        c[0] = 1.0

    f, x = torch_kernel(both, num_outputs=2), torch.arange(5.0)
    for given in ({}, {"launch_dims": 2}):
        compiled = torch.compile(lambda x, given=given: f(x, output_dims={"c": 3}, **given), fullgraph=True)
        b, c = compiled(x)
        same(b, 2 * x[: given.get("launch_dims", 5)])
        assert c.tolist() == [1, 0, 0]


def test_wrong_types_are_found_while_tracing():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        with pytest.raises(TypeError, match="'x' holds torch.float32"):
            torch_kernel(wave)(torch.ones(3), 1.0)
        with pytest.raises(ValueError, match="'v' has shape"):
            torch_kernel(turn, num_outputs=2)(
                torch.ones(2, 3, 3, dtype=torch.float64), torch.ones(2, 4, dtype=torch.float64)
            )
        assert torch_kernel(wave)(torch.ones(3, dtype=torch.float64), 1.0).shape == (3,)


def test_what_is_traced_for_a_gpu_needs_none():
    from torch._subclasses.fake_tensor import FakeTensorMode

    f, two = torch_kernel(wave), torch_kernel(turn, num_outputs=2)
    with FakeTensorMode():
        x = torch.ones(3, dtype=torch.float64, device="cuda:1")
        y = f(x, 1.0)
        assert (y.shape, y.dtype, y.device) == ((3,), torch.float64, torch.device("cuda:1"))
        for one, other in (("cuda:0", "cuda:1"), ("cuda:0", "cpu"), ("cpu", "cuda:0")):
            a = torch.ones(2, 3, 3, dtype=torch.float64, device=one)
            b = torch.ones(2, 3, dtype=torch.float64, device=other)
            with pytest.raises(RuntimeError, match=f"argument 'v' is on {b.device}, 'm' on {a.device}; a kernel takes"):
                two(a, b)


METHODS = ["broadcast_all", "expand_dims", "sequential"]


@pytest.mark.parametrize("method", METHODS)
def test_vmap(method):
    f = torch_kernel(wave, vmap_method=method)
    x = randn(3, 5)
    same(torch.vmap(partial(f, s=2.0))(x), expected_wave(x, 2.0))
    same(torch.vmap(partial(f, s=2.0), in_dims=1, out_dims=1)(x), expected_wave(x, 2.0))
    same(torch.vmap(torch.vmap(partial(f, s=2.0)))(randn(2, 3, 5)), expected_wave(randn(2, 3, 5), 2.0))
    assert torch.vmap(partial(f, s=2.0))(x[:0]).shape == (0, 5)
    mm = torch_kernel(matmul, vmap_method=method)
    a, b = randn(6, 3, 2), randn(2, 4)
    same(torch.vmap(partial(mm, launch_dims=(3, 4)), in_dims=(0, None))(a, b), a @ b)


@pytest.mark.parametrize("method", METHODS)
def test_vmap_of_arguments_that_the_kernel_changes(method):
    f = torch_kernel(rowsum, in_out_argnames=["sums"])
    m = randn(2, 3, 4)
    for dim, shape in ((0, (2, 3)), (1, (3, 2)), (2, (4, 2))):
        sums = torch.zeros(shape, dtype=torch.float64)
        got = torch.vmap(partial(f, vmap_method=method), in_dims=(dim, 0))(m, sums)
        same(got, (m * m).movedim(dim, 0).sum(2))
        assert not sums.any()
    shared = torch.vmap(partial(f, vmap_method=method), in_dims=(0, None))(m, torch.ones(3, dtype=torch.float64))
    same(shared, (m * m).sum(2) + 1)


@pytest.mark.parametrize("method", METHODS)
def test_vmap_with_launch_dimensions(method):
    f = torch_kernel(lookup, vmap_method=method)
    table = torch.arange(100, dtype=torch.float64)
    indices = torch.randint(0, 100, (20, 50), dtype=torch.int32)
    same(torch.vmap(partial(f, launch_dims=50), in_dims=(None, 0))(table, indices), table[indices.long()])
    same(torch.vmap(partial(f, launch_dims=20), in_dims=(None, 1))(table, indices), table[indices.long()].T)
    each = torch.vmap(torch.func.grad(lambda t, i: f(t, i, launch_dims=50).sum()), in_dims=(None, 0))(table, indices)
    want = torch.stack([torch.bincount(i, minlength=100) for i in indices.long()]).double()
    same(each, want)


def test_batches_of_five_dimensions_are_launched_one_by_one():
    @wp.kernel
    def copy4(x: wp.array4d[float], y: wp.array4d[float]):
        i, j, k, n = wp.tid()
        y[i, j, k, n] = 2.0 * x[i, j, k, n]

    x = torch.rand(2, 3, 2, 3, 2)
    assert torch.equal(torch.vmap(torch_kernel(copy4))(x), 2 * x)
    assert batch(torch_kernel(copy4)._operator, [0], None) is None


def backward_compiled(loss):
    with torch._dynamo.config.patch(compiled_autograd=True):
        torch.compile(lambda loss: loss.backward(), backend="aot_eager")(loss)


def total_of(f, args):
    got = f(*args)
    return sum((g * g).sum() for g in (got if isinstance(got, tuple) else (got,)))


@pytest.mark.parametrize("name", CASES)
def test_compiled_autograd(name):
    make, arguments, expected = CASES[name]
    args, others = differentiable(arguments()), differentiable(arguments())
    backward_compiled(total_of(make(), args))
    total_of(expected, others).backward()
    for a, b in zip(args, others, strict=True):
        if isinstance(a, torch.Tensor) and a.is_floating_point():
            same(a.grad, b.grad)


def test_compiled_autograd_of_compiled_functions():
    f = torch_kernel(wave)
    x, other = randn(5, requires_grad=True), randn(5, requires_grad=True)
    with torch._dynamo.config.patch(compiled_autograd=True):
        loss = torch.compile(lambda x: f(x * 2.0, 3.0).sum(), backend="aot_eager")(x)
    backward_compiled(loss)
    expected_wave(other * 2.0, 3.0).sum().backward()
    same(x.grad, other.grad)


def test_compiled_autograd_of_gradients():
    f = torch_kernel(wave)
    grads = []
    for function, backward in ((f, backward_compiled), (expected_wave, torch.Tensor.backward)):
        x = randn(5, requires_grad=True)
        (first,) = torch.autograd.grad(function(x, 3.0).sum(), x, create_graph=True)
        backward((first * first).sum())
        grads.append(x.grad)
    same(*grads)


def test_compiled_autograd_tells_calls_apart():
    """By values, by what needs a gradient, and by extents, with one compiled function for all."""
    f = torch_kernel(wave)
    for scale, count in ((1.0, 5), (2.0, 5), (2.0, 6), (3.0, 9)):
        x, other = randn(count, requires_grad=True), randn(count, requires_grad=True)
        backward_compiled(f(x, scale).sum())
        expected_wave(other, scale).sum().backward()
        same(x.grad, other.grad)
    product = torch_kernel(matmul, launch_dims=(3, 4))
    for needs in ((True, True), (True, False), (False, True)):
        a, b = (randn(*shape, requires_grad=need) for shape, need in zip(((3, 2), (2, 4)), needs, strict=True))
        c, d = a.detach().requires_grad_(needs[0]), b.detach().requires_grad_(needs[1])
        backward_compiled(product(a, b).sum())
        (c @ d).sum().backward()
        for got, want in ((a.grad, c.grad), (b.grad, d.grad)):
            assert (got is None) == (want is None)
            if got is not None:
                same(got, want)


def test_compiled_autograd_without_a_gradient():
    f = torch_kernel(wave, enable_backward=False)
    with pytest.raises(RuntimeError, match="has no gradient"):
        backward_compiled(f(randn(5, requires_grad=True), 2.0).sum())
