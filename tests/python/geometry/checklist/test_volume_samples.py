"""``wp.Volume``: what kernels read of values of every type, their slopes, gradients to values, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

RNG = np.random.default_rng(63)
Volume = wp.Volume

#: Types of values that are interpolated: the type of slopes, and a background.
SLOPES = {
    wp.float32: (wp.vec3, 0.0),
    wp.float64: (wp.vec3d, wp.float64(0.0)),
    wp.vec3: (wp.mat33, (0.0, 0.0, 0.0)),
    wp.vec3d: (wp.mat33d, wp.vec3d()),
    wp.vec4: (wp.types.matrix((4, 3), wp.float32), (0.0, 0.0, 0.0, 0.0)),
    wp.vec4d: (wp.types.matrix((4, 3), wp.float64), wp.vec4d()),
}


def weights_of(places: np.ndarray, shape: tuple[int, int, int] = (8, 8, 8)) -> tuple[np.ndarray, np.ndarray]:
    """How much each voxel of a tile counts for each place, and the derivatives of that along the axes."""
    weights, slopes = np.zeros((len(places), *shape)), np.zeros((len(places), 3, *shape))
    low = np.floor(places).astype(int)
    part = places - low
    for corner in np.ndindex(2, 2, 2):
        factors = np.where(corner, part, 1 - part)
        at = (np.arange(len(places)), *(low + corner).T)
        weights[at] += factors.prod(axis=1)
        for axis in range(3):
            along = np.delete(factors, axis, axis=1).prod(axis=1) * (1 if corner[axis] else -1)
            slopes[:, axis][at] += along
    return weights, slopes


def filled(dtype: Any, voxel_size: float = 0.5) -> tuple[Any, np.ndarray]:
    """A volume of one tile, and its values with components as the last dimension."""
    volume = Volume.allocate([0] * 3, [7] * 3, voxel_size, SLOPES[dtype][1])
    values = RNG.normal(size=volume.values.numpy().shape)
    volume.values.assign(values.astype(volume.values.numpy().dtype))
    return volume, volume.values.numpy().astype(float).reshape(8, 8, 8, -1)


def in_a_tile(count: int) -> np.ndarray:
    """Places away from planes of voxels."""
    return (RNG.integers(0, 7, (count, 3)) + RNG.uniform(0.1, 0.9, (count, 3))).astype(np.float32)


@pytest.mark.parametrize("dtype", SLOPES)
def test_values_and_slopes_of_every_type(dtype: Any) -> None:
    """Slopes are those of index space, whatever the size of voxels; on their planes those of the positive side."""
    matrix = SLOPES[dtype][0]

    @wp.kernel(module="unique")
    def ask(id: wp.uint64, at: wp.array[wp.vec3], mode: int, out: wp.array2d[dtype], slopes: wp.array[matrix]):
        i = wp.tid()
        slope = matrix()
        out[0, i] = wp.volume_sample_grad(id, at[i], mode, slope, dtype=dtype)
        slopes[i] = slope
        out[1, i] = wp.volume_sample(id, at[i], mode, dtype=dtype)

    volume, values = filled(dtype)
    on_planes = np.array([[3, 2, 5], [0, 0, 0], [3, 2.5, 5.25], [2.5, 4, 1.75]], np.float32)
    places = np.concatenate([in_a_tile(20), on_planes])
    at, out, slopes = wp.array(places, dtype=wp.vec3), wp.zeros((2, 24), dtype=dtype), wp.zeros(24, dtype=matrix)
    wp.launch(ask, 24, inputs=[volume, at, Volume.LINEAR, out, slopes])
    weights, along = weights_of(places.astype(float))
    for found in out.numpy().reshape(2, 24, -1):
        np.testing.assert_allclose(found, np.tensordot(weights, values, 3), rtol=1e-5, atol=1e-5)
    right = np.moveaxis(np.tensordot(along, values, 3), 1, -1)
    np.testing.assert_allclose(slopes.numpy().reshape(right.shape), right, rtol=1e-5, atol=1e-5)
    wp.launch(ask, 24, inputs=[volume, at, Volume.CLOSEST, out, slopes])
    closest = np.floor(places + 0.5).astype(int)
    for found in out.numpy().reshape(2, 24, -1):
        np.testing.assert_array_equal(found, values[tuple(closest.T)])
    assert not slopes.numpy().any()


@pytest.mark.parametrize("dtype", SLOPES)
def test_gradients_reach_values_and_places(dtype: Any) -> None:
    """Through samples and their slopes; both are linear in the values."""
    matrix = SLOPES[dtype][0]

    @wp.kernel(module="unique")
    def ask(
        id: wp.uint64, at: wp.array[wp.vec3], out: wp.array[dtype], slopes: wp.array[matrix], alone: wp.array[dtype]
    ):
        i = wp.tid()
        slope = matrix()
        out[i] = wp.volume_sample_grad(id, at[i], wp.Volume.LINEAR, slope, dtype=dtype)
        slopes[i] = slope
        alone[i] = wp.volume_sample(id, at[i], wp.Volume.LINEAR, dtype=dtype)

    volume, values = filled(dtype)
    volume.requires_grad = True
    places = in_a_tile(12)
    at = wp.array(places, dtype=wp.vec3, requires_grad=True)
    outputs = [wp.zeros(12, dtype=kind, requires_grad=True) for kind in (dtype, matrix, dtype)]
    with wp.Tape() as tape:
        wp.launch(ask, 12, inputs=[volume, at], outputs=outputs)
    seeds = [RNG.normal(size=array.numpy().shape) for array in outputs]
    tape.backward(grads={a: wp.array(s, dtype=a.dtype) for a, s in zip(outputs, seeds, strict=True)})
    weights, along = weights_of(places.astype(float))
    of_value, of_slope, of_alone = (seed.reshape(12, values.shape[-1], -1) for seed in seeds)
    right = np.tensordot(weights, (of_value + of_alone)[..., 0], (0, 0))
    right += np.einsum("nca,naxyz->xyzc", of_slope, along)
    np.testing.assert_allclose(volume.values.grad.numpy().reshape(right.shape), right, atol=2e-5)

    def total(moved: np.ndarray) -> np.ndarray:
        w, a = weights_of(moved)
        found = np.einsum("nc,nxyz,xyzc->n", (of_value + of_alone)[..., 0], w, values)
        return found + np.einsum("nca,naxyz,xyzc->n", of_slope, a, values)

    for axis, step in enumerate(1e-4 * np.eye(3)):
        by_steps = (total(places + step) - total(places - step)) / 2e-4
        np.testing.assert_allclose(at.grad.numpy()[:, axis], by_steps, atol=2e-4)


def test_lookups_have_gradients_to_values() -> None:
    @wp.kernel
    def ask(id: wp.uint64, out: wp.array[float]):
        i = wp.tid()
        out[i] = 3.0 * wp.volume_lookup_f(id, i, 2, 2 * i) + wp.volume_lookup(id, i + 90, 0, 0, dtype=float)

    volume, _ = filled(wp.float32)
    volume.requires_grad = True
    out = wp.zeros(4, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(ask, 4, inputs=[volume], outputs=[out])
    tape.backward(grads={out: wp.array([1.0, 2.0, 4.0, 8.0])})
    right = np.zeros((1, 8, 8, 8))
    right[0, range(4), 2, range(0, 8, 2)] = [3, 6, 12, 24]
    np.testing.assert_array_equal(volume.values.grad.numpy(), right)


def test_a_mode_that_there_is_not_is_the_closest() -> None:
    @wp.kernel
    def ask(id: wp.uint64, mode: wp.array[int], out: wp.array[float]):
        i = wp.tid()
        out[i] = wp.volume_sample_f(id, wp.vec3(2.25, 3.0, 4.0), mode[i])

    volume, values = filled(wp.float32)
    out = wp.zeros(5, dtype=float)
    wp.launch(ask, 5, inputs=[volume, wp.array([0, 1, 2, -1, 7], dtype=int), out])
    near, next_one = (np.float32(values[x, 3, 4, 0]) for x in (2, 3))
    assert out.numpy()[0] == near
    assert out.numpy()[1] == pytest.approx(0.75 * near + 0.25 * next_one, abs=1e-6)
    assert out.numpy()[2:].tolist() == [0, 0, 0]


def test_what_is_stored_activates_nothing() -> None:
    """Neither beyond the tiles, nor in a tile a voxel that is not active."""

    @wp.kernel
    def store(id: wp.uint64, at: wp.array[wp.vec3i]):
        p = at[wp.tid()]
        wp.volume_store(id, p[0], p[1], p[2], 5.0)

    @wp.kernel
    def read(id: wp.uint64, at: wp.array[wp.vec3i], out: wp.array[float]):
        p = at[wp.tid()]
        out[wp.tid()] = wp.volume_lookup_f(id, p[0], p[1], p[2])

    whole = Volume.allocate([0] * 3, [7] * 3, 1.0, 2.0).array().numpy()
    leaf, mask = len(whole) - 2144, slice(len(whole) - 2144 + 16, len(whole) - 2144 + 80)
    content = whole.copy()
    assert (content[mask] == 255).all()
    content[mask] = 0
    content[mask.start] = 1  # voxel (0, 0, 0) alone
    volume = Volume(wp.array(content))
    assert volume.get_voxels().numpy().tolist() == [[0, 0, 0]]
    at = wp.array([[0, 0, 0], [0, 0, 1], [7, 7, 7], [8, 0, 0], [-1, 0, 0], [5000, 0, 0]], dtype=wp.vec3i)
    out = wp.zeros(6, dtype=float)
    wp.launch(store, 6, inputs=[volume, at])
    wp.launch(read, 6, inputs=[volume, at, out])
    assert out.list() == [5, 5, 5, 2, 2, 2]
    after = volume.array().numpy()
    np.testing.assert_array_equal(after[mask], content[mask])
    np.testing.assert_array_equal(after[:leaf], content[:leaf])
    assert volume.get_tile_count() == 1


def test_numbers_of_voxels_by_kind_of_grid() -> None:
    @wp.kernel
    def count(ids: wp.array[wp.uint64], out: wp.array[int]):
        i = wp.tid()
        out[i] = wp.volume_voxel_count(ids[i])

    points = RNG.integers(-30, 30, (50, 3)).astype(np.int32)
    voxels, tiles = (len(np.unique(points // n, axis=0)) for n in (1, 8))
    volumes = [
        Volume.allocate_by_voxels(points, 1.0),
        Volume.allocate_by_tiles(points, 1.0),
        Volume.allocate_by_tiles(points, 1.0, None),
        Volume.allocate_by_tiles(points, 1.0, wp.vec4d()),
        Volume.allocate_by_voxels(points[:0], 1.0),
    ]
    out = wp.zeros(5, dtype=int)
    wp.launch(count, 5, inputs=[wp.array([v.id for v in volumes], dtype=wp.uint64), out])
    assert out.list() == [voxels, 512 * tiles, 512 * tiles, 512 * tiles, 0]
    assert [v.get_voxel_count() for v in volumes] == out.list()


@pytest.mark.parametrize("dtype", [wp.int32, wp.uint8, wp.int64])
def test_arrays_of_integers_are_not_interpolated(dtype: Any) -> None:
    """Both modes read the closest voxel, as in volumes of integers."""

    @wp.kernel(module="unique")
    def ask(id: wp.uint64, at: wp.array[wp.vec3], mode: int, data: wp.array[dtype], out: wp.array[dtype]):
        i = wp.tid()
        out[i] = wp.volume_sample_index(id, at[i], mode, data, dtype(7))

    some = np.unique(RNG.integers(0, 8, (200, 3)), axis=0).astype(np.int32)
    places = in_a_tile(20)
    volume = Volume.allocate_by_voxels(some, 0.25)
    voxels = volume.get_voxels().numpy()
    around = np.full((8, 8, 8), 7)
    around[tuple(voxels.T)] = np.arange(len(voxels))
    for mode in (Volume.LINEAR, Volume.CLOSEST):
        out = wp.zeros(20, dtype=dtype)
        data = wp.array(np.arange(len(voxels)), dtype=dtype)
        wp.launch(ask, 20, inputs=[volume, wp.array(places, dtype=wp.vec3), mode, data, out])
        np.testing.assert_array_equal(out.numpy(), around[tuple(np.floor(places + 0.5).astype(int).T)])


@pytest.mark.parametrize("dtype", SLOPES)
def test_arrays_of_every_type_by_numbers_of_voxels(dtype: Any) -> None:
    """Also by those of a grid of values."""
    matrix = SLOPES[dtype][0]

    @wp.kernel(module="unique")
    def ask(
        id: wp.uint64, at: wp.array[wp.vec3], mode: int, data: wp.array[dtype], outside: wp.array[dtype],
        out: wp.array2d[dtype], slopes: wp.array[matrix],
    ):  # fmt: skip
        i = wp.tid()
        slope = matrix()
        out[0, i] = wp.volume_sample_grad_index(id, at[i], mode, data, outside[0], slope)
        slopes[i] = slope
        out[1, i] = wp.volume_sample_index(id, at[i], mode, data, outside[0])

    some = np.unique(RNG.integers(0, 8, (200, 3)), axis=0).astype(np.int32)
    places = in_a_tile(20)
    weights, along = weights_of(places.astype(float))
    for volume in (Volume.allocate_by_voxels(some, 0.25), Volume.allocate([0] * 3, [7] * 3, 0.25, 3)):
        voxels = volume.get_voxels().numpy()
        numbers = RNG.normal(size=(len(voxels), wp.zeros(1, dtype=dtype).numpy().size))
        shape = (len(voxels), *wp.zeros(1, dtype=dtype).numpy().shape[1:])
        data = wp.array(numbers.reshape(shape), dtype=dtype)
        outside = wp.full(1, dtype(2.5), dtype=dtype)
        around = np.full((8, 8, 8, numbers.shape[1]), 2.5)
        around[tuple(voxels.T)] = numbers
        out, slopes = wp.zeros((2, 20), dtype=dtype), wp.zeros(20, dtype=matrix)
        for mode in (Volume.LINEAR, Volume.CLOSEST):
            wp.launch(ask, 20, inputs=[volume, wp.array(places, dtype=wp.vec3), mode, data, outside, out, slopes])
            closest = around[tuple(np.floor(places + 0.5).astype(int).T)]
            right = np.tensordot(weights, around, 3) if mode == Volume.LINEAR else closest
            for found in out.numpy().reshape(2, *right.shape):
                np.testing.assert_allclose(found, right, rtol=1e-5, atol=1e-5)
            right = np.moveaxis(np.tensordot(along, around, 3), 1, -1) * (mode == Volume.LINEAR)
            np.testing.assert_allclose(slopes.numpy().reshape(right.shape), right, rtol=1e-5, atol=1e-5)


# What is refused


@wp.kernel
def of_floats(id: wp.uint64, which: int, data: wp.array[float], out: wp.array[float]):
    p = wp.vec3(1.0, 2.0, 3.0)
    slope = wp.vec3()
    if which == 0:
        out[0] = wp.volume_sample_f(id, p, wp.Volume.LINEAR)
    elif which == 1:
        out[0] = wp.volume_sample_grad_f(id, p, wp.Volume.LINEAR, slope)
    elif which == 2:
        out[0] = wp.volume_lookup_f(id, 1, 2, 3)
    elif which == 3:
        wp.volume_store_f(id, 1, 2, 3, 4.0)
    elif which == 4:
        out[0] = wp.volume_sample_index(id, p, wp.Volume.LINEAR, data, 1.0)
    elif which == 5:
        out[0] = wp.volume_sample_grad_index(id, p, wp.Volume.LINEAR, data, 1.0, slope)
    elif which == 6:
        out[0] = float(wp.volume_lookup_index(id, 1, 2, 3))
    elif which == 7:
        out[0] = float(wp.volume_voxel_count(id))
    elif which == 8:
        out[0] = wp.volume_index_to_world(id, p)[0]
    elif which == 9:
        out[0] = wp.volume_world_to_index_dir(id, p)[0]


@pytest.mark.parametrize("which", range(10))
def test_no_function_takes_another_id(which: int) -> None:
    """None, that of a mesh, and that of a volume of other values where values count."""
    mesh = wp.Mesh(wp.zeros(3, dtype=wp.vec3), wp.array([0, 1, 2], dtype=int))
    data, out = wp.zeros(512, dtype=float), wp.zeros(1, dtype=float)
    for wrong, why in ((0, "0 is no id"), (2**63 + 5, "is no id"), (mesh, "is the id of a Mesh")):
        with pytest.raises(ValueError, match=why):
            wp.launch(of_floats, 1, inputs=[wrong, which, data, out])
    for background in (3, wp.float64(1.0), (1.0, 2.0, 3.0), None):
        volume = Volume.allocate([0] * 3, [7] * 3, 1.0, background)
        if which < 4:
            with pytest.raises(ValueError, match=r"is the id of a .*; the query needs a Volume of float32"):
                wp.launch(of_floats, 1, inputs=[volume, which, data, out])
        else:
            wp.launch(of_floats, 1, inputs=[volume, which, data, out])


def test_whole_numbers_are_read_as_such() -> None:
    """Of the type of the grid alone: a float of a grid of int32 is an error, and the reverse."""

    @wp.kernel
    def ask(id: wp.uint64, out: wp.array[int]):
        out[0] = wp.volume_lookup_i(id, 0, 0, 0)
        out[1] = wp.volume_sample_i(id, wp.vec3(0.4, 0.0, 0.0))
        out[2] = wp.volume_sample(id, wp.vec3(0.6, 0.0, 0.0), wp.Volume.CLOSEST, dtype=int)

    numbers = np.arange(8, dtype=np.int32).reshape(2, 2, 2) + 2**24 + 1
    out = wp.zeros(3, dtype=int)
    wp.launch(ask, 1, inputs=[Volume.load_from_numpy(numbers, bg_value=0), out])
    assert out.list() == [2**24 + 1, 2**24 + 1, 2**24 + 5]
    with pytest.raises(ValueError, match="Volume of float32; the query needs a Volume of int32"):
        wp.launch(ask, 1, inputs=[Volume.load_from_numpy(numbers), out])


def test_arrays_that_are_too_short_are_an_error() -> None:
    """An element is missing where it is read; beyond the voxels none is."""

    @wp.kernel
    def ask(id: wp.uint64, at: wp.vec3, data: wp.array[float], out: wp.array[float]):
        out[0] = wp.volume_sample_index(id, at, wp.Volume.LINEAR, data, 9.0)

    volume = Volume.allocate_by_voxels(np.array([[0, 0, 0], [0, 0, 1], [0, 0, 2]], np.int32), 1.0)
    out = wp.zeros(1, dtype=float)
    for at, value in (((0, 0, 0.5), 1), ((50, 0, 0), 9), ((-0.5, 0, 0), 5)):
        wp.launch(ask, 1, inputs=[volume, wp.vec3(*at), wp.ones(2, dtype=float), out])
        assert out.list() == [value]
    with pytest.raises(IndexError, match="index 2 is out of range"):
        wp.launch(ask, 1, inputs=[volume, wp.vec3(0, 0, 2), wp.ones(2, dtype=float), out])


def test_codes_are_not_written() -> None:
    """Values of float16 are read as float32; what is stored is lost, and nothing else changes."""

    @wp.kernel
    def store_and_read(id: wp.uint64, out: wp.array[float]):
        wp.volume_store_f(id, 7, 7, 7, 9.0)
        out[0] = wp.volume_lookup_f(id, 7, 7, 7)
        out[1] = wp.volume_sample_f(id, wp.vec3(7.0, 7.0, 6.5), wp.Volume.LINEAR)

    whole = Volume.allocate([0] * 3, [7] * 3, 1.0, 0.0).array().numpy()
    leaf = len(whole) - 2144
    halves = np.arange(512, dtype=np.float16)
    content = np.concatenate([whole[: leaf + 96], halves.view(np.uint8)])
    content[636], content[32:40] = 9, np.array([len(content)]).view(np.uint8)
    data = wp.array(np.concatenate([content, np.full(4096, 66, np.uint8)]))
    volume, out = Volume(data[: len(content)], copy=False), wp.zeros(2, dtype=float)
    wp.launch(store_and_read, 1, inputs=[volume, out])
    assert out.list() == [511, 510.5]
    np.testing.assert_array_equal(data.numpy()[: len(content)], content)
    assert (data.numpy()[len(content) :] == 66).all()


def test_arguments_by_name() -> None:
    @wp.kernel
    def ask(id: wp.uint64, data: wp.array[float], out: wp.array[float]):
        p = wp.vec3(1.0, 2.0, 3.0)
        g = wp.vec3()
        wp.volume_store(id=id, i=1, j=2, k=3, value=2.0)
        out[0] = wp.volume_sample(id=id, uvw=p, sampling_mode=wp.Volume.LINEAR, dtype=float)
        out[1] = wp.volume_sample_f(id=id, uvw=p, sampling_mode=wp.Volume.CLOSEST)
        out[2] = wp.volume_sample_grad(id=id, uvw=p, sampling_mode=1, grad=g, dtype=float)
        out[3] = wp.volume_sample_grad_f(id=id, uvw=p, sampling_mode=1, grad=g)
        out[4] = wp.volume_lookup(id=id, i=1, j=2, k=3, dtype=float)
        out[5] = wp.volume_sample_index(id=id, uvw=p, sampling_mode=1, voxel_data=data, background=1.0)
        out[6] = wp.volume_sample_grad_index(id=id, uvw=p, sampling_mode=1, voxel_data=data, background=1.0, grad=g)
        out[7] = float(wp.volume_lookup_index(id=id, i=1, j=2, k=3))

    volume, out = Volume.allocate([0] * 3, [7] * 3, 1.0, 5.0), wp.zeros(8, dtype=float)
    data = wp.full(512, 2.0, dtype=float)
    wp.launch(ask, 1, inputs=[volume, data, out])
    assert out.list() == [2.0] * 7 + [1 << 6 | 2 << 3 | 3]
