"""PyTorch tensors in and out, with their gradients."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest
import warp as wp

torch = pytest.importorskip("torch")

NAMES = ["bool", "int8", "int16", "int32", "int64", "uint8", "float16", "bfloat16", "float32", "float64"]
WIDE = {"uint16": "int16", "uint32": "int32", "uint64": "int64"}


@pytest.mark.parametrize("name", NAMES)
def test_dtypes_both_ways(name):
    t, n = getattr(torch, name), getattr(wp, name)
    assert wp.dtype_from_torch(t) is n
    assert wp.dtype_to_torch(n) is t
    x = torch.zeros(3, dtype=t)
    a = wp.from_torch(x)
    assert a.dtype is n
    assert wp.to_torch(a).dtype is t
    assert wp.to_torch(a).data_ptr() == x.data_ptr() == a.ptr


@pytest.mark.parametrize("name", WIDE)
def test_wide_unsigned_types(name):
    assert wp.dtype_from_torch(getattr(torch, name)) is getattr(wp, name)
    assert wp.dtype_to_torch(getattr(wp, name)) is getattr(torch, WIDE[name])
    a = wp.array([1, 2 ** np.iinfo(name).bits - 1], dtype=getattr(wp, name))
    assert wp.to_torch(a).dtype is getattr(torch, name)
    assert wp.to_torch(a).tolist() == a.list()
    signed = wp.from_torch(torch.tensor([1, -1], dtype=getattr(torch, WIDE[name])), dtype=getattr(wp, name))
    assert signed.list() == a.list()
    assert torch.from_dlpack(wp.zeros(2, dtype=getattr(wp, name))).dtype is getattr(torch, name)


def test_tensors_are_read_as_the_other_sign():
    x = torch.tensor([[1, -1, 2], [3, -4, 5]], dtype=torch.int32)
    a = wp.from_torch(x, dtype=wp.vec3ui)
    assert a.ptr == x.data_ptr()
    assert a.list() == [(1, 2**32 - 1, 2), (3, 2**32 - 4, 5)]
    flags = torch.tensor([True, False])
    for dtype in (wp.int8, wp.uint8):
        assert wp.from_torch(flags, dtype=dtype).list() == [1, 0]
    assert wp.from_torch(flags).dtype is wp.bool
    assert wp.from_torch(torch.tensor([[True, False]]), dtype=wp.types.vector(2, wp.uint8)).list() == [(1, 0)]
    for wrong in (wp.int64, wp.float32, wp.uint16, wp.bool):
        with pytest.raises(TypeError, match="the elements are int32"):
            wp.from_torch(x, dtype=wrong)

    @wp.kernel
    def double(a: wp.array(dtype=wp.vec3ui)):
        i = wp.tid()
        a[i] = a[i] + a[i]

    for passed in (a, wp.from_torch(x, dtype=wp.vec3ui, return_ctype=True)):
        before = x.tolist()
        wp.launch(double, dim=2, inputs=[passed])
        assert x.tolist() == [[2 * n for n in row] for row in before]
    with pytest.raises(TypeError, match="float32"):
        wp.launch(double, dim=2, inputs=[wp.from_torch(torch.zeros(2, 3), return_ctype=True)])


def test_types_and_devices_without_counterpart():
    for wrong in (torch.complex64, torch.complex128, torch.qint8, "float32", None):
        with pytest.raises(TypeError):
            wp.dtype_from_torch(wrong)
    for wrong in (wp.vec3, str, torch.float32):
        with pytest.raises(TypeError):
            wp.dtype_to_torch(wrong)
    assert wp.dtype_to_torch(float) is torch.float32
    for name in ("cpu", torch.device("cpu")):
        assert wp.device_from_torch(name) is wp.get_device("cpu")
    for wrong in ("cuda:0", torch.device("meta"), 3, None):
        with pytest.raises(RuntimeError):
            wp.device_from_torch(wrong)
    assert wp.device_to_torch(None) == wp.device_to_torch("cpu") == wp.device_to_torch(wp.get_device()) == "cpu"
    with pytest.raises(RuntimeError, match="cuda:0"):
        wp.device_to_torch("cuda:0")


def test_memory_is_shared():
    x = torch.arange(6.0).reshape(2, 3)
    a = wp.from_torch(x)
    assert (a.shape, a.strides, a.ptr) == ((2, 3), (12, 4), x.data_ptr())
    x[0, 0] = 7
    assert a[0, 0] == 7
    a[1, 2] = -1.0
    assert x[1, 2] == -1
    v = wp.from_torch(x, dtype=wp.vec3)
    assert (v.shape, v[0]) == ((2,), wp.vec3(7, 1, 2))
    t = wp.to_torch(v)
    assert t.shape == (2, 3)
    assert t.data_ptr() == x.data_ptr()
    assert not t.requires_grad


LAYOUTS = {
    "transposed": lambda: torch.arange(12.0).reshape(3, 4).t(),
    "slice": lambda: torch.arange(12.0).reshape(3, 4)[1:, 1::2],
    "expanded": lambda: torch.ones(1, 4).expand(3, 4),
    "empty": lambda: torch.empty(0, 4),
    "odd strides": lambda: torch.as_strided(torch.arange(12.0), (1, 4), (999, 1)),
    "0-d": lambda: torch.tensor(3.0),
    "inference": lambda: torch.inference_mode()(lambda: torch.ones(3))(),
    "shared": lambda: torch.ones(3).share_memory_(),
    "bool": lambda: torch.arange(3) > 1,
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout(name):
    x = LAYOUTS[name]()
    a = wp.from_torch(x)
    np.testing.assert_array_equal(a.numpy().reshape(x.shape), x.numpy())
    np.testing.assert_array_equal(wp.array(x).numpy().reshape(x.shape), x.numpy())


def fake():
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        return torch.empty(3)


class Wrapper(torch.Tensor):
    @staticmethod
    def __new__(cls, x):
        return torch.Tensor._make_wrapper_subclass(cls, x.shape, dtype=x.dtype)

    @classmethod
    def __torch_dispatch__(cls, f, types, args=(), kwargs=None):
        return NotImplemented


REFUSED = {
    "fake": (fake, "FakeTensor"),
    "wrapper": (lambda: Wrapper(torch.ones(3)), "Wrapper"),
    "complex": (lambda: torch.ones(3, dtype=torch.complex64), "complex64"),
    "conj": (lambda: torch.ones(3, dtype=torch.complex64).conj(), "complex64"),
    "one imag of conj": (lambda: torch.ones(1, dtype=torch.complex64).conj().imag, "resolve_neg"),
    "slice of imag of conj": (lambda: torch.ones(3, 4, dtype=torch.complex64).conj().imag[:, 2], "resolve_neg"),
    "imag of conj": (lambda: torch.ones(3, dtype=torch.complex64).conj().imag, "resolve_neg"),
    "meta": (lambda: torch.ones(3, device="meta"), 'device "meta"'),
    "sparse": (lambda: torch.eye(3).to_sparse(), "torch.sparse_coo"),
    "mkldnn": (lambda: torch.ones(3).to_mkldnn(), "t.to_dense()"),
    "nested": (lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]), "t.unbind()"),
    "fp8": (lambda: torch.ones(3, dtype=torch.float8_e4m3fn), "float8_e4m3fn"),
    "five dimensions": (lambda: torch.ones(1, 1, 1, 1, 1), "4 dimensions"),
    "quantised": (lambda: torch.quantize_per_tensor(torch.ones(3), 1.0, 0, torch.qint8), "t.dequantize()"),
    "fewer than eight bits": (lambda: torch.empty(3, dtype=torch.int4), "torch.int4"),
    "bits": (lambda: torch.empty(3, dtype=torch.bits8), "torch.bits8"),
    "not a tensor": (lambda: [1, 2], "torch.Tensor"),
    "none": (lambda: None, "None"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_shared_is_refused(name):
    make, word = REFUSED[name]
    x = make()
    with pytest.raises((TypeError, ValueError)) as raised:
        wp.from_torch(x)
    assert word in str(raised.value)
    assert "\n" not in str(raised.value)


@wp.kernel
def add_bytes(x: wp.array(dtype=wp.uint8), y: wp.array(dtype=wp.uint8)):
    i = wp.tid()
    y[i] = x[i] + wp.uint8(1)


NARROW = [f"{sign}int{bits}" for sign in ("", "u") for bits in range(1, 8) if hasattr(torch, f"{sign}int{bits}")]


@pytest.mark.parametrize("name", NARROW)
def test_integers_of_fewer_than_eight_bits_are_refused_on_every_path(name):
    """Torch's DLPack says of them what it says of bytes."""
    x, y = torch.empty(3, dtype=getattr(torch, name)), torch.zeros(3, dtype=torch.uint8)
    ways = (
        lambda: wp.from_torch(x),
        lambda: wp.from_torch(x, dtype=wp.uint8),
        lambda: wp.from_torch(x, return_ctype=True),
        lambda: wp.from_torch(torch.nn.Parameter(x, requires_grad=False)),
        lambda: wp.from_dlpack(x),
        lambda: wp.array(x),
        lambda: wp.array(x, copy=False),
        lambda: wp.launch(add_bytes, dim=3, inputs=[x], outputs=[y]),
        lambda: wp.launch(add_bytes, dim=3, inputs=[y], outputs=[x]),
        lambda: wp.dtype_from_torch(x.dtype),
    )
    for way in ways:
        with pytest.raises(TypeError, match=f"torch.{name} has no counterpart"):
            way()
    # Before torch 2.10 a launch says it, as it says it of all others.
    with pytest.raises(
        (RuntimeError, TypeError), match=f"another type, expected torch.uint8|torch.{name} has no counterpart"
    ):
        wp.torch.torch_kernel(add_bytes)(x)
    # The bytes that they lie in are bytes.
    assert wp.from_torch(x.view(torch.uint8)).ptr == x.data_ptr()


