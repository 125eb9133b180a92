"""Loops whose variable selects components: values and gradients are those of NumPy, however the loop is compiled."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

vec9 = wp.types.vector(length=9, dtype=wp.float64)
WEIGHT = wp.constant(vec9(*[0.1 * k + 0.5 for k in range(9)]))
TURNED = wp.constant(wp.types.vector(length=9, dtype=wp.int32)(8, 0, 7, 1, 6, 2, 5, 3, 4))


@wp.struct
class Cell:
    f: vec9


@wp.kernel
def local_vector(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    v = vec9()
    for k in range(9):
        v[k] = x[i] * wp.float64(k + 1)
    for k in range(9):
        v[TURNED[k]] += v[k] * WEIGHT[8 - k]
    s = wp.float64(0.0)
    for k in range(9):
        at = 8 - k
        if v[at] > wp.float64(2.0):
            continue
        s += v[at] * v[at]
    y[i] = s


@wp.kernel
def local_matrix(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    m = wp.mat44d()
    for a in range(4):
        for b in range(4):
            m[a, b] = wp.sin(x[i] * wp.float64(4 * a + b))
    s = wp.float64(0.0)
    for a in range(4):
        for b in range(4):
            for c in range(4):
                s += m[a, b] * m[b, c] * m[c, a]
    y[i] = s


@wp.kernel
def of_struct(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    cell = Cell()
    for k in range(9):
        cell.f[k] = x[i] + wp.float64(k)
    for k in range(1, 9):
        cell.f[k] = cell.f[k] * cell.f[k - 1] * wp.float64(0.1)
    y[i] = cell.f[8]


@wp.kernel
def as_counted(x: wp.array(dtype=wp.float64), n: int, y: wp.array(dtype=wp.float64)):
    """A loop that stays one: nobody knows the number of rounds."""
    i = wp.tid()
    v = vec9()
    for k in range(n):
        v[k] = x[i] * wp.float64(k + 1)
    for k in range(n):
        v[TURNED[k]] += v[k] * WEIGHT[8 - k]
    s = wp.float64(0.0)
    for k in range(n):
        if v[8 - k] <= wp.float64(2.0):
            s += v[8 - k] * v[8 - k]
    y[i] = s


def vector_by_numpy(x):
    v = np.zeros(9)
    for k in range(9):
        v[k] = x * (k + 1)
    for k in range(9):
        v[TURNED[k]] += v[k] * WEIGHT[8 - k]
    return sum(t * t for t in v if t <= 2.0)


def matrix_by_numpy(x):
    m = np.sin(x * np.arange(16.0)).reshape(4, 4)
    return np.trace(m @ m @ m)


def struct_by_numpy(x):
    f = x + np.arange(9.0)
    for k in range(1, 9):
        f[k] *= f[k - 1] * 0.1
    return f[8]


@pytest.mark.parametrize(
    ("kernel", "numbers", "plain"),
    [
        (local_vector, [], vector_by_numpy),
        (as_counted, [9], vector_by_numpy),
        (local_matrix, [], matrix_by_numpy),
        (of_struct, [], struct_by_numpy),
    ],
    ids=["vector", "counted", "matrix", "struct"],
)
def test_values_and_gradients(kernel, numbers, plain):
    at = np.array([0.3, -0.7, 0.11, 0.52])
    x = wp.array(at, dtype=wp.float64, requires_grad=True)
    y = wp.zeros(4, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(kernel, dim=4, inputs=[x, *numbers], outputs=[y])
    np.testing.assert_allclose(y.numpy(), [plain(t) for t in at], rtol=1e-12)
    tape.backward(grads={y: wp.ones(4, dtype=wp.float64)})
    step = 1e-6
    slopes = [(plain(t + step) - plain(t - step)) / (2 * step) for t in at]
    np.testing.assert_allclose(x.grad.numpy(), slopes, rtol=1e-6)


def test_indices_out_of_range_are_found():
    @wp.kernel
    def kernel(y: wp.array(dtype=wp.float64)):
        v = vec9()
        for k in range(12):
            v[k] = wp.float64(k)
        y[0] = v[0]

    with pytest.raises((ValueError, IndexError, RuntimeError), match="out of range"):
        wp.launch(kernel, dim=1, outputs=[wp.zeros(1, dtype=wp.float64)])
