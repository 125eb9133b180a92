"""Compiles every kernel of a package that is written with `warp`, forward and adjoint, and says what failed and why.

    .venv/bin/python scripts/compile_package.py PACKAGE [--only TEXT] [--skip TEXT]... [--stand-ins] [--no-adjoint]
        [--seconds 20] [--megabytes 2048] [--results FILE] [--verbose]

PACKAGE is importable (PYTHONPATH=folder for one that is unpacked somewhere). All its modules are imported; its kernels
are those that exist then, each with the types that it declares. A generic kernel has the types of the package's own
`wp.overload` calls, else those that the package gives parameters of these names elsewhere, else such as are tried in
turns. `package_worker.py` compiles them in a process of its own, whose time and memory are limited for each compile.

The report counts kernels by where their types come from, names the compiles that take longest and most memory, and
lists failures by cause, the cause that stops most kernels first. Failures for what this package does not have yet
(tiles, trees and meshes, fem, sparse, C++ snippets) stand apart. RESULTS keeps what was found, so that a run which was
broken off goes on.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TextIO

from package_worker import NO_MEMORY, no_memory

WORKER = Path(__file__).with_name("package_worker.py")
#: A compile that waits for something other than the processor is ended after so many times the limit of seconds.
PATIENCE = 10
#: What is not there yet, by the words of the messages that say so.
GROUPS = {
    "C++ snippets": r"C\+\+ snippets|func_native",
    "tiles": r"wp\.tile|\buntile\b|launch_tiled",
    "trees, meshes, grids, volumes and textures": (
        r"mesh_|\bMesh|bvh|Bvh|hash_grid|HashGrid|volume_|\bVolume|[tT]exture"
    ),
    "fem": r"\bfem\b",
    "sparse": r"\bsparse\b|\bbsr_|BsrMatrix",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package")
    parser.add_argument("--only", default="", help="only kernels with this in their name")
    parser.add_argument("--skip", action="append", default=[], help="modules with this in their name are not imported")
    parser.add_argument(
        "--stand-ins", action="store_true", help="give names that warp lacks a meaning, to load the rest"
    )
    parser.add_argument("--no-adjoint", action="store_true", help="compile forward only")
    parser.add_argument("--seconds", type=float, default=20, help="of the processor, for one compile")
    parser.add_argument("--megabytes", type=int, default=2048, help="of memory, for one compile")
    parser.add_argument("--results", type=Path, help="a file that keeps what was found, and is gone on from")
    parser.add_argument("--verbose", action="store_true", help="every failure in full")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        modules, kernels = collect(options, Path(folder))
    return report(modules, kernels, options.verbose)


def collect(options: argparse.Namespace, folder: Path) -> tuple[list[dict], list[dict]]:
    """What each module and each kernel came to, from as many processes as it takes."""
    file, errors = options.results or folder / "results", folder / "errors"
    file.touch()
    told = {
        "package": options.package,
        "only": options.only,
        "skip": options.skip,
        "stand_ins": options.stand_ins,
        "no_adjoint": options.no_adjoint,
        "seconds": options.seconds,
        "bytes": options.megabytes << 20,
    }
    # Nothing comes from a cache: a compile that it spares costs nothing.
    # One arena: memory that others have reserved would not count for the limit.
    environment = {**os.environ, "WARP_CACHE_PATH": str(folder / "cache"), "MALLOC_ARENA_MAX": "1"}
    how = ""
    while True:
        found = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        kernels = [r for r in found if "kernel" in r]
        if found and "done" in found[-1]:
            return list({r["module"]: r for r in found if "module" in r}.values()), kernels
        if how and found and "start" in found[-1]:
            with file.open("a", encoding="utf-8") as out:
                tell(out, found[-1]["start"], how)
            continue
        done = len(found)
        command = [sys.executable, str(WORKER), str(file), str(len(kernels)), json.dumps(told)]
        with errors.open("wb") as err:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=err, env=environment)
            how = wait(process, file, options)
        said = errors.read_text(encoding="utf-8", errors="replace")
        if NO_MEMORY.search(said) and "ended with" in how:
            how = no_memory(told)
        elif "ended with -" in how and said.strip():
            how += f": {said.strip().splitlines()[-1]}"
        new = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()[done:]]
        if not any(key in r for r in new for key in ("kernel", "start", "done")):
            last = next((r["module"] for r in reversed(new) if "module" in r), "none")
            sys.exit(
                f"a process of {options.package}'s modules {how}, the last that was imported is {last}:\n{said[-2000:]}"
            )


def tell(out: TextIO, kernel: str, how: str) -> None:
    print(json.dumps({"kernel": kernel, "forward": how}), file=out)


def wait(process: subprocess.Popen, file: Path, options: argparse.Namespace) -> str:
    """Waits for a worker, and ends it when a kernel takes too long; says how it ended."""
    patience = PATIENCE * max(options.seconds, 1)
    while True:
        size = file.stat().st_size
        try:
            code = process.wait(patience)
        except subprocess.TimeoutExpired:
            if file.stat().st_size == size:
                process.kill()
                process.wait()
                return f"takes more than {patience:g} s, most of which it waits"
        else:
            if code == -signal.SIGXCPU:
                return f"takes more than {options.seconds:g} s"
            return f"ended with {code}"


Causes = dict[str, list[dict]]


def report(modules: list[dict], kernels: list[dict], verbose: bool) -> int:
    """Prints the tables."""
    unloaded = [m for m in modules if m["error"]]
    print(f"{len(modules) - len(unloaded)} of {len(modules)} modules load; {len(kernels)} kernels")
    for m in unloaded:
        print(f"  {m['module']}: {m['error']}" + f" ({m['kernels']} kernels in its text)" * bool(m["kernels"]))
    for way in ("forward", "adjoint"):
        tried = [k for k in kernels if way in k]
        print(f"{way}: {sum(not k[way] for k in tried)} of {len(tried)} compile")
    sources = Counter(k["types"] for k in kernels if "types" in k)
    print("types of those: " + ", ".join(f"{n} {source}" for source, n in sources.most_common()))
    costs = [
        (*k[f"{way}_cost"], f"{k['kernel']}, {way}")
        for k in kernels
        for way in ("forward", "adjoint")
        if f"{way}_cost" in k
    ]
    for seconds, size, name in sorted(costs, reverse=True)[:3]:
        print(f"slowest: {seconds:.1f} s, {size >> 20} MB, {name}")
    for seconds, size, name in sorted(costs, key=lambda c: -c[1])[:3]:
        print(f"largest: {size >> 20} MB, {seconds:.1f} s, {name}")
    groups: dict[str, Causes] = {"fail": {}, "are generic, and no type that was tried fits": {}}
    groups |= {f"fail for {name}": {} for name in GROUPS}
    for k in kernels:
        if error := k.get("forward") or k.get("adjoint"):
            later = need(error)
            group = f"fail for {later}" if later else list(groups)[1 if k.get("generic") else 0]
            groups[group].setdefault(cause(error), []).append({**k, "error": error})
    for group, causes in groups.items():
        print(f"\n{sum(map(len, causes.values()))} kernels {group}")
        for text, those in sorted(causes.items(), key=lambda item: -len(item[1])):
            ways = Counter("forward" if k.get("forward") else "adjoint" for k in those)
            print(f"{len(those):6}  {text}  ({', '.join(ways)}; {those[0]['kernel']})")
            for k in those if verbose else []:
                print(f"\n--- {k['kernel']}\n{k['error']}")
    return int(bool(unloaded) or any(k.get("forward") or k.get("adjoint") for k in kernels))


def need(error: str) -> str:
    """What an error needs that is not there yet; empty for others. The text of the kernel in it says nothing."""
    said = "\n".join(line for line in error.splitlines() if "|" not in line and "-->" not in line)
    return next((name for name, words in GROUPS.items() if re.search(words, said)), "")


def cause(error: str) -> str:
    """The first line of a message, without what is the kernel's own."""
    return re.sub(r"kernel '[^']*'", "kernel", error.splitlines()[0])[:200]


if __name__ == "__main__":
    sys.exit(main())