def test_no_memory_inside_functorch():
    seen = []

    def f(x):
        with pytest.raises((TypeError, ValueError), match="torch_kernel|no memory"):
            wp.from_torch(x)
        seen.append(x)
        return (x * 2).sum()

    torch.func.vmap(f)(torch.ones(3, 4))
    torch.func.grad(f)(torch.ones(3))
    torch.func.functionalize(f)(torch.ones(3))
    assert len(seen) == 3


def test_subclasses_with_plain_memory():
    class Sub(torch.Tensor):
        pass

    x = torch.ones(3).as_subclass(Sub)
    assert wp.from_torch(x).ptr == x.data_ptr()
    p = torch.nn.Parameter(torch.ones(3))
    assert wp.from_torch(p).ptr == p.data_ptr()
    assert p.grad is not None


def test_gradients_are_shared():
    x = torch.ones(3, requires_grad=True)
    assert x.grad is None
    a = wp.from_torch(x)
    assert a.requires_grad
    assert x.grad.tolist() == [0, 0, 0]
    assert a.grad.ptr == x.grad.data_ptr()
    a.grad.fill_(2.0)
    assert x.grad.tolist() == [2, 2, 2]
    (x * 3).sum().backward()
    assert a.grad.list() == [5, 5, 5]
    b = wp.from_torch(x, dtype=wp.vec3)
    assert b.grad.dtype is wp.vec3
    assert b.grad.ptr == x.grad.data_ptr()


