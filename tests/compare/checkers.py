"""Counts what type checkers say of the same programs with this package and with another interpreter's `warp`.

    python tests/compare/checkers.py PEER BASEDPYRIGHT

The programs are examples of this package, and run with both; all is strict, without exemptions. An alarm with both
packages is about what the programs use beside `warp`: lists that begin empty, NumPy, matplotlib. A planted mistake is
found where a checker says of its line what it does not say of the right line (`planted_mistakes.py` and
`corrected_mistakes.py`).
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "py/python/warp/examples"
PLANTED = ROOT / "tests/python/package/planted_mistakes.py"
CORRECTED = PLANTED.with_name("corrected_mistakes.py")
PROGRAMS = """
    core.bitonic_sort core.fft core.image_filter core.mandelbrot core.monte_carlo core.ray_march
    simulation.cloth simulation.heat simulation.ising simulation.nbody simulation.reaction_diffusion simulation.wave
""".split()
# A class that the peer has.
OF_THE_PEER = {32}
STRICT = """
[mypy]
strict = true
[mypy-warp.*]
follow_imports = silent
[mypy-matplotlib.*,torch.*,jax.*]
ignore_missing_imports = true
follow_imports = skip
"""


class Said(NamedTuple):
    file: str
    line: int
    rule: str
    text: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("peer", help="the interpreter whose warp is compared with")
    parser.add_argument("basedpyright", help="the program")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        shutil.copytree(EXAMPLES, folder / "programs", ignore=shutil.ignore_patterns("benchmarks", "__pycache__"))
        for file in (PLANTED, CORRECTED):
            shutil.copy(file, folder)
        for name, package in (("ours", ROOT / "py/python/warp"), ("peer", package_of(options.peer))):
            (folder / name).mkdir()
            (folder / name / "warp").symlink_to(package)
        table(folder, options.basedpyright)
    return 0


def table(folder: Path, basedpyright: str) -> None:
    """Prints the counts."""
    files = [f"programs/{name.replace('.', '/')}.py" for name in PROGRAMS]
    every = [*files, PLANTED.name, CORRECTED.name]
    planted = set(numbers(folder))
    found: dict[str, set[int]] = {"ours": set(), "peer": set()}
    print(f"| {len(files)} programs | alarms: ours | the peer | with both | mistakes found: ours | the peer |")
    print("|---|---|---|---|---|---|")
    for checker in ("mypy", "basedpyright"):
        alarms, counts = {}, {}
        for name in ("ours", "peer"):
            said = mypy(folder, name, every) if checker == "mypy" else pyright(folder, name, every, basedpyright)
            alarms[name] = Counter((one.file, one.line, one.rule) for one in said if one.file in files)
            mistakes = found_of(folder, said) - (OF_THE_PEER if name == "peer" else set())
            counts[name] = len(mistakes)
            found[name] |= mistakes
        both = (alarms["ours"] & alarms["peer"]).total()
        cells = [checker, alarms["ours"].total(), alarms["peer"].total(), both]
        cells += [f"{counts['ours']} of {len(planted)}", f"{counts['peer']} of {len(planted - OF_THE_PEER)}"]
        print(f"| {' | '.join(map(str, cells))} |", flush=True)
        print(*(f"  {k}: with ours alone" for k in alarms["ours"] - alarms["peer"]), sep="\n", file=sys.stderr)
    for name, left_out in (("ours", set()), ("peer", OF_THE_PEER)):
        print(f"{name}: {len(found[name])} by one of both, missed {sorted(planted - found[name] - left_out)}")


def package_of(python: str) -> Path:
    """The folder of an interpreter's `warp`, which is not imported."""
    program = "import importlib.util; print(importlib.util.find_spec('warp').submodule_search_locations[0])"
    done = subprocess.run([python, "-c", program], capture_output=True, text=True, check=True)
    return Path(done.stdout.strip())


def numbers(folder: Path) -> dict[int, int]:
    """The line of each planted mistake."""
    lines = (folder / PLANTED.name).read_text(encoding="utf-8").splitlines()
    return {int(m[1]): k for k, line in enumerate(lines, 1) if (m := re.search(r"  # (\d+): ", line))}


def found_of(folder: Path, said: list[Said]) -> set[int]:
    """The planted mistakes that a checker found."""
    planted = {(one.line, one.text) for one in said if one.file == PLANTED.name}
    corrected = {(one.line, one.text) for one in said if one.file == CORRECTED.name}
    lines = {line for line, _ in planted - corrected}
    return {number for number, line in numbers(folder).items() if line in lines}


def mypy(folder: Path, package: str, files: list[str]) -> list[Said]:
    (folder / "mypy.ini").write_text(STRICT, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "--cache-dir", f"cache-{package}"]
    command += ["--explicit-package-bases", "--namespace-packages", *files]
    environment = {"MYPYPATH": f"{folder / package}:{folder}", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.stderr:
        sys.exit(done.stderr)
    found = re.findall(r"^([^:\n]+):(\d+): error: (.*)  \[([\w-]+)\]$", done.stdout, re.MULTILINE)
    return [Said(file, int(line), rule, text) for file, line, text, rule in found]


def pyright(folder: Path, package: str, files: list[str], program: str) -> list[Said]:
    settings = {"include": files, "extraPaths": [package, "."], "typeCheckingMode": "strict"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [program, "--outputjson", "--pythonpath", sys.executable, "-p", str(folder / "pyrightconfig.json")]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)["generalDiagnostics"]
    return [
        Said(
            str(Path(one["file"]).resolve().relative_to(folder.resolve())),
            one["range"]["start"]["line"] + 1, one["rule"], one["message"],
        )
        for one in found if one["severity"] == "error"
    ]  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
