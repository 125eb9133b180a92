"""Objects that are no array of a framework we know, but speak an array protocol."""

from __future__ import annotations

import array as stdlib_array
import ctypes
import gc
import mmap
import sys

import numpy as np
import pytest
import warp as wp

from .offered import Interface, double


@wp.kernel
def add_bytes(x: wp.array(dtype=wp.uint8), y: wp.array(dtype=wp.int32)):
    i = wp.tid()
    y[i] = y[i] + wp.int32(x[i])


class Struct:
    """Nothing but an `__array_struct__`."""

    def __init__(self, n):
        self.n = n

    @property
    def __array_struct__(self):
        return self.n.__array_struct__


class Method:
    """An `__array__` that gives the object's own memory."""

    def __init__(self, n):
        self.n = n

    def __array__(self, dtype=None, copy=None):
        return self.n


class Temporary(Method):
    """An `__array__` that makes a new array each time, as data frames do."""

    def __array__(self, dtype=None, copy=None):
        return self.n.copy()


class Dlpack:
    """Nothing but DLPack."""

    def __init__(self, n):
        self.n = n

    def __dlpack__(self, **options):
        return self.n.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.n.__dlpack_device__()


SHARING = [Interface, Struct, Method, Dlpack, memoryview]
LAYOUTS = {
    "plain": np.arange(12, dtype=np.float32),
    "strided": np.arange(24, dtype=np.float32)[::2],
    "reversed": np.arange(12, dtype=np.float32)[::-1],
    "column": np.arange(36, dtype=np.float32).reshape(12, 3)[:, 1],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("wrap", SHARING)
def test_a_launch_reads_and_writes_the_objects_own_memory(wrap, layout):
    base = LAYOUTS[layout]
    x = base.copy() if layout == "plain" else base
    y = np.zeros_like(np.broadcast_to(base, base.shape))
    target = np.zeros(48, np.float32)[::-2][:12] if layout == "reversed" else y
    wp.launch(double, dim=12, inputs=[wrap(x)], outputs=[wrap(target)])
    np.testing.assert_array_equal(target, 2 * x)
    shared = wp.array(wrap(target), copy=False)
    assert shared.ptr == target.ctypes.data
    assert shared.strides == target.strides
    shared.fill_(3.0)
    assert (target == 3).all()
    copied = wp.array(wrap(target))
    assert copied.ptr != target.ctypes.data
    np.testing.assert_array_equal(wp.from_numpy(wrap(target)).numpy(), target)


@pytest.mark.parametrize("wrap", [*SHARING, Temporary])
def test_owners_come_and_go(wrap):
    n = np.zeros(1000, np.float32)
    before = sys.getrefcount(n)
    for _ in range(50):
        wp.launch(double, dim=4, inputs=[wrap(n)], outputs=[wp.zeros(4)])
    if wrap is not Temporary:
        kept = [wp.array(wrap(n), copy=False) for _ in range(20)]
        assert sys.getrefcount(n) >= before
        del kept
    gc.collect()
    assert sys.getrefcount(n) == before


@pytest.mark.parametrize("wrap", SHARING)
def test_memory_outlives_the_object(wrap):
    a = wp.array(wrap(np.full(1 << 20, 7, np.float32)), copy=False)
    gc.collect()
    others = [np.zeros(1 << 20, np.float32) for _ in range(4)]
    assert a.numpy().min() == 7
    del others


def test_a_temporary_is_read_and_never_written():
    n = np.arange(4, dtype=np.float32)
    out = wp.zeros(4)
    wp.launch(double, dim=4, inputs=[Temporary(n)], outputs=[out])
    assert out.list() == [0, 2, 4, 6]
    with pytest.raises(ValueError, match=r"argument 'y'.*new array each time.*lost"):
        wp.launch(double, dim=4, inputs=[out], outputs=[Temporary(n)])
    with pytest.raises(ValueError, match="new array each time"):
        wp.array(Temporary(n), copy=False)
    with pytest.raises(ValueError, match="new array each time"):
        wp.zeros(4, requires_grad=True).grad = Temporary(n)
    assert wp.array(Temporary(n)).list() == [0, 1, 2, 3]
    assert wp.zeros_like(Temporary(n)).shape == (4,)
    out.assign(Temporary(n))
    assert out.list() == [0, 1, 2, 3]
    empty = Temporary(np.zeros(0, np.float32))
    wp.launch(double, dim=0, inputs=[out], outputs=[empty])


class Copies(Dlpack):
    """A producer that always copies, and says so."""

    def __dlpack__(self, **options):
        return self.n.__dlpack__(max_version=(1, 0), copy=True)


def test_a_copy_that_says_so_is_read_and_never_written():
    n = np.arange(4, dtype=np.float32)
    out = wp.zeros(4)
    wp.launch(double, dim=4, inputs=[Copies(n)], outputs=[out])
    assert out.list() == [0, 2, 4, 6]
    for use in (
        lambda: wp.launch(double, dim=4, inputs=[out], outputs=[Copies(n)]),
        lambda: wp.array(Copies(n), copy=False),
        lambda: wp.from_dlpack(Copies(n), copy=False),
    ):
        with pytest.raises(ValueError, match=r"Copies gives only a copy.*lost"):
            use()
    assert wp.from_dlpack(Copies(n)).list() == wp.array(Copies(n)).list() == n.tolist()


def test_a_tape_keeps_a_temporary():
    x = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    y = wp.zeros(2, requires_grad=True)
    scale = np.array([3, 4], np.float32)
    tape = wp.Tape()
    with tape:
        wp.launch(product, dim=2, inputs=[x, Temporary(scale)], outputs=[y])
    gc.collect()
    tape.backward(grads={y: wp.array([1.0, 1.0], dtype=float)})
    assert x.grad.list() == [3, 4]


@wp.kernel
def product(x: wp.array(dtype=float), s: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * s[i]


def test_read_only_is_refused_only_where_the_kernel_writes():
    n = np.arange(4, dtype=np.float32)
    n.flags.writeable = False
    for wrap in (Interface, Struct, Method, Dlpack, memoryview):
        out = wp.zeros(4)
        wp.launch(double, dim=4, inputs=[wrap(n)], outputs=[out])
        assert out.list() == [0, 2, 4, 6]
        with pytest.raises(ValueError, match="argument 'y'.*read-only"):
            wp.launch(double, dim=4, inputs=[out], outputs=[wrap(n)])
        assert wp.array(wrap(n), copy=False).read_only
        assert not wp.array(wrap(n)).read_only
    assert n.tolist() == [0, 1, 2, 3]


def test_memory_of_the_standard_library(tmp_path):
    out = wp.zeros(4, dtype=wp.int32)
    data = bytes([1, 2, 3, 4])
    (tmp_path / "data").write_bytes(data)
    with open(tmp_path / "data", "r+b") as file:
        mapped = mmap.mmap(file.fileno(), 4)
        sources = [data, bytearray(data), memoryview(data), mapped, stdlib_array.array("B", data)]
        sources.append((ctypes.c_uint8 * 4)(*data))
        for source in sources:
            wp.launch(add_bytes, dim=4, inputs=[source], outputs=[out])
        gc.collect()
        held = wp.array(mapped, copy=False)
        with pytest.raises(BufferError):
            mapped.close()
        held.fill_(9)
        del held
        gc.collect()
        mapped.flush()
        mapped.close()
        del sources
    assert (tmp_path / "data").read_bytes() == bytes([9] * 4)
    assert out.list() == [6, 12, 18, 24]
    with pytest.raises(ValueError, match="read-only"):
        wp.launch(fill_bytes, dim=4, outputs=[data])
    grown = bytearray(data)
    wp.launch(fill_bytes, dim=4, outputs=[grown])
    assert grown == bytearray([5] * 4)
    shared = wp.array(grown, copy=False)
    with pytest.raises(BufferError):
        grown.append(1)
    del shared
    numbers = stdlib_array.array("d", [1, 2])
    assert wp.array(numbers).list() == [1, 2]
    assert wp.array(stdlib_array.array("l", [-1]), copy=False).dtype is wp.int64
    matrix = ((ctypes.c_float * 3) * 2)((1, 2, 3), (4, 5, 6))
    assert wp.array(matrix, dtype=wp.vec3).list() == [wp.vec3(1, 2, 3), wp.vec3(4, 5, 6)]


@wp.kernel
def fill_bytes(x: wp.array(dtype=wp.uint8)):
    x[wp.tid()] = wp.uint8(5)


def test_memory_mapped_files(tmp_path):
    path = tmp_path / "numbers"
    x = np.memmap(path, dtype=np.float32, mode="w+", shape=(4,))
    wp.launch(double, dim=4, inputs=[np.arange(4, dtype=np.float32)], outputs=[x])
    x.flush()
    read = np.memmap(path, dtype=np.float32, mode="r")
    assert wp.array(read, copy=False).list() == [0, 2, 4, 6]
    with pytest.raises(ValueError, match="read-only"):
        wp.launch(double, dim=4, inputs=[x], outputs=[read])


def test_images():
    images = pytest.importorskip("PIL.Image")
    image = images.new("RGB", (5, 2), (1, 2, 3))
    pixels = wp.array(image, dtype=wp.vec3ub)
    assert pixels.shape == (2, 5)
    assert pixels[1, 4] == wp.vec3ub(1, 2, 3)
    with pytest.raises(ValueError, match="read-only"):
        wp.launch(darken, dim=(2, 5), inputs=[image])
    copy = np.array(image)
    wp.launch(darken, dim=(2, 5), inputs=[copy])
    assert images.fromarray(copy).getpixel((0, 0)) == (0, 2, 3)


@wp.kernel
def darken(image: wp.array(dtype=wp.vec3ub, ndim=2)):
    i, j = wp.tid()
    p = image[i, j]
    image[i, j] = wp.vec3ub(wp.uint8(0), p[1], p[2])


def test_an_interface_on_a_buffer():
    data = bytearray(np.arange(6, dtype=np.float32).tobytes())
    part = Interface(np.zeros(2, np.float32), data=data, offset=8, strides=(8,))
    a = wp.array(part, copy=False)
    assert a.list() == [2, 4]
    a.fill_(9.0)
    assert np.frombuffer(data, np.float32).tolist() == [0, 1, 9, 3, 9, 5]
    assert wp.array(Interface(np.zeros(2, np.float32), data=bytes(8)), copy=False).read_only


@pytest.mark.parametrize("name", ["f4", "i8", "u1", "?", "f2"])
def test_our_array_struct(name):
    n = np.arange(12).astype(name).reshape(3, 4)
    a = wp.array(n)
    before = sys.getrefcount(a)
    for part in (a, a[1:, ::2], a.transpose()):
        seen = np.asarray(Struct(part))
        np.testing.assert_array_equal(seen, part.numpy())
        assert seen.ctypes.data == part.ptr
        assert seen.flags.writeable
    del part, seen
    gc.collect()
    assert sys.getrefcount(a) == before
    frozen = wp.array(b"abc", copy=False)
    assert not np.asarray(Struct(frozen)).flags.writeable
    with pytest.raises(AttributeError, match="bfloat16"):
        wp.zeros(2, dtype=wp.bfloat16).__array_struct__
    assert np.asarray(Struct(wp.zeros(2, dtype=wp.mat22))).shape == (2, 2, 2)


def test_operators_are_numpys():
    a, n = wp.array([1.0, 2.0], dtype=float), np.array([3, 4], np.float32)
    for result in (a + n, n + a, np.add(a, n)):
        assert type(result) is np.ndarray
        assert result.tolist() == [4, 6]
    assert a.__array_priority__ == 0
    assert not hasattr(a, "__array_namespace__")
    with pytest.raises(TypeError):
        a + None
