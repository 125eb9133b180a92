"""What kernels compute on a GPU is what they compute on the CPU: bit for bit, or within the few units in the last
place that mathematical functions may differ by."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

#: Kernels of this file are rounded on GPUs as on the CPU; those of test_rounding.py as GPUs do by themselves.
wp.set_module_options({"fuse_fp": False})

GPU = "cuda:0"
ULPS = 8


def both(kernel, dim, inputs, outputs):
    """The outputs, by device; each is given as shape and dtype."""
    results = []
    for device in (GPU, "cpu"):
        given = [a.to(device) if isinstance(a, wp.array) else a for a in inputs]
        made = [wp.zeros(shape, dtype=dtype, device=device) for shape, dtype in outputs]
        wp.launch(kernel, dim=dim, inputs=given, outputs=made, device=device)
        results.append([a.numpy() for a in made])
    return zip(*results, strict=True)


def equal(*arguments):
    for there, here in both(*arguments):
        np.testing.assert_array_equal(there.view(np.uint8), here.view(np.uint8))


def close(*arguments, ulps: int = ULPS, absolute: float = 0.0):
    for there, here in both(*arguments):
        np.testing.assert_allclose(there, here, rtol=ulps * np.finfo(here.dtype).eps, atol=absolute)


def numbers(dtype, count: int = 200, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if np.issubdtype(dtype, np.integer):
        return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, count, dtype=dtype)
    values = (rng.standard_normal(count) * 10.0 ** rng.integers(-3, 4, count)).astype(dtype)
    values[:6] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0]
    return values


@wp.kernel
def arithmetic(x: wp.array(dtype=Any), y: wp.array(dtype=Any), out: wp.array2d(dtype=Any)):
    i = wp.tid()
    a, b = x[i], y[i]
    out[i, 0] = a + b
    out[i, 1] = a - b
    out[i, 2] = a * b
    out[i, 3] = a / b
    out[i, 4] = wp.min(a, b)
    out[i, 5] = wp.max(a, b)
    out[i, 6] = wp.abs(a)
    out[i, 7] = a * b + a
    out[i, 8] = wp.where(a < b, a, b)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64], ids=lambda d: d.__name__)
def test_arithmetic_of_floats_is_equal_bit_for_bit(dtype):
    x, y = numbers(dtype), numbers(dtype, seed=2)
    a, b = (wp.array(n, device="cpu") for n in (x, y))
    for there, here in both(arithmetic, len(x), [a, b], [((len(x), 9), a.dtype)]):
        np.testing.assert_array_equal(there, here)


@wp.kernel
def integers(x: wp.array(dtype=Any), y: wp.array(dtype=Any), out: wp.array2d(dtype=Any)):
    i = wp.tid()
    a, b = x[i], y[i]
    out[i, 0] = a + b
    out[i, 1] = a - b
    out[i, 2] = a * b
    out[i, 3] = a & b
    out[i, 4] = a | b
    out[i, 5] = a ^ b
    out[i, 6] = wp.min(a, b)
    out[i, 7] = wp.max(a, b)
    out[i, 8] = ~a
    if b != b - b:
        out[i, 9] = a // b
        out[i, 10] = a % b


@pytest.mark.parametrize(
    "dtype",
    [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64],
    ids=lambda d: d.__name__,
)
def test_arithmetic_of_integers_is_equal(dtype):
    a, b = (wp.array(numbers(dtype, seed=s), device="cpu") for s in (1, 2))
    equal(integers, 200, [a, b], [((200, 11), a.dtype)])


@wp.kernel
def casts(x: wp.array(dtype=wp.float64), ints: wp.array2d(dtype=wp.int64), floats: wp.array2d(dtype=wp.float64)):
    i = wp.tid()
    v = x[i]
    ints[i, 0] = wp.int64(wp.int32(v))
    ints[i, 1] = wp.int64(wp.uint8(v))
    ints[i, 2] = wp.int64(v)
    ints[i, 3] = wp.int64(wp.int16(v))
    floats[i, 0] = wp.float64(wp.float32(v))
    floats[i, 1] = wp.float64(wp.float16(v))
    floats[i, 2] = wp.float64(wp.int32(v))
    floats[i, 3] = wp.round(v) + wp.floor(v) + wp.ceil(v) + wp.trunc(v) + wp.rint(v)


def test_casts_are_equal():
    # Also of what no integer holds.
    x = wp.array(numbers(np.float64), device="cpu")
    for there, here in both(casts, 200, [x], [((200, 4), wp.int64), ((200, 4), wp.float64)]):
        np.testing.assert_array_equal(there, here)


@wp.kernel
def functions(x: wp.array(dtype=Any), out: wp.array2d(dtype=Any)):
    i = wp.tid()
    v = x[i]
    out[i, 0] = wp.sin(v)
    out[i, 1] = wp.cos(v)
    out[i, 2] = wp.tan(v)
    out[i, 3] = wp.exp(v)
    out[i, 4] = wp.log(v)
    out[i, 5] = wp.sqrt(v)
    out[i, 6] = wp.atan(v)
    out[i, 7] = wp.tanh(v)
    out[i, 8] = wp.sinh(v)
    out[i, 9] = wp.cbrt(v)
    out[i, 10] = wp.log2(v)
    out[i, 11] = wp.erf(v)
    out[i, 12] = wp.pow(v, v)
    out[i, 13] = wp.atan2(v, v - v / v)
    out[i, 14] = wp.asin(v / (v + v))
    out[i, 15] = wp.acos(v / (v + v + v))


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda d: d.__name__)
def test_mathematics_is_close(dtype):
    x = wp.array(np.linspace(0.01, 9.0, 300).astype(dtype), device="cpu")
    close(functions, 300, [x], [((300, 16), x.dtype)])


@wp.kernel
def matrices(m: wp.array(dtype=wp.mat33d), values: wp.array(dtype=wp.mat33d), more: wp.array(dtype=wp.mat33d)):
    i = wp.tid()
    a = m[i]
    values[i] = wp.inverse(a)
    s = a + wp.transpose(a)
    q = wp.mat33d()
    r = wp.mat33d()
    wp.qr3(a, q, r)
    more[4 * i] = q
    more[4 * i + 1] = r
    u = wp.mat33d()
    d = wp.vec3d()
    v = wp.mat33d()
    wp.svd3(a, u, d, v)
    more[4 * i + 2] = u @ wp.diag(d) @ wp.transpose(v)
    e = wp.mat33d()
    f = wp.vec3d()
    wp.eig3(s, e, f)
    more[4 * i + 3] = wp.outer(f, f) + wp.determinant(a) * wp.identity(n=3, dtype=wp.float64)


def test_matrix_functions():
    m = wp.array(np.random.default_rng(5).standard_normal((20, 3, 3)), dtype=wp.mat33d, device="cpu")
    close(matrices, 20, [m], [(20, wp.mat33d), (80, wp.mat33d)], ulps=200000, absolute=1e-11)


@wp.kernel
def rotations(q: wp.array(dtype=wp.quat), x: wp.array(dtype=wp.vec3), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    a = wp.normalize(q[i])
    t = wp.transform(x[i], a)
    out[4 * i] = wp.quat_rotate(a, x[i])
    out[4 * i + 1] = wp.transform_point(wp.transform_inverse(t) * t * t, x[i])
    out[4 * i + 2] = wp.cross(x[i], wp.quat_rotate_inv(wp.quat_slerp(a, wp.quat_identity(), 0.3), x[i]))
    out[4 * i + 3] = wp.quat_to_matrix(a) @ x[i] * wp.length(x[i])


def test_quaternions_and_transforms():
    rng = np.random.default_rng(6)
    q = wp.array(rng.standard_normal((50, 4)), dtype=wp.quat, device="cpu")
    x = wp.array(rng.standard_normal((50, 3)), dtype=wp.vec3, device="cpu")
    close(rotations, 50, [q, x], [(200, wp.vec3)], ulps=64, absolute=1e-5)


@wp.kernel
def draws(seed: int, ints: wp.array2d(dtype=int), floats: wp.array2d(dtype=float)):
    i = wp.tid()
    state = wp.rand_init(seed, i)
    ints[i, 0] = wp.randi(state)
    ints[i, 1] = wp.randi(state, -5, 17)
    ints[i, 2] = int(wp.poisson(state, 4.0))
    floats[i, 0] = wp.randf(state)
    floats[i, 1] = wp.randf(state, -2.0, 3.0)


@wp.kernel
def normals(seed: int, out: wp.array2d(dtype=float)):
    i = wp.tid()
    state = wp.rand_init(seed, i)
    out[i, 0] = wp.randn(state)
    p = wp.vec3(0.37 * float(i), 1.3, -0.21 * float(i))
    out[i, 1] = wp.noise(state, p)
    out[i, 2] = wp.pnoise(state, p, 4, 4, 4)
    out[i, 3] = wp.length(wp.curlnoise(state, p))
    out[i, 4] = wp.length(wp.sample_unit_sphere(state))
    out[i, 5] = wp.sample_unit_disk(state)[0]


def test_random_numbers_are_equal():
    equal(draws, 300, [42], [((300, 3), int), ((300, 2), float)])


def test_normal_numbers_and_noise_are_close():
    close(normals, 300, [7], [((300, 6), float)], ulps=64, absolute=2e-6)


def scaled(factor):
    @wp.func
    def inner(x: float):
        return x * wp.static(factor * 2.0)

    @wp.kernel
    def outer(x: wp.array(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        n = int(0)
        v = x[i]
        while wp.abs(v) > 0.01 and n < 50:
            v = v * 0.5
            n += 1
        out[i] = inner(x[i]) + float(n)

    return outer


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_generics_and_functions(dtype):
    @wp.func
    def summed(x: Any, n: int):
        total = x - x
        for k in range(n):
            if k % 3 == 2:
                continue
            total = total + x
            if k > 6:
                break
        return total

    @wp.kernel
    def generic(x: wp.array(dtype=Any), out: wp.array(dtype=Any)):
        i = wp.tid()
        out[i] = summed(x[i], i % 11)

    x = wp.array((np.random.default_rng(1).standard_normal(60) * 50).astype(dtype), device="cpu")
    equal(generic, 60, [x], [(60, x.dtype)])


@pytest.mark.parametrize("factor", [1.5, -3.0])
def test_statics_and_closures(factor):
    x = wp.array(np.linspace(-5, 5, 64), dtype=float, device="cpu")
    equal(scaled(factor), 64, [x], [(64, float)])


def test_map_and_operators():
    results = []
    for device in (GPU, "cpu"):
        a = wp.array(np.linspace(0.1, 1, 10), dtype=float, device=device)
        b = wp.array(np.linspace(1, 2, 10), dtype=float, device=device)
        c = wp.map(lambda x, y: wp.max(x, y) * 2.0, a, b)
        d = (a + b) * 3.0 - a / b
        a += b
        assert c.device == d.device == device
        results.append([x.numpy() for x in (a, c, d)])
    for there, here in zip(*results, strict=True):
        np.testing.assert_array_equal(there, here)


def test_indexed_arrays_in_kernels():
    @wp.kernel
    def scale(x: wp.indexedarray2d(dtype=float)):
        i, j = wp.tid()
        x[i, j] = x[i, j] * 10.0

    results = []
    for device in (GPU, "cpu"):
        a = wp.array(np.arange(20, dtype=np.float32).reshape(4, 5), device=device)
        rows = wp.array([3, 1], dtype=int, device=device)
        columns = wp.array([0, 4, 2], dtype=int, device=device)
        wp.launch(scale, dim=(2, 3), inputs=[wp.indexedarray(a, [rows, columns])], device=device)
        results.append(a.numpy())
    np.testing.assert_array_equal(*results)
    assert results[0][3, 4] == 190.0


def test_strided_arguments():
    @wp.kernel
    def copy(x: wp.array2d(dtype=wp.vec2), y: wp.array2d(dtype=wp.vec2)):
        i, j = wp.tid()
        y[i, j] = x[i, j] + wp.vec2(1.0, 2.0)

    results = []
    for device in (GPU, "cpu"):
        a = wp.array(np.arange(96, dtype=np.float32).reshape(8, 6, 2), dtype=wp.vec2, device=device)
        b = wp.zeros((6, 8), dtype=wp.vec2, device=device)
        wp.launch(copy, dim=(4, 3), inputs=[a[::2, 1::2], b.transpose()[4:, ::-2]], device=device)
        results.append(b.numpy())
    np.testing.assert_array_equal(*results)
