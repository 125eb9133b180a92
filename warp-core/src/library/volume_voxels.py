# Lookups of volumes. The header of a volume in memory: `geometry/volume/mod.rs`; its grid: `geometry/volume/layout.rs`.
# Values in leaves are elements of arrays, so that they have derivatives.


class Voxel:
    """Where the value of a voxel lies: in this place of a leaf, or at an address if it has no leaf."""

    leaf: wp.uint64
    place: int
    at: wp.uint64


class Cell:
    """A cell between eight voxels: the lowest of them, and how far along each axis a point is."""

    x: int
    y: int
    z: int
    along: wp.vec3


def tile_of(volume: wp.uint64, x: int, y: int, z: int):
    """The root's tile with a voxel; -1 if there is none."""
    key = wp.uint64(wp.uint32(z) >> wp.uint32(12))
    key = key | (wp.uint64(wp.uint32(y) >> wp.uint32(12)) << wp.uint64(21))
    key = key | (wp.uint64(wp.uint32(x) >> wp.uint32(12)) << wp.uint64(42))
    count = wp.read(volume, 6, int)
    low = int(0)
    high = count
    while low < high:
        middle = (low + high) // 2
        if wp.read(volume, 40 + middle, wp.uint64) < key:
            low = middle + 1
        else:
            high = middle
    if low == count:
        return -1
    return wp.where(wp.read(volume, 40 + low, wp.uint64) == key, low, -1)


def is_set(mask: wp.uint64, n: int):
    """Whether a bit of a mask is set."""
    word = wp.read(mask, n >> 5, wp.uint32)
    return (word >> wp.uint32(n & 31)) & wp.uint32(1) != wp.uint32(0)


def place_of(x: int, y: int, z: int):
    """The place of a voxel in its leaf."""
    return ((x & 7) << 6) | ((y & 7) << 3) | (z & 7)


def listed(volume: wp.uint64, x: int, y: int, z: int):
    """The number of a leaf in the list of those near each other, counted from 1; 0 if it is not there."""
    table = wp.read(volume, 66, int)
    a = wp.uint32(x - wp.read(volume, 67, int))
    b = wp.uint32(y - wp.read(volume, 68, int))
    c = wp.uint32(z - wp.read(volume, 69, int))
    height = wp.read(volume, 71, wp.uint32)
    depth = wp.read(volume, 72, wp.uint32)
    if a >= wp.read(volume, 70, wp.uint32) or b >= height or c >= depth:
        return wp.uint32(0)
    return wp.read(volume, table + int((a * height + b) * depth + c), wp.uint32)


def voxel_of(volume: wp.uint64, x: int, y: int, z: int):
    """Where the value of a voxel lies."""
    voxel = Voxel()
    voxel.place = place_of(x, y, z)
    number = listed(volume, x >> 3, y >> 3, z >> 3)
    if number != wp.uint32(0):
        far = wp.uint64(number - wp.uint32(1)) * wp.read(volume, 5, wp.uint64)
        voxel.leaf = wp.read(volume, 4, wp.uint64) + far
        return voxel
    voxel.at = wp.read(volume, 2, wp.uint64)
    tile = tile_of(volume, x, y, z)
    if tile >= 0:
        count = wp.read(volume, 6, int)
        upper = wp.read(volume, 40 + count + tile, wp.uint64)
        voxel.at = wp.read(volume, 40 + 2 * count + tile, wp.uint64)
        if upper != wp.uint64(0):
            size = wp.read(volume, 8, wp.uint64)
            n = (((x >> 7) & 31) << 10) | (((y >> 7) & 31) << 5) | ((z >> 7) & 31)
            voxel.at = upper + wp.read(volume, 9, wp.uint64) + wp.uint64(n) * size
            if is_set(upper + wp.uint64(4128), n):
                lower = upper + wp.read(voxel.at, 0, wp.uint64)
                n = (((x >> 3) & 15) << 8) | (((y >> 3) & 15) << 4) | ((z >> 3) & 15)
                voxel.at = lower + wp.read(volume, 10, wp.uint64) + wp.uint64(n) * size
                if is_set(lower + wp.uint64(544), n):
                    voxel.leaf = lower + wp.read(voxel.at, 0, wp.uint64)
    return voxel


