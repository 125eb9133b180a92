# Queries of trees of boxes. The layout of a tree in memory: `geometry/bvh.rs`.


class BvhQuery:
    """A query of a tree of boxes: which items are still to come."""

    nodes: wp.uint64
    boxes: wp.uint64
    ids: wp.uint64
    shape: int
    at: int
    end: int
    item: int
    last: int
    ax: float
    ay: float
    az: float
    bx: float
    by: float
    bz: float
    radius: float


def query_of_tree(tree: wp.uint64, root: int, shape: int, a: wp.vec3, b: wp.vec3, radius: float):
    """A query of the items below a node, all if it is -1, whose boxes meet a shape."""
    query = BvhQuery()
    nodes = wp.read(tree, 0, int)
    query.nodes = tree + wp.uint64(64)
    query.boxes = tree + wp.uint64(4) * wp.uint64(wp.read(tree, 3, wp.uint32))
    query.ids = tree + wp.uint64(4) * wp.uint64(wp.read(tree, 4, wp.uint32))
    query.shape = shape
    query.at = wp.max(root, 0)
    query.end = nodes
    if root >= 0 and root < nodes:
        query.end = wp.read(query.nodes, 8 * root + 6, int)
    query.ax = a[0]
    query.ay = a[1]
    query.az = a[2]
    query.bx = b[0]
    query.by = b[1]
    query.bz = b[2]
    query.radius = radius
    if root < -1 or wp.isnan(a) or wp.isnan(b) or wp.isnan(radius):
        query.end = query.at
    return query


def entry_of(low: float, high: float, start: float, per_along: float):
    """Where a ray enters the slab between two planes; `per_along` is 1 / direction, or 0 for a ray along the slab."""
    inside = wp.where(low <= start and start <= high, -wp.inf, wp.inf)
    return wp.where(per_along == 0.0, inside, wp.min((low - start) * per_along, (high - start) * per_along))


def exit_of(low: float, high: float, start: float, per_along: float):
    """Where it leaves the slab; nowhere, which is before it enters it, if it is beside the slab."""
    inside = wp.where(low <= start and start <= high, wp.inf, -wp.inf)
    return wp.where(per_along == 0.0, inside, wp.max((low - start) * per_along, (high - start) * per_along))


def per(along: float):
    """1 / x; 0 where that is too large, NaN for NaN."""
    return wp.where(wp.abs(along) > 1.0e-37, 1.0 / along, along * 0.0)


def reach_of(radius: float):
    """A radius; 0 if it is negative, NaN for NaN."""
    return wp.where(radius < 0.0, 0.0, radius)


def outside_of(low: float, high: float, x: float):
    """How far a coordinate is from a range."""
    return wp.max(wp.max(low - x, x - high), 0.0)


def meets(query: BvhQuery, at: wp.uint64, max_dist: float):
    """Whether a box in memory meets the shape of a query."""
    low_x = wp.read(at, 0, float)
    low_y = wp.read(at, 1, float)
    low_z = wp.read(at, 2, float)
    high_x = wp.read(at, 3, float)
    high_y = wp.read(at, 4, float)
    high_z = wp.read(at, 5, float)
    found = False
    if query.shape == 0:
        in_x = low_x <= query.bx and high_x >= query.ax
        in_y = low_y <= query.by and high_y >= query.ay
        in_z = low_z <= query.bz and high_z >= query.az
        found = in_x and in_y and in_z
    elif query.shape == 1:
        # The squares are exact in float64: every processor finds the same.
        x = wp.float64(outside_of(low_x, high_x, query.ax))
        y = wp.float64(outside_of(low_y, high_y, query.ay))
        z = wp.float64(outside_of(low_z, high_z, query.az))
        found = x * x + y * y + z * z <= wp.float64(query.radius) * wp.float64(query.radius)
    else:
        r = query.radius
        enter = wp.max(
            wp.max(
                entry_of(low_x - r, high_x + r, query.ax, query.bx),
                entry_of(low_y - r, high_y + r, query.ay, query.by),
            ),
            entry_of(low_z - r, high_z + r, query.az, query.bz),
        )
        leave = wp.min(
            wp.min(
                exit_of(low_x - r, high_x + r, query.ax, query.bx),
                exit_of(low_y - r, high_y + r, query.ay, query.by),
            ),
            exit_of(low_z - r, high_z + r, query.az, query.bz),
        )
        within = enter < max_dist or (query.shape == 3 and enter <= max_dist)
        found = enter <= leave and leave >= 0.0 and max_dist >= 0.0 and within
    if query.shape != 0:
        # Nor is a box with a NaN met.
        found = found and low_x <= high_x and low_y <= high_y and low_z <= high_z
    return found


