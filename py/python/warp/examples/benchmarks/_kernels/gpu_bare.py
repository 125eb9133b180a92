"""What a launch costs the driver itself: `cuLaunchKernel` on a kernel that does nothing, in loops without `warp`."""

from __future__ import annotations

import ctypes
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

DRIVER = os.environ.get("WARP_CUDA_DRIVER") or "libcuda.so.1"
QUEUED = 200  # launches before a wait: the queue of a device takes a thousand
PTX = """.version 6.3
.target sm_75
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) { ret; }
"""

LOOP = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
typedef int (*Fn)();
#define GET(name) Fn name = (Fn)dlsym(library, #name); if (!name) return 2
#define OK(call) do { int code = (call); if (code) { printf("%s: %d\n", #call, code); return 3; } } while (0)
static const char *ptx = PTX;
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
        text = '"' + PTX.replace("\n", "\\n") + '"'
        source.write_text(LOOP.replace("QUEUED", str(QUEUED)).replace("= PTX;", f"= {text};"))
        subprocess.run([compiler, "-O2", "-w", "-std=gnu11", str(source), "-o", str(program), "-ldl"], check=True)
        done = subprocess.run([str(program), DRIVER], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(
            f"the loop of bare launches failed with status {done.returncode}: {done.stdout}{done.stderr}"
        )
    return statistics.median(map(float, done.stdout.split())) * 1e-9


def launch_by_ctypes() -> float:
    """Seconds of the same loop in Python, through ctypes: what no package in Python can do without."""
    library = ctypes.CDLL(DRIVER)

    def ok(name: str, *arguments: object) -> None:
        code = getattr(library, name)(*arguments)
        if code:
            raise RuntimeError(f"{name} gave {code}")

    context, module, function, stream = (ctypes.c_void_p() for _ in range(4))
    ok("cuInit", 0)
    ok("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    ok("cuCtxSetCurrent", context)
    ok("cuModuleLoadData", ctypes.byref(module), PTX.encode())
    ok("cuModuleGetFunction", ctypes.byref(function), module, b"k")
    ok("cuStreamCreate", ctypes.byref(stream), 0)
    words = (ctypes.c_uint64 * 4)(1, 2, 3, 4)
    places = (ctypes.c_void_p * 4)(*(ctypes.addressof(words) + 8 * k for k in range(4)))
    launch, rounds = library.cuLaunchKernel, []
    # Converted once, so that the loop converts nothing.
    sizes = [ctypes.c_uint(n) for n in (1, 1, 1, 256, 1, 1, 0)]
    for _ in range(40):
        begin = time.perf_counter()
        for _ in range(QUEUED):
            launch(function, *sizes, stream, places, None)
        rounds.append((time.perf_counter() - begin) / QUEUED)
        ok("cuStreamSynchronize", stream)
    ok("cuStreamDestroy_v2", stream)
    ok("cuModuleUnload", module)
    return statistics.median(rounds)
