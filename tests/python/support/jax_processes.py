"""Programs that several processes run together, joined by `jax.distributed.initialize`.

Programs of the documents call it without arguments, as under `mpirun`, and once each; here several of them share
their processes, because starting jax takes longer than they do.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from .places import search_path

MARK = "what-was-printed:"

MAIN = """
import contextlib, io, json, sys
import jax

how, files = sys.argv[1], sys.argv[2:]
jax.config.update("jax_cpu_collectives_implementation", "gloo")
initialize, begun = jax.distributed.initialize, []

def once():
    if not begun:
        begun.append(True)
        if how == "mpirun":
            initialize()
        else:
            address, count, rank = how.split()
            initialize(address, int(count), int(rank))

jax.distributed.initialize = once
printed = []
for file in files:
    out = io.StringIO()
    with open(file, encoding="utf-8") as text, contextlib.redirect_stdout(out):
        exec(compile(text.read(), file, "exec"), {"__name__": "__main__", "__file__": file})
    printed.append(out.getvalue())
assert jax.process_count() == 2
if jax.process_index() == 0:
    print("MARK" + json.dumps(printed), flush=True)
""".replace("MARK", MARK)


def _environment(devices: int) -> dict[str, str]:
    flags = f"--xla_force_host_platform_device_count={devices}"
    return {**os.environ, "PYTHONPATH": search_path(), "JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags}


def _main(folder: Path) -> str:
    path = folder / "main.py"
    path.write_text(MAIN, encoding="utf-8")
    return str(path)


def _printed(out: str) -> list[str]:
    lines = [line for line in out.splitlines() if MARK in line]
    made: list[str] = json.loads(lines[-1].split(MARK, 1)[1])
    return made


def run_in_two(files: list[Path], folder: Path, devices: int = 2) -> list[str]:
    """Runs programs in two processes of so many devices each; what the first process printed in each program."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    main, names = _main(folder), [str(file) for file in files]
    started = [
        subprocess.Popen(
            [sys.executable, "-W", "ignore", main, f"{address} 2 {rank}", *names],
            env=_environment(devices),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        outs = [process.communicate(timeout=240)[0] for process in started]
    finally:
        for process in started:
            process.kill()
    assert [process.returncode for process in started] == [0, 0], "\n".join(outs)
    return _printed(outs[0])


def run_under_mpi(command: str, files: list[Path], folder: Path) -> list[str]:
    """The same by a command of the documents, `mpirun -np <NUM_OF_GPUS> python <filename>.py`."""
    if shutil.which("mpirun") is None:
        pytest.skip("mpirun is not there (Debian: apt-get install openmpi-bin)")
    words = {"<NUM_OF_GPUS>": ["2"], "python": [sys.executable, "-W", "ignore"]}
    program = {"<filename>.py": [_main(folder), "mpirun", *map(str, files)]}
    argv = [word for given in command.split() for word in {**words, **program}.get(given, [given])]
    # Two on whatever machine this is, also as root, also in a container.
    environment = _environment(1) | {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    }
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return _printed(done.stdout)
