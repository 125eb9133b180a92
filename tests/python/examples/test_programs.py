"""Every example with a picture runs as a program, draws it, and needs no matplotlib where nobody looks."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
import warp as wp
from warp import examples

FOLDERS = ("core", "simulation", "optimisation")
PROGRAMS = [
    f"{folder}.{module.name}"
    for folder in FOLDERS
    for module in pkgutil.iter_modules([str(Path(examples.__file__).parent / folder)])
    if not module.name.startswith("_")
]
#: What makes a program small, where it is not how many frames or steps it takes.
SMALL = {"core.ray_march": ["--rows", "20"], "core.mandelbrot": ["--steps", "50"]}
DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "examples.md"


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


@pytest.mark.parametrize("name", PROGRAMS)
def test_document_lists_it(name: str) -> None:
    folder, _, module = name.partition(".")
    assert f"`{folder}.{module}`" in DOCUMENT.read_text()


def test_unknown_devices_are_refused() -> None:
    from warp.examples.core import bitonic_sort

    with pytest.raises(ValueError, match="mars"):
        bitonic_sort.main(["--device", "mars", "--headless"])
    assert wp.get_device().is_cpu
