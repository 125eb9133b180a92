"""Arrays for consumers of DLPack: capsules of both kinds and their arguments, the C exchange table, other libraries."""

from __future__ import annotations

import ctypes as ct
import gc
import inspect
import sys

import numpy as np
import pytest
import torch
import warp as wp
from hypothesis import given
from hypothesis import strategies as st

from support import capsules
from support.capsules import Legacy, Made, Producer, Table, Versioned, call, delete, table_of, take, values

SCALARS = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
EVERY = [*SCALARS, *FLOATS]
SHAPES = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple)
BOTH = pytest.mark.parametrize(("kind", "version"), [(Legacy, None), (Versioned, (1, 0))], ids=["legacy", "versioned"])


def shares(capsule, kind, array):
    """The tensor that a capsule holds says what the array is, and is deleted."""
    managed = take(capsule, kind)
    tensor = managed.contents.tensor
    np.testing.assert_array_equal(values(tensor), array.numpy())
    assert not array.size or tensor.data == array.ptr
    assert (tensor.device.kind, tensor.device.id, tensor.byte_offset) == (1, 0, 0)
    delete(managed)


@BOTH
@pytest.mark.parametrize("name", EVERY)
def test_every_type_and_layout(kind, version, name):
    whole = wp.array(np.arange(24).reshape(4, 6).astype(name))
    for a in (whole, whole.transpose(), whole[::2, ::-3], whole[1], whole[2:2]):
        shares(a.__dlpack__(max_version=version), kind, a)
    for element in (wp.vec3, wp.mat22d, wp.quat):
        a = wp.zeros((2, 3), dtype=element)
        shares(a.__dlpack__(max_version=version), kind, a)


# What data-apis' array-api-tests demand of `__dlpack_device__`, `__dlpack__` and `from_dlpack`.


@given(st.sampled_from(EVERY))
def test_the_device_is_that_of_the_cpu(name):
    device = wp.zeros(3, dtype=getattr(wp, name)).__dlpack_device__()
    assert device == (1, 0)
    assert [type(n) for n in device] == [int, int]


@given(
    st.sampled_from(EVERY),
    SHAPES,
    st.fixed_dictionaries(
        {},
        optional={
            "copy": st.sampled_from([None, True, False]),
            "max_version": st.sampled_from([None, (0, 0), (0, 8), (1, 0), (1, 3), (2, 0)]),
            "dl_device": st.sampled_from([None, (1, 0)]),
            "stream": st.none(),
        },
    ),
)
def test_every_combination_of_arguments(name, shape, options):
    a = wp.array(np.ones(shape, name))
    capsule = a.__dlpack__(**options)
    versioned = (options.get("max_version") or (0, 0))[0] >= 1
    kind = Versioned if versioned else Legacy
    managed = take(capsule, kind)
    contents = managed.contents
    if versioned:
        copied = capsules.FLAG_IS_COPIED if options.get("copy") else 0
        assert (contents.major, contents.minor, contents.flags) == (1, 3, copied)
    if a.size:
        assert (contents.tensor.data == a.ptr) == (not options.get("copy"))
    np.testing.assert_array_equal(values(contents.tensor), np.ones(shape, name))
    delete(managed)


@given(
    st.sampled_from(EVERY),
    SHAPES,
    st.fixed_dictionaries(
        {}, optional={"device": st.sampled_from([None, "cpu"]), "copy": st.sampled_from([None, True, False])}
    ),
)
def test_from_dlpack_of_an_array(name, shape, options):
    a = wp.array(np.arange(np.prod(shape)).reshape(shape).astype(name))
    b = wp.from_dlpack(a, **options)
    assert (b.device, b.dtype, b.shape) == (a.device, a.dtype, a.shape)
    np.testing.assert_array_equal(b.numpy(), a.numpy())
    if a.size:
        assert (b.ptr == a.ptr) == (not options.get("copy"))


def test_arguments_are_keywords():
    parameters = inspect.signature(wp.array.__dlpack__).parameters
    assert [p.kind for p in list(parameters.values())[1:]] == [inspect.Parameter.KEYWORD_ONLY] * 4
    a = wp.zeros(3)
    with pytest.raises(TypeError):
        a.__dlpack__(None)
    with pytest.raises(TypeError):
        wp.from_dlpack(a, None, "cpu")
    with pytest.raises(ValueError, match="cuda:0"):
        wp.from_dlpack(a, device="cuda:0")
    for wrong in ({"max_version": 1}, {"max_version": "1"}, {"dl_device": 1}, {"copy": "yes"}):
        with pytest.raises(TypeError):
            a.__dlpack__(**wrong)


def read_only():
    n = np.arange(3, dtype=np.float32)
    n.flags.writeable = False
    return wp.array(n, copy=False)


