"""What launches, conversions, copies and kernels cost on a GPU.

    python -m warp.examples.benchmarks.benchmark_gpu [--only NAME] [--json FILE]

The column `bare` is the driver's own part of a launch: a loop in C calls `cuLaunchKernel` on a kernel of four words
that does nothing. The system's `cc` compiles that loop when the benchmark runs; without one the column is missing.
Another row has that loop in Python, through ctypes. Launches are timed while the device has room in its queue, and
waited for outside of the time.

Kernels are those of `benchmark_kernels` and larger ones, checked first; their time is that between two events, divided
by the launches between them. The column `torch` is the same computation by torch on the device. Copies and kernels that
memory bounds are printed as bandwidths, too. `--peer` has no effect here.

`--json FILE` keeps the rows in a file, which is written after each of them: what ends the process leaves what was
measured before. A row that fails is told and left out; the status is then 1.

Where there is no GPU but the driver for tests (WARP_CUDA_DRIVER names it), the cost of calls says what this package
adds to a bare `cuLaunchKernel`; kernels are small, and their times say nothing about GPUs.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

if TYPE_CHECKING or __package__:
    from ._kernels import basic, cases, gpu
    from ._kernels.gpu_bare import QUEUED, bare_launch, is_for_tests, launch_by_ctypes
    from ._support import _harness
else:
    from _kernels import basic, cases, gpu
    from _kernels.gpu_bare import QUEUED, bare_launch, is_for_tests, launch_by_ctypes
    from _support import _harness

DEVICE = "cuda:0"
COUNT = 16  # elements: the time is that of the call
COPIED = 256 << 20
Measured = tuple[str, Callable[[], float]]
BARE = ("launch, 3 own arrays + float", "recorded Launch.launch()", "one of 10 launches of a graph")


class Table:
    """The rows as they come, their columns, and a file that always has all of them."""

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self.rows: _harness.Rows = {}
        self.columns: dict[str, _harness.Rows] = {}
        self.rates: dict[str, str] = {}
        self.failed: dict[str, str] = {}

    def measure(self, name: str, call: Callable[[], float], column: str = "") -> None:
        """Keeps the seconds of a row, or why there are none."""
        if not _harness.is_wanted(name):
            return
        rows = self.columns.setdefault(column, {}) if column else self.rows
        try:
            rows[name] = call()
        except (Exception, SystemExit) as error:  # noqa: BLE001  whatever it is, the next row is measured
            where = f"{name}, {column}" if column else name
            self.failed[where] = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
            print(f"{where}: failed: {self.failed[where]}", file=sys.stderr, flush=True)
        self.keep()

    def keep(self) -> None:
        if self.file is not None:
            found = {"device": wp.get_device(DEVICE).name, "rows": self.rows, "columns": self.columns}
            self.file.write_text(json.dumps(found | {"rates": self.rates, "failed": self.failed}, indent=1))


def queued(call: Callable[[], object], launches: int = 1) -> float:
    """Seconds of one launch, of so many in a call, while the queue has room."""
    call()
    rounds = []
    calls = range(max(1, QUEUED // launches))
    for _ in range(40):
        begin = time.perf_counter()
        for _ in calls:
            call()
        rounds.append((time.perf_counter() - begin) / (len(calls) * launches))
        wp.synchronize()
    return statistics.median(rounds)


def on_device(call: Callable[[], object], target: float = 0.05) -> float:
    """Seconds of one call by events of the device."""
    begin, end = (wp.Event(DEVICE, enable_timing=True) for _ in range(2))

    def elapsed(number: int) -> float:
        wp.record_event(begin)
        for _ in range(number):
            call()
        wp.record_event(end)
        return wp.get_event_elapsed_time(begin, end) * 1e-3

    elapsed(1)
    if is_for_tests():
        return elapsed(1)
    number = max(1, min(500, round(target / max(elapsed(5) / 5, 1e-6))))
    return statistics.median(elapsed(number) for _ in range(7)) / number


@wp.kernel
def add(x: wp.array[float], y: wp.array[float], out: wp.array[float], a: float) -> None:
    i = wp.tid()
    out[i] = a * x[i] + y[i]


def launches() -> Iterator[Measured]:
    """What the host needs for a launch, and for what a program does around launches."""
    x, y, out = (wp.ones(COUNT, dtype=float, device=DEVICE) for _ in range(3))

    def launch() -> None:
        wp.launch(add, dim=COUNT, inputs=[x, y, out, 2.0], device=DEVICE)

    launch()
    if not np.array_equal(out.numpy(), np.full(COUNT, 3.0, dtype=np.float32)):
        raise SystemExit(f"wrong values: {out.numpy()}")
    recorded = wp.launch(add, dim=COUNT, inputs=[x, y, out, 2.0], device=DEVICE, record_cmd=True)
    assert recorded is not None
    with wp.ScopedCapture(device=DEVICE) as capture:
        for _ in range(10):
            launch()
    graph = capture.graph
    assert graph is not None
    inner, outer = (wp.ones(COUNT, dtype=float, device=DEVICE, requires_grad=True) for _ in range(2))
    seed = wp.ones(COUNT, dtype=float, device=DEVICE)

    def launch_and_wait() -> None:
        launch()
        wp.synchronize_device(DEVICE)

    def tape_step() -> None:
        with wp.Tape() as tape:
            wp.launch(add, dim=COUNT, inputs=[inner, y, outer, 2.0], device=DEVICE)
        tape.backward(grads={outer: seed})
        tape.zero()

    yield BARE[0], lambda: queued(launch)
    yield BARE[1], lambda: queued(recorded.launch)
    yield BARE[2], lambda: queued(lambda: wp.capture_launch(graph), 10)
    yield "cuLaunchKernel by ctypes, a launch", launch_by_ctypes
    yield "replay of a graph of 10", lambda: queued(lambda: wp.capture_launch(graph))
    yield "zeros and its end", lambda: queued(lambda: wp.zeros(COUNT, dtype=float, device=DEVICE))
    yield "x + x", lambda: queued(lambda: x + x)
    yield "tape: a launch and its adjoint", lambda: queued(tape_step, 2)
    yield "launch and wait", lambda: _harness.per_call(launch_and_wait)


def conversions() -> Iterator[Measured]:
    """What the host needs to share memory of the device."""
    array: Any = wp.ones(COUNT, dtype=float, device=DEVICE)
    wp.synchronize()

    class Other:
        __cuda_array_interface__ = array.__cuda_array_interface__

    calls: dict[str, tuple[str, dict[str, Any]]] = {
        "__cuda_array_interface__ in": ("wp.array(other, dtype=float, copy=False)", {"other": Other()}),
        "__cuda_array_interface__ out": ("array.__cuda_array_interface__", {}),
        "array.numpy()": ("array.numpy()", {}),
    }
    torch = torch_on_device()
    if torch is not None:
        tensor = torch.ones(COUNT, device=DEVICE)
        calls |= {
            "from_torch": ("wp.from_torch(tensor)", {"tensor": tensor}),
            "to_torch": ("wp.to_torch(array)", {}),
            "torch.from_dlpack": ("torch.from_dlpack(array)", {"torch": torch}),
        }
    names = {"wp": wp, "array": array}
    for name, (call, more) in calls.items():
        yield name, partial(_harness.per_call, call, names | more)


def torch_on_device() -> Any:
    """torch, where it sees the device."""
    if is_for_tests():
        return None
    try:
        import torch
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None


def copies(table: Table) -> None:
    """Copies of 256 MiB."""
    count = 1024 if is_for_tests() else COPIED // 4
    a, b = (wp.zeros(count, dtype=float, device=DEVICE) for _ in range(2))
    host = wp.zeros(count, dtype=float, device="cpu", pinned=True)
    calls = {
        "copy on the device": lambda: wp.copy(b, a),
        "copy to the device": lambda: wp.copy(a, host),
        "copy from the device": lambda: wp.copy(host, a),
    }
    for name, call in calls.items():
        table.measure(name, partial(on_device, call))
        if name in table.rows:
            ways = 2 if "on the device" in name else 1
            table.rates[name] = f"{ways * 4 * count / max(table.rows[name], 1e-12) * 1e-9:.0f} GB/s"
    torch = torch_on_device()
    if torch is not None:
        c, d = (torch.zeros(count, device=DEVICE) for _ in range(2))
        table.measure("copy on the device", lambda: on_device(lambda: d.copy_(c)), "torch")


def on_torch(made: Callable[[Any], Callable[[], object]], torch: Any) -> float:
    return on_device(made(torch))


def large_kernels(table: Table) -> None:
    """The kernels that fill a GPU, beside torch."""
    torch = torch_on_device()
    for group in gpu.cases():
        for case in group():
            name = case.name

            def measured(case: gpu.Case = case) -> float:
                case.check()
                return on_device(case.launch)

            table.measure(name, measured)
            seconds = max(table.rows.get(name, 0.0), 1e-12)
            if case.bytes and name in table.rows:
                table.rates[name] = f"{case.bytes / seconds * 1e-9:.0f} GB/s"
            if case.flops and name in table.rows:
                table.rates[name] = f"{case.flops / seconds * 1e-12:.2f} Tflop/s"
            if torch is not None and case.torch is not None:
                table.measure(name, partial(on_torch, case.torch, torch), "torch")


def kernels(table: Table) -> None:
    """The kernels of `benchmark_kernels` on the device."""
    cases.DEVICE = DEVICE
    for case in basic.cases():

        def measured(case: cases.Case = case) -> float:
            case.check()
            return on_device(case.launch)

        table.measure(case.name, measured)


def torch_kernels() -> Iterator[Measured]:
    """The same by torch, where one or a few of its functions do it."""
    torch = torch_on_device()
    if torch is None:
        return

    def random(*shape: int) -> Any:
        return torch.rand(*shape, device=DEVICE)

    small, small_y, large, large_y, x = random(100_000), random(100_000), random(10**7), random(10**7), random(10**6)
    old, new = random(1024, 1024), random(1024, 1024)

    def jacobi() -> None:
        new[1:-1, 1:-1] = 0.25 * (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:])

    def transcendental() -> Any:
        return torch.sin(3 * x) * torch.exp(-x * x) + torch.sqrt(torch.abs(x)) + torch.log(1 + x * x)

    yield "launch, 3 own arrays + float", lambda: queued(lambda: small_y.add_(small, alpha=0.5))
    yield "saxpy, 1e+05", lambda: on_device(lambda: small_y.add_(small, alpha=0.5))
    yield "saxpy, 1e+07", lambda: on_device(lambda: large_y.add_(large, alpha=0.5))
    yield "sin exp sqrt log, 1e+06", lambda: on_device(transcendental)
    yield "Jacobi, 1024^2", lambda: on_device(jacobi)
    yield "atomic sum, 1e+06", lambda: on_device(x.sum)


COMPILED = """
import time
import warp as wp


