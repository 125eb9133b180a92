"""Resolve requirements.in into requirements.txt: exact versions, with the hash of each wheel.

One lock serves every supported Python on Linux x86-64, so each Python is resolved in turn (by pip, without
installing anything) and the hashes are united. The Pythons must agree on the versions; where they would not,
requirements.in pins the one that fits all.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
# Debian 12 has glibc 2.36, the oldest that we serve: every wheel built for that or for less will do.
PLATFORMS = (*(f"manylinux_2_{minor}_x86_64" for minor in range(36, 4, -1)), "manylinux2014_x86_64")
HEADER = "# Written by scripts/lock.py from requirements.in; do not edit.\n"


def resolve(python: str) -> dict[str, tuple[str, str]]:
    """Name -> (version, sha256) of everything that `python` would install."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        platforms = [word for name in PLATFORMS for word in ("--platform", name)]
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
        command += ["--only-binary=:all:", "--python-version", python, *platforms, "--target", folder]
        command += ["--report", str(report), "--requirement", str(ROOT / "requirements.in")]
        subprocess.run(command, check=True)
        installs = json.loads(report.read_text())["install"]
    return {
        item["metadata"]["name"].lower().replace("_", "-"): (
            item["metadata"]["version"],
            item["download_info"]["archive_info"]["hashes"]["sha256"],
        )
        for item in installs
    }


def main() -> None:
    """Write requirements.txt, or say which Pythons disagree."""
    versions: dict[str, set[str]] = {}
    hashes: dict[str, set[str]] = {}
    for python in PYTHONS:
        for name, (version, digest) in resolve(python).items():
            versions.setdefault(name, set()).add(version)
            hashes.setdefault(name, set()).add(digest)
    torn = {name: sorted(found) for name, found in versions.items() if len(found) > 1}
    if torn:
        sys.exit(f"these versions differ between Pythons, pin one in requirements.in: {torn}")
    lines = [HEADER]
    for name in sorted(versions):
        marks = "".join(f" \\\n    --hash=sha256:{digest}" for digest in sorted(hashes[name]))
        lines.append(f"{name}=={next(iter(versions[name]))}{marks}\n")
    (ROOT / "requirements.txt").write_text("".join(lines))


if __name__ == "__main__":
    main()
