# Queries of hash grids. The layout of a grid in memory: `geometry/hash_grid.rs`.


class HashGridQuery:
    """A query of a hash grid: which points are still to come."""

    starts: wp.uint64
    ids: wp.uint64
    groups: wp.uint64
    group: int
    dim_x: int
    dim_y: int
    dim_z: int
    x: int
    y: int
    z: int
    count_x: int
    count_y: int
    count_z: int
    run: int
    row: int
    layer: int
    at: int
    end: int


def cell_of(position: Any, per_width: Any):
    """The cell that a coordinate lies in, before the grid repeats; 0 for NaN, and never beyond 2^29."""
    cell = wp.floor(position * per_width)
    cell = wp.where(cell == cell, cell, type(cell)(0.0))
    return int(wp.clamp(cell, type(cell)(-536870912.0), type(cell)(536870912.0)))


def wrapped(cell: int, dim: int):
    """The cell of a grid that repeats, of any cell."""
    rest = cell % dim
    return wp.where(rest < 0, rest + dim, rest)


def stepped(cell: int, dim: int):
    """The same of a cell that is not below 0 and at most one repetition away."""
    return wp.where(cell < dim, cell, cell - dim)


def query_of(grid: wp.uint64, low: Any, high: Any, per_width: Any, group: int, by_group: bool):
    """All points in the cells that a box meets."""
    query = HashGridQuery()
    query.dim_x = wp.read(grid, 0, int)
    query.dim_y = wp.read(grid, 1, int)
    query.dim_z = wp.read(grid, 2, int)
    points = wp.read(grid, 3, int)
    cells = query.dim_x * query.dim_y * query.dim_z
    query.starts = grid + wp.uint64(64)
    query.ids = query.starts + wp.uint64(4) * wp.uint64(cells + 1)
    query.groups = query.ids + wp.uint64(4) * wp.uint64(points)
    query.group = group
    first_x = cell_of(low[0], per_width)
    first_y = cell_of(low[1], per_width)
    first_z = cell_of(low[2], per_width)
    query.count_x = wp.min(cell_of(high[0], per_width) - first_x + 1, query.dim_x)
    query.count_y = wp.min(cell_of(high[1], per_width) - first_y + 1, query.dim_y)
    query.count_z = wp.min(cell_of(high[2], per_width) - first_z + 1, query.dim_z)
    query.x = wrapped(first_x, query.dim_x)
    query.y = wrapped(first_y, query.dim_y)
    query.z = wrapped(first_z, query.dim_z)
    grouped = by_group and wp.read(grid, 4, int) != 0
    if not grouped:
        query.groups = wp.uint64(0)
    if points == 0 or query.count_x <= 0 or query.count_y <= 0:
        query.count_z = 0
    return query


def first_of_group(groups: wp.uint64, low: int, high: int, group: int):
    """The first place from `low` on whose group is not less than `group`; `high` if there is none."""
    while low < high:
        middle = low + (high - low) // 2
        if wp.read(groups, middle, int) < group:
            low = middle + 1
        else:
            high = middle
    return low


def next_run(query: wp.ref[HashGridQuery]):
    """Goes to the next run of points: cells side by side, or one cell where only one group is wanted."""
    y = stepped(query.y + query.row, query.dim_y)
    z = stepped(query.z + query.layer, query.dim_z)
    start = (z * query.dim_y + y) * query.dim_x
    runs = int(1)
    if query.groups == wp.uint64(0):
        last = query.x + query.count_x
        if last > query.dim_x:
            runs = 2
        first = query.x
        if query.run == 1:
            first = 0
            last = last - query.dim_x
        last = wp.min(last, query.dim_x)
        query.at = wp.read(query.starts, start + first, int)
        query.end = wp.read(query.starts, start + last, int)
    else:
        runs = query.count_x
        cell = start + stepped(query.x + query.run, query.dim_x)
        low = wp.read(query.starts, cell, int)
        high = wp.read(query.starts, cell + 1, int)
        query.at = first_of_group(query.groups, low, high, query.group)
        query.end = high
        if query.group < 2147483647:
            query.end = first_of_group(query.groups, query.at, high, query.group + 1)
    query.run += 1
    if query.run == runs:
        query.run = 0
        query.row += 1
    if query.row == query.count_y:
        query.row = 0
        query.layer += 1


