"""A neural field is trained through a simulation: what conducts heat, seen only by how heat spreads.

A plate conducts heat well in some places and badly in others. It is heated in a few spots, one after the other, and
looked at twice while the heat spreads, with noise. A small network of jax's gives the conductivity at each point; a
kernel computes a step of time, `jax.lax.scan` takes all steps, `jax.vmap` all experiments, and optax's Adam follows
the gradient through them to the weights of the network. A step of training is one program, which needs no Python.

    python -m warp.examples.interop.example_jax_training [--steps N] [--headless]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import optax
import warp as wp
from warp.jax_experimental import jax_kernel

from .. import _shared

CELLS = 32
TIMES = 24  # steps of time between two looks
DT = 0.2
NOISE = 0.002
LEAST, MOST = 0.05, 1.0
SPOTS = (
    (0.25, 0.25),
    (0.75, 0.25),
    (0.25, 0.75),
    (0.75, 0.75),
    (0.5, 0.5),
    (0.5, 0.15),
    (0.5, 0.85),
    (0.15, 0.5),
    (0.85, 0.5),
)


@wp.func
def flow(u: wp.array2d[float], k: wp.array2d[float], i: int, j: int, a: int, b: int) -> float:
    """Heat that comes into a cell from the cell beside it; none over the edge of the plate."""
    row = wp.clamp(a, 0, u.shape[0] - 1)
    column = wp.clamp(b, 0, u.shape[1] - 1)
    return 0.5 * (k[i, j] + k[row, column]) * (u[row, column] - u[i, j])


@wp.kernel
def conduct(u: wp.array2d[float], k: wp.array2d[float], dt: float, out: wp.array2d[float]) -> None:
    i, j = wp.tid()
    change = flow(u, k, i, j, i - 1, j) + flow(u, k, i, j, i + 1, j)
    change += flow(u, k, i, j, i, j - 1) + flow(u, k, i, j, i, j + 1)
    out[i, j] = u[i, j] + dt * change


step = jax_kernel(conduct, enable_backward=True)


def points() -> jax.Array:
    """The middle of each cell, with x and y from 0 to 1."""
    at = (jnp.arange(CELLS) + 0.5) / CELLS
    return jnp.stack(jnp.meshgrid(at, at, indexing="ij"), axis=-1)


def experiments() -> jax.Array:
    """The temperature at the start of each experiment: a warm spot."""
    off = points()[None] - jnp.asarray(SPOTS)[:, None, None, :]
    return jnp.exp(-jnp.sum(off**2, axis=-1) / 0.02)


def truth() -> jax.Array:
    """The conductivity: a ring that conducts well, and a bar beside it."""
    x, y = points()[..., 0], points()[..., 1]
    ring = jnp.exp(-(((jnp.hypot(x - 0.42, y - 0.45) - 0.24) / 0.07) ** 2))
    bar = jnp.exp(-(((x - 0.86) / 0.06) ** 2)) * jax.nn.sigmoid((y - 0.3) / 0.03)
    return LEAST + (MOST - LEAST) * jnp.maximum(ring, 0.8 * bar)


def looks(k: jax.Array) -> jax.Array:
    """What is seen of all experiments: the temperature after `TIMES` steps, and after as many again."""

    def one(start: jax.Array) -> jax.Array:
        def advance(u: jax.Array, _: None) -> tuple[jax.Array, None]:
            return step(u, k, DT)[0], None

        first, _ = jax.lax.scan(advance, start, length=TIMES)
        second, _ = jax.lax.scan(advance, first, length=TIMES)
        return jnp.stack([first, second])

    seen: jax.Array = jax.vmap(one)(experiments())
    return seen


def network(key: jax.Array) -> list[tuple[jax.Array, jax.Array]]:
    """Weights of the field, before training: waves of a point's coordinates, and two hidden layers."""
    sizes = (2 * 24, 48, 48, 1)
    made = []
    for k, a, b in zip(jax.random.split(key, len(sizes) - 1), sizes[:-1], sizes[1:], strict=True):
        made.append((jax.random.normal(k, (a, b)) * jnp.sqrt(1.0 / a), jnp.zeros(b)))
    return made


