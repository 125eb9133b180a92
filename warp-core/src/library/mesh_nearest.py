# The closest and the furthest point of a mesh. The layout of a mesh in memory: `geometry/mesh/layout.rs`. Searches give
# faces; all else is computed of the arrays of the mesh, so that it has derivatives.


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
