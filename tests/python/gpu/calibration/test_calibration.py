"""The table of instructions: on the driver for tests in the ordinary suite, on a real one where there is a GPU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpu.calibration import calibrate, driver_behaviour
from gpu.support import driver_calls

ROWS = calibrate.read()


def calibrated(library: str, goldens: Path) -> str:
    """What the program prints, in a process of its own: here the driver may be in use, with settings of other tests."""
    command = [sys.executable, calibrate.__file__, "--driver", library, "--goldens", str(goldens)]
    environment = driver_behaviour.clean_environment()
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=280, check=False)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def library() -> str:
    found = driver_calls.driver_for_tests()
    if found is None:
        pytest.skip("the driver for tests is not built: cargo build -p ptx-driver")
    return found


def test_the_driver_for_tests_gives_each_result(library, tmp_path):
    printed = calibrated(library, tmp_path)
    assert f"{len(ROWS)} rows ran" in printed
    assert " 0 different" in printed
    # What was written is read as it was.
    answers = calibrate.read(tmp_path / "sm_90.txt")
    assert [row.key for row in answers] == [row.key for row in ROWS]
    assert calibrate.differences(ROWS, answers) == []


def test_what_a_smaller_gpu_lacks_is_left_out(library, tmp_path):
    environment = driver_behaviour.clean_environment() | {"PTX_DRIVER_SM": "75"}
    command = [sys.executable, calibrate.__file__, "--driver", library, "--goldens", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    later = sum(row.capability > 75 for row in ROWS)
    assert later > 30
    assert f"{later} need a later GPU" in done.stdout


@pytest.mark.gpu
def test_a_gpu_gives_each_result():
    """Writes the golden of this GPU: WARP_GOLDENS names the folder, `tests/goldens` by default."""
    library = driver_calls.real_driver()
    if library is None:
        pytest.skip("there is no NVIDIA GPU")
    goldens = os.environ.get("WARP_GOLDENS")
    calibrated(library, Path(goldens) / "ptx" if goldens else calibrate.GOLDENS)


def test_goldens_are_what_the_table_allows():
    """What GPUs have answered, as far as the repository keeps it."""
    for path in calibrate.GOLDENS.glob("*.txt"):
        assert calibrate.differences(ROWS, calibrate.read(path)) == [], path.name


def row(line: str, kind: str = "rows") -> calibrate.Row:
    left, _, right = line.rpartition(" = ")
    result, *notes = right.split(" [")
    numbers = calibrate.numbers(result)
    return calibrate.Row("", kind, 1, 1, left, [], numbers, [note.rstrip("]") for note in notes], 0)


@pytest.mark.parametrize(
    ("line", "allowed", "refused"),
    [
        ("add.f32 %f0, %f1, %f2; = 3f800000", [0x3F800000], [0x3F800001]),
        ("ex2.approx.f32 %f0, %f1; = 3f800000 [2 ulp]", [0x3F7FFFFE, 0x3F800002], [0x3F800003, 0x7FC00000]),
        ("sin.approx.f32 %f0, %f1; = 0 [8 ulp]", [0x80000000, 0x80000008, 8], [0x80000009, 0x3F800000]),
        ("tanh.approx.f16x2 %r0, %r1; = 3c00bc00 [2 ulp]", [0x3C01BC01], [0x3C03BC00, 0x3C003C00]),
        ("rsqrt.approx.f64 %fd0, %fd1; = 3fe0000000000000 [8 ulp]", [0x3FE0000000000007], [0x3FE0000000000009]),
        ("mul.f64 %fd0, %fd1, %fd2; = 7ff8000000000000 [nan]", [0xFFF8000000000000], [0x7FF0000000000000, 0]),
        ("div.u32 %r0, %r1, %r2; = ffffffff [any]", [0], []),
        ("atom.global.exch.b32 %r5, [%rd1], %r1; = 3 [less than 40]", [0, 0x3F], [0x40]),
    ],
)
def test_what_notes_leave_open(line, allowed, refused):
    assert all(calibrate.fits(row(line), [number]) for number in allowed)
    assert not any(calibrate.fits(row(line), [number]) for number in refused)


@pytest.mark.parametrize("numbers", [[1], [7] * 32, [1, 2, 3, 10, 9, 8, 8], [0, 1], [5, 5, 6, 7, 8], []])
def test_lists_are_spelled_and_read(numbers):
    assert calibrate.numbers(calibrate.spell(numbers)) == numbers


def test_a_golden_that_differs_is_found():
    answers = [row("add.f32 %f0, %f1, %f2; = 3f800001")]
    assert len(calibrate.differences([row("add.f32 %f0, %f1, %f2; = 3f800000")], answers)) == 1
