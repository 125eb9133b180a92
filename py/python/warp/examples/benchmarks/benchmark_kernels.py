"""How fast kernels run on the CPU, from memory-bound ones to all-pairs forces.

    python -m warp.examples.benchmarks.benchmark_kernels [--peer PYTHON] [--only NAME]

Each kernel's values are held against NumPy before it is timed. The time is that of one launch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

if TYPE_CHECKING or __package__:
    from . import _harness
else:
    import _harness


DEVICE = "cpu"  # benchmark_gpu sets another


@wp.kernel
def saxpy(x: wp.array(dtype=float), y: wp.array(dtype=float), a: float):
    i = wp.tid()
    y[i] = a * x[i] + y[i]


@wp.kernel
def transcendental(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    v = x[i]
    out[i] = wp.sin(3.0 * v) * wp.exp(-v * v) + wp.sqrt(wp.abs(v)) + wp.log(1.0 + v * v)


@wp.kernel
def nbody(positions: wp.array(dtype=wp.vec3), forces: wp.array(dtype=wp.vec3), count: int):
    i = wp.tid()
    here = positions[i]
    force = wp.vec3(0.0, 0.0, 0.0)
    for j in range(count):
        d = positions[j] - here
        r2 = wp.dot(d, d) + 0.01
        force = force + d * (1.0 / (r2 * wp.sqrt(r2)))
    forces[i] = force


@wp.kernel
def mandelbrot(counts: wp.array2d(dtype=int), side: int, limit: int):
    i, j = wp.tid()
    cx = -2.2 + 3.2 * float(j) / float(side)
    cy = -1.6 + 3.2 * float(i) / float(side)
    x = wp.float32(0.0)
    y = wp.float32(0.0)
    n = wp.int32(0)
    while n < limit and x * x + y * y <= 4.0:
        t = x * x - y * y + cx
        y = 2.0 * x * y + cy
        x = t
        n = n + 1
    counts[i, j] = n


@wp.kernel
def jacobi(old: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    i, j = wp.tid()
    out[i + 1, j + 1] = 0.25 * (old[i, j + 1] + old[i + 2, j + 1] + old[i + 1, j] + old[i + 1, j + 2])


@wp.kernel
def atomic_sum(x: wp.array(dtype=float), total: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(total, 0, x[i])


@wp.func
def rosenbrock_of(x: float, y: float):
    return (1.0 - x) ** 2.0 + 100.0 * (y - x**2.0) ** 2.0


@wp.kernel
def rosenbrock(points: wp.array(dtype=wp.vec2), heights: wp.array(dtype=float)):
    i = wp.tid()
    p = points[i]
    heights[i] = rosenbrock_of(p[0], p[1])


@wp.kernel
def rotate(turns: wp.array(dtype=wp.quat), vectors: wp.array(dtype=wp.vec3), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    out[i] = wp.quat_rotate(turns[i], vectors[i])


vec9 = wp.types.vector(length=9, dtype=wp.float32)


@wp.kernel
def components(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    v = vec9()
    for k in range(9):
        v[k] = x[i] + float(k)
    s = wp.float32(0.0)
    for k in range(9):
        s += v[k] * v[8 - k]
    out[i] = s


@wp.kernel
def extremes(x: wp.array(dtype=float), y: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    a = x[i]
    b = y[i]
    out[i] = wp.clamp(a, 0.0, b) + wp.min(a, b) * wp.max(a, -b) + wp.sign(b) * wp.max(a, 0.5)


@wp.kernel
def grows(out: wp.array(dtype=float), first: int, slope: int):
    i = wp.tid()
    x = wp.float32(0.0)
    for _j in range(first + slope * i):
        x = 0.5 * x + 1.0
    out[i] = x


Launch = Callable[[], object]


@dataclass
class Case:
    """One row: a launch, the array it fills and the values that NumPy finds for it."""

    name: str
    launch: Launch
    result: Any
    expected: np.ndarray
    tolerance: float = 1e-5
    may_differ: float = 0.0  # share of elements that may be off: where rounding decides a branch

    def check(self) -> None:
        self.launch()
        got = self.result.numpy()
        close = np.isclose(got, self.expected, rtol=self.tolerance, atol=self.tolerance)
        if 1 - close.mean() > self.may_differ:
            raise SystemExit(f"{self.name}: {(~close).sum()} of {close.size} values are wrong")


def array(values: np.ndarray, dtype: Any = float) -> Any:
    return wp.array(values, dtype=dtype, device=DEVICE)


def saxpy_case(count: int, rng: np.random.Generator) -> Case:
    # y grows with each launch and stays finite for all launches that a run makes.
    x, y = rng.random(count, dtype=np.float32), rng.random(count, dtype=np.float32)
    x_in, y_out = array(x), array(y)
    run = launcher(saxpy, count, [x_in, y_out, 0.5])
    return Case(f"saxpy, {count:.0e}", run, y_out, 0.5 * x + y)


def transcendental_case(rng: np.random.Generator) -> Case:
    count = 1_000_000
    x = rng.normal(size=count).astype(np.float32)
    x_in, out = array(x), wp.zeros(count, dtype=float, device=DEVICE)
    v = x.astype(np.float64)
    expected = np.sin(3 * v) * np.exp(-v * v) + np.sqrt(np.abs(v)) + np.log(1 + v * v)
    return Case("sin exp sqrt log, 1e+06", launcher(transcendental, count, [x_in, out]), out, expected)


def nbody_case(rng: np.random.Generator) -> Case:
    count = 2048
    at = rng.normal(size=(count, 3)).astype(np.float32)
    at_in, out = array(at, wp.vec3), wp.zeros(count, dtype=wp.vec3, device=DEVICE)
    p = at.astype(np.float64)
    expected = np.empty((count, 3))
    for i in range(count):
        d = p - p[i]
        r2 = (d * d).sum(axis=1) + 0.01
        expected[i] = (d / (r2 * np.sqrt(r2))[:, None]).sum(axis=0)
    run = launcher(nbody, count, [at_in, out, count])
    return Case("n-body, 2048^2", run, out, expected, tolerance=1e-2)


def mandelbrot_case() -> Case:
    side, limit = 512, 100
    out = wp.zeros((side, side), dtype=int, device=DEVICE)
    step = (np.arange(side, dtype=np.float32) / np.float32(side)) * np.float32(3.2)
    c = (step[None, :] - np.float32(2.2)) + 1j * (step[:, None] - np.float32(1.6))
    z, expected = np.zeros_like(c), np.zeros((side, side), dtype=int)
    for _ in range(limit):
        live = z.real**2 + z.imag**2 <= 4
        expected += live
        z = np.where(live, z * z + c, z)
    run = launcher(mandelbrot, (side, side), [out, side, limit])
    return Case("Mandelbrot, 512^2", run, out, expected, may_differ=0.02)


def jacobi_case(rng: np.random.Generator) -> Case:
    side = 1024
    old = rng.random((side, side), dtype=np.float32)
    old_in, new = array(old), wp.zeros((side, side), dtype=float, device=DEVICE)
    expected = np.zeros_like(old)
    expected[1:-1, 1:-1] = 0.25 * (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:])
    return Case("Jacobi, 1024^2", launcher(jacobi, (side - 2, side - 2), [old_in, new]), new, expected)


def atomic_case(rng: np.random.Generator) -> Case:
    count = 1_000_000
    x = rng.integers(0, 4, size=count).astype(np.float32)  # sums that float32 holds exactly
    x_in, total = array(x), wp.zeros(1, dtype=float, device=DEVICE)
    run = launcher(atomic_sum, count, [x_in, total])
    return Case("atomic sum, 1e+06", run, total, x.sum(dtype=np.float64, keepdims=True))


def rosenbrock_cases(rng: np.random.Generator) -> Iterator[Case]:
    count = 1_000_000
    at = rng.normal(size=(count, 2)).astype(np.float32)
    points, heights = array(at, wp.vec2), wp.zeros(count, dtype=float, device=DEVICE)
    x, y = at.astype(np.float64).T
    off = y - x * x
    run = launcher(rosenbrock, count, [points], [heights])
    yield Case("Rosenbrock, 1e+06", run, heights, (1 - x) ** 2 + 100 * off**2, tolerance=1e-3)

    grad = wp.zeros(count, dtype=wp.vec2, device=DEVICE)
    seed = array(np.ones(count, dtype=np.float32))
    run = launcher(rosenbrock, count, [points], [heights], adj_inputs=[grad], adj_outputs=[seed], adjoint=True)
    slope = np.stack([-2 * (1 - x) - 400 * x * off, 200 * off], axis=1)
    yield Case("Rosenbrock adjoint, 1e+06", run, grad, slope, tolerance=1e-3)


def rotate_case(rng: np.random.Generator) -> Case:
    count = 1_000_000
    q = rng.normal(size=(count, 4))
    q = (q / np.linalg.norm(q, axis=1, keepdims=True)).astype(np.float32)
    v = rng.normal(size=(count, 3)).astype(np.float32)
    turns, vectors = array(q, wp.quat), array(v, wp.vec3)
    out = wp.zeros(count, dtype=wp.vec3, device=DEVICE)
    axis, w = q[:, :3].astype(np.float64), q[:, 3:].astype(np.float64)
    t = 2 * np.cross(axis, v)
    expected = v + w * t + np.cross(axis, t)
    return Case("quaternion rotation, 1e+06", launcher(rotate, count, [turns, vectors, out]), out, expected)


def components_case(rng: np.random.Generator) -> Case:
    count = 1_000_000
    x = rng.random(count, dtype=np.float32)
    x_in, out = array(x), wp.zeros(count, dtype=float, device=DEVICE)
    v = x.astype(np.float64) + np.arange(9.0)[:, None]
    return Case("vector by components, 1e+06", launcher(components, count, [x_in, out]), out, (v * v[::-1]).sum(axis=0))


def extremes_case(rng: np.random.Generator) -> Case:
    count = 100_000
    x, y = rng.normal(size=(2, count)).astype(np.float32)
    x_in, y_in, out = array(x), array(y), wp.zeros(count, dtype=float, device=DEVICE)
    a, b = x.astype(np.float64), y.astype(np.float64)
    expected = np.minimum(np.maximum(a, 0), b) + np.minimum(a, b) * np.maximum(a, -b)
    expected += np.where(b < 0, -1, 1) * np.maximum(a, 0.5)
    return Case("min max clamp sign, 1e+05", launcher(extremes, count, [x_in, y_in, out]), out, expected)


def uneven_cases() -> Iterator[Case]:
    """Threads whose work grows, or falls, with their index: shared evenly, the time is the same."""
    count = 4096
    for name, first, slope in [("growing", 0, 1), ("falling", count, -1)]:
        out = wp.zeros(count, dtype=float, device=DEVICE)
        rounds = first + slope * np.arange(count, dtype=np.float64)
        run = launcher(grows, count, [out, first, slope])
        yield Case(f"{name} work, {count}", run, out, 2.0 - 2.0 * 0.5**rounds)


def launcher(
    kernel: Any, dim: Any, inputs: list[Any], outputs: Sequence[Any] = (), **more: Any
) -> Callable[[], object]:
    """A launch with everything but the call decided."""
    return lambda: wp.launch(kernel, dim=dim, inputs=inputs, outputs=list(outputs), device=DEVICE, **more)


def cases() -> Iterator[Case]:
    rng = np.random.default_rng(0)
    yield saxpy_case(100_000, rng)
    yield saxpy_case(10_000_000, rng)
    yield transcendental_case(rng)
    yield nbody_case(rng)
    yield mandelbrot_case()
    yield jacobi_case(rng)
    yield atomic_case(rng)
    yield from rosenbrock_cases(rng)
    yield rotate_case(rng)
    yield components_case(rng)
    yield extremes_case(rng)
    yield from uneven_cases()


def measure() -> _harness.Rows:
    """Seconds of one launch of each kernel."""
    wp.init()
    rows = {}
    for case in cases():
        if _harness.is_wanted(case.name):
            case.check()
            rows[case.name] = _harness.per_call(case.launch, target=0.05)
    return rows


def main() -> None:
    _harness.run(__doc__, __file__, measure)


if __name__ == "__main__":
    main()
