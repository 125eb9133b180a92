"""Every example runs as a program with the same options, and needs no matplotlib where nobody looks at its picture."""

from __future__ import annotations

import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest
import warp as wp
from warp import examples

from support.places import ROOT

FOLDERS = ("core", "simulation", "optimisation", "geometry")
PROGRAMS = [
    f"{folder}.{module.name}"
    for folder in FOLDERS
    for module in pkgutil.iter_modules([str(Path(examples.__file__).parent / folder)])
    if not module.name.startswith("_")
]
#: Those that show Warp beside a framework: what each needs, and whether it draws.
BESIDE = {
    "demo": ("torch", True),
    "saxpy_numpy": ("numpy", False),
    "torch_arrays": ("torch", False),
    "autograd_function": ("torch", True),
    "torch_operator": ("torch", True),
    "training_loop": ("torch", True),
    "gradient_allocation": ("torch", False),
    "distributed_training": ("torch", False),
    "paddle_training": ("paddle", True),
    "interop.example_jax_kernel": ("jax", False),
    "interop.example_jax_callable": ("jax", False),
    "interop.example_jax_ffi_callback": ("jax", False),
    "interop.example_jax_training": ("optax", True),
}
#: What makes a program small, where it is not how many frames or steps it takes.
SMALL = {
    "core.ray_march": ["--rows", "20"],
    "geometry.ray_tracer": ["--rows", "20"],
    "geometry.solids": ["--tiles", "8"],
    "core.mandelbrot": ["--steps", "50"],
}
DOCUMENT = ROOT / "docs" / "examples.md"


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    program = importlib.import_module(f"warp.examples.{name}")
    picture = tmp_path / "picture.png"
    count = next((option for option in ("--frames", "--steps") if option in program.__doc__), None)
    small = SMALL.get(name, [count, "2"] if count else [])
    program.main([*small, "--device", "cpu", "--picture", str(picture)])
    printed = capsys.readouterr().out
    assert printed.endswith(f"drawn in {picture}\n")
    assert len(printed.splitlines()) >= 2
    content = picture.read_bytes()
    assert content.startswith(b"\x89PNG")
    assert len(content) > 8_000


@pytest.mark.parametrize("name", BESIDE)
def test_program_beside_a_framework(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    framework, draws = BESIDE[name]
    pytest.importorskip(framework)
    program = importlib.import_module(f"warp.examples.{name}")
    run = program.main if name == "demo" else program.program
    small = ["--steps", "2"] if "--steps" in program.__doc__ else []
    small += ["--device", "cpu"]
    cache = wp.config.kernel_cache_dir
    try:
        if draws:
            pytest.importorskip("matplotlib")
            picture = tmp_path / "picture.png"
            run([*small, "--picture", str(picture)])
            assert capsys.readouterr().out.endswith(f"drawn in {picture}\n")
            assert picture.read_bytes().startswith(b"\x89PNG")
        else:
            run([*small, "--headless"])
            printed = capsys.readouterr().out
            assert printed
            assert "drawn" not in printed
            assert not list(tmp_path.iterdir())
    finally:
        wp.config.kernel_cache_dir = cache


def test_every_example_is_tested() -> None:
    """What is in the folders is in one of the two lists."""
    folder = Path(examples.__file__).parent
    found = {
        ".".join(path.relative_to(folder).with_suffix("").parts)
        for path in folder.rglob("*.py")
        if not path.name.startswith("_") and "benchmarks" not in path.parts
    }
    assert found == {*PROGRAMS, *BESIDE}


def test_headless(tmp_path: Path) -> None:
    """Nothing is drawn, and matplotlib is not even imported."""
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from warp.examples.simulation import cloth; cloth.main(['--frames', '1', '--headless'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "9216 particles" in done.stdout
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", [*PROGRAMS, *BESIDE])
def test_document_lists_it(name: str) -> None:
    assert f"| `{name}` |" in DOCUMENT.read_text()


def test_document_lists_no_other() -> None:
    listed = re.findall(r"^\| `(\w[\w.]*\w)` \|", DOCUMENT.read_text(), flags=re.MULTILINE)
    assert sorted(listed) == sorted([*PROGRAMS, *BESIDE])


def test_no_steps_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    from warp.examples.core import bitonic_sort, mandelbrot

    with pytest.raises(SystemExit):
        mandelbrot.main(["--steps", "0", "--headless"])
    assert "argument --steps: 0 is less than 1" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        bitonic_sort.main(["--steps", "3"])  # it takes no steps


def test_unknown_devices_are_refused() -> None:
    from warp.examples.core import bitonic_sort

    with pytest.raises(ValueError, match="mars"):
        bitonic_sort.main(["--device", "mars", "--headless"])
    assert wp.get_device().is_cpu
