"""Right arguments of what makes and uses meshes, trees, grids, volumes, textures, surfaces; a kernel that asks them."""

import warp as wp

POINTS = "wp.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=wp.vec3)"
INDICES = "wp.array([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3], dtype=int)"
MESH = f"wp.Mesh({POINTS}, {INDICES})"
TREE = "wp.Bvh(wp.zeros(4, dtype=wp.vec3), wp.ones(4, dtype=wp.vec3))"
VOXELS = "wp.array([[0, 0, 0], [1, 9, 2]], dtype=wp.vec3i)"
VOLUME = "wp.Volume.load_from_numpy(np.ones((2, 3, 4), np.float32))"
REBUILDABLE = f"wp.Volume.allocate_by_tiles({VOXELS}, 1.0, rebuildable=True, max_tiles=4)"
FIELD = "wp.array(np.arange(27.0, dtype=np.float32).reshape(3, 3, 3) - 9)"


@wp.kernel
def asks(
    mesh: wp.uint64, tree: wp.uint64, grid: wp.uint64, volume: wp.uint64, t: wp.Texture2D, out: wp.array(dtype=float)
):
    i = wp.tid()
    p = wp.vec3(float(i), 0.25, 0.5)
    found = wp.mesh_query_point(mesh, p, 10.0)
    out[i] = wp.length(wp.mesh_eval_position(mesh, found.face, found.u, found.v) - p)
    for j in wp.bvh_query_aabb(tree, p, p + wp.vec3(1.0)):
        out[i] += float(j)
    for j in wp.hash_grid_query(grid, p, 1.0):
        out[i] += float(j)
    out[i] += wp.volume_sample_f(volume, p, wp.Volume.LINEAR) + wp.texture_sample(t, 0.5, 0.5, dtype=float)


IMAGE = "wp.Texture2D(np.ones((4, 4), np.float32))"
ASKED = f"{MESH}, {TREE}, wp.HashGrid(2, 2, 2), {VOLUME}, {IMAGE}"

TOGETHER: dict[str, list[dict[str, str]]] = {
    "wp.launch": [{"kernel": "asks", "dim": "2", "inputs": f"[{ASKED}, wp.zeros(2)]"}],
    "wp.Mesh": [
        {"points": POINTS, "indices": INDICES},
        {"points": POINTS, "indices": INDICES, "velocities": POINTS, "support_winding_number": "True"},
        {"points": POINTS, "indices": INDICES, "bvh_constructor": "'sah'", "groups": "wp.zeros(4, dtype=int)"},
    ],
    "wp.Bvh": [
        {"lowers": "wp.zeros(4, dtype=wp.vec3)", "uppers": "wp.ones(4, dtype=wp.vec3)", "leaf_size": "2"},
        {"lowers": POINTS, "uppers": POINTS, "constructor": "'lbvh'", "groups": "wp.zeros(4, dtype=int)"},
    ],
    "wp.Bvh.rebuild": [{"constructor": "'median'"}],
    "wp.HashGrid": [{"dim_x": "4", "dim_y": "4", "dim_z": "4", "dtype": "wp.float32"}],
    "wp.HashGrid.build": [{"points": POINTS, "radius": "0.5"}, {"points": POINTS, "radius": "1"}],
    "wp.HashGrid.reserve": [{"num_points": "8", "with_groups": "True"}],
    "wp.Volume": [{"data": f"{VOLUME}.array()"}],
    "wp.Volume.allocate": [{"min": "[0, 0, 0]", "max": "[7, 7, 7]", "voxel_size": "0.5", "bg_value": "1.0"}],
    "wp.Volume.allocate_by_tiles": [
        {"tile_points": VOXELS, "voxel_size": "0.5", "bg_value": "(1.0, 2.0, 3.0)"},
        {"tile_points": POINTS, "transform": "np.eye(3)", "bg_value": "None"},
        {"tile_points": VOXELS, "voxel_size": "1.0", "rebuildable": "True", "max_tiles": "4"},
    ],
    "wp.Volume.allocate_by_voxels": [
        {"voxel_points": VOXELS, "voxel_size": "0.5"},
        {"voxel_points": VOXELS, "voxel_size": "1.0", "rebuildable": "True", "max_active_voxels": "4"},
    ],
    "wp.Volume.load_from_numpy": [{"ndarray": "np.ones((2, 3, 4))", "bg_value": "1.0", "voxel_size": "0.5"}],
    "wp.Volume.load_from_nvdb": [{"file_or_buffer": "b'NanoVDB0'"}],
    "wp.Volume.save_to_nvdb": [{"path": "'out.nvdb'", "codec": "'zip'"}],
    "wp.Volume.rebuild": [{"points": VOXELS, "status": "wp.zeros(1, dtype=wp.uint32)"}],
    "wp.Volume.get_tiles": [{"out": "wp.zeros((1, 3), dtype=int)"}],
    "wp.Volume.feature_array": [{"feature_index": "0"}],
    "wp.Texture1D": [{"data": "np.ones(4, np.float32)"}, {"width": "4", "num_channels": "1", "dtype": "wp.uint8"}],
    "wp.Texture2D": [
        {"data": "np.ones((4, 4, 2), np.uint8)", "filter_mode": "1", "address_mode": "(0, 1)"},
        {"data": "wp.ones((4, 4))", "num_mip_levels": "2"},
    ],
    "wp.Texture3D": [{"data": "np.ones((2, 3, 4), np.float32)", "normalized_coords": "False"}],
    "wp.Texture2D.copy_from": [{"src": "np.zeros((4, 4), np.float32)"}],
    "wp.Texture2D.copy_to": [{"dst": "np.zeros((4, 4), np.float32)"}],
    "wp.geometry.IsoSurfaceMarchingCubes": [{"nx": "3", "ny": "3", "nz": "3"}],
    "wp.geometry.IsoSurfaceNets": [{"nx": "3", "ny": "3", "nz": "3", "topology": "'quad'"}],
    "wp.IsoSurfaceMarchingCubes.surface": [{"field": FIELD, "threshold": "0.5"}],
    "wp.IsoSurfaceNets.surface": [{"field": FIELD, "threshold": "0.5"}],
    "wp.geometry.tri_tri_adjacency": [{"indices": f"{INDICES}.reshape((4, 3))", "vertex_count": "4"}],
    "wp.geometry.delaunay_edge_flip": [{"positions": POINTS, "indices": f"{INDICES}.reshape((4, 3))"}],
    "wp.geometry.swept_volume_bounds": [
        {"meshes": f"[{MESH}]", "transforms": "wp.array([[0, 0, 0, 0, 0, 0, 1]], dtype=wp.transform)"}
    ],
}

RECEIVERS: dict[str, list[str]] = {
    "Mesh": [MESH],
    "Bvh": [TREE],
    "HashGrid": ["wp.HashGrid(2, 2, 2)", "wp.HashGrid(2, 2, 2, dtype=wp.float64)"],
    "Volume": [VOLUME, REBUILDABLE, f"wp.Volume.allocate_by_voxels({VOXELS}, 0.5)"],
    "Texture1D": ["wp.Texture1D(np.ones(4, np.float32))"],
    "Texture2D": [IMAGE, "wp.Texture2D(width=4, height=4, num_channels=1, dtype=wp.uint8)"],
    "Texture3D": ["wp.Texture3D(np.ones((2, 3, 4), np.float32))"],
    "IsoSurfaceMarchingCubes": ["wp.geometry.IsoSurfaceMarchingCubes(3, 3, 3)"],
    "IsoSurfaceNets": ["wp.geometry.IsoSurfaceNets(3, 3, 3)"],
}