def test_requires_grad_argument():
    x = torch.ones(3, requires_grad=True)
    assert not wp.from_torch(x, requires_grad=False).requires_grad
    assert x.grad is None
    y = torch.ones(3)
    assert wp.from_torch(y, requires_grad=True).grad.ptr == y.grad.data_ptr()
    g = torch.full((3,), 4.0)
    a = wp.from_torch(torch.ones(3), grad=g)
    assert a.grad.ptr == g.data_ptr()
    w = wp.zeros(3)
    assert wp.from_torch(torch.ones(3), grad=w).grad.ptr == w.ptr
    for wrong in (torch.ones(4), torch.ones(3, dtype=torch.float64), [1, 2, 3]):
        with pytest.raises((TypeError, ValueError)):
            wp.from_torch(torch.ones(3), grad=wrong)
    with pytest.raises(TypeError, match="int64"):
        wp.from_torch(torch.ones(3, dtype=torch.int64), requires_grad=True)
    with pytest.raises(TypeError, match="dtype"):
        wp.from_torch(torch.ones(3), dtype="real")


@pytest.mark.filterwarnings("error")
def test_a_result_keeps_no_gradient_but_can_have_one():
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    a = wp.from_torch(y)
    assert a.grad.list() == [0, 0, 0]
    y.retain_grad()
    b = wp.from_torch(y)
    assert b.grad.ptr == y.grad.data_ptr()