def gradient_of(volume: wp.uint64, at: wp.uint64):
    """Where the gradient of a value of a leaf lies; 0 for none."""
    gradient = wp.read(volume, 1, wp.uint64)
    if gradient != wp.uint64(0):
        gradient = gradient + (at - wp.read(volume, 0, wp.uint64))
    return gradient


def plain_of(volume: wp.uint64, voxel: Voxel, dtype: Any):
    """The value of a voxel that is not coded."""
    at = voxel.at
    gradient = wp.uint64(0)
    place = int(0)
    if voxel.leaf != wp.uint64(0):
        at = voxel.leaf + wp.read(volume, 6, wp.uint64)
        gradient = gradient_of(volume, at)
        place = voxel.place
    values = wp.array(ptr=at, grad=gradient, shape=585, dtype=dtype)
    return values[place]


def is_coded(volume: wp.uint64):
    """Whether leaves hold codes."""
    return wp.read(volume, 14, int) >= 3


def decoded(volume: wp.uint64, voxel: Voxel):
    """The value of a voxel whose leaf holds codes."""
    coding = wp.read(volume, 14, int)
    if coding == 7:
        return float(wp.read(voxel.leaf + wp.read(volume, 6, wp.uint64), voxel.place, wp.float16))
    bits = wp.int32(wp.read(voxel.leaf, 3, wp.uint32) >> wp.uint32(29))
    bits = wp.where(coding == 6, bits, coding - 1)
    at = voxel.place << bits
    word = wp.read(voxel.leaf + wp.uint64(96), at >> 5, wp.uint32) >> wp.uint32(at & 31)
    mask = (wp.uint64(1) << wp.uint64(1 << bits)) - wp.uint64(1)
    code = wp.uint64(word) & mask
    return wp.read(voxel.leaf, 20, float) + float(code) * wp.read(voxel.leaf, 21, float)


def value_of(volume: wp.uint64, voxel: Voxel, zero: Any):
    """The value of a voxel, of the type of `zero`."""
    return plain_of(volume, voxel, type(zero))


def value_of(volume: wp.uint64, voxel: Voxel, zero: float):
    if voxel.leaf != wp.uint64(0) and is_coded(volume):
        return decoded(volume, voxel)
    return plain_of(volume, voxel, float)


def values_of(volume: wp.uint64, leaf: wp.uint64, dtype: Any):
    """The values of a leaf that is not coded. There are 512; 585 is more than the place of any corner of a cell, so
    that no index has to be checked.
    """
    at = leaf + wp.read(volume, 6, wp.uint64)
    return wp.array(ptr=at, grad=gradient_of(volume, at), shape=585, dtype=dtype)


def value_at(volume: wp.uint64, x: int, y: int, z: int, zero: Any):
    """The value of a voxel of these coordinates."""
    return value_of(volume, voxel_of(volume, x, y, z), zero)


