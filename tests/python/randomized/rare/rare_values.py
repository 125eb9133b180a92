"""Floats of every type as NumPy has them: ordinary ones, rare ones, and how they are compared.

Those of bfloat16 are float32 with the low half of the bits zero.
"""

from __future__ import annotations

import numpy as np
import warp as wp

DTYPES = ["float16", "bfloat16", "float32", "float64"]
WIDTHS = [2, 4, 8, 16, 32, 64]


# Threads of the largest group.
BLOCK = 64


def numpy_type(dtype: str) -> type:
    return {"float16": np.float16, "float64": np.float64}.get(dtype, np.float32)


def rounded(values: np.ndarray, dtype: str) -> np.ndarray:
    """The nearest numbers of a type."""
    with np.errstate(over="ignore"):
        values = np.asarray(values).astype(numpy_type(dtype))
    if dtype != "bfloat16":
        return values
    bits = values.view(np.uint32).astype(np.uint64)
    even = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return np.where(np.isnan(values), np.float32(np.nan), even.astype(np.uint32).view(np.float32))


def to_warp(values: np.ndarray, dtype: str, **options: bool) -> wp.array:
    if dtype != "bfloat16":
        return wp.array(values, dtype=getattr(wp, dtype), **options)
    halves = (np.ascontiguousarray(values).view(np.uint32) >> 16).astype(np.uint16)
    array = wp.zeros(halves.shape, dtype=wp.bfloat16, **options)
    wp.copy(array, wp.array(halves, dtype=wp.uint16).view(wp.bfloat16))
    return array


def to_numpy(array: wp.array) -> np.ndarray:
    if array.dtype is not wp.bfloat16:
        return array.numpy()
    return (array.view(wp.uint16).numpy().astype(np.uint32) << 16).view(np.float32)


def bits(values: np.ndarray) -> np.ndarray:
    """What is compared: the sign of zero counts, and all NaNs are one value."""
    if values.dtype.kind != "f":
        return values
    one = np.where(np.isnan(values), values.dtype.type(np.nan), values)
    return one.view(f"u{values.itemsize}")


def assert_same(got: np.ndarray, want: np.ndarray, note: str, *given: np.ndarray) -> None:
    """Bit for bit; names the first elements that differ, and what was given there."""
    differ = np.argwhere(bits(got) != bits(want))
    rows = [
        f"at {tuple(map(int, at))}: {got[tuple(at)]!r}, not {want[tuple(at)]!r}, of {[a[at[-1]] for a in given]}"
        for at in differ[:8]
    ]
    assert not rows, "\n".join([f"{note}: {len(differ)} of {got.size} differ", *rows])


def assert_near(got: np.ndarray, want: np.ndarray, dtype: str, ulps: float, note: str, *given: np.ndarray) -> None:
    """Within some units in the last place of a type; NaN and infinities are where they should be."""
    unit = 2**16 if dtype == "bfloat16" else 1
    with np.errstate(invalid="ignore", over="ignore"):
        spacing = np.spacing(np.abs(np.where(np.isfinite(want), want, 1))) * unit
        far = ~(np.abs(got - want) <= ulps * spacing)
    assert_same(np.where(far, got, want), want, note, *given)


def rare(dtype: str) -> np.ndarray:
    """Numbers at the edges: of the type, of domains, of where fast ways end. No two are the same."""
    info = np.finfo(numpy_type(dtype))
    tiny, denormal, largest, one = info.tiny, info.smallest_subnormal, info.max, 1 + info.eps
    if dtype == "bfloat16":
        tiny, denormal, largest, one = 2.0**-126, 2.0**-133, 2.0**128 - 2.0**120, 1 + 2.0**-7
    # Largest angles without the C library, arguments of exp, sinh and erf that overflow or vanish.
    edges = [
        30_000.0,
        30_001.0,
        1e9,
        1e9 + 1,
        88.8,
        -103.5,
        709.8,
        -745.2,
        11.1,
        -17.4,
        27.3,
        4.1,
        -6.0,
        0.5,
        1.5,
        -2.5,
    ]
    large = [1e4, 1e20, 1e300, 2.0**23 + 1, 2.0**52 + 1, 2.0**31, -(2.0**63), largest, largest / 2]
    small = [0.0, denormal, 3 * denormal, tiny, tiny - denormal, 1e-20, 1e-300, 1 - info.eps, one, 1.0, 2.0]
    all_of = np.array([*edges, *large, *small, -1.0, np.inf, np.nan])
    values = rounded(np.concatenate([all_of, -all_of]), dtype)
    return np.unique(bits(values)).view(numpy_type(dtype))


def ordinary(dtype: str, rng: np.random.Generator, count: int) -> np.ndarray:
    """Numbers in the domain of every function, for which none leaves its fast way."""
    return rounded(rng.uniform(0.05, 0.95, count), dtype)


def lanes_of_rare(dtype: str, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three arguments for each thread: groups with one, with some and with nothing but rare lanes.

    The last group is none of a full size."""
    rng = np.random.default_rng(seed)
    edges = rare(dtype)

    def plain() -> np.ndarray:
        return ordinary(dtype, rng, BLOCK)

    def one(value: np.generic, at: int) -> tuple[np.ndarray, np.ndarray]:
        """A group with one rare lane, in one argument or the other."""
        block = plain(), plain()
        block[at][rng.integers(BLOCK)] = value
        return block

    blocks = [(plain(), plain()), *(one(value, 0) for value in edges)]
    for share in (0.1, 0.25, 0.5, 0.9):
        block = plain(), plain()
        for argument in block:
            some = rng.random(BLOCK) < share
            argument[some] = rng.choice(edges, some.sum())
        blocks.append(block)
    for run in (1, 2, 4, 8, 16, 32):
        # Whole groups of a width beside groups without any.
        some = np.arange(BLOCK) // run % 2 == 0
        blocks.append((np.where(some, rng.choice(edges, BLOCK), plain()), plain()))
    blocks += [one(value, 1) for value in edges]
    pairs = np.stack([a.ravel() for a in np.meshgrid(edges, edges)])
    pairs = pairs[:, rng.permutation(pairs.shape[1])]
    x, y = (np.concatenate([*(b[k] for b in blocks), pairs[k], ordinary(dtype, rng, 37)]) for k in (0, 1))
    if len(x) % BLOCK == 0:
        x, y = x[:-1], y[:-1]
    return x, y, np.roll(y, 7)
