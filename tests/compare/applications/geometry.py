"""Geometry as kernels: distances, intersections, meshes given by arrays, curves."""

import numpy as np
from program import gradients, program


def distances_to_triangles(wp):
    @wp.func
    def closest(p: wp.vec3, a: wp.vec3, b: wp.vec3, c: wp.vec3):
        ab, ac, ap = b - a, c - a, p - a
        d1, d2 = wp.dot(ab, ap), wp.dot(ac, ap)
        if d1 <= 0.0 and d2 <= 0.0:
            return a
        bp = p - b
        d3, d4 = wp.dot(ab, bp), wp.dot(ac, bp)
        if d3 >= 0.0 and d4 <= d3:
            return b
        cp = p - c
        d5, d6 = wp.dot(ab, cp), wp.dot(ac, cp)
        if d6 >= 0.0 and d5 <= d6:
            return c
        vc = d1 * d4 - d3 * d2
        if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
            return a + ab * (d1 / (d1 - d3))
        vb = d5 * d2 - d1 * d6
        if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
            return a + ac * (d2 / (d2 - d6))
        va = d3 * d6 - d5 * d4
        if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
            return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)))
        s = 1.0 / (va + vb + vc)
        return a + ab * (vb * s) + ac * (vc * s)

    @wp.kernel
    def k(p: wp.array(dtype=wp.vec3), y: wp.array(dtype=float)):
        i = wp.tid()
        q = closest(p[i], wp.vec3(0.0, 0.0, 0.0), wp.vec3(1.0, 0.0, 0.0), wp.vec3(0.0, 1.0, 0.5))
        y[i] = wp.length(p[i] - q)

    p = wp.array(np.random.default_rng(0).normal(size=(40, 3)), dtype=wp.vec3, requires_grad=True)
    return gradients(wp, k, 40, [p], [wp.zeros(40, dtype=float, requires_grad=True)])


def rays_through_triangles(wp):
    @wp.kernel
    def cast(
        o: wp.array(dtype=wp.vec3), d: wp.array(dtype=wp.vec3), t: wp.array2d(dtype=wp.vec3), y: wp.array(dtype=wp.vec2)
    ):
        i = wp.tid()
        best, which = float(1.0e9), float(-1.0)
        for j in range(t.shape[0]):
            e1, e2 = t[j, 1] - t[j, 0], t[j, 2] - t[j, 0]
            h = wp.cross(d[i], e2)
            a = wp.dot(e1, h)
            if wp.abs(a) > 1.0e-6:
                s = o[i] - t[j, 0]
                u = wp.dot(s, h) / a
                q = wp.cross(s, e1)
                v = wp.dot(d[i], q) / a
                if u >= 0.0 and v >= 0.0 and u + v <= 1.0:
                    r = wp.dot(e2, q) / a
                    if r > 0.0 and r < best:
                        best = r
                        which = float(j)
        y[i] = wp.vec2(best, which)

    rng = np.random.default_rng(1)
    o = wp.array(rng.normal(size=(30, 3)), dtype=wp.vec3)
    d = wp.array(rng.normal(size=(30, 3)), dtype=wp.vec3)
    t = wp.array(rng.normal(size=(12, 3, 3)) * 2.0, dtype=wp.vec3)
    y = wp.zeros(30, dtype=wp.vec2)
    wp.launch(cast, dim=30, inputs=[o, d, t, y])
    return y


def normals_of_a_mesh(wp):
    @wp.kernel
    def faces(x: wp.array(dtype=wp.vec3), f: wp.array(dtype=wp.vec3i), n: wp.array(dtype=wp.vec3)):
        t = wp.tid()
        a, b, c = x[f[t][0]], x[f[t][1]], x[f[t][2]]
        m = wp.cross(b - a, c - a)
        for j in range(3):
            wp.atomic_add(n, f[t][j], m)

    @wp.kernel
    def unit(n: wp.array(dtype=wp.vec3), y: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        y[i] = wp.normalize(n[i])

    x = wp.array(np.random.default_rng(2).normal(size=(6, 3)), dtype=wp.vec3, requires_grad=True)
    f = wp.array([[0, 1, 2], [2, 3, 4], [4, 5, 0], [1, 3, 5]], dtype=wp.vec3i)
    n, y = wp.zeros(6, dtype=wp.vec3, requires_grad=True), wp.zeros(6, dtype=wp.vec3, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(faces, 4, [x, f], [n])
        wp.launch(unit, 6, [n], [y])
    tape.backward(grads={y: wp.array(np.arange(18.0).reshape(6, 3), dtype=wp.vec3)})
    return y, x.grad


def volume_of_a_closed_mesh(wp):
    @wp.kernel
    def volume(x: wp.array(dtype=wp.vec3), f: wp.array2d(dtype=int), v: wp.array(dtype=float)):
        t = wp.tid()
        wp.atomic_add(v, 0, wp.dot(x[f[t, 0]], wp.cross(x[f[t, 1]], x[f[t, 2]])) / 6.0)

    x = wp.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], dtype=wp.vec3, requires_grad=True)
    f = wp.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], dtype=int)
    return gradients(wp, volume, 4, [x, f], [wp.zeros(1, dtype=float, requires_grad=True)])


