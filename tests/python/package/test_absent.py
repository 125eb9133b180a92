"""Names of NVIDIA Warp that are refused by name, with what to do instead."""

from __future__ import annotations

import importlib

import pytest
import warp as wp
from warp._base import absent as _absent
from warp.optim import linear

NAMES = [name for names in _absent._TABLES["wp"].values() for name in names.split()]


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_refused_where_it_is_called(name):
    with pytest.raises(NotImplementedError, match=rf"^wp\.{name} is not supported: "):
        getattr(wp, name)(1, key=2)
    assert name not in wp.__all__


def test_names_of_other_modules():
    for module, path in [(wp.utils, "wp.utils"), (linear, "wp.optim.linear")]:
        for names in _absent._TABLES[path].values():
            for name in names.split():
                with pytest.raises(NotImplementedError, match=rf"^{path}\.{name} is not supported: "):
                    getattr(module, name)()


@pytest.mark.parametrize("name", list(_absent._MODULES))
def test_modules(name):
    with pytest.raises(ImportError, match=rf"warp\.{name} is not supported: "):
        importlib.import_module(f"warp.{name}")


def test_annotations():
    def draw(image: wp.GLTextureResource):
        pass

    with pytest.raises(TypeError, match=r"'image'.*wp\.GLTextureResource, which is not supported \(copy the pixels"):
        wp.kernel(draw)

    # A module that names them can be imported; what makes one is refused.
    for annotation in (wp.array(dtype=wp.GLTextureResource, ndim=2), wp.array2d[wp.RegisteredGLBuffer]):
        assert annotation.ndim == 2
    with pytest.raises(TypeError, match=r"dtype is wp\.GLTextureResource, which is not supported \(copy the pixels"):
        wp.array([0], dtype=wp.GLTextureResource)
    with pytest.raises(TypeError, match=r"dtype is wp\.RegisteredGLBuffer, which is not supported"):
        wp.zeros(3, dtype=wp.RegisteredGLBuffer)
    with pytest.raises(TypeError, match=r"wp\.GLTextureResource"):

        @wp.struct
        class Scene:
            image: wp.GLTextureResource


def test_calls_in_kernels():
    @wp.kernel
    def load(x: wp.array(dtype=float)):
        t = wp.tile_load(x, shape=4)
        x[0] = t[0]

    with pytest.raises(wp.WarpCodegenTypeError, match=r"(?s)`wp\.tile_load` is not supported.*hint: launch one thread"):
        wp.launch(load, dim=1, inputs=[wp.zeros(4, dtype=float)])

    @wp.kernel
    def sample(x: wp.array(dtype=float)):
        x[0] = wp.bvh_query_aabb_tiled(wp.uint64(0), wp.vec3(), wp.vec3())

    with pytest.raises(wp.WarpCodegenTypeError, match=r"(?s)is not supported.*hint: query in each thread"):
        wp.launch(sample, dim=1, inputs=[wp.zeros(4, dtype=float)])

    @wp.kernel
    def closest(x: wp.array(dtype=float)):
        mode = wp.TextureResourceFlags.NONE
        x[0] = float(mode)

    with pytest.raises(wp.WarpCodegenError):
        wp.launch(closest, dim=1, inputs=[wp.zeros(4, dtype=float)])


def test_breakpoints_in_kernels():
    """Python's own, which NVIDIA Warp takes, is refused as the builtin is."""

    @wp.kernel
    def plain(x: wp.array(dtype=float)):
        breakpoint()
        x[0] = 1.0

    @wp.kernel
    def builtin(x: wp.array(dtype=float)):
        wp.breakpoint()
        x[0] = 1.0

    for kernel in (plain, builtin):
        with pytest.raises(
            wp.WarpCodegenTypeError, match=r"(?s)breakpoint` is not supported.*hint: print in the kernel"
        ):
            wp.launch(kernel, dim=1, inputs=[wp.zeros(1)])


def test_what_programs_ask_of_names():
    assert not isinstance(3, wp.GLTextureResource)
    with pytest.raises(AttributeError, match=r"wp\.GLTextureResource is not supported: "):
        wp.GLTextureResource.copy_from
    assert repr(wp.GLTextureResource) == "<wp.GLTextureResource, which is not supported>"
    assert repr(wp.tile_store) == "<wp.tile_store, which is not supported>"
    assert wp.GLTextureResource | None is not None
