"""Every public function and class, called with arguments of no sense, says so in plain words."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
import warnings
from typing import Any

import warp as wp

NONSENSE: list[tuple[Any, ...]] = [
    (),
    (object(),),
    (object(), object()),
    (object(), object(), object()),
    ("x", "y"),
    (None,),
    (1.5, "a", [1]),
    (-1,),
]
# What an error of ours is never: these tell of a slip inside the package.
SLIPS = {"SystemError", "PanicException", "RecursionError", "NameError", "AttributeError", "KeyError"}


def slips() -> list[str]:
    """The calls that end in another error than one about their arguments."""
    found = []
    for name in dir(wp):
        value = getattr(wp, name)
        if name.startswith("_") or not callable(value) or inspect.ismodule(value):
            continue
        for arguments in NONSENSE:
            for named in ({}, {"no_such_parameter": 1}):
                call = f"{name}{tuple(map(type, arguments))}{named}"
                try:
                    value(*arguments, **named)
                except BaseException as error:  # noqa: BLE001 (a panic is no Exception)
                    kind = type(error).__name__
                    if kind in SLIPS or not str(error):
                        found.append(f"{call}: {kind}: {error}")
                else:
                    if named:
                        found.append(f"{call} is taken")
    return found


def test_nonsense_is_refused_clearly() -> None:
    # Some of the calls are right: they begin captures, print or set what holds for the process.
    run = subprocess.run([sys.executable, __file__], capture_output=True, text=True, timeout=240, check=False)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout.splitlines()[-1]) == []


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print("\n" + json.dumps(slips()))
