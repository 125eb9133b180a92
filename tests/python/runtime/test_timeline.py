"""`wp.ScopedTrace` and `WARP_TRACE`: which events there are, how they nest, and what becomes of the file."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import warp as wp


@wp.kernel
def double(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = 2.0 * x[i]


@wp.kernel
def plane(out: wp.array2d(dtype=float)):
    i, j = wp.tid()
    out[i, j] = 1.0


def events(path: Path) -> list[dict]:
    """What the file says took time."""
    return [event for event in json.loads(path.read_text())["traceEvents"] if event["ph"] == "X"]


def named(path: Path, name: str) -> list[dict]:
    return [event for event in events(path) if event["name"] == name]


def check_nesting(found: list[dict]) -> None:
    """Two events of a thread are apart, or the earlier one holds the later one."""
    for tid in {event["tid"] for event in found}:
        open_until: list[float] = []
        for event in (e for e in found if e["tid"] == tid):
            end = event["ts"] + event["dur"]
            while open_until and open_until[-1] <= event["ts"]:
                open_until.pop()
            assert not open_until or end <= open_until[-1] + 1e-3, event
            open_until.append(end)


def test_events(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    x = np.arange(12, dtype=np.float32)
    fresh = wp.Kernel(double.func, key="fresh")
    with wp.ScopedTrace(path) as trace:
        a = wp.from_numpy(x)
        b = wp.array(x)
        shared = wp.array(x, copy=False)
        wp.launch(fresh, dim=12, inputs=[a, b])
        wp.launch(plane, dim=(3, 4), inputs=[wp.zeros((3, 4), dtype=float)])
        wp.copy(b, a)
        b.fill_(3.0)
        b.numpy()
        wp.utils.array_scan(b, a)
        assert shared.ptr
    wp.launch(fresh, dim=12, inputs=[a, b])
    found = events(path)
    assert len(found) == trace.events
    assert trace.dropped == 0
    check_nesting(found)

    (launch,) = named(path, "double")[-1:]
    assert launch["cat"] == "launch"
    assert launch["args"] == {"dim": [12], "device": str(a.device)}
    assert [e["args"]["dim"] for e in named(path, "plane") if e["cat"] == "launch"] == [[3, 4]]
    compiles = [e["args"] for e in named(path, "double") if e["cat"] == "compile"]
    assert [c["step"] for c in compiles] == ["text to IR", "IR to code"]
    assert compiles[1]["origin"] in ("made", "cache")
    assert [e["cat"] for e in found if e["name"] in ("from_numpy", "array", "numpy")] == ["conversion"] * 4
    assert {"bytes": 48, "device": str(a.device)} in [e["args"] for e in named(path, "fill")]
    assert any(e["args"]["bytes"] == 48 for e in named(path, "copy"))
    assert [(e["cat"], e["args"]) for e in named(path, "array_scan")] == [("algorithm", {"device": str(a.device)})]
    # A conversion that copies holds its copy.
    copy, convert = named(path, "copy")[0], named(path, "from_numpy")[0]
    assert convert["ts"] <= copy["ts"] <= copy["ts"] + copy["dur"] <= convert["ts"] + convert["dur"] + 1e-3


def test_torch(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    path = tmp_path / "out.json"
    t = torch.zeros(4)
    with wp.ScopedTrace(path):
        a = wp.from_torch(t)
        wp.to_torch(a)
        wp.from_dlpack(t)
    assert [e["name"] for e in events(path)] == ["from_torch", "to_torch", "from_dlpack"]
    assert wp.from_torch(t).ptr == t.data_ptr()


def test_threads(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    wp.launch(double, dim=4, inputs=[wp.zeros(4), wp.zeros(4)])

    def work() -> None:
        for _ in range(20):
            wp.launch(double, dim=4, inputs=[wp.zeros(4), wp.zeros(4)])

    with wp.ScopedTrace(path):
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        work()
        for thread in threads:
            thread.join()
    launches = named(path, "double")
    assert len(launches) == 80
    by_thread = [sum(e["tid"] == tid for e in launches) for tid in {e["tid"] for e in launches}]
    assert by_thread == [20] * 4
    assert {e["pid"] for e in launches} == {os.getpid()}
    check_nesting(events(path))


def test_traces_within_traces(tmp_path: Path) -> None:
    inner, outer = tmp_path / "inner.json", tmp_path / "outer.json"
    a = wp.zeros(4)
    with wp.ScopedTrace(outer):
        a.fill_(1.0)
        with wp.ScopedTrace(inner):
            a.fill_(2.0)
        a.fill_(3.0)
    assert (len(events(inner)), len(events(outer))) == (1, 3)


def test_an_exception_writes_what_there_is(tmp_path: Path) -> None:
    path = tmp_path / "out.json"

    def fails() -> None:
        with wp.ScopedTrace(path):
            wp.zeros(4).fill_(1.0)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert len(events(path)) == 1


def test_a_launch_that_fails(tmp_path: Path) -> None:
    path = tmp_path / "out.json"

    def fails() -> None:
        with wp.ScopedTrace(path):
            wp.launch(double, dim=5, inputs=[wp.zeros(4), wp.zeros(4)])
            wp.synchronize()

    with pytest.raises(IndexError):
        fails()
    assert [e["cat"] for e in named(path, "double")][-1:] == ["launch"]


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no folder"), wp.ScopedTrace(tmp_path / "none" / "out.json"):
        pass
    with pytest.raises(OSError, match=r"directory"), wp.ScopedTrace(tmp_path):
        pass
    assert not list(tmp_path.glob("*.part"))


def test_inactive(tmp_path: Path) -> None:
    with wp.ScopedTrace(tmp_path / "out.json", active=False) as trace:
        wp.zeros(4).fill_(1.0)
    assert trace.events == 0
    assert not (tmp_path / "out.json").exists()


def process(code: str, path: Path) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if k != "_WARP_TRACE_PROCESS"} | {"WARP_TRACE": str(path)}
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("end", ["", "raise SystemExit(3)", "raise ValueError"])
def test_a_process(end: str, tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    done = process(f"import warp as wp\nwp.zeros(4).fill_(1.0)\n{end}", path)
    assert (done.returncode == 0) == (end == ""), done.stderr
    assert [e["name"] for e in events(path)] == ["fill"]


def test_children(tmp_path: Path) -> None:
    """One that is forked writes nothing; one that is started writes a file of its own."""
    path = tmp_path / "out.json"
    code = (
        "import os, subprocess, sys, warp as wp\n"
        "a = wp.zeros(4)\n"
        "a.fill_(1.0)\n"
        "if os.fork() == 0:\n"
        "    a.fill_(2.0)\n"
        "    sys.exit()\n"
        "os.wait()\n"
        "code = 'import os, warp as wp; wp.zeros(4).numpy(); print(os.getpid())'\n"
        "print(subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True).stdout)\n"
        "a.fill_(3.0)\n"
    )
    done = process(code, path)
    assert done.returncode == 0, done.stderr
    child = tmp_path / f"out.{done.stdout.strip()}.json"
    assert sorted(tmp_path.iterdir()) == sorted([path, child])
    assert [e["name"] for e in events(path)] == ["fill", "fill"]
    assert [e["name"] for e in events(child)] == ["numpy"]


def test_a_child_within_a_block(tmp_path: Path) -> None:
    path, own = tmp_path / "out.json", tmp_path / "own.json"
    a = wp.zeros(4)
    with wp.ScopedTrace(path):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                with wp.ScopedTrace(own):
                    a.fill_(1.0)
                code = 0
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
        a.fill_(2.0)
        a.fill_(3.0)
    assert (len(events(own)), len(events(path))) == (1, 2)


def test_links_pipes_and_devices_are_written_through(tmp_path):
    target, link, dangling, pipe = (tmp_path / name for name in ("target.json", "link.json", "dangling.json", "pipe"))
    target.write_text("old")
    link.symlink_to(target)
    dangling.symlink_to(tmp_path / "made.json")
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    for path in (link, dangling, pipe):
        with wp.ScopedTrace(str(path)):
            wp.zeros(4).fill_(1.0)
    assert link.is_symlink()
    assert dangling.is_symlink()
    assert stat.S_ISFIFO(os.lstat(pipe).st_mode)
    for text in (target.read_text(), (tmp_path / "made.json").read_text(), os.read(reader, 1 << 20).decode()):
        assert json.loads(text)["traceEvents"]
    os.close(reader)
    with pytest.raises(IsADirectoryError), wp.ScopedTrace(str(tmp_path)):
        wp.zeros(4).fill_(1.0)


def test_threads_that_trace_to_one_file(tmp_path):
    path, errors = tmp_path / "same.json", []

    def work():
        try:
            for _ in range(40):
                with wp.ScopedTrace(str(path)):
                    wp.zeros(4).fill_(1.0)
        except OSError as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert json.loads(path.read_text())["traceEvents"] is not None
    assert [p.name for p in tmp_path.iterdir()] == ["same.json"]
