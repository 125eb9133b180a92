# Queries of meshes, with the functions of mesh_nearest.py, which stands before it.


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
