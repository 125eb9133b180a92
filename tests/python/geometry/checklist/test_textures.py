"""Textures: what texels are made of, addresses of odd coordinates, levels of odd sizes, copies, and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

RNG = np.random.default_rng(64)
MODES = wp.TextureAddressMode
CLASSES = (None, wp.Texture1D, wp.Texture2D, wp.Texture3D)
TYPES = (wp.uint8, wp.uint16, wp.uint32, wp.int8, wp.int16, wp.int32, wp.float16, wp.float32)
SHAPE = (3, 4, 5)


def sampler(ndim: int, dtype: Any) -> Any:
    """A kernel that samples at `at`, with as many coordinates as there are, at a level."""
    kind = CLASSES[ndim]

    @wp.kernel(module="unique")
    def one(t: kind, at: wp.array2d[float], lod: float, out: wp.array[dtype]):
        i = wp.tid()
        out[i] = wp.texture_sample(t, at[i, 0], dtype=dtype, lod=lod)

    @wp.kernel(module="unique")
    def two(t: kind, at: wp.array2d[float], lod: float, out: wp.array[dtype]):
        i = wp.tid()
        out[i] = wp.texture_sample(t, at[i, 0], at[i, 1], dtype=dtype, lod=lod)

    @wp.kernel(module="unique")
    def three(t: kind, at: wp.array2d[float], lod: float, out: wp.array[dtype]):
        i = wp.tid()
        out[i] = wp.texture_sample(t, at[i, 0], at[i, 1], at[i, 2], dtype=dtype, lod=lod)

    return (None, one, two, three)[ndim]


FOR_FOUR = {ndim: sampler(ndim, wp.vec4) for ndim in (1, 2, 3)}


def sampled(texture: Any, at: Any, lod: float = -1.0, ndim: int = 0) -> np.ndarray:
    places = np.asarray(at, np.float32).reshape(len(at), -1)
    out = wp.zeros(len(places), dtype=wp.vec4)
    wp.launch(FOR_FOUR[ndim or texture.ndim], len(places), inputs=[texture, wp.array(places), lod, out])
    return out.numpy()


def middles(shape: tuple[int, ...]) -> np.ndarray:
    """The normalized coordinates of all texels in the order of memory."""
    at = np.stack(np.meshgrid(*(np.arange(n) + 0.5 for n in shape), indexing="ij"), axis=-1) / shape
    return at.reshape(-1, len(shape))[:, ::-1]


def texels(dtype: Any, shape: tuple[int, ...]) -> np.ndarray:
    name = dtype.__name__
    if name.startswith("float"):
        return RNG.normal(size=shape).astype(name)
    limits = np.iinfo(name)
    return RNG.integers(max(limits.min, -(2**24)), min(limits.max, 2**24), shape, name, endpoint=True)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_texels_of_arrays_of_both_kinds(dtype: Any, ndim: int) -> None:
    """With one, two and four channels: in the middle of texels both filters read these alone."""
    scale = {"uint8": 255, "uint16": 65535, "int8": 127, "int16": 32767}.get(dtype.__name__, 1)
    for channels in ((), (1,), (2,), (4,)):
        shape = SHAPE[3 - ndim :]
        numbers = texels(dtype, (*shape, *channels))
        wanted = np.maximum(
            numbers.reshape(-1, *(channels or (1,))).astype(float) / scale, -1 if scale > 1 else -np.inf
        )
        wanted = np.pad(wanted, ((0, 0), (0, 4 - wanted.shape[1])))
        for data in (numbers, wp.array(numbers, dtype=dtype)):
            for mode in (0, 1)[: 1 if dtype in (wp.int32, wp.uint32) else 2]:
                texture = CLASSES[ndim](data, filter_mode=mode)
                assert (texture.ndim, texture.num_channels, texture.dtype) == (ndim, wanted_channels(channels), dtype)
                assert (texture.width, texture.filter_mode) == (shape[-1], mode)
                np.testing.assert_allclose(sampled(texture, middles(shape)), wanted, rtol=1e-5, atol=1e-5 / scale)


def wanted_channels(channels: tuple[int, ...]) -> int:
    return channels[0] if channels else 1


@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize("vector", [wp.vec2, wp.vec4])
def test_arrays_of_vectors_are_texels(ndim: int, vector: Any) -> None:
    shape = SHAPE[3 - ndim :]
    length = len(vector())
    numbers = texels(wp.float32, (*shape, length))
    for requires_grad in (False, True):
        texture = CLASSES[ndim](wp.array(numbers, dtype=vector, requires_grad=requires_grad))
        assert (texture.num_channels, texture.dtype) == (length, wp.float32)
        found = sampled(texture, middles(shape))[:, :length]
        np.testing.assert_allclose(found, numbers.reshape(-1, length), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_textures_without_data_are_zero(ndim: int) -> None:
    sizes = dict(zip(("width", "height", "depth")[:ndim], SHAPE, strict=False))
    for dtype in (wp.uint8, wp.float32, np.float16, "int32"):
        for channels in (1, 2, 4):
            texture = CLASSES[ndim](**sizes, num_channels=channels, dtype=dtype)
            assert all(getattr(texture, name) == size for name, size in sizes.items())
            assert texture.num_channels == channels
            assert not sampled(texture, RNG.random((5, ndim))).any()
    for missing in ({**sizes, "width": 0}, {**sizes, "num_channels": 0}, {**sizes, "dtype": None}):
        with pytest.raises(ValueError, match="give data, or width, height"):
            CLASSES[ndim](**{"num_channels": 1, "dtype": wp.uint8, **missing})


def test_sizes_by_position() -> None:
    """Each class takes as many extents as it has, and numbers by their Python types."""
    textures = [
        wp.Texture1D(None, 6, 4, wp.uint8),
        wp.Texture2D(None, 6, 5, 2, float),
        wp.Texture3D(None, 6, 5, 4, 1, int),
    ]
    assert [t.num_channels for t in textures] == [4, 2, 1]
    assert [t.dtype for t in textures] == [wp.uint8, wp.float32, wp.int32]
    assert textures[0].width == 6
    assert (textures[1].width, textures[1].height) == (6, 5)
    assert (textures[2].width, textures[2].height, textures[2].depth) == (6, 5, 4)
    with pytest.raises(TypeError, match="height"):
        wp.Texture1D(None, 6, height=5, num_channels=1, dtype=float)


@pytest.mark.parametrize("dtype", [bool, np.int64, np.uint64, np.float64, np.complex64, "U1", object])
def test_texels_of_other_types_are_refused(dtype: Any) -> None:
    with pytest.raises(ValueError, match="expected one of float32, float16"):
        wp.Texture1D(np.zeros(4, dtype))
    if dtype in (bool, np.int64, np.float64):
        with pytest.raises(ValueError, match="expected one of float32, float16"):
            wp.Texture1D(wp.zeros(4, dtype=wp.dtype_from_numpy(np.dtype(dtype))))


@pytest.mark.parametrize("shape", [(), (0,), (3, 3), (3, 5), (3, 0), (2, 2, 2)])
def test_texels_of_other_shapes_are_refused(shape: tuple[int, ...]) -> None:
    for data in (np.zeros(shape, np.float32), [1.0, 2.0], 3.0, "x"):
        with pytest.raises(ValueError, match="Texture1D: data"):
            wp.Texture1D(data)
    with pytest.raises(ValueError, match="Texture1D: data"):
        wp.Texture1D(wp.zeros(4, dtype=wp.vec3))


def test_kernels_ask_for_one_channel_or_several() -> None:
    """What there is beyond those asked for is left out, what there is not is 0; other types are refused."""
    numbers = texels(wp.float32, (5, 4))
    for channels in (1, 2, 4):
        texture = wp.Texture1D(np.ascontiguousarray(numbers[:, :channels]))
        for dtype, count in ((float, 1), (wp.vec2, 2), (wp.vec4, 4)):
            out = wp.zeros(5, dtype=dtype)
            given = wp.array(middles((5,)).astype(np.float32))
            wp.launch(sampler(1, dtype), 5, inputs=[texture, given, -1.0, out])
            right = np.zeros((5, 4))
            right[:, :channels] = numbers[:, :channels]
            np.testing.assert_allclose(out.numpy().reshape(5, -1), right[:, :count], atol=1e-6)
    for dtype in (wp.vec3, wp.float64, wp.int32, wp.vec2d):
        with pytest.raises(wp.WarpCodegenError):
            wp.launch(sampler(1, dtype), 5, inputs=[texture, given, -1.0, wp.zeros(5, dtype=dtype)])


def test_sizes_in_kernels() -> None:
    @wp.kernel
    def sizes(a: wp.Texture1D, b: wp.Texture2D, c: wp.Texture3D, out: wp.array[int]):
        out[0] = a.width
        out[1] = b.width
        out[2] = b.height
        out[3] = c.width
        out[4] = c.height
        out[5] = c.depth

    out = wp.zeros(6, dtype=int)
    numbers = np.zeros(SHAPE, np.float32)
    textures = [wp.Texture1D(numbers[0, 0]), wp.Texture2D(numbers[0]), wp.Texture3D(numbers)]
    wp.launch(sizes, 1, inputs=[*textures, out])
    assert out.list() == [5, 5, 4, 5, 4, 3]
    wp.launch(sizes, 1, inputs=[None, None, None, out])
    assert out.list() == [0] * 6


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_no_texture_is_zero_everywhere(ndim: int) -> None:
    at = [[0.5] * 3, [-4.0] * 3, [np.nan] * 3, [np.inf] * 3]
    assert not sampled(None, at, ndim=ndim).any()
    for other in (1, 2, 3):
        if other != ndim:
            with pytest.raises(RuntimeError, match=f"expected an instance of Texture{ndim}D"):
                sampled(CLASSES[other](np.zeros(SHAPE[3 - other :], np.float32)), at, ndim=ndim)


@wp.struct
class Scene:
    sky: wp.Texture2D
    scale: float


def test_a_field_that_was_not_set_is_zero() -> None:
    @wp.kernel
    def ask(scene: Scene, out: wp.array[float]):
        out[0] = wp.texture_sample(tex=scene.sky, uv=wp.vec2(0.5), dtype=float) + scale_of(scene)
        out[1] = wp.texture_sample(tex=scene.sky, u=0.5, v=0.5, dtype=float, lod=0.0)
        out[2] = float(scene.sky.width)

    @wp.func
    def scale_of(scene: Scene) -> float:
        return scene.scale

    scene, out = Scene(), wp.ones(3, dtype=float)
    scene.scale = 7.0
    wp.launch(ask, 1, inputs=[scene, out])
    assert out.list() == [7, 0, 0]
    scene.sky = wp.Texture2D(np.full((2, 3), 4.0, np.float32))
    wp.launch(ask, 1, inputs=[scene, out])
    assert out.list() == [11, 4, 3]
    for wrong in (None, wp.Texture1D(np.zeros(3, np.float32))):
        with pytest.raises(TypeError, match="expected an instance of Texture2D"):
            scene.sky = wrong
    with pytest.raises(TypeError, match="expected an instance of Texture2D"):
        wp.array([wp.Texture1D(np.zeros(3, np.float32))], dtype=wp.Texture2D)


# Beyond the borders


@pytest.mark.parametrize("linear", [False, True])
def test_coordinates_that_are_not_finite(linear: bool) -> None:
    """CLAMP: an edge; WRAP and MIRROR: no place, so NaN where texels are blended; BORDER: 0."""
    line = np.array([1, 2, 3, 4], np.float32)
    for normalized in (True, False):
        for mode in MODES:
            texture = wp.Texture1D(line, filter_mode=int(linear), address_mode=mode, normalized_coords=normalized)
            found = sampled(texture, [[np.nan], [np.inf], [-np.inf]])[:, 0]
            if mode == MODES.CLAMP:
                assert found.tolist() == [4, 4, 1]
            elif mode == MODES.BORDER:
                assert found.tolist() == [0, 0, 0]
            elif linear:
                assert np.isnan(found).all()
            else:
                assert np.isin(found, line).all()


def test_borders_are_blended_within_half_a_texel() -> None:
    texture = wp.Texture1D(np.array([8, 8], np.float32), address_mode=MODES.BORDER, normalized_coords=False)
    at = np.array([[0.5], [0.25], [0.0], [-0.25], [-0.5], [-3], [1.5], [1.75], [2.25], [2.5], [90]])
    assert sampled(texture, at)[:, 0].tolist() == [8, 6, 4, 2, 0, 0, 8, 6, 2, 0, 0]


@pytest.mark.parametrize("normalized", [True, False])
def test_modes_repeat_with_their_period(normalized: bool) -> None:
    """WRAP with that of the width, MIRROR with twice that, and the same backwards within it."""
    line = texels(wp.float32, (6,))
    at = RNG.uniform(0, 6, (30, 1))
    size = 6.0 if normalized else 1.0
    for mode, period in ((MODES.WRAP, 6), (MODES.MIRROR, 12)):
        texture = wp.Texture1D(line, address_mode=mode, normalized_coords=normalized)
        first = sampled(texture, at / size)
        for n in (-3, -1, 1, 2):
            np.testing.assert_allclose(sampled(texture, (at + n * period) / size), first, atol=1e-4)
        if mode == MODES.MIRROR:
            np.testing.assert_allclose(sampled(texture, -at / size), first, atol=1e-5)
            np.testing.assert_allclose(sampled(texture, (12 - at) / size), first, atol=1e-4)


def test_each_axis_has_its_mode() -> None:
    numbers = texels(wp.float32, SHAPE)
    by_tuple = wp.Texture3D(numbers, address_mode=(MODES.WRAP, MODES.BORDER, MODES.MIRROR), filter_mode=0)
    by_name = wp.Texture3D(numbers, address_mode_u=0, address_mode_v=3, address_mode_w=2, filter_mode=0)
    at = RNG.uniform(-2, 3, (60, 3)).astype(np.float32)
    x, y, z = np.floor(at * np.array([5, 4, 3])).astype(int).T
    z = np.where(z % 6 < 3, z % 6, 5 - z % 6)
    right = np.where((y >= 0) & (y < 4), numbers[z, np.clip(y, 0, 3), x % 5], 0)
    for texture in (by_tuple, by_name):
        assert (texture.address_mode_u, texture.address_mode_v, texture.address_mode_w) == (0, 3, 2)
        np.testing.assert_array_equal(sampled(texture, at)[:, 0], right)


# Levels


def halved(level: np.ndarray, ndim: int) -> np.ndarray:
    for axis in range(ndim):
        n = level.shape[axis] // 2
        if n:
            level = (level.take(range(0, 2 * n, 2), axis) + level.take(range(1, 2 * n, 2), axis)) / 2
    return level


@pytest.mark.parametrize("shape", [(5,), (1,), (8,), (5, 3), (1, 7), (4, 6), (3, 5, 9), (2, 2, 1)])
def test_levels_of_odd_sizes_round_down(shape: tuple[int, ...]) -> None:
    """Each level has the means of two texels along each axis; one that is left over at the end does not count."""
    ndim, numbers = len(shape), texels(wp.float32, shape)
    texture = CLASSES[ndim](numbers, num_mip_levels=0)
    assert texture.num_mip_levels == int(np.log2(max(shape))) + 1
    assert texture.is_mipmapped == (max(shape) > 1)
    assert texture.mip_filter_mode == wp.TextureFilterMode.LINEAR
    level = numbers.astype(float)
    for lod in range(texture.num_mip_levels):
        found = sampled(texture, middles(level.shape), float(lod))[:, 0]
        np.testing.assert_allclose(found, level.reshape(-1), atol=1e-5)
        level = halved(level, ndim)
    assert CLASSES[ndim](numbers, num_mip_levels=1).is_mipmapped is False
    with pytest.raises(ValueError, match="at most"):
        CLASSES[ndim](numbers, num_mip_levels=texture.num_mip_levels + 1)


def test_which_level_is_read() -> None:
    """Below 0 and at NaN the first, beyond the last the last; between two both, or the closer one."""
    line = np.array([0, 8, 16, 24], np.float32)
    at, levels = [[0.5]], [12.0, 12.0, 12.0]
    for filter_mode, of_levels in ((wp.TextureFilterMode.LINEAR, levels), (0, [16.0, 20.0, 12.0])):
        for mips in (wp.TextureFilterMode.LINEAR, wp.TextureFilterMode.CLOSEST):
            texture = wp.Texture1D(line, filter_mode=filter_mode, num_mip_levels=0, mip_filter_mode=mips)
            for lod in (-1.0, -0.5, 0.0, 0.25, 0.75, 1.0, 1.75, 2.0, 7.0, np.nan, -np.inf, np.inf):
                low = 0.0 if np.isnan(lod) else min(max(lod, 0.0), 2.0)
                n, part = int(low), low - int(low)
                if mips == wp.TextureFilterMode.CLOSEST:
                    right = of_levels[int(np.floor(low + 0.5))]
                else:
                    right = of_levels[n] * (1 - part) + (of_levels[n + 1] * part if part else 0)
                assert sampled(texture, at, lod)[0, 0] == pytest.approx(right), (filter_mode, mips, lod)
    assert wp.Texture1D(line, filter_mode=0, num_mip_levels=2).mip_filter_mode == wp.TextureFilterMode.CLOSEST


def test_levels_of_whole_numbers() -> None:
    """Are means, too, up to rounding."""
    for dtype in (wp.uint8, wp.int8, wp.uint16, wp.int16):
        numbers = texels(dtype, (8, 8, 2))
        scale = np.iinfo(numbers.dtype).max
        level = halved(numbers.astype(float), 2)
        found = sampled(wp.Texture2D(numbers, num_mip_levels=0), middles((4, 4)), 1.0)[:, :2]
        np.testing.assert_allclose(found * scale, np.maximum(level.reshape(-1, 2), -scale), atol=0.51)


# Copies


@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize("channels", [1, 2, 4])
def test_texels_are_copied_in_both_directions(ndim: int, channels: int) -> None:
    shape = (*SHAPE[3 - ndim :], channels)
    for dtype in (wp.float32, wp.uint8, wp.int16, wp.float16):
        numbers, zeros = texels(dtype, shape), np.zeros(shape, wp.dtype_to_numpy(dtype))
        for src in (numbers, wp.array(numbers, dtype=dtype), CLASSES[ndim](numbers)):
            texture = CLASSES[ndim](zeros)
            texture.copy_from(src)
            other, host, array = CLASSES[ndim](zeros), zeros.copy(), wp.zeros(shape, dtype=dtype)
            for dst in (other, host, array):
                texture.copy_to(dst)
            other.copy_to(zeros_again := zeros.copy())
            for found in (host, array.numpy(), zeros_again):
                np.testing.assert_array_equal(found, numbers)
            texture.copy_from(zeros)
            assert not sampled(texture, middles(shape[:-1])).any()
            assert host.any()


def test_copies_that_do_not_fit_are_refused() -> None:
    texture = wp.Texture2D(np.zeros((4, 6, 2), np.float32))
    for wrong in (np.zeros((6, 4, 2)), np.zeros((4, 6)), np.zeros((4, 6, 4)), np.zeros(48)):
        data = wrong.astype(np.float32)
        for call, word in ((texture.copy_from, "src"), (texture.copy_to, "dst")):
            for given in (data, wp.array(data)):
                with pytest.raises(ValueError, match=f"{word} has the shape"):
                    call(given)
    for call, word in ((texture.copy_from, "src"), (texture.copy_to, "dst")):
        with pytest.raises(RuntimeError, match=f"{word} holds uint8, the texture float32"):
            call(np.zeros((4, 6, 2), np.uint8))
    with pytest.raises(ValueError, match="src has the shape"):
        texture.copy_from(wp.Texture2D(np.zeros((4, 4, 2), np.float32)))
    levels = wp.Texture1D(np.zeros(4, np.float32), num_mip_levels=0)
    with pytest.raises(RuntimeError, match="several levels"):
        levels.copy_from(np.zeros(4, np.float32))
    levels.copy_to(np.zeros(4, np.float32))


# Gradients


@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize("mode", list(MODES))
def test_gradients_to_coordinates_and_texels(ndim: int, mode: Any) -> None:
    """Beyond the borders, too: samples are linear in the texels, and piecewise in each coordinate."""
    shape = SHAPE[3 - ndim :]
    numbers = texels(wp.float32, (*shape, 4))
    data = wp.array(numbers, requires_grad=True)
    texture = CLASSES[ndim](data, address_mode=mode)
    size = np.array(shape[::-1])
    at = RNG.uniform(-1.5, 2.5, (40, ndim)).astype(np.float32)
    at = at[(np.abs(at * size - 0.5 - np.round(at * size - 0.5)) > 0.02).all(axis=1)]
    given = wp.array(at, requires_grad=True)
    out = wp.zeros(len(at), dtype=wp.vec4, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(FOR_FOUR[ndim], len(at), inputs=[texture, given, -1.0], outputs=[out])
    seed = RNG.normal(size=(len(at), 4)).astype(np.float32)
    tape.backward(grads={out: wp.array(seed, dtype=wp.vec4)})
    for axis in range(ndim):
        step = np.zeros(ndim, np.float32)
        step[axis] = 1e-3
        ends = [(sampled(texture, at + s) * seed).sum(axis=1) for s in (step, -step)]
        np.testing.assert_allclose(given.grad.numpy()[:, axis], (ends[0] - ends[1]) / 2e-3, atol=0.02)
    right = np.zeros(numbers.shape)
    for texel in np.ndindex(*shape):
        alone = np.zeros(numbers.shape, np.float32)
        alone[texel] = 1.0
        right[texel] = (sampled(CLASSES[ndim](alone, address_mode=mode), at) * seed).sum(axis=0)
    np.testing.assert_allclose(data.grad.numpy(), right, atol=1e-4)


def test_the_closest_texel_gets_the_gradient() -> None:
    data = wp.array([1.0, 2.0, 3.0], dtype=float, requires_grad=True)
    texture = wp.Texture1D(data, filter_mode=0)
    at = wp.array([[0.1], [0.9], [0.8], [4.0]], dtype=float, requires_grad=True)
    out = wp.zeros(4, dtype=wp.vec4, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(FOR_FOUR[1], 4, inputs=[texture, at, -1.0], outputs=[out])
    tape.backward(grads={out: wp.ones(4, dtype=wp.vec4)})
    assert data.grad.list() == [1, 0, 3]
    assert not at.grad.numpy().any()
