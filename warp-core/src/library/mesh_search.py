# Searches of meshes as GPUs do them, with the results that `geometry/mesh/search.rs` finds on the CPU. A search walks
# through the binary tree of a mesh from left to right, so that its state is one number; a way down to the most
# promising leaf comes first, so that the walk passes over most nodes. Most triangles are passed over in float32 with a
# margin, the others are decided in float64. The layout of a mesh in memory: `geometry/mesh/layout.rs`.


class Walk:
    """The tree of a mesh, and what is still to be visited of it."""

    nodes: wp.uint64
    leaves: wp.uint64
    blocks: wp.uint64
    at: int
    end: int


class Block:
    """Triangles of a leaf."""

    at: wp.uint64
    count: int


class Best:
    """What is best so far: a distance or its square, a face or -1, and where that lies."""

    value: wp.float64
    face: int
    block: Block
    lane: int


class Nearest:
    """The square of the distance to a triangle, and where it is nearest.

    0 to 2 is a corner, 3 to 5 the edge from there, 6 the inside.
    """

    square: wp.float64
    feature: int


class Corners:
    """The corners of a triangle in an order of their own, and which ones they are: 0, 1 or 2."""

    a: wp.vec3d
    b: wp.vec3d
    c: wp.vec3d
    which: wp.vec3i


class Ray:
    """A ray: as boxes are tested, and as triangles are (Woop, Benthin, Wald, 2013). `x`, `y` and `z` are axes."""

    start: wp.vec3
    along: wp.vec3
    per: wp.vec3
    x: int
    y: int
    z: int
    shear: wp.vec3d
    valid: bool


class Weights:
    """What a ray makes of a triangle.

    Weights of the corners and their sum, the corners across the ray, and their depths.
    """

    of: wp.vec3d
    sum: wp.float64
    a: wp.vec2d
    b: wp.vec2d
    c: wp.vec2d
    depths: wp.vec3d


def node_of(walk: Walk, at: int):
    """The address of a node."""
    return walk.nodes + wp.uint64(32) * wp.uint64(at)


def escape_of(node: wp.uint64):
    """The node behind the nodes below a node."""
    return wp.read(node, 6, int)


def walk_of(mesh: wp.uint64, root: int):
    """A walk through the nodes below a node, all if it is -1."""
    walk = Walk()
    tree = wp.read(mesh, 0, wp.uint64)
    count = int(0)
    if tree != wp.uint64(0):
        count = wp.read(tree, 0, int)
    walk.nodes = tree + wp.uint64(64)
    walk.blocks = mesh + wp.read(mesh, 11, wp.uint64)
    walk.leaves = mesh + wp.read(mesh, 13, wp.uint64)
    walk.at = wp.max(root, 0)
    walk.end = count
    if root >= 0 and root < count:
        walk.end = escape_of(node_of(walk, root))
    elif root < -1:
        walk.end = walk.at
    return walk


def is_leaf(node: wp.uint64):
    """Whether a node is a leaf."""
    return wp.read(node, 7, int) != 0


def block_of(walk: Walk, at: int):
    """The triangles of a leaf."""
    block = Block()
    number = wp.read(walk.leaves, at, int)
    block.at = walk.blocks + wp.uint64(320) * wp.uint64(number)
    block.count = wp.read(node_of(walk, at), 7, int) & 15
    return block


def face_of(block: Block, lane: int):
    """The number of a triangle."""
    return wp.read(block.at, 72 + lane, int)


def corner_of(block: Block, corner: int, lane: int):
    """A corner of a triangle."""
    at = 24 * corner + lane
    return wp.vec3(wp.read(block.at, at, float), wp.read(block.at, at + 8, float), wp.read(block.at, at + 16, float))


def double(v: wp.vec3):
    """A vector in float64."""
    return wp.vec3d(wp.float64(v[0]), wp.float64(v[1]), wp.float64(v[2]))


def square_of(v: wp.vec3d):
    """The square of the length of a vector."""
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]


