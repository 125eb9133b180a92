"""``wp.Texture1D``, ``2D`` and ``3D``: what samples give, beside NumPy, their derivatives, and what is refused."""

from __future__ import annotations

import copy
import gc
import pickle
from typing import Any

import numpy as np
import pytest
import warp as wp

RNG = np.random.default_rng(5)
MODES = wp.TextureAddressMode
SCALES = {"uint8": 255.0, "uint16": 65535.0, "int8": 127.0, "int16": 32767.0}


@wp.kernel
def in_1d(t: wp.Texture1D, at: wp.array2d(dtype=float), lods: wp.array(dtype=float), out: wp.array(dtype=wp.vec4)):
    i = wp.tid()
    out[i] = wp.texture_sample(t, at[i, 0], dtype=wp.vec4, lod=lods[i])


@wp.kernel
def in_2d(t: wp.Texture2D, at: wp.array2d(dtype=float), lods: wp.array(dtype=float), out: wp.array(dtype=wp.vec4)):
    i = wp.tid()
    out[i] = wp.texture_sample(t, wp.vec2(at[i, 0], at[i, 1]), dtype=wp.vec4, lod=lods[i])


@wp.kernel
def in_3d(t: wp.Texture3D, at: wp.array2d(dtype=float), lods: wp.array(dtype=float), out: wp.array(dtype=wp.vec4)):
    i = wp.tid()
    out[i] = wp.texture_sample(t, at[i, 0], at[i, 1], at[i, 2], wp.vec4, lods[i])


KERNELS = (None, in_1d, in_2d, in_3d)
CLASSES = (None, wp.Texture1D, wp.Texture2D, wp.Texture3D)


def sampled(texture: Any, at: np.ndarray, lods: Any = -1.0) -> np.ndarray:
    out = wp.zeros(len(at), dtype=wp.vec4)
    levels = np.broadcast_to(np.asarray(lods, dtype=np.float32), len(at)).copy()
    wp.launch(KERNELS[texture.ndim], len(at), inputs=[texture, wp.array(at, dtype=float), wp.array(levels), out])
    return out.numpy()


def texel(numbers: np.ndarray, index: list[int], modes: list[Any]) -> np.ndarray:
    """A texel by the rules of addresses; axes of ``index`` as of coordinates, the last of the array first."""
    place = []
    for n, size, mode in zip(index, numbers.shape[:-1][::-1], modes, strict=True):
        if mode == MODES.BORDER and not 0 <= n < size:
            return np.zeros(4)
        if mode == MODES.CLAMP:
            n = min(max(n, 0), size - 1)
        elif mode == MODES.WRAP:
            n %= size
        elif mode == MODES.MIRROR:
            n = n % (2 * size)
            n = n if n < size else 2 * size - 1 - n
        place.append(n)
    found = numbers[tuple(place[::-1])].astype(float)
    scale = SCALES.get(numbers.dtype.name)
    found = found if scale is None else np.maximum(found / scale, -1.0)
    return np.concatenate([found, np.zeros(4 - len(found))])


def expected(numbers: np.ndarray, at: np.ndarray, modes: list[Any], linear: bool) -> np.ndarray:
    """``at`` in texels."""
    ndim, out = numbers.ndim - 1, []
    for point in at[:, :ndim].astype(float):
        if not linear:
            out.append(texel(numbers, [int(np.floor(x)) for x in point], modes))
            continue
        low = np.floor(point - 0.5).astype(int)
        part, total = point - 0.5 - low, np.zeros(4)
        for corner in np.ndindex(*(2,) * ndim):
            weight = np.prod(np.where(np.array(corner) == 1, part, 1 - part))
            total += weight * texel(numbers, list(low + corner), modes)
        out.append(total)
    return np.array(out)


@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize("name", ["float32", "float16", "uint8", "int8", "uint16", "int16", "uint32", "int32"])
def test_samples_are_those_of_the_rules(ndim: int, name: str) -> None:
    shape = (5, 4, 7)[:ndim]
    for channels, normalized in ((1, True), (2, False), (4, True)):
        if name.startswith("float"):
            numbers = RNG.random((*shape, channels)).astype(name)
        else:
            kind = np.iinfo(name)
            numbers = RNG.integers(
                max(kind.min, -(2**20)), min(kind.max, 2**20), (*shape, channels), name, endpoint=True
            )
        linear = name not in ("uint32", "int32")
        modes = [MODES(n) for n in RNG.permutation(4)[:ndim]]
        given = numbers if channels > 1 else numbers[..., 0]
        texture = CLASSES[ndim](given, address_mode=tuple(modes), normalized_coords=normalized)
        assert texture.filter_mode == (wp.TextureFilterMode.LINEAR if linear else wp.TextureFilterMode.CLOSEST)
        assert texture.num_channels == channels
        size = np.array(numbers.shape[:ndim][::-1])
        at = (RNG.random((60, 3)) * 4 - 1.5).astype(np.float32)
        in_texels = at[:, :ndim] * size
        given_at = at if normalized else np.pad(in_texels, ((0, 0), (0, 3 - ndim)))
        found = sampled(texture, given_at)
        np.testing.assert_allclose(found, expected(numbers, in_texels, modes, linear), rtol=2e-5, atol=2e-5)


