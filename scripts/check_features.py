"""Checks that the extension module compiles, without a warning, with each framework alone and with none.

python scripts/check_features.py
"""

from __future__ import annotations

import os
import subprocess
import sys
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


def main() -> int:
    """The exit status: 0 if every combination compiles."""
    combinations: list[list[str]] = [[], *([name] for name in frameworks())]
    results = [check(features) for features in combinations]  # all of them, also after a failure
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
