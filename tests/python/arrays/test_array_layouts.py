"""Attributes of a program's own, classes derived from wp.array, shapes and strides that are assigned."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
import warp as wp


@wp.kernel
def double(m: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    i, j = wp.tid()
    out[i, j] = m[i, j] * 2.0


@wp.kernel
def scale(x: wp.array(dtype=float)):
    x[wp.tid()] *= 2.0


def test_attributes_of_the_program():
    for a in (wp.zeros(3), wp.array(np.ones(3, np.float32), copy=False), wp.zeros(4)[1:], wp.array(dtype=float)):
        a._is_batched = True
        a.label = "height"
        assert (a._is_batched, a.label, vars(a)) == (True, "height", {"_is_batched": True, "label": "height"})
        del a.label
        with pytest.raises(AttributeError):
            _ = a.label
        with pytest.raises(AttributeError):
            a.size = 7


def test_attributes_that_lead_back_are_collected():
    for make in (lambda: wp.zeros(3), lambda: wp.array(np.ones(3, np.float32), copy=False), lambda: wp.zeros(4)[1:]):
        a = make()
        a.itself = [a]
        alive = weakref.ref(a)
        del a
        gc.collect()
        assert alive() is None


class Field(wp.array):
    unit = "m"

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.label = "height"

    def mean(self):
        return float(self.numpy().mean())


def test_derived_classes():
    a = Field([1.0, 2.0], dtype=float, requires_grad=True)
    assert (type(a), a.unit, a.label, a.mean()) == (Field, "m", "height", 1.5)
    assert isinstance(a, wp.array)
    with wp.Tape() as tape:
        wp.launch(scale, dim=2, inputs=[a])
        b = a * 2.0
    assert (a.list(), b.list()) == ([2.0, 4.0], [4.0, 8.0])
    tape.backward(grads={b: wp.ones(2)})
    assert a.grad.list() == [4.0, 4.0]
    launch = wp.launch(scale, dim=2, inputs=[a], record_cmd=True)
    launch.launch()
    assert a.list() == [4.0, 8.0]
    launch.set_param_at_index(0, Field([1.0, 1.0], dtype=float))
    launch.launch()
    assert wp.array(a).list() == a.list() == wp.clone(a).list()
    a.assign(Field([5.0, 6.0], dtype=float))
    out = wp.zeros(2)
    wp.copy(out, a)
    assert out.list() == a[0:2].list() == [5.0, 6.0]
    alive = weakref.ref(a)
    a.itself = a
    del a, launch, tape, b
    gc.collect()
    assert alive() is None
    for _ in range(200):
        Field([1.0], dtype=float)


def test_strides_then_shape_repeat_an_array():
    a = wp.array(np.arange(4, dtype=np.float32).reshape(1, 4))
    a.strides = (0, *a.strides[1:])
    a.shape = (3, 4)
    out = wp.zeros((3, 4))
    wp.launch(double, dim=(3, 4), inputs=[a, out])
    assert out.numpy().tolist() == [[0, 2, 4, 6]] * 3
    assert a.numpy().tolist() == [[0, 1, 2, 3]] * 3


def test_another_dimension_in_front():
    a = wp.array(np.arange(4, dtype=np.float32), requires_grad=True)
    a.strides = (0, *a.strides)
    a.ndim += 1
    a.shape = (1, *a.shape)
    assert (a.ndim, a.shape, a.strides, a.grad.shape) == (2, (1, 4), (0, 4), (1, 4))
    a.shape = (2, 4)
    assert a.numpy().tolist() == [[0, 1, 2, 3]] * 2
    assert np.from_dlpack(a).tolist() == a.list() or np.from_dlpack(a).tolist() == a.numpy().tolist()


def test_a_shape_of_as_many_elements_reshapes():
    a = wp.array(np.arange(12, dtype=np.float32).reshape(3, 4))
    first = np.from_dlpack(a)
    a.shape = (2, 6)
    assert (a.shape, a.strides) == ((2, 6), (24, 4))
    a.shape = 12
    assert (a.ndim, a.list()) == (1, list(range(12)))
    a.shape = (4, 3)
    assert (np.from_dlpack(a).shape, first.shape) == ((4, 3), (3, 4))
    a.strides = (4, 16)
    a.shape = (4, 3)
    assert a.numpy().tolist() == np.arange(12).reshape(3, 4).T.tolist()


def test_memory_is_never_left():
    a = wp.array(np.arange(12, dtype=np.float32).reshape(3, 4))
    for attempt in (
        lambda: setattr(a, "shape", (4, 4)),
        lambda: setattr(a, "strides", (32, 4)),
        lambda: setattr(a, "strides", (-16, 4)),
        lambda: setattr(a, "strides", (16, 2)),
        lambda: setattr(a, "ndim", 3),
        lambda: setattr(a, "shape", (1, 2, 3)),
        lambda: setattr(a, "shape", "abc"),
        lambda: setattr(a, "shape", ()),
    ):
        with pytest.raises((ValueError, TypeError, RuntimeError)):
            attempt()
        assert (a.shape, a.strides) == ((3, 4), (16, 4))
    part = a[1:, 1:3]
    with pytest.raises(ValueError, match="reaches bytes"):
        part.shape = (3, 2)
    with pytest.raises(AttributeError):
        wp.array(dtype=float).strides = (4,)


class Late(wp.array):
    def __init__(self):
        pass

    def fill(self, values):
        super().__init__(values, dtype=wp.float32)


def test_derived_classes_that_fill_their_objects_late():
    a = Late()
    assert (a.shape, a.dtype, a.list()) == ((0,), wp.float32, [])
    a.fill([1.0, 2.0])
    assert a.list() == [1.0, 2.0]
    with pytest.raises(TypeError, match="the array has its memory already"):
        a.fill([3.0])
    assert a.list() == [1.0, 2.0]


def test_a_shorter_source_is_assigned_to_the_first_elements():
    a = wp.array([[1.0, 2.0], [3.0, 4.0]], dtype=float)
    with pytest.warns(RuntimeWarning, match=r"assign: the source has 3 elements, the array 4: the first 3 are written"):
        a.assign(np.array([5.0, 6.0, 7.0], dtype=np.float32))
    assert a.numpy().tolist() == [[5.0, 6.0], [7.0, 4.0]]
    with pytest.warns(RuntimeWarning, match="first 1 are written"):
        a.assign([[8.0]])
    assert a.numpy().tolist() == [[8.0, 6.0], [7.0, 4.0]]
    for longer in (np.zeros(5, np.float32), wp.zeros((3, 3))):
        with pytest.raises(ValueError, match="they must have as many elements"):
            a.assign(longer)
    spread = wp.zeros((4, 4))[::2, ::2]
    with pytest.warns(RuntimeWarning), pytest.raises(ValueError, match="they must have as many elements"):
        spread.assign([1.0])
    assert a.reshape(shape=(4, 1)).shape == a.reshape(4, 1).shape == a.reshape((4, 1)).shape
    with pytest.raises(TypeError, match="the shape is given twice"):
        a.reshape(4, shape=(4, 1))


@pytest.mark.parametrize("make", [wp.zeros, wp.empty, wp.ones, wp.full])
def test_ndim_checks_the_shape(make):
    assert make((2, 3), ndim=2).shape == (2, 3)
    with pytest.raises(ValueError, match=rf"{make.__name__}: ndim is 1, the shape \[2, 3\]"):
        make((2, 3), ndim=1)


def test_arrays_without_elements_have_no_address():
    for a in (wp.zeros(0), wp.zeros((2, 0)), wp.zeros(3)[:0]):
        assert a.ptr is None
        a.ptr = None
    a = wp.zeros(3)
    for wrong in (None, a.ptr, 0):
        with pytest.raises(ValueError, match="ptr: the memory of an array with elements stays what it is"):
            a.ptr = wrong


def test_seven_numbers_are_a_transform():
    t = wp.transform_expand(np.arange(7.0))
    assert (t.p, t.q) == (wp.vec3(0.0, 1.0, 2.0), wp.quat(3.0, 4.0, 5.0, 6.0))
    with pytest.raises(ValueError, match="7 components"):
        wp.transform_expand([1.0, 2.0])
