# Samples of textures. How a texture is described in memory: `warp/_geometry/texture.py`. Texels of float32 are elements
# of an array, so that they have derivatives.


class Texture1D:
    """A line of texels, between which `wp.texture_sample` interpolates."""

    id: wp.uint64
    width: int


class Texture2D:
    """An image of texels, between which `wp.texture_sample` interpolates."""

    id: wp.uint64
    width: int
    height: int


class Texture3D:
    """A box of texels, between which `wp.texture_sample` interpolates."""

    id: wp.uint64
    width: int
    height: int
    depth: int


class Level:
    """A level of a texture: where its texels lie, and how many there are along each axis."""

    first: int
    width: int
    height: int
    depth: int


class Along:
    """Where a coordinate lies: the texels on both sides, -1 for the border, how far it is between them, and whether
    both are texels of the texture itself.
    """

    low: int
    high: int
    part: float
    inner: bool


def level_of(texture: wp.uint64, n: int):
    """A level."""
    level = Level()
    level.first = wp.read(texture, 32 + 4 * n, int)
    level.width = wp.read(texture, 33 + 4 * n, int)
    level.height = wp.read(texture, 34 + 4 * n, int)
    level.depth = wp.read(texture, 35 + 4 * n, int)
    return level


def placed(n: int, size: int, mode: int):
    """The texel that one of any number stands for; -1 for the border. Modes: 0 wrap, 1 clamp, 2 mirror, 3 border."""
    if mode == 1:
        return wp.clamp(n, 0, size - 1)
    if mode == 3:
        return wp.where(n < 0 or n >= size, -1, n)
    period = wp.where(mode == 2, 2 * size, size)
    rest = n % period
    rest = wp.where(rest < 0, rest + period, rest)
    return wp.where(rest < size, rest, 2 * size - 1 - rest)


def along_of(texture: wp.uint64, axis: int, u: float, size: int):
    """Where a coordinate lies along an axis."""
    x = u
    if wp.read(texture, 9, int) != 0:
        x = u * float(size)
    linear = wp.read(texture, 7, int) == 1
    if linear:
        x = x - 0.5
    result = Along()
    floor = wp.floor(x)
    if floor >= 0.0 and floor < float(size - 1):
        result.low = int(floor)
        result.high = result.low + 1
        result.part = x - floor
        result.inner = True
        return result
    mode = wp.read(texture, 10 + axis, int)
    # Far outside nothing changes any more; NaN is the last texel, or beyond the border.
    end = float(size)
    if mode == 1:
        x = wp.where(x < end, wp.max(x, -1.0), end)
    elif mode == 3:
        x = wp.where(x < end + 1.0, wp.max(x, -2.0), end + 1.0)
    floor = wp.floor(x)
    if linear:
        result.part = x - floor
    if not wp.isfinite(x):
        floor = 0.0
    period = float(2 * size)
    if wp.abs(floor) > 1.0e6:
        floor = floor - period * wp.floor(floor / period)
    result.low = placed(int(floor), size, mode)
    result.high = result.low
    if linear:
        result.high = placed(int(floor) + 1, size, mode)
    return result


def texels_of(texture: wp.uint64):
    """The numbers of a texture of float32."""
    return wp.array(
        ptr=wp.read(texture, 0, wp.uint64),
        grad=wp.read(texture, 1, wp.uint64),
        shape=wp.read(texture, 4, int),
        dtype=float,
    )