def test_read_only_arrays_are_marked_or_refused():
    a = read_only()
    for refused in (a.__dlpack__, lambda: a.__dlpack__(max_version=(0, 8)), lambda: wp.to_dlpack(a)):
        with pytest.raises(BufferError, match=r"read-only.*max_version=\(1, 0\)"):
            refused()
    managed = take(a.__dlpack__(max_version=(1, 0)), Versioned)
    assert managed.contents.flags == capsules.FLAG_READ_ONLY
    delete(managed)
    for copy in (a.__dlpack__(copy=True), a.__dlpack__(copy=True, max_version=(1, 0))):
        assert not wp.from_dlpack(copy).read_only
    assert not np.from_dlpack(a).flags.writeable
    assert wp.from_dlpack(a.__dlpack__(max_version=(1, 0))).read_only


def test_to_dlpack_is_read_by_everybody():
    a = wp.array([[1, 2], [3, 4]], dtype=float)
    assert '"dltensor"' in repr(wp.to_dlpack(a))
    assert torch.utils.dlpack.from_dlpack(wp.to_dlpack(a)).data_ptr() == a.ptr
    assert wp.from_dlpack(wp.to_dlpack(a)).ptr == a.ptr
    for wrong in (None, np.zeros(3), torch.zeros(3)):
        with pytest.raises(TypeError, match=r"to_dlpack: wp_array is .* expected a wp.array"):
            wp.to_dlpack(wrong)


@BOTH
def test_capsules_that_nobody_consumes_free_the_memory(kind, version):
    n = np.ones(3, np.float32)
    before = sys.getrefcount(n)
    for _ in range(10):
        capsule = wp.array(n, copy=False).__dlpack__(max_version=version)
    assert sys.getrefcount(n) == before + 1
    taken = take(capsule, kind)
    del capsule
    assert sys.getrefcount(n) == before + 1
    delete(taken)  # without Python's lock: the release waits until somebody holds it
    gc.collect()
    assert sys.getrefcount(n) == before


def test_arrays_without_memory_are_refused():
    a = wp.array(dtype=float, ndim=2)
    capsule = a.__dlpack__(max_version=(1, 0))
    assert wp.from_dlpack(capsule).size == 0


# The C exchange table, used as a C library would.

BOUND = ct.PyDLL(None)


def test_the_table_is_complete():
    table = table_of(wp.array)
    assert (table.major, table.minor, bool(table.previous)) == (1, 3, False)
    assert all(getattr(table, name) for name, _ in Table._fields_[3:])
    assert ct.sizeof(Table) == 56


@pytest.mark.parametrize("name", EVERY)
def test_managed_from_object(name):
    a = wp.array(np.arange(6).reshape(2, 3).astype(name)).transpose()
    out = ct.POINTER(Versioned)()
    before = sys.getrefcount(a)
    assert call(table_of(wp.array).managed_from_object, capsules.MANAGED, a, ct.byref(out)) == 0
    assert sys.getrefcount(a) == before  # the memory is kept, not the object
    kept, address = a.numpy().copy(), a.ptr
    del a
    np.testing.assert_array_equal(values(out.contents.tensor), kept)
    assert (out.contents.tensor.data, out.contents.flags) == (address, 0)
    delete(out)
    assert call(table_of(wp.array).managed_from_object, capsules.MANAGED, read_only(), ct.byref(out)) == 0
    assert out.contents.flags == capsules.FLAG_READ_ONLY
    delete(out)


def test_object_from_managed():
    function = table_of(wp.array).object_from_managed
    made = Made(np.arange(3, dtype=np.float32))
    out = ct.c_void_p()
    assert call(function, capsules.OBJECT, ct.byref(made.managed), ct.byref(out)) == 0
    a = ct.cast(out, ct.py_object).value
    ct.pythonapi.Py_DecRef(ct.py_object(a))
    assert (type(a), a.list(), a.ptr) == (wp.array, [0, 1, 2], made.array.ctypes.data)
    del a
    assert made.deleted == 1
    bad = Made(np.zeros((1,) * 5, np.float32))
    with pytest.raises(ValueError, match="5"):
        call(function, capsules.OBJECT, ct.byref(bad.managed), ct.byref(out))
    assert bad.deleted == 1


def test_view_from_object():
    function = table_of(wp.array).view_from_object
    a = wp.array(np.arange(12, dtype=np.float32).reshape(2, 2, 3), dtype=wp.vec3)[::-1]
    seen = capsules.Tensor()
    for _ in range(2):
        assert call(function, capsules.VIEW, a, ct.byref(seen)) == 0
        np.testing.assert_array_equal(values(seen), a.numpy())
    with pytest.raises(BufferError, match="read-only"):
        call(function, capsules.VIEW, read_only(), ct.byref(seen))
    for wrong in (np.zeros(3), None, wp.array):
        with pytest.raises(TypeError, match=r"expected|takes a wp.array"):
            call(function, capsules.VIEW, wrong, ct.byref(seen))


