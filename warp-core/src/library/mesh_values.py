# The arrays of a mesh, and what they say of a point of a face.


class Mesh:
    """The arrays of a mesh, as `mesh_get` gives them."""

    points: wp.array(dtype=wp.vec3)
    velocities: wp.array(dtype=wp.vec3)
    indices: wp.array(dtype=int)


def arrays_of(mesh: wp.uint64):
    """The arrays of a mesh."""
    arrays = Mesh()
    arrays.points = wp.array(
        ptr=wp.read(mesh, 2, wp.uint64),
        grad=wp.read(mesh, 3, wp.uint64),
        shape=int(wp.read(mesh, 4, wp.int64)),
        dtype=wp.vec3,
    )
    arrays.velocities = wp.array(
        ptr=wp.read(mesh, 5, wp.uint64),
        grad=wp.read(mesh, 6, wp.uint64),
        shape=int(wp.read(mesh, 7, wp.int64)),
        dtype=wp.vec3,
    )
    arrays.indices = wp.array(ptr=wp.read(mesh, 8, wp.uint64), shape=int(wp.read(mesh, 9, wp.int64)), dtype=int)
    return arrays


def mesh_get(id: wp.uint64) -> Mesh:
    """The arrays of a mesh, `points`, `velocities` and `indices`, three for each face. `id`: the mesh, or its `id`."""
    return arrays_of(id)


def mesh_get_bvh(id: wp.uint64) -> wp.uint64:
    """The id of the tree over the faces of a mesh, for `bvh_query_aabb` and the others."""
    return wp.read(id, 1, wp.uint64)


def mesh_get_group_root(id: wp.uint64, group: int) -> int:
    """The node whose subtree holds the faces of a group; -1 if there is no such group. As `bvh_get_group_root`."""
    return wp.bvh_get_group_root(wp.read(id, 1, wp.uint64), group)


def mesh_get_index(id: wp.uint64, index: int) -> int:
    """The number of the point at a corner: `3 * face + k` for corner `k` of a face."""
    arrays = arrays_of(id)
    return arrays.indices[index]


def mesh_get_point(id: wp.uint64, index: int) -> wp.vec3:
    """The point at a corner: `3 * face + k` for corner `k` of a face. Gradients reach the points of the mesh."""
    arrays = arrays_of(id)
    return arrays.points[arrays.indices[index]]


def mesh_get_velocity(id: wp.uint64, index: int) -> wp.vec3:
    """The velocity of the point at a corner, zero if the mesh has none: `3 * face + k` for corner `k` of a face."""
    arrays = arrays_of(id)
    velocity = wp.vec3()
    if wp.read(id, 7, wp.int64) > wp.int64(0):
        velocity = arrays.velocities[arrays.indices[index]]
    return velocity


def mesh_eval_position(id: wp.uint64, face: int, bary_u: float, bary_v: float) -> wp.vec3:
    """The point `u * p0 + v * p1 + (1 - u - v) * p2` of a face. Gradients reach `u`, `v` and the points of the mesh."""
    triangle = triangle_of(id, face)
    return bary_u * triangle.a + bary_v * triangle.b + (1.0 - bary_u - bary_v) * triangle.c


def mesh_eval_velocity(id: wp.uint64, face: int, bary_u: float, bary_v: float) -> wp.vec3:
    """The velocity `u * v0 + v * v1 + (1 - u - v) * v2` of a point of a face; zero if the mesh has no velocities.

    Gradients reach `u`, `v` and the velocities of the mesh.
    """
    arrays = arrays_of(id)
    velocity = wp.vec3()
    if wp.read(id, 7, wp.int64) > wp.int64(0):
        a = arrays.velocities[arrays.indices[3 * face]]
        b = arrays.velocities[arrays.indices[3 * face + 1]]
        c = arrays.velocities[arrays.indices[3 * face + 2]]
        velocity = bary_u * a + bary_v * b + (1.0 - bary_u - bary_v) * c
    return velocity


def mesh_eval_face_normal(id: wp.uint64, face: int) -> wp.vec3:
    """The normal of a face, of length 1: that of `(p1 - p0) x (p2 - p0)`. Gradients reach the points of the mesh."""
    triangle = triangle_of(id, face)
    return wp.normalize(wp.cross(triangle.b - triangle.a, triangle.c - triangle.a))
