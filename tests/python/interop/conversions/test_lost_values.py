"""What a conversion cannot keep is refused or told: missing values, NaN and huge numbers as integers, exceptions."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
import warp as wp

WAYS = {
    "array": lambda n, dtype: wp.array(n, dtype=dtype),
    "array without copy": lambda n, dtype: wp.array(n, dtype=dtype, copy=False),
    "from_numpy": lambda n, dtype: wp.from_numpy(n, dtype=dtype),
    "assign": lambda n, dtype: assigned(n, dtype),
    "copy": lambda n, dtype: copied(n, dtype),
    "list": lambda n, dtype: wp.array(n.tolist(), dtype=dtype),
}

each_way = pytest.mark.parametrize("way", WAYS)


def assigned(n, dtype):
    a = wp.zeros(len(n), dtype=dtype)
    a.assign(n)
    return a


def copied(n, dtype):
    a = wp.zeros(len(n), dtype=dtype)
    wp.copy(a, wp.array(n))
    return a


@each_way
@pytest.mark.parametrize("lost", [np.nan, np.inf, -np.inf, 1e30])
@pytest.mark.parametrize("dtype", [wp.int8, wp.int32, wp.int64, wp.uint16])
@pytest.mark.parametrize("of", [np.float64, np.float32])
def test_floats_without_an_integer_are_refused(way, lost, dtype, of):
    n = np.array([1.0, lost, 3.0], of)
    with pytest.raises(ValueError, match=r"nan|NaN|inf|1e30|1000000|does not fit"):
        WAYS[way](n, dtype)
    assert WAYS[way](np.array([1.9, -0.0], of), dtype).list() == [1, 0]


def test_nothing_is_written_before_a_refusal():
    a = wp.full(3, 7, dtype=int)
    with pytest.raises(ValueError, match="NaN"):
        a.assign(np.array([1.0, 2.0, np.nan]))
    assert a.list() == [7, 7, 7]


def test_nan_is_true_and_a_float():
    n = np.array([np.nan, 0.0, np.inf])
    assert wp.array(n, dtype=wp.bool).list() == [True, False, True]
    for dtype in (wp.float16, wp.bfloat16, wp.float32):
        np.testing.assert_array_equal(wp.array(n, dtype=dtype).numpy().astype(np.float64), n)


@pytest.mark.parametrize(("dtype", "value"), [(wp.float32, 1e300), (wp.float16, 70000.0), (wp.bfloat16, 3.5e38)])
def test_floats_that_become_infinite_are_told(dtype, value):
    with pytest.warns(RuntimeWarning, match="is infinite there"):
        a = wp.array(np.array([1.0, value]), dtype=dtype)
    assert a.list() == [1.0, np.inf]


@pytest.mark.parametrize("dtype", [wp.int32, wp.uint32])
def test_integers_that_lose_bits_are_told(dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bits = wp.array(np.array([-1, 0xFFFFFFFF, -(2**31)]), dtype=dtype).numpy()
    np.testing.assert_array_equal(bits.view(np.uint32), np.array([2**32 - 1, 2**32 - 1, 2**31], np.uint32))
    for value in (2**32, -(2**31) - 1):
        with pytest.warns(RuntimeWarning, match=f"{value} among the numbers does not fit"):
            wp.array(np.array([0, value]), dtype=dtype)


class Missing:
    """What a column of a table with a missing value gives."""

    def __array__(self, dtype=None, copy=None):
        return np.array([1.0, np.nan, 3.0])


def test_missing_values_of_tables_are_refused():
    for make in (wp.array, wp.from_numpy, assigned):
        with pytest.raises((ValueError, TypeError)):
            make(Missing(), dtype=wp.int64) if make is not assigned else assigned([1, None, 3], wp.int64)
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="missing values"):
        wp.array(pandas.array([1, None, 3], dtype="Int64"), dtype=wp.int64)


# Exceptions that an argument's protocols raise ----------------------------------------------------------------------


class OwnError(Exception):
    def __init__(self, code, where):
        super().__init__(code, where)
        self.code = code


def bad_json():
    json.loads("{")


def bad_text():
    b"\xff".decode()


def bad_file():
    open("/nowhere/at all")


def own():
    raise OwnError(7, "here")


def plain():
    raise ValueError("only a text")


RAISES = {bad_json: json.JSONDecodeError, bad_text: UnicodeDecodeError, bad_file: FileNotFoundError, own: OwnError}
RAISES[plain] = ValueError


@wp.kernel
def nothing(a: wp.array(dtype=float), n: int):
    pass


def raising(name, function):
    def method(self, *args, **options):
        function()

    kind = method if name in ("__dlpack__", "__array__", "__index__", "__float__") else property(method)
    body = {name: kind, "__dlpack_device__": lambda self: (1, 0)} if name == "__dlpack__" else {name: kind}
    return type("Raising", (), body)()


@pytest.mark.parametrize("function", RAISES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", ["__dlpack__", "__array_interface__", "__array_struct__", "__array__"])
def test_what_a_protocol_raises_is_raised(name, function):
    value = raising(name, function)
    calls = [
        lambda: wp.array(value, dtype=float),
        lambda: wp.array(value, dtype=float, copy=False),
        lambda: wp.zeros(3).assign(value),
        lambda: wp.launch(nothing, 3, [value, 1]),
        lambda: wp.copy(wp.zeros(3), value),
    ]
    for call in calls:
        with pytest.raises(RAISES[function]) as caught:
            call()
        error = caught.value
        assert any(entry.name == function.__name__ for entry in caught.traceback)
        if function is own:
            assert (error.code, error.args) == (7, (7, "here"))
        elif function is bad_json:
            assert error.pos == 1
        elif function is bad_file:
            assert error.errno == 2
        elif function is bad_text:
            assert error.object == b"\xff"


@pytest.mark.parametrize("function", RAISES, ids=lambda f: f.__name__)
def test_the_argument_is_named(function):
    value = raising("__index__", function)
    with pytest.raises(RAISES[function]) as caught:
        wp.launch(nothing, 3, [wp.zeros(3), value])
    said = str(caught.value) + "".join(getattr(caught.value, "__notes__", []))
    assert "argument 'n'" in said
    assert "nothing" in said
