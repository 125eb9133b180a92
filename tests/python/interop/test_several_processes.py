"""The programs of docs/processes.md, each run by the command that the page shows.

`make test-processes` installs what they need; a program whose packages or `mpirun` are not there is skipped.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.places import ROOT, search_path

PROGRAM = re.compile(
    r"^```sh\n(?P<command>[^\n]*)\n```\n\n```python program\n(?P<body>.*?)^```\n\n```text\n(?P<printed>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
PAGE = (ROOT / "docs" / "processes.md").read_text(encoding="utf-8")
PROGRAMS = {match["command"].split()[-1]: match for match in PROGRAM.finditer(PAGE)}
# Packages that only some of these programs need.
FURTHER = os.environ.get("WARP_PROCESSES", "")
STARTERS = {
    "torchrun": [sys.executable, "-m", "torch.distributed.run"],
    "mpirun": ["mpirun", "-x", "PYTHONPATH"],
    "python": [sys.executable, "-W", "ignore"],
}
AS_ANYONE_ANYWHERE = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "GLOO_SOCKET_IFNAME": "lo",
    "JAX_PLATFORMS": "cpu",
    "JAX_CPU_COLLECTIVES_IMPLEMENTATION": "gloo",
    "OMP_NUM_THREADS": "1",
    "RAY_AUTH_MODE": "disabled",
}


def missing(body: str) -> list[str]:
    """The packages that a program imports and that this Python does not have."""
    names = re.findall(r"^(?:import|from) (\w+)", body, re.MULTILINE)
    return [name for name in names if importlib.util.find_spec(name) is None]


def test_the_page_has_its_programs() -> None:
    assert len(PROGRAMS) == PAGE.count("```python program") == 6


@pytest.mark.soak
@pytest.mark.parametrize("file", PROGRAMS)
def test_program(file: str, tmp_path: Path) -> None:
    program = PROGRAMS[file]
    lacking = missing(program["body"])
    if not all(FURTHER and Path(FURTHER, name).exists() for name in lacking):
        pytest.skip(f"not installed: {', '.join(lacking)}")
    starter, *words = program["command"].split()
    if shutil.which("mpirun") is None and starter == "mpirun":
        pytest.skip("mpirun is not there (Debian: apt-get install openmpi-bin)")
    (tmp_path / file).write_text(program["body"], encoding="utf-8")
    words = [*STARTERS[starter], *(w for word in words for w in ([word] if word != "python" else STARTERS["python"]))]
    path = os.pathsep.join([search_path(), *([FURTHER] if lacking else [])])
    environment = os.environ | AS_ANYONE_ANYWHERE | {"PYTHONPATH": path, "HOME": str(tmp_path)}
    done = subprocess.run(
        words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line for line in done.stdout.splitlines() if not line.startswith("[Gloo]")]
    assert lines == program["printed"].splitlines(), done.stderr
