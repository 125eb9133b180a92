"""Programs that give other results under NVIDIA Warp, or did here: what was decided for each."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

NAN = float("nan")


def run(kernel, *inputs, out):
    wp.launch(kernel, dim=len(inputs[0]) if inputs else 1, inputs=list(inputs), outputs=[out])
    return out.numpy()


@wp.kernel
def of_two(a: wp.array(dtype=float), b: wp.array(dtype=float), out: wp.array2d(dtype=float)):
    i = wp.tid()
    out[i, 0] = wp.min(a[i], b[i])
    out[i, 1] = wp.max(a[i], b[i])
    out[i, 2] = wp.clamp(a[i], 1.0, 2.0)
    out[i, 3] = wp.sign(a[i])
    v = wp.vec3(a[i], b[i], 1.0)
    out[i, 4] = wp.min(v)
    out[i, 5] = wp.max(v)


PAIRS = np.float32([[NAN, 1], [1, NAN], [NAN, NAN], [-2, 3], [0.0, -0.0], [-0.0, 0.0]])


def test_nan_gives_way_to_numbers():
    got = run(of_two, PAIRS[:, 0].copy(), PAIRS[:, 1].copy(), out=wp.zeros((6, 6)))
    want = [
        [1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 1, 1],
        [NAN, NAN, 1, 1, 1, 1],
        [-2, 3, 1, -1, -2, 3],
        [0.0, 0.0, 1, 1, 0.0, 1],
        [0.0, 0.0, 1, 1, 0.0, 1],
    ]
    np.testing.assert_array_equal(got, want)
    # Of equal zeros the first is taken.
    np.testing.assert_array_equal(np.signbit(got[4:, :2]), [[False, False], [True, True]])
    assert (wp.min(NAN, 1.0), wp.max(1.0, NAN), wp.clamp(NAN, 1.0, 2.0), wp.sign(NAN)) == (1, 1, 1, 1)


@pytest.mark.parametrize("dtype", [wp.float16, wp.bfloat16, wp.float32, wp.float64])
def test_nan_in_every_type(dtype):
    @wp.kernel
    def k(a: wp.array(dtype=dtype), b: wp.array(dtype=dtype), out: wp.array2d(dtype=dtype)):
        i = wp.tid()
        out[i, 0] = wp.min(a[i], b[i])
        out[i, 1] = wp.max(a[i], b[i])
        out[i, 2] = wp.sign(a[i])

    # Many, so that they run side by side.
    a, b = np.tile(PAIRS, (50, 1)).T
    out = wp.zeros((300, 3), dtype=dtype)
    wp.launch(k, dim=300, inputs=[wp.array(a, dtype=dtype), wp.array(b, dtype=dtype)], outputs=[out])
    got = np.array(out.list(), dtype=np.float64).reshape(300, 3)
    np.testing.assert_array_equal(got[:, 0], np.fmin(a, b))
    np.testing.assert_array_equal(got[:, 1], np.fmax(a, b))
    np.testing.assert_array_equal(got[:, 2], np.where(a < 0, -1, 1))


@wp.kernel
def of_constants(a: wp.array(dtype=float), rounds: int, out: wp.array2d(dtype=float)):
    i = wp.tid()
    for _round in range(rounds):
        out[i, 0] += wp.min(NAN, a[i])
        out[i, 1] += wp.min(a[i], NAN)
        out[i, 2] += wp.max(NAN, a[i])
        out[i, 3] += wp.max(a[i], NAN)
        out[i, 4] += wp.clamp(NAN, 2.0, 3.0)
        out[i, 5] += wp.clamp(a[i], NAN, 4.0)


@pytest.mark.parametrize("lanes", ["never", 8])
def test_nan_as_a_constant_gives_way_to_numbers(lanes):
    kernel = wp.Kernel(of_constants.func, options={"lanes": lanes})
    a = wp.array(np.arange(-8, 8), dtype=float, requires_grad=True)
    out = wp.zeros((16, 6), dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(kernel, dim=16, inputs=[a, 1], outputs=[out])
    tape.backward(grads={out: wp.ones_like(out)})
    numbers = np.arange(-8, 8)
    np.testing.assert_array_equal(out.numpy()[:, :4], np.tile(numbers[:, None], 4))
    np.testing.assert_array_equal(out.numpy()[:, 4], 2)
    np.testing.assert_array_equal(out.numpy()[:, 5], np.minimum(numbers, 4))
    # Of equal numbers, at 4, the first is taken.
    np.testing.assert_array_equal(a.grad.numpy(), 4 + (numbers <= 4))


@wp.kernel
def extremes(a: wp.array(dtype=float), low: wp.array(dtype=float), high: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_min(low, 0, a[i])
    wp.atomic_max(high, 0, a[i])


@pytest.mark.parametrize("start", [0.5, NAN])
def test_nan_in_atomics(start):
    for numbers in ([NAN, 3, NAN, -1], [NAN] * 4, [3, 4]):
        a = np.float32(numbers * 500)
        low, high = wp.full(1, start), wp.full(1, start)
        wp.launch(extremes, dim=len(a), inputs=[a], outputs=[low, high])
        np.testing.assert_array_equal(low.numpy()[0], np.fmin.reduce([start, *numbers]))
        np.testing.assert_array_equal(high.numpy()[0], np.fmax.reduce([start, *numbers]))


@wp.kernel
def smaller(a: wp.array(dtype=float), b: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = wp.min(a[i], b[i])


def test_the_gradient_goes_to_what_came_out_and_at_a_tie_to_the_first():
    numbers = [[NAN, 1, 2, 1, 2], [1, NAN, 2, 2, 1]]
    a, b = (wp.array(n, dtype=float, requires_grad=True) for n in numbers)
    out = wp.zeros(5, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(smaller, dim=5, inputs=[a, b], outputs=[out])
    tape.backward(grads={out: wp.ones(5)})
    assert a.grad.list() == [0, 1, 1, 1, 0]
    assert b.grad.list() == [1, 0, 0, 0, 1]
    # Those of outputs stay readable.
    assert out.grad is None or out.grad.list() in ([0] * 5, [1] * 5)


@wp.kernel
def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * x[i]


def test_gradients_of_outputs_stay_readable():
    x, y = wp.array([3.0], dtype=float, requires_grad=True), wp.zeros(1, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(square, dim=1, inputs=[x], outputs=[y])
    tape.backward(y)
    assert (x.grad.list(), y.grad.list()) == ([6.0], [1.0])


def test_host_integers_divide_as_in_kernels():
    assert wp.int32(7) / wp.int32(2) == 3
    assert type(wp.int32(7) / wp.int32(2)) is int
    assert wp.int32(-7) % wp.int32(2) == -1


@wp.kernel
def slopes(x: wp.array(dtype=wp.float64), out: wp.array2d(dtype=wp.float64)):
    out[0, 0] = wp.frac(x[0])
    out[0, 1] = wp.acos(x[1])


def test_slopes_are_the_functions():
    x = wp.array([2.25, 1.0], dtype=wp.float64, requires_grad=True)
    out = wp.zeros((1, 2), dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(slopes, dim=1, inputs=[x], outputs=[out])
    tape.backward(grads={out: wp.ones((1, 2), dtype=wp.float64)})
    assert x.grad.list() == [1, -np.inf]


@wp.kernel
def conversions(x: wp.array(dtype=float), n: wp.array(dtype=int), out: wp.array(dtype=int)):
    out[0] = int(x[0])
    out[1] = int(x[1])
    out[2] = n[0] << n[1]
    out[3] = n[2] >> n[1]
    out[4] = int(wp.uint8(-1)) + int(wp.uint8(300)) * 1000
    out[5] = int(wp.int8(200))
    out[6] = wp.int32(4294967295)


def test_conversions_saturate_or_wrap():
    got = run(conversions, np.float32([1e20, -1e20]), np.int32([1, 32, -5]), out=wp.zeros(7, dtype=int))
    assert got.tolist() == [2**31 - 1, -(2**31), 0, -1, 255 + 44000, -56, -1]
    assert (wp.uint8(-1), wp.uint8(300), wp.int8(200)) == (255, 44, -56)
    assert wp.vec2ub(-1, 300) == (255, 44)
    # What stores or passes numbers refuses those that do not fit.
    with pytest.raises(ValueError, match="300 does not fit uint8"):
        wp.array([300], dtype=wp.uint8)
    with pytest.raises(ValueError, match="300 does not fit uint8"):
        wp.zeros(1, dtype=wp.uint8).fill_(300)

    @wp.kernel
    def takes(n: wp.uint8):
        pass

    with pytest.raises(ValueError, match="300 does not fit uint8"):
        wp.launch(takes, dim=1, inputs=[300])


@wp.kernel
def constants(out: wp.array(dtype=wp.float64), n: wp.array(dtype=wp.int64)):
    x = 0.1
    out[0] = wp.float64(x)
    out[1] = wp.float64(0.1 * 3.0)
    n[0] = wp.int64(2147483647 + 1)


def test_constants_keep_their_value():
    out, n = wp.zeros(2, dtype=wp.float64), wp.zeros(1, dtype=wp.int64)
    wp.launch(constants, dim=1, outputs=[out, n])
    assert out.list() == [0.1, 0.1 * 3.0]
    assert n.list() == [2**31]


@wp.kernel
def beyond(out: wp.array(dtype=float)):
    v = wp.vec3()
    out[0] = v[5]


def test_constant_indices_are_checked():
    with pytest.raises((ValueError, IndexError), match="index 5 is out of range"):
        wp.launch(beyond, dim=1, outputs=[wp.zeros(1)])


def test_from_numpy_makes_vectors_and_matrices():
    for shape, dtype, dims in [
        ((5,), wp.float32, (5,)),
        ((5, 3), wp.vec3, (5,)),
        ((5, 7), wp.types.vector(7, float), (5,)),
        ((5, 2, 3), wp.types.matrix((2, 3), float), (5,)),
        ((0, 3), wp.vec3, (0,)),
        ((2, 3, 4, 5), wp.float32, (2, 3, 4, 5)),
    ]:
        n = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        a = wp.from_numpy(n)
        assert (a.dtype, a.shape) == (dtype, dims)
        np.testing.assert_array_equal(a.numpy(), n)
    n = np.zeros((5, 3), dtype=np.float64)
    assert wp.from_numpy(n).dtype is wp.vec3d
    assert wp.from_numpy(n, dtype=wp.float64).shape == (5, 3)
    assert wp.from_numpy(n, shape=(5,)).dtype is wp.vec3d
    assert wp.from_numpy(n, shape=(3, 5)).dtype is wp.float64
    assert wp.from_numpy(n[:, :2], requires_grad=True).grad.dtype is wp.vec2d
    assert wp.array(n).shape == (5, 3), "only from_numpy"


def test_copies_convert():
    a, b = wp.array([1, 2], dtype=int), wp.zeros(2)
    wp.copy(b, a)
    assert b.list() == [1.0, 2.0]
    b.fill_(7.0)
    a.assign(b)
    assert a.list() == [7, 7]
