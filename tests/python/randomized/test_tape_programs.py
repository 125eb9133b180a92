"""Gradients of random programs that read and overwrite parts of one array, against torch's and finite differences."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

from .tape_programs import Program, torch_gradients, warp_gradients


@pytest.mark.parametrize("seed", range(80))
def test_random_programs(seed):
    program = Program(np.random.default_rng(seed))
    want = torch_gradients(program)
    found, kept = warp_gradients(program, passes=2)
    for gradient in found:
        np.testing.assert_allclose(gradient, want, rtol=1e-9, atol=1e-11)
    # At most what a copy of all for each step would be, and as much again for logs.
    assert kept <= 2 * 8 * program.size * (len(program.steps) + 1)


@pytest.mark.parametrize("seed", range(3))
def test_random_programs_by_finite_differences(seed):
    program = Program(np.random.default_rng(1000 + seed))
    gradient = torch_gradients(program)
    step = 1e-6
    for at in range(0, program.size, 5):
        up, down = program.start.copy(), program.start.copy()
        up[at] += step
        down[at] -= step
        slope = (program.value(up) - program.value(down)) / (2 * step)
        np.testing.assert_allclose(gradient[at], slope, rtol=1e-5, atol=1e-7)
