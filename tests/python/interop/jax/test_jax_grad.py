"""`jax_kernel` under `jax.grad`, `jax.jvp` and `jax.vmap`: against finite differences and against jax itself."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import warp as wp

jax = pytest.importorskip("jax")
jnp = jax.numpy

from jax.test_util import check_grads  # noqa: E402
from warp.jax_experimental import jax_kernel  # noqa: E402

check = partial(check_grads, modes=("fwd", "rev"), atol=2e-2, rtol=2e-2)


@wp.kernel
def mixed(a: wp.array[float], b: wp.array[float], s: float, c: wp.array[float], d: wp.array[float]):
    i = wp.tid()
    c[i] = wp.sin(a[i]) * s + b[i] * b[i]
    d[i] = a[i] * b[i] * s


def mixed_in_jax(a, b, s):
    return [jnp.sin(a) * s + b * b, a * b * s]


@wp.kernel
def turn(v: wp.array[wp.vec2], m: wp.array[wp.mat22], out: wp.array[wp.vec2], n: wp.array[float]):
    i = wp.tid()
    out[i] = m[i] * v[i]
    n[i] = wp.dot(v[i], v[i])


def turn_in_jax(v, m):
    return [jnp.einsum("nij,nj->ni", m, v), jnp.sum(v * v, axis=1)]


@wp.kernel
def matmul(a: wp.array2d[float], b: wp.array2d[float], c: wp.array2d[float]):
    i, j = wp.tid()
    s = wp.float32(0)
    for k in range(a.shape[1]):
        s += a[i, k] * b[k, j]
    c[i, j] = s


@wp.kernel
def rowsum(matrix: wp.array2d[float], sums: wp.array[float]):
    i, j = wp.tid()
    wp.atomic_add(sums, i, matrix[i, j] * matrix[i, j])


@wp.kernel
def gather(table: wp.array[float], indices: wp.array[int], out: wp.array[float]):
    i = wp.tid()
    out[i] = table[indices[i]] * table[indices[i]]


@wp.kernel
def decay(x: wp.array[float], n: int, out: wp.array[float]):
    i = wp.tid()
    v = x[i]
    for _ in range(n):
        v = wp.sin(v) * v
    out[i] = v


RNG = np.random.default_rng(0)
A, B = (jnp.asarray(RNG.normal(size=5), jnp.float32) for _ in range(2))
V, M = jnp.asarray(RNG.normal(size=(5, 2)), jnp.float32), jnp.asarray(RNG.normal(size=(5, 2, 2)), jnp.float32)
MIXED = jax_kernel(mixed, num_outputs=2, enable_backward=True)
TURN = jax_kernel(turn, num_outputs=2, enable_backward=True)
MATMUL = jax_kernel(matmul, enable_backward=True)


def close(got, want):
    for g, w in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        assert g.shape == w.shape
        np.testing.assert_allclose(g, w, rtol=2e-4, atol=2e-5)


def total(outputs):
    return sum(jnp.sum(jnp.cos(o)) for o in outputs)


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit], ids=["eager", "jit"])
@pytest.mark.parametrize(
    ("ours", "theirs", "args"),
    [(MIXED, mixed_in_jax, (A, B, 1.5)), (TURN, turn_in_jax, (V, M))],
    ids=["values", "vectors"],
)
def test_as_in_jax(ours, theirs, args, wrap):
    every = tuple(range(len(args)))
    close(ours(*args), theirs(*args))
    for by in (jax.grad, jax.value_and_grad):
        close(wrap(by(lambda *a: total(ours(*a)), every))(*args), by(lambda *a: total(theirs(*a)), every)(*args))
    for by in (jax.jacrev, jax.jacfwd):
        close(wrap(by(ours, every))(*args), by(theirs, every)(*args))
    tangents = tuple(jnp.full_like(jnp.asarray(a), 0.5) for a in args)
    close(wrap(lambda *a: jax.jvp(ours, a, tangents))(*args), jax.jvp(theirs, args, tangents))
    close(
        wrap(jax.hessian(lambda *a: total(ours(*a)), every))(*args),
        jax.hessian(lambda *a: total(theirs(*a)), every)(*args),
    )


@pytest.mark.parametrize(("made", "args"), [(MIXED, (A, B, 1.5)), (TURN, (V, M))], ids=["values", "vectors"])
def test_check_grads(made, args):
    check(lambda *a: made(*a), args, order=2)


def test_static_values_and_one_output_unused():
    f = jax.jit(lambda a, b: MIXED(a, b, 2.0)[1].sum())
    close(jax.grad(f, argnums=(0, 1))(A, B), (2 * B, 2 * A))


def test_launch_dims_and_output_dims():
    a, b = jnp.asarray(RNG.normal(size=(3, 2)), jnp.float32), jnp.asarray(RNG.normal(size=(2, 4)), jnp.float32)

    def f(a, b):
        return MATMUL(a, b, launch_dims=(3, 4))[0]

    close(
        jax.grad(lambda a, b: jnp.sum(f(a, b) ** 2), (0, 1))(a, b),
        jax.grad(lambda a, b: jnp.sum((a @ b) ** 2), (0, 1))(a, b),
    )
    check(f, (a, b), order=2)
    lookup = jax_kernel(gather, enable_backward=True, output_dims=3)
    at = jnp.asarray([0, 2, 2])
    (grad,) = jax.grad(lambda t: lookup(t, at, launch_dims=3)[0].sum(), argnums=(0,))(A)
    close(grad, jax.grad(lambda t: (t[at] ** 2).sum())(A))


def test_in_out_arguments():
    made = jax_kernel(rowsum, in_out_argnames=["sums"], enable_backward=True)
    m, s = jnp.asarray(RNG.normal(size=(3, 4)), jnp.float32), jnp.ones(3)
    close(
        jax.grad(lambda m, s: (made(m, s)[0] ** 2).sum(), (0, 1))(m, s),
        jax.grad(lambda m, s: ((s + (m * m).sum(1)) ** 2).sum(), (0, 1))(m, s),
    )
    check(lambda m, s: made(m, s)[0], (m, s), order=1)


def test_loops():
    made = jax_kernel(decay, enable_backward=True)

    def in_jax(x):
        for _ in range(4):
            x = jnp.sin(x) * x
        return x

    x = jnp.asarray([0.5, 0.9, 1.2])
    close(jax.grad(lambda x: made(x, 4)[0].sum())(x), jax.grad(lambda x: in_jax(x).sum())(x))


@pytest.mark.parametrize("axes", [(0, None, None), (0, None, 0), (None, None, 0), (1, 1, None)])
def test_batches_of_gradients(axes):
    a = jnp.asarray(RNG.normal(size=(4, 5)), jnp.float32)
    s = jnp.arange(4.0)

    def ours(a, b, s):
        return total(MIXED(a, b, s))

    def theirs(a, b, s):
        return total(mixed_in_jax(a, b, s))

    args = [A, B, jnp.float32(1.5)]
    for k, d in enumerate(axes):
        if d is not None:
            args[k] = s if k == 2 else (a if d == 0 else a.T)
    for by in (lambda f: f, lambda f: jax.grad(f, (0, 1, 2))):
        close(jax.vmap(by(ours), axes)(*args), jax.vmap(by(theirs), axes)(*args))
        close(jax.jit(jax.vmap(by(ours), axes))(*args), jax.vmap(by(theirs), axes)(*args))
    close(
        jax.grad(lambda *x: jax.vmap(ours, axes)(*x).sum(), (0, 1, 2))(*args),
        jax.grad(lambda *x: jax.vmap(theirs, axes)(*x).sum(), (0, 1, 2))(*args),
    )
    tangents = tuple(jnp.ones_like(x) for x in args)
    close(
        jax.jvp(lambda *x: jax.vmap(ours, axes)(*x), tuple(args), tangents),
        jax.jvp(lambda *x: jax.vmap(theirs, axes)(*x), tuple(args), tangents),
    )


def test_linear_functions_can_be_batched_and_transposed():
    a = jnp.asarray(RNG.normal(size=(3, 5)), jnp.float32)
    for f, push in ((MIXED, jax.linearize(lambda a: MIXED(a, B, 1.5), A)[1]),):
        want = jax.linearize(lambda a: mixed_in_jax(a, B, 1.5), A)[1]
        close(jax.vmap(push)(a), jax.vmap(want)(a))
        close(jax.linear_transpose(push, A)(f(A, B, 1.5)), jax.linear_transpose(want, A)(f(A, B, 1.5)))
    both = jax.vmap(lambda a: MIXED(a, B, 1.5))
    want = jax.vmap(lambda a: mixed_in_jax(a, B, 1.5))
    close(jax.vjp(both, a)[1](both(a)), jax.vjp(want, a)[1](want(a)))


@pytest.mark.parametrize("method", ["broadcast_all", "expand_dims", "sequential"])
def test_vmap(method):
    a = jnp.asarray(RNG.normal(size=(3, 5)), jnp.float32)
    f = partial(MIXED, vmap_method=method)
    close(jax.jit(jax.vmap(f, (0, None, None)))(a, B, 1.5), [jnp.sin(a) * 1.5 + B * B, a * B * 1.5])
    close(jax.vmap(f, (1, None, 0))(a.T, B, jnp.arange(3.0)), mixed_in_jax(a, B, jnp.arange(3.0)[:, None]))
    grads = [
        jax.grad(lambda a, s, g=g: jax.vmap(lambda a, s: total(g(a, B, s)))(a, s).sum(), (0, 1))
        for g in (f, mixed_in_jax)
    ]
    close(grads[0](a, jnp.arange(3.0)), grads[1](a, jnp.arange(3.0)))
    table, at = jnp.arange(10.0), jnp.asarray(RNG.integers(0, 10, size=(3, 4)), jnp.int32)
    lookup = jax_kernel(gather, vmap_method=method)
    close(jax.vmap(partial(lookup, launch_dims=4), (None, 0))(table, at), [table[at] ** 2])
    close(jax.vmap(partial(lookup, launch_dims=3), (None, 1))(table, at), [table[at.T] ** 2])
    m = jnp.asarray(RNG.normal(size=(2, 3, 4)), jnp.float32)
    rows = jax_kernel(rowsum, in_out_argnames=["sums"], vmap_method=method)
    for axis in range(3):
        moved = jnp.moveaxis(m, axis, 0)
        close(jax.vmap(rows, (axis, None))(m, jnp.ones(moved.shape[1])), [1 + (moved**2).sum(2)])
        close(jax.vmap(rows, (axis, 0))(m, jnp.ones(moved.shape[:2])), [1 + (moved**2).sum(2)])


def test_vmap_of_vmap_and_too_many_dimensions():
    a, b = (jnp.asarray(RNG.normal(size=(2, 3, 2, 3, 2)), jnp.float32) for _ in range(2))

    def f(a, b):
        return MATMUL(a, jnp.swapaxes(b, 0, 1), launch_dims=(3, 3))[0]

    def g(a, b):
        return a @ b.T

    for depth in range(1, 4):
        for _ in range(depth):
            f, g = jax.vmap(f), jax.vmap(g)
        at = (0,) * (3 - depth)
        close(f(a[at], b[at]), g(a[at], b[at]))
        close(
            jax.grad(lambda a, b, f=f: (f(a, b) ** 2).sum(), (0, 1))(a[at], b[at]),
            jax.grad(lambda a, b, g=g: (g(a, b) ** 2).sum(), (0, 1))(a[at], b[at]),
        )
        f, g = (lambda a, b: MATMUL(a, jnp.swapaxes(b, 0, 1), launch_dims=(3, 3))[0]), (lambda a, b: a @ b.T)


def test_without_a_gradient():
    plain = jax_kernel(gather)
    with pytest.raises(TypeError, match="'gather' has no gradient.*enable_backward=True"):
        jax.grad(lambda t: plain(t, jnp.asarray([0, 1]), launch_dims=2)[0].sum())(A)
    # Where nobody asks for one it is no matter.
    f = jax.grad(lambda t: (t[:2] * jax.lax.stop_gradient(plain(t, jnp.asarray([0, 1]), launch_dims=2)[0])).sum())
    close(f(A), jnp.concatenate([A[:2] ** 2, jnp.zeros(3)]))

    @wp.kernel(enable_backward=False)
    def closed(x: wp.array[float], out: wp.array[float]):
        i = wp.tid()
        out[i] = x[i] * 2.0

    with pytest.raises(RuntimeError, match="closed"):
        jax.grad(lambda x: jax_kernel(closed, enable_backward=True)(x)[0].sum())(A)


def test_checkpoint_and_scan():
    def step(x, _):
        return MIXED(x, B, 0.5)[0] * 0.3, None

    def want(x, _):
        return mixed_in_jax(x, B, 0.5)[0] * 0.3, None

    for wrap in (lambda f: f, jax.checkpoint):
        f = lambda x, s=step, wrap=wrap: jax.lax.scan(wrap(s), x, length=5)[0].sum()  # noqa: E731
        close(jax.jit(jax.grad(f))(A), jax.grad(lambda x: jax.lax.scan(want, x, length=5)[0].sum())(A))
