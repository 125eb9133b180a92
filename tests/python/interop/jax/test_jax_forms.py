"""Every form of `jax_kernel` has the derivatives of the same in jax, and those of finite differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest
import warp as wp

jax = pytest.importorskip("jax")
jnp = jax.numpy

from jax.test_util import check_grads  # noqa: E402
from warp.jax_experimental import jax_kernel  # noqa: E402

from .jax_versions import enable_x64  # noqa: E402

check = partial(check_grads, modes=("fwd", "rev"), atol=2e-2, rtol=2e-2)
RNG = np.random.default_rng(3)


def normal(*shape):
    return jnp.asarray(RNG.normal(size=shape), jnp.float32)


@wp.kernel
def move(x: wp.array[float], v: wp.array[float], dt: float):
    i = wp.tid()
    x[i] = x[i] * x[i] + v[i] * dt


@wp.kernel
def push(x: wp.array[wp.vec2], f: wp.array[wp.vec2], m: float, energy: wp.array[float]):
    i = wp.tid()
    x[i] = x[i] + f[i] / m
    energy[i] = wp.dot(x[i], x[i])


@wp.kernel
def outer(u: wp.array[wp.vec3], v: wp.array[wp.vec3], m: wp.array[wp.mat33], trace: wp.array[float]):
    i = wp.tid()
    m[i] = wp.outer(u[i], v[i])
    trace[i] = wp.sin(wp.dot(u[i], v[i]))


@wp.kernel
def along(x: wp.array[wp.vec3], axis: wp.vec3, turn: wp.mat33, out: wp.array[float]):
    i = wp.tid()
    out[i] = wp.dot(turn * x[i], axis)


@wp.kernel
def spread(x: wp.array[float], at: wp.array[int], out: wp.array[float]):
    i, j = wp.tid()
    wp.atomic_add(out, at[i], x[i] * wp.exp(0.1 * x[j]))


@wp.kernel
def wide(x: wp.array[wp.float64], k: wp.float64, out: wp.array[wp.float64]):
    i = wp.tid()
    out[i] = wp.exp(k * x[i])


@wp.kernel
def branch(x: wp.array[float], n: int, out: wp.array[float]):
    i = wp.tid()
    v = x[i]
    for _ in range(n):
        if v > 0.0:
            v = v * wp.cos(v)
        else:
            v = v - 0.5 * v * v
    out[i] = v


def spread_in_jax(x, at):
    return [jnp.zeros(4).at[at].add(x * jnp.sum(jnp.exp(0.1 * x)))]


def branch_in_jax(x):
    for _ in range(3):
        x = jnp.where(x > 0, x * jnp.cos(x), x - 0.5 * x * x)
    return [x]


@dataclass(frozen=True)
class Form:
    """A call, the same in jax, and its arguments; `fixed` come after them and have no gradients."""

    name: str
    ours: Callable[..., list[Any]]
    theirs: Callable[..., list[Any]]
    args: tuple[Any, ...]
    fixed: tuple[Any, ...] = ()


made = partial(jax_kernel, enable_backward=True)
AT = jnp.asarray([0, 3, 3, 1, 0])
FORMS = [
    Form("in-out", made(move, in_out_argnames=["x"]), lambda x, v, dt: [x * x + v * dt], (normal(5), normal(5), 0.5)),
    Form(
        "in-out and output",
        made(push, num_outputs=2, in_out_argnames=["x"]),
        lambda x, f, m: [x + f / m, jnp.sum((x + f / m) ** 2, axis=1)],
        (normal(4, 2), normal(4, 2), 1.5),
    ),
    Form(
        "vectors to matrices",
        made(outer, num_outputs=2),
        lambda u, v: [u[:, :, None] * v[:, None, :], jnp.sin(jnp.sum(u * v, axis=1))],
        (normal(4, 3), normal(4, 3)),
    ),
    Form(
        "traced vectors and matrices",
        made(along),
        lambda x, axis, turn: [x @ turn.T @ axis],
        (normal(4, 3), normal(3), normal(3, 3)),
    ),
    Form(
        "launch_dims and output_dims",
        lambda x, at: made(spread)(x, at, launch_dims=(5, 5), output_dims={"out": 4}),
        spread_in_jax,
        (normal(5),),
        (AT,),
    ),
    Form(
        "launch_dims of the function",
        made(spread, launch_dims=[5, 5], output_dims=4),
        spread_in_jax,
        (normal(5),),
        (AT,),
    ),
    Form("by name, static value", lambda x: made(branch)(n=3, x=x), branch_in_jax, (normal(6),)),
]


def close(got, want):
    for g, w in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        assert g.shape == w.shape
        np.testing.assert_allclose(g, w, rtol=5e-4, atol=5e-5)


def total(outputs):
    return sum(jnp.sum(jnp.cos(o)) for o in outputs)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_as_in_jax_and_as_finite_differences(form):
    every = tuple(range(len(form.args)))
    ours, theirs = (lambda *a, f=f: f(*a, *form.fixed) for f in (form.ours, form.theirs))
    close(ours(*form.args), theirs(*form.args))
    args = tuple(jnp.asarray(a) for a in form.args)

    def derivatives(f):
        return jax.jit(lambda *a: (jax.grad(lambda *b: total(f(*b)), every)(*a), jax.jvp(f, a, a)))

    close(derivatives(ours)(*args), derivatives(theirs)(*args))
    check(ours, form.args, order=1)
    batch = tuple(jnp.stack([jnp.asarray(a), 0.5 * jnp.asarray(a)]) for a in form.args)
    batched = [
        jax.jit(jax.value_and_grad(lambda *a, f=f: jnp.sum(jax.vmap(lambda *b: total(f(*b)))(*a)), every))
        for f in (ours, theirs)
    ]
    close(batched[0](*batch), batched[1](*batch))


def test_64_bits():
    with enable_x64(True):
        x = jnp.asarray(RNG.normal(size=4))
        f = made(wide)
        want = jax.grad(lambda x, k: jnp.sum(jnp.exp(k * x)), (0, 1))
        got = jax.jit(jax.grad(lambda x, k: jnp.sum(f(x, k)[0]), (0, 1)))(x, jnp.float64(0.3))
        for g, w in zip(got, want(x, 0.3), strict=True):
            assert g.dtype == jnp.float64
            np.testing.assert_allclose(g, w, rtol=1e-12)
        check_grads(lambda x, k: f(x, k)[0], (x, jnp.float64(0.3)), order=2, modes=("fwd", "rev"))


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_halves(name):
    dtype = getattr(wp, name)

    @wp.kernel
    def half(x: wp.array(dtype=dtype), s: dtype, out: wp.array(dtype=dtype)):
        i = wp.tid()
        out[i] = wp.sin(x[i]) * s

    f, jax_type = made(half), getattr(jnp, name)
    x, s = normal(8).astype(name), jax_type(1.5)

    def gradient(function):
        return jax.jit(jax.grad(lambda x, s: jnp.sum(function(x, s).astype(jnp.float32)), (0, 1)))

    got, want = gradient(lambda x, s: f(x, s)[0])(x, s), gradient(lambda x, s: jnp.sin(x) * s)(x, s)
    for g, w in zip(got, want, strict=True):
        assert g.dtype == w.dtype == jax_type
        np.testing.assert_allclose(g.astype(np.float32), w.astype(np.float32), rtol=0.03, atol=0.03)
    # The exact numbers, once: what float32 gives, rounded.
    exact = np.cos(np.asarray(x, np.float32)) * 1.5
    np.testing.assert_allclose(np.asarray(got[0], np.float32), exact, rtol=0.01, atol=0.01)


def test_a_donated_argument_has_a_gradient():
    f = made(move, in_out_argnames=["x"])
    x, v = normal(5), normal(5)
    want = 2 * np.asarray(x)
    got = jax.jit(jax.grad(lambda x, v: f(x, v, 0.5)[0].sum()), donate_argnums=0)(x, v)
    np.testing.assert_allclose(got, want, rtol=1e-6)
