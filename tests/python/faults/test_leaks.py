"""Conversions keep memory alive exactly as long as they must: nothing dangles, nothing leaks."""

from __future__ import annotations

import contextlib
import ctypes as ct
import gc
import pickle
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest
import torch
import warp as wp

from support.capsules import MANAGED, STREAM, VIEW, Table, Tensor, call, table_capsule, table_of

TENSOR = torch.ones(10)
LEAF = torch.ones(10, requires_grad=True)
ARRAY = np.ones(10, dtype=np.float32)
OWN = wp.zeros(10, dtype=float)
SLOPED = wp.zeros(10, dtype=float, requires_grad=True)
BYTES = bytearray(40)
OBJECTS = np.array([1, None])


@wp.kernel
def touch(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] + 1.0


class Interface:
    __array_interface__ = property(lambda self: ARRAY.__array_interface__)


class Struct:
    __array_struct__ = property(lambda self: ARRAY.__array_struct__)


class Method:
    def __array__(self, dtype=None, copy=None):
        return ARRAY


def refused(value):
    with contextlib.suppress(TypeError):
        wp.array(value, copy=False)


@wp.kernel
def look(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i]


class Unknown:
    """Something that speaks DLPack and that nobody knows."""

    def __dlpack__(self, **options):
        return ARRAY.__dlpack__(**options)

    def __dlpack_device__(self):
        return (1, 0)


class Tabled:
    """Something with an exchange table of its own: torch's functions, on a tensor that takes its place."""

    table = table_of(torch.Tensor)
    managed = ct.PYFUNCTYPE(ct.c_int, *MANAGED._argtypes_)(table.managed_from_object)
    view = ct.PYFUNCTYPE(ct.c_int, *VIEW._argtypes_)(table.view_from_object)
    asks = (
        MANAGED(lambda _, out, f=managed: f(TENSOR, out)),
        VIEW(lambda _, out, f=view: f(TENSOR, out)),
    )
    own = Table(1, 3, None, None, ct.cast(asks[0], ct.c_void_p), None, ct.cast(asks[1], ct.c_void_p), None)
    __dlpack_c_exchange_api__ = table_capsule(own)


UNKNOWN, TABLED = Unknown(), Tabled()
WIDE = np.zeros((1,) * 5, np.float32)


def too_wide():
    with contextlib.suppress(ValueError):
        wp.from_dlpack(WIDE)


PATHS = {
    "from_torch": lambda: wp.from_torch(TENSOR),
    "from_torch with grad": lambda: wp.from_torch(LEAF),
    "from_torch ctype": lambda: wp.from_torch(TENSOR, return_ctype=True),
    "to_torch": lambda: wp.to_torch(OWN),
    "to_torch with grad": lambda: wp.to_torch(SLOPED),
    "from NumPy, shared": lambda: wp.array(ARRAY, copy=False),
    "from NumPy, copied": lambda: wp.from_numpy(ARRAY),
    "to NumPy": lambda: OWN.numpy(),
    "DLPack out": lambda: np.from_dlpack(OWN),
    "DLPack out to torch": lambda: torch.from_dlpack(OWN),
    "DLPack out, read by nobody": lambda: (wp.to_dlpack(OWN), OWN.__dlpack__(max_version=(1, 0))),
    "DLPack out, copied": lambda: OWN.__dlpack__(max_version=(1, 0), copy=True),
    "DLPack in from torch": lambda: wp.from_dlpack(TENSOR),
    "DLPack in from NumPy": lambda: wp.from_dlpack(ARRAY),
    "DLPack in, legacy capsule": lambda: wp.from_dlpack(wp.to_dlpack(OWN)),
    "DLPack in, versioned capsule": lambda: wp.from_dlpack(TENSOR.__dlpack__(max_version=(1, 0))),
    "DLPack in, unknown type": lambda: wp.from_dlpack(UNKNOWN),
    "DLPack in, own exchange table": lambda: wp.from_dlpack(TABLED),
    "DLPack in, refused": too_wide,
    "launch, unknown type": lambda: wp.launch(touch, dim=10, inputs=[UNKNOWN]),
    "launch, own exchange table": lambda: wp.launch(look, dim=10, inputs=[TABLED, OWN]),
    "zeros": lambda: wp.zeros(10, dtype=float),
    "slice": lambda: OWN[2:5],
    "launch own": lambda: wp.launch(touch, dim=10, inputs=[OWN]),
    "launch NumPy": lambda: wp.launch(touch, dim=10, inputs=[ARRAY]),
    "from a buffer": lambda: wp.array(BYTES, copy=False),
    "from an interface": lambda: wp.array(Interface(), copy=False),
    "from a structure": lambda: wp.array(Struct(), copy=False),
    "from __array__": lambda: wp.array(Method(), copy=False),
    "from a list": lambda: wp.array([1.0, 2.0], dtype=float),
    "to a structure": lambda: OWN.__array_struct__,
    "pickle": lambda: pickle.loads(pickle.dumps(OWN, protocol=5)),
    "refused": lambda: refused(OBJECTS),
    "recorded": lambda: wp.launch(touch, dim=10, inputs=[ARRAY], record_cmd=True),
    "launch torch": lambda: wp.launch(touch, dim=10, inputs=[TENSOR]),
}


