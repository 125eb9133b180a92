"""The cache of compiled kernels, and what others may have done to its folder."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import sys
import warnings

import numpy as np
import warp as wp

folder = sys.argv[1]
if len(sys.argv) > 2:
    wp.config.kernel_cache_dir = folder


def make(n):
    @wp.kernel
    def set_to(x: wp.array(dtype=float)):
        x[wp.tid()] = float(n)

    return set_to


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for n in range(3):
        x = np.zeros(2, np.float32)
        wp.launch(make(n), dim=2, inputs=[x])
        assert x.tolist() == [n, n]
for warning in caught:
    print(warning.category.__name__, warning.message)
"""


def run(folder, *setting):
    env = {**os.environ, "WARP_CACHE_PATH": str(folder)}
    if setting:
        del env["WARP_CACHE_PATH"]
    command = [sys.executable, "-c", PROGRAM, str(folder), *setting]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def program_in_a_file(tmp_path, monkeypatch):
    """Kernels need their text in a file."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    monkeypatch.setattr(sys.modules[__name__], "PROGRAM", f"import runpy; runpy.run_path({str(path)!r})")


@pytest.mark.usefixtures("program_in_a_file")
@pytest.mark.parametrize("setting", [(), ("set",)])
def test_a_folder_that_everybody_may_write_is_named_and_not_used(tmp_path, setting):
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    said = run(folder, *setting)
    assert said.count("RuntimeWarning") == 1
    assert f"the kernel cache {folder} is not used, because every user may write it (mode 777)" in said
    assert list(folder.iterdir()) == []
    folder.chmod(0o755)
    assert run(folder, *setting) == ""
    assert list(folder.rglob("*.wk"))


@pytest.mark.usefixtures("program_in_a_file")
def test_the_users_own_folder_belongs_to_the_user_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "warp-rs"
    folder.mkdir()
    folder.chmod(0o775)
    monkeypatch.setenv("WARP_CACHE_PATH", "")
    said = run("", *())
    assert f"the kernel cache {folder} is not used, because others than its owner may write it (mode 775)" in said
    folder.chmod(0o700)
    assert run("") == ""
    assert list(folder.rglob("*.wk"))


@pytest.mark.usefixtures("program_in_a_file")
@pytest.mark.parametrize("kind", ["pipe", "endless"])
def test_what_is_no_file_is_not_read(tmp_path, kind):
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    run(folder)
    entries = list(folder.rglob("*.wk"))
    assert len(entries) == 3
    for entry in entries:
        entry.unlink()
        if kind == "pipe":
            os.mkfifo(entry)
        else:
            entry.symlink_to("/dev/zero")
    assert run(folder) == ""
    assert all(entry.is_file() and not entry.is_symlink() for entry in entries)


KERNEL = """\
import warp as wp


@wp.kernel
def look(x: wp.array(dtype=float), i: int):
    x[i] = 1.0
    x[i + 1] = 2.0
"""

LOOK = """
import sys

import numpy as np
import warp as wp

sys.path.insert(0, sys.argv[1])
from kernel import look

for i in range(2, 4):
    try:
        wp.launch(look, dim=1, inputs=[np.zeros(3, np.float32), i])
    except IndexError as error:
        print(str(error))
"""


def look(folder, text):
    (folder / "kernel.py").write_text(text)
    env = {**os.environ, "WARP_CACHE_PATH": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", LOOK, str(folder)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout, sorted((folder / "cache").rglob("*.wk"))


def test_a_comment_costs_no_compile_and_errors_name_the_new_lines(tmp_path):
    said, kept = look(tmp_path, KERNEL)
    assert "kernel.py:7" in said
    assert "kernel.py:6" in said
    assert len(kept) == 1
    times = [path.stat().st_mtime_ns for path in kept]
    text = KERNEL.replace("    x[i] =", "    # Two neighbours.\n\n    x[i]  =").replace("+ 1", "+ (1)")
    said, now_kept = look(tmp_path, text)
    assert "kernel.py:9" in said
    assert "kernel.py:8" in said
    assert "kernel.py:7" not in said
    assert (now_kept, [path.stat().st_mtime_ns for path in now_kept]) == (kept, times)
    _, more = look(tmp_path, text.replace("2.0", "3.0"))
    assert len(more) == 2
