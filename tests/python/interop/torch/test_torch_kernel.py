"""Kernels as torch operators: arguments, outputs, names, refusals, memory."""

from __future__ import annotations

import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest
import warp as wp

from support.places import TESTS

from .torch_kernels import (
    diagonal,
    expected_wave,
    randn,
    resident,
    rowsum,
    same,
    sincos,
    torch,
    torch_kernel,
    turn,
    wave,
)


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
        f"import sys; sys.path.insert(0, {str(TESTS)!r})\n"
        "from interop.torch import torch_kernels as t; print(t.torch_kernel(t.wave).op._opname)"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == torch_kernel(wave).op._opname


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
    files = [str(path) for path in sorted(Path(__file__).parent.glob("test_torch_kernel*.py"))]
    tests = "values or layouts or vmap or empty or types or output_dims or wrong or refus or opcheck"
    text = (
        "import sys, pytest, warp._torch.operator as o\n"
        "o._register_native = lambda op: False\n"
        f"sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', '-k', {tests!r}, *{files!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_checked_indices():
    """An index out of range is an IndexError, whoever calls the operator."""

    @wp.kernel
    def beyond(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i + 1] * x[i + 1]

    f = torch_kernel(beyond)
    compiled = torch.compile(lambda x: 2.0 * f(x), backend="eager")
    for call, shape in ((f, (3,)), (compiled, (3,)), (torch.vmap(f), (2, 3))):
        for wants_gradient in (False, True):
            with pytest.raises(IndexError, match="beyond"):
                call(torch.ones(shape, requires_grad=wants_gradient))


def test_memory_does_not_grow():
    x, v = randn(50), randn(4, 3, requires_grad=True)
    f, g = torch_kernel(wave), torch_kernel(turn, num_outputs=2)
    m = randn(4, 3, 3)

    def work():
        for _ in range(3000):
            f(x, 2.0, launch_dims=7)
            g(m, v.mT.contiguous().mT)[0].sum().backward()
            with pytest.raises((RuntimeError, TypeError)):  # the first from C++, the second where Python runs it
                f(x.float(), 2.0)

    work()
    start = resident()
    work()
    assert resident() - start < 1 << 20


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


INTERRUPTED = """
import os, signal, threading, time
import torch
from interop.torch import torch_kernels

f = torch_kernels.torch_kernel(torch_kernels.iterated)
x = torch.ones(100_000, dtype=torch.float64, requires_grad=sys.argv[1] == "grad")
f(x, 10)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    f(x, 1_000_000)
except KeyboardInterrupt:
    print("answered", time.monotonic() - start < 5)
"""


@pytest.mark.parametrize("grad", ["grad", "plain"])
def test_ctrl_c(grad):
    text = f"import sys; sys.path.insert(0, {str(TESTS)!r})\n" + INTERRUPTED
    text = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n" + text
    done = subprocess.run([sys.executable, "-c", text, grad], capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout.split() == ["answered", "True"], done.stderr


@wp.kernel
def some(
    x: wp.array(dtype=float), all: wp.array(dtype=float), odd: wp.array(dtype=wp.vec2), either: wp.array(dtype=float)
):
    i = wp.tid()
    all[i] = x[i] + 1.0
    if i % 2 == 1:
        odd[i] = wp.vec2(x[i], 1.0)
        either[i] = 1.0
    else:
        either[i] = 2.0


@pytest.mark.parametrize("launched", [1000, 400])
def test_what_a_kernel_does_not_write_is_zero(launched):
    """Outputs that it writes from end to end are not cleared first; all others are, and those of shorter launches."""
    f, x = torch_kernel(some, num_outputs=3), torch.arange(1000.0)
    for _ in range(20):
        # Memory of these sizes that holds something else is at hand.
        rubbish = [torch.full(shape, float("nan")) for shape in ((1000,), (1000, 2), (1000,))]
        del rubbish
        written, odd, either = f(x, launch_dims=launched, output_dims=1000)
        is_in, is_odd = torch.arange(1000) < launched, torch.arange(1000) % 2 == 1
        same(written, torch.where(is_in, x + 1, 0))
        same(odd, torch.stack([x, torch.ones(1000)], 1) * (is_in & is_odd)[:, None])
        same(either, torch.where(is_odd, 1.0, 2.0) * is_in)
