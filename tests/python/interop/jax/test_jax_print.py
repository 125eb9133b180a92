"""Kernels that print do so as often as a program says: nothing is dropped, shared or done twice."""

from __future__ import annotations

import pytest
import warp as wp

jax = pytest.importorskip("jax")
jnp = jax.numpy

from warp.jax_experimental import jax_kernel  # noqa: E402


@wp.kernel
def say(x: wp.array[float], out: wp.array[float]):
    i = wp.tid()
    out[i] = x[i] * x[i]
    wp.printf("said %d\n", i)


SAY = jax_kernel(say, enable_backward=True)
X = jnp.arange(2.0)


def lines(capfd):
    jax.effects_barrier()
    return sorted(capfd.readouterr().out.split("\n"))[1:]


def scanned(x):
    return jax.lax.scan(lambda c, _: (c, SAY(c)[0].sum()), x, length=3)[1]


@pytest.mark.parametrize(
    ("f", "times"),
    [
        (lambda x: (SAY(x), x)[1], 1),
        (lambda x: SAY(x)[0] + SAY(x)[0], 2),
        (lambda x: jax.grad(lambda x: SAY(x)[0].sum())(x), 1),
        (lambda x: jax.jvp(lambda x: SAY(x)[0], (x,), (x,))[1], 1),
        (lambda x: jax.vmap(lambda x: SAY(x)[0])(jnp.stack([x, x])), 2),
        (lambda x: (scanned(x), x)[1], 3),
        (lambda x: jax.lax.cond(x[0] < 1.0, lambda x: (SAY(x), x)[1], lambda x: x, x), 1),
    ],
    ids=["unused", "twice", "grad", "jvp", "vmap", "scan", "cond"],
)
def test_as_often_as_it_is_called(f, times, capfd):
    lines(capfd)
    jax.block_until_ready(jax.jit(f)(X))
    made = lines(capfd)
    if times == 2 and len(made) == 4 and "said 2" in made:  # one launch for the whole batch
        assert made == ["said 0", "said 1", "said 2", "said 3"]
    else:
        assert made == sorted(["said 0", "said 1"] * times)


def test_outside_of_jit_and_each_time(capfd):
    lines(capfd)
    for _ in range(2):
        assert SAY(X)[0].tolist() == [0, 1]
    assert lines(capfd) == sorted(["said 0", "said 1"] * 2)
