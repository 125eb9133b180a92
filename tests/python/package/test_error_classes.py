"""Exceptions derive from what a Python user expects and from what NVIDIA Warp raises: each misuse, both classes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import warp as wp


@wp.struct
class Pair:
    x: float
    v: wp.vec3


@wp.func
def endless(x: float) -> float:
    return endless(x)


@wp.func
def untrue(x: float) -> int:
    return x


def plain(x):
    return x


@wp.kernel
def fitting(a: wp.array(dtype=float), s: float, n: int, v: wp.vec3):
    a[0] = s


def launched(*args):
    wp.launch(fitting, dim=1, inputs=list(args))


def array(*shape):
    return wp.zeros(shape or 3)


V = wp.vec3(1, 2, 3)
LAUNCHES = {
    "fewer arguments": lambda: launched(array()),
    "more arguments": lambda: launched(array(), 1.0, 2, V, 3),
    "another dtype": lambda: launched(wp.zeros(3, dtype=int), 1.0, 2, V),
    "NumPy's dtype": lambda: launched(np.zeros(3), 1.0, 2, V),
    "more dimensions": lambda: launched(array(2, 2), 1.0, 2, V),
    "a number for an array": lambda: launched(1.0, 1.0, 2, V),
    "an array for a number": lambda: launched(array(), array(), 2, V),
    "text for a number": lambda: launched(array(), "x", 2, V),
    "a float for an int": lambda: launched(array(), 1.0, 2.5, V),
    "a function that is no kernel": lambda: wp.launch(plain, dim=1),
    "no kernel": lambda: wp.launch(3, dim=1),
}


@pytest.mark.parametrize("misuse", LAUNCHES.values(), ids=LAUNCHES)
def test_launches(misuse):
    for expected in (TypeError, RuntimeError, wp.LaunchError):
        with pytest.raises(expected):
            misuse()


CALLS = {
    "a launch with a shorter sequence": (lambda: launched(array(), 1.0, 2, (1.0, 2.0)), TypeError, ValueError),
    "a launch with a shorter vector": (lambda: launched(array(), 1.0, 2, wp.vec2()), TypeError, ValueError),
    "a kernel that is called": (lambda: fitting(1), TypeError, NotImplementedError),
    "a builtin with another type": (lambda: wp.sin(1), TypeError, RuntimeError),
    "a builtin with fewer arguments": (lambda: wp.sin(), TypeError, RuntimeError),
    "a builtin with vectors of two lengths": (lambda: wp.dot(V, wp.vec2()), TypeError, RuntimeError),
    "a builtin with what is none of ours": (lambda: wp.sin("x"), TypeError, RuntimeError),
    "a vector of fewer components": (lambda: wp.vec3(1, 2), TypeError, ValueError),
    "a matrix of more components": (lambda: wp.mat22(1, 2, 3, 4, 5), TypeError, ValueError),
    "an array of ragged lists": (lambda: wp.array([[1, 2], [3]], dtype=float), ValueError, RuntimeError),
    "an array of integers out of range": (lambda: wp.array([300], dtype=wp.uint8), ValueError, RuntimeError),
    "an array of another dtype": (lambda: wp.array([1.0], dtype=str), TypeError, RuntimeError),
    "an array of text": (lambda: wp.array("abc", dtype=float), TypeError, RuntimeError),
    "an array of shorter vectors": (lambda: wp.array([[1.0, 2.0]], dtype=wp.vec3), TypeError, RuntimeError),
    "an array of five dimensions": (lambda: wp.array(np.zeros((1,) * 5), dtype=float), ValueError, RuntimeError),
    "an array of another shape": (lambda: wp.array([1.0, 2.0], dtype=float, shape=(3,)), ValueError, RuntimeError),
    "zeros of five dimensions": (lambda: wp.zeros((1,) * 5), ValueError, RuntimeError),
    "reshape": (lambda: array().reshape((2, 2)), ValueError, RuntimeError),
    "transpose": (lambda: array(2, 2).transpose((0, 0)), ValueError, RuntimeError),
    "copy of more than fits": (lambda: wp.copy(array(), array(5)), ValueError, RuntimeError),
    "copy of what is no array": (lambda: wp.copy(array(), 3), TypeError, RuntimeError),
    "copy of a class of arrays": (lambda: wp.copy(array(), np.ma.MaskedArray), TypeError, RuntimeError),
    "copy of a class of vectors": (lambda: wp.copy(array(), wp.vec3), TypeError, RuntimeError),
    "assign": (lambda: array().assign(np.zeros((2, 2))), ValueError, RuntimeError),
    "an index that is no integer": (lambda: array()[1.5], TypeError, RuntimeError),
    "fill_ with text": (lambda: array().fill_("x"), TypeError, ValueError),
    "fill_ with a vector": (lambda: array().fill_(V), TypeError, ValueError),
    "fill_ of vectors": (lambda: wp.zeros(2, dtype=wp.vec3).fill_((1.0, 2.0)), TypeError, ValueError),
    "a field that is read": (lambda: Pair().y, AttributeError, RuntimeError),
    "a field that is set": (lambda: setattr(Pair(), "y", 1), AttributeError, RuntimeError),
    "a field that is too short": (lambda: setattr(Pair(), "v", (1, 2)), TypeError, ValueError),
    "a loss of several numbers": (
        lambda: wp.Tape().backward(wp.zeros(3, requires_grad=True)),
        ValueError,
        RuntimeError,
    ),
    "a view of another size": (lambda: array().view(wp.vec2), ValueError, RuntimeError),
}


@pytest.mark.parametrize(("misuse", "one", "other"), CALLS.values(), ids=CALLS)
def test_calls(misuse, one, other):
    for expected in (one, other):
        with pytest.raises(expected):
            misuse()


def kernel_of(body):
    """A kernel that does something with `a`, an array of floats."""
    import linecache

    text = "@wp.kernel\ndef k(a: wp.array(dtype=float)):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    name = f"<kernel {abs(hash(body))}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names = {"wp": wp, "endless": endless, "untrue": untrue, "plain": plain, "Pair": Pair}
    exec(compile(text, name, "exec"), names)
    return names["k"]


TEXTS = {
    "a[0] = a[0] * 2": (TypeError, RuntimeError),
    "a[0] = 1": (TypeError, RuntimeError),
    "a[0] = wp.vec3()": (TypeError, RuntimeError),
    "a[0] = wp.sin(1)": (TypeError, wp.WarpCodegenError),
    "a[0] = wp.sin()": (TypeError, wp.WarpCodegenError),
    "a[0] = wp.sin(1.0, foo=3)": (TypeError, wp.WarpCodegenError),
    "a[0] = plain(1.0)": (TypeError, wp.WarpCodegenError),
    "a[0, 1] = 1.0": (Exception, wp.WarpCodegenError),
    "a[1.5] = 1.0": (TypeError, wp.WarpCodegenError),
    "x, y = 1.0, 2.0, 3.0": (Exception, wp.WarpCodegenError),
    "with a:\n    a[0] = 1.0": (SyntaxError, wp.WarpCodegenError),
    "f = {}": (SyntaxError, wp.WarpCodegenError),
    "a[0] = nowhere": (NameError, wp.WarpCodegenKeyError),
    "a[0] = nowhere(1.0)": (NameError, KeyError),
    "v = wp.vec3()\na[0] = v.foo": (AttributeError, wp.WarpCodegenAttributeError),
    "a[0] = wp.nowhere(1.0)": (AttributeError, wp.WarpCodegenAttributeError),
    "return 1.0": (TypeError, wp.WarpCodegenTypeError),
    "a[0] = float(untrue(1.0))": (TypeError, wp.WarpCodegenError),
    "s = Pair()\ns.x = 1": (TypeError, wp.WarpCodegenTypeError),
    "a[0] = endless(1.0)": (NameError, RecursionError),
    "v = wp.vec3(1.0, 2.0)": (Exception, RuntimeError),
}


@pytest.mark.parametrize(("body", "classes"), TEXTS.items(), ids=TEXTS)
def test_kernels(body, classes):
    for expected in (*classes, wp.WarpCodegenError, RuntimeError):
        with pytest.raises(expected) as caught:
            wp.launch(kernel_of(body), dim=1, inputs=[array()])
        assert str(caught.value).count("\n") > 1, "the text shows the place, on lines of its own"


def test_a_parameter_without_annotation():
    for expected in (TypeError, wp.WarpCodegenError):
        with pytest.raises(expected, match="no annotation"):

            @wp.kernel
            def bare(a):
                pass


def test_no_framework_is_needed_for_the_classes():
    error = wp.LaunchError("text")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.args) == (wp.LaunchError, ("text",))
    assert wp.LaunchError.__module__ == "warp"
    assert str(wp.WarpCodegenKeyError("a\nb")) == "a\nb"
    assert issubclass(wp.WarpDeterminismError, RuntimeError)
    # What runs is no text: faults stay what they are.
    with pytest.raises(IndexError) as caught:
        wp.launch(fault, dim=9, inputs=[array()])
    assert not isinstance(caught.value, wp.WarpCodegenError)


@wp.kernel
def fault(a: wp.array(dtype=float)):
    a[wp.tid()] = 1.0


def conversions():
    torch = pytest.importorskip("torch")
    yield lambda: wp.from_torch(torch.zeros(3, dtype=torch.complex64)), TypeError
    yield lambda: wp.from_torch(torch.zeros(3), dtype=wp.vec2), TypeError
    yield lambda: wp.from_torch(torch.zeros(3), dtype=wp.float64), TypeError
    yield lambda: wp.from_torch(torch.zeros((1,) * 5)), ValueError
    yield lambda: wp.from_dlpack(torch.zeros(3), dtype=wp.vec2), TypeError
    yield lambda: wp.from_dlpack(torch.zeros((1,) * 5)), ValueError
    yield lambda: wp.from_dlpack(3), TypeError


def test_conversions():
    for misuse, one in conversions():
        for expected in (one, RuntimeError):
            with pytest.raises(expected):
                misuse()


def test_conversions_of_jax():
    jnp = pytest.importorskip("jax.numpy")
    for expected in (TypeError, RuntimeError):
        with pytest.raises(expected):
            wp.from_jax(jnp.zeros(3), dtype=wp.vec2)
        with pytest.raises(expected):
            wp.from_jax(jnp.zeros(3), dtype=wp.float64)
