# What kernels call, with the functions of volume_voxels.py, which stands before it.


def volume_sample(id: wp.uint64, uvw: wp.vec3, sampling_mode: int, dtype: Any) -> Any:
    """The value of a volume at a point.

    `id` is the volume, or its `id`; `uvw` is in index space, where voxel (i, j, k) has its centre at (i, j, k);
    `sampling_mode` is `wp.Volume.CLOSEST` or `wp.Volume.LINEAR`, which interpolates between eight voxels; `dtype` is
    the type of the volume's values. Integers are not interpolated: both modes give the closest. Where the volume has no
    voxel, its value is the background. Has derivatives to `uvw`, and to the values of a volume that requires a
    gradient.
    """
    return sample_of(id, uvw, sampling_mode, dtype())


def volume_sample_f(id: wp.uint64, uvw: wp.vec3, sampling_mode: int) -> float:
    """The value of a volume of float32 at a point: as `volume_sample`."""
    return sample_of(id, uvw, sampling_mode, float(0.0))


def volume_sample_v(id: wp.uint64, uvw: wp.vec3, sampling_mode: int) -> wp.vec3:
    """The value of a volume of vec3 at a point: as `volume_sample`."""
    return sample_of(id, uvw, sampling_mode, wp.vec3())


def volume_sample_i(id: wp.uint64, uvw: wp.vec3) -> int:
    """The value of a volume of int32 at the voxel closest to a point: as `volume_sample`."""
    return sample_of(id, uvw, 0, int(0))


def volume_sample_grad(id: wp.uint64, uvw: wp.vec3, sampling_mode: int, grad: wp.ref[wp.vec3], dtype: Any) -> Any:
    """The value of a volume at a point, and its gradient.

    As `volume_sample`, of a float type. `grad` becomes the gradient along the axes of index space: a vector of three
    numbers, or a matrix with a row for each component of a vector value. Between cells it is that of the cell towards
    greater coordinates; it is zero in the mode `wp.Volume.CLOSEST`.
    """
    result, slope = graded_of(id, uvw, sampling_mode, dtype())
    grad = slope
    return result


def volume_sample_grad(id: wp.uint64, uvw: wp.vec3, sampling_mode: int, grad: wp.ref[wp.vec3d], dtype: Any) -> Any:
    result, slope = graded_of(id, uvw, sampling_mode, dtype())
    grad = slope
    return result


def volume_sample_grad(id: wp.uint64, uvw: wp.vec3, sampling_mode: int, grad: wp.ref[wp.mat33], dtype: Any) -> Any:
    result, slope = graded_of(id, uvw, sampling_mode, dtype())
    grad = slope
    return result


def volume_sample_grad(id: wp.uint64, uvw: wp.vec3, sampling_mode: int, grad: wp.ref[wp.mat33d], dtype: Any) -> Any:
    result, slope = graded_of(id, uvw, sampling_mode, dtype())
    grad = slope
    return result


def volume_sample_grad(
    id: wp.uint64,
    uvw: wp.vec3,
    sampling_mode: int,
    grad: wp.ref[wp.types.matrix(shape=(4, 3), dtype=wp.float32)],
    dtype: Any,
) -> Any:
    result, slope = graded_of(id, uvw, sampling_mode, dtype())
    grad = slope
    return result


def volume_sample_grad(
    id: wp.uint64,
    uvw: wp.vec3,
    sampling_mode: int,
    grad: wp.ref[wp.types.matrix(shape=(4, 3), dtype=wp.float64)],
    dtype: Any,
) -> Any:
    result, slope = graded_of(id, uvw, sampling_mode, dtype())
    grad = slope
    return result


def volume_sample_grad_f(id: wp.uint64, uvw: wp.vec3, sampling_mode: int, grad: wp.ref[wp.vec3]) -> float:
    """The value of a volume of float32 at a point, and its gradient: as `volume_sample_grad`."""
    result, slope = graded_of(id, uvw, sampling_mode, float(0.0))
    grad = slope
    return result


def volume_sample_index(
    id: wp.uint64,
    uvw: wp.vec3,
    sampling_mode: int,
    voxel_data: wp.array[Any],
    background: Any,
) -> Any:
    """The value at a point of an array that has an element for each voxel.

    As `volume_sample`, but the value of a voxel is the element of `voxel_data` that `volume_lookup_index` gives, or
    `background` where there is no voxel. Has derivatives to `uvw`, `voxel_data` and `background`. Integers are not
    interpolated: both modes give the closest.
    """
    return sampled_element(id, uvw, sampling_mode, voxel_data, background)


def volume_sample_grad_index(
    id: wp.uint64,
    uvw: wp.vec3,
    sampling_mode: int,
    voxel_data: wp.array[Any],
    background: Any,
    grad: wp.ref[wp.vec3],
) -> Any:
    """The value at a point of an array that has an element for each voxel, and its gradient.

    As `volume_sample_index` and `volume_sample_grad`.
    """
    result, slope = graded_element(id, uvw, sampling_mode, voxel_data, background)
    grad = slope
    return result


def volume_sample_grad_index(
    id: wp.uint64,
    uvw: wp.vec3,
    sampling_mode: int,
    voxel_data: wp.array[Any],
    background: Any,
    grad: wp.ref[wp.vec3d],
) -> Any:
    result, slope = graded_element(id, uvw, sampling_mode, voxel_data, background)
    grad = slope
    return result


