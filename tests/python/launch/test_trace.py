"""What ends a trace and what is traced: one row for each way to use an array."""

from __future__ import annotations

import copy
import ctypes
import operator
import pickle

import numpy as np
import pytest
import warp as wp
from warp._warp import _trace, _Traced

jax = pytest.importorskip("jax")  # traces are for jax


@wp.kernel
def scale(a: wp.array[float], s: float, out: wp.array[float]):
    i = wp.tid()
    out[i] = a[i] * s


def launch(a, out, s=2.0):
    wp.launch(scale, dim=a.shape, inputs=[a, s], outputs=[out])


def traced(function, shape=(4,), read_only=False):
    """Steps, or why there are none."""
    memories, steps, why = _trace("f", lambda arrays: function(*arrays), [(wp.float32, list(shape), read_only)])
    assert (why is None) == (steps is not None) == (memories is not None)
    return why if steps is None else [step[0] for step in steps]


# What an attribute of an array does: nothing that matters, a step, a launch, or the end.
NOTHING, STEP, LAUNCH, END = "nothing", "step", "launch", "end"


def integers():
    """Integers of the trace, for operators on bits."""
    return wp.zeros(4, dtype=int)


ATTRIBUTES = {
    "T": (NOTHING, lambda a: a.T),
    "__abs__": (LAUNCH, abs),
    "__eq__": (NOTHING, lambda a: a == a),
    "__ge__": (LAUNCH, lambda a: a >= 2.0),
    "__gt__": (LAUNCH, lambda a: a > 2.0),
    "__hash__": (NOTHING, hash),
    "__invert__": (LAUNCH, lambda _: ~integers()),
    "__arrow_c_array__": (END, lambda a: a.__arrow_c_array__()),
    "__jax_array__": (END, lambda a: a.__jax_array__()),
    "__le__": (LAUNCH, lambda a: a <= 2.0),
    "__lt__": (LAUNCH, lambda a: a < 2.0),
    "__ne__": (NOTHING, lambda a: a != a),
    "__and__": (LAUNCH, lambda _: integers() & 1),
    "__rand__": (LAUNCH, lambda _: 1 & integers()),
    "__iand__": (LAUNCH, lambda _: operator.iand(integers(), 1)),
    "__ior__": (LAUNCH, lambda _: operator.ior(integers(), 1)),
    "__xor__": (LAUNCH, lambda _: integers() ^ 1),
    "__rxor__": (LAUNCH, lambda _: 1 ^ integers()),
    "__ixor__": (LAUNCH, lambda _: operator.ixor(integers(), 1)),
    "__lshift__": (LAUNCH, lambda _: integers() << 1),
    "__rlshift__": (LAUNCH, lambda _: 1 << integers()),
    "__ilshift__": (LAUNCH, lambda _: operator.ilshift(integers(), 1)),
    "__rshift__": (LAUNCH, lambda _: integers() >> 1),
    "__rrshift__": (LAUNCH, lambda _: 1 >> integers()),
    "__irshift__": (LAUNCH, lambda _: operator.irshift(integers(), 1)),
    "_repr_html_": (END, lambda a: a._repr_html_()),
    "all": (LAUNCH, lambda a: a.all(keepdims=True)),
    "any": (LAUNCH, lambda a: a.any(keepdims=True)),
    "argmax": (LAUNCH, lambda a: a.argmax(keepdims=True)),
    "argmin": (LAUNCH, lambda a: a.argmin(keepdims=True)),
    "astype": (LAUNCH, lambda a: a.astype(wp.float64)),
    "itemsize": (NOTHING, lambda a: a.itemsize),
    "max": (LAUNCH, lambda a: a.max(keepdims=True)),
    "mean": (END, lambda a: a.mean()),
    "min": (LAUNCH, lambda a: a.min(keepdims=True)),
    "nbytes": (NOTHING, lambda a: a.nbytes),
    "sum": (END, lambda a: a.sum()),
    "tolist": (END, lambda a: a.tolist()),
    "__add__": (LAUNCH, lambda a: a + 2.0),
    "__array__": (END, lambda a: a.__array__()),
    "__array_interface__": (END, lambda a: a.__array_interface__),
    "__array_priority__": (NOTHING, lambda a: a.__array_priority__),
    "__array_struct__": (END, lambda a: a.__array_struct__),
    "__bool__": (NOTHING, bool),
    "__bytes__": (END, bytes),
    "__class_getitem__": (NOTHING, lambda a: type(a)[float]),
    "__complex__": (END, lambda a: complex(a[:1])),
    "__delattr__": (NOTHING, lambda a: (setattr(a, "own", 1), delattr(a, "own"))),
    "__or__": (NOTHING, lambda a: wp.array(dtype=float) | None),
    "__ror__": (NOTHING, lambda a: None | wp.array(dtype=float)),
    "__setattr__": (NOTHING, lambda a: setattr(a, "own", 1)),
    "__copy__": (NOTHING, copy.copy),
    "__cuda_array_interface__": (NOTHING, lambda a: hasattr(a, "__cuda_array_interface__")),
    "__ctype__": (END, lambda a: a.__ctype__()),
    "__deepcopy__": (STEP, copy.deepcopy),
    "__delitem__": (NOTHING, lambda a: refused(type(a).__delitem__, a, 0)),
    "__dlpack__": (END, lambda a: a.__dlpack__()),
    "__dlpack_c_exchange_api__": (END, lambda a: exchanged(a)),
    "__dlpack_device__": (NOTHING, lambda a: a.__dlpack_device__()),
    "__float__": (END, lambda a: float(a[:1])),
    "__floordiv__": (LAUNCH, lambda a: a // 2.0),
    "__getitem__": (END, lambda a: a[0]),
    "__iadd__": (LAUNCH, lambda a: operator.iadd(a, 2.0)),
    "__ifloordiv__": (LAUNCH, lambda a: operator.ifloordiv(a, 2.0)),
    "__imatmul__": (NOTHING, lambda a: refused(operator.imatmul, a, a)),
    "__imod__": (LAUNCH, lambda a: operator.imod(a, 2.0)),
    "__imul__": (LAUNCH, lambda a: operator.imul(a, 2.0)),
    "__index__": (NOTHING, lambda a: refused(operator.index, a[:1])),
    "__int__": (END, lambda a: int(a[:1])),
    "__ipow__": (LAUNCH, lambda a: operator.ipow(a, 2.0)),
    "__isub__": (LAUNCH, lambda a: operator.isub(a, 2.0)),
    "__iter__": (END, list),
    "__itruediv__": (LAUNCH, lambda a: operator.itruediv(a, 2.0)),
    "__len__": (NOTHING, len),
    "__matmul__": (NOTHING, lambda a: refused(operator.matmul, a, a)),
    "__mod__": (LAUNCH, lambda a: a % 2.0),
    "__module__": (NOTHING, lambda a: a.__module__),
    "__mul__": (LAUNCH, lambda a: a * 2.0),
    "__neg__": (LAUNCH, operator.neg),
    "__pos__": (LAUNCH, operator.pos),
    "__pow__": (LAUNCH, lambda a: a**2.0),
    "__radd__": (LAUNCH, lambda a: 2.0 + a),
    "__reduce_ex__": (END, pickle.dumps),
    "__repr__": (NOTHING, repr),
    "__rfloordiv__": (LAUNCH, lambda a: 2.0 // a),
    "__rmatmul__": (NOTHING, lambda a: refused(operator.matmul, 2.0, a)),
    "__rmod__": (LAUNCH, lambda a: 2.0 % a),
    "__rmul__": (LAUNCH, lambda a: 2.0 * a),
    "__rpow__": (LAUNCH, lambda a: 2.0**a),
    "__rsub__": (LAUNCH, lambda a: 2.0 - a),
    "__rtruediv__": (LAUNCH, lambda a: 2.0 / a),
    "__setitem__": (STEP, lambda a: a.__setitem__(0, 1.0)),
    "__str__": (END, str),
    "__sub__": (LAUNCH, lambda a: a - 2.0),
    "__truediv__": (LAUNCH, lambda a: a / 2.0),
    "assign": (STEP, lambda a: a.assign(wp.zeros(4, dtype=float))),
    "capacity": (NOTHING, lambda a: a.capacity),
    "clone": (STEP, lambda a: a.clone()),
    "contiguous": (NOTHING, lambda a: a.contiguous()),
    "cptr": (END, lambda a: a.cptr()),
    "ctype": (END, lambda a: a.ctype),
    "deleter": (NOTHING, lambda a: a.deleter),
    "device": (NOTHING, lambda a: a.device),
    "dtype": (NOTHING, lambda a: a.dtype),
    "fill_": (STEP, lambda a: a.fill_(1.0)),
    "flatten": (NOTHING, lambda a: a.flatten()),
    "grad": (NOTHING, lambda a: a.grad),
    "ipc_handle": (NOTHING, lambda a: refused(a.ipc_handle)),
    "is_contiguous": (NOTHING, lambda a: a.is_contiguous),
    "is_transposed": (NOTHING, lambda a: a.is_transposed),
    "item": (END, lambda a: a.item(1)),
    "list": (END, lambda a: a.list()),
    "mark_init": (NOTHING, lambda a: a.mark_init()),
    "mark_read": (NOTHING, lambda a: a.mark_read()),
    "mark_write": (NOTHING, lambda a: a.mark_write()),
    "memory_kind": (NOTHING, lambda a: a.memory_kind),
    "ndim": (NOTHING, lambda a: a.ndim),
    "numpy": (END, lambda a: a.numpy()),
    "pinned": (NOTHING, lambda a: a.pinned),
    "ptr": (END, lambda a: a.ptr),
    "read_only": (NOTHING, lambda a: a.read_only),
    "requires_grad": (NOTHING, lambda a: a.requires_grad),
    "reshape": (NOTHING, lambda a: a.reshape((2, 2))),
    "retain_grad": (NOTHING, lambda a: a.retain_grad),
    "shape": (NOTHING, lambda a: a.shape),
    "size": (NOTHING, lambda a: a.size),
    "strides": (NOTHING, lambda a: a.strides),
    "to": (NOTHING, lambda a: a.to("cpu")),
    "transpose": (NOTHING, lambda a: a.transpose()),
    "typecode": (NOTHING, lambda a: a.typecode),
    "view": (NOTHING, lambda a: a.view(wp.int32)),
    "zero_": (STEP, lambda a: a.zero_()),
}

#: Of these objects say nothing about content.
PLAIN = {"__dict__", "__doc__", "__init__", "__init_subclass__", "__new__", "__subclasshook__"}


def refused(function, *args):
    with pytest.raises((TypeError, ValueError, NotImplementedError, RuntimeError)):
        function(*args)


def exchanged(a):
    """Asks the C table, as other libraries do."""
    new = ctypes.pythonapi.PyCapsule_GetPointer
    new.restype, new.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = new(type(a).__dlpack_c_exchange_api__, b"dlpack_exchange_api")
    managed = ctypes.c_void_p.from_address(table + 24).value
    call = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)(managed)
    call(a, ctypes.addressof(ctypes.c_void_p()))


def test_every_attribute_has_a_row():
    own = {n for n in dir(wp.array) if getattr(wp.array, n) is not getattr(object, n, None)}
    assert own - PLAIN == set(ATTRIBUTES)


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes(name):
    kind, use = ATTRIBUTES[name]
    steps = traced(lambda a: (use(a), None)[1])
    if kind == NOTHING:
        assert steps == []
    elif kind == STEP:
        assert steps != []
        assert set(steps) <= {"fill", "copy"}
    elif kind == LAUNCH:
        assert steps == ["launch"]
    else:
        assert isinstance(steps, str)
    # Arrays that are not of the trace are used as ever.
    outside = wp.ones(4, dtype=float)
    if kind == STEP and name not in ("clone", "__deepcopy__"):
        assert "from outside" in traced(lambda a: use(outside))
    elif kind == END:
        assert traced(lambda a: (use(outside), None)[1]) == []


def torch_function():
    return pytest.importorskip("torch").as_tensor


class Computed:
    """Makes an array each time that somebody asks."""

    shape = (4,)

    def __array__(self, dtype=None, copy=None):
        return np.ones(4, np.float32)


OUTSIDE = wp.ones(4, dtype=float)

FUNCTIONS = {
    "clone": (["copy"], wp.clone),
    "copy": (["copy"], lambda a: wp.copy(a, wp.zeros(4, dtype=float))),
    "copy with offsets": (["copy"], lambda a: wp.copy(a, wp.zeros(4, dtype=float), 1, 1, 2)),
    "slice": (["fill"], lambda a: a[1:3].fill_(3.0)),
    "slice of a slice": (["fill"], lambda a: a[1:][::2].__setitem__(slice(0, 2), 3.0)),
    "assign a list": (["copy"], lambda a: a.assign([1.0, 2.0, 3.0, 4.0])),
    "like": ([], lambda a: [f(a) for f in (wp.zeros_like, wp.empty_like, wp.ones_like)]),
    "full_like": ([], lambda a: wp.full_like(a, 2.0)),
    "launch": (["launch"], lambda a: launch(a, wp.empty_like(a))),
    "launch on slices": (["launch"], lambda a: launch(a[:2], a[2:])),
    "assign NumPy": (["copy"], lambda a: a.assign(np.ones(4, np.float32))),
    "assign another type": (END, lambda a: a.assign(wp.ones(4, dtype=wp.float64))),
    "assign NumPy of another type": (END, lambda a: a.assign(np.ones(4))),
    "array": (END, wp.array),
    "array of another type": (END, lambda a: wp.array(a, dtype=wp.float64)),
    "shared": ([], lambda a: wp.array(a, copy=False)),
    "NumPy": (END, np.asarray),
    "bytes": (END, bytes),
    "from_dlpack": (END, np.from_dlpack),
    "wp.from_dlpack": (END, lambda a: wp.from_dlpack(a)),
    "to_dlpack": (END, wp.to_dlpack),
    "to_torch": (END, lambda a: torch_function() and wp.to_torch(a)),
    "torch": (END, lambda a: torch_function()(a)),
    "to_jax": (END, lambda a: wp.to_jax(a)),
    "jax": (END, lambda a: jax.numpy.asarray(np.asarray(a))),
    "launch on an array made inside": (["launch"], lambda a: launch(a, wp.array(np.ones(4, np.float32)))),
    "launch on another array": (END, lambda a: launch(a, OUTSIDE)),
    "launch with another array": (["launch"], lambda a: launch(OUTSIDE, a)),
    "launch with NumPy": (["launch"], lambda a: launch(np.ones(4, np.float32), a)),
    "launch with a temporary": (END, lambda a: launch(Computed(), a)),
    "copy a temporary": (END, lambda a: wp.copy(a, Computed())),
    "launch on NumPy": (END, lambda a: launch(a, np.ones(4, np.float32))),
    "read and write outside": (END, lambda a: (launch(OUTSIDE, a), OUTSIDE.fill_(1.0))),
    "read outside here too": (["launch"], lambda a: (launch(OUTSIDE, a), OUTSIDE.numpy())),
    "read outside with gaps": (END, lambda a: launch(OUTSIDE[::2], a[:2])),
    "copy from outside": (["copy"], lambda a: wp.copy(a, OUTSIDE)),
    "copy to outside": (END, lambda a: wp.copy(OUTSIDE, a)),
    "launch on one array twice": (["launch"], lambda a: launch(a, a.reshape((2, 2)).flatten())),
    "launch on arrays that overlap": (END, lambda a: launch(a[:3], a[1:])),
    "adjoint": (END, lambda a: wp.launch(scale, dim=4, inputs=[a, 1.0, a], adj_inputs=[a, 1.0, a], adjoint=True)),
    "command": (END, lambda a: wp.launch(scale, dim=4, inputs=[a, 1.0, wp.zeros_like(a)], record_cmd=True)),
    "tape": (END, lambda a: taped(a)),
    "view": (END, lambda a: a.view(wp.int32).fill_(1)),
    "read what was made": (END, lambda a: wp.zeros_like(a).numpy()),
}


def taped(a):
    with wp.Tape():
        launch(a, wp.zeros_like(a))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    want, use = FUNCTIONS[name]
    steps = traced(lambda a: (use(a), None)[1])
    assert isinstance(steps, str) if want == END else steps == want


def test_commands_made_before_are_not_run():
    out = wp.zeros(4, dtype=float)
    command = wp.launch(scale, dim=4, inputs=[wp.ones(4, dtype=float), 2.0, out], record_cmd=True)
    assert "wp.Launch runs a kernel" in traced(lambda a: command.launch())
    assert out.list() == [0] * 4
    command.launch()
    assert out.list() == [2] * 4


def test_nothing_is_run_and_nothing_stays():
    """Nor is what is traced on one thread of interest to anybody else later."""
    kept = []

    def function(a):
        kept.append(wp.ones_like(a))
        made = wp.ones_like(a)
        launch(made[1:], made[:3])

    assert "arrays that overlap" in traced(function)

    def function2(a):
        kept.append(wp.ones_like(a))
        launch(a, wp.ones_like(a))

    assert traced(function2) == ["launch"]
    for array in kept:
        launch(array, array)
        assert array.list() == [2] * 4


def test_arrays_of_a_trace_cannot_be_kept():
    kept = []

    def given(a):
        kept.append(a[1:])

    def made(a):
        kept.append(wp.zeros_like(a))
        launch(a, kept[-1])

    def read(a):
        kept.append(a)
        a.numpy()

    def cycle(a):
        kept_by_itself = [a]
        kept_by_itself.append(kept_by_itself)

    for function in (given, made, read):
        with pytest.raises(RuntimeError, match="f keeps an array that it was given, or made and used"):
            traced(function)
        kept.clear()
    assert traced(cycle) == []


def test_traces_inside_traces():
    inner = []

    def outer(a):
        inner.append(traced(lambda b: launch(b, wp.zeros_like(b))))
        launch(a, wp.zeros_like(a))

    assert traced(outer) == ["launch"]
    assert inner == [["launch"]]

    def mixed(a):
        traced(lambda b: launch(a, b))

    assert "traced inside" in traced(mixed)


def test_errors_are_the_functions_own():
    def wrong(a):
        wp.launch(scale, dim=4, inputs=[a, "x", a])

    with pytest.raises(TypeError, match="argument 's'"):
        traced(wrong)
    with pytest.raises(ZeroDivisionError):
        traced(lambda a: 1 / 0)
    with pytest.raises(ValueError, match="read-only"):
        traced(lambda a: a.zero_(), read_only=True)
    # The trace is over, whatever happened.
    assert traced(lambda a: launch(a, wp.zeros_like(a))) == ["launch"]


def test_values_can_only_be_launched():
    from warp._jax.trace import Traced

    value = Traced(0, wp.float32)
    assert traced(lambda a: launch(a, wp.zeros_like(a), value)) == ["launch"]
    for use in (float, bool, repr, hash, lambda v: v + 1, lambda v: 2 * v, lambda v: v < 1, lambda v: v.real, np.sin):
        assert "value that jax computes" in traced(lambda a, use=use: (use(value), None)[1])
    # One of another type is not what the kernel takes.
    assert "value that jax computes" in traced(lambda a: launch(a, wp.zeros_like(a), Traced(0, wp.int32)))
    with pytest.raises(RuntimeError, match="stood for a value"):
        float(value)
    assert issubclass(Traced, _Traced)
