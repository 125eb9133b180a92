"""Paddle tensors in and out, and straight into launches."""

from __future__ import annotations

import gc

import numpy as np
import pytest
import warp as wp
from hypothesis import given
from hypothesis import strategies as st

from .paddle_kernels import double, increase, leaf, paddle

NAMES = ["bool", "int8", "int16", "int32", "int64", "uint8", "float16", "bfloat16", "float32", "float64"]
WIDE = {"uint16": "int16", "uint32": "int32", "uint64": "int64"}


@pytest.mark.parametrize("name", NAMES)
def test_dtypes_both_ways(name):
    t, n = getattr(paddle, name), getattr(wp, name)
    assert wp.dtype_from_paddle(t) is n
    assert wp.dtype_to_paddle(n) == t
    x = paddle.zeros([3], dtype=t)
    a = wp.from_paddle(x)
    assert a.dtype is n
    back = wp.to_paddle(a)
    assert back.dtype == t
    assert back.data_ptr() == x.data_ptr() == a.ptr
    assert back.stop_gradient


@pytest.mark.parametrize("name", WIDE)
def test_wide_unsigned_types(name):
    # The text of paddle.uint16 is "paddle.bfloat16", and creating one by that name makes bfloat16.
    t = getattr(paddle, name)
    assert wp.dtype_from_paddle(t) is getattr(wp, name)
    assert wp.dtype_to_paddle(getattr(wp, name)) == getattr(paddle, WIDE[name])
    a = wp.array([1, 2 ** np.iinfo(name).bits - 1], dtype=getattr(wp, name))
    assert wp.to_paddle(a).dtype == t
    assert wp.from_paddle(wp.to_paddle(a)).list() == a.list()
    signed = paddle.to_tensor([1, -1], dtype=WIDE[name])
    assert wp.from_paddle(signed, dtype=getattr(wp, name)).list() == a.list()
    x = paddle.from_dlpack(np.arange(3, dtype=name))
    assert x.dtype == t
    assert wp.from_paddle(x).list() == [0, 1, 2]
    assert wp.from_paddle(x).dtype is getattr(wp, name)


def test_bfloat16_values():
    x = paddle.to_tensor([1.5, -2.0, 3.0]).astype("bfloat16")
    a = wp.from_paddle(x)
    assert a.list() == [1.5, -2, 3]
    a[0] = 8.0
    assert x.astype("float32").tolist() == [8, -2, 3]
    assert wp.to_paddle(wp.array([2.5], dtype=wp.bfloat16)).astype("float32").tolist() == [2.5]


def test_types_and_devices_without_counterpart():
    for wrong in (paddle.complex64, paddle.complex128, paddle.float8_e4m3fn, paddle.float8_e5m2, "float32", None):
        with pytest.raises(TypeError):
            wp.dtype_from_paddle(wrong)
    with pytest.raises(TypeError, match="complex64"):
        wp.dtype_from_paddle(paddle.complex64)
    for wrong in (wp.vec3, str, paddle.float32):
        with pytest.raises(TypeError):
            wp.dtype_to_paddle(wrong)
    assert wp.dtype_to_paddle(float) == paddle.float32
    for name in ("cpu", paddle.CPUPlace(), paddle.ones([1]).place):
        assert wp.device_from_paddle(name) is wp.get_device("cpu")
    for wrong in ("gpu", "gpu:0", "gpu:x", "npu", 3, None):
        with pytest.raises(RuntimeError):
            wp.device_from_paddle(wrong)
    with pytest.raises(RuntimeError, match="cuda:1"):
        wp.device_from_paddle("gpu:1")
    assert wp.device_to_paddle(None) == wp.device_to_paddle("cpu") == wp.device_to_paddle(wp.get_device()) == "cpu"
    assert paddle.ones([2]).to(device=wp.device_to_paddle("cpu")).place.is_cpu_place()
    with pytest.raises(RuntimeError, match="cuda:0"):
        wp.device_to_paddle("cuda:0")


def test_memory_is_shared():
    x = paddle.arange(6, dtype="float32").reshape([2, 3])
    a = wp.from_paddle(x)
    assert (a.shape, a.strides, a.ptr) == ((2, 3), (12, 4), x.data_ptr())
    x[0, 0] = 7
    assert a[0, 0] == 7
    a[1, 2] = -1.0
    assert x[1, 2] == -1
    v = wp.from_paddle(x, dtype=wp.vec3)
    assert (v.shape, v[0]) == ((2,), wp.vec3(7, 1, 2))
    t = wp.to_paddle(v)
    assert t.shape == [2, 3]
    assert t.data_ptr() == x.data_ptr()
    assert t.stop_gradient


