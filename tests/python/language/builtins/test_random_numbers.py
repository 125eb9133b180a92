"""Random numbers: the generator against its formula in NumPy, the state as a variable, distributions."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

u32 = np.uint32


def pcg(x):
    """PCG's hash of 32 bits."""
    s = np.atleast_1d(np.asarray(x, u32)) * u32(747796405) + u32(2891336453)
    w = ((s >> ((s >> u32(28)) + u32(4))) ^ s) * u32(277803737)
    return ((w >> u32(22)) ^ w).reshape(np.shape(x))


def unit(state):
    return ((state >> u32(8)) / 2.0**24).astype(np.float32)


SEEDS = np.concatenate([np.arange(16), np.random.default_rng(0).integers(0, 2**32, 1000)]).astype(u32)
TAU = np.float32(2 * np.pi)


@wp.kernel
def integers(states: wp.array(dtype=wp.uint32), out: wp.array2d(dtype=wp.uint32)):
    i = wp.tid()
    s = states[i]
    out[0, i] = wp.uint32(wp.randi(s))
    out[1, i] = wp.randu(s)
    out[2, i] = wp.uint32(wp.randi(s, -5, 100))
    out[3, i] = wp.randu(s, wp.uint32(7), wp.uint32(4000000000))
    out[4, i] = s
    out[5, i] = wp.rand_init(int(states[i]))
    out[6, i] = wp.rand_init(int(states[i]), i - 5)


def test_integers():
    n = len(SEEDS)
    out = np.zeros((7, n), u32)
    wp.launch(integers, dim=n, inputs=[SEEDS, out])
    h1, h2, h3, h4 = pcg(SEEDS), pcg(pcg(SEEDS)), pcg(pcg(pcg(SEEDS))), pcg(pcg(pcg(pcg(SEEDS))))
    np.testing.assert_array_equal(out[0], h1)
    np.testing.assert_array_equal(out[1], h2)
    np.testing.assert_array_equal(out[2].view(np.int32), (h3 % u32(105)).astype(np.int32) - 5)
    np.testing.assert_array_equal(out[3], h4 % u32(4000000000 - 7) + u32(7))
    np.testing.assert_array_equal(out[4], h4)
    np.testing.assert_array_equal(out[5], pcg(SEEDS))
    np.testing.assert_array_equal(out[6], pcg(SEEDS + pcg((np.arange(n) - 5).astype(np.int32).view(u32))))


@wp.kernel
def floats(states: wp.array(dtype=wp.uint32), out: wp.array2d(dtype=float)):
    i = wp.tid()
    s = states[i]
    out[0, i] = wp.randf(s)
    s = states[i]
    out[1, i] = wp.randf(s, -3.7, 11.3)
    s = states[i]
    out[2, i] = wp.randn(s)
    out[3, i] = wp.randf(s)


def test_floats():
    n = len(SEEDS)
    out = np.zeros((4, n), np.float32)
    wp.launch(floats, dim=n, inputs=[SEEDS, out])
    states = [SEEDS]
    for _ in range(3):
        states.append(pcg(states[-1]))
    u1, u2, u3 = (unit(s) for s in states[1:])
    np.testing.assert_array_equal(out[0], u1)
    low, high = np.float32(-3.7), np.float32(11.3)
    np.testing.assert_array_equal(out[1], (high - low) * u1 + low)
    normal = np.sqrt(-2 * np.log(u1.astype(float) + 2**-24)) * np.cos((TAU * u2).astype(float))
    np.testing.assert_allclose(out[2], normal, rtol=2e-5, atol=5e-7)
    np.testing.assert_array_equal(out[3], u3)


FORMS = {
    "sample_triangle": lambda u: (1 - np.sqrt(u[0]), np.sqrt(u[0]) * u[1]),
    "sample_unit_ring": lambda u: (np.cos(TAU * u[0]), np.sin(TAU * u[0])),
    "sample_unit_disk": lambda u: (np.sqrt(u[0]) * np.cos(TAU * u[1]), np.sqrt(u[0]) * np.sin(TAU * u[1])),
    "sample_unit_square": lambda u: (u[0] - 0.5, u[1] - 0.5),
    "sample_unit_cube": lambda u: (u[0] - 0.5, u[1] - 0.5, u[2] - 0.5),
    "sample_unit_sphere_surface": lambda u: tilted(u, 2),
    "sample_unit_sphere": lambda u: np.cbrt(u[2]) * tilted(u, 2),
    "sample_unit_hemisphere_surface": lambda u: tilted(u, 1),
    "sample_unit_hemisphere": lambda u: np.cbrt(u[2]) * tilted(u, 1),
}
DRAWS = {"sample_unit_ring": 1, "sample_unit_cube": 3, "sample_unit_sphere": 3, "sample_unit_hemisphere": 3}


