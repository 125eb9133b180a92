"""Kernels as torch operators: values, gradients of every order, transformations, refusals."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

import pytest
import warp as wp

torch = pytest.importorskip("torch")

torch_kernel = wp.torch.torch_kernel
gradcheck, gradgradcheck = torch.autograd.gradcheck, torch.autograd.gradgradcheck


@wp.kernel
def wave(x: wp.array(dtype=wp.float64), s: wp.float64, y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    y[i] = x[i] * x[i] * s * wp.sin(x[i])


@wp.kernel
def sincos(angle: wp.array(dtype=float), s: wp.array(dtype=float), c: wp.array(dtype=float)):
    i = wp.tid()
    s[i] = wp.sin(angle[i])
    c[i] = wp.cos(angle[i])


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
def diagonal(output: wp.array[wp.mat33]):
    i = wp.tid()
    output[i] = wp.mat33(1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0)


@wp.kernel
def rewritten(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    y[i] = x[i] * x[i]
    y[i] = y[i] * wp.sin(y[i])


@wp.kernel
def iterated(x: wp.array(dtype=wp.float64), n: int, y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    v = x[i]
    for _ in range(n):
        v = wp.sin(v) * v + x[i]
    y[i] = v


def expected_iterated(x, n):
    v = x
    for _ in range(n):
        v = torch.sin(v) * v + x
    return v


@wp.kernel
def lowest(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
    wp.atomic_min(y, 0, -x[wp.tid()] * x[wp.tid()])


@wp.kernel
def double_in_place(x: wp.array(dtype=wp.float64), w: wp.array(dtype=wp.float64)):
    i = wp.tid()
    w[i] = w[i] * x[i]


def randn(*shape, requires_grad=False):
    made = torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(7))
    return made.requires_grad_(requires_grad)


def expected_wave(x, s):
    return x * x * s * x.sin()


def same(a, b):
    torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-12)


CASES = {
    "values": (lambda: torch_kernel(wave), lambda: (randn(5), 2.0), expected_wave),
    "several outputs": (
        lambda: torch_kernel(turn, num_outputs=2),
        lambda: (randn(4, 3, 3), randn(4, 3)),
        lambda m, v: (torch.einsum("nij,nj->ni", m, v), torch.einsum("ni,nij,nj->n", v, m, v)),
    ),
    "loop": (
        lambda: torch_kernel(matmul, launch_dims=(3, 4)),
        lambda: (randn(3, 2), randn(2, 4)),
        torch.matmul,
    ),
    "in-out": (
        lambda: torch_kernel(rowsum, in_out_argnames=["sums"]),
        lambda: (randn(3, 4), randn(3)),
        lambda m, sums: sums + (m * m).sum(1),
    ),
    "in-out that is overwritten": (
        lambda: torch_kernel(double_in_place, in_out_argnames=["w"]),
        lambda: (randn(5), randn(5)),
        lambda x, w: x * w,
    ),
    "indices": (
        lambda: torch_kernel(lookup, launch_dims=6),
        lambda: (randn(4), torch.tensor([3, 0, 0, 1, 3, 3], dtype=torch.int32)),
        lambda t, i: t[i.long()],
    ),
    "output that is overwritten": (
        lambda: torch_kernel(rewritten),
        lambda: (randn(5),),
        lambda x: x**2 * torch.sin(x**2),
    ),
    "loop that overwrites": (lambda: torch_kernel(iterated), lambda: (randn(3), 9), expected_iterated),
    "minimum": (
        lambda: torch_kernel(lowest, output_dims=1),
        lambda: (randn(5),),
        lambda x: (-x * x).min().reshape(1),
    ),
}


def differentiable(args):
    return tuple(
        a.clone().requires_grad_() if isinstance(a, torch.Tensor) and a.is_floating_point() else a for a in args
    )


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
    torch.compiler.reset()  # every case has the same code: torch limits how often that is compiled
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
    assert torch_kernel(copy4)._operator.batch([0], None) is None


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


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_float_types(dtype):
    scalar = wp.dtype_from_torch(dtype)

    @wp.kernel
    def scaled(x: wp.array(dtype=scalar), y: wp.array(dtype=scalar)):
        i = wp.tid()
        y[i] = x[i] * x[i]

    x = torch.arange(5, dtype=dtype, requires_grad=True)
    y = torch_kernel(scaled)(x)
    assert (y.dtype, y.tolist()) == (dtype, [0, 1, 4, 9, 16])
    y.backward(torch.ones_like(y))
    assert (x.grad.dtype, x.grad.tolist()) == (dtype, [0, 2, 4, 6, 8])


@pytest.mark.parametrize("name", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_integer_types(name):
    scalar = getattr(wp, name)

    @wp.kernel
    def copied(x: wp.array(dtype=scalar), y: wp.array(dtype=scalar)):
        i = wp.tid()
        y[i] = x[i]

    x = torch.tensor([1, 0, 1], dtype=getattr(torch, name))
    y = torch_kernel(copied)(x)
    assert y.dtype is x.dtype
    assert y.tolist() == x.tolist()


def test_values_of_every_kind():
    @wp.kernel
    def mixed(
        x: wp.array(dtype=float), n: int, b: bool, v: wp.vec3, m: wp.mat22, big: wp.int64, y: wp.array(dtype=wp.float64)
    ):
        i = wp.tid()
        t = wp.float64(x[i]) + wp.float64(n) + wp.float64(v[2]) + wp.float64(m[1, 0]) + wp.float64(big)
        if b:
            t = -t
        y[i] = t

    f = torch_kernel(mixed)
    x = torch.ones(2, requires_grad=True)
    m = wp.mat22(1.0, 2.0, 3.0, 4.0)
    for vector in (wp.vec3(1.0, 2.0, 3.0), (1, 2, 3), torch.tensor([1.0, 2.0, 3.0])):
        y = f(x, 5, True, vector, m, 2**40)
        assert y.tolist() == [-(1 + 5 + 3 + 3 + 2**40)] * 2
    assert f(x, big=0, b=False, n=1, m=((0, 0), (7, 0)), v=[0, 0, 0.5]).tolist() == [9.5] * 2
    y.sum().backward()
    assert x.grad.tolist() == [-1, -1]


LAYOUTS = {
    "transposed": lambda t: t.t().contiguous().t(),
    "every second": lambda t: torch.stack([t, t], 1).flatten(0, 1)[::2],
    "components apart": lambda t: torch.stack([t, t], -1)[..., 0],
    "expanded": lambda t: t[:1].expand(4, 3),
    "reversed copy": lambda t: t.flip(0),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(name):
    f = torch_kernel(turn, num_outputs=2)
    m, v = randn(4, 3, 3), LAYOUTS[name](randn(4, 3)).detach().requires_grad_()
    u, n = f(m.mT.contiguous().mT, v)
    same(u, torch.einsum("nij,nj->ni", m, v))
    seed = torch.ones(1, 1, dtype=torch.float64).expand(4, 3)
    (got,) = torch.autograd.grad(u, v, seed)
    same(got, m.sum(1))
    same(n, torch.einsum("ni,nij,nj->n", v, m, v))


def test_outputs_without_a_gradient_and_empty_tensors():
    f = torch_kernel(sincos, num_outputs=2)
    x = torch.linspace(0, 1, 4, requires_grad=True)
    s, c = f(x)
    torch.testing.assert_close((s, c), (x.sin(), x.cos()))
    c.sum().backward()  # nothing comes in for `s`
    torch.testing.assert_close(x.grad, -x.detach().sin())
    empty = torch.empty(0, requires_grad=True)
    s, c = f(empty)
    assert s.shape == c.shape == (0,)
    (s.sum() + c.sum()).backward()
    assert empty.grad.shape == (0,)
    assert torch.equal(torch_kernel(diagonal)(launch_dims=2), torch.diag(torch.arange(1.0, 4)).expand(2, 3, 3))
    torch.library.opcheck(torch_kernel(diagonal).op, (), {"launch_dims": [3]})


def test_output_dims():
    @wp.kernel
    def vecmat(a: wp.array[float], d: wp.array[float], e: wp.array[wp.vec3], f: wp.array[wp.mat22]):
        i = wp.tid()
        d[i] = a[i]
        e[i] = wp.vec3(a[i])

    k, a = torch_kernel(vecmat, num_outputs=3), torch.ones(4)
    want = [(4,), (4, 3), (4, 2, 2)]
    for dims in (None, 4, (4,), [4], {"d": 4, "e": 4, "f": 4}, {"d": (4,), "e": (4, 3), "f": (4, 2, 2)}, {"e": 4}):
        assert [tuple(t.shape) for t in k(a, output_dims=dims)] == want
    assert [tuple(t.shape) for t in k(a, launch_dims=2, output_dims={"d": 3, "f": 7})] == [(3,), (2, 3), (7, 2, 2)]
    assert k(a, launch_dims=2, output_dims=3)[0].tolist() == [1, 1, 0]
    assert torch_kernel(vecmat, num_outputs=3, output_dims={"d": 9})(a)[0].shape == (9,)
    for dims, word in (({"g": 3}, "'g'"), ((4, 4), "'d'"), ({"e": (4, 2)}, "'e'")):
        with pytest.raises(ValueError, match=word):
            k(a, output_dims=dims)
    with pytest.raises(TypeError, match="output_dims"):
        k(a, output_dims=4.5)


def test_names_say_what_the_kernel_does():
    def make(c):
        @wp.kernel
        def scaled(x: wp.array(dtype=float), y: wp.array(dtype=float)):
            i = wp.tid()
            y[i] = c * x[i]

        return torch_kernel(scaled)

    two, again, three = make(2.0), make(2.0), make(3.0)
    assert two.op is again.op
    assert two.op is not three.op
    x = torch.ones(2)
    assert (two(x).tolist(), three(x).tolist()) == ([2, 2], [3, 3])
    assert torch_kernel(wave, vmap_method="sequential").op is not torch_kernel(wave).op
    text = (
        f"import sys; sys.path.insert(0, {__file__.rpartition('/')[0]!r})\n"
        "import test_torch_kernel as t; print(t.torch_kernel(t.wave).op._opname)"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == torch_kernel(wave).op._opname


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


WRONG_CALLS = {
    "dtype": (lambda f: f(torch.ones(3), 1.0), "'x'"),
    "dimensions": (lambda f: f(randn(3, 3), 1.0), "'x'"),
    "too few": (lambda f: f(randn(3)), "2 inputs"),
    "too many": (lambda f: f(randn(3), 1.0, randn(3)), "2 inputs"),
    "unknown name": (lambda f: f(randn(3), t=1.0), "'t'"),
    "twice": (lambda f: f(randn(3), 1.0, x=randn(3)), "'x'"),
    "none": (lambda f: f(None, 1.0), "'x' is None"),
    "value that requires grad": (lambda f: f(randn(3), randn(1, requires_grad=True)[0]), "'s' is a value"),
    "text": (lambda f: f(randn(3), "a"), "'s'"),
    "sparse": (lambda f: f(randn(3).to_sparse(), 1.0), ""),
    "array": (lambda f: f(wp.zeros(3, dtype=wp.float64), 1.0), "x"),
    "meta": (lambda f: wp.from_torch(f(torch.ones(3, device="meta", dtype=torch.float64), 1.0)), ""),
    "launch dimensions": (lambda f: f(randn(3), 1.0, launch_dims=(3, 3)), "'y'"),
    "negative launch": (lambda f: f(randn(3), 1.0, launch_dims=-1), ""),
    "vmap method": (lambda f: f(randn(3), 1.0, vmap_method="loop"), "vmap_method"),
}


@pytest.mark.parametrize("name", WRONG_CALLS)
def test_wrong_calls(name):
    call, word = WRONG_CALLS[name]
    with pytest.raises((TypeError, ValueError, RuntimeError, NotImplementedError, BufferError)) as raised:
        call(torch_kernel(wave))
    assert word in str(raised.value)


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


def test_wrong_kernels():
    for make, error, word in (
        (lambda: torch_kernel(print), TypeError, "kernel"),
        (lambda: torch_kernel(wave, num_outputs=2), TypeError, "'s'"),
        (lambda: torch_kernel(wave, num_outputs=0), ValueError, "num_outputs"),
        (lambda: torch_kernel(wave, num_outputs=9), ValueError, "3 parameters"),
        (lambda: torch_kernel(sincos), TypeError, "writes its input 's'"),
        (lambda: torch_kernel(rowsum, in_out_argnames=["z"]), ValueError, "'z'"),
        (lambda: torch_kernel(rowsum, in_out_argnames="sums"), TypeError, "in_out_argnames"),
        (lambda: torch_kernel(wave, vmap_method="all"), ValueError, "vmap_method"),
        (lambda: torch_kernel(diagonal)(), ValueError, "launch_dims"),
    ):
        with pytest.raises(error, match=word):
            make()


def test_without_native_implementations():
    """What older versions of torch use: the same tests, with operators that go through Python."""
    tests = "values or layouts or vmap or empty or types or output_dims or wrong or refus or opcheck"
    text = (
        "import sys, pytest, warp._torch_operator as o\n"
        "o._register_native = lambda op: False\n"
        f"sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', '-k', {tests!r}, {__file__!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_checked_indices(monkeypatch):
    monkeypatch.setattr(wp.config, "check_bounds", True)

    @wp.kernel
    def beyond(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i + 1]

    with pytest.raises(IndexError, match="beyond"):
        torch_kernel(beyond)(torch.ones(3))


def test_memory_does_not_grow():
    x, v = randn(50), randn(4, 3, requires_grad=True)
    f, g = torch_kernel(wave), torch_kernel(turn, num_outputs=2)
    m = randn(4, 3, 3)

    def work():
        for _ in range(3000):
            f(x, 2.0, launch_dims=7)
            g(m, v.mT.contiguous().mT)[0].sum().backward()
            with pytest.raises(RuntimeError):
                f(x.float(), 2.0)

    work()
    start = resident()
    work()
    assert resident() - start < 1 << 20


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


@pytest.mark.parametrize("view", [torch._neg_view, lambda t: torch.complex(t, t).conj().imag])
def test_lazily_negated_views(view):
    x = randn(5)
    same(torch_kernel(wave)(view(x), 2.0), expected_wave(-x, 2.0))


def test_parameters_subclasses_and_modes():
    class Sub(torch.Tensor):
        pass

    f, x = torch_kernel(wave), randn(5)
    p = torch.nn.Parameter(x.clone())
    f(p, 2.0).sum().backward()
    same(p.grad, torch.func.grad(lambda x: expected_wave(x, 2.0).sum())(x))
    assert type(f(x.as_subclass(Sub), 2.0)) is Sub
    same(torch.func.functionalize(partial(f, s=2.0))(x), expected_wave(x, 2.0))
    with torch.inference_mode():
        same(f(x, 2.0), expected_wave(x, 2.0))
    with torch.no_grad():
        assert not f(p, 2.0).requires_grad


def test_operators_on_many_threads():
    import threading

    f, x, errors = torch_kernel(wave), randn(50), []
    want = expected_wave(x, 2.0)

    def work():
        try:
            for _ in range(1000):
                same(f(x, 2.0), want)
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_warp_does_not_import_torch():
    text = "import warp as wp, sys; wp.torch.from_torch; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", text], check=True)
