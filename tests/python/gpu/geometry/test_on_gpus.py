"""Trees, meshes, hash grids, volumes and textures on a GPU: the tests of the CPU run there and say the same."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
import warp as wp

from geometry import (
    test_bvh,
    test_bvh_rules,
    test_hash_grid,
    test_mesh,
    test_mesh_gradients,
    test_mesh_rules,
    test_texture,
    test_volume,
    test_volume_rules,
)
from geometry import test_volume_grids as test_grids
from geometry.checklist import (
    test_closest,
    test_hash_grids,
    test_meshes,
    test_rays,
    test_textures,
    test_trees,
    test_volume_allocation,
    test_volume_samples,
)
from randomized import test_random_scenes

MODULES = (test_bvh, test_hash_grid, test_mesh, test_mesh_gradients, test_texture, test_volume, test_grids)
MODULES += (test_closest, test_hash_grids, test_meshes, test_rays, test_textures, test_trees)
MODULES += (test_volume_allocation, test_volume_samples)
MODULES += (test_bvh_rules, test_mesh_rules, test_volume_rules, test_random_scenes)
#: Those that ask for an error at once: faults of GPUs are raised when one waits for them (`test_lifetimes.py`).
AT_ONCE = {
    "test_what_is_refused",
    "test_a_wrong_id_is_an_error",
    "test_what_records_a_launch_keeps_its_grid",
    "test_a_mesh_lives_as_long_as_what_uses_it",
    "test_ids_are_checked",
    "test_values_beside_a_mesh_are_errors",
    "test_no_function_takes_another_id",
    "test_whole_numbers_are_read_as_such",
    "test_arrays_that_are_too_short_are_an_error",
}
#: Those that pickle arrays, which come back on the CPU, or show the device.
OF_THE_CPU = {"test_copies_and_pickles", "test_texels_are_copied", "test_what_textures_say_of_themselves"}
OF_THE_CPU |= {"test_a_tree_is_itself", "test_a_mesh_is_itself", "test_grids_that_are_empty_or_not_built"}
#: Those of what the host does for a GPU, too, and that take long.
OF_THE_CPU |= {"test_rebuilt_grids_are_those_of_brute_force"}


@pytest.fixture(autouse=True)
def on_a_gpu() -> Iterator[None]:
    with wp.ScopedDevice("cuda:0"):
        yield


def shared_by(module: ModuleType) -> Iterator[tuple[str, Any]]:
    for name, found in vars(module).items():
        if name.startswith("test_") and inspect.isfunction(found) and name not in AT_ONCE | OF_THE_CPU:
            yield f"{name}_of_{module.__name__.rpartition('.test_')[2]}", found


globals().update(test for module in MODULES for test in shared_by(module))
