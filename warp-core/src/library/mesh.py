# Queries of meshes. The layout of a mesh in memory: `geometry/mesh/layout.rs`. Searches give faces; all else is
# computed of the arrays of the mesh, so that it has derivatives.


class MeshQueryPoint:
    """What a query for the closest point of a mesh found.

    `result` says whether there is one; `sign` is -1 inside and 1 outside, or 0 where the query does not tell; `face` is
    the number of the face, and the point is `u * p0 + v * p1 + (1 - u - v) * p2` of its corners. All are 0 if there is
    none.
    """

    result: bool
    sign: float
    face: int
    u: float
    v: float


class MeshQueryRay:
    """What a query for the first face along a ray found.

    `result` says whether there is one; `sign` is 1 where the ray meets the front of the face, which its normal comes
    out of, else -1; `face` is its number; `t` is the distance in lengths of the direction; the point is `u * p0 + v *
    p1 + (1 - u - v) * p2` of the corners; `normal` has length 1. All are 0 if there is none.
    """

    result: bool
    sign: float
    face: int
    t: float
    u: float
    v: float
    normal: wp.vec3


class MeshQuery:
    """A query of a mesh: which faces are still to come. `mesh` is 0 where the boxes of faces decide."""

    query: wp.BvhQuery
    mesh: wp.uint64
    radius: float


class Triangle:
    """The corners of a face."""

    a: wp.vec3
    b: wp.vec3
    c: wp.vec3


def triangle_of(mesh: wp.uint64, face: int):
    """A face of a mesh."""
    points = wp.array(
        ptr=wp.read(mesh, 2, wp.uint64),
        grad=wp.read(mesh, 3, wp.uint64),
        shape=int(wp.read(mesh, 4, wp.int64)),
        dtype=wp.vec3,
    )
    indices = wp.array(ptr=wp.read(mesh, 8, wp.uint64), shape=int(wp.read(mesh, 9, wp.int64)), dtype=int)
    triangle = Triangle()
    triangle.a = points[indices[3 * face]]
    triangle.b = points[indices[3 * face + 1]]
    triangle.c = points[indices[3 * face + 2]]
    return triangle


def share(part: float, whole: float):
    """How much of something positive a part of it is; 0 of nothing."""
    return wp.where(whole > 0.0, part / wp.where(whole > 0.0, whole, 1.0), 0.0)


def along_edge(from_start: wp.vec3, edge: wp.vec3):
    """How far along an edge the point is that is closest, from 0 to 1."""
    return wp.clamp(share(wp.dot(edge, from_start), wp.dot(edge, edge)), 0.0, 1.0)


def nearest_of_edges(triangle: Triangle, p: wp.vec3):
    """The same as `nearest_of`, of a triangle without area."""
    ab = triangle.b - triangle.a
    ac = triangle.c - triangle.a
    bc = triangle.c - triangle.b
    ap = p - triangle.a
    bp = p - triangle.b
    on_ab = along_edge(ap, ab)
    on_ac = along_edge(ap, ac)
    on_bc = along_edge(bp, bc)
    to_ab = wp.length_sq(ap - on_ab * ab)
    to_ac = wp.length_sq(ap - on_ac * ac)
    to_bc = wp.length_sq(bp - on_bc * bc)
    u = 1.0 - on_ab
    v = on_ab
    if to_ac < to_ab and to_ac <= to_bc:
        u = 1.0 - on_ac
        v = float(0.0)
    elif to_bc < to_ab:
        u = float(0.0)
        v = 1.0 - on_bc
    return wp.vec2(u, v)


