"""Noise against a reference in NumPy, its gradient against differences, and what the curl must fulfil."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import warp as wp

u32 = np.uint32
FACTORS = np.array([73856093, 19349663, 53471161, 10000019], u32)
VECTORS = {1: wp.float32, 2: wp.vec2, 3: wp.vec3, 4: wp.vec4}


def pcg(x):
    """PCG's hash of 32 bits."""
    s = x * u32(747796405) + u32(2891336453)
    w = ((s >> ((s >> u32(28)) + u32(4))) ^ s) * u32(277803737)
    return (w >> u32(22)) ^ w


def slopes(state, n):
    """The random direction of a corner."""
    out = []
    for _ in range(n):
        state = pcg(state)
        out.append((state >> u32(8)) / 2.0**23 - 1)
    out = np.stack(out)
    return out if n == 1 else out / np.linalg.norm(out, axis=0)


def reference(state, x, periods=None):
    """The noise at the points `x` (count, n) as a sum over the corners of their cells."""
    n = x.shape[1]
    cell = np.floor(x).astype(np.int64)
    inside = x - cell
    weight = inside**3 * (inside * (inside * 6 - 15) + 10)
    total = np.zeros(len(x))
    for corner in itertools.product((0, 1), repeat=n):
        place = cell + corner
        if periods is not None:
            place = np.fmod(np.fmod(cell, periods) + corner, periods)
        keys = place.astype(u32) * FACTORS[:n]
        keys[:, -1] += state
        key = np.bitwise_xor.reduce(keys, axis=1)
        value = (slopes(key, n).T * (inside - corner)).sum(1)
        total += value * np.where(corner, weight, 1 - weight).prod(1)
    return total


