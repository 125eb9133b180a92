"""`wp.Launch`: launches that are recorded or set up by hand, those of adjoints, and ctypes as arguments."""

from __future__ import annotations

import ctypes
import gc
import weakref
from typing import Any

import pytest
import warp as wp


@wp.struct
class Factors:
    a: float
    b: wp.vec2


@wp.kernel
def scale(x: wp.array(dtype=float), s: float, y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * s


@wp.kernel
def weigh(f: Factors, v: wp.vec2, y: wp.array(dtype=float)):
    y[0] = f.a + wp.dot(f.b, v)


@wp.kernel
def anything(x: wp.array(dtype=Any)):
    x[0] = x[0] + x[0]


def numbers(n: int = 3) -> wp.array:
    return wp.array([float(i + 1) for i in range(n)], dtype=float)


def test_a_launch_is_set_up_by_hand():
    x, y = numbers(), wp.zeros(3, dtype=float)
    made = wp.Launch(scale, "cpu")
    assert (made.kernel, str(made.device), made.dim, made.bounds, made.adjoint) == (scale, "cpu", None, None, False)
    assert made.fwd_args == [None, None, None]
    with pytest.raises(wp.LaunchError, match="first set argument 'x', with set_params"):
        made.launch()
    made.set_params([x, 2.0, y])
    with pytest.raises(wp.LaunchError, match="first set the dimensions, with set_dim"):
        made.launch()
    made.set_dim(3)
    made.launch()
    assert y.list() == [2.0, 4.0, 6.0]
    assert made.fwd_args == [x, 2.0, y]
    other = wp.Launch(scale, bounds=made.bounds, fwd_args=[x, 3.0, y])
    other.launch()
    assert y.list() == [3.0, 6.0, 9.0]


def test_arguments_one_by_one_in_any_order():
    x, y = numbers(), wp.zeros(3, dtype=float)
    made = wp.Launch(scale)
    made.set_param_by_name("y", y)
    made.set_dim(2)
    made.set_param_at_index(1, 5.0)
    with pytest.raises(wp.LaunchError, match="first set argument 'x'"):
        made.launch()
    made.set_param_at_index(0, x)
    made.launch()
    assert y.list() == [5.0, 10.0, 0.0]
    with pytest.raises(TypeError, match="argument 's'"):
        made.set_param_by_name("s", "much")
    made.launch()
    assert y.list() == [5.0, 10.0, 0.0], "what did not fit was not set"


@pytest.mark.parametrize("outputs_apart", [False, True])
def test_an_adjoint_is_recorded(outputs_apart):
    x, y = numbers(), wp.zeros(3, dtype=float)
    gradients, seed = wp.zeros(3, dtype=float), wp.ones(3, dtype=float)
    given = (
        {"inputs": [x, 2.0], "outputs": [y], "adj_inputs": [gradients, None], "adj_outputs": [seed]}
        if outputs_apart
        else {"inputs": [x, 2.0, y], "adj_inputs": [gradients, None, seed]}
    )
    made = wp.launch(scale, dim=3, **given, adjoint=True, record_cmd=True)
    assert made.adjoint
    assert made.adj_args == [gradients, None, seed]
    assert gradients.list() == [0.0] * 3, "nothing has run"
    made.launch()
    assert gradients.list() == [2.0] * 3
    other = wp.zeros(3, dtype=float)
    made.set_param_at_index(0, other, adjoint=True)
    made.set_param_by_name("s", 7.0)
    seed.fill_(1.0)
    made.launch()
    assert (gradients.list(), other.list()) == ([2.0] * 3, [7.0] * 3)
    made.set_param_by_name("y", wp.full(3, 10.0, dtype=float), adjoint=True)
    made.launch()
    assert other.list() == [77.0] * 3


def test_an_adjoint_by_hand_takes_the_arrays_own_gradients():
    x, y = numbers(), wp.zeros(3, dtype=float)
    x.requires_grad = y.requires_grad = True
    y.grad.fill_(1.0)
    made = wp.Launch(scale, bounds=3, adjoint=True, fwd_args=[x, 4.0, y])
    made.launch()
    assert x.grad.list() == [4.0] * 3
    explicit = wp.Launch(
        scale, bounds=3, adjoint=True, fwd_args=[x, 4.0, y], adj_args=[None, None, wp.ones(3, dtype=float)]
    )
    explicit.launch()
    assert x.grad.list() == [8.0] * 3


def test_structs_of_adjoints():
    f, y = Factors(a=1.0, b=wp.vec2(2.0, 3.0)), wp.zeros(1, dtype=float)
    made = wp.Launch(weigh, bounds=1, fwd_args=[f, wp.vec2(1.0, 1.0), y])
    f.a = 100.0
    made.launch()
    assert y.list() == [6.0], "an instance is kept as it was"


def test_numbers_of_ctypes():
    x, y = numbers(), wp.zeros(3, dtype=float)
    made = wp.launch(scale, dim=3, inputs=[x, 1.0, y], record_cmd=True)
    made.set_param_at_index_from_ctype(1, ctypes.c_float(4.0))
    made.launch()
    assert y.list() == [4.0, 8.0, 12.0]
    made.set_param_by_name_from_ctype("s", ctypes.c_double(0.5))
    made.launch()
    assert y.list() == [0.5, 1.0, 1.5]
    made.set_param_by_name_from_ctype("s", 2.0)
    made.launch()
    assert y.list() == [2.0, 4.0, 6.0]


def test_arrays_and_structs_of_ctypes():
    x, y, other = numbers(), wp.zeros(3, dtype=float), wp.array([7.0, 8.0, 9.0], dtype=float)
    made = wp.launch(scale, dim=3, inputs=[x, 1.0, y], record_cmd=True)
    made.set_param_at_index_from_ctype(0, other.__ctype__())
    made.launch()
    assert y.list() == [7.0, 8.0, 9.0]
    made.set_params_from_ctypes([x.ctype, ctypes.c_float(3.0), y.__ctype__()])
    made.launch()
    assert y.list() == [3.0, 6.0, 9.0]
    weighing = wp.launch(weigh, dim=1, inputs=[Factors(), wp.vec2(), y], record_cmd=True)
    f = Factors(a=1.0, b=wp.vec2(2.0, 3.0))
    weighing.set_param_by_name_from_ctype("f", f.__ctype__())
    weighing.set_param_by_name_from_ctype("v", (ctypes.c_float * 2)(10.0, 100.0))
    weighing.launch()
    assert y.list()[0] == 321.0


def test_what_is_refused():
    x, y = numbers(), wp.zeros(3, dtype=float)
    made = wp.launch(scale, dim=3, inputs=[x, 1.0, y], record_cmd=True)
    for call in (
        lambda: made.set_param_at_index(0, x, adjoint=True),
        lambda: made.set_param_by_name("x", x, adjoint=True),
        lambda: made.set_param_at_index_from_ctype(0, x.ctype, adjoint=True),
    ):
        with pytest.raises(
            ValueError, match=r"is no adjoint; record that with wp.launch\(adjoint=True, record_cmd=True\)"
        ):
            call()
    for call, name in [
        (lambda: made.set_param_at_index(3, x), "set_param_at_index"),
        (lambda: made.set_param_at_index_from_ctype(-4, x), "set_param_at_index_from_ctype"),
    ]:
        with pytest.raises(IndexError, match=f"{name}: index .* is out of range, kernel 'scale' has 3 parameters"):
            call()
    with pytest.raises(wp.LaunchError, match="set_param_by_name_from_ctype: kernel 'scale' has no parameter 't'"):
        made.set_param_by_name_from_ctype("t", 1.0)
    with pytest.raises(wp.LaunchError, match="set_params: kernel 'scale' takes 3 arguments, 2 given as params"):
        made.set_params([x, y])
    with pytest.raises(wp.LaunchError, match="set_params_from_ctypes: .* takes 3 arguments, 1 given as values"):
        made.set_params_from_ctypes([x])
    with pytest.raises(wp.LaunchError, match="Launch: kernel is 3"):
        wp.Launch(3)
    with pytest.raises(wp.LaunchError, match="generic; give an instance of it, as wp.overload makes"):
        wp.Launch(anything)
    with pytest.raises(ValueError, match=r"params is \[\] \(list\); arguments are packed here"):
        wp.Launch(scale, params=[])
    with pytest.raises(ValueError, match="adj_args are for adjoints"):
        wp.Launch(scale, adj_args=[None] * 3)
    with pytest.raises(wp.LaunchError, match="1 given as fwd_args"):
        wp.Launch(scale, fwd_args=[x])
    with pytest.raises(ValueError, match="no device"):
        wp.Launch(scale, "cuda:7")


def test_an_instance_of_a_generic_kernel():
    x = wp.array([2, 3], dtype=int)
    wp.Launch(wp.overload(anything, [wp.array(dtype=int)]), bounds=1, fwd_args=[x]).launch()
    assert x.list() == [4, 3]


def test_a_cycle_through_gradients_goes():
    class Holder:
        pass

    holder = Holder()
    gradients = wp.zeros(3, dtype=float)
    x, y = numbers(), wp.zeros(3, dtype=float)
    holder.launch = wp.launch(
        scale, dim=3, inputs=[x, 1.0, y], adj_inputs=[gradients, None, holder], adjoint=True, record_cmd=True
    )
    gone = weakref.ref(holder)
    del holder
    gc.collect()
    assert gone() is None
