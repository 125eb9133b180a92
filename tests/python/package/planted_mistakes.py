"""Mistakes of a new user, for type checkers: each is at the end of the line or statement that has it, as `# 7: what`.

`test_checkers.py` counts who finds which. Nothing here is run.
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
    line[i] = wp.legnth(points[i])  # 1: a builtin's name misspelt
    line[i] = "near"  # 2: a string as an element
    line[i] = points[i]  # 3: a vector as an element of an array of numbers
    line[i] = distance(points[i], ball)  # 4: arguments in the wrong order
    line[i] = distance(ball)  # 5: an argument is missing
    line[i] = ball.raduis  # 6: a field's name misspelt
    line[i] = points[i].w  # 7: a component that a vector of 3 lacks
    line[i, j] = 1.0  # 8: two indices for an array of one dimension
    p = points[i] + 1.0  # 9: a number added to a vector
    q = wp.vec3(1.0, 2.0, 3.0, 4.0)  # 10: four components for a vector of 3
    grid[i, j] = wp.clamp(grid[i, j], 1.0)  # 11: a builtin lacks an argument
    grid[i, j] = wp.dot(points[i], wp.vec2(1.0, 0.0))  # 12: vectors of different lengths
    r = wp.mat22(1.0, 0.0, 0.0, 1.0) * points[i]  # 13: a matrix of 2 rows and a vector of 3
    wp.atomic_add(line, i, "one")  # 14: a string added to an element
    wp.printf(i, p, q, r)  # 15: a number in place of a format


def main() -> None:
    points = wp.array(np.zeros((4, 3)), dtype=wp.vec3)
    out = wp.zeros(4, dtype=float)
    ball = Ball(centre=wp.vec3(), radius=1.0)
    wp.lanch(distances, dim=4, inputs=[ball, points, out])  # 16: a function's name misspelt
    wp.launch(distances, dim=4, input=[ball, points, out])  # 17: a keyword's name misspelt
    wp.launch(distances, inputs=[ball, points, out])  # 18: no dim
    wp.launch(distances, dim="4", inputs=[ball, points, out])  # 19: a string as dim
    wp.launch(distances, dim=4, inputs=[ball, points, out], device=0)  # 20: a number as device
    wp.launch(distance, dim=4, inputs=[ball, points, out])  # 21: a function in place of a kernel
    wp.zeros(4, dtype=wp.flaot32)  # 22: a type's name misspelt
    wp.zeros(4, float, devise="cpu")  # 23: a keyword's name misspelt
    Ball(wp.vec3(), raduis=1.0)  # 24: a field's name misspelt in a constructor
    out.numpy().sum(out.to_numpy())  # 25: a method's name misspelt
    with wp.Tape() as tape:
        wp.launch(distances, dim=4, inputs=[ball, points], outputs=[out])
    tape.backwards(out)  # 26: a method's name misspelt
    wp.config.verbos = True  # 27: a setting's name misspelt
    total: wp.vec3 = distance(ball, wp.vec3())  # 28: a number as a vector
    print(total, wp.vec3(1.0, 2.0, "3"))  # 29: a string as a component
    wp.synchronize_device(["cpu"])  # 30: a list as a device


@wp.kernel(enable_backwards=False)  # 31: an option's name misspelt
def option(out: wp.array[float]) -> None:
    out[0] = 1.0


@wp.kernel
def unknown(image: wp.GLTextureResource) -> None:  # 32: a class that this package lacks
    pass
