"""Random programs of several launches: gradients of the tape = central differences, whatever is overwritten."""

from __future__ import annotations

import os

import numpy as np
import pytest
import warp as wp

from . import random_kernels, random_programs
from .random_programs import SIZE, Program

PER_TEST = 50
COUNT = int(os.environ.get("WARP_RANDOM_PROGRAMS", "10000" if random_kernels.SOAK else "200"))
NAMES = "abuv"
SHAPES = {"a": (SIZE,), "b": (SIZE,), "u": (SIZE, 2), "v": (SIZE, 2)}


def arrays(values: dict[str, np.ndarray], grad: bool) -> random_programs.Arrays:
    dtypes = {"a": wp.float64, "b": wp.float64, "u": wp.vec2d, "v": wp.vec2d}
    return {name: wp.array(values[name], dtype=dtypes[name], requires_grad=grad) for name in NAMES}


def differences(program: Program, values, seeds, step: float = 1e-6):
    """Central differences of the seeded sum, where a kink makes them meaningless, and what rounding does to them."""
    largest = 0.0

    def objective() -> float:
        nonlocal largest
        last = program.run(arrays(values, False))
        terms = [seeds[name] * last[name].numpy() for name in NAMES]
        largest = max(largest, *(float(np.abs(t).max()) for t in terms))
        return sum(float(t.sum()) for t in terms)

    base = objective()
    slopes, smooth = [], []
    for name in NAMES:
        flat = values[name].reshape(-1)
        for i in range(flat.size):
            kept = flat[i]
            flat[i] = kept + step
            up = objective()
            flat[i] = kept - step
            down = objective()
            flat[i] = kept
            slope = (up - down) / (2 * step)
            slopes.append(slope)
            smooth.append(abs(up - 2 * base + down) / step < 1e-3 * (1 + abs(slope)))
    return np.array(slopes), np.array(smooth), 1e-15 * largest / step


def gradients(program: Program, values, seeds, when: int) -> np.ndarray:
    # The leaves are what the program's arrays are copied from, so that nothing overwrites them.
    leaves, used = arrays(values, True), arrays(values, True)
    with wp.Tape() as tape:
        for name in NAMES:
            wp.copy(used[name], leaves[name])
        last = program.run(used)
    if when % 2:
        # Whatever happens to the arrays after the recording.
        for array in used.values():
            array.fill_(0.5)
    given = {last[name]: wp.array(seeds[name], dtype=last[name].dtype) for name in NAMES}
    for _ in range(1 + when % 3 // 2):
        for name in NAMES:
            leaves[name].grad.zero_()
        tape.backward(grads=given)
    return np.concatenate([leaves[name].grad.numpy().reshape(-1) for name in NAMES])


@pytest.mark.parametrize("first", range(0, COUNT, PER_TEST))
def test_gradients(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    checked = 0
    for seed in range(first, min(first + PER_TEST, COUNT)):
        monkeypatch.setattr(wp.config, "optimization_level", random_kernels.optimization_level(seed))
        program = Program(seed)
        rng = np.random.default_rng(seed)
        values = {name: rng.uniform(-1.5, 1.5, SHAPES[name]) for name in NAMES}
        seeds = {name: rng.uniform(-1.0, 1.0, SHAPES[name]) for name in NAMES}
        slopes, smooth, noise = differences(program, values, seeds)
        found = gradients(program, values, seeds, seed)
        note = f"seed {seed}\n{program}"
        np.testing.assert_allclose(found[smooth], slopes[smooth], rtol=2e-5, atol=2e-7 + noise, err_msg=note)
        checked += int(smooth.sum())
    assert checked > PER_TEST * SIZE, "most points are smooth"
