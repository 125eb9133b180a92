"""`jax_kernel` in two processes of two devices each: values and gradients, through collectives of gloo's."""

from __future__ import annotations

import textwrap

import pytest

from support.jax_processes import run_in_two

pytest.importorskip("jax")

PROGRAM = """
import jax
jax.distributed.initialize()
import numpy as np
import jax.numpy as jnp
import warp as wp
from jax.experimental.multihost_utils import process_allgather
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
from interop.jax.jax_versions import shard_map
from warp.jax_experimental import jax_kernel

@wp.kernel
def line(x: wp.array(dtype=float), slope: float, offset: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = wp.sin(x[i]) * slope + offset[0]

kernel = jax_kernel(line, enable_backward=True)
mesh = Mesh(np.array(jax.devices()), "x")
numbers = np.linspace(-1, 1, 12, dtype=np.float32)
x = jax.make_array_from_callback((12,), NamedSharding(mesh, P("x")), lambda index: numbers[index])
slope, offset = jnp.float32(1.5), jnp.ones(1, jnp.float32)

def whole(values):
    return process_allgather(values, tiled=True)

def close(got, want):
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)

def model(x, slope, offset):
    return kernel(x, slope, offset)[0]

f = shard_map(model, mesh=mesh, in_specs=(P("x"), P(), P()), out_specs=P("x"))
for g in (f, jax.jit(f)):
    close(whole(g(x, slope, offset)), np.sin(numbers) * 1.5 + 1)
    dx, ds, do = jax.jit(jax.grad(lambda *a: jnp.sum(g(*a) ** 2), (0, 1, 2)))(x, slope, offset)
    y = np.sin(numbers) * 1.5 + 1
    close(whole(dx), 2 * y * np.cos(numbers) * 1.5)
    close(ds, np.sum(2 * y * np.sin(numbers)))
    close(do, [np.sum(2 * y)])

def total(x, slope, offset):
    return jax.lax.psum(model(x, slope, offset).sum(), "x")

total = jax.jit(shard_map(total, mesh=mesh, in_specs=(P("x"), P(), P()), out_specs=P()))
close(total(x, slope, offset), np.sum(np.sin(numbers) * 1.5 + 1))
shifted = shard_map(
    lambda x: jax.lax.ppermute(model(x, slope, offset), "x", [(k, (k + 1) % 4) for k in range(4)]),
    mesh=mesh, in_specs=P("x"), out_specs=P("x"),
)
close(whole(jax.jit(shifted)(x)), np.roll(np.sin(numbers) * 1.5 + 1, 3))
# Plain jit over what the processes share.
close(whole(jax.jit(lambda x: model(x, 2.0, offset))(x)), np.sin(numbers) * 2 + 1)
print("all of it")
"""


def test_two_processes(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(PROGRAM), encoding="utf-8")
    assert run_in_two([path], tmp_path) == ["all of it\n"]
