"""Collect the licences of every crate that the extension module holds, in py/licenses/crates.txt.

Usage: licenses.py          write the file
       licenses.py --check  fail where it is not what would be written

The licences of what is linked from the system (LLVM, libstdc++, zlib, zstd) stand beside it and are written by hand.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "py" / "licenses" / "crates.txt"
# What a crate's folder calls its licences.
NAMES = ("licen", "copying", "copyright", "notice", "unlicense")
HEAD = """\
The extension module warp/_warp.abi3.so holds code of the Rust standard library (MIT OR Apache-2.0,
https://github.com/rust-lang/rust) and of the crates below. Each is named with its licence as its author states it; the
texts that they come with follow, each once.
"""


def shipped() -> list[dict]:
    """The packages from registries whose code is in the module: what `py` depends on, builds and macros aside."""
    cargo = os.environ.get("CARGO", "cargo")
    command = [cargo, "metadata", "--format-version=1", "--locked", "--filter-platform=x86_64-unknown-linux-gnu"]
    found = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    packages = {package["id"]: package for package in found["packages"]}
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    is_macro = {key: any("proc-macro" in t["kind"] for t in package["targets"]) for key, package in packages.items()}
    todo = [key for key, package in packages.items() if package["name"] == "py" and package["source"] is None]
    seen = set(todo)
    while todo:
        for dependency in nodes[todo.pop()]["deps"]:
            key = dependency["pkg"]
            normal = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if normal and not is_macro[key] and key not in seen:
                seen.add(key)
                todo.append(key)
    foreign = [packages[key] for key in seen if packages[key]["source"]]
    return sorted(foreign, key=lambda package: (package["name"], package["version"]))


def texts(package: dict) -> list[str]:
    """The licence texts in a package's folder."""
    folder = Path(package["manifest_path"]).parent
    files = sorted(file for file in folder.iterdir() if file.is_file() and file.name.lower().startswith(NAMES))
    read = [file.read_text(encoding="utf-8", errors="replace") for file in files]
    return ["\n".join(line.rstrip() for line in text.strip().splitlines()) for text in read]


def collected() -> str:
    """The whole file."""
    names: list[str] = []
    by_text: dict[str, tuple[str, list[str]]] = {}
    for package in shipped():
        name = f"{package['name']} {package['version']}"
        authors = ", ".join(package["authors"]) or "its authors"
        names.append(f"{name}: {package['license']}; {authors}; {package['repository'] or 'crates.io'}")
        for text in texts(package):
            key = hashlib.sha256("".join(text.split()).encode()).hexdigest()
            by_text.setdefault(key, (text, []))[1].append(name)
    parts = [HEAD, "\n".join(names) + "\n"]
    for text, users in by_text.values():
        parts.append(f"{'=' * 100}\n{', '.join(dict.fromkeys(users))}\n{'=' * 100}\n\n{text}\n")
    return "\n".join(parts)


def main() -> None:
    """Write the file or check it."""
    text = collected()
    if sys.argv[1:] == ["--check"]:
        if not OUT.is_file() or OUT.read_text(encoding="utf-8") != text:
            sys.exit(f"{OUT.relative_to(ROOT)} is out of date: run scripts/licenses.py")
    elif sys.argv[1:]:
        sys.exit("usage: licenses.py [--check]")
    else:
        OUT.parent.mkdir(exist_ok=True)
        OUT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
