"""A heat equation, solved by conjugate gradients: a Python function of several launches as one function of jax.

One implicit step solves (1 + dt A) x = b, where A is the Laplacian of a ring. `jax_callable` traces the launches and
temporaries of the function once and makes them part of the program that jax compiles: it then needs no Python, and
has gradients. A second function looks at the content of an array to decide when to stop: it is called back instead.

    python -m warp.examples.interop.example_jax_callable [--steps N]
"""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
import warp as wp
from warp.jax_experimental import GraphMode, jax_callable

from .. import _shared

Floats = wp.array[float]


@wp.kernel
def apply(x: wp.array[float], dt: float, out: wp.array[float]) -> None:
    """(1 + dt A) x on a ring."""
    i = wp.tid()
    n = x.shape[0]
    out[i] = x[i] + dt * (2.0 * x[i] - x[(i + 1) % n] - x[(i + n - 1) % n])


@wp.kernel
def dot(a: Floats, b: Floats, out: Floats) -> None:
    """Adds the inner product to an array of one element."""
    i = wp.tid()
    wp.atomic_add(out, 0, a[i] * b[i])


@wp.kernel
def advance(r2: Floats, pap: Floats, p: Floats, ap: Floats, x: Floats, r: Floats) -> None:
    """Goes along the direction `p` to the minimum."""
    i = wp.tid()
    alpha = r2[0] / wp.max(pap[0], 1.0e-30)
    x[i] = x[i] + alpha * p[i]
    r[i] = r[i] - alpha * ap[i]


@wp.kernel
def turn(r2: Floats, old: Floats, r: Floats, p: Floats) -> None:
    """The next direction."""
    i = wp.tid()
    p[i] = r[i] + r2[0] / wp.max(old[0], 1.0e-30) * p[i]


def solve(b: Floats, dt: float, steps: int, x: Floats) -> None:
    """`steps` steps of the method, known when jax traces."""
    for _ in iterate(b, dt, steps, x):
        pass


def solve_until(b: Floats, dt: float, tolerance: float, x: Floats, used: wp.array[int]) -> None:
    """As many steps as it takes, known only while it runs."""
    for k, r2 in enumerate(iterate(b, dt, 1000, x)):
        if r2.numpy()[0] < tolerance * tolerance:
            used.fill_(k + 1)
            break


def iterate(b: wp.array, dt: float, steps: int, x: wp.array) -> Iterator[wp.array]:
    """Conjugate gradients from x = 0; gives the squared residual after each step."""
    r, p, ap = wp.clone(b), wp.clone(b), wp.empty_like(b)
    r2 = wp.zeros(1, dtype=float)
    wp.launch(dot, dim=r.shape, inputs=[r, r], outputs=[r2])
    for _ in range(steps):
        pap, after = wp.zeros(1, dtype=float), wp.zeros(1, dtype=float)
        wp.launch(apply, dim=p.shape, inputs=[p, dt], outputs=[ap])
        wp.launch(dot, dim=p.shape, inputs=[p, ap], outputs=[pap])
        wp.launch(advance, dim=x.shape, inputs=[r2, pap, p, ap], outputs=[x, r])
        wp.launch(dot, dim=r.shape, inputs=[r, r], outputs=[after])
        wp.launch(turn, dim=p.shape, inputs=[after, r2, r], outputs=[p])
        r2 = after
        yield r2


def main(n: int = 64, dt: float = 0.5, steps: int = 16) -> dict[str, float]:
    """Returns how far each result is from what NumPy finds."""
    ring = np.eye(n) + dt * (2 * np.eye(n) - np.roll(np.eye(n), 1, 0) - np.roll(np.eye(n), -1, 0))
    inverse = np.linalg.inv(ring)
    b = jax.random.normal(jax.random.key(0), (n,))
    exact = inverse @ np.asarray(b, dtype=np.float64)

    def off(got: jax.Array, want: np.ndarray) -> float:
        return float(np.abs(np.asarray(got) - want).max())

    traced = jax_callable(solve)

    @jax.jit
    def three_steps(b: jax.Array) -> jax.Array:
        for _ in range(3):
            (b,) = traced(b, dt, steps)
        return b

    errors = {
        "one step": off(jax.jit(lambda b: traced(b, dt, steps)[0])(b), exact),
        "three steps": off(three_steps(b), inverse @ inverse @ exact),
        "a batch": off(
            jax.vmap(lambda b: traced(b, dt, steps)[0])(jnp.stack([b, 2 * b])), np.stack([exact, 2 * exact])
        ),
        # The derivative of |x|^2 / 2 along b, where x is linear in b.
        "a gradient": off(jax.grad(lambda b: 0.5 * jnp.sum(traced(b, dt, steps)[0] ** 2))(b), inverse.T @ exact),
    }
    called = jax.jit(
        jax_callable(solve_until, num_outputs=2, output_dims={"x": n, "used": 1}, graph_mode=GraphMode.NONE)
    )
    x, used = called(b, dt, 1e-5)
    errors["until it is right"] = off(x, exact)
    for name, error in errors.items():
        print(f"{name:>20}: error {error:.1e}")
    print(f"{'':>20}  after {int(used[0])} steps")
    return errors


def program(arguments: list[str] | None = None) -> None:
    """What the command line runs."""
    options = _shared.options(__file__, __doc__, arguments, draws=False, steps=16)
    with _shared.with_jax(options.device):
        main(steps=options.steps)


if __name__ == "__main__":
    program()
