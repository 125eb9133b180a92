"""Kernels whose text is long or would be: products of large matrices, thousands of statements."""

from __future__ import annotations

from pathlib import Path

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


def chain(dtype: str, count: int) -> str:
    """Straight text of seven operations, count times: from one array into the places of another that indices name."""
    line = "    x = wp.sin(x) * T(0.9) + y\n    y = T(0.5) - y * x\n    x = x + T(i) * T(0.125)\n"
    return (
        f"T = {dtype}\n@wp.kernel\n"
        "def kernel(a: wp.array(dtype=T), at: wp.array(dtype=int), b: wp.array(dtype=T)):\n"
        f"    i = wp.tid()\n    x = a[i]\n    y = T(i)\n{line * count}    b[at[i]] = x + y\n"
    )


@pytest.fixture(params=["float", "wp.float64"])
def long_kernel(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[wp.Kernel, wp.Kernel, type]:
    """In lanes and one thread at a time."""
    name = "long_chain_" + request.param[-2:]
    module = benchmark_compile.load(chain(request.param, 80), str(tmp_path), name)
    one = wp.Kernel(module.kernel.func, options={"lanes": "never"})
    return module.kernel, one, module.T


@pytest.mark.parametrize("step", [1, 3])
def test_long_kernels_run_all_threads_in_lanes(long_kernel: tuple[wp.Kernel, wp.Kernel, type], step: int) -> None:
    """They have no body for single threads, which would take as long to compile: the last group is masked."""
    lanes, one, dtype = long_kernel
    report = str(lanes.report())
    assert "'any.lanes'" in report
    assert "'any'" not in report
    for n in (1, 3, 15, 16, 17, 40, 1000):
        values = np.random.default_rng(n).normal(size=n * step)
        order = np.random.default_rng(n + 1).permutation(n).astype(np.int32)
        outs = []
        for kernel in (lanes, one):
            a = wp.array(values, dtype=dtype)[::step]
            b = wp.full(n * step + 2, -7.0, dtype=dtype)
            # One more dimension, which the kernel does not ask for: each thread runs that many times.
            for dim in (n, (n, 2)):
                wp.launch(kernel, dim=dim, inputs=[a, wp.array(order), b[1 : 1 + n * step : step]])
                outs.append(b.numpy())
        assert (outs[0] != -7.0).sum() == n
        for out in outs[1:]:
            assert out.tobytes() == outs[0].tobytes()


def test_long_kernels_name_the_first_bad_index(long_kernel: tuple[wp.Kernel, wp.Kernel, type]) -> None:
    """Whichever group it is in, and nothing is reported of lanes behind the last thread."""
    lanes, one, dtype = long_kernel
    for n, bad in ((3, (1,)), (21, (18, 20)), (40, (7, 33))):
        order = np.arange(n, dtype=np.int32)
        order[list(bad)] = [n + 5 + k for k in bad]
        texts = []
        for kernel in (lanes, one):
            # Of the memory behind the indices nothing may be read as one.
            at = wp.array(np.concatenate([order, np.full(64, 9999, np.int32)]))[:n]
            with pytest.raises(IndexError) as caught:
                wp.launch(kernel, dim=n, inputs=[wp.ones(n, dtype=dtype), at, wp.zeros(n, dtype=dtype)])
            texts.append(str(caught.value))
        assert texts[0] == texts[1]
        assert f"index {n + 5 + bad[0]} is out of range" in texts[0]
