"""`scripts/third_party.py`: what is counted of the tests of other packages."""

import json
import sys

from support.places import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

import third_party


def test_failures_are_counted_by_what_they_need(tmp_path):
    missing = "is not supported\n--> texture.py:1:1\n|\n1 | wp.tile(x)"
    found = [
        ("passed", ""),
        ("skipped", ""),
        ("failed", "WarpCodegenTypeError: `wp.tile_load` is not supported"),
        ("failed", f"WarpCodegenTypeError: `f` {missing}\nhint: C++ snippets are not compiled"),
        ("failed", "NotImplementedError: wp.Mesh is not supported"),
        ("failed", "AssertionError: kernel 'a' is wrong\nmore"),
        ("failed", "AssertionError: kernel 'b' is wrong"),
        ("failed", "AssertionError:\nArrays of `float` differ"),
    ]
    lines = [json.dumps({"test": "t", "outcome": outcome, "why": why}) for outcome, why in found]
    (tmp_path / "newton+test_x.jsonl").write_text("\n".join(lines) + "\n")
    text = third_party.table(tmp_path)
    head = next(line for line in text.splitlines() if line.startswith("| package | files"))
    row = next(line for line in text.splitlines() if line.startswith("| newton 1.8.0"))
    counts = dict(zip(head.rstrip(" |").split(" | ")[1:], row.rstrip(" |").split(" | ")[1:], strict=True))
    assert {name: n for name, n in counts.items() if n != "0"} == {
        "files": "1",
        "passed": "1",
        "skipped": "1",
        "need C++ snippets": "1",
        "need tiles": "1",
        "need trees, meshes, grids, volumes and textures": "1",
        "fail otherwise": "3",
    }
    assert "| newton | 2 | `AssertionError: kernel is wrong` |" in text
    assert "| newton | 1 | `AssertionError: Arrays of 'float' differ` |" in text
    assert "| warp-simdata 0.2.0 | publishes no tests |" in text
