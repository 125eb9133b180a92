"""What launches, conversions, copies and kernels cost on a GPU.

    python -m warp.examples.benchmarks.benchmark_gpu [--only NAME]

The column `bare` is the driver's own part of a launch: a loop in C calls `cuLaunchKernel` on a kernel of four words
that does nothing. The system's `cc` compiles that loop when the benchmark runs; without one the column is missing.
Launches are timed while the device has room in its queue, and waited for outside of the time.

Kernels are those of `benchmark_kernels`, checked against NumPy first; their time is that between two events, divided by
the launches between them. The column `torch` is the same computation by torch on the device. Copies are printed as
bandwidths, too. `--peer` has no effect here.

Where there is no GPU but the driver for tests (WARP_CUDA_DRIVER names it), only the cost of calls is measured: it says
what this package adds to a bare `cuLaunchKernel`, and nothing about GPUs.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

if TYPE_CHECKING or __package__:
    from . import _cases, _harness, benchmark_kernels
else:
    import _cases
    import _harness
    import benchmark_kernels

DEVICE = "cuda:0"
DRIVER = os.environ.get("WARP_CUDA_DRIVER") or "libcuda.so.1"
COUNT = 16  # elements: the time is that of the call
QUEUED = 200  # launches before a wait: the queue of a device takes a thousand
COPIED = 256 << 20

LOOP = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
typedef int (*Fn)();
#define GET(name) Fn name = (Fn)dlsym(library, #name); if (!name) return 2
#define OK(call) do { int code = (call); if (code) { printf("%s: %d\n", #call, code); return 3; } } while (0)
static const char *ptx = ".version 6.3\n.target sm_75\n.address_size 64\n"
    ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) { ret; }\n";
int main(int argc, char **argv) {
    if (argc < 2) return 1;
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library) { printf("%s\n", dlerror()); return 1; }
    GET(cuInit); GET(cuDevicePrimaryCtxRetain); GET(cuCtxSetCurrent); GET(cuModuleLoadData);
    GET(cuModuleGetFunction); GET(cuStreamCreate); GET(cuStreamSynchronize);
    typedef unsigned n;
    int (*launch)(void *, n, n, n, n, n, n, n, void *, void **, void **);
    *(void **)&launch = dlsym(library, "cuLaunchKernel");
    if (!launch) return 2;
    void *context, *module, *function, *stream;
    OK(cuInit(0)); OK(cuDevicePrimaryCtxRetain(&context, 0)); OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, ptx)); OK(cuModuleGetFunction(&function, module, "k")); OK(cuStreamCreate(&stream, 0));
    unsigned long long words[4] = {1, 2, 3, 4};
    void *params[4] = {words, words + 1, words + 2, words + 3};
    for (int round = 0; round < 40; round++) {
        struct timespec a, b;
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (int i = 0; i < QUEUED; i++) OK(launch(function, 1, 1, 1, 256, 1, 1, 0, stream, params, 0));
        clock_gettime(CLOCK_MONOTONIC, &b);
        OK(cuStreamSynchronize(stream));
        printf("%.1f\n", ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / QUEUED);
    }
    return 0;
}
"""


def is_for_tests() -> bool:
    """Whether the driver is the one for tests, which runs kernels on the CPU."""
    return hasattr(ctypes.CDLL(DRIVER), "ptx_driver_reset")


