"""Operators on structs are functions that the author names after them."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

from randomized import random_kernels


@wp.struct
class Dual:
    v: float
    d: float


@wp.func
def add(a: Dual, b: Dual) -> Dual:
    return Dual(a.v + b.v, a.d + b.d)


@wp.func
def sub(a: Dual, b: Dual) -> Dual:
    return Dual(a.v - b.v, a.d - b.d)


@wp.func
def mul(a: Dual, b: Dual) -> Dual:
    return Dual(a.v * b.v, a.v * b.d + a.d * b.v)


@wp.func
def mul(a: float, b: Dual) -> Dual:  # noqa: F811
    return Dual(a * b.v, a * b.d)


@wp.func
def div(a: Dual, b: float) -> Dual:
    return Dual(a.v / b, a.d / b)


@wp.func
def neg(a: Dual) -> Dual:
    return Dual(-a.v, -a.d)


@wp.func
def mod(a: Dual, k: int) -> float:
    return a.v + float(k)


def run(kernel, x):
    x = wp.array(x, dtype=float, requires_grad=True)
    out = wp.zeros(len(x), requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(kernel, dim=len(x), inputs=[x], outputs=[out])
    tape.backward(grads={out: wp.ones(len(x))})
    return out.numpy(), x.grad.numpy()


@wp.kernel
def slope(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    d = Dual(x[i], 1.0)
    r = d * d + 2.0 * d
    r += d
    r *= d
    r -= -d / 2.0
    out[i] = r.d


def test_operators_call_the_functions_of_their_names():
    x = np.array([1.0, 2.0, 3.0], np.float32)
    out, grad = run(slope, x)
    np.testing.assert_allclose(out, 3 * x**2 + 6 * x + 0.5)
    np.testing.assert_allclose(grad, 6 * x + 6)


@wp.kernel
def of_elements(x: wp.array(dtype=float), out: wp.array(dtype=float), a: wp.array(dtype=Dual)):
    i = wp.tid()
    a[i] = Dual(x[i], 1.0)
    a[i] *= a[i]
    a[i] += Dual(1.0, 1.0)
    out[i] = a[i].v + (a[i] % 3)


def test_elements_of_arrays():
    a, out = wp.zeros(3, dtype=Dual), wp.zeros(3)
    wp.launch(of_elements, dim=3, inputs=[wp.array([1.0, 2.0, 3.0], dtype=float), out, a])
    assert out.list() == [7.0, 13.0, 23.0]
    assert a.numpy()["d"].tolist() == [3.0, 5.0, 7.0]


def compiled(line):
    text = f"@wp.kernel\ndef kernel(x: wp.array(dtype=float)):\n    d = Dual(x[0], 1.0)\n    e = {line}\n"
    return random_kernels.compile_text(text, {**globals()}, line)["kernel"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("d // d", "def floordiv(a: Dual, b: Dual)"),
        ("~d", "def invert(a: Dual)"),
        ("d * 1", "no overload of function `mul`"),
    ],
)
def test_what_is_missing_is_named(line, says):
    with pytest.raises((TypeError, RuntimeError)) as caught:
        wp.launch(compiled(line), dim=1, inputs=[wp.zeros(1)])
    assert says in str(caught.value)
