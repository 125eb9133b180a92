"""Registers, stack and spills of the kernels of `benchmark_kernels`, as NVIDIA's assembler 12.9 allots them.

    cd tests/python; python -m gpu.calibration.registers

prints what stands in `registers.txt`. Other versions of the assembler and of libdevice allot others, so both are those
that `scripts/fetch_ptxas.sh` fetches. Kernels are compiled for the driver for tests, one process for each compute
capability.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from gpu.calibration import driver_behaviour
from gpu.support import driver_calls
from support.places import ROOT, TESTS

FETCHED = ROOT / "target/cuda/12/nvidia/cuda_nvcc"
CAPABILITIES = (75, 80, 90)
USED = re.compile(
    r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads.*?Used (\d+) registers", re.S
)
HEAD = "kernel, way, compute capability: registers, bytes of stack, of spill stores, of spill loads"


def what_is_missing() -> str:
    """Why nothing can be said here; empty where it can."""
    if driver_calls.driver_for_tests() is None:
        return "the driver for tests is not built: cargo build -p ptx-driver"
    return "" if (FETCHED / "bin/ptxas").is_file() else "scripts/fetch_ptxas.sh has fetched no assembler"


def table() -> str:
    """The text of `registers.txt`."""
    rows = [row for capability in CAPABILITIES for row in rows_of(capability)]
    return "\n".join([HEAD, *sorted(rows)]) + "\n"


def rows_of(capability: int) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        environment = driver_behaviour.clean_environment() | {
            "WARP_CUDA_DRIVER": str(driver_calls.driver_for_tests()),
            "PTX_DRIVER_SM": str(capability),
            "WARP_LIBDEVICE": str(FETCHED),
            "WARP_CACHE_PATH": folder,
        }
        command = [sys.executable, "-m", "gpu.calibration.registers", "--compile"]
        subprocess.run(command, check=True, env=environment, timeout=300, cwd=TESTS)
        for entry in Path(folder).glob("*/*.wk"):
            name, _, way = entry.with_suffix(".name").read_text().partition(" ")
            yield f"{name}, {way}, {capability}: {used(text_of(entry), capability)}"


def text_of(entry: Path) -> bytes:
    """The PTX in an entry of the cache."""
    found = re.search(rb"\.version[\t\n\r -~]*", entry.read_bytes())
    assert found is not None, f"{entry} holds no PTX"
    return found[0]


def used(ptx: bytes, capability: int) -> str:
    with tempfile.NamedTemporaryFile(suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        command = [FETCHED / "bin/ptxas", "-v", f"-arch=sm_{capability}", "-o", os.devnull, file.name]
        said = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stderr
    found = USED.search(said)
    assert found is not None, said
    stack, stores, loads, registers = found.groups()
    return f"{registers}, {stack}, {stores}, {loads}"


def compile_all() -> None:
    """Launches each kernel for no element, forward and back, and notes beside each entry of the cache whose it is."""
    import warp as wp
    from warp.examples.benchmarks._kernels import basic as kernels

    cache = Path(os.environ["WARP_CACHE_PATH"])

    def note(name: str) -> None:
        (new,) = (entry for entry in cache.glob("*/*.wk") if not entry.with_suffix(".name").exists())
        new.with_suffix(".name").write_text(name)

    for kernel in vars(kernels).values():
        if not isinstance(kernel, wp.Kernel):
            continue
        given = [
            wp.zeros((1,) * t.ndim, dtype=t.dtype, device="cuda:0") if isinstance(t, wp.array) else 1
            for t in (argument.type for argument in kernel.adj.args)
        ]
        dim = (0,) * (2 if kernel in (kernels.mandelbrot, kernels.jacobi) else 1)
        wp.launch(kernel, dim=dim, inputs=given, device="cuda:0")
        note(f"{kernel.key} forward")
        gradients = [g if isinstance(g, wp.array) else 0 for g in given]
        wp.launch(kernel, dim=dim, inputs=given, adj_inputs=gradients, adjoint=True, device="cuda:0")
        note(f"{kernel.key} adjoint")
    wp.synchronize()


if __name__ == "__main__":
    if sys.argv[1:] == ["--compile"]:
        compile_all()
    else:
        sys.exit(what_is_missing() or print(table(), end=""))
