"""The benchmarks run, check their own values, and compare two interpreters."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import warp as wp

from support.places import ROOT

pytest.importorskip("torch")

try:
    from warp.examples.benchmarks import benchmark_interop_paddle
except ModuleNotFoundError:  # paddle has no wheel for every Python
    benchmark_interop_paddle = None
from warp.examples.benchmarks import (
    benchmark_cloth,
    benchmark_compile,
    benchmark_conversions,
    benchmark_examples,
    benchmark_geometry,
    benchmark_guards,
    benchmark_interop_torch,
    benchmark_kernels,
    benchmark_launches,
    benchmark_native,
    benchmark_processes,
    benchmark_tapes,
    benchmark_torch_operators,
)
from warp.examples.benchmarks._kernels import basic, in_c, stencils
from warp.examples.benchmarks._support import _harness, _interop, _turns

ROWS = {
    benchmark_conversions: [
        row
        for row in benchmark_conversions.CALLS
        if "paddle" not in row or importlib.util.find_spec("paddle") is not None
    ],
    benchmark_interop_torch: [
        "from_torch",
        "from_torch with grad",
        "from_torch return_ctype",
        "to_torch",
        "to_torch with grad",
        "launch, 3 tensors + float",
        "launch, 3 descriptors + float",
        "5 x from_torch(...), launch",
        "5 x from_torch(..., return_ctype=True), launch",
        "5 x direct from torch, launch",
    ],
    benchmark_interop_paddle: [
        "from_paddle",
        "from_paddle with grad",
        "from_paddle return_ctype",
        "to_paddle",
        "to_paddle with grad",
        "launch, 3 tensors + float",
        "launch, 3 descriptors + float",
        "5 x from_paddle(...), launch",
        "5 x from_paddle(..., return_ctype=True), launch",
        "5 x direct from paddle, launch",
    ],
    benchmark_torch_operators: [
        "torch.add",
        "launch, 3 tensors + float",
        *(
            way + row
            for way in ("autograd.Function", "torch.library.custom_op", "torch_kernel")
            for row in ("", ", requires_grad", ", and backward")
        ),
    ],
    benchmark_launches: [
        "launch, 3 own arrays + float",
        "launch, 3 NumPy arrays + float",
        "wp.array(numpy, copy=False)",
        "array.numpy()",
        "recorded Launch.launch()",
        "first launch, cold cache",
        "first launch, warm cache",
    ],
    benchmark_kernels: [
        "saxpy, 1e+05",
        "saxpy, 1e+07",
        "sin exp sqrt log, 1e+06",
        "n-body, 2048^2",
        "Mandelbrot, 512^2",
        "Jacobi, 1024^2",
        "atomic sum, 1e+06",
        "Rosenbrock, 1e+06",
        "Rosenbrock adjoint, 1e+06",
        "quaternion rotation, 1e+06",
        "vector by components, 1e+06",
        "min max clamp sign, 1e+05",
        "growing work, 4096",
        "falling work, 4096",
    ],
    benchmark_cloth: [*map(benchmark_cloth.row, benchmark_cloth.SIDES), "gradient of step, 256 x 256"],
    benchmark_examples: [
        "lattice Boltzmann, 128 x 384",
        "smoke, 256 x 256",
        "light, 512 x 512",
        "neighbours and forces, 7021 particles",
        "gravity, 2502 bodies",
        "ray marching, 72 x 108",
        "multigrid cycle, 513 x 513",
        "gradients of 1000 paths of a boat",
        "gradient of a network, 400 points",
        "gradient through 300 launches",
    ],
    benchmark_processes: [
        "512 x 512, 1 process",
        "512 x 512, 1 process, CPU",
        "512 x 512, 2 processes",
        "512 x 512, 2 processes, CPU",
        "512 x 512, 1 process, 2 threads",
    ],
    benchmark_tapes: [row + more for row in benchmark_tapes.ROWS for more in ("", ", CPU time")],
    benchmark_compile: [
        *(row + more for row in benchmark_compile.KERNELS for more in ("", ", adjoint")),
        *(f"{row}, until it runs" for row in benchmark_compile.KERNELS),
    ],
}


@pytest.mark.parametrize("benchmark", ROWS, ids=lambda m: m.__name__.rpartition(".")[2] if m else "without_paddle")
def test_rows(benchmark: object, monkeypatch: pytest.MonkeyPatch) -> None:
    if benchmark is None:
        pytest.skip("paddle is not installed (it has no wheel for every Python)")
    monkeypatch.setenv("BENCHMARK_ONCE", "1")
    rows = _harness.rows_of(sys.executable, benchmark.__file__)
    assert list(rows) == ROWS[benchmark]
    assert all(0 < seconds < 60 for seconds in rows.values())


@pytest.mark.parametrize("benchmark", [benchmark_interop_torch, benchmark_interop_paddle], ids=["torch", "paddle"])
def test_three_lines(benchmark: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What the documents show: milliseconds of each of the three ways, and no complaint about values."""
    if benchmark is None:
        pytest.skip("paddle is not installed (it has no wheel for every Python)")
    monkeypatch.setattr(_interop, "ROUNDS", 100)
    benchmark.FRAMEWORK.print_rounds()
    name, printed = benchmark.FRAMEWORK.name, capsys.readouterr()
    rows = [re.fullmatch(r" *\d+ ms  (.*)", line).group(1) for line in printed.out.splitlines()]
    assert rows == [f"from_{name}(...)", f"from_{name}(..., return_ctype=True)", f"direct from {name}"]
    assert printed.err == ""


