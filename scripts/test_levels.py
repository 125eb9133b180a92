"""Runs the tests of compiled code for processors that this machine can stand in for: `make test-levels`.

    python scripts/test_levels.py [LEVEL ...]

`WARP_CPU` has kernels compiled for a level of the x86-64 architecture, whose vectors are shorter than the machine's.
Other lengths of vectors are other code: what is right on one processor may be wrong on another. The machine's own level
is left to `make test`. The last lines say which levels ran, and which this processor lacks.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LEVELS = ("x86-64", "x86-64-v2", "x86-64-v3")

# Tests of lowering, of mathematics and of what compiled code does. With the features of the whole workspace they are
# compiled already.
RUST = (
    ("--lib", "--", "backend::cpu", "lower"),
    ("--test", "lower", "--test", "builtins", "--test", "gradients"),
)

PYTHON = (
    "test_lanes.py",
    "test_bounds.py",
    "test_atomics.py",
    "test_copied_sums.py",
    "test_neighbours.py",
    "test_neighbour_adds.py",
    "test_random_kernels.py",
    "test_random_branches.py",
    "test_random_programs.py",
    "test_random_rare.py",
    "test_random_structs.py",
    "test_random_language.py",
    "test_random_callables.py",
    "test_decompositions.py",
    "test_builtin_edges.py",
    "test_random_numbers.py",
    "test_noise.py",
    "test_struct_kernels.py",
    "test_struct_gradients.py",
    "test_struct_arrays.py",
    "test_tape.py",
    "test_tape_overwrites.py",
    "test_second_derivatives.py",
    "test_floating_point.py",
    "test_rare_calls.py",
)

# Compiles a kernel, or ends with what is wrong with the level.
PROBE = """
import warp as wp

try:
    wp.map(lambda x: x + 1.0, wp.zeros(1, dtype=float))
except ValueError as error:
    raise SystemExit(str(error))
"""


def refusal(level: str) -> str | None:
    """Why this machine cannot run code for a level; None if it can."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE], env={**os.environ, "WARP_CPU": level}, capture_output=True, text=True
    )
    if done.returncode == 0:
        return None
    return (done.stderr.strip() or "no reason given").splitlines()[-1]


def run(level: str) -> bool:
    """All tests at one level; whether they pass."""
    env = {**os.environ, "WARP_CPU": level}
    cargo = os.environ.get("CARGO", "cargo")
    good = True
    for target in RUST:
        command = [cargo, "test", "--locked", "--workspace", *target]
        good &= subprocess.run(command, cwd=ROOT, env=env).returncode == 0
    workers = os.environ.get("WORKERS", "2")
    files = [f"tests/python/{name}" for name in PYTHON]
    command = [sys.executable, "-m", "pytest", "-q", "-n", workers, "--dist", "worksteal", *files]
    return good & (subprocess.run(command, cwd=ROOT, env=env).returncode == 0)


def main() -> int:
    """Runs the levels that are named, or all; the number of those that fail."""
    lines, failed = [], 0
    for level in sys.argv[1:] or LEVELS:
        why = refusal(level)
        if why is not None:
            lines.append(f"levels: {level}: not on this processor ({why})")
            continue
        began = time.monotonic()
        good = run(level)
        failed += not good
        lines.append(f"levels: {level}: {'passed' if good else 'FAILED'} in {time.monotonic() - began:.0f} s")
    print(*lines, sep="\n", flush=True)
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
