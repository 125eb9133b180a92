"""``wp.Volume`` and textures as objects: ids in arrays and structs, how long they live, graphs, copies and pickles."""

from __future__ import annotations

import copy
import gc
import pickle
from typing import Any

import numpy as np
import pytest
import warp as wp

Volume = wp.Volume


@wp.struct
class Field:
    volume: wp.uint64
    scale: float


@wp.kernel
def of_a_field(field: Field, out: wp.array[float]):
    out[0] = field.scale * wp.volume_lookup_f(field.volume, 0, 0, 0)


@wp.kernel
def of_one(id: wp.uint64, at: wp.array[wp.vec3], out: wp.array[float]):
    i = wp.tid()
    out[i] = wp.volume_sample_f(id, at[i], wp.Volume.LINEAR)


@wp.kernel
def of_each(ids: wp.array[wp.uint64], out: wp.array[float]):
    i = wp.tid()
    out[i] = wp.volume_lookup_f(ids[i], 0, 0, 0)


@wp.kernel
def of_a_texture(t: wp.Texture1D, at: wp.array[float], out: wp.array[float]):
    i = wp.tid()
    out[i] = wp.texture_sample(t, at[i], dtype=float)


#: Those that are annotations of functions, too, and those that are refused where they are called.
PUBLIC = {
    "Bvh", "Mesh", "HashGrid", "Volume", "Texture", "Texture1D", "Texture2D", "Texture3D", "TextureFilterMode",
    "TextureAddressMode", "MarchingCubes", "BvhQuery", "MeshQuery", "MeshQueryAABB", "HashGridQuery",
    "MeshQueryPoint", "MeshQueryRay",
}  # fmt: skip
REFUSED = {"TextureResourceFlags", "GLTextureResource", "BvhQueryTiled", "MeshQueryAABBTiled"}


def test_names() -> None:
    assert set(wp.__all__) >= PUBLIC
    for name in REFUSED:
        with pytest.raises(NotImplementedError, match=f"{name} is not supported"):
            getattr(wp, name)()


@pytest.mark.parametrize("name", ["volume_lookup_f", "volume_sample", "texture_sample", "mesh_query_point"])
def test_what_only_kernels_can_call(name: str) -> None:
    with pytest.raises(TypeError, match=f"{name}: only kernels and functions with @wp.func can call it"):
        getattr(wp, name)(0, wp.vec3(), 1)


def full(value: float, count: int = 1) -> Any:
    return Volume.load_from_numpy(np.full((count, 1, 1), value, np.float32))


def test_ids_in_arrays_and_structs() -> None:
    volumes = [full(float(k + 1)) for k in range(5)]
    assert all(isinstance(volume.id, int) for volume in volumes)
    assert len({volume.id for volume in volumes}) == 5
    out = wp.zeros(5, dtype=float)
    wp.launch(of_each, 5, inputs=[wp.array([v.id for v in volumes], dtype=wp.uint64), out])
    assert out.list() == [1, 2, 3, 4, 5]
    field = Field()
    field.scale = 10.0
    for given in (volumes[2], volumes[2].id):
        field.volume = given
        wp.launch(of_a_field, 1, inputs=[field, out])
        assert out.list()[0] == 30.0
    at = wp.zeros(1, dtype=wp.vec3)
    for given in (volumes[3], volumes[3].id, wp.uint64(volumes[3].id)):
        wp.launch(of_one, 1, inputs=[given, at, out])
        assert out.list()[0] == 4.0


def test_the_id_of_what_is_gone_is_an_error() -> None:
    out, at = wp.zeros(1, dtype=float), wp.zeros(1, dtype=wp.vec3)
    gone = full(1.0).id
    gc.collect()
    with pytest.raises(ValueError, match=f"Volume of float32 with the id {gone} has been deleted"):
        wp.launch(of_one, 1, inputs=[gone, at, out])
    with pytest.raises(ValueError, match=f"Volume of float32 with the id {gone} has been deleted"):
        wp.launch(of_each, 1, inputs=[wp.array([gone], dtype=wp.uint64), out])


@pytest.mark.parametrize("by_id", [False, True])
def test_what_records_a_launch_keeps_its_volume(by_id: bool) -> None:
    out, at = wp.zeros(2, dtype=float, requires_grad=True), wp.array([[0, 0, 0], [0.5, 0, 0]], dtype=wp.vec3)
    at.requires_grad = True
    volume = full(8.0)
    given = volume.id if by_id else volume
    command = wp.launch(of_one, 2, inputs=[given, at, out], record_cmd=True)
    with wp.Tape() as tape:
        wp.launch(of_one, 2, inputs=[given, at], outputs=[out])
    with wp.ScopedCapture(device="cpu") as capture:
        wp.launch(of_one, 2, inputs=[given, at, out])
    del volume, given
    gc.collect()
    for run in (command.launch, lambda: wp.capture_launch(capture.graph)):
        out.zero_()
        run()
        assert out.list() == [8, 4]
    tape.backward(grads={out: wp.ones(2, dtype=float)})
    assert at.grad.numpy().tolist() == [[-8, -8, -8], [-8, -4, -4]]


