"""The short run (`scripts/test_gpu.py --short`) on the driver for tests as a stand-in, with planted mistakes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from gpu.support import driver_calls
from support.places import ROOT

PLANTED = {
    "hang": """
        import time
        import pytest
        import warp as wp

        @wp.kernel
        def forever(x: wp.array(dtype=int)):
            while x[0] == 0:
                x[1] += 1

        def test_before():
            wp.zeros(1, dtype=int, device="cuda:0")

        def test_hangs():
            wp.launch(forever, dim=1, inputs=[wp.zeros(2, dtype=int, device="cuda:0")], device="cuda:0")
            wp.synchronize()

        def test_behind():
            assert wp.ones(1, dtype=int, device="cuda:0").list() == [1]
    """,
    "illegal_address": """
        import warp as wp

        @wp.kernel
        def double(x: wp.array(dtype=float)):
            x[wp.tid()] = 2.0 * x[wp.tid()]

        def test_illegal_address():
            bad = wp.array(ptr=0x7FFFF0000, dtype=float, shape=3, device="cuda:0")
            wp.launch(double, dim=3, inputs=[bad], device="cuda:0")
            wp.synchronize()

        def test_behind():
            x = wp.ones(3, dtype=float, device="cuda:0")
            wp.launch(double, dim=3, inputs=[x], device="cuda:0")
            assert x.list() == [2.0] * 3
    """,
    "crash": """
        import ctypes
        import subprocess
        import sys

        def test_crashes():
            # A program that it leaves behind is ended with it.
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", "left behind by test_crashes"])
            ctypes.string_at(0)

        def test_behind():
            pass
    """,
    "wrong": """
        def test_is_wrong():
            assert 1 + 1 == 3, "the sum"

        def test_is_right():
            pass
    """,
    "unreadable": "import a_module_that_is_not_there",
}


def short_run_begun(*options: object, **more: str) -> subprocess.Popen[str]:
    library = driver_calls.driver_for_tests()
    if library is None:
        pytest.skip("the driver for tests is not built: cargo build -p ptx-driver")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PTX_DRIVER_", "PYTEST_"))}
    kept |= {"WARP_CUDA_DRIVER": library, "WARP_STAND_IN_GPU": "1", "PTX_DRIVER_ORDER": "eager"} | more
    command = [sys.executable, str(ROOT / "scripts/test_gpu.py"), "--short", *map(str, options)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=kept)


def short_run(*options: object, **more: str) -> subprocess.CompletedProcess[str]:
    begun = short_run_begun(*options, **more)
    printed, _ = begun.communicate(timeout=200)
    return subprocess.CompletedProcess(begun.args, begun.returncode, printed, "")


@pytest.fixture
def planted(tmp_path: Path) -> list[Path]:
    found = []
    for name, text in PLANTED.items():
        lines = text.splitlines()
        path = tmp_path / f"test_{name}.py"
        path.write_text("\n".join(line.removeprefix(" " * 8) for line in lines) + "\n")
        found.append(path)
    return found


def test_what_ends_a_process_ends_nothing_else(planted, tmp_path):
    out = tmp_path / "out"
    only = "facts,calibration,tests,captures"
    done = short_run("--out", out, "--budget", 180, "--silence", 12, "--only", only, "--files", *planted)
    tail = done.stdout[-10_000:]
    assert done.returncode == 1, done.stdout + done.stderr
    _, _, closing = tail.partition("==== test-gpu, short run ====")
    assert closing, "all of the closing report is in the tail"
    for line in (
        "calibration: good",
        "- hung: test_hang.py::test_hangs: killed after",
        "- crashed: test_crash.py::test_crashes: SIGSEGV",
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "- failed: test_wrong.py::test_is_wrong: AssertionError: the sum",
        "ModuleNotFoundError: No module named 'a_module_that_is_not_there'",
        "| the driver for tests, sm_90 |",
    ):
        assert line in closing, (line, closing)
    # What stands behind a mistake ran in a process of its own.
    assert "5 of 5 files, 1 crashed, 1 error, 2 failed, 1 hung, 5 passed" in closing, closing
    assert "captures: " in closing, "later steps ran"
    # The hang's stack, and the outputs of each step.
    assert "in test_hangs" in (out / "tests/test_hang.txt").read_text()
    assert (out / "goldens/ptx/sm_90.txt").is_file()
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=False).stdout
    assert "left behind by test_crashes" not in left


def test_a_budget_that_is_short_is_kept(tmp_path):
    begin = time.monotonic()
    done = short_run("--out", tmp_path / "out", "--budget", 7, "--only", "facts,smoke,tests,captures")
    took = time.monotonic() - begin
    assert took < 20, took
    assert "of the budget are left" in done.stdout or "time was up" in done.stdout, done.stdout
    assert "For docs/gpu-runs.md:" in done.stdout


def test_whoever_ends_the_run_gets_its_report(tmp_path):
    (tmp_path / "test_slow.py").write_text("import time\n\ndef test_sleeps():\n    time.sleep(600)\n")
    begun = short_run_begun("--out", tmp_path / "out", "--only", "tests", "--files", tmp_path / "test_slow.py")
    events = tmp_path / "out/tests/test_slow.events"
    until = time.monotonic() + 60
    while time.monotonic() < until and not (events.exists() and "begin" in events.read_text()):
        time.sleep(0.1)
    begun.terminate()
    printed, _ = begun.communicate(timeout=20)
    assert begun.returncode == 1
    assert "test_slow was cut off with 1 tests left" in printed, printed
    assert "For docs/gpu-runs.md:" in printed


def test_wheels_are_packed_and_unpacked(tmp_path):
    (tmp_path / "wheels").mkdir()
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    for tags in (
        "py3-none-any",
        f"{python}-{python}-linux_x86_64",
        "cp30-cp30-linux_x86_64",
        "cp311-abi3-linux_x86_64",
    ):
        with zipfile.ZipFile(tmp_path / f"wheels/name-1-{tags}.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
            wheel.writestr(f"{tags}.py", "text = 1\n" * 1000)
    programs = ROOT / "scripts/gpu"
    for command in (
        ["pack.py", "wheels", "wheels.tar.xz"],
        ["pack.py", "--unpack", "wheels.tar.xz", "unpacked"],
        ["install.py", "unpacked", "installed"],
    ):
        subprocess.run([sys.executable, programs / command[0], *command[1:]], cwd=tmp_path, check=True)
    for wheel in (tmp_path / "wheels").iterdir():
        with zipfile.ZipFile(wheel) as given, zipfile.ZipFile(tmp_path / "unpacked" / wheel.name) as found:
            assert [(name, given.read(name)) for name in given.namelist()] == [
                (name, found.read(name)) for name in found.namelist()
            ]
    names = {path.name for path in (tmp_path / "installed").iterdir()}
    assert names == {"py3-none-any.py", f"{python}-{python}-linux_x86_64.py", "cp311-abi3-linux_x86_64.py"}


def test_without_a_gpu_it_says_so(tmp_path):
    done = short_run("--out", tmp_path / "out", WARP_STAND_IN_GPU="0")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no NVIDIA GPU on this machine" in done.stdout
    assert done.stdout.endswith("there is nothing to test\n")


def test_the_report_fits_the_tail_of_a_log(tmp_path):
    program = f"""
import sys
sys.path.insert(0, {str(ROOT / "scripts/gpu")!r})
import report, steps
from events import Outcome
from pathlib import Path
run = steps.Run(Path("out"), 0.0, [], Path("cache"), facts={{"device": "GPU, sm_90, driver 12.4"}})
rows = {{f"row {{n}} of a long name": 1e-5 * n for n in range(300)}}
run.benchmark = {{"rows": rows, "columns": {{"torch": rows}}, "rates": {{}}}}
words = "apple berry cherry plum pear quince".split()
def error(n):
    return words[n % 6] * (n // 6 % 50 + 1)
failures = [Outcome(f"planted/test_x.py::test_{{n}}", "failed", error(n)) for n in range(900)]
print(report.closing(run, [f"step {{n}}: " + "x" * 900 for n in range(12)], failures, {{"failed": 900}}, "command"))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert len(done.stdout) < 10_000
    assert "900 failures" in done.stdout
    assert "more kinds of failures" in done.stdout
    assert "more rows" in done.stdout
    assert done.stdout.strip().endswith("| `command` | 900 failed |")