def test_a_gradient_has_strides_of_its_own():
    x = torch.ones(4, 3, requires_grad=True)
    x.grad = torch.zeros(3, 4).t()
    a = wp.from_torch(x)
    assert a.strides == (12, 4)
    assert a.grad.strides == (4, 16)
    y = torch.ones(4, 3).t().requires_grad_()
    b = wp.from_torch(y)
    assert b.grad.shape == (3, 4)


def test_zero_grad_between_steps():
    p = torch.nn.Parameter(torch.ones(3))
    a = wp.from_torch(p)
    optimizer = torch.optim.SGD([p], lr=1.0)
    a.grad.fill_(1.0)
    optimizer.zero_grad()
    assert p.grad is None
    with wp.Tape() as tape:
        pass
    tape.record_func(lambda: a.grad.fill_(0.5), [a])
    tape.backward()
    assert p.grad.data_ptr() == a.grad.ptr
    optimizer.step()
    assert p.tolist() == [0.5] * 3
    # Another gradient is taken over.
    p.grad = torch.full((3,), 7.0)
    tape.backward()
    assert p.grad.data_ptr() == a.grad.ptr
    # The same for tensors that were made of an array.
    b = wp.zeros(3, requires_grad=True)
    t = wp.to_torch(b)
    b.grad.fill_(3.0)
    t.grad = None
    tape = wp.Tape()
    tape.record_func(lambda: None, [b])
    tape.backward()
    assert t.grad.tolist() == [0, 0, 0]
    assert t.grad.data_ptr() == b.grad.ptr
    z = torch.tensor(2.0, requires_grad=True)
    c = wp.from_torch(z)
    z.grad = None
    tape = wp.Tape()
    tape.record_func(lambda: c.grad.fill_(1.0), [c])
    tape.backward()
    assert z.grad.item() == 1.0


def test_zeroing_a_tape_reaches_the_gradient_that_counts():
    x = torch.ones(2, requires_grad=True)
    a = wp.from_torch(x)
    tape = wp.Tape()
    tape.record_func(lambda: None, [a])
    x.grad = torch.full((2,), 3.0)  # other memory than the array's gradient
    tape.zero()
    assert x.grad.tolist() == [0, 0]
    assert a.grad.ptr == x.grad.data_ptr()
    # One that the optimiser has taken off stays off until there is something to put there.
    x.grad = None
    tape.zero()
    assert x.grad is None


def test_to_torch_shares_the_gradient():
    a = wp.ones((2, 2), requires_grad=True)
    t = wp.to_torch(a)
    assert t.requires_grad
    assert t.is_leaf
    assert t.grad.data_ptr() == a.grad.ptr
    (t * 3).sum().backward()
    assert a.grad.list() == [3, 3, 3, 3]
    assert not wp.to_torch(a, requires_grad=False).requires_grad
    b = wp.ones(2)
    assert wp.to_torch(b, requires_grad=True).requires_grad
    v = wp.to_torch(wp.zeros((2, 3), dtype=wp.mat22, requires_grad=True))
    assert v.shape == v.grad.shape == (2, 3, 2, 2)
    with torch.no_grad():
        t += 1
    assert a.list() == [2, 2, 2, 2]


