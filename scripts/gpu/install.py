"""Installs wheels of a bundle into a folder, without pip: a wheel is a zip file.

    python install.py WHEELS FOLDER

Takes of each package the wheel for this Python. NumPy is left out where there is one: torch was built against that.
"""

from __future__ import annotations

import importlib.util
import sys
import zipfile
from pathlib import Path


def fits(wheel: Path) -> bool:
    """Whether a wheel is for this Python."""
    python, abi = wheel.stem.split("-")[-3:-1]
    return abi in ("none", "abi3") or python == f"cp{sys.version_info.major}{sys.version_info.minor}"


def main() -> int:
    wheels, folder = Path(sys.argv[1]), Path(sys.argv[2])
    for wheel in sorted(wheels.glob("*.whl")):
        is_numpy = wheel.name.startswith("numpy-")
        if fits(wheel) and not (is_numpy and importlib.util.find_spec("numpy") is not None):
            with zipfile.ZipFile(wheel) as file:
                file.extractall(folder)
            print(f"installed {wheel.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