def inner(a: wp.vec3d, b: wp.vec3d):
    """The inner product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def outer(a: wp.vec3d, b: wp.vec3d):
    """The outer product."""
    return wp.vec3d(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def single_inner(a: wp.vec3, b: wp.vec3):
    """The inner product in float32."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def single_outer(a: wp.vec3, b: wp.vec3):
    """The outer product in float32."""
    return wp.vec3(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit_of(v: wp.vec3d):
    """A vector of length 1; zero for zero."""
    length = wp.sqrt(square_of(v))
    scaled = v
    if length > wp.float64(0.0):
        scaled = v * (wp.float64(1.0) / length)
    return scaled


def largest(v: wp.vec3):
    """The largest coordinate."""
    return wp.max(wp.max(wp.abs(v[0]), wp.abs(v[1])), wp.abs(v[2]))


def apart(low: float, high: float, x: float):
    """The square of how far a coordinate is from a range."""
    far = wp.max(wp.max(low - x, x - high), 0.0)
    return far * far


def box_square(node: wp.uint64, p: wp.vec3):
    """The square of the distance of a point to a box."""
    return (
        apart(wp.read(node, 0, float), wp.read(node, 3, float), p[0])
        + apart(wp.read(node, 1, float), wp.read(node, 4, float), p[1])
        + apart(wp.read(node, 2, float), wp.read(node, 5, float), p[2])
    )


def reach(low: float, high: float, x: float):
    """The square of how far a coordinate is from the far end of a range."""
    far = wp.max(wp.abs(x - low), wp.abs(high - x))
    return far * far


def box_reach(node: wp.uint64, p: wp.vec3):
    """The square of the distance of a point to the far corner of a box."""
    return (
        reach(wp.read(node, 0, float), wp.read(node, 3, float), p[0])
        + reach(wp.read(node, 1, float), wp.read(node, 4, float), p[1])
        + reach(wp.read(node, 2, float), wp.read(node, 5, float), p[2])
    )


def edge_square(corner: wp.vec3, along: wp.vec3):
    """The square of the distance of the origin to an edge, in float32."""
    length = wp.max(single_inner(along, along), 1.1754944e-38)
    t = wp.min(wp.max((0.0 - single_inner(corner, along)) / length, 0.0), 1.0)
    near = wp.vec3(corner[0] + along[0] * t, corner[1] + along[1] * t, corner[2] + along[2] * t)
    return single_inner(near, near)


def may_be_near(block: Block, lane: int, p: wp.vec3, limit: float):
    """Whether the square of the distance to a triangle may be below a limit."""
    a = corner_of(block, 0, lane) - p
    b = corner_of(block, 1, lane) - p
    c = corner_of(block, 2, lane) - p
    spread = wp.max(wp.max(largest(a), largest(b)), largest(c))
    ab = b - a
    bc = c - b
    ca = a - c
    normal = single_outer(ab, ca)
    s = single_inner(single_outer(ab, normal), a)
    t = single_inner(single_outer(bc, normal), b)
    u = single_inner(single_outer(ca, normal), c)
    far = single_inner(normal, a)
    plane = far * far / single_inner(normal, normal)
    square = wp.min(wp.min(edge_square(a, ab), edge_square(b, bc)), edge_square(c, ca))
    inside = (s >= 0.0 and t >= 0.0 and u >= 0.0) or (s <= 0.0 and t <= 0.0 and u <= 0.0)
    if inside and plane < square:
        square = plane
    # Of a triangle that is none, a sum that is no number.
    there = single_inner(a, ab) + single_inner(b, bc) + single_inner(c, ca)
    return square + there * 0.0 <= limit + 1.0e-9 * spread * spread


def comes_first(a: wp.vec3d, b: wp.vec3d):
    """Whether a vector is not behind another one, by its first component that differs."""
    later = a[1] < b[1] or (a[1] == b[1] and a[2] <= b[2])
    return a[0] < b[0] or (a[0] == b[0] and later)


def to_edge(a: wp.vec3d, b: wp.vec3d):
    """The square of the distance of the origin to an edge, the same from both ends."""
    low = a
    high = b
    if not comes_first(a, b):
        low = b
        high = a
    along = high - low
    length = square_of(along)
    t = wp.float64(0.0)
    if length > wp.float64(0.0):
        t = -inner(low, along) / length
    t = wp.min(wp.max(t, wp.float64(0.0)), wp.float64(1.0))
    return square_of(low + along * t)


def on_edges(a: wp.vec3d, b: wp.vec3d, c: wp.vec3d):
    """The nearest point of a triangle that is a line or a point."""
    nearest = Nearest()
    nearest.square = to_edge(a, b)
    nearest.feature = 3
    second = to_edge(b, c)
    if second < nearest.square:
        nearest.square = second
        nearest.feature = 4
    third = to_edge(c, a)
    if third < nearest.square:
        nearest.square = third
        nearest.feature = 5
    return nearest


def nearest_to(a: wp.vec3d, b: wp.vec3d, c: wp.vec3d):
    """The nearest point of a triangle to the origin (Ericson, "Real-Time Collision Detection", 5.1.5)."""
    zero = wp.float64(0.0)
    nearest = Nearest()
    ab = b - a
    ac = c - a
    normal = outer(ab, ac)
    longest = wp.max(square_of(ab), square_of(ac))
    d1 = -inner(ab, a)
    d2 = -inner(ac, a)
    d3 = -inner(ab, b)
    d4 = -inner(ac, b)
    d5 = -inner(ab, c)
    d6 = -inner(ac, c)
    if square_of(normal) <= wp.float64(1.0e-24) * (longest * longest):
        nearest = on_edges(a, b, c)
    elif d1 <= zero and d2 <= zero:
        nearest.square = square_of(a)
    elif d3 >= zero and d4 <= d3:
        nearest.square = square_of(b)
        nearest.feature = 1
    elif d1 * d4 - d3 * d2 <= zero and d1 >= zero and d3 <= zero:
        nearest.square = to_edge(a, b)
        nearest.feature = 3
    elif d6 >= zero and d5 <= d6:
        nearest.square = square_of(c)
        nearest.feature = 2
    elif d5 * d2 - d1 * d6 <= zero and d2 >= zero and d6 <= zero:
        nearest.square = to_edge(a, c)
        nearest.feature = 5
    elif d3 * d6 - d5 * d4 <= zero and d4 >= d3 and d5 >= d6:
        nearest.square = to_edge(b, c)
        nearest.feature = 4
    else:
        far = inner(a, normal)
        nearest.square = far * far / square_of(normal)
        nearest.feature = 6
    return nearest


def in_order(a: wp.vec3d, b: wp.vec3d, c: wp.vec3d):
    """The corners of a triangle in order, so that triangles with the same corners give the same numbers."""
    of_a = int(0)
    of_b = int(1)
    of_c = int(2)
    if not comes_first(a, b):
        a, b = b, a
        of_a, of_b = of_b, of_a
    if not comes_first(b, c):
        b, c = c, b
        of_b, of_c = of_c, of_b
    if not comes_first(a, b):
        a, b = b, a
        of_a, of_b = of_b, of_a
    corners = Corners()
    corners.a = a
    corners.b = b
    corners.c = c
    corners.which = wp.vec3i(of_a, of_b, of_c)
    return corners


def corners_of(block: Block, lane: int):
    """The corners of a triangle of a leaf, in order."""
    a = double(corner_of(block, 0, lane))
    b = double(corner_of(block, 1, lane))
    c = double(corner_of(block, 2, lane))
    return in_order(a, b, c)


def nearest_of(block: Block, lane: int, p: wp.vec3):
    """The nearest point of a triangle to a point."""
    from_p = double(p)
    corners = corners_of(block, lane)
    nearest = nearest_to(corners.a - from_p, corners.b - from_p, corners.c - from_p)
    feature = nearest.feature
    if feature < 3:
        nearest.feature = corners.which[feature]
    elif feature < 6:
        start = corners.which[feature - 3]
        end = corners.which[(feature - 2) % 3]
        nearest.feature = 3 + wp.where((start + 1) % 3 == end, start, end)
    return nearest


def nearer(walk: Walk, at: int, p: wp.vec3, best: wp.ref[Best]):
    """Compares the triangles of a leaf with the best so far."""
    block = block_of(walk, at)
    limit = float(best.value * wp.float64(1.001))
    lane = int(0)
    while lane < block.count:
        if may_be_near(block, lane, p, limit):
            face = face_of(block, lane)
            square = nearest_of(block, lane, p).square
            if square < best.value or (square == best.value and face < best.face and best.face >= 0):
                best.value = square
                best.face = face
                limit = float(best.value * wp.float64(1.001))
        lane += 1


def closest_of(mesh: wp.uint64, p: wp.vec3, far: float):
    """The face closest to a point, nearer than a distance."""
    best = Best()
    best.value = wp.float64(far) * wp.float64(far)
    best.face = -1
    walk = walk_of(mesh, -1)
    # Of a point that is no number, or too far away, nothing is found.
    odd = (p[0] + p[1] + p[2]) * 0.0
    if far > 0.0 and odd == 0.0 and walk.end > 0:
        at = int(0)
        while not is_leaf(node_of(walk, at)):
            first = at + 1
            second = escape_of(node_of(walk, first))
            end = escape_of(node_of(walk, at))
            at = first
            if second < end and box_square(node_of(walk, second), p) < box_square(node_of(walk, first), p):
                at = second
        nearer(walk, at, p, best)
        while walk.at < walk.end:
            node = node_of(walk, walk.at)
            if box_square(node, p) <= float(best.value * wp.float64(1.001)):
                if is_leaf(node):
                    nearer(walk, walk.at, p, best)
                walk.at += 1
            else:
                walk.at = escape_of(node)
    return best


def closest(mesh: wp.uint64, x: float, y: float, z: float, far: float):
    """The face closest to a point, nearer than a distance; -1 for none."""
    return closest_of(mesh, wp.vec3(x, y, z), far).face


def further(walk: Walk, at: int, p: wp.vec3, best: wp.ref[Best]):
    """Compares the triangles of a leaf with the furthest so far."""
    block = block_of(walk, at)
    from_p = double(p)
    lane = int(0)
    while lane < block.count:
        face = face_of(block, lane)
        a = square_of(double(corner_of(block, 0, lane)) - from_p)
        b = square_of(double(corner_of(block, 1, lane)) - from_p)
        c = square_of(double(corner_of(block, 2, lane)) - from_p)
        square = wp.max(wp.max(a, b), c)
        if wp.isnan(a + b + c):
            square = a + b + c
        if square > best.value or (square == best.value and face < best.face and best.face >= 0):
            best.value = square
            best.face = face
        lane += 1


def furthest(mesh: wp.uint64, x: float, y: float, z: float, near: float):
    """The face that reaches furthest from a point, farther than a distance; -1 for none."""
    p = wp.vec3(x, y, z)
    best = Best()
    best.value = wp.float64(-1.0)
    if near > 0.0:
        best.value = wp.float64(near) * wp.float64(near)
    best.face = -1
    walk = walk_of(mesh, -1)
    if walk.end > 0:
        at = int(0)
        while not is_leaf(node_of(walk, at)):
            first = at + 1
            second = escape_of(node_of(walk, first))
            end = escape_of(node_of(walk, at))
            at = first
            if second < end and box_reach(node_of(walk, second), p) > box_reach(node_of(walk, first), p):
                at = second
        if not wp.isnan(p):
            further(walk, at, p, best)
    while walk.at < walk.end:
        node = node_of(walk, walk.at)
        if wp.float64(box_reach(node, p) * 1.001) >= best.value:
            if is_leaf(node):
                further(walk, walk.at, p, best)
            walk.at += 1
        else:
            walk.at = escape_of(node)
    return best.face


def angle_at(corner: wp.vec3d, following: wp.vec3d, before: wp.vec3d):
    """The angle of a triangle at a corner."""
    a = following - corner
    b = before - corner
    return wp.atan2(wp.sqrt(square_of(outer(a, b))), inner(a, b))


def from_edge(p: wp.vec3d, start: wp.vec3d, end: wp.vec3d):
    """The vector to a point from the nearest point of an edge."""
    along = end - start
    t = inner(p - start, along) / wp.max(square_of(along), wp.float64(2.2250738585072014e-308))
    t = wp.min(wp.max(t, wp.float64(0.0)), wp.float64(1.0))
    return p - (start + along * t)


def side_by_normal(mesh: wp.uint64, x: float, y: float, z: float):
    """-1 if a point is inside, else 1, by the normal of the closest feature (Baerentzen, Aanaes, 2005).

    Outside, too, if it is on the surface but for what sums are rounded by.
    """
    p = wp.vec3(x, y, z)
    q = double(p)
    best = closest_of(mesh, p, wp.inf)
    # Several places may be as near: each says the same.
    sum = wp.float64(0.0)
    size = wp.float64(0.0)
    walk = walk_of(mesh, -1)
    limit = float(best.value * wp.float64(1.001))
    if best.face < 0:
        walk.at = walk.end
    while walk.at < walk.end:
        node = node_of(walk, walk.at)
        if box_square(node, p) <= limit:
            if is_leaf(node):
                block = block_of(walk, walk.at)
                lane = int(0)
                while lane < block.count:
                    nearest = Nearest()
                    nearest.square = wp.float64(-1.0)
                    if may_be_near(block, lane, p, limit):
                        nearest = nearest_of(block, lane, p)
                    if nearest.square == best.value:
                        a = double(corner_of(block, 0, lane))
                        b = double(corner_of(block, 1, lane))
                        c = double(corner_of(block, 2, lane))
                        normal = unit_of(outer(b - a, c - a))
                        weight = wp.float64(1.0)
                        towards = normal * inner(q - a, normal)
                        if nearest.feature == 0:
                            weight = angle_at(a, b, c)
                            towards = q - a
                        elif nearest.feature == 1:
                            weight = angle_at(b, c, a)
                            towards = q - b
                        elif nearest.feature == 2:
                            weight = angle_at(c, a, b)
                            towards = q - c
                        elif nearest.feature == 3:
                            towards = from_edge(q, a, b)
                        elif nearest.feature == 4:
                            towards = from_edge(q, b, c)
                        elif nearest.feature == 5:
                            towards = from_edge(q, c, a)
                        sum += weight * inner(normal, towards)
                        far = wp.float64(largest(p)) + wp.float64(largest(corner_of(block, 0, lane)))
                        size += weight * far
                    lane += 1
            walk.at += 1
        else:
            walk.at = escape_of(node)
    return wp.where(sum < wp.float64(-1.0e-12) * size, -1, 1)


def per_of(along: float):
    """1 / x, which stays finite."""
    tiny = wp.where(along < 0.0 or 1.0 / along < 0.0, -1.0e-30, 1.0e-30)
    return 1.0 / wp.where(wp.abs(along) < 1.0e-30, tiny, along)


def ray_of(start: wp.vec3, along: wp.vec3):
    """A ray. It is not valid if its direction is zero or a number is not finite."""
    ray = Ray()
    ray.start = start
    ray.along = along
    ray.per = wp.vec3(per_of(along[0]), per_of(along[1]), per_of(along[2]))
    zero = along[0] == 0.0 and along[1] == 0.0 and along[2] == 0.0
    ray.valid = wp.isfinite(start) and wp.isfinite(along) and not zero
    z = int(0)
    if wp.abs(along[1]) > wp.abs(along[0]):
        z = 1
    if wp.abs(along[2]) > wp.abs(along[z]):
        z = 2
    x = (z + 1) % 3
    y = (z + 2) % 3
    ray.x = wp.where(along[z] < 0.0, y, x)
    ray.y = wp.where(along[z] < 0.0, x, y)
    ray.z = z
    d = double(along)
    ray.shear = wp.vec3d(d[ray.x] / d[z], d[ray.y] / d[z], wp.float64(1.0) / d[z])
    return ray


def enters(ray: Ray, node: wp.uint64, limit: float):
    """Whether a ray enters a box before a limit, up to rounding. The sides of the box are inside."""
    enter = float(0.0)
    leave = limit * 1.000001
    for d in range(3):
        below = wp.read(node, d, float)
        above = wp.read(node, d + 3, float)
        start = ray.start[d]
        if ray.along[d] == 0.0:
            leave = wp.where(below <= start and start <= above, leave, -1.0)
        else:
            low = (below - start) * ray.per[d]
            high = (above - start) * ray.per[d]
            down = ray.per[d] < 0.0
            enter = wp.max(enter, wp.where(down, high, low))
            leave = wp.min(leave, wp.where(down, low, high) * 1.000001)
    return enter <= leave


def across(ray: Ray, block: Block, corner: int, lane: int):
    """A corner across a ray, in float32, and the largest coordinate before that."""
    at = 24 * corner + lane
    right = wp.read(block.at, at + 8 * ray.x, float) - ray.start[ray.x]
    up = wp.read(block.at, at + 8 * ray.y, float) - ray.start[ray.y]
    depth = wp.read(block.at, at + 8 * ray.z, float) - ray.start[ray.z]
    large = wp.max(wp.max(wp.abs(right), wp.abs(up)), wp.abs(depth))
    return wp.vec3(right - float(ray.shear[0]) * depth, up - float(ray.shear[1]) * depth, large)


def wide_of(v: wp.vec3):
    """The larger of the first two coordinates."""
    return wp.max(wp.abs(v[0]), wp.abs(v[1]))


def may_meet(ray: Ray, block: Block, lane: int):
    """Whether a ray may meet a triangle."""
    a = across(ray, block, 0, lane)
    b = across(ray, block, 1, lane)
    c = across(ray, block, 2, lane)
    u = c[0] * b[1] - c[1] * b[0]
    v = a[0] * c[1] - a[1] * c[0]
    w = b[0] * a[1] - b[1] * a[0]
    error = 2.0e-6 * wp.max(wp.max(a[2], b[2]), c[2])
    slack = error * (wp.max(wp.max(wide_of(a), wide_of(b)), wide_of(c)) + error)
    positive = u >= -slack and v >= -slack and w >= -slack
    return positive or (u <= slack and v <= slack and w <= slack)


def weights_of(ray: Ray, a: wp.vec3d, b: wp.vec3d, c: wp.vec3d):
    """What a ray makes of a triangle."""
    start = double(ray.start)
    p = a - start
    q = b - start
    r = c - start
    w = Weights()
    w.depths = wp.vec3d(p[ray.z], q[ray.z], r[ray.z])
    w.a = wp.vec2d(p[ray.x] - ray.shear[0] * p[ray.z], p[ray.y] - ray.shear[1] * p[ray.z])
    w.b = wp.vec2d(q[ray.x] - ray.shear[0] * q[ray.z], q[ray.y] - ray.shear[1] * q[ray.z])
    w.c = wp.vec2d(r[ray.x] - ray.shear[0] * r[ray.z], r[ray.y] - ray.shear[1] * r[ray.z])
    w.of = wp.vec3d(
        w.c[0] * w.b[1] - w.c[1] * w.b[0],
        w.a[0] * w.c[1] - w.a[1] * w.c[0],
        w.b[0] * w.a[1] - w.b[1] * w.a[0],
    )
    w.sum = w.of[0] + w.of[1] + w.of[2]
    return w


def has_area(block: Block, lane: int):
    """Whether a triangle has an area: a line or a point is met by no ray."""
    a = double(corner_of(block, 0, lane))
    normal = outer(double(corner_of(block, 1, lane)) - a, double(corner_of(block, 2, lane)) - a)
    zero = wp.float64(0.0)
    return normal[0] != zero or normal[1] != zero or normal[2] != zero


def distance_of(ray: Ray, w: Weights):
    """Where a ray meets the plane of a triangle; -1 if that is behind it."""
    t = inner(w.of, w.depths) * ray.shear[2] / w.sum
    return wp.where(t >= wp.float64(0.0), t, wp.float64(-1.0))


def meets(ray: Ray, block: Block, lane: int):
    """Where a ray meets a triangle, on edges and corners, too; -1 if it does not."""
    corners = corners_of(block, lane)
    w = weights_of(ray, corners.a, corners.b, corners.c)
    zero = wp.float64(0.0)
    positive = w.of[0] >= zero and w.of[1] >= zero and w.of[2] >= zero
    negative = w.of[0] <= zero and w.of[1] <= zero and w.of[2] <= zero
    t = wp.float64(-1.0)
    if (positive or negative) and w.sum != zero and has_area(block, lane):
        t = distance_of(ray, w)
    return t


def is_in(weight: wp.float64, positive: bool, start: wp.vec2d, end: wp.vec2d):
    """Whether a ray is on the inner side of an edge; on the edge itself, if the edge is the triangle's."""
    zero = wp.float64(0.0)
    of = wp.where(positive, weight, -weight)
    edge = end - start
    x = wp.where(positive, edge[0], -edge[0])
    y = wp.where(positive, edge[1], -edge[1])
    owned = y > zero or (y == zero and x > zero)
    return of > zero or (of == zero and owned)


def crosses(ray: Ray, block: Block, lane: int):
    """Whether a ray crosses a triangle, of two side by side one."""
    a = double(corner_of(block, 0, lane))
    b = double(corner_of(block, 1, lane))
    c = double(corner_of(block, 2, lane))
    w = weights_of(ray, a, b, c)
    positive = w.sum > wp.float64(0.0)
    found = w.sum != wp.float64(0.0) and not wp.isnan(w.sum)
    found = found and is_in(w.of[0], positive, w.b, w.c)
    found = found and is_in(w.of[1], positive, w.c, w.a)
    found = found and is_in(w.of[2], positive, w.a, w.b)
    if found:
        found = has_area(block, lane) and distance_of(ray, w) >= wp.float64(0.0)
    return found


def first_of(mesh: wp.uint64, ray: Ray, far: float, root: int):
    """The first face that a ray meets before a distance."""
    best = Best()
    best.value = wp.float64(far)
    best.face = -1
    walk = walk_of(mesh, root)
    limit = far
    if not (ray.valid and far > 0.0):
        walk.at = walk.end
    while walk.at < walk.end:
        node = node_of(walk, walk.at)
        if enters(ray, node, limit):
            if is_leaf(node):
                block = block_of(walk, walk.at)
                lane = int(0)
                while lane < block.count:
                    if may_meet(ray, block, lane):
                        face = face_of(block, lane)
                        t = meets(ray, block, lane)
                        tie = t == best.value and face < best.face and best.face >= 0
                        if t >= wp.float64(0.0) and (t < best.value or tie):
                            best.value = t
                            best.face = face
                            best.block = block
                            best.lane = lane
                            # Rounded up, so that what is as near is found.
                            limit = float(t) * 1.000001 + 1.0e-37
                    lane += 1
            walk.at += 1
        else:
            walk.at = escape_of(node)
    return best


def ray(mesh: wp.uint64, x: float, y: float, z: float, dx: float, dy: float, dz: float, far: float, root: int):
    """The first face that a ray meets before a distance, below a root; -1 for none."""
    return first_of(mesh, ray_of(wp.vec3(x, y, z), wp.vec3(dx, dy, dz)), far, root).face


def ray_any(mesh: wp.uint64, x: float, y: float, z: float, dx: float, dy: float, dz: float, far: float, root: int):
    """1 if a ray meets a face before a distance, below a root, else 0."""
    found = int(0)
    ray = ray_of(wp.vec3(x, y, z), wp.vec3(dx, dy, dz))
    walk = walk_of(mesh, root)
    if not (ray.valid and far > 0.0):
        walk.at = walk.end
    while found == 0 and walk.at < walk.end:
        node = node_of(walk, walk.at)
        if enters(ray, node, far):
            if is_leaf(node):
                block = block_of(walk, walk.at)
                lane = int(0)
                while found == 0 and lane < block.count:
                    if may_meet(ray, block, lane):
                        t = meets(ray, block, lane)
                        if t >= wp.float64(0.0) and t < wp.float64(far):
                            found = 1
                    lane += 1
            walk.at += 1
        else:
            walk.at = escape_of(node)
    return found


def count_of(mesh: wp.uint64, ray: Ray, root: int):
    """How many faces a ray crosses."""
    count = int(0)
    walk = walk_of(mesh, root)
    if not ray.valid:
        walk.at = walk.end
    while walk.at < walk.end:
        node = node_of(walk, walk.at)
        if enters(ray, node, wp.inf):
            if is_leaf(node):
                block = block_of(walk, walk.at)
                lane = int(0)
                while lane < block.count:
                    if may_meet(ray, block, lane):
                        if crosses(ray, block, lane):
                            count += 1
                    lane += 1
            walk.at += 1
        else:
            walk.at = escape_of(node)
    return count


def ray_count(mesh: wp.uint64, x: float, y: float, z: float, dx: float, dy: float, dz: float, root: int):
    """How many faces a ray crosses, below a root."""
    return count_of(mesh, ray_of(wp.vec3(x, y, z), wp.vec3(dx, dy, dz)), root)


def side_by_rays(mesh: wp.uint64, x: float, y: float, z: float):
    """-1 if, of three rays along the axes, at least two first meet the back of a face, else 1."""
    inside = int(0)
    axis = int(0)
    while axis < 3:
        along = wp.vec3(wp.where(axis == 0, 1.0, 0.0), wp.where(axis == 1, 1.0, 0.0), wp.where(axis == 2, 1.0, 0.0))
        best = first_of(mesh, ray_of(wp.vec3(x, y, z), along), wp.inf, -1)
        if best.face >= 0:
            a = double(corner_of(best.block, 0, best.lane))
            b = double(corner_of(best.block, 1, best.lane))
            c = double(corner_of(best.block, 2, best.lane))
            if inner(outer(b - a, c - a), double(along)) > wp.float64(0.0):
                inside += 1
        axis += 1
    return wp.where(inside >= 2, -1, 1)


def drawn(state: wp.uint32, scale: float):
    """A coordinate about 1, of the upper bits of a linear congruential generator."""
    return 1.0 + scale * (float(state >> wp.uint32(8)) / 8388608.0 - 1.0)


def next_of(state: wp.uint32):
    """The next state of the generator."""
    return state * wp.uint32(1664525) + wp.uint32(1013904223)


def side_by_parity(mesh: wp.uint64, x: float, y: float, z: float, rays: int, scale: float):
    """-1 if at least half of some rays, about along (1, 1, 1), cross an odd number of faces, else 1."""
    inside = int(0)
    state = wp.uint32(0x9E3779B9)
    n = int(0)
    while n < rays:
        first = next_of(state)
        second = next_of(first)
        state = next_of(second)
        along = wp.vec3(drawn(first, scale), drawn(second, scale), drawn(state, scale))
        inside += count_of(mesh, ray_of(wp.vec3(x, y, z), along), -1) & 1
        n += 1
    return wp.where(2 * inside >= rays, -1, 1)


def solid_angle(block: Block, lane: int, p: wp.vec3):
    """The solid angle of a triangle, by 4 pi (van Oosterom, Strackee, 1983)."""
    q = double(p)
    a = double(corner_of(block, 0, lane)) - q
    b = double(corner_of(block, 1, lane)) - q
    c = double(corner_of(block, 2, lane)) - q
    x = wp.sqrt(square_of(a))
    y = wp.sqrt(square_of(b))
    z = wp.sqrt(square_of(c))
    volume = inner(a, outer(b, c))
    below = x * y * z + inner(a, b) * z + inner(b, c) * x + inner(c, a) * y
    angle = wp.float64(2.0) * wp.atan2(volume, below)
    if volume == wp.float64(0.0) or wp.isnan(angle):
        angle = wp.float64(0.0)
    return angle / (wp.float64(4.0) * wp.float64(wp.pi))


def angles_of(block: Block, p: wp.vec3):
    """The solid angles of the triangles of a leaf."""
    sum = wp.float64(0.0)
    lane = int(0)
    while lane < block.count:
        sum += solid_angle(block, lane, p)
        lane += 1
    return sum


def far_angle(m: wp.uint64, r: wp.vec3, square: float):
    """That of faces that are far away, by their moments (Barill et al., 2018)."""
    per = 1.0 / wp.sqrt(square)
    per3 = per * per * per
    normal = wp.vec3(wp.read(m, 4, float), wp.read(m, 5, float), wp.read(m, 6, float))
    first = single_inner(normal, r) * per3
    xx = wp.read(m, 8, float)
    yy = wp.read(m, 9, float)
    zz = wp.read(m, 10, float)
    form = (
        xx * r[0] * r[0]
        + yy * r[1] * r[1]
        + zz * r[2] * r[2]
        + wp.read(m, 11, float) * r[0] * r[1]
        + wp.read(m, 12, float) * r[0] * r[2]
        + wp.read(m, 13, float) * r[1] * r[2]
    )
    second = (xx + yy + zz) * per3 - 3.0 * form * per3 * per * per
    return (first + second) / (4.0 * wp.pi)


def winding_number(mesh: wp.uint64, p: wp.vec3, accuracy: float):
    """How often the surface goes around a point."""
    sum = wp.float64(0.0)
    walk = walk_of(mesh, -1)
    moments = mesh + wp.read(mesh, 12, wp.uint64)
    has_moments = wp.read(mesh, 16, wp.uint64) > wp.uint64(0)
    while walk.at < walk.end:
        node = node_of(walk, walk.at)
        taken = False
        if has_moments:
            m = moments + wp.uint64(64) * wp.uint64(walk.at)
            r = wp.vec3(wp.read(m, 0, float), wp.read(m, 1, float), wp.read(m, 2, float)) - p
            square = single_inner(r, r)
            radius = wp.read(m, 3, float)
            reach = 1.5 * accuracy * radius
            if radius >= 0.0 and square > reach * reach:
                sum += wp.float64(far_angle(m, r, square))
                taken = True
        if taken:
            walk.at = escape_of(node)
        else:
            if is_leaf(node):
                sum += angles_of(block_of(walk, walk.at), p)
            walk.at += 1
    return sum


def side_by_winding(mesh: wp.uint64, x: float, y: float, z: float, accuracy: float, threshold: float):
    """-1 if the winding number is greater than a threshold, by more than sums are rounded by, else 1."""
    number = winding_number(mesh, wp.vec3(x, y, z), accuracy)
    return wp.where(number > wp.float64(threshold) + wp.float64(1.0e-9), -1, 1)


def touches(
    mesh: wp.uint64, x: float, y: float, z: float, radius: float, ax: float, ay: float, az: float, bx: float, by: float,
    bz: float, cx: float, cy: float, cz: float,
):  # fmt: skip
    """1 if a triangle is within a distance of a point, else 0."""
    p = double(wp.vec3(x, y, z))
    corners = in_order(double(wp.vec3(ax, ay, az)), double(wp.vec3(bx, by, bz)), double(wp.vec3(cx, cy, cz)))
    nearest = nearest_to(corners.a - p, corners.b - p, corners.c - p)
    return wp.where(nearest.square <= wp.float64(radius) * wp.float64(radius), 1, 0)
