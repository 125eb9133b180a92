"""`scripts/compile_package.py` on a made-up package."""

import os
import re
import subprocess
import sys

import pytest

from support.places import ROOT

SCRIPT = ROOT / "scripts/compile_package.py"

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
    t = wp.tile_load(x, shape=4)

@wp.kernel
def of_a_block(x: wp.array(dtype=float), v: wp.uint64):
    q = wp.bvh_query_aabb_tiled(v, wp.vec3(), wp.vec3())

@wp.func_native("return x;")
def native(x: float) -> float: ...

@wp.kernel
def of_a_snippet(x: wp.array(dtype=float)):
    x[0] = native(1.0)

@wp.kernel
def without_gradient(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    y[0] = wp.atomic_exch(x, 0, 1.0)
"""


GENERIC = """
from typing import Any
import warp as wp

@wp.kernel
def declared(positions: wp.array(dtype=wp.vec3), box: wp.array(dtype=wp.mat33)):
    positions[0] = box[0] * positions[0]

@wp.kernel(enable_backward=False)
def overloaded(x: wp.array(dtype=Any), n: Any):
    x[0] = x[0] * n

wp.overload(overloaded, {"x": wp.array(dtype=wp.float16), "n": wp.float16})
wp.overload(overloaded, [wp.array(dtype=wp.float64), wp.float64])

@wp.kernel(enable_backward=False)
def named(positions: wp.array(dtype=Any), box: wp.array(dtype=Any)):
    positions[0] = wp.inverse(box[0]) * positions[0]

@wp.kernel(enable_backward=False)
def guessed(a: Any, b: wp.array(dtype=Any), c: wp.array(dtype=Any)):
    b[0] = wp.quat_rotate(c[0], b[0]) * float(a)

@wp.kernel(enable_backward=False)
def indexed(src: Any, indices: wp.array2d(dtype=int), dst: Any):
    i, j = wp.tid()
    dst[i, j] = src[indices[i, j]]

@wp.kernel
def of_no_type(a: Any, b: wp.array(dtype=Any)):
    b[0] = wp.no_such_function(a)
"""

SLOW = """
import warp as wp

@wp.kernel
def slow(x: wp.array(dtype=wp.mat33)):
    u, s, v = wp.svd3(x[0])
    for _ in range(12):
        u, s, v = wp.svd3(u * v * u)
    x[0] = u * s[0] * s[2]
"""


@pytest.fixture
def run(tmp_path):
    package = tmp_path / "made_up"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "kernels.py").write_text(KERNELS)
    (package / "generic.py").write_text(GENERIC)
    (package / "folder").mkdir()
    (package / "folder" / "slow.py").write_text(SLOW)
    (package / "broken.py").write_text("import warp as wp\nwp.no_such_name\n@wp.kernel\ndef k(): ...\n")

    def run(*args):
        command = [sys.executable, str(SCRIPT), "made_up", *args]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    return run


def test_what_compiles_and_what_does_not(run):
    done = run("--only", ".kernels.")
    assert done.returncode == 1, done.stderr
    text = done.stdout
    assert "4 of 5 modules load; 7 kernels" in text
    assert "made_up.broken: AttributeError" in text
    assert "(1 kernels in its text)" in text
    assert "forward: 3 of 7 compile" in text
    assert "adjoint: 1 of 2 compile" in text
    assert re.search(r"slowest: \d+\.\d s, \d+ MB, made_up\.kernels\.", text)
    groups = re.split(r"\n\n\d+ kernels (.*)", text)
    groups = dict(zip(groups[1::2], groups[2::2], strict=True))
    assert "(forward; made_up.kernels.mixed)" in groups["fail"]
    assert "(adjoint; made_up.kernels.without_gradient)" in groups["fail"]
    assert "made_up.kernels.of_a_tile" in groups["fail for tiles"]
    assert "made_up.kernels.of_a_block" in groups["fail for trees, meshes, grids, volumes and textures"]
    assert "made_up.kernels.of_a_snippet" in groups["fail for C++ snippets"]


def test_generic_kernels_get_types_from_the_package(run):
    done = run("--only", ".generic.", "--skip", "broken")
    text = done.stdout
    assert "forward: 6 of 7 compile" in text, text + done.stderr
    assert "types of those: 2 wp.overload, 2 tried in turns, 1 declared, 1 names of parameters" in text
    assert "1 kernels are generic, and no type that was tried fits" in text


def test_a_kernel_that_is_asked_for_alone(run):
    done = run("--only", "good", "--skip", "broken")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "forward: 1 of 1 compile\nadjoint: 1 of 1 compile" in done.stdout


@pytest.mark.parametrize(
    ("limit", "cause"),
    [(["--seconds", "0"], "takes more than 0 s"), (["--megabytes", "1"], "takes more than 1 MB of memory")],
)
def test_compiles_are_limited(run, limit, cause):
    done = run("--only", "slow", "--skip", "broken", *limit)
    assert re.search(rf"1  {cause}  \((forward|adjoint); made_up.folder.slow.slow\)", done.stdout), (
        done.stdout + done.stderr
    )


def test_a_run_goes_on_from_its_results(run, tmp_path):
    results = tmp_path / "results"
    results.write_text(
        '{"module": "made_up", "error": ""}\n{"kernel": "made_up.kernels.forward_only", "forward": "kept"}\n'
    )
    done = run("--only", "kernels.", "--skip", "broken", "--no-adjoint", "--results", str(results))
    assert "7 kernels\nforward: " in done.stdout
    assert "1  kept  (forward; made_up.kernels.forward_only)" in done.stdout
    assert "made_up.kernels.good" not in done.stdout.split("kernels fail")[1]
