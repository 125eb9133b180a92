"""Every PTX text in a cache folder through NVIDIA's assemblers, 11.8 and 12.9.

    python tests/python/gpu/calibration/assemble_all.py FOLDER

`make soak` has the tests fill the folder. Each text is assembled for the compute capability that it names, and by 12.9
for 12.0 too, as the driver of a later GPU does. 11.8 knows PTX up to 7.8: all texts but those with many parameters.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support.places import ROOT

LATER = 120


def texts(folder: Path) -> dict[str, bytes]:
    """The texts of the entries, by digest: some stand in several."""
    found = {}
    for entry in folder.glob("*/*.wk"):
        if text := re.search(rb"\.version[\t\n\r -~]*", entry.read_bytes()):
            found[hashlib.sha256(text[0]).hexdigest()] = text[0]
    return found


def refusals(text: bytes) -> list[str]:
    """What the assemblers say against a text."""
    named = re.search(rb"\.target sm_(\d+)", text)
    if named is None:
        return ["the text names no compute capability"]
    said = []
    with tempfile.NamedTemporaryFile(suffix=".ptx") as file:
        file.write(text)
        file.flush()
        for major, capability in ((11, int(named[1])), (12, int(named[1])), (12, LATER)):
            if major == 11 and text.startswith(b".version 8"):
                continue
            ptxas = ROOT / f"target/cuda/{major}/nvidia/cuda_nvcc/bin/ptxas"
            command = [ptxas, f"-arch=sm_{capability}", "-o", os.devnull, file.name]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                said.append(f"{major}, sm_{capability}: {done.stderr}")
    return said


def main() -> None:
    found = texts(Path(sys.argv[1]))
    if not found:
        sys.exit(f"{sys.argv[1]} holds no PTX")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = dict(zip(found, pool.map(refusals, found.values()), strict=True))
    for digest, said in wrong.items():
        if said:
            print(f"{digest}: {'; '.join(said)}\n{found[digest].decode()}")
    refused = sum(bool(said) for said in wrong.values())
    print(f"{len(found)} texts, {refused} refused")
    sys.exit(1 if refused else 0)


if __name__ == "__main__":
    main()
