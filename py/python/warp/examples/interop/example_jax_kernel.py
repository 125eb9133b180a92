"""Kernels as functions of jax, in every form of a call: jitted, batched, differentiated.

Each part computes something that is known otherwise, and says how far it is from that.

    python -m warp.examples.interop.example_jax_kernel
"""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import warp as wp
from warp.jax_experimental import jax_kernel

from .. import _shared


@wp.kernel
def polar(v: wp.array[wp.vec2], radius: wp.array[float], angle: wp.array[float]) -> None:
    """Two outputs of one array of vectors."""
    i = wp.tid()
    radius[i] = wp.length(v[i])
    angle[i] = wp.atan2(v[i][1], v[i][0])


@wp.kernel
def histogram(x: wp.array[float], width: float, counts: wp.array[int]) -> None:
    """An output of another size than the input: how many elements fall into each bin."""
    i = wp.tid()
    wp.atomic_add(counts, int(x[i] / width), 1)


@wp.kernel
def smooth(x: wp.array[float], amount: float, out: wp.array[float]) -> None:
    """Each element moves towards its neighbours."""
    i = wp.tid()
    n = x.shape[0]
    left = x[wp.max(i - 1, 0)]
    right = x[wp.min(i + 1, n - 1)]
    out[i] = x[i] + amount * (left + right - 2.0 * x[i])


@wp.kernel
def drift(velocity: wp.array[wp.vec3], dt: float, position: wp.array[wp.vec3]) -> None:
    """Changes an array in place."""
    i = wp.tid()
    position[i] = position[i] + dt * velocity[i]


@wp.kernel
def identity(out: wp.array[wp.mat33]) -> None:
    """No inputs at all."""
    i = wp.tid()
    out[i] = wp.mat33(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def several_outputs() -> float:
    """Polar coordinates and back."""
    f = jax.jit(jax_kernel(polar, num_outputs=2))
    v = jax.random.normal(jax.random.key(0), (1000, 2))
    radius, angle = f(v)
    back = jnp.stack([radius * jnp.cos(angle), radius * jnp.sin(angle)], axis=1)
    return float(jnp.abs(back - v).max())


def sizes_of_outputs() -> float:
    """A histogram, against NumPy's."""
    x = jax.random.uniform(jax.random.key(1), (10_000,))
    (counts,) = jax_kernel(histogram)(x, 0.125, output_dims=8)
    return float(np.abs(np.asarray(counts) - np.histogram(x, bins=8, range=(0, 1))[0]).max())


def changed_in_place() -> float:
    """The input stays as it is, or becomes the output where it is donated."""
    f = jax.jit(jax_kernel(drift, in_out_argnames=["position"]), donate_argnums=2)
    velocity, position = jnp.ones((5, 3)), jnp.zeros((5, 3))
    for _ in range(10):
        (position,) = f(velocity, 0.1, position)
    return float(jnp.abs(position - 1.0).max())


def without_inputs() -> float:
    """Matrices out of nothing."""
    (out,) = jax_kernel(identity)(launch_dims=4)
    return float(jnp.abs(out - jnp.eye(3)).max())


def plain_smooth(x: jax.Array, amount: jax.Array) -> jax.Array:
    """The kernel `smooth`, written in jax."""
    left, right = jnp.concatenate([x[:1], x[:-1]]), jnp.concatenate([x[1:], x[-1:]])
    return x + amount * (left + right - 2 * x)


def batches_and_gradients() -> float:
    """A loss over a batch, with gradients for the array and the number: against the same in jax."""
    f = jax_kernel(smooth, enable_backward=True)
    x = jax.random.normal(jax.random.key(2), (7, 64))

    def loss(one: Callable[..., jax.Array], x: jax.Array, amount: jax.Array) -> jax.Array:
        return jnp.sum(jax.vmap(one, in_axes=(0, None))(x, amount) ** 3)

    worst = 0.0
    for which in (0, 1):
        got = jax.jit(jax.grad(lambda x, a: loss(lambda *v: f(*v)[0], x, a), argnums=which))(x, 0.2)
        want = jax.grad(lambda x, a: loss(plain_smooth, x, a), argnums=which)(x, 0.2)
        worst = max(worst, float(jnp.abs(got - want).max() / jnp.abs(want).max()))
    return worst


PARTS = (several_outputs, sizes_of_outputs, changed_in_place, without_inputs, batches_and_gradients)


def main() -> dict[str, float]:
    """Returns the error of each part."""
    errors = {part.__name__: part() for part in PARTS}
    for name, error in errors.items():
        print(f"{name:>24}: error {error:.1e}")
    return errors


def program(arguments: list[str] | None = None) -> None:
    """What the command line runs."""
    options = _shared.options(__file__, __doc__, arguments, draws=False)
    with _shared.with_jax(options.device):
        main()


if __name__ == "__main__":
    program()
