"""Structs of the tests of structs in kernels."""

import numpy as np
import warp as wp


@wp.struct
class Particle:
    pos: wp.vec3
    mass: float
    alive: wp.bool


@wp.struct
class Grid:
    n: int
    h: wp.float64
    origin: Particle
    cells: wp.array2d(dtype=float)
    parts: wp.array(dtype=Particle)


def particles(n):
    rng = np.random.default_rng(n)
    a = wp.zeros(n, dtype=Particle)
    view = a.numpy()
    view["pos"], view["mass"], view["alive"] = rng.normal(size=(n, 3)), rng.uniform(1, 2, n), rng.random(n) > 0.5
    return a
