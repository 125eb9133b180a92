"""Fields on grids and particles: fluids, waves, reaction, images."""

import numpy as np
from program import gradients, program


def advection_backward_in_time(wp):
    @wp.func
    def sample(f: wp.array2d(dtype=float), x: float, y: float):
        n, m = f.shape[0], f.shape[1]
        u = wp.clamp(x, 0.0, float(n) - 1.001)
        v = wp.clamp(y, 0.0, float(m) - 1.001)
        i, j = int(u), int(v)
        a, b = u - float(i), v - float(j)
        lo = wp.lerp(f[i, j], f[i + 1, j], a)
        hi = wp.lerp(f[i, j + 1], f[i + 1, j + 1], a)
        return wp.lerp(lo, hi, b)

    @wp.kernel
    def advect(f: wp.array2d(dtype=float), u: wp.array2d(dtype=wp.vec2), dt: float, g: wp.array2d(dtype=float)):
        i, j = wp.tid()
        g[i, j] = sample(f, float(i) - dt * u[i, j][0], float(j) - dt * u[i, j][1])

    rng = np.random.default_rng(0)
    f = wp.array(rng.random((8, 9)), dtype=float, requires_grad=True)
    u = wp.array(rng.normal(size=(8, 9, 2)), dtype=wp.vec2, requires_grad=True)
    return gradients(wp, advect, (8, 9), [f, u, 0.4], [wp.zeros((8, 9), dtype=float, requires_grad=True)])


def divergence_and_pressure(wp):
    @wp.kernel
    def divergence(u: wp.array2d(dtype=wp.vec2), d: wp.array2d(dtype=float)):
        i, j = wp.tid()
        n, m = u.shape[0], u.shape[1]
        d[i, j] = 0.5 * (
            u[(i + 1) % n, j][0] - u[(i + n - 1) % n, j][0] + u[i, (j + 1) % m][1] - u[i, (j + m - 1) % m][1]
        )

    @wp.kernel
    def relax(p: wp.array2d(dtype=float), d: wp.array2d(dtype=float), q: wp.array2d(dtype=float)):
        i, j = wp.tid()
        n, m = p.shape[0], p.shape[1]
        s = p[(i + 1) % n, j] + p[(i + n - 1) % n, j] + p[i, (j + 1) % m] + p[i, (j + m - 1) % m]
        q[i, j] = 0.25 * (s - d[i, j])

    u = wp.array(np.random.default_rng(1).normal(size=(6, 6, 2)), dtype=wp.vec2)
    d, p, q = (wp.zeros((6, 6), dtype=float) for _ in range(3))
    wp.launch(divergence, dim=(6, 6), inputs=[u, d])
    for _ in range(10):
        wp.launch(relax, dim=(6, 6), inputs=[p, d, q])
        p, q = q, p
    return d, p


def lattice_boltzmann_step(wp):
    ex = wp.constant(wp.types.vector(length=9, dtype=wp.int32)(0, 1, 0, -1, 0, 1, -1, -1, 1))
    ey = wp.constant(wp.types.vector(length=9, dtype=wp.int32)(0, 0, 1, 0, -1, 1, 1, -1, -1))
    w0, w1, w2 = 4.0 / 9.0, 1.0 / 9.0, 1.0 / 36.0

    @wp.kernel
    def step(f: wp.array3d(dtype=float), g: wp.array3d(dtype=float)):
        i, j = wp.tid()
        n, m = f.shape[1], f.shape[2]
        rho, ux, uy = float(0.0), float(0.0), float(0.0)
        for k in range(9):
            v = f[k, i, j]
            rho += v
            ux += v * float(ex[k])
            uy += v * float(ey[k])
        ux = ux / rho
        uy = uy / rho
        for k in range(9):
            w = w2
            if k == 0:
                w = w0
            elif k < 5:
                w = w1
            eu = float(ex[k]) * ux + float(ey[k]) * uy
            feq = w * rho * (1.0 + 3.0 * eu + 4.5 * eu * eu - 1.5 * (ux * ux + uy * uy))
            g[k, (i + ex[k] + n) % n, (j + ey[k] + m) % m] = f[k, i, j] + 1.2 * (feq - f[k, i, j])

    f = wp.array(0.1 + 0.02 * np.random.default_rng(2).random((9, 5, 6)), dtype=float)
    g = wp.zeros_like(f)
    for _ in range(4):
        wp.launch(step, dim=(5, 6), inputs=[f, g])
        f, g = g, f
    return f


