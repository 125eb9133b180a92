"""What only a GPU can show: time, occupancy, weak memory order, torch and jax on the device, NVIDIA's own checker.

`docs/cuda.md` lists these tests: the driver for tests cannot stand in for a GPU in any of them.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import warp as wp

from gpu.support import driver_calls

pytestmark = pytest.mark.gpu


@pytest.fixture(autouse=True)
def a_gpu():
    """A GPU; whatever a test leaves on it is waited for."""
    if driver_calls.real_driver() is None:
        pytest.skip("there is no NVIDIA GPU")
    yield "cuda:0"
    wp.synchronize()


@pytest.fixture
def torch():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("torch sees no GPU")
    return torch


@wp.kernel
def spin(x: wp.array(dtype=float), rounds: int):
    i = wp.tid()
    v = x[i]
    for _k in range(rounds):
        v = v * 0.9999 + 0.5
    x[i] = v


@wp.kernel
def double(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = 2.0 * x[i]


@wp.kernel
def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * x[i]


@wp.kernel
def slope(g: wp.array(dtype=float), x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = 2.0 * x[i] * g[i]


def elapsed(rounds: int) -> tuple[float, float]:
    """Milliseconds of a launch, by events and by the host's clock."""
    x = wp.ones(1 << 20, dtype=float, device="cuda:0")
    wp.launch(spin, dim=x.shape, inputs=[x, 1], device="cuda:0")
    wp.synchronize()
    stream = wp.get_stream("cuda:0")
    begin, end = (wp.Event("cuda:0", enable_timing=True) for _ in range(2))
    clock = time.perf_counter()
    stream.record_event(begin)
    wp.launch(spin, dim=x.shape, inputs=[x, rounds], device="cuda:0")
    stream.record_event(end)
    wp.synchronize()
    return wp.get_event_elapsed_time(begin, end), (time.perf_counter() - clock) * 1e3


def test_time_between_events_is_that_of_the_host():
    device, host = elapsed(20_000)
    print(f"{device:.3f} ms on the device, {host:.3f} ms on the host")
    assert 0 < device <= host * 1.05
    assert device > host / 3, "most of the time is the kernel's"


def test_time_between_events_grows_with_work():
    short, long = elapsed(5_000)[0], elapsed(50_000)[0]
    assert 4 < long / short < 25, (short, long)


def test_a_launch_does_not_wait_for_the_kernel():
    x = wp.ones(1 << 20, dtype=float, device="cuda:0")
    wp.launch(spin, dim=x.shape, inputs=[x, 1], device="cuda:0")
    wp.synchronize()
    begin = time.perf_counter()
    wp.launch(spin, dim=x.shape, inputs=[x, 200_000], device="cuda:0")
    launched = time.perf_counter() - begin
    wp.synchronize()
    assert launched < (time.perf_counter() - begin) / 4


def test_two_streams_run_at_a_time():
    def took(streams: list[wp.Stream]) -> float:
        arrays = [wp.ones(256, dtype=float, device="cuda:0") for _ in range(4)]
        wp.synchronize()
        begin = time.perf_counter()
        for at, x in enumerate(arrays):
            wp.launch(spin, dim=x.shape, inputs=[x, 1_000_000], stream=streams[at % len(streams)])
        wp.synchronize()
        return time.perf_counter() - begin

    streams = [wp.Stream("cuda:0") for _ in range(4)]
    took(streams)
    assert took(streams) < 0.7 * took(streams[:1])


def test_occupancy_is_that_of_a_gpu():
    driver = driver_calls.Driver(driver_calls.real_driver()).start()
    text = ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry k() .maxntid 1024, 1, 1 { ret; }\n"
    function = driver.function(driver.module(text), "k")
    blocks = driver.get("cuOccupancyMaxActiveBlocksPerMultiprocessor", function, 256, 0) & 0xFFFFFFFF
    assert blocks * 256 == min(driver.attribute(39), driver.attribute(106) * 256)


@wp.kernel
def twice(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] + x[i]


def test_facts_of_kernels_are_those_of_a_gpu():
    device = wp.get_device("cuda:0")
    threads, blocks = wp.get_suggested_block_size(twice, device)
    assert threads % 32 == 0
    # A kernel this small leaves no multiprocessor half empty.
    assert threads * blocks >= 1024 * device.sm_count
    assert 0 < wp.get_cuda_kernel_properties(twice, device)["register_count"] < 64
    assert wp.get_cuda_max_cluster_dim(twice, device) in ((8, 16) if device.arch >= 90 else (1,))


THREADS = 1 << 22
# Blocks that write and read messages, and how often.
PAIRS, REPEATS = 2048, 20


@wp.kernel
def hammer(sums: wp.array(dtype=int), lanes: int, floats: wp.array(dtype=float), seen: wp.array(dtype=int)):
    i = wp.tid()
    wp.atomic_add(sums, i % lanes, 1)
    wp.atomic_add(floats, i % lanes, 1.0)
    # A number for each thread, and no number twice.
    mine = wp.atomic_add(sums, lanes, 1)
    wp.atomic_add(seen, mine, 1)
    wp.atomic_max(sums, lanes + 1, i)
    wp.atomic_min(sums, lanes + 2, -i)


