"""Surfaces of fields, and what programs do with triangles. Source and limits of each algorithm are in its docstring."""

from __future__ import annotations

from warp.geometry._adjacency import delaunay_edge_flip, find_triangle_neighbor_edge_index, tri_tri_adjacency
from warp.geometry._iso_surface import IsoSurfaceBase
from warp.geometry._marching_cubes import IsoSurfaceMarchingCubes
from warp.geometry._nets import IsoSurfaceNets
from warp.geometry._octree import lipschitz_octree
from warp.geometry._sparse import sparse_marching_cubes, sparse_marching_cubes_from_cells
from warp.geometry._swept import (
    SweptVolumeSignMode,
    swept_volume_bounds,
    swept_volume_field,
    swept_volume_mesh,
    swept_volume_sdf,
)

__all__ = [
    "IsoSurfaceBase",
    "IsoSurfaceMarchingCubes",
    "IsoSurfaceNets",
    "SweptVolumeSignMode",
    "delaunay_edge_flip",
    "find_triangle_neighbor_edge_index",
    "lipschitz_octree",
    "sparse_marching_cubes",
    "sparse_marching_cubes_from_cells",
    "swept_volume_bounds",
    "swept_volume_field",
    "swept_volume_mesh",
    "swept_volume_sdf",
    "tri_tri_adjacency",
]