def volume_sample_grad_index(
    id: wp.uint64,
    uvw: wp.vec3,
    sampling_mode: int,
    voxel_data: wp.array[Any],
    background: Any,
    grad: wp.ref[wp.mat33],
) -> Any:
    result, slope = graded_element(id, uvw, sampling_mode, voxel_data, background)
    grad = slope
    return result


def volume_sample_grad_index(
    id: wp.uint64,
    uvw: wp.vec3,
    sampling_mode: int,
    voxel_data: wp.array[Any],
    background: Any,
    grad: wp.ref[wp.mat33d],
) -> Any:
    result, slope = graded_element(id, uvw, sampling_mode, voxel_data, background)
    grad = slope
    return result


def volume_sample_grad_index(
    id: wp.uint64,
    uvw: wp.vec3,
    sampling_mode: int,
    voxel_data: wp.array[Any],
    background: Any,
    grad: wp.ref[wp.types.matrix(shape=(4, 3), dtype=wp.float32)],
) -> Any:
    result, slope = graded_element(id, uvw, sampling_mode, voxel_data, background)
    grad = slope
    return result


def volume_sample_grad_index(
    id: wp.uint64,
    uvw: wp.vec3,
    sampling_mode: int,
    voxel_data: wp.array[Any],
    background: Any,
    grad: wp.ref[wp.types.matrix(shape=(4, 3), dtype=wp.float64)],
) -> Any:
    result, slope = graded_element(id, uvw, sampling_mode, voxel_data, background)
    grad = slope
    return result


def volume_lookup(id: wp.uint64, i: int, j: int, k: int, dtype: Any) -> Any:
    """The value of a voxel of a volume; the background where there is none. `dtype` is the type of its values."""
    return value_at(id, i, j, k, dtype())


def volume_lookup_f(id: wp.uint64, i: int, j: int, k: int) -> float:
    """The value of a voxel of a volume of float32: as `volume_lookup`."""
    return value_at(id, i, j, k, float(0.0))


def volume_lookup_v(id: wp.uint64, i: int, j: int, k: int) -> wp.vec3:
    """The value of a voxel of a volume of vec3: as `volume_lookup`."""
    return value_at(id, i, j, k, wp.vec3())


def volume_lookup_i(id: wp.uint64, i: int, j: int, k: int) -> int:
    """The value of a voxel of a volume of int32: as `volume_lookup`."""
    return value_at(id, i, j, k, int(0))


def volume_lookup_index(id: wp.uint64, i: int, j: int, k: int) -> int:
    """The number of a voxel, for an array that has an element for each; -1 where there is none.

    Grids that were allocated by voxels number these; other volumes number all voxels of each tile.
    """
    return number_of(id, voxel_of(id, i, j, k))


def volume_voxel_count(id: wp.uint64) -> int:
    """How many voxels of a volume have numbers."""
    return wp.read(id, 22, int)


def store_at(volume: wp.uint64, i: int, j: int, k: int, value: Any):
    """Writes the value of a voxel."""
    voxel = voxel_of(volume, i, j, k)
    if voxel.leaf != wp.uint64(0) and not is_coded(volume):
        values = values_of(volume, voxel.leaf, type(value))
        values[voxel.place] = value


def volume_store(id: wp.uint64, i: int, j: int, k: int, value: Any):
    """Writes the value of a voxel.

    `value` has the type of the volume's values. Nothing is written where the volume has no tile, or where it holds
    codes instead of values. Threads that write one voxel, or one that others read, race.
    """
    store_at(id, i, j, k, value)


def volume_store_f(id: wp.uint64, i: int, j: int, k: int, value: float):
    """Writes the value of a voxel of a volume of float32: as `volume_store`."""
    store_at(id, i, j, k, value)


def volume_store_v(id: wp.uint64, i: int, j: int, k: int, value: wp.vec3):
    """Writes the value of a voxel of a volume of vec3: as `volume_store`."""
    store_at(id, i, j, k, value)


def volume_store_i(id: wp.uint64, i: int, j: int, k: int, value: int):
    """Writes the value of a voxel of a volume of int32: as `volume_store`."""
    store_at(id, i, j, k, value)


def volume_index_to_world(id: wp.uint64, uvw: wp.vec3) -> wp.vec3:
    """The place in the world of a point in the index space of a volume."""
    return turned(id, 12, uvw) + first_of(id, uvw)


def volume_index_to_world(id: wp.uint64, uvw: wp.vec3d) -> wp.vec3d:
    return turned(id, 12, uvw) + first_of(id, uvw)


def volume_world_to_index(id: wp.uint64, xyz: wp.vec3) -> wp.vec3:
    """The point in the index space of a volume of a place in the world."""
    return turned(id, 21, xyz - first_of(id, xyz))


def volume_world_to_index(id: wp.uint64, xyz: wp.vec3d) -> wp.vec3d:
    return turned(id, 21, xyz - first_of(id, xyz))


def volume_index_to_world_dir(id: wp.uint64, uvw: wp.vec3) -> wp.vec3:
    """The direction in the world of one in the index space of a volume, not normalised."""
    return turned(id, 12, uvw)


def volume_index_to_world_dir(id: wp.uint64, uvw: wp.vec3d) -> wp.vec3d:
    return turned(id, 12, uvw)


def volume_world_to_index_dir(id: wp.uint64, xyz: wp.vec3) -> wp.vec3:
    """The direction in the index space of a volume of one in the world, not normalised."""
    return turned(id, 21, xyz)


def volume_world_to_index_dir(id: wp.uint64, xyz: wp.vec3d) -> wp.vec3d:
    return turned(id, 21, xyz)