def bvh_query_aabb(id: wp.uint64, low: wp.vec3, high: wp.vec3, root: int = -1) -> BvhQuery:
    """Starts a query for the items of a tree whose boxes overlap a box.

    Boxes that touch overlap. `id` is the tree, or its `id`. `root` is the node that `bvh_get_group_root` gave, so that
    only items of that group are found, or -1 for all; below any other number nothing is found. The order of items is
    not specified. Nothing is found where a coordinate is NaN.
    """
    return query_of_tree(id, root, 0, low, high, 0.0)


def bvh_query_sphere(id: wp.uint64, center: wp.vec3, radius: float, root: int = -1) -> BvhQuery:
    """Starts a query for the items of a tree whose boxes are within a distance of a point.

    The distance is to the box itself; one that the sphere touches is found. A negative radius counts as 0. `root` as
    for `bvh_query_aabb`.
    """
    return query_of_tree(id, root, 1, center, center, reach_of(radius))


def bvh_query_ray(id: wp.uint64, start: wp.vec3, dir: wp.vec3, root: int = -1) -> BvhQuery:
    """Starts a query for the items of a tree whose boxes a ray meets.

    `dir` need not have length 1; distances are counted in its lengths. A ray that touches a box meets it. If `dir` is
    zero, boxes that hold `start` are found. `bvh_query_next` has a limit for the distance. `root` as for
    `bvh_query_aabb`.
    """
    along = wp.vec3(per(dir[0]), per(dir[1]), per(dir[2]))
    return query_of_tree(id, root, 2, start, along, 0.0)


def bvh_query_capsule(id: wp.uint64, start: wp.vec3, dir: wp.vec3, radius: float, root: int = -1) -> BvhQuery:
    """Starts a query for the items of a tree whose boxes a thick ray meets: boxes grown by a radius on all sides.

    For the capsule between two points pass `dir = end - start`, and 1.0 as `max_dist` of `bvh_query_next`. A negative
    radius counts as 0. `root` as for `bvh_query_aabb`.
    """
    along = wp.vec3(per(dir[0]), per(dir[1]), per(dir[2]))
    return query_of_tree(id, root, 3, start, along, reach_of(radius))


def bvh_query_next(query: wp.ref[BvhQuery], index: wp.ref[int], max_dist: float = wp.inf) -> bool:
    """Whether a query finds another item; `index` becomes its number in the arrays that the tree was built of.

    For rays and capsules, `max_dist` is the distance, in lengths of `dir`, at which a box must have been entered: less
    for rays, at most for capsules. It may become smaller from call to call. `for index in query` does the same without
    a limit.
    """
    found = False
    while not found and (query.item < query.last or query.at < query.end):
        if query.item < query.last:
            found = meets(query, query.boxes + wp.uint64(24) * wp.uint64(query.item), max_dist)
            if found:
                index = wp.read(query.ids, query.item, int)
            query.item += 1
        else:
            node = query.nodes + wp.uint64(32) * wp.uint64(query.at)
            if meets(query, node, max_dist):
                items = wp.read(node, 7, int)
                query.item = items >> 4
                query.last = query.item + (items & 15)
                query.at += 1
            else:
                query.at = wp.read(node, 6, int)
    return found