def nearest_of(triangle: Triangle, p: wp.vec3):
    """Weights of the first two corners of the point of a triangle that is closest (Ericson, 5.1.5)."""
    ab = triangle.b - triangle.a
    ac = triangle.c - triangle.a
    longest = wp.max(wp.length_sq(ab), wp.length_sq(ac))
    if wp.length_sq(wp.cross(ab, ac)) <= 1.0e-12 * longest * longest:
        return nearest_of_edges(triangle, p)
    ap = p - triangle.a
    bp = p - triangle.b
    cp = p - triangle.c
    d1 = wp.dot(ab, ap)
    d2 = wp.dot(ac, ap)
    d3 = wp.dot(ab, bp)
    d4 = wp.dot(ac, bp)
    d5 = wp.dot(ab, cp)
    d6 = wp.dot(ac, cp)
    va = d3 * d6 - d5 * d4
    vb = d5 * d2 - d1 * d6
    vc = d1 * d4 - d3 * d2
    u = float(0.0)
    v = float(0.0)
    if d1 <= 0.0 and d2 <= 0.0:
        u = 1.0
    elif d3 >= 0.0 and d4 <= d3:
        v = 1.0
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        v = share(d1, d1 - d3)
        u = 1.0 - v
    elif d6 >= 0.0 and d5 <= d6:
        u = 0.0
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        u = 1.0 - share(d2, d2 - d6)
    elif va <= 0.0 and d4 >= d3 and d5 >= d6:
        v = 1.0 - share(d4 - d3, (d4 - d3) + (d5 - d6))
    else:
        all = va + vb + vc
        u = share(va, all)
        v = share(vb, all)
    return wp.vec2(u, v)


def on_face(mesh: wp.uint64, point: wp.vec3, face: int, sign: float):
    """The closest point on a face."""
    query = MeshQueryPoint()
    if face >= 0:
        weights = nearest_of(triangle_of(mesh, face), point)
        query.result = True
        query.sign = sign
        query.face = face
        query.u = weights[0]
        query.v = weights[1]
    return query


def point_of(mesh: wp.uint64, point: wp.vec3, max_dist: float):
    """The closest point, and the side by rays."""
    face = wp.search("closest", mesh, point, max_dist)
    sign = float(0.0)
    if face >= 0:
        sign = float(wp.search("side_by_rays", mesh, point))
    return on_face(mesh, point, face, sign)


def point_normal_of(mesh: wp.uint64, point: wp.vec3, max_dist: float):
    """The closest point, and the side by the normal there."""
    face = wp.search("closest", mesh, point, max_dist)
    sign = float(0.0)
    if face >= 0:
        sign = float(wp.search("side_by_normal", mesh, point))
    return on_face(mesh, point, face, sign)


def point_winding_of(mesh: wp.uint64, point: wp.vec3, max_dist: float, accuracy: float, threshold: float):
    """The closest point, and the side by the winding number."""
    face = wp.search("closest", mesh, point, max_dist)
    sign = float(0.0)
    if face >= 0:
        sign = float(wp.search("side_by_winding", mesh, point, accuracy, threshold))
    return on_face(mesh, point, face, sign)


def point_parity_of(mesh: wp.uint64, point: wp.vec3, max_dist: float, n_sample: int, perturbation_scale: float):
    """The closest point, and the side by counting."""
    face = wp.search("closest", mesh, point, max_dist)
    sign = float(0.0)
    if face >= 0:
        sign = float(wp.search("side_by_parity", mesh, point, n_sample, perturbation_scale))
    return on_face(mesh, point, face, sign)


def point_plain_of(mesh: wp.uint64, point: wp.vec3, max_dist: float):
    """The closest point."""
    return on_face(mesh, point, wp.search("closest", mesh, point, max_dist), 0.0)


def furthest_of(mesh: wp.uint64, point: wp.vec3, min_dist: float):
    """The furthest point, which is a corner."""
    face = wp.search("furthest", mesh, point, min_dist)
    query = MeshQueryPoint()
    if face >= 0 and not wp.isnan(min_dist):
        triangle = triangle_of(mesh, face)
        a = wp.length_sq(triangle.a - point)
        b = wp.length_sq(triangle.b - point)
        c = wp.length_sq(triangle.c - point)
        query.result = True
        query.face = face
        if a >= b and a >= c:
            query.u = 1.0
        elif b >= c:
            query.v = 1.0
    return query


def told(query: MeshQueryPoint, face: wp.ref[int], bary_u: wp.ref[float], bary_v: wp.ref[float]):
    """The result of an older form, which writes the others if there is one."""
    if query.result:
        face = query.face
        bary_u = query.u
        bary_v = query.v
    return query.result


