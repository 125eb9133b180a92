"""`wp.from_dlpack` and launches: every kind of producer, every field of a descriptor."""

from __future__ import annotations

import ctypes as ct
import gc
import sys
import weakref

import numpy as np
import pytest
import torch
import warp as wp

from support import capsules
from support.capsules import Legacy, Made, Producer, Versioned

BOTH = pytest.mark.parametrize("kind", [Legacy, Versioned], ids=["legacy", "versioned"])


@wp.kernel
def double(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = 2.0 * x[i]


def numbers(*shape, dtype=np.float32):
    return np.arange(int(np.prod(shape)), dtype=dtype).reshape(shape)


LAYOUTS = {
    "plain": numbers(6),
    "2-d": numbers(2, 3),
    "4-d": numbers(1, 2, 3, 4),
    "transposed": numbers(2, 3).T,
    "reversed": numbers(6)[::-1],
    "both reversed": numbers(3, 4)[::-1, ::-2],
    "broadcast": np.broadcast_to(np.float32(3), (2, 5)),
    "sliced": numbers(4, 6)[1::2, ::3],
    "empty": numbers(0, 3),
    "0-d": np.array(7, np.float32),
}


@BOTH
@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(kind, name):
    n = LAYOUTS[name]
    made = Made(n, kind)
    a = wp.from_dlpack(made.capsule())
    assert a.shape == (n.shape or (1,))
    np.testing.assert_array_equal(a.numpy().reshape(n.shape), n)
    if n.size:
        assert a.ptr == n.ctypes.data
    assert made.deleted == 0
    del a
    gc.collect()
    assert made.deleted == 1


@pytest.mark.parametrize("name", ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
@BOTH
def test_whole_numbers(kind, name):
    n = np.array([0, 1, 1, 0]).astype(name)
    a = wp.from_dlpack(Made(n, kind).capsule())
    assert a.dtype is getattr(wp, name)
    np.testing.assert_array_equal(a.numpy(), n)


def test_no_strides_mean_row_major_ones():
    n = numbers(2, 3, 4)
    made = Made(n)
    made.tensor.strides = None
    a = wp.from_dlpack(made.capsule())
    assert a.strides == n.strides
    np.testing.assert_array_equal(a.numpy(), n)


def test_byte_offset_is_added():
    n = numbers(10)
    made = Made(n[:4])
    made.tensor.byte_offset = 12
    a = wp.from_dlpack(made.capsule())
    assert a.list() == [3, 4, 5, 6]
    # Of memory that is not there too, as some libraries make it of empty tensors.
    empty = Made(numbers(0))
    empty.tensor.data, empty.tensor.byte_offset = None, 12
    assert wp.from_dlpack(empty.capsule()).shape == (0,)


def test_inner_dimensions_become_components():
    n = numbers(2, 3, 4)
    made = Made(n)
    a = wp.from_dlpack(made.capsule(), dtype=wp.vec4)
    assert (a.shape, a.dtype) == ((2, 3), wp.vec4)
    m = wp.from_dlpack(numbers(5, 2, 2).astype(np.float64), dtype=wp.mat22d)
    assert m[4] == wp.mat22d(16, 17, 18, 19)
    assert wp.from_dlpack(torch.zeros(5, 4), dtype=wp.quat).shape == (5,)
    deep = Made(numbers(1, 2, 1, 2, 3, 3))
    d = wp.from_dlpack(deep.capsule(), dtype=wp.mat33)
    assert d.shape == (1, 2, 1, 2)
    np.testing.assert_array_equal(d.numpy(), deep.array)
    with pytest.raises(TypeError, match=r"ends in the dimensions \[3\]"):
        wp.from_dlpack(numbers(2, 4), dtype=wp.vec3)
    with pytest.raises(ValueError, match="contiguous in memory"):
        wp.from_dlpack(numbers(3, 2).T, dtype=wp.vec3)


def test_integers_of_either_sign():
    n = np.array([-1, 5], np.int32)
    for source in (n, torch.from_numpy(n), Made(n).capsule(), Producer(Made(n))):
        a = wp.from_dlpack(source, dtype=wp.uint32)
        assert (a.dtype, a.list()) == (wp.uint32, [2**32 - 1, 5])
    assert wp.from_dlpack(torch.zeros(2, 3, dtype=torch.int64), dtype=wp.vec3ul).dtype is wp.vec3ul
    for wrong in (wp.float32, wp.int64, wp.uint16, wp.vec2):
        with pytest.raises(TypeError, match="int32"):
            wp.from_dlpack(n, dtype=wrong)
    with pytest.raises(TypeError, match="float32"):
        wp.from_dlpack(numbers(2), dtype=wp.int32)


def test_dimensions_that_arrays_lack():
    for ndim in range(1, 5):
        assert wp.from_dlpack(Made(numbers(*[1] * ndim)).capsule()).ndim == ndim
    with pytest.raises(ValueError, match="at most 4 dimensions, this one 5"):
        wp.from_dlpack(Made(numbers(1, 1, 1, 1, 3)).capsule())
    for ndim in (7, 8, 9, 1_000_000, 2**31 - 1):
        made = Made(numbers(*[1] * 8))
        made.tensor.ndim = ndim
        with pytest.raises(ValueError, match=f"{ndim} dimensions are too many"):
            wp.from_dlpack(made.capsule())
        assert made.deleted == 1


def broken(change, match, error=ValueError, array=None, kind=Versioned):
    """A descriptor with one wrong field: the message that names it, and the error's class."""
    made = Made(numbers(2, 3) if array is None else array, kind)
    change(made)
    with pytest.raises(error, match=match):
        wp.from_dlpack(made.capsule())
    gc.collect()
    assert made.deleted == 1


@BOTH
def test_wrong_fields_are_named(kind):
    def assign(**fields):
        def change(made):
            for name, value in fields.items():
                setattr(made.tensor, name, value)

        return change

    def shape(d, n):
        return lambda made: made.shape.__setitem__(d, n)

    def stride(d, n):
        return lambda made: made.strides.__setitem__(d, n)

    dtype = capsules.DataType
    for change, match, error in (
        (assign(data=None), "no memory", ValueError),
        (assign(ndim=-1), "cannot have -1 dimensions", ValueError),
        (assign(shape=None), "shape of the DLPack tensor is missing", ValueError),
        (shape(0, -2), "out of range", ValueError),
        (shape(1, 2**31), "out of range", ValueError),
        (shape(0, -(2**63)), "out of range", ValueError),
        (stride(0, 2**62), "out of range", ValueError),
        (stride(0, -(2**63)), "out of range", ValueError),
        (stride(1, -(2**50)), "out of range", ValueError),
        (assign(byte_offset=2**64 - 1), "byte_offset", ValueError),
        (assign(byte_offset=2**63), "out of range", ValueError),
        (assign(byte_offset=2), "multiples of 4 bytes", ValueError),
        (assign(dtype=dtype(2, 32, 4)), "float32 in groups of 4", TypeError),
        (assign(dtype=dtype(2, 32, 0)), "groups of 0", TypeError),
        (assign(dtype=dtype(0, 4, 1)), "int4", TypeError),
        (assign(dtype=dtype(6, 1, 1)), "bool1", TypeError),
        (assign(dtype=dtype(5, 64, 1)), "complex64", TypeError),
        (assign(dtype=dtype(3, 64, 1)), "opaque", TypeError),
        (assign(dtype=dtype(10, 8, 1)), "8 bits", TypeError),
        (assign(device=capsules.Device(2, 1)), "CUDA device 1", ValueError),
        (assign(device=capsules.Device(10, 0)), "kind 10", ValueError),
    ):
        broken(change, match, error, kind=kind)


def test_broadcast_dimensions_without_end():
    """Strides of 0 take no memory, but a copy would."""
    made = Made(np.broadcast_to(np.float32(1), (2, 2, 2, 2)))
    for d in range(4):
        made.shape[d] = 2**31 - 1
    with pytest.raises(ValueError, match="out of range"):
        wp.from_dlpack(made.capsule())


def test_versions():
    for major, minor in ((0, 9), (2, 0), (2**32 - 1, 0)):
        made = Made(numbers(3))
        made.managed.major, made.managed.minor = major, minor
        made.tensor.data = None  # of another version nothing here means anything
        with pytest.raises(BufferError, match=f"DLPack {major}.{minor}"):
            wp.from_dlpack(made.capsule())
        assert made.deleted == 1
    newer = Made(numbers(3))
    newer.managed.minor = 99
    assert wp.from_dlpack(newer.capsule()).list() == [0, 1, 2]


@BOTH
def test_capsules_are_consumed_once(kind):
    made = Made(numbers(3), kind)
    capsule = made.capsule()
    first = wp.from_dlpack(capsule)
    for _ in range(2):
        with pytest.raises(ValueError, match="consumed already"):
            wp.from_dlpack(capsule)
    assert (made.deleted, first.list()) == (0, [0, 1, 2])


def test_what_is_no_capsule():
    with pytest.raises(TypeError, match='a capsule with the name "tensor"'):
        wp.from_dlpack(Made(numbers(3)).capsule(b"tensor"))
    for wrong in (None, 3, [1, 2], "text", b"bytes", object(), wp.array, torch.Tensor):
        with pytest.raises((TypeError, AttributeError)):
            wp.from_dlpack(wrong)

    class Odd:
        def __dlpack__(self, **_):
            return 3

    with pytest.raises(TypeError, match="expected a DLPack capsule, found int"):
        wp.from_dlpack(Odd())


def test_tensors_without_a_deleter():
    made = Made(numbers(3))
    made.managed.deleter = None
    a = wp.from_dlpack(made.capsule())
    del a
    assert made.deleted == 0


def test_read_only_memory_is_never_written():
    made = Made(numbers(3))
    made.managed.flags = capsules.FLAG_READ_ONLY | capsules.FLAG_IS_COPIED
    a = wp.from_dlpack(made.capsule())
    assert a.read_only
    y = wp.zeros(3, dtype=float)
    wp.launch(double, dim=3, inputs=[a], outputs=[y])
    assert y.list() == [0, 2, 4]
    with pytest.raises(ValueError, match="read-only"):
        wp.launch(double, dim=3, inputs=[y], outputs=[a])
    made.managed.flags = capsules.FLAG_READ_ONLY
    straight = Producer(made)
    with pytest.raises(ValueError, match="'y'.*read-only|read-only.*'y'"):
        wp.launch(double, dim=3, inputs=[y], outputs=[straight])
    assert made.array.tolist() == [0, 1, 2]
    n = numbers(3)
    n.flags.writeable = False
    assert wp.from_dlpack(n).read_only


def test_producers_are_asked_for_versions():
    producer = Producer(Made(numbers(3)))
    wp.from_dlpack(producer)
    assert producer.asked == [{"max_version": (1, 3)}]


def test_producers_from_before_versions():
    class Old:
        def __init__(self):
            self.made = Made(numbers(3), Legacy)

        def __dlpack__(self, stream=None):
            assert stream is None
            return self.made.capsule()

        def __dlpack_device__(self):
            return (1, 0)

    old = Old()
    assert wp.from_dlpack(old).list() == [0, 1, 2]
    y = wp.zeros(3, dtype=float)
    wp.launch(double, dim=3, inputs=[old], outputs=[y])
    assert y.list() == [0, 2, 4]
    assert old.made.deleted == 2


def test_what_a_producer_raises_surfaces():
    class Refuses:
        def __dlpack__(self, **_):
            raise BufferError("not today")

    class Interrupts:
        def __dlpack__(self, **_):
            raise KeyboardInterrupt

    with pytest.raises(BufferError, match="not today"):
        wp.from_dlpack(Refuses())
    with pytest.raises(KeyboardInterrupt):
        wp.launch(double, dim=3, inputs=[Interrupts(), wp.zeros(3, dtype=float)])


def test_other_devices_are_refused_before_anything_is_exported():
    for device, text in (((2, 3), "CUDA device 3"), ((10, 0), "kind 10")):
        producer = Producer(Made(numbers(3)), device)
        with pytest.raises(ValueError, match=text):
            wp.from_dlpack(producer)
        assert producer.asked == []
    for device in ((1, None), (1, 7), (3, 0)):  # the CPU under its other names
        assert wp.from_dlpack(Producer(Made(numbers(3)), device)).shape == (3,)


def test_every_framework():
    n, t = numbers(4), torch.arange(4, dtype=torch.float32)
    for source, at in ((n, n.ctypes.data), (t, t.data_ptr()), (wp.array(n, copy=False), n.ctypes.data)):
        a = wp.from_dlpack(source)
        assert (a.ptr, a.dtype, a.list()) == (at, wp.float32, [0, 1, 2, 3])
    parameter = torch.nn.Parameter(t)
    assert wp.from_dlpack(parameter).ptr == t.data_ptr()
    capsule = torch.utils.dlpack.to_dlpack(t)
    assert wp.from_dlpack(capsule).ptr == t.data_ptr()
    bfloat16 = wp.from_dlpack(torch.tensor([1.5, -2.0], dtype=torch.bfloat16))
    assert (bfloat16.dtype, bfloat16.list()) == (wp.bfloat16, [1.5, -2.0])
    assert wp.from_dlpack(torch.arange(6.0).reshape(2, 3), dtype=wp.vec3).list() == [wp.vec3(0, 1, 2), wp.vec3(3, 4, 5)]
    for wrong in (torch.zeros(2, dtype=torch.complex64), torch.zeros(2, dtype=torch.complex64).conj()):
        with pytest.raises((TypeError, BufferError, ValueError)):
            wp.from_dlpack(wrong)


def test_jax_arrays_are_read_only():
    jnp = pytest.importorskip("jax.numpy")
    x = jnp.arange(3, dtype=jnp.float32)
    a = wp.from_dlpack(x)
    assert (a.read_only, a.list()) == (True, [0, 1, 2])
    with pytest.raises(ValueError, match="read-only"):
        wp.launch(double, dim=3, inputs=[a, x])


def test_the_memory_lives_as_long_as_anything_uses_it():
    n = numbers(1000)
    gone = weakref.ref(n)
    made = Made(n)
    before = sys.getrefcount(made)
    a = wp.from_dlpack(Producer(made))
    part = a[10:20]
    del a
    gc.collect()
    assert made.deleted == 0
    assert part.list() == list(range(10, 20))
    del part
    gc.collect()
    assert made.deleted == 1
    Made.let_go()
    assert sys.getrefcount(made) == before
    del made, n
    gc.collect()
    assert gone() is None


def test_a_wrong_field_leaves_no_trace_in_a_launch():
    """The kernel's other arguments are not written when one is refused."""
    bad = Made(numbers(3))
    bad.tensor.dtype.lanes = 2
    y = wp.zeros(3, dtype=float)
    with pytest.raises(TypeError, match="'x'.*groups of 2|groups of 2.*'x'"):
        wp.launch(double, dim=3, inputs=[Producer(bad)], outputs=[y])
    assert y.list() == [0, 0, 0]
    assert bad.deleted == 1
    assert ct.sizeof(Versioned) == 80
