"""Runs the cases of a module of `tests/python/gpu` and reports each of them as it ends.

    python scripts/gpu/cases_child.py gpu.smoke --events FILE --skip FILE

The module's `CASES` names functions without arguments; one that raises `unittest.SkipTest` was not for this machine.
A note that a case returns stands in the report.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
import traceback
import unittest
from pathlib import Path

from events import LOST, Events

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/python"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module")
    parser.add_argument("--events", type=Path, required=True)
    parser.add_argument("--skip", type=Path, required=True)
    options = parser.parse_args()
    events, skipped = Events(options.events), set(options.skip.read_text().splitlines())
    module = importlib.import_module(options.module)
    events.total(len(module.CASES))
    for name, case in module.CASES.items():
        if name in skipped:
            continue
        events.begin(name)
        begin = time.perf_counter()
        try:
            note = case() or ""
        except unittest.SkipTest as reason:
            events.end(name, "skipped", note=str(reason))
        except Exception as error:  # noqa: BLE001  whatever it is, the next case runs
            traceback.print_exc()
            text = f"{type(error).__name__}: {' '.join(str(error).split())}"
            events.end(name, "failed", text[:390])
            if LOST in str(error):
                # No later case could pass in this process.
                sys.stdout.flush()
                os._exit(3)
        else:
            print(f"{name}: ok, {time.perf_counter() - begin:.2f} s {note}", flush=True)
            events.end(name, "passed", note=note)
    return 0


if __name__ == "__main__":
    sys.exit(main())
