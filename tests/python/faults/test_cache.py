"""The disk cache under processes that race, die and find damaged files."""

from __future__ import annotations

import random
import time

PROGRAM = """
import numpy as np
import warp as wp


@wp.kernel
def wave(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    v = x[i]
    for k in range(3):
        v = wp.sin(v) * wp.exp(-v) + float(k)
    y[i] = v


x = np.linspace(0, 1, 100, dtype=np.float32)
y = np.zeros_like(x)
wp.launch(wave, dim=100, inputs=[x], outputs=[y])
v = x.astype(np.float64)
for k in range(3):
    v = np.sin(v) * np.exp(-v) + k
np.testing.assert_allclose(y, v, rtol=1e-5)
print("right")
"""


def entries(cache):
    """The compiled kernels in the cache."""
    return sorted(path for path in cache.rglob("*.wk") if path.is_file())


def leftovers(cache):
    return [path for path in (cache / "tmp").glob("*") if path.is_file()]


def test_eight_processes_share_one_cold_cache(script, tmp_path):
    program = script(PROGRAM)
    processes = [program.start() for _ in range(8)]
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert (process.returncode, out) == (0, "right\n"), err
    assert len(entries(tmp_path / "cache")) == 1
    assert not leftovers(tmp_path / "cache")


def test_a_second_process_compiles_nothing(script, tmp_path):
    program = script(PROGRAM)
    program.run()
    before = {path: path.stat().st_mtime_ns for path in entries(tmp_path / "cache")}
    program.run()
    assert {path: path.stat().st_mtime_ns for path in entries(tmp_path / "cache")} == before


def test_killed_while_compiling(script, tmp_path, rounds):
    """Kill the process at a moment of the compile; the next one must be right and leave nothing behind."""
    program = script(PROGRAM)
    began = time.perf_counter()
    program.run()
    whole = time.perf_counter() - began
    rng = random.Random(7)
    for _ in range(rounds(10, 200)):
        for path in entries(tmp_path / "cache"):
            path.unlink()
        process = program.start()
        time.sleep(rng.uniform(0.2, 1.0) * whole)
        process.kill()
        process.communicate()
    assert program.run() == "right\n"
    assert len(entries(tmp_path / "cache")) == 1
    assert not leftovers(tmp_path / "cache")


def test_damaged_entries_heal(script, tmp_path, rounds):
    program = script(PROGRAM)
    program.run()
    (entry,) = entries(tmp_path / "cache")
    good = entry.read_bytes()
    rng = random.Random(11)
    for _ in range(rounds(15, 1000)):
        damaged = bytearray(good)
        match rng.randrange(4):
            case 0:
                damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
            case 1:
                del damaged[rng.randrange(len(damaged)) :]
            case 2:
                damaged += rng.randbytes(rng.randrange(1, 100))
            case _:
                at = rng.randrange(len(damaged))
                damaged[at : at + 64] = rng.randbytes(64)
        entry.write_bytes(damaged)
        assert program.run() == "right\n"
    assert entry.read_bytes() == good


def test_a_changed_constant_is_another_kernel(script, tmp_path):
    source = """
import sys
import numpy as np
import warp as wp

FACTOR = float(sys.argv[1])


@wp.func
def scaled(v: float):
    return v * FACTOR


@wp.kernel
def scale(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = scaled(x[i])


x = np.ones(3, dtype=np.float32)
wp.launch(scale, dim=3, inputs=[x])
print(x)
"""
    program = script(source)
    for factor, printed in [("2", "[2. 2. 2.]\n"), ("3", "[3. 3. 3.]\n"), ("2", "[2. 2. 2.]\n")]:
        assert program.run(factor) == printed
    assert len(entries(tmp_path / "cache")) == 2
