"""Names that programs import from NVIDIA Warp's private modules."""

import importlib

import pytest
import warp as wp


def test_types_and_the_modules_of_kernels():
    types = importlib.import_module("warp._src.types")
    assert types.type_size_in_bytes is wp.types.type_size_in_bytes
    assert types.vector is wp.types.vector
    assert repr(types.Vector[wp.float32, 3]).startswith("warp._src.types.Vector[")

    @wp.kernel(module="unique")
    def k(): ...

    context = importlib.import_module("warp._src.context")
    assert context.Kernel is wp.Kernel
    assert context.user_modules[k.module.name] is k.module
    with pytest.raises(ImportError):
        from warp._src.context import no_such_name  # noqa: F401


def test_private_modules_need_no_import_of_their_own():
    assert wp._src.utils.array_scan is wp.utils.array_scan
    assert wp._src.context.launch is wp.launch
    with pytest.raises(AttributeError, match="'warp._src' has no attribute 'no_such_module'"):
        wp._src.no_such_module


def test_cache_folders(monkeypatch):
    user_cache_dir = importlib.import_module("warp._src.thirdparty.appdirs").user_cache_dir
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert user_cache_dir("newton", "author", "2") == "/somewhere/newton/2"
    assert user_cache_dir() == "/somewhere"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert user_cache_dir("newton") == "/home/me/.cache/newton"
