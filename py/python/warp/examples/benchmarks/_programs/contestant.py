"""What the process of one contestant measures of one program."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from .program import Maker, Program, Spec

Rows = dict[str, float]

#: What is measured: seconds of a frame, of the first frame, and bytes; 1 where values are wrong.
WALL, CPU, FIRST, MEMORY, WRONG = "wall", "CPU", "first", "memory", "wrong"


def first_frame(program: Program) -> Rows:
    """Takes the first frame, whose kernels no cache has."""
    wall = time.perf_counter()
    program.frame()
    return {FIRST: time.perf_counter() - wall}


def hold_against(spec: Spec, program: Program, kept: Path, is_first: bool) -> Rows:
    """Takes the frames that are compared. The first contestant keeps its values for the others."""
    for _ in range(spec.frames - 1):
        program.frame()
    found = np.array(program.found(), dtype=np.float64)
    if not np.isfinite(found).all():
        return {WRONG: 1.0}
    if is_first:
        np.save(kept, found)
        return {}
    return {WRONG: 1.0} if spec.off(found, np.load(kept)) else {}


def off_numpy(spec: Spec, make: Maker) -> float:
    """The share of values of a tiny run that are not those that NumPy finds."""
    program = make(spec.tiny)
    for _ in range(spec.frames):
        program.frame()
    found = np.asarray(program.found(), dtype=np.float64)
    expected = spec.expected(spec.tiny, spec.frames)
    assert found.size == expected.size
    return spec.off(found, expected)


def timed(program: Program, seconds: float) -> Rows:
    """The least wall and CPU seconds of a frame: other programs of the machine can only add to them."""
    number = 1
    walls: list[float] = []
    cpus: list[float] = []
    began = time.perf_counter()
    while len(walls) < 3 or time.perf_counter() - began < seconds:
        wall, cpu = time.perf_counter(), time.process_time()
        for _ in range(number):
            program.frame()
        took, spent = time.perf_counter() - wall, time.process_time() - cpu
        if took < 0.01 and seconds:  # too short to be timed
            number *= 4
            continue
        walls.append(took / number)
        cpus.append(spent / number)
    return {WALL: min(walls), CPU: min(cpus)}


def memory() -> Rows:
    """The most memory that the process has had: `getrusage` would count that of the process which started it, too."""
    status = Path("/proc/self/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return {MEMORY: 1024.0 * int(line.split()[1])}
