"""``wp.Volume``: what lookups and samples give, beside NumPy, and their derivatives."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import warp as wp

RNG = np.random.default_rng(7)
SHAPE = (11, 9, 20)


@wp.kernel
def sampled(id: wp.uint64, points: wp.array(dtype=wp.vec3), mode: int, out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = wp.volume_sample_f(id, points[i], mode)


@wp.kernel
def with_slopes(
    id: wp.uint64,
    points: wp.array(dtype=wp.vec3),
    mode: int,
    out: wp.array(dtype=float),
    slopes: wp.array(dtype=wp.vec3),
):
    i = wp.tid()
    slope = wp.vec3()
    out[i] = wp.volume_sample_grad_f(id, points[i], mode, slope)
    slopes[i] = slope


@wp.kernel
def looked_up(id: wp.uint64, at: wp.array(dtype=wp.vec3i), out: wp.array(dtype=float), numbers: wp.array(dtype=int)):
    i = wp.tid()
    out[i] = wp.volume_lookup_f(id, at[i][0], at[i][1], at[i][2])
    numbers[i] = wp.volume_lookup_index(id, at[i][0], at[i][1], at[i][2])


def dense(background: float = -2.0) -> tuple[wp.Volume, np.ndarray]:
    """A volume of noise, and the same with a border of background: element (i, j, k) is voxel (i - 8, j - 8, k - 8)."""
    values = RNG.random(SHAPE).astype(np.float32)
    volume = wp.Volume.load_from_numpy(values, bg_value=background)
    around = np.full([n + 24 for n in SHAPE], background, dtype=np.float32)
    around[8 : 8 + SHAPE[0], 8 : 8 + SHAPE[1], 8 : 8 + SHAPE[2]] = values
    return volume, around


def trilinear(around: np.ndarray, points: np.ndarray, origin: int = 8) -> np.ndarray:
    low = np.floor(points).astype(int)
    along = points - low
    total = np.zeros(len(points))
    for corner in np.ndindex(2, 2, 2):
        weight = np.prod(np.where(np.array(corner) == 1, along, 1 - along), axis=1)
        x, y, z = (low + corner + origin).T
        total += weight * around[x, y, z]
    return total


def points_around(count: int = 400) -> np.ndarray:
    return (RNG.random((count, 3)) * (np.array(SHAPE) + 8) - 4).astype(np.float32)


def test_samples_are_interpolated_and_have_slopes() -> None:
    volume, around = dense()
    points = points_around()
    given = wp.array(points, dtype=wp.vec3)
    out, slopes = wp.zeros(len(points), dtype=float), wp.zeros(len(points), dtype=wp.vec3)
    wp.launch(sampled, len(points), inputs=[volume, given, wp.Volume.LINEAR, out])
    np.testing.assert_allclose(out.numpy(), trilinear(around, points.astype(float)), atol=2e-6)
    wp.launch(with_slopes, len(points), inputs=[volume, given, wp.Volume.LINEAR, out, slopes])
    np.testing.assert_allclose(out.numpy(), trilinear(around, points.astype(float)), atol=2e-6)
    inner = np.all(np.abs(points - np.round(points)) > 0.01, axis=1)
    for axis in range(3):
        step = np.zeros(3)
        step[axis] = 1e-3
        by_steps = (trilinear(around, points + step) - trilinear(around, points - step)) / 2e-3
        np.testing.assert_allclose(slopes.numpy()[inner, axis], by_steps[inner], atol=1e-4)
    wp.launch(with_slopes, len(points), inputs=[volume, given, wp.Volume.CLOSEST, out, slopes])
    # Halves go away from zero.
    away = np.trunc(points + np.copysign(np.float32(0.5), points)).astype(int) + 8
    np.testing.assert_array_equal(out.numpy(), around[away[:, 0], away[:, 1], away[:, 2]])
    assert not slopes.numpy().any()
    # A mode that there is not, and points that are nowhere.
    odd = wp.array([[np.nan, 0, 0], [1e30, 0, 0], [-np.inf, 2, 2]], dtype=wp.vec3)
    wp.launch(sampled, 3, inputs=[volume, odd, 7, out])
    assert not out.numpy()[:3].any()
    wp.launch(sampled, 3, inputs=[volume, odd, wp.Volume.CLOSEST, out])
    assert (out.numpy()[:3] == -2).all()
    wp.launch(sampled, 3, inputs=[volume, odd, wp.Volume.LINEAR, out])
    assert np.isnan(out.numpy()[0])


def test_lookups_and_numbers_of_voxels() -> None:
    volume, around = dense()
    at = np.stack(np.meshgrid(*(np.arange(-3, n + 8) for n in SHAPE), indexing="ij"), axis=-1).reshape(-1, 3)
    out, numbers = wp.zeros(len(at), dtype=float), wp.zeros(len(at), dtype=int)
    wp.launch(looked_up, len(at), inputs=[volume, wp.array(at, dtype=wp.vec3i), out, numbers])
    np.testing.assert_array_equal(out.numpy(), around[at[:, 0] + 8, at[:, 1] + 8, at[:, 2] + 8])
    padded = [(n + 7) // 8 * 8 for n in SHAPE]
    inside = ((at >= 0) & (at < padded)).all(axis=1)
    assert (numbers.numpy()[~inside] == -1).all()
    assert sorted(numbers.numpy()[inside]) == list(range(volume.get_voxel_count()))
    assert volume.get_voxel_count() == np.prod(padded) == len(volume.get_voxels())
    order = np.argsort(numbers.numpy()[inside])
    np.testing.assert_array_equal(volume.get_voxels().numpy(), at[inside][order])
    np.testing.assert_array_equal(volume.values.numpy().reshape(-1), out.numpy()[inside][order])


def test_derivatives_reach_places_and_values() -> None:
    volume, around = dense()
    volume.requires_grad = True
    points = points_around(60)
    points = points[np.all(np.abs(points - np.round(points)) > 0.02, axis=1)]
    given = wp.array(points, dtype=wp.vec3, requires_grad=True)
    out = wp.zeros(len(points), dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(sampled, len(points), inputs=[volume, given, wp.Volume.LINEAR, out])
    seed = RNG.random(len(points)).astype(np.float32)
    tape.backward(grads={out: wp.array(seed)})
    for axis in range(3):
        step = np.zeros(3)
        step[axis] = 1e-3
        by_steps = (trilinear(around, points + step) - trilinear(around, points - step)) / 2e-3
        np.testing.assert_allclose(given.grad.numpy()[:, axis], seed * by_steps, atol=1e-4)
    # A sample is linear in the values: the seed times the samples of a volume with one voxel set is its gradient.
    gradient = volume.values.grad.numpy()
    total = np.zeros([n + 24 for n in SHAPE])
    low = np.floor(points).astype(int)
    for corner in np.ndindex(2, 2, 2):
        weight = np.prod(np.where(np.array(corner) == 1, points - low, 1 - (points - low)), axis=1)
        x, y, z = (low + corner + 8).T
        np.add.at(total, (x, y, z), seed * weight)
    tiles = volume.get_tiles().numpy()
    for tile, (x, y, z) in enumerate(tiles):
        np.testing.assert_allclose(gradient[tile], total[x + 8 : x + 16, y + 8 : y + 16, z + 8 : z + 16], atol=1e-5)
    tape.zero()
    assert not volume.values.grad.numpy().any()
    volume.requires_grad = False
    assert volume.values.grad is None
    assert not volume.requires_grad


@wp.kernel
def fitted(
    id: wp.uint64, points: wp.array(dtype=wp.vec3), data: wp.array(dtype=wp.vec3), out: wp.array(dtype=wp.vec3),
    slopes: wp.array(dtype=wp.mat33),
):  # fmt: skip
    i = wp.tid()
    slope = wp.mat33()
    out[i] = wp.volume_sample_grad_index(id, points[i], wp.Volume.LINEAR, data, wp.vec3(1.0, 2.0, 3.0), slope)
    slopes[i] = slope
    out[i] += wp.volume_sample_index(id, points[i], wp.Volume.CLOSEST, data, wp.vec3(1.0, 2.0, 3.0))


def test_arrays_with_an_element_for_each_voxel() -> None:
    at = np.unique(RNG.integers(-12, 12, (300, 3)), axis=0).astype(np.int32)
    volume = wp.Volume.allocate_by_voxels(wp.array(np.concatenate([at, at[::-1]])), voxel_size=0.25)
    assert volume.is_index
    assert volume.dtype is None
    assert volume.get_voxel_count() == len(at)
    voxels = volume.get_voxels().numpy()
    np.testing.assert_array_equal(voxels[np.lexsort(voxels.T[::-1])], at)
    values = RNG.random((len(at), 3)).astype(np.float32)
    around = np.tile(np.array([1, 2, 3], dtype=np.float32), (48, 48, 48, 1))
    around[tuple((voxels + 24).T)] = values
    points = (RNG.random((200, 3)) * 24 - 12).astype(np.float32)
    out, slopes = wp.zeros(200, dtype=wp.vec3), wp.zeros(200, dtype=wp.mat33)
    data = wp.array(values, dtype=wp.vec3)
    wp.launch(fitted, 200, inputs=[volume, wp.array(points, dtype=wp.vec3), data, out, slopes])
    closest = np.trunc(points + np.copysign(np.float32(0.5), points)).astype(int) + 24
    for component in range(3):
        smooth = trilinear(around[..., component], points.astype(float), 24)
        near = around[tuple(closest.T)][:, component]
        np.testing.assert_allclose(out.numpy()[:, component], smooth + near, atol=1e-5)
        for axis in range(3):
            step = np.zeros(3)
            step[axis] = 1e-4
            sides = [trilinear(around[..., component], points + s, 24) for s in (step, -step)]
            inner = np.abs(points - np.round(points))[:, axis] > 1e-3
            found = slopes.numpy()[inner, component, axis]
            np.testing.assert_allclose(found, ((sides[0] - sides[1]) / 2e-4)[inner], atol=1e-3)


@pytest.mark.parametrize(
    ("background", "dtype"),
    [
        (3, wp.int32),
        (wp.int64(-4), wp.int64),
        (wp.uint32(5), wp.uint32),
        (1.5, wp.float32),
        (wp.float64(2.5), wp.float64),
        ((1.0, 2.0, 3.0), wp.vec3),
        (wp.vec3d(1, 2, 3), wp.vec3d),
        ((1.0, 2.0, 3.0, 4.0), wp.vec4),
        (wp.vec4d(1, 2, 3, 4), wp.vec4d),
    ],
)
def test_values_of_every_type(background: Any, dtype: Any) -> None:
    @wp.kernel(module="unique")
    def both(id: wp.uint64, at: wp.array(dtype=wp.vec3i), out: wp.array(dtype=dtype), sums: wp.array(dtype=dtype)):
        i = wp.tid()
        x, y, z = at[i][0], at[i][1], at[i][2]
        old = wp.volume_lookup(id, x, y, z, dtype=dtype)
        if i % 2 == 0:
            wp.volume_store(id, x, y, z, old + old)
        out[i] = wp.volume_lookup(id, x, y, z, dtype)
        sums[i] = wp.volume_sample(id, wp.vec3(float(x), float(y), float(z)), wp.Volume.LINEAR, dtype=dtype)

    at = np.array([[0, 0, 0], [7, 7, 7], [-4000, 2, 9], [5000, 5, 5], [1, 1, 1]], dtype=np.int32)
    volume = wp.Volume.allocate_by_tiles(wp.array(at[:3], dtype=wp.vec3i), 0.5, background, translation=(1, 2, 3))
    assert volume.dtype is dtype
    assert volume.get_active_stats() == (1024, 2, 2, 2)
    out, sums = wp.zeros(5, dtype=dtype), wp.zeros(5, dtype=dtype)
    wp.launch(both, 5, inputs=[volume, wp.array(at, dtype=wp.vec3i), out, sums])
    one = np.asarray(background if not hasattr(background, "value") else background.value, dtype=float)
    # Twice where there is a voxel and the thread is even; nothing is stored elsewhere.
    np.testing.assert_array_equal(out.numpy(), np.multiply.outer([2.0, 1.0, 2.0, 1.0, 2.0], one))
    np.testing.assert_array_equal(sums.numpy(), out.numpy())


def test_functions_with_a_type_in_their_name() -> None:
    """Each stores and looks up what it is named for."""

    @wp.kernel
    def both(f: wp.uint64, v: wp.uint64, i: wp.uint64, out: wp.array[float]):
        wp.volume_store_f(f, 1, 2, 3, 1.5)
        wp.volume_store_v(v, 1, 2, 3, wp.vec3(2.0, 3.0, 4.0))
        wp.volume_store_i(i, 1, 2, 3, 5)
        vector = wp.volume_lookup_v(v, 1, 2, 3)
        out[0] = wp.volume_lookup_f(f, 1, 2, 3)
        out[1] = vector[2]
        out[2] = float(wp.volume_lookup_i(i, 1, 2, 3))

    tile = wp.zeros(1, dtype=wp.vec3i)
    volumes = [wp.Volume.allocate_by_tiles(tile, 1.0, background) for background in (0.0, (0.0, 0.0, 0.0), 0)]
    out = wp.zeros(3, dtype=float)
    wp.launch(both, 1, inputs=[*volumes, out])
    assert out.numpy().tolist() == [1.5, 4.0, 5.0]


def test_places_in_the_world() -> None:
    @wp.kernel
    def moved(
        id: wp.uint64, points: wp.array(dtype=wp.vec3), out: wp.array2d(dtype=wp.vec3), fine: wp.array(dtype=wp.vec3d)
    ):
        i = wp.tid()
        out[0, i] = wp.volume_index_to_world(id, points[i])
        out[1, i] = wp.volume_world_to_index(id, out[0, i])
        out[2, i] = wp.volume_index_to_world_dir(id, points[i])
        out[3, i] = wp.volume_world_to_index_dir(id, out[2, i])
        p = wp.vec3d(wp.float64(points[i][0]), wp.float64(points[i][1]), wp.float64(points[i][2]))
        fine[i] = wp.volume_world_to_index(id, wp.volume_index_to_world(id, p)) - p

    matrix = np.array([[0.5, 0.1, 0.0], [0.0, 0.25, -0.2], [0.3, 0.0, 1.5]])
    place = np.array([3.0, -2.0, 7.0])
    points = RNG.random((50, 3)).astype(np.float32) * 40 - 20
    world = (points @ matrix.T + place).astype(np.float32)
    volume = wp.Volume.allocate_by_tiles(
        wp.array(world, dtype=wp.vec3), transform=matrix, translation=place, bg_value=0.0
    )
    out, fine = wp.zeros((4, 50), dtype=wp.vec3), wp.zeros(50, dtype=wp.vec3d)
    wp.launch(moved, 50, inputs=[volume, wp.array(points, dtype=wp.vec3), out, fine])
    np.testing.assert_allclose(out.numpy()[0], world, atol=1e-5)
    np.testing.assert_allclose(out.numpy()[1], points, atol=1e-4)
    np.testing.assert_allclose(out.numpy()[2], points @ matrix.T, atol=1e-5)
    np.testing.assert_allclose(out.numpy()[3], points, atol=1e-4)
    np.testing.assert_allclose(fine.numpy(), 0, atol=1e-12)
    tiles = {tuple(tile) for tile in volume.get_tiles().numpy()}
    assert tiles == {tuple(tile) for tile in (np.floor(points + 0.5).astype(int) // 8 * 8)}
    info = volume.get_grid_info()
    np.testing.assert_allclose(np.array(info.transform_matrix).reshape(3, 3), matrix, atol=1e-6)
    np.testing.assert_allclose(volume.get_voxel_size(), np.linalg.norm(matrix, axis=0))


def test_copies_and_pickles_have_their_own_values() -> None:
    volume, _ = dense()
    for other in (copy.deepcopy(volume), pickle.loads(pickle.dumps(volume))):
        assert other.id != volume.id
        assert other.get_grid_info()[:5] == volume.get_grid_info()[:5]
        np.testing.assert_array_equal(other.values.numpy(), volume.values.numpy())
        other.values.fill_(0.0)
        assert volume.values.numpy().any()


@wp.kernel
def slopes_of(id: wp.uint64, points: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
    i = wp.tid()
    slope = wp.vec3()
    value = wp.volume_sample_grad_f(id, points[i], wp.Volume.LINEAR, slope)
    out[i] = value + 2.0 * slope[0] + 3.0 * slope[1] - slope[2]


@wp.kernel
def by_number(
    id: wp.uint64,
    points: wp.array(dtype=wp.vec3),
    data: wp.array(dtype=float),
    outside: wp.array(dtype=float),
    out: wp.array(dtype=float),
):
    i = wp.tid()
    out[i] = wp.volume_sample_index(id, points[i], wp.Volume.LINEAR, data, outside[0])


@wp.kernel
def in_the_world(id: wp.uint64, points: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
    i = wp.tid()
    p = wp.volume_index_to_world(id, points[i]) + wp.volume_index_to_world_dir(id, points[i])
    q = wp.volume_world_to_index(id, points[i]) + wp.volume_world_to_index_dir(id, points[i])
    out[i] = p[0] + 2.0 * p[1] + 3.0 * p[2] + q[0] * q[1]


def check_differences(kernel: Any, inputs: list[Any], count: int, step: float = 5e-3) -> None:
    """The gradients of a kernel with respect to each of its arrays, beside differences."""
    arrays = [x for x in inputs if isinstance(x, wp.array)]
    out = wp.zeros(count, dtype=float, requires_grad=True)
    for array in arrays:
        array.requires_grad = True
    with wp.Tape() as tape:
        wp.launch(kernel, count, inputs=inputs, outputs=[out])
    tape.backward(grads={out: wp.ones(count, dtype=float)})
    for array in arrays:
        start, found = array.numpy().copy(), array.grad.numpy()
        right = np.zeros(start.shape)
        for at in np.ndindex(start.shape):
            ends = []
            for by in (step, -step):
                moved = start.copy()
                moved[at] += np.float32(by)
                array.assign(moved)
                wp.launch(kernel, count, inputs=inputs, outputs=[out])
                ends.append(out.numpy().astype(float).sum())
            right[at] = (ends[0] - ends[1]) / (2 * step)
        array.assign(start)
        np.testing.assert_allclose(found, right, atol=2e-3 * max(1.0, np.abs(right).max()))
        assert np.abs(right).max() > 0.01


def inner(count: int) -> Any:
    """Places away from planes of voxels, where slopes have steps."""
    whole = RNG.integers(-1, 8, (count, 3))
    return wp.array((whole + RNG.uniform(0.1, 0.9, (count, 3))).astype(np.float32), dtype=wp.vec3)


def test_slopes_have_derivatives() -> None:
    volume, _ = dense()
    check_differences(slopes_of, [volume, inner(10)], 10)


def test_samples_by_number_have_derivatives_to_places_data_and_background() -> None:
    at = np.unique(RNG.integers(0, 4, (30, 3)), axis=0).astype(np.int32)
    volume = wp.Volume.allocate_by_voxels(wp.array(at), voxel_size=0.25)
    data = wp.array(RNG.random(len(at)).astype(np.float32))
    places = wp.array((RNG.integers(0, 4, (12, 3)) + RNG.uniform(0.1, 0.9, (12, 3))).astype(np.float32), dtype=wp.vec3)
    check_differences(by_number, [volume, places, data, wp.array([2.5], dtype=float)], 12)


def test_maps_to_the_world_have_derivatives() -> None:
    matrix = np.array([[0.5, 0.1, 0.0], [0.0, 0.25, -0.2], [0.3, 0.0, 1.5]])
    tile = wp.zeros(1, dtype=wp.vec3i)
    volume = wp.Volume.allocate_by_tiles(tile, transform=matrix, translation=(1, 2, 3), bg_value=0.0)
    check_differences(in_the_world, [volume, inner(4)], 4, 0.05)