def bare_launch() -> float | None:
    """Seconds of `cuLaunchKernel` in a loop in C; None where no compiler is installed."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "loop.c"), Path(folder, "loop")
        source.write_text(LOOP.replace("QUEUED", str(QUEUED)))
        subprocess.run([compiler, "-O2", "-w", "-std=gnu11", str(source), "-o", str(program), "-ldl"], check=True)
        done = subprocess.run([str(program), DRIVER], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"the loop of bare launches failed with status {done.returncode}: {done.stdout}{done.stderr}")
    return statistics.median(map(float, done.stdout.split())) * 1e-9


def queued(call: Callable[[], object], launches: int = 1) -> float:
    """Seconds of one launch, of so many in a call, while the queue has room."""
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
    number = max(1, min(500, round(target / max(elapsed(5) / 5, 1e-6))))
    return statistics.median(elapsed(number) for _ in range(7)) / number


def launches() -> _harness.Rows:
    """What the host needs for a launch."""
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
    calls = {
        "launch, 3 own arrays + float": (launch, 1),
        "recorded Launch.launch()": (recorded.launch, 1),
        "one of 10 launches of a graph": (lambda: wp.capture_launch(graph), 10),
    }
    return {name: queued(*call) for name, call in calls.items() if _harness.is_wanted(name)}


def conversions() -> _harness.Rows:
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
    return {
        name: _harness.per_call(call, names | more) for name, (call, more) in calls.items() if _harness.is_wanted(name)
    }


def torch_on_device() -> Any:
    """torch, where it sees the device."""
    if is_for_tests():
        return None
    try:
        import torch
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None


def copies() -> _harness.Rows:
    """Copies of 256 MiB."""
    count = COPIED // 4
    a, b = (wp.zeros(count, dtype=float, device=DEVICE) for _ in range(2))
    host = wp.zeros(count, dtype=float, device="cpu", pinned=True)
    calls = {
        "copy on the device": lambda: wp.copy(b, a),
        "copy to the device": lambda: wp.copy(a, host),
        "copy from the device": lambda: wp.copy(host, a),
    }
    return {name: on_device(call) for name, call in calls.items() if _harness.is_wanted(name)}


def kernels() -> _harness.Rows:
    """The kernels of `benchmark_kernels` on the device."""
    _cases.DEVICE = DEVICE
    rows = {}
    for case in benchmark_kernels.cases():
        if _harness.is_wanted(case.name):
            case.check()
            rows[case.name] = on_device(case.launch)
    return rows


def torch_kernels() -> _harness.Rows:
    """The same by torch, where one or a few of its functions do it."""
    torch = torch_on_device()
    if torch is None:
        return {}

    def random(*shape: int) -> Any:
        return torch.rand(*shape, device=DEVICE)

    small, small_y, large, large_y, x = random(100_000), random(100_000), random(10**7), random(10**7), random(10**6)
    old, new = random(1024, 1024), random(1024, 1024)

    def jacobi() -> None:
        new[1:-1, 1:-1] = 0.25 * (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:])

    calls = {
        "saxpy, 1e+05": lambda: small_y.add_(small, alpha=0.5),
        "saxpy, 1e+07": lambda: large_y.add_(large, alpha=0.5),
        "sin exp sqrt log, 1e+06": lambda: (
            torch.sin(3 * x) * torch.exp(-x * x) + torch.sqrt(torch.abs(x)) + torch.log(1 + x * x)
        ),
        "Jacobi, 1024^2": jacobi,
        "atomic sum, 1e+06": lambda: x.sum(),
    }
    return {name: on_device(call) for name, call in calls.items() if _harness.is_wanted(name)}


@wp.kernel
def add(x: wp.array(dtype=float), y: wp.array(dtype=float), out: wp.array(dtype=float), a: float):
    i = wp.tid()
    out[i] = a * x[i] + y[i]


def measure() -> _harness.Rows:
    """Seconds of each row."""
    wp.init()
    rows = launches() | conversions()
    return rows if is_for_tests() else rows | copies() | kernels()


def others() -> dict[str, _harness.Rows]:
    """Columns beside ours."""
    columns = {}
    bare = bare_launch()
    if bare is not None:
        columns["bare"] = dict.fromkeys(
            ("launch, 3 own arrays + float", "recorded Launch.launch()", "one of 10 launches of a graph"), bare
        )
    if torch := torch_kernels():
        columns["torch"] = torch
    return columns


def main() -> None:
    parser = _harness.arguments(__doc__)
    parser.add_argument("--only", metavar="NAME", help="only rows whose name contains this")
    options = parser.parse_args()
    if options.only:
        os.environ["BENCHMARK_ONLY"] = options.only
    if not wp.is_cuda_available():
        print("benchmark_gpu: there is no CUDA driver; WARP_CUDA_DRIVER names one, such as that for tests")
        return
    if options.json:
        _harness.report(options, __file__, measure)
        return
    if is_for_tests():
        print(
            "the driver for tests: what launches cost the host; kernels run on the CPU, so that nothing here is a GPU's"
        )
        options.peer = None
    else:
        print(wp.get_device(DEVICE).name)
    rows, columns = measure(), others()
    _harness.print_table(rows, None, columns)
    for name, seconds in rows.items():
        if name.startswith("copy"):
            ways = 2 if "on the device" in name else 1
            print(f"{name}: {ways * COPIED / seconds * 1e-9:.0f} GB/s")
    for name, seconds in columns.get("bare", {}).items():
        if name in rows:
            more = rows[name] - seconds
            said = f"{_harness.spell(abs(more))} {'more' if more > 0 else 'less'} than a bare cuLaunchKernel"
            print(f"{name}: {_harness.spell(rows[name])}, {said}")


if __name__ == "__main__":
    main()
