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

# What compiled code does: at every level.
EACH = (
    "compiled/lanes/test_lanes.py",
    "compiled/test_rare_calls.py",
    "compiled/test_bounds.py",
    "compiled/test_atomics.py",
    "compiled/test_copied_sums.py",
    "compiled/test_neighbours.py",
    "compiled/test_neighbour_adds.py",
    "compiled/test_floating_point.py",
)
# Where all levels run, these take turns: each runs at one of them. A level that is named has all.
IN_TURNS = (
    "randomized/test_random_kernels.py",
    "randomized/test_random_language.py",
    "randomized/rare/test_random_rare.py",
    "randomized/test_random_programs.py",
    "language/builtins/test_decompositions.py",
    "randomized/test_random_branches.py",
    "randomized/test_random_integers.py",
    "randomized/test_random_structs.py",
    "language/builtins/test_random_numbers.py",
    "randomized/test_random_callables.py",
    "language/builtins/test_builtin_edges.py",
    "language/builtins/test_builtin_calls.py",
    "language/structs/test_struct_kernels.py",
    "language/structs/test_struct_launches.py",
    "language/structs/test_struct_gradients.py",
    "language/structs/test_struct_arrays.py",
    "language/structs/test_struct_array_gradients.py",
    "gradients/test_tape.py",
    "gradients/test_tape_overwrites.py",
    "gradients/test_tape_kept.py",
    "gradients/test_tape_shared_memory.py",
    "gradients/test_second_derivatives.py",
    "language/builtins/test_noise.py",
)

# Compiles a kernel.
PROBE = "import warp as wp; wp.zeros(1, dtype=float) + 1.0"
# What the error of a level says that the processor cannot run.
LACKS = "this processor lacks"


def lack(level: str) -> str | None:
    """What this processor lacks for a level; None if it has all. Any other failure is one."""
    env = {**os.environ, "WARP_CPU": level}
    done = subprocess.run([sys.executable, "-c", PROBE], env=env, capture_output=True, text=True)
    if LACKS in done.stderr:
        return done.stderr.rpartition(LACKS)[2].strip()
    if done.returncode != 0:
        raise SystemExit(f"levels: {level}: {done.stderr}")
    return None


def run(level: str, names: list[str]) -> bool:
    """The tests at one level; whether they pass."""
    env = {**os.environ, "WARP_CPU": level}
    cargo = os.environ.get("CARGO", "cargo")
    good = True
    for target in RUST:
        command = [cargo, "test", "--locked", "--workspace", *target]
        good &= subprocess.run(command, cwd=ROOT, env=env).returncode == 0
    workers = os.environ.get("WORKERS", "2")
    files = [f"tests/python/{name}" for name in names]
    command = [sys.executable, "-m", "pytest", "-q", "-n", workers, "--dist", "worksteal", *files]
    return good & (subprocess.run(command, cwd=ROOT, env=env).returncode == 0)


def main() -> int:
    """Runs the levels that are named, or all; the number of those that fail."""
    lines, failed = [], 0
    named = sys.argv[1:]
    for turn, level in enumerate(named or LEVELS):
        lacks = lack(level)
        if lacks is not None:
            lines.append(f"levels: {level}: not run, {LACKS} {lacks}")
            continue
        began = time.monotonic()
        good = run(level, [*EACH, *(IN_TURNS if named else IN_TURNS[turn :: len(LEVELS)])])
        failed += not good
        lines.append(f"levels: {level}: {'passed' if good else 'FAILED'} in {time.monotonic() - began:.0f} s")
    print(*lines, sep="\n", flush=True)
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