def reaction_and_diffusion(wp):
    @wp.kernel
    def step(a: wp.array2d(dtype=wp.vec2), b: wp.array2d(dtype=wp.vec2)):
        i, j = wp.tid()
        n, m = a.shape[0], a.shape[1]
        c = a[i, j]
        lap = a[(i + 1) % n, j] + a[(i + n - 1) % n, j] + a[i, (j + 1) % m] + a[i, (j + m - 1) % m] - 4.0 * c
        r = c[0] * c[1] * c[1]
        b[i, j] = c + wp.vec2(0.16 * lap[0] - r + 0.035 * (1.0 - c[0]), 0.08 * lap[1] + r - 0.1 * c[1])

    start = np.zeros((10, 10, 2), np.float32)
    start[..., 0] = 1.0
    start[4:6, 4:6] = [0.5, 0.25]
    a, b = wp.array(start, dtype=wp.vec2), wp.zeros((10, 10), dtype=wp.vec2)
    for _ in range(25):
        wp.launch(step, dim=(10, 10), inputs=[a, b])
        a, b = b, a
    return a


def smoothed_particles(wp):
    @wp.func
    def weight(r: float, h: float):
        q = r / h
        if q >= 1.0:
            return 0.0
        return (1.0 - q * q) * (1.0 - q * q) * (1.0 - q * q)

    @wp.kernel
    def density(x: wp.array(dtype=wp.vec2), h: float, rho: wp.array(dtype=float)):
        i = wp.tid()
        s = float(0.0)
        for j in range(x.shape[0]):
            s += weight(wp.length(x[i] - x[j]), h)
        rho[i] = s

    @wp.kernel
    def force(x: wp.array(dtype=wp.vec2), rho: wp.array(dtype=float), h: float, f: wp.array(dtype=wp.vec2)):
        i = wp.tid()
        a = wp.vec2(0.0, -1.0)
        for j in range(x.shape[0]):
            d = x[i] - x[j]
            r = wp.length(d)
            if i != j and r < h:
                a += d / r * (rho[i] + rho[j]) * (1.0 - r / h) * 0.1
        f[i] = a

    x = wp.array(np.random.default_rng(3).random((30, 2)), dtype=wp.vec2)
    rho, f = wp.zeros(30, dtype=float), wp.zeros(30, dtype=wp.vec2)
    wp.launch(density, dim=30, inputs=[x, 0.3, rho])
    wp.launch(force, dim=30, inputs=[x, rho, 0.3, f])
    return rho, f


def particles_to_grid_and_back(wp):
    @wp.kernel
    def scatter(x: wp.array(dtype=wp.vec2), v: wp.array(dtype=wp.vec2), g: wp.array2d(dtype=wp.vec3)):
        p = wp.tid()
        i, j = int(x[p][0] - 0.5), int(x[p][1] - 0.5)
        fx = x[p] - wp.vec2(float(i), float(j))
        for a in range(3):
            for b in range(3):
                wa = 0.75 - (fx[0] - 1.0) * (fx[0] - 1.0)
                if a == 0:
                    wa = 0.5 * (1.5 - fx[0]) * (1.5 - fx[0])
                if a == 2:
                    wa = 0.5 * (fx[0] - 0.5) * (fx[0] - 0.5)
                wb = 0.75 - (fx[1] - 1.0) * (fx[1] - 1.0)
                if b == 0:
                    wb = 0.5 * (1.5 - fx[1]) * (1.5 - fx[1])
                if b == 2:
                    wb = 0.5 * (fx[1] - 0.5) * (fx[1] - 0.5)
                w = wa * wb
                wp.atomic_add(g, i + a, j + b, wp.vec3(v[p][0] * w, v[p][1] * w, w))

    rng = np.random.default_rng(4)
    x = wp.array(rng.random((20, 2)) * 5.0 + 1.0, dtype=wp.vec2, requires_grad=True)
    v = wp.array(rng.normal(size=(20, 2)), dtype=wp.vec2, requires_grad=True)
    return gradients(wp, scatter, 20, [x, v], [wp.zeros((9, 9), dtype=wp.vec3, requires_grad=True)])


