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
