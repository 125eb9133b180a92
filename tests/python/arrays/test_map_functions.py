"""Which kernels `wp.map` makes: functions that are the same, and names that change their meaning."""

import math

import numpy as np
import pytest
import warp as wp

from .mapped import arrays


def test_lambdas_are_found_where_they_stand():
    a, b = arrays()
    pair = [lambda x: x + 1.0, lambda x: x + 2.0]
    assert [wp.map(f, a).list()[0] for f in pair] == [2, 3]
    nested = (lambda: wp.map(lambda x, y: (x - y) * 2.0, a, b))()
    assert nested.list() == [-6, -6, -6]
    long = wp.map(
        lambda x, y=2.0: (
            wp.sin(x)
            if x > 1.5
            # A comment.
            else wp.cos(x) * y
        ),
        a,
    )
    np.testing.assert_allclose(long.numpy(), [2 * math.cos(1), math.sin(2), math.sin(3)], rtol=1e-6)


OFFSET = 1.0
LIMITS = [1.0, 2.0]
POINT = wp.vec2(1.0, 2.0)


@wp.func
def shifted(x: float):
    return x + OFFSET


def plainly_shifted(x):
    return x + OFFSET


class Settings:
    offset = 1.0


def values(func):
    return wp.map(func, wp.array([1.0], dtype=float)).list()[0]


@pytest.mark.parametrize(
    "make",
    [
        lambda: lambda x: x + OFFSET,
        lambda: lambda x: shifted(x),
        lambda: shifted,
        lambda: plainly_shifted,
        lambda: lambda x: x + wp.static((lambda: OFFSET)()),
        lambda: lambda x, more=shifted: more(x),
    ],
    ids=["lambda", "calls func", "func", "function", "static", "default"],
)
def test_a_global_counts_with_what_it_holds(make, monkeypatch):
    for offset in (1.0, 2.0, -0.5, 1.0):
        monkeypatch.setitem(globals(), "OFFSET", offset)
        assert values(make()) == 1.0 + offset


def test_a_function_defined_anew_reads_globals_anew(monkeypatch):
    for offset in (1.0, 2.0):
        monkeypatch.setitem(globals(), "OFFSET", offset)

        def moved(x: float):
            return x + OFFSET

        assert values(moved) == 1.0 + offset


def test_what_is_read_of_a_global_counts(monkeypatch):
    for offset in (1.0, 2.0):
        monkeypatch.setattr(Settings, "offset", offset)
        LIMITS[1] = offset
        POINT[1] = offset
        assert values(lambda x: x + Settings.offset) == 1.0 + offset
        assert values(lambda x: x + wp.static(LIMITS[1])) == 1.0 + offset
        assert values(lambda x: x + POINT[1]) == 1.0 + offset


def test_annotations_count():
    found = []
    for kind in (wp.float32, wp.float64):

        def twice(x: kind):
            return x + x

        found.append(wp.map(twice, wp.ones(2, dtype=kind)).dtype)
    assert found == [wp.float32, wp.float64]


def test_a_struct_of_another_definition():
    found = []
    for kind in (wp.float32, wp.vec2):

        @wp.struct
        class Pair:
            value: kind
            count: int

        def made(x: float):
            pair = Pair()
            return pair.value

        found.append(wp.map(made, wp.ones(2, dtype=float)).dtype)
    assert found == [wp.float32, wp.vec2]


def test_functions_of_functions():
    def scaled_by(scale):
        @wp.func
        def inner(x: float):
            return x * scale

        def outer(x: float):
            return inner(x) + scale

        return outer

    assert [values(scaled_by(scale)) for scale in (1.0, 2.0, 1.0)] == [2.0, 4.0, 2.0]


def test_a_cell_that_changes_leaves_others_alone():
    def adding(amount):
        def change(value):
            nonlocal amount
            amount = value

        return lambda x: x + amount, change

    first, change = adding(1.0)
    second, _ = adding(1.0)
    assert values(first) == values(second) == 2.0
    change(5.0)

    @wp.func
    def defined(x: float):  # kernels look their names up again
        return x

    assert values(second) == 2.0
    assert values(first) == 6.0


class Scaled:
    factor = 2.0

    @property
    def new(self):
        return object()

    def method(self):
        return self.factor


SCALED = Scaled()


def test_attributes_that_are_new_objects_make_no_kernel():
    def kernel_of():
        return wp.map(
            lambda x: x + wp.static((SCALED.new, SCALED.method())[1]), wp.ones(2, dtype=float), return_kernel=True
        )

    assert kernel_of() is kernel_of()


def test_the_same_function_again_makes_no_kernel():
    def kernel_of(offset):
        return wp.map(lambda x, y=offset: x + y + OFFSET, wp.ones(2, dtype=float), return_kernel=True)

    assert kernel_of(1.0) is kernel_of(1.0)
    assert kernel_of(1.0) is not kernel_of(2.0)


def test_functions_without_text():
    scope = {"wp": wp}
    exec("f = lambda x: x + 1.0", scope)
    np.testing.assert_array_equal(wp.map(scope["f"], wp.ones(2, dtype=float)).numpy(), [2.0, 2.0])
    exec("".join(["f = lambda x:", " x + 2.0"]), scope)
    with pytest.raises(OSError, match="text of the lambda"):
        wp.map(scope["f"], arrays()[0])