def test_what_cannot_become_a_tensor():
    n = np.ones(3, np.float32)
    n.flags.writeable = False
    with pytest.raises(BufferError, match="read-only"):
        wp.to_torch(wp.array(n, copy=False))
    with pytest.raises(BufferError, match="negative"):
        wp.to_torch(wp.zeros(3)[::-1])
    with pytest.raises(TypeError, match="ndarray"):
        wp.to_torch(n)


def test_lifetimes():
    a = wp.ones(1000)
    t = wp.to_torch(a)
    del a
    gc.collect()
    assert t.sum() == 1000
    x = torch.ones(1000)
    a = wp.from_torch(x)
    alive = weakref.ref(x)
    x.data = torch.zeros(5)  # gives the tensor other memory
    assert a.numpy().sum() == 1000
    del x
    gc.collect()
    assert alive() is None
    assert a.numpy().sum() == 1000


def test_dropping_on_another_thread():
    box = [wp.from_torch(torch.ones(3)).__dlpack__() for _ in range(100)]
    thread = threading.Thread(target=box.clear)
    thread.start()
    thread.join(10)
    assert not thread.is_alive()


def test_descriptors():
    x = torch.ones(2, 3, requires_grad=True)
    d = wp.from_torch(x, dtype=wp.vec3, return_ctype=True)
    assert (d.data, d.shape, d.strides, d.ndim, d.dtype) == (x.data_ptr(), (2,), (12,), 1, wp.vec3)
    assert d.grad == x.grad.data_ptr()
    assert wp.from_torch(x, requires_grad=False, return_ctype=True).grad == 0
    assert not isinstance(d, wp.array)
    for wrong in (lambda: wp.to_torch(d), lambda: wp.array(d, copy=False), lambda: wp.array(d)):
        with pytest.raises(TypeError):
            wrong()


def test_torch_takes_arrays():
    a = wp.array([[1, 2], [3, 4]], dtype=float)
    for t in (torch.from_dlpack(a), torch.utils.dlpack.from_dlpack(a), torch.as_tensor(a.numpy())):
        assert t.data_ptr() == a.ptr
    assert torch.from_dlpack(a.transpose()).tolist() == [[1, 3], [2, 4]]
    assert torch.from_dlpack(wp.zeros((2, 2), dtype=wp.vec3)).shape == (2, 2, 3)


def test_arrays_from_tensors():
    x = torch.arange(6.0).reshape(2, 3)
    assert wp.array(x).ptr != x.data_ptr()
    assert wp.array(x, copy=False).ptr == x.data_ptr()
    assert wp.array(x, dtype=wp.vec3).shape == (2,)
    assert wp.array(x, dtype=int).list() == list(range(6))
    assert wp.zeros_like(x).shape == (2, 3)
    b = torch.ones(3, dtype=torch.bfloat16)
    assert wp.array(b, dtype=float).list() == [1, 1, 1]
    x.requires_grad_()
    assert wp.array(x).list() == list(range(6))


def test_streams_need_a_gpu():
    for call in (wp.stream_from_torch, wp.stream_to_torch, wp.torch.stream_from_torch):
        with pytest.raises(RuntimeError, match="CUDA"):
            call()
    assert wp.torch.from_torch is wp.from_torch


def test_memory_does_not_grow():
    x = torch.ones(4, 3, requires_grad=True)

    def work():
        for _ in range(10_000):
            a = wp.from_torch(x, dtype=wp.vec3)
            wp.to_torch(a)
            wp.from_torch(x, return_ctype=True)

    work()
    start = resident()
    work()
    assert resident() - start < 1 << 20


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


def test_operators_take_tensors_on_both_sides():
    a, t = wp.array([1.0, 2.0], dtype=float), torch.tensor([3.0, 5.0])
    for found in (a * t, t * a):
        assert isinstance(found, torch.Tensor)
        assert found.tolist() == [3.0, 10.0]
    assert (a < t).tolist() == (t > a).tolist() == [True, True]
