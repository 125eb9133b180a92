"""Each example of the wheel gives the numbers that it claims."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")


def test_saxpy_numpy() -> None:
    from warp.examples import saxpy_numpy

    assert saxpy_numpy.main(10_000) < 1e-6


def test_torch_arrays() -> None:
    from warp.examples import torch_arrays

    errors = torch_arrays.main()
    assert set(errors) == {"tensors as arguments", "descriptors", "gradient in x.grad", "result as a tensor"}
    assert max(errors.values()) < 1e-5


def test_training_loop() -> None:
    from warp.examples import training_loop

    np.testing.assert_allclose(training_loop.main(), training_loop.TRUE, atol=0.01)


def test_autograd_function() -> None:
    from warp.examples import autograd_function

    assert autograd_function.main()


def test_gradient_allocation() -> None:
    from warp.examples import gradient_allocation

    results = gradient_allocation.main(1000)
    assert all(right for right, _ in results.values())
    assert [allocated for _, allocated in results.values()] == [True, False, False, True]


def test_torch_operator() -> None:
    from warp.examples import torch_operator

    found, sigma = torch_operator.main()
    off = np.abs(found.numpy() - np.array(torch_operator.TRUE)) / sigma.numpy()
    assert off.max() < 4
    assert sigma.max() < 0.01


def test_distributed_training() -> None:
    """Two processes over gloo find what one alone finds."""
    import torch.distributed
    from warp.examples import distributed_training

    if not torch.distributed.is_gloo_available():
        pytest.skip("this torch has no gloo")
    assert distributed_training.main()


def test_paddle_training() -> None:
    pytest.importorskip("paddle", reason="paddle is not installed (it has no wheel for every Python)")
    from warp.examples import paddle_training

    before, after = paddle_training.main()
    assert before > 3
    assert after < 0.3


@pytest.mark.parametrize("name", ["kernel", "callable", "ffi_callback"])
def test_interop_with_jax(name: str) -> None:
    pytest.importorskip("jax")
    example = importlib.import_module(f"warp.examples.interop.example_jax_{name}")
    errors = example.main()
    assert len(errors) >= 2
    assert max(errors.values()) < 1e-5


def test_training_with_jax(tmp_path: Path) -> None:
    pytest.importorskip("optax")
    from warp.examples.interop import example_jax_training

    picture = tmp_path / "picture.png"
    found = example_jax_training.main(60, str(picture))
    assert found.losses[-1] < 0.05 * found.losses[0]
    assert found.error < 0.4
    assert picture.read_bytes().startswith(b"\x89PNG")