def kernel_of(n, periodic):
    vector = VECTORS[n]

    if not periodic:

        @wp.kernel
        def noise(states: wp.array(dtype=wp.uint32), x: wp.array(dtype=vector), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = wp.noise(states[i], x[i])

    elif n == 1:

        @wp.kernel
        def noise(states: wp.array(dtype=wp.uint32), x: wp.array(dtype=vector), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = wp.pnoise(states[i], x[i], 3)

    elif n == 2:

        @wp.kernel
        def noise(states: wp.array(dtype=wp.uint32), x: wp.array(dtype=vector), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = wp.pnoise(states[i], x[i], 3, 5)

    elif n == 3:

        @wp.kernel
        def noise(states: wp.array(dtype=wp.uint32), x: wp.array(dtype=vector), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = wp.pnoise(states[i], x[i], 3, 5, 4)

    else:

        @wp.kernel
        def noise(states: wp.array(dtype=wp.uint32), x: wp.array(dtype=vector), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = wp.pnoise(states[i], x[i], 3, 5, 4, 7)

    return noise


def points(n, count=300):
    rng = np.random.default_rng(n)
    states = rng.integers(0, 2**32, count, dtype=u32)
    x = rng.uniform(-10, 10, (count, n)).astype(np.float32)
    return states, x


def given(x):
    return np.ascontiguousarray(x[:, 0] if x.shape[1] == 1 else x)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("periodic", [False, True])
def test_noise(n, periodic):
    states, x = points(n)
    out = np.zeros(len(x), np.float32)
    wp.launch(kernel_of(n, periodic), dim=len(x), inputs=[states, given(x), out])
    want = reference(states, x.astype(float), np.array([3, 5, 4, 7])[:n] if periodic else None)
    np.testing.assert_allclose(out, want, atol=2e-6)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("periodic", [False, True])
def test_gradient_of_noise(n, periodic):
    states, x = points(n)
    kernel = kernel_of(n, periodic)
    periods = np.array([3, 5, 4, 7])[:n] if periodic else None
    array = wp.array(given(x), dtype=VECTORS[n], requires_grad=True)
    out = wp.zeros(len(x), dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(kernel, dim=len(x), inputs=[states, array, out])
    tape.backward(grads={out: wp.ones(len(x), dtype=float)})
    want = np.zeros(x.shape)
    for axis in range(n):
        step = np.zeros(n)
        step[axis] = 1e-5
        want[:, axis] = (reference(states, x + step, periods) - reference(states, x - step, periods)) / 2e-5
    np.testing.assert_allclose(array.grad.numpy().reshape(x.shape), want, atol=2e-5)


def slope(states, x, axis):
    step = np.zeros(x.shape[1])
    step[axis] = 1e-5
    return (reference(states, x + step) - reference(states, x - step)) / 2e-5


@wp.kernel
def curls(
    states: wp.array(dtype=wp.uint32), x: wp.array(dtype=wp.vec4), flat: wp.array(dtype=wp.vec2),
    solid: wp.array(dtype=wp.vec3), moving: wp.array(dtype=wp.vec3),
):  # fmt: skip
    i = wp.tid()
    s, v = states[i], x[i]
    flat[i] = wp.curlnoise(s, wp.vec2(v[0], v[1]), wp.uint32(3), 2.5, 0.4)
    solid[i] = wp.curlnoise(s, wp.vec3(v[0], v[1], v[2]))
    moving[i] = wp.curlnoise(s, v, octaves=wp.uint32(2))


def test_curlnoise():
    states, x = points(4, 100)
    flat, solid, moving = (np.zeros((len(x), n), np.float32) for n in (2, 3, 3))
    wp.launch(curls, dim=len(x), inputs=[states, x, flat, solid, moving])
    x = x.astype(float)

    want = np.zeros((len(x), 2))
    for k in range(3):
        at = x[:, :2] * 2.5**k
        want += 0.4**k * np.stack([-slope(states, at, 1), slope(states, at, 0)], 1)
    np.testing.assert_allclose(flat, want, atol=2e-5)

    def three(states, x):
        second = pcg(states + pcg(np.full(1, 10019689, u32)))
        third = pcg(second + pcg(np.full(1, 13112221, u32)))
        curl = [
            slope(third, x, 1) - slope(second, x, 2),
            slope(states, x, 2) - slope(third, x, 0),
            slope(second, x, 0) - slope(states, x, 1),
        ]
        return third, np.stack(curl, 1)

    np.testing.assert_allclose(solid, three(states, x[:, :3])[1], atol=2e-5)
    third, first = three(states, x)
    np.testing.assert_allclose(moving, first + 0.5 * three(third, x * 2)[1], atol=3e-5)


@wp.kernel
def swirl(x: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)):
    i = wp.tid()
    v = wp.curlnoise(wp.uint32(7), x[i], wp.uint32(2))
    out[i] = v[0] + 2.0 * v[1] - v[2]


def test_gradient_of_curlnoise():
    x = np.random.default_rng(0).uniform(-4, 4, (50, 3)).astype(np.float32)

    def values(x):
        out = np.zeros(len(x), np.float32)
        wp.launch(swirl, dim=len(x), inputs=[np.ascontiguousarray(x, np.float32), out])
        return out.astype(float)

    array = wp.array(x, dtype=wp.vec3, requires_grad=True)
    out = wp.zeros(len(x), dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(swirl, dim=len(x), inputs=[array, out])
    tape.backward(grads={out: wp.ones(len(x), dtype=float)})
    for axis in range(3):
        step = np.zeros(3, np.float32)
        step[axis] = 2.0**-7
        width = (x + step)[:, axis].astype(float) - (x - step)[:, axis]
        want = (values(x + step) - values(x - step)) / width
        error = np.abs(array.grad.numpy()[:, axis] - want)
        # Across the side of a cell, where the third derivative jumps, differences are no measure.
        assert np.quantile(error, 0.9) < 0.05


def test_on_the_host():
    x = np.array([[1.3, 2.1, -0.4]])
    found = wp.noise(wp.uint32(5), wp.vec3(*x[0]))
    np.testing.assert_allclose(found, reference(np.array([5], u32), x)[0], atol=1e-6)
