"""The blocks of the documents as they are written, with a GPU as the default device (`conformance.cuda`)."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.cuda import FURTHER, names_cuda, out_of_reach, uses_the_gpu, within_reach
from conformance.documents import ABSENT, all_blocks, spec_dir
from conformance.plan import RUNS, Run
from conformance.running import Ran, need, repeatable, run_blocks
from conformance.substitutions import CUDA
from gpu.support import driver, driver_calls

pytestmark = pytest.mark.skipif(spec_dir() is None, reason=ABSENT)
EAGER = driver.is_double() and os.environ.get("PTX_DRIVER_ORDER", "lazy") != "lazy"


@pytest.fixture(autouse=True)
def repeatable_draws(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    pytest.importorskip("torch")
    # Blocks that choose between the CPU and a GPU take the GPU.
    monkeypatch.setattr(random, "choice", lambda options: options[0])
    with repeatable():
        yield


def run(row: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Ran:
    need(row.id)
    ran = run_blocks([*row.needs, row.id], folder, monkeypatch, row.extra, row.given(), CUDA)
    row.check(ran)
    return ran


@pytest.mark.parametrize("row", within_reach(), ids=lambda row: row.id)
def test_block(row: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = uses_the_gpu(row)
    if EAGER and not gpu:
        pytest.skip("names nothing of CUDA: run where work is done late")
    before = launched()
    ran = run(row, tmp_path, monkeypatch)
    if row.check in FURTHER:
        FURTHER[row.check](ran)
    assert not (gpu and driver.is_double()) or launched() > before, "no kernel ran on the GPU"


def launched() -> int:
    """How many kernels the driver for tests has run."""
    return driver.get().counts().kernels if driver.is_double() else 0


OTHERS = [row for row in RUNS if row.id in out_of_reach()]


@pytest.mark.parametrize("row", OTHERS, ids=lambda row: row.id)
def test_block_that_the_driver_for_tests_cannot_run(
    row: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, double: driver.Driver
) -> None:
    """Each row of `OUT_OF_REACH` is needed: frameworks refuse the GPU."""
    if EAGER and not names_cuda(all_blocks()[row.id]):
        pytest.skip("names nothing of CUDA: run where work is done late")
    with pytest.raises(Exception, match=out_of_reach()[row.id].says):
        run(row, tmp_path, monkeypatch)


@pytest.mark.gpu
@pytest.mark.parametrize("row", RUNS, ids=lambda row: row.id)
def test_block_on_a_gpu(row: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if driver_calls.real_driver() is None:
        pytest.skip("there is no NVIDIA GPU")
    known = out_of_reach().get(row.id)
    for framework in known.frameworks if known is not None else ():
        if not sees_a_gpu(framework):
            pytest.skip(f"{framework} sees no GPU")
    ran = run(row, tmp_path, monkeypatch)
    if row.check in FURTHER:
        FURTHER[row.check](ran)


def sees_a_gpu(framework: str) -> bool:
    module = pytest.importorskip(framework)
    if framework == "torch":
        return module.cuda.is_available()
    if framework == "jax":
        return any(device.platform == "gpu" for device in module.devices())
    return module.is_compiled_with_cuda() and module.device.cuda.device_count() > 0