def test_levels_are_blended() -> None:
    image = RNG.random((8, 4)).astype(np.float32)
    texture = wp.Texture2D(image, num_mip_levels=0)
    assert texture.is_mipmapped
    assert texture.num_mip_levels == 4
    half = (image[0::2, 0::2] + image[1::2, 0::2] + image[0::2, 1::2] + image[1::2, 1::2]) / 4
    at = np.pad(RNG.random((30, 2)).astype(np.float32), ((0, 0), (0, 1)))
    modes = [MODES.CLAMP] * 2
    levels = [expected(x[..., None], at * np.array([*x.shape[::-1], 0]), modes, True) for x in (image, half)]
    for lod, wanted in ((-3.0, levels[0]), (0.0, levels[0]), (np.nan, levels[0]), (1.0, levels[1])):
        np.testing.assert_allclose(sampled(texture, at, lod), wanted, atol=1e-5)
    np.testing.assert_allclose(sampled(texture, at, 0.25), 0.75 * levels[0] + 0.25 * levels[1], atol=1e-5)
    np.testing.assert_allclose(sampled(texture, at, 90.0)[:, 0], image.mean(), atol=1e-5)
    stepped = wp.Texture2D(image, num_mip_levels=2, mip_filter_mode=wp.TextureFilterMode.CLOSEST)
    np.testing.assert_allclose(sampled(stepped, at, 0.6), levels[1], atol=1e-5)


