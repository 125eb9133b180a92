"""Runs a program in a process group of its own, and kills the whole group when time is up or nothing happens."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# Set where the whole run is to end: each program is then killed as if its time were up.
STOP = threading.Event()


@dataclass
class Ended:
    """How a program ended."""

    code: int | None  # None: it outlived SIGKILL
    seconds: float
    killed: str = ""  # why it was killed: "time" or "silence"

    @property
    def how(self) -> str:
        """Empty where the program ended by itself, with whatever status."""
        if self.killed:
            return f"killed after {self.seconds:.0f} s" + (
                " without a sign of life" if self.killed == "silence" else ""
            )
        if self.code is None or self.code >= 0:
            return ""
        try:
            return signal.Signals(-self.code).name
        except ValueError:
            return f"signal {-self.code}"


def run(
    command: Sequence[str],
    output: Path,
    limit: float,
    *,
    environment: dict[str, str] | None = None,
    signs: Path | None = None,
    silence: float = 0.0,
) -> Ended:
    """Appends what the program prints to `output`. With `signs` and `silence` it is killed, too, when that file has not
    changed for so many seconds."""
    begin = time.monotonic()
    with output.open("ab") as sink:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
        killed = ""
        try:
            killed = _wait(process, begin + limit, signs, silence)
        finally:
            code = _end(process, bool(killed))
    return Ended(code, time.monotonic() - begin, killed)


def _wait(process: subprocess.Popen[bytes], until: float, signs: Path | None, silence: float) -> str:
    """Waits for the end, and says why it did not come."""
    size, changed = -1, time.monotonic()
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.1)
            return ""
        now = time.monotonic()
        if now >= until or STOP.is_set():
            return "time"
        if signs is not None and silence:
            found = signs.stat().st_size if signs.exists() else 0
            if found != size:
                size, changed = found, now
            elif now - changed >= silence:
                return "silence"


def _end(process: subprocess.Popen[bytes], is_late: bool) -> int | None:
    """Ends what is left of the group. A program that is late is asked for its stacks first, by faulthandler."""
    if is_late and process.poll() is None:
        process.send_signal(signal.SIGABRT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1.0)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    try:
        # A process inside of the driver may not die. Nobody waits for it.
        return process.wait(5.0)
    except subprocess.TimeoutExpired:
        return None