def field(weights: list[tuple[jax.Array, jax.Array]]) -> jax.Array:
    """The conductivity that the network gives for each cell."""
    waves = points() @ (5.0 * jax.random.normal(jax.random.key(1), (2, 24)))
    h = jnp.concatenate([jnp.sin(waves), jnp.cos(waves)], axis=-1)
    for w, b in weights[:-1]:
        h = jnp.tanh(h @ w + b)
    w, b = weights[-1]
    return LEAST + (MOST - LEAST) * jax.nn.sigmoid((h @ w + b)[..., 0] - 1.0)


@dataclass
class Found:
    """What training gave."""

    #: Conductivity, and that which the network found.
    true: jax.Array
    found: jax.Array
    #: Mean squared error of the temperature before each step, in units of the noise.
    losses: list[float]
    #: What was seen, and what the field found gives.
    seen: jax.Array
    made: jax.Array

    @property
    def error(self) -> float:
        """Error of the conductivity, relative to how much it differs over the plate."""
        return float(jnp.sqrt(jnp.mean((self.found - self.true) ** 2)) / jnp.std(self.true))


def main(steps: int = 400, picture: str | None = None) -> Found:
    """Trains the field, and draws a picture if a file is named."""
    true = truth()
    seen = looks(true)
    seen += NOISE * jax.random.normal(jax.random.key(2), seen.shape)

    def loss(weights: Any) -> jax.Array:
        return jnp.mean((looks(field(weights)) - seen) ** 2) / NOISE**2

    optimizer = optax.adam(optax.cosine_decay_schedule(0.01, steps))

    @jax.jit
    def train(weights: Any, state: Any) -> tuple[Any, Any, jax.Array]:
        value, gradient = jax.value_and_grad(loss)(weights)
        change, state = optimizer.update(gradient, state)
        return optax.apply_updates(weights, change), state, value

    weights = network(jax.random.key(0))
    state = optimizer.init(weights)
    losses = []
    for _ in range(steps):
        weights, state, value = train(weights, state)
        losses.append(float(value))
    k = field(weights)
    found = Found(true, k, losses, seen, looks(k))
    print(f"{steps} steps: error of what is seen {losses[0]:.0f} -> {losses[-1]:.2f} times its noise")
    print(f"error of the conductivity: {found.error:.0%} of its spread")
    if picture:
        draw(found, picture)
    return found


def draw(found: Found, file: str) -> None:
    """The plate, what was found of it, and how."""
    panels = (
        ("conductivity", found.true, {"cmap": "viridis", "vmin": LEAST, "vmax": MOST}),
        ("found from how heat spreads", found.found, {"cmap": "viridis", "vmin": LEAST, "vmax": MOST}),
        ("found minus true", found.found - found.true, {"cmap": "RdBu_r", "vmin": -0.5, "vmax": 0.5}),
        ("seen: heat from the middle", found.seen[4, 0], {"cmap": "inferno", "vmin": 0.0}),
        ("simulated with what was found", found.made[4, 0], {"cmap": "inferno", "vmin": 0.0}),
    )
    with _shared.sheet(file, 2, 3, size=(11, 7)) as (*images, last):
        for axes, (title, values, how) in zip(images, panels, strict=True):
            shown = _shared.image(axes, values.T, title, extent=(0, 1, 0, 1), **how)
            axes.figure.colorbar(shown, ax=axes, shrink=0.8)
        for axes in images[:3]:
            axes.plot(*zip(*SPOTS, strict=True), "w+", markersize=7)
        last.semilogy(found.losses, color=_shared.RED)
        last.axhline(1.0, color="gray", linestyle="--", label="noise")
        last.set(title="squared error of what is seen", xlabel="step of Adam")
        last.legend()


def program(arguments: list[str] | None = None) -> None:
    """What the command line runs."""
    options = _shared.options(__file__, __doc__, arguments, steps=400)
    with _shared.with_jax(options.device):
        main(options.steps, options.picture)


if __name__ == "__main__":
    program()
