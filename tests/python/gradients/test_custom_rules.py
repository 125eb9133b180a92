"""Derivatives that authors write: which functions may have one, and what is refused."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest
import warp as wp

from .custom_functions import adj_safe_sqrt, floats, gradients, safe_sqrt, sigmoid

D = wp.float64


def test_a_derivative_that_is_defined_later():
    @wp.func
    def f(x: D):
        return x * x

    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        y[i] = f(x[i])

    _, dx = gradients(k, 1, [floats(3.0)], floats(0.0))
    np.testing.assert_allclose(dx, [6.0])

    @wp.func_grad(f)
    def adj_f(x: D, a: D):
        wp.adjoint[x] += D(7.0) * a

    _, dx = gradients(k, 1, [floats(3.0)], floats(0.0))
    np.testing.assert_allclose(dx, [7.0])


def test_missing_gradients():
    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        sigmoid(i, x, y)

    x, y = floats(0.5, grad=False), floats(0.0)
    with wp.Tape() as tape:
        wp.launch(k, dim=1, inputs=[x], outputs=[y])
    tape.backward(grads={y: wp.ones_like(y)})
    assert x.grad is None


@pytest.mark.parametrize(
    "decorate",
    [
        wp.func,
        wp.kernel,
        wp.func_grad(safe_sqrt),
        wp.func_replay(safe_sqrt),
        wp.Kernel,
        lambda f: wp.Kernel(f, source="def f(): pass"),
    ],
)
@pytest.mark.parametrize("thing", [[1], 1.5, wp.vec3(1.0, 2.0, 3.0), object()])
def test_what_is_no_function_is_not_decorated(decorate, thing):
    with pytest.raises(TypeError, match=rf"expected a Python function, found {type(thing).__name__}"):
        decorate(thing)


def test_wrong_signatures():
    @wp.func
    def f(x: D):
        return x

    @wp.func
    def g(x: Any):
        return x

    with pytest.raises(
        RuntimeError, match=r"func_grad: 'a' takes \(float64\), expected the parameters of 'f' and an adjoint"
    ):

        @wp.func_grad(f)
        def a(x: D):
            wp.adjoint[x] += D(1.0)

    with pytest.raises(RuntimeError, match=r"func_grad: 'b' takes \(int32, float64\).*: \(float64, float64\)"):

        @wp.func_grad(f)
        def b(x: int, a: D):
            pass

    with pytest.raises(RuntimeError, match="func_grad: 'c' takes"):

        @wp.func_grad(f)
        def c(x: D, a: D, b: D):
            pass

    with pytest.raises(RuntimeError, match="func_replay: 'd' takes"):

        @wp.func_replay(f)
        def d(x: int):
            return x

    with pytest.raises(TypeError, match="func_grad: expected a function with @wp.func, found int"):
        wp.func_grad(3)

    @wp.func_grad(g)
    def e(x: Any, a: Any, b: Any):
        wp.adjoint[x] += a

    @wp.kernel
    def k(x: wp.array(dtype=D), y: wp.array(dtype=D)):
        i = wp.tid()
        y[i] = g(x[i])

    with pytest.raises(wp.WarpCodegenError, match="`e`, the derivative of `g`, has 3 parameters, expected 2"):
        wp.launch(k, dim=1, inputs=[floats(1.0)], outputs=[floats(0.0)])


def refused(function, rule, match, gradient=True):
    decorator = wp.func_grad if gradient else wp.func_replay
    decorator(function)(rule)

    @wp.kernel
    def k(x: wp.array(dtype=D), n: wp.array(dtype=int), y: wp.array(dtype=D)):
        i = wp.tid()
        y[i] = function(x[i], n)

    with pytest.raises(wp.WarpCodegenError, match=match):
        wp.launch(k, dim=1, inputs=[floats(1.0), wp.zeros(1, dtype=int)], outputs=[floats(0.0)])


def test_refused_bodies():
    def fresh():
        @wp.func
        def f(x: D, n: wp.array(dtype=int)):
            return x

        return f

    def of_a_local(x: D, n: wp.array(dtype=int), a: D):
        y = x
        wp.adjoint[y] += a

    def of_integers(x: D, n: wp.array(dtype=int), a: D):
        wp.adjoint[n][0] += 1

    def of_another_type(x: D, n: wp.array(dtype=int), a: D):
        wp.adjoint[x] = 1.0

    def that_returns(x: D, n: wp.array(dtype=int), a: D):
        return a

    def replay(x: D, n: wp.array(dtype=int)):
        return n[0]

    refused(fresh(), of_a_local, "`wp.adjoint` has a meaning in functions with `@wp.func_grad` only")
    refused(fresh(), of_integers, r"`wp.adjoint\[n\]`: `n` holds int32, which have no adjoint")
    refused(fresh(), of_another_type, r"`wp.adjoint\[x\]` is float32, `x` is float64")
    refused(fresh(), that_returns, "the derivative `that_returns` gives float64")
    refused(fresh(), replay, "`replay`, the replay of `f`, gives int32, the function gives float64", gradient=False)

    @wp.kernel
    def k(x: wp.array(dtype=D)):
        i = wp.tid()
        x[i] = wp.adjoint[x][i]

    with pytest.raises(wp.WarpCodegenError, match="`wp.adjoint` has a meaning"):
        wp.launch(k, dim=1, inputs=[floats(1.0)])

    with pytest.raises(RuntimeError, match="adjoints exist while a gradient runs"):
        adj_safe_sqrt(1.0, 2.0)


def test_functions_and_their_derivatives_are_collected():
    def make():
        @wp.func
        def f(x: D):
            return x

        @wp.func_grad(f)
        def adj_f(x: D, a: D):
            wp.adjoint[x] += a * f(x)

        return weakref.ref(f)

    found = make()
    gc.collect()
    assert found() is None
