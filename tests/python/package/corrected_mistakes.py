"""`planted_mistakes.py` without its mistakes, line by line: checkers say nothing of it.

What a checker says of a line there, and not of the line here, is that it found the mistake. Nothing here is run.
"""

from __future__ import annotations

import numpy as np
import warp as wp


@wp.struct
class Ball:
    centre: wp.vec3
    radius: float


@wp.func
def distance(ball: Ball, p: wp.vec3) -> float:
    return wp.length(p - ball.centre) - ball.radius


@wp.kernel
def distances(ball: Ball, points: wp.array[wp.vec3], out: wp.array[float]) -> None:
    i = wp.tid()
    out[i] = distance(ball, points[i])


@wp.kernel
def wrong(ball: Ball, points: wp.array[wp.vec3], grid: wp.array2d[float], line: wp.array1d[float]) -> None:
    i, j = wp.tid()
    line[i] = wp.length(points[i])
    line[i] = 2.0
    line[i] = points[i].x
    line[i] = distance(ball, points[i])
    line[i] = distance(ball, points[i])
    line[i] = ball.radius
    line[i] = points[i].z
    line[i] = 1.0
    p = points[i] + wp.vec3(1.0, 0.0, 0.0)
    q = wp.vec3(1.0, 2.0, 3.0)
    grid[i, j] = wp.clamp(grid[i, j], 0.0, 1.0)
    grid[i, j] = wp.dot(points[i], wp.vec3(1.0, 0.0, 0.0))
    r = wp.mat33(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0) * points[i]
    wp.atomic_add(line, i, 1.0)
    wp.printf("%d %f %f %f\n", i, p.x, q.x, r.x)


def main() -> None:
    points = wp.array(np.zeros((4, 3)), dtype=wp.vec3)
    out = wp.zeros(4, dtype=float)
    ball = Ball(centre=wp.vec3(), radius=1.0)
    wp.launch(distances, dim=4, inputs=[ball, points, out])
    wp.launch(distances, dim=4, inputs=[ball, points, out])
    wp.launch(distances, dim=4, inputs=[ball, points, out])
    wp.launch(distances, dim=4, inputs=[ball, points, out])
    wp.launch(distances, dim=4, inputs=[ball, points, out], device="cpu")
    wp.launch(distances, dim=4, inputs=[ball, points, out])
    wp.zeros(4, dtype=wp.float32)
    wp.zeros(4, float, device="cpu")
    Ball(wp.vec3(), radius=1.0)
    out.numpy().sum(out.numpy())
    with wp.Tape() as tape:
        wp.launch(distances, dim=4, inputs=[ball, points], outputs=[out])
    tape.backward(out)
    wp.config.verbose = True
    total: float = distance(ball, wp.vec3())
    print(total, wp.vec3(1.0, 2.0, 3.0))
    wp.synchronize_device("cpu")


@wp.kernel(enable_backward=False)
def option(out: wp.array[float]) -> None:
    out[0] = 1.0


@wp.kernel
def unknown(image: wp.Texture2D) -> None:
    pass