@wp.kernel
def derived(t: wp.Texture2D, at: wp.array(dtype=wp.vec2), lod: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    v = wp.texture_sample(t, at[i], wp.vec2, lod[0])
    out[i] = v[0] + 3.0 * v[1]


def test_derivatives_reach_coordinates_and_texels() -> None:
    image = RNG.random((5, 6, 2)).astype(np.float32)
    data = wp.array(image, dtype=float, requires_grad=True)
    vectors = wp.array(image, dtype=wp.vec2, requires_grad=True)
    places = (RNG.random((20, 2)) * 1.2 - 0.1).astype(np.float32)
    lod = wp.array([-1.0], dtype=float)
    for texels in (data, vectors):
        texture = wp.Texture2D(texels)
        at = wp.array(places, dtype=wp.vec2, requires_grad=True)
        out = wp.zeros(20, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(derived, 20, inputs=[texture, at, lod, out])
        tape.backward(grads={out: wp.ones(20, dtype=float)})
        found = texels.grad.numpy().reshape(5, 6, 2)
        np.testing.assert_allclose(found[..., 1], 3 * found[..., 0], rtol=1e-5)
        np.testing.assert_allclose(found[..., 0].sum(), 20, rtol=1e-5)
        # The texels are the array's memory: samples are linear in them.
        np.testing.assert_allclose((found * image).sum(), out.numpy().sum(), rtol=1e-4)
        for axis in range(2):
            step = np.zeros(2, dtype=np.float32)
            step[axis] = 1e-3
            sides = [sampled(texture, np.pad(places + s, ((0, 0), (0, 1)))) for s in (step, -step)]
            by_steps = ((sides[0] - sides[1]) / 2e-3) @ [1, 3, 0, 0]
            scaled = places * np.array([6, 5]) - 0.5
            inner = np.abs(scaled - np.round(scaled))[:, axis] > 0.02
            np.testing.assert_allclose(at.grad.numpy()[inner, axis], by_steps[inner], atol=0.02)
        tape.zero()
        assert not texels.grad.numpy().any()


@wp.struct
class Scene:
    sky: wp.Texture2D
    height: float


@wp.kernel
def of_a_scene(scene: Scene, all: wp.array(dtype=wp.Texture1D), t: wp.Texture2D, out: wp.array(dtype=float)):
    out[0] = wp.texture_sample(scene.sky, 0.5, 0.5, dtype=float)
    out[1] = wp.texture_sample(all[1], 0.5, dtype=float)
    out[2] = wp.texture_sample(t, 0.5, 0.5, dtype=float)
    out[3] = float(scene.sky.width + 10 * scene.sky.height + 100 * all[0].width)


def test_textures_in_structs_and_arrays() -> None:
    sky, lines = (
        wp.Texture2D(np.full((2, 3), 4.0, np.float32)),
        [wp.Texture1D(np.full(n, n, np.float32)) for n in (2, 5)],
    )
    scene = Scene()
    scene.sky = sky
    out = wp.zeros(4, dtype=float)
    both = wp.array(lines, dtype=wp.Texture1D)
    wp.launch(of_a_scene, 1, inputs=[scene, both, None, out])
    np.testing.assert_array_equal(out.numpy(), [4, 5, 0, 223])
    # A struct keeps the texture that it was given; a graph, what it was given by value.
    del sky
    gc.collect()
    with wp.ScopedCapture(device="cpu") as capture:
        wp.launch(of_a_scene, 1, inputs=[scene, both, wp.Texture2D(np.full((2, 2), 9.0, np.float32)), out])
    del scene
    gc.collect()
    wp.capture_launch(capture.graph)
    np.testing.assert_array_equal(out.numpy(), [4, 5, 9, 223])


def test_texels_are_copied() -> None:
    image = RNG.integers(0, 255, (4, 6, 4), dtype=np.uint8)
    texture = wp.Texture2D(width=6, height=4, num_channels=4, dtype=wp.uint8)
    other = wp.Texture2D(image)
    texture.copy_from(other)
    del other
    found = np.zeros_like(image)
    texture.copy_to(found)
    np.testing.assert_array_equal(found, image)
    array = wp.zeros((4, 6, 4), dtype=wp.uint8)
    texture.copy_to(array)
    np.testing.assert_array_equal(array.numpy(), image)
    texture.copy_from(wp.zeros((4, 6, 4), dtype=wp.uint8))
    for again in (copy.deepcopy(texture), pickle.loads(pickle.dumps(texture))):
        assert again != texture
        assert not sampled(again, np.full((1, 3), 0.5)).any()
        assert repr(again) == repr(texture) == "Texture2D(6 x 4 texels of 4 x uint8, device='cpu')"
    with pytest.raises(ValueError, match=r"src has the shape \(2, 2\), the texture has \(4, 6, 4\)"):
        texture.copy_from(np.zeros((2, 2), np.uint8))
    with pytest.raises(TypeError, match="src holds float32, the texture uint8"):
        texture.copy_from(np.zeros((4, 6, 4), np.float32))
    with pytest.raises(RuntimeError, match="several levels"):
        wp.Texture2D(image, num_mip_levels=2).copy_from(image)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"data": [[1.0]]}, "data is list"),
        ({"data": np.zeros((2, 2, 3), np.float32)}, r"shape \(2, 2, 3\), expected \(height, width\)"),
        ({"data": np.zeros((0, 2), np.float32)}, "shape"),
        ({"data": np.zeros((2, 2))}, "data holds float64"),
        ({"data": np.zeros((2, 2), np.int32), "filter_mode": 1}, "int32 are not interpolated"),
        ({"data": np.zeros((2, 2), np.float32), "filter_mode": 5}, "filter_mode is 5"),
        ({"data": np.zeros((2, 2), np.float32), "address_mode": (1,)}, "1 modes, expected 2"),
        ({"data": np.zeros((2, 2), np.float32), "address_mode_v": "x"}, "address_mode_v is 'x'"),
        ({"data": np.zeros((2, 2), np.float32), "num_mip_levels": 3}, "has 2 at most"),
        ({"data": np.zeros((2, 2), np.float32), "num_mip_levels": 2, "normalized_coords": False}, "normalized_coords"),
        ({"width": 2, "height": 2, "num_channels": 3, "dtype": wp.float32}, "num_channels"),
    ],
)
def test_what_is_wrong_is_named(given: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        wp.Texture2D(**given)
    with pytest.raises(RuntimeError):
        wp.Texture2D(**given)


def test_textures_of_other_dimensions_are_refused() -> None:
    texture, at, lods = wp.Texture1D(np.zeros(4, np.float32)), wp.zeros((1, 3), dtype=float), wp.zeros(1, dtype=float)
    with pytest.raises(RuntimeError, match="expected an instance of Texture2D"):
        wp.launch(in_2d, 1, inputs=[texture, at, lods, wp.zeros(1, dtype=wp.vec4)])
    with pytest.raises(RuntimeError, match="lies on the CPU"):
        texture.cuda_texture
    odd = np.array([[np.nan] * 3, [np.inf] * 3, [-np.inf] * 3, [1e30] * 3], dtype=np.float32)
    for mode in MODES:
        closest = wp.Texture1D(np.arange(1, 5, dtype=np.float32), address_mode=mode, filter_mode=0)
        assert np.isfinite(sampled(closest, odd)).all()
    border = wp.Texture1D(np.arange(1, 5, dtype=np.float32), address_mode=MODES.BORDER)
    assert not sampled(border, odd).any()
    clamped = wp.Texture1D(np.arange(1, 5, dtype=np.float32))
    np.testing.assert_array_equal(sampled(clamped, odd)[:, 0], [4, 4, 1, 4])


def test_derivatives_reach_levels() -> None:
    """Where two are blended; none beyond the first and last, and none where the closer one is read."""

    @wp.kernel
    def at_levels(t: wp.Texture2D, lod: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        out[i] = wp.texture_sample(t, 0.3, 0.4, dtype=float, lod=lod[i])

    image = RNG.random((8, 8)).astype(np.float32)
    lods = np.array([0.5, 1.25, -1.0, 9.0], np.float32)
    for mode, slopes in ((wp.TextureFilterMode.LINEAR, True), (wp.TextureFilterMode.CLOSEST, False)):
        texture = wp.Texture2D(image, num_mip_levels=0, mip_filter_mode=mode)
        lod, out = wp.array(lods, requires_grad=True), wp.zeros(4, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(at_levels, 4, inputs=[texture, lod], outputs=[out])
        tape.backward(grads={out: wp.ones(4, dtype=float)})
        at = np.tile(np.float32([0.3, 0.4, 0]), (4, 1))
        of_levels = [sampled(texture, at, float(n))[0, 0] for n in range(3)]
        right = [of_levels[1] - of_levels[0], of_levels[2] - of_levels[1], 0, 0] if slopes else [0] * 4
        np.testing.assert_allclose(lod.grad.numpy(), right, atol=1e-5)


def test_plateaus_have_no_slope() -> None:
    """Beyond clamped borders, and wherever the closest texel is read."""

    @wp.kernel
    def along(t: wp.Texture1D, at: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        out[i] = wp.texture_sample(t, at[i], dtype=float)

    texels = np.array([1, 5, 2, 9], np.float32)
    for mode, inside in ((wp.TextureFilterMode.LINEAR, 4 * (2.0 - 5.0)), (wp.TextureFilterMode.CLOSEST, 0.0)):
        texture = wp.Texture1D(texels, filter_mode=mode)
        at = wp.array([-0.5, 0.05, 0.5, 0.95, 1.5], dtype=float, requires_grad=True)
        out = wp.zeros(5, dtype=float, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(along, 5, inputs=[texture, at], outputs=[out])
        tape.backward(grads={out: wp.ones(5, dtype=float)})
        assert at.grad.list() == [0, 0, inside, 0, 0]


def test_threads_read_textures_of_their_own() -> None:
    """Also where these differ in size, type and modes."""

    @wp.kernel
    def each(all: wp.array(dtype=wp.Texture1D), out: wp.array2d(dtype=float)):
        i = wp.tid()
        t = all[i % all.shape[0]]
        out[i, 0] = wp.texture_sample(t, 1.25, dtype=float)
        out[i, 1] = float(t.width)

    textures = []
    for n in range(12):
        dtype = (np.float32, np.uint8, np.int16, np.float16)[n % 4]
        texels = (RNG.random(n + 1) * 100).astype(dtype)
        textures.append(wp.Texture1D(texels, address_mode=MODES(n % 3), filter_mode=n % 2))
    out = wp.zeros((60, 2), dtype=float)
    wp.launch(each, 60, inputs=[wp.array(textures, dtype=wp.Texture1D), out])
    alone = [sampled(texture, np.float32([[1.25, 0, 0]]))[0, 0] for texture in textures]
    np.testing.assert_array_equal(out.numpy()[:, 0], np.tile(alone, 5))
    np.testing.assert_array_equal(out.numpy()[:, 1], np.tile(np.arange(1, 13), 5))


@pytest.mark.parametrize("given", [{"surface_access": True}, {"cuda_array": 5}])
def test_surfaces_and_arrays_of_cuda_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(RuntimeError, match="surfaces and CUDA arrays are not supported; texels lie in linear memory"):
        wp.Texture2D(np.zeros((2, 2), np.float32), **given)
