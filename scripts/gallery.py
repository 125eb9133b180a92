"""Writes the gallery of the documentation: runs each example that draws, and shrinks its picture.

    python scripts/gallery.py [NAME ...]

Writes `docs/gallery/NAME.webp` and `docs/gallery.md`. Each program runs twice: with its picture, and `--headless` for
the time, when its kernels are in the cache. With names only those are run again: `docs/gallery/runs.json` has what
each printed.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "gallery"
RUNS = FOLDER / "runs.json"
#: A picture is this wide at most, and takes as many bytes at most.
WIDTH, BYTES = 720, 40_000
#: Examples beside a framework that draw; the folders of `docs/examples.md` do so as a whole.
BESIDE = {
    "demo",
    "autograd_function",
    "torch_operator",
    "training_loop",
    "paddle_training",
    "interop.example_jax_training",
}
HEAD = """# Gallery

Each picture is drawn by an [example](examples.md) of the package, with its default parameters; the text below it is
what the program prints. Times are those of a whole process that draws nothing (`--headless`), from the start of Python
on, with its kernels in the cache, on {machine}, while other programs used them too.
`scripts/gallery.py` made this page.
"""


def sections() -> dict[str, list[tuple[str, str]]]:
    """Names and descriptions of the examples that draw, by heading of `docs/examples.md`."""
    found: dict[str, list[tuple[str, str]]] = {}
    heading = ""
    for line in (ROOT / "docs" / "examples.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            heading = line.removeprefix("## ")
        elif (row := re.match(r"\| `(\w[\w.]*\w)` \| ([^|]*) \|", line)) and ("." in row[1] or row[1] in BESIDE):
            if row[1] in BESIDE or not row[1].startswith("interop."):
                found.setdefault(heading, []).append((row[1], row[2].strip()))
    return found


def run(name: str, *options: str) -> tuple[str, float]:
    """What a program prints, and the seconds that its process takes."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        command = [sys.executable, "-m", f"warp.examples.{name}", *options]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
        return done.stdout, time.perf_counter() - began


def drawn(name: str) -> dict[str, object]:
    """Draws the picture of an example; what it printed, its time and its parameters."""
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder, "picture.png")
        printed, _ = run(name, "--picture", str(picture))
        image = Image.open(picture).convert("RGB")
        image.thumbnail((WIDTH, WIDTH), Image.Resampling.LANCZOS)
        for quality in range(85, 10, -5):
            image.save(FOLDER / f"{name}.webp", quality=quality, method=6)
            if (FOLDER / f"{name}.webp").stat().st_size <= BYTES:
                break
    _, seconds = run(name, "--headless")
    usual = re.findall(r"--(frames|steps) \w+\s+how many \w+ \(default:\s+(\d+)\)", run(name, "--help")[0])
    lines = [line for line in printed.splitlines() if not line.startswith("drawn in ")]
    return {
        "printed": "\n".join(lines),
        "seconds": round(seconds, 1),
        "size": image.size,
        "options": "".join(f" --{option} {count}" for option, count in usual),
    }


def page(runs: dict[str, dict], machine: str) -> str:
    lines = [HEAD.format(machine=machine)]
    for heading, examples in sections().items():
        lines += [f"## {heading}", ""]
        for name, what in examples:
            made = runs[name]
            lines += [
                f"### {what[0].upper()}{what[1:]}",
                "",
                f"![{what}](gallery/{name}.webp)",
                "",
                f"`python -m warp.examples.{name}{made['options']}`, {made['seconds']} s:",
                "",
                "```text",
                made["printed"],
                "```",
                "",
            ]
    return "\n".join(lines)


def machine() -> str:
    """The processor's name and how many CPUs this process may use."""
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    name = re.search(r"model name\s*: (.*)", text)
    level = "AVX-512" if "avx512f" in text else "AVX2"
    called = re.sub(r"\((R|TM)\)| Processor", "", name[1]) if name else "unknown processor"
    return f"{len(os.sched_getaffinity(0))} cores ({called}, {level})"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    before = json.loads(RUNS.read_text(encoding="utf-8")) if RUNS.exists() else {"machine": machine(), "runs": {}}
    runs = before["runs"]
    names = [name for examples in sections().values() for name, _ in examples]
    for name in sys.argv[1:] or names:
        runs[name] = drawn(name)
        print(f"{name}: {runs[name]['seconds']} s", flush=True)
    RUNS.write_text(
        json.dumps({"machine": machine(), "runs": dict(sorted(runs.items()))}, indent=1) + "\n", encoding="utf-8"
    )
    (ROOT / "docs" / "gallery.md").write_text(page(runs, machine()), encoding="utf-8")


if __name__ == "__main__":
    main()
