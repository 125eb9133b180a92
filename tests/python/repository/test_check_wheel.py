"""scripts/check_wheel.py sees what is wrong with a wheel."""

from __future__ import annotations

import importlib.util
import subprocess
import zipfile
from pathlib import Path

import pytest

from support.places import ROOT

SCRIPT = ROOT / "scripts/check_wheel.py"
LICENSES = ("LICENSE", "LLVM.txt", "crates.txt", "libm.txt", "libstdcxx.txt", "zlib.txt", "zstd.txt")
GOOD = "warp_rs-0.1.0-cp311-abi3-manylinux_2_28_x86_64.whl"


@pytest.fixture(scope="module")
def check_wheel():
    spec = importlib.util.spec_from_file_location("check_wheel", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def library(folder: Path, *needs: str) -> Path:
    """An empty shared library that needs others."""
    out = folder / "lib.so"
    command = ["gcc", "-shared", "-x", "c", "/dev/null", "-x", "none", "-o", str(out), "-Wl,--no-as-needed", *needs]
    subprocess.run(command, check=True)
    return out


def wheel(folder: Path, extension: Path, *, name=GOOD, leave_out="", extra=()) -> Path:
    path = folder / name
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(extension, "warp/_warp.abi3.so")
        licenses = [f"warp_rs-0.1.0.dist-info/licenses/{name}" for name in LICENSES]
        for member in ("warp/__init__.py", "warp/py.typed", *licenses, *extra):
            if member != leave_out:
                archive.writestr(member, "")
    return path


def test_a_good_wheel_passes(check_wheel, tmp_path):
    assert check_wheel.problems(wheel(tmp_path, library(tmp_path, "-lm"))) == []


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"name": "warp_rs-0.1.0-cp312-cp312-manylinux_2_28_x86_64.whl"}, "cp311-abi3"),
        ({"name": "warp-0.1.0-cp311-abi3-manylinux_2_28_x86_64.whl"}, "cp311-abi3"),
        ({"leave_out": "warp/py.typed"}, "warp/py.typed is missing"),
        ({"leave_out": "warp_rs-0.1.0.dist-info/licenses/LICENSE"}, "the licence LICENSE is missing"),
        ({"leave_out": "warp_rs-0.1.0.dist-info/licenses/zstd.txt"}, "the licence zstd.txt is missing"),
        ({"name": GOOD.replace("2_28", "2_34")}, "it is for glibc 2.34, not for 2.28"),
        ({"extra": ["warp/__pycache__/x.pyc"]}, "no place"),
    ],
)
def test_a_wrong_wheel_is_named(check_wheel, tmp_path, change, complaint):
    problems = check_wheel.problems(wheel(tmp_path, library(tmp_path), **change))
    assert len(problems) == 1, problems
    assert complaint in problems[0]


def test_a_second_module_is_named(check_wheel, tmp_path):
    path = wheel(tmp_path, library(tmp_path))
    with zipfile.ZipFile(path, "a") as archive:
        archive.write(tmp_path / "lib.so", "warp/other.so")
    assert any("one extension module" in line for line in check_wheel.problems(path))


def test_a_library_too_many_is_named(check_wheel, tmp_path):
    other = library(tmp_path, "-Wl,-soname,libother.so.1").rename(tmp_path / "libother.so")
    problems = check_wheel.problems(wheel(tmp_path, library(tmp_path, str(other))))
    assert problems == ["warp/_warp.abi3.so needs libother.so.1"]


def test_a_large_wheel_is_named(check_wheel, tmp_path, monkeypatch):
    monkeypatch.setattr(check_wheel, "MAX_BYTES", 10)
    assert any("bytes" in line for line in check_wheel.problems(wheel(tmp_path, library(tmp_path))))


def test_a_function_of_a_newer_c_library_is_named(check_wheel, tmp_path):
    source = tmp_path / "new.c"
    source.write_text("extern unsigned arc4random(void); unsigned f(void) { return arc4random(); }")
    out = tmp_path / "new.so"
    made = subprocess.run(["gcc", "-shared", "-fPIC", str(source), "-o", str(out)], check=False)
    if made.returncode or b"GLIBC_2.36" not in out.read_bytes():
        pytest.skip("this machine's C library is older than what the test asks for")
    assert check_wheel.problems(wheel(tmp_path, out)) == ["warp/_warp.abi3.so needs glibc 2.36 (arc4random)"]
