"""`jax_kernel` over several devices: eight virtual ones, in a process of its own, since they are made at the start."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

from support.places import search_path

pytest.importorskip("jax")

HEAD = """
import warnings
import numpy as np
import jax
import jax.numpy as jnp
import warp as wp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
from interop.jax.jax_versions import shard_map
from warp.jax_experimental import jax_kernel

@wp.kernel
def scale(a: wp.array(dtype=float), s: float, out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = a[i] * s

@wp.kernel
def matmul(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
    i, j = wp.tid()
    s = wp.float32(0)
    for k in range(a.shape[1]):
        s += a[i, k] * b[k, j]
    c[i, j] = s

kernel = jax_kernel(scale, enable_backward=True)
assert len(jax.devices()) == 8
mesh = Mesh(np.array(jax.devices()), "x")
numbers = np.arange(40, dtype=np.float32)
x = jax.device_put(numbers, NamedSharding(mesh, P("x")))

def close(got, want):
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-5)

"""


def run(program, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(HEAD + textwrap.dedent(program), encoding="utf-8")
    environment = {
        **os.environ,
        "PYTHONPATH": search_path(),
        "JAX_PLATFORMS": "cpu",
        "XLA_FLAGS": "--xla_force_host_platform_device_count=8",
    }
    done = subprocess.run(
        [sys.executable, str(path)], env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_shard_map(tmp_path):
    run(
        """
        for more in ({}, {"check_vma": False}):
            f = shard_map(lambda a, s: kernel(a, s)[0], mesh=mesh, in_specs=(P("x"), P()), out_specs=P("x"), **more)
            for g in (f, jax.jit(f)):
                out = g(x, jnp.float32(3))
                close(out, 3 * numbers)
                assert out.sharding.spec == P("x")
        """,
        tmp_path,
    )


def test_gradients_through_shard_map(tmp_path):
    """What is the same on all devices gets the sum of their gradients."""
    run(
        """
        f = shard_map(lambda a, s: kernel(a, s)[0], mesh=mesh, in_specs=(P("x"), P()), out_specs=P("x"))
        for g in (f, jax.jit(f)):
            da, ds = jax.grad(lambda a, s: g(a, s).sum(), (0, 1))(x, jnp.float32(3))
            close(da, np.full(40, 3))
            close(ds, numbers.sum())

        total = shard_map(
            lambda a: jax.lax.psum(kernel(a, 2.0)[0].sum(), "x"), mesh=mesh, in_specs=(P("x"),), out_specs=P()
        )
        close(total(x), 2 * numbers.sum())
        close(jax.grad(total)(x), np.full(40, 2))
        """,
        tmp_path,
    )


def test_matrices_and_the_old_name(tmp_path):
    run(
        """
        a, b = np.random.rand(16, 4).astype(np.float32), np.random.rand(4, 6).astype(np.float32)
        product = jax_kernel(matmul, launch_dims=(2, 6))
        specs = {"in_specs": (P("x", None), P(None, None)), "out_specs": P("x", None)}
        close(shard_map(lambda a, b: product(a, b)[0], mesh=mesh, **specs)(a, b), a @ b)
        try:
            from jax.experimental.shard_map import shard_map as old
        except ImportError:
            old = None
        if old:
            close(old(lambda a, b: product(a, b)[0], mesh=mesh, check_rep=False, **specs)(a, b), a @ b)
        """,
        tmp_path,
    )


def test_pmap_and_plain_jit(tmp_path):
    run(
        """
        close(jax.pmap(lambda a: kernel(a, 2.0)[0])(numbers.reshape(8, 5)), 2 * numbers.reshape(8, 5))
        close(jax.jit(lambda a: kernel(a, 2.0)[0])(x), 2 * numbers)
        """,
        tmp_path,
    )


def test_callables(tmp_path):
    """Recorded for the shapes of a shard; called for each shard."""
    run(
        """
        from warp.jax_experimental import GraphMode, jax_callable

        def func(a: wp.array(dtype=float), out: wp.array(dtype=float), more: wp.array(dtype=float)):
            work = wp.zeros_like(a)
            wp.launch(scale, dim=a.shape, inputs=[a, 2.0], outputs=[work])
            wp.launch(scale, dim=2, inputs=[work[1:3], 1.0], outputs=[out[1:3]])
            wp.launch(scale, dim=a.shape, inputs=[work, 3.0], outputs=[more])
            shapes.append(a.shape)

        for mode in GraphMode:
            shapes = []
            f = jax_callable(func, num_outputs=2, graph_mode=mode)
            sharded = jax.jit(shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=[P("x"), P("x")]))
            for _ in range(2):
                out, more = sharded(x)
                parts = numbers.reshape(8, 5).copy()
                parts[:, [0, 3, 4]] = 0
                close(out, 2 * parts.reshape(-1))
                close(more, 6 * numbers)
                jax.block_until_ready(more)
            assert set(shapes) == {(5,)}, shapes
            assert len(shapes) == (16 if mode == GraphMode.NONE else 1), shapes
            if mode != GraphMode.NONE:
                loss = lambda x: jnp.sum(sharded(x)[1] ** 2)
                close(jax.grad(loss)(x), 72 * numbers)
            # Without shard_map: for whole arrays.
            shapes.clear()
            close(jax.jit(f)(x)[1], 6 * numbers)
            assert set(shapes) == {(40,)}, shapes
            close(jax.pmap(f)(numbers.reshape(8, 5))[1].reshape(-1), 6 * numbers)
        """,
        tmp_path,
    )


RULES = """
@wp.kernel
def wave(a: wp.array2d(dtype=float), s: float, b: wp.array(dtype=float), out: wp.array2d(dtype=float)):
    i, j = wp.tid()
    out[i, j] = wp.sin(a[i, j]) * s + b[j]

