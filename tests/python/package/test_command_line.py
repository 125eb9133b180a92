"""`python -m warp`: what its commands print, and how they end."""

from __future__ import annotations

import json
import os
import stat
import time
from pathlib import Path

import pytest
import warp as wp
from warp._cli import cache, command, doctor, info

from .anywhere import printed, python

MODULE = """\
from typing import Any
import warp as wp

@wp.kernel
def plain(x: wp.array(dtype=float), y: wp.array(dtype=float), n: int, s: wp.vec3):
    y[wp.tid()] = x[wp.tid()] * 2.0 * s[0]

@wp.kernel(enable_backward=False, module="unique")
def unique(x: wp.array2d(dtype=float)):
    x[0, 0] = 1.0

@wp.kernel
def generic(x: wp.array(dtype=Any)):
    x[0] = x.dtype(1)

@wp.kernel
def left_open(x: wp.array(dtype=Any)):
    x[0] = x.dtype(1)

wp.overload(generic, [wp.array(dtype=float)])
wp.overload(generic, [wp.array(dtype=int)])
"""
WRONG = """
@wp.kernel
def wrong(x: wp.array(dtype=float)):
    x[0] = missing
"""


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A cache folder of its own."""
    folder = tmp_path / "kept"
    monkeypatch.setattr(wp.config, "kernel_cache_dir", str(folder))
    monkeypatch.setenv("WARP_CACHE_PATH", str(folder))
    return folder


def fill(folder: Path, *sizes: int) -> list[Path]:
    """Entries of these sizes, the first of them used last."""
    made = []
    for at, size in enumerate(sizes):
        path = folder / f"{at:02x}" / f"{'0' * 62}.wk"
        path.parent.mkdir(parents=True)
        path.write_bytes(bytes(size))
        then = time.time() - 3600 * at
        os.utime(path, (then, then))
        made.append(path)
    folder.chmod(stat.S_IRWXU)
    return made


def test_it_is_a_command():
    assert printed("-m", "warp", "--help").startswith("usage: python -m warp [-h] COMMAND ...")
    assert printed("-m", "warp").startswith("usage: python -m warp [-h] COMMAND ...")
    assert "frameworks" in printed("-m", "warp", "info")
    done = python("-m", "warp", "nothing")
    assert done.returncode == 2
    assert "invalid choice" in done.stderr


def test_info(kept, capsys):
    fill(kept, 1000, 500)
    assert command.main(["info"]) == 0
    said = capsys.readouterr().out
    assert wp.__version__ in said
    assert f"{kept}\n            2 kernels, 1.5 KB" in said
    assert command.main(["info", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["cache"] == {"folder": str(kept), "entries": 2, "bytes": 1500}
    assert found["devices"][0]["alias"] == "cpu"
    names = [framework["name"] for framework in found["frameworks"]]
    assert len(names) == len(set(names))
    assert names[0] == "numpy"


def test_frameworks_that_are_absent_are_named(monkeypatch, capsys):
    monkeypatch.setattr(info, "installed", lambda name: None)
    assert command.main(["info"]) == 0
    assert "torch     not installed" in capsys.readouterr().out


def test_cache(kept, capsys):
    first, second, third = fill(kept, 1000, 500, 300)
    assert command.main(["cache", "path"]) == 0
    assert capsys.readouterr().out == f"{kept}\n"
    assert command.main(["cache", "size"]) == 0
    assert capsys.readouterr().out == f"3 kernels, 1.8 KB in {kept}\n"
    assert command.main(["cache", "list", "-n", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split("  ", 1) == ["00" + "0" * 14, "    1.0 KB  just now"]
    assert lines[2] == "and 1 more"
    # What was not used for longest goes.
    assert command.main(["cache", "limit", "1.5kB"]) == 0
    assert capsys.readouterr().out == "removed 1 kernels; 2 are left, 1.5 KB\n"
    assert [path.exists() for path in (first, second, third)] == [True, True, False]
    assert command.main(["cache", "limit", "1GiB"]) == 0
    assert "removed 0 kernels" in capsys.readouterr().out
    assert command.main(["cache", "clear"]) == 0
    assert capsys.readouterr().out == "removed 2 kernels, 1.5 KB\n"
    assert not first.exists()


@pytest.mark.parametrize("text", ["", "many", "3x", "-1", "1 0"])
def test_wrong_sizes(kept, text, capsys):
    assert command.main(["cache", "limit", "--", text]) == 1
    assert f"{text!r} is no size; expected one such as 500MB" in capsys.readouterr().err


def test_sizes():
    assert [cache.bytes_of(text) for text in ("12", "1kb", "1.5 MB", "2G", "1KiB")] == [
        12,
        1000,
        1500000,
        2 * 10**9,
        1024,
    ]
    assert [cache.readable(size) for size in (1, 1500, 2e6, 3e9)] == ["1 bytes", "1.5 KB", "2.0 MB", "3.00 GB"]


def test_no_cache_folder(monkeypatch, capsys):
    monkeypatch.setattr(cache, "_cache_dir", lambda: None)
    assert command.main(["cache", "size"]) == 1
    assert "WARP_CACHE_PATH can name one" in capsys.readouterr().err


def test_doctor(kept, capsys):
    assert command.main(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "ok     device cpu: compiles and runs a kernel and its gradient"
    assert f"ok     cache: {kept} can be written" in lines
    assert lines[-1] == "all is well"
    assert any(line.startswith("ok     numpy") for line in lines)


def test_doctor_finds_a_folder_that_others_may_write(kept, capsys):
    kept.mkdir()
    kept.chmod(0o777)
    assert command.main(["doctor", "--skip", "torch", "--skip", "jax", "--skip", "paddle"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "WRONG  cache: no cache folder can be used" in "\n".join(lines)
    assert "-      torch: left out" in lines
    assert lines[-1] == "one of these checks failed"


def test_doctor_finds_what_a_file_is_in_the_way_of(kept, capsys):
    kept.write_text("")
    assert command.main(["doctor", "--skip", "torch", "--skip", "jax", "--skip", "paddle"]) == 1
    assert "WRONG  cache: OSError" in capsys.readouterr().out


def test_doctor_finds_wrong_numbers_and_copies(monkeypatch, kept, capsys):
    monkeypatch.setattr(doctor.math, "isclose", lambda *_, **__: False)
    monkeypatch.setattr(doctor.wp, "array", _copied)
    assert doctor.doctor(["torch", "jax", "paddle"]) == 1
    said = capsys.readouterr().out
    assert "WRONG  device cpu: a kernel computes [0.0, " in said
    assert "WRONG  numpy: a conversion copies" in said


_array = wp.array


def _copied(*arguments, copy=True, **options):
    return _array(*arguments, copy=True, **options)


def test_doctor_finds_frameworks_that_do_not_load(monkeypatch, capsys):
    def broken() -> str:
        raise ImportError("libtorch.so: no such file")

    monkeypatch.setattr(doctor, "installed", lambda name: None if name == "numpy" else "1.0")
    monkeypatch.setattr(doctor, "FRAMEWORKS", ["torch"])
    monkeypatch.setitem(doctor._FRAMEWORKS, "torch", broken)
    assert doctor.doctor(["jax", "paddle"]) == 1
    said = capsys.readouterr().out
    assert "WRONG  torch is installed, but cannot be imported: libtorch.so: no such file" in said
    assert "WRONG  numpy is not installed; `pip install numpy` does it" in said
    assert said.endswith("2 of these checks failed\n")


def entries(folder: Path) -> int:
    return len(cache.entries(str(folder)))


def test_compile(tmp_path, kept):
    (tmp_path / "made.py").write_text(MODULE)
    said = printed("-m", "warp", "compile", "made", folder=tmp_path)
    assert said.startswith("4 of 4 kernels are compiled for cpu (")
    assert said.endswith("1 generic kernels have no types yet: they are compiled when they are launched")
    forward = entries(kept)
    assert forward == 4
    # What is launched then comes from there.
    launch = (
        "import warp as wp, made; wp.config.verbose = True\nwp.launch(made.unique, dim=1, inputs=[wp.zeros((1, 1))])"
    )
    assert "cache" in printed("-c", launch, folder=tmp_path)
    assert entries(kept) == forward
    printed("-m", "warp", "compile", "--adjoint", str(tmp_path / "made.py"))
    assert entries(kept) == forward + 2


def test_compile_a_package(tmp_path, kept):
    package = tmp_path / "whole"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text("raise SystemExit(3)")
    (package / "one.py").write_text(MODULE)
    (package / "two.py").write_text("import nothing_like_that")
    done = python("-m", "warp", "compile", "whole", folder=tmp_path)
    assert (done.returncode, done.stderr) == (1, "no kernels are defined in whole\n")
    done = python("-m", "warp", "compile", "-r", "whole", folder=tmp_path)
    assert done.returncode == 1
    assert "4 of 4 kernels" in done.stdout
    assert "whole.two cannot be imported: ModuleNotFoundError: No module named 'nothing_like_that'" in done.stderr


def test_compile_says_what_fails(tmp_path, kept):
    (tmp_path / "made.py").write_text(MODULE + WRONG)
    done = python("-m", "warp", "compile", "-q", "made", folder=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "made.wrong: " in done.stderr
    assert "missing" in done.stderr
    done = python("-m", "warp", "compile", "absent", folder=tmp_path)
    assert (done.returncode, done.stderr) == (1, "python -m warp compile: No module named 'absent'\n")


def test_compile_shows_how_far_it_is(tmp_path, kept):
    """By what tqdm is here, as far as it is used."""
    (tmp_path / "made.py").write_text(MODULE)
    (tmp_path / "tqdm.py").write_text(
        "class tqdm(list):\n"
        "    def __init__(self, items, unit, disable):\n"
        "        super().__init__(items); print('bar of', len(items), unit, disable)\n"
        "    def set_postfix_str(self, text): print('at', text)\n"
    )
    said = printed("-m", "warp", "compile", "made", folder=tmp_path)
    assert said.startswith("bar of 4 kernel None\nat plain\n")
