"""`scripts/compile_package.py` on a package of three modules."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "compile_package.py"

KERNELS = """
import warp as wp

@wp.struct
class State:
    x: wp.array(dtype=float)

@wp.kernel
def good(x: wp.array(dtype=float), n: wp.vec3, s: State):
    x[wp.tid()] = n[0] * s.x[0]

@wp.kernel(enable_backward=False)
def forward_only(x: wp.array(dtype=int)):
    x[0] = 1

@wp.kernel
def mixed(x: wp.array(dtype=float), n: int):
    x[0] = x[0] + n

@wp.kernel
def of_a_tile(x: wp.array(dtype=float)):
    t = wp.tile_no_such_thing(x, shape=4)

@wp.kernel
def without_gradient(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    y[0] = wp.atomic_exch(x, 0, 1.0)
"""


@pytest.fixture
def run(tmp_path):
    package = tmp_path / "made_up"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "kernels.py").write_text(KERNELS)
    (package / "broken.py").write_text("import warp as wp\nwp.no_such_name\n@wp.kernel\ndef k(): ...\n")

    def run(*args):
        command = [sys.executable, str(SCRIPT), "made_up", *args]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    return run


def test_what_compiles_and_what_does_not(run):
    done = run()
    assert done.returncode == 1, done.stderr
    text = done.stdout
    assert "2 of 3 modules load; 5 kernels" in text
    assert "made_up.broken: AttributeError" in text
    assert "(1 kernels in its text)" in text
    assert "forward: 3 of 5 compile" in text
    assert "adjoint: 1 of 2 compile" in text
    ours, later = text.split("kernels fail that use tiles")
    assert "(forward; made_up.kernels.mixed)" in ours
    assert "(adjoint; made_up.kernels.without_gradient)" in ours
    assert "made_up.kernels.of_a_tile" in later


def test_a_kernel_that_is_asked_for_alone(run):
    done = run("--only", "good", "--skip", "broken")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "forward: 1 of 1 compile\nadjoint: 1 of 1 compile" in done.stdout