@program(exact=True)
def points_in_a_polygon(wp):
    @wp.kernel
    def inside(p: wp.array(dtype=wp.vec2), poly: wp.array(dtype=wp.vec2), y: wp.array(dtype=bool)):
        i = wp.tid()
        c = bool(False)
        n = poly.shape[0]
        for j in range(n):
            a, b = poly[j], poly[(j + 1) % n]
            if (a[1] > p[i][1]) != (b[1] > p[i][1]):
                if p[i][0] < (b[0] - a[0]) * (p[i][1] - a[1]) / (b[1] - a[1]) + a[0]:
                    c = not c
        y[i] = c

    poly = wp.array([[0, 0], [2, 0.1], [1.1, 1], [2, 2], [0, 1.9], [0.6, 1]], dtype=wp.vec2)
    p = wp.array(np.random.default_rng(3).random((60, 2)) * 2.5, dtype=wp.vec2)
    y = wp.zeros(60, dtype=bool)
    wp.launch(inside, dim=60, inputs=[p, poly, y])
    return y


def marching_through_a_distance_field(wp):
    @wp.func
    def sdf(p: wp.vec3):
        a = wp.length(p) - 1.0
        q = wp.vec3(wp.abs(p[0] - 1.0) - 0.5, wp.abs(p[1]) - 0.5, wp.abs(p[2]) - 0.5)
        b = wp.length(wp.max(q, wp.vec3(0.0, 0.0, 0.0))) + wp.min(wp.max(q), 0.0)
        h = wp.clamp(0.5 + 0.5 * (b - a) / 0.3, 0.0, 1.0)
        return wp.lerp(b, a, h) - 0.3 * h * (1.0 - h)

    @wp.kernel
    def march(y: wp.array2d(dtype=float)):
        i, j = wp.tid()
        o = wp.vec3(0.3 * float(i) - 1.5, 0.3 * float(j) - 1.5, -4.0)
        d = wp.vec3(0.0, 0.0, 1.0)
        t = float(0.0)
        for _ in range(40):
            s = sdf(o + d * t)
            if s < 1.0e-3 or t > 8.0:
                break
            t += s
        y[i, j] = t

    y = wp.zeros((10, 11), dtype=float)
    wp.launch(march, dim=(10, 11), inputs=[y])
    return y


