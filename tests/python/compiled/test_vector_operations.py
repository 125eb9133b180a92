"""Operations that LLVM or processors lack on vectors: the bits of scalar code in straight kernels and in lanes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

from randomized import random_kernels

FLOATS = ["float16", "float32", "float64"]
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
# Lanes, and the optimisation level: scalar code, vectors that LLVM makes, and groups of lanes.
MODES: list[tuple[Any, int]] = [("never", 0), ("never", 2), ("always", 2), (4, 2)]


def run(body: str, a: np.ndarray, b: np.ndarray, result: str, mode: tuple[Any, int]) -> np.ndarray:
    """What a kernel computes of the elements of two arrays."""
    taken = a.dtype.name
    text = f"""
@wp.kernel
def kernel(x: wp.array(dtype=wp.{taken}), y: wp.array(dtype=wp.{taken}), out: wp.array(dtype=wp.{result})):
    i = wp.tid()
    a = x[i]
    b = y[i]
    out[i] = wp.{result}({body})
"""
    old = wp.config.lanes, wp.config.optimization_level
    wp.config.lanes, wp.config.optimization_level = mode
    try:
        kernel = random_kernels.compile_text(text, {"wp": wp}, f"{body} of {taken} as {result}, {mode}")["kernel"]
        arrays = [wp.array(v, dtype=getattr(wp, taken)) for v in (a, b)]
        out = wp.zeros(a.size, dtype=getattr(wp, result))
        wp.launch(kernel, dim=a.size, inputs=[*arrays, out])
        return out.numpy()
    finally:
        wp.config.lanes, wp.config.optimization_level = old


def check_modes(body: str, a: np.ndarray, b: np.ndarray, result: str) -> np.ndarray:
    want = run(body, a, b, result, MODES[0])
    for mode in MODES[1:]:
        got = run(body, a, b, result, mode)
        # Bits: zeros have signs. One NaN is as good as another.
        same = (got == want) & (np.signbit(got) == np.signbit(want)) | (got != got) & (want != want)
        assert same.all(), (body, mode, a[~same][:5], b[~same][:5], got[~same][:5], want[~same][:5])
    return want


def every_half() -> np.ndarray:
    return np.arange(1 << 16, dtype=np.uint16).view(np.float16)


def floats(dtype: str) -> np.ndarray:
    """Numbers about the limits of all integer types, and others of any size."""
    if dtype == "float16":
        return every_half()
    rng = np.random.default_rng(1)
    limits = np.array([s * 2.0**k for k in (0, 7, 8, 15, 16, 31, 32, 63, 64) for s in (-1, 1)], dtype=dtype)
    near = [limits]
    for towards in (-np.inf, np.inf):
        for _ in range(3):
            near.append(np.nextafter(near[-1], np.array(towards, dtype=dtype)))
    halves = np.concatenate([limits + np.array(d, dtype=dtype) for d in (-1.5, -1, -0.5, 0.5, 1, 1.5)])
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3e38, -3e38], dtype=dtype)
    bits = rng.integers(0, 1 << 32, 5000).astype(np.uint32).view(np.float32).astype(dtype)
    return np.concatenate([*near, halves, special, bits])


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("to", INTEGERS)
@pytest.mark.parametrize("of", FLOATS)
def test_floats_become_integers_as_scalars_do(of: str, to: str) -> None:
    a = floats(of)
    got = check_modes("a", a, a, to)
    info = np.iinfo(to)
    finite = np.where(np.isnan(a), 0, np.trunc(a.astype(np.longdouble)))
    want = np.clip(finite, np.longdouble(info.min), np.longdouble(info.max)).astype(to)
    np.testing.assert_array_equal(got, want)


def quotients(a: np.ndarray, b: np.ndarray) -> dict[str, np.ndarray]:
    """Division by definition, in Python's integers; 0 where the divisor is 0."""
    info = np.iinfo(a.dtype)

    def wrapped(f: Any) -> np.ndarray:
        pairs = zip(a.tolist(), b.tolist(), strict=True)
        exact = [0 if y == 0 else f(x, y) for x, y in pairs]
        # The smallest number by -1 wraps.
        return np.array([info.min if q > info.max else q for q in exact], dtype=a.dtype)

    def truncated(x: int, y: int) -> int:
        return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)

    return {
        "a / b": wrapped(truncated),
        "a // b": wrapped(lambda x, y: x // y),
        "a % b": wrapped(lambda x, y: x - truncated(x, y) * y),
    }


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_divide_as_scalars_do(dtype: str) -> None:
    info = np.iinfo(dtype)
    if info.bits == 8:
        a, b = (v.ravel() for v in np.meshgrid(*[np.arange(info.min, info.max + 1, dtype=dtype)] * 2))
    else:
        rng = np.random.default_rng(2)
        few = np.array([0, 1, 2, 3, 7, info.max, info.max - 1, info.min, info.min + 1], dtype=dtype)
        few = np.concatenate([few, (0 - few).astype(dtype)])
        some = rng.integers(info.min, info.max, 60, dtype=dtype, endpoint=True)
        some = np.concatenate([few, some, some >> np.array(info.bits // 2, dtype=dtype)])
        a, b = (v.ravel() for v in np.meshgrid(some, some))
    for body, want in quotients(a, b).items():
        np.testing.assert_array_equal(check_modes(body, a, b, dtype), want, err_msg=body)


HALVES = """a + b; a - b; a * b; a / b; a % b; -a; a * b + a; wp.abs(a); wp.floor(a); wp.ceil(a); wp.round(a);
wp.rint(a); wp.trunc(a); wp.frac(a); wp.sign(a); wp.step(a); wp.sqrt(a); wp.nonzero(a); wp.floor(a * b) + a;
wp.min(a, b); wp.max(a, b); wp.clamp(a, b, wp.float16(2.0)); wp.where(a < b, a, b); wp.where(a == b, a * b, a)"""


@pytest.mark.parametrize("body", [text.strip() for text in HALVES.split(";")])
def test_numbers_of_16_bits_compute_as_scalars_do(body: str) -> None:
    a = every_half()
    check_modes(body, a, np.random.default_rng(3).permutation(a), "float16")