def edges_of_an_image(wp):
    @wp.kernel
    def sobel(a: wp.array2d(dtype=float), e: wp.array2d(dtype=float)):
        i, j = wp.tid()
        gx, gy = float(0.0), float(0.0)
        for u in range(3):
            wu = 1.0 if u != 1 else 2.0
            gx += wu * (a[i + u, j + 2] - a[i + u, j])
            gy += wu * (a[i + 2, j + u] - a[i, j + u])
        e[i, j] = wp.sqrt(gx * gx + gy * gy)

    a = wp.array(np.random.default_rng(5).random((7, 8)), dtype=float)
    e = wp.zeros((5, 6), dtype=float)
    wp.launch(sobel, dim=(5, 6), inputs=[a, e])
    return e


@program(exact=True)
def median_of_neighbours(wp):
    @wp.kernel
    def median(a: wp.array2d(dtype=int), m: wp.array2d(dtype=int)):
        i, j = wp.tid()
        v = wp.vector(length=9, dtype=wp.int32)
        for u in range(9):
            v[u] = a[i + u // 3, j + u % 3]
        for _ in range(5):
            for w in range(8):
                if v[w] > v[w + 1]:
                    t = v[w]
                    v[w] = v[w + 1]
                    v[w + 1] = t
        m[i, j] = v[4]

    a = wp.array(np.random.default_rng(6).integers(0, 99, (7, 6)), dtype=int)
    m = wp.zeros((5, 4), dtype=int)
    wp.launch(median, dim=(5, 4), inputs=[a, m])
    return m


def images_resized(wp):
    @wp.kernel
    def resize(a: wp.array2d(dtype=wp.vec3), b: wp.array2d(dtype=wp.vec3)):
        i, j = wp.tid()
        y = (float(i) + 0.5) * float(a.shape[0]) / float(b.shape[0]) - 0.5
        x = (float(j) + 0.5) * float(a.shape[1]) / float(b.shape[1]) - 0.5
        i0, j0 = int(wp.floor(y)), int(wp.floor(x))
        s = wp.vec3(0.0, 0.0, 0.0)
        for u in range(2):
            for v in range(2):
                r = wp.clamp(i0 + u, 0, a.shape[0] - 1)
                c = wp.clamp(j0 + v, 0, a.shape[1] - 1)
                w = (1.0 - wp.abs(y - float(i0 + u))) * (1.0 - wp.abs(x - float(j0 + v)))
                s += w * a[r, c]
        b[i, j] = s

    a = wp.array(np.random.default_rng(7).random((5, 4, 3)), dtype=wp.vec3, requires_grad=True)
    return gradients(wp, resize, (8, 7), [a], [wp.zeros((8, 7), dtype=wp.vec3, requires_grad=True)])


@program(exact=True)
def integral_images(wp):
    @wp.kernel
    def rows(a: wp.array2d(dtype=int)):
        i = wp.tid()
        for j in range(1, a.shape[1]):
            a[i, j] += a[i, j - 1]

    @wp.kernel
    def columns(a: wp.array2d(dtype=int)):
        j = wp.tid()
        for i in range(1, a.shape[0]):
            a[i, j] += a[i - 1, j]

    a = wp.array(np.random.default_rng(8).integers(0, 9, (5, 7)), dtype=int)
    wp.launch(rows, dim=5, inputs=[a])
    wp.launch(columns, dim=7, inputs=[a])
    return a


@program(exact=True)
def colours_packed_into_words(wp):
    @wp.kernel
    def pack(c: wp.array(dtype=wp.vec4ub), w: wp.array(dtype=wp.uint32)):
        i = wp.tid()
        v = c[i]
        s = wp.uint32(0)
        for k in range(4):
            s = s | (wp.uint32(v[k]) << wp.uint32(8 * k))
        w[i] = s

    @wp.kernel
    def unpack(w: wp.array(dtype=wp.uint32), c: wp.array2d(dtype=wp.uint8)):
        i, k = wp.tid()
        c[i, k] = wp.uint8((w[i] >> wp.uint32(8 * k)) & wp.uint32(255))

    c = wp.array(np.random.default_rng(9).integers(0, 256, (5, 4)), dtype=wp.vec4ub)
    w, d = wp.zeros(5, dtype=wp.uint32), wp.zeros((5, 4), dtype=wp.uint8)
    wp.launch(pack, dim=5, inputs=[c, w])
    wp.launch(unpack, dim=(5, 4), inputs=[w, d])
    return w, d


def hue_and_saturation(wp):
    @wp.func
    def hsv(c: wp.vec3):
        hi = wp.max(c)
        lo = wp.min(c)
        d = hi - lo
        h = float(0.0)
        if d > 0.0:
            if hi == c[0]:
                h = (c[1] - c[2]) / d
            elif hi == c[1]:
                h = 2.0 + (c[2] - c[0]) / d
            else:
                h = 4.0 + (c[0] - c[1]) / d
            if h < 0.0:
                h += 6.0
        s = wp.where(hi > 0.0, d / hi, 0.0)
        return wp.vec3(h / 6.0, s, hi)

    @wp.kernel
    def k(c: wp.array(dtype=wp.vec3), y: wp.array(dtype=wp.vec3)):
        i = wp.tid()
        y[i] = hsv(c[i])

    c = wp.array(np.random.default_rng(10).random((12, 3)), dtype=wp.vec3)
    y = wp.zeros(12, dtype=wp.vec3)
    wp.launch(k, dim=12, inputs=[c, y])
    return y


def terrain_of_octaves(wp):
    @wp.kernel
    def k(seed: int, h: wp.array2d(dtype=float)):
        i, j = wp.tid()
        state = wp.rand_init(seed)
        s, a, f = float(0.0), float(1.0), float(0.1)
        for _ in range(4):
            s += a * wp.noise(state, wp.vec2(float(i) * f, float(j) * f))
            a = a * 0.5
            f = f * 2.0
        h[i, j] = s

    h = wp.zeros((9, 8), dtype=float)
    wp.launch(k, dim=(9, 8), inputs=[7, h])
    return h


def rays_through_a_density(wp):
    @wp.kernel
    def march(d: wp.array3d(dtype=float), y: wp.array2d(dtype=float)):
        i, j = wp.tid()
        t = float(1.0)
        for k in range(6):
            t = t * wp.exp(-d[i, j, k] * 0.3)
        y[i, j] = 1.0 - t

    d = wp.array(np.random.default_rng(11).random((4, 5, 6)), dtype=float, requires_grad=True)
    return gradients(wp, march, (4, 5), [d], [wp.zeros((4, 5), dtype=float, requires_grad=True)])


@program(exact=True)
def falling_sand(wp):
    @wp.kernel
    def step(a: wp.array2d(dtype=wp.int8), b: wp.array2d(dtype=wp.int8)):
        i, j = wp.tid()
        n = a.shape[0]
        here = a[i, j]
        if here == wp.int8(1) and i + 1 < n and a[i + 1, j] == wp.int8(0):
            here = wp.int8(0)
        elif here == wp.int8(0) and i > 0 and a[i - 1, j] == wp.int8(1):
            here = wp.int8(1)
        b[i, j] = here

    a = wp.array(np.random.default_rng(12).integers(0, 2, (7, 6)), dtype=wp.int8)
    b = wp.zeros_like(a)
    for _ in range(6):
        wp.launch(step, dim=(7, 6), inputs=[a, b])
        a, b = b, a
    return a


def heat_in_three_dimensions(wp):
    @wp.kernel
    def step(u: wp.array3d(dtype=wp.float64), v: wp.array3d(dtype=wp.float64)):
        i, j, k = wp.tid()
        c = u[i, j, k]
        s = wp.float64(0.0)
        if i > 0:
            s += u[i - 1, j, k] - c
        if i < u.shape[0] - 1:
            s += u[i + 1, j, k] - c
        if j > 0:
            s += u[i, j - 1, k] - c
        if j < u.shape[1] - 1:
            s += u[i, j + 1, k] - c
        if k > 0:
            s += u[i, j, k - 1] - c
        if k < u.shape[2] - 1:
            s += u[i, j, k + 1] - c
        v[i, j, k] = c + wp.float64(0.1) * s

    start = np.zeros((4, 5, 6))
    start[1, 2, 3] = 1.0
    u, v = wp.array(start, dtype=wp.float64), wp.zeros((4, 5, 6), dtype=wp.float64)
    for _ in range(6):
        wp.launch(step, dim=(4, 5, 6), inputs=[u, v])
        u, v = v, u
    return u, float(u.numpy().sum())
