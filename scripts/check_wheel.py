"""Check the wheel that was built: its size, its tags and what its extension module needs at run time.

Usage: check_wheel.py WHEEL
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

MAX_BYTES = 22 * 1000 * 1000
# LLVM, zlib, zstd and the C++ library are linked statically: a user's machine needs none of them.
ALLOWED = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"}
NAME = re.compile(r"^warp_rs-[^-]+-cp311-abi3-(manylinux\w+|linux)_x86_64\.whl$")


def needed(library: Path) -> set[str]:
    """The shared libraries that the dynamic section of `library` names."""
    listing = subprocess.run(["readelf", "-d", str(library)], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"\(NEEDED\).*\[(.+?)\]", listing))


def problems(wheel: Path) -> list[str]:
    """What is wrong with `wheel`, one line each."""
    found = []
    if not NAME.match(wheel.name):
        found.append(f"the name {wheel.name} is not warp_rs-VERSION-cp311-abi3-PLATFORM.whl")
    if (size := wheel.stat().st_size) > MAX_BYTES:
        found.append(f"it has {size:,} bytes, more than {MAX_BYTES:,}")
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as folder:
        names = archive.namelist()
        modules = [name for name in names if name.endswith(".so")]
        if modules != ["warp/_warp.abi3.so"]:
            found.append(f"it should hold one extension module, warp/_warp.abi3.so, but holds {modules}")
        for name in modules:
            if extra := needed(Path(archive.extract(name, folder))) - ALLOWED:
                found.append(f"{name} needs {', '.join(sorted(extra))}")
        found += [f"{name} is missing" for name in ("warp/__init__.py", "warp/py.typed") if name not in names]
        if not any(name.endswith("/licenses/LICENSE") for name in names):
            found.append("the licence is missing")
        found += [f"{name} has no place in it" for name in names if "__pycache__" in name]
    return found


def main() -> None:
    """Check the one wheel named on the command line."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: check_wheel.py WHEEL (got {sys.argv[1:]})")
    wheel = Path(sys.argv[1])
    if found := problems(wheel):
        sys.exit("\n".join(f"{wheel.name}: {line}" for line in found))
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, needs nothing but libc, libm and libgcc_s")


if __name__ == "__main__":
    main()