@wp.kernel
def product(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), n: int, c: wp.array2d(dtype=float)):
    i, j = wp.tid()
    s = float(0)
    for k in range(n):
        s += a[i, k] * b[k, j]
    c[i, j] = s

@wp.kernel
def spin(v: wp.array(dtype=wp.vec2), m: wp.array(dtype=wp.mat22), out: wp.array(dtype=wp.vec2)):
    i = wp.tid()
    out[i] = m[i] * v[i]

@wp.kernel
def neighbour(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = a[(i + 1) % a.shape[0]]

@wp.kernel
def place(a: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = a[i] + float(i)

@wp.kernel
def move(x: wp.array(dtype=float), v: wp.array(dtype=float), dt: float):
    i = wp.tid()
    x[i] = x[i] + v[i] * dt

grid = Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))
A = np.random.rand(16, 6).astype(np.float32)

def sharded(values, *spec):
    return jax.device_put(values, NamedSharding(grid, P(*spec)))

def gathers(f, *args):
    return "all-gather" in jax.jit(f).lower(*args).compile().as_text()

def stays(f, *args, spec):
    # Before jax 0.7 the partitioner was another one, for which arrays are gathered.
    if not jax.config.jax_use_shardy_partitioner:
        return jax.jit(f)(*args)
    assert not gathers(f, *args)
    out = jax.jit(f)(*args)
    want = NamedSharding(args[0].sharding.mesh, P(*spec))
    assert out.sharding.is_equivalent_to(want, out.ndim), out.sharding
    return out

waves = jax_kernel(wave, enable_backward=True)
b = np.arange(6, dtype=np.float32)
"""


def test_plain_jit_leaves_elementwise_arrays_where_they_are(tmp_path):
    run(
        RULES
        + """
