"""Wrong use of the package ends in errors that a user understands: no crash, no hang, no word of the implementation.

`random_use.py` runs a case alone, by its seed, and many of them; `make soak` runs 20,000.
"""

from __future__ import annotations

import os

import pytest

from wrong_use.generator import Case, case
from wrong_use.processes import PER_WORKER, describe, run, wrong
from wrong_use.surface import surface
from wrong_use.tables import LEFT_OUT

COUNT = int(os.environ.get("WARP_WRONG_USE", "20000" if os.environ.get("WARP_SOAK") else "500"))
STARTS = range(0, COUNT, PER_WORKER)


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.timeout(1200)
def test_wrong_use_is_refused_clearly(start: int) -> None:
    found = [describe(made, outcome) for made, outcome in wrong(range(start, min(start + PER_WORKER, COUNT)))]
    assert not found, "\n\n".join(found)


def test_a_case_follows_from_its_seed() -> None:
    assert [case(seed) for seed in range(50)] == [case(seed) for seed in range(50)]
    assert len({case(seed).text for seed in range(50)}) > 45


def test_all_that_is_public_is_called() -> None:
    paths = {path for group in surface().functions.values() for path, _, _ in group}
    assert {"wp.launch", "wp.copy", "wp.utils.array_sum", "wp.optim.Adam", "wp.sin", "wp.vec3"} <= paths
    assert "wp.config.mode" in surface().settings
    classes = {name for group in surface().methods.values() for name, _ in group}
    assert {"array", "Tape", "Kernel", "Launch", "Stream"} <= classes
    assert not paths & set(LEFT_OUT)


# What each watch must see, and what it says.
PLANTED = {
    "os.kill(os.getpid(), 11)": "ends the process: SIGSEGV",
    "os._exit(3)": "ends the process: exit 3",
    "threading.Event().wait(60)": "hangs",
    "r = sum(1 for r in [bytearray(1200 << 20)])": "memory grew",
    "exec('raise TypeError(\"expected Some(3)\")')": "an option of Rust",
    "exec('raise TypeError(\"Dtype { bits: 3 }\")')": "a struct of Rust",
    "exec('raise TypeError(\"warp._warp.array\")')": "a private module",
    "exec('raise TypeError(\"_Composite\")')": "the internal name _Composite",
    "exec('raise SystemError(\"x\")')": "SystemError",
    "os.write(2, b\"thread '<unnamed>' panicked at src/lib.rs:3\")": "a panic was printed",
    'exec(\'try: len(bad("interrupt", "__len__"))\\nexcept KeyboardInterrupt: pass\')': "was lost",
    'exec(\'try: len(bad("interrupt", "__len__"))\\nexcept BaseException: raise ValueError\')': "became ValueError",
}


@pytest.mark.parametrize("line", PLANTED)
def test_a_planted_fault_is_seen(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wrong_use.processes.case", lambda seed: Case(seed, "planted", ["r = 1", line]))
    ((_, outcome),) = run([0], frameworks=False, seconds=3)
    assert PLANTED[line] in "\n".join(outcome.complaints)


def test_a_case_after_a_crash_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = {0: "r = 1", 1: "os.abort()", 2: "r = wp.zeros(2)"}
    monkeypatch.setattr("wrong_use.processes.case", lambda seed: Case(seed, "planted", [lines[seed]]))
    outcomes = [outcome for _, outcome in run(range(3), frameworks=False)]
    assert [bool(outcome.complaints) for outcome in outcomes] == [False, True, False]
    assert outcomes[2].results[0]["value"] == ["numbers", [2], "[0.0, 0.0]"]