def resident() -> int:
    """Resident memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS.keys())
def test_memory_and_reference_counts_return(path, rounds):
    sources = (TENSOR, LEAF, ARRAY, OWN, BYTES, OBJECTS)
    count = rounds(20_000, 1_000_000)
    for _ in range(2_000):
        path()
    gc.collect()
    counts, before = [sys.getrefcount(source) for source in sources], resident()
    for _ in range(count):
        path()
    gc.collect()
    assert resident() - before < 1_000_000
    assert [sys.getrefcount(source) for source in sources] == counts


def raises(call, *args, **options):
    with pytest.raises((TypeError, ValueError)):
        call(*args, **options)


# Ways past PyO3, which does not know there that Python's lock is held.
QUICK = {
    "to_torch with grad": lambda: wp.to_torch(SLOPED),
    "from_torch, wrong type": lambda: raises(wp.from_torch, TENSOR, dtype=wp.float64),
    "launch, wrong type": lambda: raises(wp.launch, touch, dim=10, inputs=[torch.zeros(10, dtype=torch.int32)]),
    "launch, no array": lambda: raises(wp.launch, touch, dim=10, inputs=["nine"]),
    "array, wrong type": lambda: raises(wp.array, ["nine"], dtype=wp.float64),
    "from_dlpack, no array": lambda: raises(wp.from_dlpack, "nine"),
    "table, view of no array": lambda: raises(call, table_of(wp.array).view_from_object, VIEW, 9, ct.byref(Tensor())),
    "table, wrong device": lambda: raises(
        call, table_of(wp.array).current_stream, STREAM, 99, 0, ct.byref(ct.c_void_p())
    ),
}


@pytest.mark.parametrize("path", QUICK.values(), ids=QUICK.keys())
def test_what_is_let_go_goes_at_once(path):
    """Not with some later call: who uses nothing but quick ways would never see it go."""
    for _ in range(100):
        path()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(2_000):
        path()
    gc.collect()
    assert sys.getallocatedblocks() - before < 1000


def test_an_import_keeps_its_source_alive():
    a = np.arange(1000, dtype=np.float32)
    gone = weakref.ref(a)
    w = wp.array(a, copy=False)
    part = w[10:20]
    del a, w
    gc.collect()
    assert gone() is not None
    assert part.numpy()[0] == 10
    del part
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("export", [wp.to_torch, np.from_dlpack, lambda a: a.numpy()], ids=["torch", "dlpack", "numpy"])
def test_an_export_keeps_the_memory_alive(export):
    w = wp.full(100_000, 3.0, dtype=float)
    out = export(w)
    del w
    gc.collect()
    others = [wp.zeros(100_000, dtype=float) for _ in range(5)]
    assert (np.asarray(out) == 3).all()
    del others


def test_a_tape_keeps_what_it_needs():
    tape = wp.Tape()
    x = wp.ones(10, dtype=float, requires_grad=True)
    grad = x.grad
    with tape:
        wp.launch(touch, dim=10, inputs=[x])
    tape.backward(grads={x: wp.ones(10, dtype=float)})
    del x
    gc.collect()
    np.testing.assert_array_equal(grad.numpy(), 1.0)


class Temporary:
    """Makes a new array each time."""

    def __array__(self, dtype=None, copy=None):
        return np.full(100_000, 3, dtype=np.float32)


@wp.kernel
def add(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = y[i] + x[i]


def test_a_recorded_launch_keeps_the_memory_it_was_made_for():
    """Whatever becomes of the argument: a temporary, a tensor with other memory, an array that is resized."""
    n = 100_000
    y = wp.zeros(n, dtype=float)
    tensor, array = torch.full((n,), 3.0), np.full(n, 3, dtype=np.float32)
    commands = [
        wp.launch(add, dim=n, inputs=[x, y], record_cmd=True)
        for x in (Temporary(), tensor, wp.from_torch(tensor, return_ctype=True), array)
    ]
    commands[0].set_dim(n)
    tensor.data = torch.zeros(1)
    with pytest.raises(ValueError, match="resize"):
        array.resize(n // 2)
    gc.collect()
    others = [np.zeros(n, dtype=np.float32) for _ in range(10)]
    for command in commands:
        command.launch()
    assert set(y.list()) == {3.0 * len(commands)}
    del others


def test_a_recorded_launch_keeps_its_arguments():
    a = np.zeros(1000, dtype=np.float32)
    command = wp.launch(touch, dim=1000, inputs=[wp.array(a, copy=False)], record_cmd=True)
    gone = weakref.ref(a)
    del a
    gc.collect()
    command.launch()
    assert gone() is not None
    assert (gone() == 1).all()
