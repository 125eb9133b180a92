"""Runs the tests of packages that are written with `warp`, with this package's wheel, and says which pass.

    .venv/bin/python scripts/third_party.py WHEEL [PACKAGE]... [--files TEXT] [--table]

Each package is installed from PyPI into a virtual environment under target/, without NVIDIA Warp: the wheel is its
`warp`. Other packages that this interpreter has (torch, jax, pytest) serve there, too. The tests are those that the
package publishes: in its sdist, else in its wheel. Each file of tests runs in a process of its own. Names that `warp`
lacks have a stand-in, so that modules load; a test that calls one fails, and counts for what it needs. What each file
came to is kept in target/third-party/results, and is not run again; `--files` chooses files.

The table goes to docs/third-party.md.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
HOME = ROOT / "target" / "third-party"
sys.path.insert(0, str(ROOT / "scripts"))

from compile_package import GROUPS, cause, need  # noqa: E402

#: The packages by name: version, module, and where its tests are.
PACKAGES = {
    "mujoco-warp": ("4.0.0", "mujoco_warp", "wheel"),
    "newton": ("1.8.0", "newton", "wheel"),
    "nvalchemi-toolkit-ops": ("0.5.0", "nvalchemiops", None),
    "gswarp": ("1.1.0", "gswarp", "sdist"),
    "warp-simdata": ("0.2.0", "warp_simdata", None),
}
#: What they import besides.
NEEDED = (
    "mujoco==4.0.0",
    "mujoco-core==4.0.0",
    "absl-py==2.5.1",
    "etils==1.15.0",
    "vtk==9.7.2",
    "usd-core==26.11",
    "trimesh==5.2.0",
    "meshio==5.3.5",
    "rich==15.0.0",
    "newton-usd-schemas==0.6.0",
    "coacd==1.0.14",
    "fast-simplification==0.2.0",
    "pycollada==0.9.3",
    "alphashape==1.3.1",
    "networkx==3.6.1",
    "pyyaml==6.0.4",
    "requests==2.34.2",
)
#: Seconds for a test, and for a file of tests.
TEST_SECONDS = 120
FILE_SECONDS = 900


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("packages", nargs="*", choices=[[], *PACKAGES], help="which ones; all without any")
    parser.add_argument("--files", default="", help="only files of tests with this in their path")
    parser.add_argument("--table", action="store_true", help="only print what the last runs came to")
    options = parser.parse_args()
    results = HOME / "results"
    if not options.table:
        python = environment(options.wheel.resolve())
        results.mkdir(exist_ok=True)
        for package in options.packages or PACKAGES:
            for file in files_of(package, python):
                if options.files in str(file):
                    run(package, file, python, results)
    print(table(results))
    return 0


def environment(wheel: Path) -> Path:
    """Makes the virtual environment, and installs the wheel and the packages; the interpreter in it."""
    HOME.mkdir(parents=True, exist_ok=True)
    venv = HOME / "venv"
    python = venv / "bin" / "python"
    if not python.exists():
        subprocess.check_call([sys.executable, "-m", "venv", "--clear", str(venv)])
        pip(python, "--no-deps", *(f"{name}=={version}" for name, (version, _, _) in PACKAGES.items()), *NEEDED)
        # Behind what is installed here: the wheel is the first `warp`.
        site = next((venv / "lib").glob("python*/site-packages"))
        (site / "shared.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    pip(python, "--no-deps", "--no-index", "--force-reinstall", str(wheel))
    return python


def pip(python: Path, *args: str) -> None:
    subprocess.check_call([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *args])


def files_of(package: str, python: Path) -> Iterator[Path]:
    """The files of tests that a package publishes."""
    version, module, where = PACKAGES[package]
    if where is None:
        return
    if where == "wheel":
        folder = next((HOME / "venv" / "lib").glob(f"python*/site-packages/{module}"))
    else:
        folder = HOME / f"{module}-{version}"
        if not folder.exists():
            command = [str(python), "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
            subprocess.check_call([*command, "--dest", str(HOME), f"{package}=={version}"])
            with tarfile.open(next(HOME.glob(f"{module}-{version}.tar.gz"))) as sources:
                sources.extractall(HOME, filter="data")
    yield from sorted(f for f in folder.rglob("*.py") if re.fullmatch(r"test_.*|.*_test", f.stem))


def run(package: str, file: Path, python: Path, results: Path) -> None:
    """Runs a file of tests in a process of its own; what each test came to is a line of JSON in `results`."""
    kept = results / f"{package}+{file.parent.name}+{file.stem}.jsonl"
    if kept.exists():
        return
    half = kept.with_suffix(".half")
    half.unlink(missing_ok=True)
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "scripts"),
        "THIRD_PARTY_RESULTS": str(half),
        "WARP_CACHE_PATH": str(HOME / "cache"),
        "MUJOCO_GL": "disable",
    }
    command = [str(python), "-m", "pytest", "-q", "-p", "third_party_plugin", "-p", "no:cacheprovider", str(file)]
    command += ["--timeout", str(TEST_SECONDS), "-o", "python_files=test_*.py *_test.py", "--rootdir", str(file.parent)]
    try:
        process = subprocess.run(
            command, env=environment, cwd=HOME, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=FILE_SECONDS
        )
        how = f"ended with {process.returncode}" if process.returncode not in range(6) else ""
    except subprocess.TimeoutExpired:
        how = f"takes more than {FILE_SECONDS} s"
    with half.open("a", encoding="utf-8") as out:
        if how:
            print(json.dumps({"test": str(file.name), "outcome": "failed", "why": f"the process {how}"}), file=out)
    half.rename(kept)
    print(f"{package} {file.name}: {dict(Counter(r['outcome'] for r in records(kept)))}", flush=True)


def records(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def table(results: Path) -> str:
    """The results as Markdown: a row for each package, and the causes of what else failed."""
    needs = list(GROUPS)
    lines = [
        "| package | files | passed | skipped | " + " | ".join(f"need {n}" for n in needs) + " | fail otherwise |",
        "|---" * (len(needs) + 5) + "|",
    ]
    causes: list[str] = []
    for package, (version, _, where) in PACKAGES.items():
        if where is None:
            lines.append(f"| {package} {version} | publishes no tests |" + " |" * (len(needs) + 3))
            continue
        files = sorted(results.glob(f"{package}+*.jsonl"))
        found = [r for file in files for r in records(file)]
        outcomes = Counter(r["outcome"] for r in found)
        failed = [(need(r["why"]), r) for r in found if r["outcome"] == "failed"]
        counts = Counter(n for n, _ in failed)
        cells = [len(files), outcomes["passed"], outcomes["skipped"], *(counts[n] for n in needs), counts[""]]
        lines.append(f"| {package} {version} | " + " | ".join(map(str, cells)) + " |")
        others = Counter(short(r["why"]) for n, r in failed if not n)
        causes += [f"| {package} | {n} | `{text}` |" for text, n in others.most_common()]
    if causes:
        lines += ["", "| package | tests | fail with |", "|---|---|---|", *causes]
    return "\n".join(lines)


def short(why: str) -> str:
    """The cause of a failure, as a cell of a table; where an assertion says nothing, the line behind it."""
    first, *rest = why.splitlines() or [""]
    text = f"{first} {rest[0]}" if first.endswith("Error:") and rest else first
    return cause(text).replace("|", "/").replace("`", "'")


if __name__ == "__main__":
    sys.exit(main())
