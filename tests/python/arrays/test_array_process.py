"""Arrays and the process: memory that they keep, threads, devices, settings, imports."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest
import warp as wp


def test_a_view_keeps_the_memory_alive():
    n = np.ones(1000, np.float32)
    alive = weakref.ref(n)
    a = wp.array(n, copy=False)
    part = a[10:20].reshape((2, 5))
    del n, a
    gc.collect()
    assert alive() is not None
    assert part.list() == [1] * 10
    del part
    gc.collect()
    assert alive() is None


def test_memory_does_not_grow():
    n = np.ones((4, 3), np.float32)
    before = sys.getrefcount(n)

    def work():
        for _ in range(20_000):
            a = wp.array(n, copy=False, dtype=wp.vec3)
            a[1:].numpy()
            wp.zeros(3, requires_grad=True)

    work()
    start = resident()
    work()
    assert resident() - start < 1 << 20
    assert sys.getrefcount(n) == before


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


def test_import_is_lazy():
    code = "import warp, sys; assert not {'numpy', 'torch', 'inspect'} & set(sys.modules), sys.modules.keys()"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_exports_survive_the_end_of_python():
    code = """
import numpy as np, warp as wp, atexit
a = wp.array(np.ones(3, np.float32), copy=False)
keep = [np.from_dlpack(wp.zeros(4)), np.from_dlpack(a), a.numpy(), np.asarray(a), a]
keep.append(keep)
import builtins; builtins.kept = keep
"""
    for _ in range(3):
        subprocess.run([sys.executable, "-c", code], check=True)


def test_deleters_run_on_another_thread():
    import threading

    calls = []
    buffer = (ctypes.c_float * 4)()
    box = [
        wp.array(
            ptr=ctypes.addressof(buffer), dtype=float, shape=4, deleter=lambda ptr, size: calls.append(ptr)
        ).__dlpack__()
    ]
    thread = threading.Thread(target=box.clear)
    thread.start()
    thread.join()
    assert calls == [ctypes.addressof(buffer)]


def test_devices():
    assert wp.get_device("cpu") is wp.get_device()
    assert str(wp.get_device()) == "cpu"
    assert wp.get_devices() == [wp.get_device("cpu")]
    assert wp.get_device("cpu").is_cpu
    assert not wp.is_cuda_available()
    assert wp.get_preferred_device() == "cpu"
    with wp.ScopedDevice("cpu") as device:
        assert wp.zeros(1, device=device).to("cpu").device is device
    with pytest.raises(ValueError, match="cuda:0"):
        wp.get_device("cuda:0")
    assert isinstance(wp.get_device(), wp.context.Device)
    with wp.ScopedStream(wp.Stream("cpu")) as stream:
        assert wp.get_stream() is stream
        wp.synchronize_stream(stream)
    assert wp.get_stream() is not stream
    wp.synchronize()
    wp.synchronize_device()
    wp.init()
    wp.context.init()


def test_config():
    with pytest.warns(UserWarning, match="no setting 'verbos'"):
        wp.config.verbos = True
    del wp.config.verbos
    for name, wrong in (("verbose", 1), ("mode", "fast"), ("cpu_threads", 0), ("kernel_cache_dir", 3)):
        before = getattr(wp.config, name)
        with pytest.raises(TypeError, match=name):
            setattr(wp.config, name, wrong)
        assert getattr(wp.config, name) == before
    wp.config.verify_autograd_array_access = True
    wp.config.verify_autograd_array_access = False


def test_timer(capsys):
    times = {}
    with wp.ScopedTimer("block", dict=times) as timer:
        pass
    assert timer.elapsed >= 0
    assert times["block"] == [timer.elapsed]
    assert "block took" in capsys.readouterr().out
    with wp.ScopedTimer("quiet", active=False):
        pass
    assert capsys.readouterr().out == ""
    with wp.ScopedTimer("outer"), wp.ScopedTimer("inner"):
        pass
    inner, outer = capsys.readouterr().out.splitlines()
    assert inner.startswith("    inner took")
    assert outer.startswith("outer took")


def test_another_package_in_the_same_folder(tmp_path):
    from warp._base import coexist as _coexist

    _coexist.check(str(tmp_path))
    (tmp_path / "native").mkdir()
    with pytest.raises(ImportError, match="warp-lang"):
        _coexist.check(str(tmp_path))