def test_peer_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """With itself as the peer, each row has two times and their ratio."""
    monkeypatch.setenv("BENCHMARK_ONCE", "1")
    file = Path(benchmark_kernels.__file__)
    command = [sys.executable, str(file), "--peer", sys.executable, "--rounds", "1", "--only", "Jacobi"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    header, line = done.stdout.strip().splitlines()[-2:]
    assert header.split() == ["this", "peer", "ratio"]
    assert line.startswith("Jacobi, 1024^2")
    assert line.endswith("x")


@pytest.mark.skipif(shutil.which("gcc") is None, reason="C versions need gcc")
def test_c_finds_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each kernel and adjoint against NumPy, or against C where there is no formula, and C against NumPy."""
    monkeypatch.setenv("BENCHMARK_ONCE", "1")
    library = in_c.build(ROOT / "benches" / "c", tmp_path)
    who = {"C": sys.executable, "this": sys.executable}
    table = benchmark_native.in_turns(who, 1, library, str(tmp_path))
    names = [case.name for case in benchmark_native.cases()]
    (c,), (this,) = table["C"], table["this"]
    assert c.keys() == this.keys() == {row for name in names for row in (name, name + ", CPU")}
    assert len(list(tmp_path.glob("adjoint*.npy"))) >= 5


def test_guards_have_a_line_for_each_stencil(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All forms, and C where there is gcc, find the same on a small grid, which the program itself asks."""
    small = [(name, (9,) * len(extents), kernels) for name, extents, kernels in stencils.STENCILS]
    monkeypatch.setattr(stencils, "STENCILS", small)
    monkeypatch.setattr(wp.config, "cpu_threads", wp.config.cpu_threads)
    monkeypatch.setattr(sys, "argv", ["benchmark_guards", "--rounds", "1", "--c", str(ROOT / "benches" / "c")])
    benchmark_guards.main()
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split()[1:] == ["none", "if", "return", "flat", "C"]
    assert [line.split()[0] for line in lines] == [name for name, *_ in small]
    has_c = shutil.which("gcc") is not None
    assert [line.count("(") for line in lines] == [4 + has_c] * 5 + [2 + has_c]


def test_geometry_is_the_same_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A small hash grid: with one thread and by SciPy, what is found is the same, and each row has a line."""
    monkeypatch.setenv("BENCHMARK_ONCE", "1")
    monkeypatch.setenv("BENCHMARK_ONLY", "hash grid")
    others = ["SciPy"] if importlib.util.find_spec("scipy") else []
    table = benchmark_geometry.in_turns(dict.fromkeys(["this", "one", *others], sys.executable), 1, str(tmp_path))
    (this,), (one,) = table["this"], table["one"]
    assert this.keys() == one.keys()
    assert len(this) == 2 * 3
    assert len(list(tmp_path.glob("*.npy"))) == 2
    benchmark_geometry.print_table(table)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + 3
    assert not any("!" in line for line in lines)
    assert ("SciPy" in "".join(lines)) == bool(others)


def test_a_contestant_that_fails_says_why(tmp_path: Path) -> None:
    file = tmp_path / "fails.py"
    file.write_text("import sys\ninput()\nsys.exit('no such kernel')\n", encoding="utf-8")
    contestants = {"this": _turns.Contestant(sys.executable, str(file), [])}
    with pytest.raises(SystemExit, match="fails.py ended with status 1:\nno such kernel"):
        _turns.one_round(contestants, backwards=False)


def test_other_libraries_take_the_same_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is held against NumPy before it is timed."""
    monkeypatch.setattr(benchmark_cloth, "SIDES", (16,))
    monkeypatch.setattr(_harness, "per_call", lambda call, **_: call() is None or 1.0)
    columns = benchmark_cloth.others()
    assert {"numpy", "torch"} <= columns.keys() <= {"numpy", "torch", "numba", "taichi"}
    assert all(rows == {"step, 16 x 16": 1.0} for rows in columns.values())
    with pytest.raises(SystemExit, match="numpy: .* velocities are wrong"):
        benchmark_cloth.check("numpy", benchmark_cloth.expected(16) + 1, benchmark_cloth.expected(16))


def test_wrong_values_stop_a_benchmark() -> None:
    """A fast wrong answer is no result."""
    case = basic.mandelbrot_case()
    case.expected = case.expected + 1
    with pytest.raises(SystemExit, match="values are wrong"):
        case.check()


def test_harness_arithmetic() -> None:
    assert _harness.medians([{"a": 3.0}, {"a": 1.0}, {"a": 2.0}]) == {"a": 2.0}
    assert [_harness.spell(s) for s in (2.5, 0.0025, 2.5e-6, 2.5e-8)] == ["2.50 s", "2.50 ms", "2.50 us", "25 ns"]
    calls = []
    assert _harness.per_call(lambda: calls.append(None), repeats=3, target=1e-3) > 0
    assert len(calls) > 3
