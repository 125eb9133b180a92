"""Training with jax: what conducts heat in a plate follows the gradient through 20 steps of a kernel, in one program.

Its annotations are no texts, since the peer's `jax_kernel` reads none.
"""

from typing import Any

import numpy as np
import warp as wp

from ..program import Program, Spec, along, directional

STEPS, DT, RATE = 20, 0.2, 0.1


@wp.func
def flow(u: wp.array2d[float], k: wp.array2d[float], i: int, j: int, a: int, b: int) -> float:
    """Heat that comes from the cell beside; none over the edge of the plate."""
    row = wp.clamp(a, 0, u.shape[0] - 1)
    column = wp.clamp(b, 0, u.shape[1] - 1)
    return 0.5 * (k[i, j] + k[row, column]) * (u[row, column] - u[i, j])


@wp.kernel
def conduct(u: wp.array2d[float], k: wp.array2d[float], dt: float, out: wp.array2d[float]) -> None:
    i, j = wp.tid()
    change = flow(u, k, i, j, i - 1, j) + flow(u, k, i, j, i + 1, j)
    change += flow(u, k, i, j, i, j - 1) + flow(u, k, i, j, i, j + 1)
    out[i, j] = u[i, j] + dt * change


def start(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Heat at the start and at the end, and a first guess of the conductivity."""
    rng = np.random.default_rng(20)
    first, last = rng.random((2, n, n), dtype=np.float32)
    return first, last, (0.3 + 0.5 * rng.random((n, n))).astype(np.float32)


def make(n: int) -> Program:
    import jax
    import jax.numpy as jnp

    step = wp.jax_kernel(conduct, enable_backward=True)
    first, last, guess = (jnp.asarray(a) for a in start(n))

    def loss_of(k: Any) -> Any:
        u = first
        for _ in range(STEPS):
            (u,) = step(u, k, DT)
        return jnp.sum((u - last) ** 2)

    @jax.jit
    def train(k: Any) -> Any:
        loss, gradient = jax.value_and_grad(loss_of)(k)
        return k - RATE / (n * n) * gradient, loss, gradient

    state: list[Any] = [guess]

    def frame() -> None:
        state[:] = train(state[0])
        state[0].block_until_ready()

    return Program(frame, lambda: np.append(np.asarray(state[1]), along(np.asarray(state[2]))))


def loss_of(first: np.ndarray, last: np.ndarray, k: np.ndarray) -> float:
    u = first
    for _ in range(STEPS):
        change = np.zeros_like(u)
        for axis in range(2):
            low, high = [slice(None)] * 2, [slice(None)] * 2
            low[axis], high[axis] = slice(0, -1), slice(1, None)
            heat = 0.5 * (k[tuple(low)] + k[tuple(high)]) * np.diff(u, axis=axis)
            change[tuple(low)] += heat
            change[tuple(high)] -= heat
        u = u + DT * change
    return float(((u - last) ** 2).sum())


def expected(n: int, frames: int) -> np.ndarray:
    first, last, k = (a.astype(np.float64) for a in start(n))
    return np.array([loss_of(first, last, k), *directional(lambda at: loss_of(first, last, at), k)])


SPEC = Spec(
    "training with jax, 128^2, 20 steps", make, expected, tiny=12, full=128, frames=1, tolerance=2e-3, needs=("jax",)
)
