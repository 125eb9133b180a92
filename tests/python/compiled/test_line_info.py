"""`wp.config.lineinfo`: gdb stops at lines of kernels, and code says nothing of lines unless asked to."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import warp as wp

from support.places import search_path

PROGRAM = """\
import sys
import warp as wp

wp.config.lineinfo = True


@wp.func
def lifted(x: float):
    return wp.sqrt(x) * 2.0


@wp.kernel
def relax(x: wp.array[float], n: int):
    i = wp.tid()
    s = float(0.0)
    for k in range(n):
        s += wp.sin(x[i] + float(k))
    x[i] = lifted(s * s)


x = wp.ones(1000, requires_grad=True)
wp.launch(relax, dim=1000, inputs=[x, 10])
"""
LOOP, FUNCTION = 17, 9


@wp.kernel
def shift(x: wp.array[float]):
    i = wp.tid()
    x[i] = x[i] + 1.0


def stops(program: Path, line: int) -> str:
    """What gdb says where it stops at a line of a program."""
    # The break is pending until a kernel is loaded.
    wishes = ["set breakpoint pending on", f"break {program.name}:{line}", "run", "backtrace 2", "info source"]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([search_path(), *sys.path]),
        "WARP_CACHE_PATH": str(program.parent / "cache"),
        "WARP_NUM_THREADS": "1",
    }
    done = subprocess.run(
        ["gdb", "-q", "-nx", "-batch", *(word for wish in wishes for word in ("-ex", wish)), "--args", sys.executable,
         program], env=environment, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    if re.search("ptrace: Operation not permitted|Could not trace", done.stdout + done.stderr):
        pytest.skip("this process may not trace others")
    return done.stdout


@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not there (Debian: apt-get install gdb)")
def test_gdb_stops_at_lines_of_kernels(tmp_path):
    program = tmp_path / "relaxing.py"
    program.write_text(PROGRAM)
    for _ in ("compiled", "from the cache"):
        said = stops(program, LOOP)
        assert re.search(
            rf"^(Thread .* hit )?Breakpoint 1(\.\d+)?, .*relax\.\S+ \(\) at {program}:{LOOP}$", said, re.M
        ), said
        assert "s += wp.sin(x[i] + float(k))" in said
        assert re.search(r"^#0 .*relax\.", said, re.M)
    # Other lines of the same text are code of their own.
    program.write_text("\n\n" + PROGRAM)
    assert f"{program}:{LOOP + 2}" in stops(program, LOOP + 2)
    assert f"{program}:{FUNCTION + 2}" in stops(program, FUNCTION + 2)


def test_code_says_nothing_of_lines_unless_asked(monkeypatch):
    assert "!DILocation" not in shift.inspect("llvm")
    monkeypatch.setattr(wp.config, "lineinfo", True)

    @wp.kernel(module="unique")
    def shifted(x: wp.array[float]):
        i = wp.tid()
        x[i] = x[i] + 1.0

    first = shifted.func.__code__.co_firstlineno
    places = re.findall(r"!DILocation\(line: (\d+),", shifted.inspect("llvm"))
    assert {int(line) - first for line in places} >= {3}
    found = wp.zeros(3)
    wp.launch(shifted, dim=3, inputs=[found])
    assert found.numpy().tolist() == [1.0, 1.0, 1.0]


@wp.kernel(module_options={"lineinfo": True}, module="unique")
def swing(x: wp.array[float], n: int, y: wp.array[float]):
    i = wp.tid()
    s = float(0.0)
    for k in range(n):
        if x[i] > float(k):
            s += wp.sin(x[i]) * s + 1.0
    wp.atomic_add(y, 0, s)


def test_gradients_are_those_without():
    """Loops that record, and sums of all threads, with marks in their code."""
    found = []
    plain = wp.Kernel(swing.func, module=wp.get_module("without_lines"), key="swing_plain")
    for kernel in (swing, plain):
        x, y = wp.array([0.5, 1.5, 2.5, 3.5] * 25, dtype=float, requires_grad=True), wp.zeros(1, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(kernel, dim=100, inputs=[x, 4], outputs=[y])
        tape.backward(y)
        found.append((y.numpy().tolist(), x.grad.numpy().tolist()))
    assert found[0] == found[1]
    assert "!DILocation" in swing.inspect("llvm", adjoint=True)
    assert "!DILocation" not in plain.inspect("llvm", adjoint=True)
