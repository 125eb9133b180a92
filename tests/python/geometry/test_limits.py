"""What is too large for an object is refused by its number, before any of its memory is read."""

from __future__ import annotations

from typing import Any

import pytest
import warp as wp

#: What the arrays below say that they have much more of.
MEMORY = wp.zeros(1, dtype=wp.vec3, device="cpu")
ROOM = 2**27


def claimed(dtype: Any, *shape: int, **more: Any) -> Any:
    """An array that says it has more elements than there are."""
    return wp.array(ptr=MEMORY.ptr, dtype=dtype, shape=shape, device="cpu", **more)


def test_boxes_and_faces() -> None:
    many = claimed(wp.vec3, ROOM + 1)
    with pytest.raises(ValueError, match=f"Bvh: {ROOM + 1} boxes are too many for a tree, at most {ROOM}"):
        wp.Bvh(many, many)
    faces = 715_827_882
    with pytest.raises(ValueError, match=f"Mesh: {faces} faces are too many for a mesh, at most {ROOM}"):
        wp.Mesh(MEMORY, claimed(int, 3 * faces))
    with pytest.raises(ValueError, match="Mesh: points has 2147483648 elements, a mesh has 2147483647 points at most"):
        wp.Mesh(claimed(wp.vec3, 2**16, 2**15), wp.zeros(0, dtype=int, device="cpu"))


def test_points_and_cells_of_hash_grids() -> None:
    grid = wp.HashGrid(2, 2, 2, device="cpu")
    with pytest.raises(ValueError, match=r"HashGrid\.build: 2147483648 points are too many for a hash grid"):
        grid.build(claimed(wp.vec3, 2**16, 2**15, strides=(0, 0)), 1.0)
    with pytest.raises(
        ValueError, match="2048 x 1024 x 1024 cells are too many, a hash grid has fewer than 2147483647"
    ):
        wp.HashGrid(2048, 1024, 1024, device="cpu")


def test_voxels_of_volumes() -> None:
    with pytest.raises(MemoryError, match="no memory for an array of 25769803776 bytes"):
        wp.Volume.allocate_by_voxels(claimed(wp.vec3i, 2**16, 2**15, strides=(0, 0)), 1.0, device="cpu")
    with pytest.raises(MemoryError, match="allocate_by_tiles"):
        wp.Volume.allocate([0] * 3, [10**8] * 3, 1.0, device="cpu")