def group_root(tree: wp.uint64, group: int):
    """The root of a group of a tree."""
    count = wp.read(tree, 2, int)
    groups = tree + wp.uint64(4) * wp.uint64(wp.read(tree, 5, wp.uint32))
    low = int(0)
    high = count
    while low < high:
        middle = low + (high - low) // 2
        if wp.read(groups, 2 * middle, int) < group:
            low = middle + 1
        else:
            high = middle
    root = int(-1)
    if count == 0 and group == 0 and wp.read(tree, 0, int) > 0:
        # A tree without groups is group 0.
        root = 0
    if low < count and wp.read(groups, 2 * wp.min(low, wp.max(count - 1, 0)), int) == group:
        root = wp.read(groups, 2 * low + 1, int)
    return root


def bvh_get_group_root(id: wp.uint64, group: int) -> int:
    """The node whose subtree holds the items of a group; -1 if there is no such group.

    As -1 stands for the whole tree in queries, test it before passing it on, or pass `wp.where(root < 0, -2, root)`:
    -2 is no node, so that nothing is found.
    """
    return group_root(id, group)


class Nearest:
    """The nearest item so far: the square of its distance, and its number."""

    square: float
    item: int


def square_to(at: wp.uint64, point: wp.vec3):
    """The square of the distance of a point to a box in memory; infinite for one with a NaN or upside down."""
    low = wp.vec3(wp.read(at, 0, float), wp.read(at, 1, float), wp.read(at, 2, float))
    high = wp.vec3(wp.read(at, 3, float), wp.read(at, 4, float), wp.read(at, 5, float))
    x = outside_of(low[0], high[0], point[0])
    y = outside_of(low[1], high[1], point[1])
    z = outside_of(low[2], high[2], point[2])
    is_box = low[0] <= high[0] and low[1] <= high[1] and low[2] <= high[2]
    return wp.where(is_box, x * x + y * y + z * z, wp.inf)


def see_leaf(tree: wp.uint64, node: wp.uint64, point: wp.vec3, nearest: wp.ref[Nearest]):
    """Looks at the items of a leaf. Of items that are equally near, the one with the least number stays."""
    items = wp.read(node, 7, int)
    boxes = tree + wp.uint64(4) * wp.uint64(wp.read(tree, 3, wp.uint32))
    ids = tree + wp.uint64(4) * wp.uint64(wp.read(tree, 4, wp.uint32))
    for k in range(items >> 4, (items >> 4) + (items & 15)):
        square = square_to(boxes + wp.uint64(24) * wp.uint64(k), point)
        item = wp.read(ids, k, int)
        if square < nearest.square or (square == nearest.square and item < nearest.item):
            nearest.square = square
            nearest.item = item


def bvh_query_closest(id: wp.uint64, point: wp.vec3, max_dist: float, root: int = -1) -> int:
    """The item of a tree whose box is closest to a point; -1 if none is nearer than `max_dist`.

    A box that holds the point has the distance 0. Of boxes that are equally close, the one with the least number is
    found. `root` as for `bvh_query_aabb`. Nothing is found if a number is NaN. The result has no gradient.
    """
    query = query_of_tree(id, root, 1, point, point, max_dist)
    nearest = Nearest()
    nearest.item = -1
    nearest.square = wp.where(max_dist > 0.0, max_dist * max_dist, 0.0)
    at = query.at
    # The way down to a leaf, by the nearer child: what is near there spares most of the others.
    while at < query.end:
        node = query.nodes + wp.uint64(32) * wp.uint64(at)
        first = node + wp.uint64(32)
        if wp.read(node, 7, int) != 0:
            see_leaf(id, node, point, nearest)
            at = query.end
        else:
            second = wp.read(first, 6, int)
            other = query.nodes + wp.uint64(32) * wp.uint64(second)
            at = wp.where(square_to(other, point) < square_to(first, point), second, at + 1)
    at = query.at
    while at < query.end:
        node = query.nodes + wp.uint64(32) * wp.uint64(at)
        if square_to(node, point) <= nearest.square:
            if wp.read(node, 7, int) != 0:
                see_leaf(id, node, point, nearest)
            at += 1
        else:
            at = wp.read(node, 6, int)
    return nearest.item
