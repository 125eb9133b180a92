# Rays through meshes, and the sides that they tell: behind `mesh_search.py`.


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