for spec in (("x", "y"), ("x", None), (None, "y"), (("x", "y"), None)):
    a = sharded(A, *spec)
    out = stays(lambda a: waves(a, 2.0, b)[0], a, spec=spec)
    close(out, np.sin(A) * 2 + b)
    out = stays(lambda a, s: waves(a, s, b)[0], a, jnp.float32(2), spec=spec)
    close(out, np.sin(A) * 2 + b)
    grad = stays(jax.grad(lambda a: (waves(a, 2.0, b)[0] ** 2).sum()), a, spec=spec)
    close(grad, 4 * (np.sin(A) * 2 + b) * np.cos(A))
    tangent = stays(lambda a: jax.jvp(lambda a: waves(a, 2.0, b)[0], (a,), (a,))[1], a, spec=spec)
    close(tangent, 2 * np.cos(A) * A)
# Gradients of what all devices share are right, too.
da, ds, db = jax.jit(jax.grad(lambda a, s, b: (waves(a, s, b)[0] ** 2).sum(), (0, 1, 2)))(a, jnp.float32(2), b)
y = np.sin(A) * 2 + b
close(ds, (2 * y * np.sin(A)).sum())
close(db, (2 * y).sum(0))

given = jax_kernel(wave, launch_dims=(16, 6), output_dims=(16, 6))
close(stays(lambda a: given(a, 2.0, b)[0], sharded(A, "x", "y"), spec=("x", "y")), np.sin(A) * 2 + b)
batch = np.stack([A, 2 * A])
out = stays(jax.vmap(lambda a: waves(a, 2.0, b)[0]), sharded(batch, None, "x", "y"), spec=(None, "x", "y"))
close(out, np.sin(batch) * 2 + b)

v, m = np.random.rand(8, 2).astype(np.float32), np.random.rand(8, 2, 2).astype(np.float32)
spins = jax_kernel(spin, enable_backward=True)
v8, m8 = sharded(v, ("x", "y")), sharded(m, ("x", "y"))
close(stays(lambda v, m: spins(v, m)[0], v8, m8, spec=(("x", "y"),)), np.einsum("nij,nj->ni", m, v))
dv = stays(jax.grad(lambda v, m: spins(v, m)[0].sum()), v8, m8, spec=(("x", "y"),))
close(dv, m.sum(1))

moves = jax_kernel(move, in_out_argnames=["x"], enable_backward=True)
close(stays(lambda x: moves(x, x, 0.5)[0], x, spec=("x",)), 1.5 * numbers)
close(jax.jit(jax.grad(lambda x: (moves(x, x, 0.5)[0] ** 2).sum()))(x), 4.5 * numbers)
        """,
        tmp_path,
    )


def test_plain_jit_cuts_only_what_may_be_cut(tmp_path):
    """A product keeps its rows where they are and needs the other factor; what sees its place is gathered."""
    run(
        RULES
        + """
B = np.random.rand(6, 8).astype(np.float32)
products = jax_kernel(product, launch_dims=(16, 8), enable_backward=True)
f = lambda a, b: products(a, b, 6)[0]
close(stays(f, sharded(A, "x", None), B, spec=("x", None)), A @ B)
close(jax.jit(f)(sharded(A, "x", "y"), sharded(B, "y", "x")), A @ B)
da, db = jax.jit(jax.grad(lambda a, b: (f(a, b) ** 2).sum(), (0, 1)))(sharded(A, "x", None), B)
close(da, 2 * (A @ B) @ B.T)
close(db, 2 * A.T @ (A @ B))

f = lambda a: jax_kernel(neighbour)(a)[0]
assert gathers(f, x)
close(jax.jit(f)(x), np.roll(numbers, -1))
f = lambda a: jax_kernel(place)(a)[0]
assert gathers(f, x)
close(jax.jit(f)(x), numbers + np.arange(40))
# A launch that is shorter than the array, and parts of different sizes.
f = lambda a: kernel(a, 2.0, launch_dims=16, output_dims=40)[0]
close(jax.jit(f)(x), np.where(np.arange(40) < 16, 2 * numbers, 0))
close(jax.jit(lambda a: kernel(a[3:], 2.0)[0])(x), 2 * numbers[3:])
# Arrays on one device know nothing of it.
close(jax.jit(lambda a: kernel(a, 2.0)[0])(numbers), 2 * numbers)
        """,
        tmp_path,
    )
