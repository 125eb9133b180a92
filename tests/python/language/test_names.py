"""Names: builtins without their module, other names of None and of functions, and annotations that may be None."""

from __future__ import annotations

import pickle
import sys
import types

import numpy as np
import pytest
import warp as wp

Nothing = None


@wp.kernel
def without_module(a: wp.array2d(dtype=float), out: wp.array(dtype=float)) -> Nothing:
    expect_eq(a.shape[0], 2)  # noqa: F821
    out[0] = length(wp.vec3(2.0, 0.0, 0.0)) + a[1, 1]  # noqa: F821


def test_builtins_without_their_module():
    out = wp.zeros(1)
    wp.launch(without_module, 1, [wp.ones((2, 2)), out])
    assert out.list() == [3.0]


def test_functions_of_another_module(monkeypatch):
    module = types.ModuleType("of_others")
    module.f = wp.func(lambda_of := _twice)
    assert lambda_of is _twice
    monkeypatch.setitem(sys.modules, "of_others", module)

    @wp.kernel
    def k(out: wp.array(dtype=float)):
        out[0] = module.f(2.0)

    out = wp.zeros(1)
    wp.launch(k, 1, [out])
    assert out.list() == [4.0]


def _twice(x: float):
    return 2.0 * x


def test_what_a_kernel_may_return():
    @wp.kernel
    def k(out: wp.array(dtype=float)) -> float:
        out[0] = 1.0

    with pytest.raises(TypeError, match="a kernel returns nothing"):
        wp.launch(k, 1, [wp.zeros(1)])


def test_kernels_and_functions_of_other_names():
    def make(n):
        def body(out: wp.array(dtype=float)):
            out[0] = float(n)

        body.__name__ = f"write_{n}"
        return wp.kernel(body, module="unique")

    out = wp.zeros(1)
    for n in (1, 2):
        kernel = make(n)
        assert kernel.__name__ == kernel.func.__name__ == f"write_{n}"
        wp.launch(kernel, 1, [out])
        assert out.list() == [float(n)]

    def written_out(out: wp.array(dtype=float)):
        out[0] = 3.0

    written_out.__name__ = "written"
    wp.launch(wp.kernel(written_out, module="unique"), 1, [out])
    assert out.list() == [3.0]

    @wp.func
    def f(x: float):
        return x + 1.0

    f.__name__ = "add_1"
    assert f.__name__ == "add_1"

    @wp.kernel
    def k(out: wp.array(dtype=float)):
        out[0] = f(1.0)

    wp.launch(k, 1, [out])
    assert out.list() == [2.0]


def optional(x: wp.array[float] | None, y: wp.array2d[wp.vec3] | None, out: wp.array[float]):
    if x:
        out[0] = x[0]
    if y:
        out[1] = y[0, 0][1]


def test_annotations_that_may_be_none():
    scope = {"wp": wp}
    annotations = {name: eval(text, scope) for name, text in optional.__annotations__.items()}
    assert annotations["x"].ndim == 1
    assert annotations["y"].ndim == 2
    kernel = wp.kernel(optional)
    out = wp.zeros(2)
    wp.launch(kernel, 1, [wp.ones(1), wp.ones((1, 1), dtype=wp.vec3), out])
    assert out.list() == [1.0, 1.0]
    out.zero_()
    wp.launch(kernel, 1, [None, None, out])
    assert out.list() == [0.0, 0.0]
    with pytest.raises(TypeError):
        wp.zeros(3) | None


def test_arrays_without_arguments_and_dimensions_of_numpy():
    empty = wp.array()
    assert (empty.shape, empty.dtype, empty.list()) == ((0,), wp.float32, [])
    out = wp.zeros(np.array([2, 3]))

    @wp.kernel
    def k(out: wp.array2d(dtype=float)):
        i, j = wp.tid()
        out[i, j] += 1.0

    for dim in (np.array([2, 3]), np.array([2, 3], np.uint8), (np.int64(2), np.int32(3))):
        wp.launch(k, dim, [out])
    assert out.numpy().tolist() == [[3.0] * 3] * 2
    for dim in (np.array([[2, 3]]), np.array([2.0, 3.0]), np.array(4)):
        with pytest.raises(TypeError, match="dim is"):
            wp.launch(k, dim, [out])


def test_shapes_beyond_the_dimensions_are_zero():
    @wp.kernel
    def k(a: wp.array2d(dtype=float), out: wp.array(dtype=int)):
        out[0] = a.shape[1] + 10 * a.shape[2] + 100 * a.shape[3]

    @wp.kernel
    def beyond(a: wp.array2d(dtype=float), out: wp.array(dtype=int)):
        out[0] = a.shape[4]

    out = wp.zeros(1, dtype=int)
    wp.launch(k, 1, [wp.zeros((2, 3)), out])
    assert out.list() == [3]
    with pytest.raises(ValueError, match="index 4 is out of range"):
        wp.launch(beyond, 1, [wp.zeros((2, 3)), out])


def test_names_documents_and_keys_are_written():
    @wp.kernel
    def k(out: wp.array(dtype=float)):
        """First."""
        out[0] = 1.0

    k.__name__ = k.key = "other"
    k.__qualname__ = "there.other"
    k.__doc__ = "Second."
    assert (k.__name__, k.__qualname__, k.__doc__, k.key) == ("other", "there.other", "Second.", "other")
    wp.launch(k, 1, [wp.zeros(1)])


def test_captured_arrays_are_refused_by_name():
    captured = wp.ones(3)

    @wp.kernel
    def k(out: wp.array(dtype=float)):
        out[0] = captured[0]

    with pytest.raises(TypeError, match="`captured` is .*array.*which kernels cannot use"):
        wp.launch(k, 1, [wp.zeros(1)])


def test_texts_compare_when_compiling():
    @wp.kernel
    def k(out: wp.array(dtype=int)):
        if "a" == "a":
            out[0] = 1
        if "a" != "a":
            out[1] = 1

    out = wp.zeros(2, dtype=int)
    wp.launch(k, 1, [out])
    assert out.list() == [1, 0]


def test_setters_change_values_of_the_host():
    for t in (wp.transform(), wp.types.transformation(dtype=wp.float64)()):
        kind = type(t)
        wp.transform_set_translation(t, type(t.p)(1.0, 2.0, 3.0))
        wp.transform_set_rotation(t, type(t.q)(0.0, 1.0, 0.0, 0.0))
        assert list(t) == [1.0, 2.0, 3.0, 0.0, 1.0, 0.0, 0.0]
        assert type(t) is kind


def test_definitions_are_pickled_by_name():
    assert pickle.loads(pickle.dumps(without_module)) is without_module