def number_of(texture: wp.uint64, n: int):
    """A number of a texture: as it is, or of 8 and 16 bits between 0 and 1 or -1 and 1."""
    code = wp.read(texture, 5, int)
    at = wp.read(texture, 0, wp.uint64)
    if code == 0:
        texels = texels_of(texture)
        return texels[n]
    if code == 1:
        return float(wp.read(at, n, wp.float16))
    if code == 2:
        return float(wp.read(at, n, wp.uint32))
    if code == 3:
        return float(wp.read(at, n, int))
    if code <= 5:
        byte = (wp.read(at, n >> 2, wp.uint32) >> wp.uint32(8 * (n & 3))) & wp.uint32(255)
        if code == 4:
            return float(byte) / 255.0
        return wp.max(float(wp.int8(byte)) / 127.0, -1.0)
    short = (wp.read(at, n >> 1, wp.uint32) >> wp.uint32(16 * (n & 1))) & wp.uint32(65535)
    if code == 6:
        return float(short) / 65535.0
    return wp.max(float(wp.int16(short)) / 32767.0, -1.0)


def channel_of(texture: wp.uint64, texel: int, channel: int):
    """A number of a texel; 0 for the border, and for a channel that there is not."""
    channels = wp.read(texture, 6, int)
    if texel < 0 or channel >= channels:
        return 0.0
    return number_of(texture, texel * channels + channel)


def texel_of(texture: wp.uint64, texel: int, zero: float):
    """A texel, of the type of `zero`."""
    return channel_of(texture, texel, 0)


def texel_of(texture: wp.uint64, texel: int, zero: wp.vec2):
    return wp.vec2(channel_of(texture, texel, 0), channel_of(texture, texel, 1))


def texel_of(texture: wp.uint64, texel: int, zero: wp.vec4):
    return wp.vec4(
        channel_of(texture, texel, 0),
        channel_of(texture, texel, 1),
        channel_of(texture, texel, 2),
        channel_of(texture, texel, 3),
    )


def texel_at(texture: wp.uint64, level: Level, x: int, y: int, z: int, zero: Any):
    """The texel in a place of a level; 0 where a coordinate is -1."""
    n = level.first + (z * level.height + y) * level.width + x
    return texel_of(texture, wp.where(x < 0 or y < 0 or z < 0, -1, n), zero)


def mixed(a: Any, b: Any, part: float):
    """A value between two."""
    return a * (1.0 - part) + b * part


def in_line(texture: wp.uint64, level: Level, x: Along, y: int, z: int, zero: Any):
    """The value in a line of texels."""
    low = texel_at(texture, level, x.low, y, z, zero)
    if wp.read(texture, 7, int) == 0:
        return low
    return mixed(low, texel_at(texture, level, x.high, y, z, zero), x.part)


def in_plane(texture: wp.uint64, level: Level, x: Along, y: Along, z: int, zero: Any):
    """The value in a plane of texels."""
    low = in_line(texture, level, x, y.low, z, zero)
    if wp.read(texture, 7, int) == 0:
        return low
    return mixed(low, in_line(texture, level, x, y.high, z, zero), y.part)


def is_single(texture: wp.uint64):
    """Whether texels are interpolated, and each is one number of float32."""
    kind = wp.read(texture, 5, int) == 0 and wp.read(texture, 6, int) == 1
    return kind and wp.read(texture, 7, int) == 1


def at_level(texture: wp.uint64, n: int, u: float, zero: Any):
    """The value of a level at a place."""
    level = level_of(texture, n)
    return in_line(texture, level, along_of(texture, 0, u, level.width), 0, 0, zero)


def at_level(texture: wp.uint64, n: int, uv: wp.vec2, zero: Any):
    level = level_of(texture, n)
    x = along_of(texture, 0, uv[0], level.width)
    y = along_of(texture, 1, uv[1], level.height)
    return in_plane(texture, level, x, y, 0, zero)


def at_level(texture: wp.uint64, n: int, uv: wp.vec2, zero: float):
    level = level_of(texture, n)
    x = along_of(texture, 0, uv[0], level.width)
    y = along_of(texture, 1, uv[1], level.height)
    if x.inner and y.inner and is_single(texture):
        v = texels_of(texture)
        a = level.first + y.low * level.width + x.low
        b = a + level.width
        return mixed(mixed(v[a], v[a + 1], x.part), mixed(v[b], v[b + 1], x.part), y.part)
    return in_plane(texture, level, x, y, 0, zero)