@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (1, 2, 3, 4), (1, 1, 2, 2, 3, 3)])
def test_allocate(shape):
    function = ct.CFUNCTYPE(ct.c_int, *capsules.ALLOCATE._argtypes_)(table_of(wp.array).allocate)
    errors = []
    report = capsules.SET_ERROR(lambda _, kind, text: errors.append((kind, text)))
    like = Made(np.zeros(shape, np.float64))
    like.tensor.data = like.tensor.strides = None
    out = ct.POINTER(Versioned)()
    assert function(ct.byref(like.tensor), ct.byref(out), None, report) == 0
    tensor = out.contents.tensor
    assert tuple(tensor.shape[: tensor.ndim]) == shape
    assert tensor.data % 64 == 0
    ct.memset(tensor.data, 0, 8 * int(np.prod(shape)))
    np.testing.assert_array_equal(values(tensor), np.zeros(shape))
    delete(out)
    assert errors == []
    for change in (
        {"ndim": 7},
        {"ndim": -1},
        {"device": capsules.Device(2, 0)},
        {"dtype": capsules.DataType(5, 64, 1)},
    ):
        wrong = Made(np.zeros(shape or 1))
        for name, value in change.items():
            setattr(wrong.tensor, name, value)
        assert function(ct.byref(wrong.tensor), ct.byref(out), None, report) == -1
        assert not out
    for side in (-1, 2**40, 2**62):
        wrong = Made(np.zeros((2, 3)))
        wrong.shape[0] = side
        assert function(ct.byref(wrong.tensor), ct.byref(out), None, report) == -1
    assert [kind for kind, _ in errors[:4]] == [b"ValueError", b"ValueError", b"ValueError", b"TypeError"]
    assert len(errors) == 7


def test_current_stream():
    out = ct.c_void_p(1)
    assert call(table_of(wp.array).current_stream, capsules.STREAM, 1, 0, ct.byref(out)) == 0
    assert out.value is None
    with pytest.raises(ValueError, match="kind 2"):
        call(table_of(wp.array).current_stream, capsules.STREAM, 2, 0, ct.byref(out))


# Other libraries.


def test_torch():
    a = wp.array([[1, 2], [3, 4]], dtype=float)
    for t in (torch.from_dlpack(a), torch.utils.dlpack.from_dlpack(a), torch.from_dlpack(a.__dlpack__())):
        assert t.data_ptr() == a.ptr
    assert torch.from_dlpack(wp.zeros((2, 2), dtype=wp.vec3)).shape == (2, 2, 3)
    t[0, 0] = 9
    assert a[0, 0] == 9


