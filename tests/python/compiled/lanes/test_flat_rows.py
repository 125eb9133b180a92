"""Kernels on a flat index whose work runs in lanes: each row of the grid is a subrange."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp
from warp import _warp


@wp.kernel
def waves(old: wp.array2d(dtype=float), out: wp.array2d(dtype=float), n: int, m: int):
    t = wp.tid()
    i = t // m
    j = t % m
    if i == 0 or j == 0 or j == m - 1:
        return
    out[i, j] = wp.pow(wp.sin(old[i - 1, j]), 2.0) * wp.exp(old[i, j - 1]) + wp.tanh(old[i, j + 1])


def test_lanes_divide_a_flat_index_once_per_row() -> None:
    report = waves.report()
    assert "body 'inner.lanes': gangs of" in report
    assert "divided once per row" in report
    interior = report[report.index("body 'inner.lanes'") :]
    assert "gathers" not in interior
    for n, m in ((9, 100), (40, 17), (300, 5), (1, 33), (3, 1)):
        old = np.random.default_rng(n).random((n, m), dtype=np.float32)
        out, again = (wp.zeros((n, m), dtype=float) for _ in range(2))
        wp.launch(waves, n * m, inputs=[old, out, n, m])
        _warp.interpret(waves, n * m, [old, again, n, m])
        np.testing.assert_allclose(out.numpy(), again.numpy(), rtol=1e-5, err_msg=f"{n} x {m}")


@pytest.mark.parametrize("shape", [(40, 100), (7, 17), (3, 5)])
def test_the_adjoint_is_that_of_two_indices(shape: tuple[int, int]) -> None:
    @wp.kernel
    def on_two(old: wp.array2d(dtype=float), out: wp.array2d(dtype=float), n: int, m: int):
        i, j = wp.tid()
        if i == 0 or j == 0 or j == m - 1:
            return
        out[i, j] = wp.pow(wp.sin(old[i - 1, j]), 2.0) * wp.exp(old[i, j - 1]) + wp.tanh(old[i, j + 1])

    found = []
    for kernel, dim in ((waves, shape[0] * shape[1]), (on_two, shape)):
        old = wp.array(np.random.default_rng(1).random(shape, dtype=np.float32), requires_grad=True)
        out = wp.zeros(shape, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(kernel, dim, inputs=[old, out, *shape])
        tape.backward(grads={out: wp.array(np.random.default_rng(2).random(shape, dtype=np.float32))})
        found.append(old.grad.numpy())
    assert np.abs(found[0]).max() > 0.1
    np.testing.assert_allclose(found[0], found[1], rtol=1e-5, atol=1e-6)
