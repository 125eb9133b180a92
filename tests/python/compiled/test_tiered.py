"""Tiered compilation: kernels run before they are optimised, with the same bits, and as optimised code from then on."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
import warp as wp
from warp._warp import _finish_compiles

from randomized import random_kernels
from randomized.test_random_kernels import SIZE, forward, gradients, inputs

SEEDS = range(0, 400 if random_kernels.SOAK else 40)
COUNT = 20_000

pytestmark = pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one core compiles before it launches")


def entries(folder) -> list[str]:
    return [path.name for path in folder.glob("??/*.wk")]


@pytest.fixture(autouse=True)
def tiered(monkeypatch, tmp_path):
    monkeypatch.setattr(wp.config, "tiered_compilation", True)
    monkeypatch.setattr(wp.config, "kernel_cache_dir", str(tmp_path))
    assert _finish_compiles()
    yield
    assert _finish_compiles()


def wave(factor: float) -> Any:
    """A kernel that no cache has."""

    @wp.kernel
    def wave(x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        v = x[i]
        for _ in range(30):
            v = wp.sin(wp.static(factor) * v) + 0.5 * v
        y[i] = v

    return wave


def arrays() -> tuple[Any, Any]:
    x = wp.array(np.linspace(-3, 3, COUNT, dtype=np.float32))
    return x, wp.zeros(COUNT, dtype=float)


def test_random_kernels_have_the_same_bits_before_and_after():
    for seed in SEEDS:
        text = random_kernels.Generator(seed).program()
        kernel = random_kernels.compile_text(text, {"wp": wp}, f"tiered {seed}")["kernel"]
        given = inputs(seed)
        seeds = [np.ones(SIZE), np.ones(SIZE), np.ones(1)]
        before = [*forward(kernel, *given), gradients(kernel, *given, seeds)]
        assert _finish_compiles()
        after = [*forward(kernel, *given), gradients(kernel, *given, seeds)]
        for one, other in zip(before, after, strict=True):
            np.testing.assert_array_equal(one, other, err_msg=text)


def test_optimised_code_is_kept_and_no_other(tmp_path, monkeypatch):
    x, y = arrays()
    wp.launch(wave(1.25), dim=COUNT, inputs=[x, y])
    assert _finish_compiles()
    kept = {path.name: path.read_bytes() for path in tmp_path.glob("??/*.wk")}
    assert len(kept) == 1
    again = tmp_path / "again"
    monkeypatch.setattr(wp.config, "kernel_cache_dir", str(again))
    monkeypatch.setattr(wp.config, "tiered_compilation", False)
    wp.launch(wave(1.25), dim=COUNT, inputs=[x, y])
    assert {path.name: path.read_bytes() for path in again.glob("??/*.wk")} == kept


def test_what_holds_code_runs_the_optimised_one():
    x, y = arrays()
    kernel = wave(1.5)
    command = wp.launch(kernel, dim=COUNT, inputs=[x, y], record_cmd=True)
    with wp.ScopedCapture() as capture:
        wp.launch(kernel, dim=COUNT, inputs=[x, y])
    command.launch()
    first = y.numpy().copy()
    y.zero_()
    wp.capture_launch(capture.graph)
    np.testing.assert_array_equal(y.numpy(), first)
    assert _finish_compiles()
    for run in (command.launch, lambda: wp.capture_launch(capture.graph)):
        y.zero_()
        run()
        np.testing.assert_array_equal(y.numpy(), first)


def test_many_kernels_at_once():
    x, y = arrays()
    kernels = [wave(2.0 + k / 16) for k in range(12)]
    sums = []
    for kernel in kernels:
        wp.launch(kernel, dim=COUNT, inputs=[x, y])
        sums.append(y.numpy().copy())
    assert _finish_compiles()
    for kernel, before in zip(kernels, sums, strict=True):
        wp.launch(kernel, dim=COUNT, inputs=[x, y])
        np.testing.assert_array_equal(y.numpy(), before)


def test_modules_are_compiled_ahead(tmp_path):
    kernel = wave(3.5)
    kernel.module.load("cpu")
    assert _finish_compiles(0.0)
    assert entries(tmp_path)


def test_faults_have_their_line_before_and_after():
    @wp.kernel
    def beyond(x: wp.array(dtype=float), n: int):
        i = wp.tid()
        x[i + n] = 1.0

    x = wp.zeros(4, dtype=float)
    messages = []
    for _ in range(2):
        with pytest.raises(IndexError, match="index 4 is out of range") as caught:
            wp.launch(beyond, dim=4, inputs=[x, 1])
        messages.append(str(caught.value))
        assert _finish_compiles()
    assert messages[0] == messages[1]
    assert "x[i + n] = 1.0" in messages[0]


def test_the_setting():
    with pytest.raises(TypeError, match="tiered_compilation is a bool"):
        wp.config.tiered_compilation = 1
