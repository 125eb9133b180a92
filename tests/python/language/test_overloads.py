"""Overloads: of generic kernels by their authors, and of functions by the types of arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

from .generic_kernels import scale, square


def test_overload_by_list_and_by_name():
    @wp.kernel
    def put(v: Any, out: wp.array(dtype=wp.float64)):
        out[0] = wp.float64(v)

    by_list = wp.overload(put, [wp.float64, wp.array(dtype=wp.float64)])
    assert not by_list.is_generic
    assert by_list.key == put.key == "test_overload_by_list_and_by_name__locals__put"
    assert wp.overload(put, {"v": wp.float64}) is by_list
    assert put.get_overload([wp.float64, wp.array(dtype=wp.float64)]) is by_list
    assert put.get_overload([wp.float16, wp.array(dtype=wp.float64)]) is None
    out = wp.zeros(1, dtype=wp.float64)
    # Not by way of float32.
    wp.launch(by_list, dim=1, inputs=[0.1, out])
    assert out.numpy()[0] == 0.1
    with pytest.raises(TypeError, match="'v'"):
        wp.launch(wp.overload(put, {"v": int}), dim=1, inputs=[0.5, out])


def test_overload_by_a_stub():
    @wp.kernel
    def put(v: Any, out: wp.array(dtype=Any)):
        out[0] = out.dtype(v)

    @wp.overload
    def put(v: wp.float64, out: wp.array(dtype=float)): ...  # noqa: F811

    @wp.overload
    def put(v: int, out: wp.array(dtype=float)): ...  # noqa: F811

    assert put.is_generic
    assert list(put.overloads) == ["float64, array(float32, ndim=1)", "int32, array(float32, ndim=1)"]
    out = wp.zeros(1)
    wp.launch(put, dim=1, inputs=[7, out])
    assert out.numpy()[0] == 7.0
    assert len(put.overloads) == 2


def test_wrong_overloads():
    array = wp.array(dtype=float)
    for given, says in [
        ([array, float], "has 3 parameters, 2 types are given"),
        ([float, float, array], r"parameter 'x' admits array\(Any, ndim=1\), not float32"),
        ([wp.array(dtype=Any), float, array], "parameter 'x' of kernel 'scale' needs one type"),
        ({"s": float}, "parameter 'x' of kernel 'scale' needs one type"),
        ({"z": float}, "has no parameter 'z'; it has x, s, y"),
        ([array, "float", array], "is no type of kernels"),
        (3, "expected a list of types"),
        (None, "types for the parameters of kernel 'scale' are missing"),
    ]:
        with pytest.raises(TypeError, match=says):
            wp.overload(scale, given)

    @wp.kernel
    def plain(x: wp.array(dtype=float)):
        pass

    assert not plain.is_generic
    assert plain.overloads == {}
    assert plain.get_overload([array]) is plain
    assert plain.get_overload([float]) is None
    with pytest.raises(TypeError, match="kernel 'plain' is not generic"):
        wp.overload(plain, [array])
    with pytest.raises(TypeError, match="expected a generic kernel, found int"):
        wp.overload(3)
    with pytest.raises(TypeError, match="there is no kernel 'nobody'"):

        @wp.overload
        def nobody(a: float): ...

    renamed = square
    with pytest.raises(TypeError, match="parameter 'y' of the overload of kernel 'renamed' has no annotation"):

        @wp.overload
        def renamed(x: wp.array(dtype=float), y): ...

    assert renamed is square


def test_functions_choose_by_type():
    @wp.func
    def kind(x: Any):
        return 1

    @wp.func
    def kind(x: wp.Float):  # noqa: F811
        return 2

    @wp.func
    def kind(x: wp.float64):  # noqa: F811
        return 3

    @wp.func
    def kind(x: wp.types.vector(length=Any, dtype=wp.Float)):  # noqa: F811
        return 4

    @wp.func
    def kind(x: wp.array(dtype=Any)):  # noqa: F811
        return 5

    @wp.func
    def kind(x: wp.array(dtype=Any), i: int):  # noqa: F811
        return 6

    @wp.func
    def kind(x: wp.types.matrix(shape=(2, Any), dtype=float)):  # noqa: F811
        return 7

    @wp.func
    def kind(x: tuple[float, wp.Int]):  # noqa: F811
        return 8 + len(x)

    @wp.kernel
    def choose(a: wp.array(dtype=float), out: wp.array(dtype=int)):
        out[0] = kind(1)
        out[1] = kind(1.0)
        out[2] = kind(wp.float64(1.0))
        out[3] = kind(wp.vec2(1.0, 2.0))
        out[4] = kind(a)
        out[5] = kind(a, 0)
        out[6] = kind(wp.matrix_from_rows(wp.vec3(1.0, 2.0, 3.0), wp.vec3(1.0, 2.0, 3.0)))
        out[7] = kind((1.0, wp.int8(2)))
        out[8] = kind(wp.mat33())
        out[9] = kind(wp.vec2i(1, 2))

    out = wp.zeros(10, dtype=int)
    wp.launch(choose, dim=1, inputs=[wp.zeros(1), out])
    assert out.numpy().tolist() == [1, 2, 3, 4, 5, 6, 7, 10, 1, 1]


def test_a_function_says_what_it_admits():
    @wp.func
    def norm(x: wp.types.vector(length=Any, dtype=wp.Float)):
        return wp.length(x)

    @wp.kernel
    def wrong(out: wp.array(dtype=float)):
        out[0] = norm(wp.vec2i(1, 2))

    with pytest.raises(
        TypeError, match=r"argument `x` of function `norm` is vec\(2, int32\), declared is vec\(Any, Float\)"
    ):
        wp.launch(wrong, dim=1, inputs=[wp.zeros(1)])


def test_overloads_that_python_calls():
    @wp.func
    def f(x: Any):
        return "any"

    @wp.func
    def f(x: float):  # noqa: F811
        return "float"

    @wp.func
    def f(x: wp.vec2):  # noqa: F811
        return "vec2"

    @wp.func
    def f(x: wp.array(dtype=float), n: int = 1):  # noqa: F811
        return f"array {n}"

    @wp.func
    def f(x: int, y: wp.float64):  # noqa: F811
        return "two"

    assert (f(1.5), f(wp.float32(2)), f(wp.vec2(1.0, 2.0)), f(wp.ones(3)), f(x=wp.ones(3), n=2)) == (
        "float",
        "float",
        "vec2",
        "array 1",
        "array 2",
    )
    assert (f(True), f(wp.vec3()), f("text"), f(np.int8(3))) == ("any",) * 4
    assert (f(1, 2.5), f(1, 2), f(1, y=wp.float64(3))) == ("two",) * 3
    # A number that becomes what is named goes before what is open.
    assert f(2) == "float"
    with pytest.raises(
        TypeError, match=r"no overload takes \(1 \(int\), 2 \(int\), 3 \(int\)\); there are \(Any\) and \(float32\)"
    ):
        f(1, 2, 3)
