"""Checks that the extension module compiles, without a warning, with each framework alone and with none.

python scripts/check_features.py
python scripts/check_features.py --run    builds each and runs single_framework.py on it; takes minutes
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def frameworks() -> list[str]:
    """The features of the extension module, less the one that means all of them."""
    manifest = tomllib.loads((ROOT / "py" / "Cargo.toml").read_text(encoding="utf-8"))
    return [name for name in manifest["features"] if name != "default"]


def check(features: list[str]) -> bool:
    """Whether it compiles with these features only; clippy shares what it compiled with `make lint`."""
    command = [os.environ.get("CARGO", "cargo"), "clippy", "--quiet", "--locked", "--package", "py", "--lib"]
    command += ["--no-default-features", "--features", ",".join(features), "--", "-D", "warnings"]
    start = time.monotonic()
    right = subprocess.run(command, cwd=ROOT, check=False).returncode == 0
    name = ", ".join(features) or "no framework"
    print(f"{name}: {'compiles' if right else 'FAILS'} ({time.monotonic() - start:.0f} s)", flush=True)
    return right


def run(features: list[str]) -> bool:
    """Whether a build with these features works; `import warp` finds nothing of another one."""
    command = [os.environ.get("CARGO", "cargo"), "build", "--quiet", "--locked", "--package", "py"]
    subprocess.run([*command, "--no-default-features", "--features", ",".join(features)], cwd=ROOT, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    with tempfile.TemporaryDirectory() as folder:
        package = shutil.copytree(ROOT / "py" / "python" / "warp", Path(folder, "warp"))
        shutil.copy(target / "debug" / "lib_warp.so", package / "_warp.abi3.so")
        program = Path(__file__).with_name("single_framework.py")
        environment = {**os.environ, "PYTHONPATH": folder}
        done = subprocess.run([sys.executable, str(program), *features], env=environment, check=False)
    return done.returncode == 0


def main() -> int:
    """The exit status: 0 if every combination compiles, or runs."""
    combinations: list[list[str]] = [[], *([name] for name in frameworks())]
    do = run if "--run" in sys.argv[1:] else check
    results = [do(features) for features in combinations]  # all of them, also after a failure
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
