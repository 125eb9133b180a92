"""Runs the programs of one area under this interpreter's `warp`: `python worker.py FILE RESULTS NAME...`.

RESULTS gets a line of JSON before each program and one after it, so that whoever started this process knows which
program ended it.
"""

import importlib.util
import json
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from program import plain


def main(path: str, results: str, names: list[str]) -> None:
    import warp as wp

    with open(results, "a", encoding="utf-8") as out:
        for name in names:
            print(json.dumps({"start": name}), file=out, flush=True)
            print(json.dumps({"name": name, **run(wp, path, name)}), file=out, flush=True)


def run(wp: Any, path: str, name: str) -> dict:
    """What a program gives: its results, or the exception that it ends with."""
    try:
        return {"result": plain(getattr(load(path, f"{Path(path).stem}_{name}"), name)(wp))}
    except Exception as e:  # noqa: BLE001  any error is a result
        where = traceback.extract_tb(e.__traceback__)
        line = next((f.lineno for f in reversed(where) if f.filename == path), None)
        return {"error": [c.__name__ for c in type(e).__mro__ if c is not object], "text": str(e), "line": line}


def load(path: str, name: str) -> ModuleType:
    """The area's file as a module of a program's own: the peer compiles all kernels of a module whenever one is new."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
