"""A neural distance field: a kernel interpolates features of a grid, torch's network makes distances of them.

A frame is a step of training, which changes the features and the weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from ..program import Program, Spec

CELLS, WIDTH, RATE, SIZE = 32, 16, 0.5, 4  # features of a node


@wp.kernel
def encode(points: wp.array[wp.vec3], features: wp.array3d[wp.vec4], out: wp.array[wp.vec4]) -> None:
    """Linear interpolation between eight nodes."""
    p = wp.tid()
    scale = float(features.shape[0] - 1)
    x = points[p] * scale
    i = int(x[0])
    j = int(x[1])
    k = int(x[2])
    r = x[0] - float(i)
    s = x[1] - float(j)
    t = x[2] - float(k)
    total = wp.vec4()
    for a in range(2):
        for b in range(2):
            for c in range(2):
                u = r * float(a) + (1.0 - r) * float(1 - a)
                v = s * float(b) + (1.0 - s) * float(1 - b)
                w = t * float(c) + (1.0 - t) * float(1 - c)
                total += (u * v * w) * features[i + a, j + b, k + c]
    out[p] = total


def start(n: int) -> list[np.ndarray]:
    """Points, their distances to a ball, features of a grid, and the weights of two layers."""
    rng = np.random.default_rng(19)
    points = 0.999 * rng.random((n, 3))
    distances = np.linalg.norm(points - 0.5, axis=1) - 0.3
    features = rng.normal(size=(CELLS, CELLS, CELLS, SIZE))
    first, second = rng.normal(size=(SIZE, WIDTH)) / 2, rng.normal(size=(WIDTH, 1)) / 4
    return [a.astype(np.float32) for a in (points, distances[:, None], features, first, second)]


def make(n: int) -> Program:
    import torch

    class Encode(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, points: Any, features: Any) -> Any:
            ctx.points = wp.from_torch(points, dtype=wp.vec3)
            ctx.features = wp.from_torch(features, dtype=wp.vec4)
            ctx.out = wp.zeros(n, dtype=wp.vec4, requires_grad=True)
            wp.launch(encode, dim=n, inputs=[ctx.points, ctx.features], outputs=[ctx.out])
            return wp.to_torch(ctx.out)

        @staticmethod
        def backward(ctx: Any, seed: Any) -> Any:
            gradient = torch.zeros((CELLS, CELLS, CELLS, SIZE))
            wp.launch(
                encode,
                dim=n,
                inputs=[ctx.points, ctx.features],
                outputs=[ctx.out],
                adj_inputs=[None, wp.from_torch(gradient, dtype=wp.vec4)],
                adj_outputs=[wp.from_torch(seed.contiguous(), dtype=wp.vec4)],
                adjoint=True,
            )
            return None, gradient

    points, distances, *rest = (torch.tensor(a) for a in start(n))
    weights = [a.requires_grad_() for a in rest]
    optimizer = torch.optim.SGD(weights, lr=RATE)
    losses = [0.0]

    def frame() -> None:
        optimizer.zero_grad()
        features, first, second = weights
        loss = ((torch.relu(Encode.apply(points, features) @ first) @ second - distances) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses[0] = float(loss.detach())

    return Program(frame, lambda: np.concatenate([losses, *(w.detach().numpy().ravel() for w in weights)]))


def expected(n: int, frames: int) -> np.ndarray:
    points, distances, features, first, second = (a.astype(np.float64) for a in start(n))
    at = points * (CELLS - 1)
    low = at.astype(int)
    nodes = [low + np.array([a, b, c]) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    shares = [np.prod(1 - np.abs(at - node), axis=1, keepdims=True) for node in nodes]
    for _ in range(frames):
        inside = sum(share * features[tuple(node.T)] for node, share in zip(nodes, shares, strict=True))
        hidden = np.maximum(inside @ first, 0)
        off = hidden @ second - distances
        loss = (off**2).mean()
        by_out = 2 * off / n
        by_hidden = (by_out @ second.T) * (hidden > 0)
        by_inside = by_hidden @ first.T
        gradient = np.zeros_like(features)
        for node, share in zip(nodes, shares, strict=True):
            np.add.at(gradient, tuple(node.T), share * by_inside)
        features, first, second = (
            features - RATE * gradient,
            first - RATE * inside.T @ by_hidden,
            second - RATE * hidden.T @ by_out,
        )
    return np.concatenate([[loss], features.ravel(), first.ravel(), second.ravel()])


SPEC = Spec(
    "neural distance field with torch, 5e4", make, expected, tiny=300, full=50_000, needs=("torch", "torch._dynamo")
)
