"""The comparison with another package (`tests/compare`): what it calls equal, and that its programs stand."""

import ast
import sys

import numpy as np
import pytest

from support.places import ROOT

FOLDER = ROOT / "tests/compare"


@pytest.fixture
def compare(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    import compare

    yield compare
    for name in ("compare", "program", "worker"):
        sys.modules.pop(name, None)


def judged(compare, ours, theirs, exact=False, tolerance=None):
    from program import plain

    return compare.judge({"result": plain(ours)}, {"result": plain(theirs)}, exact, tolerance)[0]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (1, 1.0),
        (1, True),
        (1.0, 1.001),
        (1.0, float("nan")),
        ([1, 2], [1, 2, 3]),
        ({"a": 1}, {"b": 1}),
        (np.zeros(2, np.float32), np.zeros(2, np.float64)),
        (np.zeros((2, 1)), np.zeros((1, 2))),
        (np.array([1, 2]), np.array([1, 3])),
        (np.float32(1.0), np.float32(1.0001)),
        (np.zeros(1, [("a", "f4")]), np.ones(1, [("a", "f4")])),
        ("a", "b"),
        (None, 0),
    ],
)
def test_different_results(compare, ours, theirs):
    assert judged(compare, ours, theirs) == "different"
    assert judged(compare, ours, ours) == judged(compare, theirs, theirs) == "equal"


def test_floats_within_the_tolerance_of_their_type(compare):
    near = np.nextafter(np.float32(1.0), np.float32(2.0))
    assert judged(compare, np.float32(1.0), near) == "equal"
    assert judged(compare, np.float32(1.0), near, exact=True) == "different"
    assert judged(compare, np.float64(1.0), np.float64(near)) == "different"
    assert judged(compare, np.float64(1.0), np.float64(near), tolerance=1e-6) == "equal"
    assert judged(compare, 0.0, -0.0) == "equal"
    assert judged(compare, 0.0, -0.0, exact=True) == "different"


def test_exceptions_are_equal_if_ours_is_one_of_the_peers(compare):
    from program import raised

    class BothError(TypeError, RuntimeError):
        pass

    def fail(kind):
        raise kind

    assert judged(compare, raised(fail, BothError), raised(fail, RuntimeError)) == "equal"
    assert judged(compare, raised(fail, RuntimeError), raised(fail, BothError)) == "different"
    assert judged(compare, raised(fail, TypeError), raised(int)) == "different"


def test_a_refusal_is_open_and_a_crash_is_different(compare):
    error = {"error": ["TypeError"], "text": "", "line": 1}
    assert compare.judge(error, {"result": 1}, False, None)[0] == "open"
    assert compare.judge({"result": 1}, error, False, None)[0] == "different"
    assert compare.judge({"crash": "ended with -11", "text": ""}, {"result": 1}, False, None)[0] == "different"


def test_a_program_that_ends_its_process_is_marked(compare, tmp_path):
    file = tmp_path / "area.py"
    file.write_text(
        "import os\n\ndef a(wp):\n    return 1\n\ndef b(wp):\n    os._exit(3)\n\ndef c(wp):\n    return 2.0\n"
    )
    found = compare.results(file, compare.programs(file), sys.executable)
    assert found["a"] == {"result": {"int": "1"}}
    assert found["b"]["crash"] == "ended with 3"
    assert found["c"] == {"result": {"float": "0x1.0000000000000p+1"}}


def test_what_is_lacking_makes_a_program_open_until_it_is_equal(compare):
    assert compare.marked("different", "1, the peer 2", None, "it") == ("open", "it: 1, the peer 2")
    assert compare.marked("equal", "", None, "it") == ("different", "equal, so that nothing is lacking: it")
    assert compare.marked("different", "1, the peer 2", None, None) == ("different", "1, the peer 2")


def test_every_decision_that_a_program_names_is_a_row(compare):
    named = [
        keyword.value.value
        for file in FOLDER.glob("*/*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "decided" and isinstance(keyword.value, ast.Constant)
    ]
    assert named
    assert [start for start in named if not compare.has_row(start)] == []