def told_side(
    query: MeshQueryPoint,
    inside: wp.ref[float],
    face: wp.ref[int],
    bary_u: wp.ref[float],
    bary_v: wp.ref[float],
):
    """The same, with the side."""
    if query.result:
        inside = query.sign
    return told(query, face, bary_u, bary_v)


def mesh_query_point(id: wp.uint64, point: wp.vec3, max_dist: float) -> MeshQueryPoint:
    """Finds the point of a mesh that is closest to a point, nearer than a distance, and the side of the surface.

    The side is told by rays along the three axes: inside is where two of them or more first meet the back of a face.
    `id` is the mesh, or its `id`. Nothing is found if `max_dist` is not positive or a coordinate is NaN. Of faces that
    are equally close, the one with the least number is found. Gradients of `u` and `v` reach `point` and the points of
    the mesh.

    The older form, with variables for the results before the options, writes these if it returns True.
    """
    return point_of(id, point, max_dist)


def mesh_query_point(
    id: wp.uint64,
    point: wp.vec3,
    max_dist: float,
    inside: wp.ref[float],
    face: wp.ref[int],
    bary_u: wp.ref[float],
    bary_v: wp.ref[float],
) -> bool:
    return told_side(point_of(id, point, max_dist), inside, face, bary_u, bary_v)


def mesh_query_point_no_sign(id: wp.uint64, point: wp.vec3, max_dist: float) -> MeshQueryPoint:
    """Finds the point of a mesh that is closest to a point, nearer than a distance. `sign` is 0.

    `id` is the mesh, or its `id`. Nothing is found if `max_dist` is not positive or a coordinate is NaN. Of faces that
    are equally close, the one with the least number is found. Gradients of `u` and `v` reach `point` and the points of
    the mesh.

    The older form, with variables for the results before the options, writes these if it returns True.
    """
    return point_plain_of(id, point, max_dist)


def mesh_query_point_no_sign(
    id: wp.uint64,
    point: wp.vec3,
    max_dist: float,
    face: wp.ref[int],
    bary_u: wp.ref[float],
    bary_v: wp.ref[float],
) -> bool:
    return told(point_plain_of(id, point, max_dist), face, bary_u, bary_v)


def mesh_query_furthest_point_no_sign(id: wp.uint64, point: wp.vec3, min_dist: float) -> MeshQueryPoint:
    """Finds the point of a mesh that is furthest from a point, farther than a distance. `sign` is 0.

    It is a corner of a face. `id` is the mesh, or its `id`.
    """
    return furthest_of(id, point, min_dist)


def mesh_query_furthest_point_no_sign(
    id: wp.uint64,
    point: wp.vec3,
    min_dist: float,
    face: wp.ref[int],
    bary_u: wp.ref[float],
    bary_v: wp.ref[float],
) -> bool:
    return told(furthest_of(id, point, min_dist), face, bary_u, bary_v)


def mesh_query_point_sign_normal(
    id: wp.uint64, point: wp.vec3, max_dist: float, epsilon: float = 0.001
) -> MeshQueryPoint:
    """Finds the point of a mesh that is closest to a point, nearer than a distance, and the side of the surface.

    The side is told by the normals of the faces that meet in the closest point, at corners weighted by their angles.
    This is exact for closed meshes. `epsilon` has no effect: faces meet where they are exactly as near. `id` is the
    mesh, or its `id`. Nothing is found if `max_dist` is not positive or a coordinate is NaN. Of faces that are equally
    close, the one with the least number is found. Gradients of `u` and `v` reach `point` and the points of the mesh.

    The older form, with variables for the results before the options, writes these if it returns True.
    """
    return point_normal_of(id, point, max_dist)


def mesh_query_point_sign_normal(
    id: wp.uint64,
    point: wp.vec3,
    max_dist: float,
    inside: wp.ref[float],
    face: wp.ref[int],
    bary_u: wp.ref[float],
    bary_v: wp.ref[float],
    epsilon: float = 0.001,
) -> bool:
    return told_side(point_normal_of(id, point, max_dist), inside, face, bary_u, bary_v)


