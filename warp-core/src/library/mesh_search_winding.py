# Winding numbers of meshes: behind `mesh_search.py`.


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
