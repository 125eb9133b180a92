"""A neural network by hand: two spirals are told apart.

Shows dense layers as kernels, one thread for each output of each sample, and gradients of their weights by a tape
that is recorded anew in each step, because what the layers hand on changes with the weights. Adam is `wp.optim`'s.

    python -m warp.examples.optimisation.neural_network [--steps N] [--headless]
"""

from __future__ import annotations

import itertools

import numpy as np
import warp as wp

from .. import _shared


@wp.kernel
def dense(
    x: wp.array2d[float],
    weights: wp.array2d[float],
    bias: wp.array[float],
    bend: bool,
    y: wp.array2d[float],
) -> None:
    i, out = wp.tid()
    total = bias[out]
    for k in range(x.shape[1]):
        total += x[i, k] * weights[k, out]
    y[i, out] = wp.tanh(total) if bend else total


@wp.kernel
def cross_entropy(y: wp.array2d[float], labels: wp.array[float], loss: wp.array[float]) -> None:
    """The mean of log(1 + exp(-s y)), where s is 1 or -1."""
    i = wp.tid()
    a = -labels[i] * y[i, 0]
    wp.atomic_add(loss, 0, (wp.max(a, 0.0) + wp.log(1.0 + wp.exp(-wp.abs(a)))) / float(labels.shape[0]))


class Network:
    """Dense layers of some sizes, with tanh between them."""

    def __init__(self, sizes: tuple[int, ...], seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.weights, self.biases = [], []
        for a, b in itertools.pairwise(sizes):
            self.weights.append(wp.array(rng.normal(size=(a, b)) / np.sqrt(a), dtype=float, requires_grad=True))
            self.biases.append(wp.zeros(b, dtype=float, requires_grad=True))
        self.parameters = self.weights + self.biases

    def __call__(self, x: wp.array) -> wp.array:
        last = len(self.weights) - 1
        for k, (w, b) in enumerate(zip(self.weights, self.biases, strict=True)):
            y = wp.zeros((x.shape[0], w.shape[1]), dtype=float, requires_grad=True)
            wp.launch(dense, dim=y.shape, inputs=[x, w, b, k < last], outputs=[y])
            x = y
        return x


def loss_of(network: Network, x: wp.array, labels: wp.array) -> wp.array:
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    wp.launch(cross_entropy, dim=len(labels), inputs=[network(x), labels], outputs=[loss])
    return loss


def train(network: Network, points: np.ndarray, labels: np.ndarray, steps: int) -> list[float]:
    """The loss before each step."""
    x, s = wp.array(points, dtype=float), wp.array(labels, dtype=float)
    optimizer = wp.optim.Adam(network.parameters, lr=0.02)
    losses = []
    for step in _shared.progress(steps, "step"):
        optimizer.lr = 0.02 * (1 - step / steps)
        with wp.Tape() as tape:
            loss = loss_of(network, x, s)
        tape.backward(loss)
        optimizer.step([p.grad for p in network.parameters])
        tape.zero()
        losses.append(float(loss))
    return losses


def spirals(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Points of two spirals with noise, and 1 or -1 for each."""
    rng = np.random.default_rng(seed)
    labels = np.where(np.arange(count) % 2, 1.0, -1.0)
    r = np.sqrt(rng.uniform(0.02, 1, count))
    angle = 8.5 * r + np.where(labels > 0, 0, np.pi)
    points = np.stack([r * np.cos(angle), r * np.sin(angle)], axis=1)
    return 2.5 * (points + rng.normal(scale=0.025, size=points.shape)), labels


def draw(network: Network, points: np.ndarray, labels: np.ndarray, losses: list[float], file: str) -> None:
    with _shared.sheet(file, 1, 2, size=(12, 5.8), width_ratios=(1.15, 1)) as (left, right):
        side = 300
        at = np.linspace(-3, 3, side, dtype=np.float32)
        grid = np.stack(np.meshgrid(at, at), axis=-1).reshape(-1, 2)
        height = network(wp.array(grid)).numpy().reshape(side, side)
        extent = (-3, 3, -3, 3)
        _shared.image(left, np.tanh(0.5 * height), cmap="RdYlBu_r", vmin=-1.3, vmax=1.3, extent=extent)
        left.contour(at, at, height, levels=[0], colors=_shared.INK, linewidths=1.3)
        left.scatter(*points.T, c=labels, s=13, cmap="RdYlBu_r", edgecolor=_shared.INK, linewidth=0.5)
        _shared.bare(left, "what the network thinks of each point of the plane")
        right.semilogy(losses, color=_shared.RED)
        right.set(title="mean cross entropy", xlabel="step of Adam")


def main(arguments: list[str] | None = None) -> None:
    options = _shared.options(__file__, __doc__, arguments, steps=1000)
    points, labels = spirals(400)
    unseen, truth = spirals(2000, seed=1)
    with wp.ScopedDevice(options.device):
        network = Network((2, 32, 32, 1))
        losses = train(network, points, labels, options.steps)
        answers = network(wp.array(unseen, dtype=float)).numpy()[:, 0]
        right = (answers * truth > 0).mean()
        print(f"{options.steps} steps: loss {losses[0]:.3f} -> {losses[-1]:.1e}; {right:.1%} of new points are right")
        if not options.headless:
            draw(network, points, labels, losses, options.picture)


if __name__ == "__main__":
    main()