@wp.kernel
def double(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = 2.0 * x[i]


def test_tvm_ffi():
    tvm_ffi = pytest.importorskip("tvm_ffi")
    a = wp.array([1, 2, 3], dtype=float)
    tensor = tvm_ffi.from_dlpack(a)
    assert (tuple(tensor.shape), str(tensor.dtype)) == ((3,), "float32")
    back = wp.from_dlpack(tensor)
    assert (back.ptr, back.list()) == (a.ptr, [1, 2, 3])
    y = wp.zeros(3, dtype=float)
    wp.launch(double, dim=3, inputs=[tensor], outputs=[tvm_ffi.from_dlpack(y)])
    assert y.list() == [2, 4, 6]

    seen = []

    def look(x):
        seen.append((tuple(x.shape), np.from_dlpack(x).copy()))
        return x

    function = tvm_ffi.convert(look)
    for array in (a, wp.zeros((2, 0)), wp.array(np.arange(6.0).reshape(2, 3))):
        function(array)
        np.testing.assert_array_equal(seen[-1][1], array.numpy())
        assert seen[-1][0] == array.shape
    returned = function(a)
    assert wp.from_dlpack(returned).ptr == a.ptr


# Types that nobody here knows, with a table of their own.


class Tabled(Producer):
    """Answers through an exchange table made by hand, and says how it was asked."""

    asked_table = ()

    def __init__(self, made):
        super().__init__(made)
        self.asked_table = []


@capsules.MANAGED
def tabled_managed(object_, out):
    object_.asked_table.append("managed")
    if object_.made is None:
        return -1  # without saying why
    out[0] = ct.pointer(object_.made.managed)
    return 0


@capsules.VIEW
def tabled_view(object_, out):
    object_.asked_table.append("view")
    out[0] = object_.made.tensor
    return 0


TABLE = Table(1, 9, None, None, ct.cast(tabled_managed, ct.c_void_p), None, ct.cast(tabled_view, ct.c_void_p), None)
NEWER = Table(2, 0, ct.pointer(TABLE), None, None, None, None, None)


@pytest.mark.parametrize("name", ["__dlpack_c_exchange_api__", "__c_dlpack_exchange_api__"])
@pytest.mark.parametrize("table", [TABLE, NEWER], ids=["own version", "newer, with an older one behind"])
def test_a_table_of_an_unknown_type(name, table):
    known = type("Known", (Tabled,), {name: capsules.table_capsule(table)})
    known.__dlpack__ = None
    # A launch that compiles first asks once more: what it was told before may have changed meanwhile.
    wp.launch(double, dim=1, inputs=[wp.zeros(1)], outputs=[wp.zeros(1)])
    for _ in range(2):
        source = known(Made(np.arange(3, dtype=np.float32)))
        a = wp.from_dlpack(source)
        assert a.list() == [0, 1, 2]
        y = wp.zeros(3, dtype=float)
        wp.launch(double, dim=3, inputs=[source], outputs=[y])
        assert y.list() == [0, 2, 4]
        wp.launch(double, dim=3, inputs=[y], outputs=[source])
        assert a.list() == [0, 4, 8]
        # A launch that waits, as on a busy machine, lets other threads run, and asks for a share of what was lent.
        shares = source.asked_table.count("managed")
        assert source.asked_table == ["managed", "view", *["managed"] * (shares - 1)]
        assert shares in (2, 3)
        del a
        assert source.made.deleted == shares  # the launches gave theirs back, too
        source.made.managed.flags = capsules.FLAG_READ_ONLY
        with pytest.raises(ValueError, match="read-only"):
            wp.launch(double, dim=3, inputs=[y], outputs=[source])
    source.made = None
    with pytest.raises(BufferError, match="without saying why"):
        wp.from_dlpack(source)


def test_our_own_table_through_our_own_reader():
    """A type that passes on to the functions of `wp.array`."""
    table = table_of(wp.array)
    managed = ct.PYFUNCTYPE(ct.c_int, *capsules.MANAGED._argtypes_)(table.managed_from_object)
    view = ct.PYFUNCTYPE(ct.c_int, *capsules.VIEW._argtypes_)(table.view_from_object)

    def seen(box, out):
        try:
            return view(box.array, out)
        except BufferError:
            return -1  # out of a callback of ctypes no exception comes, and nothing that means anything is returned

    asks = (capsules.MANAGED(lambda self, out: managed(self.array, out)), capsules.VIEW(seen))
    own = Table(1, 3, None, None, ct.cast(asks[0], ct.c_void_p), None, ct.cast(asks[1], ct.c_void_p), None)
    box = type("Box", (), {"__dlpack_c_exchange_api__": capsules.table_capsule(own)})()
    whole = wp.array(np.arange(36, dtype=np.float32).reshape(3, 4, 3), dtype=wp.vec3)
    for array in (whole, whole.transpose(), whole[::-2, 1::2], whole[1:1]):
        box.array = array
        back = wp.from_dlpack(box, dtype=wp.vec3)
        assert (back.dtype, back.shape, back.strides, back.ptr) == (wp.vec3, array.shape, array.strides, array.ptr)
        np.testing.assert_array_equal(back.numpy(), array.numpy())
    box.array = wp.array([1, 2, 3], dtype=float)
    y = wp.zeros(3, dtype=float)
    wp.launch(double, dim=3, inputs=[box], outputs=[y])
    assert y.list() == [2, 4, 6]
    box.array = read_only()
    assert wp.from_dlpack(box).read_only
    wp.launch(double, dim=3, inputs=[box], outputs=[y])  # nothing read-only is lent, but shared
    assert y.list() == [0, 2, 4]
    with pytest.raises(ValueError, match="read-only"):
        wp.launch(double, dim=3, inputs=[y], outputs=[box])


def test_a_table_counts_only_on_exactly_its_type():
    known = type("Known", (Tabled,), {"__dlpack_c_exchange_api__": capsules.table_capsule(TABLE)})
    derived = type("Derived", (known,), {})
    source = derived(Made(np.arange(3, dtype=np.float32)))
    assert wp.from_dlpack(source).list() == [0, 1, 2]
    assert (source.asked_table, len(source.asked)) == ([], 1)


@pytest.mark.parametrize("wrong", [3, None, "text"])
def test_what_is_no_table_is_passed_over(wrong):
    odd = type("Odd", (Tabled,), {"__dlpack_c_exchange_api__": wrong})
    source = odd(Made(np.arange(3, dtype=np.float32)))
    assert wp.from_dlpack(source).list() == [0, 1, 2]


def test_many_types_with_tables():
    """More than are remembered."""
    for _ in range(20):
        known = type("Known", (Tabled,), {"__dlpack_c_exchange_api__": capsules.table_capsule(TABLE)})
        source = known(Made(np.arange(3, dtype=np.float32)))
        assert wp.from_dlpack(source).list() == [0, 1, 2]
        assert source.asked_table == ["managed"]