@wp.kernel
def forces(positions: wp.array[wp.vec3], out: wp.array[wp.vec3], count: int):
    i = wp.tid()
    force = wp.vec3(0.0, 0.0, 0.0)
    for j in range(count):
        d = positions[j] - positions[i]
        r2 = wp.dot(d, d) + 0.01
        force = force + d * (1.0 / (r2 * wp.sqrt(r2)))
    out[i] = force


wp.init()
x = wp.zeros(8, dtype=wp.vec3, device="cuda:0")
wp.synchronize()
begin = time.perf_counter()
wp.launch(forces, dim=8, inputs=[x, x, 8], device="cuda:0")
wp.synchronize()
print("seconds", time.perf_counter() - begin)
"""


def compiles() -> Iterator[Measured]:
    """The first launch of a kernel in a process: without and with what an earlier process kept."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "first.py")
        program.write_text(COMPILED)
        more = {"WARP_CACHE_PATH": folder, "CUDA_CACHE_PATH": str(Path(folder, "driver"))}

        def first() -> float:
            command = [sys.executable, str(program)]
            done = subprocess.run(
                command, capture_output=True, text=True, env=os.environ | more, timeout=60, check=False
            )
            if done.returncode:
                raise RuntimeError(done.stderr.strip()[-300:])
            return float(done.stdout.split("seconds ")[-1])

        yield "first launch, nothing is kept", first
        yield "first launch, compiled before", first


