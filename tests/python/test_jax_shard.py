"""`jax_kernel` over several devices: eight virtual ones, in a process of its own, since they are made at the start."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("jax")

HEAD = """
import warnings
import numpy as np
import jax
import jax.numpy as jnp
import warp as wp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
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
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_force_host_platform_device_count=8"}
    done = subprocess.run(
        [sys.executable, str(path)], env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_shard_map(tmp_path):
    run(
        """
        for more in ({}, {"check_vma": False}):
            f = jax.shard_map(lambda a, s: kernel(a, s)[0], mesh=mesh, in_specs=(P("x"), P()), out_specs=P("x"), **more)
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
        f = jax.shard_map(lambda a, s: kernel(a, s)[0], mesh=mesh, in_specs=(P("x"), P()), out_specs=P("x"))
        for g in (f, jax.jit(f)):
            da, ds = jax.grad(lambda a, s: g(a, s).sum(), (0, 1))(x, jnp.float32(3))
            close(da, np.full(40, 3))
            close(ds, numbers.sum())

        total = jax.shard_map(
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
        close(jax.shard_map(lambda a, b: product(a, b)[0], mesh=mesh, **specs)(a, b), a @ b)
        try:
            from jax.experimental.shard_map import shard_map
        except ImportError:
            shard_map = None
        if shard_map:
            close(shard_map(lambda a, b: product(a, b)[0], mesh=mesh, check_rep=False, **specs)(a, b), a @ b)
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
            sharded = jax.jit(jax.shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=[P("x"), P("x")]))
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
