"""Random functions of launches, fills and copies on random parts of arrays: traced they do what they do."""

from __future__ import annotations

import os
import random

import numpy as np
import pytest
import warp as wp

jax = pytest.importorskip("jax")

from warp.jax_experimental import GraphMode, jax_callable  # noqa: E402

ROUNDS = 400 if os.environ.get("WARP_SOAK") else 3
SHAPE = (6, 4)


@wp.kernel
def mix(a: wp.array2d[float], s: float, b: wp.array2d[float], out: wp.array2d[float]):
    i, j = wp.tid()
    out[i, j] = out[i, j] * 0.5 + a[i, j] * s + b[i, j]


@wp.kernel
def scatter(a: wp.array[float], out: wp.array[float]):
    i = wp.tid()
    wp.atomic_add(out, (i * 7 + 3) % out.shape[0], a[i])


@wp.kernel
def blend(a: wp.array[wp.vec2], out: wp.array[wp.vec2]):
    i = wp.tid()
    out[i] = wp.vec2(a[i][1], out[i][0])


def part(pick, array, rows, columns):
    """A part of this shape, somewhere, perhaps with gaps or backwards."""
    step = pick.choice([1, 1, 1, 2, -1])
    reach = (rows - 1) * abs(step) + 1
    if reach > array.shape[0]:
        step, reach = 1, rows
    start = pick.randrange(array.shape[0] - reach + 1)
    taken = array[start : start + reach][::step] if abs(step) > 1 or step < 0 else array[start : start + reach]
    left = pick.randrange(array.shape[1] - columns + 1)
    return taken[:, left : left + columns]


def steps(pick, arrays):
    """Does something random with arrays of SHAPE, of which the first must not be written."""
    for _ in range(pick.randrange(2, 10)):
        rows, columns = pick.randrange(1, SHAPE[0] + 1), pick.randrange(1, SHAPE[1] + 1)
        source, target = pick.choice(arrays), pick.choice(arrays[1:])
        match pick.randrange(9):
            case 0 | 1 | 2:
                # Different arrays: threads would read what others write.
                others = [x for x in arrays if x is not target]
                read = [part(pick, pick.choice(others), rows, columns) for _ in range(2)]
                scale = pick.choice([0.5, -1.0, 2.0])
                wp.launch(mix, (rows, columns), [read[0], scale, read[1]], [part(pick, target, rows, columns)])
            case 3:
                others = [x for x in arrays if x is not target]
                wp.launch(scatter, 24, [pick.choice(others).flatten()], [target.reshape(24)])
            case 4:
                whole = target.reshape((12, 2))
                pairs = wp.empty(12, dtype=wp.vec2)
                wp.copy(pairs, wp.zeros(12, dtype=wp.vec2))
                wp.launch(blend, 12, [pairs], [pairs])
                wp.launch(mix, (12, 2), [whole, 1.0, wp.ones((12, 2), dtype=float)], [whole])
            case 5:
                part(pick, target, rows, columns).fill_(pick.randrange(4))
            case 6:
                target[pick.randrange(SHAPE[0])] = float(pick.randrange(3))
            case 7:
                if source is not target:
                    wp.copy(part(pick, target, rows, columns), part(pick, source, rows, columns))
            case 8:
                arrays = [*arrays, pick.choice([wp.clone, wp.zeros_like, wp.empty_like])(source)]
                arrays[-1].assign(np.full(SHAPE, 2.0, np.float32)) if pick.random() < 0.3 else arrays[-1].fill_(1.5)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_random_functions(seed):
    def func(a: wp.array2d[float], b: wp.array2d[float], c: wp.array2d[float], d: wp.array2d[float]):
        steps(random.Random(seed), [a, b, c, d])

    rng = np.random.default_rng(seed)
    given = [rng.integers(-3, 4, SHAPE).astype(np.float32) for _ in range(2)]
    want = [wp.array(x) for x in given] + [wp.zeros(SHAPE, dtype=float) for _ in range(2)]
    func(*want)
    for mode in (GraphMode.JAX, GraphMode.NONE):
        f = jax_callable(func, num_outputs=3, in_out_argnames=["b"], graph_mode=mode)
        assert ("warp_host_call" in str(jax.make_jaxpr(f)(*given))) == (mode == GraphMode.NONE)
        for got, w in zip(f(*map(jax.numpy.asarray, given)), want[1:], strict=True):
            np.testing.assert_allclose(got, w.numpy(), rtol=1e-5, atol=1e-5)
    # All of these functions are affine: differences are derivatives.
    along = [rng.integers(-3, 4, SHAPE).astype(np.float32) for _ in range(2)]
    back = [rng.integers(-3, 4, SHAPE).astype(np.float32) for _ in range(3)]
    f = jax_callable(func, num_outputs=3, in_out_argnames=["b"])

    @jax.jit
    def derivatives(given, along, back):
        return (
            f(*(g + u for g, u in zip(given, along, strict=True))),
            *jax.jvp(f, given, along),
            jax.vjp(f, *given)[1](back),
        )

    there, here, moved, gradients = derivatives(given, along, back)
    for t, h, m in zip(there, here, moved, strict=True):
        np.testing.assert_allclose(t - h, m, rtol=1e-4, atol=1e-4)
    forward = sum(np.vdot(v, m) for v, m in zip(back, moved, strict=True))
    np.testing.assert_allclose(
        sum(np.vdot(g, u) for g, u in zip(gradients, along, strict=True)), forward, rtol=1e-4, atol=1e-2
    )
    both = jax.jit(jax.vmap(f, in_axes=(0, None)))
    for got, w in zip(both(np.stack([given[0]] * 2), given[1]), want[1:], strict=True):
        np.testing.assert_allclose(got, np.stack([w.numpy()] * 2), rtol=1e-5, atol=1e-5)
