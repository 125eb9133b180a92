"""Objects of Warp keep attributes of the program's own, as objects of Python's classes do."""

from __future__ import annotations

import gc
import weakref

import pytest
import warp as wp


@wp.func
def twice(x: float):
    return 2.0 * x


@wp.func
def thrice(x: float):
    return 3.0 * x


def make_solver():
    @wp.func
    def solve(x: float):
        return x

    solve.core = twice
    solve.fallback = thrice
    return solve


solver = make_solver()


@wp.func
def through_an_attribute(x: float):
    return solver.fallback(x)


@wp.kernel
def k(out: wp.array(dtype=float)):
    out[0] = wp.static(make_solver().core)(1.0) + solver.core(10.0) + through_an_attribute(100.0)


def graph():
    with wp.ScopedCapture(device="cpu") as capture:
        wp.launch(k, 1, [wp.zeros(1, device="cpu")], device="cpu")
    return capture.graph


OBJECTS = {
    "function": make_solver,
    "kernel": lambda: wp.Kernel(twice_kernel),
    "array": lambda: wp.zeros(3),
    "indexedarray": lambda: wp.indexedarray(wp.zeros(3), [wp.array([0], dtype=int)]),
    "tape": wp.Tape,
    "launch": lambda: wp.launch(k, 1, [wp.zeros(1)], record_cmd=True),
    "graph": graph,
}


def twice_kernel(out: wp.array(dtype=float)):
    out[0] = 2.0


@pytest.mark.parametrize("name", OBJECTS)
def test_attributes_are_kept_and_go_with_the_object(name):
    class Held:
        pass

    thing = OBJECTS[name]()
    thing.mine = held = Held()
    assert thing.mine is held
    assert not hasattr(thing, "others")
    gone = weakref.ref(held)
    del held
    del thing.mine
    assert gone() is None
    thing.mine = held = Held()
    gone = weakref.ref(held)
    held.back = thing
    del thing, held
    gc.collect()
    assert gone() is None


def test_devices_keep_them_too():
    device = wp.get_device("cpu")
    device.mine = 3
    assert device.mine == 3
    del device.mine


def test_functions_in_attributes_are_called_in_kernels():
    out = wp.zeros(1)
    wp.launch(k, 1, [out])
    assert out.list() == [322.0]