LAYOUTS = {
    "transposed": lambda: paddle.arange(12, dtype="float32").reshape([3, 4]).t(),
    "slice": lambda: paddle.arange(12, dtype="float32").reshape([3, 4])[1:, 1::2],
    "expanded": lambda: paddle.ones([1, 4]).expand([3, 4]),
    "empty": lambda: paddle.empty([0, 4]),
    "never filled": lambda: paddle.Tensor(),
    "0-d": lambda: paddle.to_tensor(3.0),
    "strided": lambda: paddle.as_strided(paddle.arange(12, dtype="float32"), (2, 3), (1, 2)),
    "bool": lambda: paddle.arange(3) > 1,
    "parameter": lambda: paddle.create_parameter([3], "float32"),
    "real part": lambda: paddle.to_tensor([1 + 2j, 3 + 4j]).real(),
    "imaginary part": lambda: paddle.to_tensor([1 + 2j, 3 + 4j]).conj().imag(),
    "from torch-like strides": lambda: paddle.from_dlpack(np.arange(6.0).reshape(2, 3).T),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout(name):
    x = LAYOUTS[name]()
    a = wp.from_paddle(x)
    np.testing.assert_array_equal(a.numpy().reshape(x.shape), x.numpy())
    np.testing.assert_array_equal(wp.array(x).numpy().reshape(x.shape), x.numpy())


# A layout: what is done to a tensor of three axes; whether the memory stays the same.
STEPS = {
    "as it is": lambda x: x,
    "transposed": lambda x: x.transpose([2, 0, 1]),
    "every other": lambda x: x[:, ::2],
    "tail": lambda x: x[1:, :, 1:],
    "one axis more": lambda x: x.unsqueeze(1),
}


@given(
    name=st.sampled_from(NAMES),
    shape=st.lists(st.integers(1, 4), min_size=3, max_size=3),
    step=st.sampled_from(sorted(STEPS)),
    grad=st.booleans(),
    read_only=st.booleans(),
    direction=st.sampled_from(["from", "to", "launch"]),
)
def test_the_matrix(name, shape, step, grad, read_only, direction):
    dtype = getattr(wp, name)
    values = np.arange(np.prod(shape)).reshape(shape) % 2
    is_float = name.startswith(("float", "bfloat"))
    if direction == "to":
        source = wp.array(values, dtype=dtype, requires_grad=grad and is_float)
        if read_only:
            frozen = source.numpy()
            if name == "bfloat16":
                return
            frozen.flags.writeable = False
            with pytest.raises(BufferError, match="read-only"):
                wp.to_paddle(wp.array(frozen, copy=False))
            return
        t = wp.to_paddle(source)
        assert t.data_ptr() == source.ptr
        assert t.stop_gradient != (grad and is_float)
        np.testing.assert_array_equal(t.astype("float32").numpy(), values)
        assert not (grad and is_float) or t.grad.data_ptr() == source.grad.ptr
        return
    x = STEPS[step](paddle.to_tensor(values.astype("float32")).astype(name))
    expected = x.astype("float32").numpy()
    x = x.detach()
    x.stop_gradient = not (grad and is_float)
    if direction == "from":
        a = wp.from_paddle(x)
        assert a.requires_grad == (grad and is_float)
        assert x.size == 0 or a.ptr == x.data_ptr()
        assert x.size == 0 or not a.requires_grad or a.grad.ptr == x.grad.data_ptr()
        np.testing.assert_array_equal(wp.array(a, dtype=float).numpy(), expected)
        return
    out = wp.zeros(x.shape, dtype=dtype)
    wp.launch(copy_of(dtype, len(x.shape)), dim=x.shape, inputs=[x], outputs=[out])
    np.testing.assert_array_equal(wp.array(out, dtype=float).numpy(), expected)


def copy_of(dtype, ndim):
    from warp._arrays.copy import _kernel_of

    return _kernel_of(dtype, ndim)


def cleared(how):
    t = paddle.ones([3])
    getattr(t, how)() if hasattr(t, how) else t.get_tensor()._clear()
    return t


def sparse_gradient():
    layer = paddle.nn.Embedding(10, 3, sparse=True)
    layer(paddle.to_tensor([1])).sum().backward()
    return layer.weight.grad


def distributed():
    import paddle.distributed as dist

    return dist.shard_tensor(paddle.ones([4]), dist.ProcessMesh([0], dim_names=["x"]), [dist.Replicate()])


REFUSED = {
    "complex": (lambda: paddle.ones([3], dtype="complex64"), "complex64"),
    "complex128": (lambda: paddle.ones([3], dtype="complex128"), "complex128"),
    "fp8": (lambda: paddle.ones([3]).astype("float8_e4m3fn"), "float8_e4m3fn"),
    "fp8, wide": (lambda: paddle.ones([3]).astype("float8_e5m2"), "float8_e5m2"),
    "sparse": (lambda: paddle.sparse.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2]), "dense"),
    "sparse rows": (lambda: paddle.sparse.sparse_csr_tensor([0, 1, 2], [1, 0], [1.0, 2.0], [2, 2]), "dense"),
    "selected rows": (sparse_gradient, "dense"),
    "distributed": (distributed, "dense"),
    "five dimensions": (lambda: paddle.ones([1, 1, 1, 1, 1]), "4 dimensions"),
    "nine dimensions": (lambda: paddle.ones([1] * 9), "dimensions"),
    "cleared": (lambda: cleared("_clear"), "dense"),
    "data cleared": (lambda: cleared("_clear_data"), ""),
    "pointer cleared": (lambda: cleared("_clear_dataptr"), "dense"),
    "memory cleared": (lambda: cleared("get_tensor()._clear"), ""),
    "not a tensor": (lambda: [1, 2], "paddle.Tensor"),
    "numpy": (lambda: np.ones(3), "ndarray"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_shared_is_refused(name):
    make, word = REFUSED[name]
    try:
        x = make()
    except (RuntimeError, NotImplementedError) as error:
        pytest.skip(f"this paddle cannot make one: {str(error).splitlines()[-1]}")
    for call in (wp.from_paddle, lambda x: wp.from_paddle(x, return_ctype=True)):
        with pytest.raises((TypeError, ValueError, BufferError, RuntimeError)) as raised:
            call(x)
        assert word in str(raised.value)
    if "numpy" not in name:
        with pytest.raises((TypeError, ValueError, BufferError, RuntimeError)):
            wp.launch(increase, dim=1, inputs=[x])


class Sub(paddle.Tensor):
    pass


class Mapped(paddle.Tensor):
    """A subclass whose memory is elsewhere than its base class thinks."""

    def detach(self):
        return paddle.full([3], 5.0)


def test_subclasses_speak_for_themselves():
    x = Sub(value=np.ones(3, np.float32))
    assert wp.from_paddle(x).ptr == x.data_ptr()
    wp.launch(increase, dim=3, inputs=[x])
    assert x.tolist() == [2, 2, 2]
    d = wp.from_paddle(x, return_ctype=True)
    wp.launch(increase, dim=3, inputs=[d])
    assert x.tolist() == [3, 3, 3]
    y = Mapped(value=np.ones(3, np.float32))
    a = wp.from_paddle(y)
    gc.collect()
    assert a.list() == [5, 5, 5]
    wp.launch(double, dim=3, inputs=[y, a])
    assert a.list() == [10, 10, 10]


def test_parameters():
    layer = paddle.nn.Linear(2, 3)
    w = wp.from_paddle(layer.weight)
    assert w.ptr == layer.weight.data_ptr()
    assert w.requires_grad
    assert w.grad.ptr == layer.weight.grad.data_ptr()
    assert w.grad.numpy().sum() == 0


def test_what_cannot_become_a_tensor():
    n = np.ones(3, np.float32)
    n.flags.writeable = False
    with pytest.raises(BufferError, match="read-only"):
        wp.to_paddle(wp.array(n, copy=False))
    with pytest.raises(BufferError, match="negative"):
        wp.to_paddle(wp.zeros(3)[::-1])
    with pytest.raises(TypeError, match="ndarray"):
        wp.to_paddle(n)
    with pytest.raises(TypeError):
        wp.to_paddle()


OUT = {
    "0-d": lambda: wp.zeros(1),
    "empty": lambda: wp.zeros((0, 3)),
    "slice": lambda: wp.array(np.arange(12.0), dtype=float)[1::3],
    "transposed": lambda: wp.array(np.arange(12.0).reshape(3, 4), dtype=float).transpose(),
    "vectors": lambda: wp.full(4, wp.vec3(1, 2, 3), dtype=wp.vec3),
    "matrices": lambda: wp.zeros((2, 3), dtype=wp.mat22),
}


@pytest.mark.parametrize("name", OUT)
def test_every_layout_goes_out(name):
    a = OUT[name]()
    t = wp.to_paddle(a)
    np.testing.assert_array_equal(t.numpy(), a.numpy())
    assert a.size == 0 or t.data_ptr() == a.ptr


def test_tensors_in_launches():
    x, y = paddle.arange(4, dtype="float32"), paddle.zeros([4])
    wp.launch(double, dim=4, inputs=[x], outputs=[y])
    assert y.tolist() == [0, 2, 4, 6]
    # A view: strides are honoured.
    z = paddle.zeros([8])
    wp.launch(double, dim=4, inputs=[x], outputs=[z[::2]])
    assert z.tolist() == [0, 0, 2, 0, 4, 0, 6, 0]
    # One that requires a gradient may be read and written; without a tape nothing is recorded.
    p = leaf([1, 2])
    wp.launch(increase, dim=2, inputs=[p])
    assert p.tolist() == [2, 3]
    for wrong in (paddle.zeros([4], dtype="float64"), paddle.zeros([2, 2])):
        with pytest.raises(TypeError, match=r"'x' of kernel|argument 'x'|'x'"):
            wp.launch(double, dim=4, inputs=[wrong], outputs=[y])
    command = wp.launch(double, dim=4, inputs=[x], outputs=[y], record_cmd=True)
    x.fill_(1.0)
    command.launch()
    assert y.tolist() == [2, 2, 2, 2]


def test_descriptors():
    x = paddle.ones([2, 3])
    x.stop_gradient = False
    d = wp.from_paddle(x, dtype=wp.vec3, return_ctype=True)
    assert (d.data, d.shape, d.strides, d.ndim, d.dtype) == (x.data_ptr(), (2,), (12,), 1, wp.vec3)
    assert d.grad == x.grad.data_ptr()
    assert wp.from_paddle(x, requires_grad=False, return_ctype=True).grad == 0
    assert not isinstance(d, wp.array)
    for wrong in (lambda: wp.to_paddle(d), lambda: wp.array(d, copy=False), lambda: wp.array(d)):
        with pytest.raises(TypeError):
            wrong()


def test_paddle_takes_arrays():
    a = wp.array([[1, 2], [3, 4]], dtype=float)
    for t in (paddle.from_dlpack(a), paddle.utils.dlpack.from_dlpack(a)):
        assert t.data_ptr() == a.ptr
    assert paddle.from_dlpack(a.transpose()).tolist() == [[1, 3], [2, 4]]
    assert paddle.from_dlpack(wp.zeros((2, 2), dtype=wp.vec3)).shape == [2, 2, 3]


def test_arrays_from_tensors():
    x = paddle.arange(6, dtype="float32").reshape([2, 3])
    assert wp.array(x).ptr != x.data_ptr()
    assert wp.array(x, copy=False).ptr == x.data_ptr()
    assert wp.array(x, dtype=wp.vec3).shape == (2,)
    assert wp.array(x, dtype=int).list() == list(range(6))
    assert wp.zeros_like(x).shape == (2, 3)
    assert wp.array(paddle.ones([3], dtype="bfloat16"), dtype=float).list() == [1, 1, 1]
    x.stop_gradient = False
    assert wp.array(x).list() == list(range(6))


def test_streams_need_a_gpu():
    for call in (wp.stream_from_paddle, wp.paddle.stream_from_paddle):
        with pytest.raises(RuntimeError, match="CUDA"):
            call()
    assert wp.paddle.from_paddle is wp.from_paddle


def test_arguments_by_name_and_too_many():
    x = paddle.ones([3])
    a = wp.from_paddle(t=x, dtype=None, requires_grad=None, grad=None, return_ctype=False)
    assert wp.to_paddle(a=a, requires_grad=None).data_ptr() == x.data_ptr()
    assert wp.from_paddle(x, wp.float32, True).requires_grad
    for wrong in ({"device": "cpu"}, {"requires_grad": "yes"}, {"return_ctype": 3}):
        with pytest.raises(TypeError):
            wp.from_paddle(x, **wrong)
    with pytest.raises(TypeError):
        wp.from_paddle()