def fill(table: Table) -> None:
    """Measures all rows."""
    for group in (launches, conversions, compiles):
        for name, call in group():
            table.measure(name, call)
    try:
        bare = bare_launch()
    except (RuntimeError, subprocess.CalledProcessError) as error:
        table.failed["bare"] = str(error)
        bare = None
    if bare is not None:
        table.columns["bare"] = {name: bare for name in BARE if name in table.rows}
    copies(table)
    large_kernels(table)
    if not is_for_tests():
        kernels(table)
    for name, call in torch_kernels():
        table.measure(name, call, "torch")
    # Rates are known behind their rows.
    table.keep()


def show(table: Table) -> None:
    if table.rows:
        _harness.print_table(table.rows, None, table.columns)
    for name, rate in table.rates.items():
        print(f"{name}: {rate}")
    for name, seconds in table.columns.get("bare", {}).items():
        more = table.rows[name] - seconds
        said = f"{_harness.spell(abs(more))} {'more' if more > 0 else 'less'} than a bare cuLaunchKernel"
        print(f"{name}: {_harness.spell(table.rows[name])}, {said}")
    for name, error in table.failed.items():
        print(f"{name}: failed: {error}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    parser.add_argument("--only", metavar="NAME", help="only rows whose name contains this")
    parser.add_argument("--json", metavar="FILE", type=Path, help="keep the rows in this file")
    options = parser.parse_args()
    if options.only:
        os.environ["BENCHMARK_ONLY"] = options.only
    if not wp.is_cuda_available():
        print("benchmark_gpu: there is no CUDA driver; WARP_CUDA_DRIVER names one, such as that for tests")
        return 0
    if is_for_tests():
        print(
            "the driver for tests: what launches cost the host; kernels run on the CPU, so that nothing here is a GPU's"
        )
    else:
        print(wp.get_device(DEVICE).name)
    wp.init()
    table = Table(options.json)
    fill(table)
    show(table)
    return 1 if table.failed else 0


if __name__ == "__main__":
    sys.exit(main())
