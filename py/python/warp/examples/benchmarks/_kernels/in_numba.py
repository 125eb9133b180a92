"""The kernels of `benchmark_native` for Numba: NAME(*dim, *values), with strict floating point.

Numbers are made float32 one by one, since Numba computes in float64 wherever an integer meets a float.
"""

# Numba reads these functions itself; annotations would say nothing to it.
# ruff: noqa: ANN001

import math

import numba
import numpy as np
from numba import float32, prange

kernel = numba.njit(parallel=True, fastmath=False, error_model="numpy")
ZERO, HALF, ONE, TWO, THREE = (np.float32(v) for v in (0, 0.5, 1, 2, 3))


@kernel
def saxpy(n, x, y, a):
    a = float32(a)
    for i in prange(n):
        y[i] = a * x[i] + y[i]


@kernel
def transcendental(n, x, out):
    for i in prange(n):
        v = x[i]
        out[i] = math.sin(THREE * v) * math.exp(-v * v) + math.sqrt(abs(v)) + math.log(ONE + v * v)


@kernel
def nbody(n, positions, forces, count):
    soft = float32(0.01)
    for i in prange(n):
        x, y, z = positions[i, 0], positions[i, 1], positions[i, 2]
        fx, fy, fz = ZERO, ZERO, ZERO
        for j in range(count):
            dx, dy, dz = positions[j, 0] - x, positions[j, 1] - y, positions[j, 2] - z
            r2 = dx * dx + dy * dy + dz * dz + soft
            s = ONE / (r2 * math.sqrt(r2))
            fx, fy, fz = fx + dx * s, fy + dy * s, fz + dz * s
        forces[i, 0], forces[i, 1], forces[i, 2] = fx, fy, fz


@kernel
def mandelbrot(rows, columns, counts, side, limit):
    left, low, width, four = float32(-2.2), float32(-1.6), float32(3.2), float32(4)
    for i in prange(rows):
        cy = low + width * float32(i) / float32(side)
        for j in range(columns):
            cx = left + width * float32(j) / float32(side)
            x, y, n = ZERO, ZERO, 0
            while n < limit and x * x + y * y <= four:
                t = x * x - y * y + cx
                y = TWO * x * y + cy
                x = t
                n += 1
            counts[i, j] = n


@kernel
def jacobi(rows, columns, old, out):
    quarter = float32(0.25)
    for i in prange(rows):
        for j in range(columns):
            out[i + 1, j + 1] = quarter * (old[i, j + 1] + old[i + 2, j + 1] + old[i + 1, j] + old[i + 1, j + 2])


@kernel
def atomic_sum(n, x, total):
    s = ZERO
    for i in prange(n):
        s += x[i]
    total[0] += s


@kernel
def rosenbrock(n, points, heights):
    hundred = float32(100)
    for i in prange(n):
        x, y = points[i, 0], points[i, 1]
        off = y - x * x
        heights[i] = (ONE - x) * (ONE - x) + hundred * off * off


@kernel
def rotate(n, turns, vectors, out):
    for i in prange(n):
        a, b, c, w = turns[i, 0], turns[i, 1], turns[i, 2], turns[i, 3]
        x, y, z = vectors[i, 0], vectors[i, 1], vectors[i, 2]
        s, d = TWO * w * w - ONE, TWO * (a * x + b * y + c * z)
        out[i, 0] = x * s + a * d + TWO * w * (b * z - c * y)
        out[i, 1] = y * s + b * d + TWO * w * (c * x - a * z)
        out[i, 2] = z * s + c * d + TWO * w * (a * y - b * x)


@kernel
def components(n, x, out):
    for i in prange(n):
        s = ZERO
        for k in range(9):
            s += (x[i] + float32(k)) * (x[i] + float32(8 - k))
        out[i] = s


@kernel
def extremes(n, x, y, out):
    for i in prange(n):
        a, b = x[i], y[i]
        sign = -ONE if b < ZERO else ONE
        out[i] = min(max(a, ZERO), b) + min(a, b) * max(a, -b) + sign * max(a, HALF)


@kernel
def grows(n, out, first, slope):
    for i in prange(n):
        x = ZERO
        for _j in range(first + slope * i):
            x = HALF * x + ONE
        out[i] = x


@kernel
def chain(n, x, rounds, out):
    for i in prange(n):
        v = x[i]
        for _ in range(rounds):
            v = math.sin(v) * math.exp(-v) + math.sqrt(v * v + ONE)
        out[i] = v


@kernel
def divergent(n, at, x, out):
    for i in prange(n):
        k = at[i]
        if k < 0:
            continue
        v = x[k]
        if v > HALF:
            s = ZERO
            for q in range(k % 17):
                s += math.sin(v * float32(q))
            out[k] = s
        else:
            out[k] = math.exp(-v)


@kernel
def sparse_rows(n, starts, columns, a, x, y):
    for i in prange(n):
        s = ZERO
        for k in range(starts[i], starts[i + 1]):
            s += a[k] * x[columns[k]]
        y[i] = s


@kernel
def march(rows, columns, bump, limit, depth):
    wide, near, far, hit = float32(1.5), float32(0.5), float32(6), float32(0.001)
    cx, cy, cz = float32(0.7), float32(0.5), float32(-0.6)
    for i in prange(rows):
        for j in range(columns):
            x = THREE * float32(j) / float32(columns) - wide
            y = THREE * float32(i) / float32(rows) - wide
            s = ONE / math.sqrt(x * x + y * y + wide * wide)
            rx, ry, rz = x * s, y * s, wide * s
            t, d, n = ZERO, ONE, 0
            while n < limit and t < far and d > hit:
                px, py, pz = t * rx, t * ry, t * rz - THREE
                one = math.sqrt(px * px + py * py + pz * pz) - ONE
                px, py, pz = px - cx, py - cy, pz - cz
                two = math.sqrt(px * px + py * py + pz * pz) - near
                d = min(one, two) - bump[i, j]
                t += d
                n += 1
            depth[i, j] = t


@kernel
def search(n, ordered, keys, found):
    for i in prange(n):
        key = keys[i]
        low, high = 0, len(ordered)
        while low < high:
            middle = (low + high) // 2
            if ordered[middle] < key:
                low = middle + 1
            else:
                high = middle
        found[i] = low


@kernel
def particles(n, field, positions, out):
    for p in prange(n):
        x, y = positions[p, 0], positions[p, 1]
        j, i = int(x), int(y)
        u, v = x - float32(j), y - float32(i)
        near = (ONE - u) * field[i, j] + u * field[i, j + 1]
        far = (ONE - u) * field[i + 1, j] + u * field[i + 1, j + 1]
        out[p] = (ONE - v) * near + v * far


@kernel
def collatz(n, steps):
    for i in prange(n):
        v, count = numba.int32(i + 1), numba.int32(0)
        while v != 1:
            v = numba.int32(v // 2) if v % 2 == 0 else numba.int32(3 * v + 1)
            count += 1
        steps[i] = count
