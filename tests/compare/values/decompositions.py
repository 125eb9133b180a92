"""svd, qr, eig and inverses of small matrices: factors, what they multiply to, gradients that ignore signs."""

import numpy as np
from program import gradients, program

A = [[2.0, 1.0, 0.5], [-1.0, 3.0, 0.25], [0.5, -0.75, 1.5]]
SYMMETRIC = [[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 1.0]]


@program(tolerance=3e-5)
def singular_values(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.mat33), s: wp.array(dtype=wp.vec3), back: wp.array(dtype=wp.mat33)):
        i = wp.tid()
        u, sigma, v = wp.svd3(a[i])
        s[i] = sigma
        back[i] = u * wp.diag(sigma) * wp.transpose(v)

    a = wp.array([A, SYMMETRIC], dtype=wp.mat33)
    s, back = wp.zeros(2, dtype=wp.vec3), wp.zeros(2, dtype=wp.mat33)
    wp.launch(k, dim=2, inputs=[a, s, back])
    return s, back


@program(tolerance=3e-5)
def singular_values_into_variables(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.mat33), s: wp.array(dtype=wp.vec3), turns: wp.array(dtype=float)):
        u = wp.mat33()
        v = wp.mat33()
        sigma = wp.vec3()
        wp.svd3(a[0], u, sigma, v)
        s[0] = sigma
        turns[0] = wp.determinant(u)
        turns[1] = wp.determinant(v)

    s, turns = wp.zeros(1, dtype=wp.vec3), wp.zeros(2, dtype=float)
    wp.launch(k, dim=1, inputs=[wp.array([A], dtype=wp.mat33), s, turns])
    return s, turns


@program(tolerance=1e-4)
def gradient_of_singular_values(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.mat33), y: wp.array(dtype=float)):
        i = wp.tid()
        u, sigma, v = wp.svd3(a[i])
        y[i] = sigma[0] + 2.0 * sigma[1] * sigma[2]

    a = wp.array([A, SYMMETRIC], dtype=wp.mat33, requires_grad=True)
    return gradients(wp, k, 2, [a], [wp.zeros(2, dtype=float, requires_grad=True)])


@program(tolerance=1e-4)
def nearest_rotation(wp):
    """Polar decomposition, as of shape matching and corotated elements."""

    @wp.kernel
    def k(a: wp.array(dtype=wp.mat33), r: wp.array(dtype=wp.mat33)):
        u, sigma, v = wp.svd3(a[0])
        r[0] = u * wp.transpose(v)

    a = wp.array([A], dtype=wp.mat33, requires_grad=True)
    return gradients(wp, k, 1, [a], [wp.zeros(1, dtype=wp.mat33, requires_grad=True)])


@program(tolerance=3e-5)
def orthogonal_and_triangular_factors(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.mat33), size: wp.array(dtype=wp.vec3), back: wp.array(dtype=wp.mat33)):
        q, r = wp.qr3(a[0])
        size[0] = wp.vec3(wp.abs(r[0, 0]), wp.abs(r[1, 1]), wp.abs(r[2, 2]))
        back[0] = q * r

    size, back = wp.zeros(1, dtype=wp.vec3), wp.zeros(1, dtype=wp.mat33)
    wp.launch(k, dim=1, inputs=[wp.array([A], dtype=wp.mat33), size, back])
    return size, back


@program(tolerance=3e-5)
def eigenvalues(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.mat33), d: wp.array2d(dtype=float), back: wp.array(dtype=wp.mat33)):
        q, e = wp.eig3(a[0])
        d[0, 0] = wp.min(e[0], wp.min(e[1], e[2]))
        d[0, 1] = wp.max(e[0], wp.max(e[1], e[2]))
        d[0, 2] = e[0] + e[1] + e[2]
        back[0] = q * wp.diag(e) * wp.transpose(q)

    d, back = wp.zeros((1, 3), dtype=float), wp.zeros(1, dtype=wp.mat33)
    wp.launch(k, dim=1, inputs=[wp.array([SYMMETRIC], dtype=wp.mat33), d, back])
    return d, back


@program(tolerance=3e-5)
def decompositions_of_two_by_two(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.mat22), s: wp.array(dtype=wp.vec2), back: wp.array(dtype=wp.mat22)):
        u, sigma, v = wp.svd2(a[0])
        s[0] = wp.vec2(wp.abs(sigma[0]), wp.abs(sigma[1]))
        back[0] = u * wp.diag(sigma) * wp.transpose(v)

    s, back = wp.zeros(1, dtype=wp.vec2), wp.zeros(1, dtype=wp.mat22)
    wp.launch(k, dim=1, inputs=[wp.array([[[2.0, 1.0], [-1.0, 0.5]]], dtype=wp.mat22), s, back])
    return s, back


@program(tolerance=1e-9)
def decompositions_in_double_precision(wp):
    @wp.kernel
    def k(a: wp.array(dtype=wp.mat33d), s: wp.array(dtype=wp.vec3d), d: wp.array(dtype=wp.float64)):
        u, sigma, v = wp.svd3(a[0])
        s[0] = sigma
        q, r = wp.qr3(a[0])
        d[0] = wp.abs(r[2, 2])

    s, d = wp.zeros(1, dtype=wp.vec3d), wp.zeros(1, dtype=wp.float64)
    wp.launch(k, dim=1, inputs=[wp.array([A], dtype=wp.mat33d), s, d])
    return s, d


@program(tolerance=1e-4)
def gradients_of_inverses_and_determinants(wp):
    @wp.kernel
    def k(
        a: wp.array(dtype=wp.mat33), b: wp.array(dtype=wp.mat44), y: wp.array(dtype=float), z: wp.array(dtype=wp.mat44)
    ):
        y[0] = wp.determinant(a[0]) + wp.trace(wp.inverse(a[0]))
        z[0] = wp.inverse(b[0])

    four = np.eye(4) * 2.0 + np.arange(16).reshape(4, 4) * 0.05
    a = wp.array([A], dtype=wp.mat33, requires_grad=True)
    b = wp.array([four], dtype=wp.mat44, requires_grad=True)
    y, z = wp.zeros(1, dtype=float, requires_grad=True), wp.zeros(1, dtype=wp.mat44, requires_grad=True)
    return gradients(wp, k, 1, [a, b], [y, z])