def gradients_of_a_distance_field(wp):
    @wp.func
    def torus(p: wp.vec3):
        q = wp.vec2(wp.length(wp.vec2(p[0], p[2])) - 1.0, p[1])
        return wp.length(q) - 0.25

    @wp.kernel
    def normals(p: wp.array(dtype=wp.vec3), n: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        n[i] = wp.grad(torus)(p[i])

    p = wp.array(np.random.default_rng(4).normal(size=(20, 3)), dtype=wp.vec3)
    n = wp.zeros(20, dtype=wp.vec3)
    wp.launch(normals, dim=20, inputs=[p, n])
    return n


def curves_by_de_casteljau(wp):
    @wp.kernel
    def k(c: wp.array2d(dtype=wp.vec2), t: wp.array(dtype=float), y: wp.array2d(dtype=wp.vec2)):
        i, j = wp.tid()
        a, b = wp.lerp(c[i, 0], c[i, 1], t[j]), wp.lerp(c[i, 1], c[i, 2], t[j])
        d = wp.lerp(c[i, 2], c[i, 3], t[j])
        y[i, j] = wp.lerp(wp.lerp(a, b, t[j]), wp.lerp(b, d, t[j]), t[j])

    c = wp.array(np.random.default_rng(5).normal(size=(3, 4, 2)), dtype=wp.vec2, requires_grad=True)
    t = wp.array(np.linspace(0.0, 1.0, 6), dtype=float, requires_grad=True)
    return gradients(wp, k, (3, 6), [c, t], [wp.zeros((3, 6), dtype=wp.vec2, requires_grad=True)])


@program(exact=True)
def boxes_that_overlap(wp):
    @wp.struct
    class Box:
        lo: wp.vec3
        hi: wp.vec3

    @wp.func
    def overlap(a: Box, b: Box):
        for d in range(3):
            if a.lo[d] > b.hi[d] or b.lo[d] > a.hi[d]:
                return False
        return True

    @wp.kernel
    def count(boxes: wp.array(dtype=Box), n: wp.array(dtype=int)):
        i, j = wp.tid()
        if i < j and overlap(boxes[i], boxes[j]):
            wp.atomic_add(n, i, 1)

    rng = np.random.default_rng(6)
    data = np.zeros(25, np.dtype(Box.numpy_dtype()))
    data["lo"] = rng.random((25, 3))
    data["hi"] = data["lo"] + rng.random((25, 3)) * 0.4
    n = wp.zeros(25, dtype=int)
    wp.launch(count, dim=(25, 25), inputs=[wp.array(data, dtype=Box), n])
    return n


def forces_of_a_hair(wp):
    @wp.kernel
    def energy(x: wp.array(dtype=wp.vec3), e: wp.array(dtype=float)):
        i = wp.tid()
        a, b = x[i + 1] - x[i], x[i + 2] - x[i + 1]
        la, lb = wp.length(a), wp.length(b)
        bend = 2.0 * wp.cross(a, b) / (la * lb + wp.dot(a, b))
        stretch = la - 0.5
        wp.atomic_add(e, 0, 10.0 * stretch * stretch + 0.5 * wp.dot(bend, bend))

    rng = np.random.default_rng(7)
    points = np.cumsum(np.array([0.5, 0.0, 0.0]) + 0.1 * rng.normal(size=(9, 3)), axis=0)
    x = wp.array(points, dtype=wp.vec3, requires_grad=True)
    return gradients(wp, energy, 7, [x], [wp.zeros(1, dtype=float, requires_grad=True)])


def barycentric_textures(wp):
    @wp.kernel
    def shade(
        p: wp.array(dtype=wp.vec2), t: wp.array(dtype=wp.vec2), c: wp.array(dtype=wp.vec3), y: wp.array(dtype=wp.vec3)
    ):
        i = wp.tid()
        m = wp.matrix_from_cols(t[1] - t[0], t[2] - t[0])
        w = wp.inverse(m) * (p[i] - t[0])
        y[i] = c[0] * (1.0 - w[0] - w[1]) + c[1] * w[0] + c[2] * w[1]

    rng = np.random.default_rng(8)
    p = wp.array(rng.random((6, 2)), dtype=wp.vec2, requires_grad=True)
    t = wp.array([[0.0, 0.0], [1.0, 0.2], [0.1, 1.0]], dtype=wp.vec2, requires_grad=True)
    c = wp.array(rng.random((3, 3)), dtype=wp.vec3, requires_grad=True)
    return gradients(wp, shade, 6, [p, t, c], [wp.zeros(6, dtype=wp.vec3, requires_grad=True)])


def farthest_points(wp):
    @wp.kernel
    def spread(x: wp.array(dtype=wp.vec3), chosen: int, d: wp.array(dtype=float)):
        i = wp.tid()
        d[i] = wp.min(d[i], wp.length_sq(x[i] - x[chosen]))

    x = wp.array(np.random.default_rng(9).normal(size=(30, 3)), dtype=wp.vec3)
    d = wp.full(30, 1.0e9, dtype=float)
    chosen = [0]
    for _ in range(5):
        wp.launch(spread, dim=30, inputs=[x, chosen[-1], d])
        chosen.append(int(d.numpy().argmax()))
    return chosen, d


def pinhole_images_with_gradients(wp):
    @wp.kernel
    def project(
        p: wp.array(dtype=wp.vec3),
        f: wp.array(dtype=float),
        pose: wp.array(dtype=wp.transform),
        e: wp.array(dtype=float),
    ):
        i = wp.tid()
        q = wp.transform_point(pose[0], p[i])
        u = wp.vec2(f[0] * q[0] / q[2], f[0] * q[1] / q[2])
        r = u - wp.vec2(0.1 * float(i), -0.2)
        wp.atomic_add(e, 0, wp.dot(r, r))

    points = np.random.default_rng(10).normal(size=(8, 3)) + np.array([0.0, 0.0, 6.0])
    p = wp.array(points, dtype=wp.vec3, requires_grad=True)
    f = wp.array([1.5], dtype=float, requires_grad=True)
    pose = wp.array([[0.1, 0.0, 0.2, 0.0, 0.1, 0.0, 0.994987]], dtype=wp.transform, requires_grad=True)
    return gradients(wp, project, 8, [p, f, pose], [wp.zeros(1, dtype=float, requires_grad=True)])
