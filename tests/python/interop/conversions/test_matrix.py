"""Framework x direction x dtype x layout x gradient x read-only, drawn from the table in `frameworks`.

Numbers are checked by a kernel that reads and by one that writes through, never by the conversion's own word.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
import warp as wp
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from .frameworks import FRAMEWORKS, Facts


def those(can: Callable[[Facts], object] = bool) -> pytest.MarkDecorator:
    """A test for each framework that can do what the test is about."""
    return pytest.mark.parametrize("name", [name for name, facts in FRAMEWORKS.items() if can(facts)])


def installed(name: str) -> Facts:
    """The facts about a framework, or a skip that names what is missing."""
    facts = FRAMEWORKS[name]
    missing = facts.missing()
    if missing:
        pytest.skip(f"no {missing}")
    return facts


@cache
def copier(dtype, ndim):
    """A kernel that copies element by element: it reads what it is given first and writes the second."""

    def copy1(x: wp.array(dtype=dtype, ndim=1), y: wp.array(dtype=dtype, ndim=1)):
        i = wp.tid()
        y[i] = x[i]

    def copy2(x: wp.array(dtype=dtype, ndim=2), y: wp.array(dtype=dtype, ndim=2)):
        i, j = wp.tid()
        y[i, j] = x[i, j]

    def copy3(x: wp.array(dtype=dtype, ndim=3), y: wp.array(dtype=dtype, ndim=3)):
        i, j, k = wp.tid()
        y[i, j, k] = x[i, j, k]

    return wp.kernel({1: copy1, 2: copy2, 3: copy3}[ndim])


@cache
def squarer(dtype):
    @wp.kernel
    def square(x: wp.array(dtype=dtype), y: wp.array(dtype=dtype)):
        i = wp.tid()
        y[i] = x[i] * x[i]

    return square


def run(x, y, elem, shape):
    """Copies x to y in a launch; an array without dimensions has one element."""
    dims = tuple(shape) or (1,)
    wp.launch(copier(elem, len(dims)), dim=dims, inputs=[x], outputs=[y])


# The parts of a case ------------------------------------------------------------------------------------------------

ELEMENTS = {"": (), "vec3": (3,), "mat22": (2, 2)}
SHAPES = st.lists(st.integers(0, 4), min_size=0, max_size=3).map(tuple)


def numbers(dtype: str, shape: tuple[int, ...], start: int) -> np.ndarray:
    """Values that every type here holds exactly and that differ from their neighbours."""
    count = np.arange(start, start + int(np.prod(shape))).reshape(shape)
    if dtype == "bool":
        return count % 3 == 0
    if dtype.startswith(("float", "bfloat")):
        name = "float32" if dtype == "bfloat16" else dtype
        return ((count % 61) / 4).astype(name)
    return (count % 101).astype(dtype)


def element(dtype: str, kind: str):
    scalar = getattr(wp, dtype)
    if not kind:
        return scalar
    return wp.types.vector(3, scalar) if kind == "vec3" else wp.types.matrix((2, 2), scalar)


@st.composite
def layouts(draw, facts: Facts, shape, inner):
    """Values of `shape + inner` as a part of a larger array: steps, flips and swapped axes, where there are such."""
    larger, cut = [], []
    for n in shape:
        step = draw(st.integers(1, 3)) if facts.strided else 1
        before = draw(st.integers(0, 2)) if facts.strided else 0
        larger.append(before + max(n * step, 1 if n else 0))
        part = slice(before, before + n * step, step)
        if facts.negative and n and draw(st.booleans()):
            part = slice(before + (n - 1) * step, before - 1 if before else None, -step)
        cut.append(part)
    order = draw(st.permutations(range(len(shape)))) if facts.strided else range(len(shape))
    return tuple(larger), tuple(cut), tuple(order)


def laid_out(values: np.ndarray, plan, outer: int) -> np.ndarray:
    """An array with these values in that layout."""
    larger, cut, order = plan
    inner = values.shape[outer:]
    back = np.argsort(order) if order else []
    base = np.zeros(tuple(larger[i] for i in order) + inner, values.dtype)
    whole = base.transpose(*back, *range(outer, outer + len(inner))) if outer else base
    part = whole[cut] if outer else whole
    part[...] = values
    return part


def case(draw, facts: Facts, *, floats: bool = False):
    dtypes = [d for d in facts.dtypes if d.startswith("float") or not floats]
    dtype = draw(st.sampled_from(dtypes))
    kind = draw(st.sampled_from(list(ELEMENTS)))
    shape = draw(SHAPES)
    inner = ELEMENTS[kind]
    assume(facts.scalars or shape + inner)
    plan = draw(layouts(facts, shape, inner))
    values = laid_out(numbers(dtype, shape + inner, draw(st.integers(0, 9))), plan, len(shape))
    return dtype, kind, shape, values


# The matrix -----------------------------------------------------------------------------------------------------------


@those()
@settings(max_examples=60)
@given(data=st.data())
def test_launch_takes_it_as_it_is(name, data):
    facts = installed(name)
    dtype, kind, shape, values = case(data.draw, facts)
    elem = element(dtype, kind)
    source = facts.wrap(values)
    seen = wp.zeros(shape or (1,), dtype=elem)
    run(source, seen, elem, shape)
    np.testing.assert_array_equal(seen.numpy().reshape(values.shape), values)
    new = wp.array(numbers(dtype, (*(shape or (1,)), *ELEMENTS[kind]), 50), dtype=elem)
    if facts.frozen:
        with pytest.raises(ValueError, match="read-only"):
            run(new, source, elem, shape)
        return
    run(new, source, elem, shape)
    np.testing.assert_array_equal(facts.values(source).reshape(values.shape), new.numpy().reshape(values.shape))


@those()
@settings(max_examples=60)
@given(data=st.data())
def test_imports_share_memory(name, data):
    facts = installed(name)
    dtype, kind, shape, values = case(data.draw, facts)
    elem = element(dtype, kind)
    source = facts.wrap(values)
    way = data.draw(st.sampled_from(sorted(facts.imports)))
    a = facts.imports[way](source, elem if kind else data.draw(st.sampled_from([None, elem])))
    assert (a.dtype, a.shape) == (elem, shape or (1,))
    seen = wp.zeros(a.shape, dtype=elem)
    run(a, seen, elem, shape)
    np.testing.assert_array_equal(seen.numpy().reshape(values.shape), values)
    before = values.copy()
    copied = wp.array(source, dtype=elem)
    assert copied.is_contiguous
    assert not copied.size or copied.ptr != a.ptr
    if facts.frozen:
        assert a.read_only
        return
    new = wp.array(numbers(dtype, (*a.shape, *ELEMENTS[kind]), 50), dtype=elem)
    run(new, a, elem, shape)
    np.testing.assert_array_equal(facts.values(source).reshape(values.shape), new.numpy().reshape(values.shape))
    np.testing.assert_array_equal(copied.numpy().reshape(before.shape), before)


@those(lambda facts: facts.exports)
@settings(max_examples=60)
@given(data=st.data())
def test_exports_share_memory(name, data):
    facts = installed(name)
    dtype, kind, shape, values = case(data.draw, facts)
    elem = element(dtype, kind)
    a = wp.array(values, dtype=elem, copy=False)
    way = data.draw(st.sampled_from(sorted(facts.exports)))
    out = facts.exports[way](a)
    full = (shape or (1,)) + ELEMENTS[kind]
    assert tuple(facts.values(out).shape) == full
    np.testing.assert_array_equal(facts.values(out).reshape(values.shape), values)
    seen_as = facts.values(out).dtype.name
    assert seen_as in (dtype, facts.renamed.get(dtype))
    if not values.size:
        return
    new = numbers(dtype, full, 50)
    run(wp.array(new, dtype=elem), a, elem, shape)
    np.testing.assert_array_equal(facts.values(out), new)
    elem = element(seen_as, kind)
    back = wp.zeros(shape or (1,), dtype=elem)
    run(out, back, elem, shape or (1,))
    np.testing.assert_array_equal(back.numpy(), new)


@those(lambda facts: facts.read_only)
@settings(max_examples=40)
@given(data=st.data())
def test_read_only_stays_so(name, data):
    facts = installed(name)
    dtype, kind, shape, values = case(data.draw, facts)
    assume(values.size)
    elem = element(dtype, kind)
    before = values.copy()
    values.flags.writeable = False
    source = facts.wrap(values)
    a = facts.imports[data.draw(st.sampled_from(sorted(facts.imports)))](source, elem)
    assert a.read_only
    new = wp.zeros(a.shape, dtype=elem)
    for target in (source, a, a[:], wp.array(a, copy=False)):
        with pytest.raises(ValueError, match="argument 'y'.*read-only"):
            run(new, target, elem, shape)
    run(source, new, elem, shape)
    np.testing.assert_array_equal(new.numpy().reshape(before.shape), before)
    if not facts.frozen:
        for way in sorted(facts.exports):
            out = facts.exports[way](a)
            with pytest.raises(ValueError, match="read-only"):
                run(new, out, elem, shape or (1,))
    np.testing.assert_array_equal(values, before)


@those(lambda facts: facts.with_gradient)
@settings(max_examples=40)
@given(data=st.data())
def test_gradients_are_shared(name, data):
    facts = installed(name)
    dtype = data.draw(st.sampled_from([d for d in facts.dtypes if d.startswith("float")]))
    n = data.draw(st.integers(1, 9))
    values = laid_out(numbers(dtype, (n,), 1), data.draw(layouts(facts, (n,), ())), 1)
    elem = getattr(wp, dtype)
    x = facts.with_gradient(facts.wrap(values))
    y = wp.zeros(n, dtype=elem, requires_grad=True)
    straight = data.draw(st.booleans())
    argument = x if straight else facts.imports[f"from_{facts.name}"](x, None)
    rounds = data.draw(st.integers(1, 3))
    for _ in range(rounds):
        tape = wp.Tape()
        with tape:
            wp.launch(squarer(elem), dim=n, inputs=[argument], outputs=[y])
        tape.backward(grads={y: wp.ones(n, dtype=elem)})
    np.testing.assert_array_equal(y.numpy(), (values * values).astype(dtype))
    np.testing.assert_allclose(facts.gradient(x), rounds * 2 * values, rtol=1e-2 if dtype == "float16" else 1e-6)


@those(lambda facts: facts.bfloat16)
@settings(max_examples=20)
@given(shape=st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple), kind=st.sampled_from(list(ELEMENTS)))
@example(shape=(1,), kind="")
def test_bfloat16(name, shape, kind):
    facts = installed(name)
    values = numbers("bfloat16", shape + ELEMENTS[kind], 3)
    source = facts.bfloat16(values)
    elem = element("bfloat16", kind)
    seen = wp.zeros(shape, dtype=elem)
    run(source, seen, elem, shape)
    wide = wp.array(seen, dtype=element("float32", kind))
    np.testing.assert_array_equal(wide.numpy(), values)
    for way, take in facts.imports.items():
        if facts.name == "numpy" and way == "from_dlpack":
            continue
        assert take(source, elem).dtype is elem
    if facts.frozen:
        return
    new = numbers("bfloat16", shape + ELEMENTS[kind], 20)
    run(wp.array(wp.array(new, dtype=element("float32", kind)), dtype=elem), source, elem, shape)
    run(source, seen, elem, shape)
    np.testing.assert_array_equal(wp.array(seen, dtype=element("float32", kind)).numpy(), new)