def tilted(u, heights):
    z = 1 - heights * u[0]
    across = np.sqrt(np.maximum(1 - z * z, 0))
    return np.stack([across * np.cos(TAU * u[1]), across * np.sin(TAU * u[1]), z])


@pytest.mark.parametrize("name", FORMS)
def test_points(name):
    draw, draws = getattr(wp, name), DRAWS.get(name, 2)

    @wp.kernel
    def points(
        states: wp.array(dtype=wp.uint32), out: wp.array2d(dtype=float), left: wp.array(dtype=wp.uint32), size: int
    ):  # fmt: skip
        i = wp.tid()
        s = states[i]
        p = draw(s)
        for k in range(size):
            out[k, i] = p[k]
        left[i] = s

    states = [SEEDS]
    for _ in range(draws):
        states.append(pcg(states[-1]))
    want = np.stack(FORMS[name]([unit(s).astype(np.float64) for s in states[1:]]))
    out, left = np.zeros(want.shape, np.float32), np.zeros_like(SEEDS)
    wp.launch(points, dim=len(SEEDS), inputs=[SEEDS, out, left, len(want)])
    np.testing.assert_allclose(out, want, atol=1e-6)
    np.testing.assert_array_equal(left, states[-1])


@wp.kernel
def indices(states: wp.array(dtype=wp.uint32), cdf: wp.array(dtype=float), out: wp.array(dtype=int)):
    i = wp.tid()
    s = states[i]
    out[i] = wp.sample_cdf(s, cdf)


def test_sample_cdf():
    cdf = np.cumsum(np.random.default_rng(1).random(37)).astype(np.float32)
    cdf /= cdf[-1] * np.float32(1.1)
    out = np.zeros(len(SEEDS), np.int32)
    wp.launch(indices, dim=len(SEEDS), inputs=[SEEDS, cdf, out])
    np.testing.assert_array_equal(out, np.searchsorted(cdf, unit(pcg(SEEDS)), "left"))
    assert out.max() == 37


def test_on_the_host():
    assert wp.rand_init(42) == int(pcg(42))
    assert wp.rand_init(42, 3) == int(pcg(u32(42) + pcg(3)))
    state = wp.uint32(5)
    assert wp.randf(state) == float(unit(pcg(5))) == wp.randf(state)
    assert wp.randi(state, 1, 7) == int(pcg(5) % u32(6)) + 1


@wp.func
def draw_twice(state: wp.uint32):
    return wp.randf(state) + wp.randf(state)


@wp.struct
class Walker:
    state: wp.uint32
    position: float


@wp.kernel
def variables(seed: int, out: wp.array(dtype=wp.uint32), n: int):
    s = wp.rand_init(seed)
    draw_twice(s)
    out[0] = s  # the function's own copy changed
    t = s
    wp.randf(t)
    out[1] = s  # so did this one
    v = wp.vec3(wp.randf(s), wp.randf(s), wp.randf(s))
    out[2] = s
    x = wp.randf(s) if n > 100 else 1.0
    out[3] = s  # not evaluated
    x += wp.randf(s) if n < 100 else 1.0
    out[4] = s
    if n > 100 and wp.randf(s) >= 0.0:
        x += 1.0
    out[5] = s
    if n > 100 or wp.randf(s) >= 0.0:
        x += wp.randf(s) + v[0]
    out[6] = s
    for i in range(n):
        if i % 2 == 0:
            wp.randi(s)
    out[7] = s
    rounds = wp.uint32(0)
    while wp.randf(s) > 0.05:
        rounds += wp.uint32(1)
        if rounds > wp.uint32(200):
            break
    out[8] = s
    out[9] = rounds
    w = Walker()
    w.state = s
    for _i in range(n):
        w.position += wp.randf(w.state)
    out[10] = w.state
    out[11] = s


def test_a_draw_is_an_assignment():
    out = np.zeros(12, u32)
    wp.launch(variables, dim=1, inputs=[3, out, 20])

    def after(state, draws):
        for _ in range(draws):
            state = pcg(state)
        return state

    s = pcg(3)
    want = [s, s, after(s, 3), after(s, 3), after(s, 4), after(s, 4), after(s, 6), after(s, 16)]
    s, rounds = pcg(want[-1]), 0
    while unit(s) > 0.05:
        s, rounds = pcg(s), rounds + 1
    want += [s, rounds, after(s, 20), s]
    np.testing.assert_array_equal(out, np.array(want, u32))


