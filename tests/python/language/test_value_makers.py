"""Values in kernels by what makes their types, and arguments that say once more what a type says."""

from __future__ import annotations

import pytest
import warp as wp

vec5 = wp.types.vector(length=5, dtype=wp.float32)
mat32d = wp.types.matrix(shape=(3, 2), dtype=wp.float64)


def run(body, n, dtype=wp.float32, inputs=()):
    out = wp.zeros(n, dtype=dtype)
    wp.launch(body, dim=1, inputs=[*inputs, out])
    return out.numpy().tolist()


def test_vectors_matrices_and_quaternions():
    @wp.kernel
    def k(x: float, out: wp.array(dtype=float)):
        v = wp.types.vector(x, 2.0, 3.0)
        w = wp.types.vector(x, length=4)
        m = wp.types.matrix(x, shape=(2, 3))
        q = wp.types.quaternion(0.0, x, 0.0, 1.0)
        z = wp.types.vector(length=2, dtype=float)
        out[0] = v[0] + v[2]
        out[1] = w[3]
        out[2] = m[1, 2]
        out[3] = q[1]
        out[4] = z[1] + float(type(w[0])(1.0))

    assert run(k, 5, inputs=[2.0]) == [5.0, 2.0, 2.0, 2.0, 1.0]


def test_makers_have_gradients_and_types():
    @wp.kernel
    def k(x: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
        i = wp.tid()
        m = wp.types.matrix(x[i], x[i] * x[i], wp.float64(0.0), x[i], shape=(2, 2))
        out[i] = wp.determinant(m) + m[0, 1]

    x = wp.array([2.0, 3.0], dtype=wp.float64, requires_grad=True)
    out = wp.zeros(2, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(k, 2, [x, out])
    tape.backward(grads={out: wp.ones(2, dtype=wp.float64)})
    assert x.grad.list() == [8.0, 12.0]


def test_arguments_that_agree_with_the_type():
    @wp.kernel
    def k(c: wp.float64, out: wp.array(dtype=wp.float64)):
        m = mat32d(c, shape=(3, 2))
        v = wp.vec3d(c, length=3, dtype=wp.float64)
        w = vec5(length=5)
        out[0] = m[2, 1] + v[2] + wp.float64(w[4])

    assert run(k, 1, wp.float64, [1.5]) == [3.0]


@wp.kernel
def other_length(out: wp.array(dtype=float)):
    v = vec5(1.0, length=4)
    out[0] = v[0]


@wp.kernel
def other_shape(out: wp.array(dtype=float)):
    m = mat32d(shape=(2, 3))
    out[0] = float(m[0, 0])


@wp.kernel
def other_dtype(out: wp.array(dtype=float)):
    v = vec5(dtype=wp.float64)
    out[0] = float(v[0])


@pytest.mark.parametrize("kernel", [other_length, other_shape, other_dtype], ids=lambda k: k.key)
def test_arguments_that_do_not(kernel):
    with pytest.raises(TypeError, match="is another one than that of"):
        wp.launch(kernel, 1, [wp.zeros(1)])
