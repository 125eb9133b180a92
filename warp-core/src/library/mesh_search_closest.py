# Searches of meshes for the nearest and the furthest face, and the side of the nearest one: behind `mesh_search.py`.


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


def touches(
    mesh: wp.uint64, x: float, y: float, z: float, radius: float, ax: float, ay: float, az: float, bx: float, by: float,
    bz: float, cx: float, cy: float, cz: float,
):  # fmt: skip
    """1 if a triangle is within a distance of a point, else 0."""
    p = double(wp.vec3(x, y, z))
    corners = in_order(double(wp.vec3(ax, ay, az)), double(wp.vec3(bx, by, bz)), double(wp.vec3(cx, cy, cz)))
    nearest = nearest_to(corners.a - p, corners.b - p, corners.c - p)
    return wp.where(nearest.square <= wp.float64(radius) * wp.float64(radius), 1, 0)