def mesh_query_point_sign_parity(
    id: wp.uint64, point: wp.vec3, max_dist: float, n_sample: int = 1, perturbation_scale: float = 0.1
) -> MeshQueryPoint:
    """Finds the point of a mesh that is closest to a point, nearer than a distance, and the side of the surface.

    The side is told by `n_sample` rays along (1, 1, 1), to each of whose components up to `perturbation_scale` is added
    or taken away: inside is where at least half of them cross an odd number of faces, or where there is no ray. `id` is
    the mesh, or its `id`. Nothing is found if `max_dist` is not positive or a coordinate is NaN. Of faces that are
    equally close, the one with the least number is found. Gradients of `u` and `v` reach `point` and the points of the
    mesh.

    The older form, with variables for the results before the options, writes these if it returns True.
    """
    return point_parity_of(id, point, max_dist, n_sample, perturbation_scale)


def mesh_query_point_sign_parity(
    id: wp.uint64,
    point: wp.vec3,
    max_dist: float,
    inside: wp.ref[float],
    face: wp.ref[int],
    bary_u: wp.ref[float],
    bary_v: wp.ref[float],
    n_sample: int = 1,
    perturbation_scale: float = 0.1,
) -> bool:
    return told_side(point_parity_of(id, point, max_dist, n_sample, perturbation_scale), inside, face, bary_u, bary_v)


def mesh_query_point_sign_winding_number(
    id: wp.uint64, point: wp.vec3, max_dist: float, accuracy: float = 2.0, threshold: float = 0.5
) -> MeshQueryPoint:
    """Finds the point of a mesh that is closest to a point, nearer than a distance, and the side of the surface.

    The side is told by the winding number: inside is where it is greater than `threshold`. This serves meshes with
    holes, too. Groups of faces are taken together where the point is further from them than `accuracy` times their
    radius; they must be prepared by `support_winding_number=True` of the mesh, otherwise each face is gone through.
    `id` is the mesh, or its `id`. Nothing is found if `max_dist` is not positive or a coordinate is NaN. Of faces that
    are equally close, the one with the least number is found. Gradients of `u` and `v` reach `point` and the points of
    the mesh.

    The older form, with variables for the results before the options, writes these if it returns True.
    """
    return point_winding_of(id, point, max_dist, accuracy, threshold)


def mesh_query_point_sign_winding_number(
    id: wp.uint64,
    point: wp.vec3,
    max_dist: float,
    inside: wp.ref[float],
    face: wp.ref[int],
    bary_u: wp.ref[float],
    bary_v: wp.ref[float],
    accuracy: float = 2.0,
    threshold: float = 0.5,
) -> bool:
    return told_side(point_winding_of(id, point, max_dist, accuracy, threshold), inside, face, bary_u, bary_v)


def ray_of(mesh: wp.uint64, start: wp.vec3, dir: wp.vec3, max_t: float, root: int):
    """The first face along a ray (Moeller, Trumbore, "Fast, minimum storage ray/triangle intersection", 1997)."""
    query = MeshQueryRay()
    face = wp.search("ray", mesh, start, dir, max_t, root)
    if face >= 0:
        triangle = triangle_of(mesh, face)
        # In float64, so that products of small and of large numbers are in range.
        along = wp.vec3d(dir)
        ab = wp.vec3d(triangle.b) - wp.vec3d(triangle.a)
        ac = wp.vec3d(triangle.c) - wp.vec3d(triangle.a)
        from_a = wp.vec3d(start) - wp.vec3d(triangle.a)
        across = wp.cross(along, ac)
        around = wp.cross(from_a, ab)
        volume = wp.dot(ab, across)
        per = wp.float64(1.0) / wp.where(volume == wp.float64(0.0), wp.float64(1.0e-300), volume)
        b = wp.dot(from_a, across) * per
        c = wp.dot(along, around) * per
        query.result = True
        query.sign = wp.where(volume > wp.float64(0.0), 1.0, -1.0)
        query.face = face
        query.t = float(wp.dot(ac, around) * per)
        query.u = float(wp.float64(1.0) - b - c)
        query.v = float(b)
        query.normal = wp.vec3(wp.normalize(wp.cross(ab, ac)))
    return query


