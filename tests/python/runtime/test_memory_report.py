"""Account of the memory of arrays."""

from __future__ import annotations

import gc
import io
import threading

import numpy as np
import pytest
import warp as wp
from warp import _warp


@pytest.fixture(autouse=True)
def _anew():
    _warp._track_clear()
    yield
    wp.config.track_memory = False
    _warp._track_clear()


def totals() -> dict[str, int]:
    """Count, bytes in all, bytes now and bytes at most, of the CPU."""
    found = {device: numbers for device, *numbers in _warp._tracked()[0]}
    return dict(zip(("count", "bytes", "live", "peak"), found.get("cpu", [0] * 4), strict=True))


def test_what_is_made_and_given_back_is_counted():
    before = wp.zeros(1000, dtype=float)
    with wp.ScopedMemoryTracker("step", print=False):
        kept = wp.zeros(250, dtype=float)
        gone = wp.zeros(500, dtype=wp.vec3)
        assert totals() == {"count": 2, "bytes": 7000, "live": 7000, "peak": 7000}
        del gone
        assert totals() == {"count": 2, "bytes": 7000, "live": 1000, "peak": 7000}
        del before
        assert totals()["live"] == 1000, "what was there before is not counted when it goes"
        view = kept[10:20]
        assert totals()["count"] == 1 + 1, "a view has no memory of its own"
        del view
    wp.zeros(10, dtype=float)
    assert totals()["count"] == 2, "nobody counts behind the block"
    del kept
    assert totals()["live"] == 0, "what was counted is told of when it goes"


def test_scopes_make_paths():
    with wp.ScopedMemoryTracker("outer", print=False):
        a = wp.zeros(10, dtype=float)
        with wp.ScopedMemoryTracker("inner", print=False):
            b = wp.empty(20, dtype=float)
        c = wp.array(np.zeros(5, np.float32))
    assert _warp._tracked()[1] == [("outer", "cpu", 2, 60), ("outer/inner", "cpu", 1, 80)]
    del a, b, c


def test_what_there_is_has_a_name_and_a_place():
    with wp.ScopedMemoryTracker(print=False):
        a = wp.zeros((3, 4), dtype=wp.vec3)
        b = wp.clone(a)
    pieces = _warp._tracked()[2]
    assert [piece[1:4] for piece in pieces] == [(144, "cpu", "array(vec(3, float32), 3 x 4)")] * 2
    first, second = (piece[4] for piece in pieces)
    assert first.startswith("test_memory_report.py:")
    assert first.endswith("in test_what_there_is_has_a_name_and_a_place")
    lines = [int(place.split(":")[1].split()[0]) for place in (first, second)]
    assert lines[1] == lines[0] + 1
    del a, b


def test_other_threads_are_counted_too():
    kept = []
    with wp.ScopedMemoryTracker("main", print=False):
        thread = threading.Thread(target=lambda: kept.append(wp.zeros(100, dtype=float)))
        thread.start()
        thread.join()
    assert totals()["bytes"] == 400
    assert _warp._tracked()[1] == [], "scopes are those of the thread that is in them"


def test_memory_of_other_libraries_is_not_counted():
    with wp.ScopedMemoryTracker(print=False):
        array = wp.array(np.zeros(100, np.float32), copy=False)
    assert totals()["count"] == 0
    del array


def test_the_report():
    with wp.ScopedMemoryTracker("a", print=False) as tracker:
        small, large = wp.zeros(64, dtype=float), wp.zeros(1024, dtype=float)
        text = io.StringIO()
        tracker.report(text)
        lines = text.getvalue().splitlines()
        assert lines[:5] == [
            "memory of arrays",
            "  cpu: 4.25 KB now, 4.25 KB at most; 2 allocations of 4.25 KB in all",
            "  by scope:",
            "    a, cpu: 2 allocations of 4.25 KB",
            "  what there is of cpu, the largest first:",
        ]
        assert [line.split("  ")[2:4] for line in lines[5:]] == [
            ["4.00 KB", "array(float32, 1024)"],
            ["256 B", "array(float32, 64)"],
        ]
        text = io.StringIO()
        tracker.report(text, sort="chronological", max_items=1)
        assert text.getvalue().splitlines()[4] == "  what there is of cpu, the oldest first, 1 of 2:"
        assert text.getvalue().count("array(float32") == 1
        tracker.clear()
        text = io.StringIO()
        tracker.report(text)
        assert text.getvalue() == "memory of arrays\n  none was made\n"
    del small, large
    gc.collect()


def test_where_the_report_goes(capsys):
    with wp.ScopedMemoryTracker():
        wp.zeros(1, dtype=float)
    assert capsys.readouterr().out.startswith("memory of arrays\n")
    texts = []
    with wp.ScopedMemoryTracker(report_func=texts.append):
        pass
    assert texts[0].startswith("memory of arrays\n")
    with wp.ScopedMemoryTracker(active=False) as tracker:
        wp.zeros(1, dtype=float)
        tracker.report()
        tracker.clear()
    assert capsys.readouterr().out == ""
    assert totals()["count"] == 1


def test_the_setting(capsys):
    wp.config.track_memory = True
    array = wp.zeros(4, dtype=float)
    wp.print_memory_report()
    assert "1 allocation of 16 B" in capsys.readouterr().out
    wp.config.track_memory = False
    with pytest.raises(RuntimeError, match=r"set wp.config.track_memory = True"):
        wp.print_memory_report()
    del array


def test_what_is_refused():
    wp.config.track_memory = True
    with pytest.raises(ValueError, match="sort is 'name'; expected 'size' or 'chronological'"):
        wp.print_memory_report(sort="name")
    with pytest.raises(ValueError, match="max_items is -1"):
        wp.print_memory_report(max_items=-1)
    with pytest.raises(TypeError, match="max_items is 1.5"):
        wp.print_memory_report(max_items=1.5)
    for file in ("out.txt", 3):
        with pytest.raises(TypeError, match=f"file is {file!r}; expected an open text file"):
            wp.print_memory_report(file)
    with pytest.raises(TypeError, match="name is 3"):
        wp.ScopedMemoryTracker(3)
    with pytest.raises(TypeError, match="report_func is 3"):
        wp.ScopedMemoryTracker(report_func=3)
    with pytest.raises(TypeError, match="track_memory is a bool"):
        wp.config.track_memory = 1


def test_a_block_that_raises_ends_its_account():
    with pytest.raises(KeyError), wp.ScopedMemoryTracker(print=False):
        raise KeyError
    assert not _warp._tracking()
