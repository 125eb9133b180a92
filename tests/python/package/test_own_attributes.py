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


OBJECTS = {
    "function": make_solver,
    "kernel": lambda: wp.Kernel(twice_kernel),
    "array": lambda: wp.zeros(3),
    "indexedarray": lambda: wp.indexedarray(wp.zeros(3), [wp.array([0], dtype=int)]),
    "tape": wp.Tape,
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


@pytest.mark.parametrize("name", ["function", "kernel", "tape"])
def test_what_the_class_has_stays_the_class_s(name):
    thing = OBJECTS[name]()
    read_only = "kept_bytes" if name == "tape" else "module"
    with pytest.raises(AttributeError, match=read_only):
        setattr(thing, read_only, 1)
    with pytest.raises(AttributeError, match=rf"'warp\.{name.capitalize()}' object has no attribute 'others'"):
        _ = thing.others
    with pytest.raises(AttributeError, match="others"):
        del thing.others


def test_the_collector_may_run_while_objects_are_made():
    before = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(200):
            kernel, tape = wp.Kernel(twice_kernel), wp.Tape()
            make_solver().tape = tape
            kernel.tape = tape
            tape.kernel = kernel
    finally:
        gc.set_threshold(*before)


def test_functions_in_attributes_are_called_in_kernels():
    out = wp.zeros(1)
    wp.launch(k, 1, [out])
    assert out.list() == [322.0]
