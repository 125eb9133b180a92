"""Random kernels over the whole language: native code = CPython = interpreter, gradients = central differences.

Threads run in groups of some width, and give the bits that they give one by one without optimisation."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
import warp as wp
from warp import _warp

from . import random_kernels, random_language

SIZE = 17  # a group of any width, and one thread that is left over
LANES = ["auto", 2, 4, 8, 16, 32]
PER_TEST = 50
COUNT = int(os.environ.get("WARP_RANDOM_LANGUAGE", "100000" if random_kernels.SOAK else "900"))
# Of x, u, y, v, m, out and acc, in the order of the kernel's parameters.
SHAPES = [(SIZE,), (SIZE, 3), (SIZE,), (SIZE, 3), (SIZE, 3), (SIZE,), (1,)]
DTYPES = [wp.float64, wp.vec3d, wp.float64, wp.vec3d, wp.float64, wp.float64, wp.float64]
# The first ones go in. Those from `WRITTEN` on come out.
GIVEN, WRITTEN = 5, 2


def inputs(seed: int):
    rng = np.random.default_rng(seed)
    given = [rng.uniform(-1.5, 1.5, shape) for shape in SHAPES[:GIVEN]]
    return given, int(rng.integers(0, 5)), float(rng.uniform(-1.0, 1.0))


def forward(run, given, n: int, p: float):
    arrays = [a.copy() for a in given] + [np.zeros(shape) for shape in SHAPES[GIVEN:]]
    run(arrays, n, p)
    return arrays[WRITTEN:]


def differences(run, given, n: int, p: float, seeds, step: float = 1e-6):
    """Central differences of the seeded sum along one random direction of each array, and where a kink spoils them."""
    rng = np.random.default_rng(n)

    def objective(given):
        return sum(float(np.vdot(s, r)) for s, r in zip(seeds, forward(run, given, n, p), strict=True))

    base = objective(given)
    directions, slopes, smooth = [], [], []
    for at in range(GIVEN):
        direction = rng.uniform(-1.0, 1.0, SHAPES[at])
        up, down = (
            objective([a + by * direction if k == at else a for k, a in enumerate(given)]) for by in (step, -step)
        )
        slope = (up - down) / (2 * step)
        directions.append(direction)
        slopes.append(slope)
        smooth.append(abs(up - 2 * base + down) / step < 1e-3 * (1 + abs(slope)))
    return directions, np.array(slopes), np.array(smooth)


def gradients(kernel, given, n: int, p: float, seeds):
    arrays = [wp.array(a, dtype=dtype, requires_grad=True) for a, dtype in zip(given, DTYPES, strict=False)]
    # What the kernel overwrites is made from a leaf, whose gradient is that of the content before.
    with wp.Tape() as tape:
        passed = arrays[:WRITTEN] + [wp.clone(a) for a in arrays[WRITTEN:]]
        passed += [wp.zeros(shape, dtype=wp.float64, requires_grad=True) for shape in SHAPES[GIVEN:]]
        wp.launch(kernel, dim=SIZE, inputs=[*passed, n, p])
    written = zip(passed[WRITTEN:], seeds, DTYPES[WRITTEN:], strict=True)
    tape.backward(grads={a: wp.array(s, dtype=dtype) for a, s, dtype in written})
    return [a.grad.numpy() for a in arrays]


@pytest.mark.parametrize("first", range(0, COUNT, PER_TEST))
def test_values_and_gradients(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    checked = 0
    scalar = {"optimization_level": 0, "lanes": "never"}
    for seed in range(first, min(first + PER_TEST, COUNT)):
        monkeypatch.setattr(wp.config, "optimization_level", random_kernels.optimization_level(seed))
        monkeypatch.setattr(wp.config, "lanes", LANES[seed % len(LANES)])
        text = random_language.Generator(seed).program()
        kernel = random_kernels.compile_text(text, {"wp": wp, "Any": Any}, f"language {seed}")["kernel"]
        given, n, p = inputs(seed)
        note = f"seed {seed}, n={n}, p={p}\n{text}"

        def run(arrays, n, p, kernel=kernel, with_=wp.launch):
            with_(kernel, dim=SIZE, inputs=[*arrays, n, p])

        native = forward(run, given, n, p)
        interpreted = forward(lambda *of, run=run: run(*of, with_=_warp.interpret), given, n, p)
        plain = forward(lambda *of, text=text: random_language.run_plain(text, "language", *of), given, n, p)
        for got, again, want in zip(native, interpreted, plain, strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-12, err_msg=note)
            np.testing.assert_allclose(again, want, rtol=1e-11, atol=1e-12, err_msg=note)

        rng = np.random.default_rng(seed + 1)
        seeds = [rng.uniform(-1, 1, shape) for shape in SHAPES[WRITTEN:]]
        directions, slopes, smooth = differences(run, given, n, p, seeds)
        found = np.array(
            [np.vdot(g, d) for g, d in zip(gradients(kernel, given, n, p, seeds), directions, strict=True)]
        )
        np.testing.assert_allclose(found[smooth], slopes[smooth], rtol=5e-5, atol=1e-6, err_msg=note)
        checked += int(smooth.sum())

        with monkeypatch.context() as patch:
            for name, value in scalar.items():
                patch.setattr(wp.config, name, value)
            alone = random_kernels.compile_text(text, {"wp": wp, "Any": Any}, f"alone {seed}")["kernel"]
            one_by_one = forward(lambda *of, run=run, alone=alone: run(*of, kernel=alone), given, n, p)
            slopes_alone = gradients(alone, given, n, p, seeds)
        # Sums by atomics have no order.
        for got, want in zip(native[:-1], one_by_one[:-1], strict=True):
            np.testing.assert_array_equal(got, want, err_msg=note)
        np.testing.assert_allclose(native[-1], one_by_one[-1], rtol=1e-12, atol=1e-13, err_msg=note)
        for got, want in zip(gradients(kernel, given, n, p, seeds), slopes_alone, strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-12, err_msg=note)
    assert checked > PER_TEST * GIVEN // 2, "most directions are smooth"
