"""Objects that hold each other are collected, whoever of them is ours."""

from __future__ import annotations

import ctypes
import gc
import weakref

import numpy as np
import pytest
import warp as wp


class Marker:
    """Something whose end can be seen."""


def gone(make):
    """Whether what a function makes, a cycle with a marker in it, is collected."""
    marker = Marker()
    watch = weakref.ref(marker)
    gc.collect()
    gc.disable()
    try:
        make(marker)
        del marker
        assert watch() is not None, "this is no cycle"
    finally:
        gc.enable()
    gc.collect()
    return watch() is None


def launched(holder):
    x = wp.zeros(1, dtype=float, requires_grad=True)

    @wp.func
    def one():
        return 1.0

    @wp.kernel
    def add(x: wp.array(dtype=float)):
        x[0] = x[0] + one()

    wp.launch(add, dim=1, inputs=[x])
    assert x.item() == 1
    holder.keep = (add, one)
    holder.array = x
    return add, x


def of_a_kernel(holder):
    """A class that keeps its own kernel, as the annotations of the kernel do it."""
    launched(holder)
    holder.keep[0].func.__annotations__["holder"] = holder


def of_a_kernel_that_was_not_launched(holder):
    @wp.kernel
    def nothing(x: wp.array(dtype=float)):
        x[0] = 1.0

    holder.keep = nothing
    nothing.func.holder = holder


def of_a_function(holder):
    launched(holder)
    holder.keep[1].func.holder = holder


def of_a_closure(holder):
    constant = holder

    @wp.kernel
    def k(x: wp.array(dtype=float)):
        x[0] = wp.static(float(constant is not None))

    x = wp.zeros(1, dtype=float)
    wp.launch(k, dim=1, inputs=[x])
    assert x.item() == 1
    holder.keep = k


def of_a_successor(holder):
    add, x = launched(holder)

    @wp.func
    def another():
        return 1.0

    wp.launch(add, dim=1, inputs=[x])
    add.func.holder = holder


def of_a_tape(holder):
    add, x = launched(holder)
    holder.tape = wp.Tape()
    with holder.tape:
        wp.launch(add, dim=1, inputs=[x])
    holder.tape.record_func(lambda: holder)
    holder.tape.backward(x)


def of_a_tape_alone(holder):
    tape = wp.Tape()
    holder.reset = tape.reset
    tape.record_func(tape.reset, [holder])
    tape.record_func(holder.reset, [tape])
    holder.tape = tape


def of_a_launch(holder):
    @wp.kernel
    def k(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        y[0] = x[0]

    class Data:
        @property
        def __array_interface__(self):
            return self.data.__array_interface__

    data = Data()
    data.data = np.zeros(1, np.float32)
    data.holder = holder
    holder.launch = wp.launch(k, dim=1, inputs=[data, data], record_cmd=True)
    holder.launch.launch()
    holder.launch.set_param_by_name("x", data)


def of_a_deleter(holder):
    memory = (ctypes.c_float * 4)()

    def free(_ptr, _capacity):
        del holder.memory

    holder.memory = memory
    holder.array = wp.array(ptr=ctypes.addressof(memory), dtype=float, shape=4, deleter=free)


def of_a_gradient(holder):
    holder.array = wp.zeros(4, dtype=float)
    memory = (ctypes.c_float * 4)()
    holder.array.grad = wp.array(
        ptr=ctypes.addressof(memory), dtype=float, shape=4, deleter=lambda _p, _c: (holder, memory)
    )


def of_an_array_of_an_object(holder):
    """An object that keeps the array that was made of it."""

    class Data:
        pass

    data = Data()
    data.memory = np.zeros(4, np.float32)
    data.__class__.__array_interface__ = property(lambda self: self.memory.__array_interface__)
    data.array = wp.array(data, copy=False)
    data.holder = holder
    assert data.array.ptr == data.memory.ctypes.data


def of_a_tensor(holder):
    torch = pytest.importorskip("torch")
    t = torch.zeros(4, requires_grad=True)
    t.holder = holder
    t.array = wp.from_torch(t)
    assert t.array.grad is not None


def of_a_descriptor(holder):
    torch = pytest.importorskip("torch")
    t = torch.zeros(4)
    t.holder = holder
    t.descriptor = wp.from_torch(t, return_ctype=True)


CYCLES = [f for name, f in list(globals().items()) if name.startswith("of_")]


@pytest.mark.parametrize("make", CYCLES)
@pytest.mark.parametrize("recycled", [False, True])
def test_cycles_are_collected(make, recycled):
    """Objects of ours are made anew, or of what is left of others."""
    kept = [wp.zeros(1) for _ in range(100)]
    if recycled:
        kept.clear()
    assert gone(make)


def test_what_is_held_stays():
    holder = Marker()
    of_a_deleter(holder)
    array = holder.array
    of_a_tape(holder)
    of_a_kernel(holder)
    tape, kernel = holder.tape, holder.keep[0]
    part = array[:1]
    watch = weakref.ref(holder)
    del holder
    for _ in range(3):
        gc.collect()
    assert watch() is not None
    assert len(tape) > 0
    wp.launch(kernel, dim=1, inputs=[part])
    assert array.list()[0] == 1


def test_native_code_of_kernels_is_given_back():
    def mapped():
        with open("/proc/self/maps") as maps:
            return sum(1 for _ in maps)

    def burst():
        for _ in range(30):
            holder = Marker()
            launched(holder)
            holder.keep[0].func.holder = holder
            del holder
        gc.collect()

    burst()
    before = mapped()
    burst()
    burst()
    assert mapped() < before + 20