def in_box(texture: wp.uint64, level: Level, x: Along, y: Along, z: Along, zero: Any):
    """The value in a box of texels."""
    low = in_plane(texture, level, x, y, z.low, zero)
    if wp.read(texture, 7, int) == 0:
        return low
    return mixed(low, in_plane(texture, level, x, y, z.high, zero), z.part)


def at_level(texture: wp.uint64, n: int, uvw: wp.vec3, zero: Any):
    level = level_of(texture, n)
    x = along_of(texture, 0, uvw[0], level.width)
    y = along_of(texture, 1, uvw[1], level.height)
    z = along_of(texture, 2, uvw[2], level.depth)
    return in_box(texture, level, x, y, z, zero)


def at_level(texture: wp.uint64, n: int, uvw: wp.vec3, zero: float):
    level = level_of(texture, n)
    x = along_of(texture, 0, uvw[0], level.width)
    y = along_of(texture, 1, uvw[1], level.height)
    z = along_of(texture, 2, uvw[2], level.depth)
    if x.inner and y.inner and z.inner and is_single(texture):
        v = texels_of(texture)
        a = level.first + (z.low * level.height + y.low) * level.width + x.low
        b = a + level.width
        c = a + level.width * level.height
        d = c + level.width
        low = mixed(mixed(v[a], v[a + 1], x.part), mixed(v[b], v[b + 1], x.part), y.part)
        high = mixed(mixed(v[c], v[c + 1], x.part), mixed(v[d], v[d + 1], x.part), y.part)
        return mixed(low, high, z.part)
    return in_box(texture, level, x, y, z, zero)


def sample_of(id: wp.uint64, place: Any, lod: float, zero: Any):
    """The value of a texture at a place; 0 of no texture."""
    result = zero
    if id != wp.uint64(0):
        texture = wp.object("texture", id)
        levels = wp.read(texture, 8, int)
        if levels == 1 or not (lod > 0.0):
            result = at_level(texture, 0, place, zero)
        else:
            last = float(levels - 1)
            at = wp.min(lod, last)
            low = wp.floor(at)
            if wp.read(texture, 13, int) == 0:
                result = at_level(texture, int(wp.floor(at + 0.5)), place, zero)
            else:
                a = at_level(texture, int(low), place, zero)
                b = at_level(texture, int(wp.min(low + 1.0, last)), place, zero)
                result = mixed(a, b, at - low)
    return result


def texture_sample(tex: Texture1D, u: float, dtype: Any, lod: float = -1.0) -> Any:
    """The value of a texture at a place.

    `tex` is a parameter or field of type `wp.Texture1D`, `wp.Texture2D` or `wp.Texture3D`; None gives 0. Coordinates
    are from 0 to 1, or in texels, as the texture was made; texel i has its centre at i + 0.5. `dtype` is `float`,
    `wp.vec2` or `wp.vec4`: one channel, or as many as there are, others 0. `lod` is the mipmap level, 0 the largest.
    Has derivatives to the coordinates, to `lod` where levels are blended, and to the texels of a texture of an array of
    float32 that requires a gradient.
    """
    return sample_of(tex.id, u, lod, dtype())


def texture_sample(tex: Texture2D, uv: wp.vec2, dtype: Any, lod: float = -1.0) -> Any:
    return sample_of(tex.id, uv, lod, dtype())


def texture_sample(tex: Texture2D, u: float, v: float, dtype: Any, lod: float = -1.0) -> Any:
    return sample_of(tex.id, wp.vec2(u, v), lod, dtype())


def texture_sample(tex: Texture3D, uvw: wp.vec3, dtype: Any, lod: float = -1.0) -> Any:
    return sample_of(tex.id, uvw, lod, dtype())


def texture_sample(tex: Texture3D, u: float, v: float, w: float, dtype: Any, lod: float = -1.0) -> Any:
    return sample_of(tex.id, wp.vec3(u, v, w), lod, dtype())
