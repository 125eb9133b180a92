"""Rare values in lanes: groups of any width give the bits of single threads, and these are the interpreter's.

Functions of mathematics send lanes with rare arguments (huge, tiny, infinite, none) to the C library, while the other
lanes wait with all that they hold. Everything here has such lanes: one, some or all of a group. Sums of floats have no
order: they are held exactly where they are of whole numbers or each element gets one number, else with a tolerance.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
import warp as wp
from warp import _warp

from randomized import random_kernels

from . import rare_kernels, rare_values
from .random_rare import SHARED_READS, WRITTEN, Generator
from .rare_kernels import STEPS, Function
from .rare_values import DTYPES, WIDTHS, assert_near, assert_same

SOAK = random_kernels.SOAK
PER_TEST = 20
COUNT = int(os.environ.get("WARP_RANDOM_RARE", "20000" if SOAK else "80"))
MODES = ["auto", *WIDTHS]
FUNCTIONS = rare_kernels.table()
# Threads of kernels with a few functions: all rare first arguments, and some of the second. The last group is not full.
SOME = 90 * rare_values.BLOCK + 21
# Of types that are computed in wider ones, a hundred values take seconds to compile: most is left to a soak.
SLOW = {"float16": [4, 16, 32, 64], "bfloat16": ["auto", 2, 16, 32, 64], "float32": [], "float64": [64]}

# Programs of more lines are compiled for groups of 16 at most: wider ones take seconds, also unoptimised ones, which
# are optimised where they would need more stack than threads have.
MOST_LINES = 40

each_type = pytest.mark.parametrize("dtype", DTYPES)
each_mode = pytest.mark.parametrize("lanes", MODES)


def parts(dtype: str, lanes: str | int, size: int, rounds: int = 1) -> list[list[Function]]:
    """The functions, `size` to a kernel. A soak takes all kernels for each mode; ordinary runs take each for one mode,
    another one for each type, or with several `rounds` for some types only."""
    groups = [FUNCTIONS[at : at + size] for at in range(0, len(FUNCTIONS), size)]
    turn = DTYPES.index(dtype) * (len(MODES) + 1) + MODES.index(lanes)
    return [group for k, group in enumerate(groups) if SOAK or (k + turn) % (rounds * len(MODES)) == 0]


@cache
def arguments(dtype: str) -> dict[str, np.ndarray]:
    return dict(zip("xyz", rare_values.lanes_of_rare(dtype), strict=True))


def some(dtype: str, **more: np.ndarray) -> dict[str, np.ndarray]:
    """The first arguments, and where threads write and how often they go round."""
    rng = np.random.default_rng(1)
    values = {name: a[:SOME] for name, a in arguments(dtype).items()}
    ints = {"at": rng.permutation(SOME), "trips": rng.integers(0, 4, SOME)}
    return {**values, **{name: a.astype(np.int32) for name, a in ints.items()}, **more}


def rows(dtype: str, count: int, size: int) -> np.ndarray:
    return np.zeros((count, size), rare_values.numpy_type(dtype))


def note(functions: list[Function], *more: object) -> str:
    return " ".join(map(str, [*(f.name for f in functions), *more]))


def values_of_all(dtype: str, lanes: str | int, launch: Callable = wp.launch) -> list[np.ndarray]:
    """All functions of all arguments, in a few kernels: one of them all takes longer to compile than these together."""
    values, found = arguments(dtype), []
    for at in range(0, len(FUNCTIONS), 14):
        functions = FUNCTIONS[at : at + 14]
        out = rows(dtype, len(functions), len(values["x"]))
        found += [*rare_kernels.every_function(functions).run(dtype, lanes, {**values, "out": out}, launch)["out"]]
    return found


@cache
def one_by_one(dtype: str) -> list[np.ndarray]:
    return values_of_all(dtype, "never")


def test_the_table_has_the_functions_of_mathematics() -> None:
    arity = {f.name: f.arity for f in FUNCTIONS}
    assert arity["sin"] == arity["isnan"] == 1
    assert arity["pow"] == arity["mod"] == 2
    assert arity["clamp"] == 3
    assert rare_kernels.NEARLY <= set(arity)


@each_mode
@each_type
def test_functions_of_rare_values_have_the_same_bits_at_any_width(dtype: str, lanes: str | int) -> None:
    given = arguments(dtype).values()
    for f, got, want in zip(FUNCTIONS, values_of_all(dtype, lanes), one_by_one(dtype), strict=True):
        assert_same(got, want, note([f], dtype, lanes), *given)


@each_type
def test_functions_of_rare_values_are_the_interpreters(dtype: str) -> None:
    values = arguments(dtype)
    wanted = values_of_all(dtype, "never", _warp.interpret)
    for f, got, want in zip(FUNCTIONS, one_by_one(dtype), wanted, strict=True):
        ulps = 4.0
        if f.name == "erfcinv" and dtype == "float64":
            # The interpreter's is less exact than native code, and for denormals loses most digits or knows nothing.
            want = np.where(np.abs(values["x"]) < np.finfo(np.float64).tiny, got, want)
            ulps = 64.0
        if f.name in rare_kernels.NEARLY:
            assert_near(got, want, dtype, ulps, note([f], dtype), *values.values())
        else:
            assert_same(got, want, note([f], dtype), *values.values())


@each_mode
@each_type
def test_sums_beside_rare_calls_are_right(dtype: str, lanes: str | int) -> None:
    wide = rare_values.numpy_type(rare_kernels.wide(dtype))
    sums = {name: np.zeros(size, wide) for name, size in (("total", 8), ("raw", 8), ("some", 50))}
    for functions in parts(dtype, lanes, 2):
        kernel, values = rare_kernels.summing(functions), some(dtype, **sums, own=rows(dtype, 1, SOME)[0])
        got, want = kernel.run(dtype, lanes, values), kernel.run(dtype, "never", values)
        about = note(functions, dtype, lanes)
        for name in ("total", "some", "own"):
            assert_same(got[name], want[name], f"{about} {name}")
        # Each number is below 100.
        bound = 1000 * SOME * np.finfo(wide).eps
        np.testing.assert_allclose(got["raw"], want["raw"], rtol=0, atol=bound, err_msg=about)


# The type of sums, that of the calls, and whether arguments have the type of the calls.
MIXED = [
    ("float32", "float64", False),
    ("float32", "float64", True),
    ("float16", "float32", False),
    ("float64", "float32", True),
    ("bfloat16", "float64", False),
]


@pytest.mark.parametrize("lanes", MODES)
@pytest.mark.parametrize(("dtype", "other", "has_other_arguments"), MIXED)
def test_calls_in_another_type_than_sums(dtype: str, other: str, has_other_arguments: bool, lanes: str | int) -> None:
    turn = MODES.index(lanes) + len(MODES) * MIXED.index((dtype, other, has_other_arguments))
    # What users of the ordinary setting have.
    is_common = (dtype, has_other_arguments, lanes) == ("float32", True, "auto")
    for k, f in enumerate(FUNCTIONS):
        for has_loop in (False, True):
            mine = (k + 13 * has_loop + turn) % (4 * len(MODES)) == 0
            if not (SOAK or mine or (is_common and not has_loop)):
                continue
            values = some(dtype, total=rows(rare_kernels.wide(dtype), 1, 1)[0], last=rows(dtype, 1, SOME)[0])
            values |= {name: a for name, a in some(other).items() if name in "xyz" and has_other_arguments}
            values["w"] = rare_values.ordinary(dtype, np.random.default_rng(4), 4)
            kernel = rare_kernels.mixing(f, other, has_other_arguments, has_loop)
            got, want = (kernel.run(dtype, mode, values) for mode in (lanes, "never"))
            for name in ("total", "last"):
                assert_same(got[name], want[name], note([f], dtype, other, lanes, name, "loop" * has_loop))


@each_mode
@each_type
def test_what_lives_across_rare_calls_stays(dtype: str, lanes: str | int) -> None:
    for functions in parts(dtype, lanes, 2, rounds=2):
        values = some(dtype, out=rows(dtype, 2 * len(functions), SOME), kept=np.zeros(SOME, np.int32))
        kernel = rare_kernels.living(functions)
        got, want = kernel.run(dtype, lanes, values), kernel.run(dtype, "never", values)
        for name in ("out", "kept"):
            assert_same(got[name], want[name], note(functions, dtype, lanes, name))


@each_mode
@each_type
def test_a_hundred_values_live_across_rare_calls(dtype: str, lanes: str | int) -> None:
    if lanes in SLOW[dtype] and not SOAK:
        pytest.skip("left to a soak")
    of = [f for f in FUNCTIONS if f.name in rare_kernels.NEARLY or f.name == "mod"]
    turn = DTYPES.index(dtype) + len(DTYPES) * MODES.index(lanes)
    pairs = [[f, of[k - 1]] for k, f in enumerate(of)]
    for functions in pairs[turn % 3 :: 3] if SOAK else [pairs[turn * 3 % len(pairs)]]:
        kernel, values = rare_kernels.hundred(functions), some(dtype, lived=rows(dtype, rare_kernels.LIVE, SOME))
        got, want = (kernel.run(dtype, mode, values)["lived"] for mode in (lanes, "never"))
        assert_same(got, want, note(functions, dtype, lanes))


@each_mode
@each_type
def test_gradients_at_rare_values_have_the_same_bits(dtype: str, lanes: str | int) -> None:
    for functions in parts(dtype, lanes, 8):
        given = [arguments(dtype)[name][:SOME] for name in "xyz"]
        values = {name: np.tile(a, (len(functions), 1)) for name, a in zip("xyz", given, strict=True)}
        values["out"] = rows(dtype, len(functions), SOME)
        seeds = {"out": rare_values.ordinary(dtype, np.random.default_rng(2), values["out"].size)}
        seeds["out"] = seeds["out"].reshape(values["out"].shape)
        kernel = rare_kernels.each_of_its_own(functions)
        got, want = (kernel.slopes(dtype, mode, values, seeds) for mode in (lanes, "never"))
        for name in "xyz":
            for f, mine, other in zip(functions, got[name], want[name], strict=True):
                assert_same(mine, other, note([f], dtype, lanes, "by", name), *given)


def trips(rng: np.random.Generator) -> np.ndarray:
    """Of some groups one lane goes round for long, of some one lane does not, and of others some lanes do."""
    few = rng.integers(0, 4, (5, rare_values.BLOCK))
    few[0, rng.integers(rare_values.BLOCK)] = 3000
    few[1] = 1500
    few[1, rng.integers(rare_values.BLOCK)] = 3
    some = rng.random((2, rare_values.BLOCK)) < 0.3
    few[2:4][some] = rng.integers(500, 1000, some.sum())
    return few.ravel()[:-11].astype(np.int32)


@each_mode
@each_type
def test_loops_that_lanes_leave_early_have_the_same_bits(dtype: str, lanes: str | int) -> None:
    rng = np.random.default_rng(3)
    count = trips(rng)
    turn = DTYPES.index(dtype) + MODES.index(lanes)
    for k, step in enumerate(STEPS):
        if not SOAK and (k + turn) % len(MODES):
            continue
        values = {name: rare_values.rounded(rng.uniform(-1.0, 1.0, len(count)), dtype) for name in "xyz"}
        for a in values.values():
            edges = rng.random(len(count)) < 0.05
            a[edges] = rng.choice(rare_values.rare(dtype), edges.sum())
        values |= {"trips": count, "last": rows(dtype, 1, len(count))[0]}
        seeds = {"last": rare_values.ordinary(dtype, rng, len(count))}
        kernel = rare_kernels.chasing(step)
        got, want = (kernel.run(dtype, mode, values)["last"] for mode in (lanes, "never"))
        assert_same(got, want, f"{step} {dtype} {lanes}", values["x"], values["y"], count)
        got, want = (kernel.slopes(dtype, mode, values, seeds) for mode in (lanes, "never"))
        for name in "xy":
            about = f"{step} {dtype} {lanes}, gradient of {name}"
            assert_same(got[name], want[name], about, values["x"], values["y"], count)


def after(program: Generator, text: str, seed: int, lanes: str | int, level: int | None, by: str) -> list[np.ndarray]:
    """What a program leaves in its arrays `by` a launch or the interpreter, or the gradients of these."""
    size, values, n, p = program.values(seed)
    rng = np.random.default_rng(seed + 1)
    with rare_kernels.compiled_as(lanes, level):
        kernel = random_kernels.compile_text(text, {"wp": wp}, f"rare {seed} {lanes} {level} {by}")["kernel"]
        if by != "gradients":
            arrays = program.given(values)
            (_warp.interpret if by == "interpreter" else wp.launch)(kernel, dim=size, inputs=[*arrays, n, p])
            return [rare_values.to_numpy(a) for a in arrays]
        arrays = program.given(values, requires_grad=True)
        seeds = [program.mixed(rng, len(v)) if a.is_float else v for a, v in zip(program.arrays, values, strict=True)]
        given = zip(program.arrays, arrays, program.given(seeds), strict=True)
        with wp.Tape() as tape:
            wp.launch(kernel, dim=size, inputs=[*arrays, n, p])
        tape.backward(grads={array: grad for of, array, grad in given if of.use in WRITTEN})
    return [rare_values.to_numpy(a.grad if a.requires_grad else a) for a in arrays]


def assert_sums(got: np.ndarray, want: np.ndarray, scale: float, about: str) -> None:
    """Sums over threads, whose order is open, of numbers up to `scale`."""
    tolerance = {8: 1e-9, 4: 1e-3}[want.itemsize] * scale
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.abs(got - want) <= tolerance
    # Which numbers meet first decides whether a sum overflows, or whether infinities meet.
    near |= ~np.isfinite(got) & ~np.isfinite(want)
    near |= (np.isinf(got) | np.isinf(want) | np.isnan(got) | np.isnan(want)) & (scale > np.finfo(want.dtype).max / 1e6)
    assert_same(np.where(near, want, got), want, about)


def check_program(seed: int) -> None:
    program = Generator(seed)
    text = program.program()
    # What is not optimised has other mistakes, and compiles fast.
    lanes, level = MODES[seed // 2 % len(MODES)], None if seed % 8 in (0, 3) else 0
    if lanes in (32, 64) and text.count("\n") > MOST_LINES:
        lanes = 16
    about = f"seed {seed}, {program.dtype}, lanes {lanes}, level {level}\n{text}"
    alone = after(program, text, seed, "never", 0, "launch")
    if program.is_exact:
        wanted = after(program, text, seed, "never", 0, "interpreter")
        for array, got, want in zip(program.arrays, alone, wanted, strict=True):
            assert_same(got, want, f"{array} beside the interpreter, {about}")
    grouped = after(program, text, seed, lanes, level, "launch")
    for array, got, want in zip(program.arrays, grouped, alone, strict=True):
        assert_same(got, want, f"{array}, {about}")
    if seed % 2:
        return
    alone = after(program, text, seed, "never", 0, "gradients")
    grouped = after(program, text, seed, lanes, level, "gradients")
    finite = [np.abs(a[np.isfinite(a)]).max(initial=0) for a in alone if a.dtype.kind == "f"]
    for array, got, want in zip(program.arrays, grouped, alone, strict=True):
        if array.use not in SHARED_READS:
            assert_same(got, want, f"gradient of {array}, {about}")
        elif program.dtype in ("float32", "float64"):
            assert_sums(got, want, max(finite), f"gradient of {array}, {about}")


@pytest.mark.parametrize("first", range(0, COUNT, PER_TEST))
def test_programs_on_rare_values_have_the_same_bits_at_any_width(first: int) -> None:
    for seed in range(first, min(first + PER_TEST, COUNT)):
        check_program(seed)
