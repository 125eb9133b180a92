"""Resolve requirements.in into requirements.txt: exact versions, with the hash of each wheel.

One lock serves every supported Python on Linux x86-64, so each Python is resolved in turn (by pip, without
installing anything) and the hashes are united. The Pythons must agree on the versions; where they would not,
requirements.in pins the one that fits all. What has no wheel for a Python carries a marker in requirements.in, which
pip would hold against the Python that runs this script: it is answered here, and what only some Pythons get is
marked in the lock.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from pip._vendor.packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
# Debian 12 has glibc 2.36, the oldest that we serve: every wheel built for that or for less will do.
PLATFORMS = (*(f"manylinux_2_{minor}_x86_64" for minor in range(36, 4, -1)), "manylinux2014_x86_64")
HEADER = "# Written by scripts/lock.py from requirements.in; do not edit.\n"


def wanted(python: str) -> str:
    """What requirements.in asks for on `python`, without markers."""
    lines = (ROOT / "requirements.in").read_text().splitlines()
    found = []
    for line in lines:
        if line and not line.startswith("#"):
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"python_version": python}):
                found.append(f"{requirement.name}{requirement.specifier}\n")
    return "".join(found)


def resolve(python: str) -> dict[str, tuple[str, str]]:
    """Name -> (version, sha256) of everything that `python` would install."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        requirements = Path(folder) / "requirements.in"
        requirements.write_text(wanted(python))
        platforms = [word for name in PLATFORMS for word in ("--platform", name)]
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
        command += ["--only-binary=:all:", "--python-version", python, *platforms, "--target", folder]
        command += ["--report", str(report), "--requirement", str(requirements)]
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
    served: dict[str, list[str]] = {}
    for python in PYTHONS:
        for name, (version, digest) in resolve(python).items():
            versions.setdefault(name, set()).add(version)
            served.setdefault(name, []).append(python)
            hashes.setdefault(name, set()).add(digest)
    torn = {name: sorted(found) for name, found in versions.items() if len(found) > 1}
    if torn:
        sys.exit(f"these versions differ between Pythons, pin one in requirements.in: {torn}")
    lines = [HEADER]
    for name in sorted(versions):
        marks = "".join(f" \\\n    --hash=sha256:{digest}" for digest in sorted(hashes[name]))
        only = " or ".join(f'python_version == "{python}"' for python in served[name])
        marker = "" if len(served[name]) == len(PYTHONS) else f" ; {only}"
        lines.append(f"{name}=={next(iter(versions[name]))}{marker}{marks}\n")
    (ROOT / "requirements.txt").write_text("".join(lines))


if __name__ == "__main__":
    main()