def number_of(volume: wp.uint64, voxel: Voxel):
    """The number of a voxel; -1 if it has none."""
    coding = wp.read(volume, 14, int)
    numbered = coding == 1 or coding == 2
    if voxel.leaf == wp.uint64(0):
        if numbered:
            return int(wp.read(voxel.at, 0, wp.uint64)) - 1
        return -1
    if coding == 1:
        return int(wp.read(voxel.leaf, 10, wp.uint64)) + voxel.place - 1
    if coding == 2:
        word = voxel.place >> 6
        mask = wp.read(voxel.leaf + wp.uint64(16), word, wp.uint64)
        bit = wp.uint64(1) << wp.uint64(voxel.place & 63)
        if (mask & bit) == wp.uint64(0):
            return -1
        before = wp.bit_count(mask & (bit - wp.uint64(1)))
        if word > 0:
            counts = wp.read(voxel.leaf, 11, wp.uint64) >> wp.uint64(9 * (word - 1))
            before += int(counts & wp.uint64(511))
        return int(wp.read(voxel.leaf, 10, wp.uint64)) + before - 1
    stride = wp.read(volume, 5, wp.uint64)
    if stride == wp.uint64(0):
        return -1
    return int((voxel.leaf - wp.read(volume, 4, wp.uint64)) // stride) * 512 + voxel.place


def cell_at(point: wp.vec3):
    """The cell that a point lies in."""
    cell = Cell()
    low = wp.vec3(wp.floor(point[0]), wp.floor(point[1]), wp.floor(point[2]))
    cell.x = int(low[0])
    cell.y = int(low[1])
    cell.z = int(low[2])
    cell.along = point - low
    return cell


def is_in_leaf(voxel: Voxel, cell: Cell):
    """Whether all voxels of a cell lie in the leaf of the lowest one."""
    return voxel.leaf != wp.uint64(0) and (cell.x & 7) < 7 and (cell.y & 7) < 7 and (cell.z & 7) < 7


def nearest_of(point: wp.vec3):
    """The voxel closest to a point, as a cell; halves go away from zero."""
    cell = Cell()
    cell.x = int(wp.round(point[0]))
    cell.y = int(wp.round(point[1]))
    cell.z = int(wp.round(point[2]))
    return cell


def mixed(a: Any, b: Any, along: float):
    """A value between two."""
    return a * (1.0 - along) + b * along


def mixed(a: wp.float64, b: wp.float64, along: float):
    return a * (wp.float64(1.0) - wp.float64(along)) + b * wp.float64(along)


def mixed(a: wp.vec3d, b: wp.vec3d, along: float):
    return a * (wp.float64(1.0) - wp.float64(along)) + b * wp.float64(along)


def mixed(a: wp.vec4d, b: wp.vec4d, along: float):
    return a * (wp.float64(1.0) - wp.float64(along)) + b * wp.float64(along)


def blended(c: Cell, a: Any, b: Any, d: Any, e: Any, f: Any, g: Any, h: Any, i: Any):
    """The value in a cell, of those of its corners, z fastest."""
    low = mixed(mixed(a, b, c.along[2]), mixed(d, e, c.along[2]), c.along[1])
    high = mixed(mixed(f, g, c.along[2]), mixed(h, i, c.along[2]), c.along[1])
    return mixed(low, high, c.along[0])


def slopes(x: float, y: float, z: float):
    """A gradient, of its parts along the axes."""
    return wp.vec3(x, y, z)


def slopes(x: wp.float64, y: wp.float64, z: wp.float64):
    return wp.vec3d(x, y, z)


def slopes(x: Any, y: Any, z: Any):
    return wp.matrix_from_cols(x, y, z)


def sloped(c: Cell, a: Any, b: Any, d: Any, e: Any, f: Any, g: Any, h: Any, i: Any):
    """The gradient in a cell, of the values of its corners, z fastest."""
    x = mixed(mixed(f - a, g - b, c.along[2]), mixed(h - d, i - e, c.along[2]), c.along[1])
    y = mixed(mixed(d - a, e - b, c.along[2]), mixed(h - f, i - g, c.along[2]), c.along[0])
    z = mixed(mixed(b - a, e - d, c.along[1]), mixed(g - f, i - h, c.along[1]), c.along[0])
    return slopes(x, y, z)


def corners_of(volume: wp.uint64, c: Cell, zero: Any):
    """The values of the voxels at the corners of a cell, z fastest."""
    voxel = voxel_of(volume, c.x, c.y, c.z)
    if is_in_leaf(voxel, c) and not is_coded(volume):
        v = values_of(volume, voxel.leaf, type(zero))
        n = voxel.place
        return v[n], v[n + 1], v[n + 8], v[n + 9], v[n + 64], v[n + 65], v[n + 72], v[n + 73]
    return (
        value_of(volume, voxel, zero),
        value_at(volume, c.x, c.y, c.z + 1, zero),
        value_at(volume, c.x, c.y + 1, c.z, zero),
        value_at(volume, c.x, c.y + 1, c.z + 1, zero),
        value_at(volume, c.x + 1, c.y, c.z, zero),
        value_at(volume, c.x + 1, c.y, c.z + 1, zero),
        value_at(volume, c.x + 1, c.y + 1, c.z, zero),
        value_at(volume, c.x + 1, c.y + 1, c.z + 1, zero),
    )


def closest_of(volume: wp.uint64, point: wp.vec3, zero: Any):
    """The value of the voxel closest to a point; the background for NaN."""
    voxel = Voxel()
    voxel.at = wp.read(volume, 2, wp.uint64)
    if not wp.isnan(point):
        cell = nearest_of(point)
        voxel = voxel_of(volume, cell.x, cell.y, cell.z)
    return value_of(volume, voxel, zero)


def sample_of(volume: wp.uint64, point: wp.vec3, mode: int, zero: Any):
    """The value at a point; zero in a mode that there is not."""
    result = zero
    if mode == 1:
        cell = cell_at(point)
        a, b, c, d, e, f, g, h = corners_of(volume, cell, zero)
        result = blended(cell, a, b, c, d, e, f, g, h)
    elif mode == 0:
        result = closest_of(volume, point, zero)
    return result


def whole_of(volume: wp.uint64, point: wp.vec3, mode: int, zero: Any):
    """The same, of integers, which are not interpolated."""
    result = zero
    if mode == 0 or mode == 1:
        result = closest_of(volume, point, zero)
    return result


def sample_of(volume: wp.uint64, point: wp.vec3, mode: int, zero: int):
    return whole_of(volume, point, mode, zero)


def sample_of(volume: wp.uint64, point: wp.vec3, mode: int, zero: wp.int64):
    return whole_of(volume, point, mode, zero)


def sample_of(volume: wp.uint64, point: wp.vec3, mode: int, zero: wp.uint32):
    return whole_of(volume, point, mode, zero)


def element_of(volume: wp.uint64, voxel: Voxel, data: wp.array[Any], background: Any):
    """The element of an array that a voxel numbers."""
    number = number_of(volume, voxel)
    result = background
    if number >= 0:
        result = data[number]
    return result


def element_at(volume: wp.uint64, x: int, y: int, z: int, data: wp.array[Any], background: Any):
    """The same, of the voxel of these coordinates."""
    return element_of(volume, voxel_of(volume, x, y, z), data, background)


def elements_of(volume: wp.uint64, c: Cell, data: wp.array[Any], background: Any):
    """The elements of the voxels at the corners of a cell, z fastest."""
    return (
        element_at(volume, c.x, c.y, c.z, data, background),
        element_at(volume, c.x, c.y, c.z + 1, data, background),
        element_at(volume, c.x, c.y + 1, c.z, data, background),
        element_at(volume, c.x, c.y + 1, c.z + 1, data, background),
        element_at(volume, c.x + 1, c.y, c.z, data, background),
        element_at(volume, c.x + 1, c.y, c.z + 1, data, background),
        element_at(volume, c.x + 1, c.y + 1, c.z, data, background),
        element_at(volume, c.x + 1, c.y + 1, c.z + 1, data, background),
    )


def closest_element(volume: wp.uint64, point: wp.vec3, data: wp.array[Any], background: Any):
    """The element of the voxel closest to a point."""
    result = background
    if not wp.isnan(point):
        cell = nearest_of(point)
        result = element_at(volume, cell.x, cell.y, cell.z, data, background)
    return result


def sampled_element(volume: wp.uint64, point: wp.vec3, mode: int, data: wp.array[Any], background: Any):
    """The value at a point of an array with an element for each voxel."""
    result = background
    if mode == 1:
        cell = cell_at(point)
        a, b, c, d, e, f, g, h = elements_of(volume, cell, data, background)
        result = blended(cell, a, b, c, d, e, f, g, h)
    else:
        result = closest_element(volume, point, data, background)
    return result


def sampled_element(volume: wp.uint64, point: wp.vec3, mode: int, data: wp.array[int], background: int):
    return closest_element(volume, point, data, background)


def sampled_element(volume: wp.uint64, point: wp.vec3, mode: int, data: wp.array[wp.int64], background: wp.int64):
    return closest_element(volume, point, data, background)


def sampled_element(volume: wp.uint64, point: wp.vec3, mode: int, data: wp.array[wp.uint32], background: wp.uint32):
    return closest_element(volume, point, data, background)


def sampled_element(volume: wp.uint64, point: wp.vec3, mode: int, data: wp.array[wp.uint64], background: wp.uint64):
    return closest_element(volume, point, data, background)


def sampled_element(volume: wp.uint64, point: wp.vec3, mode: int, data: wp.array[wp.int16], background: wp.int16):
    return closest_element(volume, point, data, background)


def sampled_element(volume: wp.uint64, point: wp.vec3, mode: int, data: wp.array[wp.uint16], background: wp.uint16):
    return closest_element(volume, point, data, background)


def sampled_element(volume: wp.uint64, point: wp.vec3, mode: int, data: wp.array[wp.int8], background: wp.int8):
    return closest_element(volume, point, data, background)


def sampled_element(volume: wp.uint64, point: wp.vec3, mode: int, data: wp.array[wp.uint8], background: wp.uint8):
    return closest_element(volume, point, data, background)


def graded_of(volume: wp.uint64, point: wp.vec3, mode: int, zero: Any):
    """The value at a point, and its gradient."""
    result = zero
    slope = slopes(zero, zero, zero)
    if mode == 1:
        cell = cell_at(point)
        a, b, c, d, e, f, g, h = corners_of(volume, cell, zero)
        slope = sloped(cell, a, b, c, d, e, f, g, h)
        result = blended(cell, a, b, c, d, e, f, g, h)
    elif mode == 0:
        result = closest_of(volume, point, zero)
    return result, slope


def graded_element(volume: wp.uint64, point: wp.vec3, mode: int, data: wp.array[Any], background: Any):
    """The same, of an array with an element for each voxel."""
    result = background
    zero = background - background
    slope = slopes(zero, zero, zero)
    if mode == 1:
        cell = cell_at(point)
        a, b, c, d, e, f, g, h = elements_of(volume, cell, data, background)
        slope = sloped(cell, a, b, c, d, e, f, g, h)
        result = blended(cell, a, b, c, d, e, f, g, h)
    else:
        result = closest_element(volume, point, data, background)
    return result, slope


def read_double(volume: wp.uint64, n: int):
    """A number of the header."""
    return wp.read(volume, n, wp.float64)


def read_float(volume: wp.uint64, n: int):
    """The same in float32."""
    return float(wp.read(volume, n, wp.float64))


def turned(volume: wp.uint64, matrix: int, v: wp.vec3):
    """A matrix of a volume times a vector."""
    a = wp.vec3(read_float(volume, matrix), read_float(volume, matrix + 1), read_float(volume, matrix + 2))
    b = wp.vec3(read_float(volume, matrix + 3), read_float(volume, matrix + 4), read_float(volume, matrix + 5))
    c = wp.vec3(read_float(volume, matrix + 6), read_float(volume, matrix + 7), read_float(volume, matrix + 8))
    return wp.vec3(wp.dot(a, v), wp.dot(b, v), wp.dot(c, v))


def turned(volume: wp.uint64, matrix: int, v: wp.vec3d):
    a = wp.vec3d(read_double(volume, matrix), read_double(volume, matrix + 1), read_double(volume, matrix + 2))
    b = wp.vec3d(read_double(volume, matrix + 3), read_double(volume, matrix + 4), read_double(volume, matrix + 5))
    c = wp.vec3d(read_double(volume, matrix + 6), read_double(volume, matrix + 7), read_double(volume, matrix + 8))
    return wp.vec3d(wp.dot(a, v), wp.dot(b, v), wp.dot(c, v))


def first_of(volume: wp.uint64, v: wp.vec3):
    """Where voxel 0 lies, in the type of a vector."""
    return wp.vec3(read_float(volume, 30), read_float(volume, 31), read_float(volume, 32))


def first_of(volume: wp.uint64, v: wp.vec3d):
    return wp.vec3d(read_double(volume, 30), read_double(volume, 31), read_double(volume, 32))
