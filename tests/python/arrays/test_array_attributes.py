"""Constructors and attributes of arrays that programs for NVIDIA Warp use: names, defaults, views, kinds of memory."""

import ctypes
import gc
import weakref
from typing import Literal

import numpy as np
import pytest
import warp as wp


@wp.kernel
def double(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = 2.0 * x[i]


MAKERS = {
    "array": lambda **k: wp.array([1.0, 2.0], dtype=float, **k),
    "zeros": lambda **k: wp.zeros(2, **k),
    "ones": lambda **k: wp.ones(2, **k),
    "full": lambda **k: wp.full(2, 1.0, **k),
    "empty": lambda **k: wp.empty(2, **k),
    "zeros_like": lambda **k: wp.zeros_like(wp.zeros(2), **k),
    "ones_like": lambda **k: wp.ones_like(wp.zeros(2), **k),
    "full_like": lambda **k: wp.full_like(wp.zeros(2), 1.0, **k),
    "empty_like": lambda **k: wp.empty_like(wp.zeros(2), **k),
    "clone": lambda **k: wp.clone(wp.zeros(2), **k),
    "from_numpy": lambda **k: wp.from_numpy(np.zeros(2, np.float32), **k),
}


@pytest.mark.parametrize("name", MAKERS)
def test_retain_grad(name):
    make = MAKERS[name]
    assert not make(requires_grad=True).retain_grad
    kept = make(requires_grad=True, retain_grad=True)
    assert kept.retain_grad
    assert kept.requires_grad
    with pytest.raises(ValueError, match=f"{name}: retain_grad.*requires_grad"):
        make(retain_grad=True)


def test_retain_grad_is_an_attribute():
    a = wp.zeros(2)
    with pytest.raises(ValueError, match="requires_grad"):
        a.retain_grad = True
    a.retain_grad = False
    a.requires_grad = True
    a.retain_grad = True
    assert a.retain_grad
    assert not a[:1].retain_grad
    assert not wp.clone(a).retain_grad
    a.requires_grad = False
    assert not a.retain_grad
    a.requires_grad = True
    assert not a.retain_grad


@pytest.mark.parametrize("retain", [False, True])
def test_gradients_of_outputs_can_be_read(retain):
    x = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    y = wp.zeros(2, dtype=float, requires_grad=True, retain_grad=retain)
    with wp.Tape() as tape:
        wp.launch(double, 2, [x], [y])
    tape.backward(grads={y: wp.array([1.0, 3.0], dtype=float)})
    assert x.grad.list() == [2.0, 6.0]
    assert y.grad.list() == [1.0, 3.0]


def test_retain_grad_of_tensors():
    torch = pytest.importorskip("torch")
    t = torch.ones(2, requires_grad=True)
    assert wp.from_torch(t, retain_grad=True).retain_grad
    with pytest.raises(ValueError, match="from_torch: retain_grad"):
        wp.from_torch(torch.ones(2), retain_grad=True)


def test_defaults():
    for make in (wp.zeros, wp.ones, wp.empty):
        assert (make().shape, make().dtype) == ((0,), wp.float32)
        assert make(n=3).shape == (3,)
        assert make(n=(2, 3)).shape == (2, 3)
        with pytest.raises(TypeError, match="n is another name of shape"):
            make(2, n=3)
    assert (wp.full().shape, wp.full().dtype) == ((0,), wp.int32)
    assert wp.full(n=2, value=1.5).list() == [1.5, 1.5]
    assert wp.full(2).list() == [0, 0]


def test_no_copy_converts_where_it_must():
    n = np.arange(3.0)
    assert wp.array(n, copy=False).ptr == n.ctypes.data
    converted = wp.array(n, dtype=float, copy=False)
    assert converted.dtype is wp.float32
    assert converted.list() == [0.0, 1.0, 2.0]
    a = wp.array([1.0, 2.0], dtype=float)
    assert wp.array(a, dtype=float, copy=False).ptr == a.ptr
    assert wp.array(a, dtype=wp.float64, copy=False).list() == [1.0, 2.0]
    assert wp.array([1, 2], dtype=float, copy=False).list() == [1.0, 2.0]
    with pytest.raises(TypeError, match="foreign order"):  # memory that cannot be shared, whatever it holds
        wp.array(n.astype(">f8"), copy=False)
    with pytest.raises((TypeError, ValueError)):
        wp.array(n, dtype=wp.vec2, copy=False)


def test_range_is_data():
    assert wp.array(range(3), dtype=float).list() == [0.0, 1.0, 2.0]
    a = wp.array(range(4, 0, -2))
    assert a.list() == [4, 2]
    assert a.dtype is wp.array([4, 2]).dtype
    assert wp.array(range(0), dtype=int).shape == (0,)
    a.assign(range(2))
    assert a.list() == [0, 1]


def test_from_ptr():
    n = np.arange(6, dtype=np.float32)
    a = wp.from_ptr(n.ctypes.data, 6, dtype=float)
    a.fill_(2.0)
    assert n.tolist() == [2.0] * 6
    assert wp.from_ptr(n.ctypes.data, 6, dtype=float, shape=(2, 3)).shape == (2, 3)
    assert wp.from_ptr(n.ctypes.data, 2, dtype=wp.vec3).numpy().shape == (2, 3)
    assert wp.from_ptr(0, 0, dtype=float).shape == (0,)
    with pytest.raises(TypeError, match="dtype"):
        wp.from_ptr(n.ctypes.data, 6)
    with pytest.raises(ValueError, match="5 elements, length is 6|length"):
        wp.from_ptr(n.ctypes.data, 6, dtype=float, shape=5)
    with pytest.raises(ValueError, match="null"):
        wp.from_ptr(0, 1, dtype=float)


def test_transposed():
    a = wp.zeros((2, 3, 4), dtype=wp.vec2)
    assert not a.is_transposed
    assert a.transpose().is_transposed
    assert a.transpose((0, 2, 1)).is_transposed
    assert not a[:, ::2].is_transposed
    assert not a[0].is_transposed
    assert not a[:, 1].is_transposed
    assert not wp.zeros((1, 3)).transpose().is_transposed


def test_kind_of_memory():
    assert wp.zeros(1).memory_kind is wp.MemoryKind.HOST
    names = ["UNKNOWN", "HOST", "PINNED", "CUDA_DEVICE", "CUDA_MEMPOOL", "CUDA_MANAGED"]
    assert [(k.name, k.value) for k in wp.MemoryKind] == list(zip(names, range(6), strict=True))


def test_deleter():
    def free(ptr, capacity):
        freed.append(capacity)

    freed = []
    n = np.zeros(2, np.float32)
    a = wp.array(ptr=n.ctypes.data, dtype=float, shape=2, deleter=free)
    assert a.deleter is free
    assert a[:1].deleter is free
    assert wp.zeros(1).deleter is None
    assert wp.array(n, copy=False).deleter is None
    del a
    assert freed == [8]


def test_pointers():
    a = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    pointer = a.cptr()
    assert isinstance(pointer, ctypes.POINTER(ctypes.c_float))
    assert pointer[1] == 2.0
    pointer[0] = 5.0
    assert a.list() == [5.0, 2.0]
    view = wp.zeros((2, 3), dtype=wp.vec2).transpose()
    c = view.ctype
    assert (c.data, c.grad, list(c.shape), list(c.strides), c.ndim) == (view.ptr, 0, [3, 2, 0, 0], [8, 24, 0, 0], 2)
    assert a.ctype.grad == a.grad.ptr
    assert wp.zeros(2, dtype=wp.mat22d).cptr()._type_ is ctypes.c_double


def test_pointers_keep_the_array():
    pointer = wp.full(1000, 3.0).cptr()
    others = [wp.zeros(1000) for _ in range(10)]
    assert pointer[999] == 3.0
    assert others


def test_handles_between_processes_are_for_gpus():
    with pytest.raises(RuntimeError, match="cpu"):
        wp.zeros(1).ipc_handle()
    with pytest.raises(RuntimeError, match="cpu"):
        wp.from_ipc_handle(b"x" * 64, float, (1,))


def test_marks():
    x = wp.array([1.0, 2.0], dtype=float, requires_grad=True)
    y = wp.zeros(2, dtype=float, requires_grad=True)
    x.mark_init()
    x.mark_read()

    @wp.kernel
    def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = x[i] * x[i]

    memory = x.numpy()
    with wp.Tape() as tape:
        wp.launch(square, 2, [x], [y])
    x.mark_write()  # what the gradient needs is kept before somebody else writes
    memory[:] = 100.0
    tape.backward(grads={y: wp.ones(2)})
    assert x.grad.list() == [2.0, 4.0]


def test_views_of_components():
    a = wp.array(np.arange(12, dtype=np.float32).reshape(3, 4))
    vec4 = a.view(wp.vec4)
    assert vec4.shape == (3,)
    assert vec4.ptr == a.ptr
    assert vec4.numpy().tolist() == a.numpy().tolist()
    assert vec4.view(float).numpy().tolist() == a.numpy().tolist()
    assert a.reshape((3, 2, 2)).view(wp.mat22).shape == (3,)
    assert vec4.view(wp.mat22).shape == (3,)
    assert vec4.view(wp.quat).shape == (3,)
    assert wp.zeros((3, 2), dtype=wp.mat22).view(float).shape == (3, 2, 2, 2)
    assert wp.zeros(2).view(wp.vec2).shape == (1,)
    assert a[::2].view(wp.vec4).numpy().tolist() == a.numpy()[::2].tolist()
    assert wp.zeros((0, 2)).view(wp.vec2).shape == (0,)
    assert a.view(wp.int32).dtype is wp.int32


def test_views_have_the_gradient():
    a = wp.zeros((3, 2), dtype=float, requires_grad=True)
    seen = a.view(wp.vec2)
    seen.grad.fill_(1.0)
    assert a.grad.numpy().tolist() == [[1.0, 1.0]] * 3
    assert seen.view(float).grad.shape == (3, 2)
    assert a.view(wp.int32).grad is None


@pytest.mark.parametrize(
    ("source", "dtype"),
    [
        (lambda: wp.zeros((3, 2)), wp.vec3),
        (lambda: wp.zeros(4), wp.vec2),
        (lambda: wp.zeros((2, 4)), wp.mat22),
        (lambda: wp.zeros((3, 2)).transpose(), wp.vec3),
        (lambda: wp.zeros((4, 6))[:, ::2], wp.vec3),
        (lambda: wp.zeros((2, 2), dtype=wp.vec2), wp.vec4),
        (lambda: wp.zeros(4, dtype=wp.float64), float),
        (lambda: wp.zeros((2, 2, 2), dtype=wp.mat22), float),
    ],
)
def test_views_that_there_are_none_of(source, dtype):
    # Of the shape: a ValueError; of the dtype: a TypeError.
    with pytest.raises(RuntimeError, match="view: ") as caught:
        source().view(dtype)
    assert isinstance(caught.value, ValueError | TypeError)


def test_copy_of_other_shapes():
    grid, row = wp.zeros((2, 3)), wp.array([1.0, 2.0, 3.0], dtype=float)
    wp.copy(grid, row)
    assert grid.list() == [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]
    wp.copy(grid, row, dest_offset=3)
    assert grid.list() == [1.0, 2.0, 3.0] * 2
    wp.copy(grid, wp.ones(6))
    assert grid.list() == [1.0] * 6
    wp.copy(grid, wp.zeros(0))
    wp.copy(grid, [[7, 8]])
    assert grid.list()[:2] == [7.0, 8.0]
    every_other = wp.zeros(6)[::2]
    wp.copy(every_other, row, dest_offset=1, src_offset=1)
    assert every_other.list() == [0.0, 2.0, 3.0]
    for wrong in (
        lambda: wp.copy(row, grid),
        lambda: wp.copy(grid, row, dest_offset=4),
        lambda: wp.copy(grid, row, src_offset=4),
        lambda: wp.copy(grid.transpose(), row),
    ):
        with pytest.raises(ValueError, match="copy: "):
            wrong()
    assert row.list() == [1.0, 2.0, 3.0]


def test_copy_of_parts_on_a_tape():
    x = wp.array([1.0, 2.0, 3.0], dtype=float, requires_grad=True)
    y = wp.zeros((2, 2), dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.copy(y, x, dest_offset=1, src_offset=1)
    assert y.list() == [0.0, 2.0, 3.0, 0.0]
    tape.backward(grads={y: wp.array([[1.0, 2.0], [3.0, 4.0]], dtype=float)})
    assert x.grad.list() == [0.0, 2.0, 3.0]


def test_truth_and_text():
    assert wp.zeros(1)
    assert wp.zeros((2, 0))
    assert not wp.zeros(0)
    assert repr(wp.ones((1, 2), requires_grad=True)) == "array([[1., 1.]], dtype=float32, requires_grad=True)"
    assert repr(wp.zeros(1, dtype=wp.vec3)) == "array([[0., 0., 0.]], dtype=vec3f)"
    assert repr(wp.zeros((0, 3), dtype=int)) == "array([], shape=(0, 3), dtype=int32)"
    assert repr(wp.ones(2, dtype=wp.bfloat16)) == "array([1., 1.], dtype=bfloat16)"
    assert repr(wp.arange(2000)) == "array([   0,    1,    2, ..., 1997, 1998, 1999], shape=(2000,), dtype=int32)"
    assert str(wp.array([1.0, 2.0], dtype=float)) == "[1. 2.]"


def test_annotations_with_a_literal():
    assert wp.array[float, Literal[2]].ndim == 2
    assert wp.array[float].ndim == 1
    assert wp.array[float, 3].ndim == 3

    @wp.kernel
    def add(x: wp.array[float, Literal[2]], y: wp.array[float]):
        i, j = wp.tid()
        x[i, j] += y[j]

    x = wp.zeros((2, 2))
    wp.launch(add, x.shape, [x, wp.array([1.0, 2.0], dtype=float)])
    assert x.list() == [1.0, 2.0, 1.0, 2.0]
    with pytest.raises(ValueError, match="1 to 4"):
        wp.array[float, Literal[5]]
    with pytest.raises(TypeError, match="Literal"):
        wp.array[float, "two"]


@pytest.mark.parametrize("name", ["fabricarray", "fabricarrayarray", "indexedfabricarray", "indexedfabricarrayarray"])
def test_fabric_is_refused(name):
    with pytest.raises(NotImplementedError, match=f"{name}.*ptr"):
        getattr(wp, name)(dtype=float)
    with pytest.raises(NotImplementedError, match=name):
        getattr(wp, name)[float]


def test_an_annotation_keeps_the_shape_that_it_is_given():
    """For those who read annotations: sizes, or names of them."""
    a = wp.array(dtype=float, ndim=2)
    assert a.shape == (0, 0)
    a.shape = ("worlds", 3)
    a.shape = (7, "joints")
    assert a.shape == (7, "joints")
    assert wp.array(dtype=float, ndim=2).shape == (0, 0)

    @wp.kernel
    def second(x: a, y: wp.array[float]):
        y[0] = x[0, 1]

    y = wp.zeros(1)
    wp.launch(second, 1, [wp.array([[1.0, 2.0]], dtype=float), y])
    assert y.list() == [2.0]
    with pytest.raises(ValueError, match="1 entries for an annotation of 2 dimensions"):
        a.shape = (3,)
    with pytest.raises(TypeError):
        a.shape = 3


def test_the_shape_of_an_annotation_is_part_of_cycles_that_are_collected():
    class Name:
        pass

    name = Name()
    name.annotation = wp.array(dtype=float)
    name.annotation.shape = (name,)
    gone = weakref.ref(name)
    del name
    gc.collect()
    assert gone() is None