def hash_grid_query(id: wp.uint64, point: wp.vec3, max_dist: float) -> HashGridQuery:
    """Starts a query for the points of a hash grid near a point.

    The query finds the points in all cells that the box `point` +- `max_dist` meets, each once. These are all points
    within `max_dist`, and others: compare distances. A grid repeats in space, so points that are whole grids away are
    found, too. The order is that of the cells, x fastest, and in a cell that of the points.

    `id` is the grid, or its `id`. With `group`, only points of that group are found, if the grid was built with groups.
    Nothing is found if `max_dist` is negative or the grid has not been built.
    """
    reach = wp.vec3(max_dist, max_dist, max_dist)
    return query_of(id, point - reach, point + reach, wp.read(id, 8, float), 0, False)


def hash_grid_query(id: wp.uint64, point: wp.vec3, max_dist: float, group: int) -> HashGridQuery:
    reach = wp.vec3(max_dist, max_dist, max_dist)
    return query_of(id, point - reach, point + reach, wp.read(id, 8, float), group, True)


def hash_grid_query(id: wp.uint64, point: wp.vec3h, max_dist: wp.float16) -> HashGridQuery:
    reach = wp.vec3(float(max_dist), float(max_dist), float(max_dist))
    middle = wp.vec3(float(point[0]), float(point[1]), float(point[2]))
    return query_of(id, middle - reach, middle + reach, wp.read(id, 8, float), 0, False)


def hash_grid_query(id: wp.uint64, point: wp.vec3h, max_dist: wp.float16, group: int) -> HashGridQuery:
    reach = wp.vec3(float(max_dist), float(max_dist), float(max_dist))
    middle = wp.vec3(float(point[0]), float(point[1]), float(point[2]))
    return query_of(id, middle - reach, middle + reach, wp.read(id, 8, float), group, True)


def hash_grid_query(id: wp.uint64, point: wp.vec3d, max_dist: wp.float64) -> HashGridQuery:
    reach = wp.vec3d(max_dist, max_dist, max_dist)
    return query_of(id, point - reach, point + reach, wp.read(id, 4, wp.float64), 0, False)


def hash_grid_query(id: wp.uint64, point: wp.vec3d, max_dist: wp.float64, group: int) -> HashGridQuery:
    reach = wp.vec3d(max_dist, max_dist, max_dist)
    return query_of(id, point - reach, point + reach, wp.read(id, 4, wp.float64), group, True)


def hash_grid_query_next(query: wp.ref[HashGridQuery], index: wp.ref[int]) -> bool:
    """Whether a query finds another point; `index` becomes its number in the array that the grid was built of.

    `for index in query` does the same.
    """
    while query.at >= query.end and query.layer < query.count_z:
        next_run(query)
    found = query.at < query.end
    if found:
        index = wp.read(query.ids, query.at, int)
        query.at += 1
    return found


def hash_grid_point_id(id: wp.uint64, index: int) -> int:
    """The number of the point that is in this place when points are sorted by cells; -1 if there is none.

    Threads that work on `hash_grid_point_id(id, wp.tid())` read neighbouring memory. A launch with a thread for each
    point of a grid that it queries runs in this order by itself on the CPU, unless its result would depend on it.
    """
    if index < 0 or index >= wp.read(id, 3, int):
        return -1
    cells = wp.read(id, 0, int) * wp.read(id, 1, int) * wp.read(id, 2, int)
    return wp.read(id + wp.uint64(64) + wp.uint64(4) * wp.uint64(cells + 1), index, int)
