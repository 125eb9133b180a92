"""Kernels whose text is long or would be: products of large matrices, thousands of statements."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp
from warp.examples.benchmarks import benchmark_compile

Left = wp.types.matrix(shape=(12, 7), dtype=wp.float64)
Right = wp.types.matrix(shape=(7, 11), dtype=wp.float64)
COUNT = 5


@wp.kernel
def products(
    a: wp.array(dtype=Left), b: wp.array(dtype=Right), loss: wp.array(dtype=wp.float64), out: wp.array(dtype=Left)
):
    i = wp.tid()
    c = a[i] * b[i]
    d = c * wp.transpose(b[i])
    out[i] = d + a[i]
    s = wp.float64(0.0)
    for r in range(12):
        s += wp.sin(d[r, r % 7]) + c[r, 3]
    wp.atomic_add(loss, 0, s)


def loss_of(a: np.ndarray, b: np.ndarray) -> float:
    c = a @ b
    d = c @ b.transpose(0, 2, 1)
    r = np.arange(12)
    return float((np.sin(d[:, r, r % 7]) + c[:, r, 3]).sum())


@pytest.mark.parametrize("step", [1, 2])
def test_products_and_their_gradients(step: int) -> None:
    """Against NumPy and differences; elements lie apart where the step is 2."""
    rng = np.random.default_rng(0)
    values = [rng.normal(size=(COUNT, *dtype._shape_)) / 3 for dtype in (Left, Right)]
    arrays = [
        wp.array(np.repeat(x, step, axis=0), dtype=dtype, requires_grad=True)[::step]
        for x, dtype in zip(values, (Left, Right), strict=True)
    ]
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    out = wp.zeros(COUNT, dtype=Left, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(products, dim=COUNT, inputs=arrays, outputs=[loss, out])
    tape.backward(loss)
    a, b = values
    np.testing.assert_allclose(loss.numpy()[0], loss_of(a, b), rtol=1e-12)
    np.testing.assert_allclose(out.numpy(), a @ b @ b.transpose(0, 2, 1) + a, rtol=1e-12, atol=1e-12)
    for k, array in enumerate(arrays):
        gradient = array.grad.numpy()
        for _ in range(30):
            at = tuple(int(rng.integers(n)) for n in values[k].shape)
            ends = []
            for change in (1e-6, -1e-6):
                moved = [x.copy() for x in values]
                moved[k][at] += change
                ends.append(loss_of(*moved))
            assert abs((ends[0] - ends[1]) / 2e-6 - gradient[at]) < 1e-7


@pytest.mark.parametrize(
    ("name", "limits"),
    [("12x12 product", (1, 1.5)), ("16x16 product", (1, 1.5)), ("10,000 statements", (6, 12))],
)
def test_compile_time(
    name: str, limits: tuple[float, float], tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seconds of CPU time, some times what is needed: it was 4 and 7, over 15, 21 and 23."""
    monkeypatch.setattr(wp.config, "kernel_cache_dir", str(tmp_path))
    module = "compile_time_" + "".join(filter(str.isalnum, name))
    forward, adjoint = benchmark_compile.first_launches(benchmark_compile.KERNELS[name], str(tmp_path), module)
    assert forward < limits[0]
    assert adjoint < limits[1]
