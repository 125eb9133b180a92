"""What only a GPU can show of tensors: torch, paddle and jax on the device.

`docs/cuda.md` lists these tests: the driver for tests cannot stand in for a GPU in any of them.
"""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
import warp as wp

from .on_a_gpu_kernels import double, spin

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("a_gpu")]


@pytest.fixture
def torch():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch sees no GPU")
    return torch


@wp.kernel
def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * x[i]


@wp.kernel
def slope(g: wp.array(dtype=float), x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = 2.0 * x[i] * g[i]


def test_tensors_share_memory(torch):
    t = torch.arange(1000, dtype=torch.float32, device="cuda")
    a = wp.from_torch(t)
    assert a.ptr == t.data_ptr()
    assert a.device == wp.get_device("cuda:0")
    out = wp.to_torch(a)
    assert out.data_ptr() == t.data_ptr()
    assert out.device == t.device


def test_tensors_are_arguments_of_launches(torch):
    x = torch.arange(1000, dtype=torch.float32, device="cuda")
    y = torch.empty_like(x)
    for _ in range(50):
        x += 1
        wp.launch(double, dim=1000, inputs=[x, y], device="cuda:0")
        torch.testing.assert_close(y, 2 * x)


def test_streams_of_torch(torch):
    theirs = torch.cuda.Stream()
    ours = wp.stream_from_torch(theirs)
    assert ours.cuda_stream == theirs.cuda_stream
    back = wp.stream_to_torch(wp.Stream("cuda:0"))
    assert isinstance(back, torch.cuda.Stream)
    with torch.cuda.stream(theirs), wp.ScopedStream(ours):
        x = torch.ones(1 << 20, device="cuda")
        y = torch.empty_like(x)
        wp.launch(spin, dim=x.shape[0], inputs=[x, 10_000], device="cuda:0")
        wp.launch(double, dim=x.shape[0], inputs=[x, y], device="cuda:0")
        z = y + 1
    theirs.synchronize()
    torch.testing.assert_close(z, 2 * x + 1)


def test_a_tensor_that_is_freed_while_a_kernel_reads_it(torch):
    """`record_stream`: torch gives the memory to nobody before the kernel is done."""
    stream = wp.Stream("cuda:0")
    theirs = torch.cuda.ExternalStream(stream.cuda_stream)
    for _ in range(20):
        x = torch.ones(1 << 20, device="cuda")
        y = wp.zeros(1 << 20, dtype=float, device="cuda:0")
        wp.synchronize()
        spun = wp.ones(1 << 20, dtype=float, device="cuda:0")
        wp.launch(spin, dim=spun.shape, inputs=[spun, 20_000], stream=stream)
        wp.launch(double, dim=y.shape, inputs=[wp.from_torch(x), y], stream=stream)
        x.record_stream(theirs)
        del x
        torch.full((1 << 20,), -1.0, device="cuda")
        wp.synchronize()
        assert (y.numpy() == 2).all()


def test_gradients_through_autograd(torch):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.x = wp.from_torch(x.detach(), requires_grad=True)
            y = torch.empty_like(x)
            ctx.y = wp.from_torch(y, requires_grad=True)
            ctx.tape = wp.Tape()
            with ctx.tape:
                wp.launch(square, dim=x.shape[0], inputs=[ctx.x], outputs=[ctx.y], device="cuda:0")
            return y

        @staticmethod
        def backward(ctx, grad):
            ctx.tape.backward(grads={ctx.y: wp.from_torch(grad.contiguous())})
            return wp.to_torch(ctx.x.grad)

    x = torch.linspace(-1, 1, 100, device="cuda", requires_grad=True)
    (3 * Square.apply(x)).sum().backward()
    torch.testing.assert_close(x.grad, 6 * x.detach())


def late_gradients(torch, way: str, device: str) -> None:
    """A function of torch's over kernels, with tensors whose gradients torch has not made yet.

    It squares. `from_torch` makes gradients at once, but in the ways that keep it from that.
    """

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            if way == "torch makes them":
                x.grad = torch.zeros_like(x)
                addresses.append(x.grad.data_ptr())
            y = torch.empty_like(x)
            ctx.save_for_backward(x)
            launched(square, x, y)
            after_forward.append(None if x.grad is None else x.grad.data_ptr())
            return y

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            out = torch.empty_like(x)
            launched(slope, g.contiguous(), x, out)
            return out

    def launched(kernel, *tensors):
        launch_on = wp.device_from_torch(tensors[0].device)
        wp.launch(kernel, dim=len(tensors[0]), inputs=[given(t) for t in tensors], device=launch_on)

    def given(tensor):
        if way == "detached":
            return tensor.detach()
        return wp.from_torch(tensor, requires_grad=False) if way == "not asked for" else wp.from_torch(tensor)

    addresses: list[int] = []
    after_forward: list[int | None] = []
    for _ in range(5):  # tensors are new in each round, as those of a training loop are
        x = torch.linspace(-1, 1, 10_000, device=device).requires_grad_(True)
        g = torch.linspace(0, 3, 10_000, device=device)
        (found,) = torch.autograd.grad(Square.apply(x), x, g)
        torch.testing.assert_close(found, 2 * x.detach() * g)
    if way == "torch makes them":
        assert after_forward == addresses
    else:
        assert [a is not None for a in after_forward] == [way == "we make them"] * 5


@pytest.mark.parametrize("way", ["we make them", "not asked for", "detached", "torch makes them"])
def test_gradients_that_torch_makes_late(torch, way):
    late_gradients(torch, way, "cuda")


def test_torch_operators_of_kernels(torch):
    operator = wp.torch_kernel(square)
    x = torch.linspace(-1, 1, 100, device="cuda", requires_grad=True)
    y = operator(x)
    y = y[0] if isinstance(y, tuple | list) else y
    torch.testing.assert_close(y, x * x)
    y.sum().backward()
    torch.testing.assert_close(x.grad, 2 * x.detach())


def test_torch_operators_launch_on_torchs_current_stream(torch):
    operator, theirs = wp.torch_kernel(square), torch.cuda.Stream()
    for _ in range(20):
        with torch.cuda.stream(theirs):
            x = torch.ones(1 << 20, device="cuda")
            torch.cuda._sleep(1_000_000)
            x += 2
            y = operator(x)
            z = y + 1
        del x, y
        theirs.synchronize()
        assert (z == 10).all()


def test_torch_operators_in_graphs_of_torch(torch):
    operator = wp.torch_kernel(square)
    x = torch.ones(1000, device="cuda")
    operator(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = operator(x) + 1
    for value in (2.0, 3.0):
        x.fill_(value)
        graph.replay()
        assert (y == value * value + 1).all()


def test_torch_compiles_operators(torch):
    operator = wp.torch_kernel(square)
    compiled = torch.compile(lambda x: operator(x + 1) * 2, fullgraph=True)
    x = torch.linspace(-1, 1, 100, device="cuda")
    torch.testing.assert_close(compiled(x), 2 * (x + 1) ** 2)


def test_torch_operators_refuse_tensors_of_two_devices(torch):
    @wp.kernel
    def both(x: wp.array(dtype=float), y: wp.array(dtype=float), z: wp.array(dtype=float)):
        i = wp.tid()
        z[i] = x[i] + y[i]

    with pytest.raises((RuntimeError, ValueError), match="'y'.*cpu"):
        wp.torch_kernel(both)(torch.ones(4, device="cuda"), torch.ones(4))


def test_torch_reads_arrays_by_dlpack_and_interface(torch):
    a = wp.array(np.arange(10, dtype=np.float32), device="cuda:0")
    for t in (torch.from_dlpack(a), torch.as_tensor(a, device="cuda")):
        assert t.data_ptr() == a.ptr
        assert t.tolist() == list(range(10))


def test_paddle_operators_and_streams():
    paddle = pytest.importorskip("paddle")
    if not paddle.is_compiled_with_cuda() or paddle.device.cuda.device_count() == 0:
        pytest.skip("paddle sees no GPU")
    x = paddle.ones([1000]).to("gpu:0")
    x.stop_gradient = False
    y = wp.paddle.paddle_kernel(square)(x)
    assert y.place == x.place
    y.sum().backward()
    assert (x.grad.numpy() == 2).all()
    assert wp.stream_from_paddle("gpu:0").device == "cuda:0"


@pytest.fixture
def jax():
    jax = pytest.importorskip("jax")
    if not any(device.platform == "gpu" for device in jax.devices()):
        pytest.skip("jax sees no GPU")
    return jax


def test_jax_kernels_run_on_the_device(jax):
    kernel = wp.jax_kernel(double)

    @jax.jit
    def program(x):
        (y,) = kernel(x)
        return y + 1

    x = jax.numpy.arange(1000, dtype=jax.numpy.float32)
    for _ in range(3):  # from some execution on XLA launches what it has captured
        y = program(x)
        assert y.devices() == x.devices()
        np.testing.assert_array_equal(np.asarray(y), 2 * np.arange(1000) + 1)


def test_jax_gradients_batches_and_values(jax):
    @wp.kernel
    def scale(x: wp.array(dtype=float), k: float, y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = k * x[i] * x[i]

    kernel = wp.jax_kernel(scale, enable_backward=True)
    x = jax.numpy.arange(10, dtype=jax.numpy.float32)

    @jax.jit
    def loss(x, k):
        return kernel(x, k)[0].sum()

    by_x, by_k = jax.grad(loss, argnums=(0, 1))(x, jax.numpy.float32(3.0))
    np.testing.assert_allclose(np.asarray(by_x), 6 * np.arange(10))
    assert by_k == (np.arange(10) ** 2).sum()
    rows = jax.jit(jax.vmap(lambda k: kernel(x, k)[0]))(jax.numpy.arange(3, dtype=jax.numpy.float32))
    np.testing.assert_array_equal(np.asarray(rows), np.outer(np.arange(3), np.arange(10) ** 2))


def test_jax_kernels_that_record_or_print_are_not_captured(jax, capfd):
    @wp.kernel
    def power(x: wp.array(dtype=float), n: wp.array(dtype=int), y: wp.array(dtype=float)):
        i = wp.tid()
        z = float(1.0)
        for _ in range(n[0]):
            z = z * x[i]
        y[i] = z

    @wp.kernel
    def says(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        print(x[i])
        y[i] = x[i]

    kernel = wp.jax_kernel(power, enable_backward=True)
    x, n = jax.numpy.full(4, 2.0, dtype=jax.numpy.float32), jax.numpy.array([3], dtype=jax.numpy.int32)
    gradient = jax.jit(jax.grad(lambda x: kernel(x, n)[0].sum()))
    speaks = jax.jit(lambda x: wp.jax_kernel(says)(x)[0])
    for _ in range(3):
        np.testing.assert_allclose(np.asarray(gradient(x)), 12.0)
        speaks(x).block_until_ready()
    wp.synchronize()
    assert capfd.readouterr().out.count("2") == 12


def test_jax_callables(jax):
    def twice(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        work = wp.zeros_like(x)
        wp.launch(double, dim=x.shape, inputs=[x, work])
        wp.launch(double, dim=x.shape, inputs=[work, y])

    def looks(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        if not wp.get_device().is_capturing:
            y.assign(4 * x.numpy())
            return
        twice(x, y)

    def condition(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        outside.fill_(1)  # nothing that can be traced
        twice(x, y)

    outside = wp.zeros(1, dtype=int, device="cuda:0")
    x, modes = jax.numpy.arange(8, dtype=jax.numpy.float32), wp.jax.GraphMode
    for function in (twice, looks, condition):
        for mode in modes:
            f = jax.jit(wp.jax.jax_callable(function, graph_mode=mode))
            for _ in range(3):
                np.testing.assert_array_equal(np.asarray(f(x)[0]), 4 * np.arange(8))


def test_jax_tells_what_went_wrong(jax):
    @wp.kernel
    def beyond(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i + 100]

    x = jax.numpy.arange(8, dtype=jax.numpy.float32)
    program = jax.jit(lambda x: wp.jax_kernel(beyond)(x)[0])
    program(x).block_until_ready()
    with pytest.raises(Exception, match=r"index 10\d is out of range"):
        program(x).block_until_ready()
    with contextlib.suppress(Exception):
        program(x).block_until_ready()
    with pytest.raises(IndexError):
        wp.synchronize()


def test_jax_arrays_share_memory(jax):
    x = jax.numpy.arange(1000, dtype=jax.numpy.float32)
    a = wp.from_jax(x)
    assert a.ptr == x.unsafe_buffer_pointer()
    assert wp.to_jax(a).devices() == x.devices()
    assert wp.device_to_jax(wp.device_from_jax(next(iter(x.devices())))) in jax.devices()
