"""Check the wheel that was built: its size, its tags, its licences and what its extension module needs at run time.

Usage: check_wheel.py WHEEL
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

MAX_BYTES = 25 * 1000 * 1000
# LLVM, zlib, zstd and the C++ library are linked statically: a machine needs none of them. All but libgcc_s is glibc's.
ALLOWED = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "libgcc_s.so.1"}
# glibc's loader on each architecture that wheels are for.
LOADERS = {"x86_64": "ld-linux-x86-64.so.2", "aarch64": "ld-linux-aarch64.so.1"}
# The oldest glibc that the wheel is for.
GLIBC = (2, 28)
LICENSES = ("LICENSE", "LLVM.txt", "crates.txt", "libm.txt", "libstdcxx.txt", "zlib.txt", "zstd.txt")
NAME = re.compile(r"^warp_rs-[^-]+-cp311-abi3-manylinux_(\d+)_(\d+)_(x86_64|aarch64)\.whl$")


def needed(library: Path) -> set[str]:
    """The shared libraries that the dynamic section of `library` names."""
    listing = subprocess.run(["readelf", "-d", str(library)], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"\(NEEDED\).*\[(.+?)\]", listing))


def too_new(library: Path) -> list[str]:
    """Versions of glibc newer than `GLIBC` that `library` asks for, and the functions that `glibc.c` should define."""
    listing = subprocess.run(["objdump", "-pT", str(library)], check=True, capture_output=True, text=True).stdout
    found = []
    for version in set(re.findall(r"^\s+0x\w+ 0x\w+ \d+ GLIBC_(\S+)$", listing, re.MULTILINE)):
        # One that is no number is for the loader: GLIBC_ABI_DT_RELR came with 2.36.
        if version[0].isdigit() and tuple(map(int, version.split(".")))[:2] <= GLIBC:
            continue
        names = re.findall(rf"\*UND\*.*GLIBC_{re.escape(version)}\)?\s+(\S+)", listing)
        found.append(f"glibc {version} ({', '.join(names) or 'the loader'})")
    return found


def problems(wheel: Path) -> list[str]:
    """What is wrong with `wheel`, one line each."""
    found = []
    match = NAME.match(wheel.name)
    if not match:
        found.append(f"the name {wheel.name} is not warp_rs-VERSION-cp311-abi3-manylinux_2_N_x86_64.whl, or _aarch64")
    elif (int(match[1]), int(match[2])) > GLIBC:
        found.append(f"it is for glibc {match[1]}.{match[2]}, not for {GLIBC[0]}.{GLIBC[1]}")
    allowed = ALLOWED | ({LOADERS[match[3]]} if match else set())
    if (size := wheel.stat().st_size) > MAX_BYTES:
        found.append(f"it has {size:,} bytes, more than {MAX_BYTES:,}")
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as folder:
        names = archive.namelist()
        modules = [name for name in names if name.endswith(".so")]
        if modules != ["warp/_warp.abi3.so"]:
            found.append(f"it should hold one extension module, warp/_warp.abi3.so, but holds {modules}")
        for name in modules:
            library = Path(archive.extract(name, folder))
            if extra := needed(library) - allowed:
                found.append(f"{name} needs {', '.join(sorted(extra))}")
            if newer := too_new(library):
                found.append(f"{name} needs {', '.join(sorted(newer))}")
        found += [f"{name} is missing" for name in ("warp/__init__.py", "warp/py.typed") if name not in names]
        given = {Path(name).name for name in names if "/licenses/" in name}
        found += [f"the licence {name} is missing" for name in LICENSES if name not in given]
        found += [f"{name} has no place in it" for name in names if "__pycache__" in name]
    return found


def main() -> None:
    """Check the one wheel named on the command line."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: check_wheel.py WHEEL (got {sys.argv[1:]})")
    wheel = Path(sys.argv[1])
    if found := problems(wheel):
        sys.exit("\n".join(f"{wheel.name}: {line}" for line in found))
    print(
        f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, needs nothing but glibc {GLIBC[0]}.{GLIBC[1]} and libgcc_s"
    )


if __name__ == "__main__":
    main()