@pytest.mark.parametrize("make", [Volume.allocate_by_tiles, Volume.allocate_by_voxels])
def test_copies_have_values_of_their_own(make: Any) -> None:
    """Grids of values and of numbers, also those that can be rebuilt."""
    points = np.array([[0, 0, 0], [9, 9, 9], [-40, 2, 500]], np.int32)
    for named in ({}, {"rebuildable": True}):
        volume = make(points, 0.5, translation=(1.0, 2.0, 3.0), **named)
        for other in (copy.copy(volume), copy.deepcopy(volume), pickle.loads(pickle.dumps(volume))):
            assert other != volume
            assert other.id != volume.id
            assert other.array().ptr != volume.array().ptr
            assert repr(other) == repr(volume)
            assert repr(other.get_grid_info()) == repr(volume.get_grid_info())
            np.testing.assert_array_equal(other.get_voxels().numpy(), volume.get_voxels().numpy())
            assert other.is_rebuildable == volume.is_rebuildable == bool(named)
            if named:
                assert other.get_rebuild_info() == volume.get_rebuild_info()
                other.rebuild(points[:1])
                assert (other.get_tile_count(), volume.get_tile_count()) == (1, 3)


def test_what_a_capture_makes_is_made_once() -> None:
    """What is built anew is built with each run of the graph; what is built of points cannot be made there."""
    points = wp.array([[0, 0, 0]], dtype=wp.vec3i)
    grown = Volume.allocate_by_tiles(points, 1.0, 5.0, rebuildable=True, max_tiles=2)
    grown.values.fill_(1.0)
    out = wp.zeros(2, dtype=float)
    at = wp.zeros(1, dtype=wp.vec3)
    with wp.ScopedCapture(device="cpu") as capture:
        made = Volume.allocate([0] * 3, [7] * 3, 1.0, 7.0)
        grown.rebuild(points)
        wp.launch(of_one, 1, inputs=[made, at, out[:1]])
        wp.launch(of_one, 1, inputs=[grown, at, out[1:]])
    ids = made.id, grown.id
    for value in (7.0, 3.0):
        made.values.fill_(value)
        grown.values.fill_(9.0)
        out.zero_()
        wp.capture_launch(capture.graph)
        assert out.list() == [value, 5.0]
    assert (made.id, grown.id) == ids
    for call in (Volume.allocate_by_tiles, Volume.allocate_by_voxels):
        with pytest.raises(RuntimeError, match="in a capture; allocate it before"), wp.ScopedCapture(device="cpu"):
            call(points, 1.0)
    for call, given in ((Volume, made.array()), (Volume.load_from_numpy, np.ones((2, 2, 2), np.float32))):
        with pytest.raises(RuntimeError, match="in a capture; make it before"), wp.ScopedCapture(device="cpu"):
            call(given)


# Textures


def test_what_records_a_launch_keeps_its_texture() -> None:
    out, at = wp.zeros(1, dtype=float, requires_grad=True), wp.array([0.5], dtype=float, requires_grad=True)
    texture = wp.Texture1D(np.array([1, 3], np.float32))
    command = wp.launch(of_a_texture, 1, inputs=[texture, at, out], record_cmd=True)
    with wp.Tape() as tape:
        wp.launch(of_a_texture, 1, inputs=[texture, at], outputs=[out])
    array = wp.array([texture], dtype=wp.Texture1D)
    del texture
    gc.collect()
    out.zero_()
    command.launch()
    assert out.list() == [2.0]
    tape.backward(grads={out: wp.ones(1, dtype=float)})
    assert at.grad.list() == [4.0]
    assert array.shape == (1,)


def test_textures_that_are_temporary() -> None:
    """An argument lives as long as its launch."""

    @wp.kernel
    def ask(all: wp.array[wp.Texture1D], out: wp.array[float]):
        i = wp.tid()
        out[i] = wp.texture_sample(all[i], 0.5, dtype=float)

    out, at = wp.zeros(20, dtype=float), wp.array([0.5], dtype=float)
    wp.launch(of_a_texture, 1, inputs=[wp.Texture1D(np.full(3, 6.0, np.float32)), at, out])
    assert out.list()[0] == 6.0
    textures = [wp.Texture1D(np.full(3, k, np.float32)) for k in range(20)]
    all = wp.array(textures, dtype=wp.Texture1D)
    wp.launch(ask, 20, inputs=[all, out])
    assert out.list() == list(range(20))


def test_textures_are_copied_with_their_options() -> None:
    mode = wp.TextureAddressMode
    texture = wp.Texture2D(
        np.arange(32, dtype=np.float32).reshape(4, 8), filter_mode=0, address_mode=(mode.WRAP, mode.BORDER),
        num_mip_levels=3, mip_filter_mode=1,
    )  # fmt: skip
    for other in (copy.deepcopy(texture), pickle.loads(pickle.dumps(texture))):
        assert other != texture
        assert other.id != texture.id
        for name in (
            "width", "height", "num_channels", "dtype", "filter_mode", "mip_filter_mode", "num_mip_levels",
            "is_mipmapped", "address_mode_u", "address_mode_v", "normalized_coords", "device",
        ):  # fmt: skip
            assert getattr(other, name) == getattr(texture, name), name
        found = np.zeros((4, 8), np.float32)
        other.copy_to(found)
        assert found.reshape(-1).tolist() == list(range(32))