def mesh_query_ray(id: wp.uint64, start: wp.vec3, dir: wp.vec3, max_t: float, root: int = -1) -> MeshQueryRay:
    """Finds the first face of a mesh that a ray meets, nearer than `max_t` lengths of `dir`.

    Both sides of a face count, and its edges, so that no ray slips between faces that share an edge. Of faces at the
    same distance, the one with the least number is found. `id` is the mesh, or its `id`. Nothing is found if `dir` is
    zero or a coordinate is NaN. `root` is the node that `mesh_get_group_root` gave, or -1 for all faces. Gradients of
    `t`, `u`, `v` and `normal` reach `start`, `dir` and the points of the mesh.

    The older form, with variables for the results, writes these if it returns True.
    """
    return ray_of(id, start, dir, max_t, root)


def mesh_query_ray(
    id: wp.uint64,
    start: wp.vec3,
    dir: wp.vec3,
    max_t: float,
    t: wp.ref[float],
    bary_u: wp.ref[float],
    bary_v: wp.ref[float],
    sign: wp.ref[float],
    normal: wp.ref[wp.vec3],
    face: wp.ref[int],
    root: int = -1,
) -> bool:
    query = ray_of(id, start, dir, max_t, root)
    if query.result:
        t = query.t
        bary_u = query.u
        bary_v = query.v
        sign = query.sign
        normal = query.normal
        face = query.face
    return query.result


def mesh_query_ray_anyhit(id: wp.uint64, start: wp.vec3, dir: wp.vec3, max_t: float, root: int = -1) -> bool:
    """Whether a ray meets a face of a mesh nearer than `max_t` lengths of `dir`. Arguments as for `mesh_query_ray`."""
    return wp.search("ray_any", id, start, dir, max_t, root) != 0


def mesh_query_ray_count_intersections(id: wp.uint64, start: wp.vec3, dir: wp.vec3, root: int = -1) -> int:
    """How many faces of a mesh a ray crosses.

    A ray through an edge or a corner counts as if it went a little beside: where faces lie side by side it crosses one
    of them, and a closed surface an even number of times from outside. Arguments as for `mesh_query_ray`.
    """
    return wp.search("ray_count", id, start, dir, root)


def mesh_query_aabb(id: wp.uint64, low: wp.vec3, high: wp.vec3) -> MeshQuery:
    """Starts a query for the faces of a mesh whose boxes overlap a box. Boxes that touch overlap.

    `id` is the mesh, or its `id`. A loop over the query gives the faces, and so does `mesh_query_next`.
    """
    query = MeshQuery()
    query.query = wp.bvh_query_aabb(wp.read(id, 1, wp.uint64), low, high)
    return query


def mesh_query_sphere(id: wp.uint64, center: wp.vec3, radius: float) -> MeshQuery:
    """Starts a query for the faces of a mesh that are within a distance of a point.

    A face that the sphere touches is found. A negative radius counts as 0. `id` is the mesh, or its `id`. A loop over
    the query gives the faces, and so does `mesh_query_next`.
    """
    query = MeshQuery()
    query.mesh = id
    query.radius = wp.where(radius < 0.0, 0.0, radius)
    # Distances to boxes are rounded: a face that the sphere just touches is not lost there.
    query.query = wp.bvh_query_sphere(wp.read(id, 1, wp.uint64), center, query.radius * 1.000001)
    return query


def mesh_query_next(query: wp.ref[MeshQuery], index: wp.ref[int]) -> bool:
    """Whether a query of a mesh finds another face; `index` becomes its number. `for index in query` does the same."""
    found = False
    more = True
    boxes = query.query
    face = int(0)
    while more and not found:
        more = wp.bvh_query_next(boxes, face)
        found = more
        if more and query.mesh != wp.uint64(0):
            center = wp.vec3(boxes.ax, boxes.ay, boxes.az)
            triangle = triangle_of(query.mesh, face)
            near = wp.search("touches", query.mesh, center, query.radius, triangle.a, triangle.b, triangle.c)
            found = near != 0
    query.query = boxes
    if found:
        index = face
    return found


def mesh_query_aabb_next(query: wp.ref[MeshQuery], index: wp.ref[int]) -> bool:
    """The older name of `mesh_query_next`."""
    return mesh_query_next(query, index)


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