@wp.kernel
def counts(mean: wp.array(dtype=float), out: wp.array2d(dtype=wp.uint32), left: wp.array2d(dtype=wp.uint32)):
    i, j = wp.tid()
    s = wp.rand_init(j, i)
    out[j, i] = wp.poisson(s, mean[j])
    left[j, i] = s


def test_poisson():
    n = 20_000
    mean = np.array([0.0, -1.0, 0.01, 0.7, 7.3, 9.99, 10.0, 63.5, 1000.0], np.float32)
    out, left = (np.zeros((len(mean), n), u32) for _ in range(2))
    wp.launch(counts, dim=(n, len(mean)), inputs=[mean, out, left])
    assert (out[:2] == 0).all()
    starts = [pcg(u32(j) + pcg(np.arange(n, dtype=u32))) for j in range(2)]
    np.testing.assert_array_equal(left[0], starts[0])  # no draw
    np.testing.assert_array_equal(left[1], pcg(starts[1]))
    for found, lam in zip(out[2:].astype(float), mean[2:], strict=True):
        error = np.sqrt(lam / n)
        assert abs(found.mean() - lam) < 4 * error, lam
        assert abs(found.var() / lam - 1) < 0.05 + 4 * np.sqrt(1 / (lam * n)), lam


def test_poisson_by_multiplication():
    """Below 10 the number of factors that keep the product above exp(-mean)."""
    out, left = np.zeros((1, 500), u32), np.zeros((1, 500), u32)
    mean = np.array([3.5], np.float32)
    wp.launch(counts, dim=(500, 1), inputs=[mean, out, left])
    state = pcg(pcg(np.arange(500, dtype=u32)))
    product, want, last = np.ones(500, np.float32), np.full(500, -1), state
    going = np.ones(500, bool)
    while going.any():
        state = pcg(state)
        product *= unit(state)
        want += going
        last = np.where(going, state, last)
        going &= product > np.exp(-mean[0])
    np.testing.assert_array_equal(out[0], want)
    np.testing.assert_array_equal(left[0], last)


SEED = wp.uint32(3)


def test_what_is_no_variable():
    @wp.kernel
    def element(states: wp.array(dtype=wp.uint32), out: wp.array(dtype=float)):
        out[0] = wp.randf(states[0])

    @wp.kernel
    def constant(states: wp.array(dtype=wp.uint32), out: wp.array(dtype=float)):
        out[0] = wp.randf(SEED)

    @wp.kernel
    def value(states: wp.array(dtype=wp.uint32), out: wp.array(dtype=float)):
        out[0] = wp.randf(wp.rand_init(7))

    states, out = np.zeros(1, u32), np.zeros(1, np.float32)
    with pytest.raises(TypeError, match="changes its argument, and this is an element"):
        wp.launch(element, dim=1, inputs=[states, out])
    with pytest.raises(TypeError, match="changes its argument, and this stands outside the function"):
        wp.launch(constant, dim=1, inputs=[states, out])
    wp.launch(value, dim=1, inputs=[states, out])
    assert out[0] == unit(pcg(pcg(7)))


@wp.kernel
def scaled(scale: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    s = wp.rand_init(11, i)
    for _k in range(3):
        out[i] += wp.randf(s, 0.0, scale[i]) * scale[i]


def test_gradient():
    """Draws are constants of the derivative; the bounds of a range are not."""
    scale = wp.array(np.linspace(1, 2, 8), dtype=float, requires_grad=True)
    out = wp.zeros(8, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(scaled, dim=8, inputs=[scale, out])
    tape.backward(grads={out: wp.ones(8, dtype=float)})
    np.testing.assert_allclose(scale.grad.numpy(), 2 * out.numpy() / scale.numpy(), rtol=1e-5)


@wp.kernel
def many(out: wp.array2d(dtype=float)):
    i = wp.tid()
    s = wp.rand_init(1, i)
    out[0, i] = wp.randf(s)
    out[1, i] = wp.randn(s)


def test_distributions():
    n = 200_000
    out = np.zeros((2, n), np.float32)
    wp.launch(many, dim=n, inputs=[out])
    counts = np.histogram(out[0], bins=50, range=(0, 1))[0]
    assert ((counts - n / 50) ** 2 / (n / 50)).sum() < 90  # chi square with 49 degrees of freedom
    assert abs(out[1].mean()) < 0.01
    assert abs(out[1].var() - 1) < 0.02
    assert abs(np.corrcoef(out[0, 1:], out[0, :-1])[0, 1]) < 0.01
