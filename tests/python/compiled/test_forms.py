"""`Kernel.inspect`: a kernel on its way to machine code. And the names that gdb, perf and tracemalloc are given."""

from __future__ import annotations

import os
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
import warp as wp

from support.places import search_path


@wp.kernel
def swing(x: wp.array[float], out: wp.array[float]):
    i = wp.tid()
    out[i] = wp.sin(x[i]) * 3.0


@wp.kernel
def generic(x: wp.array[Any]):
    i = wp.tid()
    x[i] = x[i] + x[i]


@wp.kernel
def nearest(mesh: wp.uint64, x: wp.array[wp.vec3], out: wp.array[int]):
    i = wp.tid()
    out[i] = wp.mesh_query_point_no_sign(mesh, x[i], 10.0).face


def test_each_form_is_what_it_says():
    ir, llvm, assembly, ptx = (swing.inspect(form) for form in ("ir", "llvm", "asm", "ptx"))
    assert "swing" in ir
    assert "sin" in ir
    assert "define " in llvm
    assert "getelementptr" in llvm
    assert "# -- Begin function" in assembly
    assert ".visible .entry" in ptx
    assert ".target sm_90" in ptx
    wp.config.ptx_target_arch = 75
    try:
        assert ".target sm_75" in swing.inspect("ptx")
    finally:
        wp.config.ptx_target_arch = None
    assert swing.inspect() == ir
    assert ".visible .entry" in nearest.inspect("ptx")
    # The derivative of a sine.
    assert "cos" in swing.inspect("ir", adjoint=True)
    assert "cos" not in ir


def test_what_cannot_be_shown_is_refused():
    with pytest.raises(ValueError, match=r"inspect: form is 'c\+\+', expected \"ir\", \"llvm\", \"asm\" or \"ptx\""):
        swing.inspect("c++")
    with pytest.raises(TypeError, match="generic"):
        generic.inspect()
    assert "float64" in wp.overload(generic, [wp.array[wp.float64]]).inspect()


PROGRAM = """
import os
import warp as wp

@wp.kernel
def named_by_us(x: wp.array[float]):
    i = wp.tid()
    x[i] = x[i] + wp.sin(x[i])

x = wp.zeros(1000)
wp.launch(named_by_us, dim=1000, inputs=[x])
print(os.getpid())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="perf is Linux's")
def test_perf_finds_kernels_by_name():
    environment = os.environ | {"PYTHONPATH": search_path(), "WARP_PERF_MAP": "1"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=120, check=True
    )
    names = Path(f"/tmp/perf-{done.stdout.strip()}.map")
    try:
        lines = [line.split() for line in names.read_text(encoding="utf-8").splitlines()]
    finally:
        names.unlink(missing_ok=True)
    own = [line for line in lines if line[2].startswith("named_by_us")]
    assert own
    assert all(int(at, 16) > 0 and int(size, 16) > 0 for at, size, _ in own)


def test_tracemalloc_counts_arrays():
    arrays = tracemalloc.DomainFilter(True, int.from_bytes(b"warp", "big"))

    def found() -> list[tracemalloc.Statistic]:
        return tracemalloc.take_snapshot().filter_traces([arrays]).statistics("lineno")

    kept = wp.zeros(10, dtype=float)
    tracemalloc.start()
    try:
        del kept  # of what was there before nothing is known
        a = wp.zeros(1 << 20, dtype=wp.uint8)
        b = wp.empty((2, 3), dtype=wp.vec3d)
        sizes = {stat.size: stat.traceback[0] for stat in found()}
        assert set(sizes) == {1 << 20, 2 * 3 * 24}
        assert all(place.filename == __file__ for place in sizes.values())
        del a
        assert [stat.size for stat in found()] == [b.nbytes]
        del b
        assert found() == []
    finally:
        tracemalloc.stop()