@pytest.mark.parametrize("lanes", [1, 7, 32, 4096])
def test_many_threads_hammer_atomics(lanes):
    sums = wp.zeros(lanes + 3, dtype=int, device="cuda:0")
    floats, seen = wp.zeros(lanes, dtype=float, device="cuda:0"), wp.zeros(THREADS, dtype=int, device="cuda:0")
    wp.launch(hammer, dim=THREADS, inputs=[sums, lanes, floats, seen], device="cuda:0")
    expected = np.bincount(np.arange(THREADS) % lanes, minlength=lanes)
    np.testing.assert_array_equal(sums.numpy()[:lanes], expected)
    np.testing.assert_array_equal(floats.numpy(), expected.astype(np.float32))
    assert (seen.numpy() == 1).all()
    assert sums.numpy()[lanes:].tolist() == [THREADS, THREADS - 1, 1 - THREADS]


# Each block of work leaves data and then a flag; who sees the flag sees the data.
MESSAGES = """.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 data_p, .param .u64 flag_p, .param .u64 bad_p)
{
    .reg .pred %p<4>;
    .reg .b32 %r<10>;
    .reg .b64 %rd<10>;
    ld.param.u64 %rd1, [data_p];
    ld.param.u64 %rd2, [flag_p];
    ld.param.u64 %rd3, [bad_p];
    mov.u32 %r1, %ctaid.x;
    shr.u32 %r2, %r1, 1;
    mov.u32 %r3, %tid.x;
    mov.u32 %r4, %ntid.x;
    mad.lo.u32 %r2, %r2, %r4, %r3;
    mul.wide.u32 %rd4, %r2, 4;
    add.u64 %rd1, %rd1, %rd4;
    add.u64 %rd2, %rd2, %rd4;
    and.b32 %r5, %r1, 1;
    setp.eq.u32 %p1, %r5, 0;
    @%p1 bra READ;
    st.relaxed.gpu.global.u32 [%rd1], 41;
    st.release.gpu.global.u32 [%rd2], 1;
    ret;
READ:
    mov.u32 %r6, 0;
LOOP:
    ld.acquire.gpu.global.u32 %r7, [%rd2];
    add.u32 %r6, %r6, 1;
    setp.eq.u32 %p2, %r7, 1;
    @%p2 bra SEEN;
    setp.lt.u32 %p3, %r6, 10000;
    @%p3 bra LOOP;
    ret;
SEEN:
    ld.relaxed.gpu.global.u32 %r8, [%rd1];
    setp.eq.u32 %p3, %r8, 41;
    @%p3 ret;
    atom.global.add.u32 %r9, [%rd3], 1;
    ret;
}
"""


def test_a_flag_that_is_released_brings_its_data():
    """The order that fences and atomics of kernels rely upon, under contention."""
    driver = driver_calls.Driver(driver_calls.real_driver()).start()
    function = driver.function(driver.module(MESSAGES), "k")
    threads = 128
    bad = driver.put(bytes(4))
    for _ in range(REPEATS):
        data, flags = (driver.put(bytes(4 * PAIRS * threads)) for _ in range(2))
        assert driver.launch(function, [data, flags, bad], (2 * PAIRS, 1, 1), (threads, 1, 1)) == 0
        assert driver.read(bad, 4) == bytes(4)
        driver.free(data, flags)


def test_threads_of_the_host_launch_at_a_time():
    def work(number: int) -> None:
        x = wp.full(1000, float(number), dtype=float, device="cuda:0")
        y = wp.zeros(1000, dtype=float, device="cuda:0")
        with wp.ScopedStream(wp.Stream("cuda:0")):
            for _ in range(200):
                wp.launch(double, dim=1000, inputs=[x, y], device="cuda:0")
            results[number] = y.numpy()

    results: dict[int, np.ndarray] = {}
    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((results[n] == 2 * n).all() for n in range(8))


# torch.


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


# paddle.


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


# jax.


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


# NVIDIA's checker.

CHECKED = """
import numpy as np, warp as wp
@wp.kernel
def add(x: wp.array(dtype=float), total: wp.array(dtype=float), y: wp.array2d(dtype=float)):
    i = wp.tid()
    wp.atomic_add(total, 0, x[i])
    y[i, 1] = wp.sin(x[i])
x = wp.array(np.ones(1000, dtype=np.float32), device="cuda:0", requires_grad=True)
total = wp.zeros(1, dtype=float, device="cuda:0", requires_grad=True)
y = wp.zeros((1000, 2), dtype=float, device="cuda:0", requires_grad=True)
tape = wp.Tape()
with tape:
    wp.launch(add, dim=1000, inputs=[x, total, y], device="cuda:0")
tape.backward(grads={total: wp.ones(1, dtype=float, device="cuda:0")})
wp.copy(y[:, 0], y[:, 1])
assert total.numpy()[0] == 1000
assert (x.grad.numpy() == 1).all()
"""


@pytest.mark.parametrize("tool", ["memcheck", "racecheck", "initcheck", "synccheck"])
def test_compute_sanitizer_finds_nothing(tool, tmp_path):
    program = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if not os.path.exists(program):
        pytest.skip("compute-sanitizer is not installed")
    script = tmp_path / "checked.py"
    script.write_text(CHECKED)
    command = [program, "--tool", tool, "--error-exitcode", "7", sys.executable, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
